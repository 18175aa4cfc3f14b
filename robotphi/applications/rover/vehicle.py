"""A rocker-bogie vehicle of six wheels, or of four without bogies: its dimensions, and how a scene is told of it.

A body hangs on two rockers; each has a wheel at its front and carries a bogie with two wheels behind, or one wheel. A
differential makes the body take the mean of the angles of both rockers: a bar on the body with a rod to each rocker, or a
relation of the two angles. All joints are exact and passive. Metres; x ahead, y to the left, z up from level ground; x is
counted from the rockers' pivots.
"""
from dataclasses import dataclass

import numpy as np

from robotphi.applications import sizes
from robotphi.applications.rover.wheel import WHEEL_CHECKS, add_round, axle_height, check_profile, rolling_radius
from robotphi.discretise import moved, rigid
from robotphi.geometry import shapes
from robotphi.scene.checks import number, refuse, vector, yes_or_no
from robotphi.scene.contact import ContactMaterial

SIDES = {"left": 1.0, "right": -1.0}
ENDS = ("front", "middle", "rear")
WHEELS = tuple(f"{side} {end}" for side in SIDES for end in ENDS)
DIFFERENTIALS = ("bar", "relation")
Y = (0.0, 1.0, 0.0)


@sizes.sizes_of("rocker-bogie")
class RockerBogie:
    """Dimensions of a rocker-bogie vehicle [m, kg]; the nominal ones load all wheels alike.

    Attributes:
        front, middle, rear: x of the axles; bogie: x of the pivots of the bogies, which are as high as the axles.
        bogies: whether there are any; else there is no middle wheel, and the rear one is on the rocker: four wheels.
        track: from the middle to the wheels; beside: from there to rockers and bogies.
        radius, width: of the wheels; wheels: "round", whose load does not depend on how far they have turned, or "polyhedron".
        profile: of round ones, radii evenly over the width, none above `radius`; straight where left out. sides: of polyhedra.
        pivot: height of the rockers' pivots; roof: of the bar of the differential; rod: x of the rods' ends on the rockers.
        differential: "bar", with two rods, or "relation", which has neither mass nor place.
        body: length, width and height; centre: of the body's mass, from the middle between the pivots; nose: x of its mark.
        body_mass, rocker_mass, bogie_mass, bar_mass, wheel_mass: of one each.
        thick: width and height of rockers, bogies and the bar.
    """
    front: float = 0.4
    middle: float = 0.0
    rear: float = -0.4
    bogie: float = -0.2
    track: float = 0.3
    beside: float = 0.22
    radius: float = 0.12
    width: float = 0.1
    wheels: str = "round"
    profile: tuple = ()
    sides: int = 24
    bogies: bool = True
    pivot: float = 0.3
    roof: float = 0.45
    rod: float = 0.2
    differential: str = "bar"
    body: tuple = (0.6, 0.3, 0.15)
    centre: tuple = (0.0, 0.0, 0.0)
    nose: float = 0.3
    body_mass: float = 22.0
    rocker_mass: float = 2.0
    bogie_mass: float = 1.0
    bar_mass: float = 1.0
    wheel_mass: float = 2.0
    thick: float = 0.03

    def __post_init__(self):
        where = "rocker-bogie"
        sizes.check_sizes(self, where, **dict.fromkeys(("front", "middle", "rear", "bogie", "rod", "nose"), number),
                          bogies=yes_or_no, differential=sizes.one_of(DIFFERENTIALS), body=sizes.row_of(3), centre=sizes.place,
                          **WHEEL_CHECKS)
        check_profile(where, self)
        if not self.bogies and not self.front > self.rear:
            refuse(where, f"front and rear are at {self.front:g} and {self.rear:g}", "the front is ahead of the rear")
        if self.bogies and not (self.front > self.bogie and self.middle > self.bogie > self.rear):
            refuse(where, f"front, middle, bogie and rear are at {self.front:g}, {self.middle:g}, {self.bogie:g} and "
                   f"{self.rear:g}", "the bogie's pivot lies between middle and rear and behind the front, x ahead")
        if self.differential == "bar" and (self.rod == 0.0 or self.roof <= self.pivot):
            refuse(where, f"a bar at {self.roof:g} with rods to x = {self.rod:g} turns no rocker",
                   'give a roof above the pivots and a rod that is not 0, or differential="relation"')

    @property
    def mass(self):
        """kg of all of it."""
        bar = self.bar_mass if self.differential == "bar" else 0.0
        beams = 2.0 * (self.rocker_mass + (self.bogie_mass if self.bogies else 0.0))
        return self.body_mass + bar + beams + len(self.wheel_names) * self.wheel_mass

    @property
    def wheel_names(self):
        """"left front" and so on."""
        return tuple(wheel for wheel in WHEELS if self.bogies or not wheel.endswith("middle"))

    @property
    def links(self):
        """Names of its things."""
        beams = [f"{side} {part}" for side in SIDES for part in ("rocker", "bogie")[:2 if self.bogies else 1]]
        bar = ["bar"] if self.differential == "bar" else []
        return ("body", *bar, *beams, *(f"{wheel} wheel" for wheel in self.wheel_names))

    @property
    def belly(self):
        """m above level ground, the underside of the body."""
        return self.pivot + self.centre[2] - 0.5 * self.body[2]

    @property
    def footprint(self):
        """m, length and width of what is above the ground between the wheels."""
        return self.body[:2]

    @property
    def nose_ahead(self):
        """m, x of the nose."""
        return self.nose

    @property
    def rolling_radius(self):
        """m for each radian."""
        return rolling_radius(self)

    def x_of(self, wheel):
        """x of the axle of a wheel such as "left front"."""
        return getattr(self, wheel.split()[1])


@dataclass(frozen=True)
class Vehicle:
    """A vehicle in a scene: names of its things.

    Attributes:
        dimensions: its RockerBogie or SoftChassis.
        name: in front of the names of all its things, "" for none.
        links, axles: name of a link or wheel → handle of its rigid or of its axle.
    """
    dimensions: object
    name: str
    links: dict
    axles: dict

    def called(self, name):
        return f"{self.name} {name}".strip()


def add_rover(scene, dimensions, tyre, at=(0.0, 0.0, 0.0), load_stiffness=None, name="", friction=0.0, viscosity=0.0,
              locked=False):
    """Put a rocker-bogie vehicle into a scene, heading along x; returns a `Vehicle`.

    Args:
        scene: with gravity downwards.
        dimensions: a RockerBogie.
        tyre: ContactMaterial of the wheels.
        at: the point on the ground under the middle between the rockers' pivots [m].
        load_stiffness: of the pair of tyre and ground [N/m³]: the wheels are drawn pressed in by their share of the weight;
            half that of the tyre unless told, as of a ground like it.
        name: goes in front of the names of things and joints.
        friction: dry friction of the axles [N·m]; viscosity: [N·m·s/rad].
        locked: whether the wheels are held by their axles.
    """
    sizes.of_kind("rover", "dimensions", dimensions, RockerBogie)
    sizes.of_kind("rover", "tyre", tyre, ContactMaterial)
    d, weight = dimensions, dimensions.mass * float(np.linalg.norm(scene.gravity))
    axle = axle_height(d, weight / len(d.wheel_names), load_stiffness or tyre.stiffness / 2.0)
    vehicle = Vehicle(d, name, {}, {})
    at = vector("rover", "at", at)

    def place(what, thing, contact=None, **where):
        placed = scene.add_object(vehicle.called(what), moved(thing, at), contact=contact, **where)
        vehicle.links[what] = placed.rigids[0]
        return placed

    def pivot(what, parent, child, point, **numbers):
        return scene.add_joint(vehicle.called(what), "revolute", vehicle.links[parent], vehicle.links[child],
                               at + point, axis=numbers.pop("axis", Y), **numbers)

    middle = np.array([0.0, 0.0, d.pivot])
    place("body", rigid(shapes.box(d.body, middle + d.centre), mass=d.body_mass, points={"nose": (d.nose, 0.0, d.pivot)}))
    for side, y in SIDES.items():
        beside = y * d.beside
        place(f"{side} rocker", _beam(d, d.bogie if d.bogies else d.rear, d.front, beside, axle, d.rocker_mass))
        pivot(f"{side} pivot", "body", f"{side} rocker", np.array([0.0, beside, d.pivot]))
        if d.bogies:
            place(f"{side} bogie", _beam(d, d.rear, d.middle, beside, axle, d.bogie_mass))
            pivot(f"{side} bogie pivot", f"{side} rocker", f"{side} bogie", np.array([d.bogie, beside, axle]))
        for wheel in (each for each in d.wheel_names if each.startswith(side)):
            centre = np.array([d.x_of(wheel), y * d.track, axle])
            vehicle.links[wheel] = add_round(scene, vehicle.called(f"{wheel} wheel"), d, at + centre, tyre,
                                             vehicle.called("wheels"))
            beam = "bogie" if d.bogies and not wheel.endswith("front") else "rocker"
            vehicle.axles[wheel] = pivot(f"{wheel} axle", f"{side} {beam}", wheel, centre, friction=friction,
                                         viscosity=viscosity, drive=0.0 if locked else None)
    _add_differential(scene, vehicle, at, place, pivot)
    for wheel in d.wheel_names:
        scene.add_sensor(vehicle.called(f"load of {wheel}"), "contact_force", vehicle.called(f"{wheel} wheel"))
    scene.add_sensor(vehicle.called("nose"), "pose", (vehicle.called("body"), "nose"))
    return vehicle


def _beam(d, back, ahead, beside, height, mass):
    size = (ahead - back, d.thick, d.thick)
    return rigid(shapes.box(size, (0.5 * (ahead + back), beside, height)), mass=mass)


def _add_differential(scene, vehicle, at, place, pivot):
    d = vehicle.dimensions
    if d.differential == "relation":
        scene.relate(vehicle.called("differential"), {vehicle.called(f"{side} pivot"): 1.0 for side in SIDES})
        return
    size, middle = (d.thick, 2.0 * d.beside, d.thick), np.array([0.0, 0.0, d.roof])
    ends = {side: np.array([0.0, y * d.beside, d.roof]) for side, y in SIDES.items()}
    place("bar", rigid(shapes.box(size, middle), mass=d.bar_mass))
    pivot("bar pivot", "body", "bar", middle, axis=(0.0, 0.0, 1.0))
    for side, end in ends.items():
        ahead = np.array([d.rod, end[1], d.roof])
        scene.add_joint(vehicle.called(f"{side} rod"), "rod", vehicle.links["bar"], vehicle.links[f"{side} rocker"],
                        (at + end, at + ahead))
