"""Shapes: convex solids with named facets. Axes along z, the middle of the height at `centre`; facets are inscribed."""
import numpy as np

from robotphi.geometry.polyhedron import Polyhedron
from robotphi.scene.checks import first_true, floats, number, refuse, vector, whole

BOX_NAMES = ("left", "right", "front", "back", "bottom", "top")  # −x, +x, −y, +y, −z, +z
BOX_FACETS = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))  # corners of a hexahedron


def box(size, centre=(0.0, 0.0, 0.0)):
    """Box of the given edge lengths [m] along x, y, z (one number: a cube); facets left, right, front, back, bottom, top."""
    size = floats("box", "size", size)
    if size.shape not in ((), (3,)) or np.any(size <= 0.0):
        refuse("box", f"size is {size.tolist()!s:.60}", "give one length or three, each > 0")
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
    return Polyhedron((corners - 0.5) * size + vector("box", "centre", centre), BOX_FACETS, BOX_NAMES)


def hexahedron(corners):
    """Hexahedron of eight corners [m], numbered as in `cells`: four around the bottom, four above them; named as a box.

    Its facets may be warped; `checks_solid.check_convex` says by how much.
    """
    corners = floats("hexahedron", "corners", corners)
    if corners.shape != (8, 3):
        refuse("hexahedron", f"corners has shape {corners.shape}", "give eight rows of three numbers")
    return Polyhedron(corners, BOX_FACETS, BOX_NAMES)


def prism(polygon, height, centre=(0.0, 0.0, 0.0)):
    """Prism over a convex polygon: (k, 2) corners [m] in either sense; facets bottom, top, side 0 (corners 0 and 1) …"""
    polygon = convex_polygon("prism", "polygon", polygon)
    return _stack("prism", polygon, polygon, number("prism", "height", height, above=0.0), centre)


def cylinder(radius, height, sides=24, centre=(0.0, 0.0, 0.0)):
    """Cylinder of `sides` flat sides, its edges on the circle of this radius [m]; facets bottom, top, side 0 …"""
    circle = regular_polygon(whole("cylinder", "sides", sides, low=3)) * number("cylinder", "radius", radius, above=0.0)
    return _stack("cylinder", circle, circle, number("cylinder", "height", height, above=0.0), centre)


def regular_polygon(sides):
    """(sides, 2) corners of the regular polygon in the unit circle, the first at (1, 0)."""
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def convex_polygon(where, what, polygon):
    """(k, 2) corners, counter-clockwise, of a polygon that turns the same way at every corner and goes round once."""
    polygon = floats(where, what, polygon)
    if polygon.ndim != 2 or polygon.shape[1] != 2 or len(polygon) < 3:
        refuse(where, f"{what} has shape {polygon.shape}", "give at least three rows of two numbers")
    edge = np.roll(polygon, -1, axis=0) - polygon
    before = np.roll(edge, 1, axis=0)
    cross = before[:, 0] * edge[:, 1] - before[:, 1] * edge[:, 0]
    lengths = np.linalg.norm(edge, axis=1) * np.linalg.norm(before, axis=1)
    turns = np.arctan2(cross, np.einsum("ij,ij->i", before, edge))
    sense = 1.0 if turns.sum() > 0.0 else -1.0
    bad = first_true(sense * cross <= 1e-12 * lengths)
    if bad is not None:
        refuse(where, f"corner {polygon[bad].tolist()} of {what} is repeated, straight or turns inwards",
               "leave straight corners out and split a concave outline into convex ones", bad)
    if abs(turns.sum()) > 3 * np.pi:
        refuse(where, f"{what} goes round more than once", "give an outline that does not cross itself")
    return polygon if sense > 0.0 else polygon[::-1]


def _stack(where, bottom, top, height, centre):
    """Solid between two polygons of as many corners, one above the other."""
    sides = len(bottom)
    z = np.full((sides, 1), height / 2)
    vertices = np.concatenate([np.hstack([bottom, -z]), np.hstack([top, z])]) + vector(where, "centre", centre)
    low, following = np.arange(sides), np.roll(np.arange(sides), -1)
    walls = np.stack([low, following, following + sides, low + sides], axis=1)
    return Polyhedron(vertices, [low[::-1], low + sides, *walls], ["bottom", "top", *(f"side {i}" for i in range(sides))])
