"""What follows the pressure of a pair: its sums are booked, its springs bound the step, its surfaces rub."""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.dampers import keep_pair_rows, keep_vertex_rows
from robotphi.kernels.contact.hold.hold import rub_pair, rub_vertices, stiffness_of
from robotphi.kernels.contact.kinds import ROUND_FIELD, SELF, SHEET_SHEET, SHEET_SOFT
from robotphi.kernels.contact.sides import ask_pair, ask_vertices, is_soft, speed_at
from robotphi.kernels.maths.vectors import across, dot, get3, plus, scaled, set3

ROUNDED_OFF = 1e-6    # of what facing sides feel: where far sides take all but this away, its centre is rounding


@kernel
def pressure_point(sums, k, origin, n):
    """Centre of the elastic pressure of pair k and its gyration radius about it, across n.

    Across n it is the middle of the overlap; along n only the sides that face each other tell where they meet.
    """
    elastic = sums[k, c.PAIR_ELASTIC]
    if not elastic > ROUNDED_OFF * sums[k, c.PAIR_FACING]:
        return origin, 0.0
    mean = across(scaled(get3(sums, k, c.PAIR_CENTRE), 1.0 / elastic), n)
    spread = sums[k, c.PAIR_SPREAD] / elastic - dot(mean, mean)
    height = dot(get3(sums, k, c.PAIR_PLACE), n) / sums[k, c.PAIR_FACING]
    return plus(plus(origin, mean), scaled(n, height)), math.sqrt(max(spread, 0.0))


@kernel
def book_pair(touch, k, n, touching):
    """Add the sums of pair k to the totals."""
    totals, sums = touch.totals, touch.sums
    totals[c.TOTAL_ENERGY] += sums[k, c.PAIR_ENERGY]
    totals[c.TOTAL_LOSS] += sums[k, c.PAIR_LOSS]
    # damping hides none of what rounding stirs, nor do far sides that press back
    totals[c.TOTAL_NORMAL] += max(math.fabs(sums[k, c.PAIR_NORMAL]), max(sums[k, c.PAIR_ELASTIC], sums[k, c.PAIR_FACING]))
    set3(touch.numbers, k, c.NOW, n)
    touch.pairs[k, c.TRIAL_TOUCHING] = 1 if touching else 0


@kernel
def bound_pair(now, k, row, point, gyration, stiffness, damping):
    """Let the springs of pair k, normal and tangential, count for the step."""
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.numbers[k, c.STEEPNESS] = stiffness
    lossy = 0.0 if touch.pairs[k, c.HAS_ROWS] == 1 else 1.0   # dampers that are rows bound no step
    side, side_damping = 0.0, 0.0
    if law[row, c.STATIC_FRICTION] > 0.0:
        side, side_damping = stiffness_of(parts, law, row, a, b), touch.numbers[k, c.RUB_DAMPING]
    touch.numbers[k, c.SOFT_STIFF], touch.numbers[k, c.SOFT_DAMP] = 0.0, 0.0
    case, rubs = touch.pairs[k, c.CASE], law[row, c.STATIC_FRICTION] > 0.0
    if is_soft(parts, a):
        side, side_damping = ask_vertices(now, k, row, a, b, rubs and case != SELF and case != SHEET_SHEET)
    if is_soft(parts, b) and a != b:
        more, more_damping = ask_vertices(now, k, row, b, a, rubs and case != SHEET_SHEET and case != SHEET_SOFT)
        side, side_damping = max(side, more), max(side_damping, more_damping)
    alone = 1.0 - lossy
    if is_soft(parts, a) or is_soft(parts, b) or case == ROUND_FIELD:   # vertices, and matrices, have rows of their own
        alone = 0.0
    ask_pair(now, k, point, gyration, stiffness, lossy * damping, side, lossy * side_damping,
             alone * damping * (1.0 - touch.numbers[k, c.TAKEN]), alone * touch.numbers[k, c.RUB_HELD])


@kernel
def finish_pressure(now, k, row, n, origin):
    """What follows the pressure over an area: friction, bounds."""
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    sums = touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    normal = sums[k, c.PAIR_NORMAL]
    point, gyration = pressure_point(sums, k, origin, n)
    book_pair(touch, k, n, normal > 0.0)
    area = sums[k, c.PAIR_AREA]
    touch.numbers[k, c.DEPTH] = sums[k, c.PAIR_ELASTIC] / (law[row, c.STIFFNESS] * area) if area > 0.0 else 0.0
    if parts.rigid[a] >= 0 and (parts.rigid[b] >= 0 or parts.vertex_start[b] == parts.vertex_start[b + 1]):
        rub_pair(now, k, row, n, point, speed_at(parts, b, now.v, now.rigid, point), gyration, normal, 0.0)
        if touch.pairs[k, c.HAS_ROWS] == 1:
            keep_pair_rows(now, k, n, point, gyration)
    else:
        set3(touch.numbers, k, c.POINT, point)
        rub_vertices(now, k, row, n)
        if touch.pairs[k, c.HAS_ROWS] == 1:
            keep_vertex_rows(now, k, n)
    if normal > 0.0:
        bound_pair(now, k, row, point, gyration, law[row, c.STIFFNESS] * area,
                   touch.numbers[k, c.LOSSY] * sums[k, c.PAIR_ELASTIC])
