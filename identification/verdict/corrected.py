"""A problem corrected by what a finer one gives at one point, so that what is looked at about the point stays cheap.

    r(x) = r_coarse(x) + s (r_finer(x₀) − r_coarse(x₀))

At x₀ these are the finer residuals, s = 1; about it they change as the coarse ones do: an error of the slopes is one of second
order (defect correction; Stetter 1978). With s above one they are what ever finer ones would be (Richardson 1911).
"""
from dataclasses import replace

import numpy as np

from identification.errors import FitError
from identification.problem import Problem


class Moved(Problem):
    """A problem whose residuals are moved by so much, those of held-out series behind."""

    def __init__(self, problem, moved):
        self.problem, self.moved, self.parameters, self.series = problem, moved, problem.parameters, problem.series

    def evaluate(self, points, held_out=False):
        """Outcomes of candidates, in their order."""
        return [each if each.residuals is None else replace(each, residuals=each.residuals + self.moved[:len(each.residuals)])
                for each in self.problem.evaluate(points, held_out)]

    def finer(self, budget):
        """See `Problem.finer`."""
        return self.problem.finer(budget)


class Corrected(Moved):
    """See above; `share` is s."""

    def __init__(self, problem, finer, point, share=1.0):
        (coarse,), (fine,) = (each.evaluate(np.asarray(point, float)[None], True) for each in (problem, finer))
        if coarse.residuals is None or fine.residuals is None:
            raise FitError(f"the simulation at the point to be judged ended as {coarse.status!r}, within a smaller budget as "
                           f"{fine.status!r}: there is nothing to judge; say exact: false under fit: to stay with the "
                           "scene's own budget")
        super().__init__(problem, share * (fine.residuals - coarse.residuals))
