"""A step of mechanisms on whose coordinates more acts than springs: strong viscosity, dry friction, stops, drives.

    u½ = H(τ/2; q, f) u        u' = H(τ/2; q, f) u½        q⁺ = q + P        u⁺ = H(τ/2; q⁺, f⁺) u½

with H the flow of `flow` and `events`, u' what is predicted for the end, and P the way that both flows by f go; without dampers
and events that is τ u½. So sliding ends and stops are hit where and when the accelerations of the start say, and what dampers
stop at once has gone its way. Behind the last stop that is hit in the second half, u⁺ follows by f⁺ from the rates there. A
coordinate that is driven has the mean rate that takes it from value to value. What is lost and given is booked along the ways.

Mechanisms with nothing but viscosity go so only where it is large against inertia, and those with nothing but stops beside it
only where they may meet one, see `goes_by_flow`; others step as they do.
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.articulated import factor_links
from robotphi.kernels.mechanism.bases import book_lent, keep_lent, move_bases
from robotphi.kernels.mechanism.closed import begin_with
from robotphi.kernels.mechanism.closing_by_flow import factor_start, place_ahead
from robotphi.kernels.mechanism.columns import (
    ARRIVES,
    BESIDE,
    BY_STOPS,
    DAMPING,
    ELAPSED,
    EVENTFUL,
    EVENTS,
    FACTORED,
    FORGONE,
    GIVEN,
    KEPT,
    KEPT_MOTOR,
    KEPT_WORK,
    KNOWN,
    LEFT,
    LOOSE,
    MODE,
    MOTOR_WORK,
    OF_PATH,
    PREDICTED,
    PRESS,
    REBOUND,
    RUBBED,
    STOP,
    STOPPED,
    VISCOUS,
    WAY,
    WORK,
)
from robotphi.kernels.mechanism.ease import SMALL, keep_ease
from robotphi.kernels.mechanism.efforts import lead_bases, set_bases
from robotphi.kernels.mechanism.events import AHEAD, AT_REST, WITHIN, flow_on, keep_middle, tell_arrivals
from robotphi.kernels.mechanism.hung import hangs_any, keep_first_half, know_hung
from robotphi.kernels.mechanism.loops import goes_in_loops
from robotphi.kernels.mechanism.poses import move_links, pose_links
from robotphi.kernels.mechanism.relations import put_in_place
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import EXTRA, places

JOINT_LOSS, JOINT_FRICTION, JOINT_STOPS = places("joint_dissipation", "joint_friction", "joint_stops")
FAINT = 1e-290    # rad/s or m/s: what viscosity takes a share of step after step ends at the smallest number, not at nought
LARGE = 0.1       # c τ over inertia, from which on viscosity goes apart


@kernel
def nears_stop(mechanisms, joints, dt, m):
    """Whether any coordinate comes to a stop, or is there: its way is known before the step, and goes no further than this."""
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        at, reach = joints.place[k, 0], dt * (abs(joints.rate[k, 0]) + 0.5 * dt * abs(joints.gain[k, 0]))
        if not (mechanisms.limits[k, 0] < at - reach and at + reach < mechanisms.limits[k, 1]):
            return True
    return False


@kernel
def goes_by_flow(mechanisms, joints, dt, m):
    """Whether a step of mechanism m is one of these."""
    if mechanisms.eventful[m] == EVENTFUL or (mechanisms.eventful[m] == BY_STOPS and nears_stop(mechanisms, joints, dt, m)):
        return True
    if mechanisms.viscous[m] == 1:
        if mechanisms.led[m] == 1:
            return True
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            if dt * mechanisms.damping[k] * joints.ease[k, 0] > LARGE:
                return True
    return False


@kernel
def let_all_go(mechanisms, links, first, last):
    """Freedoms with nothing beside their armature, as they are where there is no flow."""
    for k in range(first, last):
        links.flow[k, BESIDE], links.flow[k, KNOWN], links.flow[k, MODE] = mechanisms.armature[k], 0.0, LOOSE


@kernel
def factor_loose(mechanisms, rigids, links, begin, end):
    """Factor posed links with nothing beside their armatures."""
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    let_all_go(mechanisms, links, first, last)
    factor_links(mechanisms, rigids, links, begin, end)


@kernel
def drive_freedom(drives, drive, place, rate, dt, end, inside):
    """(value at the end, accelerations of both halves of the step) of a coordinate that is driven."""
    value, speed = drive_value(drives, drive, end, inside)
    mean = (value - place) / dt
    return value, 2.0 * (mean - rate) / dt, 2.0 * (speed - mean) / dt


@kernel
def predict_by_flow(arrays, buffers, now, joints, next_joints, m, dt):
    """The first half of the step: rates of the middle, those predicted for the end, mean rates, and coordinates of the end."""
    mechanisms, links, numbers = arrays.mechanisms, buffers.links, buffers.numbers
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    time, until, inside = numbers[at.TIME], numbers[at.STEP_END], numbers[at.INSIDE]
    move_bases(arrays, links, time, inside)
    pose_links(mechanisms, links, joints, now.rigid, begin, end)
    move_links(mechanisms, links, joints.rate, begin, end)
    if hangs_any(links):
        know_hung(arrays, buffers, now, joints, m)
    set_bases(arrays, links, joints, time, inside, first, last)
    start_flow(arrays, links, joints, next_joints, dt, until, inside, first, last, m)
    rate, half = next_joints.rate, 0.5 * dt
    begin_with(arrays.closures, joints.bound, next_joints.bound, m)
    flow_on(arrays, links, now.rigid, now.load, joints, next_joints, half, AHEAD, m)
    keep_middle(arrays, links, rate, half, first, last, m)
    for k in range(first, last):
        links.then[k, 0] = rate[k, 0]
        if mechanisms.drive[k] >= 0:
            flow[k, GIVEN] = drive_freedom(arrays.drives, mechanisms.drive[k], joints.place[k, 0], joints.rate[k, 0], dt, until,
                                           inside)[2]
    lead_bases(arrays, links, joints, time, until, inside, first, last)
    flow_on(arrays, links, now.rigid, now.load, joints, next_joints, half, WITHIN, m)
    if mechanisms.eventful[m] != 0:
        tell_arrivals(mechanisms, arrays.closures, flow, joints.place, rate, next_joints.gain, half, m)
    if goes_in_loops(mechanisms, arrays.closures, m):
        factor_start(arrays, links, now.rigid, joints, next_joints, half, m)
    if hangs_any(links):
        keep_first_half(arrays, buffers, joints, dt, m)
    move_bases(arrays, links, until, inside)
    place_ahead(arrays, buffers, joints, next_joints, m)
    for k in range(first, last):
        flow[k, PREDICTED] = rate[k, 0]
    put_in_place(mechanisms, links, next_joints.place, m)


@kernel
def start_flow(arrays, links, joints, next_joints, dt, until, inside, first, last, m):
    """Rates and coordinates where the step begins, nothing lost yet."""
    mechanisms, flow = arrays.mechanisms, links.flow
    for k in range(first, last):
        next_joints.rate[k, 0], next_joints.ease[k, 0] = joints.rate[k, 0], joints.ease[k, 0]
        flow[k, WAY], flow[k, WORK], flow[k, PRESS], flow[k, REBOUND], flow[k, MOTOR_WORK] = 0.0, 0.0, 0.0, math.inf, 0.0
        flow[k, ARRIVES] = 0.0
        if mechanisms.drive[k] >= 0:
            flow[k, GIVEN] = drive_freedom(arrays.drives, mechanisms.drive[k], joints.place[k, 0], joints.rate[k, 0], dt, until,
                                           inside)[1]
    clear_stops(flow, first, last)
    for column in (VISCOUS, RUBBED, STOPPED, FACTORED, ELAPSED, EVENTS, FORGONE):
        links.sums[m, column] = 0.0
    keep_lent(mechanisms, arrays.closures, links, m, 0, -1)


@kernel
def clear_stops(flow, first, last):
    """Places say anew which stop each freedom stands at."""
    for k in range(first, last):
        flow[k, STOP] = 0.0


@kernel
def correct_by_flow(arrays, buffers, ahead, next_joints, m):
    """The second half of the step, once, with the velocities that the links have; those of the middle are where it begins."""
    mechanisms, links = arrays.mechanisms, buffers.links
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        next_joints.rate[k, 0] = links.middle[k, 0]
        flow[k, WORK], flow[k, MOTOR_WORK], flow[k, REBOUND] = flow[k, KEPT_WORK], flow[k, KEPT_MOTOR], math.inf
    for column in range(3):
        links.sums[m, KEPT - 3 + column] = links.sums[m, KEPT + column]
    keep_lent(mechanisms, arrays.closures, links, m, 0, 4)
    links.sums[m, ELAPSED] = -links.sums[m, LEFT]
    clear_stops(flow, first, last)
    flow_on(arrays, links, ahead.rigid, ahead.load, next_joints, next_joints, links.sums[m, LEFT], AT_REST, m)


@kernel
def settle_flow(arrays, buffers, joints, next_joints, m, dt):
    """Driven rates as their drives say, how easily freedoms move, and everything into the books."""
    mechanisms, links, books, numbers = arrays.mechanisms, buffers.links, buffers.books, buffers.numbers
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        if abs(next_joints.rate[k, 0]) < FAINT:
            next_joints.rate[k, 0] = 0.0
        if mechanisms.drive[k] >= 0:
            drive = mechanisms.drive[k]
            next_joints.rate[k, 0] = drive_value(arrays.drives, drive, numbers[at.STEP_END], numbers[at.INSIDE])[1]
            books[buffers.book_of_drive[drive], EXTRA] += flow[k, WORK]
    if not goes_in_loops(mechanisms, arrays.closures, m):
        keep_ease(mechanisms, links, joints, next_joints, m)
    book_viscosity(mechanisms, links, books, joints, next_joints, dt, m)
    books[JOINT_FRICTION, EXTRA] += links.sums[m, RUBBED]
    books[JOINT_STOPS, EXTRA] += links.sums[m, STOPPED]
    if mechanisms.led[m] == 1:
        book_lent(arrays, buffers, m)


@inlined
def bend_of(z):
    """ψ(z) z/(1 − e^−z) with ψ = ∫₀¹ e^{−z (1−s)} (s − ½) ds, see `tell_path_of_flow`; z/12 for small z, ½ for large."""
    if z < SMALL:
        return z / 12.0
    kept = -math.expm1(-z)
    return 1.0 / kept - 1.0 / z - 0.5


@kernel
def tell_path_of_flow(mechanisms, links, joints, next_joints, half, m):
    """What viscosity does to the path where others change what accelerates a freedom meanwhile, and what stops forwent.

    With λ = c/inertia a freedom that is left alone has u̇ = r − λ u, r constant, which the flow follows exactly: its mean
    accelerations in both halves h of the step are g and e^−z g, z = λ h. Where r grows by r' they differ from that by
    d = r' h (1 − e^−z)/z, and u at the end of each is off by ∫ e^{−λ (h−t)} r' (t − h/2) dt = r' h² ψ(z), its way without
    viscosity by r' h³/12.
    """
    flow, off = links.flow, links.sums[m, FORGONE]
    if links.sums[m, EVENTS] == 0.0:
        for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
            z = flow[k, DAMPING] * joints.ease[k, 0] * half
            if flow[k, MODE] == LOOSE:
                first, second = links.then[k, 0] - joints.rate[k, 0], next_joints.rate[k, 0] - links.then[k, 0]
                error = 2.0 * (bend_of(z) + 1.0 / 12.0) * (second - math.exp(-z) * first)
                off += 0.5 * error * error / joints.ease[k, 0]
    links.sums[m, OF_PATH] += off


@kernel
def book_viscosity(mechanisms, links, books, joints, next_joints, dt, m):
    """What viscosity took along the way, less what the rates at both ends of the step bring by themselves."""
    rates = 0.0
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        before, after = joints.rate[k, 0], next_joints.rate[k, 0]
        rates += mechanisms.viscosity[k] * (before * before + after * after)
    books[JOINT_LOSS, EXTRA] += links.sums[m, VISCOUS] - 0.5 * dt * rates
