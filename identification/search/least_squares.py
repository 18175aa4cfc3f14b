"""Least squares within bounds: Levenberg and Marquardt's method on the unit box, with difference steps of our own.

    min over d of |r + J d|² + λ Σ (|J_k| d_k)²,   0 ≤ x + d ≤ 1          (Marquardt 1963; Nielsen's rule for λ)

J is taken by differences of a thousandth of the box. What the step control leaves in the answers of a simulation is far above
rounding, so that differences of scipy's default, 1.5e-8, would see nothing else.
"""
from dataclasses import dataclass

import numpy as np

from identification.problem import DONE

STEP = 1e-3          # of a difference, as a share of the box
DAMPING = 1e-3       # at the start
MOST_REFUSED = 8     # steps one after the other …
FEW_REFUSED, LITTLE = 2, 1e-3   # … and where no more than such a share of the sum could be gained: noise of the simulation


@dataclass(frozen=True)
class LeastSquares:
    """Its settings.

    Attributes:
        starts: how many points it starts from: where the parameters start, and random ones.
        iterations: of each start at most.
        moved: it ends where a step is shorter, as a share of the box …
        gained: … or would make the sum of squares less by no more than this share.
    """
    starts: int = 4
    iterations: int = 40
    moved: float = 1e-9
    gained: float = 1e-6


def least_squares(count, stream, aim, settings, start=None):
    """A search from several starts, which go on together, one batch for all."""
    points = stream.spread(max(settings.starts - (start is not None), 0), count)
    starts = [*([np.array(start)] if start is not None else []), *points]
    return (yield from together([descend(each, settings) for each in starts]))


def together(searches):
    """Several searches of a batch each as one; gives what they found."""
    found, waiting = [None] * len(searches), {}
    for k, search in enumerate(searches):
        try:
            waiting[k] = next(search)
        except StopIteration as ending:
            found[k] = ending.value
    while waiting:
        outcomes = yield np.concatenate(list(waiting.values()))
        begin = 0
        for k, points in list(waiting.items()):
            own = outcomes[begin:begin + len(points)]
            begin += len(points)
            try:
                waiting[k] = searches[k].send(own)
            except StopIteration as ending:
                found[k] = ending.value
                del waiting[k]
    return found


def descend(start, settings, outcome=None):
    """From one start to the bottom; gives (place, outcome)."""
    x = np.clip(np.asarray(start, float), 0.0, 1.0)
    if outcome is None:
        [outcome] = yield x[None]
    damping = DAMPING
    for _ in range(settings.iterations):
        if outcome.status != DONE or not outcome.error > 0.0:
            break
        slope = yield from differences(x, outcome.residuals)
        x, outcome, damping, on = yield from _one_step(x, outcome, slope, damping, settings)
        if not on:
            break
    return x, outcome


def differences(x, residuals, step=STEP):
    """(r, k) the slope of the residuals; a column of zeros where neither side comes to its end."""
    found, side = np.zeros((len(residuals), len(x))), np.where(x + step <= 1.0, step, -step)
    missing = range(len(x))
    for _ in range(2):
        outcomes = yield np.array([x + side[k] * (np.arange(len(x)) == k) for k in missing])
        for k, each in zip(missing, outcomes, strict=True):
            if each.status == DONE:
                found[:, k] = (each.residuals - residuals) / side[k]
        missing = [k for k, each in zip(missing, outcomes, strict=True) if each.status != DONE and 0.0 <= x[k] - side[k] <= 1.0]
        side = -side
        if not missing:
            break
    return found


def _one_step(x, outcome, slope, damping, settings):
    """The next place, and whether to go on."""
    whole, grown = _squares(outcome), 2.0
    for refused in range(1, MOST_REFUSED + 1):
        way = bounded_step(slope, outcome.residuals, damping, -x, 1.0 - x)
        foreseen = whole - float(np.sum((outcome.residuals + slope @ way)**2))
        if not np.abs(way).max() > settings.moved or not foreseen > settings.gained * whole:
            return x, outcome, damping, False
        there = np.clip(x + way, 0.0, 1.0)
        [after] = yield there[None]
        gain = (whole - _squares(after)) / foreseen
        if gain > 0.0:
            return there, after, damping * max(1.0 / 9.0, 1.0 - (2.0 * gain - 1.0)**3), True
        if refused >= FEW_REFUSED and foreseen < LITTLE * whole:
            break
        damping, grown = max(damping * grown, DAMPING), 2.0 * grown
    return x, outcome, damping, False


def bounded_step(slope, residuals, damping, low, high):
    """The minimum of the damped square within bounds."""
    from scipy.optimize import lsq_linear

    sizes = np.linalg.norm(slope, axis=0)
    sizes = np.maximum(sizes, 1e-6 * max(sizes.max(), 1e-300))
    matrix = np.concatenate([slope, np.diag(np.sqrt(damping) * sizes)]) / sizes
    wanted = np.concatenate([-residuals, np.zeros(len(sizes))])
    high = np.maximum(high, low + 1e-15)
    return lsq_linear(matrix, wanted, (low * sizes, high * sizes), method="bvls").x / sizes


def _squares(outcome):
    return float(np.sum(outcome.residuals**2)) if outcome.status == DONE else np.inf
