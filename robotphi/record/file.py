"""The file of a recording, written whole or while a run goes on (`files/running`), read back bit for bit."""
import os

import numpy as np

from robotphi.errors import DamagedError, RecordingError
from robotphi.record.files import old, read
from robotphi.record.files.chain import first_link, links
from robotphi.record.files.drawn import drawn_of
from robotphi.record.files.finish import ASIDE, COMMANDED, LOG, as_json, make_rows, write_closing, write_columns
from robotphi.record.files.make import beside, check_form, check_target, make_file, remove, taken
from robotphi.record.files.mapped import write_at
from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS
from robotphi.record.files.places import places_of, sealed
from robotphi.record.files.running import COMMANDS
from robotphi.record.files.seal import Changed, write_seal, wrong_arrays
from robotphi.record.steps import Steps


def write_file(recording, path, scene=None):
    """Write one file; an existing file is replaced only by a whole new one. `scene`: of the recording, where it is at hand."""
    check_target(path)
    groups = {"": {name: getattr(recording, name) for name in FRAME_ARRAYS},
              **{group: getattr(recording, group) for group in FRAME_GROUPS}}
    forms = {(group, name): (array.shape[1:], array.dtype) for group, members in groups.items()
             for name, array in members.items()}
    tables = {table: {name: (rows.shape[1:], rows.dtype) for name, rows in columns.items() if name != "start"}
              for table, columns in recording.rows.items() if table != "commands"}
    own = {table: recording.rows[table] for table in tables}
    groups["rows"] = {table: columns["start"] for table, columns in own.items()}
    columns = [[rows[name] for name in tables[table]] for table, rows in own.items()]
    loose, steps = recording.rows.get(COMMANDED, {}), recording.steps
    steps = steps if isinstance(steps, Steps) else Steps.of(steps)
    closing = as_json({name: getattr(recording, name) for name in ("status", "counts", "info")})
    places, frames = places_of(forms, tables), len(recording)
    scene = recording.scene if scene is None and recording.statements else scene

    def more(file):
        write_columns(file, COMMANDED, loose)
        write_closing(file, steps, closing)
        return make_rows(file, tables, {table: len(rows[0]) for table, rows in zip(tables, columns, strict=True)})

    room = sum(rows.nbytes for group in (*columns, steps.packed.values(), loose.values()) for rows in group)
    made, found = make_file(path, recording.time, places, tables | ({COMMANDED: COMMANDS} if loose else {}),
                            drawn_of(scene, recording.position.shape[1]), recording.scene_digest, recording.statements, more,
                            room + 4 * len(closing))
    try:
        arrays = {place: groups[place.group][place.name] for place in places}
        chain = links(first_link(recording.scene_digest, places, tables),
                      [array for place, array in arrays.items() if place.digested],
                      list(groups["rows"].values()), columns, 0, frames)
        _put(made, found, [np.array([frames]), chain, *arrays.values(), *(each for rows in columns for each in rows)])
        write_seal(made, *sealed(places, taken(found)))
        os.replace(made, path)
        for word in (ASIDE, LOG):   # of a run that was cut off, whose file this one takes the place of
            remove(beside(path, word))
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        remove(made)
    return path


def _put(path, found, arrays):
    """Arrays into a file, each where there is room for it, in the order of `found`."""
    with open(path, "r+b", buffering=0) as file:
        for (byte, _, dtype), values in zip(found.values(), arrays, strict=True):
            if byte is not None:
                write_at(file, byte, np.asarray(values, dtype))


def read_file(path, damaged=False):
    """The arguments of `Recording` as stored in a file; `damaged`: also where the bytes of frames are not those that were
    written."""
    import h5py

    if not path.exists():
        raise RecordingError(f"there is no recording {path}")
    if not path.is_file():
        raise RecordingError(f"{path} is not a file; a recording is one file, usually recording.vtkhdf")
    if beside(path, ASIDE).exists():
        raise RecordingError(f"{path} was cut off as it was being finished; robotphi repair {path} makes it whole")
    try:
        wrong = wrong_arrays(path)
        if wrong and not damaged:
            raise Changed(f"the bytes of {', '.join(wrong)} are not those that were written")
        old.check_seal(path)
        check_form(path)
        if read.is_ours(path):
            return read.read_file(path, wrong is not None and not damaged)
        with h5py.File(path, "r") as file:
            return old.read_old(file, path)
    except Changed as error:
        raise DamagedError(f"{path} is damaged ({error}); robotphi replay {path} finds out where, a copy or a new run is needed"
                           ) from error
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise RecordingError(f"{path} is damaged or cut short ({error}); a copy or a new run is needed") from error
    except MemoryError as error:
        raise RecordingError(f"{path} is damaged, or larger than the memory ({error})") from error
