"""The pressure of a triangle on half balls, by meridians: see `round_facet`."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.round_facet import (
    APART,
    CUTS,
    add_break,
    add_half_sectors,
    add_pressure,
    add_roots,
    along_cut,
    between,
    gauss,
    towards,
    turn_key,
)
from robotphi.kernels.maths.vectors import cross, dot, minus, plus, scaled

ARC, ARC_WEIGHT = gauss(6)           # along a meridian
SWEEP, SWEEP_WEIGHT = gauss(12)      # over meridians, where an interval may begin like a root
OF_ARC = 48                          # rows of `work` from which on it has the directions of arcs


@inlined
def ball_terms(cut, centre, outward, g, pole):
    """Of a cut on a ball: constant, and by the three directions."""
    return cut[0] + along_cut(cut, centre), along_cut(cut, outward), along_cut(cut, g), along_cut(cut, pole)


@inlined
def inside_all(terms, radius, x, y, cosine, sine):
    """Whether all cuts are positive at the place of latitude (cosine, sine) on the meridian (x, y)."""
    for j in range(CUTS):
        a, by_out, by_g, by_pole = terms[j]
        if not a + radius * (cosine * (by_out * x + by_g * y) + sine * by_pole) > 0.0:
            return False
    return True


@kernel
def arcs_of(work, terms, radius, x, y):
    """The latitudes at which a cut changes its sign on a meridian, with both poles, into `work`; how many."""
    count = 0
    for j in range(CUTS):
        a, by_out, by_g, by_pole = terms[j]
        count = add_roots(work, OF_ARC, count, a, radius * (by_out * x + by_g * y), radius * by_pole, 0.0)
    count = add_half_sectors(work, OF_ARC, count)
    return count


@kernel
def add_corners(work, count, one, two, centre, radius, outward, g, pole):
    """The two places of a ball that lie on two cuts at once, as directions of their meridians."""
    d, e = (one[1], one[2], one[3]), (two[1], two[2], two[3])
    line = cross(d, e)
    square = dot(line, line)
    if not square > 0.0:
        return count
    a, b = one[0] + along_cut(one, centre), two[0] + along_cut(two, centre)
    foot = scaled(plus(scaled(cross(e, line), -a), scaled(cross(line, d), -b)), 1.0 / square)
    left = radius * radius - dot(foot, foot)
    if not left > 0.0:
        return count
    step = scaled(line, math.sqrt(left / square))
    for side in range(2):
        place = plus(foot, step) if side == 0 else minus(foot, step)
        x, y = dot(place, outward), dot(place, g)
        size = math.sqrt(x * x + y * y)
        if x > 0.0:
            count = add_break(work, 0, count, x / size, y / size, turn_key(x / size, y / size))
    return count


@kernel
def press_half_ball(work, sums, k, centre, radius, outward, pole, cuts, n, way, law, slide, turn):
    """Pressure on the half of a ball that lies outward of its centre; `pole` is across `outward`, best across n too."""
    g = cross(pole, outward)
    terms = (ball_terms(cuts[0], centre, outward, g, pole), ball_terms(cuts[1], centre, outward, g, pole),
             ball_terms(cuts[2], centre, outward, g, pole), ball_terms(cuts[3], centre, outward, g, pole))
    count = 0
    for i in range(CUTS):
        a, x, y, z = terms[i]
        if a + radius * math.sqrt(x * x + y * y + z * z) <= 0.0:
            return
    for i in range(CUTS):
        a, x, y, z = terms[i]
        square = a * a / (radius * radius) - z * z
        if square > 0.0:   # meridians that touch the circle in which the cut meets the ball
            count = add_roots(work, 0, count, math.sqrt(square), x, y, 0.0)
            count = add_roots(work, 0, count, -math.sqrt(square), x, y, 0.0)
        for j in range(i):
            count = add_corners(work, count, cuts[i], cuts[j], centre, radius, outward, g, pole)
    count = add_half_sectors(work, 0, count)
    for i in range(count - 1):
        sine, x, y = between(work, i, i + 1)
        if sine > APART and is_met(work, terms, radius, x, y):
            for node in range(SWEEP.size):
                s = SWEEP[node]
                x, y, rate = towards(work, i, i + 1, s * s * (3.0 - 2.0 * s))
                out = plus(scaled(outward, x), scaled(g, y))
                press_meridian(work, sums, k, centre, radius, out, pole, terms, x, y,
                               SWEEP_WEIGHT[node] * rate * 6.0 * s * (1.0 - s), n, way, law, slide, turn)


@kernel
def is_met(work, terms, radius, x, y):
    """Whether any of a meridian has pressure."""
    arcs = arcs_of(work, terms, radius, x, y)
    for i in range(OF_ARC, OF_ARC + arcs - 1):
        sine, cosine, height = between(work, i, i + 1)
        if sine > APART and inside_all(terms, radius, x, y, cosine, height):
            return True
    return False


@kernel
def press_meridian(work, sums, k, centre, radius, out, pole, terms, x, y, weight, n, way, law, slide, turn):
    """Pressure on a lune of a ball about one meridian."""
    arcs = arcs_of(work, terms, radius, x, y)
    a, by_out, by_g, by_pole = terms[0]
    q = by_out * x + by_g * y
    for i in range(OF_ARC, OF_ARC + arcs - 1):
        sine, cosine, height = between(work, i, i + 1)
        if not (sine > APART and inside_all(terms, radius, x, y, cosine, height)):
            continue
        for node in range(ARC.size):
            cosine, height, rate = towards(work, i, i + 1, ARC[node])
            facing = plus(scaled(out, cosine), scaled(pole, height))
            area = weight * ARC_WEIGHT[node] * rate * cosine * radius * radius
            add_pressure(sums, k, plus(centre, scaled(facing, radius)), scaled(facing, area),
                         a + radius * (cosine * q + height * by_pole), n, way, law, slide, turn)
