"""Mass, centre and inertia of solids bounded by triangles, in closed form."""
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import floats, indices, number, refuse


class MassProperties(NamedTuple):
    """What a homogeneous solid weighs and how it turns."""
    volume: float         # m³, negative where the surface points inwards
    mass: float           # kg
    centre: np.ndarray    # (3,) m
    inertia: np.ndarray   # (3, 3) kg·m² about the centre, world axes


def solid_properties(points, triangles, density=1.0):
    """Properties of the solid bounded by a closed surface: (n, 3) points [m], (t, 3) outward triangles, density [kg/m³].

    Every triangle a b c makes a tetrahedron with an origin o near the body. With d = a·(b×c) and s = a + b + c, all from o:
    `V = Σ d/6`, `∫ x = Σ d s/24`, `∫ x xᵀ = Σ d (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/120`.
    The first pass takes o in the middle of the points, the second at the centre that the first one found, so that nothing
    is lost far from the origin of the world. What remains is the rounding of one product: about 1e-16 × length/thickness.
    """
    points = floats("solid", "points", points)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        refuse("solid", f"points has shape {points.shape}", "give rows of three numbers")
    triangles = np.asarray(triangles)
    if triangles.ndim != 2 or triangles.shape[1] != 3:
        refuse("solid", f"triangles has shape {triangles.shape}", "give rows of three points")
    rows = indices("solid", "triangles", triangles.reshape(-1), len(points), "point").reshape(-1, 3)
    density = number("solid", "density", density, above=0.0)
    origin = (points.min(axis=0) + points.max(axis=0)) / 2
    volume, first, _ = _moments(points - origin, rows)
    if volume == 0.0:
        refuse("solid", "its volume is zero", "give a closed surface with an inside")
    origin = origin + first / volume
    volume, first, second = _moments(points - origin, rows)
    offset = first / volume
    second = second - volume * np.outer(offset, offset)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(float(volume), float(density * volume), origin + offset, inertia)


def join_properties(parts):
    """Properties of several solids taken as one; overlaps count as often as they are covered."""
    parts = tuple(parts)
    mass = sum(part.mass for part in parts)
    origin = parts[0].centre
    centre = origin + sum(part.mass * (part.centre - origin) for part in parts) / mass
    inertia = sum(part.inertia + shifted_inertia(part.mass, part.centre - centre) for part in parts)
    return MassProperties(sum(part.volume for part in parts), mass, centre, inertia)


def shifted_inertia(mass, offset):
    """What the parallel axis theorem adds at `offset` from the centre: m (|r|² 1 − r rᵀ)."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def _moments(points, triangles):
    """V, ∫ x and ∫ x xᵀ about the origin; sums of contiguous columns, which numpy adds in pairs."""
    a, b, c = (np.ascontiguousarray(points[triangles[:, i]].T) for i in range(3))
    p, q = b - a, c - a     # a·(b×c) = a·((b−a)×(c−a)), where short edges keep their digits
    d = a[0] * (p[1] * q[2] - p[2] * q[1]) + a[1] * (p[2] * q[0] - p[0] * q[2]) + a[2] * (p[0] * q[1] - p[1] * q[0])
    s = a + b + c
    first = np.array([np.sum(d * s[i]) for i in range(3)]) / 24
    second = np.empty((3, 3))
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        second[i, j] = second[j, i] = np.sum(d * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j])) / 120
    return np.sum(d) / 6, first, second
