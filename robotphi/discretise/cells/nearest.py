"""Nearest: distances of points from triangles, for the few near them."""
import numpy as np

PAIRS = 1 << 20    # points × triangles looked at together


def distance_to_triangles(points, corners):
    """(n,) distance [m] of each point from the nearest of the triangles (t, 3, 3); every pair is looked at."""
    step = max(1, PAIRS // max(len(corners), 1))
    parts = [pair_distance(points[start:start + step, None], corners[None]).min(axis=1)
             for start in range(0, len(points), step)]
    return np.concatenate([np.empty(0), *parts])


def pair_distance(points, corners):
    """Distance of points (…, 3) from triangles (…, 3, 3), pair by pair.

    The foot of the perpendicular where it is inside the triangle, else the nearest of the three edges.
    """
    a, b, c = (corners[..., i, :] for i in range(3))
    normal = np.cross(b - a, c - a)
    square = (normal * normal).sum(-1)
    arm = points - a
    height = (arm * normal).sum(-1)
    inside = np.ones(height.shape, bool)
    nearest = np.full(height.shape, np.inf)
    for first, last in ((a, b), (b, c), (c, a)):
        edge, own = last - first, points - first
        inside &= (np.cross(edge, own) * normal).sum(-1) >= 0
        length = (edge * edge).sum(-1)
        share = np.clip((own * edge).sum(-1) / np.where(length > 0, length, 1), 0, 1)
        apart = own - share[..., None] * edge
        nearest = np.minimum(nearest, (apart * apart).sum(-1))
    plane = height * height / np.where(square > 0, square, 1)
    return np.sqrt(np.where(inside & (square > 0), plane, nearest))
