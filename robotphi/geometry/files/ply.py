"""PLY: points and polygons, as text or as bytes of either order."""
import struct

import numpy as np

from robotphi.geometry.files.raw import fail, numbers, polygons, surface, text, whole

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
         "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4",
         "float64": "f8"}
FORMATS = {"ascii": "<", "binary_little_endian": "<", "binary_big_endian": ">"}
LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "f4": "f", "f8": "d"}
SIZES = {name: int(name[1]) for name in LETTERS}
UNPACK = {order + name: struct.Struct(order + letter).unpack_from for name, letter in LETTERS.items() for order in "<>"}
FACETS = ("vertex_indices", "vertex_index")


def read(data, format):
    if data[:4] not in (b"ply\n", b"ply\r"):
        fail("it does not begin with the word ply", "name the format it has")
    head, end, body = data.partition(b"end_header")
    if not end:
        fail("its head has no end", "it was cut short: save it anew")
    encoding, elements = _head(head.decode("ascii", "replace").split("\n"))
    body = body[body.index(b"\n") + 1:] if b"\n" in body else b""
    if encoding == "ascii":  # then all numbers, once read, are rows of doubles
        body = numbers(body.split(), "its text").astype("<f8").tobytes()
        elements = {name: (count, [(what, *["f8"] * len(types)) for what, *types in columns])
                    for name, (count, columns) in elements.items()}
    found, place = {}, 0
    for name, (count, columns) in elements.items():
        found[name], place = _rows(name, body, place, count, columns, FORMATS[encoding])
    return _mesh(found)


def _head(lines):
    """The encoding and {element: (count, [(name, type) | (name, type of the count, type)])}."""
    encoding, elements, columns = None, {}, None
    for line in lines[1:]:
        words = line.split()
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) == 3 and words[1] in FORMATS:
            encoding = words[1]
        elif words[0] == "element" and len(words) == 3 and words[2].isdecimal():
            columns = []
            elements[words[1]] = (int(words[2]), columns)
        elif words[0] == "property" and columns is not None and len(words) in (3, 5) and set(words[1:-1]) <= {*TYPES, "list"}:
            columns.append((words[-1], *[TYPES[one] for one in words[1:-1] if one != "list"]))
        else:
            fail(f"its head has the line {line.strip()!r:.60}", "save the file anew")
    if encoding is None:
        fail("its head names no format", f"it may be {', '.join(FORMATS)}")
    return encoding, elements


def _rows(name, body, place, count, columns, order):
    """Rows of an element as structured arrays, one for each set of lengths of its lists; and where they end."""
    least = sum(np.dtype(types[0]).itemsize for _, *types in columns)
    if count * max(least, 1) > len(body) - place:
        fail(f"its head counts {count} of {name!r}, and the file ends before them", "it was cut short: save it anew")
    if count == 0:
        return [], place
    dtype = _row_type(name, body, place, columns, order)
    if count * dtype.itemsize <= len(body) - place:
        rows = np.frombuffer(body, dtype, count, place)
        if all((rows[field] == rows[field][0]).all() for field in dtype.names if field.startswith("#")):
            return [rows], place + rows.nbytes
    # Lists of several lengths: row after row, since each begins where the one before ends.
    kinds, starts = {}, {}
    for _ in range(count):
        lengths = _lengths(name, body, place, columns, order)
        if lengths not in kinds:
            kinds[lengths], starts[lengths] = _row_type(name, body, place, columns, order), []
        starts[lengths].append(place)
        place += kinds[lengths].itemsize
    if place > len(body):
        fail(f"it ends within {name!r}", "it was cut short: save it anew")
    data = np.frombuffer(body, np.uint8)
    return [data[np.array(starts[lengths])[:, None] + np.arange(dtype.itemsize)].view(dtype)[:, 0]
            for lengths, dtype in kinds.items()], place


def _lengths(name, body, place, columns, order):
    """How many entries the lists of the row at `place` have."""
    lengths = []
    for _, *types in columns:
        length, size = 1, SIZES[types[0]]
        if len(types) == 2:
            if place + size > len(body):
                fail(f"it ends within {name!r}", "it was cut short: save it anew")
            length = UNPACK[order + types[0]](body, place)[0]
            if not 0 <= length <= len(body) - place or length != int(length):
                fail(f"a list of {name!r} has {length:g} entries", "it was cut short: save it anew")
            lengths.append(int(length))
            place, size = place + size, SIZES[types[1]]
        place += int(length) * size
    return tuple(lengths)


def _row_type(name, body, place, columns, order):
    """The layout of the row at `place`; the count of a list is a field of its own, named "#list"."""
    lengths, fields = iter(_lengths(name, body, place, columns, order)), []
    for column, *types in columns:
        if len(types) == 2:
            fields += [(f"#{column}", order + types[0]), (column, order + types[1], (next(lengths),))]
        else:
            fields.append((column, order + types[0]))
    return np.dtype(fields)


def _mesh(found):
    points = found.get("vertex", [])
    facets = found.get("face", [])
    if not points or not facets or not {"x", "y", "z"} <= set(points[0].dtype.names):
        fail("it has no points (vertex x, y, z) or no facets (face)", "give a PLY file with both")
    column = next((name for name in FACETS if name in facets[0].dtype.names), None)
    if column is None:
        fail(f"its facets have {', '.join(facets[0].dtype.names)}", f"they need a list {' or '.join(FACETS)}")
    points = np.concatenate([np.stack([run[axis].astype(np.float64) for axis in "xyz"], axis=1) for run in points])
    counts = np.concatenate([np.full(len(run), run[column].shape[1]) for run in facets])
    corners = np.concatenate([whole(run[column], "a facet").reshape(-1) for run in facets])
    return points, polygons(corners, counts), {}, {}


def write(mesh, binary):
    cells = surface(mesh)
    head = (f"ply\nformat {'binary_little_endian' if binary else 'ascii'} 1.0\ncomment robotphi\n"
            f"element vertex {len(mesh.points)}\nproperty double x\nproperty double y\nproperty double z\n"
            f"element face {sum(map(len, cells.values()))}\nproperty list uchar int vertex_indices\nend_header\n").encode()
    counted = [np.insert(rows, 0, rows.shape[1], axis=1) for rows in cells.values()]
    if not binary:
        return head + text(mesh.points) + b"".join(text(rows, "%d") for rows in counted)
    blocks = [mesh.points.astype("<f8").tobytes()]
    for rows in counted:
        packed = np.zeros(len(rows), [("count", "u1"), ("corners", "<i4", (rows.shape[1] - 1,))])
        packed["count"], packed["corners"] = rows[:, 0], rows[:, 1:]
        blocks.append(packed.tobytes())
    return head + b"".join(blocks)
