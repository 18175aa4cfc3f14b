"""How often intervals of an experiment's simulation hold the truth, over many recordings of it with other noise.

    python -m tests.identification.coverage [repeats] [name …]
"""
import sys

import numpy as np

from identification.experiment.experiment import Experiment
from identification.problem import Outcome, Problem
from identification.verdict import judge, refine
from tests.identification.recordings import FILES, FOLDER, TRUTHS


class Renewed(Problem):
    """A problem with other measured values: its residuals are moved by what they differ by."""

    def __init__(self, problem, moved):
        self.problem, self.moved = problem, moved
        self.parameters, self.series = problem.parameters, tuple(each for each in problem.series if not each.held_out)

    def evaluate(self, points, held_out=False):
        return [Outcome(None if each.residuals is None else each.residuals + self.moved, each.status)
                for each in self.problem.evaluate(points)]


def coverage(name, repeats):
    """(share of repeats in which each interval holds the truth (p,), whether all were called identified)."""
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    truth = np.array(list(TRUTHS[name].values()))
    held, told = np.zeros(len(truth)), True
    with experiment.problem(0) as problem:
        exact, measured = _exact(name, experiment, problem)
        for seed in range(repeats):
            noise = np.random.default_rng([seed, 7]).standard_normal(len(exact))
            renewed = Renewed(problem, measured - exact - noise)
            best, _ = refine(renewed, truth, steps=4)
            findings = judge(renewed, best, profiles=False).findings
            told &= all(finding.identified for finding in findings)
            held += [finding.low <= value <= finding.high for finding, value in zip(findings, truth, strict=True)]
    return held / repeats, told


def _exact(name, experiment, problem):
    """What would have been measured without noise, and what was, both over the noise, of all fitted series."""
    exact, measured = [], []
    for series in problem.series:
        if not series.held_out:
            run = next(each for each in experiment.runs if each.name == series.run)
            truth, knobs, times, _ = FILES[name][run.path.name]
            column = next(each for each in experiment.compared if each.name == series.name).column
            values = truth(times, **knobs)[column]
            exact.append(values[-len(series.times):] / series.noise)
            measured.append(series.measured / series.noise)
    return np.concatenate(exact), np.concatenate(measured)


if __name__ == "__main__":
    for each in sys.argv[2:] or ("two_masses", "slide", "finger", "ligament", "plastic_wire", "drop"):
        print(each, *coverage(each, int(sys.argv[1]) if len(sys.argv) > 1 else 400), flush=True)
