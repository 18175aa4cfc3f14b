"""Facets: a polygon with divided edges in, a patch of triangles and quadrilaterals that fills it out.

Four edges, opposite ones of as many cells: a matrix grid of the unit square. Any other polygon: fronts that start on the
contour and meet at the centre, as on the regular polygon of as many edges. Each sector between the centre and an edge is a
piece of its own that keeps rows parallel to the edge, so that the map is affine there and no cell of a convex polygon folds
(RR-3072, 2.3.3, figs 2.18, 2.19).
"""
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from robotphi.discretise.cells.hexahedra import crossings
from robotphi.discretise.cells.sizes import fractions, mix, refuse_many
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import floats, number, refuse, whole

EQUILATERAL = np.sqrt(3) / 2    # height of a triangle over its edge: distance of two fronts of equal triangles


class Patch(NamedTuple):
    """Cells of one facet; they turn like its contour."""
    points: np.ndarray       # (p, 3): the contour first, from the first corner on, then the inside
    triangles: np.ndarray    # (t, 3) int32
    quads: np.ndarray        # (q, 4) int32
    contour: int             # points of the contour

    def mesh(self):
        return Mesh(self.points, {"triangle": self.triangles, "quad": self.quads},
                    {"contour": np.arange(self.contour, dtype=np.int32)})


def quad_mesh(corners, counts, grading=None):
    """Matrix grid of a quadrilateral: (4, 3) corners [m]; one or two counts; a grading for both directions, two, or four.

    Four gradings hold on the edges in their own sense of direction: front (0 to 1), back (3 to 2), left (0 to 3), right
    (1 to 2).
    """
    corners = _corners("quadrilateral", corners, 4)
    counts = [counts] * 2 if np.ndim(counts) == 0 else list(counts)
    gradings = [grading] * 2 if grading is None or isinstance(grading, str) or np.ndim(grading) == 0 else list(grading)
    gradings = gradings if len(gradings) == 4 else [gradings[0], gradings[0], gradings[1], gradings[1]]
    front, back = (fractions(counts[0], spec) for spec in gradings[:2])
    left, right = (fractions(counts[1], spec) for spec in gradings[2:])
    refuse_many("quadrilateral", float(len(front) - 1) * (len(right) - 1))
    return grid_patch(corners, [front, right, 1 - back[::-1], 1 - left[::-1]]).mesh()


def polygon_mesh(corners, counts, grading=None, rings=None, ring_grading=None):
    """Fronts in a convex polygon: (m, 3) corners [m]; cells per edge, one number or m; grading of the edges and of the rings.

    `rings` counts the fronts; without it triangles come out about equilateral. `ring_grading` runs from the contour to the
    centre.
    """
    corners = _corners("polygon", corners)
    counts = np.broadcast_to(counts, len(corners)).tolist()
    _refuse_concave("polygon", corners)
    sides = [fractions(count, grading, "polygon, grading of its edges") for count in counts]
    rings = front_count(corners, counts) if rings is None else whole("polygon", "rings", rings)
    refuse_many("polygon", float(sum(counts)) * rings)
    return fan_patch(corners, sides, fractions(rings, ring_grading, "polygon, grading of its rings")).mesh()


def facet_patch(corners, sides, rings=None, ring_grading=None):
    """The patch of a facet from its corners and the fractions of its edges: a grid where it can be, else fronts."""
    counts = [len(side) - 1 for side in sides]
    refuse_many("facet", patch_size(corners, counts) if rings is None else sum(counts) * rings)
    if rings is None and len(corners) == 4 and counts[0] == counts[2] and counts[1] == counts[3]:
        return grid_patch(corners, sides)
    if rings is None and len(corners) == 3 and len(set(counts)) == 1 and all(map(_is_uniform, sides)):
        return lattice_patch(corners, counts[0])
    rings = front_count(corners, counts) if rings is None else rings
    return fan_patch(corners, sides, fractions(rings, ring_grading, "grading of the rings"))


def patch_size(corners, counts):
    """About how many cells the patch of a facet has, a float, from the cells of its edges."""
    if len(corners) == 4 and counts[0] == counts[2] and counts[1] == counts[3]:
        return float(counts[0]) * counts[1]
    return float(sum(counts)) * front_count(corners, counts)


def grid_patch(corners, sides):
    """Matrix grid: lines join the divisions of opposite edges."""
    front, right, back, left = sides
    nu, nv = len(front) - 1, len(right) - 1
    u = np.broadcast_to(np.stack([front, 1 - back[::-1]])[:, None], (2, 2, nu + 1))
    v = np.broadcast_to(np.stack([1 - left[::-1], right])[:, None], (2, 2, nv + 1))
    u, v, _ = (part[:, :, 0, None] for part in crossings([u, v, np.broadcast_to([0.0, 1.0], (2, 2, 2))]))
    points = mix(mix(corners[0], corners[1], u), mix(corners[3], corners[2], u), v)
    grid = np.arange((nu + 1) * (nv + 1)).reshape(nu + 1, nv + 1)
    contour = np.concatenate([grid[:-1, 0], grid[-1, :-1], grid[:0:-1, -1], grid[0, :0:-1]])
    order = np.concatenate([contour, grid[1:-1, 1:-1].reshape(-1)])
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    grid = number[grid]
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=-1).reshape(-1, 4)
    return Patch(points.reshape(-1, 3)[order], np.empty((0, 3), np.int32), quads, len(contour))


def lattice_patch(corners, count):
    """Triangle of count² equal triangles, whose fronts are count, count − 3, count − 6 … cells long."""
    i, j = np.nonzero(np.add.outer(np.arange(count + 1), np.arange(count + 1)) <= count)
    number = np.full((count + 2, count + 2), -1)
    steps = np.arange(count)
    none = 0 * steps
    contour = np.concatenate([(steps, none), (count - steps, steps), (none, count - steps)], axis=1)
    number[contour[0], contour[1]] = np.arange(3 * count)
    inner = number[i, j] < 0
    number[i[inner], j[inner]] = np.arange(3 * count, len(i))
    points = np.empty((len(i), 3))
    u, v = i[:, None] / count, j[:, None] / count
    points[number[i, j]] = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0])
    up, down = i + j < count, i + j < count - 1
    triangles = [np.stack([number[i, j], number[i + 1, j], number[i, j + 1]], 1)[up],
                 np.stack([number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]], 1)[down]]
    return Patch(points, np.concatenate(triangles).astype(np.int32), np.empty((0, 4), np.int32), 3 * count)


def fan_patch(corners, sides, rings):
    """Fronts: `rings` are the fractions from the contour (0) to the centre (1) at which they stand."""
    count, centre = len(corners), polygon_centre(corners)
    points, rows, number = [], [], 0
    for depth, s in enumerate(rings[:-1]):
        ring, row = [], []
        share = 1 - depth / (len(rings) - 1)
        for corner, side in enumerate(sides):
            line = _coarser(side, max(1, int(np.floor((len(side) - 1) * share + 0.5))))[:-1, None]
            ends = [mix(corners[k], centre, s) for k in (corner, (corner + 1) % count)]
            ring.append(mix(*ends, line))
            row.append(np.arange(number, number + len(line)))
            number += len(line)
        points.append(np.concatenate(ring))
        rows.append([np.append(row[k], row[(k + 1) % count][0]) for k in range(count)])
    points.append(centre[None])
    rows.append([np.array([number])] * count)
    cells = [_strip(outer[k], inner[k]) for outer, inner in pairwise(rows) for k in range(count)]
    triangles, quads = ([cell for strip in cells for cell in strip[kind]] for kind in (0, 1))
    return Patch(np.concatenate(points), np.array(triangles, np.int32).reshape(-1, 3), np.array(quads, np.int32).reshape(-1, 4),
                 sum(len(side) - 1 for side in sides))


def _strip(outer, inner):
    """Triangles and quads between two parallel rows, by the order of the middles of their segments; equal ones pair up."""
    a, b, i, j = len(outer) - 1, len(inner) - 1, 0, 0
    triangles, quads = [], []
    while i < a or j < b:
        left, right = ((2 * i + 1) * b if i < a else np.inf), ((2 * j + 1) * a if j < b else np.inf)
        if b and left == right:
            quads.append((outer[i], outer[i + 1], inner[j + 1], inner[j]))
            i, j = i + 1, j + 1
        elif left < right:
            triangles.append((outer[i], outer[i + 1], inner[j]))
            i += 1
        else:
            triangles.append((outer[i], inner[j + 1], inner[j]))
            j += 1
    return triangles, quads


def front_count(corners, counts):
    """Fronts that make triangles about equilateral: the mean distance of the edges from the centre over a triangle's height."""
    edges = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    spacing = edges.sum() / sum(counts)
    area = np.linalg.norm(_area_vector(corners))
    return max(1, int(np.floor(2 * area / edges.sum() / (EQUILATERAL * spacing) + 0.5)))


def polygon_centre(corners):
    """Centre of inertia of a plane polygon."""
    middle = corners.mean(axis=0)
    arms = corners - middle
    areas = np.cross(arms, np.roll(arms, -1, axis=0)) @ _area_vector(corners)
    return middle + areas @ (arms + np.roll(arms, -1, axis=0)) / (3 * areas.sum())


def _area_vector(corners):
    arms = corners - corners.mean(axis=0)
    return np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0) / 2


def _coarser(side, count):
    """The spacing of an edge with fewer cells."""
    if count == len(side) - 1:
        return side
    return np.interp(np.arange(count + 1) / count, np.arange(len(side)) / (len(side) - 1), side)


def _is_uniform(side):
    return bool(np.abs(side - np.arange(len(side)) / (len(side) - 1)).max() <= 1e-12)


def _corners(where, corners, count=None):
    corners = floats(where, "corners", corners)
    if corners.ndim != 2 or corners.shape[1] != 3 or (len(corners) < 3 if count is None else len(corners) != count):
        refuse(where, f"corners has shape {corners.shape}", f"give {count or 'at least three'} rows of three numbers")
    return corners


def _refuse_concave(where, corners):
    """Fronts of a polygon that turns both ways would fold."""
    normal = _area_vector(corners)
    edges = np.roll(corners, -1, axis=0) - corners
    turns = np.cross(np.roll(edges, 1, axis=0), edges) @ normal
    number(where, "area", float(np.linalg.norm(normal)), above=0)
    if (turns <= 0).any():
        refuse(where, "it is not convex", "give the corners of a convex polygon in turn", int(np.argmin(turns)))
