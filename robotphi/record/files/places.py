"""Where each array of frames lies in the file: in VTK's group what VTK plays, in ours all else.

An array of f frames is one contiguous dataset, whose place in the file is known once it is made: whoever maps the file reads
and writes it as memory. VTK asks for the points of all frames one behind the other, (f n, 3), which are the same bytes as (f,
n, 3).
"""
from math import prod
from typing import NamedTuple

import numpy as np

from robotphi.record.files.names import CHAIN, OURS, PROGRESS, ROWS, VTK, file_name, plain_name
from robotphi.record.files.seal import LARGE

POINTS = {"position": f"{VTK}/Points", "velocity": f"{VTK}/PointData/velocity"}
FIELDS = f"{VTK}/FieldData"


class Place(NamedTuple):
    """An array of frames in the file."""
    group: str       # "" for those that every recording has, a word of FRAME_GROUPS, or "rows": where those of tables begin
    name: str
    path: str        # of the dataset
    shape: tuple     # of one frame
    dtype: str
    more: int = 0    # rows beside one a frame

    def size(self, frames):
        """Bytes of so many frames."""
        return (frames + self.more) * prod(self.shape) * np.dtype(self.dtype).itemsize

    def filed(self, frames):
        """Shape of the dataset."""
        rows = frames + self.more
        return (rows * self.shape[0], *self.shape[1:]) if self.path in POINTS.values() else (rows, *self.shape)

    @property
    def told(self):
        """The name of the array in words."""
        return f"{self.name} start" if self.group == "rows" else f"{self.group} {self.name}".strip()

    @property
    def digested(self):
        """Whether the chain of digests goes over it: over all that a run gives, not over what follows from that."""
        return self.group in ("", "checkpoint")


def places_of(forms, tables):
    """The places of arrays of frames, (group, name) → (shape, dtype), and of where the rows of `tables` begin."""
    found = [Place(group, name, _path(group, name), tuple(shape), np.dtype(dtype).str) for (group, name), (shape, dtype)
             in forms.items()]
    return found + [Place("rows", table, f"{ROWS}/{file_name(table)}/start", (), "<i8", 1) for table in tables]


def sealed(places, where):
    """What the seal of a file has to know, path → (byte, size) of its arrays: those that it leaves to the chain, and those of
    which it has a digest each, with their names.

    All that the chain does not go over is among these, whatever its size.
    """
    told = {CHAIN: "chain", **{place.path: place.told for place in places}}
    chained = {place.path for place in places if place.digested}
    left, own = [], []
    for path, (byte, size) in where.items():
        if size > LARGE and (path in chained or path not in told):   # those of tables have no place among frames
            left.append((byte, size))
        elif path != PROGRESS:
            own.append((byte, size, told.get(path) or " ".join(map(plain_name, path.split("/")[-2:]))))
    return left, own


def _path(group, name):
    if group == "" and name in POINTS:
        return POINTS[name]
    if group == "ledger":
        return f"{FIELDS}/{file_name(name)}"
    return f"{OURS}/frames/{file_name(group) + '/' if group else ''}{file_name(name)}"
