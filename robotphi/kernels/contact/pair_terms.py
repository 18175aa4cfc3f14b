"""The terms of a pair in touch in the blocks of its rigids and balls: normal, tilting, friction, twist; see `bounds`."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.dampers import has_rows
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.contact.object_shares import ball_alone, base_of_object, shared_out, shared_out_strained
from robotphi.kernels.contact.on_stiff import ask_object
from robotphi.kernels.contact.sides import is_soft, object_in, relieved_pair
from robotphi.kernels.contact.spread import spread_of
from robotphi.kernels.maths.vectors import cross, get3, minus, read, scaled, unit
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import JOINT, add_end, add_wrench, share_among, size_of_end
from robotphi.kernels.step.causes import cause_of
from robotphi.kernels.step.codes import PAIR_BASE, PAIR_DAMPING, PAIR_STIFFNESS
from robotphi.kernels.step.rigids import CENTRE


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


@kernel
def enter_pair(arrays, buffers, now, k, sweep):
    """Pair k into the blocks of its rigids and balls; by which share its soft part takes part from now on."""
    touch, parts = buffers.touch, arrays.contact.parts
    numbers, totals = touch.numbers, touch.totals
    a, b, case = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
    damping, side_damping, relief = numbers[k, c.PRESS_DAMPING], numbers[k, c.SIDE_DAMPING], buffers.numbers[at.RELIEF]
    press, side = relieved_pair(numbers, k, numbers[k, c.STEEPNESS], numbers[k, c.SIDE], relief)
    soft, all_soft = is_soft(parts, a) or is_soft(parts, b), is_soft(parts, a) and is_soft(parts, b)
    ease, ease_damping = 1.0, 1.0
    if all_soft:
        numbers[k, c.EASE_STIFF], numbers[k, c.EASE_DAMP] = 2.0, 2.0
    elif object_in(arrays, touch, k) >= 0:
        ease, ease_damping = enter_object(arrays, buffers, now, k, object_in(arrays, touch, k), press, side, sweep)
    elif case == kinds.BALL_SOFT or case == kinds.SHEET_SOFT:
        ease, ease_damping = 2.0, 2.0   # the facets within the ball take the other half
    elif soft:
        most, most_damping = share_pair(arrays, buffers, now, k, press, damping, side, side_damping, True)
        numbers[k, c.EASE_STIFF], ease = eases(numbers[k, c.SOFT_STIFF], most)
        numbers[k, c.EASE_DAMP], ease_damping = eases(numbers[k, c.SOFT_DAMP], most_damping)
    most, most_damping = share_pair(arrays, buffers, now, k, ease * press, ease_damping * damping, ease * side,
                                    ease_damping * side_damping, False)
    if object_in(arrays, touch, k) >= 0:
        most = max(most, numbers[k, c.EASE_STIFF] * numbers[k, c.SOFT_STIFF])
        most_damping = max(most_damping, numbers[k, c.EASE_DAMP] * numbers[k, c.SOFT_DAMP])
    numbers[k, c.ENTERED_STIFF], numbers[k, c.ASKED_STIFF] = max(press, side), most
    numbers[k, c.ENTERED_PRESS], numbers[k, c.ENTERED_SIDE] = press, side
    numbers[k, c.ENTERED_RELIEF] = relief if numbers[k, c.ROW_PRESS] + numbers[k, c.ROW_SIDE] > 0.0 else 0.0
    numbers[k, c.ENTERED_DAMP], numbers[k, c.ASKED_DAMP] = damping + side_damping, most_damping
    totals[c.TOTAL_ASKED] = max(totals[c.TOTAL_ASKED], most)
    totals[c.TOTAL_DAMP_ASKED] = max(totals[c.TOTAL_DAMP_ASKED], most_damping)
    if not has_rows(parts, a, b, case):
        totals[c.TOTAL_DAMP_ALONE] = max(totals[c.TOTAL_DAMP_ALONE], most_damping)


@kernel
def enter_object(arrays, buffers, now, k, o, press, side, sweep):
    """What pair k asks of stiff object o is added up there; returns by how much more its ball feels it, as of stiffness and of
    damping."""
    touch, numbers = buffers.touch, buffers.touch.numbers
    damping, side_damping = numbers[k, c.PRESS_DAMPING], numbers[k, c.SIDE_DAMPING]
    asked, asked_damping = share_pair(arrays, buffers, now, k, press, damping, side, side_damping, True)
    own, own_damping = numbers[k, c.SOFT_STIFF], numbers[k, c.SOFT_DAMP]
    if sweep == 0:   # it does not depend on weights
        own, own_damping = ask_object(arrays, buffers, now, k, o, press, damping, side, side_damping)
    ball = ball_alone(arrays, buffers, k, numbers[k, c.EASE_STIFF], False, asked)
    numbers[k, c.EASE_STIFF], ease = shared_out_strained(buffers.slow, numbers, k, o, ball, own,
                                                         base_of_object(arrays, buffers, o, False))
    ball = ball_alone(arrays, buffers, k, numbers[k, c.EASE_DAMP], True, asked_damping)
    numbers[k, c.EASE_DAMP], ease_damping = shared_out(ball, own_damping, base_of_object(arrays, buffers, o, True))
    numbers[k, c.SOFT_STIFF], numbers[k, c.SOFT_DAMP] = own, own_damping
    along = own - numbers[k, c.BESIDE]
    touch.stiff[o, c.BALLS_ALL] += numbers[k, c.EASE_STIFF] * own
    touch.stiff[o, c.BALLS_ALONG] += numbers[k, c.EASE_STIFF] * along
    touch.stiff[o, c.BALLS_STRAIN] += numbers[k, c.EASE_STIFF] * along * numbers[k, c.STRAINING]
    touch.stiff[o, c.BY_BALLS_DAMP] += numbers[k, c.EASE_DAMP] * own_damping
    return ease, ease_damping


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
                    square = size_of_end(buffers, j)**2
                    most, most_damping = max(most, stiff * square), max(most_damping, lossy * square)
            else:
                most += share_among(buffers, touch.particle_block, JOINT, count, stiff, False)
                most_damping += share_among(buffers, touch.particle_block, JOINT, count, lossy, True)
    return most, most_damping
