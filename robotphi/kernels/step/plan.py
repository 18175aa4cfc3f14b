"""What to try next: an attempt with its length and end, the forces of the present state, or back to Python.

The proposed step is cut down to what stability, contact, the user and drives allow, and to the next event.
"""
import math

from robotphi.kernels.acts.drives import drive_scale
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.scale import EPSILON, shorten_scale
from robotphi.kernels.step.stability import largest_bound, spring_bounds, stable_step

TIGHTEST = 1e-3       # of the first stability bound: the bound follows the shape no further down
RENEW_STABLE = 256    # accepted steps after which a varying stability bound is computed again
RESOLUTION = 1e-9     # relative: steps that end so near an event end on it


@kernel
def plan(arrays, buffers, now):
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
        renew_stability(arrays, buffers, now)
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
def renew_stability(arrays, buffers, now):
    """The stability bound at the present shape.

    A bound far below that of the start comes from an arm that just passes its axis or centre and would outlast it: there
    the budget sees to the step.
    """
    numbers = buffers.numbers
    square, damping, limit = spring_bounds(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
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
