"""What a scene holds: frozen blocks of arrays, and the handles that name them."""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from robotphi.scene.drive import Drive
from robotphi.scene.table import Table


@dataclass(frozen=True, eq=False)
class ParticleBlock:
    """Particles added together: rows start … start + count − 1."""
    name: str
    start: int
    position: np.ndarray          # (m, 3) m
    velocity: np.ndarray          # (m, 3) m/s
    mass: np.ndarray              # (m,) kg
    support: np.ndarray           # (m, 3) bool, axes held
    drive: dict = field(default_factory=dict)   # axis letter → Drive added to that coordinate
    rigid: int = -1               # the rigid primitive they belong to, −1 for free particles

    @property
    def count(self):
        return len(self.position)

    @property
    def indices(self):
        return np.arange(self.start, self.start + self.count, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Rigid:
    """A rigid primitive, and the handle of it: particles that keep their distances."""
    name: str
    index: int
    particles: np.ndarray         # (k,) int32
    mass: float                   # kg
    centre: np.ndarray            # (3,) m, centre of mass
    inertia: np.ndarray           # (3, 3) kg·m² about the centre, world axes
    velocity: np.ndarray          # (3,) m/s of the centre
    spin: np.ndarray              # (3,) rad/s, world frame
    support: np.ndarray           # (3,) bool
    rotation_support: np.ndarray  # (3,) bool, world axes
    drive: dict = field(default_factory=dict)   # axis letter or "rotation" → Drive
    drive_axis: np.ndarray | None = None        # (3,) unit world axis of the driven rotation


@dataclass(frozen=True, eq=False)
class Springs:
    """Handle of a block of springs: `indices` count the springs of its kind in the order they were added."""
    name: str
    kind: str                     # "linear", "angular" or "articular"
    start: int
    count: int

    @property
    def indices(self):
        return np.arange(self.start, self.start + self.count, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class SpringBlock:
    """What the three kinds of springs have in common; every array has one entry a spring."""
    name: str
    start: int
    first: np.ndarray
    second: np.ndarray
    stiffness: np.ndarray
    viscosity: np.ndarray
    hardening: np.ndarray
    drive: Drive | None

    @property
    def count(self):
        return len(self.first)

    @property
    def indices(self):
        return np.arange(self.start, self.start + self.count, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class LinearBlock(SpringBlock):
    rest_length: np.ndarray       # m
    yield_force: np.ndarray | None
    tension_only: bool
    table: Table | None
    kind = "linear"

    @property
    def has_law(self):
        """Whether the springs need more than stiffness, viscosity and rest length."""
        return self.drive is not None or self.yield_force is not None or self.tension_only or self.table is not None


@dataclass(frozen=True, eq=False)
class AngularBlock(SpringBlock):
    centre: np.ndarray
    rest_bend: np.ndarray         # rad, π − rest angle; signed where there is a normal
    yield_moment: np.ndarray | None
    normal: np.ndarray | None     # (m, 3) unit bend normals
    kind = "angular"

    @property
    def has_law(self):
        """Whether the bend of the springs needs a sign."""
        return self.drive is not None or self.yield_moment is not None or self.normal is not None


@dataclass(frozen=True, eq=False)
class ArticularBlock(SpringBlock):
    centre: np.ndarray
    end: np.ndarray
    rest_angle: np.ndarray        # rad, any number of turns
    yield_moment: np.ndarray | None
    kind = "articular"


@dataclass(frozen=True, eq=False)
class Force:
    """A virtual force or torque, vector × drive(t)."""
    name: str
    kind: str                     # "particle", "rigid" or "torque"
    target: int
    vector: np.ndarray            # (3,) N or N·m
    drive: Drive | None


class Reference(NamedTuple):
    """Particles, rigids or springs of one kind by index; kind "scene" means all there is.

    Kind "contact": a thing that touches and another one, −1 for all others, as they stand in `Scene.touching`.
    """
    kind: str                     # "particle", "rigid", "linear", "angular", "articular", "contact" or "scene"
    indices: np.ndarray           # (m,) int32


@dataclass(frozen=True, eq=False)
class Sensor:
    """A named quantity over time."""
    name: str
    quantity: str
    of: Reference


@dataclass(frozen=True, eq=False)
class Rod:
    """Handle of a chain: particles from start to end, axial springs, bending springs (None without bending)."""
    name: str
    particles: np.ndarray
    linear: Springs
    angular: Springs | None


@dataclass(frozen=True, eq=False)
class Grid:
    """Handle of a cloth: particles (nu, nv), and its springs, None where switched off."""
    name: str
    particles: np.ndarray
    structural: Springs | None
    shear: Springs | None
    bending: Springs | None
