"""Round things with an axis on each other and on balls.

**Balls** have the law of the depth along the shortest way from the surface, as on polyhedra.

**Two capsules.** What lies side by side along s with the depth x(s) = r₁ + r₂ − distance stores, as two shallow cylinders do,
u = (8 √2/15) λ √r x^{5/2} per length, r = 1/(1/r₁ + 1/r₂): the integral of ½ λ g² across them. Crossed axes, whose depth falls
off as s², come to the force λ π R x² of round bodies by themselves. Each end has half of the energy ⅓ λ π r x³ of a ball. The
axis of each of the two is gone along, with half the weight, so that neither is the first. At the nearest point of the other
axis the distance does not change with where this is (envelope theorem): each piece pushes along one line, and both momenta are
exact.

**Cylinders and wheels** are round as the first part (`round_facet`); the second one has facets then, the narrower the nearer
they are to the direction n of the pair, with which they turn. An edge of them points along n, and 0.5° from it they have left
the circle by 1e-5 of the radius: loads err by that over the depth, 1 % at a depth of a thousandth of the radius, unrippled.
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import carried_direction
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.kernels.contact.finish import finish_pressure
from robotphi.kernels.contact.kinds import CAPSULE
from robotphi.kernels.contact.press.clip import add_tensor
from robotphi.kernels.contact.press.outline import outline_at, outline_count
from robotphi.kernels.contact.press.rollers import some_across
from robotphi.kernels.contact.press.round_facet import gauss
from robotphi.kernels.contact.press.touch_balls import leaves_alone, press_ball_pair, rubbing_point
from robotphi.kernels.contact.press.touch_rounds import as_seen, axis_frame, ball_around, give_wrench, press_triangle
from robotphi.kernels.contact.sides import lossy_now, speed_at
from robotphi.kernels.contact.spread import along_tensor
from robotphi.kernels.maths.vectors import across, cross, dot, get3, minus, norm, plus, read, scaled, set3, unit
from robotphi.kernels.step.rigids import get_orientation, rotate, rotate_back

SPAN, SPAN_WEIGHT = gauss(20)
LINE_ENERGY = 8.0 * math.sqrt(2.0) / 15.0
_DEGREES = np.array([0.0, 0.5, 1.0, 1.75, 3.0, 4.5, 6.5, 9.5, 13.5, 19.0, 27.0, 37.0, 50.0, 65.0, 85.0, 110.0, 145.0])
_ANGLES = np.radians(np.concatenate([_DEGREES, 360.0 - _DEGREES[::-1]]))
SIDE_X, SIDE_Y = (np.array([f(angle) for angle in _ANGLES]) for f in (math.cos, math.sin))   # of a skin, from n on and round
ALONG = 0.1                                            # sine of the angle between direction and axis, below which it is along
ENDS = 16                                              # sides of a flat end, of the area of its circle
END_SIZE = math.sqrt(2.0 * math.pi / ENDS / math.sin(2.0 * math.pi / ENDS))
END_X, END_Y = (np.array([END_SIZE * f(2.0 * math.pi / ENDS * i) for i in range(ENDS + 1)]) for f in (math.cos, math.sin))


# Balls ---------------------------------------------------------------------------------------------------------------------

@inlined
def near_side(s, r, s0, r0, s1, r1):
    """From the nearest point of a line of an outline to a place (s, r)."""
    ds, dr = s1 - s0, r1 - r0
    share = min(max(((s - s0) * ds + (r - r0) * dr) / (ds * ds + dr * dr), 0.0), 1.0)
    return s - s0 - share * ds, r - r0 - share * dr


@kernel_unless(NoOutlines, lambda parts, part, x, centre: (0.0, (0.0, 0.0, 1.0)))
def gap_to_round(parts, part, x, centre):
    """Signed distance of a place from the surface of a round part with an axis, and the direction away from it."""
    first = parts.vertex_start[part]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    length, axis = norm(minus(q, p)), unit(minus(q, p))
    s, flat = dot(minus(centre, p), axis), across(minus(centre, p), axis)
    r = norm(flat)
    out = scaled(flat, 1.0 / r) if r > 0.0 else some_across(axis)
    if parts.kind[part] == CAPSULE:
        apart = plus(scaled(out, r), scaled(axis, s - min(max(s, 0.0), length)))
        distance = norm(apart)
        return distance - parts.size[part, c.RADIUS], scaled(apart, 1.0 / distance) if distance > 0.0 else out
    end = outline_count(parts, part) - 1
    best, by_s, by_r, inside = math.inf, 0.0, 1.0, False
    normal_s, normal_r = 0.0, 1.0
    for i in range(-1, end + 1):   # the flat ends come first and last
        s0, r0 = outline_at(parts, part, max(i, 0), length)
        s1, r1 = outline_at(parts, part, min(i + 1, end), length)
        r0, r1 = (r0 if i >= 0 else 0.0), (r1 if i < end else 0.0)
        if s0 == s1 and r0 == r1:
            continue
        ds, dr = near_side(s, r, s0, r0, s1, r1)
        square = ds * ds + dr * dr
        if square < best:
            best, by_s, by_r = square, ds, dr
            normal_s, normal_r = r0 - r1, s1 - s0
        if 0 <= i < end and s0 <= s <= s1 and (r - r0) * (s1 - s0) < (s - s0) * (r1 - r0):
            inside = True
    distance, sign = math.sqrt(best), -1.0 if inside else 1.0
    if distance > 0.0:
        return sign * distance, scaled(plus(scaled(axis, by_s), scaled(out, by_r)), sign / distance)
    return 0.0, unit(plus(scaled(axis, normal_s), scaled(out, normal_r)))


@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_ball_round(now, k, row):
    """A ball on what has an axis: the law of the depth along the shortest way from its surface."""
    parts, touch, x = now.arrays.contact.parts, now.touch, now.x
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    centre = read(x, parts.vertex[parts.vertex_start[a]])
    radius, other = parts.size[a, c.RADIUS], parts.size[b, c.RADIUS]
    gap, n = gap_to_round(parts, b, x, centre)
    if leaves_alone(touch, k, n, radius - gap, centre):
        return
    point = rubbing_point(parts, a, n, centre, radius - 0.5 * (radius - gap))
    press_ball_pair(now, k, row, n, radius - gap, centre, point, speed_at(parts, b, now.v, now.rigid, point),
                    radius * other / (radius + other))


# Two capsules --------------------------------------------------------------------------------------------------------------

@kernel
def add_piece(sums, k, law, energy, force, slope, n, arm, slide, turn):
    """A piece of pressure along n at a place: its energy, its force and how fast this grows with the depth."""
    rate = -dot(n, plus(slide, cross(turn, arm)))
    extra = max(-1.0, law[1] * rate)
    push = force * (1.0 + extra)
    f = scaled(n, push)
    moment = cross(arm, f)
    for axis in range(3):
        sums[k, c.PAIR_FORCE + axis] += f[axis]
        sums[k, c.PAIR_MOMENT + axis] += moment[axis]
        sums[k, c.PAIR_CENTRE + axis] += force * arm[axis]
    sums[k, c.PAIR_ENERGY] += energy
    sums[k, c.PAIR_ELASTIC] += force
    sums[k, c.PAIR_LOSS] += force * extra * rate
    sums[k, c.PAIR_AREA] += slope / law[0]
    add_tensor(sums, k, force, arm)


@inlined
def nearest_on(start, axis, length, place):
    """The nearest point of an axis, and where along it that is before it is cut off."""
    s = dot(minus(place, start), axis)
    return plus(start, scaled(axis, min(max(s, 0.0), length))), s


@kernel
def press_at(sums, k, law, weight, sign, place, own, other, start, axis, length, ends, slide, turn):
    """Pressure of the axis of one capsule at a place of the other's: of a piece of line, or of an end."""
    foot, _ = nearest_on(start, axis, length, place)
    apart = minus(place, foot)
    distance, round_off = norm(apart), own * other / (own + other)
    x = own + other - distance
    if not (x > 0.0 and distance > 0.0):
        return
    n = scaled(apart, sign / distance)
    arm = minus(place, scaled(apart, (own - 0.5 * x) / distance))
    if ends:
        stiffness = weight * law[0] * math.pi * round_off
        energy, force, slope = stiffness * x * x * x / 3.0, stiffness * x * x, 2.0 * stiffness * x
    else:
        slope = weight * 3.75 * LINE_ENERGY * law[0] * math.sqrt(round_off * x)
        energy, force = slope * x * x / 3.75, slope * x / 1.5
    add_piece(sums, k, law, energy, force, slope, n, arm, slide, turn)


@kernel
def within_reach(place, axis, low, high, start, other_axis, other_length, side, reach):
    """Where between `low` and `high` an axis is within `reach` of another: of its line (side 0), or of an end of it (−1, 1)."""
    if side == 0:
        away = across(minus(place, start), other_axis)
        along = across(axis, other_axis)
    else:
        away = minus(place, start) if side < 0 else minus(place, plus(start, scaled(other_axis, other_length)))
        along = axis
    square, half, rest = dot(along, along), dot(along, away), dot(away, away) - reach * reach
    if not square > 1e-24:
        return (low, high) if rest < 0.0 else (1.0, 0.0)
    root = half * half - square * rest
    if not root > 0.0:
        return 1.0, 0.0
    root = math.sqrt(root)
    return max(low, (-half - root) / square), min(high, (-half + root) / square)


@kernel
def press_along(sums, k, law, sign, start, axis, length, own, other_start, other_axis, other_length, other, slide, turn):
    """Half of the energy of two capsules, along the axis of one of them; `sign` 1 for the first one."""
    cosine, offset = dot(axis, other_axis), dot(minus(start, other_start), other_axis)
    for side in range(-1, 2):
        # where the nearest point of the other axis is its start (−1), inside (0), its end (1): offset + s cosine tells
        low, high = 0.0, length
        if side >= 0:
            low, high = cut_line(offset, cosine, low, high)
            if side == 1:
                low, high = cut_line(offset - other_length, cosine, low, high)
        if side <= 0:
            low, high = cut_line(other_length - offset, -cosine, low, high)
            if side == -1:
                low, high = cut_line(-offset, -cosine, low, high)
        if not low < high:
            continue
        low, high = within_reach(start, axis, low, high, other_start, other_axis, other_length, side, own + other)
        if not low < high:
            continue
        for node in range(SPAN.size):   # t² at the ends, where the depth may begin
            t = SPAN[node]
            s, weight = t * t * (3.0 - 2.0 * t), SPAN_WEIGHT[node] * 6.0 * t * (1.0 - t) * (high - low)
            press_at(sums, k, law, 0.5 * weight, sign, plus(start, scaled(axis, low + s * (high - low))), own, other,
                     other_start, other_axis, other_length, False, slide, turn)
    for end in range(2):
        press_at(sums, k, law, 0.25, sign, plus(start, scaled(axis, end * length)), own, other, other_start, other_axis,
                 other_length, True, slide, turn)


@inlined
def cut_line(offset, rate, low, high):
    """What offset + s rate ≥ 0 leaves of an interval."""
    if rate > 0.0:
        return max(low, -offset / rate), high
    if rate < 0.0:
        return low, min(high, -offset / rate)
    return (low, high) if offset >= 0.0 else (1.0, 0.0)


@inlined
def axis_from(parts, part, x, origin):
    first = parts.vertex_start[part]
    p, q = minus(read(x, parts.vertex[first]), origin), minus(read(x, parts.vertex[first + 1]), origin)
    return p, unit(minus(q, p)), norm(minus(q, p))


@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_capsules(now, k, row):
    """Two capsules: see the head of this file."""
    parts, law, touch, x = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.x
    a, b, sums = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND], touch.sums
    origin, slide, turn = as_seen(now, k)
    p, axis, length = axis_from(parts, a, x, origin)
    q, other_axis, other_length = axis_from(parts, b, x, origin)
    own, other = parts.size[a, c.RADIUS], parts.size[b, c.RADIUS]
    pressing = (law[row, c.STIFFNESS], touch.numbers[k, c.LOSSY])
    press_along(sums, k, pressing, 1.0, p, axis, length, own, q, other_axis, other_length, other, slide, turn)
    press_along(sums, k, pressing, -1.0, q, other_axis, other_length, other, p, axis, length, own, slide, turn)
    push_of_all = get3(sums, k, c.PAIR_FORCE)
    normal = norm(push_of_all)
    n = scaled(push_of_all, 1.0 / normal) if normal > 0.0 else get3(touch.numbers, k, c.NORMAL_X)
    sums[k, c.PAIR_NORMAL], sums[k, c.PAIR_FACING] = normal, sums[k, c.PAIR_ELASTIC]
    set3(sums, k, c.PAIR_PLACE, get3(sums, k, c.PAIR_CENTRE))
    trace = sums[k, c.PAIR_TENSOR] + sums[k, c.PAIR_TENSOR + 1] + sums[k, c.PAIR_TENSOR + 2]
    sums[k, c.PAIR_SPREAD] = trace - along_tensor(sums, k, n, n)
    give_wrench(now, k, origin)
    finish_pressure(now, k, row, n, origin)


# Cylinders and wheels as the second part -----------------------------------------------------------------------------------

@inlined
def ring(start, axis, s, u, b, x, y):
    return plus(plus(start, scaled(axis, s)), plus(scaled(u, x), scaled(b, y)))


@kernel
def press_skin(parts, a, b, work, sums, k, frame, ball, skin, turned, n, stiffness, lossy, slide, turn):
    """Pressure of the facets of a round part b on another: its sides with the frame `skin`, its ends with `turned`."""
    start, axis, u, v, length = skin
    last = outline_count(parts, b) - 1
    for i in range(last):
        s0, r0 = outline_at(parts, b, i, length)
        s1, r1 = outline_at(parts, b, i + 1, length)
        for side in range(SIDE_X.size - 1):
            x0, y0, x1, y1 = SIDE_X[side], SIDE_Y[side], SIDE_X[side + 1], SIDE_Y[side + 1]
            low, high = ring(start, axis, s0, u, v, r0 * x0, r0 * y0), ring(start, axis, s1, u, v, r1 * x1, r1 * y1)
            press_triangle(parts, a, work, sums, k, frame, ball, low, ring(start, axis, s0, u, v, r0 * x1, r0 * y1), high, n,
                           stiffness, lossy, slide, turn, False)
            press_triangle(parts, a, work, sums, k, frame, ball, low, high, ring(start, axis, s1, u, v, r1 * x0, r1 * y0), n,
                           stiffness, lossy, slide, turn, False)
    for end in range(2):
        at, r = outline_at(parts, b, 0 if end == 0 else last, length)
        centre = plus(start, scaled(axis, at))
        for side in range(ENDS):
            p = ring(start, axis, at, turned[0], turned[1], r * END_X[side], r * END_Y[side])
            q = ring(start, axis, at, turned[0], turned[1], r * END_X[side + 1], r * END_Y[side + 1])
            if end == 0:
                p, q = q, p
            press_triangle(parts, a, work, sums, k, frame, ball, centre, p, q, n, stiffness, lossy, slide, turn,
                           False)


@inlined
def skin_frames(parts, part, x, rigid, n, origin):
    """The frame of the sides of a round part, as of `axis_frame`, and two directions of its flat ends, which turn with it.

    Its sides turn with the direction n of the pair, not with its spin. Where n is along its axis, there is nothing across that
    could turn them: they go with the matter, as its ends do.
    """
    start, axis, u, v, length = axis_frame(parts, part, x, scaled(n, -1.0), origin)
    q = get_orientation(rigid, parts.rigid[part])
    own = unit(across(rotate(q, some_across(rotate_back(q, axis))), axis))
    turned = (own, cross(axis, own))
    flat = across(n, axis)
    if dot(flat, flat) < ALONG * ALONG:
        u, v = turned
    return (start, axis, u, v, length), turned


@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_rounds(now, k, row):
    """A capsule, cylinder or wheel on a cylinder or wheel, along the direction that this carries."""
    parts, law, touch, x, rigid = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.x, now.rigid
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n = carried_direction(touch.pairs, touch.numbers, k, parts, x, rigid)
    origin, slide, turn = as_seen(now, k)
    frame, ball = axis_frame(parts, a, x, n, origin), ball_around(parts, a, x, n, origin)
    skin, turned = skin_frames(parts, b, x, rigid, n, origin)
    press_skin(parts, a, b, touch.breaks, touch.sums, k, frame, ball, skin, turned, n, law[row, c.STIFFNESS],
               lossy_now(touch.numbers, k), slide, turn)
    give_wrench(now, k, origin)
    finish_pressure(now, k, row, n, origin)
