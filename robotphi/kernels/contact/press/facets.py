"""Pressure between two polyhedra, facet against facet, after facets and pairs that cannot touch are dropped in linear time.

The contact direction n points from the second part B to the first, A; z is the coordinate along n, p the place across it.
The pair stores (ρ the length of B above a point, ψ that of A below it, both along n)
    U = λ ∫_A ρ dV = λ ∫_B ψ dV,      ρ = Σ_j sign(N_j·n) (z_j(p) − z)₊,      ψ = −Σ_i sign(N_i·n) (z − z_i(p))₊
over the facets j of B above or below p, i of A likewise. Its gradient at fixed n is the pressure λ ρ along −N on A and λ ψ
along −N on B, so that corner k of facet T gets −λ ∫_T ρ w_k dA N. Each facet of the other part cuts its prism along n out of T;
on that polygon ρ has one linear term. Facets turned away count with their sign, facets parallel to n feel pressure but stand
above no area. Damping (Hunt and Crossley 1975): where facets face each other the terms of A's pressure become
λ g (1 + s max(−1, d ġ)), g the gap, and what is added acts along n on both. Far sides, which take from the pressure, are not
damped; s ≤ 1 is the share that they leave, so that it never pulls.

Seen along n, a point on an edge of B belongs to one of its two facets: the sign that decides is computed in the same order
of rows for both, so that rounding never counts twice or not at all; a wall of A just along an edge has half of each.
"""
import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.clip import (
    OF_GAP,
    OF_GAP_1,
    OF_GAP_2,
    OF_PUSH,
    OF_PUSH_1,
    OF_PUSH_2,
    arms,
    cut,
    facet_rows,
    frame,
    give_share,
    integrate_polygon,
    normal_length,
    press_facet,
    pressed,
    start_polygon,
)
from robotphi.kernels.contact.press.near import (
    LOW_S,
    LOW_T,
    UPRIGHT,
    boxes_meet,
    in_frame,
    near_facets,
)
from robotphi.kernels.maths.vectors import cross, dot, minus, read, scaled

STEEP = 1e-2  # square of the sine between facet of B and n below which its pressure is not taken from that on A


@inlined
def twice_area(a, b, p):
    """Twice the area of a, b, p seen along n."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


@inlined
def beside(a, b, row_a, row_b, corners):
    """Where three corners lie beside the edge a → b; for b → a exactly the opposite."""
    if row_a < row_b:
        return twice_area(a, b, corners[0]), twice_area(a, b, corners[1]), twice_area(a, b, corners[2])
    return -twice_area(b, a, corners[0]), -twice_area(b, a, corners[1]), -twice_area(b, a, corners[2])


@inlined
def signed(e, sign):
    return sign * e[0], sign * e[1], sign * e[2]


@inlined
def all_out(d):
    return d[0] < 0.0 and d[1] < 0.0 and d[2] < 0.0


@inlined
def crossed(d):
    return not (d[0] >= 0.0 and d[1] >= 0.0 and d[2] >= 0.0)


@inlined
def half_if_on(d):
    """½ for a facet that stands just on the edge."""
    return 0.5 if d[0] == 0.0 and d[1] == 0.0 and d[2] == 0.0 else 1.0


@inlined
def part_over(corner, own, other, rows, seen, side):
    """The part of the triangle `own` that faces the triangle `other` along n with a gap > 0.

    Corners are local (across, across, along n); `rows` are those of `other`, `seen` twice its area along n, not zero; side +1:
    other above, −1: below. Returns begin and count of the polygon in `corner`, the weight of other (its sign, 0 where
    nothing is left), and at the three corners of `own` the gap, the bound on it, and two of the three weights of `other`.
    """
    nothing = (0, 0, 0.0, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    sign = 1.0 if seen > 0.0 else -1.0
    d0 = signed(beside(other[1], other[2], rows[1], rows[2], own), sign)
    if all_out(d0):
        return nothing
    d1 = signed(beside(other[2], other[0], rows[2], rows[0], own), sign)
    if all_out(d1):
        return nothing
    d2 = signed(beside(other[0], other[1], rows[0], rows[1], own), sign)
    if all_out(d2):
        return nothing
    size = 1.0 / (sign * seen)
    b1, b2 = signed(d1, size), signed(d2, size)
    rise1, rise2 = side * (other[1][2] - other[0][2]), side * (other[2][2] - other[0][2])
    gap = (side * (other[0][2] - own[0][2]) + b1[0] * rise1 + b2[0] * rise2,
           side * (other[0][2] - own[1][2]) + b1[1] * rise1 + b2[1] * rise2,
           side * (other[0][2] - own[2][2]) + b1[2] * rise1 + b2[2] * rise2)
    if gap[0] <= 0.0 and gap[1] <= 0.0 and gap[2] <= 0.0:
        return nothing
    begin, count = start_polygon(corner)
    if crossed(d0):
        begin, count = cut(corner, begin, count, d0)
    if crossed(d1) and count > 0:
        begin, count = cut(corner, begin, count, d1)
    if crossed(d2) and count > 0:
        begin, count = cut(corner, begin, count, d2)
    if crossed(gap) and count > 0:
        begin, count = cut(corner, begin, count, gap)
    if count < 3:
        return nothing
    top = max(side * other[0][2], max(side * other[1][2], side * other[2][2]))
    most = top - min(side * own[0][2], min(side * own[1][2], side * own[2][2]))
    weight = sign * half_if_on(d0) * half_if_on(d1) * half_if_on(d2)
    return begin, count, weight, gap, most, b1, b2


@inlined
def closing(v, own_rows, other_rows, n, b1, b2):
    """ġ at the corners of the first facet: velocity of the second along n (by its weights) less its own."""
    w0 = dot(n, read(v, other_rows[0]))
    w1, w2 = dot(n, read(v, other_rows[1])) - w0, dot(n, read(v, other_rows[2])) - w0
    return (w0 + b1[0] * w1 + b2[0] * w2 - dot(n, read(v, own_rows[0])),
            w0 + b1[1] * w1 + b2[1] * w2 - dot(n, read(v, own_rows[1])),
            w0 + b1[2] * w1 + b2[2] * w2 - dot(n, read(v, own_rows[2])))


@inlined
def keep_greatest(most, below, place, s, j):
    """Remember the facet of B that gives the most to a vertex of A."""
    if place >= 0 and s > most[place]:
        most[place] = s
        below[place] = j


@inlined
def added(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inlined
def give_second(wrench, f0, f1, f2, s0, s1, s2, y, rows, places, force, share):
    """Forces on a facet of B; returns the wrench with their sum and moment."""
    for axis in range(3):
        force[rows[0], axis] += f0[axis]
        force[rows[1], axis] += f1[axis]
        force[rows[2], axis] += f2[axis]
    give_share(share, places, -s0, -s1, -s2)
    m0, m1, m2 = cross(y[0], f0), cross(y[1], f1), cross(y[2], f2)
    return added(wrench, (f0[0] + f1[0] + f2[0], f0[1] + f1[1] + f2[1], f0[2] + f1[2] + f2[2],
                          m0[0] + m1[0] + m2[0], m0[1] + m1[1] + m2[1], m0[2] + m1[2] + m2[2]))


@inlined
def facing(pressure, area, n, elastic, push):
    """What corner of B gets where its facet faces A: pressure (area vector / area seen × ∫ g b + n ∫ g c b)."""
    return (pressure * (area[0] * elastic + n[0] * push), pressure * (area[1] * elastic + n[1] * push),
            pressure * (area[2] * elastic + n[2] * push))


@inlined
def moments(total, b, g, g1, g2):
    """∫ g b from the integrals of g, g w1, g w2 and the values of b at the corners."""
    return b[0] * (total[g] - total[g1] - total[g2]) + b[1] * total[g1] + b[2] * total[g2]


@inlined
def answer(wrench, total, pressure, area, n, b1, b2, y, rows, places, force, share):
    """The same pressure on facet j of B at the places that face those of A, given to its corners by their weights there.

    `area` is the area vector of j over its part along n, times 0 where the elastic part is left to `press_pair`.
    """
    e1, e2 = moments(total, b1, OF_GAP, OF_GAP_1, OF_GAP_2), moments(total, b2, OF_GAP, OF_GAP_1, OF_GAP_2)
    p1, p2 = moments(total, b1, OF_PUSH, OF_PUSH_1, OF_PUSH_2), moments(total, b2, OF_PUSH, OF_PUSH_1, OF_PUSH_2)
    e0, p0 = total[OF_GAP] - e1 - e2, total[OF_PUSH] - p1 - p2
    f0, f1, f2 = facing(pressure, area, n, e0, p0), facing(pressure, area, n, e1, p1), facing(pressure, area, n, e2, p2)
    return give_second(wrench, f0, f1, f2, dot(n, f0), dot(n, f1), dot(n, f2), y, rows, places, force, share)


@inlined
def press_pair(facet, facet_vertex, i, j, x, v, force, n, s, t, stiffness, lossy, origin, both, corner, most, share, below,
               sums, k, wrench):
    """One facet of A and one of B; returns `wrench` with force and moment on B added.

    B's elastic side is the same integral seen from B: what A's polygon says, unless j is so steep that rounding would
    be magnified; then A's prism is cut out of j.
    """
    rows_i, rows_j = facet_rows(facet, i), facet_rows(facet, j)
    y_i, y_j = arms(x, rows_i, origin), arms(x, rows_j, origin)
    p_i, p_j = in_frame(y_i, s, t, n), in_frame(y_j, s, t, n)
    seen_i, square_i = normal_length(p_i)
    seen_j, square_j = normal_length(p_j)
    steep = not seen_j * seen_j > STEEP * square_j
    places = facet_rows(facet_vertex, i)
    if seen_j * seen_j > UPRIGHT * square_j:
        begin, count, weight, gap, top, b1, b2 = part_over(corner, p_i, p_j, rows_j, seen_j, 1.0)
        if weight != 0.0:
            damped = lossy[0] > 0.0 and weight > 0.0 and seen_i < 0.0
            rate = closing(v, rows_i, rows_j, n, b1, b2) if damped else (0.0, 0.0, 0.0)
            total = integrate_polygon(corner, begin, count, gap, top, rate, lossy, p_i)
            area = cross(minus(y_i[1], y_i[0]), minus(y_i[2], y_i[0]))
            s0, s1, s2 = press_facet(total, -stiffness * weight, area, n, n, y_i, rows_i, force, sums, k, weight)
            give_share(share, places, s0, s1, s2)
            keep_greatest(most, below, places[0], s0, j)
            keep_greatest(most, below, places[1], s1, j)
            keep_greatest(most, below, places[2], s2, j)
            if both != 0:
                part = 0.0 if steep else 1.0 / seen_j
                area_j = cross(minus(y_j[1], y_j[0]), minus(y_j[2], y_j[0]))
                wrench = answer(wrench, total, stiffness * weight * dot(n, area), scaled(area_j, part), n, b1, b2, y_j, rows_j,
                                facet_rows(facet_vertex, j), force, share)
    if both != 0 and steep and seen_i * seen_i > UPRIGHT * square_i:
        begin, count, weight, gap, top, b1, b2 = part_over(corner, p_j, p_i, rows_i, seen_i, -1.0)
        if weight != 0.0:
            total = integrate_polygon(corner, begin, count, gap, top, (0.0, 0.0, 0.0), lossy, p_j)
            area = cross(minus(y_j[1], y_j[0]), minus(y_j[2], y_j[0]))
            f0, f1, f2, s0, s1, s2 = pressed(total, stiffness * weight, area, n, n)
            wrench = give_second(wrench, f0, f1, f2, s0, s1, s2, y_j, rows_j, facet_rows(facet_vertex, j), force, share)
    return wrench


@kernel
def press_polyhedra(parts, a, b, x, v, force, n, stiffness, lossy, origin, both, scratch_index, scratch_box, scratch_corner,
                    scratch_most, share, below, sums, k):
    """Pressure between parts a and b along n (from b to a); returns force on b and moment about the origin.

    `both` = 0: only the side of A is integrated and nothing put on the rows of B, which gets the opposite wrench; zeros.
    Scratch: index ≥ 2 × facets of both, box ≥ (facets of both, 6), corner (CORNER_ROWS, 2), most ≥ vertex places. Leaves in
    `below` the facet of B that gave most to each vertex of A (−1: none), in scratch_index[0] and [1] the pairs whose
    boxes were compared and that were integrated.
    """
    s, t = frame(n)
    facet, facet_vertex = parts.facet, parts.facet_vertex
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        scratch_most[place], below[place] = 0.0, -1
    wrench = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    to_a, start_b = np.int64(parts.facet_start[a]), np.int64(parts.facet_start[b])
    first_b = parts.facet_start[a + 1] - to_a
    to_b = start_b - first_b
    end_b = np.int64(parts.facet_start[b + 1])
    count_a, count_b, column = near_facets(facet, to_a, to_a + first_b, start_b, end_b, x, origin, s, t, n, both, scratch_index,
                                           scratch_box)
    other = LOW_T if column == LOW_S else LOW_S
    compared, done, p, q, end_b = 0, 0, 0, first_b, first_b + count_b
    # sweep: whichever begins next meets those of the other part that begin within it
    while p < count_a and q < end_b:
        of_a = scratch_box[scratch_index[p], column] <= scratch_box[scratch_index[q], column]
        outer = scratch_index[p] if of_a else scratch_index[q]
        c, end = (q, end_b) if of_a else (p, count_a)
        reach = scratch_box[outer, column + 1]
        while c < end:
            inner = scratch_index[c]
            c += 1
            if scratch_box[inner, column] > reach:
                break
            compared += 1
            i, j = (outer, inner) if of_a else (inner, outer)
            if boxes_meet(scratch_box, i, j, other):
                done += 1
                wrench = press_pair(facet, facet_vertex, to_a + i, to_b + j, x, v, force, n, s, t, stiffness, lossy, origin,
                                    both, scratch_corner, scratch_most, share, below, sums, k, wrench)
        if of_a:
            p += 1
        else:
            q += 1
    scratch_index[0], scratch_index[1] = compared, done
    return wrench
