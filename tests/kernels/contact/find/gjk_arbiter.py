"""Slow and exact helpers for the tests of distance and contact direction: pairs of shapes, certificates, arbiters."""
from fractions import Fraction

import numba
import numpy as np
from scipy.spatial import ConvexHull

from robotphi.kernels.compiling.store import keep
from robotphi.kernels.contact.find.gjk import nearest
from robotphi.kernels.contact.find.simplex import NONE

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
            points.append([(c / cells - 0.5) * s for c, s in zip(p, size, strict=True)])
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
        a, b = np.round(2 * a), np.round(2 * b) + np.array([generator.integers(0, 5), 0, 0])
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


def mixed_pairs():
    """Two small pairs of every kind."""
    generator = np.random.default_rng(12)
    return [random_pair(generator, kind, 5, 6) for kind in KINDS for _ in range(2)]


def study(count, seed, sizes=(1, 2, 3, 4, 5, 8, 12, 30)):
    """Certificates of `count` pairs of every kind, cold and warm: {kind: figures}; to be called small or at full size."""
    found = {}
    for kind in KINDS:
        generator = np.random.default_rng((seed, KINDS.index(kind)))
        figures = {"pairs": 0, "overlapping": 0, "gap": 0.0, "weights": 0.0, "warm": 0.0, "iterations": 0, "most": 0}
        for begin in range(0, count, 5000):
            number = min(5000, count - begin)
            pairs = Pairs([random_pair(generator, kind, *generator.choice(sizes, 2)) for _ in range(number)])
            cold = pairs.solve()
            warm = pairs.solve(cold["simplex"])
            figures["pairs"] += number
            figures["overlapping"] += int((cold["distance"] == 0).sum())
            figures["iterations"] += int(cold["iterations"].sum())
            figures["most"] = max(figures["most"], int(cold["iterations"].max()), int(warm["iterations"].max()))
            for answer in (cold, warm):
                gap, weights = pairs.certificate(answer)
                figures["gap"] = max(figures["gap"], gap.max())
                figures["weights"] = max(figures["weights"], weights.max())
            figures["warm"] = max(figures["warm"], float((abs(cold["distance"] - warm["distance"]) / pairs.size).max()))
        found[kind] = figures
    return found


def exact_square(a, b):
    """Square of the distance of two hulls as a fraction: Wolfe's walk to the shortest vector of the differences (1976), in
    rational arithmetic, so that it ends at the very answer."""
    lift = [[tuple(map(Fraction, p)) for p in s.tolist()] for s in (a, b)]
    points = list({(p[0] - q[0], p[1] - q[1], p[2] - q[2]) for p in lift[0] for q in lift[1]})
    near = min(points, key=lambda p: inner(p, p))
    corral, weights = [near], [Fraction(1)]
    while True:
        v = combined(corral, weights)
        square = inner(v, v)
        point = min(points, key=lambda p: inner(p, v))
        if square == 0 or inner(point, v) >= square:
            return square
        corral, weights = [*corral, point], [*weights, Fraction(0)]
        while True:
            flat = affine_weights(corral)
            if all(w > 0 for w in flat):
                weights = flat
                break
            theta = min(w / (w - f) for w, f in zip(weights, flat, strict=True) if f <= 0)
            weights = [w + theta * (f - w) for w, f in zip(weights, flat, strict=True)]
            corral, weights = map(list, zip(*[(c, w) for c, w in zip(corral, weights, strict=True) if w > 0], strict=True))


def inner(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def combined(points, weights):
    return tuple(sum(w * p[i] for p, w in zip(points, weights, strict=True)) for i in range(3))


def affine_weights(points):
    """Weights, of sum 1, of the point of least norm in the plane, line or space of the points."""
    n = len(points)
    rows = [[inner(p, q) for q in points] + [Fraction(1), Fraction(0)] for p in points]
    rows.append([Fraction(1)] * n + [Fraction(0), Fraction(1)])
    for i in range(n + 1):
        pivot = next(k for k in range(i, n + 1) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n + 1):
            if k != i and rows[k][i] != 0:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows[:n]]


def exact_study(count, seed):
    """Largest error of the distance over the size, of close, touching and degenerate pairs, against `exact_square`."""
    generator = np.random.default_rng(seed)
    kinds = ("touching", "flat", "coincident", "lattice", "needles", "faces", "duplicates")
    shapes = [random_pair(generator, kinds[i % len(kinds)], *generator.integers(1, 9, 2)) for i in range(count)]
    pairs = Pairs(shapes)
    truth = np.array([float(exact_square(a, b)) for a, b in shapes])
    return float((abs(pairs.solve()["distance"] - np.sqrt(truth)) / pairs.size).max())


def facet_normals(points, triangles):
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a)


def least_overlap(a, b, of_a, of_b):
    """Brute force over the faces of the difference of two hulls: the direction from B to A of least overlap, and the gap."""
    edges = [np.concatenate([p[t[:, i - 1]] - p[t[:, i]] for i in range(3)]) for p, t in ((a, of_a), (b, of_b))]
    normals = np.concatenate([facet_normals(a, of_a), facet_normals(b, of_b),
                              np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)])
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > 1e-9 * length.max()] / length[length > 1e-9 * length.max(), None]
    normals = np.concatenate([normals, -normals])
    gap = (a @ normals.T).min(0) - (b @ normals.T).max(0)
    k = gap.argmax()
    return normals[k], gap[k]


def turn(vector):
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


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

    def solve(self, warm=None, shift=(0.0, 0.0, 0.0)):
        """Structured answers of `nearest`, started from the simplices `warm` or cold."""
        answer = np.zeros(len(self.span), ANSWER)
        warm = np.zeros((len(self.span), 9), np.int64) if warm is None else warm
        solve_all(self.position, self.vertex, self.span, self.neighbour_start, self.neighbour, shift, warm, answer["distance"],
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


@keep
@numba.njit
def solve_all(position, vertex, span, neighbour_start, neighbour, shift, warm, distance, n, simplex, weights, iterations):
    for q in range(len(span)):
        first = NONE
        if warm[q, 0] > 0:
            first = (warm[q, 0], warm[q, 1], warm[q, 2], warm[q, 3], warm[q, 4], warm[q, 5], warm[q, 6], warm[q, 7],
                     warm[q, 8])
        distance[q], direction, found, share, iterations[q] = nearest(
            position, vertex, span[q, 0], span[q, 1], span[q, 2], span[q, 3], neighbour_start, neighbour, shift, first)
        for k in range(3):
            n[q, k] = direction[k]
        for k in range(9):
            simplex[q, k] = found[k]
        for k in range(4):
            weights[q, k] = share[k]


@keep
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
