"""Two recordings, byte by byte: the first frame in which they differ, and in what."""
import numpy as np

from robotphi.record.files.names import FRAME_ARRAYS


def first_difference(first, second, derived=False, begin=0):
    """(frame, what) of the first bytes that differ between two recordings of one scene; None where there are none.

    Compared is all that a run gives; `derived`: what follows from it as well, ledger and sensors, which are worked out by other
    code on other processors. `begin`: the first frame that is compared.
    """
    found = []
    for what, one, other in _pairs(first, second, ("checkpoint", "ledger", "sensors") if derived else ("checkpoint",)):
        if one.dtype != other.dtype or one.shape[1:] != other.shape[1:]:
            found.append((0, what))
            continue
        count = min(len(one), len(other))
        unlike = np.flatnonzero((_bytes(one[begin:count]) != _bytes(other[begin:count])).any(axis=1))
        if len(unlike):
            found.append((begin + int(unlike[0]), what))
    for table in first.rows.keys() & second.rows.keys():
        found += _unlike_rows(table, first, second, begin)
    if len(first) != len(second):
        found.append((min(len(first), len(second)), "frames"))
    return min(found, key=lambda each: each[0], default=None)


def _pairs(first, second, groups):
    for name in FRAME_ARRAYS:
        yield name, getattr(first, name), getattr(second, name)
    for group in groups:
        one, other, missing = getattr(first, group), getattr(second, group), np.empty((0,))
        for name in one.keys() | other.keys():
            yield f"{group} {name}", one.get(name, missing), other.get(name, missing)


def _bytes(array):
    if not array.size:
        return np.empty((len(array), 0), np.uint8)
    return np.ascontiguousarray(array).reshape(len(array), -1).view(np.uint8)


def _unlike_rows(table, first, second, begin):
    one, other = first.rows[table], second.rows[table]
    for frame in range(begin, min(len(first), len(second))):
        for name in one:
            if name != "start":
                own, their = (each[name][each["start"][frame]:each["start"][frame + 1]] for each in (one, other))
                if own.tobytes() != their.tobytes():
                    return [(frame, f"{table} {name}")]
    return []
