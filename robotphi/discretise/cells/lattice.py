"""Lattice: any closed surface in, a regular filling of tetrahedra that fits it out.

Isosurface stuffing (Labelle and Shewchuk 2007): the tetrahedra of a body-centred cubic lattice; lattice points very near the
surface move onto it, and cells that it still cuts keep what is inside. Points of the boundary lie on the surface; right-angled
edges and corners are cut off by less than a cell, spikes thinner than a cell are lost. Dihedral angles lie between 10.7° and
165° where the surface is smooth (their proof); 10.6° and 158° were the worst of 366 turned shapes with edges and corners.
"""
import numpy as np

from robotphi.discretise.cells.crossing import cut_segments, inside_grid, small_triangles
from robotphi.discretise.cells.quality import refuse_folded
from robotphi.geometry.mesh import Mesh, compact, unique_pairs
from robotphi.scene.checks import refuse

ALPHA_LONG, ALPHA_SHORT = 0.24999, 0.41189    # a point nearer than this share of an edge to the cut moves onto the surface
MOST = 1 << 21                                # lattice points, each with six tetrahedra: some gigabytes, a minute
INSIDE, ON, OUTSIDE = 1, 0, -1


def lattice_mesh(points, triangles, size, where="lattice"):
    """Mesh of tetrahedra that fills a closed surface of (n, 3) points [m] and (t, 3) outward triangles.

    `size` is the long edge of the lattice [m]; short ones have √3/2 of it. The lattice is centred on the surface's box.
    """
    corners = points[triangles]
    place, number, shape = _lattice_points(points.min(axis=0), points.max(axis=0), size, where)
    sign = _signs(corners, place, shape)
    cells = _lattice_cells(number)
    cells = cells[(sign[cells] == INSIDE).any(axis=1)]
    edges = unique_pairs(cells[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2), len(place))
    edges = edges[sign[edges].sum(axis=1) == 0]
    edges = np.where(sign[edges[:, :1]] == INSIDE, edges, edges[:, ::-1])     # from inside to outside
    if not len(edges):
        refuse(where, f"size {size:g} leaves no lattice point inside the surface", "give a smaller size")
    pieces, _ = small_triangles(corners, 4 * size)
    share = cut_segments(place[edges[:, 0]], place[edges[:, 1]], pieces, size)
    cut = place[edges[:, 0]] + share[:, None] * (place[edges[:, 1]] - place[edges[:, 0]])
    _warp(place, sign, edges, share, cut, size)
    kept = (sign[edges] != ON).all(axis=1)
    mesh = _stuffed(place, sign, cells, edges[kept], cut[kept])
    if not mesh.cells:
        refuse(where, f"size {size:g} leaves no cell inside the surface: it is thinner than that everywhere",
               "give a smaller size")
    return refuse_folded(where, mesh, "the surface is finer than the cells: give a smaller size")


def _lattice_points(low, high, size, where):
    """Points of both cubic grids, the corners' and the centres', around the box; (2, nx, ny, nz) their numbers, −1: none."""
    counts = np.ceil((high - low) / size - 1e-9).astype(int) + 2
    if 2 * np.prod(counts + 1.0) > MOST:
        refuse(where, f"size {size:g} asks for {2 * np.prod(counts + 1.0):.3g} lattice points",
               f"there can be {MOST}; give at least {size * (2 * np.prod(counts + 1.0) / MOST) ** (1 / 3):.3g}")
    origin = (low + high) / 2 - counts * size / 2
    shape = tuple(counts + 1)
    grid = np.moveaxis(np.indices(shape), 0, -1)
    place = np.stack([origin + grid * size, origin + (grid + 0.5) * size])
    return place.reshape(-1, 3), np.arange(2 * np.prod(shape)).reshape(2, *shape), shape


def _signs(corners, place, shape):
    grids = place.reshape(2, *shape, 3)
    axes = [[grid[:, 0, 0, 0], grid[0, :, 0, 1], grid[0, 0, :, 2]] for grid in grids]
    inside = np.stack([inside_grid(corners, each) for each in axes])
    return np.where(inside.reshape(-1), INSIDE, OUTSIDE).astype(np.int8)


def _lattice_cells(number):
    """(c, 4) four tetrahedra about every line from one centre to the next: its ends and an edge of the square between."""
    cells = []
    nodes, centres = number[0], number[1][:-1, :-1, :-1]
    for axis in range(3):
        rolled = np.moveaxis(nodes, axis, 0), np.moveaxis(centres, axis, 0)
        square = rolled[0][1:-1]
        first, last = rolled[1][:-1], rolled[1][1:]
        ring = [square[:, :-1, :-1], square[:, 1:, :-1], square[:, 1:, 1:], square[:, :-1, 1:]]
        for k in range(4):
            one, other = (ring[k], ring[(k + 1) % 4]) if axis != 1 else (ring[(k + 1) % 4], ring[k])
            cells.append(np.stack([first, last, one, other], axis=-1).reshape(-1, 4))
    return np.concatenate(cells)


def _warp(place, sign, edges, share, cut, size):
    """Move lattice points that are too near a cut onto the nearest one; in place."""
    long = np.linalg.norm(place[edges[:, 1]] - place[edges[:, 0]], axis=1) > 0.95 * size
    alpha = np.where(long, ALPHA_LONG, ALPHA_SHORT)
    near = np.concatenate([share, 1 - share])
    point = np.concatenate([edges[:, 0], edges[:, 1]])
    close = np.flatnonzero(near < np.tile(alpha, 2))
    away = near[close] * np.tile(np.where(long, 1, np.sqrt(3) / 2), 2)[close]
    order = close[np.lexsort((close, away, point[close]))]
    moved, first = np.unique(point[order], return_index=True)
    place[moved] = np.tile(cut, (2, 1))[order[first]]
    sign[moved] = ON


def _stuffed(place, sign, cells, edges, cut):
    """Whole cells, and what is inside of those that are cut."""
    count = len(place)
    key = edges.min(axis=1) * np.int64(count) + edges.max(axis=1)
    order = np.argsort(key)
    cuts = _Cuts(count, key[order], np.linalg.norm(cut - place[edges[:, 0]], axis=1)[order])
    points = np.concatenate([place, cut[order]])
    if (_volumes(points, cells) <= 0).any():
        refuse("lattice", "the surface would fold cells of the lattice", "it is finer than the cells: give a smaller size")
    rank = np.argsort(-sign[cells], axis=1, kind="stable")      # inside first, outside last
    ordered = np.take_along_axis(cells, rank, axis=1)
    inner, outer = (sign[cells] == INSIDE).sum(axis=1), (sign[cells] == OUTSIDE).sum(axis=1)
    parts = [np.empty((0, 4), np.int64)]
    for n in (1, 2, 3):
        parts.append(_corner(ordered[(inner == 1) & (outer == n)], n, cuts))
    parts += [*_half(ordered[(inner == 2) & (outer == 1)], cuts), *_wedge_of_two(ordered[(inner == 2) & (outer == 2)], cuts),
              *_wedge_of_three(ordered[(inner == 3) & (outer == 1)], cuts)]
    whole = cells[(outer == 0) & (inner > 0)]
    used, cells = compact(np.concatenate([whole, _upright(points, np.concatenate(parts))]))
    return Mesh(points[used], {"tetrahedron": cells})


class _Cuts:
    """Where the edges that are still cut have their points."""

    def __init__(self, count, key, lengths):
        self.count, self.key, self.lengths = count, key, lengths

    def _row(self, inner, outer):
        return np.searchsorted(self.key, np.minimum(inner, outer) * np.int64(self.count) + np.maximum(inner, outer))

    def point(self, inner, outer):
        return self.count + self._row(inner, outer)

    def rank(self, inner, outer):
        """Of two points inside, the one farther from its cut gives the diagonal between them: it is the shorter one."""
        length = self.lengths[self._row(inner, outer)] / self.lengths.max(initial=1e-300)
        return np.round(length, 9) - inner * (1e-10 / self.count)     # equal ones by their numbers


def _upright(points, cells):
    """Cells cut from an upright one, in the order that makes their volume positive."""
    return np.where((_volumes(points, cells) < 0)[:, None], cells[:, [0, 2, 1, 3]], cells)


def _volumes(points, cells):
    corners = points[cells]
    return np.linalg.det(corners[:, 1:] - corners[:, :1])


def _corner(cells, outer, cuts):
    """One point inside: the ends outside are replaced by their cuts."""
    ends = [cells[:, k] if k < 4 - outer else cuts.point(cells[:, 0], cells[:, k]) for k in range(4)]
    return np.stack(ends, axis=1)


def _half(cells, cuts):
    """Two inside, one on the surface, one outside: a pyramid over the four points between, with the one on it as apex."""
    a, b, apex, out = cells.T
    swap = cuts.rank(a, out) < cuts.rank(b, out)
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    near, far = cuts.point(a, out), cuts.point(b, out)
    return [np.stack(four, axis=1) for four in ((a, b, far, apex), (a, far, near, apex))]


def _wedge_of_three(cells, cuts):
    """Three inside: a wedge between them and their cuts."""
    a, out = cells[:, :3], cells[:, 3:]
    return _wedge(a, cuts.point(a, out), cuts.rank(a, out))


def _wedge_of_two(cells, cuts):
    """Two inside: a wedge whose triangles are each of them with its two cuts."""
    a, b, c, d = cells.T
    one = np.stack([a, cuts.point(a, c), cuts.point(a, d)], axis=1)
    other = np.stack([b, cuts.point(b, c), cuts.point(b, d)], axis=1)
    # between column 0 (a, b) and column k the diagonal starts at a where a ranks higher on that face
    signs = [np.where(cuts.rank(a, out) > cuts.rank(b, out), -1.0, 1.0) for out in (c, d)]
    rank = np.stack([np.zeros(len(a)), *signs], axis=1)
    rank[:, 2] *= 1.5
    return _wedge(one, other, rank)


def _wedge(lower, upper, rank):
    """Three tetrahedra of a wedge: every diagonal goes from the lower end of the column of higher rank up to the other."""
    order = np.argsort(-rank, axis=1, kind="stable")
    a, b = np.take_along_axis(lower, order, axis=1), np.take_along_axis(upper, order, axis=1)
    return [np.concatenate([a[:, :k + 1], b[:, k:]], axis=1) for k in range(3)]
