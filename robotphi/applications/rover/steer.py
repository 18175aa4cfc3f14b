"""A vehicle that steers itself along a path by its wheels: rims of one side faster than those of the other, as of a tank."""
import numpy as np

from robotphi.applications.rover.guide import SAMPLES, add_wheel_motors
from robotphi.applications.rover.vehicle import SIDES
from robotphi.scene.checks import number

RATE = 20.0           # calls per second
AHEAD = 0.4           # m, on the path before the nearest place to the front axles: what is headed for
TURN = 3.0            # 1/s, turning asked for each radian that it is off
MOST = 0.6            # of the speed, by which one side may be faster or slower than told
QUICKEN = 0.5         # m/s², of the rims at most


def steer_along(scene, vehicle, path, speed, **motors):
    """Motors in all wheels and a controller that steers the middle of the front axles along a path, to its end.

    It looks at the places of the wheels at the corners, heads for a place of the path ahead, and makes the rims of both sides
    differ; wheels have to slip sideways for that. Towards the end it slows down.

    Args:
        path: a Path; speed: of the rims [m/s]; motors: `damping` and `torque_limit`, as of `add_wheel_motors`.

    Returns: the handles of the motors by wheel.
    """
    speed, d = number("steer_along", "speed", speed, above=0.0), vehicle.dimensions
    corners = {f"{side} {end}": vehicle.called(f"place of {side} {end}") for side in SIDES for end in ("front", "rear")}
    for wheel, name in corners.items():
        scene.add_sensor(name, "position", vehicle.called(f"{wheel} wheel"))
    rims = {side: vehicle.called(f"{side} rims") for side in SIDES}
    made = {}
    for side, name in rims.items():
        command = scene.add_command(name, 0.0, rate=QUICKEN / d.rolling_radius)
        made |= add_wheel_motors(scene, vehicle, command, wheels=[wheel for wheel in d.wheel_names if wheel.startswith(side)],
                                 **motors)
    along = np.linspace(0.0, path.length, SAMPLES)
    line = np.array([path.at(each)[:2] for each in along])

    def steer(view):
        place = {wheel: np.asarray(view[name])[:2] for wheel, name in corners.items()}
        front, rear = (0.5 * (place[f"left {end}"] + place[f"right {end}"]) for end in ("front", "rear"))
        nearest = along[np.argmin(np.linalg.norm(line - front, axis=1))]
        way, wanted = front - rear, path.at(min(nearest + AHEAD, path.length))[:2] - front
        left = max(float(way @ wanted) / float(np.linalg.norm(way)), 0.0) if nearest + AHEAD >= path.length else AHEAD
        off = np.arctan2(way[0] * wanted[1] - way[1] * wanted[0], way @ wanted)
        rim = speed * min(1.0, 2.0 * left / AHEAD)
        differ = float(np.clip(TURN * off * d.track, -MOST * rim, MOST * rim))
        for side, sign in SIDES.items():
            view[rims[side]] = (rim - sign * differ) / d.rolling_radius

    scene.add_controller(vehicle.called("steer"), steer, rate=RATE, sensors=list(corners.values()),
                         commands=list(rims.values()))
    return made
