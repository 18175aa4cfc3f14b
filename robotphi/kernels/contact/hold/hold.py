"""Friction of a pair of parts as a whole (two rigids, balls), and of each vertex of a soft part that is in touch."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.hold.friction import carried, hold
from robotphi.kernels.contact.hold.mobility import critical_damping, pair_damping
from robotphi.kernels.contact.hold.on_facet import facet_mobility, facet_speed, push_facet
from robotphi.kernels.contact.sides import push, rigid_mobility, speed_at, spin_of_part
from robotphi.kernels.maths.vectors import across, add_to, dot, get3, minus, read, set3


@inlined
def turning(parts, a, b, rigid, n):
    """Spin about n that both surfaces share [rad/s]: the smaller one if both turn the same way, else none.

    A soft part turns with what it sticks to.
    """
    first = dot(spin_of_part(parts, a, rigid), n)
    second = dot(spin_of_part(parts, b, rigid), n)
    if parts.rigid[a] < 0 and parts.rigid[b] >= 0:
        return second
    if parts.rigid[b] < 0 and parts.rigid[a] >= 0 and math.isfinite(parts.size[b, c.MASS]):
        return first
    if first * second <= 0.0:
        return 0.0
    return first if math.fabs(first) < math.fabs(second) else second


@kernel
def stiffness_of(parts, law, row, a, b):
    """Tangential stiffness of a pair of parts [N/m]."""
    if law[row, c.TANGENTIAL] > 0.0:
        return law[row, c.TANGENTIAL]
    return law[row, c.STIFFNESS] * min(parts.size[a, c.REFERENCE_AREA], parts.size[b, c.REFERENCE_AREA])


@inlined
def pair_speed(parts, a, b, v, rigid, point, surface, n, gyration):
    """Sliding speed of the first surface at a point where the second has the velocity `surface`, and the twisting speed."""
    slide = across(minus(speed_at(parts, a, v, rigid, point), surface), n)
    twist = 0.0
    if gyration > 0.0:
        twist = gyration * dot(minus(spin_of_part(parts, a, rigid), spin_of_part(parts, b, rigid)), n)
    return slide[0], slide[1], slide[2], twist


@kernel
def rub_pair(now, k, row, n, point, surface, gyration, normal, reach):
    """Friction of pair k as a whole at one point, with a twisting moment where the pressure has an extent.

    `surface` is the velocity of the second part at the point. A soft second part gets its force from the caller; `reach` as for
    `pair_damping`.
    """
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    pairs, numbers, load, totals = touch.pairs, touch.numbers, touch.load, touch.totals
    v, force, rigid, dt = now.v, now.force, now.rigid, now.dt
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    set3(numbers, k, c.POINT, point)
    numbers[k, c.GYRATION] = gyration
    y = get3(numbers, k, c.ANCHOR)
    idle = y[0] == 0.0 and y[1] == 0.0 and y[2] == 0.0 and numbers[k, c.ANCHOR + 3] == 0.0
    if law[row, c.STATIC_FRICTION] == 0.0 or (idle and not normal > 0.0):
        for i in range(4):
            numbers[k, c.TRIAL + i] = 0.0
            numbers[k, c.RUB_FORCE + i] = 0.0
        pairs[k, c.TRIAL_STICKS] = 1
        return
    if pairs[k, c.TOUCHING] == 0:
        dt = 0.0  # the spring is anchored where they first touch
        set3(numbers, k, c.NORMAL_X, n)
    stiffness = stiffness_of(parts, law, row, a, b)
    damping = pair_damping(now.arrays, numbers, k, rigid, a, b, point, n, gyration, stiffness, touch.sums[k, c.PAIR_AREA],
                           reach)
    numbers[k, c.RUB_DAMPING] = damping
    y = carried(y, get3(numbers, k, c.NORMAL_X), n, dt * turning(parts, a, b, rigid, n))
    speed = pair_speed(parts, a, b, v, rigid, point, surface, n, gyration)
    before = get3(numbers, k, c.SLIDE)
    end, f, sticks, lost, rate = hold((y[0], y[1], y[2], numbers[k, c.ANCHOR + 3]),
                                      (before[0], before[1], before[2], numbers[k, c.SLIDE + 3]), speed, dt,
                                      stiffness, damping, normal, law[row, c.STATIC_FRICTION], law[row, c.KINETIC_FRICTION],
                                      pairs[k, c.STICKS])
    for i in range(4):
        numbers[k, c.TRIAL + i] = end[i]
        numbers[k, c.RUB_FORCE + i] = f[i]
    pairs[k, c.TRIAL_STICKS] = sticks
    pull = (f[0], f[1], f[2])
    push(parts, a, force, load, rigid, point, pull, 1.0)
    push(parts, b, force, load, rigid, point, pull, -1.0)
    if gyration > 0.0:
        for part, sign in ((a, 1.0), (b, -1.0)):
            if parts.rigid[part] >= 0:
                for axis in range(3):
                    load[parts.rigid[part], 3 + axis] += sign * gyration * f[3] * n[axis]
    totals[c.TOTAL_STRETCH] += 0.5 * stiffness * (end[0] * end[0] + end[1] * end[1] + end[2] * end[2] + end[3] * end[3])
    totals[c.TOTAL_SLIP] += lost
    totals[c.TOTAL_RATE] += rate


@kernel
def find_slot(node, place, other):
    """Where vertex `place` keeps its friction on part `other`: its slot, or −1."""
    for s in range(c.SLOTS):
        if node[place, s] == other + 1:
            return s
    return -1


@kernel
def take_slot(node, place, other):
    """The slot of vertex `place` for part `other`, a free one if there is none yet; −1 where all are taken."""
    s = find_slot(node, place, other)
    if s >= 0:
        return s
    for s in range(c.SLOTS):
        if node[place, s] == 0:
            node[place, s] = other + 1
            return s
    return -1


@kernel
def hold_vertex(now, row, other, place, mobility, speed, n, normal, turn, facet):
    """Friction of one vertex of a soft part on another part, given their relative speed; returns the force on the vertex.

    `mobility`: how easily both give way there [1/kg].
    """
    parts, law, node = now.arrays.contact.parts, now.arrays.contact.law, now.touch.node
    s = take_slot(node, place, other) if normal > 0.0 else find_slot(node, place, other)
    if s < 0:
        return 0.0, 0.0, 0.0
    stiffness = law[row, c.TANGENTIAL]
    if not stiffness > 0.0:
        stiffness = law[row, c.STIFFNESS] * min(parts.vertex_area[place], parts.size[other, c.REFERENCE_AREA])
    return hold_slot(now, row, place, s, stiffness, critical_damping(stiffness, mobility), speed, n, normal, turn, facet)


@kernel
def hold_slot(now, row, place, s, stiffness, damping, speed, n, normal, turn, facet):
    """One step of the anchored spring in slot s of a vertex; returns the force on it."""
    law, slots, totals, dt = now.arrays.contact.law, now.touch.slots, now.touch.totals, now.dt
    at = s * c.SLOT_NUMBERS
    fresh = slots[place, at + c.SLOT_USED] == 0.0
    before = n if fresh else get3(slots, place, at + c.SLOT_NORMAL)
    y = carried(get3(slots, place, at + c.SLOT_ANCHOR), before, n, dt * turn)
    slide = speed if fresh else get3(slots, place, at + c.SLOT_SLIDE)
    end, f, sticks, lost, rate = hold((y[0], y[1], y[2], 0.0), (slide[0], slide[1], slide[2], 0.0),
                                      (speed[0], speed[1], speed[2], 0.0), 0.0 if fresh else dt, stiffness, damping, normal,
                                      law[row, c.STATIC_FRICTION], law[row, c.KINETIC_FRICTION],
                                      1 if fresh else int(slots[place, at + c.SLOT_STICKS]))
    for i in range(3):
        slots[place, at + c.SLOT_TRIAL + i] = end[i]
        slots[place, at + c.SLOT_FRICTION + i] = f[i]
        slots[place, at + c.SLOT_TRIAL_NORMAL + i] = n[i]
    slots[place, at + c.SLOT_TRIAL_STICKS] = sticks
    slots[place, at + c.SLOT_FORCE] = normal
    slots[place, at + c.SLOT_FACET] = facet
    totals[c.TOTAL_STRETCH] += 0.5 * stiffness * (end[0] * end[0] + end[1] * end[1] + end[2] * end[2])
    totals[c.TOTAL_SLIP] += lost
    totals[c.TOTAL_RATE] += rate
    return f[0], f[1], f[2]


@kernel
def rub_vertices(now, k, row, n):
    """Friction of the vertices of the soft part of pair k (the first part, where both are soft)."""
    arrays, touch, x, v, force, rigid = now.arrays, now.touch, now.x, now.v, now.force, now.rigid
    parts, law, particles = arrays.contact.parts, arrays.contact.law, arrays.particles
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    if law[row, c.STATIC_FRICTION] == 0.0:
        return
    soft, other = (a, b) if parts.rigid[a] < 0 else (b, a)
    turn = turning(parts, a, b, rigid, n)
    hard = parts.rigid[other] >= 0 or parts.vertex_start[other] == parts.vertex_start[other + 1]
    for place in range(parts.vertex_start[soft], parts.vertex_start[soft + 1]):
        normal = touch.share[place]
        if not normal > 0.0 and find_slot(touch.node, place, other) < 0:
            continue
        vertex = parts.vertex[place]
        point = read(x, vertex)
        facet = touch.below[place] if not hard else -1
        if hard:
            surface = speed_at(parts, other, v, rigid, point)
        elif facet >= 0:
            surface = facet_speed(x, v, parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2], point)
        else:
            surface, normal = read(v, vertex), 0.0
        mobility = particles.inverse_mass[vertex] + 1.0 / parts.size[other, c.MASS]
        if facet >= 0 and not hard:
            mobility += facet_mobility(particles, x, parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2], point)
        elif parts.rigid[other] >= 0:  # far beside the centre of a rigid that is much, and many vertices rub on it
            mobility += rigid_mobility(arrays.rigids, rigid, parts.rigid[other], point, 0.0)
        f = hold_vertex(now, row, other, place, mobility, across(minus(read(v, vertex), surface), n), n, normal, turn, facet)
        if not hard and facet < 0:
            continue  # nothing is below it any more that could take the reaction; the next step lets it go
        if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0:
            continue
        add_to(force, vertex, f, 1.0)
        if hard:
            push(parts, other, force, touch.load, rigid, point, f, -1.0)
        elif facet >= 0:
            push_facet(x, force, parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2], point, f, -1.0)
