"""Mechanisms with loops: closures hold by multipliers on the tree (RATTLE, Andersen 1983, in the coordinates of the joints).

    u½ = u + ½ τ q̈ + M⁻¹Gᵀ w/τ   with φ(q + τ u½) = 0          u⁺ = u½ + ½ τ q̈⁺ + M⁻¹Gᵀ μ   with G(q⁺) u⁺ = 0

q̈ already has the multipliers λ that keep the accelerations together, S λ = −(G q̈ + Ġ u), S = G M⁻¹ Gᵀ: these are the reactions,
and w is only what the finite step leaves, of the order of τ³. The multipliers do no work, and those between links of one
mechanism change neither of its momenta. w is found with S at the beginning of the step, again and again until φ is nought:
each time what is left shrinks by the share that G turns in a step.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import minus, plus
from robotphi.kernels.mechanism.answer import (
    add_terms,
    answer_free,
    answer_links,
    answered,
    ask_nothing,
    ask_of,
    keep_factor,
    sum_terms,
)
from robotphi.kernels.mechanism.closing import row_brought, row_rate, row_value, set_wrench
from robotphi.kernels.mechanism.columns import OPEN, OPENED, OPENED_AT, WORLD
from robotphi.kernels.mechanism.curves import place_on
from robotphi.kernels.mechanism.factor import FREE, RIGHT, SOLUTION, factor_rows, share_out, solve_factored
from robotphi.kernels.mechanism.iterated import solve_iterated
from robotphi.kernels.mechanism.kinds import ABOVE, BESIDE, RELATED
from robotphi.kernels.mechanism.poses import base_of
from robotphi.kernels.step.rigids import CENTRE, rotate, rotate_back, row3

GAP = 1e-13         # of the extent of a mechanism: closures that are met so far are met
ROUNDING = 1e-15    # of angles of many turns, and of places far away: closer they do not get
COARSE = 1e-3       # what iterations leave of residuals that come again
STEADY, MET = 1e-10, 1e-14   # of the accelerations, and of the velocities: what they leave of those that do not


@inlined
def is_closed(closures, m):
    return closures.start[m + 1] > closures.start[m]


@kernel
def bind_closures(arrays, links, rigid, bound, m):
    """How the closures pull and the links answer, of posed and factored links."""
    mechanisms, closures = arrays.mechanisms, arrays.closures
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    row, last = closures.start[m], closures.start[m + 1]
    keep_factor(mechanisms, links, bound, begin, end)
    for i in range(row, last):
        if closures.kind[i] != RELATED:
            set_wrench(closures, bound, links, rigid, i)
    if closures.dense[m] == 0:
        return
    first, behind = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for i in range(row, last):
        ask_nothing(mechanisms, bound, begin, end)
        ask_of(mechanisms, closures, bound, i, 1.0)
        answer_links(mechanisms, bound, begin, end)
        for k in range(first, behind):
            bound.answer[i, k - first] = bound.gain[k, 0]
        for j in range(i, last):
            bound.factor[j, i - row] = answered(mechanisms, closures, bound, j)
        bound.left[i, FREE] = answer_free(mechanisms, closures, arrays.rigids, links, bound, i)
    bound.rank[m, 0] = factor_rows(bound, row, last - row)


@kernel
def find_places(closures, links, rigid, bound, m):
    """Where on their curves the points are."""
    for i in range(closures.start[m], closures.start[m + 1]):
        if closures.kind[i] == BESIDE or closures.kind[i] == ABOVE:
            centre, q = base_of(links, rigid, closures.one[i])
            other_centre, p = base_of(links, rigid, closures.other[i])
            at = plus(other_centre, rotate(p, row3(closures.at_other, i)))
            own = rotate_back(q, minus(at, plus(centre, rotate(q, row3(closures.at_one, i)))))
            bound.rail[i, 0] = place_on(closures, closures.curve[i], own)


@kernel
def begin_with(closures, before, bound, m):
    """Places on curves and multipliers as they were."""
    for i in range(closures.start[m], closures.start[m + 1]):
        bound.rail[i, 0], bound.pull[i, 0] = before.rail[i, 0], before.pull[i, 0]


@kernel
def forget_pull(closures, bound, m):
    for i in range(closures.start[m], closures.start[m + 1]):
        bound.pull[i, 0] = 0.0


@kernel
def measure_gaps(arrays, links, rigid, place, rail, bound, m):
    """−φ of all rows, to be solved for; returns the largest of those that do not follow from others."""
    closures = arrays.closures
    begin, end = closures.start[m], closures.start[m + 1]
    largest, dense = 0.0, closures.dense[m] == 1
    for i in range(begin, end):
        if closures.kind[i] == RELATED:
            value = arrays.mechanisms.value[closures.relation[i]]
            bound.left[i, RIGHT] = closures.size[i] * value - sum_terms(arrays.mechanisms, closures, place, i)
        else:
            bound.left[i, RIGHT] = -row_value(closures, links, rigid, rail, i)
    for k in range(bound.rank[m, 0] if dense else end - begin):
        size = abs(bound.left[begin + bound.order[begin + k, 0] if dense else begin + k, RIGHT])
        if not size <= largest:
            largest = size
    return largest


@kernel
def closest(mechanisms, closures, links, place, m):
    """How far the closures of posed links are to be met [m]."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    angle, away = 0.0, 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        angle = max(angle, abs(mechanisms.turn[k] * place[k, 0]))
    for i in range(begin, end):
        for axis in range(3):
            away = max(away, abs(links.pose[i, CENTRE + axis]))
    return GAP * closures.extent[m] + ROUNDING * (angle * closures.extent[m] + away)


@kernel
def tell_open(links, left, wanted, time, m):
    """Whether closures are met as wanted; else the step is refused."""
    links.sums[m, OPEN] = 0.0
    if not left <= wanted:
        links.sums[m, OPEN], links.sums[m, OPENED_AT] = math.inf, time
        links.sums[m, OPENED] += 1.0


@kernel
def solve_rows(arrays, bound, m, wanted):
    """S x = b; the iteration may leave so much of b."""
    closures = arrays.closures
    begin, count = closures.start[m], closures.start[m + 1] - closures.start[m]
    if closures.dense[m] == 1:
        solve_factored(bound, begin, bound.rank[m, 0], count)
    else:
        for i in range(begin, begin + count):
            bound.left[i, SOLUTION] = 0.0
        solve_iterated(arrays.mechanisms, closures, bound, m, wanted)


@kernel
def add_answer(arrays, bound, m, factor, rates):
    """What the freedoms do by the multipliers found, so many times."""
    mechanisms, closures = arrays.mechanisms, arrays.closures
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    row, last = closures.start[m], closures.start[m + 1]
    first, behind = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    if closures.dense[m] == 1:
        for k in range(bound.rank[m, 0]):
            i = row + bound.order[row + k, 0]
            amount = factor * bound.left[i, SOLUTION]
            for j in range(first, behind):
                rates[j, 0] += amount * bound.answer[i, j - first]
        return
    ask_nothing(mechanisms, bound, begin, end)
    for i in range(row, last):
        ask_of(mechanisms, closures, bound, i, bound.left[i, SOLUTION])
    answer_links(mechanisms, bound, begin, end)
    for j in range(first, behind):
        rates[j, 0] += factor * bound.gain[j, 0]


@kernel
def project_rates(arrays, links, bound, rates, share, half, m):
    """Change the rates so that the closures stay met, by impulses of multipliers over half a step (0: none are kept); the
    links move with the rates given. Of many closures a share may be left."""
    closures, size, largest = arrays.closures, 0.0, 0.0
    begin, end = closures.start[m], closures.start[m + 1]
    for i in range(begin, end):
        if closures.kind[i] == RELATED:
            of_other, of_one = sum_terms(arrays.mechanisms, closures, rates, i), 0.0
        else:
            of_other, of_one = row_rate(closures, bound, links, i)
        bound.left[i, RIGHT] = -(of_other + of_one)
        size, largest = max(size, abs(of_other) + abs(of_one)), max(largest, abs(of_other + of_one))
    solve_rows(arrays, bound, m, max(MET * size, share * largest))
    add_answer(arrays, bound, m, 1.0, rates)
    if half > 0.0:
        for i in range(begin, end):
            bound.pull[i, 0] += bound.left[i, SOLUTION] / half


@kernel
def hold_accelerations(arrays, links, rigid, bound, gain, m):
    """Change the multipliers so that the accelerations of the links keep the closures met. The links have been solved with the
    multipliers given."""
    closures, size = arrays.closures, 0.0
    begin, end = closures.start[m], closures.start[m + 1]
    for i in range(begin, end):
        if closures.kind[i] == RELATED:
            total = sum_terms(arrays.mechanisms, closures, gain, i)
            bound.left[i, RIGHT], size = -total, max(size, abs(total))
            continue
        total = row_brought(closures, bound, links, rigid, i)
        scale = abs(total)
        for side in range(2):
            link, part = closures.other[i] if side == 0 else closures.one[i], 0.0
            if link != WORLD:
                for axis in range(6):
                    own = (links.acceleration[link, axis] + links.swing[link, axis] if link >= 0
                           else links.base[-2 - link, axis])
                    part += bound.wrench[i, 6 * side + axis] * own
            total, scale = total + part, scale + abs(part)
        bound.left[i, RIGHT] = -total
        size = max(size, scale)
    solve_rows(arrays, bound, m, STEADY * size)
    for i in range(begin, end):
        bound.pull[i, 0] += bound.left[i, SOLUTION]
    if closures.dense[m] == 1 and bound.rank[m, 0] < end - begin:
        share_out(bound, begin, bound.rank[m, 0], end - begin)


@kernel
def pull_links(mechanisms, closures, bound, push, effort, m):
    """Add what the closures do to the loads, and relations to the efforts, that links are to be solved with (`load_links`)."""
    for i in range(closures.start[m], closures.start[m + 1]):
        if closures.kind[i] == RELATED:
            add_terms(mechanisms, closures, effort, i, bound.pull[i, 0])
            continue
        for side in range(2):
            link = closures.other[i] if side == 0 else closures.one[i]
            if link >= 0:
                for axis in range(6):
                    push[link, axis] -= bound.pull[i, 0] * bound.wrench[i, 6 * side + axis]


@kernel
def load_grounds(closures, bound, load, m):
    """Add what the closures do to rigids that are held or driven to the loads of these."""
    for i in range(closures.start[m], closures.start[m + 1]):
        for side in range(2):
            base = -2 - (closures.other[i] if side == 0 else closures.one[i])
            if base >= 0:
                for axis in range(6):
                    load[base, axis] += bound.pull[i, 0] * bound.wrench[i, 6 * side + axis]
