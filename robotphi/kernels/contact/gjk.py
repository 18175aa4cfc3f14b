"""Distance of two sets of corners: Gilbert, Johnson & Keerthi (1988) on the differences w = a − b of their corners.

The simplex is held in tuples (registers). Which feature of it is nearest to the origin is decided by signs of products of
normals and moments, which are good to rounding, never by comparing distances, which are blind to a direction that is off by
1e-8. For the same reason the nearest point v is built from its feature: along the normal N of a face, v = N (N·w)/(N·N), or
across an edge e, v = e × (w × e)/(e·e); so the direction is right to rounding however small the distance.

The loop ends when no corner lies nearer to the origin along v than v itself, to TINY of the largest |w| at work: this is the
certificate that distance − support gap is zero to rounding.
"""
import math

from numba import int64, uint64

from ..compiled import inlined, kernel
from ..vectors import cross, dot, minus, plus, scaled
from .careful import INSIDE, of_four, weights_of_four

LIMIT = 40      # iterations; 3 to 8 are usual, 15 are rare; then again as many in doubled precision
TINY = 1e-15    # of the largest |w|: some roundings of a distance
DOUBT = 2e-14   # of the largest |w|: an end with a wider gap is taken up again in doubled precision
SAMPLES = 24    # corners that a cold climb looks at first
FLAT = 1e-12    # of the terms of a support value: below this, a corner and its neighbour are at one level
NONE = (0, 0, 0, 0, 0, 0, 0, 0, 0)  # the simplex of a cold start
UNDECIDED = 16  # beside the bits of the corners


@inlined
def corner(position, vertex, k):
    """Corner at place k of `vertex`."""
    i = uint64(vertex[uint64(k)])
    return position[i, uint64(0)], position[i, uint64(1)], position[i, uint64(2)]


@inlined
def scan(position, vertex, first, last, d):
    """Place of the corner farthest along d, over all corners."""
    found = uint64(first)
    best = dot(corner(position, vertex, found), d)
    for k in range(uint64(first) + uint64(1), uint64(last)):
        value = dot(corner(position, vertex, k), d)
        if value > best:
            best = value
            found = k
    return int64(found)


@inlined
def middle(position, vertex, first, last):
    """Mean of up to eight corners spread over a part."""
    stride = uint64((last - first + 7) // 8)
    total = (0.0, 0.0, 0.0)
    taken = 0.0
    for k in range(uint64(first), uint64(last), stride):
        total = plus(total, corner(position, vertex, k))
        taken += 1.0
    return scaled(total, 1.0 / taken)


@inlined
def foothold(position, vertex, first, last, d):
    """Of up to SAMPLES corners spread over a part, the farthest along d: where a cold climb starts."""
    stride = uint64((last - first + SAMPLES - 1) // SAMPLES)
    found = uint64(first)
    best = dot(corner(position, vertex, found), d)
    for k in range(uint64(first) + stride, uint64(last), stride):
        value = dot(corner(position, vertex, k), d)
        better = value > best
        best = value if better else best
        found = k if better else found
    return int64(found)


@inlined
def terms(a, d):
    return abs(a[0] * d[0]) + abs(a[1] * d[1]) + abs(a[2] * d[2])


@inlined
def climb(position, vertex, neighbour_start, neighbour, d, start):
    """Place of a corner that no neighbour surpasses along d, and whether the last neighbour looked at is clearly lower.

    It rises at every move, so it ends. Where a neighbour is clearly lower nothing is higher: a convex set has one summit.
    """
    found = uint64(start)
    best = dot(corner(position, vertex, found), d)
    while True:
        here = found
        there, value = d, best
        for j in range(uint64(neighbour_start[here]), uint64(neighbour_start[here + uint64(1)])):
            k = uint64(neighbour[j])
            there = corner(position, vertex, k)
            value = dot(there, d)
            better = value > best
            best = value if better else best
            found = k if better else found
        if found == here:
            slope = value < best - FLAT * (terms(there, d) + terms(corner(position, vertex, here), d))
            return int64(found), slope


@kernel
def on_slope(position, vertex, neighbour_start, neighbour, d, k):
    """Does any neighbour lie clearly lower?"""
    here = corner(position, vertex, k)
    at = dot(here, d)
    for j in range(neighbour_start[k], neighbour_start[k + 1]):
        there = corner(position, vertex, neighbour[j])
        if dot(there, d) < at - FLAT * (terms(here, d) + terms(there, d)):
            return True
    return False


@kernel
def leave_plateau(position, vertex, first, last, d, k):
    """A corner inside a flat part of the surface: on the summit, or, upside down, at the very bottom?

    The first corner clearly off its level tells; one that is higher is returned, to climb on from there.
    """
    here = corner(position, vertex, k)
    at = dot(here, d)
    found = k
    for j in range(first, last):
        there = corner(position, vertex, j)
        value = dot(there, d)
        margin = FLAT * (terms(here, d) + terms(there, d))
        if value > at:
            at = value
            found = j
        if abs(value - dot(here, d)) > margin:
            break
    return found


@inlined
def support(position, vertex, first, last, neighbour_start, neighbour, d, start):
    """Place of the corner of a part farthest along d."""
    if not neighbour_start[uint64(start) + uint64(1)] > neighbour_start[uint64(start)]:
        return scan(position, vertex, first, last, d)
    found, slope = climb(position, vertex, neighbour_start, neighbour, d, start)
    for _ in range(8):
        if slope or on_slope(position, vertex, neighbour_start, neighbour, d, found):
            break
        higher = leave_plateau(position, vertex, first, last, d, found)
        if higher == found:
            break
        found, slope = climb(position, vertex, neighbour_start, neighbour, d, higher)
    return found


@inlined
def of_segment(a, b):
    """Feature of a segment nearest to the origin: which corners (bits), their weights (to a factor), nearest point."""
    ab = minus(b, a)
    to_b = -dot(a, ab)
    to_a = dot(b, ab)
    if not to_b > 0.0:
        return 1, 1.0, 0.0, a
    if not to_a > 0.0:
        return 2, 0.0, 1.0, b
    return 3, to_a, to_b, scaled(cross(ab, cross(a, ab)), 1.0 / dot(ab, ab))


@inlined
def of_triangle(a, b, c):
    """Feature of a triangle nearest to the origin: corners (bits), weights, nearest point, and N·a.

    Weights inside: λ_a = N·(b × c) and so on, N = ab × ac. Outside edge ab (λ_c ≤ 0) and between its ends: the edge.
    """
    ab = minus(b, a)
    ac = minus(c, a)
    bc = minus(c, b)
    normal = cross(ab, ac)
    over_a = cross(b, bc)
    over_b = cross(ac, a)
    over_c = cross(a, ab)
    la = dot(normal, over_a)
    lb = dot(normal, over_b)
    lc = dot(normal, over_c)
    if la > 0.0 and lb > 0.0 and lc > 0.0:
        height = dot(normal, a)
        return 7, la, lb, lc, scaled(normal, height / dot(normal, normal)), height
    a_to_b = -dot(a, ab)
    b_to_a = dot(b, ab)
    a_to_c = -dot(a, ac)
    c_to_a = dot(c, ac)
    b_to_c = -dot(b, bc)
    c_to_b = dot(c, bc)
    if not la > 0.0 and b_to_c > 0.0 and c_to_b > 0.0:
        return 6, 0.0, c_to_b, b_to_c, scaled(cross(bc, over_a), 1.0 / dot(bc, bc)), 0.0
    if not lb > 0.0 and a_to_c > 0.0 and c_to_a > 0.0:
        return 5, c_to_a, 0.0, a_to_c, scaled(cross(over_b, ac), 1.0 / dot(ac, ac)), 0.0
    if not lc > 0.0 and a_to_b > 0.0 and b_to_a > 0.0:
        return 3, b_to_a, a_to_b, 0.0, scaled(cross(ab, over_c), 1.0 / dot(ab, ab)), 0.0
    aa = dot(a, a)
    bb = dot(b, b)
    cc = dot(c, c)
    if not (aa < cc or bb < cc):
        return 4, 0.0, 0.0, 1.0, c, 0.0
    if not aa < bb:
        return 2, 0.0, 1.0, 0.0, b, 0.0
    return 1, 1.0, 0.0, 0.0, a, 0.0


@inlined
def of_new_corner(a, b, c, d):
    """The same for a triangle abc that sees the origin and d on the positive side of its normal, d the newest corner.

    The nearest feature then holds d: itself, an edge or a face to it, or all four, when the origin is inside. Where
    rounding denies this, it is left undecided.
    """
    da = minus(a, d)
    db = minus(b, d)
    dc = minus(c, d)
    n_ab = cross(da, db)
    n_bc = cross(db, dc)
    n_ca = cross(dc, da)
    out_ab = -dot(n_ab, d)
    out_bc = -dot(n_bc, d)
    out_ca = -dot(n_ca, d)
    if not (out_ab > 0.0 or out_bc > 0.0 or out_ca > 0.0):
        return INSIDE, -out_bc, -out_ca, -out_ab, d
    over_a = cross(d, da)
    over_b = cross(d, db)
    over_c = cross(d, dc)
    ab_b = dot(n_ab, over_a)
    ab_a = -dot(n_ab, over_b)
    if out_ab > 0.0 and ab_a > 0.0 and ab_b > 0.0:
        square = dot(n_ab, n_ab)
        rest = square - ab_a - ab_b
        return 11 if rest > 0.0 else UNDECIDED, ab_a, ab_b, rest, scaled(n_ab, -out_ab / square)
    bc_c = dot(n_bc, over_b)
    bc_b = -dot(n_bc, over_c)
    if out_bc > 0.0 and bc_b > 0.0 and bc_c > 0.0:
        square = dot(n_bc, n_bc)
        rest = square - bc_b - bc_c
        return 14 if rest > 0.0 else UNDECIDED, rest, bc_b, bc_c, scaled(n_bc, -out_bc / square)
    ca_a = dot(n_ca, over_c)
    ca_c = -dot(n_ca, over_a)
    if out_ca > 0.0 and ca_c > 0.0 and ca_a > 0.0:
        square = dot(n_ca, n_ca)
        rest = square - ca_c - ca_a
        return 13 if rest > 0.0 else UNDECIDED, ca_a, rest, ca_c, scaled(n_ca, -out_ca / square)
    to_a = -dot(d, da)
    to_b = -dot(d, db)
    to_c = -dot(d, dc)
    if to_a > 0.0 and not ab_b > 0.0 and not ca_c > 0.0:
        square = dot(da, da)
        return 9 if square > to_a else UNDECIDED, to_a, square - to_a, 0.0, scaled(cross(da, over_a), 1.0 / square)
    if to_b > 0.0 and not bc_c > 0.0 and not ab_a > 0.0:
        square = dot(db, db)
        return 10 if square > to_b else UNDECIDED, square - to_b, to_b, 0.0, scaled(cross(db, over_b), 1.0 / square)
    if to_c > 0.0 and not ca_a > 0.0 and not bc_b > 0.0:
        square = dot(dc, dc)
        return 12 if square > to_c else UNDECIDED, square - to_c, to_c, 0.0, scaled(cross(dc, over_c), 1.0 / square)
    if not (to_a > 0.0 or to_b > 0.0 or to_c > 0.0):
        return 8, 1.0, 0.0, 0.0, d
    return UNDECIDED, 1.0, 0.0, 0.0, d


@inlined
def difference(position, vertex, i, j, shift):
    """w = a − b of the corners at two places, the first moved by the shift."""
    return plus(minus(corner(position, vertex, i), corner(position, vertex, j)), shift)


@inlined
def filled(simplex):
    """The simplex with its first corner in the places beyond its count."""
    count, a0, a1, a2, a3, b0, b1, b2, b3 = simplex
    if count < 2:
        a1, b1 = a0, b0
    if count < 3:
        a2, b2 = a0, b0
    if count < 4:
        a3, b3 = a0, b0
    return count, a0, a1, a2, a3, b0, b1, b2, b3


@inlined
def of_corners(position, vertex, simplex, shift):
    """The four differences of a filled simplex."""
    _, a0, a1, a2, a3, b0, b1, b2, b3 = simplex
    return (difference(position, vertex, a0, b0, shift), difference(position, vertex, a1, b1, shift),
            difference(position, vertex, a2, b2, shift), difference(position, vertex, a3, b3, shift))


@inlined
def pressed(simplex, weights, code):
    """The simplex and weights of the corners named by the bits of the code, without gaps."""
    _, a0, a1, a2, a3, b0, b1, b2, b3 = simplex
    l0, l1, l2, l3 = weights
    n = 1 if code & 1 else 0
    if code & 2:
        if n == 0:
            a0, b0, l0 = a1, b1, l1
        n += 1
    if code & 4:
        if n == 0:
            a0, b0, l0 = a2, b2, l2
        elif n == 1:
            a1, b1, l1 = a2, b2, l2
        n += 1
    if code & 8:
        if n == 0:
            a0, b0, l0 = a3, b3, l3
        elif n == 1:
            a1, b1, l1 = a3, b3, l3
        elif n == 2:
            a2, b2, l2 = a3, b3, l3
        n += 1
    return (n, a0, a1, a2, a3, b0, b1, b2, b3), (l0, l1, l2, l3)


@inlined
def with_corner(simplex, ia, ib):
    """The simplex with one more corner."""
    n, a0, a1, a2, a3, b0, b1, b2, b3 = simplex
    if n == 1:
        return 2, a0, ia, a2, a3, b0, ib, b2, b3
    if n == 2:
        return 3, a0, a1, ia, a3, b0, b1, ib, b3
    return 4, a0, a1, a2, ia, b0, b1, b2, ib


@kernel
def nearest_carefully(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex):
    """`nearest` for nearly flat simplices, from a simplex on: features in doubled precision, the best certificate kept."""
    weights = (1.0, 0.0, 0.0, 0.0)
    best, kept = -math.inf, (0.0, (0.0, 0.0, 0.0), simplex, weights)
    ia, ib = simplex[1], simplex[5]
    done = LIMIT
    for iteration in range(LIMIT):
        simplex = filled(simplex)
        w0, w1, w2, w3 = of_corners(position, vertex, simplex, shift)
        code, l0, l1, l2, l3, v = of_four(w0, w1, w2, w3)
        simplex, weights = pressed(simplex, (l0, l1, l2, l3), code)
        square = dot(v, v)
        largest = max(max(dot(w0, w0), dot(w1, w1)), max(dot(w2, w2), dot(w3, w3)))
        if code == INSIDE or square <= TINY * TINY * largest:
            return 0.0, (0.0, 0.0, 0.0), simplex, shares(simplex[0], weights), iteration
        ia = support(position, vertex, a_first, a_last, neighbour_start, neighbour, (-v[0], -v[1], -v[2]), ia)
        ib = support(position, vertex, b_first, b_last, neighbour_start, neighbour, v, ib)
        distance = math.sqrt(square)
        bound = dot(difference(position, vertex, ia, ib, shift), v) / distance
        if not bound <= best:
            best = bound
            kept = distance, scaled(v, 1.0 / distance), simplex, weights
        if not distance - bound > TINY * math.sqrt(largest) or holds(simplex, ia, ib):
            done = iteration
            break
        simplex = with_corner(simplex, ia, ib)
    distance, n, simplex, weights = kept
    return distance, n, simplex, shares(simplex[0], weights), done


@inlined
def holds(simplex, ia, ib):
    n, a0, a1, a2, _, b0, b1, b2, _ = simplex
    return (ia == a0 and ib == b0) or (n > 1 and ia == a1 and ib == b1) or (n > 2 and ia == a2 and ib == b2)


@inlined
def shares(n, weights):
    """The weights of n corners, as shares of their sum."""
    l0, l1, l2, l3 = weights
    if n == 1:
        return 1.0, 0.0, 0.0, 0.0
    if n == 2:
        return l0 / (l0 + l1), l1 / (l0 + l1), 0.0, 0.0
    if n == 3:
        total = l0 + l1 + l2
        return l0 / total, l1 / total, l2 / total, 0.0
    total = l0 + l1 + l2 + l3
    return l0 / total, l1 / total, l2 / total, l3 / total


@inlined
def nearest(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex):
    """Distance of two parts and how it was found: (distance, n, simplex, weights, iterations).

    A has the places a_first … a_last − 1 of `vertex`, all moved by `shift`; B likewise, not moved. Corners with neighbours
    are climbed (rigid convex polyhedra), others scanned. simplex: (count, a0 … a3, b0 … b3), places in `vertex`; count 0
    starts cold. Overlapping or touching: distance 0, n = 0. Otherwise n is the unit vector from B to A, and
    Σ weights · corners is the nearest point of each part.
    """
    count, a0, a1, a2, a3, b0, b1, b2, b3 = simplex
    w0 = w1 = w2 = w = v = (0.0, 0.0, 0.0)
    l0, l1, l2, l3 = 1.0, 0.0, 0.0, 0.0
    square = 0.0    # of v
    largest = 0.0   # of the squares of all w
    n = 0           # corners of the simplex without the newest
    ia, ib = a_first, b_first
    if count > 0:
        ia, ib = a0, b0
        w = difference(position, vertex, a0, b0, shift)
        largest = dot(w, w)
        if count > 1:
            n = min(count, 3) - 1
            w0 = w
            ia, ib = a1, b1
            w = difference(position, vertex, a1, b1, shift)
            largest = max(largest, dot(w, w))
        if count > 2:
            w1 = w
            ia, ib = a2, b2
            w = difference(position, vertex, a2, b2, shift)
            largest = max(largest, dot(w, w))
        if count > 3:
            outside, l0, l1, l2, l3 = weights_of_four(w0, w1, w, difference(position, vertex, a3, b3, shift))
            if outside == 0:
                return 0.0, v, simplex, shares(4, (l0, l1, l2, l3)), 0
    else:
        v = plus(minus(middle(position, vertex, a_first, a_last), middle(position, vertex, b_first, b_last)), shift)
        ia = foothold(position, vertex, a_first, a_last, (-v[0], -v[1], -v[2]))
        ib = foothold(position, vertex, b_first, b_last, v)
    searched = count == 0
    doubtful = False
    done = 0
    gap = 0.0
    for iteration in range(LIMIT):
        done = iteration
        if searched:
            ia = support(position, vertex, a_first, a_last, neighbour_start, neighbour, (-v[0], -v[1], -v[2]), ia)
            ib = support(position, vertex, b_first, b_last, neighbour_start, neighbour, v, ib)
            w = difference(position, vertex, ia, ib, shift)
            largest = max(largest, dot(w, w))
            if n > 0:
                gap = square - dot(v, w)
                if not (gap > 0.0 and gap * gap > TINY * TINY * square * largest):
                    break
                if (ia == a0 and ib == b0) or (n > 1 and ia == a1 and ib == b1) or (n > 2 and ia == a2 and ib == b2):
                    break
        if n == 0:
            n = 1
            w0, a0, b0, v = w, ia, ib, w
        elif n == 1:
            code, m0, m1, u = of_segment(w0, w)
            if code == 1:
                if searched:
                    break
                v = u
            elif code == 2:
                w0, a0, b0, v = w, ia, ib, w
            else:
                n = 2
                w1, a1, b1, v = w, ia, ib, u
                l0, l1 = m0, m1
        elif n == 2:
            code, m0, m1, m2, u, height = of_triangle(w0, w1, w)
            if searched and code < 4:
                break
            v = u
            l0, l1, l2 = m0, m1, m2
            if code == 7:
                n = 3
                w2, a2, b2 = w, ia, ib
                if height > 0.0:  # the normal of w0 w1 w2 is to look to the origin
                    w1, w2, a1, a2, b1, b2, l1, l2 = w2, w1, a2, a1, b2, b1, l2, l1
            elif code == 6:
                w0, a0, b0, l0 = w, ia, ib, l2
            elif code == 5:
                w1, a1, b1, l1 = w, ia, ib, l2
            elif code != 3:
                n = 1
                if code == 4:
                    w0, a0, b0 = w, ia, ib
                elif code == 2:
                    w0, a0, b0 = w1, a1, b1
        else:
            code, m0, m1, m2, u = of_new_corner(w0, w1, w2, w)
            if code == INSIDE:
                outside, l0, l1, l2, l3 = weights_of_four(w0, w1, w2, w)
                a3, b3, n, square = ia, ib, 4, 0.0
                doubtful = outside != 0
                break
            if code == UNDECIDED:
                a3, b3, n = ia, ib, 4
                doubtful = True
                break
            v = u
            l0, l1, l2 = m0, m1, m2
            if code == 11:
                w2, a2, b2 = w, ia, ib
            elif code == 14:
                w0, a0, b0 = w, ia, ib
            elif code == 13:
                w1, a1, b1 = w, ia, ib
            elif code == 9:
                n = 2
                w1, a1, b1 = w, ia, ib
            elif code == 10:
                n = 2
                w0, a0, b0 = w, ia, ib
            elif code == 12:
                n = 2
                w0, a0, b0 = w, ia, ib
                w1, a1, b1 = w2, a2, b2
            else:
                n = 1
                w0, a0, b0 = w, ia, ib
        searched = True
        gap = 0.0
        square = dot(v, v)
        if not square > TINY * TINY * largest:
            done = iteration + 1
            break
    else:
        doubtful = True
    simplex = (n, a0, a1, a2, a3, b0, b1, b2, b3)
    weights = shares(n, (l0, l1, l2, l3))
    if n == 2:
        off = minus(plus(scaled(w0, weights[0]), scaled(w1, weights[1])), v)
    else:
        off = minus(plus(plus(scaled(w0, weights[0]), scaled(w1, weights[1])), scaled(w2, weights[2])), v)
    limit = DOUBT * DOUBT * largest
    if doubtful or gap * gap > limit * square or (1 < n < 4 and dot(off, off) > limit):
        distance, v, simplex, weights, more = nearest_carefully(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex)
        return distance, v, simplex, weights, done + more
    if square <= TINY * TINY * largest:
        return 0.0, (0.0, 0.0, 0.0), simplex, weights, done
    distance = math.sqrt(square)
    return distance, scaled(v, 1.0 / distance), simplex, weights, done


@kernel
def nearest_called(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex):
    """`nearest` as a function of its own, for callers that would not gain from a copy of it."""
    return nearest(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex)
