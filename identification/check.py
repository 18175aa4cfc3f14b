"""What can be told of an experiment before it is fitted: what it costs, what its box holds, what its parameters do."""
import itertools
import time
from dataclasses import dataclass, field

import numpy as np

from identification.errors import ExperimentError
from identification.problem import DONE
from identification.search import METHODS

MOST_CORNERS = 16
STEP = 1e-3           # of a difference, as a share of the box
SAME = 1e-9           # sd of the noise: less is no effect
ALIKE = 1e-2          # least singular value of the slopes, each of length one, where parameters can be told apart
PART = 0.3            # of a direction: from there on a parameter belongs to it
FIRST_POINTS, ITERATIONS = 21, 6   # of `auto`, roughly


@dataclass
class Check:
    """What was found.

    Attributes:
        attempts, seconds: of one evaluation where the parameters start.
        evaluations: that the fit is likely to take.
        corners: [(values, status, reached)] of the corners of the box.
        effects: name → what a change by 1 % of the value does, in sd of the noise, over all residuals.
        without: names of parameters that change nothing.
        confounded: [(names, singular value)] of those that cannot be told apart.
    """
    attempts: int
    seconds: float
    evaluations: int
    corners: list = field(default_factory=list)
    effects: dict = field(default_factory=dict)
    without: list = field(default_factory=list)
    confounded: list = field(default_factory=list)

    @property
    def failed(self):
        """Corners that do not come to their end."""
        return [each for each in self.corners if each[1] != DONE]


def check(problem, method="auto", evaluations=2000):
    """Look at a problem before it is fitted; some twenty evaluations and two a parameter."""
    parameters, start = problem.parameters, problem.start
    began = time.perf_counter()
    [middle] = problem.evaluate(start)
    seconds = time.perf_counter() - began
    if middle.status != DONE:
        raise ExperimentError(f"where the parameters start the simulation is {middle.status} at {100.0 * middle.reached:.3g} "
                              "% of its "
                              "time; give other start: values")
    corners = corner_points(len(parameters))
    there = problem.evaluate(problem.values(corners))
    found = Check(middle.attempts, seconds, expected_evaluations(method, len(parameters), evaluations), [
        (values, each.status, each.reached) for values, each in zip(problem.values(corners), there, strict=True)])
    if middle.residuals is None or not len(middle.residuals):
        return found
    slopes = _slopes(problem, start, middle)
    for k, each in enumerate(parameters):
        share = problem.shares(start)[0][k]
        moved = abs(float(each.share(min(max(1.01 * start[k], each.low), each.high))) - share) or 0.01
        found.effects[each.name] = float(np.linalg.norm(slopes[:, k])) * moved
    found.without = [each.name for k, each in enumerate(parameters) if _does_nothing(problem, k, start, middle, slopes[:, k])]
    found.confounded = confounded([each.name for each in parameters], slopes)
    return found


def corner_points(count):
    """(n, k) shares: all corners of the box where these are few, else the ends of each axis and both ends of all."""
    if 2**count <= MOST_CORNERS:
        return np.array(list(itertools.product((0.0, 1.0), repeat=count)))
    ends = [np.full(count, 0.5) for _ in range(2 * count)]
    for k in range(count):
        ends[2 * k][k], ends[2 * k + 1][k] = 0.0, 1.0
    return np.array([np.zeros(count), np.ones(count), *ends])


def _slopes(problem, start, middle):
    """(r, k) slopes of the residuals by shares of the box; 0 where a side does not come to its end."""
    shares = problem.shares(start)[0]
    steps = np.where(shares + STEP <= 1.0, STEP, -STEP)
    steps = np.array([step if not each.integer else np.sign(step) / (each.high - each.low) for step, each in zip(
        steps, problem.parameters, strict=True)])
    outcomes = problem.evaluate(problem.values(shares + np.diag(steps)))
    return np.stack([np.zeros(len(middle.residuals)) if each.status != DONE else (each.residuals - middle.residuals) / step
                     for each, step in zip(outcomes, steps, strict=True)], axis=1)


def _does_nothing(problem, k, start, middle, slope):
    """Whether neither a small step nor either end of the box changes anything."""
    if np.abs(slope).max() * STEP > SAME:
        return False
    ends = np.array([start, start])
    ends[0, k], ends[1, k] = problem.parameters[k].low, problem.parameters[k].high
    there = problem.evaluate(ends)
    return all(each.status == DONE and np.abs(each.residuals - middle.residuals).max() <= SAME for each in there)


def confounded(names, slopes):
    """Groups of parameters whose slopes nearly follow from each other, by the singular values of slopes of length one."""
    sizes = np.linalg.norm(slopes, axis=0)
    seen = sizes > 0.0
    if seen.sum() < 2:
        return []
    names = [name for name, has in zip(names, seen, strict=True) if has]
    _, values, directions = np.linalg.svd(slopes[:, seen] / sizes[seen], full_matrices=False)
    found = [(float(value), [name for name, part in zip(names, direction, strict=True) if abs(part) > PART])
             for value, direction in zip(values, directions, strict=True) if value < ALIKE]
    missing = len(names) - len(values)   # fewer residuals than parameters
    return [(group, value) for value, group in found] + ([(names, 0.0)] if missing > 0 else [])


def expected_evaluations(method, count, most):
    """How many a fit is likely to take."""
    settings = METHODS[method].settings()
    if method == "auto":
        return min(most, FIRST_POINTS + ITERATIONS * (count + 1))
    if method == "least_squares":
        return min(most, settings.starts * ITERATIONS * (count + 1))
    if method == "genetic":
        return min(most, settings.population + round((1.0 - settings.kept) * settings.population) * settings.generations)
    return min(most, 200 * count)
