"""Convex hull of points, its facets as whole polygons."""
import numpy as np

from robotphi.geometry.polyhedron import Polyhedron
from robotphi.scene.checks import floats, refuse

FLATTEST = 1e-9   # thickness / size that still counts as a solid
PLANE = 1e-12     # distance / size within which neighbouring triangles make one facet


def hull(points):
    """The smallest convex Polyhedron around (n, 3) points [m]; its vertices are points as given, in their order.

    Points inside, on facets or on edges are left out. Points of almost no thickness are refused.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = floats("hull", "points", points)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
        refuse("hull", f"points has shape {points.shape}", "give at least four rows of three numbers")
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    size = np.linalg.norm(np.ptp(points, axis=0))
    if size <= 1e-15 * np.abs(points).max():
        refuse("hull", "all points coincide", "give points that span a solid")
    scaled = (points - middle) / size
    _, extents, axes = np.linalg.svd(scaled - scaled.mean(axis=0), full_matrices=False)
    thickness = np.ptp(scaled @ axes[2])
    if thickness <= FLATTEST:
        kind = "line" if extents[1] <= FLATTEST * extents[0] else "plane"
        refuse("hull", f"all points lie in one {kind}, within {thickness * size:g} m", "add a point beside it")
    try:
        found = ConvexHull(scaled)
    except QhullError as error:
        refuse("hull", f"the points make no solid ({str(error).splitlines()[0]})", "spread them in all three directions")
    facet = _facets(scaled, found)
    return _polygons(points, scaled, found, facet)


def _facets(points, found):
    """(t,) facet of each triangle: neighbours belong together where each lies in the plane of the other."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(found.simplices)
    one = np.repeat(np.arange(count), 3)
    other = found.neighbors.reshape(-1)
    corners = points[found.simplices]
    normals, offsets = found.equations[:, :3], found.equations[:, 3]
    away = np.abs(np.einsum("tci,ti->tc", corners[other], normals[one]) + offsets[one, None]).max(axis=1) <= PLANE
    same = away.reshape(count, 3) & _backwards(away, found.neighbors)
    rows = same.reshape(-1)
    graph = coo_matrix((np.ones(rows.sum()), (one[rows], other[rows])), shape=(count, count))
    return connected_components(graph, directed=False)[1]


def _backwards(away, neighbours):
    """The same question asked from the other side of each pair."""
    count = len(neighbours)
    keys = np.repeat(np.arange(count), 3) * np.int64(count) + neighbours.reshape(-1)
    back = neighbours.reshape(-1) * np.int64(count) + np.repeat(np.arange(count), 3)
    order = np.argsort(keys)
    return away[order[np.searchsorted(keys[order], back)]].reshape(count, 3)


def _polygons(points, scaled, found, facet):
    """Polyhedron of the facets: a vertex is where three of them meet, its loop goes round by angle about the normal."""
    pairs = np.unique(np.stack([np.repeat(facet, 3), found.simplices.reshape(-1)], axis=1), axis=0)
    meeting = np.bincount(pairs[:, 1], minlength=len(points))
    pairs = pairs[meeting[pairs[:, 1]] >= 3]
    kept, vertex = np.unique(pairs[:, 1], return_inverse=True)
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    sizes = np.diff(starts, append=len(pairs))
    row = np.repeat(np.arange(len(starts)), sizes)
    normals = _normals(found, facet)[pairs[starts, 0]]
    corners = scaled[pairs[:, 1]]
    middle = np.add.reduceat(corners, starts) / sizes[:, None]
    beside = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = np.cross(normals, beside)
    arms = corners - middle[row]
    across = np.einsum("ij,ij->i", arms, np.cross(normals, first)[row])
    angle = np.arctan2(across, np.einsum("ij,ij->i", arms, first[row]))
    order = np.lexsort((angle, row))
    return Polyhedron(points[kept], np.split(vertex[order], starts[1:]))


def _normals(found, facet):
    """One outward normal per facet: that of its largest triangle, which is the least rounded."""
    corners = found.points[found.simplices]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    order = np.lexsort((-areas, facet))
    return found.equations[order[np.flatnonzero(np.diff(facet[order], prepend=-1))], :3]
