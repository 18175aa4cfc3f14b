"""One stage of the dampers for particles and rigids (see `damp`), and the drift with the velocity that they leave.

Positions and orientations are held in a stage. `impulse` holds what dampers have pushed each particle with [N·s]; particles of
rigids hand theirs on to the rigid. With f the other forces for a time t of the stage, particles have
    v = v₀ + M⁻¹ (t f + J),
and rigids V = V₀ + (t F + Σ J)/M and L = L₀ + t N + Σ r × J.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import lane_sum, load, row, set_row, splat
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.particles import mobility
from robotphi.kernels.step.rigids import (
    CENTRE,
    HELD,
    MOMENTUM,
    PARTLY,
    SPIN,
    VELOCITY,
    carry_particles,
    get_orientation,
    row3,
    spin_of,
    support_momentum,
    turn_free,
    turn_supported,
)


@kernel
def clear_rows(rows, begin, end):
    for i in range(begin, end):
        set_row(rows, i, splat(0.0))


@inlined
def kick_row(particles, i, f, j, time, start, found, pushed):
    """Velocity of row i in a stage, v₀ + M⁻¹ (t f + J), nothing pushed since; returns f·(v − v₀)."""
    kick = (f * time + j) * mobility(particles, i)
    set_row(pushed, i, splat(0.0))
    set_row(found, i, row(start, i) + kick)
    return f * kick


@kernel
def first_stage(particles, begin, end, force, start, found, first, pushed, impulse, before, share):
    """The first stage: J = share × the forces of the dampers at its start; returns Σ f·(v − v₀) [W]."""
    power, nothing = splat(0.0), splat(0.0)
    for i in range(begin, end):
        f, j = row(force, i), row(first, i) * share
        set_row(impulse, i, j)
        set_row(before, i, nothing)
        power = power + kick_row(particles, i, f, j, share, start, found, pushed)
    return lane_sum(power)


@kernel
def later_stage(particles, begin, end, force, start, found, first, pushed, impulse, before, weights, time):
    """J = μ J₋₁ + ν J₋₂ + μ̃ h D₋₁ + γ̃ h D₀, written over J₋₂; returns Σ f·(v − v₀) [W]."""
    on_last, on_before, on_pushed, on_first = weights
    power = splat(0.0)
    for i in range(begin, end):
        f = row(force, i)
        j = (row(impulse, i) * on_last + row(before, i) * on_before) + (row(pushed, i) * on_pushed + row(first, i) * on_first)
        set_row(before, i, j)
        power = power + kick_row(particles, i, f, j, time, start, found, pushed)
    return lane_sum(power)


@kernel
def impulse_on_way(begin, end, start, found, impulse):
    """Σ J·(v₀ + v)/2 [J]"""
    total = splat(0.0)
    for i in range(begin, end):
        total = total + row(impulse, i) * (row(start, i) + row(found, i))
    return 0.5 * lane_sum(total)


@kernel
def drift_particles(particles, begin, end, position, velocity, middle, next_position, next_velocity, next_force, dt):
    """x⁺ = x + τ v½ and the predicted velocity v' = 2 v½ − v; sets the next force to the weight.

    Returns the change of the potential energy in the uniform field.
    """
    change = splat(0.0)
    gravity = load(particles.gravity, 0)
    for i in range(begin, end):
        mean = row(middle, i)
        weight = gravity * particles.mass[i]
        set_row(next_position, i, row(position, i) + mean * dt)
        set_row(next_velocity, i, mean * 2.0 - row(velocity, i))
        set_row(next_force, i, weight)
        change = change + mean * weight
    return -dt * lane_sum(change)


@kernel
def off_prediction(particles, begin, end, velocity, middle, next_velocity):
    """½ Σ m |v⁺ − v'|² with the predicted velocity v' = 2 v½ − v, on axes that move, see `path`."""
    change = splat(0.0)
    for i in range(begin, end):
        off = (row(next_velocity, i) - row(middle, i) * 2.0 + row(velocity, i)) * row(particles.moves, int(particles.axes[i]))
        change = change + off * off * particles.mass[i]
    return 0.5 * lane_sum(change)


# Rigids ---------------------------------------------------------------------------------------------------------------

@inlined
def gather_impulse(rigids, i, centre, position, impulse):
    """Impulse on rigid i and its moment about the centre."""
    total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(rigids.start[i], rigids.used[i]):
        p = rigids.particle[k]
        j = read(impulse, p)
        total = plus(total, j)
        moment = plus(moment, cross(minus(read(position, p), centre), j))
    return total, moment


@inlined
def stays(rigids, i):
    """Whether rigid i is held or driven in all, so that no stage changes how it moves."""
    return (rigids.rotation[i] == HELD and rigids.inverse_mass[i, 0] == 0.0 and rigids.inverse_mass[i, 1] == 0.0
            and rigids.inverse_mass[i, 2] == 0.0)


@kernel
def rigid_stage(rigids, i, position, at_place, load, start, found, found_velocity, impulse, of_rows, time):
    """Velocity, angular momentum and spin of rigid i in a stage, and the velocities of its particles.

    `at_place` is its row of centre and orientation, `of_rows` impulse and moment by rows of contact.
    Returns F·(V − V₀) + N·(ω − ω₀) [W].
    """
    centre, q, inverse = get3(at_place, i, CENTRE), get_orientation(at_place, i), row3(rigids.inverse_inertia, i)
    total, moment = gather_impulse(rigids, i, centre, position, impulse)
    total, moment = plus(total, of_rows[0]), plus(moment, of_rows[1])
    force, torque = (load[i, 0], load[i, 1], load[i, 2]), (load[i, 3], load[i, 4], load[i, 5])
    gain = row3(rigids.inverse_mass, i)
    push = plus(scaled(force, time), total)
    kick = (gain[0] * push[0], gain[1] * push[1], gain[2] * push[2])
    momentum, spin = get3(start, i, MOMENTUM), get3(start, i, SPIN)
    turn = (0.0, 0.0, 0.0)
    if rigids.rotation[i] != HELD:
        momentum = plus(momentum, plus(scaled(torque, time), moment))
        if rigids.rotation[i] == PARTLY:
            momentum = support_momentum(q, momentum, inverse, row3(rigids.support, i))
        first, spin = spin, spin_of(q, momentum, inverse)
        turn = minus(spin, first)
    speed = plus(get3(start, i, VELOCITY), kick)
    set3(found, i, VELOCITY, speed)
    set3(found, i, MOMENTUM, momentum)
    set3(found, i, SPIN, spin)
    for k in range(rigids.start[i], rigids.used[i]):
        p = rigids.particle[k]
        v = plus(speed, cross(spin, minus(read(position, p), centre)))
        found_velocity[p, 0], found_velocity[p, 1], found_velocity[p, 2] = v
    return dot(force, kick) + dot(torque, turn)


@kernel
def drift_rigid(rigids, i, now, middle, ahead, position, velocity, middle_velocity, dt, gravity):
    """Drift of rigid i with the velocity and angular momentum of the middle; these are then what it has at its new place.

    `ahead` gets the velocities predicted for the end. Returns the change of its potential energy in the uniform field.
    """
    inverse = row3(rigids.inverse_inertia, i)
    drift, momentum, q = scaled(get3(middle, i, VELOCITY), dt), get3(middle, i, MOMENTUM), get_orientation(now, i)
    set3(ahead, i, CENTRE, plus(get3(now, i, CENTRE), drift))
    set3(ahead, i, VELOCITY, minus(scaled(get3(middle, i, VELOCITY), 2.0), get3(now, i, VELOCITY)))
    if rigids.rotation[i] == HELD:
        next_momentum, next_spin = momentum, (0.0, 0.0, 0.0)
    else:
        next_momentum = minus(scaled(momentum, 2.0), get3(now, i, MOMENTUM))
        if rigids.rotation[i] == PARTLY:
            support = row3(rigids.support, i)
            q = turn_supported(q, momentum, inverse, support, dt)
            momentum = support_momentum(q, momentum, inverse, support)
            next_momentum = support_momentum(q, next_momentum, inverse, support)
            set3(middle, i, MOMENTUM, momentum)
        else:
            q = turn_free(q, momentum, inverse, dt)
        next_spin = spin_of(q, next_momentum, inverse)
        set3(middle, i, SPIN, spin_of(q, momentum, inverse))
    for row_of in (ahead, middle):
        row_of[i, 6], row_of[i, 7], row_of[i, 8], row_of[i, 9] = q
    set3(middle, i, CENTRE, get3(ahead, i, CENTRE))
    set3(ahead, i, MOMENTUM, next_momentum)
    set3(ahead, i, SPIN, next_spin)
    carry_particles(rigids, i, middle, position, middle_velocity)
    carry_particles(rigids, i, ahead, position, velocity)
    return -rigids.mass[i] * dot(gravity, drift)
