"""What makes a vehicle go: drawn along a path by a virtual force, or driven by motors in its wheels."""
import numpy as np

from robotphi import Drive, Path
from robotphi.scene.checks import number, word
from robotphi.scene.commands import Command
from robotphi.scene.csv_file import read_csv

START = 0.5           # s, in which a goal or motors come up to speed
SAMPLES = 501         # of a drive


def travelled(time, speed, start=START):
    """Way [m] at times [s], from rest evenly up to a speed [m/s] within `start`."""
    early = np.minimum(time, start)
    return speed * (0.5 * early**2 / start + np.maximum(time - start, 0.0))


def read_points(path):
    """(n, 2) m of a table with columns x and y and their units in the heads, one row for each point of a path."""
    table = read_csv("path", path, 2, "x [m],y [m]")
    return np.column_stack([table.column(axis, "length") for axis in "xy"])


def path_over(ground, points):
    """The Path through places (n, 2) x and y [m], as high as the ground there."""
    points = np.asarray(points, float)
    return Path(np.column_stack([points, ground.height(points[:, 0], points[:, 1])]))


def draw_along(scene, vehicle, path, speed, stiffness=4000.0, damping=800.0, limit=None, start=START):
    """Draw the nose of a vehicle to a goal that runs along a path, by a virtual force in the plane; returns the pull.

    Args:
        path: a Path, which begins at the nose; its heights are not looked at.
        speed: of the goal [m/s], which comes up to it from rest within `start` [s].
        stiffness: [N/m]; damping: [N·s/m]; limit: of the force [N]. At rest friction holds the nose off its goal by less than
            its share of the weight over the stiffness.
    """
    speed = number("draw_along", "speed", speed, above=0.0)
    end = min(scene.duration, path.length / speed + 0.5 * start)
    times = np.append(np.linspace(0.0, start, SAMPLES), max(end, 1.001 * start))
    along = Drive.table(times, np.minimum(travelled(times, speed, start), path.length))
    name = vehicle.called("guide")
    return scene.add_pull(name, (vehicle.called("body"), "nose"), path, stiffness, damping, limit=limit, axes="xy", speed=along)


def add_wheel_motors(scene, vehicle, speed, damping=5.0, torque_limit=20.0, wheels=None, start=START):
    """Speed motors in the axles; returns their handles by wheel.

    Args:
        speed: of the rims [m/s], to which they come from rest within `start` [s]; or a command of the rate [rad/s].
        damping: torque for each rate that is missing [N·m·s/rad]; torque_limit: [N·m].
        wheels: names of the wheels that are driven, all unless told.
    """
    if isinstance(speed, Command):
        drive = speed
    else:
        rate = number("add_wheel_motors", "speed", speed) / vehicle.dimensions.rolling_radius
        drive = Drive.table([0.0, start], [0.0, rate])
    driven = tuple(vehicle.axles) if wheels is None else [word("add_wheel_motors", "wheel", wheel, tuple(vehicle.axles))
                                                          for wheel in wheels]
    return {wheel: scene.add_motor(vehicle.called(f"{wheel} motor"), vehicle.axles[wheel], speed=drive, damping=damping,
                                   limit=torque_limit) for wheel in driven}
