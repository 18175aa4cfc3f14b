"""How dampers of springs and contact are integrated: in the force at the predicted velocity, or apart (`apart`).

In the force it costs nothing, and the step is bounded by (ω τ/2)² + c τ ≤ 1. Apart, the damping rate c bounds the step only by
the number of stages (`damp`), of which four at least are made in a step, good for c τ ≤ 3.6. So they go apart where they
alone have kept several steps short and longer ones pay for the stages, and come back where steps have long been so short
for other reasons that they do not. Where no step at all is long enough for them in the force, they go apart at once. Either way
the forces are evaluated anew.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.relief import MARGIN, damping_apart, relieved_step, stable_step
from robotphi.kernels.step.rigids import row3
from robotphi.kernels.step.slots import DAMP, RIGID_DAMP, TURN_DAMP

STAGES_MOST = 101   # of one run of the dampers: c h ≤ 4680
NEARLY = 0.9        # of the step with viscosity in the force: what comes so near to it is held back by it
STAY = 0.75         # of what pays for the stages: with steps as long as that dampers stay apart
FIRST_WAIT, LONGEST_WAIT = 4, 1024
LONG = 64           # steps so short before dampers come back


@kernel
def act_damping(arrays, buffers):
    """Bound of the damping rate by acts alone, of what `stability.spring_bounds` has left of them."""
    particles, rigids, bound, own = arrays.particles, arrays.rigids, buffers.stiffness_bound, buffers.rigid_bound
    damping = 0.0
    for i in range(len(particles.mass)):
        damping = max(damping, particles.inverse_mass[i] * bound[i, DAMP])
    for i in range(len(rigids.mass)):
        w, inverse = largest(row3(rigids.inverse_mass, i)), largest(row3(rigids.inverse_inertia, i))
        on_rigid = w * own[i, RIGID_DAMP] + inverse * own[i, TURN_DAMP]
        for k in range(rigids.start[i], rigids.start[i + 1]):
            r = row3(rigids.local, k)
            on_rigid += bound[rigids.particle[k], DAMP] * (w + dot(r, r) * inverse)
        damping = max(damping, on_rigid)
    return damping


@inlined
def largest(a):
    return max(a[0], max(a[1], a[2]))


@kernel
def step_in_force(numbers, square, damping):
    """The stable step with viscosity in the force. `square`, `damping`: bounds of what is in touch, springs and contacts
    together."""
    return stable_step(max(numbers[at.SPRING_SQUARE], square), max(numbers[at.SPRING_DAMPING], damping),
                       numbers[at.SPRING_STEP], numbers[at.SAFETY])


@inlined
def staged_step(numbers):
    """The step for which the most stages are enough."""
    rate = damping_apart(numbers)
    return (STAGES_MOST * STAGES_MOST + STAGES_MOST - 2.0) / (MARGIN * rate) if rate > 0.0 else math.inf


@kernel
def step_apart(numbers, square, alone):
    """The same with the dampers of springs and contact apart. `alone`: bound of the damping rate by contacts alone.

    What was bounded with less relief is bounded with more all the more.
    """
    square, damping = max(numbers[at.RELIEVED_SQUARE], square), numbers[at.ACT_DAMPING] + alone
    relief = max(numbers[at.RELIEF], numbers[at.TOUCH_RELIEF])
    if relief > 0.0:
        numbers[at.RELIEVED_STEP] = relieved_step(square, relief, damping_apart(numbers), damping, math.inf,
                                                  numbers[at.SAFETY])
    else:
        numbers[at.RELIEVED_STEP] = stable_step(square, damping, math.inf, numbers[at.SAFETY])
    return min(staged_step(numbers), min(numbers[at.RELIEVED_STEP], numbers[at.SPRING_STEP]))


@kernel
def present_step(numbers, counters, square, damping):
    """The stable step as viscosity is integrated now; apart, `damping` is that of contacts alone."""
    if counters[at.VISCOSITY] == at.APART:
        return step_apart(numbers, square, damping)
    return step_in_force(numbers, square, damping)


@inlined
def forces_follow_velocity(counters):
    """Whether forces of an instant depend on the velocity that was predicted for it."""
    apart = counters[at.VISCOSITY] == at.APART and counters[at.HAS_CONTACT] == 0 and counters[at.HAS_ACTS] == 0
    return counters[at.HAS_VISCOSITY] == at.BY_TURNS or (counters[at.HAS_VISCOSITY] == 1 and not apart)


@inlined
def may_go_apart(counters):
    """Whether there are dampers, and a scheme, for which viscosity can be integrated apart."""
    return counters[at.HAS_DAMPERS] == 1 and counters[at.SCHEME] == at.VERLET


@kernel
def choose_viscosity(numbers, counters, square, damping, alone, free):
    """Whether viscosity is to be integrated the other way from now on; then the way is changed.

    What an attempt was refused with says nothing about that: only steps behind those that stood count.
    `damping` as in `present_step`; `alone`: what it would be about by contacts alone, where viscosity is in the force; `free`:
    whether no joint is at a stop, where dampers stay in the force.
    """
    if not may_go_apart(counters):
        return False
    if counters[at.EVENTFUL] == 1:
        counters[at.EVENTFUL], counters[at.VISCOSITY], counters[at.DAMPED] = 2, at.IN_FORCE, 0
        counters[at.WAIT] = min(2 * max(counters[at.WAIT], FIRST_WAIT), LONGEST_WAIT)   # unless steps apart pay before
        return True
    if counters[at.VERDICT] == 1:
        counters[at.EVENTFUL] = 0
    if counters[at.VISCOSITY] == at.IN_FORCE and (counters[at.EVENTFUL] != 0 or not free):
        return False
    if counters[at.VISCOSITY] == at.IN_FORCE and counters[at.CONTROL] != at.FIXED and counters[at.ACCEPT_FLOOR] == 0:
        together = step_in_force(numbers, square, damping)
        if together < numbers[at.DT_MIN] and together < step_apart(numbers, square, alone):
            counters[at.VISCOSITY], counters[at.DAMPED] = at.APART, 0
            return True
    if counters[at.VERDICT] == 0 and counters[at.CONTROL] != at.FIXED:
        return False
    wanted = numbers[at.TAU]
    if counters[at.VISCOSITY] == at.IN_FORCE:
        together, apart = step_in_force(numbers, square, damping), step_apart(numbers, square, alone)
        if counters[at.CONTROL] == at.FIXED:
            if not wanted > together / numbers[at.SAFETY] or not apart > together:
                return False
        else:
            damped = wanted >= NEARLY * together and apart > numbers[at.STAGES_PAY] * together
            counters[at.DAMPED] = counters[at.DAMPED] + 1 if damped else 0
            if counters[at.DAMPED] < max(counters[at.WAIT], FIRST_WAIT):
                return False
        counters[at.VISCOSITY] = at.APART
    else:
        if counters[at.CONTROL] == at.FIXED:
            return False
        all_damping = damping_apart(numbers)
        if square > 0.0:   # in touch, where there is no bound without relief
            square += max(numbers[at.RELIEF], numbers[at.TOUCH_RELIEF]) * all_damping
        together = step_in_force(numbers, square, all_damping + damping)
        counters[at.DAMPED] = counters[at.DAMPED] + 1 if wanted < STAY * numbers[at.STAGES_PAY] * together else 0
        if wanted > numbers[at.STAGES_PAY] * together:
            counters[at.WAIT] = FIRST_WAIT
        if counters[at.DAMPED] < LONG:
            return False
        counters[at.WAIT] = min(2 * max(counters[at.WAIT], FIRST_WAIT), LONGEST_WAIT)
        counters[at.VISCOSITY] = at.IN_FORCE
    counters[at.DAMPED] = 0
    return True
