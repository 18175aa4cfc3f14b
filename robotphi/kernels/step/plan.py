"""What to try next: an attempt with its length and end, the forces of the present state, or back to Python.

The proposed step is cut down to what stability, contact, the user and drives allow, and to the next event.
"""
import math

from robotphi.kernels.acts.drives import drive_scale, has_drives
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.mechanism.uneventful import is_free_of_stops
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.causes import name_step
from robotphi.kernels.step.particles import largest_coordinate
from robotphi.kernels.step.renewal import renew_stability
from robotphi.kernels.step.scales import EPSILON, shorten_scale
from robotphi.kernels.step.viscosity import choose_viscosity, present_step

RESOLUTION = 1e-9     # relative: steps that end so near an event end on it
STRETCH = 1.1         # times as long as proposed: so much longer a step may be to end on an event
SLIVER = 0.01         # of a fixed step: a rest so short is joined to the step before, since clocks of many steps drift


@kernel
def set_out(arrays, buffers):
    """Begin a way to the next frame: the forces are evaluated anew, as after a restart."""
    numbers, counters = buffers.numbers, buffers.counters
    numbers[at.EXTENT] = largest_coordinate(buffers.position, len(arrays.particles.mass) - GHOSTS)
    numbers[at.INSIDE] = numbers[at.TIME]
    if counters[at.CONTROL] != at.ENERGY:
        numbers[at.INSIDE] = math.nextafter(numbers[at.TIME], math.inf)
    counters[at.FRESH] = at.STALE
    counters[at.WHOLE] = 0
    counters[at.BEGIN_CONTACT] = at.PAIRS_TO_FIND if counters[at.HAS_CONTACT] == 1 else at.PAIRS_KNOWN
    counters[at.STATUS] = at.RUNNING


@kernel
def plan(arrays, buffers, now, joints):
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
    if counters[at.VARIABLE_STIFFNESS] == 1 and counters[at.SINCE_STABLE] >= counters[at.RENEW_AFTER]:
        renew_stability(arrays, buffers, now)
    if counters[at.HAS_DAMPERS] == 1 and change_viscosity(arrays, buffers, joints):
        if counters[at.HAS_CONTACT] == 0:   # else where the contacts are entered
            renew_stability(arrays, buffers, now)
        counters[at.ORDER] = at.REFRESH
        return
    counters[at.CHUNK] -= 1
    if counters[at.HAS_CONTACT] == 1:
        numbers[at.STABLE] = touching_step(numbers, counters, buffers.touch.totals)
        shorten_scale(numbers)
    choose_step(arrays.breakpoints, arrays.drives, numbers, counters)
    name_step(arrays.drives, buffers)
    clock = 4.0 * EPSILON * numbers[at.TIME]  # what the clock can still tell apart
    floor = clock if counters[at.ACCEPT_FLOOR] == 1 else max(numbers[at.DT_MIN], clock)
    if counters[at.CONTROL] != at.FIXED and numbers[at.TAU] < floor:
        counters[at.STATUS] = at.FLOOR
        return
    counters[at.ORDER] = at.STEP


@kernel
def joint_bounds(numbers, totals):
    """Bounds of ω² and c of rigids and balls in touch: as they were when pairs were entered last (`contact/bounds`), and what
    pairs ask for more than then."""
    square, damping = numbers[at.JOINT_SQUARE], numbers[at.JOINT_DAMPING]
    return (min(square * max(totals[touched.TOTAL_GROWTH], 1.0), square + totals[touched.TOTAL_MORE])
            + totals[touched.TOTAL_NEW],
            min(damping * max(totals[touched.TOTAL_DAMP_GROWTH], 1.0), damping + totals[touched.TOTAL_DAMP_MORE])
            + totals[touched.TOTAL_DAMP_NEW])


@kernel
def touching_bounds(numbers, totals):
    """Bounds of ω² and c of what is in touch, springs and contacts together; of c contacts alone where dampers go apart."""
    square, damping = joint_bounds(numbers, totals)
    return max(totals[touched.TOTAL_SQUARE], square), max(totals[touched.TOTAL_DAMPING], damping)


@kernel
def change_viscosity(arrays, buffers, joints):
    """Whether viscosity goes the other way from now on: all forces are then evaluated anew."""
    numbers, counters, totals = buffers.numbers, buffers.counters, buffers.touch.totals
    square, damping, alone = 0.0, 0.0, 0.0
    if counters[at.HAS_CONTACT] == 1:
        square, damping = touching_bounds(numbers, totals)
        alone = totals[touched.TOTAL_DAMP_ALONE]  # by one pair: what all come to is known when dampers are apart
    free = len(arrays.mechanisms.free) == 0 or is_free_of_stops(arrays, joints)
    if not choose_viscosity(numbers, counters, square, damping, alone, free):
        return False
    counters[at.BLOCKS] = 0
    if counters[at.VISCOSITY] == at.IN_FORCE:
        forgo_relief(numbers, totals)
    numbers[at.STABLE] = present_step(numbers, counters, square, damping)
    counters[at.FRESH] = at.STALE
    if counters[at.ACCEPTED] == 0 and counters[at.CONTROL] != at.FIXED:   # scale and first step are to be those of this way
        counters[at.STARTED], numbers[at.TAU] = 0, 0.0
    return True


@kernel
def forgo_relief(numbers, totals):
    """Bounds of ω² without relief; of what is in touch until they are taken anew."""
    more = (max(numbers[at.RELIEF], numbers[at.TOUCH_RELIEF])
            * (numbers[at.SPRING_DAMPING] + numbers[at.ROW_DAMPING]))
    numbers[at.RELIEVED_SQUARE] = numbers[at.SPRING_SQUARE]
    numbers[at.JOINT_SQUARE] += more
    totals[touched.TOTAL_SQUARE] += more
    numbers[at.RELIEF], numbers[at.TOUCH_RELIEF] = 0.0, 0.0


@kernel
def touching_step(numbers, counters, totals):
    """The stable step with the contacts that an attempt has found at its end."""
    if counters[at.HAS_CONTACT] == 0:
        return math.inf
    return present_step(numbers, counters, *touching_bounds(numbers, totals))


@kernel
def longest_step(drives, numbers, counters):
    """The longest step that stability, contact, the user and drives allow, and which of them does."""
    longest, limit = numbers[at.STABLE], at.BY_STABILITY
    if counters[at.HAS_CONTACT] == 1 and longest > numbers[at.CONTACT_STEP]:
        longest, limit = numbers[at.CONTACT_STEP], at.BY_CONTACT
    if longest > numbers[at.DT_MAX]:
        longest, limit = numbers[at.DT_MAX], at.BY_USER
    if counters[at.CONTROL] == at.LEDGER and has_drives(drives):
        scale = drive_scale(drives, numbers[at.TIME])
        if longest > scale:
            longest, limit = scale, at.BY_USER
    return longest, limit


@kernel
def choose_step(breakpoints, drives, numbers, counters):
    """Length and end of the next step: the proposed τ under its caps, landing on events without slivers."""
    tau, limit = numbers[at.TAU], counters[at.LIMIT]
    reach = tau
    if counters[at.CONTROL] != at.FIXED:
        longest, by = longest_step(drives, numbers, counters)
        if tau > longest:
            tau, limit = longest, by
        numbers[at.TAU] = tau
        reach = min(STRETCH * tau, longest) if counters[at.CONTROL] == at.LEDGER and longest > tau else tau
    target = numbers[at.FRAME_END]
    if counters[at.CONTROL] != at.ENERGY:
        k = counters[at.BREAKPOINT]
        while k < len(breakpoints) and breakpoints[k] <= numbers[at.TIME]:
            k += 1
        counters[at.BREAKPOINT] = k
        if k < len(breakpoints):
            target = min(target, breakpoints[k])
    left = target - numbers[at.TIME]
    pieces = left / reach
    numbers[at.STEP_END] = numbers[at.TIME] + tau
    if pieces <= 1.0 + (SLIVER if counters[at.CONTROL] == at.FIXED else RESOLUTION):
        if left < (1.0 - RESOLUTION) * tau or left > (1.0 + SLIVER) * tau:
            limit = at.BY_EVENT
        tau = left
        numbers[at.STEP_END] = target
    elif pieces < 2.0 - RESOLUTION and counters[at.CONTROL] != at.FIXED:
        tau, limit = 0.5 * left, at.BY_EVENT
        numbers[at.STEP_END] = numbers[at.TIME] + tau
    if 0.0 < numbers[at.LANDING] < tau:
        tau, limit = numbers[at.LANDING], at.BY_EVENT
        numbers[at.STEP_END] = numbers[at.TIME] + tau
    numbers[at.STEP_TAU] = tau
    # drives at the end of the step are taken from the piece before it; the report's rule meets jumps unprepared
    energy = counters[at.CONTROL] == at.ENERGY
    numbers[at.INSIDE] = numbers[at.STEP_END] if energy else math.nextafter(numbers[at.STEP_END], -math.inf)
    counters[at.STEP_LIMIT] = limit
