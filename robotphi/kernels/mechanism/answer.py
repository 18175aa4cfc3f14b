"""How the links answer to closures: accelerations of all links, and of their freedoms, by wrenches on some of them.

It is the recursion of `articulated` without loads and velocities, on a copy of what it laid down: the factor of one instant is
asked while the links already stand where the next one is looked for.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, plus, scaled, set3
from robotphi.kernels.mechanism.kinds import RELATED
from robotphi.kernels.step.rigids import get_orientation, rotate_back, row3

ZERO = (0.0, 0.0, 0.0)


@inlined
def sum_terms(mechanisms, closures, values, i):
    """Σ factor × value of the relation of row i [m]."""
    total, relation = 0.0, closures.relation[i]
    for t in range(mechanisms.term_start[relation], mechanisms.term_start[relation + 1]):
        total += mechanisms.factor[t] * values[mechanisms.term[t], 0]
    return closures.size[i] * total


@inlined
def add_terms(mechanisms, closures, efforts, i, amount):
    """What so many newtons of the relation of row i do along the freedoms."""
    relation = closures.relation[i]
    for t in range(mechanisms.term_start[relation], mechanisms.term_start[relation + 1]):
        efforts[mechanisms.term[t], 0] += closures.size[i] * mechanisms.factor[t] * amount


@kernel
def keep_factor(mechanisms, links, bound, begin, end):
    """Copy what the links laid down."""
    for i in range(begin, end):
        set3(bound.reach, i, 0, get3(links.reach, i, 0))
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        for column in range(6):
            bound.way[k, column] = links.way[k, column]
            bound.hold[k, column] = links.hold[k, column]
        bound.share[k, 0] = links.share[k, 0]


@kernel
def ask_nothing(mechanisms, bound, begin, end):
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        bound.effort[k, 0] = 0.0
    for i in range(begin, end):
        set3(bound.push, i, 0, ZERO)
        set3(bound.push, i, 3, ZERO)


@inlined
def ask_of(mechanisms, closures, bound, i, amount):
    """Add the wrenches of row i, so many newtons of it, to what is asked of the links."""
    if closures.kind[i] == RELATED:
        add_terms(mechanisms, closures, bound.effort, i, amount)
        return
    for side in range(2):
        link = closures.other[i] if side == 0 else closures.one[i]
        if link >= 0:
            for axis in range(6):
                bound.push[link, axis] -= amount * bound.wrench[i, 6 * side + axis]


@inlined
def answered(mechanisms, closures, bound, i):
    """What row i sees of the answer [m/s²]."""
    if closures.kind[i] == RELATED:
        return sum_terms(mechanisms, closures, bound.gain, i)
    total = 0.0
    for side in range(2):
        link = closures.other[i] if side == 0 else closures.one[i]
        if link >= 0:
            for axis in range(6):
                total += bound.wrench[i, 6 * side + axis] * bound.move[link, axis]
    return total


@kernel
def answer_free(mechanisms, closures, rigids, links, bound, i):
    """W·M⁻¹W of the two rigids of row i, each by itself: more than any answer through joints. Relations have none."""
    total = 0.0
    if closures.kind[i] == RELATED:
        return total
    for side in range(2):
        link = closures.other[i] if side == 0 else closures.one[i]
        if link >= 0 and mechanisms.rigid[link] >= 0:
            body, force = mechanisms.rigid[link], get3(bound.wrench, i, 6 * side)
            couple = rotate_back(get_orientation(links.pose, link), get3(bound.wrench, i, 6 * side + 3))
            moments = row3(rigids.inertia, body)
            total += dot(force, force) / rigids.mass[body]
            for axis in range(3):
                total += couple[axis] * couple[axis] / moments[axis]
    return total


@kernel
def answer_links(mechanisms, bound, begin, end):
    """What the links do, and the freedoms, by what is asked; `share` then has the efforts that hold what does not give way."""
    push = bound.push
    for i in range(end - 1, begin - 1, -1):
        first, last = mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]
        force, couple = get3(push, i, 0), get3(push, i, 3)
        asked = dot(force, force) + dot(couple, couple)
        for k in range(first, last):
            asked += abs(bound.effort[k, 0])
        if asked == 0.0:
            for k in range(first, last):
                bound.share[k, 1] = 0.0
            continue
        for k in range(last - 1, first - 1, -1):
            left = bound.effort[k, 0] - dot(get3(bound.way, k, 0), force) - dot(get3(bound.way, k, 3), couple)
            bound.share[k, 1] = left
            left *= bound.share[k, 0]
            force = plus(force, scaled(get3(bound.hold, k, 0), left))
            couple = plus(couple, scaled(get3(bound.hold, k, 3), left))
        parent = mechanisms.parent[i]
        if parent >= begin:
            couple = plus(couple, cross(get3(bound.reach, i, 0), force))
            for axis in range(3):
                push[parent, axis] += force[axis]
                push[parent, 3 + axis] += couple[axis]
    for i in range(begin, end):
        parent = mechanisms.parent[i]
        speeding, turning = ZERO, ZERO
        if parent >= begin:
            turning = get3(bound.move, parent, 3)
            speeding = plus(get3(bound.move, parent, 0), cross(turning, get3(bound.reach, i, 0)))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            left = bound.share[k, 1] - dot(get3(bound.hold, k, 0), speeding) - dot(get3(bound.hold, k, 3), turning)
            gain = bound.share[k, 0] * left
            bound.gain[k, 0] = gain
            if bound.share[k, 0] == 0.0:
                bound.share[k, 1] = -left
            speeding = plus(speeding, scaled(get3(bound.way, k, 0), gain))
            turning = plus(turning, scaled(get3(bound.way, k, 3), gain))
        set3(bound.move, i, 0, speeding)
        set3(bound.move, i, 3, turning)
