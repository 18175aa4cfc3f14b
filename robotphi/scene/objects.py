"""Objects: particles, springs, rigid parts and facets that belong together, ready to be put into a scene."""
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.scene.blocks import ParticleBlock
from robotphi.scene.checks import AXES, axes, first_true, frozen, refuse, word
from robotphi.scene.motion import as_motion
from robotphi.scene.object_parts import COLUMNS, RigidPart, SpringGroup, checked, combined, keep
from robotphi.scene.rigid import check_still, mass_properties

LIMITS = {name: law.fields[0].name for name, kind in KINDS.items() for law in kind.laws if law.name == "plastic"}
NEVER = 1e300  # N or N·m: the limit of a spring that stays elastic among others that yield


@dataclass(frozen=True, eq=False)
class Object:
    """What shapes and materials become: everything of one thing but its motion.

    Read-only arrays are shared, others copied; sizes and indices are checked here, values when the object is placed.

    Attributes:
        position: of the particles [m], (n, 3).
        mass: of the particles [kg], (n,); those of a rigid part share its mass so that its centre and inertia come out.
        springs: name → SpringGroup.
        rigids: RigidPart, …; each particle belongs to one at most.
        facets: (f, 3) int32 outward triangles of the surface, on particles.
        polyhedra: name → (k,) int32 facets that bound one initially convex (or single concave) part.
        regions: name → (k,) int32 particles.
        facet_regions: name → (k,) int32 facets.
        cells: kind → (c, corners) int32 volume cells on particles, as in `geometry.cells`; inner ones may follow the corners.
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

    def __post_init__(self):
        keep(self, "position", checked("object", "position", self.position, (None, 3), np.float64))
        count = len(self.position)
        keep(self, "mass", checked("object", "mass", self.mass, (count,), np.float64))
        if not count:
            refuse("object", "it has no particles", "give at least one")
        for what, bad, allowed in (("position", ~np.isfinite(self.position), "finite numbers"),
                                   ("mass", ~(self.mass >= 0.0) | np.isinf(self.mass), "finite masses >= 0")):
            if (row := first_true(bad)) is not None:
                refuse("object", f"{what} is {getattr(self, what)[row].tolist()}", f"give {allowed}", row)
        keep(self, "facets", checked("object", "facets", self.facets, (None, 3), np.int32, count))
        for what, limit, kind in (("polyhedra", len(self.facets), "facet"), ("regions", count, "particle"),
                                  ("facet_regions", len(self.facets), "facet")):
            keep(self, what, {name: checked("object", f"{what} {name!r}", rows, (None,), np.int32, limit, kind)
                               for name, rows in getattr(self, what).items()})
        keep(self, "cells", {kind: checked("object", f"cells {kind!r}", rows, (None, None), np.int32, count)
                              for kind, rows in self.cells.items()})
        for name, group in self.springs.items():
            if not isinstance(group, SpringGroup):
                refuse("object", f"springs {name!r} is {group!r:.60}", "give a SpringGroup")
            checked("object", f"springs {name!r}", group.particles, (None, None), np.int32, count)
        keep(self, "rigids", tuple(self.rigids))
        self._check_rigids()

    def __repr__(self):
        springs = ", ".join(f"{len(group)} {name}" for name, group in self.springs.items()) or "none"
        return (f"<Object: {len(self.position)} particles, {len(self.rigids)} rigid parts, {len(self.facets)} facets, "
                f"springs {springs}>")

    def _check_rigids(self):
        for part in self.rigids:
            if not isinstance(part, RigidPart):
                refuse("object", f"one of rigids is {part!r:.60}", "give RigidParts")
        owner, names = np.full(len(self.position), -1, np.int32), [part.name for part in self.rigids]
        for index, part in enumerate(self.rigids):
            rows = checked("object", f"rigid part {part.name!r}", part.particles, (None,), np.int32, len(owner))
            if names.index(part.name) != index:
                refuse("object", f"two rigid parts are called {part.name!r}", "give each a name of its own")
            if len(taken := rows[owner[rows] >= 0]) or len(np.unique(rows)) < len(rows):
                other = names[owner[taken[0]]] if len(taken) else part.name
                refuse("object", f"rigid part {part.name!r} has a particle that is in {other!r} already",
                       "let each particle belong to one rigid part at most, once")
            owner[rows] = index
        object.__setattr__(self, "_owner", frozen(owner))

    @property
    def rigid_of_particle(self):
        """(n,) int32 index of the rigid part of each particle, −1 for free ones."""
        return self._owner

    def region(self, name):
        """Particles of a region."""
        word("object", "region", name, tuple(self.regions))
        return self.regions[name]

    @cached_property
    def properties(self):
        """Mass [kg], centre [m] and inertia about it [kg·m²] of all free particles and rigid parts together."""
        free = self._owner < 0
        pieces = [(part.mass, part.centre, part.inertia) for part in self.rigids]
        mass, position = (self.mass, self.position) if free.all() else (self.mass[free], self.position[free])
        if mass.any():
            pieces.append(mass_properties(position, mass))
        return combined(pieces) if pieces else (0.0, self.position.mean(axis=0), np.zeros((3, 3)))


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


def place(scene, name, thing, velocity, spin, support, motion=None):
    """Put an object into a scene; see `Scene.add_object`."""
    where = f"object {name!r}"
    if not isinstance(thing, Object):
        refuse(where, f"it is {thing!r:.60}", "give what deformable(...), rigid(...) or sheet(...) returned")
    held, led = _held(where, thing, support), _led(where, thing, motion, support)
    _check_names(scene, where, name, thing)
    rest = isinstance(support, dict) or bool(led)   # held axes of some particles start still while the others move
    middle = thing.properties[1] if np.any(spin) else None
    start = scene.particle_count
    free = np.flatnonzero(thing.rigid_of_particle < 0)
    particles = np.full(len(thing.position), -1, np.int32)
    if len(free):
        rows = slice(None) if len(free) == len(particles) else free   # without rigid parts nothing is copied
        particles[rows] = _add_free(scene, where, f"{name}.particles" if thing.rigids else name, thing.position[rows],
                                    thing.mass[rows], velocity, spin, middle, held if held.ndim == 1 else held[rows], rest,
                                    _led_rows(led, free))
    rigids = []
    for part in thing.rigids:
        own, leader = _common(where, part, held), _leader(where, part, led)
        turning = np.array([own[1] | own[2], own[2] | own[0], own[0] | own[1]])   # what turns about x moves along y and z
        speed, turn = velocity if middle is None else velocity + np.cross(spin, part.centre - middle), spin
        if rest:
            speed, turn = np.where(own | (leader is not None), 0.0, speed), np.where(turning | (leader is not None), 0.0, spin)
        rigid = scene.add_rigid(f"{name}.{part.name}" if len(free) or len(thing.rigids) > 1 else name,
                                thing.position[part.particles], part.mass, inertia=part.inertia, centre=part.centre,
                                velocity=speed, spin=turn, support=_letters(own), rotation_support=_letters(turning),
                                motion=leader)
        particles[part.particles] = rigid.particles
        rigids.append(rigid)
    shift = start if len(free) == len(particles) else None
    springs = {label: _add_springs(scene, f"{name}.{label}", group, particles, shift)
               for label, group in thing.springs.items() if len(group)}
    return Placed(name, thing, frozen(particles), springs, tuple(rigids), frozen(particles[thing.facets]))


def _check_names(scene, where, name, thing):
    """Refuse names that are taken before anything is added, so that a refused object leaves nothing behind."""
    for label in (*thing.springs, *(part.name for part in thing.rigids), "particles"):
        if f"{name}.{label}" in scene.things:
            refuse(where, f"the name {name}.{label!s} is taken", "call the object, or the other thing, by another name")


def _add_free(scene, where, name, position, mass, velocity, spin, middle, held, rest, led):
    """Free particles as one block that shares the object's arrays; returns their indices in the scene."""
    scene._new_name("particles", name)
    speed = np.broadcast_to(velocity, position.shape) if middle is None else velocity + np.cross(spin, position - middle)
    held = np.broadcast_to(held, position.shape)
    block = ParticleBlock(name, scene.particle_count, position, speed, mass, frozen(held), led=led)
    if rest and (speed[:1].any() or middle is not None):
        speed = np.where(block.prescribed, 0.0, speed)
    if (bad := first_true((speed != 0.0) & held)) is not None:
        check_still(where, "velocity", speed[bad], held[bad], {}, bad)
    if (bad := first_true((mass == 0.0) & ~block.prescribed.all(axis=1))) is not None:
        refuse(where, f"a particle at {position[bad].tolist()} has no mass", "give it mass, or hold every axis of it", bad)
    return scene._keep_particles(replace(block, velocity=frozen(speed)))


def _add_springs(scene, name, group, particles, shift):
    """`shift`: what the object's own numbers of particles become larger by, None where they come in another order."""
    columns = {what: particles[column] if shift is None else column + np.int32(shift) if shift else column
               for what, column in zip(COLUMNS[group.kind], group.particles.T, strict=True)}
    more = {} if group.limit is None else {LIMITS[group.kind]: np.minimum(group.limit, NEVER)}
    if group.hardening is not None:
        more["hardening"] = group.hardening
    add = {"linear": scene.add_linear, "angular": scene.add_angular, "articular": scene.add_articular}[group.kind]
    return add(name, **columns, stiffness=group.stiffness, viscosity=group.viscosity, **more)


def _held(where, thing, support):
    """(3,) bool from a word for all particles, or (n, 3) bool from {region: word}; regions that overlap add up."""
    if isinstance(support, str):
        return axes(where, "support", support)
    if not isinstance(support, dict):
        refuse(where, f"support is {support!r:.60}", 'give axes for all such as "xyz", or {region: axes}')
    held = np.zeros((len(thing.position), 3), bool)
    for region, letters in support.items():
        held[thing.region(region)] |= axes(where, f"support of region {region!r}", letters)
    return held


def _led(where, thing, motion, support):
    """(Motion, particles of the object that follow it), …: all, or by regions."""
    if motion is None:
        return []
    given = motion if isinstance(motion, dict) else {None: motion}
    if not isinstance(motion, dict) and support:
        refuse(where, "it follows a motion and is supported as well", "leave the support out, or lead a region of it")
    found, taken = [], np.zeros(len(thing.position), bool)
    for region, one in given.items():
        rows = np.arange(len(thing.position)) if region is None else thing.region(region)
        as_motion(where, one)
        if taken[rows].any() or (isinstance(support, dict) and _held(where, thing, support)[rows].any()):
            refuse(where, f"region {region!r} shares particles with another one that is led or held",
                   "let each particle follow one thing")
        taken[rows] = True
        found.append((one, rows))
    return found


def _led_rows(led, free):
    """The same for the block of its free particles."""
    place = {int(row): n for n, row in enumerate(free)}
    own = [(motion, np.array([place[row] for row in rows.tolist() if row in place], np.int32)) for motion, rows in led]
    return tuple((motion, frozen(rows)) for motion, rows in own if len(rows))


def _leader(where, part, led):
    """The Motion of a rigid part, or None; it follows as a whole where any of its particles do."""
    found = [motion for motion, rows in led if np.isin(part.particles, rows).any()]
    if len(found) > 1:
        refuse(where, f"its rigid part {part.name!r} follows {len(found)} motions", "lead it by one")
    return found[0] if found else None


def _common(where, part, held):
    """(3,) bool, the axes held of a rigid part: those of all its particles that are held at all."""
    if held.ndim == 1:
        return held
    found = np.unique(held[part.particles], axis=0)
    found = found[found.any(axis=1)]
    if len(found) > 1:
        refuse(where, f"its rigid part {part.name!r} is held by {[_letters(row) for row in found]}",
               "hold all of a rigid part alike")
    return found[0] if len(found) else np.zeros(3, bool)


def _letters(held):
    return "".join(axis for axis, one in zip(AXES, held, strict=True) if one)
