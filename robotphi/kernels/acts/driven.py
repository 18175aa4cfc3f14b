"""Driven axes, and bodies that are led: placed where their drives say, and the work that this takes."""
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.acts.led import place_led, set_turning, settle_led
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot, scaled
from robotphi.kernels.step.entries import EXTRA, NEXT_RATE
from robotphi.kernels.step.rigids import (
    CENTRE,
    MOMENTUM,
    SPIN,
    VELOCITY,
    carry_particles,
    carry_velocities,
    get3,
    row3,
    turned,
)


@inlined
def driven_count(motions):
    """How many axes are driven and bodies led."""
    return len(motions.particle) + len(motions.rigid) + len(motions.led.particle) + len(motions.led.rigid)


@kernel
def settle_driven(arrays, buffers, before, ahead, time, inside):
    """All that is driven and led, behind the correction; returns the correction of the kinetic energy."""
    change = settle_driven_particles(arrays, buffers, before, ahead, time, inside)
    change += settle_driven_rigids(arrays, buffers, before, ahead, time, inside)
    return change + settle_led(arrays, buffers, before, ahead, time, inside)


@kernel
def place_driven(arrays, first_orientation, ahead, time, inside):
    """Put driven axes where their drives say at `time`; returns the correction of the potential energy."""
    motions, drives, particles, rigids = arrays.motions, arrays.drives, arrays.particles, arrays.rigids
    position, velocity, rigid = ahead.position, ahead.velocity, ahead.rigid
    change = 0.0
    for k in range(len(motions.particle)):
        p, axis = motions.particle[k], motions.particle_axis[k]
        value, rate = drive_value(drives, motions.particle_drive[k], time, inside)
        value += motions.particle_base[k]
        change -= particles.mass[p] * particles.gravity[axis] * (value - position[p, axis])
        position[p, axis] = value
        velocity[p, axis] = rate
    for k in range(len(motions.rigid)):
        i, axis = motions.rigid[k], motions.rigid_axis[k]
        value, rate = drive_value(drives, motions.rigid_drive[k], time, inside)
        value += motions.rigid_base[k]
        if axis < 3:
            change -= rigids.mass[i] * particles.gravity[axis] * (value - rigid[i, CENTRE + axis])
            rigid[i, CENTRE + axis] = value
            rigid[i, VELOCITY + axis] = rate
        else:
            turn_driven(rigids, i, first_orientation, row3(motions.rigid_direction, k), rigid, value, rate)
    for k in range(len(motions.rigid)):
        carry_particles(rigids, motions.rigid[k], rigid, position, velocity)
    return change + place_led(arrays, ahead, time, inside)


@kernel
def turn_driven(rigids, i, first_orientation, direction, rigid, angle, rate):
    """Orientation and spin of a rigid whose rotation is driven: `angle` from its first orientation."""
    first = (first_orientation[i, 0], first_orientation[i, 1], first_orientation[i, 2], first_orientation[i, 3])
    set_turning(rigids, i, rigid, turned(first, scaled(direction, angle)), scaled(direction, rate))


@kernel
def settle_driven_particles(arrays, buffers, before, ahead, time, inside):
    """Velocities of driven axes of particles after the correction, and the power of their drives.

    A drive takes up what the force on its axis does and what the kinetic energy of the axis asks: power −f v, and ½ m Δ(v²)
    since `before`. Returns the correction of the kinetic energy.
    """
    motions, mass = arrays.motions, arrays.particles.mass
    velocity, books = ahead.velocity, buffers.books
    change = 0.0
    for k in range(len(motions.particle)):
        p, axis, drive = motions.particle[k], motions.particle_axis[k], motions.particle_drive[k]
        rate = drive_value(arrays.drives, drive, time, inside)[1]
        speed = before.velocity[p, axis]
        entry = buffers.book_of_drive[drive]
        books[entry, EXTRA] += 0.5 * mass[p] * (rate * rate - speed * speed)
        books[entry, NEXT_RATE] -= ahead.force[p, axis] * rate
        change += 0.5 * mass[p] * (rate * rate - velocity[p, axis] * velocity[p, axis])
        velocity[p, axis] = rate
    return change


@kernel
def settle_driven_rigids(arrays, buffers, before, ahead, time, inside):
    """The same for rigids."""
    motions, rigids, rigid, load = arrays.motions, arrays.rigids, ahead.rigid, ahead.load
    change = 0.0
    for k in range(len(motions.rigid)):
        i, axis, drive = motions.rigid[k], motions.rigid_axis[k], motions.rigid_drive[k]
        value, rate = drive_value(arrays.drives, drive, time, inside)
        if axis < 3:
            half_mass = 0.5 * rigids.mass[i]
            first = half_mass * before.rigid[i, VELOCITY + axis] * before.rigid[i, VELOCITY + axis]
            found = half_mass * rigid[i, VELOCITY + axis] * rigid[i, VELOCITY + axis]
            after = half_mass * rate * rate
            rigid[i, VELOCITY + axis] = rate
            power = -load[i, axis] * rate
        else:
            direction = row3(motions.rigid_direction, k)
            first = 0.5 * dot(get3(before.rigid, i, MOMENTUM), get3(before.rigid, i, SPIN))
            found = 0.5 * dot(get3(rigid, i, MOMENTUM), get3(rigid, i, SPIN))
            turn_driven(rigids, i, buffers.rigid_first, direction, rigid, value + motions.rigid_base[k], rate)
            after = 0.5 * dot(get3(rigid, i, MOMENTUM), get3(rigid, i, SPIN))
            power = -rate * dot(direction, (load[i, 3], load[i, 4], load[i, 5]))
        entry = buffers.book_of_drive[drive]
        buffers.books[entry, EXTRA] += after - first
        buffers.books[entry, NEXT_RATE] += power
        change += after - found
    for k in range(len(motions.rigid)):
        carry_velocities(rigids, motions.rigid[k], rigid, ahead.velocity)
    return change
