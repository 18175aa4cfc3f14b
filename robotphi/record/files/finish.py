"""The end of a file: rows that came in numbers nobody knew go into it, with what is known now; then it is sealed.

All that can be cut off here can be done again: what HDF5 keeps is put aside before, the rows stay where they were until the
seal stands.
"""
import json

import numpy as np

from robotphi.record.files.made import make_dataset, write_dataset, write_text
from robotphi.record.files.make import beside, remove, taken
from robotphi.record.files.mapped import Mapped, give_back, places_in, reserve
from robotphi.record.files.names import CLOSING, OURS, ROWS, STEPS, file_name
from robotphi.record.files.places import sealed
from robotphi.record.files.seal import LARGE, put_aside, write_seal
from robotphi.record.files.vtk import end_steps

ASIDE, LOG = "aside", "rows"   # words of the files that accompany one that is being written
COMMANDED = "commands"           # the table of commands, whose rows belong to no frame by its start


def finish_rows(path, filed, forms, records):
    """Put all rows of tables into the file; returns table → column → its array, which lies in the file.

    Args:
        filed: the arrays of the file.
        forms: table → column → (shape of a row, dtype).
        records: (table, first row, columns), as `log.read_log` gives them.
    """
    import h5py

    frames = int(filed.progress[0])
    own = {table: forms[table] for table in filed.starts}
    put_aside(path, beside(path, ASIDE), [place for place in filed.bytes.values() if place[1] > LARGE])
    with h5py.File(path, "r+", libver="earliest") as file:
        make_rows(file, own, {table: int(start[frames]) for table, start in filed.starts.items()})
    reserve(path, path, path.stat().st_size)
    tables, commands = map_tables(path, own, writing=True), []
    for table, first, columns in records:
        if table in own:
            _put(tables[table], first, columns)
        elif table == COMMANDED:
            commands.append(columns)
    with h5py.File(path, "r+", libver="earliest") as file:
        if COMMANDED in forms:
            write_columns(file, COMMANDED, _commands(forms[COMMANDED], commands, frames))
        if frames < filed.frames:
            end_steps(file, filed.time[:frames])
    return tables


def make_rows(file, forms, sizes):
    """Room for as many rows of tables as there are; returns where they are, as `places_in`."""
    return {(where := _path(table, name)): make_dataset(file, where, (sizes[table], *shape), dtype)
            for table, columns in forms.items() for name, (shape, dtype) in columns.items()}


def write_columns(file, table, columns):
    """A table whose rows are known."""
    for name, rows in columns.items():
        write_dataset(file, _path(table, name), rows)


def _put(table, first, columns):
    """Rows into the file, from where they are not needed soon."""
    for name, rows in columns.items():
        own = table[name][first:]
        own[:len(rows)] = rows[:len(own)]
        give_back(own[:len(rows)])


def _commands(forms, parts, frames):
    """Commands belong to the frame at which they were told."""
    columns = {name: np.concatenate([np.empty((0, *shape), dtype), *(part[name] for part in parts)])
               for name, (shape, dtype) in forms.items()}
    own = columns.pop("frame")
    chosen = own < frames
    return {"start": np.searchsorted(own[chosen], np.arange(frames + 1)),
            **{name: rows[chosen] for name, rows in columns.items()}}


def finish(path, filed, forms, steps, closing):
    """Write what is known of a whole run, and seal its file, in which all rows are.

    Args:
        steps: the history, `Steps`.
        closing: status, counts and info.
    """
    import h5py

    own = {table: forms[table] for table in filed.starts}
    with h5py.File(path, "r+", libver="earliest") as file:
        write_closing(file, steps, as_json(closing))
        rows = places_in(file, _table_paths(own))
    write_seal(path, *sealed(list(filed.arrays), filed.bytes | taken(rows)))
    remove(beside(path, ASIDE))   # first: with it, the file would be made from its log once more
    remove(beside(path, LOG))


def write_closing(file, steps, closing):
    """What is known when a run is over; `closing`: a text, see `finish`."""
    for name, values in steps.packed.items():
        write_dataset(file, f"{STEPS}/{name}", values)
    write_text(file, f"{OURS}/{CLOSING}", closing)


def _table_paths(forms):
    return [_path(table, name) for table, columns in forms.items() for name in columns]


def _path(table, name):
    return f"{ROWS}/{file_name(table)}/{file_name(name)}"


def map_tables(path, forms, writing=False):
    """table → column → its rows, which lie in the file, uncopied where it is not packed."""
    import h5py

    with h5py.File(path, "r") as file:
        found = places_in(file, _table_paths(forms))
    mapped = Mapped(path, writing)
    return {table: {name: mapped.array(*found[_path(table, name)]) for name in columns} for table, columns in forms.items()}


def as_json(value):
    """JSON of plain values, and of numbers of numpy."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value):
    """Numpy scalars and arrays as JSON knows them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a plain JSON value")
