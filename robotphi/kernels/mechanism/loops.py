"""Closures within the flow H of `flow`: mechanisms with loops on whose coordinates more acts than springs.

At held places the rows of closures, and of relations within loops, hold by multipliers with the M⁻¹ of the recursion, what
is held and viscosity in it, so that they go with both and count in what pushes onto stops and against friction:

    S λ = −(G k₀ + Ġu)  in the first half        S λ = −(G k₀ + G u/left)  in the second        k = k₀ + M⁻¹Gᵀλ

The first half takes the accelerations that the closures leave, the second leads the rates to G u⁺ = 0 in the time left. Stops
are hit with G u = 0 behind. Rows that follow from others, or from what is held, have no multiplier.

Freedoms of a loop go their ways alike: the share B of viscosity is that of all of them together, by Σ c (M⁻¹)_kk with the
closures in M⁻¹: c/inertia where the loop has one freedom, and more than the largest rate where it has several.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.answer import answer_links, answered, ask_nothing, sum_terms
from robotphi.kernels.mechanism.closed import bind_closures, forget_pull, hold_accelerations, pull_links, solve_rows
from robotphi.kernels.mechanism.columns import AWAY, DAMPING, FIT, WORLD
from robotphi.kernels.mechanism.factor import RIGHT, SOLUTION, share_out
from robotphi.kernels.mechanism.gains import load_links, solve_links
from robotphi.kernels.mechanism.kinds import RELATED
from robotphi.kernels.mechanism.poses import spread_rates
from robotphi.kernels.mechanism.relations import clear_push

STILL = 1e-12    # of what the accelerations, or rates, were without the closures: what they leave with less is rounding
LOCKED = 1e-12   # of how easily a freedom moves without closures: what moves less easily does not move


@inlined
def goes_in_loops(mechanisms, closures, m):
    """Whether closures are to be held within the flow."""
    return closures.start[m + 1] > closures.start[m] and (mechanisms.eventful[m] != 0 or mechanisms.viscous[m] == 1)


@kernel
def sum_loops(mechanisms, links, joints, span, first, last):
    """z of all freedoms of each loop, in the place of the share of its first one."""
    for k in range(first, last):
        loop = mechanisms.loop[k]
        if loop == k:
            links.flow[k, FIT] = 0.0
        if loop >= 0:
            links.flow[loop, FIT] += span * links.flow[k, DAMPING] * joints.ease[k, 0]


@kernel
def aim_rates(arrays, links, rigid, bound, rates, m):
    """−G u of rates, to be solved for."""
    mechanisms, closures = arrays.mechanisms, arrays.closures
    spread_rates(mechanisms, links, rates, mechanisms.start[m], mechanisms.start[m + 1])
    for i in range(closures.start[m], closures.start[m + 1]):
        total = 0.0
        if closures.kind[i] == RELATED:
            total = sum_terms(mechanisms, closures, rates, i)
        for side in range(2):
            link = closures.other[i] if side == 0 else closures.one[i]
            for axis in range(6):
                if link >= 0:
                    total += bound.wrench[i, 6 * side + axis] * links.acceleration[link, axis]
                elif link < WORLD:
                    total += bound.wrench[i, 6 * side + axis] * links.base[-2 - link, 6 + axis]
        bound.left[i, RIGHT] = -total


@kernel
def pull_for(arrays, links, bound, rigid, rates, time, m):
    """Multipliers that make nought of the rates in a time."""
    closures = arrays.closures
    begin, end = closures.start[m], closures.start[m + 1]
    aim_rates(arrays, links, rigid, bound, rates, m)
    solve_rows(arrays, bound, m, 0.0)
    for i in range(begin, end):
        bound.pull[i, 0] = bound.left[i, SOLUTION] / time
    if bound.rank[m, 0] < end - begin:
        share_out(bound, begin, bound.rank[m, 0], end - begin)


@kernel
def hold_loops(arrays, links, rigid, load, bound, rate, gain, m):
    """Accelerations of a piece of the step that keep the closures; the links have been solved without."""
    mechanisms, away = arrays.mechanisms, links.sums[m, AWAY]
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        links.answer[k, 0], links.trial[k, 0] = gain[k, 0], rate[k, 0] + away * gain[k, 0]
    forget_pull(arrays.closures, bound, m)
    if away > 0.0:
        pull_for(arrays, links, bound, rigid, links.trial, away, m)
    else:
        hold_accelerations(arrays, links, rigid, bound, gain, m)
    load_links(mechanisms, arrays.rigids, links, load, begin, end)
    pull_links(mechanisms, arrays.closures, bound, links.push, links.effort, m)
    solve_links(mechanisms, links, links.effort, gain, begin, end)
    for k in range(first, last):
        if rate[k, 0] == 0.0 and abs(gain[k, 0]) <= STILL * abs(links.answer[k, 0]):
            gain[k, 0] = 0.0


@kernel
def hit_loops(arrays, links, rigid, bound, rate, gain, m):
    """Changes of rates by impulses that closures join; the links have been solved without."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.trial[k, 0] = rate[k, 0] + gain[k, 0]
    pull_for(arrays, links, bound, rigid, links.trial, 1.0, m)
    clear_push(links, begin, end)
    pull_links(mechanisms, arrays.closures, bound, links.push, links.effort, m)
    solve_links(mechanisms, links, links.effort, gain, begin, end)


@kernel
def bind_loose(arrays, links, rigid, joints, m):
    """How the closures pull on links that were factored with nothing beside their armatures; how easily loops move."""
    mechanisms, bound = arrays.mechanisms, joints.bound
    bind_closures(arrays, links, rigid, bound, m)
    if not goes_in_loops(mechanisms, arrays.closures, m):
        return
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first = mechanisms.freedom_start[begin]
    for k in range(first, mechanisms.freedom_start[end]):
        if mechanisms.loop[k] >= 0:
            ask_nothing(mechanisms, bound, begin, end)
            bound.effort[k, 0] = 1.0
            answer_links(mechanisms, bound, begin, end)
            alone = bound.gain[k, 0]
            joints.ease[k, 0] = max(alone - lost_to_closures(arrays, bound, k - first, m), LOCKED * alone)


@kernel
def lost_to_closures(arrays, bound, k, m):
    """What the closures take of the answer just found in freedom k of mechanism m to an effort on it."""
    closures, total = arrays.closures, 0.0
    for i in range(closures.start[m], closures.start[m + 1]):
        bound.left[i, RIGHT] = answered(arrays.mechanisms, closures, bound, i)
    solve_rows(arrays, bound, m, 0.0)
    for i in range(closures.start[m], closures.start[m + 1]):
        total += bound.answer[i, k] * bound.left[i, SOLUTION]
    return total
