"""What pushes the freedoms of factored links, from the ends inwards, and the accelerations that follow, outwards.

See `articulated` for what is solved. To do several ways at once, such as loads on that of the pushes, gains nothing: it is the
sums that take the time, not that each link waits for the one before, and branches then wait for their loads.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.matrices import get6, of_symmetric
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import ZERO, felt_by, hangs
from robotphi.kernels.mechanism.columns import BESIDE, HUNG_LOAD, KNOWN, REACTION
from robotphi.kernels.step.rigids import SPIN

NOTHING_HANDED = (ZERO, ZERO, False)


@kernel
def load_links(mechanisms, rigids, links, load, begin, end):
    """What keeps each of the factored links in its motion beside its acceleration: I ā + ω × L less the load."""
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body < 0:
            set3(links.push, i, 0, ZERO)
            set3(links.push, i, 3, ZERO)
            continue
        spin, own = get3(links.pose, i, SPIN), get6(links.own, i, 0)
        force = minus(scaled(get3(links.swing, i, 0), rigids.mass[body]), get3(load, body, 0))
        brought = plus(of_symmetric(own, get3(links.swing, i, 3)), cross(spin, of_symmetric(own, spin)))
        couple = minus(brought, get3(load, body, 3))
        if hangs(links, i):
            of_hung = felt_by(links, i, get3(links.swing, i, 0), get3(links.swing, i, 3))
            force = plus(force, minus(of_hung[0], get3(links.hung, i, HUNG_LOAD)))
            couple = plus(couple, minus(of_hung[1], get3(links.hung, i, HUNG_LOAD + 3)))
        set3(links.push, i, 0, force)
        set3(links.push, i, 3, couple)


@kernel
def solve_links(mechanisms, links, effort, gain, begin, end):
    """Accelerations `gain` of the freedoms of factored links by what pushes them, and an effort on each freedom.

    Those of the links by the coordinates alone are left in `links.acceleration`.
    """
    handed = NOTHING_HANDED
    for i in range(end - 1, begin - 1, -1):
        handed = gather_link(mechanisms, links, effort, begin, i, get3(links.push, i, 0), get3(links.push, i, 3), handed)
        if mechanisms.parent[i] >= begin and not handed[2]:
            hand_over(links.push, mechanisms.parent[i], handed)
    going = ZERO, ZERO
    for i in range(begin, end):
        going = speed_link(mechanisms, links, gain, begin, i, going)


@kernel
def solve_loaded(mechanisms, rigids, links, load, effort, gain, begin, end):
    """The same of links that nothing pushes but their loads."""
    load_links(mechanisms, rigids, links, load, begin, end)
    solve_links(mechanisms, links, effort, gain, begin, end)


@inlined
def gather_link(mechanisms, links, effort, begin, i, force, couple, handed):
    """What pushes the freedoms of link i, into `share`, by what pushes it alone; `push` then has that with all behind.

    `handed` is what the link behind left, and whether it hangs on this one; likewise what is returned.
    """
    if handed[2]:
        force, couple = plus(force, handed[0]), plus(couple, handed[1])
    set3(links.push, i, 0, force)
    set3(links.push, i, 3, couple)
    first, last, parent = mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1], mechanisms.parent[i]
    for k in range(last - 1, first, -1):
        amount = push_of(links, effort, force, couple, k)
        force = plus(force, scaled(get3(links.hold, k, 0), amount))
        couple = plus(couple, scaled(get3(links.hold, k, 3), amount))
    amount = push_of(links, effort, force, couple, first) if last > first else 0.0
    couple = plus(couple, cross(get3(links.reach, i, 0), force))
    if last > first:
        force = plus(force, scaled(get3(links.lever, i, 0), amount))
        couple = plus(couple, scaled(get3(links.lever, i, 3), amount))
    return force, couple, parent == i - 1 and i > begin


@inlined
def hand_over(push, i, handed):
    """To a link that is not the next."""
    set3(push, i, 0, plus(get3(push, i, 0), handed[0]))
    set3(push, i, 3, plus(get3(push, i, 3), handed[1]))


@inlined
def push_of(links, effort, force, couple, k):
    """What pushes freedom k, which is kept, and how far it gives way."""
    left = effort[k, 0] - (dot(get3(links.way, k, 0), force) + dot(get3(links.way, k, 3), couple))
    links.share[k, 1] = left
    return left * links.share[k, 0] + links.flow[k, KNOWN]


@inlined
def speed_link(mechanisms, links, gain, begin, i, going):
    """Accelerations of link i and its freedoms; `going` are those of the link before, returned are its own."""
    first, last, parent = mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1], mechanisms.parent[i]
    speeding, turning = going
    if parent < begin:
        speeding, turning = ZERO, ZERO
    elif parent != i - 1:
        speeding, turning = get3(links.acceleration, parent, 0), get3(links.acceleration, parent, 3)
    seen = dot(get3(links.lever, i, 0), speeding) + dot(get3(links.lever, i, 3), turning) if last > first else 0.0
    speeding = plus(speeding, cross(turning, get3(links.reach, i, 0)))
    for k in range(first, last):
        if k > first:
            seen = dot(get3(links.hold, k, 0), speeding) + dot(get3(links.hold, k, 3), turning)
        left = links.share[k, 1] - seen
        answer = links.share[k, 0] * left + links.flow[k, KNOWN]
        if links.flow[k, BESIDE] == math.inf:
            own = (dot(get3(links.way, k, 0), get3(links.hold, k, 0)) + dot(get3(links.way, k, 3), get3(links.hold, k, 3))
                   + mechanisms.armature[k])
            links.flow[k, REACTION] = own * answer - left
        gain[k, 0] = answer
        speeding = plus(speeding, scaled(get3(links.way, k, 0), answer))
        turning = plus(turning, scaled(get3(links.way, k, 3), answer))
    set3(links.acceleration, i, 0, speeding)
    set3(links.acceleration, i, 3, turning)
    return speeding, turning
