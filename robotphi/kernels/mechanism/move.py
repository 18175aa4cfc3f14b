"""A step of the mechanisms: kick and drift of their coordinates, later the second kick.

    u½ = u + ½ τ q̈        q⁺ = q + τ u½        u⁺ = u½ + ½ τ q̈(q⁺, u⁺)

with u' = u + τ q̈ for the forces at the end, as of particles. The second kick knows the velocities it leads to, by one
repetition: so the step is the same forwards and backwards but for what a second repetition would change, and what the
velocities bring along (Coriolis, gyroscopic) makes no energy for good. Balls turn by τ times the mean spin, about an axis fixed
in the parent.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.mechanism.bases import load_bases, move_bases, pays_by_rate
from robotphi.kernels.mechanism.by_flow import (
    correct_by_flow,
    factor_loose,
    goes_by_flow,
    predict_by_flow,
    settle_flow,
    tell_path_of_flow,
)
from robotphi.kernels.mechanism.closed import COARSE, bind_closures, find_places, forget_pull, is_closed, project_rates
from robotphi.kernels.mechanism.closing_by_flow import close_flow
from robotphi.kernels.mechanism.columns import EVENTFUL, FACTORED, OPEN, PREDICTED, SPAN, STORED
from robotphi.kernels.mechanism.ease import keep_ease, tell_ease
from robotphi.kernels.mechanism.efforts import book_torques, set_bases, set_efforts
from robotphi.kernels.mechanism.gains import solve_loaded
from robotphi.kernels.mechanism.hung import (
    book_jumps,
    hangs_any,
    lead_by_mean,
    let_go_along,
    move_hung,
    take_hung,
    tell_path_of_hung,
)
from robotphi.kernels.mechanism.loops import bind_loose
from robotphi.kernels.mechanism.meet import close_loops, drift_joints, hold_closures, meet_rates, speed_up
from robotphi.kernels.mechanism.motors import book_motors, tell_motors, wind_motors
from robotphi.kernels.mechanism.poses import accelerate_links, move_links, pose_links
from robotphi.kernels.mechanism.starting import tell_growth, tell_start
from robotphi.kernels.mechanism.tell import place_rigids, tell_energies, tell_motion
from robotphi.kernels.mechanism.whole import drift_whole, keep_momenta
from robotphi.kernels.step import slots as at

MUCH = 1.0    # c τ over inertia: by so much steps do not become shorter from one to the next
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
    move_links(mechanisms, links, next_joints.rate, begin, end)
    place_rigids(arrays, buffers, now, ahead, gravity, begin, end)
    if hangs_any(links) and goes_by_flow(mechanisms, joints, dt, m):
        move_hung(arrays, buffers, now, ahead, dt, gravity, m)


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
            move_links(mechanisms, links, next_joints.rate, begin, end)
        if closed:
            project_rates(arrays, links, next_joints.bound, next_joints.rate, 0.0, 0.0, m)
            move_links(mechanisms, links, next_joints.rate, begin, end)
        settle_flow(arrays, buffers, joints, next_joints, m, dt)
        if hangs_any(links):
            lead_by_mean(arrays, links, next_joints.rate, links.then, 0.5 * dt, m)
    else:
        kick(arrays, links, ahead, next_joints, dt, m)
        keep_ease(mechanisms, links, joints, next_joints, m)
        if hangs_any(links):
            accelerate_links(mechanisms, links, next_joints.gain, begin, end)
    if hangs_any(links):
        let_go_along(arrays, buffers, ahead, next_joints, True, m)
        if flows:
            book_jumps(arrays, buffers, 0.125 * dt * dt, m)
    if mechanisms.free[m] == 1:
        keep_momenta(mechanisms, rigids, links, now, ahead, next_joints.rate, dt, m)
        move_links(mechanisms, links, next_joints.rate, begin, end)
    tell_energies(mechanisms, links, next_joints, m)
    if flows:
        tell_path_of_flow(mechanisms, links, joints, next_joints, 0.5 * dt, m)
    tell_growth(mechanisms, rigids, links, joints, next_joints, numbers, m)
    if hangs_any(links) and flows:
        tell_path_of_hung(arrays, buffers, now, ahead, joints, dt, m)
    tell_motors(mechanisms, links, next_joints, m)
    book_motors(mechanisms, buffers, joints, next_joints, dt, flows, m)
    if closed and not flows:
        hold_closures(arrays, links, ahead.rigid, ahead.load, next_joints, m)
    if pays_by_rate(mechanisms, m, False):
        load_bases(arrays, links, next_joints.bound, ahead.load, m)
    tell_motion(arrays, buffers, ahead, next_joints, links.then if flows else links.middle, 0.5 * dt, begin, end)
    if flows and not closed and may_be_kicked(mechanisms, links, next_joints, dt, m):
        factor_loose(mechanisms, rigids, links, begin, end)
        set_efforts(mechanisms, links, next_joints.rate, first, last)
        solve_loaded(mechanisms, rigids, links, ahead.load, links.effort, next_joints.gain, begin, end)


@kernel
def may_be_kicked(mechanisms, links, joints, dt, m):
    """Whether the step after one by flow may be another: that begins with the accelerations of an instant, and the flow leaves
    the means of half a step."""
    if mechanisms.eventful[m] == EVENTFUL or mechanisms.led[m] == 1 or hangs_any(links):
        return False
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if dt * mechanisms.damping[k] * joints.ease[k, 0] > MUCH:
            return False
    return True


@kernel
def kick(arrays, links, ahead, joints, dt, m):
    """Rates of the end from those of the middle, by the accelerations that the velocities of the links lead to."""
    mechanisms, rigids, half = arrays.mechanisms, arrays.rigids, 0.5 * dt
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    if is_closed(arrays.closures, m):
        kick_closed(arrays, links, ahead, joints, dt, m)
        return
    factor_loose(mechanisms, rigids, links, begin, end)
    for n in range(REPEATS):
        set_efforts(mechanisms, links, joints.rate, first, last)
        solve_loaded(mechanisms, rigids, links, ahead.load, links.effort, joints.gain, begin, end)
        for k in range(first, last):
            joints.rate[k, 0] = links.middle[k, 0] + half * joints.gain[k, 0]
        if n + 1 < REPEATS or mechanisms.free[m] == 1:   # else what they come to is told once (`tell_motion`)
            move_links(mechanisms, links, joints.rate, begin, end)


@kernel
def kick_closed(arrays, links, ahead, joints, dt, m):
    """The same where closures are to be met."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    factor_loose(mechanisms, rigids, links, begin, end)
    bind_closures(arrays, links, ahead.rigid, joints.bound, m)
    for _ in range(REPEATS):
        set_efforts(mechanisms, links, joints.rate, first, last)
        speed_up(arrays, links, ahead.load, joints, m)
        for k in range(first, last):
            joints.rate[k, 0] = links.middle[k, 0] + 0.5 * dt * joints.gain[k, 0]
        move_links(mechanisms, links, joints.rate, begin, end)
        meet_rates(arrays, links, joints, COARSE, dt, m)
    meet_rates(arrays, links, joints, 0.0, dt, m)


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
    move_links(mechanisms, links, joints.rate, begin, end)
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
