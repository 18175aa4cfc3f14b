"""How residuals change with parameters: central differences, whose step stands far above the noise of a simulation.

A simulation that chooses its own steps answers with noise of 1e-5 to 1e-3 of the signal over neighbouring points. The step of
scipy, 1.5e-8, would see nothing else; any step of 1e-4 to 1e-2 of a value gives the same fit. For a verdict steps are taken
anew where the first show too little: as long as one parameter alone may go before the noise of the measurement lets it be seen.
"""
from typing import NamedTuple

import numpy as np

from identification.errors import FitError

STEP = 1e-3          # of a value, or in the logarithm
LEAST = 0.1          # of the box: values nearer to nought are stepped as if they were so large
WIDEST = 0.02        # of the box: a longer step would not be a derivative
GROWN = 3.0          # times longer than before: from here differences are taken anew


class Jacobian(NamedTuple):
    """Residuals at a point, and their derivatives by the shares of the box."""
    point: np.ndarray        # values (p,)
    residuals: np.ndarray    # (n,)
    matrix: np.ndarray       # (n, p)
    steps: np.ndarray        # (p,) of the differences, in shares
    evaluations: int


def span_of(parameter):
    """The width of the box in what differences are taken of: the value, or its logarithm."""
    return np.log(parameter.high / parameter.low) if parameter.scale == "log" else parameter.high - parameter.low


def steps_of(parameters, values):
    """The step of each parameter, in shares of its box."""
    found = []
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.scale == "log":
            step = STEP / span_of(parameter)
        else:
            step = STEP * max(min(abs(value) / span_of(parameter), 1.0), LEAST)
        found.append(max(step, 1.0 / span_of(parameter)) if parameter.integer else step)
    return np.array(found)


def seen_steps(problem, found, change):
    """Steps that change the residuals by `change` in all; None where those that were taken are nearly as long."""
    taken = steps_of(problem.parameters, found.point)
    with np.errstate(divide="ignore"):
        wanted = np.clip(change / np.linalg.norm(found.matrix, axis=0), taken, np.maximum(taken, WIDEST))
    return wanted if (wanted > GROWN * taken).any() else None


def jacobian(problem, values, central=True, steps=None):
    """Differences about a point: 2 p + 1 evaluations in one batch, p + 1 where they are not central.

    At a bound the two points lie on the side that is allowed; the difference stays of second order.
    """
    parameters = problem.parameters
    shares, steps = problem.shares(values)[0], steps_of(parameters, values) if steps is None else steps
    offsets = [_offsets(share, step, central) for share, step in zip(shares, steps, strict=True)]
    points = [shares]
    for index, pair in enumerate(offsets):
        points += [shares + offset * np.eye(len(shares))[index] for offset in pair]
    outcomes = problem.evaluate(problem.values(points))
    residuals = [outcome.residuals for outcome in outcomes]
    if residuals[0] is None:
        raise FitError(f"the simulation at the point to be judged ended as {outcomes[0].status!r}: there is nothing to judge; "
                       "fit again within bounds where it runs")
    columns, row = [], 1
    for parameter, pair in zip(parameters, offsets, strict=True):
        found = [(offset, residuals[row + index]) for index, offset in enumerate(pair)]
        columns.append(_slope(parameter, residuals[0], [each for each in found if each[1] is not None]))
        row += len(pair)
    return Jacobian(np.array(values, float), residuals[0], np.column_stack(columns), steps, len(points))


def _offsets(share, step, central):
    side = -1.0 if share + step > 1 else 1.0
    if not central:
        return (side * step,)
    if share - step < 0 or share + step > 1:
        return (side * step, 2 * side * step)
    return (-step, step)


def _slope(parameter, middle, found):
    """The parabola through the middle and both other points, its slope in the middle; a line where only one is there."""
    if not found:
        raise FitError(f"the simulation fails on both sides of the fitted {parameter.name}: no difference can be taken; "
                       "narrow the bounds of the parameter")
    if len(found) == 1:
        (offset, residuals), = found
        return (residuals - middle) / offset
    (a, at_a), (b, at_b) = found
    return ((at_a - middle) * b / a - (at_b - middle) * a / b) / (b - a)
