"""Whether what was tried may stand.

`ledger`: the running sum of residuals keeps within the budget, see `promise`; the error of the path as well, see `path`, unless
the user asks for energy alone. The next step is the one that is expected to leave what is planned for it, at most 1.5 times as
long. A jump of a force (an angular spring with a bend at rest that is pulled through the straight line) leaves a residual that
shrinks only like τ; a step refused ten times in a row may spend a thousandth of a reserve of 5.5 % of the budget.
`energy`: the report's rule, |ΔE| ≤ ε_e of the mechanical energy; halve, else grow by 1.5 (RR-3072 §3.4).
`fixed`: every finite step stands.
"""
import math

from robotphi.kernels.acts.table import keep_acts, potential_acts
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.uneventful import was_uneventful
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.attempt import attempt_noise, attempt_reference, enter_attempt, path_error
from robotphi.kernels.step.causes import count_cause
from robotphi.kernels.step.crossing import end_search, lands_on_gates
from robotphi.kernels.step.ledger import (
    add_compensated,
    book_jump,
    forget_attempt,
    keep_attempt,
    open_and_shut,
    raise_reference,
    stored_energies,
    unexplained,
)
from robotphi.kernels.step.path import path_stands, path_step, watches_path
from robotphi.kernels.step.plan import RESOLUTION
from robotphi.kernels.step.promise import (
    LEAST,
    SHARE,
    SHOWN,
    allowed_residual,
    book_residual,
    may_be_rounding,
    order_of,
    planned_residual,
    remember_residual,
)
from robotphi.kernels.step.scales import EPSILON
from robotphi.kernels.step.viscosity import forces_follow_velocity

GROW, SHRINK = 1.5, 0.5
HIDDEN = 0.125        # of what rounding makes of a step: so much else may hide in it
MUCH = 1.2            # times as long a step: what it takes to change one for a longer
CUT = 0.5             # of what was proposed: a step cut further tells nothing of it
LEVEL = 0.8           # share of the budget that the residual expected after growing may take
PATIENCE = 10         # refusals in a row after which a step may draw on the reserve
DRAW = 1e-3           # share of what is left of the reserve that one step may draw


@kernel
def decide(arrays, buffers, now, ahead, joints):
    """Book the attempt or refuse it. A refused attempt leaves nothing but a shorter proposal."""
    numbers, counters, books, kinds = buffers.numbers, buffers.counters, buffers.books, buffers.book_kind
    tau = numbers[at.STEP_TAU]
    enter_attempt(arrays, buffers, now, ahead)
    change, size = stored_energies(books, kinds)
    residual, work_size = unexplained(books, kinds, change, tau)
    size += work_size
    counters[at.ATTEMPTS] += 1
    numbers[at.STEP_RESIDUAL], numbers[at.STEP_NOISE] = residual, 0.0
    if not math.isfinite(residual) or not math.isfinite(size):
        refuse(buffers)
        return
    if buffers.act_state.shape[0] > 0 and counters[at.CONTROL] != at.ENERGY and lands_on_gates(arrays, buffers, ahead, joints):
        counters[at.REFUSED] += 1
        put_back(buffers)
        return
    if counters[at.VISCOSITY] == at.APART and not was_uneventful(arrays, buffers, joints):
        counters[at.REFUSED] += 1
        counters[at.EVENTFUL] = 1
        put_back(buffers)
        return
    potential = 0.0
    if counters[at.COUNT_POTENTIAL] == 1:
        potential = potential_acts(arrays.acts, arrays.drives, buffers, ahead, numbers[at.STEP_END], numbers[at.INSIDE])
        change += potential - numbers[at.POTENTIAL]
    noise, error = attempt_noise(buffers, size), path_error(buffers)
    reference = attempt_reference(arrays, buffers, ahead, residual, error)
    budget = numbers[at.BUDGET] * reference
    allowed = allowed_residual(numbers, reference, residual, tau)
    drawn = counters[at.ON_RESERVE]
    near = not watches_path(counters) or path_stands(numbers, counters, error - noise, budget, tau)
    within = abs(residual) <= allowed or may_be_rounding(numbers, counters, reference, residual, noise, tau)
    draw = DRAW * ((1.0 - SHARE * (1.0 + LEAST)) * budget - numbers[at.RESERVE_SPENT])
    if not stands(numbers, counters, residual, change, within, draw, near):
        remember_residual(numbers, counters, max(abs(residual) - noise, 0.0), tau)
        refuse(buffers)
        if within and not near:
            counters[at.LIMIT] = at.BY_PATH
        return
    numbers[at.POTENTIAL] = potential
    add_compensated(numbers, at.RESIDUAL, residual)
    keep_attempt(books, kinds, tau)
    numbers[at.LARGEST_RESIDUAL] = max(numbers[at.LARGEST_RESIDUAL], abs(numbers[at.RESIDUAL] + numbers[at.RESIDUAL + 1]))
    raise_reference(books, kinds, numbers)
    left = max(abs(residual) - noise, 0.0)
    if counters[at.ON_RESERVE] > drawn:
        left = min(left, allowed)  # what a jump left says nothing about the smooth steps behind it
    else:
        left = book_residual(numbers, counters, residual, noise, tau)
        if counters[at.CONTROL] == at.LEDGER and allowed < abs(residual) <= noise:
            counters[at.ON_ROUNDING] += 1
    accept(arrays, buffers, ahead, joints, tau, left, noise, reference)


@kernel
def stands(numbers, counters, residual, change, within, draw, near):
    """Whether a finite attempt passes the rule, or is at a floor that the user accepts."""
    if counters[at.CONTROL] == at.FIXED:
        return True
    if counters[at.CONTROL] == at.LEDGER:
        passes = near and within
        if not passes and near and counters[at.IN_A_ROW] >= PATIENCE and abs(residual) <= draw:
            numbers[at.RESERVE_SPENT] += abs(residual)
            counters[at.ON_RESERVE] += 1
            counters[at.IN_A_ROW] = 0  # the next draw takes ten more refusals: a wrong force ends at the floor, not in a creep
            numbers[at.DENSITY] = 0.0
            return True
    else:
        passes = abs(change) <= numbers[at.TOLERANCE]
    if not passes and counters[at.ACCEPT_FLOOR] == 1 and numbers[at.STEP_TAU] <= numbers[at.DT_MIN] * (1.0 + RESOLUTION):
        counters[at.FLOOR_HITS] += 1
        return True
    return passes


@kernel
def accept(arrays, buffers, ahead, joints, tau, left, noise, reference):
    """Move the clock, count and record the step, propose the next one."""
    numbers, counters = buffers.numbers, buffers.counters
    numbers[at.TIME] = numbers[at.STEP_END]
    end_search(numbers, counters)
    keep_acts(buffers)
    counters[at.ACCEPTED] += 1
    counters[at.SINCE_STABLE] += 1
    counters[at.LIMITED + counters[at.STEP_LIMIT]] += 1
    k = counters[at.HISTORY_COUNT]
    buffers.history[k, 0] = numbers[at.TIME]
    buffers.history[k, 1] = tau
    buffers.history[k, 2] = numbers[at.STEP_RESIDUAL]
    buffers.history[k, 3] = counters[at.STEP_LIMIT]
    buffers.history[k, 4] = counters[at.STEP_CAUSE]
    count_cause(buffers.causes, counters[at.STEP_CAUSE], tau)
    counters[at.HISTORY_COUNT] = k + 1
    counters[at.FRESH] = at.EXACT if counters[at.SCHEME] == at.TAYLOR else at.PREDICTED
    counters[at.VERDICT] = 1
    k = counters[at.BREAKPOINT]
    if counters[at.CONTROL] != at.ENERGY and k < len(arrays.breakpoints) and numbers[at.TIME] >= arrays.breakpoints[k]:
        book_jump(arrays, buffers, -1.0)
        counters[at.EVENT_PASSED] = 1
        counters[at.FRESH] = at.STALE
        numbers[at.INSIDE] = math.nextafter(numbers[at.TIME], math.inf)
    open_and_shut(arrays, buffers, ahead, joints)
    remember_residual(numbers, counters, left, tau)
    if counters[at.CONTROL] == at.FIXED:
        return
    if counters[at.STEP_LIMIT] != at.BY_EVENT:
        propose(numbers, counters, tau, tau, left, noise, reference)
    elif counters[at.CONTROL] == at.LEDGER and tau >= CUT * numbers[at.TAU]:
        propose(numbers, counters, numbers[at.TAU], tau, left, noise, reference)


@kernel
def propose(numbers, counters, tau, taken, left, noise, reference):
    """The step behind one that stood: longer where what it is expected to leave is clearly less than planned, shorter
    where it is more, else the same.

    One of τ that was cut to what an event left of it tells as well, by the power of τ, but for a longer step alone: events that
    come one behind the other would else keep it for ever as it was when they began.

    A residual within rounding hides what the step leaves: that is taken to be no more than an eighth of it, a step is not
    made shorter for it, and longer only where it happens to be so small that even the longer one may leave as much. Where
    many together show what they leave, it is made shorter for that, as far as they can show it.
    """
    planned, order, whole = planned_residual(numbers, counters, reference, tau), order_of(counters), taken == tau
    shown, planned = planned + SHOWN * noise, planned + HIDDEN * noise
    expected, limit = numbers[at.DENSITY] * tau**order, counters[at.LIMIT]
    residual = abs(numbers[at.STEP_RESIDUAL])
    counters[at.LIMIT] = at.BY_BUDGET
    if counters[at.CONTROL] == at.ENERGY:
        ratio = GROW
    elif residual <= noise and left > 0.0 and expected > shown:
        ratio = (shown / expected)**(1.0 / order)
    elif residual <= noise:
        ratio = GROW if max(residual * (tau / taken)**order, expected) * GROW**order <= planned else 1.0
    else:
        ratio = (planned / expected)**(1.0 / order)
    least = SHRINK * tau if whole else tau
    numbers[at.TAU] = min(ratio, GROW) * tau if ratio >= MUCH else max(min(ratio, 1.0) * tau, least)
    if numbers[at.TAU] > tau:
        # not at once: a jump at a place is approached by halves, some of which stand, and grow again behind it
        counters[at.IN_A_ROW] = max(counters[at.IN_A_ROW] - 1, 0)
    if watches_path(counters):
        longest = path_step(numbers, LEVEL * numbers[at.BUDGET] * reference)
        if longest < numbers[at.TAU]:
            numbers[at.TAU] = max(longest, least)
            counters[at.LIMIT] = at.BY_PATH
    if not whole and numbers[at.TAU] == tau:
        counters[at.LIMIT] = limit
    numbers[at.TAU] = max(numbers[at.TAU], min(tau, numbers[at.DT_MIN]))  # attempts tell whether any stands there


@kernel
def put_back(buffers):
    """Nothing of the attempt stays."""
    numbers, counters = buffers.numbers, buffers.counters
    numbers[at.INSIDE] = (numbers[at.TIME] if counters[at.CONTROL] == at.ENERGY
                          else math.nextafter(numbers[at.TIME], math.inf))
    counters[at.VERDICT] = 0
    forget_attempt(buffers.books)


@kernel
def refuse(buffers):
    """Halve the proposal; at the floor, stop."""
    numbers, counters = buffers.numbers, buffers.counters
    tau = SHRINK * numbers[at.STEP_TAU]
    put_back(buffers)
    end_search(numbers, counters)
    counters[at.REFUSED] += 1
    counters[at.IN_A_ROW] += 1
    counters[at.LIMIT] = at.BY_BUDGET
    if counters[at.FRESH] == at.PREDICTED and forces_follow_velocity(counters):
        # the forces belong to velocities predicted over an earlier, longer step: take them at the velocities themselves
        counters[at.FRESH] = at.STALE
    if counters[at.CONTROL] == at.FIXED:
        counters[at.STATUS] = at.NOT_FINITE
        return
    lowest = max(numbers[at.DT_MIN], 4.0 * EPSILON * numbers[at.TIME])
    if tau < lowest:
        if counters[at.ACCEPT_FLOOR] == 1 and numbers[at.STEP_TAU] > lowest * (1.0 + RESOLUTION):
            tau = lowest
        else:
            counters[at.STATUS] = at.FLOOR
    numbers[at.TAU] = tau
