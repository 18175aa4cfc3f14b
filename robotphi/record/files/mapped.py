"""The file as memory: arrays of frames lie in it as one piece each, and whoever holds them writes the file.

What was written so is in the file whatever becomes of the process, at any instant: there is no call that could be cut off. What
HDF5 keeps of names and places is made before the first frame and stays as it is until the run is over.
"""
import errno
import mmap
import os
import sys
from contextlib import suppress
from math import prod

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.packed import unpacked

PAGE = mmap.ALLOCATIONGRANULARITY
READY = getattr(mmap, "MADV_POPULATE_WRITE", 23 if sys.platform == "linux" else None)   # Python knows the word from 3.14 on
BLOCK = 1 << 20   # bytes


def places_in(file, paths):
    """Path → (byte in the file, shape, dtype) of datasets of one piece; None for the byte of those that are empty, what reads
    the rows for that of packed ones."""
    import h5py

    found, packed = {}, None
    for path in paths:
        own = h5py.h5d.open(file.id, path.encode())
        if own.get_create_plist().get_layout() == h5py.h5d.CHUNKED:
            packed = packed or h5py.File(file.filename, "r")   # stays open as long as something of it may be read
            found[path] = unpacked(packed, path), own.shape, own.dtype
            continue
        byte = own.get_offset() if prod(own.shape) else None
        if prod(own.shape) and byte is None:
            raise ValueError(f"{path} does not lie in one piece")
        found[path] = byte, own.shape, own.dtype
    return found


class FileMemory(mmap.mmap):
    """Memory that a file stands behind: what is let go of is read again from there."""


class Mapped:
    """A file in memory.

    Attributes:
        path: of the file.
    """

    def __init__(self, path, writing=False):
        self.path, self._writing = path, writing
        with open(path, "r+b" if writing else "rb") as file:
            self.memory = FileMemory(file.fileno(), 0, access=mmap.ACCESS_WRITE if writing else mmap.ACCESS_READ)

    def array(self, byte, shape, dtype):
        """The array that lies at a byte, as `places_in` has found it."""
        if byte is None:
            return np.empty(shape, dtype)
        if not isinstance(byte, int):
            return byte
        if byte + prod(shape) * dtype.itemsize > len(self.memory):
            raise ValueError("it is shorter than what it says that it holds")
        return np.frombuffer(self.memory, dtype, prod(shape), byte).reshape(shape)

    def forget(self, byte, size):
        """Let go of the memory of what is not needed soon; the file keeps it."""
        forget(self.memory, byte, byte + size)

    def make_ready(self, byte, size):
        """Have the pages at hand in which something is written soon: one by one, where it is written, they cost more."""
        first, last = byte // PAGE * PAGE, min(-(-(byte + size) // PAGE) * PAGE, len(self.memory))
        if last > first and READY is not None:
            with suppress(OSError):   # systems that do not know it
                self.memory.madvise(READY, first, last - first)


def forget(memory, begin, end):
    """Give back what lies in memory between two bytes, as far as it takes whole pages; what no file keeps is lost."""
    first, last = -(-begin // PAGE) * PAGE, end // PAGE * PAGE
    if last > first and hasattr(mmap, "MADV_DONTNEED"):
        memory.madvise(mmap.MADV_DONTNEED, first, last - first)


def give_back(array):
    """Let go of the memory of an array that lies in a mapped file; one that no file stands behind stays as it is."""
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    memory = base.obj if isinstance(base, memoryview) else base
    if isinstance(memory, FileMemory) and array.size:
        begin = array.__array_interface__["data"][0] - np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
        forget(memory, begin, begin + array.nbytes)


def write_at(file, byte, values):
    """Write an array into an open file, from where it need not stay in memory: there is no page of it to be made first, as
    where it is mapped."""
    file.seek(byte)
    rows = max(1, BLOCK // max(values[:1].nbytes, 1))
    for begin in range(0, len(values), rows):
        own = values[begin:begin + rows]
        left = memoryview(np.ascontiguousarray(own)).cast("B") if own.size else b""
        while left:
            left = left[file.write(left):]
        if values.nbytes > BLOCK:
            give_back(own)


def _fill(file, size):
    """Write every byte of a file as it is, and nothing up to a size."""
    for begin in range(0, size, BLOCK):
        file.seek(begin)
        whole = file.read(min(BLOCK, size - begin))
        file.seek(begin)
        file.write(whole.ljust(min(BLOCK, size - begin), b"\0"))


def reserve(path, wanted, size):
    """Take the room of a file on the disk before anything is written: where there is none, memory would be lost later."""
    try:
        with open(path, "r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size)
            except (OSError, AttributeError) as error:
                if getattr(error, "errno", errno.EINVAL) not in (errno.EINVAL, errno.EOPNOTSUPP):
                    raise
                _fill(file, size)   # this kind of disk, or of system, takes room for what is written alone
    except OSError as error:
        raise RecordingError(f"cannot write {wanted}, {size / 1e6:.3g} MB: {error.strerror or error}; keep fewer frames, or "
                             "name a folder on another disk") from error
