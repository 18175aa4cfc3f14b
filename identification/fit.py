"""A fit: a search for the parameters of an experiment, with a journal from which it can be gone on with."""
import hashlib
import json
import platform
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from identification.errors import JournalError
from identification.experiment.experiment import Experiment
from identification.finish import Finished, finish
from identification.problem import STATUSES, Outcome
from identification.running.journal import Journal, Journaled
from identification.search import Search
from robotphi import __version__
from robotphi.model.arrays import model_digest
from robotphi.model.build import build_model

FITTED = "fit.json"


@dataclass
class Fit:
    """What came of a fit.

    Attributes:
        values: name of a parameter → its value, in its unit.
        point: the same as a row.
        outcome: of the best candidate.
        counts: status → candidates that ended so.
        evaluations: candidates, those of the journal included.
        front: [(point, criteria)] where a Pareto front was asked for.
        budget: at which the values hold, as a share of the scene's own: 1 where that is small enough for the data.
    """
    parameters: tuple
    point: np.ndarray
    outcome: Outcome
    counts: dict
    evaluations: int
    generations: int
    front: list
    folder: Path | None = None
    budget: float = 1.0

    @property
    def values(self):
        """Name of a parameter → its value."""
        return {each.name: float(value) for each, value in zip(self.parameters, self.point, strict=True)}

    @property
    def error(self):
        """Root of the mean square of the residuals, in sd of the noise."""
        return self.outcome.error


def fit(experiment, folder=None, resume=False, progress=None, problem=None, after=None, begun=None, **settings):
    """Find the parameters of an experiment.

    Args:
        experiment: an `Experiment`, or the path of its file.
        folder: where the journal is kept; none where it is left out.
        resume: whether to go on with the journal that is there.
        progress: called with (search, seconds) after each batch.
        problem: the problem of the experiment, where it is open already; it stays open.
        after: called with (problem, Fit) at the end; what it evaluates goes through the journal as well.
        begun: called once the journal is open.
        settings: other than those of the experiment: method, seed, workers, cluster, evaluations, settings, exact.
    """
    experiment = Experiment.read(experiment) if isinstance(experiment, (str, Path)) else experiment
    chosen = experiment.fit | {name: value for name, value in settings.items() if value is not None}
    opened = problem or experiment.problem(chosen["workers"], chosen["cluster"])
    try:
        return search_for(opened, chosen, folder, head_of(experiment, opened, chosen), resume, progress, after, begun)
    finally:
        if problem is None:
            opened.close()


def search_for(problem, chosen, folder=None, head=None, resume=False, progress=None, after=None, begun=None):
    """The same for any problem; `chosen`: method, seed, settings, evaluations, aim, exact."""
    journal = None if folder is None else Journal(folder, head or {}, resume)
    asked = problem if journal is None else Journaled(problem, journal)
    if begun:
        begun()
    try:
        began, counts, spent = time.perf_counter(), dict.fromkeys(STATUSES, 0), 0
        search = Search(problem, chosen["method"], chosen["seed"], chosen["aim"], chosen["evaluations"], **chosen["settings"])
        while (points := search.ask()) is not None:
            outcomes = within(asked, search.budget).evaluate(points)
            for each in outcomes:
                counts[each.status] += 1
                spent += each.attempts
            search.tell(outcomes)
            if progress:
                progress(search, time.perf_counter() - began)
        ending = Finished(*search.best)
        if chosen.get("exact") and search.aim.is_error:
            ending = finish(asked, ending.point, ending.outcome, spent)
        for each in ending.tried:
            counts[each.status] += 1
        values = problem.values([list(one) for one in search.front]) if search.front else []
        front = [(row, dict(zip((each.name for each in search.aim.criteria), one.numbers, strict=True)))
                 for row, one in zip(values, search.front, strict=True)]
        found = Fit(problem.parameters, ending.point, ending.outcome, {name: count for name, count in counts.items() if count},
                    search.evaluated + len(ending.tried), search.generation, front, None if folder is None else Path(folder),
                    ending.budget)
        if after:
            after(asked, found)
        return found
    finally:
        if journal is not None:
            journal.close()


def within(problem, budget):
    """A problem simulated within a share of its budgets, where that can be had; else as it is."""
    return problem if budget == 1.0 else problem.finer(budget) or problem


def head_of(experiment, problem, chosen):
    """Plain facts on which every answer of a journal hangs."""
    data = hashlib.sha256()
    for each in problem.series:
        facts = [each.name, each.run, each.start, each.stop, each.held_out, float(each.noise).hex(), float(each.weight).hex()]
        data.update(json.dumps(facts).encode())
        data.update(np.ascontiguousarray(each.times).tobytes() + np.ascontiguousarray(each.measured).tobytes())
    aim = chosen["aim"]
    models = hashlib.sha256("".join(model_digest(build_model(experiment.scene_of(run))) for run in experiment.runs).encode())
    return {"versions": {"robotphi": __version__, "numpy": np.__version__, "machine": platform.machine()},
            "parameters": [[each.name, each.low, each.high, each.start, each.scale, each.unit, each.integer]
                           for each in problem.parameters],
            "method": chosen["method"], "seed": chosen["seed"], "settings": chosen["settings"],
            "evaluations": chosen["evaluations"], "exact": chosen["exact"],
            "aim": [aim.mode, [[each.name, each.below, each.weight] for each in aim.criteria]],
            "attempts": experiment.fit["attempts"], "targets": repr(problem.plan.targets), "data": data.hexdigest(),
            "models": models.hexdigest()}


def read_fitted(folder):
    """What a fit left in its folder: {experiment: its path, settings: …}."""
    path = Path(folder) / FITTED
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if not (isinstance(kept, dict) and isinstance(kept.get("experiment"), str) and isinstance(kept.get("settings"), dict)):
            raise ValueError("it tells no experiment, or no settings")
        return kept
    except (OSError, ValueError) as error:
        raise JournalError(f"{folder} holds no fit ({FITTED}: {error}); name the folder that `robotphi-identify fit` "
                           "told") from error
