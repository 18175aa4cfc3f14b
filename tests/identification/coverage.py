"""How often intervals hold the truth, over many recordings of an experiment with other noise: each is fitted and judged as
`robotphi-identify fit` would, by simulations alone, from the truth on.

    python -m tests.identification.coverage [--repeats 400] [--correlation 0.9] [--first 0] [name …]
"""
import argparse
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from identification.experiment.experiment import Experiment
from identification.finish import finish
from identification.judged import judge_fit
from identification.league.truths import noise
from identification.problem import Problem
from identification.search.least_squares import LeastSquares, descend
from tests.identification.recordings import FILES, FOLDER, TRUTHS

SPENT = 50           # evaluations of a search, by which `finish` measures what it may take
NAMES = tuple(each for each in TRUTHS if each != "two_in_series")


class Renewed(Problem):
    """A problem with other measured values: its residuals are moved by what they differ by."""

    def __init__(self, problem, moved):
        self.problem, self.moved = problem, moved
        self.parameters, self.series = problem.parameters, tuple(each for each in problem.series if not each.held_out)

    def evaluate(self, points, held_out=False):
        return [each if each.residuals is None else replace(each, residuals=each.residuals + self.moved)
                for each in self.problem.evaluate(points)]

    def finer(self, budget):
        found = self.problem.finer(budget)
        return None if found is None else Renewed(found, self.moved)


def fitted(problem, start):
    """A Fit of a problem from a start, as a search ends: least squares, then smaller budgets where the data can tell."""
    search, outcomes, spent = descend(problem.shares(start)[0], LeastSquares()), None, 0
    try:
        while True:
            outcomes = problem.evaluate(problem.values(search.send(outcomes)))
            spent = SPENT * outcomes[0].attempts
    except StopIteration as ending:
        place, outcome = ending.value
    ending = finish(problem, problem.values(place)[0], outcome, spent)
    return SimpleNamespace(point=ending.point, budget=ending.budget, outcome=ending.outcome)


def verdicts(name, repeats, correlation=0.0, first=0, profiles=True):
    """(truth, Fit, Verdict) of each repeat."""
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    truth = np.array(list(TRUTHS[name].values()))
    with experiment.problem(0) as problem:
        exact, measured = _exact(name, experiment, problem)
        for seed in range(first, first + repeats):
            random = np.random.default_rng([seed, 7])
            drawn = np.concatenate([noise(random, (each.stop - each.start,), correlation)
                                    for each in problem.series if not each.held_out])
            renewed = Renewed(problem, measured - exact - drawn)
            found = fitted(renewed, truth)
            yield truth, found, judge_fit(experiment, renewed, found, profiles=profiles, checks=False)


def coverage(name, repeats, correlation=0.0, first=0, profiles=True):
    """Of each parameter: (p,) repeats that call it identified, those of them whose interval holds the truth, the most
    evaluations of a profile."""
    told, held, most = 0, 0, 0
    for truth, _, verdict in verdicts(name, repeats, correlation, first, profiles):
        called = np.array([each.identified for each in verdict.findings])
        inside = [each.low <= value <= each.high for each, value in zip(verdict.findings, truth, strict=True)]
        told, held = told + called, held + called * np.array(inside)
        most = max([most, *(each.evaluations for each in verdict.profiles.values())])
    return told, held, most


def _exact(name, experiment, problem):
    """What would have been measured without noise, and what was, both over the noise, of all fitted series."""
    exact, measured, known = [], [], {}
    for series in problem.series:
        if not series.held_out:
            run = next(each for each in experiment.runs if each.name == series.run)
            truth, knobs, times, _ = FILES[name][run.path.name]
            column = next(each for each in experiment.compared if each.name == series.name).column
            if run.name not in known:
                known[run.name] = truth(times, **knobs)
            exact.append(known[run.name][column][-len(series.times):] / series.noise)
            measured.append(series.measured / series.noise)
    return np.concatenate(exact), np.concatenate(measured)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--correlation", type=float, default=0.0)
    given = parser.parse_args()
    for each in given.names:
        told, held, most = coverage(each, given.repeats, given.correlation, given.first)
        shares = " ".join(f"{name} {count}/{called}" for name, count, called in zip(TRUTHS[each], held, told, strict=True))
        print(f"{each}, ρ {given.correlation:g}, {given.repeats} repeats: {shares}; a profile at most {most} evaluations",
              flush=True)
