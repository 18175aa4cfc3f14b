"""gmsh files, versions 2.2 and 4.1, as text and as bytes.

Physical groups of points are regions; those of curves, surfaces and volumes are regions of cells and, unless a group of
points has the same name, the region of the points of these cells as well.
Format: gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)".
"""
import re

import numpy as np

from robotphi.geometry.files.raw import fail, numbers, whole

POINT = 15
KIND = {1: "edge", 2: "triangle", 3: "quad", 4: "tetrahedron", 5: "hexahedron", 6: "wedge", 7: "pyramid", POINT: "point"}
CORNERS = {"point": 1, "edge": 2, "triangle": 3, "quad": 4, "tetrahedron": 4, "hexahedron": 8, "wedge": 6, "pyramid": 5}
DIMENSION = {"point": 0, "edge": 1, "triangle": 2, "quad": 2, "tetrahedron": 3, "hexahedron": 3, "wedge": 3, "pyramid": 3}
WORDS = ("point", "curve", "surface", "volume")


class Numbers:
    """Numbers one after the other, from text or from bytes; asking for more than there are is refused."""

    def __init__(self, what, data, order):
        self.what, self.order, self.place = what, order, 0
        self.data = numbers(data.split(), what) if order is None else data

    def take(self, code, count):
        """The next `count` numbers of a type: "i4", "u8" or "f8"; whole ones as int64."""
        count = int(count)
        width = 1 if self.order is None else int(code[1])
        if not 0 <= count <= (len(self.data) - self.place) // width:
            fail(f"{self.what} should hold {count} more numbers and ends before them", "it was cut short: save it anew")
        if self.order is None:
            values = self.data[self.place:self.place + count]
        else:
            values = np.frombuffer(self.data, self.order + code, count, self.place)
            if code == "u8" and count and values.max() >= 1 << 62:
                fail(f"{self.what} has a count of {values.max()}", "it was cut short, or is of the other byte order")
        self.place += count * width
        return values if code == "f8" else whole(values, self.what)

    def one(self, code):
        return int(self.take(code, 1)[0])

    @property
    def left(self):
        return len(self.data) - self.place


def read(data, format):
    head = re.match(rb"\s*\$MeshFormat\s*\n\s*(\S+)[ \t]+(\d+)[ \t]+(\d+)[^\n]*\n", data)
    if not head:
        fail("it does not begin with $MeshFormat", "name the format it has")
    version, binary = head.group(1).decode("ascii", "replace"), head.group(2) == b"1"
    if version not in ("2.2", "2", "4.1"):
        fail(f"it is of version {version}", "versions 2.2 and 4.1 are read: save it as one of these")
    order = None
    if binary:
        one = data[head.end():head.end() + 4]
        order = {b"\1\0\0\0": "<", b"\0\0\0\1": ">"}.get(one)
        if order is None:
            fail("its byte order is not told", "it was cut short: save it anew")
    names, sections = _names(_section(data, "PhysicalNames") or b""), {}
    for name in ("Nodes", "Elements"):
        section = _section(data, name)
        if section is None:
            fail(f"it has no ${name}", "save the mesh, not the geometry alone")
        sections[name] = Numbers(f"${name}", section, order)
    nodes, elements = sections["Nodes"], sections["Elements"]
    if version == "4.1":
        entities = _section(data, "Entities")
        groups = _entities(Numbers("$Entities", entities, order)) if entities else {}
        return _mesh(*_nodes(nodes), *_elements(elements, groups), names)
    return _mesh(*_nodes_old(nodes, binary), *_elements_old(elements, binary), names)


def _section(data, name):
    """What stands between $Name and $EndName, or None."""
    start = re.search(rb"\n\$" + name.encode() + rb"[ \t\r]*\n", data)
    if not start:
        return None
    end = data.find(b"$End" + name.encode(), start.end())
    if end < 0:
        fail(f"${name} has no end", "it was cut short: save it anew")
    return data[start.end():end]


def _names(section):
    """(dimension, tag) → name."""
    found = re.findall(r'^\s*(\d+)\s+(-?\d+)\s+"([^"\n]*)"', section.decode("utf-8", "replace"), re.MULTILINE)
    return {(int(dimension), int(tag)): name for dimension, tag, name in found}


def _entities(numbers_):
    """(dimension, tag of the entity) → tags of its physical groups."""
    groups = {}
    for dimension, count in enumerate(numbers_.take("u8", 4).tolist()):
        for _ in range(count):
            tag = numbers_.one("i4")
            numbers_.take("f8", 6 if dimension else 3)
            groups[dimension, tag] = np.unique(np.abs(numbers_.take("i4", numbers_.one("u8")))).tolist()
            if dimension:
                numbers_.take("i4", numbers_.one("u8"))
    return groups


def _nodes(numbers_):
    """Tags (n,) and points (n, 3)."""
    blocks, total, _, _ = numbers_.take("u8", 4).tolist()
    tags, points = [np.empty(0, np.int64)], [np.empty((0, 3))]
    for _ in range(blocks):
        dimension, _, parametric = numbers_.take("i4", 3).tolist()
        count = numbers_.one("u8")
        tags.append(numbers_.take("u8", count))
        width = 3 + (dimension if parametric else 0)
        points.append(numbers_.take("f8", count * width).reshape(count, width)[:, :3])
    tags, points = np.concatenate(tags), np.concatenate(points)
    if len(tags) != total:
        fail(f"$Nodes has {len(tags)} nodes and says {total}", "save the file anew")
    return tags, points


def _elements(numbers_, groups):
    """{kind: (tags, rows of nodes)} and {(dimension, group): {kind: [tags]}}."""
    blocks, total, _, _ = numbers_.take("u8", 4).tolist()
    cells, members, found = {}, {}, 0
    for _ in range(blocks):
        dimension, entity, code = numbers_.take("i4", 3).tolist()
        count = numbers_.one("u8")
        kind = _kind(code)
        rows = numbers_.take("u8", count * (CORNERS[kind] + 1)).reshape(count, -1)
        cells.setdefault(kind, []).append(rows)
        for group in groups.get((dimension, entity), ()):
            members.setdefault((dimension, group), {}).setdefault(kind, []).append(rows[:, 0])
        found += count
    if found != total:
        fail(f"$Elements has {found} elements and says {total}", "save the file anew")
    return {kind: _split(np.concatenate(rows)) for kind, rows in cells.items()}, members


def _kind(code):
    if code in KIND:
        return KIND[code]
    return fail(f"it has elements of type {code}, which is of second or higher order or not known",
                "give first order: gmsh -order 1, or gmsh.option.setNumber('Mesh.ElementOrder', 1)")


def _split(rows):
    """Tags and corners, by ascending tag."""
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return rows[:, 0], rows[:, 1:]


def _nodes_old(numbers_, binary):
    if not binary:
        count = numbers_.one("i4")
        if numbers_.left != 4 * count:
            fail(f"$Nodes should hold {count} lines of four numbers and has {numbers_.left} numbers",
                 "it was cut short: save it anew")
        rows = numbers_.take("f8", 4 * count).reshape(count, 4)
        return whole(rows[:, 0], "$Nodes"), rows[:, 1:]
    count, data = _count_line(numbers_)
    row = np.dtype([("tag", numbers_.order + "i4"), ("point", numbers_.order + "f8", 3)])
    if count * row.itemsize > len(data):
        fail(f"$Nodes should hold {count} nodes and ends before them", "it was cut short: save it anew")
    rows = np.frombuffer(data, row, count)
    return rows["tag"].astype(np.int64), rows["point"].astype(np.float64)


def _count_line(numbers_):
    line, _, data = numbers_.data.partition(b"\n")
    if not line.strip().isdigit():
        fail(f"{numbers_.what} begins with {line[:20]!r} instead of a count", "save the file anew")
    return int(line), data


def _elements_old(numbers_, binary):
    """As `_elements`; an element in several groups stands there several times, and is kept once."""
    found = {}
    if binary:
        total, numbers_.data = _count_line(numbers_)
        done = 0
        while done < total:
            code, count, tags = numbers_.take("i4", 3).tolist()
            width = 1 + tags + CORNERS[_kind(code)]
            found.setdefault(_kind(code), []).append(_row_old(numbers_.take("i4", count * width).reshape(count, width), tags))
            done += count
    else:
        total = numbers_.one("i4")
        for kind, tags, rows in _lines_old(numbers_, total):
            found.setdefault(kind, []).append(_row_old(np.delete(rows, [1, 2], axis=1), tags))
    cells, members = {}, {}
    for kind, rows in found.items():
        rows = np.concatenate(rows)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        tag, group, corners = rows[:, 0], rows[:, 1], rows[:, 2:]
        _, first, place = np.unique(corners, axis=0, return_index=True, return_inverse=True)
        own = tag[first][place.reshape(-1)]  # the tag under which the same row came first
        alike = own != tag
        for one in np.unique(group[group > 0]).tolist():
            members.setdefault((DIMENSION[kind], one), {}).setdefault(kind, []).append(np.unique(own[group == one]))
        cells[kind] = tag[~alike], corners[~alike]
    return cells, members


def _row_old(rows, tags):
    """Rows of tag, physical group (0 for none) and corners."""
    group = np.abs(rows[:, 1:2]) if tags else np.zeros((len(rows), 1), np.int64)
    return np.concatenate([rows[:, :1], group, rows[:, 1 + tags:]], axis=1)


def _lines_old(numbers_, total):
    """(kind, tags, rows) of lines "tag type tags … corners", many alike at a time."""
    done, data = 0, whole(numbers_.data, numbers_.what)
    while done < total:
        if numbers_.left < 3:
            fail(f"$Elements should hold {total} elements and has {done}", "it was cut short: save it anew")
        code, tags = data[numbers_.place + 1:numbers_.place + 3].tolist()
        kind, run, stride = _kind(code), 0, 64
        width = 3 + tags + CORNERS[kind]
        while 0 <= tags <= numbers_.left and done + run < total:
            start = numbers_.place + run * width
            size = min(stride, total - done - run, (len(data) - start) // width)
            rows = data[start:start + size * width].reshape(size, width)
            other = (rows[:, 1] != code) | (rows[:, 2] != tags)
            same = int(np.argmax(other)) if other.any() else size
            run, stride = run + same, 4 * stride
            if same < size or size == 0:
                break
        rows = numbers_.take("i4", max(run, 1) * width).reshape(-1, width)
        yield kind, tags, rows
        done += len(rows)


def _mesh(tags, points, cells, members, names):
    """Points, cells, regions and regions of cells, from tags to rows."""
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    if len(ordered) and (np.diff(ordered) == 0).any():
        fail(f"node {ordered[np.argmin(np.diff(ordered))]} is given twice", "save the file anew")
    rows = {kind: order[_find(ordered, corners, "an element has node")] for kind, (_, corners) in cells.items()}
    regions, cell_regions = {}, {}
    for dimension, group in sorted({*names, *members}):
        name = names.get((dimension, group), f"{WORDS[min(dimension, 3)]} {group}")
        lists = {kind: np.unique(_find(cells[kind][0], np.concatenate(some), "a group has element"))
                 for kind, some in members.get((dimension, group), {}).items()}
        if dimension == 0:
            regions.setdefault(name, []).append(rows["point"][lists["point"], 0] if lists else np.empty(0, np.int64))
        else:
            cell_regions.setdefault(name, {}).update(lists)
    found = {name: np.unique(np.concatenate(some)) for name, some in regions.items()}
    for name, by_kind in cell_regions.items():
        some = [rows[kind][one].reshape(-1) for kind, one in by_kind.items()]
        found.setdefault(name, np.unique(np.concatenate([np.empty(0, np.int64), *some])))
    rows.pop("point", None)
    return points, rows, found, cell_regions


def _find(tags, wanted, what):
    """Places of the wanted tags in an ascending list."""
    place = np.searchsorted(tags, wanted)
    missing = place >= len(tags)
    if not missing.any():
        missing = tags[place] != wanted
    if missing.any():
        fail(f"{what} {wanted[missing].flat[0]}, which is not there", "save the file anew")
    return place
