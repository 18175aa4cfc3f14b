"""Joining: meshes of parts that touch in, one mesh in which they share their points out."""
import numpy as np

from robotphi.discretise.cells.division import shared_numbers
from robotphi.geometry.loops import grouped
from robotphi.geometry.mesh import Mesh, compact
from robotphi.scene.checks import refuse

NEAR = 1e-9         # of the size of all parts: points nearer than that coincide
ONE_PLANE = 1e-6    # largest difference of normals, and of offsets in sizes of all parts, within one plane


def group_of(name):
    """The group of a facet's name: "side" of "side 3"; None where there is none."""
    words = name.rsplit(" ", 1)
    return words[0] if len(words) == 2 and words[1].isdigit() and words[0] != "facet" else None


def outer_facets(parts, vertices):
    """Per part (f,) whether each facet is on the outside; two parts share a facet whole or not at all.

    `vertices`: per part (n,) numbers that touching parts share.
    """
    keys = [[tuple(sorted(own[loop].tolist())) for loop in part.facets] for part, own in zip(parts, vertices, strict=True)]
    owners = {}
    for index, part in enumerate(keys):
        for key in part:
            owners.setdefault(key, []).append(index)
    for key, found in owners.items():
        if len(found) > 2:
            refuse("discretise", f"parts {found} all share one facet of {len(key)} corners",
                   "let no more than two meet in a facet")
    outer = [np.array([len(owners[key]) == 1 for key in part]) for part in keys]
    _refuse_partly_shared(parts, outer)
    return outer


def joined(parts, meshes):
    """One mesh from one per part: points in one place become one, regions of one name are united, "part i" are its cells."""
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    points = np.concatenate([mesh.points for mesh in meshes])
    shared = shared_numbers(points)
    kept, number = np.unique(shared, return_inverse=True)
    number = number.reshape(-1).astype(np.int32)
    cells, owned, regions = {}, {}, {}
    for index, (mesh, start) in enumerate(zip(meshes, starts, strict=False)):
        for kind, rows in mesh.cells.items():
            before = sum(map(len, cells.setdefault(kind, [])))
            owned.setdefault(f"part {index}", {})[kind] = np.arange(before, before + len(rows), dtype=np.int32)
            cells[kind].append(number[rows + start])
        for name, rows in mesh.regions.items():
            regions.setdefault(name, []).append(number[rows + start])
    mesh = Mesh(points[kept], {kind: np.concatenate(rows) for kind, rows in cells.items()},
                {name: np.unique(np.concatenate(rows)) for name, rows in regions.items()}, owned)
    _check_shared(parts, meshes, mesh)
    return mesh


def _check_shared(parts, meshes, mesh):
    """The faces on shared facets must have become inner faces: as many cells see them from either side."""
    outside = _area(mesh)
    whole = sum(_area(part) for part in meshes)
    keys = np.split(shared_numbers(np.concatenate([part.vertices for part in parts])),
                    np.cumsum([len(part.vertices) for part in parts])[:-1])
    expected = sum(float(part.areas[outer].sum()) for part, outer in zip(parts, outer_facets(parts, keys), strict=True))
    if abs(outside - expected) > NEAR * whole or any(len(rows) == 0 for rows in mesh.cells.values()):
        refuse("discretise", "touching parts are divided differently on the facets that they share",
               "use gradings that are the same from both ends, or a size alone")


def _area(mesh):
    corners = mesh.points[mesh.triangles]
    return float(np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2)


def _refuse_partly_shared(parts, outer):
    """Outer facets of two parts in one plane, face to face, must not overlap."""
    from scipy.spatial import cKDTree

    size = max(float(np.ptp(np.concatenate([part.vertices for part in parts]), axis=0).max()), 1e-300)
    origin = parts[0].vertices[0]
    own = np.array([(index, facet) for index, free in enumerate(outer) for facet in np.flatnonzero(free)]).reshape(-1, 2)
    planes = np.concatenate([np.column_stack([part.normals, ((part.facet_centres - origin) * part.normals).sum(axis=1) / size])
                             for part in parts])
    planes = planes[np.concatenate(outer)]
    pairs = cKDTree(planes).sparse_distance_matrix(cKDTree(-planes), ONE_PLANE, output_type="ndarray")
    pairs = np.stack([pairs["i"], pairs["j"]], axis=1)
    for (index, facet), (other, against) in own[pairs[pairs[:, 0] < pairs[:, 1]]].tolist():
        corners = [parts[i].vertices[parts[i].facets[f]] for i, f in ((index, facet), (other, against))]
        if other != index and _overlap(*corners, parts[index].normals[facet], NEAR * size):
            refuse("discretise", f"facet {parts[index].names[facet]!r} of part {index} touches "
                   f"{parts[other].names[against]!r} of part {other}, but they are not the same facet",
                   "cut the parts so that they meet facet to facet")


def _overlap(one, other, normal, near):
    """Whether two convex polygons of one plane share an area: no edge has them on different sides."""
    for polygon, another in ((one, other), (other, one)):
        edges = np.roll(polygon, -1, axis=0) - polygon
        across = np.cross(normal, edges)
        across /= np.linalg.norm(across, axis=1)[:, None]
        middle = polygon.mean(axis=0)
        inward = np.sign(((middle - polygon) * across).sum(axis=1))[:, None] * across
        if (((another[None] - polygon[:, None]) * inward[:, None]).sum(axis=-1).max(axis=1) <= near).any():
            return False
    return True


def unite_surface(parts):
    """(points, triangles, {name: rows of triangles}) of the outside of parts that meet facet to facet."""
    vertices = np.concatenate([part.vertices for part in parts])
    shared = shared_numbers(vertices) if len(parts) > 1 else np.arange(len(vertices))
    own = np.split(shared, np.cumsum([len(part.vertices) for part in parts])[:-1])
    outer = outer_facets(parts, own)
    triangles, names, count = [], {}, 0
    for part, numbers, free in zip(parts, own, outer, strict=True):
        rows = np.flatnonzero(free[part.triangle_facet])
        triangles.append(numbers[part.triangles[rows]])
        of_facet = grouped(part.triangle_facet[rows], count + np.arange(len(rows)), len(part.names))
        for name, found in zip(part.names, of_facet, strict=True):
            for each in filter(None, (name, group_of(name)) if len(found) else ()):
                names.setdefault(each, []).append(found)
        count += len(rows)
    used, triangles = compact(np.concatenate(triangles))
    return (vertices[used], triangles,
            {name: np.unique(np.concatenate(rows)) for name, rows in names.items()})
