"""The pressure of a triangle on the sides of cones and cylinders, and on flat ends, by straight lines: see `round_facet`.

Depth there is within some angle of the direction in which the triangle is deepest (`range_of`), mostly a small one; what an
edge keeps away from all of that is passed by (`most_within`), and nothing else is looked at.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.round_facet import (
    APART,
    CUTS,
    FEW_TURN,
    FEW_TURN_WEIGHT,
    LINE,
    LINE_WEIGHT,
    NARROW,
    TURN,
    TURN_WEIGHT,
    add_half_sectors,
    add_pressure,
    add_roots,
    add_sectors,
    along_cut,
    between,
    towards,
)
from robotphi.kernels.maths.vectors import minus, norm, plus, scaled

IN_PLANE = 1e-12     # of the radius: a flat end in the plane of a cut has half of its pressure from either side


@inlined
def interval(f0, f1, low, high):
    """What f0 + t f1 ≥ 0 leaves of an interval of t."""
    if f1 > 0.0:
        return max(low, -f0 / f1), high
    if f1 < 0.0:
        return low, min(high, -f0 / f1)
    return (low, high) if f0 >= 0.0 else (1.0, 0.0)


@inlined
def strip_terms(cut, start, along, u, b):
    """Of a cut on a side: constant, rate along it, and by the cosine and the sine of the direction."""
    return cut[0] + along_cut(cut, start), along_cut(cut, along), along_cut(cut, u), along_cut(cut, b)


@inlined
def on_strip(one, x, y, radius, widening):
    """f0, f1 of a cut on the line of a side in direction (x, y)."""
    q = one[2] * x + one[3] * y
    return one[0] + radius * q, one[1] + widening * q


@inlined
def strip_interval(terms, x, y, radius, widening):
    low, high = 0.0, 1.0
    for j in range(CUTS):
        f0, f1 = on_strip(terms[j], x, y, radius, widening)
        low, high = interval(f0, f1, low, high)
    return low, high


@inlined
def range_of(one, radius, end):
    """Directions in which the first cut is positive anywhere on a side: the middle one, and the least cosine of the angle to
    it; one above 1 where there are none."""
    a, rate, by_x, by_y = one
    size = math.sqrt(by_x * by_x + by_y * by_y)
    if not size > 0.0:
        return 1.0, 0.0, -1.0 if max(a, a + rate) > 0.0 else 2.0
    least = min(least_cosine(a, radius * size), least_cosine(a + rate, end * size))
    return by_x / size, by_y / size, max(least, -1.0)


@inlined
def least_cosine(a, size):
    """The cosine above which a + size cos ψ is positive."""
    if size > 0.0:
        return -a / size
    return -1.0 if a > 0.0 else 2.0


@inlined
def most_within(one, radius, end, x, y, least):
    """The most that a cut is on a side in directions whose cosine with (x, y) is `least` or more."""
    a, rate, by_x, by_y = one
    size = math.sqrt(by_x * by_x + by_y * by_y)
    if not size > 0.0:
        return max(a, a + rate)
    cosine, most = (by_x * x + by_y * y) / size, 1.0
    if cosine < least:
        most = cosine * least + math.sqrt(max((1.0 - cosine * cosine) * (1.0 - least * least), 0.0))
    return max(a + radius * size * most, a + rate + end * size * most)


@inlined
def turned(one, x, y):
    """Terms of a cut, from (x, y) on."""
    return one[0], one[1], one[2] * x + one[3] * y, one[3] * x - one[2] * y


@inlined
def is_beside(cuts, start, along, radius, u, b):
    """Whether all of a cylinder is outside one of the cuts where it is inside the first."""
    one = strip_terms(cuts[0], start, along, u, b)
    x, y, least = range_of(one, radius, radius)
    if not least < 1.0:
        return True
    for i in range(1, CUTS):
        if most_within(strip_terms(cuts[i], start, along, u, b), radius, radius, x, y, least) <= 0.0:
            return True
    return False


@kernel
def press_strip(work, sums, k, start, along, radius, widening, u, b, cuts, n, way, law, slide, turn):
    """Pressure on the side of a cone or cylinder: its axis from `start` by `along`, its radius growing by `widening`."""
    terms = (strip_terms(cuts[0], start, along, u, b), strip_terms(cuts[1], start, along, u, b),
             strip_terms(cuts[2], start, along, u, b), strip_terms(cuts[3], start, along, u, b))
    end = radius + widening
    x, y, least = range_of(terms[0], radius, end)
    if not least < 1.0:
        return
    for i in range(1, CUTS):
        if most_within(terms[i], radius, end, x, y, least) <= 0.0:
            return
    terms = (turned(terms[0], x, y), turned(terms[1], x, y), turned(terms[2], x, y), turned(terms[3], x, y))
    u, b = plus(scaled(u, x), scaled(b, y)), minus(scaled(b, x), scaled(u, y))
    count = 0
    for i in range(CUTS):
        a, rate, by_x, by_y = terms[i]
        count = add_roots(work, 0, count, a, radius * by_x, radius * by_y, least)
        count = add_roots(work, 0, count, a + rate, end * by_x, end * by_y, least)
        for j in range(i):
            other, rate_j, x_j, y_j = terms[j]
            own, others = other * widening - radius * rate_j, radius * rate - a * widening
            count = add_roots(work, 0, count, other * rate - a * rate_j, x_j * others + by_x * own,
                              y_j * others + by_y * own, least)
    count = add_sectors(work, count, least)
    length = norm(along)
    axis = scaled(along, 1.0 / length)
    for i in range(count - 1):
        sine, x, y = between(work, i, i + 1)
        if not sine > APART:
            continue
        low, high = strip_interval(terms, x, y, radius, widening)
        if not low < high:
            continue
        narrow = sine < NARROW
        for node in range(FEW_TURN.size if narrow else TURN.size):
            x, y, rate = towards(work, i, i + 1, FEW_TURN[node] if narrow else TURN[node])
            rate *= FEW_TURN_WEIGHT[node] if narrow else TURN_WEIGHT[node]
            low, high = strip_interval(terms, x, y, radius, widening)
            if not low < high:
                continue
            out = plus(scaled(u, x), scaled(b, y))
            f0, f1 = on_strip(terms[0], x, y, radius, widening)
            facing = minus(scaled(out, length), scaled(axis, widening))
            for m in range(LINE.size):
                t = low + (high - low) * LINE[m]
                r = radius + t * widening
                arm = plus(plus(start, scaled(along, t)), scaled(out, r))
                add_pressure(sums, k, arm, scaled(facing, rate * LINE_WEIGHT[m] * (high - low) * r),
                             f0 + t * f1, n, way, law, slide, turn)


@inlined
def disc_terms(cut, centre, radius, u, b):
    return cut[0] + along_cut(cut, centre), radius * along_cut(cut, u), radius * along_cut(cut, b)


@inlined
def disc_interval(terms, x, y):
    """The chord at the distance y = sin θ (x = cos θ) from the middle, t from its lower to its upper end."""
    low, high = 0.0, 1.0
    for j in range(CUTS):
        a, by_u, by_b = terms[j]
        low, high = interval(a + by_u * y - by_b * x, 2.0 * by_b * x, low, high)
    return low, high


@kernel
def press_disc(work, sums, k, centre, radius, outward, u, b, cuts, n, way, law, slide, turn):
    """Pressure on a flat end; u, b: directions in it, chords along b."""
    terms = (disc_terms(cuts[0], centre, radius, u, b), disc_terms(cuts[1], centre, radius, u, b),
             disc_terms(cuts[2], centre, radius, u, b), disc_terms(cuts[3], centre, radius, u, b))
    count, share = 0, 1.0
    for i in range(CUTS):
        a, by_u, by_b = terms[i]
        reach = math.sqrt(by_u * by_u + by_b * by_b)
        if abs(a) <= IN_PLANE * radius and reach <= IN_PLANE * radius:
            share *= 0.5
        elif a + reach <= 0.0:
            return
    a, by_u, by_b = terms[0]
    x, y, least = range_of((a, 0.0, by_u, by_b), 1.0, 1.0)
    least = least if least < 1.0 else -1.0
    for i in range(1, CUTS):   # a flat end is deep between an arc of its rim and the chord of that
        a, by_u, by_b = terms[i]
        if most_within((a, 0.0, by_u, by_b), 1.0, 1.0, x, y, least) <= -IN_PLANE * radius:
            return
    if share < 1.0:   # on the plane of a cut: what side of it rounding takes it for is not to matter
        terms = (terms[0], settled(terms[1], radius), settled(terms[2], radius), settled(terms[3], radius))
    for i in range(CUTS):
        a, by_u, by_b = terms[i]
        count = add_roots(work, 0, count, a, -by_b, by_u, 0.0)
        count = add_roots(work, 0, count, a, by_b, by_u, 0.0)
        for j in range(i):
            other, u_j, b_j = terms[j]
            count = add_roots(work, 0, count, a * b_j - other * by_b, 0.0, by_u * b_j - u_j * by_b, 0.0)
    count = add_half_sectors(work, 0, count)
    for i in range(count - 1):
        sine, x, y = between(work, i, i + 1)
        if not sine > APART:
            continue
        low, high = disc_interval(terms, x, y)
        if not low < high:
            continue
        for node in range(TURN.size):
            x, y, rate = towards(work, i, i + 1, TURN[node])
            low, high = disc_interval(terms, x, y)
            if not low < high:
                continue
            a, by_u, by_b = terms[0]
            weight = share * TURN_WEIGHT[node] * rate * (high - low) * 2.0 * radius * radius * x * x
            for m in range(LINE.size):
                t = low + (high - low) * LINE[m]
                w = x * (2.0 * t - 1.0)
                arm = plus(centre, plus(scaled(u, radius * y), scaled(b, radius * w)))
                add_pressure(sums, k, arm, scaled(outward, weight * LINE_WEIGHT[m]), a + by_u * y + by_b * w, n, way, law,
                             slide, turn)


@inlined
def settled(terms, radius):
    a, by_u, by_b = terms
    if abs(a) <= IN_PLANE * radius and math.sqrt(by_u * by_u + by_b * by_b) <= IN_PLANE * radius:
        return radius, 0.0, 0.0
    return terms
