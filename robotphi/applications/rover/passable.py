"""Whether a path is free by geometry alone: how far the underside of a vehicle stays above the ground along it."""
from typing import NamedTuple

import numpy as np

EVERY = 0.02              # m, of a path
UNDER = (9, 5)            # places below the vehicle, along and across


class Clearance(NamedTuple):
    """The least gap along a path.

    Attributes:
        least: m, below 0 where the underside would be in the ground; x, y: where [m].
    """
    least: float
    x: float
    y: float


def clearance(ground, path, dimensions):
    """The `Clearance` of a vehicle whose nose is on a path and whose wheels stand on the ground, by their mean plane.

    Nothing of forces is in it: a path that is free may be too steep, or ask for more friction than there is, which a run tells
    (`RoverReport.reason`).
    """
    d = dimensions
    length, width = d.footprint
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, UNDER[0]) * length, np.linspace(-0.5, 0.5, UNDER[1]) * width)
    below = np.column_stack([u.ravel(), v.ravel()])
    wheels = np.array([[d.x_of(wheel), d.track if wheel.startswith("left") else -d.track] for wheel in d.wheel_names])
    found = []
    for s in np.linspace(0.0, path.length, max(round(path.length / EVERY), 2)):
        here, ahead = (np.asarray(path.at(each))[:2] for each in (max(s - 0.5 * EVERY, 0.0), min(s + 0.5 * EVERY, path.length)))
        way = (ahead - here) / np.linalg.norm(ahead - here)
        turn = np.array([way, [-way[1], way[0]]])
        middle = np.asarray(path.at(s))[:2] - d.nose_ahead * way
        at, under = middle + wheels @ turn, middle + below @ turn
        plane = np.linalg.lstsq(np.column_stack([np.ones(len(wheels)), wheels]), ground.height(*at.T), rcond=None)[0]
        gap = d.belly + plane[0] + below @ plane[1:] - ground.height(*under.T)
        k = int(np.argmin(gap))
        found.append(Clearance(float(gap[k]), *under[k].tolist()))
    return min(found)
