"""The stability bounds of springs and acts at the present shape: when they are taken, and with how much relief (`relief`).

They are taken without relief first, which tells the frequencies of the scene and the step with all dampers in the force; where
dampers go apart once more with it, and with more or less as long as steps become longer by that.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.causes import name_bodies
from robotphi.kernels.step.relief import damping_apart, next_relief, relieved_step, stable_step
from robotphi.kernels.step.stability import spring_bounds
from robotphi.kernels.step.stiffness import bound_stiffness
from robotphi.kernels.step.viscosity import act_damping, may_go_apart, present_step

TIGHTEST = 1e-3       # of the first stability bound: frequencies follow the shape no further down
RENEW_LEAST, RENEW_MOST = 256, 4096   # accepted steps after which the stability bound is taken again …
STEADY, LIVELY = 0.01, 0.05   # … twice as many where it has changed by less than this share, half as many where by more
TRIES = 12            # reliefs that are tried at once …
FIRST_WAY = 0.64      # … each so much of the one before, at first
WORTH = 0.02          # relative: a step that is longer by that is worth the next


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
    first = numbers[at.RELIEF] == 0.0
    relief = next_relief(numbers, counters[at.HAS_CONTACT] == 0) if counters[at.VISCOSITY] == at.APART else 0.0
    numbers[at.RELIEF] = 0.0
    square, damping, limit = spring_bounds(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    if counters[at.HAS_DAMPERS] == 1 and counters[at.HAS_ACTS] == 1:
        numbers[at.ACT_DAMPING] = act_damping(arrays, buffers)
    relieved, stable = square, stable_step(square, damping, limit, numbers[at.SAFETY])
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
    if relief > 0.0:
        stiffest = counters[at.STIFF_BODY]
        relieved = seek_relief(arrays, buffers, now, relief, first)
        if counters[at.STIFF_BODY] == at.NO_BODY:   # nothing is left of any spring: the stiffest is named as it is
            counters[at.STIFF_BODY] = stiffest
    if apart:
        stable = relieved_step(relieved, numbers[at.RELIEF], damping + numbers[at.ROW_DAMPING], numbers[at.ACT_DAMPING], limit,
                               numbers[at.SAFETY])
    if math.isfinite(numbers[at.FIRST_STABLE]) and stable < TIGHTEST * numbers[at.FIRST_STABLE]:
        share = stable / (TIGHTEST * numbers[at.FIRST_STABLE])  # as if the springs were as soft as the bound asks for
        square, relieved, limit = share * share * square, share * share * relieved, limit / share
        if not apart:
            damping *= share
    numbers[at.SPRING_SQUARE], numbers[at.RELIEVED_SQUARE] = square, relieved
    numbers[at.SPRING_DAMPING], numbers[at.SPRING_STEP] = damping, limit
    name_bodies(arrays, buffers, now.position, now.rigid)
    numbers[at.STIFFEST] = bound_stiffness(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    numbers[at.STABLE] = present_step(numbers, counters, 0.0, 0.0)
    counters[at.SINCE_STABLE] = 0
    counters[at.BLOCKS] = min(counters[at.BLOCKS], at.BLOCKS_RENEWED)


@kernel
def seek_relief(arrays, buffers, now, relief, first):
    """λ of K − β C with β as proposed, or better: as long as steps become longer β goes on the way that it goes, at first to
    less, for springs whose dampers are far too strong need little of it; at last it is the best that was tried.

    Where there is contact it is tried with all that is in touch, once each time.
    """
    numbers, alone = buffers.numbers, buffers.counters[at.HAS_CONTACT] == 0
    way, best = FIRST_WAY if first else numbers[at.RELIEF_WAY], 0.0
    for _ in range(TRIES):
        numbers[at.RELIEF] = relief
        square, _, _ = spring_bounds(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
        step = relieved_step(square, relief, damping_apart(numbers), numbers[at.ACT_DAMPING], math.inf, numbers[at.SAFETY])
        if not alone or best <= step <= (1.0 + WORTH) * best:
            return square
        if step < best:
            break
        best, relief = step, way * relief
    relief /= way
    if not first:
        numbers[at.RELIEF_WAY] = 1.0 / way
    numbers[at.RELIEF] = relief
    square, _, _ = spring_bounds(arrays, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    return square
