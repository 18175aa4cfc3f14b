"""What a scene holds: frozen blocks of arrays, and the handles that name them."""
from dataclasses import dataclass, field, make_dataclass
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.springs.table import IDENTITY, KINDS, START
from robotphi.scene.drive import Drive


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
class Joint:
    """An exact joint, and the handle of it: what the child does on the parent is said by its coordinates alone.

    Numbers of freedoms are in the order of `kernels/mechanism/kinds.py`.
    """
    name: str
    kind: str
    parent: Rigid | None          # None: the world
    child: Rigid
    at: np.ndarray                # (3,) m
    frame: np.ndarray             # (3, 3) its columns are the axes of the joint, x along the one given
    pitch: float                  # m/rad of a screw, else 0
    place: np.ndarray             # (k,) coordinates of what is drawn
    rate: np.ndarray              # (k,) at the start
    armature: np.ndarray          # (k,) kg·m² or kg
    stiffness: np.ndarray         # (k,) N·m/rad or N/m
    rest: np.ndarray              # (k,) rad or m
    viscosity: np.ndarray         # (k,) N·m·s/rad or N·s/m
    drive: Drive | None = None    # of its one coordinate


@dataclass(frozen=True, eq=False)
class SpringJoint:
    """A joint that springs hold, and the handle of it; it parts by some gap."""
    name: str
    kind: str
    parent: Rigid | None          # None: the world
    child: Rigid
    at: np.ndarray                # (3,) m
    frame: np.ndarray             # (3, 3) its columns are the axes of the joint, x along the one given
    place: np.ndarray             # (k,) coordinates of what is drawn
    holding: tuple                # Springs that hold it together
    axis: Any                     # Springs on its coordinate, or None
    stiffness: float              # N/m of each spring that holds it, of angular ones as if across
    load: float                   # N that it is made for
    drive = None                  # of its springs, if any


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
    """Springs added together; what they have stands in `kernels/springs/table.py`, one entry a spring.

    Of a law that was not given its first field is None (False for tension_only); `drive` and `table` are one for all.
    """
    name: str
    start: int

    @property
    def count(self):
        return len(self.first)

    @property
    def indices(self):
        return np.arange(self.start, self.start + self.count, dtype=np.int32)

    @property
    def has_law(self):
        """Whether the springs need more than stiffness, viscosity and rest value."""
        return KINDS[self.kind].has_law(lambda name: getattr(self, name))


def _block(kind):
    """The class of blocks of a kind of springs."""
    fields = [field.name for field in kind.fields(kind.own) if field not in (START, IDENTITY)]
    made = make_dataclass(f"{kind.name.capitalize()}Block", [(name, Any) for name in fields], bases=(SpringBlock,),
                          namespace={"kind": kind.name}, frozen=True, eq=False)
    made.__module__ = __name__
    return made


BLOCKS = {name: _block(kind) for name, kind in KINDS.items()}


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

    Kind "contact": a thing that touches and another one, −1 for all others, as they stand in `Scene.touching`; kind "joint": a
    joint and its freedom, −1 for all of them, as they stand in `Scene.joints`; "spring joint" likewise.
    """
    kind: str                     # "particle", "rigid", a kind of springs, "contact", "joint", "spring joint" or "scene"
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
