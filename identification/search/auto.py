"""The method that is chosen where none is named: a few random points, least squares, and more only where that stalls."""
from dataclasses import dataclass

import numpy as np

from identification.problem import DONE
from identification.search.genetic import Genetic, genetic
from identification.search.least_squares import LeastSquares, descend, together

ENOUGH = 1.5       # sd of the noise: an error that the noise explains
ALIKE = 1e-3       # of errors, and places as shares of the box, that are those of one minimum


@dataclass(frozen=True)
class Auto:
    """Its settings: random points, starts of least squares at most, generations where these do not agree."""
    points: int = 20
    starts: int = 4
    generations: int = 40


def auto(count, stream, aim, settings, start=None, whole=False, told=None, key=tuple):
    """Random points, then least squares from the best one; where noise does not explain what is left, from others as well.
    Where no two of them come to the same place: the genetic algorithm from all that is known, and least squares once more.

    `whole`: whether a parameter is a whole number. Then, and where other criteria count, the genetic algorithm does it all.
    """
    if whole or not aim.is_error:
        yield from genetic(count, stream, aim, Genetic(generations=settings.generations), told=told, key=key)
        return
    points = stream.spread(settings.points, count)
    if start is not None:
        points = np.concatenate([[start], points])
    outcomes = yield points
    order = [k for k in np.argsort([each.error for each in outcomes], kind="stable") if outcomes[k].status == DONE]
    found = []
    if order:
        found = yield from _descents(points, outcomes, order, settings)
        if found is None:
            return
    known = {tuple(x): each for x, each in [*zip(points, outcomes, strict=True), *found]}
    known = sorted(known.items(), key=lambda one: one[1].error)[:Genetic.population]
    yield from genetic(count, stream, aim, Genetic(generations=settings.generations), known, _keeping(told, best := []), key)
    if best:
        yield from descend(best[-1], LeastSquares(), best[-1].outcome if best[-1].outcome.status == DONE else None)


def _descents(points, outcomes, order, settings):
    """Least squares from the best points; what was found, or None where that is it."""
    place, outcome = yield from descend(points[order[0]], LeastSquares(), outcomes[order[0]])
    if outcome.error <= ENOUGH:
        return None
    found = [(place, outcome)]
    others = [descend(points[k], LeastSquares(), outcomes[k]) for k in order[1:settings.starts]]
    found += (yield from together(others)) if others else []
    found = sorted(found, key=lambda one: one[1].error)
    agree = [np.abs(x - found[0][0]).max() < ALIKE and each.error < found[0][1].error * (1.0 + ALIKE) for x, each in found[1:]]
    return None if any(agree) else found


def _keeping(told, best):
    """Hears of generations and keeps the best of each."""
    def hear(generation, kept):
        best.append(kept[0])
        if told:
            told(generation, kept)
    return hear
