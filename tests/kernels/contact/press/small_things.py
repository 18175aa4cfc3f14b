"""Small soft things for the tests of what a scene says about contact."""
import numpy as np

from robotphi.discretise.deform import deformable
from robotphi.discretise.matter.material import Material
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh

RUBBER = Material(young=1e5, density=1000.0)


def soft_box(size=(1, 1, 0.5), cells=0.5):
    return deformable(discretise(shapes.box(size), size=cells), RUBBER)


def cloth():
    """Four quadrilaterals, 0.2 m × 0.2 m × 2 mm."""
    points = np.stack(np.meshgrid(np.arange(3), np.arange(3), [0.0], indexing="ij"), axis=-1).reshape(-1, 3) / 10.0
    index = np.arange(9).reshape(3, 3)
    quads = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], axis=-1).reshape(-1, 4)
    return sheet(Mesh(points, {"quad": quads}), Material(young=1e6, density=300.0), thickness=0.002)
