"""Mechanisms in a step with the dampers apart (`step/apart`): both halves of the dampers, and the drift between them.

At held coordinates the impulses J of dampers change the rates by M⁻¹ Σ ZᵀJ, Z the ways of the rigids by the joints, which is
one solution of the articulated recursion for each stage; all other forces, with what the velocities bring along, change them by
the acceleration q̈ of the instant times the time of the stage.
"""
import math

from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.maths.vectors import get3
from robotphi.kernels.mechanism.articulated import factor_links
from robotphi.kernels.mechanism.bases import load_bases, move_bases
from robotphi.kernels.mechanism.by_flow import JOINT_FRICTION, book_viscosity
from robotphi.kernels.mechanism.closed import bind_closures, is_closed
from robotphi.kernels.mechanism.columns import (
    BESIDE,
    DAMPER,
    DAMPER_THEN,
    FACTORED,
    FIRST_HALF,
    FIT,
    LOOSE,
    MODE,
    MOTOR_WORK,
    RUBBED,
    SECOND_HALF,
    SPAN,
    SPRING,
    SPRING_THEN,
    STORED,
    VISCOUS,
    NoMechanisms,
)
from robotphi.kernels.mechanism.ease import keep_ease
from robotphi.kernels.mechanism.efforts import book_torques, set_bases, set_efforts
from robotphi.kernels.mechanism.flow import factor_for
from robotphi.kernels.mechanism.hung import hangs_any, know_hung, let_go_along, split_accelerations, take_hung
from robotphi.kernels.mechanism.loops import goes_in_loops
from robotphi.kernels.mechanism.meet import close_loops, drift_joints, hold_closures
from robotphi.kernels.mechanism.motors import book_motors, push_motors, tell_motors, wind_motors
from robotphi.kernels.mechanism.poses import move_links, pose_links, spread_rates
from robotphi.kernels.mechanism.relations import factor_relations, has_relations, put_in_place
from robotphi.kernels.mechanism.stages import sum_impulses
from robotphi.kernels.mechanism.starting import tell_growth
from robotphi.kernels.mechanism.tell import place_rigids, set_motion, tell_energies, tell_motion
from robotphi.kernels.mechanism.uneventful import (
    book_driven,
    choose_still,
    keep_going,
    lead_on,
    put_driven,
    rub_on,
    rub_through,
    solve_related,
)
from robotphi.kernels.mechanism.whole import drift_whole, keep_momenta
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import EXTRA
from robotphi.kernels.step.rigids import CENTRE, carry_particles


@kernel_unless(NoMechanisms, lambda arrays, buffers, now, joints: None)
def open_first_half(arrays, buffers, now, joints):
    """The links stand where they are now, with the rates of now, and accelerations by all but the dampers. What the rates bring
    along is taken at these rates: the accelerations kept of the step before are of what was predicted."""
    mechanisms, rigids, links, numbers = arrays.mechanisms, arrays.rigids, buffers.links, buffers.numbers
    move_bases(arrays, links, numbers[at.TIME], numbers[at.INSIDE])
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
        half = 0.5 * numbers[at.STEP_TAU]
        anew = buffers.counters[at.VERDICT] == 0 or links.sums[m, SPAN] != half   # else they stand so of the last half
        if anew:
            pose_links(mechanisms, links, joints, now.rigid, begin, end)
        if hangs_any(links):
            know_hung(arrays, buffers, now, joints, m)
        choose_still(arrays, links, joints, numbers, m)
        set_bases(arrays, links, joints, numbers[at.TIME], numbers[at.INSIDE], first, last)
        if anew or hangs_any(links) or is_closed(arrays.closures, m):
            factor_half(arrays, links, now.rigid, joints, joints.bound, half, m)
        move_links(mechanisms, links, joints.rate, begin, end)
        set_efforts(mechanisms, links, joints.rate, first, last)
        rub_on(mechanisms, links, half, first, last)
        solve_related(mechanisms, rigids, links, now.load, links.pull, joints.rate, half, m)
        keep_going(links, first, last)
        if hangs_any(links):
            split_accelerations(arrays, links, joints, m)
        links.sums[m, VISCOUS], links.sums[m, RUBBED] = 0.0, 0.0
        if goes_in_loops(mechanisms, arrays.closures, m):
            hold_closures(arrays, links, now.rigid, now.load, joints, m)
        for k in range(first, last):
            links.start[k, 0], links.flow[k, MOTOR_WORK] = joints.rate[k, 0], 0.0
            links.flow[k, SPRING_THEN], links.flow[k, DAMPER_THEN] = links.flow[k, SPRING], links.flow[k, DAMPER]
            if is_closed(arrays.closures, m):   # kept of the rates themselves, with the pull of the closures
                links.pull[k, 0] = joints.gain[k, 0]
        for axis in range(12):
            links.impulse[m, axis] = 0.0


@kernel_unless(NoMechanisms, lambda arrays, buffers, ahead, joints, next_joints: None)
def open_second_half(arrays, buffers, ahead, joints, next_joints):
    """Accelerations at the end of the step by all but the dampers, with what the velocities predicted for it bring along: those
    without the second half of the dampers would leave an error of first order."""
    mechanisms, rigids, links, numbers = arrays.mechanisms, arrays.rigids, buffers.links, buffers.numbers
    half = 0.5 * numbers[at.STEP_TAU]
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
        if hangs_any(links):
            take_hung(arrays, buffers, next_joints, m)
        factor_half(arrays, links, ahead.rigid, joints, next_joints.bound, half, m)
        keep_ease(mechanisms, links, joints, next_joints, m)
        wind_motors(arrays, joints, next_joints, numbers[at.TIME], numbers[at.STEP_END], numbers[at.INSIDE], m)
        push_motors(mechanisms, links, joints, next_joints, m)
        links.sums[m, STORED] = set_bases(arrays, links, next_joints, numbers[at.STEP_END], numbers[at.INSIDE], first, last)
        push_motors(mechanisms, links, joints, next_joints, m)
        set_efforts(mechanisms, links, links.middle if mechanisms.viscous[m] == 1 else next_joints.rate, first, last)
        lead_on(mechanisms, links, first, last)
        rub_on(mechanisms, links, half, first, last)
        if is_closed(arrays.closures, m):
            if not goes_in_loops(mechanisms, arrays.closures, m):
                bind_closures(arrays, links, ahead.rigid, next_joints.bound, m)
            hold_closures(arrays, links, ahead.rigid, ahead.load, next_joints, m)
        else:
            solve_related(mechanisms, rigids, links, ahead.load, next_joints.gain, links.middle, half, m)
        if mechanisms.led[m] == 1:
            load_bases(arrays, links, next_joints.bound, ahead.load, m)
        keep_going(links, first, last)
        if hangs_any(links):
            let_go_along(arrays, buffers, ahead, next_joints, False, m)
            split_accelerations(arrays, links, next_joints, m)
        for k in range(first, last):
            links.start[k, 0], links.pull[k, 0] = links.middle[k, 0], next_joints.gain[k, 0]


@kernel
def factor_half(arrays, links, rigid, joints, bound, half, m):
    """Factor posed links for half a step, with the viscosity of their joints in it; what is held gives way to nothing."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.flow[k, BESIDE] = mechanisms.armature[k] if links.flow[k, MODE] == LOOSE else math.inf
    links.sums[m, FACTORED] = 0.0
    if mechanisms.viscous[m] == 1:
        factor_for(arrays, links, rigid, joints, bound, half, m)
    else:
        factor_links(mechanisms, arrays.rigids, links, begin, end)
        if has_relations(mechanisms, m):
            factor_relations(mechanisms, links, m)
    links.sums[m, SPAN] = half


@kernel
def take_viscosity(mechanisms, links, half, m):
    """What the viscosity of joints took in a half: its impulse × mean rate. It is fitted there as it is in `flow`."""
    begin, end, taken = mechanisms.start[m], mechanisms.start[m + 1], 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        before, after = links.start[k, 0], links.trial[k, 0]
        fit = links.flow[k, FIT] if links.flow[k, MODE] == LOOSE else 0.5
        work = half * (before + fit * (after - before)) * 0.5 * (before + after)
        taken += mechanisms.viscosity[k] * work
        links.flow[k, MOTOR_WORK] -= links.flow[k, DAMPER] * work
    links.sums[m, VISCOUS] += taken


@kernel_unless(NoMechanisms, lambda arrays, buffers, now, ahead, joints, next_joints: None)
def drift_mechanisms(arrays, buffers, now, ahead, joints, next_joints):
    """With the rates that the first half left: coordinates of the end, rates predicted for it, and everything there; the
    velocities of the middle are then what the mechanisms have at their new places."""
    mechanisms, rigids, links, damping = arrays.mechanisms, arrays.rigids, buffers.links, buffers.damping
    dt, g = buffers.numbers[at.STEP_TAU], value(arrays.particles).gravity
    sum_impulses(arrays, buffers, now, damping.impulse, FIRST_HALF)
    move_bases(arrays, links, buffers.numbers[at.STEP_END], buffers.numbers[at.INSIDE])
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        take_viscosity(mechanisms, links, 0.5 * dt, m)
        rub_through(mechanisms, links, joints.place, 0.5 * dt, False, m)
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            links.middle[k, 0] = links.trial[k, 0]
        drift_joints(mechanisms, links, joints, next_joints, dt, begin, end)
        put_driven(arrays, buffers.numbers, next_joints.place, mechanisms.freedom_start[begin], mechanisms.freedom_start[end])
        put_in_place(mechanisms, links, next_joints.place, m)
        pose_links(mechanisms, links, next_joints, ahead.rigid, begin, end)
        if is_closed(arrays.closures, m):
            close_loops(arrays, links, ahead.rigid, joints, next_joints, buffers.numbers[at.TIME], m, dt)
        if mechanisms.free[m] == 1:
            drift_whole(mechanisms, rigids, links, now, next_joints.place, dt, m)
        spread_rates(mechanisms, links, links.middle, begin, end)
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0:
                for column in range(CENTRE, CENTRE + 3):
                    damping.middle_rigid[body, column] = links.pose[i, column]
                for column in range(6, 10):
                    damping.middle_rigid[body, column] = links.pose[i, column]
                set_motion(arrays, damping.middle_rigid, body, get3(links.acceleration, i, 0), get3(links.acceleration, i, 3))
                carry_particles(rigids, body, damping.middle_rigid, ahead.position, damping.middle)
        move_links(mechanisms, links, next_joints.rate, begin, end)
        place_rigids(arrays, buffers, now, ahead, (g[0], g[1], g[2]), begin, end)


@kernel_unless(NoMechanisms, lambda arrays, buffers, now, ahead, joints, next_joints: None)
def close_mechanisms(arrays, buffers, now, ahead, joints, next_joints):
    """After the second half: rates, velocities, energies and the error of the path."""
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    dt = buffers.numbers[at.STEP_TAU]
    sum_impulses(arrays, buffers, ahead, buffers.damping.impulse, SECOND_HALF)
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        take_viscosity(mechanisms, links, 0.5 * dt, m)
        rub_through(mechanisms, links, next_joints.place, 0.5 * dt, True, m)
        buffers.books[JOINT_FRICTION, EXTRA] += links.sums[m, RUBBED]
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            next_joints.rate[k, 0] = links.trial[k, 0]
        book_driven(arrays, buffers, next_joints.rate, mechanisms.freedom_start[begin], mechanisms.freedom_start[end])
        if mechanisms.free[m] == 1 or is_closed(arrays.closures, m):
            move_links(mechanisms, links, next_joints.rate, begin, end)
        if mechanisms.free[m] == 1:
            keep_momenta(mechanisms, rigids, links, now, ahead, next_joints.rate, dt, m)
            move_links(mechanisms, links, next_joints.rate, begin, end)
        if mechanisms.viscous[m] == 1:
            book_viscosity(mechanisms, links, buffers.books, joints, next_joints, dt, m)
        tell_energies(mechanisms, links, next_joints, m)
        tell_growth(mechanisms, rigids, links, joints, next_joints, buffers.numbers, m)
        tell_motors(mechanisms, links, next_joints, m)
        book_motors(mechanisms, buffers, joints, next_joints, dt, True, m)
        if is_closed(arrays.closures, m):
            hold_closures(arrays, links, ahead.rigid, ahead.load, next_joints, m)
        tell_motion(arrays, buffers, ahead, next_joints, links.middle, 0.5 * dt, begin, end)
    numbers = buffers.numbers
    book_torques(arrays, buffers, joints, next_joints, numbers[at.TIME], numbers[at.STEP_END], numbers[at.INSIDE])
