"""Soft fingers with a chamber over a stiffer sole, which bend towards the sole as air is pumped in; and a soft fruit.

A finger hangs down from its root, its sole looks along x. Hexahedra without those of the chamber: the walls are the region of
facets "chamber", the upper end the region "root".
"""

import numpy as np

from robotphi.applications.sizes import check_sizes, sizes_of, some, whole_from
from robotphi.discretise import Material, deformable, discretise, facets_of, in_box, name_facets, name_region, on_plane
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import refuse

NEAR = 1e-9     # m


@sizes_of("soft finger")
class SoftFinger:
    """Nominal sizes of a pneumatic finger [m].

    Attributes:
        length, width, depth: of all of it; depth from the sole's outer face to the back.
        wall: thickness of the walls; sole: of the sole.
        cells: along the finger.
        young, sole_young: Pa, of the rubber and of the sole; density: kg/m³.
        damping: ratio of the rubber at 50 Hz.
    """
    length: float = 0.06
    width: float = 0.016
    depth: float = 0.014
    wall: float = 0.003
    sole: float = 0.003
    cells: int = 10
    young: float = 3e5
    sole_young: float = 2e6
    density: float = 1100.0
    damping: float = 0.2

    def __post_init__(self):
        check_sizes(self, "soft finger", cells=whole_from(3), damping=some)
        if 2.0 * self.wall >= self.width or self.wall + self.sole >= self.depth:
            refuse("soft finger", f"walls of {1e3 * self.wall:g} mm and a sole of {1e3 * self.sole:g} mm leave no chamber",
                   "give thinner ones, or a wider and deeper finger")

    def object(self):
        """The Object, root at z = 0, sole's face at x = 0, the back at x = −depth."""
        z = -np.linspace(0.0, self.length, self.cells + 1)[::-1]
        y = np.array([0.0, self.wall, self.width - self.wall, self.width]) - self.width / 2.0
        x = np.array([-self.depth, self.wall - self.depth, -self.sole, 0.0])
        number = np.arange(len(x) * len(y) * len(z)).reshape(len(x), len(y), len(z))
        cells = np.stack([number[:-1, :-1, :-1], number[1:, :-1, :-1], number[1:, 1:, :-1], number[:-1, 1:, :-1],
                          number[:-1, :-1, 1:], number[1:, :-1, 1:], number[1:, 1:, 1:], number[:-1, 1:, 1:]], axis=-1)
        there = np.ones(cells.shape[:3], bool)
        there[1, 1, 1:-1] = False
        points = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
        sole = np.flatnonzero((np.indices(there.shape)[0] == 2)[there])
        used, corner = np.unique(cells[there], return_inverse=True)
        mesh = Mesh(points[used], {"hexahedron": corner.reshape(-1, 8)}, cell_regions={"sole": {"hexahedron": sole}})
        how = {"density": self.density, "damping_ratio": self.damping, "damping_frequency": 50.0}
        thing = deformable(mesh, Material(young=self.young, **how), way="corners",
                           materials={"sole": Material(young=self.sole_young, **how)})
        inside = in_box(thing, (x[1] - NEAR, y[1] - NEAR, z[1] - NEAR), (x[2] + NEAR, y[2] + NEAR, z[-2] + NEAR))
        thing = name_facets(thing, "chamber", facets_of(thing, inside))
        return name_region(thing, "root", on_plane(thing, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))


@sizes_of("fruit")
class Fruit:
    """Nominal sizes of a soft fruit, a strawberry unless told: a cone with its tip cut off, tip down [m].

    Attributes:
        radius, tip: of its upper and lower end; height.
        young: firmness of its flesh [Pa]; density: kg/m³; damping: ratio at 50 Hz.
        bruise: pressure on the skin that bruises it [Pa].
        cells: size of cells [m].
    """
    radius: float = 0.016
    tip: float = 0.011
    height: float = 0.034
    young: float = 2e5
    density: float = 950.0
    damping: float = 0.2
    bruise: float = 5e3
    cells: float = 0.011

    def __post_init__(self):
        check_sizes(self, "fruit", damping=some)

    def object(self):
        """The Object around x = y = 0, its lower end at z = 0."""
        shape = shapes.cone(self.tip, self.height, 8, self.radius, (0.0, 0.0, self.height / 2.0))
        flesh = Material(young=self.young, density=self.density, damping_ratio=self.damping, damping_frequency=50.0)
        return deformable(discretise(shape, size=self.cells), flesh)
