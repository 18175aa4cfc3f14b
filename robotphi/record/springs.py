"""Springs as the user added them, gathered from the lists that the kernels read, with their drives and tables."""
from typing import NamedTuple

import numpy as np

KINDS = {"linear": ("linear", "linear_law"), "angular": ("angular", "angular_law"), "articular": ("articular",)}
REST = {"linear": "rest_length", "angular": "rest_bend", "articular": "rest_angle"}


class SpringSet(NamedTuple):
    """Springs of one kind in the user's order; (m,) arrays, −1 or inf where a spring has no such property."""
    kind: str
    first: np.ndarray
    centre: np.ndarray        # angular, articular
    end: np.ndarray           # articular
    second: np.ndarray
    stiffness: np.ndarray
    viscosity: np.ndarray
    rest: np.ndarray          # rest length [m], rest bend or rest angle [rad]
    tension_only: np.ndarray
    table: np.ndarray
    drive: np.ndarray
    row: np.ndarray           # row in the state of springs with a law, −1 for plain ones


def spring_count(model, kind):
    """Number of springs of a kind that the user added."""
    return sum(int(np.count_nonzero(getattr(model.arrays, name).identity >= 0)) for name in KINDS[kind])


def springs(model, kind, indices=None):
    """All springs of a kind, or those with the given indices."""
    lists = [getattr(model.arrays, name) for name in KINDS[kind]]
    identity = np.concatenate([each.identity for each in lists])
    order = np.flatnonzero(identity >= 0)
    order = order[np.argsort(identity[order], kind="stable")]
    if indices is not None:
        order = order[np.atleast_1d(indices)]

    def column(name, missing=-1):
        parts = [getattr(each, name, np.full(len(each.identity), missing)) for each in lists]
        return np.concatenate(parts)[order]

    rows = [np.arange(len(each.identity)) if hasattr(each, "drive") else np.full(len(each.identity), -1)
            for each in lists]
    return SpringSet(kind, column("first"), column("centre"), column("end"), column("second"), column("stiffness"),
                     column("viscosity"), column(REST[kind]), column("tension_only", 0), column("table"),
                     column("drive"), np.concatenate(rows)[order])


# Drives and tables ---------------------------------------------------------------------------------------------------

def drive_value(drives, drive, time):
    """Value of a drive: c0 + c1 s + c2 s² + c3 s³ + A sin(ω s + ϕ), s = time − start of the piece."""
    pieces = drives.piece[drives.start[drive]:drives.start[drive + 1]]
    time = np.asarray(time, float)
    start, c0, c1, c2, c3, amplitude, rate, phase = pieces[_piece_at(pieces[:, 0], time)].T
    s = time.T - start
    return (c0 + s * (c1 + s * (c2 + s * c3)) + amplitude * np.sin(rate * s + phase)).T


def table_force(tables, table, elongation):
    """Force of a tabulated law at an elongation."""
    pieces = tables.piece[tables.start[table]:tables.start[table + 1]]
    elongation = np.asarray(elongation, float)
    _, anchor, c0, c1, c2, c3, _ = pieces[_piece_at(pieces[:, 0], elongation)].T
    s = elongation.T - anchor
    return (c0 + s * (c1 + s * (c2 + s * c3))).T


def _piece_at(starts, at):
    return np.clip(np.searchsorted(starts, at, side="right") - 1, 0, len(starts) - 1)


def rests(model, chosen, time):
    """Rest values at `time` (a number or one per frame), drives included."""
    time = np.asarray(time, float)
    rest = np.broadcast_to(chosen.rest, (*time.shape, len(chosen.rest))).copy()
    for drive in np.unique(chosen.drive[chosen.drive >= 0]):
        change = drive_value(model.arrays.drives, drive, time)[..., None]
        rest[..., chosen.drive == drive] += -change if chosen.kind == "angular" else change  # π − angle is the bend
    return rest
