"""A stage of the dampers (`damp`) for stiff objects: impulses J of dampers change velocities by their inertia, not by the mass.

    v = v_0 + t a + (M + A)⁻¹ J        a: accelerations by all other forces, f/M with the forces that `stiff` left

What dampers took needs ∫ f·(v − v₀) dt − ½ h f·(v − v₀) with the forces that A resists, f = (M + A) a; of f·(v − v₀), which
is t f·a + a·J, the first part cancels there, so that a·J will do.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.damp_rows import gather_impulse
from robotphi.kernels.step.damp_touch import rigid_impulse
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, SPIN, VELOCITY, get_orientation, row3, spin_of
from robotphi.kernels.step.rigids import HELD as NO_TURN
from robotphi.kernels.step.slots import PASSED, PASSED_BEFORE, POWER
from robotphi.kernels.step.stiff import know_joint, know_motion, respond

STILL = (0.0, 0.0, 0.0)


@kernel
def open_stiff(arrays, buffers, place, member, team):
    """Frames of all stiff objects where they are."""
    for o in range(member, len(arrays.stiff.way), team):
        know_motion(arrays, buffers.slow, place, o)
        if arrays.stiff.rigid[o] >= 0:
            know_joint(arrays, buffers.slow, place, o)
        buffers.slow.damping[o, PASSED] = buffers.slow.damping[o, PASSED_BEFORE] = buffers.slow.damping[o, POWER] = 0.0


@kernel
def stage_stiff(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, member, team):
    """Velocities of stiff objects and their rigids in stage j."""
    for o in range(member, len(arrays.stiff.way), team):
        power = stage_of_one(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, o)
        sums = buffers.slow.damping
        passed = weights[0] * sums[o, PASSED] + weights[1] * sums[o, PASSED_BEFORE] + weights[2] * sums[o, POWER]
        sums[o, PASSED_BEFORE], sums[o, PASSED], sums[o, POWER] = sums[o, PASSED], passed, power


@kernel
def stage_of_one(arrays, buffers, place, start, start_rigid, found, found_rigid, impulse, j, weights, time, o):
    """The same of one; returns a·J [W]."""
    stiff, slow, particles, rigids = arrays.stiff, buffers.slow, arrays.particles, arrays.rigids
    body, power = stiff.rigid[o], 0.0
    if body >= 0:
        pushed, turned = gather_impulse(rigids, body, get3(place.rigid, body, CENTRE), place.position, impulse)
        of_rows = rigid_impulse(buffers.damping, body, j, weights)
        pushed, turned = plus(pushed, of_rows[0]), plus(turned, of_rows[1])
        set3(slow.load, o, 0, pushed)
        set3(slow.load, o, 3, turned)
        gain, load = row3(rigids.inverse_mass, body), get3(place.load, body, 0)
        power += dot(pushed, (gain[0] * load[0], gain[1] * load[1], gain[2] * load[2]))
        if rigids.rotation[body] != NO_TURN:
            power += dot(turned, spin_of(get_orientation(place.rigid, body), get3(place.load, body, 3),
                                         row3(rigids.inverse_inertia, body)))
    for k in range(stiff.start[o], stiff.free_end[o]):
        i = stiff.particle[k]
        power += particles.inverse_mass[i] * dot(read(place.force, i), read(impulse, i))
    respond(arrays, slow, place, o, impulse, found, STILL)
    for k in range(stiff.start[o], stiff.free_end[o]):
        i = stiff.particle[k]
        moves = read(particles.moves, particles.axes[i])
        kick = scaled(plus(scaled(read(place.force, i), time), read(found, i)), particles.inverse_mass[i])
        set3(found, i, 0, plus(read(start, i), (moves[0] * kick[0], moves[1] * kick[1], moves[2] * kick[2])))
    if body >= 0:
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
