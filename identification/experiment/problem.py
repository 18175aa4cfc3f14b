"""The problem of an experiment: its plan, its series, and the workers that evaluate candidates."""
import numpy as np

from identification.errors import ExperimentError
from identification.experiment.data import readings_of, sensor_unit, shifted_within
from identification.experiment.parts import OFFSET
from identification.experiment.plan import Plan, RunPlan
from identification.experiment.simulated import Simulated
from identification.problem import DONE, Problem, Series
from identification.running.pool import open_pool

FEWEST_ATTEMPTS = 1000   # that a candidate may always make


class ExperimentProblem(Problem):
    """What searches and verdicts see of an experiment.

    Attributes:
        plan: what workers know.
        nominal: attempts of each run where parameters start; a candidate may make so many times as many.
        told: [(seconds, where)] of the candidates of the last evaluation.
    """

    def __init__(self, experiment, workers=0, cluster=None):
        self.experiment, self.parameters = experiment, experiment.parameters
        self.plan, self.series = planned(experiment)
        self.here = Simulated(self.plan)
        self.nominal, self.first = self.here.attempts(self.start)
        if self.nominal is None:
            told = ", ".join(f"{each.name} {value:g} {each.unit}".strip() for each, value in zip(
                self.parameters, self.start, strict=True))
            raise ExperimentError(f"where the parameters start ({told}) the simulation is {self.first.status} at "
                                  f"{100.0 * self.first.reached:.3g} % of its time; give other start: values or bounds")
        self.limits = [max(FEWEST_ATTEMPTS, round(experiment.fit["attempts"] * each)) for each in self.nominal]
        self.pool = open_pool(workers, cluster, self.plan, self.here)
        self.told, self._known = [], []

    def evaluate(self, points, held_out=False, budget=1.0):
        """Outcomes of candidates, in their order, by all workers at once; `budget`: share of the scenes' own."""
        points = np.atleast_2d(np.asarray(points, float))
        limits = [round(each / budget) for each in self.limits]   # steps are more by less than budgets are smaller
        tasks = [(tuple(map(float, point)), limits, held_out, budget) for point in points]
        outcomes, self.told = self.pool.run(tasks, self._expected(points))
        self._known += [(point, outcome.attempts) for point, outcome in zip(points, outcomes, strict=True)
                        if outcome.status == DONE and budget == 1.0]
        del self._known[:-200]
        return outcomes

    def finer(self, budget):
        """See `Problem.finer`."""
        by_budget = any(scene.stepping.control == "ledger" for scene in map(self.experiment.scene_of, self.experiment.runs))
        return Finer(self, budget) if by_budget else None

    def _expected(self, points):
        """How long candidates are likely to take: as long as the nearest one that is known; the longest go first."""
        if not self._known:
            return np.zeros(len(points))
        known = self.shares(np.array([point for point, _ in self._known]))
        distance = np.abs(self.shares(points)[:, None, :] - known[None]).sum(axis=2)
        return np.array([attempts for _, attempts in self._known], float)[distance.argmin(axis=1)]

    def close(self):
        """End the workers."""
        self.pool.close()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()


class Finer(Problem):
    """A problem simulated within a share of its budgets, by the same workers."""

    def __init__(self, problem, budget):
        self.problem, self.budget = problem, budget
        self.parameters, self.series = problem.parameters, problem.series

    def evaluate(self, points, held_out=False):
        """Outcomes of candidates, in their order."""
        return self.problem.evaluate(points, held_out, self.budget)

    @property
    def told(self):
        """[(seconds, where)] of the candidates of the last evaluation."""
        return self.problem.told


def planned(experiment):
    """(Plan, series): fitted runs first, those held out behind them."""
    runs, series, place = [], [], 0
    for run in sorted(experiment.runs, key=lambda each: each.held_out):
        scene = experiment.scene_of(run)
        offsets = tuple((number, target.factor) for number, each in enumerate(experiment.unknowns)
                        for target in each.targets if target.kind == OFFSET and target.what == run.name)
        found = readings_of(experiment, run, scene)
        span = [sum(bound * factor for bound, factor in _bounds(experiment, offsets, side)) for side in (0, 1)]
        for compared, reading, unit in found:
            shifted_within(reading, min(span), max(span), scene.duration, compared.name)
            count = len(reading.times)
            series.append(Series(compared.name, run.name, place, place + count, reading.times, run.held_out,
                                 reading.noise / unit.factor, unit.text or "1", reading.measured / unit.factor, reading.weight))
            place += count
        for scalar in experiment.scalars:
            sensor_unit(scene, scalar)
        runs.append(RunPlan(run.name, experiment.knobs | run.knobs, run.held_out, tuple(reading for _, reading, _ in found),
                            experiment.scalars, offsets, scene.frame_times, scene.duration))
    if all(each.held_out for each in runs):
        raise ExperimentError("all runs are held out; leave hold_out: true out of those that are to be fitted")
    _check_used(experiment)
    integers = tuple(each.parameter.integer for each in experiment.unknowns)
    return Plan(experiment.scene, experiment.allow, experiment.targets(), integers, tuple(runs)), tuple(series)


def _bounds(experiment, offsets, side):
    for number, factor in offsets:
        parameter = experiment.parameters[number]
        yield (parameter.low, parameter.high)[side], factor


def _check_used(experiment):
    """Refuse series whose data are nowhere compared, and runs of which nothing is."""
    for run in experiment.runs:
        if not experiment.scalars and not any(not each.runs or run.name in each.runs for each in experiment.compared):
            raise ExperimentError(f"nothing of run {run.name!r} is compared; name it in runs: of a compared quantity, or "
                                  "leave it out")
