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
            body = b"".join(np.ascontiguousarray(columns[name]).tobytes() for name in self.forms[table])
            head = HEAD.pack(self._numbers[table], first, count, len(body))
            self._waiting += [head, body, SUM.pack(zlib.crc32(body, zlib.crc32(head)))]

    def flush(self):
        """Hand what waits to the system, in one piece."""
        if self._waiting:
            whole, self._waiting = b"".join(self._waiting), []
            done = 0
            while done < len(whole):
                done += self._file.write(whole[done:])

    def close(self):
        self._file.close()


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
