"""The file of a recording: one HDF5 file, written whole or not at all, read back bit for bit.

Layout: the frame arrays at the top, a group each for ledger, sensors, checkpoint and steps, a group `rows` with a group for
each table whose rows vary in number from frame to frame, a group `scene` with the statements as a JSON text and the larger
arrays beside it, "0", "1" …, and two JSON texts, counts and info. Nothing outside this module knows it.
"""
import json
import os
import tempfile
from contextlib import suppress

import numpy as np

from robotphi.errors import RecordingError, SceneError
from robotphi.scene.said_data import from_text, to_text

FORMAT = "robotphi recording"
FORMAT_VERSION = 1
FRAME_ARRAYS = ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin",
                "rigid_momentum")
FRAME_GROUPS = ("ledger", "sensors", "checkpoint")


def _file_name(name):
    """A name as HDF5 can hold it: slashes and points would be read as paths."""
    return name.replace("%", "%25").replace("/", "%2F").replace(".", "%2E").replace("\0", "%00") or "%"


def _plain_name(name):
    return "" if name == "%" else name.replace("%00", "\0").replace("%2E", ".").replace("%2F", "/").replace("%25", "%")


def _plain(value):
    """Numpy scalars and arrays as JSON knows them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a plain JSON value")


def write_file(recording, path):
    import h5py

    if not path.parent.is_dir():
        raise RecordingError(f"cannot write {path}: there is no folder {path.parent}; make it first")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error.strerror}") from error
    try:
        with h5py.File(temporary, "w", track_order=True) as file:
            _write(file, recording)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error}") from error
    finally:
        with suppress(FileNotFoundError):
            os.remove(temporary)
    return path


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(file, recording):
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = FORMAT_VERSION
    file.attrs["status"] = recording.status
    file.attrs["scene_digest"] = recording.scene_digest
    for name in FRAME_ARRAYS:
        file.create_dataset(name, data=getattr(recording, name))
    for group in (*FRAME_GROUPS, "steps"):
        folder = file.create_group(group, track_order=True)
        for name, array in getattr(recording, group).items():
            folder.create_dataset(_file_name(name), data=array)
    tables = file.create_group("rows", track_order=True)
    for table, columns in recording.rows.items():
        folder = tables.create_group(_file_name(table), track_order=True)
        for name, array in columns.items():
            folder.create_dataset(_file_name(name), data=array)
    for name in ("counts", "info"):
        file.create_dataset(name, data=json.dumps(getattr(recording, name), default=_plain, ensure_ascii=False))
    if recording.statements:
        text, arrays = to_text(recording.statements)
        folder = file.create_group("scene", track_order=True)
        folder.create_dataset("statements", data=text)
        for place, array in enumerate(arrays):
            folder.create_dataset(str(place), data=array)


def read_file(path):
    """The arguments of `Recording` as stored in a file."""
    import h5py

    if not path.exists():
        raise RecordingError(f"there is no recording {path}")
    if not path.is_file():
        raise RecordingError(f"{path} is not a file; a recording is one file, usually recording.h5")
    try:
        if not h5py.is_hdf5(path):
            raise RecordingError(f"{path} is not an HDF5 file, so not a recording")
        with h5py.File(path, "r") as file:
            _check_format(file, path)
            return _read(file)
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise RecordingError(f"{path} is damaged or cut short ({error}); a copy or a new run is needed") from error
    except MemoryError as error:
        raise RecordingError(f"{path} is damaged, or larger than the memory ({error})") from error


def _check_format(file, path):
    found = file.attrs.get("format")
    if found != FORMAT:
        raise RecordingError(f"{path} is HDF5, but not a recording of Robot Φ (format {found!r}, not {FORMAT!r})")
    version = int(file.attrs.get("format_version", 0))
    if not 1 <= version <= FORMAT_VERSION:
        raise RecordingError(f"{path} has format version {version}, this robotphi reads 1 … {FORMAT_VERSION}: "
                             f"a newer robotphi would read it")


def _read(file):
    values = {name: file[name][()] for name in FRAME_ARRAYS}
    for group in (*FRAME_GROUPS, "steps"):
        values[group] = {_plain_name(name): dataset[()] for name, dataset in file[group].items()}
    values["rows"] = {_plain_name(table): {_plain_name(name): dataset[()] for name, dataset in columns.items()}
                      for table, columns in file.get("rows", {}).items()}  # files of earlier versions have none
    for name in ("counts", "info"):
        values[name] = json.loads(file[name].asstr()[()])
    values["statements"] = _statements(file["scene"]) if "scene" in file else ()  # files of earlier versions have none
    for group in ("", *FRAME_GROUPS):
        members = values[group] if group else {name: values[name] for name in FRAME_ARRAYS}
        for name, array in members.items():
            if len(array) != len(values["time"]):
                raise ValueError(f"{group} {name} has {len(array)} rows for {len(values['time'])} frames".lstrip())
    for table, columns in values["rows"].items():
        _check_rows(table, columns, len(values["time"]))
    return values | {"status": str(file.attrs["status"]), "scene_digest": str(file.attrs["scene_digest"])}


def _statements(folder):
    arrays = [folder[str(place)][()] for place in range(len(folder) - 1)]
    for array in arrays:
        array.setflags(write=False)
    try:
        return from_text(folder["statements"].asstr()[()], arrays)
    except SceneError as error:
        raise ValueError(str(error)) from error


def _check_rows(table, columns, frames):
    """Whether the rows of a table are shared out to its frames as they should."""
    start = columns["start"]
    if start.shape != (frames + 1,) or start[0] != 0 or np.any(np.diff(start) < 0):
        raise ValueError(f"the rows of {table} do not belong to {frames} frames")
    for name, array in columns.items():
        if name != "start" and len(array) != start[-1]:
            raise ValueError(f"{table} {name} has {len(array)} rows, not {start[-1]}")
