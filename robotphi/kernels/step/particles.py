"""Kick, drift, kick of particles, a row at a time."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import lane_sum, load, row, set_row, splat


@inlined
def mobility(particles, i):
    """Inverse mass of row i on each axis; a byte for the axes instead of a row of numbers saves an eighth of the traffic."""
    return row(particles.moves, int(particles.axes[i])) * particles.inverse_mass[i]


@kernel
def predict_particles(particles, begin, end, position, velocity, force, next_position, next_velocity, next_force, dt):
    """v' = v + τ M⁻¹ f, x⁺ = x + τ (v + v')/2; sets the next force to the weight.

    Returns the change of the potential energy in the uniform field.
    """
    change = splat(0.0)
    gravity = load(particles.gravity, 0)
    for i in range(begin, end):
        v = row(velocity, i)
        ahead = v + row(force, i) * mobility(particles, i) * dt
        mean = (v + ahead) * 0.5
        weight = gravity * particles.mass[i]
        set_row(next_position, i, row(position, i) + mean * dt)
        set_row(next_velocity, i, ahead)
        set_row(next_force, i, weight)
        change = change + mean * weight
    return -dt * lane_sum(change)


@kernel
def correct_particles(particles, begin, end, velocity, next_velocity, next_force, dt):
    """v⁺ = (v + v')/2 + ½ τ M⁻¹ f⁺; returns the kinetic energy and ½ Σ m |v⁺ − v'|² on axes that move, see `path`."""
    energy, change = splat(0.0), splat(0.0)
    half = 0.5 * dt
    for i in range(begin, end):
        kick = row(next_force, i) * mobility(particles, i) * half
        predicted = row(next_velocity, i)
        v = (row(velocity, i) + predicted) * 0.5 + kick
        set_row(next_velocity, i, v)
        energy = energy + v * v * particles.mass[i]
        off = (v - predicted) * row(particles.moves, int(particles.axes[i]))
        change = change + off * off * particles.mass[i]
    return 0.5 * lane_sum(energy), 0.5 * lane_sum(change)


@kernel
def kinetic_energy(particles, begin, end, velocity):
    """½ Σ m v²."""
    energy = splat(0.0)
    for i in range(begin, end):
        v = row(velocity, i)
        energy = energy + v * v * particles.mass[i]
    return 0.5 * lane_sum(energy)


@kernel
def set_weight(particles, begin, end, force):
    """Set the force to the weight."""
    gravity = load(particles.gravity, 0)
    for i in range(begin, end):
        set_row(force, i, gravity * particles.mass[i])


@kernel
def force_scale(particles, begin, end, force):
    """½ Σ f²/m: times a time squared, the kinetic energy that the present forces give in that time."""
    total = splat(0.0)
    for i in range(begin, end):
        f = row(force, i)
        total = total + f * f * mobility(particles, i)
    return 0.5 * lane_sum(total)


@kernel
def largest_coordinate(position, count):
    """The largest of so many particles, whichever its sign."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(count):
        x, y, z = max(x, abs(position[i, 0])), max(y, abs(position[i, 1])), max(z, abs(position[i, 2]))
    return max(x, y, z)
