"""The two sides of a contact: how fast the material of a part moves at a point, how a force there gets to it, and how long a
step that allows.

A part on a rigid takes a force at a point as force and moment; a free particle takes it as it is; what is fixed takes nothing.

Contact forces of one instant are bounded by what they are now; `bounds` has what that makes of the step.
"""
import math
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.kinds import BALL_SOFT, SPHERE
from robotphi.kernels.maths.vectors import add_to, cross, dot, get3, minus, plus, read
from robotphi.kernels.step.bodies import DAMP_LIMIT, STIFF_LIMIT
from robotphi.kernels.step.relief import relieved
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY

LEAST_LEFT = 0.1   # of the springs of a pair beside its dampers


class ContactInstant(NamedTuple):
    """What the contact forces of one instant read and write."""
    arrays: Any             # of the model
    touch: Any              # what contact writes
    x: np.ndarray           # (rows, 4) m
    v: np.ndarray           # (rows, 4) m/s
    force: np.ndarray       # (rows, 4) N
    rigid: np.ndarray       # (r, 16)
    dt: float               # s since the last accepted step


@inlined
def rigid_speed(rigid, i, point):
    """V + ω × (p − X)"""
    return plus(get3(rigid, i, VELOCITY), cross(get3(rigid, i, SPIN), minus(point, get3(rigid, i, CENTRE))))


@kernel
def speed_at(parts, part, v, rigid, point):
    """Velocity of the material of a part at a point: on a rigid, a free ball, or fixed."""
    i = parts.rigid[part]
    if i >= 0:
        return rigid_speed(rigid, i, point)
    if parts.kind[part] == SPHERE:
        return read(v, parts.vertex[parts.vertex_start[part]])
    return 0.0, 0.0, 0.0


@inlined
def spin_of_part(parts, part, rigid):
    i = parts.rigid[part]
    return get3(rigid, i, SPIN) if i >= 0 else (0.0, 0.0, 0.0)


@inlined
def load_rigid(load, rigid, i, point, f, sign):
    """Add sign × f at a point to the load that contact puts on a rigid: force, and moment about its centre."""
    moment = cross(minus(point, get3(rigid, i, CENTRE)), f)
    for axis in range(3):
        load[i, axis] += sign * f[axis]
        load[i, 3 + axis] += sign * moment[axis]


@kernel
def push(parts, part, force, load, rigid, point, f, sign):
    """Add the force sign × f at a point to a part on a rigid or to a free ball."""
    i = parts.rigid[part]
    if i >= 0:
        load_rigid(load, rigid, i, point, f, sign)
    elif parts.kind[part] == SPHERE:
        add_to(force, parts.vertex[parts.vertex_start[part]], f, sign)


@kernel
def load_wrench(load, rigid, i, origin, f, moment, sign):
    """Add a force at `origin` and a moment about it to the load of a rigid."""
    load_rigid(load, rigid, i, origin, f, sign)
    for axis in range(3):
        load[i, 3 + axis] += sign * moment[axis]


@inlined
def effective_mass(first, second):
    """1/(1/m₁ + 1/m₂), infinite masses for what is fixed."""
    return 1.0 / (1.0 / first + 1.0 / second)


@kernel
def clear_shares(parts, part, touch):
    """No vertex of a soft part has a share of this pair's force yet."""
    if parts.rigid[part] < 0:
        for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
            touch.share[place] = 0.0
            touch.below[place] = -1


@inlined
def lossy_now(numbers, k):
    """Damping [s/m] and the share of it that is left, as the last accepted step found them."""
    return numbers[k, c.LOSSY], 1.0 - numbers[k, c.TAKEN]


# What the step is allowed to be -----------------------------------------------------------------------------------------

@kernel
def rigid_mobility(rigids, rigid, i, point, spread):
    """1/M + (r² + spread)/I of rigid i for a force at a point [1/kg]."""
    w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2]))
    if rigids.rotation[i] == 2:
        return w
    inverse = max(rigids.inverse_inertia[i, 0], max(rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2]))
    arm = minus(point, get3(rigid, i, CENTRE))
    return w + (dot(arm, arm) + spread) * inverse


@inlined
def object_in(arrays, touch, k):
    """The stiff object that the ball of pair k touches, or −1."""
    if len(arrays.stiff.way) == 0 or touch.pairs[k, c.CASE] != BALL_SOFT:
        return -1
    parts, b = arrays.contact.parts, touch.pairs[k, c.SECOND]
    return arrays.stiff.object[parts.vertex[parts.vertex_start[b]]]


@kernel
def largest_local(stiff, o):
    """The largest mobility of a particle of object o [1/kg]."""
    most = 0.0
    for k in range(stiff.start[o], stiff.free_end[o]):
        most = max(most, stiff.local[k])
    return most


@kernel
def ask_pair(now, k, point, gyration, stiffness, damping, side, side_damping, row_press, row_side):
    """Keep what pair k asks of the step, N/m and N·s/m of pressure and friction, for the next time that it is entered into the
    bounds (`bounds`), and see by how much it is more than when that was done last.

    `row_press`, `row_side`: N·s/m of those dampers that are rows. A pair that has not been entered yet counts without what they
    take off its springs, and with the mobility of both its sides, whatever the direction; of a stiff object,
    which a ball pushes by weights that add up to one, with the largest of any particle.
    """
    arrays, numbers, totals = now.arrays, now.touch.numbers, now.touch.totals
    parts, particles = arrays.contact.parts, arrays.particles
    numbers[k, c.PRESS_DAMPING], numbers[k, c.SIDE], numbers[k, c.SIDE_DAMPING] = damping, side, side_damping
    numbers[k, c.ROW_PRESS], numbers[k, c.ROW_SIDE] = row_press, row_side
    most, most_damping = max(stiffness, side), damping + side_damping
    totals[c.TOTAL_STIFFEST] = max(totals[c.TOTAL_STIFFEST], most)
    mobility = 0.0
    if numbers[k, c.ENTERED_STIFF] == 0.0 or (most_damping > 0.0 and numbers[k, c.ENTERED_DAMP] == 0.0):
        for side_of in (c.FIRST, c.SECOND):
            part = now.touch.pairs[k, side_of]
            if parts.rigid[part] >= 0:
                mobility += rigid_mobility(arrays.rigids, now.rigid, parts.rigid[part], point, gyration * gyration)
            elif parts.kind[part] == SPHERE:
                mobility += particles.inverse_mass[parts.vertex[parts.vertex_start[part]]]
        o = object_in(arrays, now.touch, k)
        if o >= 0:
            mobility += largest_local(arrays.stiff, o)
    if numbers[k, c.ENTERED_STIFF] > 0.0 and numbers[k, c.ENTERED_RELIEF] > 0.0:
        press, along = relieved_pair(numbers, k, stiffness, side, numbers[k, c.ENTERED_RELIEF])
        most = numbers[k, c.ENTERED_STIFF] * max(grown(press, numbers[k, c.ENTERED_PRESS], numbers[k, c.ENTERED_STIFF]),
                                                 grown(along, numbers[k, c.ENTERED_SIDE], numbers[k, c.ENTERED_STIFF]))
    compare(totals, most, numbers[k, c.ENTERED_STIFF], numbers[k, c.ASKED_STIFF], mobility,
            c.TOTAL_GROWTH, c.TOTAL_MORE, c.TOTAL_NEW, c.TOTAL_ASKED)
    compare(totals, most_damping, numbers[k, c.ENTERED_DAMP], numbers[k, c.ASKED_DAMP], mobility,
            c.TOTAL_DAMP_GROWTH, c.TOTAL_DAMP_MORE, c.TOTAL_DAMP_NEW, c.TOTAL_DAMP_ASKED)


@kernel
def relieved_pair(numbers, k, press, side, relief):
    """What the springs of pair k along and across n are beside the dampers that are rows; of the pressure of a surface the part
    that moving its rim makes has other gradients. A tenth is left at least, so that growth means something."""
    own = max(press - numbers[k, c.RIM], 0.0)
    return (press - own + max(relieved(own, numbers[k, c.ROW_PRESS], relief), LEAST_LEFT * own),
            max(relieved(side, numbers[k, c.ROW_SIDE], relief), LEAST_LEFT * side))


@inlined
def grown(now, entered, whole):
    return now / (entered if entered > 0.0 else whole)


@inlined
def compare(totals, most, entered, asked, mobility, of_growth, of_more, of_new, of_asked):
    """What a spring or damper of a pair is now beside what it was when it was entered and then asked for, into some columns."""
    if entered == 0.0:
        totals[of_new] += most * mobility
    elif asked > 0.0:
        growth = most / entered
        totals[of_growth] = max(totals[of_growth], growth)
        totals[of_more] += max(growth - 1.0, 0.0) * asked
        totals[of_asked] = max(totals[of_asked], growth * asked)


@kernel
def ask_vertices(now, k, row, part, other, rubs):
    """Let the vertices of a soft part count that have a share of the force of pair k: λ × the area around, and friction.

    The part of the pair's springs that falls to them is that of `bounds`, a half as long as it is not known; it follows from
    the most that any of them asks, of a stiff object from what all ask, see `weigh_vertices`. Returns what friction comes to
    in all, N/m and N·s/m.
    """
    parts, law, particles, touch = now.arrays.contact.parts, now.arrays.contact.law, now.arrays.particles, now.touch
    numbers, totals, share = touch.numbers, touch.totals, touch.share
    unknown = 2.0 if math.isfinite(parts.size[other, c.MASS]) else 1.0
    ease = numbers[k, c.EASE_STIFF] if numbers[k, c.EASE_STIFF] > 0.0 else unknown
    ease_damping = numbers[k, c.EASE_DAMP] if numbers[k, c.EASE_DAMP] > 0.0 else unknown
    stiffness, damping, sum_side, sum_damping = law[row, c.STIFFNESS], numbers[k, c.LOSSY], 0.0, 0.0
    for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        if share[place] > 0.0:
            vertex = parts.vertex[place]
            w, own, side_damping = particles.inverse_mass[vertex], stiffness * parts.vertex_area[place], 0.0
            if rubs and w > 0.0:
                side = law[row, c.TANGENTIAL] if law[row, c.TANGENTIAL] > 0.0 else own
                side_damping = 2.0 * math.sqrt(side / w)
                own = max(own, side)
                sum_side += side
                sum_damping += side_damping
            square, rate = own * w, max(damping * share[place], side_damping) * w   # along n, and across it
            touch.hard[place, 0] += ease * square
            shared = share_of_vertex(now.arrays, touch, vertex)
            add_asked(numbers, k, c.SOFT_STIFF, square, shared)
            if touch.pairs[k, c.HAS_ROWS] == 0:   # dampers that are rows bound no step
                touch.hard[place, 1] += ease_damping * rate
                add_asked(numbers, k, c.SOFT_DAMP, rate, shared)
            totals[c.TOTAL_STIFFEST] = max(totals[c.TOTAL_STIFFEST], own)
    return sum_side, sum_damping


@inlined
def share_of_vertex(arrays, touch, vertex):
    """How much of what asks of a vertex by itself a stiff object leaves, whose inertia it shares; 0 of others."""
    stiff = arrays.stiff
    if len(stiff.way) > 0 and stiff.object[vertex] >= 0:
        return arrays.particles.mass[vertex] * touch.local[stiff.place[vertex]]
    return 0.0


@inlined
def add_asked(numbers, k, column, asked, shared):
    """Of a stiff object all vertices together, of others the most that one asks."""
    if shared > 0.0:
        numbers[k, column] += shared * asked
    else:
        numbers[k, column] = max(numbers[k, column], asked)


@kernel
def is_soft(parts, part):
    """Whether a part stands on several free particles."""
    return parts.rigid[part] < 0 and parts.vertex_start[part + 1] - parts.vertex_start[part] > 1


@kernel
def weigh_vertices(arrays, touch):
    """The bounds of vertices of soft parts, by their own springs and by what touches them.

    Vertices of a stiff object share its inertia: what touches them, k_i ≤ m_i `hard`, asks no more of it as a whole than
    Σ k_i a_i with the local mobilities a_i, the trace.
    """
    parts, totals, stiff = arrays.contact.parts, touch.totals, arrays.stiff
    totals[c.TOTAL_SQUARE], totals[c.TOTAL_DAMPING] = 0.0, 0.0
    for o in range(len(stiff.way)):
        touch.stiff[o, 2], touch.stiff[o, 3] = 0.0, 0.0
    for place in range(len(touch.hard)):
        if touch.hard[place, 0] > 0.0:
            row = parts.vertex[place]
            if len(stiff.way) > 0 and stiff.object[row] >= 0:
                o, share = stiff.object[row], share_of_vertex(arrays, touch, row)
                touch.stiff[o, 2] += share * touch.hard[place, 0]
                touch.stiff[o, 3] += share * touch.hard[place, 1]
                continue
            totals[c.TOTAL_SQUARE] = max(totals[c.TOTAL_SQUARE], touch.particle_block[row, STIFF_LIMIT] + touch.hard[place, 0])
            totals[c.TOTAL_DAMPING] = max(totals[c.TOTAL_DAMPING], touch.particle_block[row, DAMP_LIMIT] + touch.hard[place, 1])
    for o in range(len(stiff.way)):
        if touch.stiff[o, 2] > 0.0:
            by_balls = touch.stiff[o, c.BY_BALLS] + touch.stiff[o, c.BALLS_ALL] * max(totals[c.TOTAL_GROWTH] - 1.0, 0.0)
            totals[c.TOTAL_SQUARE] = max(totals[c.TOTAL_SQUARE], touch.stiff[o, 0] + touch.stiff[o, 2] + by_balls)
            own = 0.0 if touch.row_counts[c.ROWS_KEPT] == 1 else touch.stiff[o, 1]   # what goes apart bounds no step
            by_balls = touch.stiff[o, 5] * max(totals[c.TOTAL_DAMP_GROWTH], 1.0)
            totals[c.TOTAL_DAMPING] = max(totals[c.TOTAL_DAMPING], own + touch.stiff[o, 3] + by_balls)
