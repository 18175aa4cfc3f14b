"""Solid balls, capsules and cylinders: rigid primitives of exact inertia that can touch."""
import numpy as np

from robotphi.scene.checks import frozen, number, refuse, vector
from robotphi.scene.contact import contact_material
from robotphi.scene.touching import TouchingRound, contact_group

SOLID_BALL = 0.4       # moment of inertia of a solid ball over m r²
LARGEST = 1e90         # m: the volume of what is larger is beyond the range of numbers


def ball(scene, name, position, radius, mass, density, contact, group, motion):
    """A solid ball on seven particles; see `Scene.add_ball`.

    The whole mass stands on the centre; the six particles around it show where it has turned to, and the inertia is given.
    """
    where = scene._new_name("ball", name)
    _check(where, contact, group)
    centre, radius = vector(where, "position", position), _radius(where, radius)
    mass = _mass(where, mass, density, 4.0 / 3.0 * np.pi * radius ** 3)
    arms = radius * np.concatenate([np.eye(3), -np.eye(3)])
    inertia = None if mass is None else np.full(3, SOLID_BALL * mass * radius ** 2)
    rigid = _on_centre(scene, name, np.concatenate([centre[None], centre + arms]), 0, mass, inertia, motion)
    return _touching(scene, rigid, "sphere", rigid.particles[:1], radius, 0.0, contact, group)


def along_axis(scene, name, shape, start, end, radius, mass, density, contact, group, motion):
    """A solid capsule or cylinder; see `Scene.add_capsule` and `Scene.add_cylinder`.

    Seven particles: the ends of the axis, its middle, and four on the surface around the middle.
    """
    where = scene._new_name(shape, name)
    _check(where, contact, group)
    start, end, radius = vector(where, "start", start), vector(where, "end", end), _radius(where, radius)
    length = number(where, "length", float(np.linalg.norm(end - start)), high=LARGEST)
    if not length > 0.0:
        refuse(where, "start and end of the axis coincide", "move them apart, or use add_ball")
    volume, axial, across = _unit_mass_inertia(shape, length, radius)
    mass = _mass(where, mass, density, volume)
    axis = (end - start) / length
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    middle = (start + end) / 2
    points = np.stack([start, end, middle, middle + radius * u, middle + radius * v, middle - radius * u, middle - radius * v])
    turned = np.outer(axis, axis)
    inertia = None if mass is None else mass * (axial * turned + across * (np.eye(3) - turned))
    rigid = _on_centre(scene, name, points, 2, mass, inertia, motion)
    return _touching(scene, rigid, shape, rigid.particles[:2], radius, length, contact, group)


def _unit_mass_inertia(shape, length, radius):
    """Volume [m³] and moments of inertia per mass [m²] along and across the axis.

    Cylinder: r²/2 and (3 r² + l²)/12. Hemisphere about the centre of its flat face: 2/5 r² about every axis, its centre of mass
    3/8 r away; moved by l/2 it has 2/5 r² + l²/4 + 3/8 l r across the axis.
    """
    tube, caps = np.pi * radius ** 2 * length, 4.0 / 3.0 * np.pi * radius ** 3 if shape == "capsule" else 0.0
    share = tube / (tube + caps)
    axial = share * radius ** 2 / 2 + (1.0 - share) * SOLID_BALL * radius ** 2
    across = (share * (3.0 * radius ** 2 + length ** 2) / 12
              + (1.0 - share) * (SOLID_BALL * radius ** 2 + length ** 2 / 4 + 0.375 * length * radius))
    return tube + caps, axial, across


def _radius(where, radius):
    return number(where, "radius", radius, above=0.0, high=LARGEST)


def _mass(where, mass, density, volume):
    """Mass [kg] from either; None where neither is given, which a rigid that is held all round does without."""
    if mass is not None and density is not None:
        refuse(where, "mass and density are both given", "give one of them")
    if density is not None:
        return number(where, "density", density, above=0.0) * volume
    return None if mass is None else number(where, "mass", mass, above=0.0)


def _on_centre(scene, name, points, middle, mass, inertia, motion):
    masses = None if mass is None else np.where(np.arange(len(points)) == middle, mass, 0.0)
    return scene.add_rigid(name, points, masses, inertia=inertia, centre=points[middle], **motion)


def _check(where, contact, group):
    """Refuse before anything is added; a rigid without contact has no group."""
    if contact is not None:
        contact_material(where, contact)
        contact_group(where, group)
    elif group is not None:
        refuse(where, "contact_group is given and contact is missing", "give contact=ContactMaterial(stiffness=…) as well")


def _touching(scene, rigid, shape, particles, radius, length, contact, group):
    if contact is not None:
        scene._keep_touching(TouchingRound(rigid.name, contact, group, False, shape, frozen(particles), radius, length,
                                           rigid.index))
    return rigid
