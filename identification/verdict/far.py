"""How far a finer mesh moves fitted values, where it moves them so far that slopes at the values of the own mesh tell nothing.

A beam of two cells across is a third too stiff in bending: with a finer mesh it swings slower, and is out of step after a few
turns. So the own mesh is fitted to what the finer one does at the fitted values. It takes other values for that, and by as much
as these are off, the finer mesh has to move the other way to do what the own one did (indirect inference; Gouriéroux, Monfort
and Renault 1993). From there Newton's steps, with the slopes of the own mesh where it did the same, lead to the finer mesh's
least squares.
"""
import numpy as np

from identification.search import Search
from identification.search.aim import Aim
from identification.verdict.corrected import Moved
from identification.verdict.refine import refine

STEPS = 6            # of Newton
SETTLED = 0.05       # of a standard deviation: a shorter step is the last
EXPLAINED = 1.5      # of the residuals of the own mesh: what those of the finer one may be at most


def way_of(problem, first, finer):
    """Shares of the box from values of a Verdict to those of the finer problem, these values; evaluations.

    The way is None where they were not found.
    """
    [there] = finer.evaluate(first.point[None])
    if there.residuals is None:
        return None, first.point, 1
    other, spent = _fitted(Moved(problem, -there.residuals))
    times = _times(problem.parameters, first.point, other)
    over = problem.shares(first.point)[0] - problem.shares(other)[0]
    guess = np.where(times == 1.0, problem.shares(first.point)[0] + over, problem.shares(first.point * times)[0])
    shares, more = _newton(problem, first, finer, np.clip(guess, 0.0, 1.0), times)
    spent += more + 1
    if shares is None:
        return None, first.point, spent
    return shares - problem.shares(first.point)[0], problem.values(shares)[0], spent


def _times(parameters, values, other):
    """By how many times values on linear scales are larger than others; 1 for all else, which moves by shares."""
    return np.array([value / before if each.scale == "linear" and value * before > 0 else 1.0
                     for each, value, before in zip(parameters, values, other, strict=True)])


def _fitted(problem):
    """The least squares of a problem from wherever they are in the box, and evaluations."""
    search = Search(problem, "auto", 1, Aim())
    while (points := search.ask()) is not None:
        search.tell(problem.evaluate(points))
    best, more = refine(problem, search.best[0])
    return best, search.evaluated + more


def _newton(problem, first, finer, shares, times):
    """Shares where the finer problem has its least squares, None where they are not found, and evaluations.

    A value that is so many times larger shows as many times less for each share of a linear scale.
    """
    back = -times[:, None] * (first.directions.inverse() @ first.jacobian.matrix.T)
    best, size, fine = None, EXPLAINED * np.linalg.norm(first.jacobian.residuals), SETTLED * first.spread.sd()
    for spent in range(1, STEPS + 1):
        [there] = finer.evaluate(problem.values(shares))
        if there.residuals is None or not np.linalg.norm(there.residuals) < size:
            return best, spent
        best, size = shares, np.linalg.norm(there.residuals)
        shares = np.clip(shares + back @ there.residuals, 0.0, 1.0)
        if np.all(np.abs(shares - best) <= fine):
            return best, spent
    return None, STEPS
