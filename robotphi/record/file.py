"""The file of a recording, written whole or while a run goes on (`files/running`), read back bit for bit."""
import os

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files import old, read
from robotphi.record.files.chain import first_link, links
from robotphi.record.files.drawn import drawn_of
from robotphi.record.files.finish import ASIDE, LOG, finish, finish_rows
from robotphi.record.files.make import beside, check_folder, make_file, open_arrays, remove
from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS
from robotphi.record.files.places import places_of
from robotphi.record.files.running import COMMANDS
from robotphi.record.files.seal import check_seal
from robotphi.record.steps import Steps


def write_file(recording, path, scene=None):
    """Write one file; an existing file is replaced only by a whole new one. `scene`: of the recording, where it is at hand."""
    check_folder(path)
    groups = {"": {name: getattr(recording, name) for name in FRAME_ARRAYS},
              **{group: getattr(recording, group) for group in FRAME_GROUPS}}
    forms = {(group, name): (array.shape[1:], array.dtype) for group, members in groups.items()
             for name, array in members.items()}
    tables = {table: {name: (rows.shape[1:], rows.dtype) for name, rows in columns.items() if name != "start"}
              for table, columns in recording.rows.items() if table != "commands"}
    kept = {**tables, **({"commands": COMMANDS} if "commands" in recording.rows else {})}
    steps = recording.steps if isinstance(recording.steps, Steps) else Steps.of(recording.steps)
    places, frames = places_of(forms, tables), len(recording)
    scene = recording.scene if scene is None and recording.statements else scene
    made = make_file(path, recording.time, places, kept, drawn_of(scene, recording.position.shape[1]), recording.scene_digest,
                     recording.statements)
    try:
        filed = open_arrays(made, places, frames, writing=True)
        for place, array in filed.arrays.items():
            array[...] = recording.rows[place.name]["start"] if place.group == "rows" else groups[place.group][place.name]
        own = [[recording.rows[table][name] for name in columns] for table, columns in tables.items()]
        filed.chain[...] = links(first_link(recording.scene_digest, places, tables), filed.digested,
                                 [recording.rows[table]["start"] for table in tables], own, 0, frames)
        filed.progress[0] = frames
        closing = {name: getattr(recording, name) for name in ("status", "counts", "info")}
        finish_rows(made, filed, kept, _records(recording, kept))
        finish(made, filed, kept, steps, closing)
        os.replace(made, path)
        for word in (ASIDE, LOG):   # of a run that was cut off, whose file this one takes the place of
            remove(beside(path, word))
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        for each in (made, beside(made, ASIDE)):
            remove(each)
    return path


def _records(recording, forms):
    """The rows of a recording, as a log would give them."""
    for table in forms:
        if table == "commands":
            columns = dict(recording.rows[table])
            own = np.repeat(np.arange(len(recording)), np.diff(columns.pop("start")))
            yield table, 0, {"frame": own, **columns}
        else:
            yield table, 0, {name: rows for name, rows in recording.rows[table].items() if name != "start"}


def read_file(path):
    """The arguments of `Recording` as stored in a file."""
    import h5py

    if not path.exists():
        raise RecordingError(f"there is no recording {path}")
    if not path.is_file():
        raise RecordingError(f"{path} is not a file; a recording is one file, usually recording.vtkhdf")
    if beside(path, ASIDE).exists():
        raise RecordingError(f"{path} was cut off as it was being finished; robotphi repair {path} makes it whole")
    try:
        sealed = check_seal(path)
        old.check_seal(path)
        if not h5py.is_hdf5(path):
            raise RecordingError(f"{path} is not an HDF5 file, so not a recording")
        if read.is_ours(path):
            return read.read_file(path, sealed)
        with h5py.File(path, "r") as file:
            return old.read_old(file, path)
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise RecordingError(f"{path} is damaged or cut short ({error}); a copy or a new run is needed") from error
    except MemoryError as error:
        raise RecordingError(f"{path} is damaged, or larger than the memory ({error})") from error
