"""Distance of two sets of corners: Gilbert, Johnson & Keerthi (1988) on the differences w = a − b of their corners.

Which feature of the simplex is nearest to the origin (`simplex.py`) is decided by signs of products of normals and moments,
which are good to rounding, never by comparing distances, which are blind to a direction that is off by 1e-8. For the same
reason the nearest point v is built from its feature: along the normal N of a face, v = N (N·w)/(N·N), or across an edge e,
v = e × (w × e)/(e·e); so the direction is right to rounding however small the distance.

The loop ends when no corner lies nearer to the origin along v than v itself, to TINY of the largest |w| at work: this is the
certificate that distance − support gap is zero to rounding.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.find.careful import ORIGIN_INSIDE, of_four, weights_of_four
from robotphi.kernels.contact.find.simplex import (
    UNDECIDED,
    difference,
    filled,
    holds,
    of_corners,
    of_new_corner,
    of_segment,
    of_triangle,
    pressed,
    shares,
    with_corner,
)
from robotphi.kernels.contact.find.support import foothold, middle, support
from robotphi.kernels.maths.vectors import dot, minus, plus, scaled

MOST_ITERATIONS = 40      # iterations; 3 to 8 are usual, 15 are rare; then again as many in doubled precision
TINY = 1e-15    # of the largest |w|: some roundings of a distance
DOUBT = 2e-14   # of the largest |w|: an end with a wider gap is taken up again in doubled precision


@kernel
def nearest_carefully(position, vertex, a_first, a_last, b_first, b_last, neighbour_start, neighbour, shift, simplex):
    """`nearest` for nearly flat simplices, from a simplex on: features in doubled precision, the best certificate kept."""
    weights = (1.0, 0.0, 0.0, 0.0)
    best, kept = -math.inf, (0.0, (0.0, 0.0, 0.0), simplex, weights)
    ia, ib = simplex[1], simplex[5]
    done = MOST_ITERATIONS
    for iteration in range(MOST_ITERATIONS):
        simplex = filled(simplex)
        w0, w1, w2, w3 = of_corners(position, vertex, simplex, shift)
        code, l0, l1, l2, l3, v = of_four(w0, w1, w2, w3)
        simplex, weights = pressed(simplex, (l0, l1, l2, l3), code)
        square = dot(v, v)
        largest = max(max(dot(w0, w0), dot(w1, w1)), max(dot(w2, w2), dot(w3, w3)))
        if code == ORIGIN_INSIDE or square <= TINY * TINY * largest:
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
    for iteration in range(MOST_ITERATIONS):
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
            if code == ORIGIN_INSIDE:
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
