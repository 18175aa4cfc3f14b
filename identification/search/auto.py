"""The method that is chosen where none is named: a few random points, least squares, and more only where that stalls."""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from identification.problem import DONE
from identification.search.genetic import Genetic, genetic
from identification.search.least_squares import LeastSquares, descend, together

ENOUGH = 1.5       # sd of the noise: an error that the noise explains
ROUNDS, MORE = 2, 3   # of random points; times as many in the second
ALIKE = 1e-3       # of errors, and places as shares of the box, that are those of one minimum
TENTH, HALF = 0.1, 0.5   # of a budget, and of what is left: see `_explained`


class Within(NamedTuple):
    """A batch that is to be simulated within a share of the budget; where nobody can, as any other."""
    points: np.ndarray
    budget: float


@dataclass(frozen=True)
class Auto:
    """Its settings: random points, starts of least squares at most, generations where these do not agree."""
    points: int = 20
    starts: int = 4
    generations: int = 40


def auto(count, stream, aim, settings, start=None, whole=False, told=None, key=tuple):
    """Random points, then least squares from the best one; where noise does not explain what is left, from others as well.

    Where it still does not: the same from three times as many points, since what swings has a minimum for each turn. Where no
    two starts come to the best place: the genetic algorithm from all that is known, and least squares once more. What the
    budget of the simulation leaves, no search makes less: where it is that, the search ends.
    `whole`: whether a parameter is a whole number. Then, and where other criteria count, the genetic algorithm does it all.
    """
    if whole or not aim.is_error:
        yield from genetic(count, stream, aim, Genetic(generations=settings.generations), told=told, key=key)
        return
    points, known, found = stream.spread(settings.points, count), {}, []
    if start is not None:
        points = np.concatenate([[start], points])
    for _ in range(ROUNDS):
        outcomes = yield points
        known |= {tuple(x): each for x, each in zip(points, outcomes, strict=True)}
        order = [k for k in np.argsort([each.error for each in outcomes], kind="stable") if outcomes[k].status == DONE]
        searches = [descend(points[k], LeastSquares(), outcomes[k]) for k in order[:settings.starts]]
        before = found[0] if found else None
        if searches and not found:
            found = [(yield from searches.pop(0))]
            if (yield from _explained(*found[0])):
                return
        found = sorted(found + (yield from together(searches)), key=lambda one: one[1].error)
        if found and before is not found[0] and (yield from _explained(*found[0])):
            return
        if before and found[0][1].error > before[1].error * (1.0 - ALIKE) and _agree(found):
            return
        points = stream.spread(MORE * settings.points, count)
    known |= {tuple(x): each for x, each in found}
    known = sorted(known.items(), key=lambda one: one[1].error)[:Genetic.population]
    yield from genetic(count, stream, aim, Genetic(generations=settings.generations), known, _keeping(told, best := []), key)
    if best:
        yield from descend(best[-1], LeastSquares(), best[-1].outcome if best[-1].outcome.status == DONE else None)


def _explained(x, outcome):
    """Whether noise explains what is left, or the budget: a tenth of it changes the residuals by more than their half."""
    if outcome.error <= ENOUGH or outcome.status != DONE:
        return outcome.status == DONE
    [finer] = yield Within(x[None], TENTH)
    if finer.status != DONE:
        return False
    return np.linalg.norm(finer.residuals - outcome.residuals) > HALF * np.linalg.norm(outcome.residuals)


def _agree(found):
    """Whether two starts came to the best place."""
    best, outcome = found[0]
    return any(np.abs(x - best).max() < ALIKE and each.error < outcome.error * (1.0 + ALIKE) for x, each in found[1:])


def _keeping(told, best):
    """Hears of generations and keeps the best of each."""
    def hear(generation, kept):
        best.append(kept[0])
        if told:
            told(generation, kept)
    return hear
