"""A chain of digests over frames: each is that of the frame's bytes and of the digest before.

So the last digest stands for the whole run, and the first frame that differs between two runs, or that was changed in a file,
is found by comparing digests alone.
"""
import hashlib
import json

import numpy as np

from robotphi.record.files.names import DIGEST

TOGETHER = 1 << 16   # bytes of a frame that are put together first


def first_link(digest, places, tables):
    """What stands before the first frame: which scene it is, and what frames are made of."""
    told = [digest, [[place.group, place.name, list(place.shape), place.dtype] for place in places if place.digested],
            {table: list(columns) for table, columns in tables.items()}]
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=DIGEST).digest()


def links(before, arrays, starts, rows, first, last):
    """Digests of frames `first` to `last`, (k, 32); `arrays`, `starts` of tables and their `rows`, column by column.

    A digest goes over the bytes of the frame in each array, then over its rows, column by column.
    """
    found = np.empty((last - first, DIGEST), np.uint8)
    frames = [_memory(array[first:last]) for array in arrays if array.size]   # others say nothing
    tables = [(start[first:last + 1].tolist(), [_memory(values[start[first]:start[last]]) for values in columns if values.size])
              for start, columns in zip(starts, rows, strict=True)]
    for frame in range(last - first):
        pieces = [memory[frame * size:(frame + 1) * size] for memory, size in frames]
        for start, columns in tables:
            begin, end = start[frame] - start[0], start[frame + 1] - start[0]
            pieces += [memory[begin * size:end * size] for memory, size in columns] if end > begin else ()
        digest = hashlib.blake2b(before, digest_size=DIGEST)
        for piece in (b"".join(pieces),) if sum(map(len, pieces)) < TOGETHER else pieces:   # a call for each costs more
            digest.update(piece)
        before = digest.digest()
        found[frame] = np.frombuffer(before, np.uint8)
    return found


def _memory(array):
    """(bytes of an array, how many of them a row has)."""
    return memoryview(np.ascontiguousarray(array)).cast("B") if array.size else b"", array[:1].nbytes
