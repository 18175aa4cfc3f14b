"""Round shapes: solids of revolution and spheres, by facets."""
from itertools import pairwise

import numpy as np

from robotphi.geometry.mesh import unique_pairs
from robotphi.geometry.polygons import check_facets, regular_polygon
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.scene.checks import number, refuse, vector, whole
from robotphi.scene.statements import made

FINEST = 8  # level of an icosphere of 1.3 million facets


@made
def sphere(radius, level=2, centre=(0.0, 0.0, 0.0)):
    """Icosphere: 20 · 4^level triangles, nearly alike, with vertices at this radius [m]."""
    radius, level = number("sphere", "radius", radius, above=0.0), whole("sphere", "level", level, low=0)
    if level > FINEST:
        refuse("sphere", f"level is {level}", f"it must be at most {FINEST}, which makes 1.3 million facets")
    points, triangles = _icosahedron()
    for _ in range(level):
        points, triangles = _refined(points, triangles)
    return Polyhedron(radius * points + vector("sphere", "centre", centre), triangles)


@made
def uv_sphere(radius, sides=24, rings=12, centre=(0.0, 0.0, 0.0)):
    """Sphere of meridians and parallels: `rings` bands of `sides` facets, triangles at the poles, quadrilaterals between."""
    radius = number("uv_sphere", "radius", radius, above=0.0)
    sides, rings = whole("uv_sphere", "sides", sides, low=3), whole("uv_sphere", "rings", rings, low=2)
    check_facets("uv_sphere", sides * rings)
    r, z = _arc(rings, 0.0, np.pi)
    return revolve(radius * r, radius * z, sides, vector("uv_sphere", "centre", centre))


@made
def capsule(radius, height, sides=24, rings=6, centre=(0.0, 0.0, 0.0)):
    """Cylinder of this height [m] between two half spheres of `rings` bands; facets side i, bottom cap i, top cap i."""
    radius, height = (number("capsule", what, value, above=0.0) for what, value in (("radius", radius), ("height", height)))
    sides, rings = whole("capsule", "sides", sides, low=3), whole("capsule", "rings", rings)
    check_facets("capsule", sides * (2 * rings + 1))
    r, z = _arc(rings, 0.0, np.pi / 2)
    cap = range(sides * rings)
    names = [f"bottom cap {i}" for i in cap] + [f"side {i}" for i in range(sides)] + [f"top cap {i}" for i in cap]
    return revolve(radius * np.append(r, r[::-1]), np.append(radius * z - height / 2, height / 2 - radius * z[::-1]), sides,
                   vector("capsule", "centre", centre), names)


def revolve(radii, heights, sides, centre, names=None):
    """Solid of revolution by rings from bottom to top; a first or last radius of zero is a pole, any other gets a flat facet.

    Facets: the bottom, the bands from below, each counter-clockwise, the top.
    """
    circle = regular_polygon(sides)
    rings, points, count = [], [], 0
    for radius, height in zip(radii, heights, strict=True):
        ring = np.column_stack([radius * circle, np.full(sides, height)]) if radius > 0.0 else np.array([[0.0, 0.0, height]])
        points.append(ring)
        rings.append(count + np.arange(sides) if radius > 0.0 else np.full(sides, count))
        count += len(ring)
    facets = [rings[0][::-1]] if radii[0] > 0.0 else []
    for below, above in pairwise(rings):
        band = np.stack([below, np.roll(below, -1), np.roll(above, -1), above], axis=1)
        facets += list(band[:, [0, 2, 3]] if below[0] == below[1] else band[:, :3] if above[0] == above[1] else band)
    facets += [rings[-1]] if radii[-1] > 0.0 else []
    return Polyhedron(np.concatenate(points) + centre, facets, names)


def _arc(rings, low, high):
    """Radii and heights on the unit circle from the lower pole upwards, poles and equator exact."""
    angle = np.linspace(low, high, rings + 1)
    r, z = np.sin(angle), -np.cos(angle)
    r[angle == np.pi] = 0.0
    z[angle == np.pi / 2] = 0.0
    return r, z


def _icosahedron():
    """Twelve vertices on the unit sphere, two of them at the poles, and twenty outward triangles."""
    turn = 2 * np.pi * np.arange(5) / 5
    low, high = (np.column_stack([np.cos(turn + shift), np.sin(turn + shift), np.full(5, z)]) * (2, 2, 1)
                 for shift, z in ((0.0, -1.0), (np.pi / 5, 1.0)))
    points = np.concatenate([[(0, 0, -1)], low / np.sqrt(5), high / np.sqrt(5), [(0, 0, 1)]])
    i = np.arange(5)
    j, south, north = np.roll(i, -1), np.zeros(5, int), np.full(5, 11)
    triangles = [(south, j + 1, i + 1), (i + 1, j + 1, i + 6), (j + 1, j + 6, i + 6), (i + 6, j + 6, north)]
    return points, np.concatenate([np.stack(three, axis=1) for three in triangles])


def _refined(points, triangles):
    """Every triangle cut into four at the middles of its edges, which are pushed out to the sphere."""
    pairs = triangles[:, [[1, 2], [2, 0], [0, 1]]].reshape(-1, 2)
    edges = unique_pairs(pairs, len(points))
    keys = edges[:, 0] * np.int64(len(points)) + edges[:, 1]
    of_pair = np.searchsorted(keys, pairs.min(axis=1) * np.int64(len(points)) + pairs.max(axis=1)) + len(points)
    middles = points[edges].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1)[:, None]
    a, b, c = triangles.T
    p, q, r = of_pair.reshape(-1, 3).T
    quarters = [(a, r, q), (r, b, p), (q, p, c), (p, q, r)]
    return np.concatenate([points, middles]), np.stack([np.stack(three, axis=1) for three in quarters], axis=1).reshape(-1, 3)
