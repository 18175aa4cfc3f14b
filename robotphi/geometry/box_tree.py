"""Tree of boxes over triangles: which of them touch or cut each other, and how often a surface goes round a point.

Triangles are sorted along a Morton curve; runs of `LEAF` are leaves, and the tree above them is complete, so that node i has
the children 2i + 1 and 2i + 2 and no pointers are kept. Kernels stand in this file alone: numba's cache sees edits here only.
"""
from typing import NamedTuple

import numpy as np
from numba import njit

LEAF = 4
kernel = njit(cache=True, error_model="numpy")
PATIENCE = 1 << 27  # work before giving up, some seconds: a leaf looked at counts 1, two triangles 4
DEPTH = 64  # nodes that wait on the stack: more than twice the levels of any tree that fits into memory


class BoxTree(NamedTuple):
    """Boxes of a complete binary tree."""
    corners: np.ndarray   # (t, 3, 3) m, triangles in the order of the tree
    order: np.ndarray     # (t,) given number of each
    low: np.ndarray       # (nodes, 3) m
    high: np.ndarray      # (nodes, 3) m
    first: int            # node of the first leaf


def box_tree(points, triangles):
    """Tree over triangles of points [m]."""
    centres = points[triangles].mean(axis=1)
    extent = np.ptp(centres, axis=0).max()
    cell = ((centres - centres.min(axis=0)) * (2097151.0 / extent if extent > 0.0 else 0.0)).astype(np.uint64)
    codes = _spread(cell[:, 0]) | _spread(cell[:, 1]) << np.uint64(1) | _spread(cell[:, 2]) << np.uint64(2)
    order = np.argsort(codes, kind="stable")
    corners = np.ascontiguousarray(points[triangles[order]])
    leaves = 1 << max(0, int(np.ceil(np.log2(max(1, -(-len(order) // LEAF))))))
    low, high = np.full((2 * leaves - 1, 3), np.inf), np.full((2 * leaves - 1, 3), -np.inf)
    starts = np.arange(0, len(order), LEAF)
    low[leaves - 1:leaves - 1 + len(starts)] = np.minimum.reduceat(corners.min(axis=1), starts, axis=0)
    high[leaves - 1:leaves - 1 + len(starts)] = np.maximum.reduceat(corners.max(axis=1), starts, axis=0)
    level = leaves - 1
    while level:
        parents = slice(level // 2, level)
        low[parents] = np.minimum(low[level:2 * level + 1:2], low[level + 1:2 * level + 1:2])
        high[parents] = np.maximum(high[level:2 * level + 1:2], high[level + 1:2 * level + 1:2])
        level //= 2
    return BoxTree(corners, order, low, high, leaves - 1)


def crossings(tree, triangles, tolerance, limit):
    """(k, 2) pairs of triangles that come within `tolerance` [m] of each other away from shared corners, at most `limit`.

    And whether that was decided: it is not where so many boxes overlap that `PATIENCE` runs out before any is found.

    Triangles that share an edge are passed over: they can only lie folded upon each other.
    """
    found = np.empty((limit, 2), np.int64)
    rows = np.ascontiguousarray(triangles[tree.order].astype(np.int32))
    count, decided = _find_crossings(tree.corners, rows, tree.low, tree.high, tree.first, tolerance, PATIENCE, found)
    return np.sort(tree.order[found[:count]], axis=1), decided or count > 0


def winding(tree, skip, points, own, direction):
    """(m,) how often the surface goes round each point, triangles with `skip` equal to `own` of the point left out.

    A ray along `direction` counts the triangles that it leaves through as +1 and those that it enters through as −1.
    """
    return _count_windings(tree.corners, skip[tree.order], tree.low, tree.high, tree.first, points, own, direction)


def _spread(x):
    """Bits of x with two empty places between each."""
    for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F), (4, 0x10C30C30C30C30C3),
                        (2, 0x1249249249249249)):
        x = (x | x << np.uint64(shift)) & np.uint64(mask)
    return x


@kernel
def _find_crossings(corners, rows, low, high, first, tolerance, patience, found):
    """Fill `found` with pairs of triangles that cross, each once; return how many, and whether all were looked at."""
    stack, count, work = np.empty(DEPTH, np.int64), 0, 0
    for i in range(len(corners)):
        if work > patience:
            return count, False
        box_low, box_high = np.empty(3), np.empty(3)
        for axis in range(3):
            box_low[axis] = min(corners[i, 0, axis], corners[i, 1, axis], corners[i, 2, axis]) - tolerance
            box_high[axis] = max(corners[i, 0, axis], corners[i, 1, axis], corners[i, 2, axis]) + tolerance
        stack[0], waiting = 0, 1
        while waiting:
            waiting -= 1
            node = stack[waiting]
            if (low[node, 0] > box_high[0] or high[node, 0] < box_low[0] or low[node, 1] > box_high[1]
                    or high[node, 1] < box_low[1] or low[node, 2] > box_high[2] or high[node, 2] < box_low[2]):
                continue
            if node < first:
                stack[waiting], stack[waiting + 1] = 2 * node + 1, 2 * node + 2
                waiting += 2
                continue
            start = (node - first) * LEAF
            work += 1
            for j in range(max(start, i + 1), min(start + LEAF, len(corners))):
                if _boxes_meet(corners[j], box_low, box_high):
                    work += 4
                    if _cross(corners, rows, i, j, tolerance):
                        found[count, 0], found[count, 1] = i, j
                        count += 1
                        if count == len(found):
                            return count, True
    return count, True


@kernel
def _boxes_meet(triangle, low, high):
    for axis in range(3):
        a, b, c = triangle[0, axis], triangle[1, axis], triangle[2, axis]
        if min(a, b, c) > high[axis] or max(a, b, c) < low[axis]:
            return False
    return True


@kernel
def _cross(corners, rows, i, j, tolerance):
    """Whether two triangles meet elsewhere than in shared corners.

    With one corner in common, a longer intersection ends on the edge of one of them opposite to that corner.
    """
    shared, at_i, at_j = 0, 0, 0
    for m in range(3):
        for n in range(3):
            if rows[i, m] == rows[j, n]:
                shared += 1
                at_i, at_j = m, n
    if shared >= 2:
        return False
    if shared == 1:
        return (_pierces(corners[i, (at_i + 1) % 3], corners[i, (at_i + 2) % 3], corners[j], tolerance)
                or _pierces(corners[j, (at_j + 1) % 3], corners[j, (at_j + 2) % 3], corners[i], tolerance))
    for m in range(3):
        if (_pierces(corners[i, m], corners[i, (m + 1) % 3], corners[j], tolerance)
                or _pierces(corners[j, m], corners[j, (m + 1) % 3], corners[i], tolerance)):
            return True
    return False


@kernel
def _pierces(p, q, triangle, tolerance):
    """Whether the segment p q meets the triangle."""
    a, b, c = triangle[0], triangle[1], triangle[2]
    u0, u1, u2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    v0, v1, v2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    length = np.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    at_p = (n0 * (p[0] - a[0]) + n1 * (p[1] - a[1]) + n2 * (p[2] - a[2])) / length
    at_q = (n0 * (q[0] - a[0]) + n1 * (q[1] - a[1]) + n2 * (q[2] - a[2])) / length
    if (at_p > tolerance and at_q > tolerance) or (at_p < -tolerance and at_q < -tolerance):
        return False
    drop = 0 if abs(n0) >= abs(n1) and abs(n0) >= abs(n2) else (1 if abs(n1) >= abs(n2) else 2)
    x, y = (drop + 1) % 3, (drop + 2) % 3
    if abs(at_p) <= tolerance and abs(at_q) <= tolerance:
        return _meet_flat(p[x], p[y], q[x], q[y], a[x], a[y], b[x], b[y], c[x], c[y], tolerance)
    share = min(1.0, max(0.0, at_p / (at_p - at_q)))
    s, t = p[x] + share * (q[x] - p[x]), p[y] + share * (q[y] - p[y])
    return _inside_flat(s, t, a[x], a[y], b[x], b[y], c[x], c[y], tolerance)


@kernel
def _side(px, py, ax, ay, bx, by):
    """Positive where p lies to the left of the line from a to b, in the plane."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@kernel
def _near(px, py, ax, ay, bx, by, tolerance):
    """Whether p comes as near as that to the segment from a to b, in the plane."""
    ex, ey = bx - ax, by - ay
    square = ex * ex + ey * ey
    share = min(1.0, max(0.0, ((px - ax) * ex + (py - ay) * ey) / square)) if square > 0.0 else 0.0
    return np.hypot(px - ax - share * ex, py - ay - share * ey) <= tolerance


@kernel
def _inside_flat(px, py, ax, ay, bx, by, cx, cy, tolerance):
    one, two, three = _side(px, py, ax, ay, bx, by), _side(px, py, bx, by, cx, cy), _side(px, py, cx, cy, ax, ay)
    if min(one, two, three) >= 0.0 or max(one, two, three) <= 0.0:
        return True
    return (_near(px, py, ax, ay, bx, by, tolerance) or _near(px, py, bx, by, cx, cy, tolerance)
            or _near(px, py, cx, cy, ax, ay, tolerance))


@kernel
def _meet_flat(px, py, qx, qy, ax, ay, bx, by, cx, cy, tolerance):
    """Whether a segment and a triangle of one plane meet; a corner on the segment shows where the two change places."""
    if _inside_flat(px, py, ax, ay, bx, by, cx, cy, tolerance) or _inside_flat(qx, qy, ax, ay, bx, by, cx, cy, tolerance):
        return True
    for ex, ey, fx, fy in ((ax, ay, bx, by), (bx, by, cx, cy), (cx, cy, ax, ay)):
        if (_side(px, py, ex, ey, fx, fy) * _side(qx, qy, ex, ey, fx, fy) < 0.0
                and _side(ex, ey, px, py, qx, qy) * _side(fx, fy, px, py, qx, qy) < 0.0):
            return True
    return False


@kernel
def _count_windings(corners, skip, low, high, first, points, own, direction):
    """Crossings of rays with the triangles, with their sign."""
    turns, stack = np.zeros(len(points), np.int64), np.empty(DEPTH, np.int64)
    for i in range(len(points)):
        stack[0], waiting = 0, 1
        while waiting:
            waiting -= 1
            node = stack[waiting]
            if low[node, 0] > high[node, 0] or not _ray_meets(points[i], direction, low[node], high[node]):
                continue
            if node < first:
                stack[waiting], stack[waiting + 1] = 2 * node + 1, 2 * node + 2
                waiting += 2
                continue
            start = (node - first) * LEAF
            for j in range(start, min(start + LEAF, len(corners))):
                if skip[j] != own[i]:
                    turns[i] += _ray_crosses(points[i], direction, corners[j])
    return turns


@kernel
def _ray_meets(point, direction, low, high):
    enter, leave = 0.0, np.inf
    for axis in range(3):
        one, other = (low[axis] - point[axis]) / direction[axis], (high[axis] - point[axis]) / direction[axis]
        enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
    return enter <= leave


@kernel
def _ray_crosses(point, direction, triangle):
    """+1 where the ray leaves through the front, −1 where it enters, 0 where it misses (Möller and Trumbore 1997)."""
    a, b, c = triangle[0], triangle[1], triangle[2]
    u, v, r = b - a, c - a, point - a
    h = np.array([direction[1] * v[2] - direction[2] * v[1], direction[2] * v[0] - direction[0] * v[2],
                  direction[0] * v[1] - direction[1] * v[0]])
    det = u[0] * h[0] + u[1] * h[1] + u[2] * h[2]
    if det == 0.0:
        return 0
    s = (r[0] * h[0] + r[1] * h[1] + r[2] * h[2]) / det
    w = np.array([r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]])
    t = (direction[0] * w[0] + direction[1] * w[1] + direction[2] * w[2]) / det
    away = (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / det
    if s < 0.0 or t < 0.0 or s + t > 1.0 or away <= 0.0:
        return 0
    return -1 if det > 0.0 else 1
