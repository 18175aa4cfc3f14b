"""Checks of surfaces and polyhedra: each refusal names the facets at fault and says what would mend them."""
import numpy as np

from robotphi.geometry.inside import highest
from robotphi.geometry.loops import halved
from robotphi.geometry.shells import check_edges, check_shells, counted
from robotphi.scene.checks import first_true, floats, refuse

LISTED = 5            # facets that a message names
FLAT = 1e-12          # height / longest edge of a triangle that counts as no area
TOUCH = 1e-12         # distance / size within which facets touch


def check_surface(points, triangles, facet=None, names=None):
    """Refuse a surface that does not bound a solid: (n, 3) points [m] and (t, 3) outward triangles.

    What is looked for, in this order: no triangles, numbers that are not finite, points that are not there, triangles
    without area, triangles given twice, open edges, edges of more than two facets, facets turned against their neighbours,
    facets that touch or cut each other without sharing a corner there, shells turned inside out. Several shells are allowed:
    side by side they point outwards, a cavity points into the hollow. A million facets take a few seconds.

    Args:
        facet: (t,) facet that each triangle belongs to; the triangles themselves by default.
        names: of the facets, for messages.
    """
    points, triangles = _arrays(points, triangles)

    def label(rows):
        numbers = list(dict.fromkeys((rows if facet is None else np.asarray(facet)[rows]).tolist()))
        shown = [str(i) if names is None else repr(names[i]) for i in numbers[:LISTED]]
        return ("facet " if len(numbers) == 1 else "facets ") + ", ".join(shown) + (" …" if len(numbers) > LISTED else "")

    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    near = points - middle
    _check_areas(near, triangles, label)
    _check_twice(triangles, label)
    tolerance = TOUCH * np.linalg.norm(np.ptp(points, axis=0)) + 4 * np.finfo(float).eps * np.abs(points).max()
    check_edges(near, triangles, label, tolerance)
    tree = _check_crossings(near, triangles, label, tolerance)
    check_shells(near, triangles, label, tree)


def check_polyhedron(polyhedron):
    """`check_surface` for the facets of a Polyhedron of any form, by their names."""
    triangles, facet = halved(polyhedron.loops)
    check_surface(polyhedron.vertices, triangles, facet, polyhedron.names)


def check_convex(polyhedron, tolerance=None):
    """Refuse a Polyhedron that is inside out, has facets without area, warped or concave ones, or is not convex.

    Args:
        tolerance: distance [m] by which a corner may leave the plane of a facet; by default what rounding makes.
    """
    limit = polyhedron.tolerance if tolerance is None else tolerance
    names, loops = polyhedron.names, polyhedron.loops
    bad = first_true(polyhedron.areas <= FLAT * polyhedron.size ** 2)
    if bad is not None:
        refuse("polyhedron", f"facet {names[bad]!r} has no area", "leave it out or move its corners apart")
    volume = polyhedron.volume
    if volume < 0.0:
        refuse("polyhedron", f"its facets point inwards (volume {volume:g} m³)", "turn every loop of vertices round")
    arms = polyhedron.vertices[loops.corners] - polyhedron.facet_centres[loops.facet]
    heights = np.abs(np.einsum("ij,ij->i", arms, polyhedron.normals[loops.facet]))
    worst = int(np.argmax(heights))
    if heights[worst] > limit:
        refuse("polyhedron", f"facet {names[loops.facet[worst]]!r} is not plane: vertex {loops.corners[worst]} lies "
               f"{heights[worst]:.3g} m out of it", f"move it, cut the facet into triangles or allow more than {limit:.3g} m")
    edges = arms[loops.following] - arms
    turns = np.einsum("ij,ij->i", np.cross(edges, edges[loops.following]), polyhedron.normals[loops.facet])
    bad = first_true(turns < -limit * np.linalg.norm(edges, axis=1))
    if bad is not None:
        refuse("polyhedron", f"facet {names[loops.facet[bad]]!r} turns inwards at vertex {loops.corners[loops.following[bad]]}",
               "cut it into convex facets")
    height, vertex, facet = highest(polyhedron)
    if height > limit:
        refuse("polyhedron",
               f"it is not convex: vertex {vertex} stands {height:.3g} m out of the plane of facet {names[facet]!r}",
               "take the hull of its vertices, or split it into convex parts")


def _arrays(points, triangles):
    points, triangles = floats("surface", "points", points), np.asarray(triangles)
    if triangles.size == 0 or points.size == 0:
        refuse("surface", "it is empty", "give points and triangles")
    if points.ndim != 2 or points.shape[1] != 3:
        refuse("surface", f"points has shape {points.shape}", "give rows of three numbers")
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        refuse("surface", f"triangles has shape {triangles.shape} and type {triangles.dtype}",
               "give rows of three whole numbers")
    bad = first_true((triangles < 0) | (triangles >= len(points)))
    if bad is not None:
        refuse("surface", f"triangle {triangles[bad].tolist()}", f"there are points 0 to {len(points) - 1}", bad)
    return points, triangles.astype(np.int64)


def _check_areas(points, triangles, label):
    a, b, c = (points[triangles[:, i]] for i in range(3))
    u, v = b - a, c - a
    cross = np.linalg.norm(np.cross(u, v), axis=1)
    longest = np.maximum.reduce([np.einsum("ij,ij->i", each, each) for each in (u, v, v - u)])
    bad = np.flatnonzero(cross <= FLAT * longest)
    if len(bad):
        refuse("surface", f"{counted(len(bad), 'triangle')} without area: {label(bad)}",
               "merge points that coincide, leave out triangles of less than three points and flip an edge of flat ones")


def _check_twice(triangles, label):
    rows = np.sort(triangles, axis=1)
    order = np.lexsort(rows.T[::-1])
    same = np.flatnonzero(np.all(rows[order[1:]] == rows[order[:-1]], axis=1))
    if len(same):
        pair = np.sort(order[same[0]:same[0] + 2])
        refuse("surface", f"{counted(len(same), 'triangle')} given twice: {label(pair)} have the same corners",
               "keep one of each")


def _check_crossings(points, triangles, label, tolerance):
    from robotphi.geometry.box_tree import box_tree, crossings
    tree = box_tree(points, triangles)
    pairs, decided = crossings(tree, triangles, tolerance, LISTED)
    if not decided:
        refuse("surface", "its triangles are so long and thin that too many lie side by side to tell whether any of them cross",
               "cut long ones into shorter ones, or fans of many thousand triangles around one point into pieces")
    if len(pairs):
        shown = "; ".join(f"{label(np.array([one]))} and {label(np.array([other]))}" for one, other in pairs.tolist())
        more = " (and perhaps more)" if len(pairs) == LISTED else ""
        refuse("surface", f"facets touch or cut each other away from shared corners: {shown}{more}",
               "move them apart, or unite the solids they belong to")
    return tree
