"""Kinds of cells: their corners, edges and faces.

Numbering: the first face (0, 1, 2 …), by the right hand, points into the cell, and the corners opposite follow in the
same sense: a hexahedron is a quadrilateral 0 1 2 3 and, above it, 4 5 6 7; a wedge is 0 1 2 and 3 4 5; a pyramid has its
apex at 4. Faces are listed with outward normals.
"""
from typing import NamedTuple

import numpy as np


class Kind(NamedTuple):
    """One kind of cell."""
    name: str
    dimension: int
    corners: int
    edges: np.ndarray        # (e, 2) local corners
    faces: tuple             # tuples of local corners, outward; of a surface cell the cell itself
    tetrahedra: np.ndarray   # (t, 4) positive tetrahedra that fill the cell, when its faces are plane


def _kind(name, dimension, corners, edges, faces, tetrahedra=()):
    return Kind(name, dimension, corners, np.array(edges, np.int32).reshape(-1, 2), tuple(faces),
                np.array(tetrahedra, np.int32).reshape(-1, 4))


KINDS = {kind.name: kind for kind in (
    _kind("edge", 1, 2, [(0, 1)], ()),
    _kind("triangle", 2, 3, [(0, 1), (1, 2), (2, 0)], [(0, 1, 2)]),
    _kind("quad", 2, 4, [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1, 2, 3)]),
    _kind("tetrahedron", 3, 4, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
          [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], [(0, 1, 2, 3)]),
    _kind("pyramid", 3, 5, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)],
          [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)], [(0, 1, 2, 4), (0, 2, 3, 4)]),
    _kind("wedge", 3, 6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
          [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)], [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)]),
    _kind("hexahedron", 3, 8,
          [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
          [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
          [(0, 1, 3, 4), (1, 2, 3, 6), (4, 7, 6, 3), (4, 6, 5, 1), (1, 3, 4, 6)]),
)}
VOLUME_KINDS = tuple(kind.name for kind in KINDS.values() if kind.dimension == 3)
SURFACE_KINDS = tuple(kind.name for kind in KINDS.values() if kind.dimension == 2)
# Corners of a mirrored cell, so that its volume stays positive; the tetrahedra that fill it stay too, but for those of a wedge,
# which can be filled by three tetrahedra in a left-handed and a right-handed way.
MIRRORED = {"edge": (0, 1), "triangle": (0, 2, 1), "quad": (0, 3, 2, 1), "tetrahedron": (0, 2, 1, 3),
            "pyramid": (0, 3, 2, 1, 4), "wedge": (0, 2, 1, 3, 5, 4), "hexahedron": (0, 3, 2, 1, 4, 7, 6, 5)}
# Corners of one stout cell of each kind [m], about a unit cube.
UNIT = {"tetrahedron": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
        "pyramid": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)],
        "wedge": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)],
        "hexahedron": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]}
UNIT = {kind: np.array(corners, float) for kind, corners in UNIT.items()}
