"""Rows of columns that grow: frames, tables, history, with room for more than there are."""
import mmap
from contextlib import suppress
from math import prod

import numpy as np

from robotphi.record.files.mapped import forget, give_back

FIRST_ROOM = 2**28   # bytes of rows for which there is room at first; rows that never come take none of it
LARGE = 2**20        # bytes of a column whose parts may be given back
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS if hasattr(mmap, "MADV_DONTNEED") else None   # where the system can do that


class Rows:
    """Columns of as many rows each, in memory that doubles when it is full.

    Attributes:
        columns: name → array with room for more rows.
        size: (1,) int64 how many rows there are; compiled code appends as well.
        gone: how many of the first rows somebody else keeps, so that they are not here any more.
        lent: whether the arrays are those of a recording, which are only read: the next row finds no room in them.
    """

    gone, lent = 0, False

    def __init__(self, forms, expected):
        """`forms`: name → (shape of a row, dtype); `expected`: the number of rows that are likely to come."""
        self.expected = int(expected)
        self.row_bytes = sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in forms.values())
        room = max(1, min(self.expected, FIRST_ROOM // max(self.row_bytes, 1)))
        self._lie_in(room, forms)
        self.size = np.zeros(1, np.int64)

    @classmethod
    def over(cls, columns, size, lent=False):
        """Rows in arrays that somebody else has made, such as those of a file; `size` of them are in use."""
        made = cls.__new__(cls)
        made.lent = lent
        made.columns, made.size, made.expected = columns, size, len(next(iter(columns.values())))
        made.row_bytes = sum(values.dtype.itemsize * prod(values.shape[1:]) for values in columns.values())
        made._memory = {}
        return made

    def _lie_in(self, room, forms):
        """New columns, in memory of which parts can be given back where that is worth it."""
        self.columns, self._memory = {}, {}
        for name, (shape, dtype) in forms.items():
            size = room * prod(shape) * np.dtype(dtype).itemsize
            if size < LARGE or PRIVATE is None:
                self.columns[name] = np.empty((room, *shape), dtype)
            else:
                self._memory[name] = large_pages(mmap.mmap(-1, size, flags=PRIVATE))
                self.columns[name] = np.frombuffer(self._memory[name], dtype).reshape(room, *shape)

    def clear(self):
        self.size[0] = self.gone = 0

    def let_go(self, first):
        """Rows before the `first` are not asked for any more: their memory is given back."""
        for name, values in self.columns.items():
            if self.lent:
                give_back(values[self.gone:first])
            elif name in self._memory:
                forget(self._memory[name], self.gone * values[:1].nbytes, first * values[:1].nbytes)
        self.gone = first

    @property
    def count(self):
        return self.size.item()

    @property
    def room(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name):
        """The rows of a column so far, without a copy: later rows go behind them or into other memory. Those that are gone
        are nothing."""
        return self.columns[name][:self.count]

    def make_room(self, more):
        """Room for so many more rows, where there is none; returns whether the arrays are others now.

        A MemoryError leaves all as it is.
        """
        needed, room = self.count + more, self.room
        if needed <= room and not self.lent:
            return False
        wider = max(needed, min(2 * room, self.expected) if room < self.expected else 2 * room)
        before = self.columns, self._memory
        try:
            self._lie_in(wider, {name: (values.shape[1:], values.dtype) for name, values in self.columns.items()})
        except (MemoryError, OSError) as error:
            self.columns, self._memory = before
            raise MemoryError(f"no room for {wider} rows of {self.row_bytes} bytes") from error
        for name, values in before[0].items():
            move(values[self.gone:self.count], self.columns[name][self.gone:self.count])
        self.lent = False
        return True

    def extend(self, columns):
        """Append rows: name → as many in each column."""
        more = len(next(iter(columns.values())))
        self.make_room(more)
        for name, rows in columns.items():
            self.columns[name][self.count:self.count + more] = rows
        self.size[0] += more

    def append(self, row):
        """Append one row: name → its value in each column."""
        self.make_room(1)
        for name, value in row.items():
            self.columns[name][self.count] = value
        self.size[0] += 1

    def keep_every_second(self):
        self.columns = {name: values[:self.count:2].copy() for name, values in self.columns.items()}
        self.size[0] = self.room


def large_pages(memory):
    """Memory whose pages come by the large where the system can do that: small ones cost more than what is written there."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def move(values, into):
    """Copy rows from one array into another; what lies in files stays in memory no longer than that takes."""
    each = max(1, LARGE // max(values.nbytes // max(len(values), 1), 1))
    for begin in range(0, len(values), each):
        own = slice(begin, min(begin + each, len(values)))
        into[own] = values[own]
        if values.nbytes > LARGE:
            give_back(values[own])
            give_back(into[own])
