"""A course for vehicles: level ground with a step across, then hills with boulders that lie fast and loose stones."""
from dataclasses import dataclass

import numpy as np

from robotphi import Scene, Stepping
from robotphi.applications.rover.ground import Ground, add_boulders, add_step, hills, standing_height
from robotphi.applications.rover.guide import draw_along, path_over
from robotphi.applications.rover.soft import SoftChassis, add_soft_rover
from robotphi.applications.rover.steer import steer_along
from robotphi.applications.rover.vehicle import RockerBogie, add_rover
from robotphi.scene.checks import floats, refuse, word

VEHICLES = {"six": RockerBogie(), "four": RockerBogie(bogies=False), "soft": SoftChassis()}
DRIVES = ("guide", "motors")
LEVEL = 1.5           # m, x up to which hills are level
FIRST = (-1.03, -1.03)     # m, of hills: neither axles nor sides of wheels are exactly over a line of the grid at the start
# x and y of middles [m], most of them in the way of the wheels of one side
BOULDERS = ((1.9, 0.35), (2.0, -0.3), (2.3, 0.45), (2.45, -0.2), (2.6, 0.5), (2.9, -0.1), (3.1, 0.6), (3.3, 0.0), (3.55, 0.6),
            (3.7, -0.05))
STONES = ((1.8, 0.3), (2.15, -0.25), (2.5, 0.4), (2.7, -0.15), (2.95, 0.5), (3.15, -0.05), (3.4, 0.55), (3.55, 0.0))


@dataclass(frozen=True, eq=False)
class Course:
    """What vehicles go over, heading along x from 0 on.

    Attributes:
        ground: a Ground; the vehicle is put down level on it, at x = y = 0.
        points: (n, 2) x and y of the path [m], within the ground.
        step: x of its front, height, and depth along x [m]; empty for none.
        boulders, stones: (n, 2) x and y of those that lie fast, half of each above the ground, and of loose ones, such as
            STONES [m]; their sizes across [m].
        density: of the stones [kg/m³]; seed: of their shapes.
    """
    ground: Ground
    points: tuple = ((0.3, 0.0), (1.6, 0.0), (2.2, 0.08), (2.8, 0.2), (3.4, 0.28), (4.0, 0.3))
    step: tuple = (0.8, 0.03, 0.4)
    boulders: tuple = BOULDERS
    boulder_size: float = 0.12
    stones: tuple = ()
    stone_size: float = 0.06
    density: float = 2600.0
    seed: int = 1

    def __post_init__(self):
        points = floats("course", "points", self.points)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            refuse("course", f"points has shape {points.shape}", "give two or more rows of x and y")
        low, high = self.ground.ends
        beyond = np.any((points < low) | (points > high), axis=1)
        if beyond.any():
            refuse("course", "its path goes to x = {:g} m, y = {:g} m".format(*points[beyond.argmax()]),
                   f"there is ground from x = {low[0]:g} to {high[0]:g} m and y = {low[1]:g} to {high[1]:g} m: give another "
                   "path or a larger ground")

    @property
    def path(self):
        """The Path over the ground."""
        return path_over(self.ground, self.points)

    @property
    def things(self):
        """Names of what lies on the ground, fast or loose."""
        lie = (("boulder", self.boulders), ("stone", self.stones))
        return (*(("step",) if self.step else ()), *(f"{name} {k + 1}" for name, rows in lie for k in range(len(rows))))

    def add_to(self, scene, tyre):
        """Put ground and all that is on it into a scene; `tyre`: its ContactMaterial."""
        self.ground.add_to(scene, tyre)
        if self.step:
            x, height, depth = self.step
            below = float(self.ground.height(x + 0.5 * depth, 0.0))
            add_step(scene, "step", x, height, tyre, depth, width=2.0, level=below)
        if len(self.boulders):
            add_boulders(scene, "boulder", self.seed, self.boulders, self.boulder_size, tyre, self.ground)
        if len(self.stones):
            add_boulders(scene, "stone", self.seed + 1, self.stones, self.stone_size, tyre, self.ground, self.density)


def rough_course(ground=None, seed=1, height=0.1, spacing=0.1, **more):
    """The `Course` over a Ground, or over hills that follow from a seed, so high [m]; `more`: its other fields."""
    if ground is None:
        ground = hills(seed, (6.2, 2.5), spacing, height, 0.8, FIRST).levelled(LEVEL)
    return Course(ground, **{"seed": seed} | more)


def add_vehicle(scene, dimensions, tyre, **more):
    """A vehicle on rockers or with a soft chassis, by what its dimensions are; returns a `Vehicle`."""
    add = add_soft_rover if isinstance(dimensions, SoftChassis) else add_rover
    return add(scene, dimensions, tyre, **more)


def course_scene(dimensions, course, tyre, drive="motors", speed=0.25, duration=22.0, frames=440, budget=1e-3, gravity=9.81):
    """The Scene of a vehicle on a course, with loads of its wheels as sensors.

    Args:
        drive: "motors" in all wheels that steer it along the path, or "guide", a virtual force that draws its nose along.
        speed: of rims or goal [m/s].
    """
    word("course", "drive", drive, DRIVES)
    scene = Scene("rover", duration=duration, frames=frames, gravity=(0.0, 0.0, -gravity), stepping=Stepping(budget=budget))
    course.add_to(scene, tyre)
    vehicle = add_vehicle(scene, dimensions, tyre, at=(0.0, 0.0, standing_height(course.ground, dimensions)))
    go = steer_along if drive == "motors" else draw_along
    go(scene, vehicle, course.path, speed)
    return scene


def left_to_go(report, course, drive):
    """m, from what is led along the path to its end, in the plane, at the end of a run: the nose, or the front axles."""
    if drive == "guide":
        at = report.nose[-1]
    else:
        at = np.mean([report.wheel[-1, k] for k, wheel in enumerate(report.wheels) if wheel.endswith("front")], axis=0)
    return float(np.linalg.norm(at[:2] - course.path.at(course.path.length)[:2]))
