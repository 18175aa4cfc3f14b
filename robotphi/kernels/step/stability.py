"""A cheap bound on the highest frequency and damping rate, and the step it allows.

For a spring with stiffness k and gradient sizes |g_i| on its particles, Cauchy gives k (Σ g_i·u_i)² ≤ Σ_i s_i |u_i|² with
s_i = k |g_i| Σ_j |g_j|. Summed over springs, ω² ≤ max s_i/m_i over particles, and for a rigid
ω² ≤ Σ_i s_i (1/M + |r_i|²/I_min), since |V + ω × r|² ≤ (M V² + ω·I ω)(1/M + r²/I_min). The same with viscosities bounds the
damping rate c. The k of a spring with a law is the stiffness that its law tells at the present strain, its own at least.
The scheme is stable for (ω τ/2)² + c τ ≤ 1, that is τ ≤ 2/(c + √(c² + ω²)).
"""
import math

from robotphi.kernels.acts.table import bound_acts
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, read
from robotphi.kernels.springs.articular import dihedral
from robotphi.kernels.springs.laws import bent_law, linear_law, linear_strain
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import HELD, MOMENTUM
from robotphi.kernels.step.slots import DAMP, DAMP_BASE, RIGID_DAMP, RIGID_STIFF, STIFF, STIFF_BASE, TURN_DAMP, TURN_STIFF

TURN_LIMIT = 0.5  # rad a rigid may turn in one step


@kernel
def add_stiffening(springs, drives, tables, position, bound, time, inside):
    """What linear springs with a law are stiffer now than the constant part of the bound says."""
    for i in range(len(springs.first)):
        stretch = linear_strain(springs, drives, i, position, time, inside)[2]
        more = linear_law(springs, i, tables, stretch, 0.0, 0.0, 0.0)[3] - springs.stiffness[i]
        if more > 0.0:
            bound[springs.first[i], STIFF] += 2.0 * more
            bound[springs.second[i], STIFF] += 2.0 * more


@inlined
def angular_sizes(arm_a, arm_b):
    """|g| on first, second and centre of an angular spring with arms so long [1/m]."""
    on_a, on_b = 1.0 / arm_a, 1.0 / arm_b
    return on_a, on_b, on_a + on_b


@inlined
def articular_sizes(axis, area_a, area_b, foot_a, foot_b):
    """|g| on first, second, centre and end of an articular spring [1/m]: for the arms the inverse distance from the axis,
    shared by their feet on the axis. `axis`: its length; `area`: of arm × axis; `foot`: as a share of the axis."""
    on_a, on_b = axis / area_a, axis / area_b
    on_d = abs(foot_a) * on_a + abs(foot_b) * on_b
    on_c = abs(1.0 - foot_a) * on_a + abs(1.0 - foot_b) * on_b
    return on_a, on_b, on_c, on_d


@inlined
def bent_arms(springs, i, position):
    """Bend of angular spring i and the lengths of its arms."""
    centre = read(position, springs.centre[i])
    p = minus(read(position, springs.first[i]), centre)
    q = minus(read(position, springs.second[i]), centre)
    return arctangent2(norm(cross(p, q)), -dot(p, q)), norm(p), norm(q)


@inlined
def put_angular(springs, i, k, strain, arm_a, arm_b, bound):
    """Angular spring i of stiffness k at its present arms; stiffer when bent."""
    mu = springs.viscosity[i]
    k *= 1.0 + abs(strain)
    on_a, on_b, on_c = angular_sizes(arm_a, arm_b)
    total = 2.0 * (on_a + on_b)
    for particle, size in ((springs.first[i], on_a), (springs.second[i], on_b), (springs.centre[i], on_c)):
        bound[particle, STIFF] += k * size * total
        bound[particle, DAMP] += mu * size * total


@kernel
def add_angular_bound(springs, position, bound):
    """Plain angular springs."""
    for i in range(len(springs.first)):
        if springs.stiffness[i] == 0.0 and springs.viscosity[i] == 0.0:
            continue  # idle
        bend, arm_a, arm_b = bent_arms(springs, i, position)
        put_angular(springs, i, springs.stiffness[i], bend - springs.rest_bend[i], arm_a, arm_b, bound)


@kernel
def add_angular_law_bound(springs, position, bound):
    """Angular springs with a law."""
    for i in range(len(springs.first)):
        bend, arm_a, arm_b = bent_arms(springs, i, position)
        strain = bend - springs.rest_bend[i]
        k = max(springs.stiffness[i], bent_law(springs, i, strain, 0.0, 0.0, 0.0)[3])
        put_angular(springs, i, k, strain, arm_a, arm_b, bound)


@kernel
def add_articular_bound(springs, position, bound):
    """Articular springs at their present arms, the angle taken near its rest."""
    for i in range(len(springs.first)):
        a, c, d, b = springs.first[i], springs.centre[i], springs.end[i], springs.second[i]
        centre = read(position, c)
        g = minus(read(position, d), centre)
        p = minus(read(position, a), centre)
        q = minus(read(position, b), centre)
        axis = norm(g)
        on_a, on_b, on_c, on_d = articular_sizes(axis, norm(cross(p, g)), norm(cross(q, g)), dot(p, g) / (axis * axis),
                                                 dot(q, g) / (axis * axis))
        total = on_a + on_b + on_c + on_d
        rest = springs.rest_angle[i]
        strain = dihedral(springs, i, position, rest)[0] - rest
        k, mu = max(springs.stiffness[i], bent_law(springs, i, strain, 0.0, 0.0, 0.0)[3]), springs.viscosity[i]
        for particle, size in ((a, on_a), (b, on_b), (c, on_c), (d, on_d)):
            bound[particle, STIFF] += k * size * total
            bound[particle, DAMP] += mu * size * total


@kernel
def stable_dt(arrays, buffers, now, safety, time, inside):
    """Largest stable step at this instant, springs and acts alone; infinite where nothing moves."""
    square, damping, limit = spring_bounds(arrays, buffers, now, time, inside)
    return stable_step(square, damping, limit, safety)


@kernel
def stable_step(square, damping, limit, safety):
    """The step that a bound ω² on frequencies, a bound c on damping rates and a limit by itself allow."""
    rate = damping + math.sqrt(damping * damping + square)
    return min(safety * 2.0 / rate if rate > 0.0 else math.inf, limit)


@kernel
def spring_bounds(arrays, buffers, now, time, inside):
    """Bounds of ω² and of the damping rate by springs and acts, and the step in which a rigid turns by half a radian.

    What acts push on a rigid itself is bounded for its centre and about it: k |u|² + q |θ|² ≤ (k/M + q/I_min) (M u² + θ·I θ).
    """
    particles, rigids = arrays.particles, arrays.rigids
    position, rigid, bound, own = now.position, now.rigid, buffers.stiffness_bound, buffers.rigid_bound
    for i in range(len(particles.mass)):
        bound[i, STIFF] = bound[i, STIFF_BASE]
        bound[i, DAMP] = bound[i, DAMP_BASE]
    add_stiffening(arrays.linear_law, arrays.drives, arrays.tables, position, bound, time, inside)
    add_angular_bound(arrays.angular, position, bound)
    add_angular_law_bound(arrays.angular_law, position, bound)
    add_articular_bound(arrays.articular, position, bound)
    for i in range(len(rigids.mass)):
        for column in range(4):
            own[i, column] = 0.0
    if buffers.counters[at.HAS_ACTS] == 1:
        bound_acts(arrays.acts, arrays.drives, buffers, now, time, inside)
    square, damping, turning = 0.0, 0.0, 0.0
    for i in range(len(particles.mass)):
        w = particles.inverse_mass[i]
        square = max(square, w * bound[i, STIFF])
        damping = max(damping, w * bound[i, DAMP])
    for i in range(len(rigids.mass)):
        w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2]))
        free = 1.0 if rigids.rotation[i] != HELD else 0.0
        inverse = free * max(rigids.inverse_inertia[i, 0], max(rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2]))
        turning = max(turning, inverse * norm(get3(rigid, i, MOMENTUM)))
        own_square = w * own[i, RIGID_STIFF] + inverse * own[i, TURN_STIFF]
        own_damping = w * own[i, RIGID_DAMP] + inverse * own[i, TURN_DAMP]
        for k in range(rigids.start[i], rigids.start[i + 1]):
            r = (rigids.local[k, 0], rigids.local[k, 1], rigids.local[k, 2])
            reach = w + dot(r, r) * inverse
            own_square += bound[rigids.particle[k], STIFF] * reach
            own_damping += bound[rigids.particle[k], DAMP] * reach
        square = max(square, own_square)
        damping = max(damping, own_damping)
    return square, damping, TURN_LIMIT / turning if turning > 0.0 else math.inf


@kernel
def largest_bound(bound):
    """Largest stiffness bound of any particle [N/m], as `stable_dt` left it."""
    largest = 0.0
    for i in range(bound.shape[0]):
        largest = max(largest, bound[i, STIFF])
    return largest
