"""The viscous part of the springs by itself: what their dampers push with at held positions and given velocities.

A damper pushes with −g (g·v), g = √μ times the gradient of the length or angle. Those of plain angular springs, costly to find,
are found once for all stages at the same positions. The formulas are those of `plain`, `laws` and `articular`. A damper whose
law bounds it by the pull of its spring is bounded here as well. Springs without viscosity are passed over.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import (
    gather_arms,
    gather_difference,
    lane_sum,
    load,
    root,
    row,
    scatter_arms,
    scatter_pair,
    set_row,
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

NONE, KEPT, STRAIGHT_ONES = range(3)  # of four springs: no viscosity; their ways are kept; some are straight


@kernel
def add_linear_dampers(springs, begin, end, position, velocity, force):
    """F_a = −μ (d·ḋ)/|d|² d, F_b = −F_a, four springs at a time."""
    zero, one = splat(0.0), splat(1.0)
    for s in range(begin, end, 4):
        viscosity = load(springs.viscosity, s)
        if lane_sum(viscosity) == 0.0:
            continue
        dx, dy, dz = gather_difference(position, springs.first, springs.second, s)
        wx, wy, wz = gather_difference(velocity, springs.first, springs.second, s)
        square = dx * dx + dy * dy + dz * dz
        along = viscosity * (dx * wx + dy * wy + dz * wz)
        push = zero - along / where_less(zero, square, square, one)
        scatter_pair(force, springs.first, springs.second, s, push * dx, push * dy, push * dz)


@inlined
def pull_arms(springs, s, ax, ay, az, bx, by, bz, velocity, force):
    """F_a = −g_a θ̇, F_b = −g_b θ̇ of four springs with θ̇ = g_a·(v_a − v_c) + g_b·(v_b − v_c); the centre takes the rest."""
    ux, uy, uz, vx, vy, vz = gather_arms(velocity, springs.first, springs.centre, springs.second, s)
    rate = splat(0.0) - ((ax * ux + ay * uy + az * uz) + (bx * vx + by * vy + bz * vz))
    scatter_arms(force, springs.first, springs.centre, springs.second, s, rate * ax, rate * ay, rate * az,
                 rate * bx, rate * by, rate * bz)


@inlined
def lane_arms(springs, position, s):
    """Arms p and q of four springs and 1/|p|², 1/|q|²; of idle ones without length 0."""
    zero, one = splat(0.0), splat(1.0)
    px, py, pz, qx, qy, qz = gather_arms(position, springs.first, springs.centre, springs.second, s)
    pp = px * px + py * py + pz * pz
    qq = qx * qx + qy * qy + qz * qz
    product = pp * qq
    over = one / where_less(zero, product, product, one)
    return px, py, pz, qx, qy, qz, product, qq * over, pp * over


@kernel
def find_angular_ways(springs, begin, end, position, velocity, force, way, kind):
    """g = √μ ∂θ/∂x of the ends of the arms, four springs at a time, and the forces by it; straight springs have no such way."""
    zero, one = splat(0.0), splat(1.0)
    for s in range(begin, end, 4):
        viscosity = load(springs.viscosity, s)
        if lane_sum(viscosity) == 0.0:
            kind[s // 4] = NONE
            continue
        px, py, pz, qx, qy, qz, product, over_pp, over_qq = lane_arms(springs, position, s)
        nx = py * qz - pz * qy
        ny = pz * qx - px * qz
        nz = px * qy - py * qx
        nn = nx * nx + ny * ny + nz * nz
        straight = where_less(product * STRAIGHT, nn, zero, viscosity)
        if lane_sum(straight) > 0.0:
            kind[s // 4] = STRAIGHT_ONES
            turn_straight(springs, s, px, py, pz, qx, qy, qz, nx, ny, nz, nn, viscosity, straight, over_pp, over_qq,
                          velocity, force)
            continue
        kind[s // 4] = KEPT
        size = root(viscosity / where_less(zero, nn, nn, one))
        nx, ny, nz = size * nx, size * ny, size * nz
        ax, ay, az, bx, by, bz = lane_arm_forces(px, py, pz, qx, qy, qz, nx, ny, nz, over_pp, over_qq)
        k = 6 * (s // 4)
        set_row(way, k, ax)
        set_row(way, k + 1, ay)
        set_row(way, k + 2, az)
        set_row(way, k + 3, bx)
        set_row(way, k + 4, by)
        set_row(way, k + 5, bz)
        pull_arms(springs, s, ax, ay, az, bx, by, bz, velocity, force)


@kernel
def turn_straight(springs, s, px, py, pz, qx, qy, qz, nx, ny, nz, nn, viscosity, straight, over_pp, over_qq, velocity, force):
    """Four springs of which some are straight: moment vector T = μ (Ω·n)/s² n, of a straight one μ Ω."""
    zero, one = splat(0.0), splat(1.0)
    ux, uy, uz, vx, vy, vz = gather_arms(velocity, springs.first, springs.centre, springs.second, s)
    wx, wy, wz = lane_turning(px, py, pz, qx, qy, qz, ux, uy, uz, vx, vy, vz, over_pp, over_qq)
    factor = (viscosity - straight) * (wx * nx + wy * ny + wz * nz) / where_less(zero, nn, nn, one)
    ax, ay, az, bx, by, bz = lane_arm_forces(px, py, pz, qx, qy, qz, factor * nx + straight * wx, factor * ny + straight * wy,
                                             factor * nz + straight * wz, over_pp, over_qq)
    scatter_arms(force, springs.first, springs.centre, springs.second, s, ax, ay, az, bx, by, bz)


@kernel
def add_angular_dampers(springs, begin, end, position, velocity, force, way, kind):
    """Forces by the ways that were found at these positions."""
    for s in range(begin, end, 4):
        if kind[s // 4] == KEPT:
            k = 6 * (s // 4)
            pull_arms(springs, s, row(way, k), row(way, k + 1), row(way, k + 2), row(way, k + 3), row(way, k + 4),
                      row(way, k + 5), velocity, force)
        elif kind[s // 4] == STRAIGHT_ONES:
            find_angular_ways(springs, s, s + 4, position, velocity, force, way, kind)


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
def add_group_law_dampers(arrays, group, buffers, position, velocity, force, time, inside):
    """Dampers of one group whose springs have a law of their own, and the articular ones."""
    linear, bent, hinges, drives = arrays.linear_law, arrays.angular_law, arrays.articular, arrays.drives
    add_linear_law_dampers(linear, linear.start[group], linear.start[group + 1], drives, arrays.tables, buffers.linear_law,
                           position, velocity, force, time, inside)
    add_angular_law_dampers(bent, bent.start[group], bent.start[group + 1], drives, buffers.angular_law,
                            position, velocity, force, time, inside)
    add_articular_dampers(hinges, hinges.start[group], hinges.start[group + 1], drives, buffers.articular,
                          position, velocity, force, time, inside)


@kernel
def add_damper_forces(arrays, buffers, position, velocity, force, time, inside, first, member, team, generation):
    """Add what all dampers push with, level by level of the tree of groups. Returns the generation.

    The first time at these positions the ways of plain angular springs are found, later they are known.
    """
    linear, angular, damping = value(arrays.linear), value(arrays.angular), value(buffers.damping)
    levels = arrays.tree.level_start
    for level in range(len(levels) - 1):
        begin, count = levels[level], levels[level + 1] - levels[level]
        for group in range(begin + count * member // team, begin + count * (member + 1) // team):
            i, j, k, m = linear.start[group], linear.start[group + 1], angular.start[group], angular.start[group + 1]
            add_linear_dampers(linear, i, j, position, velocity, force)
            if first:
                find_angular_ways(angular, k, m, position, velocity, force, damping.angular_way, damping.angular_kind)
            else:
                add_angular_dampers(angular, k, m, position, velocity, force, damping.angular_way, damping.angular_kind)
            if buffers.counters[at.HAS_LAWS] == 1:
                add_group_law_dampers(arrays, group, buffers, position, velocity, force, time, inside)
        generation = meet(buffers.sync, team, generation)
    return generation
