"""A vehicle with a soft chassis: a plate that bends and twists as the ground asks, and six wheels on hubs glued under it.

Metres; x ahead, y to the left, z up from level ground; x is counted from the middle of the plate.
"""

import numpy as np

from robotphi.applications.rover.vehicle import SIDES, WHEELS, Vehicle
from robotphi.applications.rover.wheel import WHEEL_CHECKS, add_round, axle_height, check_profile, rolling_radius
from robotphi.applications.sizes import check_sizes, of_kind, row_of, sizes_of, some
from robotphi.discretise import Material, deformable, discretise, glue, moved, name_region, nearest, rigid
from robotphi.geometry import shapes
from robotphi.scene.checks import number, refuse, vector, whole
from robotphi.scene.contact import ContactMaterial


def three_whole(where, what, value):
    """Three whole numbers from 1 on."""
    if np.shape(value) != (3,):
        refuse(where, f"{what} is {value!r}", "give three whole numbers")
    return tuple(whole(where, what, each) for each in value)


@sizes_of("soft chassis")
class SoftChassis:
    """Dimensions of a vehicle with a soft chassis [m, kg].

    Attributes:
        front, middle, rear: x of the axles; track: from the middle to the wheels; beside: to the hubs.
        radius, width, wheels, profile, sides: of the wheels, as of a RockerBogie.
        plate: length, width and thickness; cells: of it along these. Three by three corners of cells, at least two by two, lie
            on a hub, else the hub would turn on them.
        hub: length and width of a hub, and its height, half of it above the axle.
        young: modulus of the plate [Pa]; density: of it [kg/m³]; damping_ratio: share of critical damping at
            `damping_frequency` [Hz].
        hub_mass, wheel_mass: of one each.
    """
    front: float = 0.4
    middle: float = 0.0
    rear: float = -0.4
    track: float = 0.32
    beside: float = 0.16
    radius: float = 0.12
    width: float = 0.1
    wheels: str = "round"
    profile: tuple = ()
    sides: int = 24
    plate: tuple = (0.96, 0.48, 0.06)
    cells: tuple = (12, 6, 1)
    hub: tuple = (0.16, 0.16, 0.06)
    young: float = 1e6
    density: float = 700.0
    damping_ratio: float = 0.02
    damping_frequency: float = 5.0
    hub_mass: float = 1.0
    wheel_mass: float = 2.0

    def __post_init__(self):
        check_sizes(self, "soft chassis", **dict.fromkeys(("front", "middle", "rear"), number), plate=row_of(3), hub=row_of(3),
                    cells=three_whole, damping_ratio=some, **WHEEL_CHECKS)
        check_profile("soft chassis", self)
        if not self.front > self.middle > self.rear:
            refuse("soft chassis", f"front, middle and rear are at {self.front:g}, {self.middle:g} and {self.rear:g}",
                   "x is ahead: the front is ahead of the middle, the rear behind it")

    @property
    def wheel_names(self):
        """"left front" and so on."""
        return WHEELS

    @property
    def links(self):
        """Names of its things."""
        return ("body", *(f"{wheel} wheel" for wheel in WHEELS))

    @property
    def mass(self):
        """kg of all of it."""
        return self.density * float(np.prod(self.plate)) + 6.0 * (self.hub_mass + self.wheel_mass)

    @property
    def belly(self):
        """m above level ground, the underside of the plate."""
        return self.radius + 0.5 * self.hub[2]

    @property
    def footprint(self):
        """m, length and width of the plate."""
        return self.plate[:2]

    @property
    def nose_ahead(self):
        """m, x of the nose."""
        return 0.5 * self.plate[0]

    @property
    def rolling_radius(self):
        """m for each radian."""
        return rolling_radius(self)

    def x_of(self, wheel):
        """x of the axle of a wheel such as "left front"."""
        return getattr(self, wheel.split()[1])


def add_soft_rover(scene, dimensions, tyre, at=(0.0, 0.0, 0.0), load_stiffness=None, name="", friction=0.0, viscosity=0.0):
    """Put a vehicle with a soft chassis into a scene, heading along x; returns a `Vehicle`. Arguments as of `add_rover`."""
    of_kind("soft rover", "dimensions", dimensions, SoftChassis)
    of_kind("soft rover", "tyre", tyre, ContactMaterial)
    d, weight = dimensions, dimensions.mass * float(np.linalg.norm(scene.gravity))
    axle = axle_height(d, weight / 6.0, load_stiffness or tyre.stiffness / 2.0)
    vehicle, at = Vehicle(d, name, {}, {}), vector("soft rover", "at", at)
    bottom = axle + 0.5 * d.hub[2]
    plate = deformable(discretise(shapes.box(d.plate, (0.0, 0.0, bottom + 0.5 * d.plate[2])), counts=d.cells),
                       Material(young=d.young, density=d.density, damping_ratio=d.damping_ratio,
                                damping_frequency=d.damping_frequency))
    nose = nearest(plate, (0.5 * d.plate[0], 0.0, bottom))
    places = {wheel: np.array([d.x_of(wheel), SIDES[wheel.split()[0]] * d.beside, axle]) for wheel in WHEELS}
    hubs = {wheel: rigid(shapes.box(d.hub, place), mass=d.hub_mass, name=wheel) for wheel, place in places.items()}
    glued = glue({"plate": name_region(plate, "nose", [nose]), **hubs})
    body = scene.add_object(vehicle.called("body"), moved(name_region(glued, "nose", glued.regions["plate.nose"]), at))
    for wheel, hub in zip(WHEELS, body.rigids, strict=True):
        vehicle.links[f"{wheel} hub"] = hub
        centre = at + np.array([d.x_of(wheel), SIDES[wheel.split()[0]] * d.track, axle])
        vehicle.links[wheel] = add_round(scene, vehicle.called(f"{wheel} wheel"), d, centre, tyre, vehicle.called("wheels"))
        vehicle.axles[wheel] = scene.add_joint(vehicle.called(f"{wheel} axle"), "revolute", hub, vehicle.links[wheel], centre,
                                               axis=(0.0, 1.0, 0.0), friction=friction, viscosity=viscosity)
        scene.add_sensor(vehicle.called(f"load of {wheel}"), "contact_force", vehicle.called(f"{wheel} wheel"))
    scene.add_sensor(vehicle.called("nose"), "position", (vehicle.called("body"), "nose"))
    return vehicle
