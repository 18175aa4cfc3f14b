"""Bodies led by a motion, a pose over time: where it puts them, how it moves them, and the work that this takes.

    x = p(t) + R(q(t)) a        ẋ = ṗ + ω × (x − p)        ω = 2 vec(q̇ q*)/|q|²        ω̇ = 2 vec(q̈ q*)/|q|² − 2 (q·q̇)/|q|² ω

with a the place in the frame of the motion, and q a quaternion that is a table over time in each of its components: of any
length, so that its spin is exact wherever the table is smooth.
"""
from robotphi.kernels.acts.drives import drive_acceleration, drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.entries import EXTRA, NEXT_RATE
from robotphi.kernels.step.rigids import (
    CENTRE,
    MOMENTUM,
    ORIENTATION,
    SPIN,
    VELOCITY,
    carry_particles,
    carry_velocities,
    of_length_one,
    rigid_energy,
    rotate,
    rotate_back,
    row3,
    times,
)


@inlined
def vector_of_product(a, b):
    """vec(a b*) of two quaternions."""
    u, v = (a[1], a[2], a[3]), (b[1], b[2], b[3])
    return minus(minus(scaled(u, b[0]), scaled(v, a[0])), cross(u, v))


@inlined
def product(a, b):
    """a b of two quaternions: the turn b, then a."""
    u, v = (a[1], a[2], a[3]), (b[1], b[2], b[3])
    w = plus(plus(scaled(v, a[0]), scaled(u, b[0])), cross(u, v))
    return a[0] * b[0] - dot(u, v), w[0], w[1], w[2]


@inlined
def square(q):
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


@kernel
def motion_at(drives, pose, k, time, inside):
    """(place, velocity, orientation, spin) of motion k."""
    x, u = drive_value(drives, pose[k, 0], time, inside)
    y, v = drive_value(drives, pose[k, 1], time, inside)
    z, w = drive_value(drives, pose[k, 2], time, inside)
    a, da = drive_value(drives, pose[k, 3], time, inside)
    b, db = drive_value(drives, pose[k, 4], time, inside)
    c, dc = drive_value(drives, pose[k, 5], time, inside)
    d, dd = drive_value(drives, pose[k, 6], time, inside)
    q = (a, b, c, d)
    spin = scaled(vector_of_product((da, db, dc, dd), q), 2.0 / square(q))
    return (x, y, z), (u, v, w), of_length_one(q), spin


@kernel
def gains_at(drives, pose, k, spin, time, inside):
    """(acceleration, that of the turn) of motion k, whose spin is known."""
    gain = (drive_acceleration(drives, pose[k, 0], time, inside), drive_acceleration(drives, pose[k, 1], time, inside),
            drive_acceleration(drives, pose[k, 2], time, inside))
    a, da = drive_value(drives, pose[k, 3], time, inside)
    b, db = drive_value(drives, pose[k, 4], time, inside)
    c, dc = drive_value(drives, pose[k, 5], time, inside)
    d, dd = drive_value(drives, pose[k, 6], time, inside)
    q = (a, b, c, d)
    twice = (drive_acceleration(drives, pose[k, 3], time, inside), drive_acceleration(drives, pose[k, 4], time, inside),
             drive_acceleration(drives, pose[k, 5], time, inside), drive_acceleration(drives, pose[k, 6], time, inside))
    size = square(q)
    along = 2.0 * (a * da + b * db + c * dc + d * dd) / size
    return gain, minus(scaled(vector_of_product(twice, q), 2.0 / size), scaled(spin, along))


@kernel
def place_led(arrays, ahead, time, inside):
    """Put what is led where its motions say at `time`; returns the correction of the potential energy."""
    led, drives, particles, rigids = arrays.motions.led, arrays.drives, arrays.particles, arrays.rigids
    g = (particles.gravity[0], particles.gravity[1], particles.gravity[2])
    change, known = 0.0, -1
    place, speed, turn, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for n in range(len(led.particle)):
        p = led.particle[n]
        if led.particle_motion[n] != known:
            known = led.particle_motion[n]
            place, speed, turn, spin = motion_at(drives, led.pose, known, time, inside)
        arm = rotate(turn, row3(led.particle_at, n))
        where = plus(place, arm)
        change -= particles.mass[p] * dot(g, minus(where, read(ahead.position, p)))
        set3(ahead.position, p, 0, where)
        set3(ahead.velocity, p, 0, plus(speed, cross(spin, arm)))
    for n in range(len(led.rigid)):
        i = led.rigid[n]
        place, speed, turn, spin = motion_at(drives, led.pose, led.rigid_motion[n], time, inside)
        arm = rotate(turn, row3(led.rigid_at, n))
        where = plus(place, arm)
        change -= rigids.mass[i] * dot(g, minus(where, get3(ahead.rigid, i, CENTRE)))
        set3(ahead.rigid, i, CENTRE, where)
        lead(rigids, led, ahead.rigid, n, plus(speed, cross(spin, arm)), turn, spin)
        carry_particles(rigids, i, ahead.rigid, ahead.position, ahead.velocity)
    return change


@inlined
def lead(rigids, led, rigid, n, speed, turn, spin):
    """Orientation, velocity, spin and momentum of a led rigid."""
    i = led.rigid[n]
    own = (led.rigid_turn[n, 0], led.rigid_turn[n, 1], led.rigid_turn[n, 2], led.rigid_turn[n, 3])
    set3(rigid, i, VELOCITY, speed)
    set_turning(rigids, i, rigid, product(turn, own), spin)


@inlined
def set_turning(rigids, i, rigid, q, spin):
    """Orientation, spin and momentum of a rigid whose turn is prescribed."""
    rigid[i, ORIENTATION], rigid[i, ORIENTATION + 1], rigid[i, ORIENTATION + 2], rigid[i, ORIENTATION + 3] = q
    set3(rigid, i, SPIN, spin)
    set3(rigid, i, MOMENTUM, rotate(q, times(rotate_back(q, spin), row3(rigids.inertia, i))))


@kernel
def settle_led(arrays, buffers, before, ahead, time, inside):
    """Velocities of what is led after the correction, and the power of its motions, as of drives of single axes.

    A motion takes up what the forces on the body do and what its kinetic energy asks: power −F·v − N·ω, and ΔK since `before`.
    Returns the correction of the kinetic energy.
    """
    led, drives, mass, rigids, books = arrays.motions.led, arrays.drives, arrays.particles.mass, arrays.rigids, buffers.books
    change, known = 0.0, -1
    place, speed, turn, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for n in range(len(led.particle)):
        p = led.particle[n]
        if led.particle_motion[n] != known:
            known = led.particle_motion[n]
            place, speed, turn, spin = motion_at(drives, led.pose, known, time, inside)
        first, found = read(before.velocity, p), read(ahead.velocity, p)
        v = plus(speed, cross(spin, rotate(turn, row3(led.particle_at, n))))
        entry = buffers.book_of_drive[led.pose[known, 0]]
        books[entry, EXTRA] += 0.5 * mass[p] * (dot(v, v) - dot(first, first))
        books[entry, NEXT_RATE] -= dot(read(ahead.force, p), v)
        change += 0.5 * mass[p] * (dot(v, v) - dot(found, found))
        set3(ahead.velocity, p, 0, v)
    for n in range(len(led.rigid)):
        i, k = led.rigid[n], led.rigid_motion[n]
        place, speed, turn, spin = motion_at(drives, led.pose, k, time, inside)
        v = plus(speed, cross(spin, rotate(turn, row3(led.rigid_at, n))))
        first, found = rigid_energy(rigids, i, before.rigid), rigid_energy(rigids, i, ahead.rigid)
        lead(rigids, led, ahead.rigid, n, v, turn, spin)
        after, entry = rigid_energy(rigids, i, ahead.rigid), buffers.book_of_drive[led.pose[k, 0]]
        books[entry, EXTRA] += after - first
        books[entry, NEXT_RATE] -= dot(get3(ahead.load, i, 0), v) + dot(get3(ahead.load, i, 3), spin)
        change += after - found
        carry_velocities(rigids, i, ahead.rigid, ahead.velocity)
    return change


@kernel
def move_led_bases(arrays, base, time, inside):
    """Accelerations and velocities of rigids that are led, for the mechanisms that hang on them."""
    led, drives = arrays.motions.led, arrays.drives
    for n in range(len(led.rigid)):
        i, k = led.rigid[n], led.rigid_motion[n]
        place, speed, turn, spin = motion_at(drives, led.pose, k, time, inside)
        gain, turning = gains_at(drives, led.pose, k, spin, time, inside)
        arm = rotate(turn, row3(led.rigid_at, n))
        set3(base, i, 0, plus(gain, plus(cross(turning, arm), cross(spin, cross(spin, arm)))))
        set3(base, i, 3, turning)
        set3(base, i, 6, plus(speed, cross(spin, arm)))
        set3(base, i, 9, spin)
