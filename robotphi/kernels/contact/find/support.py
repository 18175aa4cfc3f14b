"""The corner of a part that is farthest along a direction: a climb over neighbours, or a look at all corners.

A climb ends on a corner that no neighbour exceeds by more than rounding; level ground, on which it could stop too early, is
left by a look at all corners once.
"""
from numba import int64, uint64

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot, plus, scaled

SAMPLES = 24    # corners that a cold climb looks at first
SAME_LEVEL = 1e-12    # of the terms of a support value: below this, a corner and its neighbour are at one level


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
            slope = value < best - SAME_LEVEL * (terms(there, d) + terms(corner(position, vertex, here), d))
            return int64(found), slope


@kernel
def on_slope(position, vertex, neighbour_start, neighbour, d, k):
    """Does any neighbour lie clearly lower?"""
    here = corner(position, vertex, k)
    at = dot(here, d)
    for j in range(neighbour_start[k], neighbour_start[k + 1]):
        there = corner(position, vertex, neighbour[j])
        if dot(there, d) < at - SAME_LEVEL * (terms(here, d) + terms(there, d)):
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
        margin = SAME_LEVEL * (terms(here, d) + terms(there, d))
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
