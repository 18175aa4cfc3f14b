"""What a scene holds: frozen blocks of arrays, and the handles that name them."""
from dataclasses import dataclass, field, make_dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.kernels.springs.table import IDENTITY, KINDS, START
from robotphi.scene.checks import AXES, frozen
from robotphi.scene.drive import Drive
from robotphi.scene.motion import Motion
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
    led: tuple = ()               # (Motion, (k,) rows within the block that follow it), …

    @cached_property
    def prescribed(self):
        """(m, 3) bool, axes that a support, a drive or a motion decides."""
        decided = self.support | np.array([axis in self.drive for axis in AXES])
        for _, rows in self.led:
            decided[rows] = True
        return frozen(decided)

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
    motion: Motion | None = None                # that it follows

    @property
    def prescribed(self):
        """(3,) bool, axes along which a support, a drive or a motion decides."""
        return self.support | np.array([self.motion is not None or axis in self.drive for axis in AXES])

    @property
    def turn_prescribed(self):
        """(3,) bool, world axes about which one of them decides."""
        return self.rotation_support | (self.motion is not None or "rotation" in self.drive)

    @property
    def is_prescribed(self):
        """Whether all that it does is prescribed."""
        return bool(self.prescribed.all() and self.turn_prescribed.all())


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
    friction: np.ndarray          # (k, 2) N·m or N, static and kinetic
    limits: np.ndarray            # (k, 2) rad or m, ±∞ where there is no stop
    restitution: np.ndarray       # (k,)
    at_child: np.ndarray          # (3,) m, the same point and axes as they are drawn on the child
    frame_child: np.ndarray
    rate_said: bool               # else the rate follows where loops ask for another
    size: float                   # m length of a rod, radius of a circle, else 0
    curve: np.ndarray | None      # (n, 3) m points of a curve fixed to the parent
    closed: bool                  # whether it goes on at its start
    assemble: float | None        # m by which it may be open as drawn; None: next to nothing
    drive: tuple                  # k Drives of the coordinates themselves, or None
    torque: tuple                 # k Drives of an effort, or None
    table: Table | None = None    # effort that resists, over the coordinate less `rest`

    def drives_by_label(self):
        """(label in the ledger, Drive) of all that moves it by a law of time."""
        names = [freedom.name for freedoms in JOINTS[self.kind].links or () for freedom in freedoms]
        return [(self.name if len(names) == 1 else f"{self.name}:{name}", drive)
                for name, *both in zip(names, self.drive, self.torque, strict=True) for drive in both if drive is not None]


class Relation(NamedTuple):
    """Σ factor × coordinate = value."""
    name: str
    terms: tuple                  # (name of a joint, its freedom, factor), …
    value: float


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
    target: int | np.ndarray      # (m,) of several particles, each of which is pushed
    vector: np.ndarray            # (3,) N or N·m, or (m, 3)
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
