"""Parts of objects: groups of springs, rigid parts and the checks of their arrays; surfaces that touch."""
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.scene.checks import first_true, frozen, number, refuse, word
from robotphi.scene.rigid import mass_properties

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


class Surface(NamedTuple):
    """One part of an object that touches."""
    name: str                     # of the polyhedron within the object
    facets: np.ndarray            # (k,) int32 facets of the object
    rigid: int                    # rigid part that carries all of it, −1: (also) free particles
    thickness: float | None       # m of a sheet, None for a closed polyhedron


def surfaces(where, thing, thickness=None):
    """(Surface, …) of an object, in the order of its polyhedra; all facets are one where it has none.

    What is carried by one rigid part is a rigid polyhedron and must be closed. What is not is a sheet where its thickness is
    known, from the notes that `sheet` leaves or from `thickness` for open surfaces and objects without cells; else a soft
    polyhedron. Parts of a soft body that are open where they meet make one polyhedron together.
    """
    if not len(thing.facets):
        refuse(where, "it has no facets, so nothing of it can touch",
               "give an object with a surface, or its particles a size with add_contact_balls")
    polyhedra = thing.polyhedra or {"surface": np.arange(len(thing.facets), dtype=np.int32)}
    found, loose, sheets = [], [], False
    for name, facets in polyhedra.items():
        if not len(facets):
            continue
        rows = thing.facets[facets]
        carried = np.unique(thing.rigid_of_particle[rows])
        noted = _noted_thickness(thing.notes, name)
        if len(carried) == 1 and carried[0] >= 0:
            _check_closed(where, name, rows)
            found.append(Surface(name, facets, int(carried[0]), None))
        elif noted is not None or (thickness is not None and not thing.cells):
            found.append(Surface(name, facets, -1, noted if thickness is None else thickness))
            sheets = True
        elif is_closed(rows):
            found.append(Surface(name, facets, -1, None))
        else:
            loose.append(len(found))
            found.append(Surface(name, facets, -1, None))
    for together in _touching_surfaces(thing, [found[place] for place in loose]):
        places = [loose[i] for i in together]
        whole = _united(where, thing, [found[place] for place in places], thickness)
        sheets |= whole.thickness is not None
        for place in places:
            found[place] = None
        found[places[0]] = whole
    if thickness is not None and not sheets:
        refuse(where, "contact_thickness is given, but it has no sheet", "leave it out: solids are as thick as they are")
    return tuple(surface for surface in found if surface is not None)


def is_closed(triangles):
    """Whether every edge of (t, 3) triangles is run as often one way as the other."""
    corners = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)]).astype(np.int64)
    count = int(corners.max()) + 1
    return np.array_equal(np.sort(corners[:, 0] * count + corners[:, 1]), np.sort(corners[:, 1] * count + corners[:, 0]))


def _noted_thickness(notes, name):
    """Thickness that `sheet` noted [m], of the part of a joined object whose name the polyhedron's begins with; else None."""
    for part, inner in notes.get("parts", {}).items() if isinstance(notes.get("parts"), dict) else ():
        if name.startswith(part + "."):
            return _noted_thickness(inner, name[len(part) + 1:])
    return notes.get("thickness")


def _check_closed(where, name, rows):
    if not is_closed(rows):
        refuse(where, f"the rigid polyhedron {name!r} is open",
               "close its surface with outward facets, or leave it out of the object's polyhedra")


def _touching_surfaces(thing, found):
    """Groups of surfaces that share particles, as lists of places in `found`, by their first."""
    if not found:
        return []
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    sizes = [3 * len(surface.facets) for surface in found]
    of_row = np.repeat(np.arange(len(found)), sizes)
    rows = np.concatenate([thing.facets[surface.facets].reshape(-1) for surface in found])
    count = len(found) + len(thing.position)
    graph = coo_matrix((np.ones(len(rows)), (of_row, len(found) + rows)), shape=(count, count))
    label = connected_components(graph, directed=False)[1][:len(found)]
    return [np.flatnonzero(label == one).tolist() for one in dict.fromkeys(label.tolist())]


def _united(where, thing, found, thickness):
    """One closed polyhedron of several open ones, or a sheet."""
    facets = np.unique(np.concatenate([surface.facets for surface in found])).astype(np.int32)
    name = " + ".join(surface.name for surface in found)
    if not is_closed(thing.facets[facets]) and thickness is None:
        refuse(where, f"its surface {name!r} is open and its thickness unknown", "give contact_thickness [m], or close it")
    return Surface(name, facets, -1, None if is_closed(thing.facets[facets]) else thickness)
