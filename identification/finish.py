"""The last steps of a fit: as exact a simulation as the data can tell, without anybody thinking of budgets.

A scene's budget moves its answers, and with them the values that fit best. One evaluation within a tenth of the budget tells
how far, −(JᵀJ)⁻¹Jᵀ r; where ever smaller ones would move more than is passed over, 0.2 of a standard deviation, the values
follow it, and a tenth of that budget tells how much is left. The slopes J stay those of the scene's own budget, which is enough
to come nearer each time.
"""
from typing import NamedTuple

import numpy as np
from scipy.optimize import lsq_linear

from identification.problem import DONE, Outcome, Problem
from identification.verdict.checks import FURTHER, SAID, TENTH
from identification.verdict.intervals import spread
from identification.verdict.judge import outlook

LEAST = SAID / FURTHER   # of a standard deviation: what a tenth of the budget may move
HALF = 0.5           # of what is left: a budget that explains so much of it was no noise


class Finished(NamedTuple):
    """Where a fit ends.

    Attributes:
        point, outcome: the best values, and what comes of them within the last budget.
        budget: that budget, as a share of the scene's own.
        tried: outcomes of all that was evaluated.
    """
    point: np.ndarray
    outcome: Outcome
    budget: float = 1.0
    tried: tuple = ()


def finish(problem, point, outcome, spent):
    """The Finished of a point that a search came to by so many attempts; no evaluation should take more than these."""
    found, problem = Finished(point, outcome), _Counted(problem, [])
    finer = problem.finer(TENTH)
    whole = any(each.integer for each in problem.parameters)
    if outcome.status != DONE or finer is None or whole or not problem.residual_count:
        return found
    [there] = finer.evaluate(point)
    if there.status == DONE and not _unmoved(outcome, there):
        found = _followed(problem, found, there, spent)
    return found._replace(tried=tuple(problem.tried))


def _unmoved(here, there):
    """Whether no parameter can have moved: in its sd none moves by more than all residuals together in that of their noise."""
    return np.linalg.norm(there.residuals - here.residuals) <= LEAST * np.sqrt(np.mean(here.residuals ** 2))


def _followed(problem, found, there, spent):
    """Values that follow smaller and smaller budgets, as long as each step is shorter than the one before."""
    slopes, seen, _ = outlook(problem, found.point)
    point, budget, before, last = found.point, TENTH, found.outcome.attempts, np.inf
    whole = np.linalg.norm(found.outcome.residuals)
    while there.status == DONE:
        shares = problem.shares(point)[0]
        way = _way(slopes.matrix, there.residuals, seen, shares)
        left = there.residuals + slopes.matrix @ way         # where values have followed
        sd = spread(problem, slopes._replace(residuals=left), seen.inverse()).sd()
        step, size = np.abs(way).max(), np.linalg.norm(left)
        settled, whole = np.all(np.abs(way) <= LEAST * sd) and size > HALF * whole, size   # else budget, no noise, was left
        if step < last and point is not found.point:
            found = Finished(point, there, budget)
        if step >= last or settled:
            break
        point, last = problem.values(shares + way)[0], step
        if there.attempts ** 2 <= spent * before:    # the next budget takes as many times more as this one did
            before, budget = there.attempts, TENTH * budget
        [there] = problem.finer(budget).evaluate(point)
    return found


def _way(matrix, residuals, seen, shares):
    """The step to the least squares of a linear problem, along what is seen and within the box."""
    strength, direction = seen.strength[~seen.unseen, None], seen.direction[~seen.unseen]
    if not len(strength):
        return np.zeros(len(shares))
    wanted = -(direction / strength) @ (matrix.T @ residuals)
    return lsq_linear(strength * direction, wanted, (np.minimum(-shares, -1e-15), np.maximum(1.0 - shares, 1e-15)), "bvls").x


class _Counted(Problem):
    """A problem that keeps what came of its candidates."""

    def __init__(self, problem, tried):
        self.problem, self.tried, self.parameters, self.series = problem, tried, problem.parameters, problem.series

    def evaluate(self, points, held_out=False):
        found = self.problem.evaluate(points, held_out)
        self.tried += found
        return found

    def finer(self, budget):
        found = self.problem.finer(budget)
        return None if found is None else _Counted(found, self.tried)
