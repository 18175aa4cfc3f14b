"""Solid balls, capsules, cylinders and wheels: rigid primitives of exact inertia that can touch.

A shape with an axis is a row of `SHAPES`: mass properties, what contact estimates with, and the outline for pictures all follow
from it. Its forces on planes are in `kernels/contact/press/below.py`. A wheel has an outline of its own, straight between some
places along its axis.
"""
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse, vector
from robotphi.scene.contact import contact_material
from robotphi.scene.touching import TouchingRound, contact_group

SOLID_BALL = 0.4       # moment of inertia of a solid ball over m r²
LARGEST = 1e90         # m: the volume of what is larger is beyond the range of numbers


class RoundShape(NamedTuple):
    """A round shape with an axis; functions of the length of the axis and the radius [m]."""
    inertia: Callable    # volume [m³], moments of inertia per mass [m²] along and across the axis
    extent: Callable     # m, its whole length, what stands out beyond the ends of the axis included
    surface: Callable    # m²
    outline: Callable    # (radii, heights) [m] of its profile along the axis, from end to end, also given a number of rings


def _tube_inertia(length, radius, caps):
    """Volume [m³] and moments of inertia per mass [m²] of a cylinder with half balls of this volume on its ends.

    Cylinder: r²/2 and (3 r² + l²)/12. Hemisphere about the centre of its flat face: 2/5 r² about every axis, its centre of mass
    3/8 r away; moved by l/2 it has 2/5 r² + l²/4 + 3/8 l r across the axis.
    """
    tube = np.pi * radius ** 2 * length
    share = tube / (tube + caps)
    axial = share * radius ** 2 / 2 + (1.0 - share) * SOLID_BALL * radius ** 2
    across = (share * (3.0 * radius ** 2 + length ** 2) / 12
              + (1.0 - share) * (SOLID_BALL * radius ** 2 + length ** 2 / 4 + 0.375 * length * radius))
    return tube + caps, axial, across


def _capsule_outline(length, radius, rings):
    angle = np.linspace(0.0, np.pi / 2, rings + 1)
    radii, heights = radius * np.sin(angle), length / 2 + radius * np.cos(angle)
    return np.append(radii, radii[::-1]), np.append(-heights, heights[::-1])


SHAPES = {
    "capsule": RoundShape(lambda length, radius: _tube_inertia(length, radius, 4.0 / 3.0 * np.pi * radius ** 3),
                          lambda length, radius: length + 2.0 * radius,
                          lambda length, radius: 2.0 * np.pi * radius * (length + 2.0 * radius), _capsule_outline),
    "cylinder": RoundShape(lambda length, radius: _tube_inertia(length, radius, 0.0), lambda length, radius: length,
                           lambda length, radius: 2.0 * np.pi * radius * (length + radius),
                           lambda length, radius, rings: ([radius, radius], [-length / 2, length / 2])),
}


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
    return _touching(scene, rigid, "ball", rigid.particles[:1], radius, 0.0, contact, group)


def along_axis(scene, name, shape, start, end, radius, mass, density, contact, group, motion):
    """A solid of one of the `SHAPES`; see `Scene.add_capsule` and `Scene.add_cylinder`.

    Seven particles: the ends of the axis, its middle, and four on the surface around the middle.
    """
    where = scene._new_name(shape, name)
    _check(where, contact, group)
    start, end, radius = vector(where, "start", start), vector(where, "end", end), _radius(where, radius)
    length = number(where, "length", float(np.linalg.norm(end - start)), high=LARGEST)
    if not length > 0.0:
        refuse(where, "start and end of the axis coincide", "move them apart, or use add_ball")
    volume, axial, across = SHAPES[shape].inertia(length, radius)
    mass = _mass(where, mass, density, volume)
    points, inertia = _on_axis(start, end, (start + end) / 2, radius, axial, across)
    rigid = _on_centre(scene, name, points, 2, mass, None if mass is None else mass * inertia, motion)
    return _touching(scene, rigid, shape, rigid.particles[:2], radius, length, contact, group)


def wheel(scene, name, start, end, profile, mass, density, contact, group, motion):
    """A solid of revolution with an outline of its own; see `Scene.add_wheel`. Particles as of `along_axis`."""
    where = scene._new_name("wheel", name)
    _check(where, contact, group)
    start, end = vector(where, "start", start), vector(where, "end", end)
    length = number(where, "length", float(np.linalg.norm(end - start)), high=LARGEST)
    if not length > 0.0:
        refuse(where, "start and end of the axis coincide", "move them apart by the width of the wheel")
    profile = _profile(where, profile, length)
    volume, centre, axial, across = wheel_properties(profile)
    mass = _mass(where, mass, density, volume)
    middle = start + centre * (end - start) / length
    points, inertia = _on_axis(start, end, middle, float(np.interp(centre, *profile.T)), axial, across)
    rigid = _on_centre(scene, name, points, 2, mass, None if mass is None else mass * inertia, motion)
    return _touching(scene, rigid, "wheel", rigid.particles[:2], float(profile[:, 1].max()), length, contact, group, profile)


def _profile(where, profile, length):
    """(q, 2) m: places along the axis, from 0 to its length, and radii there."""
    profile = floats(where, "profile", profile)
    if profile.ndim < 2:   # radii, evenly over the width; or one
        profile = np.full(2, profile) if profile.ndim == 0 else profile
        profile = np.column_stack([np.linspace(0.0, length, len(profile)), profile])
    if profile.ndim != 2 or profile.shape[1] != 2 or len(profile) < 2:
        refuse(where, f"profile has shape {profile.shape}",
               "give a radius, radii evenly over the width, or (q, 2) rows of a place along the axis and the radius there")
    place, radius = profile.T
    if not (np.diff(place) > 0.0).all() or abs(place[0]) > 1e-9 * length or abs(place[-1] - length) > 1e-9 * length:
        refuse(where, f"places of the profile go from {place[0]:g} to {place[-1]:g} m",
               f"give places that grow from 0 to the width of {length:g} m")
    if not ((radius >= 0.0).all() and radius.max() > 0.0 and radius.max() < LARGEST):
        refuse(where, f"radii of the profile go from {radius.min():g} to {radius.max():g} m", "none is below 0, some above it")
    profile = profile.copy()
    profile[0, 0], profile[-1, 0] = 0.0, length
    return frozen(profile)


def wheel_properties(profile):
    """Volume [m³], place of the centre [m] and moments of inertia per mass [m²] along and across the axis, of an outline that
    is straight between its places: π ∫ r² s^k ds and ½ π ∫ r⁴ ds, by Gauss's nodes, which are exact for such polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    share = 0.5 * (nodes + 1.0)[:, None]
    (s0, r0), (s1, r1) = profile[:-1].T, profile[1:].T
    s, r, ds = s0 + share * (s1 - s0), r0 + share * (r1 - r0), 0.5 * weights[:, None] * (s1 - s0)
    volume = np.pi * (r ** 2 * ds).sum()
    centre = np.pi * (r ** 2 * s * ds).sum() / volume
    axial = 0.5 * np.pi * (r ** 4 * ds).sum() / volume
    return volume, centre, axial, 0.5 * axial + np.pi * (r ** 2 * (s - centre) ** 2 * ds).sum() / volume


def outline_of(thing, rings):
    """(radii, heights) [m] of what has an axis along it, heights from its middle, for pictures."""
    if thing.profile is not None:
        return thing.profile[:, 1], thing.profile[:, 0] - thing.length / 2
    return SHAPES[thing.shape].outline(thing.length, thing.radius, rings)


def extent_of(thing):
    """Its whole length along the axis [m]."""
    return thing.length if thing.profile is not None else SHAPES[thing.shape].extent(thing.length, thing.radius)


def surface_of(thing):
    """Its surface [m²]."""
    if thing.profile is None:
        return SHAPES[thing.shape].surface(thing.length, thing.radius)
    (s0, r0), (s1, r1) = thing.profile[:-1].T, thing.profile[1:].T
    return float(np.pi * ((r0 + r1) * np.hypot(s1 - s0, r1 - r0)).sum() + np.pi * (r0[0] ** 2 + r1[-1] ** 2))


def _radius(where, radius):
    return number(where, "radius", radius, above=0.0, high=LARGEST)


def _on_axis(start, end, middle, radius, axial, across):
    """Seven points: the ends of the axis, the centre, four around it; and the inertia per mass."""
    axis = (end - start) / np.linalg.norm(end - start)
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    v = np.cross(axis, u)
    points = np.stack([start, end, middle, middle + radius * u, middle + radius * v, middle - radius * u, middle - radius * v])
    turned = np.outer(axis, axis)
    return points, axial * turned + across * (np.eye(3) - turned)


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


def _touching(scene, rigid, shape, particles, radius, length, contact, group, profile=None):
    if contact is not None:
        scene._keep_touching(TouchingRound(rigid.name, contact, group, False, shape, frozen(particles), radius, length,
                                           rigid.index, profile))
    return rigid
