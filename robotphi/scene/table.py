"""Tables: the force of a linear spring over its elongation, in cubic pieces with their energy."""
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse, word

KINDS = ("linear", "cubic")
ROUNDING = 1e-14  # of the largest force


@dataclass(frozen=True, eq=False, init=False)
class Table:
    """Force [N] over elongation [m] through all points; the first and last slopes go on outside.

    Attributes:
        piece: (k, 7) rows of from, anchor, c0, c1, c2, c3, energy at anchor; with s = elongation − anchor
            force = c0 + c1 s + c2 s² + c3 s³. The first row starts at −inf. The energy is zero at zero elongation.
        largest_slope: N/m, the largest |d force / d elongation| anywhere.
        only_pulls: whether the force is negative nowhere, as that of a tissue that goes slack; its damper does not push then.
    """
    piece: np.ndarray
    largest_slope: float
    only_pulls: bool

    def __init__(self, elongations, forces, kind="linear"):
        where = "table"
        word(where, "kind", kind, KINDS)
        x, f = floats(where, "elongations", elongations), floats(where, "forces", forces)
        if x.ndim != 1 or x.shape != f.shape or len(x) < 2:
            refuse(where, f"elongations has shape {x.shape} and forces {f.shape}",
                   "give two lists of one length of at least 2")
        backward = np.flatnonzero(np.diff(x) <= 0.0)
        if len(backward):
            i = int(backward[0]) + 1
            refuse(where, f"elongation {x[i]:g} follows {x[i - 1]:g}", "elongations must grow from each to the next", i)
        self._settle(x, _cubic(x, f) if kind == "cubic" else _straight(x, f))

    @classmethod
    def toe(cls, stiffness, toe_elongation):
        """Zero below 0, then k e²/(2 e_t) up to e_t, then k (e − e_t/2): fibres that straighten one after the other."""
        k = number("table toe", "stiffness", stiffness, above=0.0)
        end = number("table toe", "toe_elongation", toe_elongation, above=0.0)
        table = cls.__new__(cls)
        table._settle(np.array([0.0, end]), np.array(
            [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5 * k / end, 0.0], [0.5 * k * end, k, 0.0, 0.0]]))
        return table

    def _settle(self, knots, coefficients):
        """Knots (k − 1,) and coefficients (k, 4): before, between and after the knots → the pieces and their energy."""
        piece = np.zeros((len(coefficients), 7))
        piece[:, 0] = np.concatenate(([-np.inf], knots))
        piece[:, 1] = np.concatenate((knots[:1], knots))
        piece[:, 2:6] = coefficients
        work = _integral(coefficients[1:-1].T, np.diff(knots))
        piece[2:, 6] = np.cumsum(work)
        object.__setattr__(self, "piece", piece)
        piece[:, 6] -= self.energy(0.0)
        object.__setattr__(self, "piece", frozen(piece))
        object.__setattr__(self, "largest_slope", _largest_slope(knots, coefficients))
        object.__setattr__(self, "only_pulls", _least_force(knots, coefficients) >= 0.0)

    def force(self, elongation):
        """Force [N], positive in tension, at an elongation [m]."""
        s, row = self._at(elongation)
        return row[2] + s * (row[3] + s * (row[4] + s * row[5]))

    def energy(self, elongation):
        """Stored energy [J] at an elongation [m]."""
        s, row = self._at(elongation)
        return row[6] + _integral(row[2:6], s)

    def _at(self, elongation):
        elongation = np.asarray(elongation, dtype=np.float64)
        row = np.searchsorted(self.piece[:, 0], elongation, side="right") - 1
        columns = np.moveaxis(self.piece[row], -1, 0)
        return elongation - columns[1], columns


def _integral(c, s):
    return s * (c[0] + s * (c[1] / 2.0 + s * (c[2] / 3.0 + s * c[3] / 4.0)))


def _straight(x, f):
    coefficients = np.zeros((len(x) + 1, 4))
    slope = np.diff(f) / np.diff(x)
    coefficients[:, 0] = np.concatenate((f[:1], f))
    coefficients[:, 1] = np.concatenate((slope[:1], slope, slope[-1:]))
    return coefficients


def _cubic(x, f):
    """Monotone where the points are (Fritsch–Carlson, as scipy's PCHIP): a stiffness that never turns negative."""
    from scipy.interpolate import PchipInterpolator
    with np.errstate(over="ignore"):  # slopes near zero have infinite inverses, as they should
        curve = PchipInterpolator(x, f)
    ends = curve.derivative()(x[[0, -1]])
    before, after = [f[0], ends[0], 0.0, 0.0], [f[-1], ends[1], 0.0, 0.0]
    return np.vstack((before, curve.c[::-1].T, after))


def _largest_slope(knots, coefficients):
    _, c1, c2, c3 = coefficients.T
    length = np.concatenate(([0.0], np.diff(knots), [0.0]))
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(c3 != 0.0, -c2 / (3.0 * c3), 0.0)  # where the slope itself is extreme
    at = np.stack((np.zeros_like(length), length, np.clip(turn, 0.0, length)))
    return float(np.abs(c1 + at * (2.0 * c2 + at * 3.0 * c3)).max())


def _least_force(knots, coefficients):
    """N, zero where it is less by rounding alone; −inf where the force falls for ever on either side."""
    if coefficients[0, 1] > 0.0 or coefficients[-1, 1] < 0.0:
        return -np.inf
    c0, c1, c2, c3 = coefficients[1:-1].T
    with np.errstate(divide="ignore", invalid="ignore"):
        # where the slope c1 + 2 c2 s + 3 c3 s² is zero
        q = -(c2 + np.copysign(np.sqrt(np.maximum(c2**2 - 3.0 * c1 * c3, 0.0)), c2))
        turns = np.nan_to_num([c1 / q, q / (3.0 * c3)], nan=0.0, posinf=0.0, neginf=0.0)
    length = np.diff(knots)
    s = np.stack((0.0 * length, length, *np.clip(turns, 0.0, length)))
    force = np.concatenate(((c0 + s * (c1 + s * (c2 + s * c3))).ravel(), coefficients[[0, -1], 0]))
    least = float(force.min())
    return 0.0 if least >= -ROUNDING * np.abs(force).max() else least
