"""Mechanisms in a step with the dampers apart (`step/apart`): both halves of the dampers, and the drift between them.

At held coordinates the impulses J of dampers change the rates by M⁻¹ Σ ZᵀJ, Z the ways of the rigids by the joints, which is
one solution of the articulated recursion for each stage; all other forces, with what the velocities bring along, change them by
the acceleration q̈ of the instant times the time of the stage.
"""
from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.mechanism.articulated import factor_links, load_links, solve_links
from robotphi.kernels.mechanism.bases import load_bases, move_bases
from robotphi.kernels.mechanism.by_flow import book_viscosity, let_all_go
from robotphi.kernels.mechanism.closed import bind_closures, is_closed, project_rates
from robotphi.kernels.mechanism.columns import (
    DAMPER,
    FACTORED,
    FIRST_HALF,
    FIT,
    HUNG_GOING,
    HUNG_POWER,
    MOTOR_WORK,
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
from robotphi.kernels.mechanism.hung import (
    hangs_any,
    know_hung,
    let_go_along,
    object_on,
    split_accelerations,
    take_hung,
)
from robotphi.kernels.mechanism.loops import goes_in_loops
from robotphi.kernels.mechanism.motors import book_motors, push_motors, tell_motors, wind_motors
from robotphi.kernels.mechanism.move import (
    close_loops,
    drift_joints,
    hold_closures,
    place_rigids,
    set_motion,
    tell_energies,
    tell_motion,
)
from robotphi.kernels.mechanism.poses import base_motion, move_links, pose_links, spread_rates
from robotphi.kernels.mechanism.starting import tell_growth
from robotphi.kernels.mechanism.whole import drift_whole, keep_momenta
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.damp_rows import gather_impulse
from robotphi.kernels.step.damp_touch import rigid_impulse
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, carry_particles
from robotphi.kernels.step.slots import PASSED, PASSED_BEFORE, POWER


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
        if anew or hangs_any(links) or is_closed(arrays.closures, m):
            factor_half(arrays, links, now.rigid, joints, joints.bound, half, m)
        move_links(mechanisms, links, joints.rate, now.rigid, begin, end)
        set_bases(arrays, links, joints, numbers[at.TIME], numbers[at.INSIDE], first, last)
        load_links(mechanisms, rigids, links, now.load, begin, end)
        set_efforts(mechanisms, links, joints.rate, first, last)
        solve_links(mechanisms, links, links.effort, links.pull, begin, end)
        if hangs_any(links):
            split_accelerations(arrays, links, joints, m)
        links.sums[m, VISCOUS] = 0.0
        if goes_in_loops(mechanisms, arrays.closures, m):
            hold_closures(arrays, links, now.rigid, now.load, joints, m)
        for k in range(first, last):
            links.start[k, 0], links.flow[k, MOTOR_WORK] = joints.rate[k, 0], 0.0
            links.flow[k, SPRING_THEN] = links.flow[k, SPRING]
            if is_closed(arrays.closures, m):   # kept of the rates themselves, with the pull of the closures
                links.pull[k, 0] = joints.gain[k, 0]
        for axis in range(12):
            links.impulse[m, axis] = 0.0


@kernel_unless(NoMechanisms, lambda arrays, buffers, ahead, joints, next_joints: None)
def open_second_half(arrays, buffers, ahead, joints, next_joints):
    """Accelerations at the end of the step by all but the dampers, with what the velocities predicted for it bring along: those
    without the second half of the dampers would leave an error of first order."""
    mechanisms, rigids, links, numbers = arrays.mechanisms, arrays.rigids, buffers.links, buffers.numbers
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
        if hangs_any(links):
            take_hung(arrays, buffers, next_joints, m)
        factor_half(arrays, links, ahead.rigid, joints, next_joints.bound, 0.5 * numbers[at.STEP_TAU], m)
        keep_ease(mechanisms, links, joints, next_joints, m)
        wind_motors(arrays, joints, next_joints, numbers[at.TIME], numbers[at.STEP_END], numbers[at.INSIDE], m)
        push_motors(mechanisms, links, joints, next_joints, m)
        links.sums[m, STORED] = set_bases(arrays, links, next_joints, numbers[at.STEP_END], numbers[at.INSIDE], first, last)
        push_motors(mechanisms, links, joints, next_joints, m)
        set_efforts(mechanisms, links, links.middle if mechanisms.viscous[m] == 1 else next_joints.rate, first, last)
        if is_closed(arrays.closures, m):
            if not goes_in_loops(mechanisms, arrays.closures, m):
                bind_closures(arrays, links, ahead.rigid, next_joints.bound, m)
            hold_closures(arrays, links, ahead.rigid, ahead.load, next_joints, m)
        else:
            load_links(mechanisms, rigids, links, ahead.load, begin, end)
            solve_links(mechanisms, links, links.effort, next_joints.gain, begin, end)
        if mechanisms.led[m] == 1:
            load_bases(arrays, links, next_joints.bound, ahead.load, m)
        if hangs_any(links):
            let_go_along(arrays, buffers, ahead, next_joints, False, m)
            split_accelerations(arrays, links, next_joints, m)
        for k in range(first, last):
            links.start[k, 0], links.pull[k, 0] = links.middle[k, 0], next_joints.gain[k, 0]


@kernel
def factor_half(arrays, links, rigid, joints, bound, half, m):
    """Factor posed links for half a step, with the viscosity of their joints in it."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    let_all_go(mechanisms, links, mechanisms.freedom_start[begin], mechanisms.freedom_start[end])
    links.sums[m, FACTORED] = 0.0
    if mechanisms.viscous[m] == 1:
        factor_for(arrays, links, rigid, joints, bound, half, m)
    else:
        factor_links(mechanisms, arrays.rigids, links, begin, end)
    links.sums[m, SPAN] = half


@kernel
def take_viscosity(mechanisms, links, half, m):
    """What the viscosity of joints took in a half: its impulse × mean rate. It is fitted there as it is in `flow`."""
    begin, end, taken = mechanisms.start[m], mechanisms.start[m + 1], 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        before, after = links.start[k, 0], links.trial[k, 0]
        work = half * (before + links.flow[k, FIT] * (after - before)) * 0.5 * (before + after)
        taken += mechanisms.viscosity[k] * work
        links.flow[k, MOTOR_WORK] -= links.flow[k, DAMPER] * work
    links.sums[m, VISCOUS] += taken


@kernel_unless(NoMechanisms, lambda arrays, buffers, place, bound, start, found, velocity, impulse, weights, j, spent: None)
def stage_mechanisms(arrays, buffers, place, bound, start, found, found_velocity, impulse, weights, j, spent):
    """A stage of the dampers for all mechanisms: what `damp_rows.rigid_stage` is for single rigids."""
    mechanisms, rigids, links, damping = arrays.mechanisms, arrays.rigids, buffers.links, buffers.damping
    for i in range(len(mechanisms.rigid)):
        body = mechanisms.rigid[i]
        total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if body >= 0:
            total, moment = gather_impulse(rigids, body, get3(place.rigid, body, CENTRE), place.position, impulse)
            of_rows = rigid_impulse(damping, body, j, weights)
            total, moment = plus(total, of_rows[0]), plus(moment, of_rows[1])
            if hangs_any(links):
                links.hung[i, HUNG_POWER] = (dot(total, get3(links.hung, i, HUNG_GOING))
                                             + dot(moment, get3(links.hung, i, HUNG_GOING + 3)))
                o = object_on(arrays, i)
                if o >= 0:
                    total = plus(total, get3(buffers.slow.load, o, 0))
                    moment = plus(moment, get3(buffers.slow.load, o, 3))
        set3(links.push, i, 0, scaled(total, -1.0))
        set3(links.push, i, 3, scaled(moment, -1.0))
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        push_on(mechanisms, links, spent, begin, end)
        if is_closed(arrays.closures, m):
            project_rates(arrays, links, bound, links.trial, 0.0, 0.0, m)
            move_links(mechanisms, links, links.trial, place.rigid, begin, end)
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0:
                power = stage_of_rigid(arrays, links, i, body, place, start, found, found_velocity)
                if hangs_any(links):   # a·J, as of what hangs there (`step/damp_stiff`)
                    power = links.hung[i, HUNG_POWER]
                if j == 1:
                    damping.rigid_sums[body, PASSED] = damping.rigid_sums[body, PASSED_BEFORE] = 0.0
                    damping.rigid_sums[body, POWER] = 0.0
                keep_power(damping.rigid_sums, body, power, weights)


@kernel
def push_on(mechanisms, links, spent, begin, end):
    """Rates `trial` of factored links, and how the links move, by impulses −`push` beside the accelerations `pull` for a time.

    It is the recursion of `articulated` without efforts; what the impulses change is left in `links.acceleration`.
    """
    push = links.push
    for i in range(end - 1, begin - 1, -1):
        force, couple = get3(push, i, 0), get3(push, i, 3)
        for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
            left = -dot(get3(links.way, k, 0), force) - dot(get3(links.way, k, 3), couple)
            links.share[k, 1] = left
            left *= links.share[k, 0]
            force = plus(force, scaled(get3(links.hold, k, 0), left))
            couple = plus(couple, scaled(get3(links.hold, k, 3), left))
        parent = mechanisms.parent[i]
        if parent >= begin:
            couple = plus(couple, cross(get3(links.reach, i, 0), force))
            for axis in range(3):
                push[parent, axis] += force[axis]
                push[parent, 3 + axis] += couple[axis]
    for i in range(begin, end):
        parent, reach, changed, turned = mechanisms.parent[i], get3(links.reach, i, 0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        speed, spin = base_motion(links, parent)
        speed = plus(speed, cross(spin, reach))
        if parent >= begin:
            turned = get3(links.acceleration, parent, 3)
            changed = plus(get3(links.acceleration, parent, 0), cross(turned, reach))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            way, turn = get3(links.way, k, 0), get3(links.way, k, 3)
            change = links.share[k, 0] * (links.share[k, 1] - dot(get3(links.hold, k, 0), changed)
                                          - dot(get3(links.hold, k, 3), turned))
            rate = links.start[k, 0] + spent * links.pull[k, 0] + change
            changed, turned = plus(changed, scaled(way, change)), plus(turned, scaled(turn, change))
            speed, spin = plus(speed, scaled(way, rate)), plus(spin, scaled(turn, rate))
            links.trial[k, 0] = rate
        set3(links.acceleration, i, 0, changed)
        set3(links.acceleration, i, 3, turned)
        set3(links.pose, i, VELOCITY, speed)
        set3(links.pose, i, SPIN, spin)


@kernel
def stage_of_rigid(arrays, links, i, body, place, start, found, found_velocity):
    """Velocities of a rigid and its particles in a stage; returns F·(V − V₀) + N·(ω − ω₀) [W]."""
    rigids, speed, spin = arrays.rigids, get3(links.pose, i, VELOCITY), get3(links.pose, i, SPIN)
    centre = get3(place.rigid, body, CENTRE)
    set_motion(arrays, found, body, speed, spin)
    for k in range(rigids.start[body], rigids.used[body]):
        p = rigids.particle[k]
        v = plus(speed, cross(spin, minus(read(place.position, p), centre)))
        found_velocity[p, 0], found_velocity[p, 1], found_velocity[p, 2] = v
    return (dot(get3(place.load, body, 0), minus(speed, get3(start, body, VELOCITY)))
            + dot(get3(place.load, body, 3), minus(spin, get3(start, body, SPIN))))


@kernel
def keep_power(sums, i, power, weights):
    """Recursion of the integral of f·(v − v₀), see `damp.pass_on`."""
    on_last, on_before, on_power, _ = weights
    passed = on_last * sums[i, PASSED] + on_before * sums[i, PASSED_BEFORE] + on_power * sums[i, POWER]
    sums[i, PASSED_BEFORE], sums[i, PASSED], sums[i, POWER] = sums[i, PASSED], passed, power


@kernel
def sum_impulses(arrays, buffers, place, impulse, half):
    """What dampers have pushed each free mechanism with in a half, about its centre of mass."""
    mechanisms, rigids, links, damping = arrays.mechanisms, arrays.rigids, buffers.links, buffers.damping
    for m in range(len(mechanisms.free)):
        total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
            body = mechanisms.rigid[i]
            if body >= 0:
                centre = get3(place.rigid, body, CENTRE)
                push, turn = gather_impulse(rigids, body, centre, place.position, impulse)
                push = plus(push, get3(damping.rigid_impulse, body, 0))
                turn = plus(turn, get3(damping.rigid_impulse, body, 3))
                o = object_on(arrays, i) if hangs_any(links) else -1
                if o >= 0:
                    push, turn = plus(push, get3(buffers.slow.reaction, o, 0)), plus(turn, get3(buffers.slow.reaction, o, 3))
                total = plus(total, push)
                moment = plus(moment, plus(turn, cross(centre, push)))
        set3(links.impulse, m, half, total)
        set3(links.impulse, m, half + 3, moment)


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
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            links.middle[k, 0] = links.trial[k, 0]
        drift_joints(mechanisms, links, joints, next_joints, dt, begin, end)
        pose_links(mechanisms, links, next_joints, ahead.rigid, begin, end)
        if is_closed(arrays.closures, m):
            close_loops(arrays, links, ahead.rigid, joints, next_joints, buffers.numbers[at.TIME], m, dt)
        if mechanisms.free[m] == 1:
            drift_whole(mechanisms, rigids, links, now, next_joints.place, dt, m)
        spread_rates(mechanisms, links, links.middle, ahead.rigid, begin, end)
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0:
                for column in range(CENTRE, CENTRE + 3):
                    damping.middle_rigid[body, column] = links.pose[i, column]
                for column in range(6, 10):
                    damping.middle_rigid[body, column] = links.pose[i, column]
                set_motion(arrays, damping.middle_rigid, body, get3(links.acceleration, i, 0), get3(links.acceleration, i, 3))
                carry_particles(rigids, body, damping.middle_rigid, ahead.position, damping.middle)
        move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
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
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            next_joints.rate[k, 0] = links.trial[k, 0]
        if mechanisms.free[m] == 1 or is_closed(arrays.closures, m):
            move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
        if mechanisms.free[m] == 1:
            keep_momenta(mechanisms, rigids, links, now, ahead, next_joints.rate, dt, m)
            move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
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
