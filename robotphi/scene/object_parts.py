"""Parts of objects: groups of springs and rigid parts, and the checks of their arrays."""
from dataclasses import dataclass, replace

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.scene.checks import first_true, frozen, number, refuse, word
from robotphi.scene.inertia import mass_properties

COLUMNS = {name: kind.ends for name, kind in KINDS.items()}


@dataclass(frozen=True, eq=False)
class SpringGroup:
    """Springs of one kind within an object, at rest as the object is given; one entry a spring.

    Attributes:
        kind: "linear", "angular" or "articular".
        particles: (m, 2 | 3 | 4) int32 in the order of `COLUMNS[kind]`, counted within the object.
        stiffness: [N/m] or [N·m/rad], (m,).
        viscosity: [N·s/m] or [N·m·s/rad], (m,).
        limit: force [N] or moment [N·m] past which the rest value flows, (m,), inf where it never does, or None.
        hardening: growth of the limit with the flow, (m,), or None.
    """
    kind: str
    particles: np.ndarray
    stiffness: np.ndarray
    viscosity: np.ndarray
    limit: np.ndarray | None = None
    hardening: np.ndarray | None = None

    def __post_init__(self):
        where = f"{word('spring group', 'kind', self.kind, tuple(COLUMNS))} spring group"
        keep(self, "particles", checked(where, "particles", self.particles, (None, len(COLUMNS[self.kind])), np.int32))
        for what in ("stiffness", "viscosity", "limit", "hardening"):
            if getattr(self, what) is not None or what in ("stiffness", "viscosity"):
                keep(self, what, checked(where, what, getattr(self, what), (len(self),), np.float64))

    def __len__(self):
        return len(self.particles)


@dataclass(frozen=True, eq=False)
class RigidPart:
    """Particles of an object that keep their distances: one rigid primitive.

    Where deformable parts were joined to it, mass, centre and inertia hold what they gave to its particles; `taken` tells how
    much of the mass of each particle that is.
    """
    name: str
    particles: np.ndarray         # (k,) int32 within the object
    mass: float                   # kg
    centre: np.ndarray            # (3,) m
    inertia: np.ndarray           # (3, 3) kg·m² about the centre, world axes
    taken: np.ndarray | None = None   # (k,) kg

    def __post_init__(self):
        where = f"rigid part {self.name!r}"
        number(where, "mass", self.mass, above=0.0)
        keep(self, "particles", checked(where, "particles", self.particles, (None,), np.int32))
        keep(self, "centre", checked(where, "centre", self.centre, (3,), np.float64))
        keep(self, "inertia", checked(where, "inertia", self.inertia, (3, 3), np.float64))
        if self.taken is not None:
            keep(self, "taken", checked(where, "taken", self.taken, (len(self.particles),), np.float64))

    def own(self, position):
        """The part without the mass that deformable parts gave to its particles; `position` is that of the object."""
        if self.taken is None or not self.taken.any():
            return self
        mass, centre, inertia = combined([(self.mass, self.centre, self.inertia),
                                          mass_properties(position[self.particles], -self.taken)])
        return replace(self, mass=mass, centre=centre, inertia=inertia, taken=None)


def combined(pieces):
    """Mass, centre and inertia about it of several (mass, centre, inertia): I = Σ I_i + m_i (|r_i|² 1 − r_i r_iᵀ)."""
    masses, centres = np.array([piece[0] for piece in pieces]), np.array([piece[1] for piece in pieces])
    mass, centre, between = mass_properties(centres, masses)
    return mass, centre, between + sum(piece[2] for piece in pieces)


def keep(thing, what, value):
    object.__setattr__(thing, what, value)


def checked(where, what, value, shape, dtype, count=None, kind="particle"):
    """A read-only array of this shape (None: any length); its entries number things, of which there are `count`.

    Arrays that nobody can write to are shared, others copied.
    """
    array = np.asarray(value)
    if array.size == 0 and len(shape) == array.ndim == 1:
        array = array.astype(dtype)
    whole = dtype is np.int32
    if array.dtype.kind not in ("iu" if whole else "iuf") or array.ndim != len(shape) or any(
            want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        refuse(where, f"{what} is an array of shape {array.shape} and type {array.dtype}",
               f"give {'whole ' if whole else ''}numbers of shape ({wanted})")
    if count is not None and array.size and not (array.min() >= 0 and array.max() < count):
        row = first_true((array < 0) | (array >= count))
        allowed = f"use 0 to {count - 1}" if count else f"there is no {kind}"
        refuse(where, f"{what} names {kind} {array[row].tolist()}", allowed, row)
    owner = array.base if isinstance(array.base, np.ndarray) else array
    return frozen(array.astype(dtype, copy=array.flags.writeable or owner.flags.writeable))
