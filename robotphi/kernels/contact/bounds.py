"""Contacts in the bounds of the step: springs of one instant, summed into the blocks of the bodies together with their springs.

A pair of rigids or balls is a spring along n at its pressure point, springs of friction across n there, and where the pressure
has an extent a couple each: λ A × the spread of the pressure against tilting, friction × the square of its gyration radius
about n. A body thus has one block of springs and contacts, not two bounds that are added; a normal through the centre of a ball
has no lever, a slender body is as loose about its axis as it is.

Vertices of soft parts are looked at in every attempt, each by itself (`sides.ask_vertices`). The springs of a pair of a rigid
and a soft part are one term to each vertex: of a share θ for the vertices, of the rest for the rigid, so that both ask as much.

All this is done where pairs have become stiffer or weaker by more than a fifth since it was done last, where new ones would
count, every so many steps, and at each frame; in between bounds are raised by as much as any pair has become stiffer.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.contact.sides import is_soft, weigh_vertices
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, read, scaled, unit
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import (
    DAMP_BLOCK,
    DAMP_LIMIT,
    DAMP_WEIGHT,
    GRADIENT,
    JOINT,
    RIGID_DAMP_BLOCK,
    RIGID_DAMP_LIMIT,
    RIGID_DAMP_WEIGHT,
    RIGID_STIFF_BLOCK,
    RIGID_STIFF_LIMIT,
    RIGID_STIFF_WEIGHT,
    STIFF_BLOCK,
    STIFF_LIMIT,
    STIFF_WEIGHT,
    add_end,
    add_wrench,
    face_rigid,
    largest_of_six,
    largest_of_three,
    share_among,
)
from robotphi.kernels.step.causes import cause_of
from robotphi.kernels.step.codes import PAIR_BASE, PAIR_DAMPING, PAIR_STIFFNESS
from robotphi.kernels.step.plan import joint_bounds, renew_stability
from robotphi.kernels.step.rigids import CENTRE

GREW, FELL = 1.15, 0.7  # pairs that ask for so much more or less than they did are entered anew, where contact sets the bound
RENEW_TOUCH = 32        # accepted steps after which contacts are entered anew in any case
FIRST_SWEEPS = 3        # of the weights at a frame
LEAST_WEIGHT = 0.01


@kernel
def touch_bounds(arrays, buffers, now, accepted):
    """After an instant's contact forces: the bounds of ω² and c with them, entered anew where that is due."""
    numbers, counters, totals = buffers.numbers, buffers.counters, buffers.touch.totals
    counters[at.SINCE_TOUCH] += accepted
    afresh = counters[at.BLOCKS] == 0
    if afresh:
        renew_stability(arrays, buffers, now)
    elif counters[at.BLOCKS] == at.BLOCKS_TAKEN and counters[at.SINCE_TOUCH] < RENEW_TOUCH and not is_due(
            numbers, totals, counters[at.VISCOSITY] == at.APART):
        return
    if counters[at.BLOCKS] != at.BLOCKS_TAKEN:
        take_blocks(arrays, buffers, afresh)
        counters[at.BLOCKS] = at.BLOCKS_TAKEN
    for _ in range(FIRST_SWEEPS if afresh else 1):
        enter_pairs(arrays, buffers, now)
    for column in (c.TOTAL_GROWTH, c.TOTAL_MORE, c.TOTAL_NEW, c.TOTAL_DAMP_GROWTH, c.TOTAL_DAMP_MORE, c.TOTAL_DAMP_NEW):
        totals[column] = 0.0
    numbers[at.ASKED], numbers[at.ASKED_DAMPING] = totals[c.TOTAL_ASKED], totals[c.TOTAL_DAMP_ASKED]
    counters[at.SINCE_TOUCH] = 0


@kernel
def is_due(numbers, totals, apart):
    """Whether pairs have become so much stiffer, or weaker, that the step is not what it should be."""
    square, damping = joint_bounds(numbers, totals)
    springs, dampers = numbers[at.SPRING_SQUARE], 0.0 if apart else numbers[at.SPRING_DAMPING]
    return (square > GREW * max(numbers[at.JOINT_SQUARE], springs) or damping > GREW * max(numbers[at.JOINT_DAMPING], dampers)
            or (totals[c.TOTAL_ASKED] < FELL * numbers[at.ASKED] and numbers[at.JOINT_SQUARE] > springs)
            or (totals[c.TOTAL_DAMP_ASKED] < FELL * numbers[at.ASKED_DAMPING] and numbers[at.JOINT_DAMPING] > dampers))


@kernel
def take_blocks(arrays, buffers, afresh):
    """What springs ask of particles that parts stand on; at a frame all weights are alike."""
    parts, own, joint, rigids = arrays.contact.parts, buffers.particle_block, buffers.touch.particle_block, buffers.rigid_block
    apart = buffers.counters[at.VISCOSITY] == at.APART
    for place in range(len(parts.vertex)):
        i = parts.vertex[place]
        joint[i, STIFF_LIMIT] = own[i, STIFF_LIMIT]
        joint[i, DAMP_LIMIT] = 0.0 if apart else own[i, DAMP_LIMIT]
        if afresh:
            joint[i, STIFF_WEIGHT], joint[i, DAMP_WEIGHT] = 1.0, 1.0
    if afresh:
        for i in range(rigids.shape[0]):
            rigids[i, JOINT + RIGID_STIFF_WEIGHT], rigids[i, JOINT + RIGID_DAMP_WEIGHT] = 1.0, 1.0
    weigh_vertices(parts, buffers.touch)


@inlined
def is_free_ball(parts, part):
    return parts.kind[part] == SPHERE and parts.rigid[part] < 0


@kernel
def enter_pairs(arrays, buffers, now):
    """All pairs in touch into the blocks; the largest bounds; better weights for the next time."""
    numbers, touch, rigids = buffers.numbers, buffers.touch, buffers.rigid_block
    parts, balls = arrays.contact.parts, buffers.touch.particle_block
    apart = buffers.counters[at.VISCOSITY] == at.APART
    for i in range(rigids.shape[0]):
        face_rigid(arrays.rigids, i, now.rigid, rigids)
        for k in range(RIGID_STIFF_WEIGHT):
            rigids[i, JOINT + k] = 0.0 if apart and k >= RIGID_DAMP_BLOCK else rigids[i, k]
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            for k in range(STIFF_WEIGHT):
                balls[i, k] = 0.0 if apart and k >= DAMP_BLOCK else buffers.particle_block[i, k]
    touch.totals[c.TOTAL_ASKED], touch.totals[c.TOTAL_DAMP_ASKED] = 0.0, 0.0
    touch.totals[c.TOTAL_WORST], touch.totals[c.TOTAL_DAMP_WORST] = 0.0, 0.0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.TRIAL_TOUCHING] == 1:
            enter_pair(arrays, buffers, now, k)
            name_pair(parts, touch, k, buffers.counters)
        else:
            touch.numbers[k, c.ENTERED_STIFF], touch.numbers[k, c.ENTERED_DAMP] = 0.0, 0.0
    square, damping = 0.0, 0.0
    for i in range(rigids.shape[0]):
        found = largest_of_six(rigids, i, JOINT + RIGID_STIFF_BLOCK, -1.0, buffers.block_square)
        rigids[i, JOINT + RIGID_STIFF_LIMIT], square = found, max(square, found)
        found = largest_of_six(rigids, i, JOINT + RIGID_DAMP_BLOCK, -1.0, buffers.block_square)
        rigids[i, JOINT + RIGID_DAMP_LIMIT], damping = found, max(damping, found)
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            found = largest_of_three(balls, i, STIFF_BLOCK, -1.0)
            balls[i, STIFF_LIMIT], square = found, max(square, found)
            found = largest_of_three(balls, i, DAMP_BLOCK, -1.0)
            balls[i, DAMP_LIMIT], damping = found, max(damping, found)
    numbers[at.JOINT_SQUARE], numbers[at.JOINT_DAMPING] = square, damping
    for i in range(rigids.shape[0]):
        improve(rigids, i, JOINT + RIGID_STIFF_LIMIT, JOINT + RIGID_STIFF_WEIGHT, rigids[i, RIGID_STIFF_LIMIT], square)
        improve(rigids, i, JOINT + RIGID_DAMP_LIMIT, JOINT + RIGID_DAMP_WEIGHT, rigids[i, RIGID_DAMP_LIMIT], damping)
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            improve(balls, i, STIFF_LIMIT, STIFF_WEIGHT, buffers.particle_block[i, STIFF_LIMIT], square)
            improve(balls, i, DAMP_LIMIT, DAMP_WEIGHT, buffers.particle_block[i, DAMP_LIMIT], damping)


@inlined
def improve(blocks, i, limit, weight, alone, largest):
    """A better weight for the next time, see `stability.fit_weights`; of what nothing touches as at the start."""
    if not blocks[i, limit] > alone:
        blocks[i, weight] = 1.0
    elif largest > 0.0:
        blocks[i, weight] = max(blocks[i, weight] * math.sqrt(blocks[i, limit] / largest), LEAST_WEIGHT)


@inlined
def pair_cause(parts, what, a, b):
    return cause_of(what, parts.owner[a] + PAIR_BASE * parts.owner[b])


@kernel
def name_pair(parts, touch, k, counters):
    """Keep which pair asks most of a body or of a vertex."""
    numbers, totals = touch.numbers, touch.totals
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    asked = max(numbers[k, c.ASKED_STIFF], numbers[k, c.EASE_STIFF] * numbers[k, c.SOFT_STIFF])
    if asked > totals[c.TOTAL_WORST]:
        totals[c.TOTAL_WORST], counters[at.TOUCH_STIFF_CAUSE] = asked, pair_cause(parts, PAIR_STIFFNESS, a, b)
    asked = max(numbers[k, c.ASKED_DAMP], numbers[k, c.EASE_DAMP] * numbers[k, c.SOFT_DAMP])
    if asked > totals[c.TOTAL_DAMP_WORST]:
        totals[c.TOTAL_DAMP_WORST], counters[at.TOUCH_DAMP_CAUSE] = asked, pair_cause(parts, PAIR_DAMPING, a, b)


@kernel
def open_pair(arrays, buffers, now, k, point, direction, couple):
    """The term of what pair k feels along a direction at a point, and by a couple; returns how many bodies it touches.

    Soft parts are not among them.
    """
    parts, pairs, count = arrays.contact.parts, buffers.touch.pairs, 0
    for side in range(2):
        part, sign = (pairs[k, c.FIRST], 1.0) if side == 0 else (pairs[k, c.SECOND], -1.0)
        i = parts.rigid[part]
        if i >= 0:
            moment = cross(minus(point, get3(now.rigid, i, CENTRE)), direction)
            moment = (moment[0] + couple[0], moment[1] + couple[1], moment[2] + couple[2])
            count = add_wrench(buffers, count, i, scaled(direction, sign), scaled(moment, sign))
        elif parts.kind[part] == SPHERE:
            row = parts.vertex[parts.vertex_start[part]]
            count = add_end(arrays.particles, buffers, count, now.rigid, row, read(now.position, row), scaled(direction, sign))
    return count


@inlined
def spread_of(sums, k, weight, n, trace):
    """Directions across n along which the pressure of pair k, in all `weight`, spreads most and least, and its variances [m²].

    The pressure of a facet stands at its corners, which spreads it too far: the sum is brought to what is known of it, `trace`;
    where that is negative it stands as it is.
    """
    m = scaled(get3(sums, k, c.PAIR_CENTRE), 1.0 / weight)
    first = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    second = cross(n, first)
    xx = along_tensor(sums, k, first, first) / weight - dot(m, first) * dot(m, first)
    yy = along_tensor(sums, k, second, second) / weight - dot(m, second) * dot(m, second)
    xy = along_tensor(sums, k, first, second) / weight - dot(m, first) * dot(m, second)
    half, mean = 0.5 * (xx - yy), 0.5 * (xx + yy)
    radius = math.sqrt(half * half + xy * xy)
    most = (half + radius, xy) if half >= 0.0 else (xy, radius - half)
    size = math.sqrt(most[0] * most[0] + most[1] * most[1])
    if size > 0.0:
        t = (most[0] * first[0] + most[1] * second[0], most[0] * first[1] + most[1] * second[1],
             most[0] * first[2] + most[1] * second[2])
        first = scaled(t, 1.0 / size)
        second = cross(n, first)
    large, small = max(mean + radius, 0.0), max(mean - radius, 0.0)
    if trace >= 0.0:
        scale = trace / (large + small) if large + small > 0.0 else 0.0
        large, small = (scale * large, scale * small) if scale > 0.0 else (trace, trace)
    return first, second, large, small


@inlined
def along_tensor(sums, k, a, b):
    """a · the spread of pair k · b."""
    t = c.PAIR_TENSOR
    return (sums[k, t] * a[0] * b[0] + sums[k, t + 1] * a[1] * b[1] + sums[k, t + 2] * a[2] * b[2]
            + sums[k, t + 3] * (a[0] * b[1] + a[1] * b[0]) + sums[k, t + 4] * (a[0] * b[2] + a[2] * b[0])
            + sums[k, t + 5] * (a[1] * b[2] + a[2] * b[1]))


@kernel
def enter_pair(arrays, buffers, now, k):
    """Pair k into the blocks of its rigids and balls; by which share its soft part takes part from now on."""
    touch, parts = buffers.touch, arrays.contact.parts
    numbers, totals = touch.numbers, touch.totals
    a, b, case = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
    press, damping = numbers[k, c.STEEPNESS], numbers[k, c.PRESS_DAMPING]
    side, side_damping = numbers[k, c.SIDE], numbers[k, c.SIDE_DAMPING]
    soft, all_soft = is_soft(parts, a) or is_soft(parts, b), is_soft(parts, a) and is_soft(parts, b)
    ease, ease_damping = 1.0, 1.0
    if all_soft:
        numbers[k, c.EASE_STIFF], numbers[k, c.EASE_DAMP] = 2.0, 2.0
    elif case == kinds.BALL_SOFT or case == kinds.SHEET_SOFT:
        ease, ease_damping = 2.0, 2.0   # the facets within the ball take the other half
    elif soft:
        most, most_damping = share_pair(arrays, buffers, now, k, press, damping, side, side_damping, True)
        numbers[k, c.EASE_STIFF], ease = eases(numbers[k, c.SOFT_STIFF], most)
        numbers[k, c.EASE_DAMP], ease_damping = eases(numbers[k, c.SOFT_DAMP], most_damping)
    most, most_damping = share_pair(arrays, buffers, now, k, ease * press, ease_damping * damping, ease * side,
                                    ease_damping * side_damping, False)
    numbers[k, c.ENTERED_STIFF], numbers[k, c.ASKED_STIFF] = max(press, side), most
    numbers[k, c.ENTERED_DAMP], numbers[k, c.ASKED_DAMP] = damping + side_damping, most_damping
    totals[c.TOTAL_ASKED] = max(totals[c.TOTAL_ASKED], most)
    totals[c.TOTAL_DAMP_ASKED] = max(totals[c.TOTAL_DAMP_ASKED], most_damping)


@inlined
def eases(first, second):
    """One over the shares θ and 1 − θ with which both sides ask for as much, first/θ = second/(1 − θ)."""
    if first > 0.0 and second > 0.0:
        return 1.0 + second / first, 1.0 + first / second
    return 1.0, 1.0


@kernel
def share_pair(arrays, buffers, now, k, press, damping, side, side_damping, only_look):
    """Enter the springs and dampers of pair k; returns the most that they ask of a body together, at most [1/s², 1/s].

    Or only look what the largest of them asks of a body that it has for itself.
    """
    touch, most, most_damping = buffers.touch, 0.0, 0.0
    n, point, gyration = get3(touch.numbers, k, c.NOW), get3(touch.numbers, k, c.POINT), touch.numbers[k, c.GYRATION]
    first, second, large, small = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0))), n, 0.0, 0.0
    second = cross(n, first)
    if touch.pairs[k, c.CASE] == kinds.SHEET_SOLID or touch.pairs[k, c.CASE] == kinds.SHEET_PLANE:
        first, second, large, small = spread_of(touch.sums, k, touch.sums[k, c.PAIR_NORMAL], n, -1.0)
    elif touch.sums[k, c.PAIR_ELASTIC] > 0.0 and gyration > 0.0:
        first, second, large, small = spread_of(touch.sums, k, touch.sums[k, c.PAIR_ELASTIC], n, gyration * gyration)
    nothing = (0.0, 0.0, 0.0)
    for term in range(6):
        direction, couple, stiff, lossy = n, nothing, press, damping
        if term == 1 or term == 2:
            direction, stiff, lossy = first if term == 1 else second, side, side_damping
        elif term == 3:
            direction, couple, stiff, lossy = nothing, second, press * large, damping * large
        elif term == 4:
            direction, couple, stiff, lossy = nothing, first, press * small, damping * small
        elif term == 5:
            turning = gyration * gyration
            direction, couple, stiff, lossy = nothing, n, side * turning, side_damping * turning
        if stiff > 0.0 or lossy > 0.0:
            count = open_pair(arrays, buffers, now, k, point, direction, couple)
            if only_look:
                for j in range(count):
                    square = 0.0
                    for i in range(6):
                        square += buffers.term[j, GRADIENT + i] * buffers.term[j, GRADIENT + i]
                    most, most_damping = max(most, stiff * square), max(most_damping, lossy * square)
            else:
                most += share_among(buffers, touch.particle_block, JOINT, count, stiff, False)
                most_damping += share_among(buffers, touch.particle_block, JOINT, count, lossy, True)
    return most, most_damping
