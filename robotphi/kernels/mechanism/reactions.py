"""What joints transmit at a recorded instant, from the accelerations of their coordinates: the inverse dynamics, inwards.

    f = m a − load + Σ f of the links that hang on it        effort = way · f + armature q̈

What a joint transmits follows from the accelerations alone, whatever acts on its coordinate: the effort is all of it, springs,
dampers, friction and drives together.
"""
from robotphi.kernels.acts.drives import drive_acceleration
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import felt_by, hangs
from robotphi.kernels.mechanism.bases import move_bases
from robotphi.kernels.mechanism.by_flow import clear_stops
from robotphi.kernels.mechanism.closed import pull_links
from robotphi.kernels.mechanism.columns import ARRIVES, AWAY, FACTORED, GIVEN
from robotphi.kernels.mechanism.events import AT_REST, moving_into
from robotphi.kernels.mechanism.gains import load_links
from robotphi.kernels.mechanism.holds import choose_modes, settle_holds
from robotphi.kernels.mechanism.hung import hangs_any, know_hung
from robotphi.kernels.mechanism.move import refresh_mechanism
from robotphi.kernels.mechanism.poses import base_of, spread_gains
from robotphi.kernels.springs.dampers import add_damper_forces
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.damp_rows import clear_rows, gather_impulse
from robotphi.kernels.step.rigids import CENTRE, get_orientation, rotate, row3, spin_of


@kernel
def tell_reactions(arrays, buffers):
    """Force and couple of every joint on its link, at the joint in axes of the world, and the effort along every freedom."""
    mechanisms, closures, links, joints = arrays.mechanisms, arrays.closures, buffers.links, buffers.joints
    apart = buffers.counters[at.VISCOSITY] == at.APART and buffers.counters[at.WHOLE] == 0
    load = buffers.damping.rigid_pushed if apart else buffers.load
    if apart:
        load_with_dampers(arrays, buffers, load)
    now = refer(Instant(buffers.position, buffers.velocity, buffers.force, buffers.rigid, load))
    move_bases(arrays, links, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        if hangs_any(links):
            know_hung(arrays, buffers, buffers, joints, m)
        refresh_mechanism(arrays, buffers, now, joints, m)
        if mechanisms.eventful[m] != 0:
            settle_instant(arrays, buffers, now.load, m)
        load_links(mechanisms, arrays.rigids, links, now.load, begin, end)
        pull_links(mechanisms, closures, joints.bound, links.push, links.effort, m)
        spread_gains(mechanisms, links, joints.gain, begin, end)
        add_reactions(mechanisms, arrays.rigids, links, joints.gain, begin, end)
    tell_closures(closures, links, buffers.rigid, joints.bound)


@kernel
def load_with_dampers(arrays, buffers, load):
    """Loads of rigids with the dampers of springs that go apart, which are not among the forces of a step."""
    damping, numbers, block = buffers.damping, buffers.numbers, arrays.particles.damped
    for k in range(len(block)):
        clear_rows(damping.first, block[k, 0], block[k, 1])
    add_damper_forces(arrays, buffers, buffers.position, buffers.velocity, damping.first, numbers[at.TIME], numbers[at.INSIDE],
                      True, 0, 1, buffers.sync[16])
    for i in range(len(arrays.rigids.mass)):
        push, moment = gather_impulse(arrays.rigids, i, get3(buffers.rigid, i, CENTRE), buffers.position, damping.first)
        set3(load, i, 0, plus(get3(buffers.load, i, 0), push))
        set3(load, i, 3, plus(get3(buffers.load, i, 3), moment))


@kernel
def settle_instant(arrays, buffers, load, m):
    """Accelerations with all that dry friction, stops and drives hold at the instant."""
    mechanisms, links, joints, numbers = arrays.mechanisms, buffers.links, buffers.joints, buffers.numbers
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    clear_stops(flow, first, last)
    links.sums[m, FACTORED] = 0.0
    for k in range(first, last):
        flow[k, ARRIVES] = 0.0
        if mechanisms.drive[k] >= 0:
            flow[k, GIVEN] = drive_acceleration(arrays.drives, mechanisms.drive[k], numbers[at.TIME], numbers[at.INSIDE])
    links.sums[m, FACTORED] = 0.0
    moving_into(mechanisms, flow, joints.place, joints.rate, AT_REST, first, last)
    choose_modes(mechanisms, links, joints.rate, first, last)
    links.sums[m, AWAY] = 0.0
    settle_holds(arrays, links, buffers.rigid, joints, joints.bound, load, joints.rate, joints.gain, 0.0, m)


@kernel
def tell_closures(closures, links, rigid, bound):
    """What each row of a closure does to the other, at the joint."""
    for i in range(len(closures.kind)):
        pull = bound.pull[i, 0]
        force, couple = scaled(get3(bound.wrench, i, 0), pull), scaled(get3(bound.wrench, i, 3), pull)
        arm = rotate(base_of(links, rigid, closures.other[i])[1], row3(closures.at_other, i))
        set3(links.closing, i, 0, force)
        set3(links.closing, i, 3, minus(couple, cross(arm, force)))


@kernel
def add_reactions(mechanisms, rigids, links, gain, begin, end):
    """Sums from the ends inwards; `push` holds what keeps each link in its motion beside its acceleration."""
    push = links.push
    for i in range(end - 1, begin - 1, -1):
        force, couple = get3(push, i, 0), get3(push, i, 3)
        body = mechanisms.rigid[i]
        if body >= 0:
            turning = spin_of(get_orientation(links.pose, i), get3(links.acceleration, i, 3), row3(rigids.inertia, body))
            force = plus(force, scaled(get3(links.acceleration, i, 0), rigids.mass[body]))
            couple = plus(couple, turning)   # R I Rᵀ ω̇
        if hangs(links, i):
            of_hung = felt_by(links, i, get3(links.acceleration, i, 0), get3(links.acceleration, i, 3))
            force, couple = plus(force, of_hung[0]), plus(couple, of_hung[1])
        set3(links.reaction, i, 0, force)
        set3(links.reaction, i, 3, plus(couple, cross(get3(links.reach, i, 3), force)))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            links.exerted[k, 0] = (dot(get3(links.way, k, 0), force) + dot(get3(links.way, k, 3), couple)
                                   + mechanisms.armature[k] * gain[k, 0])
        parent = mechanisms.parent[i]
        if parent >= begin:
            set3(push, parent, 0, plus(get3(push, parent, 0), force))
            set3(push, parent, 3, plus(get3(push, parent, 3), plus(couple, cross(get3(links.reach, i, 0), force))))
