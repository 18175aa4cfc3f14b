"""Which points stand out of a polyhedron's planes, and which lie inside it."""
import numpy as np

CHUNK = 1 << 22  # numbers held at once where points meet facets


def highest(polyhedron):
    """How far a vertex stands out of a facet's plane [m], which vertex and which facet."""
    best = (-np.inf, 0, 0)
    middle, offsets = _planes(polyhedron)
    for rows in _chunks(len(polyhedron.vertices), len(polyhedron.facets)):
        heights = (polyhedron.vertices[rows] - middle) @ polyhedron.normals.T - offsets
        vertex, facet = np.unravel_index(np.argmax(heights), heights.shape)
        best = max(best, (float(heights[vertex, facet]), rows.start + int(vertex), int(facet)))
    return best


def contains(polyhedron, points):
    """(m,) whether points lie inside: behind all planes of a convex polyhedron, else by the winding number."""
    if polyhedron.is_convex:
        middle, offsets = _planes(polyhedron)
        found = [np.all((points[rows] - middle) @ polyhedron.normals.T <= offsets + polyhedron.tolerance, axis=1)
                 for rows in _chunks(len(points), len(polyhedron.facets))]
    else:
        found = [_wound(polyhedron, points[rows]) for rows in _chunks(len(points), 4 * len(polyhedron.triangles))]
    return np.concatenate([np.empty(0, bool), *found])


def _planes(polyhedron):
    """A point near the body and the planes' offsets from it: far from the origin, digits are kept."""
    middle = polyhedron.facet_centres[0]
    return middle, np.einsum("ij,ij->i", polyhedron.normals, polyhedron.facet_centres - middle)


def _wound(polyhedron, points):
    """The solid angles of all triangles add up to 4π inside and 0 outside (Van Oosterom and Strackee 1983)."""
    a, b, c = (polyhedron.vertices[polyhedron.triangles[:, i]] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(arm, axis=2) for arm in (a, b, c))
    ab, bc, ca = (np.einsum("pti,pti->pt", one, other) for one, other in ((a, b), (b, c), (c, a)))
    volume = np.einsum("pti,pti->pt", a, np.cross(b, c))
    return np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) > np.pi


def _chunks(count, width):
    step = max(1, CHUNK // width)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
