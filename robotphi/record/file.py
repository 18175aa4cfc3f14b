"""The file of a recording: one HDF5 file, written whole or not at all, read back bit for bit.

Layout: the frame arrays at the top, a group each for ledger, sensors, checkpoint and steps, a group `rows` with a group for
each table whose rows vary in number from frame to frame, a group `scene` with the statements as a JSON text and the larger
arrays beside it, "0", "1" …, and two JSON texts, counts and info. Nothing outside this module knows it.

Behind what HDF5 knows of stands a seal, a digest of all before it: a flipped bit is told, and HDF5, which may hang or crash on
damaged files, never sees them. A file without a seal, such as one that was edited, is read as it is.
"""
import errno
import hashlib
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
SEAL = b"robotphi blake2b"   # in front of the digest at the end of the file
DIGEST = 32                  # bytes
BLOCK = 1 << 20              # bytes read at once
PLACE = 4096                 # bytes that a dataset takes beside its rows, at most


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
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error.strerror}") from error
    try:
        try:
            _reserve(handle, _size(recording))
        finally:
            os.close(handle)
        with h5py.File(temporary, "w", track_order=True) as file:
            _write(file, recording)
        with open(temporary, "r+b") as file:
            file.write(SEAL + _digest(file, os.path.getsize(temporary)))
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise RecordingError(f"cannot write {path}, {_size(recording) / 1e6:.3g} MB: {error.strerror or error}") from error
    finally:
        with suppress(FileNotFoundError):
            os.remove(temporary)
    return path


def _size(recording):
    """Bytes of the file, a little more than needed."""
    text, given = to_text(recording.statements) if recording.statements else ("", ())
    arrays = [*given, *_all_arrays(vars(recording))]
    words = sum(len(json.dumps(getattr(recording, name), default=_plain)) for name in ("counts", "info"))
    return sum(array.nbytes + PLACE for array in arrays) + 4 * (len(text) + words) + 16 * PLACE


def _all_arrays(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _all_arrays(member)


def _reserve(handle, size):
    """Ask for the room of a file before HDF5 does, which crashes where there is none."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(handle, 0, size)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # this kind of disk cannot tell
                raise


def _digest(file, size):
    """The digest of the first bytes of an open file, which stands behind them then."""
    found = hashlib.blake2b(digest_size=DIGEST)
    file.seek(0)
    while size > 0 and (block := file.read(min(BLOCK, size))):
        found.update(block)
        size -= len(block)
    return found.digest()


def _check_seal(path):
    """Refuse a file that is not what was written; one without a seal passes."""
    behind = len(SEAL) + DIGEST
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size - behind
        if size < 0:
            return
        file.seek(size)
        seal = file.read(behind)
        if seal.startswith(SEAL) and _digest(file, size) != seal[len(SEAL):]:
            raise ValueError("its bytes are not those that were written")


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
        _check_seal(path)
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
