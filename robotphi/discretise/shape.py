"""Shape: polyhedra in, meshes of volume cells with named regions out."""
import numpy as np

from robotphi.discretise.hexahedra import CUBE, DIRECTIONS, SIDES, box_corners, hexahedron_mesh
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import number, refuse


def discretise(shape, size=None, counts=None, grading=None):
    """Mesh of volume cells that fills `shape`.

    Args:
        shape: Polyhedron.
        size: cell edges are at most this long [m] where the grading is uniform.
        counts: cells along x, y, z.
        grading: see `grading` and `hexahedra`.
    """
    corners = box_corners(shape)
    if corners is None:
        refuse("discretise", f"there is no way for {shape!r}", "give a solid of six quadrilaterals")
    places = shape.vertices[corners]
    mesh = hexahedron_mesh(places, _box_counts(places, size) if counts is None else counts, grading)
    return _named(mesh, shape, corners)


def _box_counts(corners, size):
    size = number("discretise", "size", size, above=0)
    ends = [((0, 1), (3, 2), (4, 5), (7, 6)), ((0, 3), (1, 2), (4, 7), (5, 6)), ((0, 4), (1, 5), (2, 6), (3, 7))]
    lengths = [max(np.linalg.norm(corners[b] - corners[a]) for a, b in ends[axis]) for axis in range(len(DIRECTIONS))]
    return tuple(max(1, int(np.ceil(length / size - 1e-9))) for length in lengths)


def _named(mesh, shape, corners):
    """The mesh with its regions called as the facets of the polyhedron."""
    names = {frozenset(loop.tolist()): name for loop, name in zip(shape.facets, shape.names, strict=True)}
    regions = {names[frozenset(corners[CUBE.take(end, axis)].reshape(-1).tolist())]: mesh.regions[side]
               for side, (axis, end) in SIDES.items()}
    return Mesh(mesh.points, mesh.cells, regions)
