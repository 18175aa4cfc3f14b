"""Accelerations of the joints by the articulated-body recursion (Featherstone 1983), in axes of the world, about centres of
mass.

Seen from its joint, a link with all that hangs on it answers like one body, f = I_A a + p, with I_A of 6 × 6. A freedom with
way s takes its share away, with U = I_A s and D = s·U + what goes with its coordinate alone (see `flow`; ∞: it is held):

    I_A ← I_A − U Uᵀ/D        p ← p + U (e/D + α),    e = effort − s·p        q̈ = (e − U·a)/D + α

and what is left goes to the parent, moved by the reach r between the centres. Several freedoms of a link go one after the
other, as if links without mass stood between them. The work is linear in the number of links. One that is held has the known
acceleration α, for which it needs the effort U·a − e + (s·U + armature) α beside that given. Of stiff objects that hang on a
link it has the inertia and what its load lacks (`hung`).
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.matrices import (
    NOTHING,
    applied,
    applied_back,
    diagonal,
    get9,
    less,
    less_outer,
    set9,
    sum_of,
    transposed,
    turned_diagonal,
    turned_whole,
    with_cross,
)
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.columns import BESIDE, HANGS, HUNG_INERTIA, HUNG_LOAD, KNOWN, REACTION
from robotphi.kernels.step.rigids import SPIN, axes_of, get_orientation, row3

MASS, MIXED, MOMENT = 0, 9, 18   # columns of an articulated inertia


@inlined
def moved(mass, mixed, moment, r):
    """The inertia about the parent's centre, r behind: Xᵀ I X with X = [[1, −[r]], [0, 1]]."""
    shifted = less(mixed, with_cross(mass, r))
    back = with_cross(transposed(mixed), r)                      # Bᵀ [r]
    ahead = transposed(with_cross(transposed(shifted), r))       # −[r] B′: its columns are B′'s columns × r
    return mass, shifted, less(less(moment, back), ahead)


@inlined
def hangs(links, i):
    """Whether a stiff object hangs on link i."""
    return links.hung.shape[0] > 0 and links.hung[i, HANGS] == 1.0


@kernel
def add_hung(links, i):
    """The inertia of what hangs on link i beside its own."""
    axes = axes_of(get_orientation(links.pose, i))
    for block in (MASS, MIXED, MOMENT):
        own = turned_whole(axes, get9(links.hung, i, HUNG_INERTIA + block))
        set9(links.inertia, i, block, sum_of(get9(links.inertia, i, block), own))


@kernel
def felt_by(links, i, speed, spin):
    """That inertia times a motion of link i: force and couple."""
    axes, hung = axes_of(get_orientation(links.pose, i)), links.hung
    mass = turned_whole(axes, get9(hung, i, HUNG_INERTIA + MASS))
    mixed = turned_whole(axes, get9(hung, i, HUNG_INERTIA + MIXED))
    moment = turned_whole(axes, get9(hung, i, HUNG_INERTIA + MOMENT))
    return plus(applied(mass, speed), applied(mixed, spin)), plus(applied_back(mixed, speed), applied(moment, spin))


@kernel
def factor_links(mechanisms, rigids, links, begin, end):
    """Articulated inertias, from the ends inwards; what each freedom takes of them is kept."""
    inertia = links.inertia
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            set9(inertia, i, MASS, diagonal(rigids.mass[body]))
            set9(inertia, i, MIXED, NOTHING)
            set9(inertia, i, MOMENT, turned_diagonal(axes_of(get_orientation(links.pose, i)), row3(rigids.inertia, body)))
            if hangs(links, i):
                add_hung(links, i)
        else:
            set9(inertia, i, MASS, NOTHING)
            set9(inertia, i, MIXED, NOTHING)
            set9(inertia, i, MOMENT, NOTHING)
    for i in range(end - 1, begin - 1, -1):
        mass, mixed, moment = get9(inertia, i, MASS), get9(inertia, i, MIXED), get9(inertia, i, MOMENT)
        for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
            speed, spin = get3(links.way, k, 0), get3(links.way, k, 3)
            force = plus(applied(mass, speed), applied(mixed, spin))
            couple = plus(applied_back(mixed, speed), applied(moment, spin))
            share = 1.0 / (dot(speed, force) + dot(spin, couple) + links.flow[k, BESIDE])
            set3(links.hold, k, 0, force)
            set3(links.hold, k, 3, couple)
            links.share[k, 0] = share
            by_force, by_couple = scaled(force, share), scaled(couple, share)
            mass, mixed, moment = (less_outer(mass, by_force, force), less_outer(mixed, by_force, couple),
                                   less_outer(moment, by_couple, couple))
        set9(inertia, i, MASS, mass)
        set9(inertia, i, MIXED, mixed)
        set9(inertia, i, MOMENT, moment)
        parent = mechanisms.parent[i]
        if parent >= begin:
            mass, mixed, moment = moved(mass, mixed, moment, get3(links.reach, i, 0))
            set9(inertia, parent, MASS, sum_of(get9(inertia, parent, MASS), mass))
            set9(inertia, parent, MIXED, sum_of(get9(inertia, parent, MIXED), mixed))
            set9(inertia, parent, MOMENT, sum_of(get9(inertia, parent, MOMENT), moment))


@kernel
def load_links(mechanisms, rigids, links, load, begin, end):
    """What keeps each link in its motion beside its acceleration: ω × L less the load."""
    push = links.push
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body < 0:
            set3(push, i, 0, (0.0, 0.0, 0.0))
            set3(push, i, 3, (0.0, 0.0, 0.0))
            continue
        spin = get3(links.pose, i, SPIN)
        a, b, c = axes_of(get_orientation(links.pose, i))
        d = row3(rigids.inertia, body)
        momentum = plus(plus(scaled(a, d[0] * dot(a, spin)), scaled(b, d[1] * dot(b, spin))), scaled(c, d[2] * dot(c, spin)))
        set3(push, i, 0, scaled(get3(load, body, 0), -1.0))
        set3(push, i, 3, minus(cross(spin, momentum), get3(load, body, 3)))
        if hangs(links, i):
            for axis in range(6):
                push[i, axis] -= links.hung[i, HUNG_LOAD + axis]


@kernel
def solve_links(mechanisms, links, effort, gain, begin, end):
    """Accelerations `gain` of the freedoms of factored links by their loads, and an effort on each freedom."""
    push, swing, inertia = links.push, links.swing, links.inertia
    for i in range(end - 1, begin - 1, -1):
        force, couple = get3(push, i, 0), get3(push, i, 3)
        for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
            left = effort[k, 0] - dot(get3(links.way, k, 0), force) - dot(get3(links.way, k, 3), couple)
            links.share[k, 1] = left
            left = left * links.share[k, 0] + links.flow[k, KNOWN]
            force = plus(force, scaled(get3(links.hold, k, 0), left))
            couple = plus(couple, scaled(get3(links.hold, k, 3), left))
        parent = mechanisms.parent[i]
        if parent >= begin:
            brought, turning = get3(swing, i, 0), get3(swing, i, 3)
            mixed = get9(inertia, i, MIXED)
            force = plus(force, plus(applied(get9(inertia, i, MASS), brought), applied(mixed, turning)))
            couple = plus(couple, plus(applied_back(mixed, brought), applied(get9(inertia, i, MOMENT), turning)))
            couple = plus(couple, cross(get3(links.reach, i, 0), force))
            for axis in range(3):
                push[parent, axis] += force[axis]
                push[parent, 3 + axis] += couple[axis]
    for i in range(begin, end):
        parent = mechanisms.parent[i]
        speeding, turning = get3(swing, i, 0), get3(swing, i, 3)
        if parent >= begin:
            above = get3(links.acceleration, parent, 3)
            speeding = plus(speeding, plus(get3(links.acceleration, parent, 0), cross(above, get3(links.reach, i, 0))))
            turning = plus(turning, above)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            left = links.share[k, 1] - dot(get3(links.hold, k, 0), speeding) - dot(get3(links.hold, k, 3), turning)
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
