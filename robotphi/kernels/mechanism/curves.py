"""Curves that a point runs along: cubic splines, straight beyond their ends; and their place nearest to a point."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot, get3, minus, plus, scaled

ITERATIONS = 30     # of Newton's for the nearest place; it takes three or four
SEEN = 8            # places of each piece where one looks first


@inlined
def piece_of(closures, curve, place):
    """The piece with a place along a curve, and how far behind its knot it is; before the first and behind the last alike."""
    begin, end = closures.knot_start[curve], closures.knot_start[curve + 1] - 1
    if closures.closed[curve] == 1:
        around = closures.knot[end]
        place -= around * math.floor(place / around)
    low, high = begin, end
    while high - low > 1:
        middle = (low + high) // 2
        if closures.knot[middle] <= place:
            low = middle
        else:
            high = middle
    return low, place - closures.knot[low]


@kernel
def curve_at(closures, curve, place):
    """C, C′ and C″ at a place along the curve."""
    k, t = piece_of(closures, curve, place)
    a, b, c, d = (get3(closures.piece, k, 0), get3(closures.piece, k, 3), get3(closures.piece, k, 6),
                  get3(closures.piece, k, 9))
    beyond = 0.0
    if closures.closed[curve] == 0:
        length = closures.knot[k + 1] - closures.knot[k]
        held = min(max(t, 0.0), length)
        beyond, t = t - held, held
    on = plus(plus(a, scaled(b, t)), plus(scaled(c, t * t), scaled(d, t * t * t)))
    along = plus(b, plus(scaled(c, 2.0 * t), scaled(d, 3.0 * t * t)))
    if beyond != 0.0:
        return plus(on, scaled(along, beyond)), along, (0.0, 0.0, 0.0)
    return on, along, plus(scaled(c, 2.0), scaled(d, 6.0 * t))


@kernel
def nearest_on(closures, curve, point, place):
    """The place along a curve nearest to a point, from one near it: (p − C)·C′ = 0."""
    length = closures.knot[closures.knot_start[curve + 1] - 1]
    for _ in range(ITERATIONS):
        on, along, turn = curve_at(closures, curve, place)
        off = minus(point, on)
        slope = dot(along, along) - dot(off, turn)
        if not slope > 0.0:
            slope = dot(along, along)
        step = dot(off, along) / slope
        place += step
        if not abs(step) > 1e-15 * (length + abs(place)):
            break
    return place


@kernel
def place_on(closures, curve, point):
    """The nearest place of all."""
    begin, end = closures.knot_start[curve], closures.knot_start[curve + 1] - 1
    best, found = math.inf, 0.0
    for k in range(begin, end):
        for n in range(SEEN + 1):
            place = closures.knot[k] + (closures.knot[k + 1] - closures.knot[k]) * n / SEEN
            on, _, _ = curve_at(closures, curve, place)
            off = minus(point, on)
            if dot(off, off) < best:
                best, found = dot(off, off), place
    return nearest_on(closures, curve, point, found)
