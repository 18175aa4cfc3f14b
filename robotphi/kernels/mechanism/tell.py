"""What rigids and the ledger are told of the links: where they are, how they move, and their energies."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.matrices import get6, of_symmetric
from robotphi.kernels.maths.turns import set4
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.columns import LOSS, OF_ARMATURE, OF_PATH, OPEN, PREDICTED
from robotphi.kernels.mechanism.efforts import set_efforts
from robotphi.kernels.mechanism.poses import base_motion
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
    rotate,
    rotate_back,
    row3,
    times,
)

ZERO = (0.0, 0.0, 0.0)


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
def set_momentum(rigids, rigid, i):
    """L = R I Rᵀ ω of rigid i."""
    q = get_orientation(rigid, i)
    set3(rigid, i, MOMENTUM, rotate(q, times(rotate_back(q, get3(rigid, i, SPIN)), row3(rigids.inertia, i))))


@inlined
def set_motion(arrays, rigid, body, speed, spin):
    """Velocity and spin of a rigid within a step; none but stiff objects ask for its angular momentum there."""
    set3(rigid, body, VELOCITY, speed)
    set3(rigid, body, SPIN, spin)
    if len(arrays.stiff.way) > 0:
        set_momentum(arrays.rigids, rigid, body)


@kernel
def tell_motion(arrays, buffers, ahead, next_joints, middle, half, begin, end):
    """The factored links and their rigids as they move at the end of the step; their energy, and that of what the rates are
    off what was predicted."""
    if buffers.counters[at.HAS_CONTACT] == 1:
        tell_speeding(arrays.mechanisms, buffers.links, next_joints.rate, middle, half, begin, end)
    mechanisms, rigids, links, rate = arrays.mechanisms, arrays.rigids, buffers.links, next_joints.rate
    for i in range(begin, end):
        body, parent, reach, off, off_spin = mechanisms.rigid[i], mechanisms.parent[i], get3(links.reach, i, 0), ZERO, ZERO
        speed, spin = base_motion(links, parent)
        speed = plus(speed, cross(spin, reach))
        if parent >= 0:
            off_spin = get3(links.acceleration, parent, 3)
            off = plus(get3(links.acceleration, parent, 0), cross(off_spin, reach))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            way, turn, change = get3(links.way, k, 0), get3(links.way, k, 3), rate[k, 0] - links.flow[k, PREDICTED]
            speed, spin = plus(speed, scaled(way, rate[k, 0])), plus(spin, scaled(turn, rate[k, 0]))
            off, off_spin = plus(off, scaled(way, change)), plus(off_spin, scaled(turn, change))
        set3(links.acceleration, i, 0, off)
        set3(links.acceleration, i, 3, off_spin)
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
def tell_speeding(mechanisms, links, rate, middle, half, begin, end):
    """Mean accelerations of the links since the rates were those of the middle, half a step before: what is in their way is
    looked for so far ahead (`contact/find/pairs`)."""
    for i in range(begin, end):
        parent, reach, faster, turning = mechanisms.parent[i], get3(links.reach, i, 0), ZERO, ZERO
        if parent >= 0:
            turning = minus(get3(links.speeding, parent, 3), get3(links.swing, parent, 3))
            faster = plus(minus(get3(links.speeding, parent, 0), get3(links.swing, parent, 0)), cross(turning, reach))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            gain = (rate[k, 0] - middle[k, 0]) / half
            faster = plus(faster, scaled(get3(links.way, k, 0), gain))
            turning = plus(turning, scaled(get3(links.way, k, 3), gain))
        set3(links.speeding, i, 0, plus(faster, get3(links.swing, i, 0)))
        set3(links.speeding, i, 3, plus(turning, get3(links.swing, i, 3)))


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
