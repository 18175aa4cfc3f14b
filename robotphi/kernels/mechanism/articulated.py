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
from robotphi.kernels.mechanism.columns import BESIDE, HANGS, HUNG_INERTIA
from robotphi.kernels.mechanism.poses import axes_of_link
from robotphi.kernels.step.rigids import row3

MASS, MIXED, MOMENT, SHARED = 0, 6, 15, 21   # columns of an articulated inertia; whether others than the next link add to it
EMPTY = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)
NONE_PASSED = (EMPTY, NOTHING, EMPTY, False)


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
    """Articulated inertias, from the ends inwards; what each freedom takes of them is kept."""
    passed = NONE_PASSED
    for i in range(end - 1, begin - 1, -1):
        passed = factor_link(mechanisms, rigids, links, begin, i, passed)


@inlined
def factor_link(mechanisms, rigids, links, begin, i, passed):
    """The same of link i alone. What the next link hands to its parent goes on as it is, that of others is added up in memory:
    `passed` has what the link behind left, and whether it hangs on this one; returns what this one leaves."""
    mass, mixed, moment, next_is_child = passed
    inertia = links.inertia
    weight, own = own_inertia(mechanisms, rigids, links, i)
    if next_is_child:
        moment = sum_of_symmetric(moment, own)
        mass = mass[0] + weight, mass[1], mass[2], mass[3] + weight, mass[4], mass[5] + weight
    else:
        mass, mixed, moment = (weight, 0.0, 0.0, weight, 0.0, weight), NOTHING, own
    if inertia[i, SHARED] != 0.0:
        mass, mixed, moment = add_shared(inertia, i, mass, mixed, moment)
        inertia[i, SHARED] = 0.0
    if hangs(links, i):
        hung_mass, hung_mixed, hung_moment = inertia_of_hung(links, i)
        mass, mixed, moment = (sum_of_symmetric(mass, triangle(hung_mass)), sum_of(mixed, hung_mixed),
                               sum_of_symmetric(moment, triangle(hung_moment)))
    first = mechanisms.freedom_start[i]
    for k in range(mechanisms.freedom_start[i + 1] - 1, first, -1):
        force, couple, share = answer_of(links, mass, mixed, moment, k)
        mass, mixed, moment = less_taken(mass, mixed, moment, force, couple, share)
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
        mass, mixed, moment = less_taken(mass, mixed, moment, force, couple, share)
        if not next_is_child:
            if inertia[parent, SHARED] != 0.0:
                mass, mixed, moment = add_shared(inertia, parent, mass, mixed, moment)
            set6(inertia, parent, MASS, mass)
            set9(inertia, parent, MIXED, mixed)
            set6(inertia, parent, MOMENT, moment)
            inertia[parent, SHARED] = 1.0
    return mass, mixed, moment, next_is_child


@inlined
def add_shared(inertia, i, mass, mixed, moment):
    """With what others than the next link have left at link i."""
    return (sum_of_symmetric(mass, get6(inertia, i, MASS)), sum_of(mixed, get9(inertia, i, MIXED)),
            sum_of_symmetric(moment, get6(inertia, i, MOMENT)))


@inlined
def less_taken(mass, mixed, moment, force, couple, share):
    """I_A less U Uᵀ/D."""
    by_force, by_couple = scaled(force, share), scaled(couple, share)
    return symmetric_less(mass, by_force, force), less_outer(mixed, by_force, couple), symmetric_less(moment, by_couple, couple)


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
