"""Tendons: one cable over several points, pulleys and eyes without friction, of one tension.

Over the ends x₁ … x_n, the length is L = Σ |x_j+1 − x_j| and the tension, which never pushes,
    T = k max(L − L₀(t), 0) + P(t) + μ L̇        F_j = T (u_j − u_j−1),   u_j the unit vector from x_j to x_j+1
with P a tension that is asked for. The force is −T ∂L/∂x: it leaves both momenta as they are, and its power is −T L̇. The
damping is bounded by the rest of the tension, as that of cables (`springs/laws`). Winding gives −k (L − L₀) L̇₀, the tension
asked for −P L̇.
"""
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import LOST, STORED, WORK, Act, lose, store, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.acts.ends import end_place, end_velocity, push_end, stiffen_end
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot, minus, norm, scaled


class Tendon(NamedTuple):
    """One row for each point, in their order along the cable."""
    through: fields.ends()
    stiffness: fields.number("N/m", low=0.0, default=0.0, single=True)
    viscosity: fields.number("N·s/m", low=0.0, default=0.0, single=True)
    rest_length: fields.number("m", low=0.0, default=0.0, single=True)
    drive: fields.drive("m", default=None)     # added to the rest length
    tension: fields.drive("N", default=None)   # on top of what the cable itself pulls with
    count: fields.count()
    entry: fields.entry()


@inlined
def cable_tension(stiffness, viscosity, stretch, asked, rate):
    """What the cable itself pulls with and what it is damped by [N], what it stores [J]."""
    stretch = max(stretch, 0.0)
    elastic = stiffness * stretch
    pull = elastic + max(asked, 0.0)
    return elastic, max(-pull, min(pull, viscosity * rate)), 0.5 * elastic * stretch


@inlined
def between(rows, i, now):
    """Unit vector and distance from point i to the next, and the rate of it."""
    away = minus(end_place(now, rows.through[i + 1]), end_place(now, rows.through[i]))
    speed = minus(end_velocity(now, rows.through[i + 1]), end_velocity(now, rows.through[i]))
    distance = norm(away)
    along = scaled(away, 1.0 / distance if distance > 0.0 else 0.0)
    return along, distance, dot(along, speed)


@kernel
def tell_cable(rows, first, drives, now, time, inside):
    """Length and its rate, rest length and its rate, tension asked for."""
    length, rate = 0.0, 0.0
    for i in range(first, first + rows.count[first] - 1):
        _, distance, speed = between(rows, i, now)
        length += distance
        rate += speed
    rest, rest_rate, asked = rows.rest_length[first], 0.0, 0.0
    if rows.drive[first] >= 0:
        wound, rest_rate = drive_value(drives, rows.drive[first], time, inside)
        rest += wound
    if rows.tension[first] >= 0:
        asked = drive_value(drives, rows.tension[first], time, inside)[0]
    return length, rate, rest, rest_rate, max(asked, 0.0)


@kernel
def push(rows, drives, buffers, now, time, inside):
    first = 0
    while first < len(rows.through):
        length, rate, rest, _, asked = tell_cable(rows, first, drives, now, time, inside)
        elastic, viscous, energy = cable_tension(rows.stiffness[first], rows.viscosity[first], length - rest, asked, rate)
        for i in range(first, first + rows.count[first] - 1):
            along = between(rows, i, now)[0]
            push_end(now, rows.through[i], along, elastic + viscous + asked)
            push_end(now, rows.through[i + 1], along, -(elastic + viscous + asked))
        store(buffers, rows.entry[first], energy)
        lose(buffers, rows.entry[first], viscous * rate)
        first += rows.count[first]


@kernel
def power(rows, drives, buffers, now, time, inside):
    first = 0
    while first < len(rows.through):
        length, rate, rest, rest_rate, asked = tell_cable(rows, first, drives, now, time, inside)
        work(buffers, rows.entry[first], -rows.stiffness[first] * max(length - rest, 0.0) * rest_rate - asked * rate)
        first += rows.count[first]


@kernel
def bound(rows, drives, buffers, now, time, inside):
    """k g gᵀ with g the gradient of the length, |g_j| at most 2 at an inner point and 1 at an end: Cauchy gives each point
    k |g_j| Σ |g|. Across a piece of length l the tension is a stiffness T/l between its ends, 2 T/l for each."""
    first = 0
    while first < len(rows.through):
        last = first + rows.count[first] - 1
        length, rate, rest, _, asked = tell_cable(rows, first, drives, now, time, inside)
        elastic, viscous, _ = cable_tension(rows.stiffness[first], rows.viscosity[first], length - rest, asked, rate)
        total = 0.0
        for i in range(first, last + 1):
            total += lever(rows, i, first, last, now)
        for i in range(first, last + 1):
            share = lever(rows, i, first, last, now) * total
            stiffen_end(buffers, rows.through[i], rows.stiffness[first] * share, rows.viscosity[first] * share)
        for i in range(first, last):
            distance = between(rows, i, now)[1]
            across = 2.0 * max(elastic + viscous + asked, 0.0) / distance if distance > 0.0 else 0.0
            stiffen_end(buffers, rows.through[i], across, 0.0)
            stiffen_end(buffers, rows.through[i + 1], across, 0.0)
        first = last + 1


@kernel
def lever(rows, i, first, last, now):
    """|∂L/∂x_i|"""
    before = between(rows, i - 1, now)[0] if i > first else (0.0, 0.0, 0.0)
    behind = between(rows, i, now)[0] if i < last else (0.0, 0.0, 0.0)
    return norm(minus(before, behind))


ACT = Act("tendon", Tendon, (STORED, LOST, WORK), push=push, power=power, bound=bound)
