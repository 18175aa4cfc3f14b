"""Profile likelihood: how far one parameter may go while all others make up for it as well as they can.

The ends of an interval are where the least sum of squares over all other parameters has risen by (t s)² f, f the widening for
correlated noise. A profile by full fits takes hundreds of evaluations; near the optimum the Jacobian of the optimum serves for
all points (chord Gauss–Newton), and the root of the rise is nearly a line, so that a few evaluations find each end. Where
residuals bend on the way, that Jacobian would stop short of the least sum: the others' columns are taken anew, once an end.
"""
from typing import NamedTuple

import numpy as np

MOST = 10            # evaluations an end
NEAR = 0.04          # of the distance to an end: good enough
BENT = 0.2           # of the root of the rise: how far residuals may be from the tangent
ROOM = 5             # other parameters at most whose columns are taken anew
SETTLED = 0.05       # of the rise sought: what the others may still have to gain


class End(NamedTuple):
    """Where one side of an interval ends."""
    value: float
    open: bool           # the bound of the box is reached before the residuals object
    found: bool          # False where the evaluations did not suffice


class Profile(NamedTuple):
    """The interval of one parameter by its profile, and the points that were seen."""
    low: End
    high: End
    points: tuple        # (value, rise over that sought), to be drawn: the ends are at one
    evaluations: int
    better: float        # the largest fall below the optimum that was seen, over the rise sought


class _Others(NamedTuple):
    """The other parameters: their indices, an orthonormal basis of what they do, and their chord step J⁺."""
    index: np.ndarray
    basis: np.ndarray
    inverse: np.ndarray


def profile(problem, found, index, sd, rise, reach):
    """The Profile of parameter `index`.

    Args:
        found: the Jacobian at the optimum.
        sd: half width to try first, in shares of the box; infinite where nothing is known.
        rise: of the sum of squares at the ends, s² t² f.
        reach: half width of an interval where the strength of a direction is one: weaker ones stay where they are.
    """
    keep = np.delete(np.arange(found.matrix.shape[1]), index)
    others = _others(found.matrix[:, keep], keep, reach)
    ends, points, evaluations = [], [(found.point[index], 0.0)], 0
    for side in (-1.0, 1.0):
        end, seen, spent = _end(problem, found, index, others, side, sd, rise, reach)
        ends.append(end)
        points += seen
        evaluations += spent
    points = [point for point in points if np.isfinite(point[1])]
    return Profile(*ends, tuple(sorted(points)), evaluations, max(0.0, -min(height for _, height in points)))


def _others(matrix, keep, reach):
    left, strength, right = np.linalg.svd(matrix, full_matrices=False)
    seen = strength > reach
    return _Others(keep, left[:, seen], (right[seen].T / strength[seen]) @ left[:, seen].T)


def _anew(problem, found, others, point, residuals, reach):
    """The others' columns at a point, by differences to the inner side."""
    steps = np.where(point[others.index] > 0.5, -1, 1) * found.steps[others.index]
    shifted = np.repeat(point[None], len(steps), axis=0)
    shifted[np.arange(len(steps)), others.index] += steps
    outcomes = problem.evaluate(problem.values(shifted))
    if any(outcome.residuals is None for outcome in outcomes):
        return others
    columns = [(outcome.residuals - residuals) / step for outcome, step in zip(outcomes, steps, strict=True)]
    return _others(np.column_stack(columns), others.index, reach)


def _end(problem, found, index, others, side, half, rise, reach):
    """One end, by evaluations along the way of the others; the points seen as (value, rise over that sought)."""
    parameter, shares = problem.parameters[index], problem.shares(found.point)[0]
    centre, bound = shares[index], (0.0 if side < 0 else 1.0)
    least, seen, spent = found.residuals @ found.residuals, [], 0
    straight = 0 < len(others.index) <= ROOM
    room = abs(bound - centre)
    if room < 1e-9:
        return End(parameter.value(bound), True, True), seen, 0
    length = min(half if np.isfinite(half) and half > 0 else room, room)
    aside = -others.inverse @ found.matrix[:, index] * side * length
    while spent < MOST:
        point = shares.copy()
        point[index], point[others.index] = centre + side * length, np.clip(shares[others.index] + aside, 0, 1)
        values = problem.values(point)[0]
        residuals, spent = problem.evaluate(values[None])[0].residuals, spent + 1
        if residuals is None:
            seen.append((values[index], np.inf))
            length, aside = length / 2, aside / 2
            continue
        if straight and (residuals @ residuals - least) < 3 * rise and spent + len(others.index) < MOST:
            bend = residuals - found.residuals - found.matrix @ (point - shares)
            if bend @ bend > BENT ** 2 * rise:
                others, straight = _anew(problem, found, others, point, residuals, reach), False
                spent += len(others.index)
        gain = np.sum((others.basis.T @ residuals) ** 2)
        height = (residuals @ residuals - gain - least) / max(rise, 1e-300)
        seen.append((values[index], height))
        # A step of the others to where they are least, with the Jacobian of the optimum.
        aside = point[others.index] - shares[others.index] - others.inverse @ residuals
        if gain > SETTLED * rise and height < 4:
            continue
        ratio = np.sqrt(max(height, 1e-4))
        if abs(ratio - 1) < NEAR:
            return End(parameter.value(centre + side * min(length / ratio, room)), False, True), seen, spent
        if ratio < 1 and length >= room * (1 - 1e-12):
            return End(parameter.value(bound), True, True), seen, spent
        longer = min(length * np.clip(1 / ratio, 0.25, 4.0), room)
        length, aside = longer, aside * longer / length
    return End(parameter.value(centre + side * length), False, False), seen, spent
