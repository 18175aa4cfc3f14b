"""The terms of the stability bound that a spring makes: gradients of its strain, and what its load adds across them.

The second derivative of the energy U(e) of a strain e is k ∇e ∇eᵀ + U' ∇²e. The second part matters under load:
* linear, T = U': T/L across the line, for a pull (T > 0);
* angular, strain ε, bend φ about n, arms p, q, tilts a = n·δp/|p|, b = n·δq/|q| across the plane:
    φ'' = ½ (1 + cos φ)/sin φ (a + b)² − ½ (1 − cos φ)/sin φ (a − b)²,
  at φ = φ0 = 0 as stiff as in the plane; within the plane length and direction of each arm mix, by k |ε|/|p|² at most;
* articular likewise k |ε| times the square of its gradient on each arm, relative to its foot, and 2 k |ε|/|axis|² as the axis
  tilts, for both arms.
What the load only softens is left out: the bound stays one.

`strained` is False where nothing but places is known: then every spring is taken at rest. `relief`: what plain linear and
angular springs count less by their dampers, see `relief`.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, read, scaled, unit
from robotphi.kernels.springs.articular import dihedral, rest_of
from robotphi.kernels.springs.laws import angular_strain, bent_law, linear_law, linear_strain
from robotphi.kernels.springs.table import ACCUMULATED, ANGLE, FLOW
from robotphi.kernels.step.bodies import (
    DAMP_BLOCK,
    DAMP_WEIGHT,
    STIFF_BLOCK,
    STIFF_WEIGHT,
    add_end,
    add_square,
    share_term,
)
from robotphi.kernels.step.relief import relieved

LOADED = 1e-3         # strain of a bend or angle, or share of the stiffness, below which the load is left out
STRAIGHT_BEND = 0.2   # rad: below it the plane of a bend may turn before the bound is taken again
SKEW = 1.5            # of that square: half of what arms and axis have together
FLATTEST = 1e-12      # sine of a bend


@inlined
def some_normal(p):
    """A unit vector across p."""
    x, y, z = abs(p[0]), abs(p[1]), abs(p[2])
    if x <= y and x <= z:
        return unit(cross(p, (1.0, 0.0, 0.0)))
    return unit(cross(p, (0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0)))


@kernel
def link_particles(particles, blocks, a, b, u, k, tension, mu):
    """A link of two free particles along u: stiffness k along it and `tension` across, viscosity mu along it."""
    root_a, root_b = math.sqrt(particles.inverse_mass[a]), math.sqrt(particles.inverse_mass[b])
    axes_a, axes_b = particles.axes[a], particles.axes[b]
    along_a, along_b = u, u
    size_a, size_b = root_a, root_b
    if axes_a != 7:
        m = particles.moves
        along_a = (m[axes_a, 0] * u[0], m[axes_a, 1] * u[1], m[axes_a, 2] * u[2])
        size_a = root_a * norm(along_a)
    if axes_b != 7:
        m = particles.moves
        along_b = (m[axes_b, 0] * u[0], m[axes_b, 1] * u[1], m[axes_b, 2] * u[2])
        size_b = root_b * norm(along_b)
    for damping in range(2):
        factor = mu if damping == 1 else k
        column, weight = (DAMP_BLOCK, DAMP_WEIGHT) if damping == 1 else (STIFF_BLOCK, STIFF_WEIGHT)
        if factor > 0.0:
            of_a, of_b = size_a * blocks[a, weight], size_b * blocks[b, weight]
            if of_a > 0.0:
                add_square(blocks, a, column, factor * root_a * root_a * (of_a + of_b) / of_a, along_a)
            if of_b > 0.0:
                add_square(blocks, b, column, factor * root_b * root_b * (of_a + of_b) / of_b, along_b)
    if tension > 0.0:
        of_a, of_b = root_a * blocks[a, STIFF_WEIGHT], root_b * blocks[b, STIFF_WEIGHT]
        if of_a > 0.0:
            add_across(particles, blocks, a, tension * root_a * root_a * (of_a + of_b) / of_a, along_a)
        if of_b > 0.0:
            add_across(particles, blocks, b, tension * root_b * root_b * (of_a + of_b) / of_b, along_b)


@inlined
def add_across(particles, blocks, row, factor, along):
    """Stiffness of a row += factor (1 − u uᵀ) on the axes that move."""
    for axis in range(3):
        blocks[row, STIFF_BLOCK + axis] += factor * particles.moves[particles.axes[row], axis]
    add_square(blocks, row, STIFF_BLOCK, -factor, along)


@kernel
def open_line(particles, buffers, rigid, position, a, b, e):
    """The term of (x_a − x_b)·e; returns how many bodies it touches."""
    count = add_end(particles, buffers, 0, rigid, a, read(position, a), e)
    return add_end(particles, buffers, count, rigid, b, read(position, b), scaled(e, -1.0))


@kernel
def add_link(particles, buffers, rigid, position, a, b, u, k, tension, mu):
    """A link of two rows along u, see `link_particles`."""
    if buffers.carrier[a] < 0 and buffers.carrier[b] < 0:
        link_particles(particles, buffers.particle_block, a, b, u, k, tension, mu)
        return
    count = open_line(particles, buffers, rigid, position, a, b, u)
    share_term(buffers, count, k, False)
    share_term(buffers, count, mu, True)
    if tension > LOADED * k:
        first = some_normal(u)
        for e in (first, cross(u, first)):
            count = open_line(particles, buffers, rigid, position, a, b, e)
            share_term(buffers, count, tension, False)


@inlined
def straining(arrays, buffers, springs, i, position, time, inside):
    """Direction, pull and stiffness of linear spring i with a law, and its length."""
    u, length, stretch, _ = linear_strain(springs, arrays.drives, i, position, time, inside)
    state = buffers.linear_law
    law = linear_law(springs, i, arrays.tables, stretch, 0.0, state[i, FLOW], state[i, ACCUMULATED])
    return u, length, law[0], max(law[3], springs.stiffness[i])


@inlined
def tension_across(u, length, pull, stiffness):
    """T/L of a spring that pulls; one without a length and a rest length is as stiff every way. And its direction."""
    if length > 0.0:
        return u, max(pull / length, 0.0)
    return (1.0, 0.0, 0.0), stiffness


@kernel
def open_bend(particles, buffers, rigid, position, springs, i, on_a, on_b):
    """The term of angular spring i with gradients on its arms; returns how many bodies it touches."""
    a, b, c = springs.first[i], springs.second[i], springs.centre[i]
    count = add_end(particles, buffers, 0, rigid, a, read(position, a), on_a)
    count = add_end(particles, buffers, count, rigid, b, read(position, b), on_b)
    return add_end(particles, buffers, count, rigid, c, read(position, c), scaled(plus(on_a, on_b), -1.0))


@inlined
def bend_of(springs, i, position):
    """Arms, bend and unit normal of an angular spring; straight ones take any normal."""
    centre = read(position, springs.centre[i])
    p, q = minus(read(position, springs.first[i]), centre), minus(read(position, springs.second[i]), centre)
    n = cross(p, q)
    size = norm(n)
    bend = arctangent2(size, -dot(p, q))
    normal = scaled(n, 1.0 / size) if size > FLATTEST * norm(p) * norm(q) else some_normal(p)
    return p, q, bend, normal


@kernel
def bend_in_plane(particles, buffers, rigid, position, springs, i, p, q, normal):
    """The term of the bend itself."""
    return open_bend(particles, buffers, rigid, position, springs, i, scaled(cross(normal, p), 1.0 / dot(p, p)),
                     scaled(cross(q, normal), 1.0 / dot(q, q)))


@kernel
def add_bend(particles, buffers, rigid, position, springs, i, p, q, bend, normal, strain, k, mu, relief):
    """Angular spring i at its bend and strain."""
    count = bend_in_plane(particles, buffers, rigid, position, springs, i, p, q, normal)
    share_term(buffers, count, relieved(k, mu, relief), False)
    share_term(buffers, count, mu, True)
    add_bend_load(particles, buffers, rigid, position, springs, i, p, q, bend, normal, strain, k, mu)


@kernel
def add_bend_load(particles, buffers, rigid, position, springs, i, p, q, bend, normal, strain, k, mu):
    """What angular spring i asks beside its bend in the plane."""
    sizes = norm(p) * norm(q)
    sine, cosine = math.copysign(norm(cross(p, q)) / sizes, bend), -dot(p, q) / sizes
    straight = abs(sine) < FLATTEST
    out = k if straight and strain == bend else (0.0 if straight else 0.5 * k * strain * (1.0 + cosine) / sine)
    against = 0.0 if straight else -0.5 * k * strain * (1.0 - cosine) / sine
    tilt_p, tilt_q = scaled(normal, 1.0 / norm(p)), scaled(normal, 1.0 / norm(q))
    if out > LOADED * k or abs(bend) < STRAIGHT_BEND:
        count = open_bend(particles, buffers, rigid, position, springs, i, tilt_p, tilt_q)
        share_term(buffers, count, min(out, k * (1.0 + abs(strain))), False)
        share_term(buffers, count, mu if abs(bend) < STRAIGHT_BEND else 0.0, True)
    if against > LOADED * k:
        count = open_bend(particles, buffers, rigid, position, springs, i, tilt_p, scaled(tilt_q, -1.0))
        share_term(buffers, count, min(against, k * (1.0 + abs(strain))), False)
    if abs(strain) > LOADED:
        for end, arm in ((springs.first[i], p), (springs.second[i], q)):
            mixed = k * abs(strain) / dot(arm, arm)
            add_link(particles, buffers, rigid, position, end, springs.centre[i], unit(arm), mixed, mixed, 0.0)


@kernel
def open_angle(particles, buffers, rigid, position, springs, i, on_a, on_b, on_c, on_d):
    """The term of articular spring i; returns how many bodies it touches."""
    a, b, c, d = springs.first[i], springs.second[i], springs.centre[i], springs.end[i]
    count = add_end(particles, buffers, 0, rigid, a, read(position, a), on_a)
    count = add_end(particles, buffers, count, rigid, b, read(position, b), on_b)
    count = add_end(particles, buffers, count, rigid, c, read(position, c), on_c)
    return add_end(particles, buffers, count, rigid, d, read(position, d), on_d)


@kernel
def add_angle(particles, buffers, rigid, position, springs, i, state, rest, strained):
    """Articular spring i."""
    angle, on_a, on_b, on_c, on_d = dihedral(springs, i, position, state[i, ANGLE] if strained else 0.0)
    k, strain = springs.stiffness[i], 0.0
    if strained:
        law = bent_law(springs, i, angle - rest, 0.0, state[i, FLOW], state[i, ACCUMULATED])
        k = max(k, law[3])
        strain = law[0] / k if k > 0.0 else 0.0
    count = open_angle(particles, buffers, rigid, position, springs, i, on_a, on_b, on_c, on_d)
    share_term(buffers, count, k, False)
    share_term(buffers, count, springs.viscosity[i], True)
    if abs(strain) > LOADED:
        c, d = springs.centre[i], springs.end[i]
        axis = minus(read(position, d), read(position, c))
        tilting = 2.0 * k * abs(strain) / dot(axis, axis) if dot(axis, axis) > 0.0 else 0.0
        add_link(particles, buffers, rigid, position, c, d, unit(axis), tilting, tilting, 0.0)
        for row, g in ((springs.first[i], on_a), (springs.second[i], on_b)):
            foot = dot(minus(read(position, row), read(position, c)), axis) / dot(axis, axis) if dot(axis, axis) > 0.0 else 0.0
            for side in range(3):
                e = (1.0 if side == 0 else 0.0, 1.0 if side == 1 else 0.0, 1.0 if side == 2 else 0.0)
                count = add_end(particles, buffers, 0, rigid, row, read(position, row), e)
                count = add_end(particles, buffers, count, rigid, c, read(position, c), scaled(e, foot - 1.0))
                count = add_end(particles, buffers, count, rigid, d, read(position, d), scaled(e, -foot))
                share_term(buffers, count, SKEW * k * abs(strain) * dot(g, g), False)


@inlined
def within_stiff(stiff, a, b):
    """Whether two rows belong to one stiff object."""
    return stiff.object[a] >= 0 and stiff.object[a] == stiff.object[b]


@inlined
def bends_within_stiff(stiff, springs, i):
    """Whether plain angular spring i belongs to a stiff object; straight ones, which bend to all sides, do not."""
    a = springs.first[i]
    return (within_stiff(stiff, a, springs.second[i]) and within_stiff(stiff, a, springs.centre[i])
            and springs.rest_bend[i] >= STRAIGHT_BEND)


# Whole lists ------------------------------------------------------------------------------------------------------------

@kernel
def add_spring_terms(arrays, buffers, position, rigid, time, inside, strained, relief):
    """All springs into the blocks of all bodies."""
    particles = arrays.particles
    springs = arrays.linear
    for i in range(len(springs.first)):
        k, mu = springs.stiffness[i], springs.viscosity[i]
        if k == 0.0 and mu == 0.0:
            continue  # idle
        if len(arrays.stiff.way) > 0 and within_stiff(arrays.stiff, springs.first[i], springs.second[i]):
            continue  # see `stiff_bounds`
        d = minus(read(position, springs.first[i]), read(position, springs.second[i]))
        length = norm(d)
        pull = k * (length - springs.rest_length[i]) if strained else 0.0
        u, tension = tension_across(scaled(d, 1.0 / length) if length > 0.0 else d, length, pull, k)
        along = relieved(k, mu, relief) if length > 0.0 else k
        add_link(particles, buffers, rigid, position, springs.first[i], springs.second[i], u, along, tension, mu)
    springs = arrays.angular
    for i in range(len(springs.first)):
        k, mu = springs.stiffness[i], springs.viscosity[i]
        if k == 0.0 and mu == 0.0:
            continue
        if len(arrays.stiff.way) > 0 and bends_within_stiff(arrays.stiff, springs, i):
            continue
        p, q, bend, normal = bend_of(springs, i, position)
        strain = bend - springs.rest_bend[i] if strained or springs.rest_bend[i] == 0.0 else 0.0
        add_bend(particles, buffers, rigid, position, springs, i, p, q, bend, normal, strain, k, mu, relief)
    add_law_terms(arrays, buffers, position, rigid, time, inside, strained, relief)


@inlined
def damped_freely(springs, i, state):
    """Whether the damper of a linear spring with a law is there whatever its spring does."""
    return springs.tension_only[i] == 0 and springs.toe_strain[i] == 0.0 and state[i, ACCUMULATED] >= 0.0


@kernel
def add_law_terms(arrays, buffers, position, rigid, time, inside, strained, relief):
    """Springs with a law of their own, and the articular ones."""
    particles = arrays.particles
    springs = arrays.linear_law
    for i in range(len(springs.first)):
        k, mu = springs.stiffness[i], springs.viscosity[i]
        d = minus(read(position, springs.first[i]), read(position, springs.second[i]))
        length, pull, u = norm(d), 0.0, unit(d)
        if strained:
            u, length, pull, k = straining(arrays, buffers, springs, i, position, time, inside)
        u, tension = tension_across(u, length, pull, k)
        along = relieved(k, mu, relief) if length > 0.0 and damped_freely(springs, i, buffers.linear_law) else k
        add_link(particles, buffers, rigid, position, springs.first[i], springs.second[i], u, along, tension, mu)
    springs, state = arrays.angular_law, buffers.angular_law
    for i in range(len(springs.first)):
        p, q, bend, normal = bend_of(springs, i, position)
        k, strain = springs.stiffness[i], 0.0
        if strained:
            _, _, signed, along, strain, _ = angular_strain(springs, arrays.drives, i, state, position, time, inside)
            law = bent_law(springs, i, strain, 0.0, state[i, FLOW], state[i, ACCUMULATED])
            k = max(k, law[3])
            strain = law[0] / k if k > 0.0 else 0.0
            if dot(along, along) > 0.0:
                bend, normal = signed, along
        add_bend(particles, buffers, rigid, position, springs, i, p, q, bend, normal, strain, k,
                 springs.viscosity[i], 0.0)
    springs, state = arrays.articular, buffers.articular
    for i in range(len(springs.first)):
        rest = rest_of(springs, arrays.drives, i, time, inside)[0] if strained else 0.0
        add_angle(particles, buffers, rigid, position, springs, i, state, rest, strained)
