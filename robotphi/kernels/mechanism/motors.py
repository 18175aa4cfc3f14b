"""Motors and servos: efforts on single coordinates, by what they are told and by what they feel.

    effort = κ (q* − q) + c (v* − q̇) + ι ∫ (q* − q) dt + T        within ± limit

with a place q*, a rate v* (that of q* unless told) and an effort T over time. All that they do is work of the motor, also
what c takes of a rate that is not the one asked for: nothing of it is a loss. Below its limit c is viscosity to the flow
(`flow`) and a motor may be as tight as it likes; at its limit it is a constant effort. Which of both holds for a piece of the
step is asked of the mean rate of the piece itself: there is one answer, since the effort falls with the rate.

The integral stands still while the motor is at its limit and the error pushes it further (anti-windup).
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.columns import (
    ASKED,
    BASE,
    BY_PLACE,
    DAMPER,
    DAMPING,
    EFFORT,
    LEG,
    LOOSE,
    MODE,
    MOTOR_WORK,
    PUSH,
    SPRING,
    SPRING_THEN,
    SPRINGY,
    SUMMED,
    TRIES,
)
from robotphi.kernels.step.entries import EXTRA

MOST_TRIES = 16.0


@inlined
def effort_at_rest(motors, drives, joints, n, time, inside):
    """(what motor n would do at no rate, whatever its limit; the part of it by place)"""
    by_place, effort, wanted, k = 0.0, 0.0, 0.0, motors.freedom[n]
    if motors.target[n] >= 0:
        place, wanted = drive_value(drives, motors.target[n], time, inside)
        by_place = motors.stiffness[n] * (place - joints.place[k, 0]) + motors.integral[n] * joints.motor[n, SUMMED]
    if motors.speed[n] >= 0:
        wanted = drive_value(drives, motors.speed[n], time, inside)[0]
    if motors.torque[n] >= 0:
        effort = drive_value(drives, motors.torque[n], time, inside)[0]
    return by_place + effort + motors.damping[n] * wanted, by_place


@kernel
def set_motor(arrays, links, joints, k, time, inside):
    """What the motor of freedom k does, by place and time, and by the rate whether it is at its limit; it joins the base."""
    motors, flow = arrays.mechanisms.motors, links.flow
    n = arrays.mechanisms.motor[k]
    asked, by_place = effort_at_rest(motors, arrays.drives, joints, n, time, inside)
    now = asked - motors.damping[n] * joints.rate[k, 0]
    flow[k, ASKED], flow[k, PUSH], flow[k, DAMPER] = asked, asked, motors.damping[n]
    flow[k, SPRINGY] = flow[k, SPRING] = by_place
    if abs(now) > motors.limit[n]:
        flow[k, PUSH], flow[k, DAMPER], flow[k, SPRING] = math.copysign(motors.limit[n], now), 0.0, 0.0
    flow[k, BASE] += flow[k, PUSH]
    flow[k, DAMPING] += flow[k, DAMPER]


@kernel
def change_motors(mechanisms, links, span, first, last):
    """Motors whose mean effort through a piece of the step is beyond their limit, or would be within; whether any changed."""
    motors, flow, changed = mechanisms.motors, links.flow, False
    for k in range(first, last):
        n = mechanisms.motor[k]
        if n < 0 or motors.damping[n] == 0.0 or math.isinf(motors.limit[n]) or flow[k, MODE] != LOOSE or not span > 0.0:
            continue
        mean, push, damper = flow[k, ASKED] - motors.damping[n] * flow[k, LEG] / span, flow[k, ASKED], motors.damping[n]
        if abs(mean) > motors.limit[n]:
            push, damper = math.copysign(motors.limit[n], mean), 0.0
        if push != flow[k, PUSH] and flow[k, TRIES] < MOST_TRIES:
            flow[k, BASE] += push - flow[k, PUSH]
            flow[k, DAMPING] += damper - flow[k, DAMPER]
            flow[k, PUSH], flow[k, DAMPER], flow[k, SPRING] = push, damper, flow[k, SPRINGY] if damper > 0.0 else 0.0
            flow[k, TRIES] += 1.0
            changed = True
    return changed


@inlined
def work_along(flow, k, leg, span):
    """Of the motor of freedom k, through a piece of the step: its mean effort × way, but for the part by place."""
    flow[k, MOTOR_WORK] += leg * (flow[k, PUSH] - flow[k, SPRING] - flow[k, DAMPER] * leg / span)


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
        effort = flow[k, PUSH] - flow[k, DAMPER] * joints.rate[k, 0]
        joints.motor[n, EFFORT] = min(max(effort, -motors.limit[n]), motors.limit[n])
        joints.motor[n, BY_PLACE] = flow[k, SPRING]


@kernel
def book_motors(mechanisms, buffers, before, ahead, dt, along, m):
    """The work of the motors: of the part by place its mean × way, of the rest its mean × mean rate, or as it was found `along`
    the way.

    So a servo gives and takes back what a spring stores whatever the step, and a motor that is switched on leaves nothing.
    """
    motors, flow = mechanisms.motors, buffers.links.flow
    for n in range(motors.start[m], motors.start[m + 1]):
        k = motors.freedom[n]
        way = ahead.place[k, 0] - before.place[k, 0]
        then = flow[k, SPRING_THEN] if along else before.motor[n, BY_PLACE]
        rest = (before.motor[n, EFFORT] - before.motor[n, BY_PLACE]) + (ahead.motor[n, EFFORT] - flow[k, SPRING])
        work = flow[k, MOTOR_WORK] if along else 0.25 * dt * rest * (before.rate[k, 0] + ahead.rate[k, 0])
        buffers.books[buffers.book_of_motor[n], EXTRA] += work + 0.5 * (then + flow[k, SPRING]) * way


@kernel
def push_motors(mechanisms, links, before, ahead, m):
    """Half of the way of the step against what the motors do where they stand, their dampers aside."""
    motors, flow = mechanisms.motors, links.flow
    for n in range(motors.start[m], motors.start[m + 1]):
        k = motors.freedom[n]
        flow[k, MOTOR_WORK] += 0.5 * (flow[k, PUSH] - flow[k, SPRING]) * (ahead.place[k, 0] - before.place[k, 0])
