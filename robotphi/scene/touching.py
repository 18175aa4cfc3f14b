"""What touches: objects, planes, height fields, balls, capsules and cylinders, as frozen descriptions."""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robotphi.scene.blocks import ParticleBlock, Rigid
from robotphi.scene.checks import floats, frozen, indices, number, numbers, refuse, vector, word
from robotphi.scene.contact import ContactMaterial, contact_material
from robotphi.scene.object_parts import surfaces
from robotphi.scene.objects import Object, Placed


@dataclass(frozen=True, eq=False)
class Touching:
    """What all that touches has in common."""
    name: str
    contact: ContactMaterial
    group: str | None             # contact group, for laws and exclusions of many things at once
    self_contact: bool            # whether its own parts may touch each other


@dataclass(frozen=True, eq=False)
class TouchingObject(Touching):
    """The polyhedra and sheets of an object."""
    placed: Placed
    surfaces: tuple               # Surface, …


@dataclass(frozen=True, eq=False)
class TouchingPlane(Touching):
    """The half space below a plane."""
    point: np.ndarray             # (3,) m, world frame, as the scene is described
    normal: np.ndarray            # (3,) unit, outward
    rigid: int                    # that carries it; −1: fixed in the world


@dataclass(frozen=True, eq=False)
class TouchingField(Touching):
    """All below a surface of heights over a grid."""
    heights: np.ndarray           # (nu, nv) m above the z of the origin
    spacing: np.ndarray           # (2,) m
    origin: np.ndarray            # (3,) m


@dataclass(frozen=True, eq=False)
class TouchingRound(Touching):
    """A solid ball, one of `rounds.SHAPES`, or a wheel, on a rigid."""
    shape: str                    # "ball", "capsule", "cylinder", "wheel"
    particles: np.ndarray         # (1,) centre or (2,) ends of the axis, int32
    radius: float                 # m, the largest
    length: float                 # m of the axis, 0 for a ball
    rigid: int
    profile: np.ndarray | None = None   # (q, 2) m of a wheel: place along its axis and radius there


@dataclass(frozen=True, eq=False)
class TouchingBalls(Touching):
    """Particles with a size."""
    particles: np.ndarray         # (m,) int32
    radius: np.ndarray            # (m,) m


class Between(NamedTuple):
    """What holds between two names, of things that touch or of contact groups."""
    first: str
    second: str
    contact: ContactMaterial | None   # the law; None: they never touch


def prepare_object(where, thing, contact, group, self_contact, thickness):
    """The surfaces of an object that is to touch, or None; refuses before anything is added."""
    if contact is None:
        for what, value in (("contact_group", group), ("contact_thickness", thickness), ("self_contact", self_contact or None)):
            if value is not None:
                refuse(where, f"{what} is given and contact is missing", "give contact=ContactMaterial(stiffness=…) as well")
        return None
    contact_material(where, contact)
    contact_group(where, group)
    if not isinstance(thing, Object):
        return ()   # it is refused where it is placed
    return surfaces(where, thing, None if thickness is None else number(where, "contact_thickness", thickness, above=0.0))


def contact_group(where, group):
    """A contact group at the door: a word or None."""
    if group is not None and (not isinstance(group, str) or not group or set(group) & set(":/")):
        refuse(where, f"contact_group is {group!r}", 'give a word without ":" and "/"')
    return group


def plane(scene, where, name, point, normal, contact, rigid, group):
    """A half space; see `Scene.add_plane`."""
    point, normal = vector(where, "point", point), vector(where, "normal", normal)
    largest = np.abs(normal).max()
    if not largest > 0.0:
        refuse(where, "normal is zero", "give the direction out of the half space, such as (0, 0, 1)")
    normal = normal / largest   # whose square is in the range of numbers
    size = np.linalg.norm(normal)
    return TouchingPlane(name, contact_material(where, contact), contact_group(where, group), False, point,
                         frozen(normal / size), -1 if rigid is None else carrier(scene, where, rigid))


def carrier(scene, where, rigid):
    """Index of a rigid from its handle, its name, or an object that is one rigid."""
    if isinstance(rigid, str):
        rigid = scene.objects[rigid] if rigid in scene.objects else scene.find(rigid, where)
    if isinstance(rigid, Placed) and len(rigid.rigids) == 1:
        rigid = rigid.rigids[0]
    if not isinstance(rigid, Rigid) or rigid.index >= len(scene.rigids) or scene.rigids[rigid.index] is not rigid:
        refuse(where, f"rigid is {rigid!r:.60}",
               "give a rigid of this scene, or its name; none for a plane that is fixed in the world")
    return rigid.index


def height_field(where, name, heights, spacing, origin, contact, group):
    """A surface of heights; see `Scene.add_height_field`."""
    heights = floats(where, "heights", heights)
    if heights.ndim != 2 or min(heights.shape) < 2:
        refuse(where, f"heights has shape {heights.shape}", "give an array (nu, nv) of at least 2 x 2")
    spacing = frozen(numbers(where, "spacing", spacing, 2, above=0.0).copy())
    return TouchingField(name, contact_material(where, contact), contact_group(where, group), False, frozen(heights),
                         spacing, vector(where, "origin", origin))


def balls(scene, where, name, particles, radius, contact, group, self_contact):
    """Particles with a size; see `Scene.add_contact_balls`."""
    if isinstance(particles, str):
        block = scene.find(particles, where)
        if not isinstance(block, ParticleBlock):
            refuse(where, f"{particles!r} is no block of particles", "give the name that add_particles was given, or indices")
        particles = block.indices
    particles = np.atleast_1d(indices(where, "particles", particles, scene.particle_count))
    if len(np.unique(particles)) < len(particles):
        refuse(where, "a particle is named twice", "name each particle once")
    radius = numbers(where, "radius", radius, len(particles), above=0.0)
    return TouchingBalls(name, contact_material(where, contact), contact_group(where, group), bool(self_contact),
                         frozen(particles), radius)


def between(scene, first, second, contact, law):
    """What holds between two names; see `Scene.set_contact` and `Scene.exclude_contact`."""
    where = f"contact of {first!r} and {second!r}"
    known = dict.fromkeys((*scene.touching, *(thing.group for thing in scene.touching.values() if thing.group)))
    for value in (first, second):
        word(where, "thing or contact group", value, tuple(known))
    return Between(first, second, contact_material(where, contact) if law else None)
