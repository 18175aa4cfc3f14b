"""What to try next: an attempt with its length and end, the forces of the present state, or back to Python.

The proposed step is cut down to what stability, contact, the user and drives allow, and to the next event. What the residual of
a step is judged by before anything has moved, and what rounding makes of it, follows from the same bounds.
"""
import math

from robotphi.kernels.acts.drives import drive_scale
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.causes import name_bodies, name_step
from robotphi.kernels.step.stability import spring_bounds, stable_step
from robotphi.kernels.step.stiffness import bound_stiffness
from robotphi.kernels.step.viscosity import act_damping, choose_viscosity, may_go_apart, present_step

QUARTERS = 8.0        # quarters of the shortest period for which the scale of the start counts
START_SHARE = 0.05    # of the duration, likewise
EPSILON = 2.220446049250313e-16
ROUNDING = 4.0 * EPSILON  # a residual so small against what it is made of says nothing
TIGHTEST = 1e-3       # of the first stability bound: frequencies follow the shape no further down
RENEW_LEAST, RENEW_MOST = 256, 4096   # accepted steps after which the stability bound is taken again …
STEADY, LIVELY = 0.01, 0.05   # … twice as many where it has changed by less than this share, half as many where by more
RESOLUTION = 1e-9     # relative: steps that end so near an event end on it
SLIVER = 0.01         # of a fixed step: a rest so short is joined to the step before, since clocks of many steps drift


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
    if counters[at.VARIABLE_STIFFNESS] == 1 and counters[at.SINCE_STABLE] >= counters[at.RENEW_AFTER]:
        renew_stability(arrays, buffers, now)
    if counters[at.HAS_DAMPERS] == 1 and change_viscosity(numbers, counters, buffers.touch.totals):
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
def renew_stability(arrays, buffers, now):
    """The stability bound at the present shape.

    A frequency far above those of the start comes from an arm that just passes its axis or centre and would outlast it: there
    the budget sees to the step. So does a damping rate where dampers cannot go apart. Where they can it is taken as it is,
    with every step as long as it changes: stages stand it, and leave nothing of the motion that it brakes.
    """
    numbers, counters = buffers.numbers, buffers.counters
    apart = may_go_apart(counters)
    before = stable_step(numbers[at.SPRING_SQUARE], numbers[at.SPRING_DAMPING], numbers[at.SPRING_STEP], numbers[at.SAFETY])
    square, damping, limit = spring_bounds(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    if counters[at.HAS_DAMPERS] == 1 and counters[at.HAS_ACTS] == 1:
        numbers[at.ACT_DAMPING] = act_damping(arrays, buffers)
    stable = stable_step(square, damping, limit, numbers[at.SAFETY])
    if counters[at.STARTED] == 0:
        numbers[at.FIRST_STABLE] = stable
        counters[at.RENEW_AFTER] = RENEW_LEAST
    elif (apart and numbers[at.SAFETY] < TIGHTEST * numbers[at.FIRST_STABLE] * damping
          and abs(damping - numbers[at.SPRING_DAMPING]) > STEADY * damping):
        counters[at.RENEW_AFTER] = 1
    elif abs(stable - before) <= STEADY * before:
        counters[at.RENEW_AFTER] = min(2 * counters[at.RENEW_AFTER], RENEW_MOST)
    elif not abs(stable - before) <= LIVELY * before:
        counters[at.RENEW_AFTER] = max(counters[at.RENEW_AFTER] // 2, RENEW_LEAST)
    if apart:
        stable = stable_step(square, numbers[at.ACT_DAMPING], limit, numbers[at.SAFETY])
    if math.isfinite(numbers[at.FIRST_STABLE]) and stable < TIGHTEST * numbers[at.FIRST_STABLE]:
        share = stable / (TIGHTEST * numbers[at.FIRST_STABLE])  # as if the springs were as soft as the bound asks for
        square, limit = share * share * square, limit / share
        if not apart:
            damping *= share
    numbers[at.SPRING_SQUARE], numbers[at.SPRING_DAMPING], numbers[at.SPRING_STEP] = square, damping, limit
    name_bodies(arrays, buffers, now.position, now.rigid)
    numbers[at.STIFFEST] = bound_stiffness(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    numbers[at.STABLE] = present_step(numbers, counters, 0.0, 0.0)
    counters[at.SINCE_STABLE] = 0
    counters[at.BLOCKS] = min(counters[at.BLOCKS], at.BLOCKS_RENEWED)


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
def change_viscosity(numbers, counters, totals):
    """Whether viscosity goes the other way from now on: all forces are then evaluated anew."""
    square, damping, alone = 0.0, 0.0, 0.0
    if counters[at.HAS_CONTACT] == 1:
        square, damping = touching_bounds(numbers, totals)
        alone = totals[touched.TOTAL_DAMP_ALONE]  # by one pair: what all come to is known when dampers are apart
    if not choose_viscosity(numbers, counters, square, damping, alone):
        return False
    counters[at.BLOCKS] = min(counters[at.BLOCKS], at.BLOCKS_RENEWED)
    numbers[at.STABLE] = present_step(numbers, counters, square, damping)
    counters[at.FRESH] = at.STALE
    if counters[at.ACCEPTED] == 0 and counters[at.CONTROL] != at.FIXED:   # scale and first step are to be those of this way
        counters[at.STARTED], numbers[at.TAU] = 0, 0.0
    return True


@kernel
def touching_step(numbers, counters, totals):
    """The stable step with the contacts that an attempt has found at its end."""
    if counters[at.HAS_CONTACT] == 0:
        return math.inf
    return present_step(numbers, counters, *touching_bounds(numbers, totals))


@inlined
def has_drives(drives):
    return len(drives.start) > 1


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
        if counters[at.CONTROL] == at.LEDGER and has_drives(drives):
            longest = drive_scale(drives, numbers[at.TIME])
            if tau > longest:
                tau, limit = longest, at.BY_USER
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
    if pieces <= 1.0 + (SLIVER if counters[at.CONTROL] == at.FIXED else RESOLUTION):
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


# Scales -------------------------------------------------------------------------------------------------------------

@kernel
def raise_scale(breakpoints, drives, numbers, force_square):
    """Scale of the energies before anything has moved: what forces set in motion within a quarter of the shortest period.

    Given ½ Σ f²/m. It stands beside E_ref in the rule for a few such quarters, no longer than a twentieth of the run and not
    beyond the next breakpoint, so that a scene at rest can start; by then E_ref is larger. It is not part of E_ref.
    """
    gap = START_SHARE * numbers[at.DURATION]
    if has_drives(drives):
        gap = min(gap, drive_scale(drives, numbers[at.TIME]))
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
def cancelled_energy(numbers, totals):
    """What contact's energy is a small difference of [J]: of volumes, and of a spring K from here to where the scene starts.

    Two faces that just touch have a depth of nothing but rounding; it comes and goes with its energy K (ε X)².
    """
    stiffest = max(numbers[at.TOUCH_STIFFEST], totals[touched.TOTAL_STIFFEST])
    return totals[touched.TOTAL_CANCELLED] + ROUNDING * stiffest * numbers[at.EXTENT] * numbers[at.EXTENT]


@kernel
def rounding_noise(numbers, size, elastic, tension):
    """What rounding alone can make of a residual [J].

    Energies carry ε of themselves, and a sum of n terms, each of whose partial sums rounds, some ε √n more (measured on free
    falls: 0.2 in the mean, 0.9 at most). A coordinate X carries ε X, so a spring with tension T carries T ε X; springs are
    independent in this, and √(Σ T²) ≤ √(2 k U) with the largest stiffness k. Tabulated springs may pull without energy: their
    tensions come as a sum. Springs at rest still carry k (ε X)². What is driven up and down carries its weight times ε X, and
    so do links, which are put where their coordinates say.
    """
    reach = ROUNDING * numbers[at.EXTENT]
    pull = math.sqrt(2.0 * numbers[at.STIFFEST] * max(elastic, 0.0)) + tension + numbers[at.DRIVEN_WEIGHT]
    return ((ROUNDING + EPSILON * numbers[at.TERMS]) * size + reach * pull
            + numbers[at.STIFFEST] * reach * reach * numbers[at.TERMS])
