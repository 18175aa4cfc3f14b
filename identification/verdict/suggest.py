"""The next experiment: of several that could be done, the one that would shrink the intervals most.

What an experiment would tell is its information JᵀJ/(s² f) at the fitted point, p + 1 evaluations and nothing measured. Those
of independent runs add up; the volume of the region of all parameters falls with the root of the determinant (D-optimal, Wald
1943). What is not seen so far counts as known to the width of its box, so that the first look at it counts most.
"""
from typing import NamedTuple

import numpy as np

from identification.errors import FitError
from identification.verdict.jacobian import jacobian
from identification.verdict.noise import fitted, foretold

BOX = 12.0           # 1/variance of a value that may stand anywhere in the box


class Suggestion(NamedTuple):
    """What one candidate would make of the intervals."""
    name: str
    gain: float          # of log det of the information: two for each halving of one interval's width, times ln 2
    sd: tuple            # predicted standard deviations, in shares of the box
    ratio: tuple         # predicted over present
    evaluations: int


def suggest(candidates, point, information, spread=None, steps=None):
    """A Suggestion for each candidate, the best first.

    Args:
        candidates: a mapping of names to Problems over the same parameters; what they measured is not looked at.
        point: fitted values.
        information: of all runs so far, `Verdict.information`, (p, p) over shares of the box.
        spread: `Verdict.spread`: noise of quantities that were measured before counts as it was found then; where it is left
            out all noise is white and as large as told.
        steps: of differences, `Verdict.jacobian.steps`, which stand above the noise of the simulation; shorter ones take it for
            something that the candidate would tell.
    """
    if not candidates:
        raise FitError("no candidate to choose from; give at least one experiment that could be done next")
    known = information + BOX * np.eye(len(information))
    present, found = _sd(known), []
    for name, candidate in candidates.items():
        try:
            derivatives = jacobian(candidate, point, central=False, steps=steps)
        except FitError:
            continue
        more = sum(_information(derivatives.matrix[series.start:series.stop], series, spread) for series in fitted(candidate))
        sd = _sd(known + more)
        gain = np.linalg.slogdet(known + more)[1] - np.linalg.slogdet(known)[1]
        found.append(Suggestion(name, float(gain), tuple(sd.tolist()), tuple((sd / present).tolist()), derivatives.evaluations))
    if not found:
        raise FitError(f"none of {', '.join(candidates)} can be simulated at the fitted point; there is nothing to compare")
    return sorted(found, key=lambda each: -each.gain)


def _information(part, series, spread):
    return part.T @ part / (1.0 if spread is None else foretold(spread.noise, spread.size, series))


def _sd(information):
    return np.sqrt(np.diag(np.linalg.inv(information)))
