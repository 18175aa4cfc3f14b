"""A league of all methods over known truths: evaluations until the noise explains what is left, and whether the verdict holds.

A method has arrived where its best sum of squares is above the least one by no more than p/100 variances of the noise: a tenth
of a standard deviation in every direction. What is not there within the evaluations allowed counts as not arrived; medians are
over all repeats, so that they tell nothing where fewer than half arrive. Coverage is over the intervals of all parameters that
can be told.
"""
from typing import NamedTuple

import numpy as np

from identification.errors import ExperimentError, FitError
from identification.league.truths import TRUTHS
from identification.search import METHODS, Search
from identification.verdict import judge, refine

NEAR = 0.01          # of the variance of the noise, for each parameter
MOST = 600           # evaluations a fit


class Row(NamedTuple):
    """One method on one truth."""
    truth: str
    method: str
    repeats: int
    arrived: int
    evaluations: float       # median until it arrived, infinite where fewer than half did
    spent: float             # median until the method ended by itself, or was stopped
    told: int                # intervals of parameters that can be told
    held: int                # those that hold the truth
    named: int               # repeats in which what cannot be told was named, and nothing else
    missing: str = ""        # why it could not play

    @property
    def coverage(self):
        return self.held / self.told if self.told else np.nan


def play(repeats=20, methods=None, truths=None, most=MOST, progress=None):
    """Rows of all methods on all truths, those of one truth by evaluations."""
    methods = tuple(METHODS) if methods is None else tuple(methods)
    rows = []
    for truth in TRUTHS if truths is None else truths:
        least = [_least(truth, seed) for seed in range(repeats)]
        found = []
        for method in methods:
            found.append(_row(truth, method, least, most))
            if progress:
                progress(found[-1])
        rows += sorted(found, key=lambda row: (bool(row.missing), row.evaluations, row.spent))
    return rows


def _least(truth, seed):
    """The least sum of squares near the truth."""
    problem = truth.problem(seed)
    best, _ = refine(problem, list(truth.values))
    return float(np.sum(problem.evaluate(best)[0].residuals ** 2))


def _row(truth, method, least, most):
    arrivals, spent, told, held, named = [], [], 0, 0, 0
    for seed, target in enumerate(least):
        problem = truth.problem(seed)
        try:
            arrival, count, best = _fit(problem, method, seed, target + NEAR * len(truth.parameters), most)
        except (ExperimentError, ImportError) as error:
            return Row(truth.name, method, len(least), 0, np.inf, np.inf, 0, 0, 0, str(error).split(";")[0])
        arrivals.append(arrival)
        spent.append(count)
        findings = _findings(problem, best)
        seen = [pair for pair in zip(findings, truth.values, strict=True) if pair[0].name not in truth.hidden]
        told += len(seen)
        held += sum(finding.low <= value <= finding.high for finding, value in seen)
        hidden = {finding.name for finding in findings if finding.state in ("confounded", "no effect")}
        named += hidden == set(truth.hidden)
    return Row(truth.name, method, len(least), int(np.isfinite(arrivals).sum()), float(np.median(arrivals)),
               float(np.median(spent)), told, held, named)


def _findings(problem, best):
    try:
        return judge(problem, best, profiles=False).findings
    except FitError:
        return ()


def _fit(problem, method, seed, target, most):
    """(evaluations until the target, evaluations in all, best point)."""
    search, arrival, count = Search(problem, method, seed, evaluations=most), np.inf, 0
    while (points := search.ask()) is not None:
        outcomes = problem.evaluate(points)
        for outcome in outcomes:
            count += 1
            if outcome.residuals is not None and outcome.residuals @ outcome.residuals <= target:
                arrival = min(arrival, count)
        search.tell(outcomes)
    return arrival, count, search.best[0]


def winners(rows):
    """{truth: method that arrived with the fewest evaluations}, None where none did in half of its repeats."""
    found = {}
    for row in rows:
        best = found.get(row.truth)
        if np.isfinite(row.evaluations) and (best is None or row.evaluations < best.evaluations):
            found[row.truth] = row
        found.setdefault(row.truth, None)
    return {truth: None if row is None else row.method for truth, row in found.items()}
