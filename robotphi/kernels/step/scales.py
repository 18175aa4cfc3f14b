"""What a residual is judged by before anything has moved, and what rounding makes of it."""
import math

from robotphi.kernels.acts.drives import drive_scale, has_drives
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.step import slots as at

QUARTERS = 8.0        # quarters of the shortest period for which the scale of the start counts
START_SHARE = 0.05    # of the duration, likewise
EPSILON = 2.220446049250313e-16
ROUNDING = 4.0 * EPSILON  # a residual so small against what it is made of says nothing


@inlined
def start_span(numbers):
    """s of the run that may count as its start."""
    return START_SHARE * numbers[at.DURATION]


@kernel
def raise_scale(breakpoints, drives, numbers, force_square):
    """Scale of the energies before anything has moved: what forces set in motion within a quarter of the shortest period.

    Given ½ Σ f²/m, of mechanisms by their coordinates (`mechanism/starting`). It stands beside E_ref in the rule for a few such
    quarters, no longer than a twentieth of the run and not beyond the next breakpoint, so that a scene at rest can start; by
    then E_ref is larger. It is not part of E_ref.
    """
    gap = start_span(numbers)
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
