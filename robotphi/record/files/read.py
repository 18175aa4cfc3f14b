"""Reading a file, also one that is being written, or that was cut off: arrays of frames are not copied, they lie in the
file."""
import json
from math import inf

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.chain import first_link, links
from robotphi.record.files.finish import ASIDE, LOG, finish, finish_rows, map_tables
from robotphi.record.files.log import is_written, read_log
from robotphi.record.files.loose import Loose
from robotphi.record.files.make import beside, open_arrays, remove
from robotphi.record.files.names import (
    CLOSING,
    FORMAT,
    FORMAT_VERSION,
    FRAME_GROUPS,
    OPENING,
    OURS,
    PROGRESS,
    ROWS,
    SCENE,
    STEPS,
)
from robotphi.record.files.old import check_rows, read_statements
from robotphi.record.files.places import Place
from robotphi.record.files.seal import Changed, check_seal, put_back
from robotphi.record.steps import Steps

SMALL = 1 << 26   # bytes: of smaller files every frame is compared with its digest when they are read


def is_ours(path):
    """Whether a file is of this form: HDF5 with our group."""
    import h5py

    with h5py.File(path, "r") as file:
        return OURS in file and "format" in file[OURS].attrs


def read_file(path, checked, largest=None):
    """The arguments of `Recording` as stored in a file; `checked`: whether frames of one that is finished have to be those that
    were written, in files of up to so many bytes of frames as `largest` says.

    A finished file without a seal was edited by somebody, and is read as it is.
    """
    import h5py

    with h5py.File(path, "r") as file:
        ours = file[OURS]
        version = _check_format(ours, path)
        opening = json.loads(ours[OPENING].asstr()[()])
        values = {"scene_digest": str(ours.attrs["scene_digest"])}
        values["statements"] = read_statements(file[SCENE]) if SCENE in file else ()
        closing = json.loads(ours[CLOSING].asstr()[()]) if CLOSING in ours else None
        places, forms = _told(opening)
        if closing is not None:
            values |= _filed_rows(file, forms)
    filed = open_arrays(path, places, opening["frames"])
    frames = int(filed.progress[0])
    if not 0 <= frames <= opening["frames"]:
        raise ValueError(f"it says that it has {frames} of {opening['frames']} frames")
    groups = {group: {} for group in ("", *FRAME_GROUPS, "rows")}
    for place, array in filed.arrays.items():
        groups[place.group][place.name] = array[:frames + place.more]
    checked = checked or closing is None
    if closing is None:
        loose, closing = _loose_rows(path, forms, groups["rows"], frames)
        values |= loose
    else:
        values["rows"] |= map_tables(path, {table: forms[table] for table in groups["rows"]})
    rows = {table: {"start": start, **values["rows"].pop(table)} for table, start in groups.pop("rows").items()}
    values["rows"] = rows | values["rows"]
    for table, columns in values["rows"].items():
        check_rows(table, columns, frames)
    size = sum(size for _, size in filed.bytes.values())   # nothing of packed files, whose seal has all of them
    if checked and 0 < size < (largest or SMALL):
        check_chain(values["scene_digest"], places, forms, filed, values["rows"], frames, version)
    return {**groups.pop(""), **groups, **values, **{name: closing[name] for name in ("status", "counts", "info")}}


def going(path):
    """(frames so far, frames that there is room for) of a file that a run is at work on; None of all others."""
    import h5py

    if not path.name or not is_written(beside(path, LOG)):
        return None
    with h5py.File(path, "r") as file:
        return int(file[PROGRESS][0]), json.loads(file[OURS][OPENING].asstr()[()])["frames"]


def check_chain(digest, places, forms, filed, rows, frames, version):
    """Refuse frames that are not those that were written, by the number of the first; `version`: of the format."""
    tables = {table: forms[table] for table in rows if table in forms and table != "commands"}
    own = links(first_link(digest, places, tables, version), filed.digested, [rows[table]["start"] for table in tables],
                [[rows[table][name] for name in forms[table]] for table in tables], 0, frames, version)
    wrong = np.flatnonzero((own != filed.chain[:frames]).any(axis=1))
    if len(wrong):
        raise Changed(f"the bytes of frame {wrong[0]} are not those that were written")


def _check_format(ours, path):
    """The version of the format, of those that are known."""
    if ours.attrs["format"] != FORMAT:
        raise RecordingError(f"{path} is HDF5, but not a recording of Robot Φ")
    version = int(ours.attrs["format_version"])
    if not 1 <= version <= FORMAT_VERSION:
        raise RecordingError(f"{path} has format version {version}, this robotphi reads 1 … {FORMAT_VERSION}: "
                             f"a newer robotphi would read it")
    return version


def _filed_rows(file, forms):
    """Commands and step history of a finished file; histories of earlier versions were arrays as they are shown."""
    rows, steps = {}, {name: file[STEPS][name][()] for name in file[STEPS]} if STEPS in file else {}
    if f"{ROWS}/commands" in file:
        own = file[f"{ROWS}/commands"]
        rows["commands"] = {name: own[name][()] for name in ("start", *list(forms["commands"])[1:])}
    return {"rows": rows, "steps": Steps(steps) if "what" in steps else steps}


def _loose_rows(path, forms, starts, frames):
    """Rows and step history of a file that is not finished, and what its last flush knew of the run."""
    rows = {table: {name: np.empty((int(start[frames]) if frames else 0, *shape), dtype) for name, (shape, dtype) in
                    forms[table].items()} for table, start in starts.items()}
    loose, commands = Loose(forms), []
    for table, first, columns in read_log(beside(path, LOG), forms):
        if table in rows:
            for name, values in columns.items():
                own = rows[table][name][first:]
                own[:len(values)] = values[:len(own)]
        elif table == "commands":
            commands.append(columns)
        else:
            loose.take(table, first, columns)
    if commands:
        told = {name: np.concatenate([part[name] for part in commands]) for name in forms["commands"]}
        own = told.pop("frame")
        kept = own < frames
        rows["commands"] = {"start": np.searchsorted(own[kept], np.arange(frames + 1)),
                            **{name: values[kept] for name, values in told.items()}}
    return {"rows": rows, "steps": loose.steps()}, loose.facts


def repair(path):
    """Make a file whole that was cut off; returns whether there was something to do."""
    import h5py

    aside = beside(path, ASIDE)
    if is_written(beside(path, LOG)):
        raise RecordingError(f"{path} is being written by a run; wait until that is over, or end it")
    if aside.exists():
        put_back(path, aside)
    elif check_seal(path):
        remove(beside(path, LOG))
        read_file(path, True, inf)   # every frame, however many there are
        return False
    with h5py.File(path, "r") as file:
        if CLOSING in file[OURS]:   # it was finished, and edited by somebody since
            return False
        opening = json.loads(file[OURS][OPENING].asstr()[()])
    places, forms = _told(opening)
    filed = open_arrays(path, places, opening["frames"], writing=True)
    loose = Loose(forms)
    finish_rows(path, filed, forms, loose.without(read_log(beside(path, LOG), forms)))
    finish(path, filed, forms, loose.steps(), loose.facts)
    return True


def _told(opening):
    """(places, table → column → (shape, dtype)) of what is known when a run begins."""
    places = [Place(*each[:3], tuple(each[3]), *each[4:]) for each in opening["places"]]
    return places, {table: {name: (tuple(shape), dtype) for name, (shape, dtype) in columns.items()}
                    for table, columns in opening["tables"].items()}
