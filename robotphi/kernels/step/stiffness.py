"""A stiffness of each particle that no spring exceeds, whatever the masses: for relaxation, rounding and post-mortem.

For a spring with stiffness k and gradient sizes |g_i| on its particles, Cauchy gives k (Σ g_i·u_i)² ≤ Σ_i s_i |u_i|² with
s_i = k |g_i| Σ_j |g_j|; of a spring with a law k is the stiffness that its law tells at the present strain, its own at least.
The step follows sharper bounds, by directions and masses: `stability`.
"""
from robotphi.kernels.acts.table import bound_acts
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, read
from robotphi.kernels.springs.articular import dihedral
from robotphi.kernels.springs.laws import bent_law, linear_law, linear_strain
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.slots import STIFF, STIFF_BASE


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
    k *= 1.0 + abs(strain)
    on_a, on_b, on_c = angular_sizes(arm_a, arm_b)
    total = 2.0 * (on_a + on_b)
    for particle, size in ((springs.first[i], on_a), (springs.second[i], on_b), (springs.centre[i], on_c)):
        bound[particle, STIFF] += k * size * total


@kernel
def add_angular_bound(springs, position, bound):
    """Plain angular springs."""
    for i in range(len(springs.first)):
        if springs.stiffness[i] == 0.0:
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
        k = max(springs.stiffness[i], bent_law(springs, i, strain, 0.0, 0.0, 0.0)[3])
        for particle, size in ((a, on_a), (b, on_b), (c, on_c), (d, on_d)):
            bound[particle, STIFF] += k * size * total


@kernel
def bound_stiffness(arrays, buffers, now, time, inside):
    """Fill the column STIFF of the stiffness bound; returns the largest [N/m]."""
    bound, position = buffers.stiffness_bound, now.position
    for i in range(bound.shape[0]):
        bound[i, STIFF] = bound[i, STIFF_BASE]
    if buffers.counters[at.HAS_ACTS] == 1:
        bound_acts(arrays.acts, arrays.drives, buffers, now, time, inside)
    add_stiffening(arrays.linear_law, arrays.drives, arrays.tables, position, bound, time, inside)
    add_angular_bound(arrays.angular, position, bound)
    add_angular_law_bound(arrays.angular_law, position, bound)
    add_articular_bound(arrays.articular, position, bound)
    largest = 0.0
    for i in range(bound.shape[0]):
        largest = max(largest, bound[i, STIFF])
    return largest
