"""A chain of digests over frames: each is that of the frame's bytes and of the digest before.

So the last digest stands for the whole run, and the first frame that differs between two runs, or that was changed in a file,
is found by comparing digests alone.
"""
import hashlib
import json

import numpy as np

from robotphi.record.files.names import DIGEST


def first_link(digest, places, tables):
    """What stands before the first frame: which scene it is, and what frames are made of."""
    told = [digest, [[place.group, place.name, list(place.shape), place.dtype] for place in places if place.digested],
            {table: list(columns) for table, columns in tables.items()}]
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=DIGEST).digest()


def next_link(before, arrays, rows):
    """The digest of a frame: `arrays` of it, then the rows of its tables, in the order of the file."""
    found = hashlib.blake2b(before, digest_size=DIGEST)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data if array.size else b"")
    for values in rows:
        found.update(np.ascontiguousarray(values).data if values.size else b"")
    return found.digest()


def links(before, arrays, starts, rows, first, last):
    """Digests of frames `first` to `last`, (k, 32); `arrays`, `starts` of tables and their `rows`, column by column."""
    found, arrays = np.empty((last - first, DIGEST), np.uint8), [array for array in arrays if array.size]   # others say nothing
    for frame in range(first, last):
        own = [values[start[frame]:start[frame + 1]] for start, columns in zip(starts, rows, strict=True) for values in columns]
        before = next_link(before, [array[frame] for array in arrays], own)
        found[frame - first] = np.frombuffer(before, np.uint8)
    return found
