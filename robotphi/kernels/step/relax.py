"""Static equilibrium by kinetic damping: move without damping, stop all motion whenever the kinetic energy has passed a peak.

Masses are fictitious, a share of the stiffness bound of each particle (see `stability`), so that every part moves as fast as it
stably can with a step of one. Springs pull at rest: no viscosity, plastic flow and turns as they were.
"""
import functools
import math

from robotphi.kernels.acts.forces import add_particle_forces
from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import refer, taker, value
from robotphi.kernels.maths.vectors import get3, set3
from robotphi.kernels.springs.forces import add_spring_forces, load_rigids
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.particles import set_weight
from robotphi.kernels.step.rigids import CENTRE, HELD, carry_others, carry_particles, get_orientation, turned
from robotphi.kernels.step.slots import STIFF
from robotphi.kernels.step.stiffness import bound_stiffness

BOLDNESS = 2.0     # times the inverse stiffness bound: 4 would be the limit of stability for a linear scene


@kernel
def fit_gains(arrays, buffers, gain, rigid_gain):
    """Inverse fictitious masses, (rows, 4) and (r, 6); zero where nothing may move."""
    particles, rigids = arrays.particles, arrays.rigids
    now = refer(Instant(buffers.position, buffers.velocity, buffers.force, buffers.rigid, buffers.load))
    bound_stiffness(arrays, buffers, now, 0.0, 0.0)
    bound = buffers.stiffness_bound
    for i in range(len(particles.mass)):
        size = BOLDNESS / bound[i, STIFF] if bound[i, STIFF] > 0.0 else 0.0
        for axis in range(3):
            gain[i, axis] = size * particles.moves[particles.axes[i], axis]
    for i in range(len(rigids.mass)):
        mass, inertia = 0.0, 0.0
        for k in range(rigids.start[i], rigids.start[i + 1]):
            s = bound[rigids.particle[k], STIFF]
            mass += s
            for axis in range(3):
                inertia += s * rigids.local[k, axis] * rigids.local[k, axis]
        for axis in range(3):
            free = mass > 0.0 and rigids.inverse_mass[i, axis] > 0.0
            turns = inertia > 0.0 and rigids.rotation[i] != HELD and rigids.support[i, axis] == 0.0
            rigid_gain[i, axis] = 0.5 * BOLDNESS / mass if free else 0.0
            rigid_gain[i, 3 + axis] = 0.5 * BOLDNESS / inertia if turns else 0.0


@kernel
def pull(arrays, buffers, still):
    """Forces at the present positions with everything at rest."""
    particles = value(arrays.particles)
    time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
    set_weight(particles, 0, len(particles.mass), buffers.force)
    add_particle_forces(arrays.acts.forces, arrays.drives, 0, len(particles.mass), buffers.force, time, inside)
    add_spring_forces(arrays, buffers, buffers.position, still, buffers.force, time, inside, 0, 0, 1, 0)
    now = refer(Instant(buffers.position, still, buffers.force, buffers.rigid, buffers.load))
    load_rigids(arrays, buffers, now, buffers.still_load, time, inside, 0, 1)


@kernel
def largest_residual(force, gain, load, rigid_gain, arms):
    """Largest force on a free axis [N]; moments count over the arm of their rigid."""
    largest = 0.0
    for i in range(force.shape[0]):
        for axis in range(3):
            if gain[i, axis] > 0.0:
                largest = max(largest, abs(force[i, axis]))
    for i in range(load.shape[0]):
        for axis in range(3):
            if rigid_gain[i, axis] > 0.0:
                largest = max(largest, abs(load[i, axis]))
            if rigid_gain[i, 3 + axis] > 0.0:
                largest = max(largest, abs(load[i, 3 + axis]) / arms[i])
    return largest


@kernel
def kinetic(speed, gain):
    """½ Σ v²/gain over what may move."""
    total = 0.0
    for i in range(speed.shape[0]):
        for axis in range(speed.shape[1]):
            if gain[i, axis] > 0.0:
                total += speed[i, axis] * speed[i, axis] / gain[i, axis]
    return 0.5 * total


@kernel
def push(speed, gain, force, share):
    """v ← v + share · gain · f"""
    for i in range(speed.shape[0]):
        for axis in range(min(speed.shape[1], force.shape[1])):
            speed[i, axis] += share * gain[i, axis] * force[i, axis]


@kernel
def move(arrays, buffers, speed, rigid_speed, still):
    """x ← x + v, orientations turned by their spin."""
    position, rigid = buffers.position, buffers.rigid
    for i in range(position.shape[0]):
        for axis in range(3):
            position[i, axis] += speed[i, axis]
    for i in range(rigid.shape[0]):
        centre = get3(rigid, i, CENTRE)
        set3(rigid, i, CENTRE, (centre[0] + rigid_speed[i, 0], centre[1] + rigid_speed[i, 1], centre[2] + rigid_speed[i, 2]))
        q = turned(get_orientation(rigid, i), (rigid_speed[i, 3], rigid_speed[i, 4], rigid_speed[i, 5]))
        rigid[i, 6], rigid[i, 7], rigid[i, 8], rigid[i, 9] = q
        carry_particles(arrays.rigids, i, rigid, position, still)
        carry_others(arrays.rigids, i, rigid, position, still)


def make_relax(take_arrays, take_buffers):
    def relax_steps(arrays_address, buffers_address, speed, gain, rigid_speed, rigid_gain, arms, still, progress, wanted,
                    steps):
        """Up to `steps` steps towards equilibrium; returns the residual [N]. With none, one move by the speeds.

        `progress` keeps the kinetic energy (negative before the first step), the number of peaks and that of steps.
        """
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        residual = math.inf
        if steps == 0:
            move(arrays, buffers, speed, rigid_speed, still)
            pull(arrays, buffers, still)
        for _ in range(steps):
            pull(arrays, buffers, still)
            if progress[0] < 0.0:
                fit_gains(arrays, buffers, gain, rigid_gain)
            residual = largest_residual(buffers.force, gain, buffers.load, rigid_gain, arms)
            if not residual > wanted:
                return residual
            progress[2] += 1.0
            starts = progress[0] <= 0.0
            share = 0.5 if starts else 1.0
            push(speed, gain, buffers.force, share)
            push(rigid_speed, rigid_gain, buffers.load, share)
            energy = kinetic(speed, gain) + kinetic(rigid_speed, rigid_gain)
            if starts or energy > progress[0]:
                progress[0] = energy
                move(arrays, buffers, speed, rigid_speed, still)
            else:
                # the peak lies in the middle of the last move: back to it, stop, and let the masses follow the shape
                push(speed, gain, buffers.force, -share)
                push(rigid_speed, rigid_gain, buffers.load, -share)
                speed *= -0.5
                rigid_speed *= -0.5
                move(arrays, buffers, speed, rigid_speed, still)
                speed[:] = 0.0
                rigid_speed[:] = 0.0
                fit_gains(arrays, buffers, gain, rigid_gain)
                progress[0] = 0.0
                progress[1] += 1.0
        return residual
    return relax_steps


@functools.cache
def relax_on(arrays, buffers):
    """The steps for arrays and buffers of these types, by addresses (see `reference`)."""
    return entry(make_relax, taker(arrays), taker(buffers))
