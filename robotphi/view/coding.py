"""Numbers as few bytes, for pages: arrays as differences in time, in planes of bytes, deflated together, and back again.

Positions and quantities become whole numbers by a step (`Grid`), 16 bits over the largest extent. Differences to the row above
are near zero, zigzag makes them small and positive, and in planes their upper bytes are nearly all alike, which deflate
likes. It likes as well that each column, one coordinate of a particle through time, is by itself.
"""
import json
import struct
import zlib
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError

TOP = 65534              # largest whole number of a grid unless told; the one above stands for NaN
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32}
SIGNED = {1: np.int8, 2: np.int16, 4: np.int32}
FLOAT = "float"


class Grid(NamedTuple):
    """Whole numbers for numbers between two ends: value = low + step × number."""
    low: list                # of each column, or one of all
    step: float
    top: int = TOP


def grid_of(low, high, top=TOP):
    """The Grid whose step is that of the largest extent, (k,) each, over so many steps."""
    low, high = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
    extent = float(np.max(high - low, initial=0.0))
    if not np.isfinite(extent):
        raise RecordingError("this recording has numbers that are not finite: a page cannot show it")
    step = extent / top      # of hardly any extent nothing is left
    return Grid(low.tolist(), step if step > 0.0 else 1.0, top)


def gridded(values, grid):
    """(…, k) uint16 nearest numbers of a grid; NaN has its own."""
    number = np.rint((values - np.asarray(grid.low)) / grid.step)
    return np.where(np.isfinite(number), np.clip(number, 0, grid.top), grid.top + 1).astype(np.uint16)


def off_grid(number, grid):
    """The values of whole numbers."""
    return np.where(number > grid.top, np.nan, np.asarray(grid.low) + grid.step * number.astype(float))


# Bytes ---------------------------------------------------------------------------------------------------------------

def planes(numbers):
    """(rows, columns) of whole numbers of 1, 2 or 4 bytes → bytes: zigzag of the differences to the row above, by columns,
    lowest bytes first."""
    size = numbers.dtype.itemsize
    flat = numbers.astype(UNSIGNED[size])
    step = np.diff(flat, axis=0, prepend=flat[:1] * 0).astype(SIGNED[size])       # modulo 2^bits, as the way back is
    zigzag = ((step << 1) ^ (step >> (8 * size - 1))).astype(UNSIGNED[size])
    return np.ascontiguousarray(zigzag.T.astype(f"<u{size}").reshape(-1, 1).view(np.uint8).T).tobytes()


def from_planes(data, rows, columns, size):
    """The whole numbers, unsigned, of `planes`."""
    parts = np.frombuffer(data, np.uint8).reshape(size, rows * columns)
    zigzag = np.ascontiguousarray(parts.T).view(f"<u{size}").astype(UNSIGNED[size]).reshape(columns, rows).T
    step = (zigzag >> 1) ^ (UNSIGNED[size](0) - (zigzag & UNSIGNED[size](1)))
    return np.add.accumulate(step, axis=0, dtype=UNSIGNED[size])


def packed(header, arrays):
    """Bytes of a header (plain JSON values) and of arrays by name, two-dimensional, of whole numbers or float32."""
    table, body = {}, []
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        if array.dtype.kind == "f":
            kind = FLOAT
            data = np.ascontiguousarray(array.astype("<f4").reshape(-1, 1).view(np.uint8).T).tobytes()
        else:
            kind, data = array.dtype.itemsize, planes(array)
        table[name] = {"kind": kind, "rows": array.shape[0], "columns": array.shape[1], "at": sum(map(len, body))}
        body.append(data)
    text = json.dumps({**header, "arrays": table}, ensure_ascii=False, allow_nan=False).encode()
    return zlib.compress(struct.pack("<I", len(text)) + text + b"".join(body), 9)


def unpacked(data):
    """Header and arrays of `packed` bytes; whole numbers unsigned."""
    data = zlib.decompress(data)
    (length,) = struct.unpack_from("<I", data)
    header, arrays = json.loads(data[4:4 + length]), {}
    for name, each in header.pop("arrays").items():
        rows, columns, kind = each["rows"], each["columns"], each["kind"]
        size = 4 if kind == FLOAT else kind
        part = data[4 + length + each["at"]:][:rows * columns * size]
        if kind == FLOAT:
            parts = np.frombuffer(part, np.uint8).reshape(4, rows * columns)
            arrays[name] = np.ascontiguousarray(parts.T).view("<f4").reshape(rows, columns)
        else:
            arrays[name] = from_planes(part, rows, columns, size)
    return header, arrays
