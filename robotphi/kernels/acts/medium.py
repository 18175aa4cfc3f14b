"""The medium that objects move in: drag of air and liquids on facets, pressure below a level (RR-3072, §4.5).

A facet of area S and outward normal n, whose centre has the velocity V relative to the medium, feels where it faces the flow
    F = −S (V·n) (k + q |V|) V/|V|    for V·n > 0, else 0
with k [N·s/m³] for slow motion in air, linear in the speed (equation 4.6), and q = ½ ρ c [kg/m³] for liquids and fast motion
in air, quadratic. S (V·n)/|V| is the area seen along the flow (figure 4.17): a convex body that does not turn meets ½ ρ c V²
times its silhouette. Either side of an open surface may face the flow: there |V·n| stands for V·n.
The force acts at the centre and goes to the three particles by the barycentric coordinates of the centre, by which V was taken
from their velocities: force, moment and power are exact. Drag takes −F·V ≥ 0 from the motion, a moving medium gives F·wind.

Below a level, depth d, a medium of weight ρ g per volume presses on closed surfaces with ρ g d. The energy of the liquid moved
aside, and by the divergence theorem its form as an integral over the surface, is
    U = ρ g ∫_body d dV = −½ ρ g Σ_T ∫_T d² dA n·up        f_k = −∂U/∂x_k = −ρ g n ∫_T d w_k dA
with the barycentric coordinates w_k: the force on vertex k is the exact gradient for a closed surface of any form.

Of a facet that crosses the level only the part below counts: its area, its centre, the integrals over it. They change
continuously as it dives. Terms beyond this (the mass of the medium that is carried along, lift, friction along the facet,
facets in the lee of others) are not here.

A medium that is nowhere has no facets. Functions add to `force` and `bound` facet by facet in order: one member calls them.
"""
import math

from robotphi.kernels.acts.act import Act
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled
from robotphi.kernels.step.entries import NEXT, NEXT_RATE, places
from robotphi.kernels.step.slots import DAMP, STIFF

PRESSURE, UP, LEVEL = 0, 1, 4           # columns of the surface: N/m³, three of a unit vector, m
BUOYANCY, DRAG, WIND = places("buoyancy", "drag", "work:wind")
THIRD = 1.0 / 3.0
MOST_LINEAR = 2.0 / math.sqrt(3.0)      # largest norm of ∂F/∂V of linear drag over k S, where the flow is 35° off the normal
MOST_QUADRATIC = 2.0                    # the same of quadratic drag over q S |V|, along the normal


@kernel
def wind_velocity(medium, drives, time, inside):
    """Velocity of the medium [m/s]."""
    x = drive_value(drives, medium.wind[0], time, inside)[0] if medium.wind[0] >= 0 else 0.0
    y = drive_value(drives, medium.wind[1], time, inside)[0] if medium.wind[1] >= 0 else 0.0
    z = drive_value(drives, medium.wind[2], time, inside)[0] if medium.wind[2] >= 0 else 0.0
    return x, y, z


@inlined
def alone_first(below_a, below_b, below_c, a, b, c):
    """The corners in their cyclic order, first the one that is alone on its side of the level."""
    if below_a == below_c and below_a != below_b:
        return b, c, a
    if below_a == below_b and below_a != below_c:
        return c, a, b
    return a, b, c


@inlined
def part_below(d_a, d_b, d_c):
    """Part below the level of a triangle that crosses it, from the depths of its corners, the first alone on its side.

    Up to two triangles with the first in common: share of the area and three corners in barycentric coordinates each.
    """
    a, b, c = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    on_b, on_c = d_a / (d_a - d_b), d_a / (d_a - d_c)   # where the sides from a cross the level, from a
    at_b, at_c = (1.0 - on_b, on_b, 0.0), (1.0 - on_c, 0.0, on_c)
    if d_a > 0.0:
        return on_b * on_c, a, at_b, at_c, 0.0, c
    # b, c and the two crossings: the triangles b, c, at_c and b, at_c, at_b
    return 1.0 - on_c, b, c, at_c, on_c * (1.0 - on_b), at_b


@inlined
def pressed(share, p, q, r, depth):
    """∫ d w_k (three) and ∫ d² over a part of a facet with corners p, q, r, both per area of the whole facet.

    Over a triangle of area A, ∫ f g dA = A/12 (Σ f_i Σ g_i + Σ f_i g_i) for f and g linear.
    """
    d_p, d_q, d_r = dot(p, depth), dot(q, depth), dot(r, depth)
    total = d_p + d_q + d_r
    corners = plus(plus(scaled(p, total + d_p), scaled(q, total + d_q)), scaled(r, total + d_r))
    square = total * total + d_p * d_p + d_q * d_q + d_r * d_r
    return scaled(corners, share / 12.0), share / 12.0 * square


@inlined
def drag_factor(flow, speed, linear, quadratic, two_sided):
    """S (V·n) (k + q |V|)/|V| for the flow S V·n [m³/s]: the force is −factor V [N·s/m]."""
    if two_sided != 0:
        flow = abs(flow)
    return flow * (linear + quadratic * speed) / speed if flow > 0.0 and speed > 0.0 else 0.0


@kernel
def add_medium_forces(medium, drives, position, velocity, force, time, inside):
    """Add the forces of the medium on all facets.

    Returns the power lost in the medium [W], never negative, the power of its wind [W] and the energy of the displaced
    liquid [J]. The force does the work −lost + wind − change of energy.
    """
    lost, given, energy = 0.0, 0.0, 0.0
    surface = medium.surface
    weight, level, up = surface[PRESSURE], surface[LEVEL], (surface[UP], surface[UP + 1], surface[UP + 2])
    wind = wind_velocity(medium, drives, time, inside) if len(medium.facet) > 0 else (0.0, 0.0, 0.0)
    for i in range(len(medium.facet)):
        a, b, c = medium.facet[i, 0], medium.facet[i, 1], medium.facet[i, 2]
        first, p, q, r, second, s = 1.0, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), 0.0, (0.0, 0.0, 1.0)
        share, w = 1.0, (THIRD, THIRD, THIRD)   # ∫ w_k over the part below, per area of the facet
        if level < math.inf:
            below_a = level - dot(up, read(position, a)) > 0.0
            below_b = level - dot(up, read(position, b)) > 0.0
            below_c = level - dot(up, read(position, c)) > 0.0
            if not (below_a or below_b or below_c):
                continue
            if not (below_a and below_b and below_c):
                a, b, c = alone_first(below_a, below_b, below_c, a, b, c)
                first, p, q, r, second, s = part_below(level - dot(up, read(position, a)), level - dot(up, read(position, b)),
                                                       level - dot(up, read(position, c)))
                share = first + second
                w = plus(scaled(plus(plus(p, q), r), THIRD * first), scaled(plus(plus(p, r), s), THIRD * second))
        x_a, x_b, x_c = read(position, a), read(position, b), read(position, c)
        area = scaled(cross(minus(x_b, x_a), minus(x_c, x_a)), 0.5)
        if share > 0.0:
            v_a, v_b, v_c = read(velocity, a), read(velocity, b), read(velocity, c)
            v = minus(scaled(plus(plus(scaled(v_a, w[0]), scaled(v_b, w[1])), scaled(v_c, w[2])), 1.0 / share), wind)
            factor = drag_factor(dot(v, area), norm(v), medium.linear[i], medium.quadratic[i], medium.two_sided[i])
            add_to(force, a, v, -factor * w[0])
            add_to(force, b, v, -factor * w[1])
            add_to(force, c, v, -factor * w[2])
            lost += factor * share * dot(v, v)
            given -= factor * share * dot(v, wind)
        if weight > 0.0 and medium.two_sided[i] == 0:
            depth = (level - dot(up, x_a), level - dot(up, x_b), level - dot(up, x_c))
            on, square = pressed(first, p, q, r, depth)
            if second > 0.0:
                more, rest = pressed(second, p, r, s, depth)
                on, square = plus(on, more), square + rest
            add_to(force, a, area, -weight * on[0])
            add_to(force, b, area, -weight * on[1])
            add_to(force, c, area, -weight * on[2])
            energy -= 0.5 * weight * square * dot(area, up)
    return lost, given, energy


@kernel
def add_medium_bound(medium, drives, position, velocity, bound, time, inside, stiff, damp):
    """Add what the medium brings to the bounds of stiffness and damping of each particle, in two columns of `bound`.

    With a force C V on the facet shared by thirds and V the mean of three velocities, Cauchy gives u·C u ≤ Σ_i ‖C‖/3 |u_i|².
    For the direction v of the flow and c = v·n, C is k S (v nᵀ + c (1 − v vᵀ)) and q S |V| (v nᵀ + c 1). Facets that are turned
    away or above the level count as well: they may come to face the flow before the bound is taken again.
    Pressure ρ g d changes by ρ g S/3 with the depth of a corner and by ρ g d/3 × half a side with the area; rows and columns of
    this matrix add up to at most ρ g (S/3 + d × perimeter/4).
    """
    surface = medium.surface
    weight, level, up = surface[PRESSURE], surface[LEVEL], (surface[UP], surface[UP + 1], surface[UP + 2])
    wind = wind_velocity(medium, drives, time, inside) if len(medium.facet) > 0 else (0.0, 0.0, 0.0)
    for i in range(len(medium.facet)):
        a, b, c = medium.facet[i, 0], medium.facet[i, 1], medium.facet[i, 2]
        x_a, x_b, x_c = read(position, a), read(position, b), read(position, c)
        area = 0.5 * norm(cross(minus(x_b, x_a), minus(x_c, x_a)))
        v = minus(scaled(plus(plus(read(velocity, a), read(velocity, b)), read(velocity, c)), 1.0 / 3.0), wind)
        rate = (MOST_LINEAR * medium.linear[i] + MOST_QUADRATIC * medium.quadratic[i] * norm(v)) * area / 3.0
        stiffness = 0.0
        if weight > 0.0 and medium.two_sided[i] == 0:
            depth = max(0.0, level - min(dot(up, x_a), min(dot(up, x_b), dot(up, x_c))))
            around = norm(minus(x_b, x_a)) + norm(minus(x_c, x_b)) + norm(minus(x_a, x_c))
            stiffness = weight * (area / 3.0 + 0.25 * depth * around)
        for corner in (a, b, c):
            bound[corner, damp] += rate
            bound[corner, stiff] += stiffness


@kernel
def push(medium, drives, buffers, now, time, inside):
    """The forces of the medium, and what they take, give and store."""
    if len(medium.facet) > 0:
        lost, given, energy = add_medium_forces(medium, value(drives), now.position, now.velocity, now.force, time, inside)
        books = buffers.books
        books[DRAG, NEXT_RATE], books[WIND, NEXT_RATE], books[BUOYANCY, NEXT] = lost, given, energy


@kernel
def bound(medium, drives, buffers, now, time, inside):
    if len(medium.facet) > 0:
        add_medium_bound(medium, drives, now.position, now.velocity, buffers.stiffness_bound, time, inside, STIFF, DAMP)


ACT = Act("medium", push=push, bound=bound)
