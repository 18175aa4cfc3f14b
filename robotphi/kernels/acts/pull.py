"""Pulls: virtual springs from things to goals, with damping, an integral, and a limit.

With d = x − g(t) from the goal, P the projection onto the axes that count, and v the rate of P d as the frame sees it,
    F = s(t) (−k P d − κ I − μ v),   İ = s P d
The spring −k P d, cut at the limit, has the energy U(|P d|), and s U is stored. So that the three keep within the limit
together, the integral comes with the part of it that fits beside the spring, then the damping with the part that fits beside
both: what it takes is lost, whatever part. The motion of the goal gives (spring + damping)·ġ, a share that changes ṡ U, the
integral its force times the way.

The goal is a place, which drives may lead (shift, and turn about an axis), or an end of another thing: −F then pushes that. A
frame is a rigid whose axes count, turning with ω: v = P (ẋ − ġ − ω × d), and the couple −d × F goes to it, so that the pull
does no work on what moves as one and leaves both momenta as they are. Two particles see no turning: between them the damping
changes the angular momentum, by μ d × v.
A thing of several ends is pulled at their weighted mean, each end by its weight.
"""
import math
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import LOST, STORED, WORK, Act, lose, stiffen_rigid, store, tell, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.acts.ends import NO_END, end_gives, end_place, end_velocity, push_end, rigid_gives, stiffen_end
from robotphi.kernels.acts.gates import SEEN, SIDES, WAYS, present_share
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, scaled
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import PUSHED, TURNED
from robotphi.kernels.step.rigids import SPIN, add_rigid_force, get3, get_orientation, rotate, rotate_back, row3

NEVER = 1e300          # N: a limit that is never reached
SUM, ERROR = 0, 3      # columns of the state: I [m·s], and P d where it was summed up to [m]
NOTHING = (0.0, 0.0, 0.0)


class Pull(NamedTuple):
    """One row for each end that is pulled; `together` rows in a row are one thing."""
    target: fields.ends()
    weight: fields.number("1", above=0.0, default=1.0)
    together: fields.whole(default=1)
    anchor: fields.vector("m", default=(0.0, 0.0, 0.0))
    goal_x: fields.drive("m", default=None)            # added to the anchor
    goal_y: fields.drive("m", default=None)
    goal_z: fields.drive("m", default=None)
    turn: fields.drive("rad", default=None)            # of the anchor about an axis
    axis: fields.vector("1", default=(0.0, 0.0, 1.0))
    about: fields.vector("m", default=(0.0, 0.0, 0.0))
    goal: fields.ends(default=None)                    # instead of all these
    frame: fields.rigid(default=None)
    first: fields.vector("1", default=(1.0, 0.0, 0.0))   # axes that count, nought where one does not
    second: fields.vector("1", default=(0.0, 1.0, 0.0))
    third: fields.vector("1", default=(0.0, 0.0, 1.0))
    stiffness: fields.number("N/m", low=0.0, default=0.0)
    damping: fields.number("N·s/m", low=0.0, default=0.0)
    integral: fields.number("N/(m·s)", low=0.0, default=0.0)
    limit: fields.number("N", above=0.0, default=NEVER)
    integral_limit: fields.number("N", above=0.0, default=NEVER)
    share: fields.drive("1", default=1.0)
    state: fields.state("integral")
    when: fields.choice(*WAYS, default="always")         # see `gates`
    touch_first: fields.touching()
    touch_second: fields.touching()
    seen: fields.choice(*SEEN, default="contact")
    seen_at: fields.ends(default=None, looked_at=True)
    seen_to: fields.ends(default=None, looked_at=True)
    seen_joint: fields.freedom()
    seen_along: fields.vector("1", default=(0.0, 0.0, 1.0))
    side: fields.choice(*SIDES, default="above")
    threshold: fields.number("m, m/s, rad or rad/s", default=0.0, single=True)
    gate: fields.state("when", single=True, starts=("until",))
    entry: fields.entry()


@inlined
def led(rows, k, drives, place, speed, time, inside):
    """A coordinate of the goal, led by a drive where there is one."""
    if rows[k] < 0:
        return place, speed
    value, rate = drive_value(drives, rows[k], time, inside)
    return place + value, speed + rate


@kernel
def goal_of(rows, k, drives, now, time, inside):
    """Place of the goal, and its velocity by drives alone."""
    if rows.goal[k] != NO_END:
        return end_place(now, rows.goal[k]), NOTHING
    place, speed = row3(rows.anchor, k), NOTHING
    if rows.turn[k] >= 0:
        angle, rate = drive_value(drives, rows.turn[k], time, inside)
        e, about = row3(rows.axis, k), row3(rows.about, k)
        arm = minus(place, about)
        along = scaled(e, dot(e, arm))
        across = minus(arm, along)
        arm = plus(along, plus(scaled(across, math.cos(angle)), scaled(cross(e, across), math.sin(angle))))
        place, speed = plus(about, arm), scaled(cross(e, arm), rate)
    x, u = led(rows.goal_x, k, drives, place[0], speed[0], time, inside)
    y, v = led(rows.goal_y, k, drives, place[1], speed[1], time, inside)
    z, w = led(rows.goal_z, k, drives, place[2], speed[2], time, inside)
    return (x, y, z), (u, v, w)


@inlined
def along_axes(rows, k, buffers, now, a):
    """P a."""
    e, f, g = row3(rows.first, k), row3(rows.second, k), row3(rows.third, k)
    if rows.frame[k] >= 0:
        c = rows.frame[k]
        q, start = get_orientation(now.rigid, c), get_orientation_at_start(buffers, c)
        e, f, g = (rotate(q, rotate_back(start, e)), rotate(q, rotate_back(start, f)), rotate(q, rotate_back(start, g)))
    return plus(plus(scaled(e, dot(e, a)), scaled(f, dot(f, a))), scaled(g, dot(g, a)))


@inlined
def get_orientation_at_start(buffers, i):
    q = buffers.rigid_first
    return q[i, 0], q[i, 1], q[i, 2], q[i, 3]


@inlined
def fitting(first, second, limit):
    """The largest share t ≤ 1 of the second force with |first + t second| ≤ limit, where |first| ≤ limit."""
    square = dot(second, second)
    if norm(first) + norm(second) <= limit or not square > 0.0:
        return 1.0
    both = dot(first, second)
    room = max(limit * limit - dot(first, first), 0.0)
    root = math.sqrt(both * both + square * room)
    most = room / (both + root) if both > 0.0 else (root - both) / square
    return min(1.0, most)


@kernel
def place_of(rows, first, count, now):
    """Weighted mean of the places and velocities of the ends of a thing, and of what drives them."""
    x, v, total = NOTHING, NOTHING, 0.0
    for k in range(first, first + count):
        x = plus(x, scaled(end_place(now, rows.target[k]), rows.weight[k]))
        v = plus(v, scaled(end_velocity(now, rows.target[k]), rows.weight[k]))
        total += rows.weight[k]
    return scaled(x, 1.0 / total), scaled(v, 1.0 / total), total


@kernel
def pull_on(rows, k, count, drives, buffers, now, time, inside):
    """What pulls on the thing of row k: spring, damping and integral [N], d, P d, the velocity of P d by what moves alone and
    that of the goal by its drives [m/s], energy U of the spring, and the rate of the share."""
    x, v, _ = place_of(rows, k, count, now)
    g, led_by = goal_of(rows, k, drives, now, time, inside)
    d = minus(x, g)
    if rows.goal[k] != NO_END:
        v = minus(v, end_velocity(now, rows.goal[k]))
    if rows.frame[k] >= 0:
        v = minus(v, cross(get3(now.rigid, rows.frame[k], SPIN), d))
    away, moves = along_axes(rows, k, buffers, now, d), along_axes(rows, k, buffers, now, v)
    led_by = along_axes(rows, k, buffers, now, led_by)
    share, growth = present_share(rows, k, drives, buffers, time, inside)
    spring, energy = limited_spring(rows.stiffness[k], rows.limit[k], away)
    summed = NOTHING
    if rows.state[k] >= 0 and rows.integral[k] > 0.0:
        summed = scaled(add_up(rows, k, buffers, scaled(away, share), time), -rows.integral[k])
        summed = scaled(summed, fitting(spring, summed, rows.limit[k]))
    damping = scaled(minus(moves, led_by), -rows.damping[k])
    damping = scaled(damping, abs(share) * fitting(plus(spring, summed), damping, rows.limit[k]))
    return scaled(spring, share), damping, scaled(summed, share), d, moves, led_by, share * energy, growth * energy


@inlined
def limited_spring(stiffness, limit, away):
    """−k away, no longer than the limit, and its energy."""
    distance = norm(away)
    if stiffness * distance <= limit:
        return scaled(away, -stiffness), 0.5 * stiffness * distance * distance
    return scaled(away, -limit / distance), limit * (distance - 0.5 * limit / stiffness)


@kernel
def add_up(rows, k, buffers, error, time):
    """I at the end of the attempt, by the trapezoid, within what the integral may come to; kept if the attempt stands."""
    known, ahead, row = buffers.act_state, buffers.act_ahead, rows.state[k]
    half = 0.5 * (time - buffers.numbers[at.TIME])
    before = (known[row, ERROR], known[row, ERROR + 1], known[row, ERROR + 2])
    summed = plus(row3(known, row), scaled(plus(before, error), half))
    size, most = norm(summed), rows.integral_limit[k] / rows.integral[k]
    if size > most:
        summed = scaled(summed, most / size)
    for axis in range(3):
        ahead[row, SUM + axis], ahead[row, ERROR + axis] = summed[axis], error[axis]
    return summed


@kernel
def push(rows, drives, buffers, now, time, inside):
    k = 0
    while k < len(rows.target):
        count = rows.together[k]
        spring, damping, summed, d, moves, led_by, energy, _ = pull_on(rows, k, count, drives, buffers, now, time, inside)
        force = plus(plus(spring, damping), summed)
        total = 0.0
        for j in range(k, k + count):
            total += rows.weight[j]
        for j in range(k, k + count):
            push_end(now, rows.target[j], force, rows.weight[j] / total)
        if rows.goal[k] != NO_END:
            push_end(now, rows.goal[k], force, -1.0)
        if rows.frame[k] >= 0:
            add_rigid_force(now.load, rows.frame[k], 3, cross(d, force), -1.0)
        tell(buffers, rows.entry[k], 0, force)
        store(buffers, rows.entry[k], energy)
        lose(buffers, rows.entry[k], -dot(damping, minus(moves, led_by)))
        k += count


@kernel
def power(rows, drives, buffers, now, time, inside):
    k = 0
    while k < len(rows.target):
        count = rows.together[k]
        spring, damping, summed, _, moves, led_by, _, growth = pull_on(rows, k, count, drives, buffers, now, time, inside)
        work(buffers, rows.entry[k], dot(plus(spring, damping), led_by) + dot(summed, moves) + growth)
        k += count


@kernel
def bound(rows, drives, buffers, now, time, inside):
    """Of a pull on another thing Cauchy gives each of the two, or of the three with a frame, as many times the stiffness; those
    that no force moves are not among them."""
    k = 0
    while k < len(rows.target):
        count = rows.together[k]
        share = abs(present_share(rows, k, drives, buffers, time, inside)[0])
        both = 0.0
        for j in range(k, k + count):
            both = max(both, 1.0 if end_gives(buffers, rows.target[j]) else 0.0)
        if rows.goal[k] != NO_END and end_gives(buffers, rows.goal[k]):
            both += 1.0
        if rows.frame[k] >= 0 and rigid_gives(buffers, rows.frame[k], PUSHED, TURNED + 9):
            both += 1.0
        stiffness, damping = both * share * rows.stiffness[k], both * share * rows.damping[k]
        total = 0.0
        for j in range(k, k + count):
            total += rows.weight[j]
        for j in range(k, k + count):
            stiffen_end(buffers, rows.target[j], stiffness * rows.weight[j] / total, damping * rows.weight[j] / total)
        if rows.goal[k] != NO_END:
            stiffen_end(buffers, rows.goal[k], stiffness, damping)
        if rows.frame[k] >= 0:
            d = minus(place_of(rows, k, count, now)[0], goal_of(rows, k, drives, now, time, inside)[0])
            square = dot(d, d)
            stiffen_rigid(buffers, rows.frame[k], 0.0, 0.0, stiffness * square, damping * square)
        k += count


ACT = Act("pull", Pull, (STORED, LOST, WORK), push=push, power=power, bound=bound)
