"""Stops that are hit within a step, and what rests on them.

    u ← u + M⁻¹ Eᵀ J with E u ← −e E u,   takes −½ (1 − e) J·E u = ½ (1 − e²) u_k²/(M⁻¹)_kk where it is one

E picks the freedoms that hit their stops, and those that rest on theirs as far as they are pushed onto them. A rebound that
would be back within a small share of the step is none: what is left of its energy is lost then and there, and the freedom
rests.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.articulated import factor_links
from robotphi.kernels.mechanism.bases import lend
from robotphi.kernels.mechanism.closed import bind_closures
from robotphi.kernels.mechanism.columns import (
    BESIDE,
    DRIVEN,
    FORGONE,
    HELD,
    KNOWN,
    LOOSE,
    MODE,
    PRESS,
    REACTION,
    REBOUND,
    STOP,
    STOPPED,
    TRIES,
    WORK,
)
from robotphi.kernels.mechanism.gains import solve_links
from robotphi.kernels.mechanism.loops import STILL, goes_in_loops, hit_loops
from robotphi.kernels.mechanism.relations import add_multipliers, clear_push, factor_relations, has_relations

CAUGHT = 0.01      # of the step: rebounds that are back sooner are none
TINY = 1e-9        # of what a step would bring: rates onto a stop that are rounding


@kernel
def calm(arrays, links, rigid, joints, ahead, span, m):
    """What stands at a stop, or leaves it so slowly that what pushes it would have it back at once, is at rest."""
    mechanisms, flow, rate = arrays.mechanisms, links.flow, ahead.rate
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    closed, any_slow = goes_in_loops(mechanisms, arrays.closures, m), False
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[k, TRIES] = 0.0
        speed, pushed = rate[k, 0], flow[k, PRESS] * flow[k, STOP]
        if pushed > 0.0 and -0.5 * CAUGHT * span * pushed < speed * flow[k, STOP] <= TINY * span * pushed and speed != 0.0:
            if closed:
                flow[k, TRIES], any_slow = 1.0, True
                continue
            links.sums[m, STOPPED] += 0.5 * speed * speed / joints.ease[k, 0]
            rate[k, 0] = 0.0
    if any_slow:
        stop_loops(arrays, links, rigid, ahead.bound, rate, ahead.gain, m)


@kernel
def stop_loops(arrays, links, rigid, bound, rate, gain, m):
    """Freedoms marked, in loops, come to rest by impulses, since others go with them; what rests on its stop stays there."""
    mechanisms, flow = arrays.mechanisms, links.flow
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[j, KNOWN], flow[j, MODE] = 0.0, DRIVEN if mechanisms.drive[j] >= 0 else LOOSE
        if mechanisms.drive[j] < 0 and (flow[j, TRIES] > 0.0 or (flow[j, STOP] != 0.0 and flow[j, STOP] * rate[j, 0] >= 0.0)):
            flow[j, MODE], flow[j, KNOWN] = HELD, -rate[j, 0]
    settle_impulse(arrays, links, rigid, bound, rate, gain, m)
    take_impulse(arrays, links, bound, rate, gain, 0.0, m)


@kernel
def strike(arrays, links, rigid, bound, rate, gain, span, last_ones, m):
    """Whatever stands at a stop and moves into it hits it, all at once. What the velocities bring along is written over.

    `last_ones`: nothing comes back any more, as an error of the path.
    """
    mechanisms = arrays.mechanisms
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    due, before = share_back(mechanisms, flow, rate, span, first, last), links.sums[m, STOPPED]
    e = 0.0 if last_ones else due
    for j in range(first, last):
        flow[j, KNOWN], flow[j, MODE] = 0.0, LOOSE
        if mechanisms.drive[j] >= 0:
            flow[j, MODE] = DRIVEN
        elif flow[j, STOP] != 0.0 and flow[j, STOP] * rate[j, 0] >= 0.0:
            flow[j, MODE], flow[j, KNOWN], flow[j, TRIES] = HELD, -(1.0 + e) * rate[j, 0], 0.0
    settle_impulse(arrays, links, rigid, bound, rate, gain, m)
    take_impulse(arrays, links, bound, rate, gain, e, m)
    if last_ones:
        links.sums[m, FORGONE] += due * due * (links.sums[m, STOPPED] - before)


@kernel
def settle_impulse(arrays, links, rigid, bound, rate, gain, m):
    """Impulses that push off stops and pull on none, but of freedoms that are marked."""
    mechanisms, flow = arrays.mechanisms, links.flow
    first = mechanisms.freedom_start[mechanisms.start[m]]
    last = mechanisms.freedom_start[mechanisms.start[m + 1]]
    for _ in range(last - first + 1):
        answer_impulse(arrays, links, rigid, bound, rate, gain, m)
        changed = False
        for j in range(first, last):
            if flow[j, MODE] == HELD and flow[j, TRIES] == 0.0 and flow[j, REACTION] * flow[j, STOP] > 0.0:
                flow[j, MODE], flow[j, KNOWN], changed = LOOSE, 0.0, True
        if not changed:
            break


@kernel
def take_impulse(arrays, links, bound, rate, gain, e, m):
    """Rates behind the impulses found, what they took and what was given against them."""
    mechanisms, flow = arrays.mechanisms, links.flow
    closed = goes_in_loops(mechanisms, arrays.closures, m)
    lend(mechanisms, arrays.closures, links, bound, 0.0, m)
    for j in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if flow[j, MODE] == HELD:
            links.sums[m, STOPPED] -= 0.5 * (1.0 - e) * flow[j, REACTION] * rate[j, 0]
            rate[j, 0] *= -e
        elif flow[j, MODE] == LOOSE:
            before = rate[j, 0]
            rate[j, 0] += gain[j, 0]
            if closed and abs(rate[j, 0]) <= STILL * abs(before):
                rate[j, 0] = 0.0
        else:
            flow[j, WORK] += flow[j, REACTION] * rate[j, 0]


@kernel
def share_back(mechanisms, flow, rate, span, first, last):
    """The least restitution of all that hit their stops now; none of what would be back at once."""
    e = 1.0
    for j in range(first, last):
        if flow[j, STOP] * rate[j, 0] > 0.0:
            e = min(e, mechanisms.restitution[j] if flow[j, REBOUND] > CAUGHT * span else 0.0)
    return e


@kernel
def answer_impulse(arrays, links, rigid, bound, rate, gain, m):
    """Changes of all rates by impulses that change those of some, which are held, by what is known of them."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.flow[j, BESIDE] = mechanisms.armature[j] if links.flow[j, MODE] == LOOSE else math.inf
    factor_links(mechanisms, rigids, links, begin, end)
    related = has_relations(mechanisms, m)
    if related:
        factor_relations(mechanisms, links, m)
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.effort[j, 0] = 0.0
    clear_push(links, begin, end)
    solve_links(mechanisms, links, links.effort, gain, begin, end)
    if related:
        add_multipliers(mechanisms, links, gain, gain, 0.0, m)
        clear_push(links, begin, end)
        solve_links(mechanisms, links, links.effort, gain, begin, end)
    if goes_in_loops(mechanisms, arrays.closures, m):
        bind_closures(arrays, links, rigid, bound, m)
        hit_loops(arrays, links, rigid, bound, rate, gain, m)
