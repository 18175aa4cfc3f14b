"""The step chooses itself: what to try next, and whether what was tried may stand.

`ledger`: |residual of a step| ≤ 0.9 × budget × E_ref × τ / duration; grow by 1.5 when the residual that is expected there
passes, halve when it does not (RR-3072 §3.4, with the unexplained energy in place of the whole change). A jump of a force (an
angular spring with a bend at rest that is pulled through the straight line) leaves a residual that shrinks only like τ, so
that no step would ever pass: a step refused ten times in a row may spend a thousandth of a reserve, the last tenth of the budget.
`energy`: the report's rule, |ΔE| ≤ ε_e of the mechanical energy; halve, else grow by 1.5.
`fixed`: every finite step stands.
"""
import math

from .compiled import kernel
from .ledger import (
    add_compensated,
    book_jump,
    collect_power,
    column_sum,
    keep_work,
    raise_reference,
    step_work,
    stored_change,
    sum_groups,
)
from .loads import force_potential
from .slots import (
    ACCEPT_FLOOR,
    ACCEPTED,
    ANGULAR,
    ANGULAR_START,
    ARTICULAR,
    ARTICULAR_START,
    ATTEMPT_LIMIT,
    ATTEMPTS,
    ATTEMPTS_USED,
    BREAKPOINT,
    BUDGET,
    BY_BUDGET,
    BY_EVENT,
    BY_STABILITY,
    BY_USER,
    CHUNK,
    CONTROL,
    COUNT_POTENTIAL,
    DENSITY,
    DT_MAX,
    DT_MIN,
    DURATION,
    ENERGY,
    EVENT_PASSED,
    EXACT,
    EXTENT,
    FIXED,
    FLOOR,
    FLOOR_HITS,
    FRAME_DONE,
    FRAME_END,
    FRESH,
    GRAVITY,
    HAS_VISCOSITY,
    HISTORY_COUNT,
    HISTORY_FULL,
    INSIDE,
    IN_A_ROW,
    JUMPS,
    KINETIC,
    LARGEST_RESIDUAL,
    LEDGER,
    LIMIT,
    LIMITED,
    LINEAR,
    LINEAR_START,
    LOSS_RATE,
    NOT_FINITE,
    ORDER,
    PART_KINETIC,
    PART_POTENTIAL,
    PART_SCALE,
    PAUSED,
    PLASTIC_LOSS,
    POTENTIAL,
    PREDICTED,
    REFERENCE,
    REFRESH,
    REFUSED,
    RESERVE_SPENT,
    RESIDUAL,
    SAFETY,
    SCALE,
    SCHEME,
    SINCE_STABLE,
    SPRING_LOSS,
    STABLE,
    STALE,
    STARTED,
    STATUS,
    STEP,
    STEP_END,
    STEP_GRAVITY,
    STEP_LIMIT,
    STEP_RESIDUAL,
    STEP_TAU,
    STIFFEST,
    STOP,
    TAU,
    TAYLOR,
    TIME,
    TOLERANCE,
    VARIABLE_STIFFNESS,
    VERDICT,
    VERLET,
    WORK_DONE,
    WORK_EXTRA,
    WORK_NEXT_RATE,
    WORK_RATE,
)
from .stability import largest_bound, stable_dt

GROW, SHRINK = 1.5, 0.5
LEVEL = 0.8           # share of the budget that the residual expected after growing may take
FADE = 0.8            # how much of the known error density is remembered from one step to the next
SHARE = 0.9           # of the budget for ordinary steps; the rest is the reserve for jumps
PATIENCE = 10         # refusals in a row after which a step may draw on the reserve
DRAW = 1e-3           # share of what is left of the reserve that one step may draw
EPSILON = 2.220446049250313e-16
ROUNDING = 4.0 * EPSILON  # a residual so small against what it is made of says nothing
RENEW_STABLE = 256    # accepted steps after which a varying stability bound is computed again
RESOLUTION = 1e-9     # relative: steps that end so near an event end on it


@kernel
def plan(arrays, buffers, position, rigid):
    """Order of the next attempt: step (with its length and its end), refresh of the forces, or stop."""
    numbers, counters = buffers.numbers, buffers.counters
    counters[ORDER] = STOP
    if counters[STATUS] == FLOOR or counters[STATUS] == NOT_FINITE:
        return
    if counters[FRESH] == STALE:
        counters[ORDER] = REFRESH
        return
    if numbers[TIME] >= numbers[FRAME_END]:
        counters[STATUS] = FRAME_DONE
        return
    if counters[ATTEMPTS] >= counters[ATTEMPT_LIMIT]:
        counters[STATUS] = ATTEMPTS_USED
        return
    if counters[HISTORY_COUNT] >= buffers.history.shape[0]:
        counters[STATUS] = HISTORY_FULL
        return
    if counters[CHUNK] <= 0:
        counters[STATUS] = PAUSED
        return
    counters[CHUNK] -= 1
    if counters[VARIABLE_STIFFNESS] == 1 and counters[SINCE_STABLE] >= RENEW_STABLE:
        renew_stability(arrays, buffers, position, rigid)
    choose_step(arrays.breakpoints, numbers, counters)
    counters[ORDER] = STEP


@kernel
def renew_stability(arrays, buffers, position, rigid):
    buffers.numbers[STABLE] = stable_dt(arrays, buffers.stiffness_bound, position, rigid, buffers.numbers[SAFETY])
    buffers.numbers[STIFFEST] = largest_bound(buffers.stiffness_bound)
    buffers.counters[SINCE_STABLE] = 0


@kernel
def choose_step(breakpoints, numbers, counters):
    """Length and end of the next step: the proposed τ under its caps, landing on events without slivers."""
    tau = numbers[TAU]
    limit = counters[LIMIT]
    if counters[CONTROL] != FIXED:
        if tau > numbers[STABLE]:
            tau, limit = numbers[STABLE], BY_STABILITY
        if tau > numbers[DT_MAX]:
            tau, limit = numbers[DT_MAX], BY_USER
        numbers[TAU] = tau
    target = numbers[FRAME_END]
    if counters[CONTROL] != ENERGY:
        k = counters[BREAKPOINT]
        while k < len(breakpoints) and breakpoints[k] <= numbers[TIME]:
            k += 1
        counters[BREAKPOINT] = k
        if k < len(breakpoints):
            target = min(target, breakpoints[k])
    left = target - numbers[TIME]
    pieces = left / tau
    numbers[STEP_END] = numbers[TIME] + tau
    if pieces <= 1.0 + RESOLUTION:
        if pieces < 1.0 - RESOLUTION:
            limit = BY_EVENT
        tau = left
        numbers[STEP_END] = target
    elif pieces < 2.0 - RESOLUTION and counters[CONTROL] != FIXED:
        tau, limit = 0.5 * left, BY_EVENT
        numbers[STEP_END] = numbers[TIME] + tau
    numbers[STEP_TAU] = tau
    numbers[INSIDE] = numbers[TIME] + 0.5 * tau
    if counters[CONTROL] == ENERGY:
        numbers[INSIDE] = numbers[STEP_END]  # the report's rule meets jumps unprepared
    counters[STEP_LIMIT] = limit


@kernel
def settle_refresh(arrays, buffers, position, velocity, force, rigid, load):
    """After the forces were evaluated at the present state: energies and rates of the start of the next step."""
    numbers, counters = buffers.numbers, buffers.counters
    linear, angular, articular, loss_rate, plastic = sum_groups(buffers.group_sums)
    inside = numbers[INSIDE]
    jump = counters[EVENT_PASSED] == 1 and counters[STARTED] == 1
    if jump:
        book_jump(arrays, buffers, 1.0)
        add_compensated(numbers, PLASTIC_LOSS, plastic)
    kinetic = collect_power(arrays, buffers, position, velocity, force, rigid, load, velocity, rigid,
                            numbers[TIME], inside)
    numbers[LINEAR], numbers[ANGULAR], numbers[ARTICULAR] = linear, angular, articular
    numbers[LOSS_RATE] = loss_rate
    if counters[STARTED] == 0:
        numbers[LINEAR_START], numbers[ANGULAR_START], numbers[ARTICULAR_START] = linear, angular, articular
        numbers[KINETIC] = (column_sum(buffers.block_sums, PART_KINETIC) + column_sum(buffers.rigid_sums, PART_KINETIC)
                            + kinetic)
        renew_stability(arrays, buffers, position, rigid)
        start_step(numbers, counters)
    elif jump:
        numbers[KINETIC] += kinetic
    for entry in range(buffers.work.shape[0]):
        buffers.work[entry, WORK_RATE] = buffers.work[entry, WORK_NEXT_RATE]
        if counters[STARTED] == 0 or not jump:
            buffers.work[entry, WORK_EXTRA] = 0.0
    if jump:
        keep_work(buffers.work, 0.0, numbers)
    # what the present forces set in motion within the shortest period: the scale before anything has moved
    quarter = 0.5 * numbers[STABLE]
    scale = (column_sum(buffers.block_sums, PART_SCALE) + column_sum(buffers.rigid_sums, PART_SCALE)) * quarter * quarter
    if math.isfinite(scale):
        numbers[SCALE] = max(numbers[SCALE], scale)
    if counters[COUNT_POTENTIAL] == 1 and counters[STARTED] == 0:
        numbers[POTENTIAL] = force_potential(arrays.forces, arrays.drives, buffers.force_origin, position, rigid,
                                             numbers[TIME], inside)
    raise_reference(numbers)
    counters[STARTED] = 1
    counters[EVENT_PASSED] = 0
    counters[FRESH] = EXACT
    if not math.isfinite(linear + angular + articular + numbers[KINETIC]):
        counters[STATUS] = NOT_FINITE


@kernel
def start_step(numbers, counters):
    """First proposal: a tenth of the stable step; the rule does the rest."""
    if counters[CONTROL] != FIXED and not numbers[TAU] > 0.0:
        first = min(0.1 * numbers[STABLE], min(numbers[DT_MAX], numbers[DURATION]))
        numbers[TAU] = max(first, numbers[DT_MIN])
        counters[LIMIT] = BY_BUDGET


@kernel
def decide(arrays, buffers, position, velocity, force, rigid, load, before_velocity, before_rigid):
    """Book the attempt or refuse it. A refused attempt leaves nothing but a shorter proposal."""
    numbers, counters = buffers.numbers, buffers.counters
    tau = numbers[STEP_TAU]
    linear, angular, articular, loss_rate, plastic = sum_groups(buffers.group_sums)
    kinetic = column_sum(buffers.block_sums, PART_KINETIC) + column_sum(buffers.rigid_sums, PART_KINETIC)
    gravity = (column_sum(buffers.block_sums, PART_POTENTIAL) + column_sum(buffers.rigid_sums, PART_POTENTIAL)
               + numbers[STEP_GRAVITY])
    kinetic += collect_power(arrays, buffers, position, velocity, force, rigid, load, before_velocity, before_rigid,
                             numbers[STEP_END], numbers[INSIDE])
    work, work_size = step_work(buffers.work, tau)
    loss = 0.5 * tau * (numbers[LOSS_RATE] + loss_rate)
    change = ((kinetic - numbers[KINETIC]) + (linear - numbers[LINEAR]) + (angular - numbers[ANGULAR])
              + (articular - numbers[ARTICULAR]) + gravity)
    residual = change + loss + plastic - work
    counters[ATTEMPTS] += 1
    numbers[STEP_RESIDUAL] = residual
    size = kinetic + abs(linear) + abs(angular) + abs(articular) + abs(gravity) + work_size
    if not math.isfinite(residual) or not math.isfinite(size):
        refuse(buffers)
        return
    potential = 0.0
    if counters[COUNT_POTENTIAL] == 1:
        potential = force_potential(arrays.forces, arrays.drives, buffers.force_origin, position, rigid,
                                    numbers[STEP_END], numbers[INSIDE])
        change += potential - numbers[POTENTIAL]
    reference = max(max(numbers[REFERENCE], numbers[SCALE]),
                    kinetic + numbers[WORK_DONE] + work_size
                    + stored_change(numbers, linear, angular, articular, numbers[GRAVITY] + gravity))
    allowed = SHARE * numbers[BUDGET] * reference / numbers[DURATION]
    noise = rounding_noise(numbers, size, linear + angular + articular)
    reserve = (1.0 - SHARE) * numbers[BUDGET] * reference - numbers[RESERVE_SPENT]
    if not stands(numbers, counters, residual, change, allowed * tau + noise, DRAW * reserve):
        remember_density(numbers, counters, abs(residual) - noise, tau)
        refuse(buffers)
        return
    # the step stands
    numbers[KINETIC], numbers[LINEAR], numbers[ANGULAR], numbers[ARTICULAR] = kinetic, linear, angular, articular
    numbers[LOSS_RATE] = loss_rate
    numbers[POTENTIAL] = potential
    add_compensated(numbers, GRAVITY, gravity)
    add_compensated(numbers, SPRING_LOSS, loss)
    add_compensated(numbers, PLASTIC_LOSS, plastic)
    add_compensated(numbers, RESIDUAL, residual)
    keep_work(buffers.work, tau, numbers)
    numbers[LARGEST_RESIDUAL] = max(numbers[LARGEST_RESIDUAL], abs(numbers[RESIDUAL] + numbers[RESIDUAL + 1]))
    raise_reference(numbers)
    unexplained = max(abs(residual) - noise, 0.0)
    if counters[IN_A_ROW] >= PATIENCE:
        unexplained = min(unexplained, allowed * tau)  # what a jump left says nothing about the smooth steps behind it
    accept(arrays, buffers, tau, unexplained, allowed)


@kernel
def rounding_noise(numbers, size, elastic):
    """What rounding alone can make of a residual [J].

    Energies carry ε of themselves. A coordinate X carries ε X, so a spring with tension T carries T ε X; springs are
    independent in this, and √(Σ T²) ≤ √(2 k U) with the largest stiffness k.
    """
    return ROUNDING * (size + numbers[EXTENT] * math.sqrt(2.0 * numbers[STIFFEST] * max(elastic, 0.0)))


@kernel
def stands(numbers, counters, residual, change, allowed, draw):
    """Whether a finite attempt passes the rule, or is at a floor that the user accepts."""
    if counters[CONTROL] == FIXED:
        return True
    if counters[CONTROL] == LEDGER:
        passes = abs(residual) <= allowed
        if not passes and counters[IN_A_ROW] >= PATIENCE and abs(residual) <= draw:
            numbers[RESERVE_SPENT] += abs(residual)
            counters[JUMPS] += 1
            numbers[DENSITY] = 0.0
            return True
    else:
        passes = abs(change) <= numbers[TOLERANCE]
    if not passes and counters[ACCEPT_FLOOR] == 1 and numbers[STEP_TAU] <= numbers[DT_MIN] * (1.0 + RESOLUTION):
        counters[FLOOR_HITS] += 1
        return True
    return passes


@kernel
def remember_density(numbers, counters, residual, tau):
    """Error density c of |residual| = c τ³ (`taylor`: c τ²): the largest of the last steps, fading."""
    density = max(residual, 0.0) / (tau * tau)
    if counters[SCHEME] == VERLET:
        density /= tau
    numbers[DENSITY] = max(density, FADE * numbers[DENSITY])


@kernel
def accept(arrays, buffers, tau, residual, allowed):
    """Move the clock, count and record the step, propose the next one."""
    numbers, counters = buffers.numbers, buffers.counters
    numbers[TIME] = numbers[STEP_END]
    counters[ACCEPTED] += 1
    counters[IN_A_ROW] = 0
    counters[SINCE_STABLE] += 1
    counters[LIMITED + counters[STEP_LIMIT]] += 1
    k = counters[HISTORY_COUNT]
    buffers.history[k, 0] = numbers[TIME]
    buffers.history[k, 1] = tau
    buffers.history[k, 2] = numbers[STEP_RESIDUAL]
    buffers.history[k, 3] = counters[STEP_LIMIT]
    counters[HISTORY_COUNT] = k + 1
    counters[FRESH] = EXACT if counters[SCHEME] == TAYLOR else PREDICTED
    counters[VERDICT] = 1
    k = counters[BREAKPOINT]
    if counters[CONTROL] != ENERGY and k < len(arrays.breakpoints) and numbers[TIME] >= arrays.breakpoints[k]:
        book_jump(arrays, buffers, -1.0)
        counters[EVENT_PASSED] = 1
        counters[FRESH] = STALE
        numbers[INSIDE] = math.nextafter(numbers[TIME], math.inf)
    remember_density(numbers, counters, residual, tau)
    if counters[CONTROL] == FIXED or counters[STEP_LIMIT] == BY_EVENT:
        return
    grown = GROW * tau
    expected = numbers[DENSITY] * grown * grown
    if counters[SCHEME] == VERLET:
        expected *= grown
    if counters[CONTROL] == ENERGY or expected <= LEVEL * allowed * grown:
        numbers[TAU] = grown
    else:
        numbers[TAU] = tau
    counters[LIMIT] = BY_BUDGET


@kernel
def refuse(buffers):
    """Halve the proposal; at the floor, stop."""
    numbers, counters = buffers.numbers, buffers.counters
    tau = SHRINK * numbers[STEP_TAU]
    counters[REFUSED] += 1
    counters[IN_A_ROW] += 1
    counters[VERDICT] = 0
    counters[LIMIT] = BY_BUDGET
    for entry in range(buffers.work.shape[0]):
        buffers.work[entry, WORK_EXTRA] = 0.0
    if counters[HAS_VISCOSITY] == 1 and counters[FRESH] == PREDICTED:
        # the forces belong to velocities predicted over an earlier, longer step: take them at the velocities themselves
        counters[FRESH] = STALE
    if counters[CONTROL] == FIXED:
        counters[STATUS] = NOT_FINITE
        return
    lowest = max(numbers[DT_MIN], 4.0 * EPSILON * numbers[TIME])
    if tau < lowest:
        if counters[ACCEPT_FLOOR] == 1 and numbers[STEP_TAU] > lowest * (1.0 + RESOLUTION):
            tau = lowest
        else:
            counters[STATUS] = FLOOR
    numbers[TAU] = tau

