"""Places at the end of a step by flow are brought onto the closures, as in `closed`: by impulses where the step begins.

    q⁺ = q + P + δ    u½ ← u½ + δ/τ    u' ← u' + 2 δ/τ    δ = M⁻¹Gᵀ x  with φ(q⁺) = 0

M⁻¹ is that of the flow, viscosity in it. What is driven, what stands at a stop or was held all the time stays where it is:
friction does not creep. Dampers and dry friction take what they take along the ways actually gone, half of δ in each half of
the step; drives give against the impulses x/τ at the rates where these act. G u = 0 there, so that x does no work.
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import cross, get3, plus, scaled
from robotphi.kernels.mechanism.answer import answer_links, ask_nothing, ask_of
from robotphi.kernels.mechanism.bases import lend_to, lend_to_closures
from robotphi.kernels.mechanism.closed import add_answer, closest, measure_gaps, solve_rows, tell_open
from robotphi.kernels.mechanism.columns import (
    DAMPER,
    DRIVEN,
    FACTORED,
    HELD,
    KEPT,
    KEPT_MOTOR,
    KEPT_WORK,
    LOOSE,
    MODE,
    PREDICTED,
    RUBBED,
    STOP,
    VISCOUS,
    WANTED,
    WAY,
    WORLD,
)
from robotphi.kernels.mechanism.events import go_along
from robotphi.kernels.mechanism.factor import RIGHT, SOLUTION
from robotphi.kernels.mechanism.flow import factor_for
from robotphi.kernels.mechanism.poses import pose_links
from robotphi.kernels.step import slots as at

TRIALS = 40         # of what is left of closures, at most; else the step is refused
SHRINKING = 0.5     # times what was left: with more the closures are asked anew how they pull
APART = 1e-9        # of the extent: what rows may be open that follow from others, or from what is held
TOTAL = 5           # column of `left`: multipliers of all trials


@kernel
def factor_start(arrays, links, rigid, joints, next_joints, half, m):
    """How the closures pull where the step began, with what is not to give way."""
    mechanisms, flow = arrays.mechanisms, links.flow
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if mechanisms.drive[k] >= 0:
            flow[k, MODE] = DRIVEN
        elif flow[k, STOP] == 0.0 and (flow[k, MODE] != HELD or flow[k, WAY] != 0.0):
            flow[k, MODE] = LOOSE
        else:
            flow[k, MODE] = HELD
    factor_for(arrays, links, rigid, joints, next_joints.bound, half, m)


@kernel
def place_ahead(arrays, buffers, joints, next_joints, m):
    """Coordinates of the end of the step by the ways gone, and by drives."""
    mechanisms, links, numbers = arrays.mechanisms, buffers.links, buffers.numbers
    go_along(mechanisms, links, joints, next_joints, m)
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if mechanisms.drive[k] >= 0:
            next_joints.place[k, 0] = drive_value(arrays.drives, mechanisms.drive[k], numbers[at.STEP_END],
                                                  numbers[at.INSIDE])[0]


@kernel
def close_flow(arrays, buffers, rigid, joints, next_joints, m, dt):
    """Bring the posed links onto the closures; where that fails, the step is refused."""
    mechanisms, closures, links, bound = arrays.mechanisms, arrays.closures, buffers.links, next_joints.bound
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    wanted = closest(mechanisms, closures, links, next_joints.place, m)
    for k in range(first, last):
        links.answer[k, 0] = 0.0
    for i in range(closures.start[m], closures.start[m + 1]):
        bound.left[i, TOTAL] = 0.0
    left = measure_gaps(arrays, links, rigid, next_joints.place, bound.rail, bound, m)
    for _ in range(TRIALS):
        if not left > wanted:
            break
        before = left
        solve_rows(arrays, bound, m, 0.0)
        for i in range(closures.start[m], closures.start[m + 1]):
            bound.left[i, TOTAL] += bound.left[i, SOLUTION]
        for k in range(first, last):
            links.trial[k, 0] = 0.0
        add_answer(arrays, bound, m, 1.0, links.trial)
        for k in range(first, last):
            links.flow[k, WAY] += links.trial[k, 0]
            links.answer[k, 0] += links.trial[k, 0]
        place_ahead(arrays, buffers, joints, next_joints, m)
        pose_links(mechanisms, links, next_joints, rigid, begin, end)
        left = measure_gaps(arrays, links, rigid, next_joints.place, bound.rail, bound, m)
        if not left <= max(SHRINKING * before, wanted):
            links.sums[m, FACTORED] = 0.0
            factor_for(arrays, links, rigid, joints, bound, 0.5 * dt, m)
            left = measure_gaps(arrays, links, rigid, next_joints.place, bound.rail, bound, m)
    if widest_gap(closures, bound, m) > APART * closures.extent[m]:
        left = math.inf
    tell_open(links, left, wanted, buffers.numbers[at.TIME], m)
    book_closing(arrays, links, joints, next_joints, dt, m)


@kernel
def widest_gap(closures, bound, m):
    """Of all rows measured."""
    widest = 0.0
    for i in range(closures.start[m], closures.start[m + 1]):
        if not abs(bound.left[i, RIGHT]) <= widest:
            widest = abs(bound.left[i, RIGHT])
    return widest


@kernel
def book_closing(arrays, links, joints, next_joints, dt, m):
    """Rates with what the closures changed, and what was taken and given along that."""
    mechanisms, closures, flow, bound = arrays.mechanisms, arrays.closures, links.flow, next_joints.bound
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    ask_nothing(mechanisms, bound, begin, end)
    for i in range(closures.start[m], closures.start[m + 1]):
        ask_of(mechanisms, closures, bound, i, bound.left[i, TOTAL])
    answer_links(mechanisms, bound, begin, end)
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        change, way = links.answer[k, 0], flow[k, WAY]
        links.middle[k, 0] += change / dt
        next_joints.rate[k, 0] += 2.0 * change / dt
        flow[k, PREDICTED] = next_joints.rate[k, 0]
        if mechanisms.motor[k] >= 0:
            flow[k, KEPT_MOTOR] += change * flow[k, DAMPER] * (0.5 * flow[k, WANTED] - way / dt)
        links.sums[m, KEPT] += mechanisms.viscosity[k] * way * change / dt
        links.sums[m, KEPT + RUBBED - VISCOUS] += 0.5 * mechanisms.friction[k, 1] * math.copysign(change, change * way)
        if mechanisms.drive[k] >= 0:
            flow[k, KEPT_WORK] += bound.share[k, 1] * joints.rate[k, 0] / dt
    if mechanisms.led[m] == 1:
        lend_to_closing(mechanisms, closures, links, bound, dt, m)


@kernel
def lend_to_closing(mechanisms, closures, links, bound, dt, m):
    """What driven rigids give against the impulses where the step begins."""
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.parent[i] < WORLD:
            force, couple = get3(bound.push, i, 0), get3(bound.push, i, 3)
            for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
                left = bound.share[k, 1] * bound.share[k, 0]
                force = plus(force, scaled(get3(bound.hold, k, 0), left))
                couple = plus(couple, scaled(get3(bound.hold, k, 3), left))
            couple = plus(couple, cross(get3(bound.reach, i, 0), force))
            lend_to(links, i, -2 - mechanisms.parent[i], scaled(force, 1.0 / dt), scaled(couple, 1.0 / dt), -dt, 4)
    for i in range(closures.start[m], closures.start[m + 1]):
        lend_to_closures(mechanisms, closures, links, bound, i, bound.left[i, TOTAL] / dt, -dt, 4)
