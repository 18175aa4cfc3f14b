"""The viscous part of the springs by itself: what their dampers push with at held positions and given velocities.

The same formulas as in `plain`, `laws` and `articular`, without what only the elastic part needs. A damper whose law bounds it
by the pull of its spring is bounded here as well. Springs without viscosity are passed over.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.lanes import (
    gather_arms,
    gather_difference,
    lane_sum,
    load,
    scatter_arms,
    scatter_pair,
    splat,
    where_less,
)
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, plus, read, scaled
from robotphi.kernels.springs.articular import dihedral, rest_of
from robotphi.kernels.springs.laws import angular_strain, bent_law, linear_law, linear_strain
from robotphi.kernels.springs.plain import STRAIGHT, lane_arm_forces, lane_turning
from robotphi.kernels.springs.table import ACCUMULATED, ANGLE, FLOW
from robotphi.kernels.step import slots as at


@kernel
def add_linear_dampers(springs, begin, end, position, velocity, force):
    """F_a = −μ L̇ d/L, four springs at a time."""
    zero = splat(0.0)
    one = splat(1.0)
    for s in range(begin, end, 4):
        viscosity = load(springs.viscosity, s)
        if lane_sum(viscosity) == 0.0:
            continue
        dx, dy, dz = gather_difference(position, springs.first, springs.second, s)
        wx, wy, wz = gather_difference(velocity, springs.first, springs.second, s)
        square = dx * dx + dy * dy + dz * dz
        pull = where_less(zero, square, (dx * wx + dy * wy + dz * wz) * viscosity / where_less(zero, square, square, one), zero)
        pull = zero - pull
        scatter_pair(force, springs.first, springs.second, s, pull * dx, pull * dy, pull * dz)


@kernel
def add_angular_dampers(springs, begin, end, position, velocity, force):
    """Moment vector T = μ (Ω·n)/s² n, of a straight spring μ Ω, four springs at a time."""
    zero = splat(0.0)
    one = splat(1.0)
    for s in range(begin, end, 4):
        viscosity = load(springs.viscosity, s)
        if lane_sum(viscosity) == 0.0:
            continue
        px, py, pz, qx, qy, qz = gather_arms(position, springs.first, springs.centre, springs.second, s)
        ux, uy, uz, vx, vy, vz = gather_arms(velocity, springs.first, springs.centre, springs.second, s)
        pp = px * px + py * py + pz * pz
        qq = qx * qx + qy * qy + qz * qz
        product = pp * qq
        over = one / where_less(zero, product, product, one)
        over_pp = qq * over
        over_qq = pp * over
        nx = py * qz - pz * qy
        ny = pz * qx - px * qz
        nz = px * qy - py * qx
        nn = nx * nx + ny * ny + nz * nz
        wx, wy, wz = lane_turning(px, py, pz, qx, qy, qz, ux, uy, uz, vx, vy, vz, over_pp, over_qq)
        bent = where_less(product * STRAIGHT, nn, one, zero)
        factor = bent * viscosity * (wx * nx + wy * ny + wz * nz) / where_less(zero, nn, nn, one)
        bare = (one - bent) * viscosity
        ax, ay, az, bx, by, bz = lane_arm_forces(px, py, pz, qx, qy, qz, factor * nx + bare * wx, factor * ny + bare * wy,
                                                 factor * nz + bare * wz, over_pp, over_qq)
        scatter_arms(force, springs.first, springs.centre, springs.second, s, ax, ay, az, bx, by, bz)


@kernel
def add_linear_law_dampers(springs, begin, end, drives, tables, state, position, velocity, force, time, inside):
    """Linear springs with a law."""
    for i in range(begin, end):
        if springs.viscosity[i] == 0.0:
            continue
        u, _, stretch, _ = linear_strain(springs, drives, i, position, time, inside)
        rate = dot(u, minus(read(velocity, springs.first[i]), read(velocity, springs.second[i])))
        viscous = linear_law(springs, i, tables, stretch, rate, state[i, FLOW], state[i, ACCUMULATED])[1]
        add_to(force, springs.first[i], u, -viscous)
        add_to(force, springs.second[i], u, viscous)


@kernel
def add_angular_law_dampers(springs, begin, end, drives, state, position, velocity, force, time, inside):
    """Angular springs with a law."""
    for i in range(begin, end):
        if springs.viscosity[i] == 0.0:
            continue
        p, q, _, normal, strain, _ = angular_strain(springs, drives, i, state, position, time, inside)
        middle = read(velocity, springs.centre[i])
        over_pp, over_qq = 1.0 / dot(p, p), 1.0 / dot(q, q)
        turning = minus(scaled(cross(q, minus(read(velocity, springs.second[i]), middle)), over_qq),
                        scaled(cross(p, minus(read(velocity, springs.first[i]), middle)), over_pp))
        if dot(normal, normal) > 0.0:
            rate = -dot(turning, normal)
            moment = scaled(normal, -bent_law(springs, i, strain, rate, state[i, FLOW], state[i, ACCUMULATED])[1])
        else:
            moment = scaled(turning, springs.viscosity[i])
        fa, fb = scaled(cross(moment, p), over_pp), scaled(cross(q, moment), over_qq)
        add_to(force, springs.first[i], fa, 1.0)
        add_to(force, springs.second[i], fb, 1.0)
        add_to(force, springs.centre[i], plus(fa, fb), -1.0)


@kernel
def add_articular_dampers(springs, begin, end, drives, state, position, velocity, force, time, inside):
    """Articular springs."""
    for i in range(begin, end):
        if springs.viscosity[i] == 0.0:
            continue
        angle, on_a, on_b, on_c, on_d = dihedral(springs, i, position, state[i, ANGLE])
        rate = (dot(on_a, read(velocity, springs.first[i])) + dot(on_b, read(velocity, springs.second[i]))
                + dot(on_c, read(velocity, springs.centre[i])) + dot(on_d, read(velocity, springs.end[i])))
        rest = rest_of(springs, drives, i, time, inside)[0]
        moment = -bent_law(springs, i, angle - rest, rate, state[i, FLOW], state[i, ACCUMULATED])[1]
        add_to(force, springs.first[i], on_a, moment)
        add_to(force, springs.second[i], on_b, moment)
        add_to(force, springs.centre[i], on_c, moment)
        add_to(force, springs.end[i], on_d, moment)


@kernel
def add_group_dampers(arrays, group, buffers, position, velocity, force, time, inside):
    """All dampers of one group."""
    linear, angular = value(arrays.linear), value(arrays.angular)
    add_linear_dampers(linear, linear.start[group], linear.start[group + 1], position, velocity, force)
    add_angular_dampers(angular, angular.start[group], angular.start[group + 1], position, velocity, force)
    if buffers.counters[at.HAS_LAWS] == 1:
        lawful, bent, hinges, drives = arrays.linear_law, arrays.angular_law, arrays.articular, arrays.drives
        add_linear_law_dampers(lawful, lawful.start[group], lawful.start[group + 1], drives, arrays.tables, buffers.linear_law,
                               position, velocity, force, time, inside)
        add_angular_law_dampers(bent, bent.start[group], bent.start[group + 1], drives, buffers.angular_law,
                                position, velocity, force, time, inside)
        add_articular_dampers(hinges, hinges.start[group], hinges.start[group + 1], drives, buffers.articular,
                              position, velocity, force, time, inside)


@kernel
def add_damper_forces(arrays, buffers, position, velocity, force, time, inside, member, team, generation):
    """Add what all dampers push with, level by level of the tree of groups. Returns the generation."""
    levels = arrays.tree.level_start
    for level in range(len(levels) - 1):
        begin, count = levels[level], levels[level + 1] - levels[level]
        for group in range(begin + count * member // team, begin + count * (member + 1) // team):
            add_group_dampers(arrays, group, buffers, position, velocity, force, time, inside)
        generation = meet(buffers.sync, team, generation)
    return generation
