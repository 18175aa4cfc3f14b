"""A step of the mechanisms: kick and drift of their coordinates, later the second kick.

    u½ = u + ½ τ q̈        q⁺ = q + τ u½        u⁺ = u½ + ½ τ q̈(q⁺, u⁺)

with u' = u + τ q̈ for the forces at the end, as of particles. The second kick knows the velocities it leads to, by one
repetition: so the step is the same forwards and backwards but for what a second repetition would change, and what the
velocities bring along (Coriolis, gyroscopic) makes no energy for good. Balls turn by τ times the mean spin, about an axis fixed
in the parent.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import factor_links, load_links, solve_links
from robotphi.kernels.mechanism.bases import load_base, move_bases
from robotphi.kernels.mechanism.columns import LOSS, OF_ARMATURE, OF_PATH, STORED
from robotphi.kernels.mechanism.efforts import set_efforts
from robotphi.kernels.mechanism.kinds import BALL
from robotphi.kernels.mechanism.poses import get4, move_links, pose_links, set4, set_momentum
from robotphi.kernels.mechanism.whole import drift_whole, keep_momenta
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import (
    CENTRE,
    ORIENTATION,
    SPIN,
    VELOCITY,
    carry_particles,
    carry_velocities,
    get_orientation,
    rigid_energy,
    row3,
    spin_of,
    turned,
)

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
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.middle[k, 0] = joints.rate[k, 0] + 0.5 * dt * joints.gain[k, 0]
    for axis in range(12):
        links.impulse[m, axis] = 0.0
    drift_joints(mechanisms, links.middle, joints, next_joints, dt, begin, end)
    pose_links(mechanisms, links, next_joints, ahead.rigid, begin, end)
    if mechanisms.free[m] == 1:
        drift_whole(mechanisms, rigids, links, now, next_joints.place, dt, m)
    move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
    place_rigids(arrays, buffers, now, ahead, gravity, begin, end)


@kernel
def place_rigids(arrays, buffers, now, ahead, gravity, begin, end):
    """Rigids and their particles where the links stand, as the links move; what that does to their weight."""
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            set3(ahead.rigid, body, CENTRE, get3(links.pose, i, CENTRE))
            set4(ahead.rigid, body, ORIENTATION, get_orientation(links.pose, i))
            set_motion(rigids, ahead.rigid, body, get3(links.pose, i, VELOCITY), get3(links.pose, i, SPIN))
            carry_particles(rigids, body, ahead.rigid, ahead.position, ahead.velocity)
            drift = minus(get3(ahead.rigid, body, CENTRE), get3(now.rigid, body, CENTRE))
            buffers.rigid_sums[body, at.PART_POTENTIAL] = -rigids.mass[body] * dot(gravity, drift)


@kernel
def drift_joints(mechanisms, middle, now, ahead, dt, begin, end):
    """Coordinates of the end of the step by the rates of its middle, and the rates predicted for it."""
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        ahead.place[k, 0] = now.place[k, 0] + dt * middle[k, 0]
        ahead.rate[k, 0] = 2.0 * middle[k, 0] - now.rate[k, 0]
    for i in range(begin, end):
        if mechanisms.rotation[i] == BALL:
            turn = (0.0, 0.0, 0.0)
            for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
                turn = plus(turn, scaled(row3(mechanisms.axis, k), dt * mechanisms.turn[k] * middle[k, 0]))
            set4(ahead.turn, i, 0, turned(get4(now.turn, i, 0), turn))


@kernel
def set_motion(rigids, rigid, body, speed, spin):
    """Velocity, spin and angular momentum of a rigid."""
    set3(rigid, body, VELOCITY, speed)
    set3(rigid, body, SPIN, spin)
    set_momentum(rigids, rigid, body)


@kernel
def correct_mechanisms(arrays, buffers, now, ahead, joints, next_joints):
    """The second kick; velocities, kinetic energy, what is stored and lost in the joints, and the error of the path."""
    for m in range(len(arrays.mechanisms.free)):
        correct_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, buffers.numbers[at.STEP_TAU])


@kernel
def correct_mechanism(arrays, buffers, now, ahead, joints, next_joints, m, dt):
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    factor_links(mechanisms, rigids, links, begin, end)
    for _ in range(REPEATS):
        load_links(mechanisms, rigids, links, ahead.load, begin, end)
        set_efforts(mechanisms, links, next_joints.place, next_joints.rate, first, last)
        solve_links(mechanisms, links, links.effort, next_joints.gain, begin, end)
        for k in range(first, last):
            next_joints.rate[k, 0] = links.middle[k, 0] + 0.5 * dt * next_joints.gain[k, 0]
        move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
    load_base(mechanisms, links, ahead.load, m)
    if mechanisms.free[m] == 1:
        keep_momenta(mechanisms, rigids, links, now, ahead, next_joints.rate, dt, m)
        move_links(mechanisms, links, next_joints.rate, ahead.rigid, begin, end)
    tell_energies(mechanisms, links, joints, next_joints, m)
    tell_motion(arrays, buffers, ahead, joints, next_joints, begin, end)


@kernel
def tell_motion(arrays, buffers, ahead, joints, next_joints, begin, end):
    """Rigids as the links move at the end of the step; their energy, and that of what the rates are off what was predicted."""
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.trial[k, 0] = next_joints.rate[k, 0] - (2.0 * links.middle[k, 0] - joints.rate[k, 0])
    for i in range(begin, end):
        body, parent = mechanisms.rigid[i], mechanisms.parent[i]
        speed, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            spin = get3(links.acceleration, parent, 3)
            speed = plus(get3(links.acceleration, parent, 0), cross(spin, get3(links.reach, i, 0)))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            speed = plus(speed, scaled(get3(links.way, k, 0), links.trial[k, 0]))
            spin = plus(spin, scaled(get3(links.way, k, 3), links.trial[k, 0]))
        set3(links.acceleration, i, 0, speed)
        set3(links.acceleration, i, 3, spin)
        if body >= 0:
            set_motion(rigids, ahead.rigid, body, get3(links.pose, i, VELOCITY), get3(links.pose, i, SPIN))
            carry_velocities(rigids, body, ahead.rigid, ahead.velocity)
            turning = spin_of(get_orientation(ahead.rigid, body), spin, row3(rigids.inertia, body))   # R I Rᵀ Δω
            buffers.rigid_sums[body, at.PART_PATH] = 0.5 * (rigids.mass[body] * dot(speed, speed) + dot(spin, turning))
            buffers.rigid_sums[body, at.PART_KINETIC] = rigid_energy(rigids, body, ahead.rigid)


@kernel
def tell_energies(mechanisms, links, before, joints, m):
    """What the joints themselves bring to the ledger, and to the path."""
    first = mechanisms.freedom_start[mechanisms.start[m]]
    last = mechanisms.freedom_start[mechanisms.start[m + 1]]
    turning, off = 0.0, 0.0
    for k in range(first, last):
        rate = joints.rate[k, 0]
        change = rate - (2.0 * links.middle[k, 0] - before.rate[k, 0])
        turning += 0.5 * mechanisms.armature[k] * rate * rate
        off += 0.5 * mechanisms.armature[k] * change * change
    links.sums[m, OF_ARMATURE], links.sums[m, OF_PATH] = turning, off
    links.sums[m, STORED], links.sums[m, LOSS] = set_efforts(mechanisms, links, joints.place, joints.rate, first, last)


@kernel
def refresh_mechanisms(arrays, buffers, now, joints):
    """Accelerations by the loads at the present state itself, and the energies of the joints."""
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    move_bases(arrays, links, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        pose_links(mechanisms, links, joints, now.rigid, begin, end)
        move_links(mechanisms, links, joints.rate, now.rigid, begin, end)
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            links.middle[k, 0] = joints.rate[k, 0]
        tell_energies(mechanisms, links, joints, joints, m)
        factor_links(mechanisms, rigids, links, begin, end)
        load_links(mechanisms, rigids, links, now.load, begin, end)
        solve_links(mechanisms, links, links.effort, joints.gain, begin, end)
        load_base(mechanisms, links, now.load, m)
