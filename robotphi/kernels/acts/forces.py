"""Virtual forces and torques, and the work they do.

They know neither place nor speed. So they are not part of the stage of acts: forces on particles are set with the weight,
before any spring pulls (where rows are moved slab by slab, with each slab), those on rigids are added one after the other to
the load of a rigid.
"""
from robotphi.kernels.acts.act import Act
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import add_to, dot, get3, minus, read
from robotphi.kernels.step.entries import NEXT_RATE
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, add_rigid_force, row3

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
def power(forces, drives, buffers, now, time, inside):
    """Power of the virtual forces at the velocities given."""
    for k in range(len(forces.kind)):
        amount = drive_value(drives, forces.drive[k], time, inside)[0]
        if forces.kind[k] == ON_PARTICLE:
            speed = read(now.velocity, forces.target[k])
        elif forces.kind[k] == ON_RIGID:
            speed = get3(now.rigid, forces.target[k], VELOCITY)
        else:
            speed = get3(now.rigid, forces.target[k], SPIN)
        buffers.books[buffers.book_of_force[k], NEXT_RATE] += amount * dot(row3(forces.direction, k), speed)


@kernel
def potential(forces, drives, buffers, now, time, inside):
    """−Σ F·(x − x0): the potential of the virtual forces as if they had always been what they are now."""
    total = 0.0
    for k in range(len(forces.kind)):
        if forces.kind[k] == ON_PARTICLE:
            at = read(now.position, forces.target[k])
        elif forces.kind[k] == ON_RIGID:
            at = get3(now.rigid, forces.target[k], CENTRE)
        else:
            continue  # a torque in space has no potential
        amount = drive_value(drives, forces.drive[k], time, inside)[0]
        total -= amount * dot(row3(forces.direction, k), minus(at, row3(buffers.force_origin, k)))
    return total


ACT = Act("forces", power=power, potential=potential)
