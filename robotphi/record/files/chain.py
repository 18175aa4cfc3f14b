"""A chain of digests over frames: each is that of the frame's bytes and of the digest before.

So the last digest stands for the whole run, and the first frame that differs between two runs, or that was changed in a file,
is found by comparing digests alone.
"""
import hashlib
import json
from functools import partial

import numpy as np

from robotphi.record.files.names import DIGEST, FORMAT_VERSION

TOGETHER = 1 << 16   # bytes of a frame that are put together first
BLOCK = 1 << 20      # bytes of frames that are put together in one go


def digest_of(version):
    """What makes the digests of files of a format; most processors have instructions for SHA-256."""
    return hashlib.sha256 if version > 2 else partial(hashlib.blake2b, digest_size=DIGEST)


def first_link(digest, places, tables, version=None):
    """What stands before the first frame: which scene it is, and what frames are made of; `version`: of the format."""
    told = [digest, [[place.group, place.name, list(place.shape), place.dtype] for place in places if place.digested],
            {table: list(columns) for table, columns in tables.items()}]
    return digest_of(version or FORMAT_VERSION)(json.dumps(told).encode()).digest()


def links(before, arrays, starts, rows, first, last, version=None):
    """Digests of frames `first` to `last`, (k, 32); `arrays`, `starts` of tables and their `rows`, column by column.

    A digest goes over the bytes of the frame in each array, then over its rows, column by column.
    """
    frames = [array[first:last] for array in arrays if array.size]   # others say nothing
    tables = [(start[first:last + 1].tolist(), [_memory(values[start[first]:start[last]]) for values in columns if values.size])
              for start, columns in zip(starts, rows, strict=True)]
    width = sum(array[:1].nbytes for array in frames)
    chained, made = _of_large if width >= TOGETHER else _of_small, digest_of(version or FORMAT_VERSION)
    return np.frombuffer(b"".join(chained(made, before, frames, width, tables, last - first)), np.uint8).reshape(-1, DIGEST)


def _of_large(made, before, frames, width, tables, count):
    """Digests of frames, array by array; nothing is copied."""
    own = [_memory(array) for array in frames]
    for frame in range(count):
        digest = made(before)
        for piece in (*(memory[frame * size:(frame + 1) * size] for memory, size in own), *_pieces(tables, frame)):
            digest.update(piece)
        before = digest.digest()
        yield before


def _of_small(made, before, frames, width, tables, count):
    """The same of frames that are put together first, behind room for the digest before: one call each instead of dozens."""
    width += DIGEST
    each = max(1, BLOCK // width)
    for begin in range(0, count, each):
        block, at = np.empty((min(each, count - begin), width), np.uint8), DIGEST
        for array in frames:
            own = np.ascontiguousarray(array[begin:begin + len(block)]).reshape(len(block), -1).view(np.uint8)
            block[:, at:at + own.shape[1]] = own
            at += own.shape[1]
        memory = memoryview(block).cast("B")
        for frame in range(len(block)):
            told = memory[frame * width:(frame + 1) * width]
            told[:DIGEST] = before
            digest = made(told)
            if tables and (pieces := _pieces(tables, begin + frame)):
                digest.update(b"".join(pieces))
            before = digest.digest()
            yield before


def _pieces(tables, frame):
    """The bytes of the rows of a frame, column by column."""
    found = []
    for start, columns in tables:
        begin, end = start[frame] - start[0], start[frame + 1] - start[0]
        found += [memory[begin * size:end * size] for memory, size in columns] if end > begin else ()
    return found


def _memory(array):
    """(bytes of an array, how many of them a row has)."""
    return memoryview(np.ascontiguousarray(array)).cast("B") if array.size else b"", array[:1].nbytes
