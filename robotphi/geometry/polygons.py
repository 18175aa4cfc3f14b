"""Polygons in the plane, and the solids between two of them."""
import numpy as np

from robotphi.geometry.polyhedron import Polyhedron
from robotphi.scene.checks import first_true, floats, refuse

MOST_FACETS = 2_000_000    # of one shape: it takes some twenty seconds and a gigabyte


def check_facets(where, count):
    """Refuse more facets than a shape can have, before they are made."""
    if count > MOST_FACETS:
        refuse(where, f"it would have {count} facets", f"there can be {MOST_FACETS}: give fewer sides")


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
    turns = np.arctan2(cross, np.einsum("ij,ij->i", before, edge))
    sense = 1.0 if turns.sum() > 0.0 else -1.0
    bad = first_true(sense * cross <= 1e-12 * np.linalg.norm(edge, axis=1) * np.linalg.norm(before, axis=1))
    if bad is not None:
        refuse(where, f"corner {polygon[bad].tolist()} of {what} is repeated, straight or turns inwards",
               "leave straight corners out and split a concave outline into convex ones", bad)
    if abs(turns.sum()) > 3 * np.pi:
        refuse(where, f"{what} goes round more than once", "give an outline that does not cross itself")
    return polygon if sense > 0.0 else polygon[::-1]


def loft(start, end, names=("start", "end", "side")):
    """Solid between two polygons (k, 3), counter-clockwise seen from beyond the end; "side i" starts at corner i."""
    sides = len(start)
    low, following = np.arange(sides), np.roll(np.arange(sides), -1)
    walls = np.stack([low, following, following + sides, low + sides], axis=1)
    labels = [f"{names[2]} {i}" for i in range(sides)] if len(names) == 3 else names[2:]
    return Polyhedron(np.concatenate([start, end]), [low[::-1], low + sides, *walls], [*names[:2], *labels])
