"""What follows the pressure of a pair: its sums are booked, its springs bound the step, its surfaces rub."""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import get, put
from robotphi.kernels.contact.find.bound import bound_part, bound_vertices
from robotphi.kernels.contact.hold.friction import across
from robotphi.kernels.contact.hold.hold import rub_pair, rub_vertices, stiffness_of
from robotphi.kernels.contact.kinds import AREA, ELASTIC, ENERGY, FACING, LOSS, NORMAL, PLACE, SPHERE, SPREAD, STATIC, STIFFNESS
from robotphi.kernels.contact.kinds import CENTRE as PRESSURE
from robotphi.kernels.contact.sides import speed_at
from robotphi.kernels.maths.vectors import dot, plus, scaled

ROUNDED_OFF = 1e-6    # of what facing sides feel: where far sides take all but this away, its centre is rounding


@kernel
def pressure_point(sums, k, origin, n):
    """Centre of the elastic pressure of pair k and its gyration radius about it, across n.

    Across n it is the middle of the overlap; along n only the sides that face each other tell where they meet.
    """
    elastic = sums[k, ELASTIC]
    if not elastic > ROUNDED_OFF * sums[k, FACING]:
        return origin, 0.0
    mean = across(scaled(get(sums, k, PRESSURE), 1.0 / elastic), n)
    spread = sums[k, SPREAD] / elastic - dot(mean, mean)
    height = dot(get(sums, k, PLACE), n) / sums[k, FACING]
    return plus(plus(origin, mean), scaled(n, height)), math.sqrt(max(spread, 0.0))


@kernel
def book_pair(touch, k, n, touching):
    """Add the sums of pair k to the totals."""
    totals, sums = touch.totals, touch.sums
    totals[c.TOTAL_ENERGY] += sums[k, ENERGY]
    totals[c.TOTAL_LOSS] += sums[k, LOSS]
    # damping hides none of what rounding stirs, nor do far sides that press back
    totals[c.TOTAL_NORMAL] += max(math.fabs(sums[k, NORMAL]), max(sums[k, ELASTIC], sums[k, FACING]))
    put(touch.numbers, k, c.NOW, n)
    touch.pairs[k, c.TRIAL_TOUCHING] = 1 if touching else 0


@kernel
def bound_pair(arrays, touch, rigid, k, row, point, gyration, stiffness, damping):
    """Let the springs of pair k, normal and tangential, count for both its parts."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.numbers[k, c.STEEPNESS] = stiffness
    if law[row, STATIC] > 0.0:
        side = stiffness_of(parts, law, row, a, b)
        stiffness = max(stiffness, side)
        damping += touch.numbers[k, c.RUB_DAMPING]
    for part, other in ((a, b), (b, a)):
        if parts.rigid[part] >= 0 or parts.kind[part] == SPHERE:
            bound_part(arrays.rigids, arrays.particles, parts, part, other, rigid, touch.limits, touch.totals,
                       parts.vertex[parts.vertex_start[part]] if parts.kind[part] == SPHERE else -1, point,
                       gyration * gyration, stiffness, damping)
        elif parts.vertex_start[part] < parts.vertex_start[part + 1]:
            bound_vertices(arrays, touch, part, law[row, STIFFNESS], touch.numbers[k, c.LOSSY], law[row, STATIC] > 0.0)


@kernel
def finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin):
    """What follows the pressure of facets: reaction on the second rigid, friction, bounds."""
    parts, law, sums = arrays.contact.parts, arrays.contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    normal = sums[k, NORMAL]
    point, gyration = pressure_point(sums, k, origin, n)
    book_pair(touch, k, n, normal > 0.0)
    area = sums[k, AREA]
    touch.numbers[k, c.DEPTH] = sums[k, ELASTIC] / (law[row, STIFFNESS] * area) if area > 0.0 else 0.0
    if parts.rigid[a] >= 0 and (parts.rigid[b] >= 0 or parts.vertex_start[b] == parts.vertex_start[b + 1]):
        rub_pair(parts, law, row, touch.pairs, touch.numbers, k, v, rigid, force, touch.load, touch.totals, n, point,
                 speed_at(parts, b, v, rigid, point), gyration, normal, dt)
    else:
        put(touch.numbers, k, c.POINT, point)
        rub_vertices(arrays, touch, k, row, x, v, force, rigid, n, dt)
    if normal > 0.0:
        bound_pair(arrays, touch, rigid, k, row, point, gyration, law[row, STIFFNESS] * area,
                   touch.numbers[k, c.LOSSY] * sums[k, ELASTIC])
