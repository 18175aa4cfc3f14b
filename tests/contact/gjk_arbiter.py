"""Slow and exact helpers for the tests of distance and contact direction: pairs of shapes, certificates, arbiters."""
from fractions import Fraction

import numba
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from robotphi.kernels.contact.gjk import NONE, nearest

KINDS = ("separated", "touching", "deep", "flat", "coincident", "lattice", "needles", "faces", "far", "duplicates")
UNIT = np.finfo(float).eps


def rotation(generator):
    """A random rotation matrix."""
    q, r = np.linalg.qr(generator.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def split_box(cells, size=(1.0, 1.0, 1.0)):
    """Box about the origin with facets split into cells × cells squares: (points, triangles)."""
    place, points, triangles = {}, [], []

    def number(p):
        if p not in place:
            place[p] = len(points)
            points.append([(c / cells - 0.5) * s for c, s in zip(p, size)])
        return place[p]

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cells):
            for i in range(cells):
                for j in range(cells):
                    corner = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        p = [0, 0, 0]
                        p[axis], p[u], p[v] = side, i + di, j + dj
                        corner.append(number(tuple(p)))
                    a, b, c, d = corner if side else corner[::-1]
                    triangles += [(a, b, c), (a, c, d)]
    return np.array(points), np.array(triangles)


def ellipsoid(generator, count, axes=(1.0, 0.7, 0.5)):
    """Points on an ellipsoid and the triangles of their hull."""
    points = generator.normal(size=(count, 3))
    points *= np.array(axes) / np.linalg.norm(points, axis=1, keepdims=True)
    return points, ConvexHull(points).simplices


def neighbours_of(count, triangles):
    """(start, neighbour) of corners joined by an edge of a triangle."""
    joined = [set() for _ in range(count)]
    for triangle in triangles:
        for i in range(3):
            a, b = int(triangle[i]), int(triangle[(i + 1) % 3])
            joined[a].add(b)
            joined[b].add(a)
    start = np.cumsum([0] + [len(j) for j in joined]).astype(np.int32)
    flat = np.array([k for j in joined for k in sorted(j)] + [0], np.int32)
    return start, flat


def random_pair(generator, kind, m, n):
    """Corners (m, 3) and (n, 3) of a pair of one of KINDS; about 1 in size but for the last scale factor."""
    a, b = generator.uniform(-1, 1, (m, 3)), generator.uniform(-1, 1, (n, 3))
    direction = generator.normal(size=3)
    direction /= np.linalg.norm(direction)
    gap = 10.0 ** generator.uniform(-17, -2) * generator.choice((-1.0, 0.0, 1.0, 1.0))
    if kind == "deep":
        b += 0.3 * direction
    elif kind == "flat":
        a *= (1.0, generator.choice((0.0, 1e-13, 1.0)), generator.choice((0.0, 1e-15, 1e-9)))
        b *= (1.0, generator.choice((0.0, 1e-13, 1.0)), generator.choice((0.0, 1e-15, 1e-9)))
        turn = rotation(generator)
        a, b = a @ turn.T, b @ (turn if generator.random() < 0.5 else rotation(generator)).T
        b += (0.0, gap, generator.choice((0.0, 1.0)) * gap)
    elif kind == "coincident":
        a = np.tile(a[:1], (m, 1)) if generator.random() < 0.5 else a
        b = np.resize(a, (n, 3)) + generator.choice((0.0, 1e-16, 1e-12)) * b + generator.choice((0.0, 1.0)) * gap * direction
    elif kind == "lattice":
        a, b = np.round(2 * a), np.round(2 * b) + (generator.integers(0, 5), 0, 0)
    elif kind == "needles":
        a *= 10.0 ** generator.uniform(-9, 0, 3)
        b *= 10.0 ** generator.uniform(-9, 0, 3)
        a, b = a @ rotation(generator).T, b @ rotation(generator).T
    elif kind == "faces":  # the same plane but for a gap, split into collinear and coplanar points
        a[:, 2], b[:, 2] = np.abs(a[:, 2]) * (np.arange(m) % 3 == 0), -np.abs(b[:, 2]) * (np.arange(n) % 3 == 0)
        a[:, :2], b[:, :2] = np.round(3 * a[:, :2]) / 3, np.round(5 * b[:, :2]) / 7 + generator.choice((0.0, 1.0, 1.6))
        a[:, 2] += gap
        turn = rotation(generator)
        a, b = a @ turn.T, b @ turn.T
    elif kind == "duplicates":
        a = a[generator.integers(0, max(1, m // 3), m)]
        b = b[generator.integers(0, max(1, n // 3), n)]
    if kind in ("separated", "far", "duplicates"):
        b += generator.uniform(0, 4) * direction
    if kind in ("touching", "needles"):
        b += ((a @ direction).min() - (b @ direction).max() - gap) * direction
    if kind == "far":
        offset = 1e3 * generator.normal(size=3)
        a, b = a + offset, b + offset
    scale = 10.0 ** generator.uniform(-6, 6)
    return a * scale, b * scale


class Pairs:
    """Pairs of parts laid one after the other, as the kernels read them."""

    def __init__(self, pairs, triangles=None):
        """pairs: [(corners of A, corners of B)]; triangles: [(of A, of B)] gives neighbours to climb, none scans."""
        sets = [s for pair in pairs for s in pair]
        start = np.cumsum([0] + [len(s) for s in sets])
        self.position = np.zeros((start[-1], 4))
        self.position[:, :3] = np.concatenate(sets)
        self.vertex = np.arange(start[-1], dtype=np.int32)
        self.span = np.stack([start[:-1:2], start[1::2], start[1::2], start[2::2]], 1).astype(np.int32)
        if triangles is None:
            self.neighbour_start, self.neighbour = np.zeros(start[-1] + 1, np.int32), np.zeros(1, np.int32)
        else:
            of = [t + start[2 * i + j] for i, pair in enumerate(triangles) for j, t in enumerate(pair)]
            self.neighbour_start, self.neighbour = neighbours_of(start[-1], np.concatenate(of))
        self.size = np.array([size_of(a, b) for a, b in pairs])

    def solve(self, warm=None):
        """Structured answers of `nearest`, started from the simplices `warm` or cold."""
        answer = np.zeros(len(self.span), ANSWER)
        warm = np.zeros((len(self.span), 9), np.int64) if warm is None else warm
        solve_all(self.position, self.vertex, self.span, self.neighbour_start, self.neighbour, warm, answer["distance"],
                  answer["n"], answer["simplex"], answer["weights"], answer["iterations"])
        return answer

    def certificate(self, answer):
        """Errors over size: how far the witnesses are apart beyond the support gap along n; and of the weights."""
        gap, weight = np.zeros(len(self.span)), np.zeros(len(self.span))
        certify_all(self.position, self.vertex, self.span, answer["distance"], answer["n"], answer["simplex"],
                    answer["weights"], gap, weight)
        return gap / self.size, weight


ANSWER = np.dtype([("distance", float), ("n", float, 3), ("simplex", np.int64, 9), ("weights", float, 4),
                   ("iterations", np.int64)])


def size_of(a, b):
    """Largest extent of the two sets about their centres, and what large coordinates cost: 1e-12 of it is 4.5e3 roundings of
    a corner near the origin; 16 roundings of the largest coordinate are granted."""
    extent = max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max())
    return extent + 16 * UNIT / 1e-12 * max(np.abs(a).max(), np.abs(b).max())


@numba.njit
def solve_all(position, vertex, span, neighbour_start, neighbour, warm, distance, n, simplex, weights, iterations):
    for q in range(len(span)):
        first = NONE
        if warm[q, 0] > 0:
            first = (warm[q, 0], warm[q, 1], warm[q, 2], warm[q, 3], warm[q, 4], warm[q, 5], warm[q, 6], warm[q, 7],
                     warm[q, 8])
        distance[q], direction, found, share, iterations[q] = nearest(
            position, vertex, span[q, 0], span[q, 1], span[q, 2], span[q, 3], neighbour_start, neighbour, (0.0, 0.0, 0.0),
            first)
        for k in range(3):
            n[q, k] = direction[k]
        for k in range(9):
            simplex[q, k] = found[k]
        for k in range(4):
            weights[q, k] = share[k]


@numba.njit
def certify_all(position, vertex, span, distance, n, simplex, weights, gap, weight):
    """All relative to a corner of B, so that the arbiter's own rounding is that of the extent, not of the coordinates."""
    for q in range(len(span)):
        base = position[vertex[span[q, 2]], :3]
        apart = np.zeros(3)
        total = 0.0
        for k in range(simplex[q, 0]):
            share = weights[q, k]
            i, j = simplex[q, 1 + k], simplex[q, 5 + k]
            inside = span[q, 0] <= i < span[q, 1] and span[q, 2] <= j < span[q, 3]
            if not (share >= 0.0 and inside):
                weight[q] = np.inf
            total += share
            apart += share * (position[vertex[i], :3] - position[vertex[j], :3])
        weight[q] = max(weight[q], abs(total - 1.0))
        apart = np.sqrt((apart**2).sum())
        if distance[q] == 0.0:
            gap[q] = apart
            continue
        low, high = np.inf, -np.inf
        for k in range(span[q, 0], span[q, 1]):
            low = min(low, ((position[vertex[k], :3] - base) * n[q]).sum())
        for k in range(span[q, 2], span[q, 3]):
            high = max(high, ((position[vertex[k], :3] - base) * n[q]).sum())
        gap[q] = max(max(apart, distance[q]) - (low - high), abs(apart - distance[q]))
        if not abs((n[q]**2).sum() - 1.0) < 1e-14 or not gap[q] >= -np.inf:
            gap[q] = np.inf
