"""Lines and folds: which springs of a mesh meet in a straight line, and which facets share an edge."""
import numpy as np
from numba import njit

from robotphi.kernels.compiling.store import keep

STRAIGHT = np.cos(np.deg2rad(10.0))  # two springs that turn by less are one line


def straight_triples(position, pairs, straight=STRAIGHT):
    """(t, 3) int32 first, centre, second and (t, 2) int32 their springs: each two springs of nearly one line at a particle.

    Two springs are one line where each is the straightest continuation of the other.
    """
    count = len(position)
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]])
    order = np.argsort(ends, kind="stable").astype(np.int32)
    start = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=count)))).astype(np.int32)
    found = np.empty((int(start[-1]) // 2, 2), np.int32)
    found = found[:_find_lines(position, pairs, order, start, straight, found)]
    spring = found % len(pairs)
    centre = pairs[spring[:, 0], (found[:, 0] >= len(pairs)).astype(int)]
    outer = [pairs[spring[:, i], (found[:, i] < len(pairs)).astype(int)] for i in (0, 1)]
    return np.stack([outer[0], centre, outer[1]], axis=1), spring


@keep
@njit
def _find_lines(position, pairs, order, start, straight, found):
    """Half-springs (spring + count where it is seen from its second end) that continue each other; returns their number."""
    springs, made, most = len(pairs), 0, 0
    for i in range(len(start) - 1):
        most = max(most, start[i + 1] - start[i])
    unit, best = np.empty((most, 3)), np.empty(most, np.int64)
    for centre in range(len(start) - 1):
        begin, degree = start[centre], start[centre + 1] - start[centre]
        for j in range(degree):
            half = order[begin + j]
            other = pairs[half, 1] if half < springs else pairs[half - springs, 0]
            square = 0.0
            for axis in range(3):
                unit[j, axis] = position[other, axis] - position[centre, axis]
                square += unit[j, axis] ** 2
            length = np.sqrt(square)
            for axis in range(3):
                unit[j, axis] /= length
        for j in range(degree):
            best[j], least = -1, -straight
            for k in range(degree):
                cosine = unit[j, 0] * unit[k, 0] + unit[j, 1] * unit[k, 1] + unit[j, 2] * unit[k, 2]
                if k != j and cosine < least:
                    best[j], least = k, cosine
        for j in range(degree):
            if best[j] > j and best[best[j]] == j:
                found[made, 0], found[made, 1] = order[begin + j], order[begin + best[j]]
                made += 1
    return made


def folds(triangles, count):
    """(e, 4) int32 first, centre, end, second of every edge that two triangles share: the edge is centre → end."""
    ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    apex = triangles[:, [2, 0, 1]].ravel()
    low, high = ends.min(axis=1).astype(np.int64), ends.max(axis=1)
    key = low * count + high
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order][1:] == key[order][:-1])
    one, other = order[same], order[same + 1]
    return np.stack([apex[one], ends[one, 0], ends[one, 1], apex[other]], axis=1).astype(np.int32)
