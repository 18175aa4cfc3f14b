"""Virtual forces, driven axes, and the work they do."""
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import add_to, dot, minus, read, scaled
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import (
    CENTRE,
    MOMENTUM,
    ORIENTATION,
    SPIN,
    VELOCITY,
    add_rigid_force,
    carry_particles,
    get3,
    rotate,
    rotate_back,
    row3,
    set3,
    times,
    turned,
)

ON_PARTICLE, ON_RIGID, TORQUE = 0, 1, 2


@kernel
def add_particle_forces(forces, drives, begin, end, force, time, inside):
    """Add the virtual forces on particles begin … end."""
    for k in range(len(forces.kind)):
        if forces.kind[k] == ON_PARTICLE and begin <= forces.target[k] < end:
            amount = drive_value(drives, forces.drive[k], time, inside)[0]
            add_to(force, forces.target[k], row3(forces.direction, k), amount)


@kernel
def add_rigid_forces(forces, drives, i, load, time, inside):
    """Add the virtual forces and torques on rigid i."""
    for k in range(len(forces.kind)):
        if forces.kind[k] != ON_PARTICLE and forces.target[k] == i:
            amount = drive_value(drives, forces.drive[k], time, inside)[0]
            add_rigid_force(load, i, 0 if forces.kind[k] == ON_RIGID else 3, forces.direction[k], amount)


@kernel
def place_driven(arrays, first_orientation, position, velocity, rigid, time, inside):
    """Put driven axes where their drives say at `time`; returns the correction of the potential energy."""
    motions, drives, particles, rigids = arrays.motions, arrays.drives, arrays.particles, arrays.rigids
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
    return change


@kernel
def turn_driven(rigids, i, first_orientation, direction, rigid, angle, rate):
    """Orientation and spin of a rigid whose rotation is driven: `angle` from its first orientation."""
    first = (first_orientation[i, 0], first_orientation[i, 1], first_orientation[i, 2], first_orientation[i, 3])
    q = turned(first, scaled(direction, angle))
    spin = scaled(direction, rate)
    rigid[i, ORIENTATION], rigid[i, ORIENTATION + 1], rigid[i, ORIENTATION + 2], rigid[i, ORIENTATION + 3] = q
    set3(rigid, i, SPIN, spin)
    set3(rigid, i, MOMENTUM, rotate(q, times(rotate_back(q, spin), row3(rigids.inertia, i))))


@kernel
def settle_driven_particles(arrays, work_of_drive, work, velocity, force, before_velocity, time, inside):
    """Velocities of driven axes of particles after the correction, and the power of their drives.

    A drive takes up what the force on its axis does and what the kinetic energy of the axis asks: power −f v, and ½ m Δ(v²)
    since `before`. Returns the correction of the kinetic energy.
    """
    motions, mass = arrays.motions, arrays.particles.mass
    change = 0.0
    for k in range(len(motions.particle)):
        p, axis, drive = motions.particle[k], motions.particle_axis[k], motions.particle_drive[k]
        rate = drive_value(arrays.drives, drive, time, inside)[1]
        before = before_velocity[p, axis]
        entry = work_of_drive[drive]
        work[entry, at.WORK_EXTRA] += 0.5 * mass[p] * (rate * rate - before * before)
        work[entry, at.WORK_NEXT_RATE] -= force[p, axis] * rate
        change += 0.5 * mass[p] * (rate * rate - velocity[p, axis] * velocity[p, axis])
        velocity[p, axis] = rate
    return change


@kernel
def settle_driven_rigids(arrays, first_orientation, work_of_drive, work, position, velocity, rigid, load, before_rigid,
                         time, inside):
    """The same for rigids."""
    motions, rigids = arrays.motions, arrays.rigids
    change = 0.0
    for k in range(len(motions.rigid)):
        i, axis, drive = motions.rigid[k], motions.rigid_axis[k], motions.rigid_drive[k]
        value, rate = drive_value(arrays.drives, drive, time, inside)
        entry = work_of_drive[drive]
        if axis < 3:
            half_mass = 0.5 * rigids.mass[i]
            before = half_mass * before_rigid[i, VELOCITY + axis] * before_rigid[i, VELOCITY + axis]
            found = half_mass * rigid[i, VELOCITY + axis] * rigid[i, VELOCITY + axis]
            after = half_mass * rate * rate
            rigid[i, VELOCITY + axis] = rate
            power = -load[i, axis] * rate
        else:
            direction = row3(motions.rigid_direction, k)
            before = 0.5 * dot(get3(before_rigid, i, MOMENTUM), get3(before_rigid, i, SPIN))
            found = 0.5 * dot(get3(rigid, i, MOMENTUM), get3(rigid, i, SPIN))
            turn_driven(rigids, i, first_orientation, direction, rigid, value + motions.rigid_base[k], rate)
            after = 0.5 * dot(get3(rigid, i, MOMENTUM), get3(rigid, i, SPIN))
            power = -rate * dot(direction, (load[i, 3], load[i, 4], load[i, 5]))
        work[entry, at.WORK_EXTRA] += after - before
        work[entry, at.WORK_NEXT_RATE] += power
        change += after - found
    for k in range(len(motions.rigid)):
        carry_particles(rigids, motions.rigid[k], rigid, position, velocity)
    return change


@kernel
def add_force_power(forces, drives, work_of_force, work, velocity, rigid, time, inside):
    """Power of the virtual forces at the velocities given."""
    for k in range(len(forces.kind)):
        amount = drive_value(drives, forces.drive[k], time, inside)[0]
        if forces.kind[k] == ON_PARTICLE:
            speed = read(velocity, forces.target[k])
        elif forces.kind[k] == ON_RIGID:
            speed = get3(rigid, forces.target[k], VELOCITY)
        else:
            speed = get3(rigid, forces.target[k], SPIN)
        work[work_of_force[k], at.WORK_NEXT_RATE] += amount * dot(row3(forces.direction, k), speed)


@kernel
def force_potential(forces, drives, origin, position, rigid, time, inside):
    """−Σ F·(x − x0): the potential of the virtual forces as if they had always been what they are now."""
    total = 0.0
    for k in range(len(forces.kind)):
        if forces.kind[k] == ON_PARTICLE:
            at = read(position, forces.target[k])
        elif forces.kind[k] == ON_RIGID:
            at = get3(rigid, forces.target[k], CENTRE)
        else:
            continue  # a torque in space has no potential
        amount = drive_value(drives, forces.drive[k], time, inside)[0]
        total -= amount * dot(row3(forces.direction, k), minus(at, row3(origin, k)))
    return total
