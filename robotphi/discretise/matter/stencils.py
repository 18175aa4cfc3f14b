"""Stencils: which local particles of a cell springs join, for every kind of cell and way of spreading its mass."""
from functools import cache
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.moments import fan
from robotphi.discretise.matter.across import crossings
from robotphi.geometry.cells import KINDS


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
    Springs across faces (see `across`) come last.
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
