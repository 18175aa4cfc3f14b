"""Pressure of one triangle of another part on the surface of a round shape: exact for every pose, and blind to its spin.

With n the direction of the pair the triangle stands for the matter below it: the depth φ(x) = l·(g − x), l its normal made 1
long along n, counts where x lies below it and within its prism along n, which is where four linear functions are positive
(`cuts`: the depth and three edges). A surface is swept by lines or arcs: sides of cones and cylinders by straight lines from
end to end, flat ends by chords, half balls by meridians. On each line the cuts leave an interval, whose ends and what is to be
integrated over it are closed forms. Between two of the directions in which an end of the interval passes from one cut to
another, which are roots of A + B cos ψ + C sin ψ = 0 each, all is smooth, and Gauss's nodes leave next to nothing. Nothing is
cut into facets: how ground is cut into triangles, and how far a wheel has turned, changes a force by rounding alone.

U = λ ∫ φ dV = −λ ∮ ½ φ² N·n dS, and its gradient is the pressure λ φ along −N, as for polyhedra (`facets`). Damping acts along
one way, by the speed v along it: on a field along l, so that a slope hit along its normal damps like a plane; else along n,
where the force of an edge is too, so that a rim which slips over it is not held: at an edge l leans, and v·l sees the slip.
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.press.clip import add_tensor
from robotphi.kernels.maths.vectors import across, cross, dot, minus, plus, scaled, unit


def gauss(count):
    """Nodes and weights on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (nodes + 1.0), 0.5 * weights


LINE, LINE_WEIGHT = gauss(3)        # along a line, on which all is a polynomial of at most the fifth degree
TURN, TURN_WEIGHT = gauss(10)       # over directions less than 45° apart
FEW_TURN, FEW_TURN_WEIGHT = gauss(7)    # over those that are nearer to each other than this:
NARROW = 0.2                        # sine of an angle: five nodes leave up to 1e-7, which a vehicle at rest feels
ARC, ARC_WEIGHT = gauss(6)          # along a meridian
SWEEP, SWEEP_WEIGHT = gauss(12)     # over meridians, where an interval may begin like a root
SECTORS = tuple((math.cos(math.pi / 8 * (2 * i + 1)), math.sin(math.pi / 8 * (2 * i + 1))) for i in range(8))
HALF_SECTORS = tuple((math.cos(math.pi / 4 * i), math.sin(math.pi / 4 * i)) for i in (-2, -1, 0, 1, 2))
BREAK_ROWS = 64                      # rows of the scratch array `work` (rows, 3): directions of sweeps, and behind them of arcs
CUTS = 4
APART = 1e-14                        # sine of an angle that holds nothing
ALL_ROUND = 3.0                      # beyond all keys of directions


# What presses --------------------------------------------------------------------------------------------------------------

@inlined
def lean_of(g0, g1, g2, n):
    """The normal of a triangle made 1 long along n, and the sign with which it counts; 0 where it is upright."""
    area = cross(minus(g1, g0), minus(g2, g0))
    seen = dot(area, n)
    if not seen * seen > 1e-20 * dot(area, area):
        return n, 0.0
    return scaled(area, 1.0 / seen), 1.0 if seen > 0.0 else -1.0


@inlined
def edge_cut(a, b, n, sign):
    """The half space beside an edge, along n."""
    out = unit(scaled(cross(n, minus(b, a)), sign))
    return -dot(out, a), out[0], out[1], out[2]


@inlined
def cuts_of(g0, g1, g2, n, lean, sign):
    """Depth and edges as (constant, gradient), places from the reference point."""
    return ((dot(lean, g0), -lean[0], -lean[1], -lean[2]), edge_cut(g0, g1, n, sign), edge_cut(g1, g2, n, sign),
            edge_cut(g2, g0, n, sign))


@inlined
def along_cut(cut, d):
    return cut[1] * d[0] + cut[2] * d[1] + cut[3] * d[2]


@kernel
def add_pressure(sums, k, arm, area, gap, n, way, law, slide, turn):
    """One point of pressure: its place, its share of the surface as a vector outward, and its depth.

    `way`: of the damping, 1 long along n; `law`: stiffness λ with the sign of the triangle, damping d for the speed along `way`
    times its length, and the share s of it that is left; `slide`, `turn`: how the shape moves, as seen from the triangle.
    """
    along, elastic = dot(area, n), -law[0] * gap
    weight, push = elastic * along, 0.0
    if law[1] > 0.0 and law[0] > 0.0 and along < 0.0:
        rate = -dot(way, plus(slide, cross(turn, arm)))
        push = weight * law[2] * max(-1.0, law[1] * rate)
        sums[k, c.PAIR_LOSS] += push * rate
    f = plus(scaled(area, elastic), scaled(way, push))
    moment = cross(arm, f)
    for axis in range(3):
        sums[k, c.PAIR_FORCE + axis] += f[axis]
        sums[k, c.PAIR_MOMENT + axis] += moment[axis]
        sums[k, c.PAIR_CENTRE + axis] += weight * arm[axis]
    if law[0] > 0.0 and along < 0.0:
        for axis in range(3):
            sums[k, c.PAIR_PLACE + axis] += weight * arm[axis]
        sums[k, c.PAIR_FACING] += weight
        sums[k, c.PAIR_AREA] -= along
    sums[k, c.PAIR_ENERGY] += 0.5 * weight * gap
    sums[k, c.PAIR_NORMAL] += weight + push
    sums[k, c.PAIR_ELASTIC] += weight
    flat = across(arm, n)
    sums[k, c.PAIR_SPREAD] += weight * dot(flat, flat)
    sums[k, c.PAIR_POINTS] += 1.0
    add_tensor(sums, k, weight, arm)


# Directions at which something changes -------------------------------------------------------------------------------------

@inlined
def turn_key(x, y):
    """Grows with the angle of (x, y) from −π to π."""
    share = x / (abs(x) + abs(y))
    return 1.0 - share if y >= 0.0 else share - 1.0


@inlined
def add_break(work, first, count, x, y, key):
    """Direction (x, y) into the rows from `first` on, in the order of their keys; returns how many there are."""
    i = first + count
    while i > first and work[i - 1, 2] > key:
        work[i, 0], work[i, 1], work[i, 2] = work[i - 1, 0], work[i - 1, 1], work[i - 1, 2]
        i -= 1
    work[i, 0], work[i, 1], work[i, 2] = x, y, key
    return count + 1


@kernel
def add_roots(work, first, count, a, b, d, least):
    """The directions (cos ψ, sin ψ) with a + b cos ψ + d sin ψ = 0 whose cosine is above `least`."""
    square = b * b + d * d
    left = square - a * a
    if not (left > 0.0 and square > 0.0):
        return count
    root = math.sqrt(left)
    for side in range(2):
        r = root if side == 0 else -root
        x, y = (-a * b - d * r) / square, (-a * d + b * r) / square
        if x > least:
            count = add_break(work, first, count, x, y, turn_key(x, y))
    return count


@kernel
def add_sectors(work, count, least):
    """Of eight directions all round those whose cosine is above `least`, and both where it is that: no two are far apart."""
    for i in range(8):
        x, y = SECTORS[i]
        if x > least:
            count = add_break(work, 0, count, x, y, turn_key(x, y))
    end = math.sqrt(max(1.0 - least * least, 0.0))
    count = add_break(work, 0, count, least, -end, -ALL_ROUND)
    return add_break(work, 0, count, least, end, ALL_ROUND)


@kernel
def add_half_sectors(work, first, count):
    """Likewise five from −π/2 to π/2."""
    for i in range(5):
        x, y = HALF_SECTORS[i]
        count = add_break(work, first, count, x, y, turn_key(x, y))
    return count


@inlined
def between(work, i, j):
    """Directions i and j, the sine of the angle between them, and the one in the middle."""
    x0, y0, x1, y1 = work[i, 0], work[i, 1], work[j, 0], work[j, 1]
    x, y = x0 + x1, y0 + y1
    size = math.sqrt(x * x + y * y)
    sine = x0 * y1 - y0 * x1
    if not size > 0.0:
        return 0.0, 1.0, 0.0
    return sine, x / size, y / size


@inlined
def towards(work, i, j, share):
    """The direction on the chord from i to j, and how fast it turns with the share of the chord."""
    x0, y0, x1, y1 = work[i, 0], work[i, 1], work[j, 0], work[j, 1]
    x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    square = x * x + y * y
    size = math.sqrt(square)
    return x / size, y / size, (x0 * y1 - y0 * x1) / square
