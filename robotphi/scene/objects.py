"""Objects: particles, springs, rigid parts and facets that belong together, ready to be put into a scene."""
from dataclasses import dataclass, field

import numpy as np

from robotphi.scene.checks import frozen, refuse, word

COLUMNS = {"linear": ("first", "second"), "angular": ("first", "centre", "second"),
           "articular": ("first", "centre", "end", "second")}
LIMITS = {"linear": "yield_force", "angular": "yield_moment", "articular": "yield_moment"}


@dataclass(frozen=True, eq=False)
class SpringGroup:
    """Springs of one kind within an object, at rest as the object is given; one entry a spring.

    Attributes:
        kind: "linear", "angular" or "articular".
        particles: (m, 2 | 3 | 4) int32 in the order of `COLUMNS[kind]`, counted within the object.
        stiffness: [N/m] or [N·m/rad], (m,).
        viscosity: [N·s/m] or [N·m·s/rad], (m,).
        limit: force [N] or moment [N·m] past which the rest value flows, (m,), or None.
        hardening: growth of the limit with the flow, (m,), or None.
    """
    kind: str
    particles: np.ndarray
    stiffness: np.ndarray
    viscosity: np.ndarray
    limit: np.ndarray | None = None
    hardening: np.ndarray | None = None

    def __len__(self):
        return len(self.particles)


@dataclass(frozen=True, eq=False)
class RigidPart:
    """Particles of an object that keep their distances: one rigid primitive."""
    name: str
    particles: np.ndarray         # (k,) int32 within the object
    mass: float                   # kg
    centre: np.ndarray            # (3,) m
    inertia: np.ndarray           # (3, 3) kg·m² about the centre, world axes


@dataclass(frozen=True, eq=False)
class Object:
    """What shapes and materials become: everything of one thing but its motion.

    Attributes:
        position: of the particles [m], (n, 3).
        mass: of the particles [kg], (n,); those of a rigid part share its mass so that its centre and inertia come out.
        springs: name → SpringGroup.
        rigids: RigidPart, …; each particle belongs to one at most.
        facets: (f, 3) int32 outward triangles of the surface, on particles.
        polyhedra: name → (k,) int32 facets that bound one initially convex (or single concave) part.
        regions: name → (k,) int32 particles.
        facet_regions: name → (k,) int32 facets.
        cells: kind → (c, corners) int32 volume cells on particles, as in `geometry.cells`.
        density: kind → (c,) kg/m³ of the cells.
        notes: plain JSON values for people: certificate, materials, what was reached.
    """
    position: np.ndarray
    mass: np.ndarray
    springs: dict = field(default_factory=dict)
    rigids: tuple = ()
    facets: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int32))
    polyhedra: dict = field(default_factory=dict)
    regions: dict = field(default_factory=dict)
    facet_regions: dict = field(default_factory=dict)
    cells: dict = field(default_factory=dict)
    density: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)

    def __repr__(self):
        springs = ", ".join(f"{len(group)} {name}" for name, group in self.springs.items()) or "none"
        return f"<Object: {len(self.position)} particles, {len(self.rigids)} rigid parts, {len(self.facets)} facets, springs {springs}>"

    def region(self, name):
        """Particles of a region."""
        word("object", "region", name, tuple(self.regions))
        return self.regions[name]


@dataclass(frozen=True, eq=False)
class Placed:
    """Handle of an object in a scene: what was an index within the object is one of the scene here."""
    name: str
    object: Object
    particles: np.ndarray         # (n,) int32
    springs: dict                 # name → Springs
    rigids: tuple                 # Rigid, …
    facets: np.ndarray            # (f, 3) int32 particles of the scene

    def region(self, name):
        """Particles of a region, as indices of the scene."""
        return self.particles[self.object.region(name)]


def place(scene, name, thing, velocity, spin, support):
    """Put an object into a scene; see `Scene.add_object`."""
    where = f"object {name!r}"
    if not isinstance(thing, Object):
        refuse(where, f"it is {thing!r:.60}", "give what deformable(...), rigid(...) or sheet(...) returned")
    count = len(thing.position)
    held = _held(where, thing, support)
    particles = np.full(count, -1, np.int32)
    middle = thing.mass @ thing.position / thing.mass.sum() if thing.mass.sum() > 0 else thing.position.mean(axis=0)
    inside = np.zeros(count, bool)
    for part in thing.rigids:
        inside[part.particles] = True
    free = np.flatnonzero(~inside)
    if len(free):
        words = held if isinstance(held, str) else held[free].tolist()
        speed = velocity if not np.any(spin) else velocity + np.cross(spin, thing.position[free] - middle)
        if np.any(spin) and not isinstance(words, str):
            speed = np.where([[axis in one for axis in "xyz"] for one in words], 0.0, speed)
        particles[free] = scene.add_particles(f"{name}.particles" if thing.rigids else name, thing.position[free],
                                              thing.mass[free], velocity=speed, support=words)
    rigids = []
    for part in thing.rigids:
        own = "" if isinstance(held, str) and not held else _common(where, part, held)
        rigid = scene.add_rigid(f"{name}.{part.name}" if len(free) or len(thing.rigids) > 1 else name,
                                thing.position[part.particles], part.mass, inertia=part.inertia, centre=part.centre,
                                velocity=np.zeros(3) if own else velocity + np.cross(spin, part.centre - middle),
                                spin=np.zeros(3) if own else spin, support=own, rotation_support=own)
        particles[part.particles] = rigid.particles
        rigids.append(rigid)
    springs = {label: _add_springs(scene, f"{name}.{label}", group, particles) for label, group in thing.springs.items()}
    return Placed(name, thing, frozen(particles), springs, tuple(rigids), frozen(particles[thing.facets]))


def _add_springs(scene, name, group, particles):
    columns = {what: particles[group.particles[:, i]] for i, what in enumerate(COLUMNS[group.kind])}
    more = {} if group.limit is None else {LIMITS[group.kind]: group.limit}
    if group.hardening is not None:
        more["hardening"] = group.hardening
    add = {"linear": scene.add_linear, "angular": scene.add_angular, "articular": scene.add_articular}[group.kind]
    return add(name, **columns, stiffness=group.stiffness, viscosity=group.viscosity, **more)


def _held(where, thing, support):
    """One word for all particles, or (n,) words, from a word or {region or indices: word}."""
    if isinstance(support, str):
        return support
    held = np.full(len(thing.position), "", dtype="<U3")
    for region, axes in dict(support).items():
        held[thing.region(region)] = axes
    return held


def _common(where, part, held):
    """The axes held of a rigid part: those of all its particles that are held at all."""
    if isinstance(held, str):
        return held
    words = {one for one in held[part.particles].tolist() if one}
    if len(words) > 1:
        refuse(where, f"its rigid part {part.name!r} is held by {sorted(words)}", "hold all of a rigid part alike")
    return words.pop() if words else ""
