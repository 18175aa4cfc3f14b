"""A step with the dampers apart from the rest of it: dampers for half the step, drift, forces, dampers for the other half.

    v½ = H(τ/2; x, f) v        x⁺ = x + τ v½        f⁺ = f(x⁺, t⁺)        v⁺ = H(τ/2; x⁺, f⁺) v½
with H of `damp`, so that forces of springs are evaluated once, without their viscous part. Second order, like the step with
viscosity in the force; the length of the step is bounded by the frequencies alone, and where dampers hold everything
back v½ = f/c, as it is to be. What else depends on velocities sees v' = 2 v½ − v.
"""
from robotphi.kernels.acts.driven import driven_count, place_driven
from robotphi.kernels.acts.forces import add_particle_forces
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.contact.columns import OF_FRICTION, OF_PRESSURE, TOTAL_LOSS, TOTAL_RATE
from robotphi.kernels.maths.vectors import dot, get3, plus, read, set3
from robotphi.kernels.mechanism.apart import close_mechanisms, drift_mechanisms, open_first_half, open_second_half
from robotphi.kernels.springs.forces import load_rigids
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.damp import damp
from robotphi.kernels.step.damp_rows import drift_particles, drift_rigid, gather_impulse, off_prediction
from robotphi.kernels.step.damp_touch import touch_taken
from robotphi.kernels.step.entries import EXTRA, RATE
from robotphi.kernels.step.ledger import CONTACT_LOSS, FRICTION, SPRING_LOSS, column_sum
from robotphi.kernels.step.particles import kinetic_energy
from robotphi.kernels.step.path import rigid_off_prediction
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY, carry_particles, rigid_energy
from robotphi.kernels.step.stiff import slow_down
from robotphi.kernels.step.stiff_energy import LACKED, TURNED_IN, stiff_energies


@kernel
def book_losses(buffers, velocity, rigid, h, ahead):
    """What dampers of springs, pressure and friction took in a time h, if they took anything in all.

    What the force in the meantime does to that, which is known of all of them only, is shared out by what each took. The rates
    of contact are in the books as they are (½ τ = h of each): what is booked here comes to them.
    """
    damping, books, touch = buffers.damping, buffers.books, buffers.touch
    of_stiff = buffers.slow.damping
    taken = column_sum(damping.block_sums, at.TAKEN) + column_sum(damping.rigid_sums, at.TAKEN) + column_sum(of_stiff, at.TAKEN)
    if buffers.counters[at.HAS_CONTACT] == 0:
        if taken > 0.0:
            books[SPRING_LOSS, EXTRA] += taken
        return
    meantime = (column_sum(damping.block_sums, at.PASSED) + column_sum(damping.rigid_sums, at.PASSED)
                - 0.5 * h * (column_sum(damping.block_sums, at.POWER) + column_sum(damping.rigid_sums, at.POWER))
                + column_sum(of_stiff, at.PASSED) - 0.5 * h * column_sum(of_stiff, at.POWER))
    pressed, beside_pressed = touch_taken(touch, ahead, velocity, rigid, h, OF_PRESSURE)
    rubbed, beside_rubbed = touch_taken(touch, ahead, velocity, rigid, h, OF_FRICTION)
    if ahead:
        lost, rubbing = h * touch.totals[TOTAL_LOSS], h * touch.totals[TOTAL_RATE]
    else:
        lost, rubbing = h * books[CONTACT_LOSS, RATE], h * books[FRICTION, RATE]
    # without viscosity all that is left is rounding
    by_springs = taken - meantime - pressed - rubbed if buffers.numbers[at.SPRING_DAMPING] > 0.0 else 0.0
    in_contact, in_friction = lost + pressed + beside_pressed, rubbing + rubbed + beside_rubbed
    if not taken + (lost + beside_pressed) + (rubbing + beside_rubbed) > 0.0:
        books[CONTACT_LOSS, EXTRA] -= lost
        books[FRICTION, EXTRA] -= rubbing
        return
    shares = max(by_springs, 0.0) + max(in_contact, 0.0) + max(in_friction, 0.0)
    meantime = meantime / shares if shares > 0.0 else 0.0
    books[SPRING_LOSS, EXTRA] += by_springs + meantime * max(by_springs, 0.0)
    books[CONTACT_LOSS, EXTRA] += pressed + beside_pressed + meantime * max(in_contact, 0.0)
    books[FRICTION, EXTRA] += rubbed + beside_rubbed + meantime * max(in_friction, 0.0)


@kernel
def book_dampers(arrays, buffers, place, velocity, rigid, h, ahead):
    """What dampers took, and the work of the drives that moved against them."""
    motions, damping, books = arrays.motions, buffers.damping, buffers.books
    books[TURNED_IN, EXTRA] -= column_sum(buffers.slow.sums, LACKED)
    book_losses(buffers, velocity, rigid, h, ahead)
    for k in range(len(motions.particle)):
        p, axis = motions.particle[k], motions.particle_axis[k]
        books[buffers.book_of_drive[motions.particle_drive[k]], EXTRA] -= damping.impulse[p, axis] * velocity[p, axis]
    for k in range(len(motions.rigid)):
        i, axis = motions.rigid[k], motions.rigid_axis[k]
        impulse, moment = impulse_on(arrays, damping, place, i)
        work = (-impulse[axis] * rigid[i, VELOCITY + axis] if axis < 3 else
                -dot(moment, get3(rigid, i, SPIN)))
        books[buffers.book_of_drive[motions.rigid_drive[k]], EXTRA] += work
    led = motions.led
    for n in range(len(led.particle)):
        entry = buffers.book_of_drive[led.pose[led.particle_motion[n], 0]]
        books[entry, EXTRA] -= dot(read(damping.impulse, led.particle[n]), read(velocity, led.particle[n]))
    for n in range(len(led.rigid)):
        i, entry = led.rigid[n], buffers.book_of_drive[led.pose[led.rigid_motion[n], 0]]
        impulse, moment = impulse_on(arrays, damping, place, i)
        books[entry, EXTRA] -= dot(impulse, get3(rigid, i, VELOCITY)) + dot(moment, get3(rigid, i, SPIN))


@inlined
def impulse_on(arrays, damping, place, i):
    """(impulse, its moment about the centre) of all dampers on rigid i and on its particles."""
    impulse, moment = gather_impulse(arrays.rigids, i, get3(place.rigid, i, CENTRE), place.position, damping.impulse)
    return plus(impulse, get3(damping.rigid_impulse, i, 0)), plus(moment, get3(damping.rigid_impulse, i, 3))


@kernel
def keep_driven(arrays, ahead, middle, middle_rigid):
    """Driven axes are where their drives say, and as fast, while dampers act at the end of the step."""
    motions = arrays.motions
    for k in range(len(motions.particle)):
        p, axis = motions.particle[k], motions.particle_axis[k]
        middle[p, axis] = ahead.velocity[p, axis]
    for k in range(len(motions.rigid)):
        i, axis = motions.rigid[k], motions.rigid_axis[k]
        if axis < 3:
            middle_rigid[i, VELOCITY + axis] = ahead.rigid[i, VELOCITY + axis]
        else:
            for column in range(3):
                middle_rigid[i, MOMENTUM + column] = ahead.rigid[i, MOMENTUM + column]
                middle_rigid[i, SPIN + column] = ahead.rigid[i, SPIN + column]
        for column in range(3):
            middle_rigid[i, CENTRE + column] = ahead.rigid[i, CENTRE + column]
        for column in range(4):
            middle_rigid[i, ORIENTATION + column] = ahead.rigid[i, ORIENTATION + column]
        carry_particles(arrays.rigids, i, middle_rigid, ahead.position, middle)
    for n in range(len(motions.led.particle)):
        set3(middle, motions.led.particle[n], 0, read(ahead.velocity, motions.led.particle[n]))
    for n in range(len(motions.led.rigid)):
        i = motions.led.rigid[n]
        for column in range(middle_rigid.shape[1]):
            middle_rigid[i, column] = ahead.rigid[i, column]
        carry_particles(arrays.rigids, i, middle_rigid, ahead.position, middle)


@kernel
def place_apart(arrays, buffers, now, ahead, joints, next_joints, member, team, generation):
    """Dampers for half the step; everything is then where it is at its end, with the velocities predicted for it."""
    particles, rigids, numbers, damping = value(arrays.particles), arrays.rigids, buffers.numbers, buffers.damping
    dt, end, inside = numbers[at.STEP_TAU], numbers[at.STEP_END], numbers[at.INSIDE]
    middle, middle_rigid = damping.middle, damping.middle_rigid
    if member == 0 and len(arrays.mechanisms.free) > 0:
        open_first_half(arrays, buffers, now, joints)
    if len(arrays.stiff.way) > 0:   # what hangs on links asks for what they have been told
        generation = meet(buffers.sync, team, generation)
    generation = damp(arrays, buffers, now, joints.bound, now.velocity, now.rigid, middle, middle_rigid, 0.5 * dt,
                      numbers[at.TIME], False, member, team, generation)
    if member == 0:
        book_dampers(arrays, buffers, now, middle, middle_rigid, 0.5 * dt, False)
    blocks = len(particles.block)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        buffers.block_sums[k, at.PART_POTENTIAL] = drift_particles(
            particles, begin, stop, now.position, now.velocity, middle, ahead.position, ahead.velocity, ahead.force, dt)
        if len(arrays.acts.forces.kind) > 0:
            add_particle_forces(arrays.acts.forces, arrays.drives, begin, stop, ahead.force, end, inside)
    generation = meet(buffers.sync, team, generation)
    if len(rigids.mass) == 0 and driven_count(arrays.motions) == 0:
        return generation
    g = (particles.gravity[0], particles.gravity[1], particles.gravity[2])
    for i in range(member, len(rigids.mass), team):
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            continue
        buffers.rigid_sums[i, at.PART_POTENTIAL] = drift_rigid(rigids, i, now.rigid, middle_rigid, ahead.rigid, ahead.position,
                                                               ahead.velocity, middle, dt, g)
    generation = meet(buffers.sync, team, generation)
    if driven_count(arrays.motions) > 0:
        if member == 0:
            numbers[at.STEP_GRAVITY] = place_driven(arrays, buffers.rigid_first, ahead, end, inside)
            keep_driven(arrays, ahead, middle, middle_rigid)
        generation = meet(buffers.sync, team, generation)
    if len(arrays.mechanisms.free) > 0:
        if member == 0:
            drift_mechanisms(arrays, buffers, now, ahead, joints, next_joints)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def correct_apart(arrays, buffers, now, ahead, joints, next_joints, member, team, generation):
    """Dampers for the other half at the end of the step; the kinetic energy of each block and rigid, and how far they are from
    what was predicted."""
    particles, rigids, numbers, damping = value(arrays.particles), arrays.rigids, buffers.numbers, buffers.damping
    end, inside = numbers[at.STEP_END], numbers[at.INSIDE]
    if len(arrays.stiff.way) > 0:
        generation = slow_down(arrays, buffers, ahead, end, inside, member, team, generation)
    elif len(rigids.mass) > 0:
        load_rigids(arrays, buffers, ahead, buffers.touch.load, end, inside, member, team)
    if len(arrays.mechanisms.free) > 0:
        generation = meet(buffers.sync, team, generation)
        if member == 0:
            open_second_half(arrays, buffers, ahead, joints, next_joints)
        if len(arrays.stiff.way) > 0:
            generation = meet(buffers.sync, team, generation)
    generation = damp(arrays, buffers, ahead, next_joints.bound, damping.middle, damping.middle_rigid, ahead.velocity,
                      ahead.rigid, 0.5 * numbers[at.STEP_TAU], end, True, member, team, generation)
    if member == 0:
        book_dampers(arrays, buffers, ahead, ahead.velocity, ahead.rigid, 0.5 * numbers[at.STEP_TAU], True)
    blocks = len(particles.block)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        buffers.block_sums[k, at.PART_KINETIC] = kinetic_energy(particles, begin, stop, ahead.velocity)
        buffers.block_sums[k, at.PART_PATH] = off_prediction(particles, begin, stop, now.velocity, damping.middle,
                                                                  ahead.velocity)
    if member == 0 and len(arrays.mechanisms.free) > 0:
        close_mechanisms(arrays, buffers, now, ahead, joints, next_joints)
    for i in range(member, len(rigids.mass), team):
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            continue
        buffers.rigid_sums[i, at.PART_KINETIC] = rigid_energy(rigids, i, ahead.rigid)
        buffers.rigid_sums[i, at.PART_PATH] = rigid_off_prediction(rigids, i, now.rigid, damping.middle_rigid, ahead.rigid,
                                                                   numbers[at.STEP_TAU])
    generation = meet(buffers.sync, team, generation)
    if len(arrays.stiff.way) > 0:
        generation = stiff_energies(arrays, buffers, ahead, member, team, generation)
    return generation
