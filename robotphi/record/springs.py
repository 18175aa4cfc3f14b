"""Springs as the user added them, gathered from the lists that the kernels read, with their drives."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import BROKE, KINDS, START
from robotphi.scene.checks import word


class SpringSet(NamedTuple):
    """Springs of one kind in the user's order."""
    kind: str
    columns: NamedTuple       # as in the list of springs with a law; plain ones have what the table says is missing there
    row: np.ndarray           # (m,) row in the state of springs with a law, −1 for plain ones

    def __getattr__(self, name):
        """An array of the columns, (m,), such as `first` or `stiffness`."""
        return getattr(self.columns, name)

    @property
    def rest(self):
        """(m,) rest length [m], rest bend or rest angle [rad], drives not included."""
        return getattr(self.columns, KINDS[self.kind].rest.name)

    @property
    def ends(self):
        """Columns of particles."""
        return [getattr(self.columns, end) for end in KINDS[self.kind].ends]

    @property
    def is_straight(self):
        """Whether forces follow stiffness and viscosity alone, whatever the rest values do."""
        laws = [law for law in KINDS[self.kind].laws if law.changes == "force"]
        return all(np.all(getattr(self.columns, law.fields[0].name) == law.fields[0].missing) for law in laws)


def spring_count(model, kind):
    """Number of springs of a kind that the user added."""
    return sum(int(np.count_nonzero(getattr(model.arrays, name).identity >= 0)) for name in KINDS[kind].lists)


def springs(model, kind, indices=None):
    """All springs of a kind, or those with the given indices."""
    known = KINDS[kind]
    lists = [getattr(model.arrays, name) for name in known.lists]
    identity = np.concatenate([each.identity for each in lists])
    order = np.flatnonzero(identity >= 0)
    order = order[np.argsort(identity[order], kind="stable")]
    if indices is not None:
        order = order[np.atleast_1d(indices)]

    def column(field):
        if field == START:
            return np.array([0, len(order)], START.dtype)
        return np.concatenate([_of(each, field) for each in lists])[order]

    own = getattr(model.arrays, known.own)
    rows = [np.arange(len(each.identity)) if each is own else np.full(len(each.identity), -1) for each in lists]
    return SpringSet(kind, type(own)(*map(column, known.fields(known.own))), np.concatenate(rows)[order])


def _of(springs, field):
    """A field of a list of springs, missing where they are plain."""
    width = () if field.width == 1 else (field.width,)
    known = getattr(springs, field.name, None)
    return np.full((len(springs.identity), *width), field.missing, field.dtype) if known is None else known


def broke_at(recording, block):
    """(m,) s when each of a block of linear springs broke, NaN of whole ones."""
    model, name = recording.model, getattr(block, "name", block)
    known = tuple(each.name for each in model.scene.springs["linear"])
    place = model.scene.things[word("recording", "block of linear springs", name, known)]
    rows = springs(model, "linear", place.indices).row
    if not len(recording) or not (rows >= 0).all():
        return np.full(len(rows), np.nan)   # springs without a law never break
    times = recording.checkpoint["linear_law"][-1][rows, BROKE]
    return np.where(times > 0.0, times, np.nan)


# Rest values ---------------------------------------------------------------------------------------------------------

def drive_value(drives, drive, time):
    """Value of a drive: c0 + c1 s + c2 s² + c3 s³ + A sin(ω s + ϕ), s = time − start of the piece."""
    pieces = drives.piece[drives.start[drive]:drives.start[drive + 1]]
    time = np.asarray(time, float)
    start, c0, c1, c2, c3, amplitude, rate, phase = pieces[_piece_at(pieces[:, 0], time)].T
    s = time.T - start
    return (c0 + s * (c1 + s * (c2 + s * c3)) + amplitude * np.sin(rate * s + phase)).T


def piece_of(drives, drive, time):
    """The piece of a drive that holds from an instant on."""
    pieces = drives.piece[drives.start[drive]:drives.start[drive + 1]]
    return pieces[_piece_at(pieces[:, 0], time)]


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
