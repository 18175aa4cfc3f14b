"""Rigid primitives: one row each of centre, velocity, orientation, angular momentum and spin.

Angular momentum is kept in the world frame, so that without torque it stays the same to the last bit. Its energy is

    ½ Σ L_k²/I_k = ½ |L|²/I_m + ½ Σ_k≠m (1/I_k − 1/I_m) L_k²        I_m the middle moment, L_k along principal axis k

and each term has an exact flow with the momentum held: a turn about the momentum by |L| τ/I_m, which changes no L_k and so
commutes with the others, and turns about the two other axes by (1/I_k − 1/I_m) L_k τ, taken as a symmetric product. So a step
is symplectic and its energy never drifts; bodies with two or three equal moments turn exactly, however far.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import lane_of, set_row
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3

# columns of a rigid's row
CENTRE, VELOCITY, ORIENTATION, MOMENTUM, SPIN = 0, 3, 6, 10, 13
RIGID_COLUMNS = 16
FREE, PARTLY, HELD = 0, 1, 2  # rotation


@inlined
def get_orientation(row, i):
    return row[i, 6], row[i, 7], row[i, 8], row[i, 9]


@inlined
def rotate(q, a):
    """Principal frame to world: a + 2 w (u × a) + 2 u × (u × a)."""
    u = (q[1], q[2], q[3])
    t = scaled(cross(u, a), 2.0)
    return plus(plus(a, scaled(t, q[0])), cross(u, t))


@inlined
def rotate_back(q, a):
    """World to principal frame."""
    return rotate((q[0], -q[1], -q[2], -q[3]), a)


@inlined
def spin_of(q, momentum, inverse):
    """ω = R I⁻¹ Rᵀ L."""
    body = rotate_back(q, momentum)
    return rotate(q, (body[0] * inverse[0], body[1] * inverse[1], body[2] * inverse[2]))


@inlined
def of_length_one(q):
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * size, q[1] * size, q[2] * size, q[3] * size


@inlined
def turned(q, rotation):
    """exp(rotation) q: the orientation after a turn by a world rotation vector [rad]."""
    angle = math.sqrt(dot(rotation, rotation))
    half = 0.5 * angle
    scale = math.sin(half) / angle if angle > 1e-8 else 0.5 - angle * angle / 48.0
    w = math.cos(half)
    x, y, z = scaled(rotation, scale)
    return of_length_one((w * q[0] - x * q[1] - y * q[2] - z * q[3], w * q[1] + x * q[0] + y * q[3] - z * q[2],
                 w * q[2] - x * q[3] + y * q[0] + z * q[1], w * q[3] + x * q[2] - y * q[1] + z * q[0]))


@inlined
def axes_by_moment(inverse):
    """Principal axes: of the middle moment, of the two others that whose 1/I is farther from the middle's first."""
    a, b, c = inverse
    middle = 0
    if (a - b) * (b - c) >= 0.0:
        middle = 1
    elif (a - c) * (c - b) >= 0.0:
        middle = 2
    first, second = (middle + 1) % 3, (middle + 2) % 3
    if abs(inverse[second] - inverse[middle]) > abs(inverse[first] - inverse[middle]):
        return middle, second, first
    return middle, first, second


@inlined
def turn_about(q, momentum, axis, rate, dt):
    """Exact flow of ½ rate L_axis² for dt: a turn about that principal axis by rate L_axis dt."""
    half = 0.5 * dt * rate * rotate_back(q, momentum)[axis]
    c, s = math.cos(half), math.sin(half)
    w, x, y, z = q
    if axis == 0:
        return c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    if axis == 1:
        return c * w - s * y, c * x - s * z, c * y + s * w, c * z + s * x
    return c * w - s * z, c * x + s * y, c * y - s * x, c * z + s * w


@kernel
def turn_free(q, momentum, inverse, dt):
    """Torque-free rotation over dt, second order, momentum exact.

    The larger of the two turns is the one that is halved: with a and b for 1/I_k − 1/I_m of the outer and the inner one, the
    energy that the product conserves differs by τ² a b (a L_a² (L_b² − L_m²)/24 + b L_b² (L_m² − L_a²)/12).
    """
    middle, outer, inner = axes_by_moment(inverse)
    a, b = inverse[outer] - inverse[middle], inverse[inner] - inverse[middle]
    q = turn_about(q, momentum, outer, a, 0.5 * dt)
    q = turn_about(q, momentum, inner, b, dt)
    q = turn_about(q, momentum, outer, a, 0.5 * dt)
    return turned(q, scaled(momentum, inverse[middle] * dt))


@inlined
def support_momentum(q, momentum, inverse, support):
    """Momentum after the impulse of a support that holds one or two world axes: no spin about them."""
    first = 0 if support[0] > 0.0 else (1 if support[1] > 0.0 else 2)
    second = 2 if support[2] > 0.0 else (1 if support[1] > 0.0 else 0)
    spin = spin_of(q, momentum, inverse)
    e = (1.0 if first == 0 else 0.0, 1.0 if first == 1 else 0.0, 1.0 if first == 2 else 0.0)
    from_e = spin_of(q, e, inverse)
    if first == second:
        return minus(momentum, scaled(e, spin[first] / from_e[first]))
    f = (0.0, 1.0 if second == 1 else 0.0, 1.0 if second == 2 else 0.0)
    from_f = spin_of(q, f, inverse)
    determinant = from_e[first] * from_f[second] - from_f[first] * from_e[second]
    along_e = (spin[first] * from_f[second] - from_f[first] * spin[second]) / determinant
    along_f = (from_e[first] * spin[second] - spin[first] * from_e[second]) / determinant
    return minus(momentum, plus(scaled(e, along_e), scaled(f, along_f)))


@inlined
def turn_supported(q, momentum, inverse, support, dt):
    """Rotation over dt with held axes: the spin of the middle of the step, found by fixed-point iteration."""
    middle = q
    for _ in range(4):
        held = support_momentum(middle, momentum, inverse, support)
        middle = turned(q, scaled(spin_of(middle, held, inverse), 0.5 * dt))
    held = support_momentum(middle, momentum, inverse, support)
    return turned(q, scaled(spin_of(middle, held, inverse), dt))


@inlined
def row3(array, i):
    return array[i, 0], array[i, 1], array[i, 2]


@inlined
def axes_of(q):
    """Columns of the rotation matrix R: where the principal axes point."""
    return rotate(q, (1.0, 0.0, 0.0)), rotate(q, (0.0, 1.0, 0.0)), rotate(q, (0.0, 0.0, 1.0))


@inlined
def set_positions(rigids, i, first, last, row, position):
    """x = X + R r"""
    if first == last:
        return
    a, b, c = axes_of(get_orientation(row, i))
    centre, a, b, c = lane_of(get3(row, i, CENTRE)), lane_of(a), lane_of(b), lane_of(c)
    for k in range(first, last):
        r, s, t = row3(rigids.local, k)
        set_row(position, int(rigids.particle[k]), centre + (a * r + b * s + c * t))


@inlined
def set_velocities(rigids, i, first, last, row, velocity):
    """v = V + (ω × R) r"""
    if first == last:
        return
    a, b, c = axes_of(get_orientation(row, i))
    spin = get3(row, i, SPIN)
    speed, a, b, c = (lane_of(get3(row, i, VELOCITY)), lane_of(cross(spin, a)), lane_of(cross(spin, b)),
                      lane_of(cross(spin, c)))
    for k in range(first, last):
        r, s, t = row3(rigids.local, k)
        set_row(velocity, int(rigids.particle[k]), speed + (a * r + b * s + c * t))


@kernel
def carry_particles(rigids, i, row, position, velocity):
    """Particles of rigid i that forces ask for; the others stay where they are until `carry_others`."""
    set_positions(rigids, i, rigids.start[i], rigids.used[i], row, position)
    set_velocities(rigids, i, rigids.start[i], rigids.used[i], row, velocity)


@kernel
def carry_velocities(rigids, i, row, velocity):
    """Their velocities alone, where the rigid has not moved."""
    set_velocities(rigids, i, rigids.start[i], rigids.used[i], row, velocity)


@kernel
def carry_others(rigids, i, row, position, velocity):
    """Particles of rigid i that no force asks for: they are looked at between calls of the loop only."""
    set_positions(rigids, i, rigids.used[i], rigids.start[i + 1], row, position)
    set_velocities(rigids, i, rigids.used[i], rigids.start[i + 1], row, velocity)


@kernel
def predict_rigid(rigids, i, now, load, ahead, dt, gravity, taylor):
    """Kick and drift of rigid i: centre, orientation and the velocities predicted for the end of the step.

    Returns the change of its potential energy in the uniform field.
    """
    inverse = row3(rigids.inverse_inertia, i)
    centre, speed = get3(now, i, CENTRE), get3(now, i, VELOCITY)
    q, momentum, spin = get_orientation(now, i), get3(now, i, MOMENTUM), get3(now, i, SPIN)
    torque = (load[i, 3], load[i, 4], load[i, 5])
    gain = row3(rigids.inverse_mass, i)
    push = (gain[0] * load[i, 0], gain[1] * load[i, 1], gain[2] * load[i, 2])
    next_speed = plus(speed, scaled(push, dt))
    drift = scaled(plus(speed, next_speed), 0.5 * dt)
    set3(ahead, i, CENTRE, plus(centre, drift))
    set3(ahead, i, VELOCITY, next_speed)
    if rigids.rotation[i] == HELD:
        next_q, next_momentum, next_spin = q, momentum, (0.0, 0.0, 0.0)
    elif taylor:
        # W⁺ = W + τ I⁻¹ (N − W ∧ I W), the report's scheme; the turn by the mean of both spins
        support = row3(rigids.support, i)
        change = minus(torque, cross(spin, momentum))
        next_spin = plus(spin, scaled(spin_of(q, change, inverse), dt))
        next_q = turned(q, scaled(plus(spin, next_spin), 0.5 * dt))
        next_momentum = rotate(next_q, times(rotate_back(next_q, next_spin), row3(rigids.inertia, i)))
        if rigids.rotation[i] == PARTLY:
            next_momentum = support_momentum(next_q, next_momentum, inverse, support)
            next_spin = spin_of(next_q, next_momentum, inverse)
    else:
        half = plus(momentum, scaled(torque, 0.5 * dt))
        next_momentum = plus(momentum, scaled(torque, dt))
        if rigids.rotation[i] == PARTLY:
            support = row3(rigids.support, i)
            next_q = turn_supported(q, half, inverse, support, dt)
            next_momentum = support_momentum(next_q, next_momentum, inverse, support)
        else:
            next_q = turn_free(q, half, inverse, dt)
        next_spin = spin_of(next_q, next_momentum, inverse)
    ahead[i, 6], ahead[i, 7], ahead[i, 8], ahead[i, 9] = next_q
    set3(ahead, i, MOMENTUM, next_momentum)
    set3(ahead, i, SPIN, next_spin)
    return -rigids.mass[i] * dot(gravity, drift)


@inlined
def times(a, b):
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@kernel
def gather_load(rigids, i, row, position, force, gravity, load):
    """Force on the centre and moment about it from the forces on the particles of rigid i, and its weight."""
    total = scaled(gravity, rigids.mass[i])
    moment = (0.0, 0.0, 0.0)
    centre = get3(row, i, CENTRE)
    for k in range(rigids.start[i], rigids.used[i]):
        p = rigids.particle[k]
        f = read(force, p)
        total = plus(total, f)
        moment = plus(moment, cross(minus(read(position, p), centre), f))
    load[i, 0], load[i, 1], load[i, 2] = total
    load[i, 3], load[i, 4], load[i, 5] = moment


@kernel
def correct_rigid(rigids, i, now, load_now, ahead, load, dt, taylor):
    """Second half kick of rigid i; returns its kinetic energy at the end of the step."""
    inverse = row3(rigids.inverse_inertia, i)
    if not taylor:
        gain = row3(rigids.inverse_mass, i)
        for k in range(3):
            ahead[i, VELOCITY + k] = (0.5 * (now[i, VELOCITY + k] + ahead[i, VELOCITY + k])
                                      + 0.5 * dt * gain[k] * load[i, k])
        if rigids.rotation[i] != HELD:
            momentum = plus(get3(now, i, MOMENTUM),
                            scaled((load_now[i, 3] + load[i, 3], load_now[i, 4] + load[i, 4],
                                    load_now[i, 5] + load[i, 5]), 0.5 * dt))
            q = get_orientation(ahead, i)
            if rigids.rotation[i] == PARTLY:
                momentum = support_momentum(q, momentum, inverse, row3(rigids.support, i))
            set3(ahead, i, MOMENTUM, momentum)
            set3(ahead, i, SPIN, spin_of(q, momentum, inverse))
    return rigid_energy(rigids, i, ahead)


@kernel
def rigid_energy(rigids, i, row):
    """½ M V² + ½ L·ω."""
    speed = get3(row, i, VELOCITY)
    return 0.5 * rigids.mass[i] * dot(speed, speed) + 0.5 * dot(get3(row, i, MOMENTUM), get3(row, i, SPIN))


@kernel
def add_rigid_force(load, i, column, direction, amount):
    """Add a force (column 0) or torque (column 3) to the load of rigid i."""
    for k in range(3):
        load[i, column + k] += amount * direction[k]


@kernel
def rigid_scale(rigids, link_of_rigid, load):
    """½ Σ (F²/M + N²/I) over all rigids that are no links, see `particles.force_scale`."""
    total = 0.0
    for i in range(len(rigids.mass)):
        if link_of_rigid[i] >= 0:
            continue
        for axis in range(3):
            total += load[i, axis] * load[i, axis] * rigids.inverse_mass[i, axis]
            if rigids.rotation[i] != 2:   # what is held or driven is not set in motion by what hangs on it
                total += load[i, 3 + axis] * load[i, 3 + axis] * rigids.inverse_inertia[i, axis]
    return 0.5 * total
