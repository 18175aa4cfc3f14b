"""Motors and servos: efforts on single coordinates, by what they are told and by what they feel.

    effort = κ (q* − q) + c (v* − q̇) + ι ∫ (q* − q) dt + T        within ± limit

with a place q*, a rate v* (that of q* unless told) and an effort T over time. All that they do is work of the motor, also
what c takes of a rate that is not the one asked for: nothing of it is a loss. Below its limit c is viscosity to the flow
(`flow`) and a motor may be as tight as it likes; at its limit it is a constant effort. Which of both holds for a piece of the
step is asked of the mean rate of the piece itself: there is one answer, since the effort falls with the rate.

What goes by place and time alone, at the limit all of it, is booked by its mean × way, as what springs and weights do: so a
servo takes and gives what a spring stores, and a load that is borne at rest leaves nothing however long the step. c (v* − q̇)
is booked by its mean × rates, as viscosity is.

The way of a step goes by the forces of its start, and lags: mean × way is less by ¼ τ Δf Δu than the kinetic energy that a
force gives, with Δf and Δu the changes of force and rate in the step, and whatever constant forces there are beside it. Of what
changes by place that is the swing of a spring, and comes back; what changes with time alone, a torque that is told, is booked
with it. Where viscosity holds all back the way does not lag; B of `flow` says which share is left.

The integral stands still while the motor is at its limit and the error pushes it further (anti-windup).
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.columns import (
    BASE,
    BY_PLACE,
    DAMPER,
    DAMPING,
    EFFORT,
    LEG,
    LOOSE,
    MODE,
    MOTOR_WORK,
    SPRING,
    SPRING_THEN,
    SPRINGY,
    SUMMED,
    TRIES,
    WANTED,
)
from robotphi.kernels.mechanism.ease import fitted
from robotphi.kernels.step.entries import EXTRA

MOST_TRIES = 16.0


@inlined
def asked_of(motors, drives, n, place, summed, time, inside):
    """(what motor n does by place and time alone, whatever its limit; the rate that is asked of it)"""
    effort, wanted = 0.0, 0.0
    if motors.target[n] >= 0:
        target, wanted = drive_value(drives, motors.target[n], time, inside)
        effort = motors.stiffness[n] * (target - place) + motors.integral[n] * summed
    if motors.speed[n] >= 0:
        wanted = drive_value(drives, motors.speed[n], time, inside)[0]
    if motors.torque[n] >= 0:
        effort += drive_value(drives, motors.torque[n], time, inside)[0]
    return effort, wanted


@inlined
def within_limit(motors, flow, n, k, rate):
    """(effort by place and time alone, and how it falls with the rate) of motor n at a rate: at its limit a constant one."""
    effort = flow[k, SPRINGY] + motors.damping[n] * (flow[k, WANTED] - rate)
    if abs(effort) > motors.limit[n]:
        return math.copysign(motors.limit[n], effort), 0.0
    return flow[k, SPRINGY], motors.damping[n]


@inlined
def push_of(flow, k):
    """Of the motor of freedom k at no rate."""
    return flow[k, SPRING] + flow[k, DAMPER] * flow[k, WANTED]


@kernel
def set_motor(arrays, links, joints, k, time, inside):
    """What the motor of freedom k does, by place and time, and by the rate whether it is at its limit; it joins the base."""
    motors, flow = arrays.mechanisms.motors, links.flow
    n = arrays.mechanisms.motor[k]
    flow[k, SPRINGY], flow[k, WANTED] = asked_of(motors, arrays.drives, n, joints.place[k, 0], joints.motor[n, SUMMED], time,
                                                 inside)
    flow[k, SPRING], flow[k, DAMPER] = within_limit(motors, flow, n, k, joints.rate[k, 0])
    flow[k, BASE] += push_of(flow, k)
    flow[k, DAMPING] += flow[k, DAMPER]


@inlined
def lead_motor(arrays, flow, k, place, summed, share, until, inside):
    """Of the motor of freedom k, unless at its limit, a share of what it will ask for at a place and time instead of now."""
    motors, n = arrays.mechanisms.motors, arrays.mechanisms.motor[k]
    if flow[k, DAMPER] == motors.damping[n]:
        effort, wanted = asked_of(motors, arrays.drives, n, place, summed, until, inside)
        before = push_of(flow, k)
        flow[k, SPRINGY] += share * (effort - flow[k, SPRINGY])
        flow[k, WANTED] += share * (wanted - flow[k, WANTED])
        flow[k, SPRING] = flow[k, SPRINGY]
        if motors.damping[n] == 0.0:   # where it falls with the rate `change_motors` sees to the limit
            flow[k, SPRING] = min(max(flow[k, SPRINGY], -motors.limit[n]), motors.limit[n])
        flow[k, BASE] += push_of(flow, k) - before


@kernel
def change_motors(mechanisms, links, span, first, last):
    """Motors whose mean effort through a piece of the step is beyond their limit, or would be within; whether any changed."""
    motors, flow, changed = mechanisms.motors, links.flow, False
    for k in range(first, last):
        n = mechanisms.motor[k]
        if n < 0 or motors.damping[n] == 0.0 or math.isinf(motors.limit[n]) or flow[k, MODE] != LOOSE or not span > 0.0:
            continue
        spring, damper = within_limit(motors, flow, n, k, flow[k, LEG] / span)
        if damper == 0.0 and flow[k, DAMPER] == 0.0 and spring * flow[k, SPRING] < 0.0:
            spring, damper = flow[k, SPRINGY], motors.damping[n]   # pushed past what it asks for: it gets there in the piece
        if (spring != flow[k, SPRING] or damper != flow[k, DAMPER]) and flow[k, TRIES] < MOST_TRIES:
            before, flow[k, SPRING] = push_of(flow, k), spring
            flow[k, DAMPING] += damper - flow[k, DAMPER]
            flow[k, DAMPER] = damper
            flow[k, BASE] += push_of(flow, k) - before
            flow[k, TRIES] += 1.0
            changed = True
    return changed


@inlined
def work_along(flow, k, leg, span):
    """Of the motor of freedom k, through a piece of the step: c (v* − mean rate) × way."""
    flow[k, MOTOR_WORK] += leg * flow[k, DAMPER] * (flow[k, WANTED] - leg / span)


@kernel
def share_of_motors(mechanisms, links, lost, first, last):
    """What dampers took as their efforts and rates change together goes to motors as far as it is theirs; returns the rest."""
    flow, total, left = links.flow, 0.0, lost
    for k in range(first, last):
        total += flow[k, DAMPING] * links.answer[k, 0] * links.answer[k, 0]
    for k in range(first, last):
        if mechanisms.motor[k] >= 0 and total > 0.0:
            own = lost * flow[k, DAMPER] * links.answer[k, 0] * links.answer[k, 0] / total
            flow[k, MOTOR_WORK] -= own
            left -= own
    return left


@kernel
def wind_motors(arrays, joints, ahead, time, end, inside, m):
    """The integrals at the end of the step, by trapezoids of the error; kept where they would only wind up."""
    motors, drives = arrays.mechanisms.motors, arrays.drives
    for n in range(motors.start[m], motors.start[m + 1]):
        ahead.motor[n, SUMMED] = joints.motor[n, SUMMED]
        if motors.integral[n] == 0.0:
            continue
        k, before = motors.freedom[n], joints.motor[n, EFFORT]
        first = drive_value(drives, motors.target[n], time, inside)[0] - joints.place[k, 0]
        last = drive_value(drives, motors.target[n], end, inside)[0] - ahead.place[k, 0]
        if abs(before) >= motors.limit[n] and before * (first + last) > 0.0:
            continue
        most = motors.most_of_integral[n] / motors.integral[n]
        ahead.motor[n, SUMMED] = min(max(joints.motor[n, SUMMED] + 0.5 * (end - time) * (first + last), -most), most)


@kernel
def tell_motors(mechanisms, links, joints, m):
    """Efforts at an instant, whose bases are known."""
    motors, flow = mechanisms.motors, links.flow
    for n in range(motors.start[m], motors.start[m + 1]):
        k = motors.freedom[n]
        effort = flow[k, SPRING] + flow[k, DAMPER] * (flow[k, WANTED] - joints.rate[k, 0])
        joints.motor[n, EFFORT] = min(max(effort, -motors.limit[n]), motors.limit[n])
        joints.motor[n, BY_PLACE] = flow[k, SPRING]


@inlined
def lag_of(flow, before, ahead, k, change, dt):
    """What an effort on freedom k that changes by so much with time does beside its mean × way."""
    share = 2.0 * (1.0 - fitted(0.5 * dt * flow[k, DAMPING] * before.ease[k, 0]))
    return 0.25 * dt * share * change * (ahead.rate[k, 0] - before.rate[k, 0])


@kernel
def book_motors(mechanisms, buffers, before, ahead, dt, along, m):
    """The work of the motors: of what goes by place and time its mean × way, and what that lags by where it goes by time alone;
    of c (v* − q̇) its mean × mean rate, or as it was found `along` the way."""
    motors, flow = mechanisms.motors, buffers.links.flow
    for n in range(motors.start[m], motors.start[m + 1]):
        k = motors.freedom[n]
        way = ahead.place[k, 0] - before.place[k, 0]
        then = flow[k, SPRING_THEN] if along else before.motor[n, BY_PLACE]
        rest = (before.motor[n, EFFORT] - before.motor[n, BY_PLACE]) + (ahead.motor[n, EFFORT] - flow[k, SPRING])
        work = flow[k, MOTOR_WORK] if along else 0.25 * dt * rest * (before.rate[k, 0] + ahead.rate[k, 0])
        if motors.target[n] < 0:
            work += lag_of(flow, before, ahead, k, flow[k, SPRING] - then, dt)
        buffers.books[buffers.book_of_motor[n], EXTRA] += work + 0.5 * (then + flow[k, SPRING]) * way


@kernel
def push_motors(mechanisms, links, before, ahead, m):
    """What c v* does along half of the way of the step."""
    motors, flow = mechanisms.motors, links.flow
    for n in range(motors.start[m], motors.start[m + 1]):
        k = motors.freedom[n]
        flow[k, MOTOR_WORK] += 0.5 * flow[k, DAMPER] * flow[k, WANTED] * (ahead.place[k, 0] - before.place[k, 0])
