"""gmsh files, versions 2.2 and 4.1, as text and as bytes.

Physical groups of points are regions; those of curves, surfaces and volumes are regions of cells and, unless a group of
points has the same name, the region of the points of these cells as well.
Format: gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)".
"""
import re

import numpy as np

from robotphi.geometry.files import gmsh_read_old
from robotphi.geometry.files.gmsh_parts import CORNERS, Numbers, kind_of
from robotphi.geometry.files.raw import fail

WORDS = ("point", "curve", "surface", "volume")


def read(data, format):
    head = re.match(rb"\s*\$MeshFormat[ \t\r]*\n\s*(\S+)[ \t]+(\d+)[ \t]+(\d+)[^\n]*\n", data)
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
    return _mesh(*gmsh_read_old.nodes(nodes, binary), *gmsh_read_old.elements(elements, binary), names)


def _section(data, name):
    """What stands between $Name and $EndName, or None."""
    start = re.search(rb"\n\$" + name.encode() + rb"[ \t\r]*\n", data)
    if not start:
        return None
    end = data.find(b"\n$End" + name.encode(), start.end() - 1)    # not in the middle of a line, which may be a name
    if end < 0:
        fail(f"${name} has no end", "it was cut short: save it anew")
    return data[start.end():end + 1]


def _names(section):
    """(dimension, tag) → name."""
    found = re.findall(r'^[ \t]*(\d+)[ \t]+(-?\d+)[ \t]+"([^"\n]*)"', section.decode("utf-8", "replace"), re.MULTILINE)
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
        kind = kind_of(code)
        rows = numbers_.take("u8", count * (CORNERS[kind] + 1)).reshape(count, -1)
        cells.setdefault(kind, []).append(rows)
        for group in groups.get((dimension, entity), ()):
            members.setdefault((dimension, group), {}).setdefault(kind, []).append(rows[:, 0])
        found += count
    if found != total:
        fail(f"$Elements has {found} elements and says {total}", "save the file anew")
    return {kind: _split(np.concatenate(rows)) for kind, rows in cells.items()}, members


def _split(rows):
    """Tags and corners, by ascending tag."""
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    return rows[:, 0], rows[:, 1:]


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
