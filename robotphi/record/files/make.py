"""A new file, with room for all frames and everything that is known before the first of them."""
import glob
import json
import os
import secrets
from contextlib import suppress
from math import prod
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.made import make_dataset, make_group, write_attributes, write_dataset, write_text
from robotphi.record.files.mapped import Mapped, places_in, reserve
from robotphi.record.files.names import CHAIN, DIGEST, FORMAT, FORMAT_VERSION, OPENING, OURS, PROGRESS, SCENE, VTK
from robotphi.record.files.vtk import write_static
from robotphi.scene.said_data import to_text

NEW = "new"     # word of a file that has no name yet
OBJECT = 4096   # bytes that a dataset takes beside its values, at most


def beside(path, word):
    """A file that accompanies another one."""
    return path.with_name(f".{path.name}.{word}")


def check_target(path):
    """Refuse a path at which no file can stand; a file that is there may be replaced."""
    try:
        if not path.parent.is_dir():
            raise RecordingError(f"cannot write {path}: there is no folder {path.parent}; make it first")
        if path.is_dir():
            raise RecordingError(f"cannot write {path}: it is a folder; name a file")
        if path.exists() and not path.is_file():
            raise RecordingError(f"cannot write {path}: it is a device or a pipe; name a file")
    except OSError as error:   # a name that is too long, a folder that nobody may look into
        raise RecordingError(f"cannot write {path}: {error.strerror}") from None


def check_form(path):
    """Refuse what is no recording, not even a broken one."""
    import h5py

    if not h5py.is_hdf5(path):
        raise RecordingError(f"{path} is not an HDF5 file, so not a recording")


def make_file(path, times, places, tables, drawn, scene_digest="", statements=(), more=None, room=0):
    """Make a file for as many frames as there are `times`, under a name of its own; returns (that path, its arrays), these as
    `places_in` gives them.

    Args:
        path: the name that it is to have.
        places: of the arrays of frames.
        tables: name → column → (shape of a row, dtype).
        drawn: the cells that VTK is shown.
        more: makes in the open file what else is known, and returns further arrays; `room`: bytes that it takes.
    """
    import h5py

    check_target(path)
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.{NEW}"):   # by a process that was killed
        remove(left)
    made = beside(path, f"{secrets.token_hex(4)}.{NEW}")
    text, given = to_text(statements) if statements else ("", ())
    try:
        made.touch()
        reserve(made, path, room + _size(places, tables, len(times), drawn, [text, *given]))
        with h5py.File(made, "w", libver="earliest") as file:
            for group in (f"{VTK}/PointData", f"{VTK}/CellData", f"{VTK}/FieldData", OURS):
                make_group(file, group)
            found = _make_arrays(file, places, len(times))
            write_static(file, drawn, times, places)
            write_attributes(file, OURS, format=FORMAT, format_version=FORMAT_VERSION, scene_digest=scene_digest)
            opening = {"frames": len(times), "places": [list(place) for place in places], "things": drawn.things,
                       "tables": {table: {name: [list(shape), np.dtype(dtype).str] for name, (shape, dtype) in columns.items()}
                                  for table, columns in tables.items()}}
            write_text(file, f"{OURS}/{OPENING}", json.dumps(opening))
            if statements:
                write_text(file, f"{SCENE}/statements", text)
                for number, array in enumerate(given):
                    write_dataset(file, f"{SCENE}/{number}", array)
            found |= more(file) if more else {}
        reserve(made, path, made.stat().st_size)
    except OSError as error:
        remove(made)
        raise RecordingError(f"cannot write {path}: {error.strerror or error}") from error
    except BaseException:
        remove(made)
        raise
    return made, found


def _size(places, tables, frames, drawn, given):
    """Bytes of a file with no rows in its tables, a little more than needed: HDF5 crashes where it finds no room."""
    columns = sum(map(len, tables.values()))
    arrays = sum(place.size(frames) for place in places) + 16 * sum(array.nbytes for array in drawn[:3]) + 256 * frames
    return arrays + sum(4 * len(each) if isinstance(each, str) else each.nbytes for each in given) + OBJECT * (
        len(places) + columns + len(given) + 64)


def _make_arrays(file, places, frames):
    forms = {PROGRESS: ((1,), "<i8"), CHAIN: ((frames, DIGEST), "|u1"),
             **{place.path: (place.filed(frames), place.dtype) for place in places}}
    return {path: make_dataset(file, path, *form) for path, form in forms.items()}


def remove(path):
    with suppress(FileNotFoundError):
        os.remove(path)


class Filed(NamedTuple):
    """The arrays of a file, in memory."""
    mapped: Mapped
    progress: np.ndarray   # (1,) frames that are whole
    chain: np.ndarray      # (f, 32) uint8
    arrays: dict           # Place → array over frames
    bytes: dict            # path of a dataset → (byte in the file, its size)
    frames: int            # for how many there is room

    @property
    def starts(self):
        """Name of a table → where the rows of each frame begin."""
        return {place.name: array for place, array in self.arrays.items() if place.group == "rows"}

    @property
    def digested(self):
        """The arrays that the chain of digests goes over."""
        return [array for place, array in self.arrays.items() if place.digested]

    @property
    def time(self):
        return next(array for place, array in self.arrays.items() if (place.group, place.name) == ("", "time"))


def open_arrays(path, places, frames, writing=False, found=None):
    """The arrays of a file, as `Filed`; `found`: where they are, if that is known."""
    import h5py

    if found is None:
        with h5py.File(path, "r") as file:
            found = places_in(file, [PROGRESS, CHAIN, *(place.path for place in places)])
    for place in places:
        if found[place.path][1] != place.filed(frames):
            raise ValueError(f"{place.group} {place.name} has {found[place.path][1][0]} rows for {frames} frames".lstrip())
    mapped = Mapped(path, writing)
    arrays = {place: mapped.array(*found[place.path]).reshape(frames + place.more, *place.shape) for place in places}
    return Filed(mapped, mapped.array(*found[PROGRESS]), mapped.array(*found[CHAIN]), arrays, taken(found), frames)


def taken(found):
    """Path → (byte, size) of those arrays that lie in a file in one piece, of what `places_in` gives."""
    return {path: (byte, prod(shape) * dtype.itemsize) for path, (byte, shape, dtype) in found.items()
            if isinstance(byte, int)}
