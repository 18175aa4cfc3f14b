"""Files of format 1, of before frames were written while a run goes on: one HDF5 file with every array as a dataset.

The frame arrays at the top, a group each for ledger, sensors, checkpoint and steps, a group `rows` with a group for each table
whose rows vary in number from frame to frame, a group `scene` with the statements, and two JSON texts, counts and info.
"""
import hashlib
import json
import os

import numpy as np

from robotphi.errors import RecordingError, SceneError
from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS, plain_name
from robotphi.scene.said_data import from_text

FORMAT = "robotphi recording"
SEAL = b"robotphi blake2b"   # in front of the digest at the end of the file
DIGEST = 32                  # bytes
BLOCK = 1 << 20              # bytes read at once


def check_seal(path):
    """Refuse a file that is not what was written; one without a seal of this kind passes."""
    behind = len(SEAL) + DIGEST
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size - behind
        if size < 0:
            return
        file.seek(size)
        seal = file.read(behind)
        if not seal.startswith(SEAL):
            return
        found = hashlib.blake2b(digest_size=DIGEST)
        file.seek(0)
        while size > 0 and (block := file.read(min(BLOCK, size))):
            found.update(block)
            size -= len(block)
    if found.digest() != seal[len(SEAL):]:
        raise ValueError("its bytes are not those that were written")


def read_old(file, path):
    """The arguments of `Recording` as stored in an open file."""
    found = file.attrs.get("format")
    if found != FORMAT:
        raise RecordingError(f"{path} is HDF5, but not a recording of Robot Φ (format {found!r}, not {FORMAT!r})")
    if int(file.attrs.get("format_version", 0)) != 1:
        raise RecordingError(f"{path} has another format version than its arrays: a newer robotphi would read it")
    values = {name: file[name][()] for name in FRAME_ARRAYS}
    for group in (*FRAME_GROUPS, "steps"):
        values[group] = {plain_name(name): dataset[()] for name, dataset in file[group].items()}
    values["rows"] = {plain_name(table): {plain_name(name): dataset[()] for name, dataset in columns.items()}
                      for table, columns in file.get("rows", {}).items()}  # files of earlier versions have none
    for name in ("counts", "info"):
        values[name] = json.loads(file[name].asstr()[()])
    values["statements"] = read_statements(file["scene"]) if "scene" in file else ()  # files of earlier versions have none
    frames = len(values["time"])
    for group in ("", *FRAME_GROUPS):
        members = values[group] if group else {name: values[name] for name in FRAME_ARRAYS}
        for name, array in members.items():
            if len(array) != frames:
                raise ValueError(f"{group} {name} has {len(array)} rows for {frames} frames".lstrip())
    for table, columns in values["rows"].items():
        check_rows(table, columns, frames)
    return values | {"status": str(file.attrs["status"]), "scene_digest": str(file.attrs["scene_digest"])}


def read_statements(folder):
    """What was said to a scene, from its text and the arrays beside it."""
    arrays = [folder[str(place)][()] for place in range(len(folder) - 1)]
    for array in arrays:
        array.setflags(write=False)
    try:
        return from_text(folder["statements"].asstr()[()], arrays)
    except SceneError as error:
        raise ValueError(str(error)) from error


def check_rows(table, columns, frames):
    """Whether the rows of a table are shared out to its frames as they should."""
    start = columns["start"]
    if start.shape != (frames + 1,) or start[0] != 0 or np.any(np.diff(start) < 0):
        raise ValueError(f"the rows of {table} do not belong to {frames} frames")
    for name, array in columns.items():
        if name != "start" and len(array) != start[-1]:
            raise ValueError(f"{table} {name} has {len(array)} rows, not {start[-1]}")
