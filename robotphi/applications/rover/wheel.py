"""Wheels of vehicles, round ones with an outline and polyhedra: how far they roll in a turn, how deep a load presses them."""
from typing import NamedTuple

import numpy as np

from robotphi.applications.sizes import one_of, whole_from
from robotphi.discretise import moved, rigid, turned
from robotphi.geometry import shapes
from robotphi.scene.checks import floats, refuse

WHEEL_KINDS = ("round", "polyhedron")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
HALVINGS = 60


class Wheel(NamedTuple):
    """A wheel by itself; vehicles have these fields among theirs."""
    radius: float
    width: float
    wheel_mass: float
    wheels: str = "round"
    sides: int = 24
    profile: tuple = ()


def radii(where, what, value):
    """None, or two or more numbers above 0."""
    found = floats(where, what, value)
    if found.ndim != 1 or len(found) == 1 or not np.all(found > 0.0):
        refuse(where, f"{what} is {value!r}", "give two or more radii [m] evenly over the width, each > 0; or none")
    return tuple(found.tolist())


WHEEL_CHECKS = {"wheels": one_of(WHEEL_KINDS), "sides": whole_from(3), "profile": radii}   # of `check_sizes`


def check_profile(where, dimensions):
    """Refuse an outline that does not belong to its wheel."""
    d = dimensions
    if max(d.profile, default=0.0) > d.radius * (1.0 + 1e-12):
        refuse(where, f"profile is {d.profile}", "give two or more radii evenly over the width, none above the radius of "
               f"{d.radius:g} m; or none")
    if d.profile and d.wheels == "polyhedron":
        refuse(where, "wheels that are polyhedra have a profile", 'leave it out, or give wheels="round"')


def rolling_radius(dimensions):
    """m for each radian: of a polyhedron its girth over a turn."""
    if dimensions.wheels == "round":
        return max(dimensions.profile, default=dimensions.radius)
    return dimensions.radius * dimensions.sides / np.pi * np.sin(np.pi / dimensions.sides)


def axle_height(dimensions, load, stiffness):
    """Height of an axle over a plane that bears this load [N] by a pair of this stiffness λ [N/m³].

    A slice of a round wheel of radius r presses in 4/3 λ √(2 r) d^(3/2) for each metre of width, to first order in the depth d
    over r; a polyhedron on a side a with its two neighbours λ w (a d + d² cot(2π/n)).
    """
    d = dimensions
    if d.wheels == "round":
        radii = np.array(d.profile or (d.radius, d.radius))
        places = np.linspace(0.0, d.width, len(radii))
        share = 0.5 * (NODES + 1.0)[:, None]
        r = np.interp(places[:-1] + share * np.diff(places), places, radii)
        width = 0.5 * WEIGHTS[:, None] * np.diff(places)
        low, high = 0.5 * radii.max(), radii.max()
        for _ in range(HALVINGS):
            height = 0.5 * (low + high)
            pressed = stiffness * np.sum(4.0 / 3.0 * np.sqrt(2.0 * r) * np.maximum(r - height, 0.0) ** 1.5 * width)
            low, high = (height, high) if pressed > load else (low, height)
        return float(height)
    section = load / stiffness / d.width
    side, cot = 2.0 * d.radius * np.sin(np.pi / d.sides), 1.0 / np.tan(2.0 * np.pi / d.sides)
    return d.radius * np.cos(np.pi / d.sides) - 2.0 * section / (side + np.sqrt(side**2 + 4.0 * cot * section))


def add_round(scene, name, dimensions, centre, tyre, group=None):
    """A wheel about y into a scene, or a polyhedron that stands on a side; returns the handle of its rigid."""
    d = dimensions
    half = np.array([0.0, 0.5 * d.width, 0.0])
    if d.wheels == "round" and not d.profile:   # one whose outline is straight
        return scene.add_cylinder(name, centre - half, centre + half, d.radius, mass=d.wheel_mass, contact=tyre,
                                  contact_group=group)
    if d.wheels == "round":
        return scene.add_wheel(name, centre - half, centre + half, d.profile, mass=d.wheel_mass, contact=tyre,
                               contact_group=group)
    upright = rigid(shapes.cylinder(d.radius, d.width, d.sides), mass=d.wheel_mass)
    lying = turned(turned(upright, (0.0, 0.0, 1.0), np.pi / 2.0 - np.pi / d.sides), (1.0, 0.0, 0.0), -np.pi / 2.0)
    return scene.add_object(name, moved(lying, centre), contact=tyre, contact_group=group).rigids[0]
