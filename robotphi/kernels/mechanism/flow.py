"""The flow H at held places: u̇ = M⁻¹ (f − C u − T sgn u), f by places and time, C viscosity and T dry friction of joints.

Viscosity by one solution, which is fitted to the exponentials of single freedoms and is of second order for all of them:

    (M + B h C) k = f − C u        u⁺ = u + h k        P = h (u + B h k)        B = 1/(1 − exp(−z)) − 1/z,  z = h c/inertia

with B from ½ where viscosity is small to 1 where it is large: a damper may be as strong as it likes, since (u⁺)·M u⁺ falls for
every B of at least ½, and the recursion needs no more than armature + B h c in the place of the armature. P is the way. What
dampers take is, exactly as far as f is constant,

    (P·C P + (u⁺ − u)·M (P − h ū))/h,        ū = (u + u⁺)/2

which for one freedom is ½ (1 − R²) m w² + 2 (1 − R) m w g + h c g², as of `step/damp`, with R the share of w = u − g that is
kept off the steady rate g = f/c; it is positive for every c. Dry friction takes its torque × way, a drive gives its effort
× way. Without viscosity k, u⁺ and P = h ū are exact.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import dot
from robotphi.kernels.mechanism.articulated import factor_links, felt_by, hangs
from robotphi.kernels.mechanism.bases import lend
from robotphi.kernels.mechanism.closed import bind_closures
from robotphi.kernels.mechanism.columns import (
    BASE,
    BESIDE,
    DAMPING,
    DIRECTION,
    DRIVEN,
    FACTORED,
    FIT,
    KNOWN,
    LEG,
    LOOSE,
    MODE,
    REACTION,
    RUBBED,
    VISCOUS,
    WAY,
    WORK,
)
from robotphi.kernels.mechanism.ease import fitted
from robotphi.kernels.mechanism.gains import solve_loaded
from robotphi.kernels.mechanism.loops import goes_in_loops, hold_loops, sum_loops
from robotphi.kernels.mechanism.motors import share_of_motors, work_along
from robotphi.kernels.mechanism.poses import spread_from_rest
from robotphi.kernels.mechanism.relations import add_multipliers, factor_relations, fit_alike, has_relations
from robotphi.kernels.step.rigids import get_orientation, row3, spin_of


@kernel
def factor_for(arrays, links, rigid, joints, bound, span, m):
    """Factor the links for a piece of the step of a length; freedoms that are held do not give way.

    Nothing is done where they stand factored so. `joints` know how easily freedoms move; what closures do comes to `bound`.
    """
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    closed = goes_in_loops(mechanisms, arrays.closures, m)
    if closed:
        sum_loops(mechanisms, links, joints, span, first, last)
    for k in range(first, last):
        if mechanisms.loop[k] == k:
            flow[k, FIT] = fitted(flow[k, FIT])
        elif mechanisms.loop[k] >= 0:
            flow[k, FIT] = flow[mechanisms.loop[k], FIT]
        else:
            flow[k, FIT] = fitted(span * flow[k, DAMPING] * joints.ease[k, 0])
    related = has_relations(mechanisms, m)
    if related:
        fit_alike(mechanisms, links, m)
    known = links.sums[m, FACTORED] == 1.0
    for k in range(first, last):
        beside = math.inf
        if flow[k, MODE] == LOOSE:
            beside = mechanisms.armature[k] + flow[k, FIT] * span * flow[k, DAMPING]
        known = known and flow[k, BESIDE] == beside
        flow[k, BESIDE] = beside
    if known:
        return
    factor_links(mechanisms, rigids, links, begin, end)
    if related:
        factor_relations(mechanisms, links, m)
    if closed:
        bind_closures(arrays, links, rigid, bound, m)
    links.sums[m, FACTORED] = 1.0


@kernel
def mean_gain(arrays, links, rigid, load, bound, rate, gain, span, m):
    """Mean acceleration of a piece of the step and the way gone in it, links factored for it."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        going = rate[k, 0] if flow[k, MODE] == LOOSE else rate[k, 0] + 0.5 * span * flow[k, KNOWN]   # the mean of what is led
        links.effort[k, 0] = flow[k, BASE] - mechanisms.friction[k, 1] * flow[k, DIRECTION] - flow[k, DAMPING] * going
    solve_loaded(mechanisms, rigids, links, load, links.effort, gain, begin, end)
    if has_relations(mechanisms, m):
        add_multipliers(mechanisms, links, gain, rate, 1.0 / span if span > 0.0 else 0.0, m)
        solve_loaded(mechanisms, rigids, links, load, links.effort, gain, begin, end)
    if goes_in_loops(mechanisms, arrays.closures, m):
        hold_loops(arrays, links, rigid, load, bound, rate, gain, m)
    set_legs(mechanisms, links, rate, gain, span, first, last)


@kernel
def set_legs(mechanisms, links, rate, gain, span, first, last):
    """Ways gone with mean accelerations; what is held goes with a constant one."""
    flow = links.flow
    for k in range(first, last):
        fit = flow[k, FIT] if flow[k, MODE] == LOOSE else 0.5
        flow[k, LEG] = span * (rate[k, 0] + fit * span * gain[k, 0])


@kernel
def go_on(arrays, links, bound, rate, gain, span, m):
    """Rates and ways at the end of the piece, and what was taken and given in it."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    taken, rubbed = 0.0, 0.0
    lend(mechanisms, arrays.closures, links, bound, span, m)
    for k in range(first, last):
        change = span * gain[k, 0]
        mean, leg = rate[k, 0] + 0.5 * change, flow[k, LEG]
        rubbed += mechanisms.friction[k, 1] * flow[k, DIRECTION] * leg
        taken += mechanisms.viscosity[k] * leg * leg
        if flow[k, MODE] == DRIVEN:
            flow[k, WORK] += flow[k, REACTION] * span * mean
        elif mechanisms.motor[k] >= 0 and span > 0.0:
            work_along(flow, k, leg, span)
        links.trial[k, 0], links.answer[k, 0] = change, leg - span * mean
        flow[k, WAY] += leg
        rate[k, 0] += change
    links.sums[m, RUBBED] += rubbed
    if mechanisms.viscous[m] == 1 and span > 0.0:
        together = kinetic_product(mechanisms, rigids, links, begin, end) / span
        links.sums[m, VISCOUS] += taken / span + share_of_motors(mechanisms, links, together, first, last)


@kernel
def kinetic_product(mechanisms, rigids, links, begin, end):
    """a·M b of the rates `trial` and `answer`; accelerations and reactions of the links are written over."""
    total = 0.0
    for i in range(begin, end):
        moved = spread_from_rest(mechanisms, links, links.acceleration, links.trial, begin, i)
        other = spread_from_rest(mechanisms, links, links.reaction, links.answer, begin, i)
        total += product_of_link(mechanisms, rigids, links, moved, other, i)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            total += mechanisms.armature[k] * links.trial[k, 0] * links.answer[k, 0]
    return total


@kernel
def kinetic_square(mechanisms, rigids, links, begin, end):
    """a·M a of the rates `answer`; reactions of the links are written over."""
    total = 0.0
    for i in range(begin, end):
        moved = spread_from_rest(mechanisms, links, links.reaction, links.answer, begin, i)
        total += product_of_link(mechanisms, rigids, links, moved, moved, i)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            total += mechanisms.armature[k] * links.answer[k, 0] * links.answer[k, 0]
    return total


@kernel
def product_of_link(mechanisms, rigids, links, a, b, i):
    """Of two motions (velocity, spin) of link i, with what hangs on it."""
    body, total = mechanisms.rigid[i], 0.0
    if body >= 0:
        turning = spin_of(get_orientation(links.pose, i), a[1], row3(rigids.inertia, body))   # R I Rᵀ ω
        total += rigids.mass[body] * dot(a[0], b[0]) + dot(turning, b[1])
    if hangs(links, i):
        force, couple = felt_by(links, i, a[0], a[1])
        total += dot(force, b[0]) + dot(couple, b[1])
    return total
