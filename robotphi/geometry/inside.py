"""Which points stand out of a polyhedron's planes, which lie inside it, and whether it is convex."""
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


def convex(polyhedron):
    """Whether no vertex stands out of any facet's plane, up to rounding; in most cases without comparing all with all.

    A surface is that of a convex solid where its facets are plane and convex, its edges too, and it goes round an inner point
    just once (star polyhedra, whose edges may all be convex, go round more often; Tietze and Nakajima 1928).
    """
    loops, normals = polyhedron.loops, polyhedron.normals
    middle, offsets = _planes(polyhedron)

    def heights(points, facets):
        return np.einsum("ij,ij->i", points - middle, normals[facets]) - offsets[facets]

    one, other = polyhedron.edge_facets.T
    centres, corners = polyhedron.facet_centres, polyhedron.vertices[loops.corners]
    if max(heights(corners, loops.facet).max(), heights(centres[one], other).max(),
           heights(centres[other], one).max()) > polyhedron.tolerance:
        return False
    inner = polyhedron.centre
    across = np.cross(corners[loops.following] - corners, centres[loops.facet] - corners)
    if (np.einsum("ij,ij->i", across, normals[loops.facet]).min() > 0.0 and polyhedron.areas.min() > 0.0
            and ((inner - middle) @ normals.T - offsets).max() < -polyhedron.tolerance
            and abs(_solid_angle(polyhedron.vertices, polyhedron.triangles, inner[None])[0] - 2 * np.pi) < 1.0):
        return True
    return highest(polyhedron)[0] <= polyhedron.tolerance


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
    return surrounds(polyhedron.vertices, polyhedron.triangles, points)


def surrounds(vertices, triangles, points):
    """(m,) whether a closed surface goes round points."""
    return _solid_angle(vertices, triangles, points) > np.pi


def _solid_angle(vertices, triangles, points):
    """Half the solid angles of all triangles: they add up to 2π inside and 0 outside (Van Oosterom and Strackee 1983)."""
    a, b, c = (vertices[triangles[:, i]] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(arm, axis=2) for arm in (a, b, c))
    ab, bc, ca = (np.einsum("pti,pti->pt", one, other) for one, other in ((a, b), (b, c), (c, a)))
    volume = np.einsum("pti,pti->pt", a, np.cross(b, c))
    return np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1)


def _chunks(count, width):
    step = max(1, CHUNK // width)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
