"""The scale of energies before anything has moved, by which the residual of first steps is judged."""
import math

from robotphi.kernels.acts.drives import drive_scale
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.step import slots as at

QUARTERS = 8.0        # quarters of the shortest period for which the scale of the start counts
START_SHARE = 0.05    # of the duration, likewise
EPSILON = 2.220446049250313e-16
ROUNDING = 4.0 * EPSILON  # a residual so small against what it is made of says nothing


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
def rounding_noise(numbers, size, elastic, tension):
    """What rounding alone can make of a residual [J].

    Energies carry ε of themselves. A coordinate X carries ε X, so a spring with tension T carries T ε X; springs are
    independent in this, and √(Σ T²) ≤ √(2 k U) with the largest stiffness k. Tabulated springs may pull without energy: their
    tensions come as a sum. Springs at rest still carry k (ε X)². What is driven up and down carries its weight times ε X.
    """
    reach = ROUNDING * numbers[at.EXTENT]
    pull = math.sqrt(2.0 * numbers[at.STIFFEST] * max(elastic, 0.0)) + tension + numbers[at.DRIVEN_WEIGHT]
    return ROUNDING * size + reach * pull + numbers[at.STIFFEST] * reach * reach
