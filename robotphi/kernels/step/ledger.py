"""The energy ledger of a step: what changed, what was lost, what was put in, and what nobody can explain.

    residual = ΔK + ΔU + ΔC + ΔB + ΔG + D + P + H + R + M − W
with C the energy stored in contacts, H and R what contact and friction take (rates by the trapezoid, slip by mean force × way),
B the energy of the liquid displaced, M what the drag of the medium takes (the work of the wind is part of W),
D = ½ τ (d + d⁺) of the dissipation rate d = Σ μ L̇², P the plastic loss, W = ½ τ (p + p⁺) of the power of drives and virtual
forces plus what a drive gives the inertia of its own axis. No entry is made by difference, so that whatever the
scheme gets wrong shows as residual.
"""
import math

from robotphi.kernels.acts.forces import add_force_power, settle_driven_particles, settle_driven_rigids
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.springs.table import ENERGY as SPRING_ENERGY
from robotphi.kernels.springs.table import LOSS, POWER
from robotphi.kernels.step import slots as at


@inlined
def add_compensated(values, place, amount):
    """values[place] += amount, the rounding kept in values[place + 1] (Neumaier)."""
    old = values[place]
    new = old + amount
    if abs(old) >= abs(amount):
        values[place + 1] += (old - new) + amount
    else:
        values[place + 1] += (amount - new) + old
    values[place] = new


@inlined
def column_sum(parts, column):
    """Sum over rows, in their order."""
    total = 0.0
    for i in range(parts.shape[0]):
        total += parts[i, column]
    return total


@kernel
def collect_power(arrays, buffers, position, velocity, force, rigid, load, before_velocity, before_rigid, time, inside):
    """Power of every drive and virtual force into the next rates; returns the correction of the kinetic energy."""
    work = buffers.work
    for entry in range(work.shape[0]):
        work[entry, at.WORK_NEXT_RATE] = 0.0
    add_spring_power(arrays.linear_law.drive, buffers.linear_law, buffers.work_of_drive, work)
    add_spring_power(arrays.angular_law.drive, buffers.angular_law, buffers.work_of_drive, work)
    add_spring_power(arrays.articular.drive, buffers.articular, buffers.work_of_drive, work)
    change = settle_driven_particles(arrays, buffers.work_of_drive, work, velocity, force, before_velocity, time, inside)
    change += settle_driven_rigids(arrays, buffers.rigid_first, buffers.work_of_drive, work, position, velocity, rigid,
                                   load, before_rigid, time, inside)
    add_force_power(arrays.forces, arrays.drives, buffers.work_of_force, work, velocity, rigid, time, inside)
    return change


@kernel
def add_spring_power(drive, state, work_of_drive, work):
    """Power that drives put into springs by moving their rest value."""
    for i in range(len(drive)):
        if drive[i] >= 0:
            work[work_of_drive[drive[i]], at.WORK_NEXT_RATE] += state[i, POWER]


@kernel
def book_jump(arrays, buffers, sign):
    """Energy of driven springs, with a sign: before and after a jump of their drives, it is the work of the jump.

    At rest the path of the jump is known, and the energy is the exact integral of the force along it.
    """
    work = buffers.work
    for drive, state in ((arrays.linear_law.drive, buffers.linear_law), (arrays.angular_law.drive, buffers.angular_law),
                         (arrays.articular.drive, buffers.articular)):
        for i in range(len(drive)):
            if drive[i] >= 0:
                gained = state[i, SPRING_ENERGY]
                if sign > 0.0:
                    gained += state[i, LOSS]
                work[buffers.work_of_drive[drive[i]], at.WORK_EXTRA] += sign * gained


@kernel
def step_work(work, dt):
    """Work of all drives and forces over the step, and the sum of its absolute values."""
    total, size = 0.0, 0.0
    for entry in range(work.shape[0]):
        amount = 0.5 * dt * (work[entry, at.WORK_RATE] + work[entry, at.WORK_NEXT_RATE]) + work[entry, at.WORK_EXTRA]
        total += amount
        size += abs(amount)
    return total, size


@kernel
def keep_work(work, dt, numbers):
    """Book the work of an accepted step; its end rates are the next start rates."""
    for entry in range(work.shape[0]):
        amount = 0.5 * dt * (work[entry, at.WORK_RATE] + work[entry, at.WORK_NEXT_RATE]) + work[entry, at.WORK_EXTRA]
        add_compensated(work[entry], at.WORK_SUM, amount)
        numbers[at.WORK_DONE] += abs(amount)
        work[entry, at.WORK_RATE] = work[entry, at.WORK_NEXT_RATE]
        work[entry, at.WORK_EXTRA] = 0.0


@kernel
def sum_groups(sums):
    """Elastic energies by kind, dissipation rate and plastic loss over all groups."""
    linear = column_sum(sums, 0)
    angular = column_sum(sums, 1)
    articular = column_sum(sums, 2)
    return linear, angular, articular, column_sum(sums, at.SUM_LOSS), column_sum(sums, at.SUM_PLASTIC)


@kernel
def stored_change(numbers, linear, angular, articular, contact, buoyancy, gravity):
    """Σ |change since the start| of the stored energies."""
    return (abs(linear - numbers[at.LINEAR_START]) + abs(angular - numbers[at.ANGULAR_START])
            + abs(articular - numbers[at.ARTICULAR_START]) + abs(contact - numbers[at.CONTACT_START])
            + abs(buoyancy - numbers[at.BUOYANCY_START]) + abs(gravity))


@kernel
def raise_reference(numbers):
    """E_ref: the largest so far of kinetic + |stored changes| + accumulated |work|."""
    now = (numbers[at.KINETIC] + numbers[at.WORK_DONE]
           + stored_change(numbers, numbers[at.LINEAR], numbers[at.ANGULAR], numbers[at.ARTICULAR], numbers[at.CONTACT],
                           numbers[at.BUOYANCY], numbers[at.GRAVITY]))
    if math.isfinite(now):
        numbers[at.REFERENCE] = max(numbers[at.REFERENCE], now)

