"""Friction of a round thing on a height field: each face, edge or corner on which it stands holds it by a spring of its own.

In a valley a ball or a cylinder stands on several places at once. Each presses with its own force N along its own n and rubs
across it, so that μ Σ N holds in all. One spring for their sum would hold μ |Σ N| only, μ √2 N where two walls at a right
angle give μ 2 N, and its plane would turn with that sum from wall to wall within a step, though nothing of the ground turns.

The springs are kept in the slots of the first vertex of its part, those of one field under it. What is the same place from step
to step is known by its n, which hardly turns while a place goes on: over a ridge it turns as the ball does; where one wall of
a valley takes over from another, the old place is left and a new one begins.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.hold.hold import hold_slot, stiffness_of
from robotphi.kernels.contact.hold.mobility import critical_damping, give_of_part
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.contact.sides import push, speed_at
from robotphi.kernels.maths.vectors import across, dot, get3, minus, read, scaled, set3

SAME_PLACE = 0.9     # n·n′ of a place at one step and the next: walls that differ by less than 26° share a spring


@kernel
def is_held(touch, place, s, other):
    """Whether slot s of a ball has a spring on part `other`."""
    return touch.node[place, s] == other + 1 and touch.slots[place, s * c.SLOT_NUMBERS + c.SLOT_USED] > 0.0


@kernel
def forget_trials(touch, place, other):
    """Slots that a refused attempt began are free."""
    for s in range(c.SLOTS):
        if touch.node[place, s] == other + 1 and not is_held(touch, place, s, other):
            touch.node[place, s] = 0
            touch.slots[place, s * c.SLOT_NUMBERS + c.SLOT_FORCE] = 0.0


@kernel
def best_match(touch, place, other, rows, column, count, seen, taken):
    """The row not yet seen and the slot not yet taken whose n are nearest to each other; −1 where none are near enough."""
    row, slot, best = -1, -1, SAME_PLACE
    for s in range(c.SLOTS):
        if taken & (1 << s) or not is_held(touch, place, s, other):
            continue
        n = get3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_NORMAL)
        for i in range(count):
            if not seen & (1 << i):
                near = dot(n, get3(rows, i, column))
                if near > best:
                    row, slot, best = i, s, near
    return row, slot


@kernel
def free_slot(touch, place, other):
    for s in range(c.SLOTS):
        if touch.node[place, s] == 0:
            touch.node[place, s] = other + 1
            return s
    return -1


@inlined
def rubs_at(rows, i, normals, points, centre, radius):
    """Where a place rubs: on a ball midway between its surface and that of the ground."""
    if radius < 0.0:
        return get3(rows, i, points)
    n = get3(rows, i, normals)
    arm = 0.5 * (radius + dot(n, minus(centre, get3(rows, i, points)))) if radius > 0.0 else 0.0
    return minus(centre, scaled(n, arm))


@kernel
def rub_place(now, k, row, s, n, normal, point):
    """Friction of one place on the first part of pair k, in slot s, at a point; adds it to the pair."""
    parts, touch = now.arrays.contact.parts, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    place = parts.vertex_start[a]
    set3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_POINT, point)
    stiffness = stiffness_of(parts, now.arrays.contact.law, row, a, b)
    damping = critical_damping(stiffness, give_of_part(now.arrays, now.rigid, a, point, n, 0.0))
    speed = across(speed_at(parts, a, now.v, now.rigid, point), n)
    f = hold_slot(now, row, place, s, stiffness, damping, speed, n, normal, 0.0, -1)
    push(parts, a, now.force, touch.load, now.rigid, point, f, 1.0)
    touch.numbers[k, c.RUB_DAMPING] += damping


@kernel
def rub_places(now, k, row, rows, normals, points, forces, count):
    """Friction of the round part of pair k at each of `count` places of the field, given in rows; fields are at rest.

    `normals`, `points`, `forces`: columns of n, of the point of the field, for a ball, else where it rubs, and of the force
    along n.
    """
    parts, touch = now.arrays.contact.parts, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.numbers[k, c.RUB_DAMPING] = 0.0
    touch.pairs[k, c.TRIAL_STICKS] = 1   # as far as the pair itself goes; the places say what they do
    if now.arrays.contact.law[row, c.STATIC_FRICTION] == 0.0:
        return
    place, seen, taken = parts.vertex_start[a], 0, 0
    centre = read(now.x, parts.vertex[place])
    reach = parts.size[a, c.RADIUS] if parts.rigid[a] >= 0 else 0.0   # a particle takes no moment: it rubs where it is
    if parts.kind[a] != SPHERE:
        reach = -1.0
    forget_trials(touch, place, b)
    for _ in range(count):
        i, s = best_match(touch, place, b, rows, normals, count, seen, taken)
        if i < 0:
            break
        seen, taken = seen | (1 << i), taken | (1 << s)
        rub_place(now, k, row, s, get3(rows, i, normals), rows[i, forces], rubs_at(rows, i, normals, points, centre, reach))
    for s in range(c.SLOTS):
        if is_held(touch, place, s, b) and not taken & (1 << s):  # the ball has left this place: nothing holds there any more
            n = get3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_NORMAL)
            left = get3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_POINT)
            rub_place(now, k, row, s, n, 0.0, minus(centre, scaled(n, reach)) if reach >= 0.0 else left)
    for i in range(count):
        if not seen & (1 << i) and rows[i, forces] > 0.0:
            s = free_slot(touch, place, b)
            if s >= 0:
                rub_place(now, k, row, s, get3(rows, i, normals), rows[i, forces],
                          rubs_at(rows, i, normals, points, centre, reach))


@kernel
def set_place_slides(parts, touch, a, b, v, rigid):
    """Sliding speeds of a round part at the places that hold it on part b, at the velocities of the accepted step."""
    place = parts.vertex_start[a]
    for s in range(c.SLOTS):
        if is_held(touch, place, s, b):
            first = s * c.SLOT_NUMBERS
            n = get3(touch.slots, place, first + c.SLOT_NORMAL)
            point = get3(touch.slots, place, first + c.SLOT_POINT)
            set3(touch.slots, place, first + c.SLOT_SLIDE, across(speed_at(parts, a, v, rigid, point), n))
