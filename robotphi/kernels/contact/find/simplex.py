"""Simplices of differences w = a − b of the corners of two parts, in tuples: which feature is nearest to the origin.

A simplex is (count, places of four corners of A, places of four corners of B). Signs of products of normals and moments
decide, which are good to rounding; the bits of a code name the corners of the feature.
"""
from robotphi.kernels.compiling.compiled import inlined
from robotphi.kernels.contact.find.careful import ORIGIN_INSIDE
from robotphi.kernels.contact.find.support import corner
from robotphi.kernels.maths.vectors import cross, dot, minus, plus, scaled

NONE = (0, 0, 0, 0, 0, 0, 0, 0, 0)  # the simplex of a cold start
UNDECIDED = 16  # beside the bits of the corners


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
        return ORIGIN_INSIDE, -out_bc, -out_ca, -out_ab, d
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
