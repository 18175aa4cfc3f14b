"""How often intervals hold the truth, over many recordings of an experiment with other noise: each is fitted and judged as
`robotphi-identify fit` would, meshes included, by simulations alone, from the truth on.

    python -m tests.identification.coverage [--repeats 400] [--correlation 0.9] [--kept FILE.jsonl] [name …]

With `--kept` a line of each repeat stands in a file, and what stands there is not done again.
"""
import argparse
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np

from identification.experiment.experiment import Experiment
from identification.finish import finish
from identification.judged import judge_fit
from identification.search.least_squares import LeastSquares, descend
from tests.identification.recordings import FOLDER, TRUTHS, write

SPENT = 50           # evaluations of a search, by which `finish` measures what it may take
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


def verdict_of(name, seed, correlation=0.0):
    """(Fit, Verdict) of a recording with the noise of a seed."""
    with TemporaryDirectory() as folder:
        shutil.copytree(FOLDER / name, Path(folder) / name)
        write(name, folder, np.random.default_rng([seed, 7]), correlation)
        experiment = Experiment.read(Path(folder) / name / "experiment.yaml")
        with experiment.problem(0) as problem:
            found = fitted(problem, np.array(list(TRUTHS[name].values())))
            return found, judge_fit(experiment, problem, found)


def repeated(name, seed, correlation=0.0):
    """Of one recording: which parameters are called identified, whose intervals hold the truth, the dearest profile."""
    _, verdict = verdict_of(name, seed, correlation)
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
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    lines = given.kept.read_text(encoding="utf-8").splitlines() if given.kept and given.kept.exists() else []
    known = {(row["name"], row["correlation"], row["seed"]): row for row in map(json.loads, lines)}
    for name in given.names:
        rows = []
        for seed in range(given.repeats):
            row = known.get((name, given.correlation, seed))
            if row is None:
                row = repeated(name, seed, given.correlation)
                if given.kept:
                    with open(given.kept, "a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            rows.append(row)
        print(summary(rows), flush=True)


if __name__ == "__main__":
    main()
