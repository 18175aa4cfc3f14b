"""Ropes as chains: capsules on exact universal joints, which bend and do not twist, with friction where two of them touch."""
from itertools import pairwise

import numpy as np

from robotphi.errors import SceneError

ACROSS_OFF = 1e-9    # sine of the angle between two links below which any axis across will do


def lay_rope(scene, name, points, radius, density, contact, bending=0.0, viscosity=0.0, held=False):
    """Put a rope along points into a scene; returns the handles of its links.

    Links are capsules from point to point, joined at the points; those whose ends are always near each other, neighbours and
    their neighbours, do not touch.

    Args:
        points: (n + 1, 3) of its axis [m].
        radius: r [m].
        bending: B [N·m²], the moment for each curvature; straight is without force. viscosity: likewise [N·m²·s].
        held: whether the first link is held.
    """
    points = np.asarray(points, float)
    along, lengths = np.diff(points, axis=0), np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (np.isfinite(points).all() and len(points) > 2 and lengths.min() > radius):
        raise SceneError(f"rope {name!r}: its shortest link has {1e3 * lengths.min():.3g} mm; give three points at least, each "
                         f"more than its radius, {1e3 * radius:.3g} mm, from the next")
    along = along / lengths[:, None]
    links = [scene.add_capsule(f"{name} {i}", start, end, radius, density=density, contact=contact,
                               **({"support": "xyz", "rotation_support": "xyz"} if held and i == 0 else {}))
             for i, (start, end) in enumerate(pairwise(points))]
    for i in range(1, len(links)):
        axis = _across(along[i - 1], along[i])
        middle = along[i - 1] + along[i]
        scene.add_joint(f"{name} joint {i}", "universal", links[i - 1], links[i], points[i], axis=axis,
                        across=np.cross(middle / np.linalg.norm(middle), axis))
        for other in links[max(i - 2, 0):i]:
            scene.exclude_contact(other.name, links[i].name)
    if bending or viscosity:
        ends = np.array([link.particles[:2] for link in links])
        apart = (lengths[:-1] + lengths[1:]) / 2
        scene.add_angular(f"{name} bending", ends[:-1, 0], ends[:-1, 1], ends[1:, 1], bending / apart, viscosity / apart,
                          rest_angle=np.pi)
    return links


def _across(first, second):
    """A unit vector across both."""
    axis = np.cross(first, second)
    if np.linalg.norm(axis) < ACROSS_OFF:
        axis = np.cross(first, np.eye(3)[np.abs(first).argmin()])
    return axis / np.linalg.norm(axis)
