"""How often intervals hold the truth, over many recordings of an experiment with other noise: each is fitted and judged as
`robotphi-identify fit` would, meshes included, by simulations alone, from the truth on.

    python -m tests.identification.coverage [--repeats 400] [--correlation 0.9] [--remembered] [--kept FILE.jsonl] [name …]

With `--kept` a line of each repeat stands in a file, and what stands there is not done again. With `--remembered` simulations
are those of `remembered.py`, ten repeats a second: of 39 of `soft_bar` done both ways values differ by 0.07 of their
standard deviation at most (median 0.004), and one of 117 intervals holds the truth the one way and not the other.
"""
import argparse
import json
import shutil
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np

from identification.experiment.experiment import Experiment
from identification.experiment.problem import planned
from identification.finish import finish
from identification.judged import judge_fit
from identification.search.least_squares import LeastSquares, descend
from identification.verdict.corrected import Corrected
from identification.verdict.meshes import judge_meshed
from identification.verdict.variants import variants_of
from tests.identification.recordings import FOLDER, TRUTHS, write
from tests.identification.remembered import Memory, Remembered, Watched, box_of

SPENT = 50           # evaluations of a search, by which `finish` measures what it may take
DEGREES = {"slide": (12, 12), "soft_bar": (4, 4, 4), "cloth_drape": (3, 3, 9)}   # of polynomials in the parameters
FIRST = ((0, 0.9), (1, 0.9), (2, 0.0))   # (seed, correlation) of the repeats that tell how far polynomials have to reach
NAMES = tuple(each for each in TRUTHS if each != "two_in_series")


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


@contextmanager
def recorded(name, seed, correlation):
    """The Experiment of a recording with the noise of a seed."""
    with TemporaryDirectory() as folder:
        shutil.copytree(FOLDER / name, Path(folder) / name)
        write(name, folder, np.random.default_rng([seed, 7]), correlation)
        yield Experiment.read(Path(folder) / name / "experiment.yaml")


def truth_of(name):
    return np.array(list(TRUTHS[name].values()))


def verdict_of(name, seed, correlation=0.0, memory=None):
    """The Verdict on a recording with the noise of a seed."""
    with recorded(name, seed, correlation) as experiment:
        if memory is not None:
            problem = Remembered(memory, planned(experiment)[1])
            found = fitted(problem, truth_of(name))
            return judged(problem, found, problem.variants(found.budget))
        with experiment.problem(0) as problem:
            return judge_fit(experiment, problem, fitted(problem, truth_of(name)))


def judged(problem, found, variants):
    """As `judge_fit`, with variants of one's own."""
    if found.budget != 1.0:
        problem = Corrected(problem, problem.finer(found.budget), found.point)
    return judge_meshed(problem, found.point, variants=variants)


@contextmanager
def memory_of(name):
    """The Memory of an experiment, about where its first repeats go."""
    asked = []
    for seed, correlation in FIRST:
        with recorded(name, seed, correlation) as experiment, experiment.problem(0) as problem:
            watched = Watched(problem, asked)
            found = fitted(watched, truth_of(name))
            variants = variants_of(experiment, problem, found.point, found.budget)
            judged(watched, found, {each: Watched(variant, asked) for each, variant in variants.items()})
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    with experiment.problem(0) as problem:
        yield Memory(experiment, problem, truth_of(name), box_of(asked), DEGREES[name])


def repeated(name, seed, correlation=0.0, memory=None):
    """Of one recording: which parameters are called identified, whose intervals hold the truth, the dearest profile."""
    verdict = verdict_of(name, seed, correlation, memory)
    truths = TRUTHS[name].values()
    return {"name": name, "correlation": correlation, "seed": seed,
            "called": [bool(each.identified) for each in verdict.findings],
            "inside": [bool(each.low <= truth <= each.high) for each, truth in zip(verdict.findings, truths, strict=True)],
            "values": [each.value for each in verdict.findings], "sd": [each.sd for each in verdict.findings],
            "profile": max((each.evaluations for each in verdict.profiles.values()), default=0)}


def summary(rows):
    """Of each parameter how often it was called identified, and how often its interval held the truth then, with the standard
    deviation of such a share."""
    called, inside = (np.array([row[each] for row in rows], bool) for each in ("called", "inside"))
    told = []
    for place, parameter in enumerate(TRUTHS[rows[0]["name"]]):
        count, held = called[:, place].sum(), (called & inside)[:, place].sum()
        share = held / count if count else np.nan
        told.append(f"{parameter} {held}/{count} = {share:.3f} ± {np.sqrt(share * (1 - share) / max(count, 1)):.3f}")
    return (f"{rows[0]['name']}, ρ {rows[0]['correlation']:g}, {len(rows)} repeats: {', '.join(told)}; a profile at most "
            f"{max(row['profile'] for row in rows)} evaluations")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--correlation", type=float, default=0.0)
    parser.add_argument("--remembered", action="store_true")
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    lines = given.kept.read_text(encoding="utf-8").splitlines() if given.kept and given.kept.exists() else []
    known = {(row["name"], row["correlation"], row["seed"]): row for row in map(json.loads, lines)}
    for name in given.names:
        rows = []
        with memory_of(name) if given.remembered else nullcontext() as memory:
            for seed in range(given.repeats):
                row = known.get((name, given.correlation, seed))
                if row is None:
                    row = repeated(name, seed, given.correlation, memory)
                    if given.kept:
                        with open(given.kept, "a", encoding="utf-8") as file:
                            file.write(json.dumps(row) + "\n")
                rows.append(row)
        print(summary(rows), flush=True)


if __name__ == "__main__":
    main()
