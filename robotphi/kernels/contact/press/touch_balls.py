"""Balls and particles with a size on everything: their depth, the law of a ball, friction, and what goes back."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import get, put, unit
from robotphi.kernels.contact.find.bound import bound_part
from robotphi.kernels.contact.finish import book_pair, bound_pair
from robotphi.kernels.contact.hold.hold import rub_pair, stiffness_of
from robotphi.kernels.contact.kinds import (
    AREA,
    BALL_POWER,
    BALL_STIFFNESS,
    ELASTIC,
    ENERGY,
    FORCE,
    LOSS,
    NORMAL,
    RADIUS,
    STATIC,
    STIFFNESS,
)
from robotphi.kernels.contact.press.ball_field import POINT, SHARE, press_ball_on_field
from robotphi.kernels.contact.press.ball_soft import AREA as WITHIN
from robotphi.kernels.contact.press.ball_soft import (
    DEPTH,
    MIDDLE,
    NORMALS,
    SECTION,
    measure_patch,
    press_patch,
    push_patch,
    speed_of_patch,
)
from robotphi.kernels.contact.press.ball_solid import ball_on_solid
from robotphi.kernels.contact.press.balls import ball_slope, press_ball
from robotphi.kernels.contact.press.ground_place import plane_now
from robotphi.kernels.contact.sides import push, speed_at
from robotphi.kernels.maths.vectors import dot, minus, norm, plus, read, scaled


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
