"""What joints transmit at a recorded instant, from the accelerations of their coordinates: the inverse dynamics, inwards.

    f = m a − load + Σ f of the links that hang on it        effort = way · f + armature q̈

What a joint transmits follows from the accelerations alone, whatever acts on its coordinate: the effort is all of it, springs,
dampers, friction and drives together.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import load_links
from robotphi.kernels.mechanism.closed import pull_links
from robotphi.kernels.mechanism.poses import base_of, move_links, pose_links
from robotphi.kernels.step.rigids import get_orientation, rotate, row3, spin_of


@kernel
def tell_reactions(arrays, buffers):
    """Force and couple of every joint on its link, at the joint in axes of the world, and the effort along every freedom."""
    mechanisms, links, joints = arrays.mechanisms, buffers.links, buffers.joints
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        pose_links(mechanisms, links, joints, buffers.rigid, begin, end)
        move_links(mechanisms, links, joints.rate, buffers.rigid, begin, end)
        load_links(mechanisms, arrays.rigids, links, buffers.load, begin, end)
        pull_links(arrays.closures, joints.bound, links.push, m)
        accelerate_links(mechanisms, links, joints.gain, begin, end)
        add_reactions(mechanisms, arrays.rigids, links, joints.gain, begin, end)
        tell_pulls(arrays.closures, joints.bound, links, buffers.rigid, m)


@kernel
def accelerate_links(mechanisms, links, gain, begin, end):
    """Accelerations of posed and moving links from those of the coordinates."""
    for i in range(begin, end):
        parent = mechanisms.parent[i]
        speeding, turning = get3(links.swing, i, 0), get3(links.swing, i, 3)
        if parent >= begin:
            above = get3(links.acceleration, parent, 3)
            speeding = plus(speeding, plus(get3(links.acceleration, parent, 0), cross(above, get3(links.reach, i, 0))))
            turning = plus(turning, above)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            speeding = plus(speeding, scaled(get3(links.way, k, 0), gain[k, 0]))
            turning = plus(turning, scaled(get3(links.way, k, 3), gain[k, 0]))
        set3(links.acceleration, i, 0, speeding)
        set3(links.acceleration, i, 3, turning)


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
        set3(links.reaction, i, 0, force)
        set3(links.reaction, i, 3, plus(couple, cross(get3(links.reach, i, 3), force)))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            links.exerted[k, 0] = (dot(get3(links.way, k, 0), force) + dot(get3(links.way, k, 3), couple)
                                   + mechanisms.armature[k] * gain[k, 0])
        parent = mechanisms.parent[i]
        if parent >= begin:
            set3(push, parent, 0, plus(get3(push, parent, 0), force))
            set3(push, parent, 3, plus(get3(push, parent, 3), plus(couple, cross(get3(links.reach, i, 0), force))))


@kernel
def tell_pulls(closures, bound, links, rigid, m):
    """Force and couple of every joint that closes a loop, on its child, at the joint."""
    for i in range(closures.start[m], closures.start[m + 1]):
        for axis in range(6):
            links.reaction[closures.told[i], axis] = 0.0
    for i in range(closures.start[m], closures.start[m + 1]):
        row, pull = closures.told[i], bound.pull[i, 0]
        force, couple = scaled(get3(bound.wrench, i, 0), pull), scaled(get3(bound.wrench, i, 3), pull)
        _, q = base_of(links, rigid, closures.other[i])
        couple = minus(couple, cross(rotate(q, row3(closures.at_other, i)), force))
        set3(links.reaction, row, 0, plus(get3(links.reaction, row, 0), force))
        set3(links.reaction, row, 3, plus(get3(links.reaction, row, 3), couple))
