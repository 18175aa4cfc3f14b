"""Hexahedra: the matrix grid of the cube projected on a solid of eight corners; counts and gradings in, a mesh out.

Corners are numbered as in `geometry.cells`: four around the bottom, four above them. Directions x, y, z go from left to
right, from front to back, from bottom to top; facets carry the names of a box.
"""
from itertools import permutations

import numpy as np

from robotphi.discretise.cells.quality import refuse_folded
from robotphi.discretise.cells.sizes import fractions, mix, refuse_many
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import floats, refuse, whole, word

DIRECTIONS = "xyz"
SIDES = {"left": (0, 0), "right": (0, 1), "front": (1, 0), "back": (1, 1), "bottom": (2, 0), "top": (2, 1)}  # direction, end
CUBE = np.array([[[0, 4], [3, 7]], [[1, 5], [2, 6]]])    # corner of the cell at (x, y, z) in 0, 1
CROSSED = 1e-12             # of the cube: lines that move no more have crossed
ROUNDS = 1000               # of the search for the crossing of lines; each leaves at most the largest product of shifts


def hexahedron_mesh(corners, counts, grading=None, where="hexahedron"):
    """Mesh of hexahedra that fills the solid of eight corners; its regions are the points on left, right, front …

    Args:
        corners: [m], (8, 3).
        counts: cells along x, y, z; one number stands for all.
        grading: one for all directions, three, or {"x": …, "y": …, "z": …, "top": {"x": …}, …}: a direction's grading
            holds on its four edges, a facet's on the two edges of that facet; lines join them across.
    """
    corners = floats(where, "corners", corners)
    if corners.shape != (8, 3):
        refuse(where, f"corners has shape {corners.shape}", "give eight points, four around the bottom and four above them")
    counts = np.broadcast_to(np.asarray(counts), (3,)) if np.ndim(counts) == 0 else counts
    if len(counts) != 3:
        refuse(where, f"counts are {counts!s:.60}", "give one number of cells, or three along x, y, z")
    counts = tuple(whole(where, f"count along {axis}", _plain(count)) for axis, count in zip(DIRECTIONS, counts, strict=True))
    refuse_many(where, float(np.prod(np.array(counts, float))))
    edges = edge_fractions(counts, grading, where)
    mesh = grid_mesh(corners[CUBE], edges)
    if is_box(corners) and all((edge == edge[:1, :1]).all() for edge in edges):
        return mesh   # a box in slices: nothing can fold
    return refuse_folded(where, mesh, "grade its facets more alike, or use more cells")


def edge_fractions(counts, grading, where="hexahedron"):
    """Per direction (2, 2, n + 1) fractions along its four edges, indexed by the ends in the other two directions."""
    edges = [np.broadcast_to(fractions(count, spec, f"{where}, grading along {axis}"), (2, 2, count + 1)).copy()
             for axis, count, spec in zip(DIRECTIONS, counts, _directions(grading, where), strict=True)]
    for name, inner in grading.items() if isinstance(grading, dict) else ():
        if name in DIRECTIONS:
            continue
        across, end = SIDES[word(where, "facet or direction of the grading", name, (*DIRECTIONS, *SIDES))]
        if not isinstance(inner, dict):
            refuse(where, f"the grading of facet {name!r} is {inner!r:.60}", 'say the direction, for example {"x": "middle"}')
        for axis, spec in inner.items():
            along = DIRECTIONS.index(word(where, f"direction of facet {name!r}", axis,
                                          tuple(DIRECTIONS[:across] + DIRECTIONS[across + 1:])))
            others = [direction for direction in range(3) if direction != along]
            rows = [slice(None), slice(None)]
            rows[others.index(across)] = end
            edges[along][tuple(rows)] = fractions(counts[along], spec, f"{where}, grading of {name} along {axis}")
    return edges


def grid_mesh(cube, edges):
    """Mesh from (2, 2, 2, 3) corners and the fractions along the edges; the direction of most cells goes slowest."""
    arms = cube[[1, 0, 0], [0, 1, 0], [0, 0, 1]] - cube[0, 0, 0]
    mirrored = np.linalg.det(arms) < 0
    if mirrored:   # the mirror image of a box: z is run downwards, so that cells are not turned inside out
        cube, edges = cube[:, :, ::-1], (edges[0][:, ::-1], edges[1][:, ::-1], 1 - edges[2][..., ::-1])
    counts = [edge.shape[2] - 1 for edge in edges]
    order = sorted(range(3), key=lambda axis: -counts[axis])   # neighbours in space are then neighbours in memory
    points = _places(cube, edges)
    points = np.ascontiguousarray(points.transpose(*order, 3)).reshape(-1, 3)
    stride = np.empty(3, np.int64)
    stride[order] = np.cumprod([1, *(counts[axis] + 1 for axis in order[:0:-1])])[::-1]
    first = sum((np.arange(counts[axis], dtype=np.int32) * np.int32(stride[axis])).reshape(
        [-1 if place == axis else 1 for place in order]) for axis in range(3)).reshape(-1)
    corners = np.empty(8, np.int32)
    corners[CUBE.reshape(-1)] = (np.indices((2, 2, 2)).reshape(3, -1).T @ stride).astype(np.int32)
    numbers = np.arange(len(points), dtype=np.int32).reshape([counts[axis] + 1 for axis in order]).transpose(np.argsort(order))
    if mirrored:
        numbers = numbers[:, :, ::-1]
    regions = {name: numbers.take(-end, axis).reshape(-1) for name, (axis, end) in SIDES.items()}
    return Mesh(points, {"hexahedron": first[:, None] + corners}, regions)


def _places(cube, edges):
    """(nx + 1, ny + 1, nz + 1, 3) points of the grid."""
    if all((edge == edge[:1, :1]).all() for edge in edges):
        points = cube
        for axis, edge in enumerate(edges):
            t = edge[0, 0].reshape([-1 if place == axis else 1 for place in range(4)])
            low, high = points.take([0], axis), points.take([1], axis)
            points = mix(low, high, t)
        return points
    u, v, w = (part[..., None] for part in crossings(edges))
    lines = [[mix(cube[0, j, k], cube[1, j, k], u) for k in range(2)] for j in range(2)]
    return mix(mix(lines[0][0], lines[1][0], v), mix(lines[0][1], lines[1][1], v), w)


def crossings(edges):
    """Three arrays u, v, w in the cube: where the lines cross that join the divisions of opposite edges.

    Each coordinate is the bilinear mean of its four edges, weighted by the other two coordinates of the point itself, so
    that on a facet of the cube lines are straight and nothing but the facet's own edges counts. On a facet the two shifts
    multiply to less than one: the repetition converges.
    """
    u, v, w = np.meshgrid(*(edge.mean(axis=(0, 1)) for edge in edges), indexing="ij")
    along = [edge.reshape(2, 2, *(-1 if place == axis else 1 for place in range(3))) for axis, edge in enumerate(edges)]
    for _ in range(ROUNDS):
        new = (_mean(along[0], v, w), _mean(along[1], u, w), _mean(along[2], u, v))
        moved = max(float(np.abs(one - other).max()) for one, other in zip(new, (u, v, w), strict=True))
        u, v, w = new
        if moved <= 1e-16:
            return u, v, w
    if moved > CROSSED:
        refuse("hexahedron", f"lines across it do not settle: they still move by {moved:.2g} of it after {ROUNDS} rounds",
               "grade opposite edges more alike")
    return u, v, w


def _mean(ends, s, t):
    return mix(mix(ends[0, 0], ends[0, 1], t), mix(ends[1, 0], ends[1, 1], t), s)


def _directions(grading, where):
    """The gradings of the three directions as a whole."""
    if isinstance(grading, dict):
        return [grading.get(axis) for axis in DIRECTIONS]
    if grading is None or isinstance(grading, str) or np.ndim(grading) == 0:
        return [grading] * 3
    if len(grading) == 2 and isinstance(grading[0], str) and not isinstance(grading[1], str):
        return [grading] * 3
    if len(grading) == 3:
        return list(grading)
    return refuse(where, f"grading is {grading!r:.60}", 'give one, three, or {"x": …, "y": …, "z": …, "top": {"x": …}}')


def is_box(corners):
    """Whether opposite edges are parallel and equal, and the corners turn the right way."""
    arms = corners[[1, 3, 4]] - corners[0]
    place = np.empty((8, 3))
    place[CUBE.reshape(-1)] = np.indices((2, 2, 2)).reshape(3, -1).T
    shape = corners[0] + place @ arms
    return bool(np.abs(shape - corners).max() <= 1e-9 * np.abs(arms).max() and np.linalg.det(arms) != 0)


def box_corners(polyhedron):
    """(8,) vertices of a polyhedron of six quadrilaterals, numbered as a cell; None for any other.

    Left, right … are the facets of those names, or those that face that way most. Mirror images stay so.
    """
    if len(polyhedron.facets) != 6 or any(len(loop) != 4 for loop in polyhedron.facets):
        return None
    loops = [set(loop.tolist()) for loop in polyhedron.facets]
    if set(polyhedron.names) == set(SIDES):
        pairs = [[polyhedron.facet(name) for name in SIDES if SIDES[name][0] == axis] for axis in range(3)]
    else:
        pairs = [(i, j) for i in range(6) for j in range(i) if not loops[i] & loops[j]]
        ways = np.array([polyhedron.facet_centres[j] - polyhedron.facet_centres[i] for i, j in pairs])
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        order = max(permutations(range(3)), key=lambda order: round(float(np.abs(ways[order, range(3)]).sum()), 9))
        pairs = [pairs[row] if ways[row, axis] > 0 else pairs[row][::-1] for axis, row in enumerate(order)]
    if any(loops[i] & loops[j] for i, j in pairs):
        return None
    result = np.empty(8, np.int32)
    for place, corner in np.ndenumerate(CUBE):
        result[corner], = set.intersection(*(loops[pairs[axis][end]] for axis, end in enumerate(place)))
    return result


def _plain(count):
    return count.item() if isinstance(count, np.generic) else count
