"""Stiff objects that are glued to links (`step/stiff_glued`): the tree feels them as inertia S beside that of the link,

    (M_r + S) a = w + Bᵀ (1 − M D) (f − M c) + joints        v̇ = Z a + c + D (f − M c)

so that the recursion gives the accelerations a of all links with what hangs on them. Forces of an instant are those that give
their accelerations to the masses alone, and so is the load of the link, which has S a less: what the loads lack to be solved
with is remembered (HUNG_LOAD), with the a for which it was taken (`Joints.lead`). Where the mean acceleration of a half of the
step is another (viscosity, dry friction, stops and drives of joints, dampers apart), particles follow that one, and both
momenta stay exact: an impulse −S ∫(a − lead) dt comes to the link for what comes to its particles.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.mechanism.columns import (
    FIRST_HALF,
    HANGS,
    HUNG_FIRST,
    HUNG_GOING,
    HUNG_INERTIA,
    HUNG_LOAD,
    HUNG_SHIFT,
    HUNG_WAY,
    OF_PATH,
    PREDICTED,
    WAY,
)
from robotphi.kernels.mechanism.poses import accelerate_links
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import EXTRA
from robotphi.kernels.step.stiff_energy import TURNED_IN, lacked, lacked_by_jump
from robotphi.kernels.step.stiff_frame import AT, FRAME, TURN, NoStiff, know_motion
from robotphi.kernels.step.stiff_glued import follow, held_back, know_glued, take_accelerations

ZERO = (0.0, 0.0, 0.0)


@inlined
def object_on(arrays, i):
    """The stiff object on link i, or −1."""
    body = arrays.mechanisms.rigid[i]
    return arrays.stiff.of_rigid[body] if body >= 0 else -1


@inlined
def hangs_any(links):
    return links.hung.shape[0] > 0


@kernel_unless(NoStiff, lambda arrays, buffers, place, joints, m: None)
def know_hung(arrays, buffers, place, joints, m):
    """What hangs on links, at a place whose loads have been taken with `lead`."""
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        o = object_on(arrays, i)
        if o >= 0:
            know_motion(arrays, buffers.slow, place, o)
            know_glued(arrays, buffers.slow, place, o)
            lay_down(arrays, buffers, o, i)
            give_back(buffers, o, i, get3(joints.lead, i, 0), get3(joints.lead, i, 3))


@kernel_unless(NoStiff, lambda arrays, buffers, joints, m: None)
def take_hung(arrays, buffers, joints, m):
    """The same where `stiff.slow_down` has just looked at it, and loads lack nothing."""
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        o = object_on(arrays, i)
        if o >= 0:
            lay_down(arrays, buffers, o, i)
            for half in (0, 3):
                set3(buffers.links.hung, i, HUNG_LOAD + half, ZERO)
                set3(joints.lead, i, half, ZERO)


@kernel
def lay_down(arrays, buffers, o, i):
    hung = buffers.links.hung
    hung[i, HANGS] = 1.0
    for column in range(27):
        hung[i, HUNG_INERTIA + column] = buffers.slow.glue[o, column]


@kernel
def give_back(buffers, o, i, push, turn):
    """What the load of link i lacks, S × an acceleration; returns it."""
    hung, frame = buffers.links.hung, get9(buffers.slow.motion, o, FRAME)
    force, couple = held_back(hung, i, applied_back(frame, push), applied_back(frame, turn))
    force, couple = applied(frame, force), applied(frame, couple)
    set3(hung, i, HUNG_LOAD, force)
    set3(hung, i, HUNG_LOAD + 3, couple)
    return force, couple


@kernel_unless(NoStiff, lambda arrays, buffers, now, joints, whole, m: None)
def let_go_along(arrays, buffers, now, joints, whole, m):
    """Forces and loads become what gives particles and links the accelerations of the links, as these stand: `whole`, or as
    they are solved, those by the coordinates alone."""
    links, slow = buffers.links, buffers.slow
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        o = object_on(arrays, i)
        if o >= 0:
            body = arrays.mechanisms.rigid[i]
            push, turn = get3(links.acceleration, i, 0), get3(links.acceleration, i, 3)
            if not whole:
                push, turn = plus(push, get3(links.swing, i, 0)), plus(turn, get3(links.swing, i, 3))
            set3(joints.lead, i, 0, push)
            set3(joints.lead, i, 3, turn)
            force, couple = give_back(buffers, o, i, push, turn)
            set3(now.load, body, 0, minus(get3(now.load, body, 0), force))
            set3(now.load, body, 3, minus(get3(now.load, body, 3), couple))
            take_accelerations(arrays, slow, o, now.force, get3(slow.motion, o, TURN), push, turn)


# Dampers apart ------------------------------------------------------------------------------------------------------------

@kernel
def split_accelerations(arrays, links, joints, m):
    """Of solved links, what velocities bring along less `lead`, and what rates do, for the stages of the dampers."""
    hung = links.hung
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        for axis in range(6):
            hung[i, HUNG_GOING + axis] = links.acceleration[i, axis]
            hung[i, HUNG_SHIFT + axis] = links.swing[i, axis] - joints.lead[i, axis]


# Steps by flow ------------------------------------------------------------------------------------------------------------

@kernel
def lead_by_mean(arrays, links, rate, before, span, m):
    """Mean accelerations of links in a time in which rates have changed so."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.answer[k, 0] = (rate[k, 0] - before[k, 0]) / span
    accelerate_links(mechanisms, links, links.answer, begin, end)


@kernel
def book_jumps(arrays, buffers, often, m):
    """What is lacked of the velocities that particles get while they follow the mean accelerations of a half of the step: ½ h²
    times this, and the second half the other way, since its power is taken with those that they get."""
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        o = object_on(arrays, i)
        if o >= 0:
            buffers.books[TURNED_IN, EXTRA] += often * lacked_by_jump(
                arrays, buffers.slow, o, get3(buffers.links.acceleration, i, 0), get3(buffers.links.acceleration, i, 3))


@kernel
def keep_first_half(arrays, buffers, joints, dt, m):
    """After both flows of the first half: what leads particles to the middle of the step, and along their way.

    That of a free mechanism is the first, so that its angular momentum is exact.
    """
    mechanisms, links, slow = arrays.mechanisms, buffers.links, buffers.slow
    begin, end, hung = mechanisms.start[m], mechanisms.start[m + 1], links.hung
    lead_by_mean(arrays, links, links.then, joints.rate, 0.5 * dt, m)
    book_jumps(arrays, buffers, -0.125 * dt * dt, m)
    for i in range(begin, end):
        for axis in range(6):
            hung[i, HUNG_FIRST + axis] = hung[i, HUNG_WAY + axis] = links.acceleration[i, axis] - joints.lead[i, axis]
    if mechanisms.free[m] == 0:
        for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
            links.answer[k, 0] = 2.0 * (links.flow[k, WAY] / dt - joints.rate[k, 0]) / dt
        accelerate_links(mechanisms, links, links.answer, begin, end)
        for i in range(begin, end):
            for axis in range(6):
                hung[i, HUNG_WAY + axis] = links.acceleration[i, axis] - joints.lead[i, axis]
        return
    for i in range(begin, end):
        o = object_on(arrays, i)
        if o >= 0:
            frame = get9(slow.motion, o, FRAME)
            force, couple = held_back(hung, i, applied_back(frame, get3(hung, i, HUNG_FIRST)),
                                      applied_back(frame, get3(hung, i, HUNG_FIRST + 3)))
            push, turn = scaled(applied(frame, force), -0.5 * dt), scaled(applied(frame, couple), -0.5 * dt)
            turn = plus(turn, cross(get3(slow.motion, o, AT), push))
            set3(links.impulse, m, FIRST_HALF, plus(get3(links.impulse, m, FIRST_HALF), push))
            set3(links.impulse, m, FIRST_HALF + 3, plus(get3(links.impulse, m, FIRST_HALF + 3), turn))


@kernel
def move_hung(arrays, buffers, now, ahead, dt, gravity, m):
    """Particles that hang on links go as far as those do, instead of where `lead` alone would have had them."""
    stiff, slow, hung, inverse = arrays.stiff, buffers.slow, buffers.links.hung, arrays.particles.inverse_mass
    for i in range(arrays.mechanisms.start[m], arrays.mechanisms.start[m + 1]):
        o = object_on(arrays, i)
        if o < 0:
            continue
        frame, fallen = get9(slow.motion, o, FRAME), 0.0
        follow(arrays, slow, o, get3(hung, i, HUNG_FIRST), get3(hung, i, HUNG_FIRST + 3), slow.behind)
        follow(arrays, slow, o, get3(hung, i, HUNG_WAY), get3(hung, i, HUNG_WAY + 3), slow.calm)
        for k in range(stiff.start[o], stiff.free_end[o]):
            p = stiff.particle[k]
            faster = scaled(applied(frame, get3(slow.behind, k, 0)), dt * inverse[p])
            further = scaled(applied(frame, get3(slow.calm, k, 0)), 0.5 * dt * dt * inverse[p])
            set3(ahead.velocity, p, 0, plus(read(ahead.velocity, p), faster))
            set3(ahead.position, p, 0, plus(read(ahead.position, p), further))
            fallen += arrays.particles.mass[p] * dot(gravity, further)
        buffers.books[TURNED_IN, EXTRA] -= 0.5 * dt * lacked(arrays, slow, o, now.velocity, now.rigid, now.velocity, now.rigid,
                                                             get3(hung, i, HUNG_FIRST), get3(hung, i, HUNG_FIRST + 3))
        buffers.rigid_sums[arrays.mechanisms.rigid[i], at.PART_POTENTIAL] -= fallen


@kernel
def tell_path_of_hung(arrays, buffers, now, ahead, joints, dt, m):
    """Of the path, particles that hang on links are off what the flow has predicted for those, not off what the mean of the
    first half would make of the second: a stop that is hit in one of them is none of the other."""
    mechanisms, links, stiff, slow, half = arrays.mechanisms, buffers.links, arrays.stiff, buffers.slow, 0.5 * dt
    mass, inverse = arrays.particles.mass, arrays.particles.inverse_mass
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.answer[k, 0] = (links.flow[k, PREDICTED] - links.then[k, 0]) / half
    accelerate_links(mechanisms, links, links.answer, begin, end)
    for i in range(begin, end):
        o = object_on(arrays, i)
        if o < 0:
            continue
        first = plus(get3(links.hung, i, HUNG_FIRST), get3(joints.lead, i, 0))
        first_turn = plus(get3(links.hung, i, HUNG_FIRST + 3), get3(joints.lead, i, 3))
        follow(arrays, slow, o, minus(get3(links.acceleration, i, 0), first), minus(get3(links.acceleration, i, 3), first_turn),
               slow.behind)
        frame = get9(slow.motion, o, FRAME)
        for k in range(stiff.start[o], stiff.free_end[o]):
            p = stiff.particle[k]
            off = plus(scaled(minus(read(now.velocity, p), read(ahead.velocity, p)), 0.5),
                       scaled(read(ahead.force, p), half * inverse[p]))
            left = minus(off, scaled(applied(frame, get3(slow.behind, k, 0)), half * inverse[p]))
            links.sums[m, OF_PATH] += 0.5 * mass[p] * (dot(left, left) - dot(off, off))
