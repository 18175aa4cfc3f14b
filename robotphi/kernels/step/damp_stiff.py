"""A stage of the dampers (`damp`) for stiff objects: impulses J of dampers change velocities by their inertia, not by the mass.

    v = v_0 + t a + (M + A)⁻¹ J        a: accelerations by all other forces, f/M with the forces that `stiff` left

Those glued to a rigid follow it: with V its velocity, which single rigids and mechanisms tell in this stage,

    v = v_0 + t b + D J + Z (V − V_0)        b = a − Z × the part of a by which V changes in the stage

What dampers took needs ∫ f·(v − v₀) dt − ½ h f·(v − v₀) with the forces that A resists, f = (M + A) a; of f·(v − v₀), which
is t f·a + a·J, the first part cancels there, so that a·J will do.
"""
from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.compiling.lanes import lane_sum, load, row, set_row, splat, vector_of
from robotphi.kernels.maths.matrices import applied, applied_back, columns_of, get9, summed_up
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.mechanism.columns import HUNG_GOING, HUNG_SHIFT
from robotphi.kernels.step.damp_rows import gather_impulse
from robotphi.kernels.step.damp_touch import rigid_impulse
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, SPIN, VELOCITY, get_orientation, row3, spin_of
from robotphi.kernels.step.rigids import HELD as NO_TURN
from robotphi.kernels.step.slots import PASSED, PASSED_BEFORE, POWER, TAKEN
from robotphi.kernels.step.stiff import answer_of_rigid, respond
from robotphi.kernels.step.stiff_energy import LACKED, lacked
from robotphi.kernels.step.stiff_frame import FRAME, NoStiff, know_motion
from robotphi.kernels.step.stiff_glued import follow, held_back, know_glued, push_glued

STILL = (0.0, 0.0, 0.0)


@kernel_unless(NoStiff, lambda arrays, buffers, place, ahead, member, team: None)
def open_stiff(arrays, buffers, place, ahead, member, team):
    """Frames of all stiff objects where they are, and accelerations by all but dampers.

    `stiff.slow_down` has looked `ahead` before, and mechanisms at the present state at what hangs on them.
    """
    slow = buffers.slow
    for o in range(member, len(arrays.stiff.way), team):
        slow.damping[o, PASSED] = slow.damping[o, PASSED_BEFORE] = slow.damping[o, POWER] = 0.0
        i = arrays.stiff.rigid[o]
        if not ahead and (i < 0 or arrays.mechanisms.link_of_rigid[i] < 0):
            know_motion(arrays, slow, place, o)
            if i >= 0:
                know_glued(arrays, slow, place, o)
        if i >= 0:
            know_calm(arrays, buffers, place, o)


@kernel
def know_calm(arrays, buffers, place, o):
    """Of a glued object, b into `slow.calm` and a into `slow.going`."""
    stiff, slow, out = arrays.stiff, buffers.slow, columns_of(get9(buffers.slow.motion, o, FRAME))
    link, inverse = arrays.mechanisms.link_of_rigid[stiff.rigid[o]], arrays.particles.inverse_mass
    for k in range(stiff.start[o], stiff.free_end[o]):
        own = row(place.force, stiff.particle[k]) * splat(inverse[stiff.particle[k]])
        set_row(slow.calm, k, own)
        set_row(slow.going, k, own)
    if link < 0:
        return
    hung = buffers.links.hung
    follow(arrays, slow, o, get3(hung, link, HUNG_SHIFT), get3(hung, link, HUNG_SHIFT + 3), slow.behind)
    for k in range(stiff.start[o], stiff.free_end[o]):
        own = summed_up(out, read(slow.behind, k)) * splat(inverse[stiff.particle[k]])
        set_row(slow.calm, k, row(slow.calm, k) + own)
    follow(arrays, slow, o, get3(hung, link, HUNG_GOING), get3(hung, link, HUNG_GOING + 3), slow.behind)
    for k in range(stiff.start[o], stiff.free_end[o]):
        own = summed_up(out, read(slow.behind, k)) * splat(inverse[stiff.particle[k]])
        set_row(slow.going, k, row(slow.calm, k) + own)


@kernel_unless(NoStiff, lambda arrays, buffers, impulse, member, team: None)
def push_stiff(arrays, buffers, impulse, member, team):
    """D J of glued objects, and what their impulses leave for their rigids, before those are asked."""
    for o in range(member, len(arrays.stiff.way), team):
        if arrays.stiff.rigid[o] >= 0:
            push_glued(arrays, buffers.slow, o, impulse, STILL)


@kernel_unless(NoStiff, lambda arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time,
               member, team: None)
def stage_stiff(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, member, team):
    """Velocities of stiff objects and their rigids in stage j."""
    stiff, sums = arrays.stiff, buffers.slow.damping
    for o in range(member, len(stiff.way), team):
        if stiff.rigid[o] < 0:
            power = stage_of_one(arrays, buffers, place, start, found, impulse, time, o)
        elif arrays.mechanisms.link_of_rigid[stiff.rigid[o]] >= 0:
            power = stage_of_hung(arrays, buffers, start, start_rigid, found, found_rigid, impulse, time, o)
        else:
            power = stage_of_glued(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, o)
        passed = weights[0] * sums[o, PASSED] + weights[1] * sums[o, PASSED_BEFORE] + weights[2] * sums[o, POWER]
        sums[o, PASSED_BEFORE], sums[o, PASSED], sums[o, POWER] = sums[o, PASSED], passed, power


@kernel_unless(NoStiff, lambda arrays, buffers, start, start_rigid, found, found_rigid, h, member, team: None)
def end_stiff(arrays, buffers, start, start_rigid, found, found_rigid, h, member, team):
    """After the last stage: what dampers took, and what glued objects lacked as they followed."""
    slow, sums = buffers.slow, buffers.slow.damping
    for o in range(member, len(arrays.stiff.way), team):
        sums[o, TAKEN] = sums[o, PASSED] - 0.5 * h * sums[o, POWER]
        if arrays.stiff.rigid[o] >= 0:
            slow.sums[o, LACKED] = lacked(arrays, slow, o, start, start_rigid, found, found_rigid, get3(slow.change, o, 0),
                                          get3(slow.change, o, 3))


@kernel
def stage_of_one(arrays, buffers, place, start, found, impulse, time, o):
    """The same of one that no rigid carries; returns a·J [W]."""
    stiff, particles, power = arrays.stiff, arrays.particles, 0.0
    for k in range(stiff.start[o], stiff.free_end[o]):
        i = stiff.particle[k]
        power += particles.inverse_mass[i] * dot(read(place.force, i), read(impulse, i))
    respond(arrays, buffers.slow, place, o, impulse, found, STILL)
    for k in range(stiff.start[o], stiff.free_end[o]):
        i = stiff.particle[k]
        moves = read(particles.moves, particles.axes[i])
        kick = scaled(plus(scaled(read(place.force, i), time), read(found, i)), particles.inverse_mass[i])
        set3(found, i, 0, plus(read(start, i), (moves[0] * kick[0], moves[1] * kick[1], moves[2] * kick[2])))
    return power


@kernel
def stage_of_hung(arrays, buffers, start, start_rigid, found, found_rigid, impulse, time, o):
    """The same of one that hangs on a link, which has its velocity of this stage; what the link feels of it is kept."""
    slow, body, frame = buffers.slow, arrays.stiff.rigid[o], get9(buffers.slow.motion, o, FRAME)
    link, hung = arrays.mechanisms.link_of_rigid[body], buffers.links.hung
    push = minus(get3(found_rigid, body, VELOCITY), get3(start_rigid, body, VELOCITY))
    turn = minus(get3(found_rigid, body, SPIN), get3(start_rigid, body, SPIN))
    power = let_follow(arrays, slow, start, found, impulse, push, turn, time, o)
    push = plus(push, scaled(get3(hung, link, HUNG_SHIFT), time))
    turn = plus(turn, scaled(get3(hung, link, HUNG_SHIFT + 3), time))
    set3(slow.change, o, 0, push)
    set3(slow.change, o, 3, turn)
    force, couple = held_back(slow.glue, o, applied_back(frame, push), applied_back(frame, turn))
    set3(slow.reaction, o, 0, minus(get3(slow.load, o, 0), applied(frame, force)))
    set3(slow.reaction, o, 3, minus(get3(slow.load, o, 3), applied(frame, couple)))
    return power


@kernel
def let_follow(arrays, slow, start, found, impulse, push, turn, time, o):
    """Velocities of the particles of a glued object by the change of velocity of its rigid; returns a·J [W]."""
    stiff, inverse, first, begin = arrays.stiff, arrays.particles.inverse_mass, arrays.stiff.first[o], arrays.stiff.start[o]
    out, power = columns_of(get9(slow.motion, o, FRAME)), splat(0.0)
    follow(arrays, slow, o, push, turn, slow.behind)
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        own = load(slow.got, first + 3 * (k - begin)) + row(slow.behind, k) * splat(inverse[i])
        set_row(found, i, row(start, i) + (row(slow.calm, k) * splat(time) + summed_up(out, vector_of(own))))
        power = power + row(slow.going, k) * row(impulse, i)
    return lane_sum(power)


@kernel
def stage_of_glued(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, o):
    """The same of one that is glued to a rigid that moves by itself, and of that rigid."""
    slow, rigids, body = buffers.slow, arrays.rigids, arrays.stiff.rigid[o]
    pushed, turned = gather_impulse(rigids, body, get3(place.rigid, body, CENTRE), place.position, impulse)
    of_rows = rigid_impulse(buffers.damping, body, j, weights)
    pushed, turned = plus(pushed, of_rows[0]), plus(turned, of_rows[1])
    gain, load = row3(rigids.inverse_mass, body), get3(place.load, body, 0)
    power = dot(pushed, (gain[0] * load[0], gain[1] * load[1], gain[2] * load[2]))
    if rigids.rotation[body] != NO_TURN:
        power += dot(turned, spin_of(get_orientation(place.rigid, body), get3(place.load, body, 3),
                                     row3(rigids.inverse_inertia, body)))
    set3(slow.load, o, 0, plus(get3(slow.load, o, 0), pushed))
    set3(slow.load, o, 3, plus(get3(slow.load, o, 3), turned))
    push, turn = answer_of_rigid(arrays, slow, o, STILL)
    set3(slow.change, o, 0, push)
    set3(slow.change, o, 3, turn)
    power += let_follow(arrays, slow, start, found, impulse, push, turn, time, o)
    stage_of_rigid(arrays, slow, place, start_rigid, found, found_rigid, time, o)
    return power


@kernel
def stage_of_rigid(arrays, slow, place, start, found, found_rigid, time, o):
    """Velocity, angular momentum and spin of the rigid of object o by its impulse in `slow.load`, and of its particles."""
    rigids, i = arrays.rigids, arrays.stiff.rigid[o]
    centre, q = get3(place.rigid, i, CENTRE), get_orientation(place.rigid, i)
    gain, momentum, spin = row3(rigids.inverse_mass, i), get3(start, i, MOMENTUM), get3(start, i, SPIN)
    push = plus(scaled(get3(place.load, i, 0), time), get3(slow.load, o, 0))
    speed = plus(get3(start, i, VELOCITY), (gain[0] * push[0], gain[1] * push[1], gain[2] * push[2]))
    if rigids.rotation[i] != NO_TURN:
        momentum = plus(momentum, plus(scaled(get3(place.load, i, 3), time), get3(slow.load, o, 3)))
        spin = spin_of(q, momentum, row3(rigids.inverse_inertia, i))
    set3(found_rigid, i, VELOCITY, speed)
    set3(found_rigid, i, MOMENTUM, momentum)
    set3(found_rigid, i, SPIN, spin)
    for k in range(rigids.start[i], rigids.used[i]):
        p = rigids.particle[k]
        set3(found, p, 0, plus(speed, cross(spin, minus(read(place.position, p), centre))))
