"""The end of a file: rows that came in numbers nobody knew go into it, with what is known now; then it is sealed.

All that can be cut off here can be done again: what HDF5 keeps is put aside before, the rows stay where they were until the
seal stands.
"""
import json

import numpy as np

from robotphi.record.files.make import beside, remove
from robotphi.record.files.names import CLOSING, OURS, ROWS, STEPS, file_name
from robotphi.record.files.seal import LARGE, put_aside, write_seal
from robotphi.record.files.vtk import end_steps

ASIDE, LOG = "aside", "rows"   # words of the files that accompany one that is being written
NUMBERED = "steps", "commands"   # tables whose rows belong to no frame by its start
FACTS = "facts"                  # what was known of the run at each flush: of a run that is over, all is known


def finish(path, filed, forms, records, closing):
    """Put everything into the file and seal it.

    Args:
        filed: the arrays of the file.
        forms: table → column → (shape of a row, dtype).
        records: (table, first row, columns), as `log.read_log` gives them.
        closing: status, counts and info.
    """
    import h5py

    frames, aside = int(filed.progress[0]), beside(path, ASIDE)
    large = [(byte, size) for byte, size in filed.bytes.values() if size > LARGE]
    put_aside(path, aside, large)
    with h5py.File(path, "r+", libver="earliest") as file:
        tables = _Tables(file, forms, {table: int(start[frames]) for table, start in filed.starts.items()})
        for table, first, columns in records:
            tables.take(table, first, columns)
        tables.close(frames)
        if frames < filed.frames:
            end_steps(file, filed.time[:frames])
        file[OURS].create_dataset(CLOSING, data=as_json(closing))
    write_seal(path, large)
    remove(beside(path, LOG))
    remove(aside)


def as_json(value):
    """JSON of plain values, and of numbers of numpy."""
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value):
    """Numpy scalars and arrays as JSON knows them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a plain JSON value")


class _Tables:
    """Rows on their way into the file: tables of frames straight away, histories when all is known."""

    def __init__(self, file, forms, sizes):
        self.file, self.forms, self.sizes = file, forms, sizes
        self.kept = {table: [] for table in NUMBERED if table in forms}
        for table, size in sizes.items():
            for name, (shape, dtype) in forms[table].items():
                file.create_dataset(f"{ROWS}/{file_name(table)}/{file_name(name)}", (size, *shape), np.dtype(dtype))

    def take(self, table, first, columns):
        if table in self.kept:
            self.kept[table].append(columns)
        if table in self.kept or table == FACTS:
            return
        last = min(first + len(next(iter(columns.values()))), self.sizes[table])
        for name, rows in columns.items() if last > first else ():
            self.file[f"{ROWS}/{file_name(table)}/{file_name(name)}"][first:last] = rows[:last - first]

    def close(self, frames):
        for table, parts in self.kept.items():
            columns = {name: np.concatenate([np.empty((0, *shape), dtype), *(part[name] for part in parts)])
                       for name, (shape, dtype) in self.forms[table].items()}
            if table == "steps":
                self._steps(columns)
            elif table == "commands":
                self._commands(columns, frames)

    def _steps(self, columns):
        """The history at its widest stride: rows are numbered by steps."""
        numbers, strides = columns.pop("number"), columns.pop("stride")
        chosen = numbers % strides.max(initial=1) == 0
        for name, rows in columns.items():
            self.file[f"{STEPS}/{name}"] = rows[chosen]

    def _commands(self, columns, frames):
        own = columns.pop("frame")
        chosen = own < frames
        path = f"{ROWS}/commands"
        self.file[f"{path}/start"] = np.searchsorted(own[chosen], np.arange(frames + 1))
        for name, rows in columns.items():
            self.file[f"{path}/{name}"] = rows[chosen]

