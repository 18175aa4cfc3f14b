"""A step of the mechanisms: kick and drift of their coordinates, later the second kick.

    u½ = u + ½ τ q̈        q⁺ = q + τ u½        u⁺ = u½ + ½ τ q̈(q⁺, u⁺)

with u' = u + τ q̈ for the forces at the end, as of particles. The second kick knows the velocities it leads to, by one
repetition: so the step is the same forwards and backwards but for what a second repetition would change, and what the
velocities bring along (Coriolis, gyroscopic) makes no energy for good. Balls turn by τ times the mean spin, about an axis fixed
in the parent.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.maths.matrices import get6, of_symmetric
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import load_links, solve_links
from robotphi.kernels.mechanism.bases import load_bases, move_bases, pays_by_rate
from robotphi.kernels.mechanism.by_flow import correct_by_flow, factor_loose, goes_by_flow, predict_by_flow, settle_flow
from robotphi.kernels.mechanism.closed import (
    COARSE,
    add_answer,
    begin_with,
    bind_closures,
    closest,
    find_places,
    forget_pull,
    hold_accelerations,
    is_closed,
    measure_gaps,
    project_rates,
    pull_links,
    solve_rows,
    tell_open,
)
from robotphi.kernels.mechanism.closing_by_flow import close_flow
from robotphi.kernels.mechanism.columns import (
    FACTORED,
    LOSS,
    OF_ARMATURE,
    OF_PATH,
    OPEN,
    PREDICTED,
    SPAN,
    STORED,
    WAY,
)
from robotphi.kernels.mechanism.ease import keep_ease, tell_ease
from robotphi.kernels.mechanism.efforts import book_torques, set_bases, set_efforts
from robotphi.kernels.mechanism.hung import (
    hangs_any,
    lead_by_mean,
    let_go_along,
    move_hung,
    take_hung,
)
from robotphi.kernels.mechanism.loops import bind_loose
from robotphi.kernels.mechanism.motors import book_motors, tell_motors, wind_motors
from robotphi.kernels.mechanism.poses import (
    accelerate_links,
    base_motion,
    move_links,
    pose_links,
    set4,
    set_momentum,
    turn_balls,
)
from robotphi.kernels.mechanism.starting import tell_growth, tell_start
from robotphi.kernels.mechanism.whole import drift_whole, keep_momenta
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import (
    CENTRE,
    MOMENTUM,
    ORIENTATION,
    SPIN,
    VELOCITY,
    carry_particles,
    carry_velocities,
    get_orientation,
    rigid_energy,
)

CLOSING = 40  # of what is left of closures, at most; else the step is refused
SHRINKING = 0.5   # times what was left: with more the closures are asked anew how they pull
ZERO = (0.0, 0.0, 0.0)
REPEATS = 2   # solutions of the second kick: the first with the velocities predicted


@kernel
def predict_mechanisms(arrays, buffers, now, ahead, joints, next_joints):
    """Coordinates at the end of the step, and everything where they say, with the velocities predicted for it."""
    dt, g = buffers.numbers[at.STEP_TAU], value(arrays.particles).gravity
    move_bases(arrays, buffers.links, buffers.numbers[at.STEP_END], buffers.numbers[at.INSIDE])
    for m in range(len(arrays.mechanisms.free)):
        predict_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, dt, (g[0], g[1], g[2]))


@kernel
def predict_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, dt, gravity):
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for axis in range(12):
        links.impulse[m, axis] = 0.0
    flows = goes_by_flow(mechanisms, joints, dt, m)
    if flows:
        predict_by_flow(arrays, buffers, now, joints, next_joints, m, dt)
    else:
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            links.middle[k, 0] = joints.rate[k, 0] + 0.5 * dt * joints.gain[k, 0]
        drift_joints(mechanisms, links, joints, next_joints, dt, begin, end)
    pose_links(mechanisms, links, next_joints, ahead.rigid, begin, end)
    if is_closed(arrays.closures, m):
        if flows:
            close_flow(arrays, buffers, ahead.rigid, joints, next_joints, m, dt)
        else:
            close_loops(arrays, links, ahead.rigid, joints, next_joints, buffers.numbers[at.TIME], m, dt)
    if mechanisms.free[m] == 1:
        drift_whole(mechanisms, rigids, links, now, next_joints.place, dt, m)
    move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
    place_rigids(arrays, buffers, now, ahead, gravity, begin, end)
    if hangs_any(links) and goes_by_flow(mechanisms, joints, dt, m):
        move_hung(arrays, buffers, now, ahead, dt, gravity, m)


@kernel
def place_rigids(arrays, buffers, now, ahead, gravity, begin, end):
    """Rigids and their particles where the links stand, as the links move; what that does to their weight."""
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            set3(ahead.rigid, body, CENTRE, get3(links.pose, i, CENTRE))
            set4(ahead.rigid, body, ORIENTATION, get_orientation(links.pose, i))
            set_motion(arrays, ahead.rigid, body, get3(links.pose, i, VELOCITY), get3(links.pose, i, SPIN))
            carry_particles(rigids, body, ahead.rigid, ahead.position, ahead.velocity)
            drift = minus(get3(ahead.rigid, body, CENTRE), get3(now.rigid, body, CENTRE))
            buffers.rigid_sums[body, at.PART_POTENTIAL] = -rigids.mass[body] * dot(gravity, drift)


@kernel
def close_loops(arrays, links, rigid, now, ahead, time, m, dt):
    """Change the rates of the middle so that the closures are met where they lead; where that fails, the step is refused.

    Where the closures pull quite another way at the end of the step than at its beginning, such as where a mechanism goes
    through a singular place, it is with their pull at the end that they are met.
    """
    mechanisms, closures = arrays.mechanisms, arrays.closures
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    wanted = closest(mechanisms, closures, links, ahead.place, m)
    begin_with(closures, now.bound, ahead.bound, m)
    left, renewed = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, now.bound, m), False
    for _ in range(CLOSING):
        if not left > wanted:
            break
        bound, before = ahead.bound if renewed else now.bound, left
        solve_rows(arrays, bound, m, max(COARSE * left, 0.5 * wanted))
        add_answer(arrays, bound, m, 1.0 / dt, links.middle)
        drift_joints(mechanisms, links, now, ahead, dt, begin, end)
        pose_links(mechanisms, links, ahead, rigid, begin, end)
        left = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, bound, m)
        if not left <= max(SHRINKING * before, wanted):
            factor_loose(mechanisms, arrays.rigids, links, begin, end)
            bind_closures(arrays, links, rigid, ahead.bound, m)
            left = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, ahead.bound, m)
            renewed = True
    tell_open(links, left, wanted, time, m)


@kernel
def drift_joints(mechanisms, links, now, ahead, dt, begin, end):
    """Coordinates of the end of the step by the rates of its middle, and the rates predicted for it."""
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        middle = links.middle[k, 0]
        links.flow[k, WAY] = dt * middle
        ahead.place[k, 0] = now.place[k, 0] + dt * middle
        ahead.rate[k, 0] = links.flow[k, PREDICTED] = 2.0 * middle - now.rate[k, 0]
    turn_balls(mechanisms, now, ahead, links.flow, WAY, begin, end)


@inlined
def set_motion(arrays, rigid, body, speed, spin):
    """Velocity and spin of a rigid within a step; none but stiff objects ask for its angular momentum there."""
    set3(rigid, body, VELOCITY, speed)
    set3(rigid, body, SPIN, spin)
    if len(arrays.stiff.way) > 0:
        set_momentum(arrays.rigids, rigid, body)


@kernel
def correct_mechanisms(arrays, buffers, now, ahead, joints, next_joints):
    """The second kick; velocities, kinetic energy, what is stored and lost in the joints, and the error of the path."""
    for m in range(len(arrays.mechanisms.free)):
        correct_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, buffers.numbers[at.STEP_TAU])
    book_torques(arrays, buffers, joints, next_joints, buffers.numbers[at.TIME], buffers.numbers[at.STEP_END],
                 buffers.numbers[at.INSIDE])


@kernel
def correct_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, dt):
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    numbers = buffers.numbers
    wind_motors(arrays, joints, next_joints, numbers[at.TIME], numbers[at.STEP_END], numbers[at.INSIDE], m)
    links.sums[m, STORED] = set_bases(arrays, links, next_joints, numbers[at.STEP_END], numbers[at.INSIDE], first, last)
    links.sums[m, FACTORED] = 0.0
    flows, closed = goes_by_flow(mechanisms, joints, dt, m), is_closed(arrays.closures, m)
    if hangs_any(links):
        take_hung(arrays, buffers, next_joints, m)
    if flows:
        for _ in range(REPEATS):
            correct_by_flow(arrays, buffers, ahead, next_joints, m)
            move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
        if closed:
            project_rates(arrays, links, next_joints.bound, next_joints.rate, 0.0, 0.0, m)
            move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
        settle_flow(arrays, buffers, joints, next_joints, m, dt)
        if hangs_any(links):
            lead_by_mean(arrays, links, next_joints.rate, links.then, 0.5 * dt, m)
    else:
        factor_loose(mechanisms, rigids, links, begin, end)
        keep_ease(mechanisms, links, joints, next_joints, m)
        kick(arrays, links, ahead, next_joints, dt, m)
        if hangs_any(links):
            accelerate_links(mechanisms, links, next_joints.gain, begin, end)
    if hangs_any(links):
        let_go_along(arrays, buffers, ahead, next_joints, True, m)
    if mechanisms.free[m] == 1:
        keep_momenta(mechanisms, rigids, links, now, ahead, next_joints.rate, dt, m)
        move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
    tell_energies(mechanisms, links, next_joints, m)
    tell_growth(mechanisms, rigids, links, joints, next_joints, numbers, m)
    tell_motors(mechanisms, links, next_joints, m)
    book_motors(mechanisms, buffers, joints, next_joints, dt, flows, m)
    if closed and not flows:
        hold_closures(arrays, links, ahead.rigid, ahead.load, next_joints, m)
    if pays_by_rate(mechanisms, m, False):
        load_bases(arrays, links, next_joints.bound, ahead.load, m)
    tell_motion(arrays, buffers, ahead, next_joints, links.then if flows else links.middle, 0.5 * dt, begin, end)


@kernel
def kick(arrays, links, ahead, joints, dt, m):
    """Rates of the end from those of the middle, by the accelerations that the velocities of the links lead to."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    closed = is_closed(arrays.closures, m)
    if closed:
        bind_closures(arrays, links, ahead.rigid, joints.bound, m)
    for n in range(REPEATS):
        load_links(mechanisms, rigids, links, ahead.load, begin, end)
        if closed:
            pull_links(mechanisms, arrays.closures, joints.bound, links.push, links.effort, m)
        set_efforts(mechanisms, links, joints.rate, first, last)
        solve_links(mechanisms, links, links.effort, joints.gain, begin, end)
        for k in range(first, last):
            joints.rate[k, 0] = links.middle[k, 0] + 0.5 * dt * joints.gain[k, 0]
        if n + 1 < REPEATS or closed or mechanisms.free[m] == 1:   # else what they come to is told once (`tell_motion`)
            move_links(mechanisms, links, joints.rate, ahead.rigid, begin, end)
        if closed:
            meet_rates(arrays, links, ahead.rigid, joints, COARSE, dt, m)
    if closed:
        meet_rates(arrays, links, ahead.rigid, joints, 0.0, dt, m)


@kernel
def tell_motion(arrays, buffers, ahead, next_joints, middle, half, begin, end):
    """The factored links and their rigids as they move at the end of the step; their energy, and that of what the rates are
    off what was predicted; their mean accelerations since the rates were those of the middle, half a step before."""
    mechanisms, rigids, links, rate = arrays.mechanisms, arrays.rigids, buffers.links, next_joints.rate
    for i in range(begin, end):
        body, parent, reach = mechanisms.rigid[i], mechanisms.parent[i], get3(links.reach, i, 0)
        off, off_spin, faster, turning = ZERO, ZERO, ZERO, ZERO
        speed, spin = base_motion(links, parent)
        speed = plus(speed, cross(spin, reach))
        if parent >= 0:
            off_spin = get3(links.acceleration, parent, 3)
            off = plus(get3(links.acceleration, parent, 0), cross(off_spin, reach))
            turning = minus(get3(links.speeding, parent, 3), get3(links.swing, parent, 3))
            faster = plus(minus(get3(links.speeding, parent, 0), get3(links.swing, parent, 0)), cross(turning, reach))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            way, turn, change = get3(links.way, k, 0), get3(links.way, k, 3), rate[k, 0] - links.flow[k, PREDICTED]
            speed, spin = plus(speed, scaled(way, rate[k, 0])), plus(spin, scaled(turn, rate[k, 0]))
            off, off_spin = plus(off, scaled(way, change)), plus(off_spin, scaled(turn, change))
            gain = (rate[k, 0] - middle[k, 0]) / half
            faster, turning = plus(faster, scaled(way, gain)), plus(turning, scaled(turn, gain))
        set3(links.acceleration, i, 0, off)
        set3(links.acceleration, i, 3, off_spin)
        set3(links.speeding, i, 0, plus(faster, get3(links.swing, i, 0)))
        set3(links.speeding, i, 3, plus(turning, get3(links.swing, i, 3)))
        set3(links.pose, i, VELOCITY, speed)
        set3(links.pose, i, SPIN, spin)
        if body >= 0:
            own = get6(links.own, i, 0)
            set3(ahead.rigid, body, VELOCITY, speed)
            set3(ahead.rigid, body, SPIN, spin)
            set3(ahead.rigid, body, MOMENTUM, of_symmetric(own, spin))
            carry_velocities(rigids, body, ahead.rigid, ahead.velocity)
            buffers.rigid_sums[body, at.PART_PATH] = 0.5 * (rigids.mass[body] * dot(off, off)
                                                            + dot(off_spin, of_symmetric(own, off_spin)))
            buffers.rigid_sums[body, at.PART_KINETIC] = rigid_energy(rigids, body, ahead.rigid)


@kernel
def meet_rates(arrays, links, rigid, joints, share, dt, m):
    """Rates that keep the closures met; the links move with them."""
    mechanisms = arrays.mechanisms
    project_rates(arrays, links, joints.bound, joints.rate, share, 0.5 * dt, m)
    move_links(mechanisms, links, joints.rate, rigid, mechanisms.start[m], mechanisms.start[m + 1])


@kernel
def hold_closures(arrays, links, rigid, load, joints, m):
    """Multipliers that hold the closures at the rates found, and accelerations with them; efforts stand as they were told."""
    speed_up(arrays, links, load, joints, m)
    hold_accelerations(arrays, links, rigid, joints.bound, joints.gain, m)
    speed_up(arrays, links, load, joints, m)


@kernel
def speed_up(arrays, links, load, joints, m):
    """Accelerations by the loads, the multipliers and the efforts."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    load_links(mechanisms, arrays.rigids, links, load, begin, end)
    pull_links(mechanisms, arrays.closures, joints.bound, links.push, links.effort, m)
    solve_links(mechanisms, links, links.effort, joints.gain, begin, end)


@kernel
def tell_energies(mechanisms, links, joints, m):
    """What the joints themselves bring to the ledger, and to the path."""
    first = mechanisms.freedom_start[mechanisms.start[m]]
    last = mechanisms.freedom_start[mechanisms.start[m + 1]]
    turning, off = 0.0, 0.0
    links.sums[m, LOSS] = set_efforts(mechanisms, links, joints.rate, first, last)
    for k in range(first, last):
        rate = joints.rate[k, 0]
        change = rate - links.flow[k, PREDICTED]
        turning += 0.5 * mechanisms.armature[k] * rate * rate
        off += 0.5 * mechanisms.armature[k] * change * change
    links.sums[m, OF_ARMATURE], links.sums[m, OF_PATH] = turning + links.sums[m, OPEN], off


@kernel
def refresh_mechanisms(arrays, buffers, now, joints):
    """Accelerations by the loads at the present state itself, and the energies of the joints."""
    move_bases(arrays, buffers.links, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
    for m in range(len(arrays.mechanisms.free)):
        if hangs_any(buffers.links):
            take_hung(arrays, buffers, joints, m)
        refresh_mechanism(arrays, buffers, now, joints, m)
        if hangs_any(buffers.links):
            let_go_along(arrays, buffers, now, joints, False, m)
        if pays_by_rate(arrays.mechanisms, m, buffers.counters[at.VISCOSITY] == at.APART):
            load_bases(arrays, buffers.links, joints.bound, now.load, m)


@kernel
def refresh_mechanism(arrays, buffers, now, joints, m):
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    pose_links(mechanisms, links, joints, now.rigid, begin, end)
    move_links(mechanisms, links, joints.rate, now.rigid, begin, end)
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        links.flow[k, PREDICTED] = joints.rate[k, 0]
    links.sums[m, OPEN], links.sums[m, SPAN] = 0.0, 0.0
    links.sums[m, STORED] = set_bases(arrays, links, joints, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE],
                                      first, last)
    factor_loose(mechanisms, rigids, links, begin, end)
    tell_ease(mechanisms, links, joints, m)
    tell_energies(mechanisms, links, joints, m)
    tell_motors(mechanisms, links, joints, m)
    if is_closed(arrays.closures, m):
        find_places(arrays.closures, links, now.rigid, joints.bound, m)
        bind_loose(arrays, links, now.rigid, joints, m)
        forget_pull(arrays.closures, joints.bound, m)
        hold_closures(arrays, links, now.rigid, now.load, joints, m)
    else:
        speed_up(arrays, links, now.load, joints, m)
    for i in range(begin, end):
        for axis in range(6):
            links.speeding[i, axis] = links.acceleration[i, axis] + links.swing[i, axis]
    tell_start(mechanisms, rigids, links, joints, buffers.numbers, m)
