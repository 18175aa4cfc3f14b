"""How well contacts hold a thing, whatever pulls at it: the wrench space of their forces.

Ferrari and Canny (ICRA 1992), the space of a total force: contact i at p may push with a unit normal force n and friction up
to μ, w = (f, (p − c) × f/ρ); its cone is taken as a pyramid of `edges` edges. W is the convex hull of all edges of all contacts
and of no force; ε is the radius of the largest ball around no wrench within W: the least wrench, of any direction, that forces
of 1 N in all can no longer resist. Moments are divided by ρ, the size of the thing, so that both are forces.
"""
from typing import NamedTuple

import numpy as np


class Quality(NamedTuple):
    epsilon: float     # N for each N of normal forces; 0 where some wrench cannot be resisted
    volume: float      # of the wrench space, N^6 for each N^6


def wrenches(points, inwards, friction, centre, size, edges=8):
    """(n · edges, 6) edges of the cones of friction of contacts, forces first."""
    points, inwards = np.atleast_2d(np.asarray(points, float)), np.atleast_2d(np.asarray(inwards, float))
    inwards = inwards / np.linalg.norm(inwards, axis=1)[:, None]
    friction = np.broadcast_to(np.asarray(friction, float), len(points))
    found = []
    turns = 2.0 * np.pi * np.arange(edges) / edges
    for point, n, most in zip(points, inwards, friction, strict=True):
        upright = np.array([0.0, 0.0, 1.0]) if abs(n[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        u = upright - (upright @ n) * n
        u /= np.linalg.norm(u)
        force = n + most * (np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * np.cross(n, u))
        found.append(np.concatenate([force, np.cross(point - centre, force) / size], axis=1))
    return np.concatenate(found) if found else np.empty((0, 6))


def space(found):
    """The `Quality` of the hull of (k, 6) wrenches and of none."""
    from scipy.spatial import ConvexHull, QhullError

    found = np.vstack([np.zeros(6), found])
    if np.linalg.matrix_rank(found, tol=1e-9 * max(np.abs(found).max(), 1e-300)) < 6:
        return Quality(0.0, 0.0)
    try:
        hull = ConvexHull(found)
    except QhullError:
        return Quality(0.0, 0.0)
    return Quality(max(float(-hull.equations[:, 6].max()), 0.0), float(hull.volume))


def grasp_quality(points, inwards, friction, centre, size, edges=8):
    """The `Quality` of contacts.

    Args:
        points: (n, 3) m, where they are; inwards: (n, 3) normals into the thing.
        friction: coefficient of each, or one of all.
        centre: of the thing's mass [m]; size: ρ [m], such as the largest distance of its points from there.
        edges: of the pyramid of a cone.
    """
    return space(wrenches(points, inwards, friction, centre, size, edges))
