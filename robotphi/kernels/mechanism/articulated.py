"""Accelerations of the joints by the articulated-body recursion (Featherstone 1983), in axes of the world, about centres of
mass.

Seen from its joint, a link with all that hangs on it answers like one body, f = I_A a + p, with I_A of 6 × 6. A freedom with
way s takes its share away, with U = I_A s and D = s·U + what goes with its coordinate alone (see `flow`; ∞: it is held):

    I_A ← I_A − U Uᵀ/D        p ← p + U (e/D + α),    e = effort − s·p        q̈ = (e − U·a)/D + α

and what is left goes to the parent, moved by the reach r between the centres; the share of the last of them is taken behind
the move, U moved as well (`lever`), so that the one need not wait for the other. Several freedoms of a link go one after
the other, as if links without mass stood between them. The work is linear in the number of links. One that is held has the
known acceleration α, for which it needs the effort U·a − e + (s·U + armature) α beside that given. Of stiff objects that hang
on a link it has the inertia and what its load lacks (`hung`).

Accelerations a are those by the coordinates alone. What the velocities and a driven base bring along, ā, is known before
(`poses.move_links`): what that asks of a rigid, I ā, is part of what keeps it in its motion, so that no solution needs I_A.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.matrices import (
    NOTHING,
    applied,
    applied_back,
    get6,
    get9,
    less_outer,
    of_symmetric,
    set6,
    set9,
    sum_of,
    sum_of_symmetric,
    symmetric_less,
    transposed,
    turned_whole,
    with_cross,
)
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.columns import BESIDE, HANGS, HUNG_INERTIA, HUNG_LOAD, KNOWN, REACTION
from robotphi.kernels.mechanism.poses import axes_of_link
from robotphi.kernels.step.rigids import SPIN, row3

MASS, MIXED, MOMENT, SHARED = 0, 6, 15, 21   # columns of an articulated inertia; whether others than the next link add to it
EMPTY = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)


@inlined
def moved(mass, mixed, moment, r):
    """The inertia about the parent's centre, r behind: Xᵀ I X with X = [[1, −[r]], [0, 1]]."""
    m0, m1, m2 = with_cross(((mass[0], mass[1], mass[2]), (mass[1], mass[3], mass[4]), (mass[2], mass[4], mass[5])), r)
    b0, b1, b2 = transposed(mixed)
    shifted = minus(mixed[0], m0), minus(mixed[1], m1), minus(mixed[2], m2)   # B′ = B − M [r]
    c0, c1, c2 = transposed(shifted)
    back0, back1, back2 = cross(b0, r), cross(b1, r), cross(b2, r)            # Bᵀ [r], row by row
    on0, on1, on2 = cross(r, c0), cross(r, c1), cross(r, c2)                  # [r] B′, column by column
    return mass, shifted, (moment[0] - back0[0] + on0[0], moment[1] - back0[1] + on1[0], moment[2] - back0[2] + on2[0],
                           moment[3] - back1[1] + on1[1], moment[4] - back1[2] + on2[1], moment[5] - back2[2] + on2[2])


@inlined
def own_inertia(mechanisms, rigids, links, i):
    """Mass and moments of link i itself, in axes of the world, which are kept for `load_links`."""
    body = mechanisms.rigid[i]
    if body < 0:
        return 0.0, EMPTY
    a, b, c = axes_of_link(links, i)
    d = row3(rigids.inertia, body)
    by_a, by_b, by_c = scaled(a, d[0]), scaled(b, d[1]), scaled(c, d[2])
    own = (a[0] * by_a[0] + b[0] * by_b[0] + c[0] * by_c[0], a[0] * by_a[1] + b[0] * by_b[1] + c[0] * by_c[1],
           a[0] * by_a[2] + b[0] * by_b[2] + c[0] * by_c[2], a[1] * by_a[1] + b[1] * by_b[1] + c[1] * by_c[1],
           a[1] * by_a[2] + b[1] * by_b[2] + c[1] * by_c[2], a[2] * by_a[2] + b[2] * by_b[2] + c[2] * by_c[2])   # R I Rᵀ
    set6(links.own, i, 0, own)
    return rigids.mass[body], own


@inlined
def hangs(links, i):
    """Whether a stiff object hangs on link i."""
    return links.hung.shape[0] > 0 and links.hung[i, HANGS] == 1.0


@kernel
def inertia_of_hung(links, i):
    """The inertia of what hangs on link i beside its own: mass-like, mixed, moment-like, in axes of the world."""
    axes, hung = axes_of_link(links, i), links.hung
    return (turned_whole(axes, get9(hung, i, HUNG_INERTIA)), turned_whole(axes, get9(hung, i, HUNG_INERTIA + 9)),
            turned_whole(axes, get9(hung, i, HUNG_INERTIA + 18)))


@inlined
def triangle(a):
    """The upper triangle of a symmetric matrix."""
    return a[0][0], a[0][1], a[0][2], a[1][1], a[1][2], a[2][2]


@kernel
def felt_by(links, i, speed, spin):
    """That inertia times a motion of link i: force and couple."""
    mass, mixed, moment = inertia_of_hung(links, i)
    return plus(applied(mass, speed), applied(mixed, spin)), plus(applied_back(mixed, speed), applied(moment, spin))


@kernel
def factor_links(mechanisms, rigids, links, begin, end):
    """Articulated inertias, from the ends inwards; what each freedom takes of them is kept.

    What the next link hands to its parent goes on as it is, that of others is added up in memory.
    """
    inertia = links.inertia
    for i in range(begin, end):
        inertia[i, SHARED] = 0.0
    mass, mixed, moment, next_is_child = EMPTY, NOTHING, EMPTY, False
    for i in range(end - 1, begin - 1, -1):
        weight, own = own_inertia(mechanisms, rigids, links, i)
        if next_is_child:
            moment = sum_of_symmetric(moment, own)
            mass = mass[0] + weight, mass[1], mass[2], mass[3] + weight, mass[4], mass[5] + weight
        else:
            mass, mixed, moment = (weight, 0.0, 0.0, weight, 0.0, weight), NOTHING, own
        if inertia[i, SHARED] != 0.0:
            mass, mixed, moment = (sum_of_symmetric(mass, get6(inertia, i, MASS)), sum_of(mixed, get9(inertia, i, MIXED)),
                                   sum_of_symmetric(moment, get6(inertia, i, MOMENT)))
        if hangs(links, i):
            hung_mass, hung_mixed, hung_moment = inertia_of_hung(links, i)
            mass, mixed, moment = (sum_of_symmetric(mass, triangle(hung_mass)), sum_of(mixed, hung_mixed),
                                   sum_of_symmetric(moment, triangle(hung_moment)))
        first = mechanisms.freedom_start[i]
        for k in range(mechanisms.freedom_start[i + 1] - 1, first, -1):
            force, couple, share = answer_of(links, mass, mixed, moment, k)
            by_force, by_couple = scaled(force, share), scaled(couple, share)
            mass, mixed, moment = (symmetric_less(mass, by_force, force), less_outer(mixed, by_force, couple),
                                   symmetric_less(moment, by_couple, couple))
        parent, reach = mechanisms.parent[i], get3(links.reach, i, 0)
        next_is_child = parent == i - 1 and i > begin
        force, couple, share = ZERO, ZERO, 0.0
        if mechanisms.freedom_start[i + 1] > first:
            force, couple, share = answer_of(links, mass, mixed, moment, first)
            couple = plus(couple, cross(reach, force))
            set3(links.lever, i, 0, force)
            set3(links.lever, i, 3, couple)
        if parent >= begin:
            mass, mixed, moment = moved(mass, mixed, moment, reach)
            by_force, by_couple = scaled(force, share), scaled(couple, share)
            mass, mixed, moment = (symmetric_less(mass, by_force, force), less_outer(mixed, by_force, couple),
                                   symmetric_less(moment, by_couple, couple))
            if not next_is_child:
                if inertia[parent, SHARED] != 0.0:
                    mass, mixed, moment = (sum_of_symmetric(mass, get6(inertia, parent, MASS)),
                                           sum_of(mixed, get9(inertia, parent, MIXED)),
                                           sum_of_symmetric(moment, get6(inertia, parent, MOMENT)))
                set6(inertia, parent, MASS, mass)
                set9(inertia, parent, MIXED, mixed)
                set6(inertia, parent, MOMENT, moment)
                inertia[parent, SHARED] = 1.0


@inlined
def answer_of(links, mass, mixed, moment, k):
    """U and 1/D of freedom k, which are kept."""
    speed, spin = get3(links.way, k, 0), get3(links.way, k, 3)
    force = plus(of_symmetric(mass, speed), applied(mixed, spin))
    couple = plus(applied_back(mixed, speed), of_symmetric(moment, spin))
    share = 1.0 / (dot(speed, force) + dot(spin, couple) + links.flow[k, BESIDE])
    set3(links.hold, k, 0, force)
    set3(links.hold, k, 3, couple)
    links.share[k, 0] = share
    return force, couple, share


@kernel
def load_links(mechanisms, rigids, links, load, begin, end):
    """What keeps each of the factored links in its motion beside its acceleration: I ā + ω × L less the load."""
    push = links.push
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body < 0:
            set3(push, i, 0, ZERO)
            set3(push, i, 3, ZERO)
            continue
        spin, own = get3(links.pose, i, SPIN), get6(links.own, i, 0)
        set3(push, i, 0, minus(scaled(get3(links.swing, i, 0), rigids.mass[body]), get3(load, body, 0)))
        brought = plus(of_symmetric(own, get3(links.swing, i, 3)), cross(spin, of_symmetric(own, spin)))
        set3(push, i, 3, minus(brought, get3(load, body, 3)))
        if hangs(links, i):
            force, couple = felt_by(links, i, get3(links.swing, i, 0), get3(links.swing, i, 3))
            set3(push, i, 0, plus(get3(push, i, 0), minus(force, get3(links.hung, i, HUNG_LOAD))))
            set3(push, i, 3, plus(get3(push, i, 3), minus(couple, get3(links.hung, i, HUNG_LOAD + 3))))


@kernel
def solve_links(mechanisms, links, effort, gain, begin, end):
    """Accelerations `gain` of the freedoms of factored links by what pushes them, and an effort on each freedom.

    Those of the links by the coordinates alone are left in `links.acceleration`.
    """
    gather_pushes(mechanisms, links, effort, begin, end)
    speeding, turning = ZERO, ZERO
    for i in range(begin, end):
        first, last, parent = mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1], mechanisms.parent[i]
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


@kernel
def gather_pushes(mechanisms, links, effort, begin, end):
    """What pushes each freedom, from the ends inwards, into `share`; `push` holds the sums of those that hang on each link."""
    push = links.push
    handed, turned, next_is_child = ZERO, ZERO, False
    for i in range(end - 1, begin - 1, -1):
        first, force, couple = mechanisms.freedom_start[i], get3(push, i, 0), get3(push, i, 3)
        if next_is_child:
            force, couple = plus(force, handed), plus(couple, turned)
            set3(push, i, 0, force)
            set3(push, i, 3, couple)
        for k in range(mechanisms.freedom_start[i + 1] - 1, first, -1):
            amount = push_of(links, effort, force, couple, k)
            force = plus(force, scaled(get3(links.hold, k, 0), amount))
            couple = plus(couple, scaled(get3(links.hold, k, 3), amount))
        amount = push_of(links, effort, force, couple, first) if mechanisms.freedom_start[i + 1] > first else 0.0
        parent = mechanisms.parent[i]
        next_is_child = parent == i - 1 and i > begin
        if parent >= begin:
            couple = plus(couple, cross(get3(links.reach, i, 0), force))
            if mechanisms.freedom_start[i + 1] > first:
                force = plus(force, scaled(get3(links.lever, i, 0), amount))
                couple = plus(couple, scaled(get3(links.lever, i, 3), amount))
            handed, turned = force, couple
            if not next_is_child:
                for axis in range(3):
                    push[parent, axis] += force[axis]
                    push[parent, 3 + axis] += couple[axis]


@inlined
def push_of(links, effort, force, couple, k):
    """What pushes freedom k, which is kept, and how far it gives way."""
    left = effort[k, 0] - (dot(get3(links.way, k, 0), force) + dot(get3(links.way, k, 3), couple))
    links.share[k, 1] = left
    return left * links.share[k, 0] + links.flow[k, KNOWN]
