"""What comes in numbers that nobody knows before, rows of tables and of step history: written behind each other beside the
file.

A record is a head (what it is, its first row, rows, bytes), the bytes of its columns, and their check sum; one that was cut
off is left out. When the run is over all of it goes into the file.
"""
import os
import struct
import zlib

import numpy as np

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # not a POSIX system: nothing is claimed there
    flock = None

HEAD = struct.Struct("<HQQQ")  # table, first row, rows, bytes
SUM = struct.Struct("<I")
SMALL = 1 << 16   # bytes


class Log:
    """Appends rows of tables.

    Attributes:
        forms: table → column → (shape of a row, dtype), in the order of the file.
    """

    def __init__(self, path, forms):
        self.path, self.forms = path, forms
        self._numbers = {table: number for number, table in enumerate(forms)}
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115
        self._waiting = []
        if flock:
            flock(self._file, LOCK_EX | LOCK_NB)   # as long as the run goes on: nobody else finishes its file

    def add(self, table, first, columns):
        """Rows of a table from `first` on, column by column."""
        count = len(next(iter(columns.values())))
        if count:
            body = [np.ascontiguousarray(columns[name]).reshape(-1).view(np.uint8) for name in self.forms[table]]
            head = HEAD.pack(self._numbers[table], first, count, sum(each.nbytes for each in body))
            found = zlib.crc32(head)
            for each in body:
                found = zlib.crc32(each, found)
            self._waiting += [head, *body, SUM.pack(found)]

    def flush(self):
        """Hand what waits to the system, uncopied; what finds no room on the disk leaves the log as it was."""
        waiting, self._waiting = self._waiting, []
        before = self._file.tell()
        try:
            for piece in _joined(waiting):
                view = memoryview(piece)
                while len(view):
                    view = view[self._file.write(view):]
        except OSError:
            self._file.truncate(before)
            self._file.seek(before)
            raise

    def close(self):
        self._file.close()


def _joined(pieces):
    """The same bytes in fewer pieces: small ones are put together."""
    small = []
    for piece in pieces:
        if len(piece) < SMALL:
            small.append(piece)
        else:
            yield b"".join(small)
            yield piece
            small = []
    yield b"".join(small)


def is_written(path):
    """Whether a run is at work on a log."""
    if flock and path.exists():
        with open(path, "rb") as file:
            try:
                flock(file, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                return True
    return False


def read_log(path, forms):
    """Yields (table, first row, {column: rows}) of all whole records."""
    tables = list(forms)
    try:
        file = open(path, "rb")  # noqa: SIM115
    except FileNotFoundError:
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        while len(head := file.read(HEAD.size)) == HEAD.size:
            number, first, count, length = HEAD.unpack(head)
            if number >= len(tables) or file.tell() + length + SUM.size > size:
                return
            body = file.read(length)
            if SUM.unpack(file.read(SUM.size)) != (zlib.crc32(body, zlib.crc32(head)),):
                return
            columns, begin = {}, 0
            for name, (shape, dtype) in forms[tables[number]].items():
                rows = np.frombuffer(body, dtype, count * int(np.prod(shape, dtype=int)), begin)
                columns[name] = rows.reshape(count, *shape)
                begin += rows.nbytes
            yield tables[number], first, columns
