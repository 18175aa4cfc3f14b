"""The flow H at held places: u̇ = M⁻¹ (f − C u − T sgn u), f by places and time, C viscosity and T dry friction of joints.

Viscosity by two stages with one factor, L-stable and of second order (SDIRK2, Alexander 1977), γ = 1 − 1/√2:

    (M + γ h C) k₁ = f − C u        (M + γ h C) k₂ = f − C (u + (1 − γ) h k₁)        u⁺ = u + h ((1 − γ) k₁ + γ k₂)

for which the recursion needs no more than armature + γ h c in the place of the armature: a damper may be as strong as it likes.
The stages go the way P = h ((1 − γ) u₁ + γ u⁺) with u₁ = u + γ h k₁. What dampers take is, exactly as far as f is constant,

    (P·C P + (u⁺ − u)·M (P − h ū))/h,        ū = (u + u⁺)/2

which for one freedom is ½ (1 − R²) m w² + 2 (1 − R) m w g + h c g², as of `step/damp`, with R the share of w = u − g that is
kept off the steady rate g = f/c; it is positive for every c. Dry friction takes its torque × way, a drive gives its effort
× way. Without viscosity one solution gives what is then exact: u⁺ = u + h k, P = h ū.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import factor_links, load_links, solve_links
from robotphi.kernels.mechanism.columns import (
    BASE,
    BESIDE,
    DIRECTION,
    DRIVEN,
    FIRST,
    LEG,
    LOOSE,
    MODE,
    REACTION,
    RUBBED,
    VISCOUS,
    WAY,
    WORK,
)
from robotphi.kernels.step.rigids import get_orientation, row3, spin_of

GAMMA = 1.0 - math.sqrt(0.5)


@kernel
def factor_for(mechanisms, rigids, links, span, m):
    """Factor the links for a piece of the step of a length; freedoms that are held do not give way."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        if links.flow[k, MODE] != LOOSE:
            links.flow[k, BESIDE] = math.inf
        else:
            links.flow[k, BESIDE] = mechanisms.armature[k] + GAMMA * span * mechanisms.viscosity[k]
    factor_links(mechanisms, rigids, links, begin, end)


@kernel
def solve_stage(mechanisms, rigids, links, load, rate, gain, along, m):
    """Accelerations with the viscosity of rates u + along × (those of the first stage)."""
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        speed = rate[k, 0] + along * flow[k, FIRST] if along > 0.0 else rate[k, 0]
        links.effort[k, 0] = (flow[k, BASE] - mechanisms.friction[k, 1] * flow[k, DIRECTION]
                              - mechanisms.viscosity[k] * speed)
    load_links(mechanisms, rigids, links, load, begin, end)
    solve_links(mechanisms, links, links.effort, gain, begin, end)


@kernel
def set_legs(links, rate, gain, span, first, last):
    """Ways gone with constant accelerations."""
    for k in range(first, last):
        links.flow[k, LEG] = span * (rate[k, 0] + 0.5 * span * gain[k, 0])


@kernel
def mean_gain(mechanisms, rigids, links, load, rate, gain, span, m):
    """Mean acceleration of a piece of the step and the way gone in it, links factored for it."""
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    solve_stage(mechanisms, rigids, links, load, rate, gain, 0.0, m)
    if mechanisms.viscous[m] == 0:
        set_legs(links, rate, gain, span, first, last)
        return
    for k in range(first, last):
        flow[k, FIRST] = gain[k, 0]
        flow[k, LEG] = flow[k, REACTION]
    solve_stage(mechanisms, rigids, links, load, rate, gain, (1.0 - GAMMA) * span, m)
    for k in range(first, last):
        if flow[k, MODE] != LOOSE:
            flow[k, REACTION] = (1.0 - GAMMA) * flow[k, LEG] + GAMMA * flow[k, REACTION]
        gain[k, 0] = (1.0 - GAMMA) * flow[k, FIRST] + GAMMA * gain[k, 0]
        flow[k, LEG] = span * (rate[k, 0] + span * ((1.0 - GAMMA) * GAMMA * flow[k, FIRST] + GAMMA * gain[k, 0]))


@kernel
def go_on(mechanisms, rigids, links, rate, gain, span, m):
    """Rates and ways at the end of the piece, and what was taken and given in it."""
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    taken, rubbed = 0.0, 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        change = span * gain[k, 0]
        mean, leg = rate[k, 0] + 0.5 * change, flow[k, LEG]
        rubbed += mechanisms.friction[k, 1] * flow[k, DIRECTION] * leg
        taken += mechanisms.viscosity[k] * leg * leg
        if flow[k, MODE] == DRIVEN:
            flow[k, WORK] += flow[k, REACTION] * span * mean
        links.trial[k, 0], links.answer[k, 0] = change, leg - span * mean
        flow[k, WAY] += leg
        rate[k, 0] += change
    links.sums[m, RUBBED] += rubbed
    if mechanisms.viscous[m] == 1 and span > 0.0:
        links.sums[m, VISCOUS] += (taken + kinetic_product(mechanisms, rigids, links, begin, end)) / span


@kernel
def kinetic_product(mechanisms, rigids, links, begin, end):
    """a·M b of the rates `trial` and `answer`; accelerations and pushes of the links are written over."""
    total = 0.0
    for i in range(begin, end):
        speed_a, spin_a = carried(mechanisms, links, links.acceleration, links.trial, begin, i)
        speed_b, spin_b = carried(mechanisms, links, links.push, links.answer, begin, i)
        body = mechanisms.rigid[i]
        if body >= 0:
            turning = spin_of(get_orientation(links.pose, i), spin_a, row3(rigids.inertia, body))   # R I Rᵀ ω
            total += rigids.mass[body] * dot(speed_a, speed_b) + dot(turning, spin_b)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            total += mechanisms.armature[k] * links.trial[k, 0] * links.answer[k, 0]
    return total


@kernel
def carried(mechanisms, links, rows, rate, begin, i):
    """Velocity and spin of link i by rates on a base at rest, kept in rows of all links."""
    parent, speed, spin = mechanisms.parent[i], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if parent >= begin:
        spin = get3(rows, parent, 3)
        speed = plus(get3(rows, parent, 0), cross(spin, get3(links.reach, i, 0)))
    for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
        speed = plus(speed, scaled(get3(links.way, k, 0), rate[k, 0]))
        spin = plus(spin, scaled(get3(links.way, k, 3), rate[k, 0]))
    set3(rows, i, 0, speed)
    set3(rows, i, 3, spin)
    return speed, spin
