"""Balls and particles with a size on everything: their depth, the law of a ball, friction, and what goes back."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.dampers import keep_pair_rows, keep_patch_rows
from robotphi.kernels.contact.finish import book_pair, bound_pair
from robotphi.kernels.contact.hold.hold import rub_pair, stiffness_of
from robotphi.kernels.contact.hold.patches import rub_places
from robotphi.kernels.contact.press.ball_field import FIELD_NORMAL, FIELD_POINT, FIELD_SHARE, press_ball_on_field
from robotphi.kernels.contact.press.ball_soft import (
    PATCH_AREA,
    PATCH_DEPTH,
    PATCH_MIDDLE,
    PATCH_NORMALS,
    PATCH_SECTION,
    measure_patch,
    press_patch,
    push_patch,
    reach_of_patch,
    speed_of_patch,
)
from robotphi.kernels.contact.press.ball_solid import ball_on_solid
from robotphi.kernels.contact.press.balls import ball_slope, press_ball
from robotphi.kernels.contact.press.ground import plane_now
from robotphi.kernels.contact.sides import ask_pair, object_in, push, speed_at
from robotphi.kernels.maths.vectors import dot, get3, minus, norm, plus, read, scaled, set3, unit


@inlined
def ball_law(law, row, radius):
    """Stiffness k and power of a ball's force k xⁿ; `radius` 1/(1/R₁ + 1/R₂). The volume law stands for a cap's λ π R x²."""
    power = law[row, c.BALL_POWER]
    stiffness = law[row, c.BALL_STIFFNESS]
    return (stiffness if stiffness > 0.0 else law[row, c.STIFFNESS] * math.pi * radius), power


@inlined
def set_sums(sums, k, energy, elastic, normal, loss):
    sums[k, c.PAIR_ENERGY], sums[k, c.PAIR_ELASTIC] = energy, elastic
    sums[k, c.PAIR_NORMAL], sums[k, c.PAIR_LOSS] = normal, loss


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
        numbers[k, c.RUB_FORCE + i] = 0.0
    numbers[k, c.DEPTH], numbers[k, c.GYRATION] = depth, 0.0
    set3(numbers, k, c.NOW, n)
    set3(numbers, k, c.POINT, centre)
    touch.pairs[k, c.TRIAL_STICKS], touch.pairs[k, c.TRIAL_TOUCHING] = 1, 0
    return True


@kernel
def press_ball_pair(now, k, row, n, depth, centre, point, surface, rounding):
    """A ball's force along n, on the first part at its centre, on the second at a point where its velocity is `surface`."""
    parts, law, touch, force, rigid = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.force, now.rigid
    sums = touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.numbers[k, c.DEPTH] = depth
    normal, stiffness = 0.0, 0.0
    if depth > 0.0:
        whole, power = ball_law(law, row, rounding)
        closing = dot(n, minus(surface, speed_at(parts, a, now.v, rigid, point)))
        energy, elastic, normal, loss = press_ball(whole, power, touch.numbers[k, c.LOSSY], depth, closing)
        set_sums(sums, k, energy, elastic, normal, loss)
        stiffness = ball_slope(whole, power, depth)
        sums[k, c.PAIR_AREA] = math.pi * rounding * depth
        f = scaled(n, normal)
        set3(sums, k, c.PAIR_FORCE, f)
        push(parts, a, force, touch.load, rigid, centre, f, 1.0)
        push(parts, b, force, touch.load, rigid, point, f, -1.0)
    book_pair(touch, k, n, normal > 0.0)
    rub_pair(now, k, row, n, point, surface, 0.0, normal, 0.0)
    if touch.pairs[k, c.HAS_ROWS] == 1:
        keep_pair_rows(now, k, n, point, 0.0)
    if normal > 0.0:
        bound_pair(now, k, row, point, 0.0, stiffness, touch.numbers[k, c.LOSSY] * sums[k, c.PAIR_ELASTIC])


@kernel
def touch_ball_plane(now, k, row):
    parts, touch, x, rigid = now.arrays.contact.parts, now.touch, now.x, now.rigid
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, c.RADIUS]
    depth = radius - (dot(n, centre) - level)
    if leaves_alone(touch, k, n, depth, centre):
        return
    point = rubbing_point(parts, a, n, centre, radius - 0.5 * depth)
    press_ball_pair(now, k, row, n, depth, centre, point, speed_at(parts, b, now.v, rigid, point), radius)


@kernel
def touch_balls(now, k, row):
    parts, touch, x = now.arrays.contact.parts, now.touch, now.x
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    other = read(x, parts.vertex[parts.vertex_start[b]])
    gap = minus(centre, other)
    first, second = parts.size[a, c.RADIUS], parts.size[b, c.RADIUS]
    distance = norm(gap)
    n = unit(gap) if distance > 0.0 else get3(touch.numbers, k, c.NORMAL_X)
    depth = first + second - distance
    if leaves_alone(touch, k, n, depth, centre):
        return
    point = minus(centre, scaled(n, first - 0.5 * depth))
    if parts.rigid[b] < 0 and parts.rigid[a] >= 0:
        point = other
    elif parts.rigid[a] < 0 and parts.rigid[b] >= 0:
        point = centre
    press_ball_pair(now, k, row, n, depth, centre, point, speed_at(parts, b, now.v, now.rigid, point),
                    first * second / (first + second))


@kernel
def touch_ball_solid(now, k, row):
    """A ball on a rigid polyhedron: the law of the depth along the shortest way from the polyhedron to its centre."""
    parts, touch, x = now.arrays.contact.parts, now.touch, now.x
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, c.RADIUS]
    gap, n = ball_on_solid(parts, touch, x, k)
    if leaves_alone(touch, k, n, radius - gap, centre):
        return
    point = rubbing_point(parts, a, n, centre, radius - 0.5 * (radius - gap))
    press_ball_pair(now, k, row, n, radius - gap, centre, point, speed_at(parts, b, now.v, now.rigid, point), radius)


@kernel
def touch_ball_soft(now, k, row):
    """A ball on a soft polyhedron; a rigid ball rubs in the middle of the surface within it, a particle at itself."""
    contact, touch, x, v, rigid = now.arrays.contact, now.touch, now.x, now.v, now.rigid
    parts, law, sums, numbers, patch = contact.parts, contact.law, touch.sums, touch.numbers, touch.patch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, c.RADIUS]
    measure_patch(parts, contact.tree, touch, b, x, v, centre, speed_at(parts, a, v, rigid, centre), radius)
    touch.cut_by[b, 0] = parts.vertex[parts.vertex_start[a]] + 1
    depth, normals = patch[PATCH_DEPTH], (patch[PATCH_NORMALS], patch[PATCH_NORMALS + 1], patch[PATCH_NORMALS + 2])
    n = unit(normals) if depth > 0.0 else get3(numbers, k, c.NORMAL_X)
    if leaves_alone(touch, k, n, depth, centre):
        return
    whole, power = ball_law(law, row, radius)
    energy, elastic, pressure, loss, slope, rim = press_patch(patch, whole, power, numbers[k, c.LOSSY], radius, 0.0)
    f = scaled(normals, pressure)
    normal = norm(f)
    set_sums(sums, k, energy, elastic * norm(normals), normal, loss)
    sums[k, c.PAIR_AREA] = patch[PATCH_AREA]
    touch.totals[c.TOTAL_CANCELLED] += pressure * radius * radius * radius
    set3(sums, k, c.PAIR_FORCE, f)
    numbers[k, c.DEPTH], numbers[k, c.STEEPNESS], numbers[k, c.RIM] = depth, slope, rim
    push(parts, a, now.force, touch.load, rigid, centre, f, 1.0)
    book_pair(touch, k, n, normal > 0.0)
    arm = (0.0, 0.0, 0.0)
    if parts.rigid[a] >= 0 and patch[PATCH_AREA] > 0.0:
        arm = scaled((patch[PATCH_MIDDLE], patch[PATCH_MIDDLE + 1], patch[PATCH_MIDDLE + 2]), 1.0 / patch[PATCH_AREA])
    rub_pair(now, k, row, n, plus(centre, arm), speed_of_patch(patch, arm), 0.0, normal, reach_of_patch(patch, arm))
    side, side_damping = 0.0, 0.0
    if law[row, c.STATIC_FRICTION] > 0.0:
        side, side_damping = stiffness_of(parts, law, row, a, b), numbers[k, c.RUB_DAMPING]
    damping, area = 0.0, patch[PATCH_AREA]
    if depth > 0.0:
        damping = numbers[k, c.LOSSY] * elastic * area * area / patch[PATCH_SECTION]
    if touch.pairs[k, c.HAS_ROWS] == 1:
        by_volume = numbers[k, c.LOSSY] * elastic / patch[PATCH_SECTION] if pressure > 0.0 else 0.0
        keep_patch_rows(now, k, n, centre, arm, by_volume, pressure - elastic)
    row_press, row_side = 0.0, 0.0
    if touch.pairs[k, c.HAS_ROWS] == 1:   # dampers that are rows bound no step
        row_press, row_side = damping if pressure > 0.0 else 0.0, numbers[k, c.RUB_HELD] if parts.rigid[a] >= 0 else 0.0
        damping, side_damping = 0.0, 0.0
    push_patch(now, centre, radius, pressure, get3(numbers, k, c.RUB_FORCE), arm, slope, side, damping, side_damping,
               object_in(now.arrays, touch, k) < 0)
    if normal > 0.0:
        ask_pair(now, k, plus(centre, arm), 0.0, slope, damping, side, side_damping, row_press, row_side)


@kernel
def touch_ball_field(now, k, row):
    """A ball on a height field, in a valley at several places, each with its own friction."""
    contact, touch, v, rigid = now.arrays.contact, now.touch, now.v, now.rigid
    parts, law, sums = contact.parts, contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(now.x, parts.vertex[parts.vertex_start[a]])
    radius = parts.size[a, c.RADIUS]
    whole, power = ball_law(law, row, radius)
    energy, elastic, f, loss, count = press_ball_on_field(
        contact.fields, parts.field[b], centre, speed_at(parts, a, v, rigid, centre), radius, whole, power,
        touch.numbers[k, c.LOSSY], touch.points)
    normal = norm(f)
    n = unit(f) if normal > 0.0 else get3(touch.numbers, k, c.NORMAL_X)
    set_sums(sums, k, energy, elastic, normal, loss)
    set3(sums, k, c.PAIR_FORCE, f)
    push(parts, a, now.force, touch.load, rigid, centre, f, 1.0)
    book_pair(touch, k, n, normal > 0.0)
    point, weight = (0.0, 0.0, 0.0), 0.0
    for i in range(count):
        share = touch.points[i, FIELD_SHARE]
        weight += share
        point = plus(point, scaled(get3(touch.points, i, FIELD_POINT), share))
    # between walls the pressure has no one place but a line of action, and friction all of the ball as its lever
    point = scaled(point, 1.0 / weight) if weight > 0.0 and count == 1 else minus(centre, scaled(n, radius))
    depth = (energy * (power + 1.0) / whole) ** (1.0 / (power + 1.0)) if energy > 0.0 else 0.0
    touch.numbers[k, c.DEPTH] = depth
    set3(touch.numbers, k, c.POINT, point)
    sums[k, c.PAIR_AREA] = math.pi * radius * depth
    rub_places(now, k, row, touch.points, FIELD_NORMAL, FIELD_POINT, FIELD_SHARE, count)
    if normal > 0.0:
        slope, side = ball_slope(whole, power, depth), 0.0
        if law[row, c.STATIC_FRICTION] > 0.0:  # what one wall holds back by its depth another holds by friction
            side = stiffness_of(parts, law, row, a, b)
            slope = max(slope, side) if count > 1 else slope
        damping = touch.numbers[k, c.LOSSY] * max(weight, elastic)
        across_n = count > 1  # walls that stand in other directions
        touch.numbers[k, c.STEEPNESS] = ball_slope(whole, power, depth)
        ask_pair(now, k, point, 0.0, count * slope, damping, count * slope if across_n else side,
                 touch.numbers[k, c.RUB_DAMPING] + (damping if across_n else 0.0), 0.0, 0.0)
