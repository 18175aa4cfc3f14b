"""Stencils: which local particles of a cell springs join, for every kind of cell and way of spreading its mass.

The six edges of a tetrahedron point into too few directions for a material: springs across its faces, to the corner on their
other side, give four more. Wedges have them over their quadrilateral faces, triangles over their edges: the missing diagonals
of halved blocks and squares among them.
"""
from functools import cache
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.moments import fan
from robotphi.geometry.cells import KINDS

SIZES = {"triangle": 2, "tetrahedron": 3, "wedge": 4}   # corners of the faces (of a triangle, edges) that springs cross


@cache
def crossings(kind):
    """(faces, own, other) of a kind: local faces that are crossed, (f, o) corners opposite to each, (f, o) columns for those of
    the neighbour, counted from 0; None where nothing is crossed."""
    if kind not in SIZES:
        return None
    shape = KINDS[kind]
    sides = shape.faces if shape.dimension == 3 else shape.edges.tolist()
    faces = np.array([side for side in sides if len(side) == SIZES[kind]])
    own = np.array([[corner for corner in range(shape.corners) if corner not in face] for face in faces])
    return faces, own, np.arange(own.size).reshape(own.shape)


def neighbour_columns(rows, kind, count):
    """(c, f × o) int32 particles behind the crossed faces of cells, the own opposite corner where there is none.

    Args:
        rows: (c, ≥ corners) particles of the cells.
        count: number of particles.
    """
    faces, own, _ = crossings(kind)
    lowest = np.sort(rows[:, faces].reshape(-1, faces.shape[1]), axis=1)[:, :3].astype(np.int64)
    key = lowest[:, 0] * count + lowest[:, 1]
    if lowest.shape[1] == 3:
        key = np.unique(key, return_inverse=True)[1] * np.int64(count) + lowest[:, 2]
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    one, other = order[same], order[same + 1]
    opposite = rows[:, own].reshape(-1, own.shape[1])
    behind = opposite.copy()
    behind[one], behind[other] = opposite[other], opposite[one]
    return behind.reshape(len(rows), -1)


class Stencil(NamedTuple):
    """Springs of a cell, by columns of its row of particles (see `masses`)."""
    pairs: np.ndarray        # (p, 2) linear springs
    optional: np.ndarray     # (p,) bool: used only in cells that need them, those across faces included
    inner: np.ndarray        # (p,) bool: an end lies inside the cell
    boundary: int            # columns that other cells may share; those behind are inner particles
    across: np.ndarray       # (p,) bool: an end lies in the neighbour, in the columns behind the inner ones
    corners: np.ndarray      # (t, 3) angles between neighbouring edges of a face: first, centre, second


@cache
def stencil(kind, way):
    """The `Stencil` of a kind of cell.

    With particles on the corners alone, springs lie on the edges and on both diagonals of the quadrilateral faces. A particle
    at the centre is held by springs to all corners, as in a body-centred lattice, which needs no diagonals where the edges
    are of one length. Ways with more particles have springs on all edges of their tetrahedra.
    Springs across faces (see `crossings`) come last.
    """
    shape = KINDS[kind]
    edges = [tuple(edge) for edge in shape.edges.tolist()]
    diagonals = [pair for face in shape.faces if len(face) == 4 for pair in ((face[0], face[2]), (face[1], face[3]))]
    first = shape.corners
    spokes = [(i, first) for i in range(first)]
    boundary = first
    if shape.dimension < 3 or way == "corners":
        pairs, diagonals = edges + diagonals, []
    elif kind == "tetrahedron" or way in ("centre", "report"):
        pairs = edges + spokes
    elif way == "tetrahedra":
        pairs = _tetrahedra_pairs(shape.tetrahedra, first)
    else:
        pairs, boundary = _fan_pairs(kind, first), first + len(fan(kind).quads)
    diagonals = [pair for pair in diagonals if tuple(sorted(pair)) not in pairs]
    inside = max(map(max, pairs)) + 1
    over = _crossing_pairs(kind, inside)
    optional = np.arange(len(pairs) + len(diagonals)) >= len(pairs)
    pairs = np.array(pairs + diagonals + over, np.int32)
    across = np.arange(len(pairs)) >= len(optional)
    optional = np.concatenate([optional, np.ones(len(over), bool)])
    inner = ((pairs >= boundary) & (pairs < inside)).any(axis=1)
    corners = [(face[i - 1], face[i], face[(i + 1) % len(face)]) for face in shape.faces for i in range(len(face))]
    return Stencil(pairs, optional, inner, boundary, across, np.array(corners, np.int32))


def _crossing_pairs(kind, inside):
    """Springs from the corners opposite to a face to those of the neighbour behind it."""
    if crossings(kind) is None:
        return []
    _, own, other = crossings(kind)
    return [(int(a), inside + int(b)) for here, there in zip(own, other, strict=True) for a in here for b in there]


def _tetrahedra_pairs(tetrahedra, first):
    edges = {tuple(sorted((t[i], t[j]))) for t in tetrahedra.tolist() for i in range(4) for j in range(i)}
    return sorted(edges) + [(corner, first + i) for i, t in enumerate(tetrahedra.tolist()) for corner in t]


def _fan_pairs(kind, first):
    """Edges of the tetrahedra between the surface triangles and the centre, and the spokes of their centroids."""
    surface = fan(kind)
    centre = first + len(surface.quads)
    tetrahedra = np.column_stack((surface.triangles, np.full(len(surface.triangles), centre)))
    return _tetrahedra_pairs(tetrahedra, centre + 1)
