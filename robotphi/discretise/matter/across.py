"""Across: the particles that a cell meets behind its faces, for springs that reach over into the neighbour.

The six edges of a tetrahedron point into too few directions for a material; a spring over each face to the corner on its
other side gives four more. Wedges have them over their quadrilateral faces, triangles over their edges: the missing diagonals
of halved blocks and squares among them.
"""
from functools import cache

import numpy as np

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
