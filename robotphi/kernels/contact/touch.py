"""All contact forces at one instant: each pair of parts by its kind, one after the other, in the order of the pairs.

The pairs come from `pairs.py`, which runs once an accepted step. Here nothing is kept but trials, so that a refused attempt
leaves no trace.
"""
import math

from ..compiled import inlined, kernel
from ..vectors import dot, minus, norm, plus, read, scaled
from . import columns as c
from .ball_field import POINT, SHARE, press_ball_on_field
from .ball_soft import AREA as WITHIN
from .ball_soft import DEPTH, MIDDLE, NORMALS, SECTION, measure_patch, press_patch, push_patch, speed_of_patch
from .ball_solid import ball_on_solid
from .balls import ball_slope, press_ball
from .bound import bound_part, bound_vertices
from .carrier import get, put, unit
from .friction import across
from .ground import press_on_field, press_on_plane
from .ground_place import plane_now, surface_motion
from .hold import rub_pair, rub_vertices, stiffness_of
from .kinds import (
    AREA,
    BALL_POWER,
    BALL_STIFFNESS,
    CYLINDER,
    ELASTIC,
    ENERGY,
    FACING,
    FORCE,
    LOSS,
    MOMENT,
    NORMAL,
    PLACE,
    RADIUS,
    SPHERE,
    SPREAD,
    STATIC,
    STIFFNESS,
    TOTAL_COLUMNS,
)
from .kinds import CENTRE as PRESSURE
from .rollers import press_capsule, press_cylinder, relative_motion
from .sheets import touch_sheet, touch_thin
from .sides import clear_shares, load_wrench, push, speed_at
from .solids import lossy_now, press_solids

ROUNDED_OFF = 1e-6    # of what facing sides feel: where far sides take all but this away, its centre is rounding


@inlined
def law_row(contact, touch, a, b):
    return contact.parts.material[a] * touch.sizes[c.MATERIALS] + contact.parts.material[b]


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


@kernel
def touch_plane(arrays, touch, x, v, force, rigid, dt, k, row):
    """A polyhedron on a plane."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_plane(parts, a, x, v, force, n, level, speed, spin, centre, law[row, STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.share, touch.sums, k)
    if parts.rigid[b] >= 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, get(touch.sums, k, FORCE), get(touch.sums, k, MOMENT), -1.0)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_field(arrays, touch, x, v, force, rigid, dt, k, row):
    """A polyhedron on a height field."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_field(parts, a, x, v, force, arrays.contact.fields, parts.field[b], law[row, STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.facet_corner, touch.share, touch.sums, k)
    # the push of a slope leans: friction acts across what the pressure adds up to
    push_of_all = get(touch.sums, k, FORCE)
    n = unit(push_of_all) if touch.sums[k, NORMAL] > 0.0 else (0.0, 0.0, 1.0)
    touch.sums[k, NORMAL] = norm(push_of_all) if touch.sums[k, NORMAL] > 0.0 else 0.0
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_roller(arrays, touch, x, v, force, rigid, dt, k, row):
    """A capsule or cylinder on a plane."""
    parts, law, sums = arrays.contact.parts, arrays.contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    own_speed, own_spin, own_centre = surface_motion(parts, a, rigid)
    first = parts.vertex_start[a]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    origin = own_centre
    slide, turn = relative_motion(origin, own_centre, own_speed, own_spin, centre, speed, spin)
    whole, damping = law[row, STIFFNESS], touch.numbers[k, c.LOSSY]
    if parts.kind[a] == CYLINDER:
        pressed = press_cylinder(p, q, parts.size[a, RADIUS], n, level, slide, turn, origin, whole, damping)
    else:
        pressed = press_capsule(p, q, parts.size[a, RADIUS], n, level, slide, turn, origin, whole, damping)
    energy, elastic, normal, loss, area, f, moment, mean, spread, _ = pressed
    sums[k, ENERGY], sums[k, ELASTIC], sums[k, NORMAL], sums[k, LOSS], sums[k, AREA] = energy, elastic, normal, loss, area
    put(sums, k, FORCE, f)
    put(sums, k, MOMENT, moment)
    without = elastic / normal if normal > 0.0 else 0.0  # the damping's share taken off
    put(sums, k, PRESSURE, scaled(mean, without))
    put(sums, k, PLACE, scaled(mean, without))
    sums[k, SPREAD], sums[k, FACING] = spread * without, elastic
    load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
    if parts.rigid[b] >= 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, f, moment, -1.0)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_solids(arrays, touch, x, v, force, rigid, dt, k, row):
    """Two polyhedra that overlap or may do so by the end of the step."""
    parts = arrays.contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    n, origin = press_solids(arrays, touch, x, v, force, rigid, k, row)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@inlined
def ball_law(law, row, radius):
    """Stiffness k and power of a ball's force k xⁿ; `radius` 1/(1/R₁ + 1/R₂). The volume law stands for a cap's λ π R x²."""
    power = law[row, BALL_POWER]
    stiffness = law[row, BALL_STIFFNESS]
    return (stiffness if stiffness > 0.0 else law[row, STIFFNESS] * math.pi * radius), power


@inlined
def rubbing_point(parts, a, n, centre, distance):
    """Where a ball rubs: at this distance from its centre; of a particle, which takes no moment, at the particle itself.

    Friction and its reaction then act on one line, and the angular momentum of both is kept.
    """
    return minus(centre, scaled(n, distance)) if parts.rigid[a] >= 0 else centre


@kernel
def leaves_alone(touch, k, n, depth, centre):
    """Whether a ball is apart from the other part and nothing is left of an anchored spring; the pair is then done with."""
    numbers = touch.numbers
    if depth > 0.0:
        return False
    for i in range(4):
        if numbers[k, c.ANCHOR + i] != 0.0:
            return False
    for i in range(4):
        numbers[k, c.TRIAL + i] = 0.0
        numbers[k, c.FRICTION + i] = 0.0
    numbers[k, c.DEPTH], numbers[k, c.GYRATION] = depth, 0.0
    put(numbers, k, c.NOW, n)
    put(numbers, k, c.POINT, centre)
    touch.pairs[k, c.TRIAL_STICKS], touch.pairs[k, c.TRIAL_TOUCHING] = 1, 0
    return True


@kernel
def press_ball_pair(arrays, touch, v, force, rigid, dt, k, row, n, depth, centre, point, surface, rounding):
    """A ball's force along n, on the first part at its centre, on the second at a point where its velocity is `surface`."""
    parts, law, sums = arrays.contact.parts, arrays.contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.numbers[k, c.DEPTH] = depth
    normal, stiffness = 0.0, 0.0
    if depth > 0.0:
        whole, power = ball_law(law, row, rounding)
        closing = dot(n, minus(surface, speed_at(parts, a, v, rigid, point)))
        energy, elastic, normal, loss = press_ball(whole, power, touch.numbers[k, c.LOSSY], depth, closing)
        sums[k, ENERGY], sums[k, ELASTIC], sums[k, NORMAL], sums[k, LOSS] = energy, elastic, normal, loss
        stiffness = ball_slope(whole, power, depth)
        sums[k, AREA] = math.pi * rounding * depth
        f = scaled(n, normal)
        put(sums, k, FORCE, f)
        push(parts, a, force, touch.load, rigid, centre, f, 1.0)
        push(parts, b, force, touch.load, rigid, point, f, -1.0)
    book_pair(touch, k, n, normal > 0.0)
    rub_pair(parts, law, row, touch.pairs, touch.numbers, k, v, rigid, force, touch.load, touch.totals, n, point, surface, 0.0,
             normal, dt)
    if normal > 0.0:
        bound_pair(arrays, touch, rigid, k, row, point, 0.0, stiffness, touch.numbers[k, c.LOSSY] * sums[k, ELASTIC])


@kernel
def touch_ball_plane(arrays, touch, x, v, force, rigid, dt, k, row):
    parts = arrays.contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, RADIUS]
    depth = radius - (dot(n, centre) - level)
    if leaves_alone(touch, k, n, depth, centre):
        return
    point = rubbing_point(parts, a, n, centre, radius - 0.5 * depth)
    press_ball_pair(arrays, touch, v, force, rigid, dt, k, row, n, depth, centre, point, speed_at(parts, b, v, rigid, point),
                    radius)


@kernel
def touch_balls(arrays, touch, x, v, force, rigid, dt, k, row):
    parts = arrays.contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    other = read(x, parts.vertex[parts.vertex_start[b]])
    gap = minus(centre, other)
    first, second = parts.size[a, RADIUS], parts.size[b, RADIUS]
    distance = norm(gap)
    n = unit(gap) if distance > 0.0 else get(touch.numbers, k, c.NORMAL_X)
    depth = first + second - distance
    if leaves_alone(touch, k, n, depth, centre):
        return
    point = minus(centre, scaled(n, first - 0.5 * depth))
    if parts.rigid[b] < 0 and parts.rigid[a] >= 0:
        point = other
    elif parts.rigid[a] < 0 and parts.rigid[b] >= 0:
        point = centre
    press_ball_pair(arrays, touch, v, force, rigid, dt, k, row, n, depth, centre, point, speed_at(parts, b, v, rigid, point),
                    first * second / (first + second))


@kernel
def touch_ball_solid(arrays, touch, x, v, force, rigid, dt, k, row):
    """A ball on a rigid polyhedron: the law of the depth along the shortest way from the polyhedron to its centre."""
    parts = arrays.contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, RADIUS]
    gap, n = ball_on_solid(parts, touch, x, k)
    if leaves_alone(touch, k, n, radius - gap, centre):
        return
    point = rubbing_point(parts, a, n, centre, radius - 0.5 * (radius - gap))
    press_ball_pair(arrays, touch, v, force, rigid, dt, k, row, n, radius - gap, centre, point,
                    speed_at(parts, b, v, rigid, point), radius)


@kernel
def touch_ball_soft(arrays, touch, x, v, force, rigid, dt, k, row):
    """A ball on a soft polyhedron; a rigid ball rubs in the middle of the surface within it, a particle at itself."""
    parts, law, sums, numbers, patch = arrays.contact.parts, arrays.contact.law, touch.sums, touch.numbers, touch.patch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, RADIUS]
    measure_patch(parts, arrays.contact.tree, touch, b, x, v, centre, speed_at(parts, a, v, rigid, centre), radius)
    depth, normals = patch[DEPTH], (patch[NORMALS], patch[NORMALS + 1], patch[NORMALS + 2])
    n = unit(normals) if depth > 0.0 else get(numbers, k, c.NORMAL_X)
    if leaves_alone(touch, k, n, depth, centre):
        return
    whole, power = ball_law(law, row, radius)
    energy, elastic, pressure, loss, slope = press_patch(patch, whole, power, numbers[k, c.LOSSY], radius, 0.0)
    f = scaled(normals, pressure)
    normal = norm(f)
    sums[k, ENERGY], sums[k, ELASTIC], sums[k, NORMAL], sums[k, LOSS] = energy, elastic * norm(normals), normal, loss
    sums[k, AREA] = patch[WITHIN]
    put(sums, k, FORCE, f)
    numbers[k, c.DEPTH] = depth
    push(parts, a, force, touch.load, rigid, centre, f, 1.0)
    book_pair(touch, k, n, normal > 0.0)
    arm = (0.0, 0.0, 0.0)
    if parts.rigid[a] >= 0 and patch[WITHIN] > 0.0:
        arm = scaled((patch[MIDDLE], patch[MIDDLE + 1], patch[MIDDLE + 2]), 1.0 / patch[WITHIN])
    rub_pair(parts, law, row, touch.pairs, numbers, k, v, rigid, force, touch.load, touch.totals, n, plus(centre, arm),
             speed_of_patch(patch, arm), 0.0, normal, dt)
    side, side_damping = 0.0, 0.0
    if law[row, STATIC] > 0.0:
        side, side_damping = stiffness_of(parts, law, row, a, b), numbers[k, c.RUB_DAMPING]
    damping = numbers[k, c.LOSSY] * elastic * patch[WITHIN] * patch[WITHIN] / patch[SECTION] if depth > 0.0 else 0.0
    push_patch(parts, arrays.particles, touch, x, force, centre, radius, pressure, get(numbers, k, c.FRICTION), arm, slope,
               side, damping, side_damping)
    if normal > 0.0:
        numbers[k, c.STEEPNESS] = slope
        bound_part(arrays.rigids, arrays.particles, parts, a, b, rigid, touch.limits, touch.totals,
                   parts.vertex[parts.vertex_start[a]], plus(centre, arm), 0.0, max(slope, side), damping + side_damping)


@kernel
def touch_ball_field(arrays, touch, x, v, force, rigid, dt, k, row):
    """A ball on a height field, in a valley at several points; friction where their forces' middle is."""
    contact, sums = arrays.contact, touch.sums
    parts, law = contact.parts, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, RADIUS]
    whole, power = ball_law(law, row, radius)
    energy, elastic, f, loss, count = press_ball_on_field(
        contact.fields, parts.field[b], centre, speed_at(parts, a, v, rigid, centre), radius, whole, power,
        touch.numbers[k, c.LOSSY], touch.points)
    normal = norm(f)
    n = unit(f) if normal > 0.0 else get(touch.numbers, k, c.NORMAL_X)
    sums[k, ENERGY], sums[k, ELASTIC], sums[k, NORMAL], sums[k, LOSS] = energy, elastic, normal, loss
    put(sums, k, FORCE, f)
    push(parts, a, force, touch.load, rigid, centre, f, 1.0)
    book_pair(touch, k, n, normal > 0.0)
    point, weight = (0.0, 0.0, 0.0), 0.0
    for i in range(count):
        share = touch.points[i, SHARE]
        weight += share
        point = plus(point, scaled(get(touch.points, i, POINT), share))
    point = scaled(point, 1.0 / weight) if weight > 0.0 else minus(centre, scaled(n, radius))
    depth = (energy * (power + 1.0) / whole) ** (1.0 / (power + 1.0)) if energy > 0.0 else 0.0
    touch.numbers[k, c.DEPTH] = depth
    if parts.rigid[a] < 0:
        point = centre
    rub_pair(parts, law, row, touch.pairs, touch.numbers, k, v, rigid, force, touch.load, touch.totals, n, point,
             speed_at(parts, b, v, rigid, point), 0.0, normal, dt)
    if normal > 0.0:
        sums[k, AREA] = math.pi * radius * depth
        bound_pair(arrays, touch, rigid, k, row, point, 0.0, count * ball_slope(whole, power, depth),
                   touch.numbers[k, c.LOSSY] * elastic)


@kernel
def touch_pair(arrays, touch, x, v, force, rigid, dt, k):
    """The contact of pair k, by its kind."""
    for column in range(TOTAL_COLUMNS):
        touch.sums[k, column] = 0.0
    case = touch.pairs[k, c.CASE]
    row = law_row(arrays.contact, touch, touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND])
    if case == c.SOLID_PLANE:
        touch_plane(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SOLID_SOLID:
        touch_solids(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SOLID_FIELD:
        touch_field(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.ROLLER_PLANE:
        touch_roller(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_SOLID:
        touch_ball_solid(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_SOFT:
        touch_ball_soft(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_FIELD:
        touch_ball_field(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_PLANE:
        touch_ball_plane(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SHEET_SHEET or case == c.SELF:
        touch_thin(arrays, touch, x, v, force, rigid, dt, k, row)
    elif c.SHEET_PLANE <= case <= c.SHEET_BALL or case == c.SHEET_SOFT:
        touch_sheet(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_BALL:
        touch_balls(arrays, touch, x, v, force, rigid, dt, k, row)


@kernel
def add_contact_forces(arrays, touch, x, v, force, rigid, dt):
    """Contact forces on the particles, the load of contact on the rigids, and what it all adds up to."""
    for i in range(touch.load.shape[0]):
        for axis in range(6):
            touch.load[i, axis] = 0.0
        touch.limits[i, 0] = 0.0
        touch.limits[i, 1] = 0.0
    for i in range(c.TOTALS):
        touch.totals[i] = 0.0
    for part in range(len(touch.fresh)):
        touch.fresh[part] = 0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        touch_pair(arrays, touch, x, v, force, rigid, dt, k)
