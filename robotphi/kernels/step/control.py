"""The step chooses itself: what to try next, and whether what was tried may stand.

`ledger`: |residual of a step| ≤ 0.9 × budget × E_ref × τ / duration; grow by 1.5 when the residual that is expected there
passes, halve when it does not (RR-3072 §3.4, with the unexplained energy in place of the whole change). A jump of a force
(an angular spring with a bend at rest that is pulled through the straight line) leaves a residual that shrinks only like τ, so
that no step would ever pass: a step refused ten times in a row may spend a thousandth of a reserve, the last tenth of the
budget.
`energy`: the report's rule, |ΔE| ≤ ε_e of the mechanical energy; halve, else grow by 1.5.
`fixed`: every finite step stands.
"""
import math

from robotphi.kernels.acts.drives import drive_scale
from robotphi.kernels.acts.forces import force_potential
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.ledger import (
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
from robotphi.kernels.step.particles import force_scale
from robotphi.kernels.step.rigids import rigid_scale
from robotphi.kernels.step.stability import largest_bound, spring_bounds, stable_step

GROW, SHRINK = 1.5, 0.5
LEVEL = 0.8           # share of the budget that the residual expected after growing may take
FADE = 0.8            # how much of the known error density is remembered from one step to the next
SHARE = 0.9           # of the budget for ordinary steps; the rest is the reserve for jumps
PATIENCE = 10         # refusals in a row after which a step may draw on the reserve
DRAW = 1e-3           # share of what is left of the reserve that one step may draw
QUARTERS = 8.0        # quarters of the shortest period for which the scale of the start counts
START_SHARE = 0.05    # of the duration, likewise
EPSILON = 2.220446049250313e-16
ROUNDING = 4.0 * EPSILON  # a residual so small against what it is made of says nothing
TIGHTEST = 1e-3       # of the first stability bound: the bound follows the shape no further down
RENEW_STABLE = 256    # accepted steps after which a varying stability bound is computed again
RESOLUTION = 1e-9     # relative: steps that end so near an event end on it


@kernel
def plan(arrays, buffers, position, velocity, rigid):
    """Order of the next attempt: step (with its length and its end), refresh of the forces, or stop."""
    numbers, counters = buffers.numbers, buffers.counters
    counters[at.ORDER] = at.STOP
    if counters[at.STATUS] == at.FLOOR or counters[at.STATUS] == at.NOT_FINITE:
        return
    if counters[at.FRESH] == at.STALE:
        counters[at.ORDER] = at.REFRESH
        return
    if numbers[at.TIME] >= numbers[at.FRAME_END]:
        counters[at.STATUS] = at.FRAME_DONE
        return
    if counters[at.ATTEMPTS] >= counters[at.ATTEMPT_LIMIT]:
        counters[at.STATUS] = at.ATTEMPTS_USED
        return
    if counters[at.HISTORY_COUNT] >= buffers.history.shape[0]:
        counters[at.STATUS] = at.HISTORY_FULL
        return
    if counters[at.CHUNK] <= 0:
        counters[at.STATUS] = at.PAUSED
        return
    counters[at.CHUNK] -= 1
    if counters[at.VARIABLE_STIFFNESS] == 1 and counters[at.SINCE_STABLE] >= RENEW_STABLE:
        renew_stability(arrays, buffers, position, velocity, rigid)
    if counters[at.HAS_CONTACT] == 1:
        numbers[at.STABLE] = touching_step(numbers, counters, buffers.touch.totals)
        shorten_scale(numbers)
    choose_step(arrays.breakpoints, value(arrays.drives), numbers, counters)
    clock = 4.0 * EPSILON * numbers[at.TIME]  # what the clock can still tell apart
    floor = clock if counters[at.ACCEPT_FLOOR] == 1 else max(numbers[at.DT_MIN], clock)
    if counters[at.CONTROL] != at.FIXED and numbers[at.TAU] < floor:
        counters[at.STATUS] = at.FLOOR
        return
    counters[at.ORDER] = at.STEP


@kernel
def renew_stability(arrays, buffers, position, velocity, rigid):
    """The stability bound at the present shape.

    A bound far below that of the start comes from an arm that just passes its axis or centre and would outlast it: there
    the budget sees to the step.
    """
    numbers = buffers.numbers
    square, damping, limit = spring_bounds(arrays, buffers.stiffness_bound, position, velocity, rigid, numbers[at.TIME],
                                           numbers[at.INSIDE])
    stable = stable_step(square, damping, limit, numbers[at.SAFETY])
    if buffers.counters[at.STARTED] == 0:
        numbers[at.FIRST_STABLE] = stable
    numbers[at.STABLE] = stable
    if math.isfinite(stable) and math.isfinite(numbers[at.FIRST_STABLE]):
        numbers[at.STABLE] = max(stable, TIGHTEST * numbers[at.FIRST_STABLE])
    if math.isfinite(stable) and numbers[at.STABLE] > stable:
        share = stable / numbers[at.STABLE]  # as if the springs were as soft as the bound asks for
        square, damping, limit = share * share * square, share * damping, limit / share
    numbers[at.SPRING_SQUARE], numbers[at.SPRING_DAMPING], numbers[at.SPRING_STEP] = square, damping, limit
    numbers[at.STIFFEST] = largest_bound(buffers.stiffness_bound)
    buffers.counters[at.SINCE_STABLE] = 0


@kernel
def touching_step(numbers, counters, totals):
    """The stable step with the contacts that an attempt has found at its end."""
    if counters[at.HAS_CONTACT] == 0:
        return math.inf
    return stable_step(numbers[at.SPRING_SQUARE] + totals[touched.TOTAL_SQUARE],
                       numbers[at.SPRING_DAMPING] + totals[touched.TOTAL_DAMPING], numbers[at.SPRING_STEP], numbers[at.SAFETY])


@kernel
def choose_step(breakpoints, drives, numbers, counters):
    """Length and end of the next step: the proposed τ under its caps, landing on events without slivers."""
    tau = numbers[at.TAU]
    limit = counters[at.LIMIT]
    if counters[at.CONTROL] != at.FIXED:
        if tau > numbers[at.STABLE]:
            tau, limit = numbers[at.STABLE], at.BY_STABILITY
        if counters[at.HAS_CONTACT] == 1 and tau > numbers[at.CONTACT_STEP]:
            tau, limit = numbers[at.CONTACT_STEP], at.BY_CONTACT
        if tau > numbers[at.DT_MAX]:
            tau, limit = numbers[at.DT_MAX], at.BY_USER
        if counters[at.CONTROL] == at.LEDGER and tau > drive_scale(drives, numbers[at.TIME]):
            tau, limit = drive_scale(drives, numbers[at.TIME]), at.BY_USER
        numbers[at.TAU] = tau
    target = numbers[at.FRAME_END]
    if counters[at.CONTROL] != at.ENERGY:
        k = counters[at.BREAKPOINT]
        while k < len(breakpoints) and breakpoints[k] <= numbers[at.TIME]:
            k += 1
        counters[at.BREAKPOINT] = k
        if k < len(breakpoints):
            target = min(target, breakpoints[k])
    left = target - numbers[at.TIME]
    pieces = left / tau
    numbers[at.STEP_END] = numbers[at.TIME] + tau
    if pieces <= 1.0 + RESOLUTION:
        if pieces < 1.0 - RESOLUTION:
            limit = at.BY_EVENT
        tau = left
        numbers[at.STEP_END] = target
    elif pieces < 2.0 - RESOLUTION and counters[at.CONTROL] != at.FIXED:
        tau, limit = 0.5 * left, at.BY_EVENT
        numbers[at.STEP_END] = numbers[at.TIME] + tau
    numbers[at.STEP_TAU] = tau
    # drives at the end of the step are taken from the piece before it; the report's rule meets jumps unprepared
    energy = counters[at.CONTROL] == at.ENERGY
    numbers[at.INSIDE] = numbers[at.STEP_END] if energy else math.nextafter(numbers[at.STEP_END], -math.inf)
    counters[at.STEP_LIMIT] = limit


@kernel
def settle_refresh(arrays, buffers, position, velocity, force, rigid, load):
    """After the forces were evaluated at the present state: energies and rates of the start of the next step."""
    numbers, counters = buffers.numbers, buffers.counters
    linear, angular, articular, loss_rate, plastic = sum_groups(buffers.group_sums)
    inside = numbers[at.INSIDE]
    jump = counters[at.EVENT_PASSED] == 1 and counters[at.STARTED] == 1
    if jump:
        book_jump(arrays, buffers, 1.0)
        add_compensated(numbers, at.PLASTIC_LOSS, plastic)
    kinetic = collect_power(arrays, buffers, position, velocity, force, rigid, load, velocity, rigid,
                            numbers[at.TIME], inside)
    numbers[at.LINEAR], numbers[at.ANGULAR], numbers[at.ARTICULAR] = linear, angular, articular
    numbers[at.LOSS_RATE] = loss_rate
    settle_contact(numbers, counters, buffers.touch.totals)
    numbers[at.BUOYANCY], numbers[at.DRAG_RATE] = numbers[at.NEXT_BUOYANCY], numbers[at.NEXT_DRAG_RATE]
    numbers[at.WIND_RATE] = numbers[at.NEXT_WIND_RATE]
    if counters[at.STARTED] == 0:
        numbers[at.BUOYANCY_START] = numbers[at.BUOYANCY]
    if counters[at.STARTED] == 0:
        numbers[at.LINEAR_START], numbers[at.ANGULAR_START], numbers[at.ARTICULAR_START] = linear, angular, articular
        numbers[at.KINETIC] = (column_sum(buffers.block_sums, at.PART_KINETIC) + column_sum(buffers.rigid_sums, at.PART_KINETIC)
                            + kinetic)
        renew_stability(arrays, buffers, position, velocity, rigid)
        if counters[at.HAS_CONTACT] == 1:  # the scale of the start is what forces do in a quarter of a period, also of contact
            numbers[at.STABLE] = touching_step(numbers, counters, buffers.touch.totals)
        start_step(numbers, counters)
    elif jump:
        numbers[at.KINETIC] += kinetic
    for entry in range(buffers.work.shape[0]):
        buffers.work[entry, at.WORK_RATE] = buffers.work[entry, at.WORK_NEXT_RATE]
        if counters[at.STARTED] == 0 or not jump:
            buffers.work[entry, at.WORK_EXTRA] = 0.0
    if jump:
        keep_work(buffers.work, 0.0, numbers)
    if jump or counters[at.STARTED] == 0:
        raise_scale(arrays.breakpoints, value(arrays.drives), numbers,
                    column_sum(buffers.block_sums, at.PART_SCALE) + rigid_scale(arrays.rigids, load))
    if counters[at.COUNT_POTENTIAL] == 1 and counters[at.STARTED] == 0:
        numbers[at.POTENTIAL] = force_potential(arrays.forces, arrays.drives, buffers.force_origin, position, rigid,
                                             numbers[at.TIME], inside)
    raise_reference(numbers)
    counters[at.STARTED] = 1
    counters[at.EVENT_PASSED] = 0
    counters[at.FRESH] = at.EXACT
    if not math.isfinite(linear + angular + articular + numbers[at.KINETIC]):
        counters[at.STATUS] = at.NOT_FINITE


@kernel
def settle_contact(numbers, counters, totals):
    """Energy and rates of contact at the present state. Where nothing has moved, a change of energy is one of direction."""
    if counters[at.HAS_CONTACT] == 0:
        return
    stored = totals[touched.TOTAL_ENERGY] + totals[touched.TOTAL_STRETCH]
    if counters[at.STARTED] == 0:
        numbers[at.CONTACT_START] = stored
    else:
        add_compensated(numbers, at.DIRECTION, numbers[at.CONTACT] - stored)
    numbers[at.CONTACT] = stored
    numbers[at.CONTACT_RATE], numbers[at.RUB_RATE] = totals[touched.TOTAL_LOSS], totals[touched.TOTAL_RATE]


@kernel
def raise_scale(breakpoints, drives, numbers, force_square):
    """Scale of the energies before anything has moved: what forces set in motion within a quarter of the shortest period.

    Given ½ Σ f²/m. It stands beside E_ref in the rule for a few such quarters, no longer than a twentieth of the run and not
    beyond the next breakpoint, so that a scene at rest can start; by then E_ref is larger. It is not part of E_ref.
    """
    gap = min(START_SHARE * numbers[at.DURATION], drive_scale(drives, numbers[at.TIME]))
    for k in range(len(breakpoints)):
        if breakpoints[k] > numbers[at.TIME]:
            gap = min(gap, breakpoints[k] - numbers[at.TIME])
            break
    quarter = min(0.5 * numbers[at.STABLE], gap)
    scale = force_square * quarter * quarter
    if math.isfinite(scale):
        numbers[at.SCALE] = max(present_scale(numbers), scale)
        numbers[at.SCALE_END] = numbers[at.TIME] + min(QUARTERS * quarter, gap)


@kernel
def shorten_scale(numbers):
    """The scale of the start was taken for a quarter of a period that contact has made shorter."""
    quarter, taken = 0.5 * numbers[at.STABLE], (numbers[at.SCALE_END] - numbers[at.TIME]) / QUARTERS
    if quarter < taken:
        share = quarter / taken
        numbers[at.SCALE] *= share * share
        numbers[at.SCALE_END] = numbers[at.TIME] + QUARTERS * quarter


@kernel
def present_scale(numbers):
    return numbers[at.SCALE] if numbers[at.TIME] <= numbers[at.SCALE_END] else 0.0


@kernel
def at_rest(numbers):
    """Whether nothing but rounding has happened so far."""
    reach = 8.0 * EPSILON * numbers[at.EXTENT]
    return numbers[at.REFERENCE] <= 100.0 * numbers[at.STIFFEST] * reach * reach


@kernel
def start_step(numbers, counters):
    """First proposal: a tenth of the stable step; the rule does the rest."""
    if counters[at.CONTROL] != at.FIXED and not numbers[at.TAU] > 0.0:
        first = min(0.1 * numbers[at.STABLE], min(numbers[at.DT_MAX], numbers[at.DURATION]))
        numbers[at.TAU] = max(first, numbers[at.DT_MIN])
        counters[at.LIMIT] = at.BY_BUDGET


@kernel
def decide(arrays, buffers, position, velocity, force, rigid, load, before_velocity, before_rigid):
    """Book the attempt or refuse it. A refused attempt leaves nothing but a shorter proposal."""
    numbers, counters = buffers.numbers, buffers.counters
    tau = numbers[at.STEP_TAU]
    linear, angular, articular, loss_rate, plastic = sum_groups(buffers.group_sums)
    kinetic = column_sum(buffers.block_sums, at.PART_KINETIC) + column_sum(buffers.rigid_sums, at.PART_KINETIC)
    gravity = (column_sum(buffers.block_sums, at.PART_POTENTIAL) + column_sum(buffers.group_sums, at.SUM_POTENTIAL)
               + column_sum(buffers.rigid_sums, at.PART_POTENTIAL) + numbers[at.STEP_GRAVITY])
    kinetic += collect_power(arrays, buffers, position, velocity, force, rigid, load, before_velocity, before_rigid,
                             numbers[at.STEP_END], numbers[at.INSIDE])
    work, work_size = step_work(buffers.work, tau)
    loss = 0.5 * tau * (numbers[at.LOSS_RATE] + loss_rate)
    change = ((kinetic - numbers[at.KINETIC]) + (linear - numbers[at.LINEAR]) + (angular - numbers[at.ANGULAR])
              + (articular - numbers[at.ARTICULAR]) + gravity)
    contact, hit, rubbed = 0.0, 0.0, 0.0
    if counters[at.HAS_CONTACT] == 1:
        totals = buffers.touch.totals
        contact = totals[touched.TOTAL_ENERGY] + totals[touched.TOTAL_STRETCH]
        change += contact - numbers[at.CONTACT]
        hit = 0.5 * tau * (numbers[at.CONTACT_RATE] + totals[touched.TOTAL_LOSS])
        rubbed = 0.5 * tau * (numbers[at.RUB_RATE] + totals[touched.TOTAL_RATE]) + totals[touched.TOTAL_SLIP]
    drag = 0.5 * tau * (numbers[at.DRAG_RATE] + numbers[at.NEXT_DRAG_RATE])
    blown = 0.5 * tau * (numbers[at.WIND_RATE] + numbers[at.NEXT_WIND_RATE])
    change += numbers[at.NEXT_BUOYANCY] - numbers[at.BUOYANCY]
    residual = change + loss + plastic + hit + rubbed + drag - work - blown
    counters[at.ATTEMPTS] += 1
    numbers[at.STEP_RESIDUAL] = residual
    work_size += abs(blown)
    size = (kinetic + abs(linear) + abs(angular) + abs(articular) + abs(gravity) + abs(contact)
            + abs(numbers[at.NEXT_BUOYANCY]) + work_size)
    if not math.isfinite(residual) or not math.isfinite(size):
        refuse(buffers)
        return
    potential = 0.0
    if counters[at.COUNT_POTENTIAL] == 1:
        potential = force_potential(arrays.forces, arrays.drives, buffers.force_origin, position, rigid,
                                    numbers[at.STEP_END], numbers[at.INSIDE])
        change += potential - numbers[at.POTENTIAL]
    reference = max(max(numbers[at.REFERENCE], present_scale(numbers)),
                    kinetic + numbers[at.WORK_DONE] + work_size
                    + stored_change(numbers, linear, angular, articular, contact, numbers[at.NEXT_BUOYANCY],
                                    numbers[at.GRAVITY] + gravity))
    allowed = SHARE * numbers[at.BUDGET] * reference / numbers[at.DURATION]
    pull = column_sum(buffers.group_sums, at.SUM_TENSION) + buffers.touch.totals[touched.TOTAL_NORMAL]
    noise = rounding_noise(numbers, size, linear + angular + articular, pull)
    bound = touching_step(numbers, counters, buffers.touch.totals)
    if abs(residual) > allowed * tau + noise and at_rest(numbers) and tau <= bound:
        # a force that grows from nothing: only the end of the attempt shows how large it is to become; an attempt that ran
        # deep into a contact shows what no step will meet
        square = force_scale(value(arrays.particles), 0, len(arrays.particles.mass), force)
        raise_scale(arrays.breakpoints, value(arrays.drives), numbers, square + rigid_scale(arrays.rigids, load))
        allowed = max(allowed, SHARE * numbers[at.BUDGET] * present_scale(numbers) / numbers[at.DURATION])
    reserve = (1.0 - SHARE) * numbers[at.BUDGET] * reference - numbers[at.RESERVE_SPENT]
    drawn = counters[at.ON_RESERVE]
    if not stands(numbers, counters, residual, change, allowed * tau + noise, DRAW * reserve):
        remember_density(numbers, counters, abs(residual) - noise, tau)
        refuse(buffers)
        return
    # the step stands
    numbers[at.KINETIC], numbers[at.LINEAR], numbers[at.ANGULAR], numbers[at.ARTICULAR] = kinetic, linear, angular, articular
    numbers[at.LOSS_RATE] = loss_rate
    numbers[at.POTENTIAL] = potential
    add_compensated(numbers, at.GRAVITY, gravity)
    add_compensated(numbers, at.SPRING_LOSS, loss)
    add_compensated(numbers, at.PLASTIC_LOSS, plastic)
    add_compensated(numbers, at.RESIDUAL, residual)
    if counters[at.HAS_CONTACT] == 1:
        totals = buffers.touch.totals
        numbers[at.CONTACT] = contact
        numbers[at.CONTACT_RATE], numbers[at.RUB_RATE] = totals[touched.TOTAL_LOSS], totals[touched.TOTAL_RATE]
        add_compensated(numbers, at.CONTACT_LOSS, hit)
        add_compensated(numbers, at.FRICTION, rubbed)
    numbers[at.BUOYANCY], numbers[at.DRAG_RATE] = numbers[at.NEXT_BUOYANCY], numbers[at.NEXT_DRAG_RATE]
    numbers[at.WIND_RATE] = numbers[at.NEXT_WIND_RATE]
    add_compensated(numbers, at.DRAG, drag)
    add_compensated(numbers, at.WIND_WORK, blown)
    numbers[at.WORK_DONE] += abs(blown)
    keep_work(buffers.work, tau, numbers)
    numbers[at.LARGEST_RESIDUAL] = max(numbers[at.LARGEST_RESIDUAL], abs(numbers[at.RESIDUAL] + numbers[at.RESIDUAL + 1]))
    raise_reference(numbers)
    unexplained = max(abs(residual) - noise, 0.0)
    if counters[at.ON_RESERVE] > drawn:
        unexplained = min(unexplained, allowed * tau)  # what a jump left says nothing about the smooth steps behind it
    elif counters[at.CONTROL] == at.LEDGER and abs(residual) > allowed * tau:
        counters[at.ON_ROUNDING] += 1
    accept(arrays, buffers, tau, unexplained, allowed)


@kernel
def rounding_noise(numbers, size, elastic, tension):
    """What rounding alone can make of a residual [J].

    Energies carry ε of themselves. A coordinate X carries ε X, so a spring with tension T carries T ε X; springs are
    independent in this, and √(Σ T²) ≤ √(2 k U) with the largest stiffness k. Tabulated springs may pull without energy: their
    tensions come as a sum. Springs at rest still carry k (ε X)². What is driven up and down carries its weight times ε X.
    """
    reach = ROUNDING * numbers[at.EXTENT]
    pull = math.sqrt(2.0 * numbers[at.STIFFEST] * max(elastic, 0.0)) + tension + numbers[at.DRIVEN_WEIGHT]
    return ROUNDING * size + reach * pull + numbers[at.STIFFEST] * reach * reach


@kernel
def stands(numbers, counters, residual, change, allowed, draw):
    """Whether a finite attempt passes the rule, or is at a floor that the user accepts."""
    if counters[at.CONTROL] == at.FIXED:
        return True
    if counters[at.CONTROL] == at.LEDGER:
        passes = abs(residual) <= allowed
        if not passes and counters[at.IN_A_ROW] >= PATIENCE and abs(residual) <= draw:
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
def remember_density(numbers, counters, residual, tau):
    """Error density c of |residual| = c τ³ (`taylor`: c τ²): the largest of the last steps, fading."""
    density = max(residual, 0.0) / (tau * tau)
    if counters[at.SCHEME] == at.VERLET:
        density /= tau
    numbers[at.DENSITY] = max(density, FADE * numbers[at.DENSITY])


@kernel
def accept(arrays, buffers, tau, residual, allowed):
    """Move the clock, count and record the step, propose the next one."""
    numbers, counters = buffers.numbers, buffers.counters
    numbers[at.TIME] = numbers[at.STEP_END]
    counters[at.ACCEPTED] += 1
    counters[at.SINCE_STABLE] += 1
    counters[at.LIMITED + counters[at.STEP_LIMIT]] += 1
    k = counters[at.HISTORY_COUNT]
    buffers.history[k, 0] = numbers[at.TIME]
    buffers.history[k, 1] = tau
    buffers.history[k, 2] = numbers[at.STEP_RESIDUAL]
    buffers.history[k, 3] = counters[at.STEP_LIMIT]
    counters[at.HISTORY_COUNT] = k + 1
    counters[at.FRESH] = at.EXACT if counters[at.SCHEME] == at.TAYLOR else at.PREDICTED
    counters[at.VERDICT] = 1
    k = counters[at.BREAKPOINT]
    if counters[at.CONTROL] != at.ENERGY and k < len(arrays.breakpoints) and numbers[at.TIME] >= arrays.breakpoints[k]:
        book_jump(arrays, buffers, -1.0)
        counters[at.EVENT_PASSED] = 1
        counters[at.FRESH] = at.STALE
        numbers[at.INSIDE] = math.nextafter(numbers[at.TIME], math.inf)
    remember_density(numbers, counters, residual, tau)
    if counters[at.CONTROL] == at.FIXED or counters[at.STEP_LIMIT] == at.BY_EVENT:
        return
    grown = GROW * tau
    expected = numbers[at.DENSITY] * grown * grown
    if counters[at.SCHEME] == at.VERLET:
        expected *= grown
    if counters[at.CONTROL] == at.ENERGY or expected <= LEVEL * allowed * grown:
        numbers[at.TAU] = grown
        counters[at.IN_A_ROW] = 0  # not before: a jump at a place is approached by halves, some of which stand
    else:
        numbers[at.TAU] = tau
    counters[at.LIMIT] = at.BY_BUDGET


@kernel
def refuse(buffers):
    """Halve the proposal; at the floor, stop."""
    numbers, counters = buffers.numbers, buffers.counters
    tau = SHRINK * numbers[at.STEP_TAU]
    numbers[at.INSIDE] = (numbers[at.TIME] if counters[at.CONTROL] == at.ENERGY
                          else math.nextafter(numbers[at.TIME], math.inf))
    counters[at.REFUSED] += 1
    counters[at.IN_A_ROW] += 1
    counters[at.VERDICT] = 0
    counters[at.LIMIT] = at.BY_BUDGET
    for entry in range(buffers.work.shape[0]):
        buffers.work[entry, at.WORK_EXTRA] = 0.0
    if counters[at.HAS_VISCOSITY] == 1 and counters[at.FRESH] == at.PREDICTED:
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

