"""A triangle cut by planes in its own two coordinates, and the pressure on what is left of it.

A point of a triangle is (w1, w2): x = x0 + w1 (x1 − x0) + w2 (x2 − x0), and w0 = 1 − w1 − w2. Whatever is linear in space is
linear in these, so that a plane is the three numbers d0, d1, d2 of its distance at the corners, a vertical triangle is no
special case, and no point is ever projected.

Over the polygon that is left (a fan of triangles, in each the three middles of the edges, exact for quadratics) go
    ∫ g,  ∫ g w_k,  ∫ g²,        g the gap, linear;
    ∫ g c, ∫ g c w_k, ∫ g c ġ,   c = s max(−1, d ġ), the share that damping adds to the pressure λ g (Hunt and Crossley).
`lossy` is (d, s): s is 1 in shallow contact, less where far sides press back and the damping is to pull nowhere.
The unit of area is dw1 dw2: the triangle has ½, times its area vector (x1 − x0) × (x2 − x0).
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.columns import (
    PAIR_AREA,
    PAIR_CENTRE,
    PAIR_ELASTIC,
    PAIR_ENERGY,
    PAIR_FACING,
    PAIR_FORCE,
    PAIR_LOSS,
    PAIR_MOMENT,
    PAIR_NORMAL,
    PAIR_PLACE,
    PAIR_POINTS,
    PAIR_SPREAD,
    PAIR_TENSOR,
)
from robotphi.kernels.maths.vectors import cross, dot, minus, read

ROOM = 16            # corners a polygon may have: 7 of a triangle cut by four planes, 13 if rounding did its worst
CORNER_ROWS = 2 * ROOM  # rows of the scratch array `corner` (rows, 2): two polygons in turn

# what is integrated
OF_GAP, OF_GAP_1, OF_GAP_2, OF_SQUARE, OF_PUSH, OF_PUSH_1, OF_PUSH_2, OF_LOST, OF_ROUND, OF_SIZE, OF_COUNT = range(11)


@inlined
def frame(n):
    """Two directions across the unit vector n, right-handed with it (Duff et al. 2017); exact axes for n along an axis."""
    sign = math.copysign(1.0, n[2])
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    return (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]), (b, sign + n[1] * n[1] * a, -n[1])


@inlined
def facet_rows(facet, i):
    return np.int64(facet[i, 0]), np.int64(facet[i, 1]), np.int64(facet[i, 2])


@inlined
def arms(x, rows, origin):
    return minus(read(x, rows[0]), origin), minus(read(x, rows[1]), origin), minus(read(x, rows[2]), origin)


@inlined
def normal_length(u):
    """Area vector of a local triangle: its part along n (twice the area seen) and the square of its length."""
    a, b = minus(u[1], u[0]), minus(u[2], u[0])
    c = cross(a, b)
    return c[2], dot(c, c)


@inlined
def linear(value, w1, w2):
    """Value at (w1, w2) from those at the corners."""
    return value[0] + w1 * (value[1] - value[0]) + w2 * (value[2] - value[0])


@inlined
def start_polygon(corner):
    """The whole triangle in rows 0, 1, 2; returns begin and count."""
    corner[0, 0], corner[0, 1] = 0.0, 0.0
    corner[1, 0], corner[1, 1] = 1.0, 0.0
    corner[2, 0], corner[2, 1] = 0.0, 1.0
    return np.int64(0), np.int64(3)


@kernel
def cut(corner, begin, count, d):
    """Keep what has d ≥ 0 of the polygon in rows begin … begin + count; it goes to the other half of the rows.

    Sutherland and Hodgman: corners within, and crossings of the edges. Returns begin and count of what is left.
    """
    to = ROOM - begin
    kept = 0
    a1, a2 = corner[begin + count - 1, 0], corner[begin + count - 1, 1]
    da = linear(d, a1, a2)
    for k in range(begin, begin + count):
        b1, b2 = corner[k, 0], corner[k, 1]
        db = linear(d, b1, b2)
        if (da >= 0.0) != (db >= 0.0):
            t = da / (da - db)
            corner[to + kept, 0] = a1 + t * (b1 - a1)
            corner[to + kept, 1] = a2 + t * (b2 - a2)
            kept += 1
        if db >= 0.0:
            corner[to + kept, 0], corner[to + kept, 1] = b1, b2
            kept += 1
        a1, a2, da = b1, b2, db
    return to, kept


@inlined
def add_point(total, w1, w2, weight, gap, most, rate, lossy, across):
    """Add one point of pressure; `most` bounds the gap where rounding could stretch it, `across` are places across n."""
    depth = min(max(linear(gap, w1, w2), 0.0), most)
    g = depth * weight
    r = linear(rate, w1, w2)
    push = g * lossy[1] * max(-1.0, lossy[0] * r)
    p = (linear((across[0][0], across[1][0], across[2][0]), w1, w2), linear((across[0][1], across[1][1], across[2][1]), w1, w2))
    return (total[0] + g, total[1] + g * w1, total[2] + g * w2, total[3] + g * depth,
            total[4] + push, total[5] + push * w1, total[6] + push * w2, total[7] + push * r,
            total[8] + g * (p[0] * p[0] + p[1] * p[1]), total[9] + weight, total[10] + (1.0 if g > 0.0 else 0.0))


@inlined
def triangle_area(a, b, c):
    return 0.5 * abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@inlined
def middle(total, a, b, weight, gap, most, rate, lossy, across):
    """Add the middle of a and b with a weight [of area]."""
    return add_point(total, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), weight, gap, most, rate, lossy, across)


@inlined
def integrate_polygon(corner, begin, count, gap, most, rate, lossy, across):
    """Everything over the polygon, a fan of triangles from its first corner; the spokes of the fan serve two triangles."""
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    a = (corner[begin, 0], corner[begin, 1])
    b = (corner[begin + 1, 0], corner[begin + 1, 1])
    before = 0.0
    for k in range(begin + 2, begin + count):
        c = (corner[k, 0], corner[k, 1])
        third = triangle_area(a, b, c) / 3.0
        total = middle(total, a, b, before + third, gap, most, rate, lossy, across)
        total = middle(total, b, c, third, gap, most, rate, lossy, across)
        b, before = c, third
    return middle(total, a, b, before, gap, most, rate, lossy, across)


@inlined
def crossing(a, b, da, db):
    """Where d = 0 on the edge from a (da > 0) to b (db ≤ 0)."""
    t = da / (da - db)
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])


@inlined
def integrate_behind(gap, most, rate, lossy, across):
    """Everything over the part of a whole facet with gap > 0, a triangle or a quadrangle; nothing in memory."""
    g0, g1, g2 = gap
    a, b, c = (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)
    in0, in1, in2 = g0 > 0.0, g1 > 0.0, g2 > 0.0
    # turn the corners so that one that is alone on its side comes first
    if in1 != in0 and in1 != in2:
        a, b, c, g0, g1, g2 = b, c, a, g1, g2, g0
    elif in2 != in0 and in2 != in1:
        a, b, c, g0, g1, g2 = c, a, b, g2, g0, g1
    last = c  # of a quadrangle a, b, c, last; a triangle has its third corner twice
    if g0 > 0.0:
        if not (in0 and in1 and in2):
            b, c = crossing(a, b, g0, g1), crossing(a, c, g0, g2)
            last = c
    else:
        a, b, c, last = b, c, crossing(c, a, g2, g0), crossing(b, a, g1, g0)
    third, fourth = triangle_area(a, b, c) / 3.0, triangle_area(a, c, last) / 3.0
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    total = middle(total, a, b, third, gap, most, rate, lossy, across)
    total = middle(total, b, c, third, gap, most, rate, lossy, across)
    total = middle(total, a, c, third + fourth, gap, most, rate, lossy, across)
    if fourth > 0.0:
        total = middle(total, c, last, fourth, gap, most, rate, lossy, across)
        total = middle(total, a, last, fourth, gap, most, rate, lossy, across)
    return total


@inlined
def give_share(share, places, s0, s1, s2):
    if places[0] >= 0:
        share[places[0]] += s0
    if places[1] >= 0:
        share[places[1]] += s1
    if places[2] >= 0:
        share[places[2]] += s2


@inlined
def add_sums(sums, k, arm, f0, f1, f2):
    """Force and moment of three forces at three places."""
    for axis in range(3):
        sums[k, PAIR_FORCE + axis] += f0[axis] + f1[axis] + f2[axis]
    y0, y1, y2 = arm
    x, y, z = PAIR_MOMENT, PAIR_MOMENT + 1, PAIR_MOMENT + 2
    sums[k, x] += (y0[1] * f0[2] - y0[2] * f0[1]) + (y1[1] * f1[2] - y1[2] * f1[1]) + (y2[1] * f2[2] - y2[2] * f2[1])
    sums[k, y] += (y0[2] * f0[0] - y0[0] * f0[2]) + (y1[2] * f1[0] - y1[0] * f1[2]) + (y2[2] * f2[0] - y2[0] * f2[2])
    sums[k, z] += (y0[0] * f0[1] - y0[1] * f0[0]) + (y1[0] * f1[1] - y1[1] * f1[0]) + (y2[0] * f2[1] - y2[1] * f2[0])


@inlined
def pressed(total, factor, area, n, lean):
    """Forces on the three corners: factor × pressure × area vector, and the damping part along `lean`, 1 long along n.

    f_k = factor (A ∫ g w_k + lean (n·A) ∫ g c w_k)
    """
    along = area[0] * n[0] + area[1] * n[1] + area[2] * n[2]
    e1, e2 = factor * total[OF_GAP_1], factor * total[OF_GAP_2]
    e0 = factor * (total[OF_GAP] - total[OF_GAP_1] - total[OF_GAP_2])
    c1, c2 = factor * along * total[OF_PUSH_1], factor * along * total[OF_PUSH_2]
    c0 = factor * along * (total[OF_PUSH] - total[OF_PUSH_1] - total[OF_PUSH_2])
    return ((e0 * area[0] + c0 * lean[0], e0 * area[1] + c0 * lean[1], e0 * area[2] + c0 * lean[2]),
            (e1 * area[0] + c1 * lean[0], e1 * area[1] + c1 * lean[1], e1 * area[2] + c1 * lean[2]),
            (e2 * area[0] + c2 * lean[0], e2 * area[1] + c2 * lean[1], e2 * area[2] + c2 * lean[2]),
            along * e0 + c0, along * e1 + c1, along * e2 + c2)


@inlined
def add_tensor(sums, k, weight, arm):
    """weight × arm × arm to the spread of the pressure of pair k."""
    x, y, z = weight * arm[0], weight * arm[1], weight * arm[2]
    sums[k, PAIR_TENSOR] += x * arm[0]
    sums[k, PAIR_TENSOR + 1] += y * arm[1]
    sums[k, PAIR_TENSOR + 2] += z * arm[2]
    sums[k, PAIR_TENSOR + 3] += x * arm[1]
    sums[k, PAIR_TENSOR + 4] += x * arm[2]
    sums[k, PAIR_TENSOR + 5] += y * arm[2]


@inlined
def press_facet(total, factor, area, n, lean, arm, rows, force, sums, k, sign):
    """Put the pressure on facet `rows` of the first part: forces on its rows, everything into row k of the sums.

    `factor` is −λ × sign of the facet that presses; `area` the area vector, `lean` the direction of the
    damping, `arm` its corners from the reference point.
    Where the two facets face each other (`sign` > 0, the facet against n) they count for the area.
    Returns the normal forces on the three corners.
    """
    f0, f1, f2, s0, s1, s2 = pressed(total, factor, area, n, lean)
    for axis in range(3):
        force[rows[0], axis] += f0[axis]
        force[rows[1], axis] += f1[axis]
        force[rows[2], axis] += f2[axis]
    along = area[0] * n[0] + area[1] * n[1] + area[2] * n[2]
    add_sums(sums, k, arm, f0, f1, f2)
    sums[k, PAIR_ENERGY] += 0.5 * factor * along * total[OF_SQUARE]
    sums[k, PAIR_LOSS] += factor * along * total[OF_LOST]
    sums[k, PAIR_NORMAL] += s0 + s1 + s2
    sums[k, PAIR_ELASTIC] += factor * along * total[OF_GAP]
    sums[k, PAIR_POINTS] += total[OF_COUNT]
    whole = factor * along
    e1, e2 = whole * total[OF_GAP_1], whole * total[OF_GAP_2]
    e0 = whole * total[OF_GAP] - e1 - e2
    faces = sign > 0.0 and along < 0.0
    for axis in range(3):
        place = e0 * arm[0][axis] + e1 * arm[1][axis] + e2 * arm[2][axis]
        sums[k, PAIR_CENTRE + axis] += place
        if faces:
            sums[k, PAIR_PLACE + axis] += place
    sums[k, PAIR_SPREAD] += whole * total[OF_ROUND]
    add_tensor(sums, k, e0, arm[0])
    add_tensor(sums, k, e1, arm[1])
    add_tensor(sums, k, e2, arm[2])
    if faces:
        sums[k, PAIR_FACING] += whole * total[OF_GAP]
        sums[k, PAIR_AREA] -= along * total[OF_SIZE]
    return s0, s1, s2
