"""Loads of the wheels on level ground by the balance of rigid bodies, with nothing of the simulation in it."""
import numpy as np

from robotphi.applications.rover.vehicle import SIDES, RockerBogie
from robotphi.applications.sizes import of_kind


def level_loads(dimensions, gravity=9.81):
    """Load of each wheel at rest on level ground [N], by name; a negative one says that the vehicle would tip.

    Wheels that roll freely bear no horizontal forces. A side bears S, of which the differential gives both rockers the same
    couple Q, half the moment of the body and its bar about the rockers' pivots. With F, M, R of front, middle and rear wheel,
    x counted from the pivots, w of a wheel, r of a rocker and b of a bogie,

        F + M + R = S                                       Σ over both sides
        (M − w)(x_m − x_p) + (R − w)(x_r − x_p) = b (x_b − x_p)          bogie about its pivot
        (F − w) x_f + (M + R − 2 w − b) x_p = r x_rocker + Q             rocker about the body's pivots

    and without bogies F + R = S and (F − w) x_f + (R − w) x_r = r x_rocker + Q.
    Of all weights about the middle between left and right (S_left − S_right) track = Σ weight × y.
    """
    of_kind("level loads", "dimensions", dimensions, RockerBogie)
    d = dimensions
    body, rocker, bogie, wheel = (gravity * mass for mass in (d.body_mass, d.rocker_mass, d.bogie_mass, d.wheel_mass))
    couple = 0.5 * body * d.centre[0]
    total = gravity * d.mass
    found = {}
    for side, sign in SIDES.items():
        share = 0.5 * (total + sign * body * d.centre[1] / d.track)
        names = [wheel for wheel in d.wheel_names if wheel.startswith(side)]
        if not d.bogies:
            left = np.array([[1.0, 1.0], [d.front, d.rear]])
            right = np.array([share, wheel * (d.front + d.rear) + rocker * 0.5 * (d.front + d.rear) + couple])
            found |= dict(zip(names, np.linalg.solve(left, right).tolist(), strict=True))
            continue
        left = np.array([[1.0, 1.0, 1.0], [0.0, d.middle - d.bogie, d.rear - d.bogie], [d.front, d.bogie, d.bogie]])
        right = np.array([share,
                          bogie * (0.5 * (d.middle + d.rear) - d.bogie) + wheel * (d.middle + d.rear - 2.0 * d.bogie),
                          wheel * d.front + (2.0 * wheel + bogie) * d.bogie + rocker * 0.5 * (d.front + d.bogie) + couple])
        found |= dict(zip(names, np.linalg.solve(left, right).tolist(), strict=True))
    return found
