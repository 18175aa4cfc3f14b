"""Crossing: a closed surface of triangles in, what is inside it and where it cuts segments out."""
import numpy as np

from robotphi.discretise.cells.nearest import pair_distance

EDGE = 1e-9     # of a triangle: how far past its edge a segment still hits it, so that none slips between two
BATCH = 1 << 20  # pairs looked at together


def inside_grid(corners, axes):
    """(nx, ny, nz) whether the points of a grid are inside: below them along z the surface is entered more often than left.

    Args:
        corners: (t, 3, 3) outward triangles of closed surfaces, which may overlap.
        axes: three ascending (n,) coordinates.
    A line that meets an edge exactly is moved aside by (ε, ε²) in thought, so that it meets one of its two triangles.
    """
    shape = [len(axis) for axis in axes]
    turns = np.zeros((shape[0], shape[1], shape[2] + 1), np.int32)
    low = [np.searchsorted(axes[k], corners[:, :, k].min(axis=1)) for k in range(2)]
    high = [np.searchsorted(axes[k], corners[:, :, k].max(axis=1), side="right") for k in range(2)]
    wide, deep = high[0] - low[0], high[1] - low[1]
    for rows in _batches(wide * deep):
        row, place = ranges(wide[rows] * deep[rows])
        row = rows[row]
        i, j = low[0][row] + place // deep[row], low[1][row] + place % deep[row]
        x, y = axes[0][i], axes[1][j]
        a, b, c = (corners[row, k] for k in range(3))
        sides = np.stack([_left(p, q, x, y) for p, q in ((a, b), (b, c), (c, a))])
        above, below = sides.all(axis=0), ~sides.any(axis=0)    # whether the triangle faces up, or down
        hit = above | below
        a, b, c, x, y, i, j, below = (part[hit] for part in (a, b, c, x, y, i, j, below))
        normal = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = a[:, 2] - ((x - a[:, 0]) * normal[:, 0] + (y - a[:, 1]) * normal[:, 1]) / normal[:, 2]
        z = np.where(np.isfinite(z), z, a[:, 2])
        np.add.at(turns, (i, j, np.searchsorted(axes[2], z)), np.where(below, 1, -1))
    return np.cumsum(turns, axis=2)[:, :, :-1] > 0


def _left(p, q, x, y):
    """Whether (x, y) lies left of p → q; the edge is looked at in one direction only, so that both its triangles agree."""
    turned = (p[:, 0] > q[:, 0]) | ((p[:, 0] == q[:, 0]) & (p[:, 1] > q[:, 1]))
    low, high = np.where(turned[:, None], q, p), np.where(turned[:, None], p, q)
    way = high - low
    side = way[:, 0] * (y - low[:, 1]) - way[:, 1] * (x - low[:, 0])
    aside = np.where(way[:, 1] != 0, -way[:, 1], way[:, 0])
    return (np.where(side != 0, side, aside) > 0) ^ turned


def cut_segments(first, last, corners, reach):
    """(m,) fraction of each segment, not longer than `reach`, at which it last meets the surface.

    `last` lies outside: that is where it leaves the solid for good, also where parts of the surface overlap. Where rounding
    lets a segment miss it, the fraction follows from the distances of its ends.
    """
    share = np.full(len(first), -np.inf)
    for segment, triangle in near_pairs((first + last) / 2, corners, reach / 2):
        way, (a, b, c) = last[segment] - first[segment], (corners[triangle, k] for k in range(3))
        p, q, arm = b - a, c - a, first[segment] - a
        across, turned = np.cross(way, q), np.cross(arm, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (p * across).sum(axis=1)
            u, v, t = ((one * other).sum(axis=1) * inverse for one, other in ((arm, across), (way, turned), (q, turned)))
            hit = (u >= -EDGE) & (v >= -EDGE) & (u + v <= 1 + EDGE) & (t >= -EDGE) & (t <= 1 + EDGE)
        np.maximum.at(share, segment[hit], np.clip(t[hit], 0, 1))
    missed = np.flatnonzero(~np.isfinite(share))
    away = np.full((2, len(missed)), np.inf)
    for segment, triangle in near_pairs((first[missed] + last[missed]) / 2, corners, reach / 2):
        for end, points in enumerate((first[missed], last[missed])):
            np.minimum.at(away[end], segment, pair_distance(points[segment], corners[triangle]))
    total = away.sum(axis=0)
    share[missed] = np.where((total > 0) & np.isfinite(total), away[0] / np.where(total > 0, total, 1), 0.5)
    return share


def near_pairs(points, corners, reach):
    """Batches of (point, triangle) whose bounding boxes are nearer than `reach`, by boxes of that size."""
    origin = points.min(axis=0) if len(points) else np.zeros(3)
    box = 2 * reach
    cell = np.floor((points - origin) / box).astype(np.int64)
    size = cell.max(axis=0, initial=0) + 1
    key = (cell[:, 0] * size[1] + cell[:, 1]) * size[2] + cell[:, 2]
    order = np.argsort(key, kind="stable")
    key = key[order]
    low = np.clip(np.floor((corners.min(axis=1) - reach - origin) / box).astype(np.int64), 0, size)
    high = np.clip(np.floor((corners.max(axis=1) + reach - origin) / box).astype(np.int64) + 1, 0, size)
    span = np.maximum(high - low, 0)
    for rows in _batches(span.prod(axis=1)):
        row, place = ranges(span[rows].prod(axis=1))
        row = rows[row]
        i = low[row, 0] + place // (span[row, 1] * span[row, 2])
        j = low[row, 1] + place // span[row, 2] % span[row, 1]
        k = low[row, 2] + place % span[row, 2]
        wanted = (i * size[1] + j) * size[2] + k
        start, stop = np.searchsorted(key, wanted), np.searchsorted(key, wanted, side="right")
        for part in _batches(stop - start):
            pair, step = ranges((stop - start)[part])
            yield order[start[part][pair] + step], row[part[pair]]


def small_triangles(corners, longest):
    """The same surface with every triangle cut into four until no edge is longer, and (n,) the triangle of each piece.

    The boxes of small triangles hold little else.
    """
    done, owners, owner = [np.empty((0, 3, 3))], [np.empty(0, int)], np.arange(len(corners))
    while len(corners):
        large = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1) > longest
        done.append(corners[~large])
        owners.append(owner[~large])
        owner = np.tile(owner[large], 4)
        a, b, c = np.moveaxis(corners[large], 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        corners = np.concatenate([np.stack(four, axis=1) for four in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return np.concatenate(done), np.concatenate(owners)


def ranges(counts):
    """Rows repeated by their counts, and 0, 1, 2 … within each."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


def _batches(counts):
    """Rows in runs whose counts add up to about BATCH."""
    if not len(counts):
        return []
    group = np.cumsum(counts) // BATCH
    return np.split(np.arange(len(counts)), np.flatnonzero(np.diff(group)) + 1)
