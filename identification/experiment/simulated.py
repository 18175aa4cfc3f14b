"""Candidates evaluated: a worker's side. Models are built once for each run and get other values; sensors are read at the
instants that were measured and nowhere else."""
import math
import warnings

import numpy as np

from identification.experiment.parts import ADDRESS, KNOB, SERIES, VALUE
from identification.problem import DIVERGED, DONE, LARGEST, LIMIT, REFUSED, Outcome
from robotphi.errors import RobotphiError
from robotphi.model.build import build_model
from robotphi.run.lean import Lean
from robotphi.scenario.file import load_scenario
from robotphi.scene.values import SCENE

LEAST_BUDGET = 1e-12
REDUCED = {"largest": np.max, "smallest": np.min, "last": lambda values: values[-1], "mean": np.mean, "range": np.ptp,
           "largest_size": lambda values: np.max(np.abs(values))}


class Simulated:
    """Evaluates candidates of a plan."""

    def __init__(self, plan):
        self.plan, self._models, self._lean = plan, {}, {}   # of each run
        self._module = None if not isinstance(plan.source, str) else load_scenario(plan.source, plan.allow).module

    def outcome(self, values, limits=None, held_out=False, budget=1.0):
        """What comes of a candidate; `limits`: attempts that each run may make at most, `budget`: share of the scenes' own."""
        found, criteria, attempts, evaluations, reached = [], {}, 0, 0, []
        status = DONE
        for number, run in enumerate(self.plan.runs):
            if run.held_out and not held_out:
                continue
            status, share, residuals, scalars, tried = self._run(number, values, None if limits is None else limits[number],
                                                                 budget)
            attempts, evaluations = attempts + tried[0], evaluations + tried[1]
            reached.append(share)
            if status != DONE:
                break
            found.append(residuals)
            criteria |= {name: max(value, criteria.get(name, -math.inf)) for name, value in scalars.items()}   # of several runs
        wanted = [run for run in self.plan.runs if held_out or not run.held_out]
        if status != DONE:
            return Outcome(None, status, sum(reached) / len(wanted), attempts)
        criteria["evaluations"] = float(evaluations)
        return Outcome(np.concatenate([*found, np.zeros(0)]), DONE, 1.0, attempts, criteria)

    def attempts(self, values):
        """[attempts of each run], and the Outcome, of a candidate without limits."""
        found = []
        for number in range(len(self.plan.runs)):
            status, share, _, _, tried = self._run(number, values, None)
            if status != DONE:
                return None, Outcome(None, status, share, tried[0])
            found.append(tried[0])
        return found, self.outcome(values)

    def _run(self, number, values, limit, budget=1.0):
        """(status, share reached, residuals, criteria, (attempts, evaluations)) of one run."""
        run = self.plan.runs[number]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = self.model(number, values, budget)
        except (RobotphiError, ValueError, ArithmeticError):
            return REFUSED, 0.0, None, {}, (0, 0)
        shift = sum(factor * values[place] for place, factor in run.offsets)
        instants = [_within(reading.times - shift, run.last) for reading in run.readings]
        looked = [instants[k] if reading.take in (SERIES, VALUE) else run.frames for k, reading in enumerate(run.readings)]
        looked += [_within(np.array([each.at]), run.last) if each.take == VALUE else run.frames for each in run.scalars]
        times = np.unique(np.concatenate(looked)) if looked else np.zeros(0)
        names = dict.fromkeys(each.sensor for each in (*run.readings, *run.scalars))
        with np.errstate(all="ignore"):
            seen = self._lean.setdefault(number, Lean()).readings(model, times, names, limit)
        tried = (seen.attempts, seen.evaluations)
        if seen.status != DONE:
            return (LIMIT if seen.status == "limit" else DIVERGED), seen.reached / max(times[-1], 1e-300), None, {}, tried
        residuals = [self._residuals(reading, times, looked[k], instants[k], seen) for k, reading in enumerate(run.readings)]
        scalars = {}
        for each, instants_of in zip(run.scalars, looked[len(run.readings):], strict=True):
            scalars[each.name] = max(float(_taken(each, times, instants_of, seen)[0]), scalars.get(each.name, -math.inf))
        residuals = np.concatenate([*residuals, np.zeros(0)])
        if not np.isfinite(residuals).all() or not all(map(math.isfinite, scalars.values())):
            return DIVERGED, 1.0, None, {}, tried
        return DONE, 1.0, np.clip(residuals, -LARGEST, LARGEST), scalars, tried

    def _residuals(self, reading, times, looked, instants, seen):
        if reading.take == SERIES:
            found = placed(seen.values[reading.sensor][np.searchsorted(times, instants)], reading.place)
        else:
            found = _taken(reading, times, looked, seen)
        return reading.weight / reading.noise * (found - reading.measured)

    def model(self, number, values, budget=1.0):
        """The model of a run with the values of a candidate."""
        knobs, addresses = dict(self.plan.runs[number].knobs), {}
        for place, kind, what, factor in self.plan.targets:
            value = values[place] * factor
            if kind == KNOB:
                knobs[what] = round(value) if self.plan.integers[place] else float(value)
            elif kind == ADDRESS:
                addresses[what] = float(value)
        key = budget, tuple(sorted(knobs.items()))
        known = self._models.get(number)
        if known is None or known[0] != key:
            known = self._models[number] = key, build_model(lean_scene(budgeted(self.scene(knobs), budget)))
        return known[1].with_values(addresses) if addresses else known[1]

    def scene(self, knobs):
        """The scene with other knobs."""
        if self._module is not None:
            return self._module.build(**knobs)
        return self.plan.source(**knobs) if callable(self.plan.source) else self.plan.source


def lean_scene(scene):
    """The same scene with no frame between its start and its end."""
    lean = scene.with_values({})
    lean.frames = 1
    return lean


def budgeted(scene, share):
    """The scene with a share of its budget; itself where its steps go by none."""
    if share == 1.0 or scene.stepping.control != "ledger":
        return scene
    return scene.with_values({(SCENE, "budget"): max(float(f"{share * scene.stepping.budget:.12g}"), LEAST_BUDGET)})


def _within(times, last):
    return np.clip(times, 0.0, last)


def placed(values, place):
    """One number of each value: the one at a place, or the size of all."""
    if place == "size" or (place is None and values.ndim > 1):
        return np.linalg.norm(values, axis=1)
    return values if place is None else values[:, place]


def _taken(what, times, looked, seen):
    """(1,) what is taken of a sensor over a stretch."""
    values = placed(seen.values[what.sensor][np.searchsorted(times, looked)], what.place)
    if what.take == VALUE:
        return values[:1]
    if what.take == "settled":
        return np.array([settled(looked, np.abs(values), what.within)])
    inside = (looked >= what.begin) & (looked <= what.end)
    return np.array([REDUCED[what.take](values[inside])])


def settled(times, sizes, within):
    """The time from which a size stays within a bound, by a straight line between two instants.

    Where it never does, the last instant and how far it still is, so that searches know which is nearer.
    """
    beyond = np.flatnonzero(sizes > within)
    if not len(beyond):
        return float(times[0])
    k = int(beyond[-1])
    if k + 1 == len(times):
        return float(times[-1]) + float(sizes[-1] / within - 1.0 if within > 0.0 else 1.0)
    part = (sizes[k] - within) / (sizes[k] - sizes[k + 1])
    return float(times[k] + part * (times[k + 1] - times[k]))
