"""The contact direction of two convex parts, kept through interpenetration (INRIA RR-3072, section 4.2).

While the parts are apart it lies along their nearest points. When they overlap, A is moved along the last known direction n
until it is just clear of B; the nearest points then give a direction n', and so on until it no longer changes. In the space
of differences w = a − b this walks from face to face of the boundary to one on which the origin, inside, falls plumb: the
nearest way out on the side where the parts met, even where the way out through another side has become shorter.

How far A is to be moved is told by the supports: the overlap along n is max_B n·x − min_A n·x; the margin beyond it is kept
small against the overlap, because q, the origin so moved, is then nearer to a face than to the edge that ends it.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.find.gjk import nearest
from robotphi.kernels.contact.find.simplex import difference, of_triangle
from robotphi.kernels.contact.find.support import corner, support
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, scaled

MOST_ASKS = 8            # runs of GJK from one direction
SAME_DIRECTION = 1e-9         # directions nearer than this are one
MARGIN = 1e-4       # of the overlap …
NEAR = 16.0         # depths: an edge nearer than this to the plumb point may hide a nearer face
LEAST_MARGIN = 1e-9     # … and of the size: clear of rounding


@kernel
def ask(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex):
    """One run of GJK."""
    return nearest(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex)


@inlined
def opposite(a):
    return -a[0], -a[1], -a[2]


@kernel
def ends(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, i, j):
    """The lowest corner of A and the highest of B along n, climbing from i and j, and the gap between them."""
    i = support(position, vertex, a_first, a_last, neighbour_start, neighbour, opposite(n), i)
    j = support(position, vertex, b_first, b_last, neighbour_start, neighbour, n, j)
    return i, j, dot(minus(corner(position, vertex, i), corner(position, vertex, j)), n)


@inlined
def plumb(position, vertex, simplex, weights):
    """Does the origin fall on the face of this simplex along its normal? With the weights of that point where it does."""
    count, a0, a1, a2, _, b0, b1, b2, _ = simplex
    if count != 3:
        return False, weights
    still = (0.0, 0.0, 0.0)
    code, l0, l1, l2, _, _ = of_triangle(
        difference(position, vertex, a0, b0, still), difference(position, vertex, a1, b1, still),
        difference(position, vertex, a2, b2, still))
    if code != 7:
        return False, weights
    total = l0 + l1 + l2
    return True, (l0 / total, l1 / total, l2 / total, 0.0)


@kernel
def follow(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, size, simplex):
    """From a direction to the nearest way out on its side: (n, gap ≤ 0 where they overlap, simplex, weights, asks).

    Where it has not settled after ASKS the direction of least overlap is returned.
    """
    i, j = (simplex[1], simplex[5]) if simplex[0] > 0 else (a_first, b_first)
    i, j, gap = ends(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, i, j)
    best = (n, -math.inf, simplex, (1.0, 0.0, 0.0, 0.0))
    asks = 0
    for _ in range(MOST_ASKS):
        clear = max(-gap, 0.0) * (1.0 + MARGIN) + LEAST_MARGIN * size
        distance, turned, simplex, weights, _ = ask(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, scaled(n, clear), simplex)
        asks += 1
        if not distance > 0.0:
            break
        i, j, gap = ends(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, turned,
                         simplex[1], simplex[5])
        settled = norm(minus(turned, n)) <= SAME_DIRECTION
        falls, shares = plumb(position, vertex, simplex, weights)
        n = turned
        if gap > best[1] or falls:
            best = (n, gap, simplex, shares)
        if settled or falls or gap > 0.0:
            return n, gap, simplex, shares, asks
    n, gap, simplex, weights = best
    return n, gap, simplex, weights, asks


@inlined
def edge_of(simplex, side):
    """Places of one edge of a face and of the corner opposite, in A and in B."""
    _, a0, a1, a2, _, b0, b1, b2, _ = simplex
    if side == 0:
        return a0, b0, a1, b1, a2, b2
    if side == 1:
        return a1, b1, a2, b2, a0, b0
    return a2, b2, a0, b0, a1, b1


@kernel
def enter(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, size, simplex):
    """`follow` at the first overlap, when no side has been taken yet: a face beyond a near edge may be the nearer way out.

    A neighbour whose normal is φ away is nearer to the origin only where the plumb point is nearer to their edge than
    tan(φ/2) × depth; up to φ = 172° that is NEAR × depth. Then it is asked too, from a direction that passes beyond the edge.
    """
    still = (0.0, 0.0, 0.0)
    n, gap, simplex, weights, asks = follow(
        position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, size, simplex)
    if simplex[0] != 3:
        return n, gap, simplex, weights, asks
    face, normal, depth = simplex, n, -gap
    for side in range(3):
        ia, ib, ja, jb, ka, kb = edge_of(face, side)
        first = difference(position, vertex, ia, ib, still)
        along = minus(difference(position, vertex, ja, jb, still), first)
        outward = cross(along, normal)
        if dot(outward, minus(difference(position, vertex, ka, kb, still), first)) > 0.0:
            outward = opposite(outward)
        length = norm(outward)
        if length > 0.0 and dot(first, outward) < NEAR * depth * length:  # the plumb point, −depth n, is at 0 along outward
            across = minus(normal, scaled(outward, 1.25 * NEAR / length))
            n_side, gap_side, simplex_side, weights_side, more = follow(
                position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour,
                scaled(across, 1.0 / norm(across)), size, face)
            asks += more
            if gap_side > gap + SAME_DIRECTION * depth:
                n, gap, simplex, weights = n_side, gap_side, simplex_side, weights_side
    return n, gap, simplex, weights, asks


@kernel
def mean(position, vertex, first, last):
    total = (0.0, 0.0, 0.0)
    for k in range(first, last):
        total = plus(total, corner(position, vertex, k))
    return scaled(total, 1.0 / (last - first))


@inlined
def start_direction(k, apart):
    """Where to look when no direction is known: between the means of the corners, then along ± the axes."""
    if k == 0:
        length = norm(apart)
        return scaled(apart, 1.0 / length) if length > 0.0 else (0.0, 0.0, 1.0)
    sign = 1.0 if k % 2 == 1 else -1.0
    axis = (k - 1) // 2
    return sign if axis == 2 else 0.0, sign if axis == 1 else 0.0, sign if axis == 0 else 0.0


@kernel
def search(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, size, simplex):
    """The least overlap that is found from seven directions: between the means of the corners, +z, −z, +y, −y, +x, −x."""
    apart = minus(mean(position, vertex, a_first, a_last), mean(position, vertex, b_first, b_last))
    n, gap, found, weights, asks = follow(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour,
                                          start_direction(0, apart), size, simplex)
    for k in range(1, 7):
        n_k, gap_k, simplex_k, weights_k, more = follow(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, start_direction(k, apart), size,
            simplex)
        asks += more
        if gap_k > gap * (1.0 - SAME_DIRECTION):
            n, gap, found, weights = n_k, gap_k, simplex_k, weights_k
    return n, gap, found, weights, asks


@inlined
def around(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, simplex):
    """The face of a simplex and the corner of the differences farthest behind it."""
    count, a0, a1, a2, _, b0, b1, b2, _ = simplex
    if count != 3:
        return simplex
    i, j, _ = ends(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, opposite(n), a0, b0)
    return 4, a0, a1, a2, i, b0, b1, b2, j


@kernel
def contact_direction(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, depth, size, simplex):
    """Direction from B to A and the signed gap along it: (n, gap, simplex, weights, asks).

    n: the last known unit direction, zero for none; depth: the last known overlap [m], 0 when the parts were apart; size
    [m]: scale of the margin. Apart: gap is the distance. Overlapping: gap ≤ 0 is the least corner of A along n less the
    greatest of B, exactly, and the simplex is that of the face on which A would leave B. asks: runs of GJK for a direction;
    one more, that begins with four corners about the origin and mostly ends there, tells whether the parts still overlap.
    """
    known = dot(n, n) > 0.0
    asks = 0
    if known and depth > 0.0:
        n, gap, simplex, weights, asks = follow(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, size, simplex)
        wrapped = around(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, simplex)
        distance, direction, apart, apart_weights, _ = ask(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, (0.0, 0.0, 0.0), wrapped)
        if distance > 0.0:
            return direction, distance, apart, apart_weights, asks
        return n, min(gap, 0.0), simplex, weights, asks
    distance, direction, simplex, weights, _ = ask(
        position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, (0.0, 0.0, 0.0), simplex)
    if distance != 0.0:
        return direction, distance, simplex, weights, 1
    if known:
        n, gap, simplex, weights, asks = enter(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, n, size, simplex)
    else:
        n, gap, simplex, weights, asks = search(
            position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, size, simplex)
    return n, min(gap, 0.0), simplex, weights, asks + 1
