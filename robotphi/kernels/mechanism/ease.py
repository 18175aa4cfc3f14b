"""How easily each freedom of a mechanism moves.

Where there is viscosity, with all others giving way: (M⁻¹)_kk, from the base outwards, linear.

With Y how a link answers to a wrench on it, A = Y F, X from its parent's centre to its own, and s, U, D of its freedom as of
`articulated` (Rodriguez, Jain and Kreutz-Delgado 1991: the compliance kernel),

    (M⁻¹)_kk = 1/D + U·w/D²    w = Y U     Y ← Y − (s wᵀ + w sᵀ)/D + s sᵀ (M⁻¹)_kk      from Y = X Y_parent Xᵀ

freedom by freedom. It is what a damper of the coordinate sees: where a heavy link hangs on a light one it is by far more than
1/D, as which it is taken of all else. It is told where forces are evaluated anew, and stays until then.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.matrices import (
    NOTHING,
    applied,
    applied_back,
    get9,
    less_outer,
    set9,
    sum_of,
    transposed,
    with_cross,
)
from robotphi.kernels.maths.vectors import dot, get3, minus, plus, scaled
from robotphi.kernels.mechanism.columns import BESIDE

SMALL = 1e-3   # z below which the fit is taken as a series
MASS, MIXED, MOMENT = 0, 9, 18   # columns of `give`: velocities by forces, by couples, spins by couples


@inlined
def fitted(z):
    """B(z) of `flow`, z what a damper of a freedom takes of its rate in a piece of the step."""
    return 0.5 + z / 12.0 if z < SMALL else 1.0 / (1.0 - math.exp(-z)) - 1.0 / z


@inlined
def stays(mechanisms, m):
    return mechanisms.viscous[m] == 1


@kernel
def ease_behind(mechanisms, links, joints, m):
    """1/D, what is held or held back by viscosity in it: those further out give way alone."""
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if links.flow[k, BESIDE] == mechanisms.armature[k]:
            joints.ease[k, 0] = links.share[k, 0]
            continue
        joints.ease[k, 0] = 1.0 / (dot(get3(links.way, k, 0), get3(links.hold, k, 0))
                                   + dot(get3(links.way, k, 3), get3(links.hold, k, 3)) + mechanisms.armature[k])


@kernel
def keep_ease(mechanisms, links, joints, next_joints, m):
    """In a step; of factored links."""
    if not stays(mechanisms, m):
        ease_behind(mechanisms, links, next_joints, m)
        return
    for k in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        next_joints.ease[k, 0] = joints.ease[k, 0]


@kernel
def tell_ease(mechanisms, links, joints, m):
    """Of links that stand factored with nothing beside their armatures."""
    if not stays(mechanisms, m):
        ease_behind(mechanisms, links, joints, m)
        return
    give, begin, end = links.give, mechanisms.start[m], mechanisms.start[m + 1]
    for i in range(begin, end):
        parent, force, mixed, turn = mechanisms.parent[i], NOTHING, NOTHING, NOTHING
        if parent >= begin:
            r = get3(links.reach, i, 0)
            force, before, turn = get9(give, parent, MASS), get9(give, parent, MIXED), get9(give, parent, MOMENT)
            mixed = sum_of(before, transposed(with_cross(turn, r)))
            force = sum_of(sum_of(force, with_cross(before, r)), transposed(with_cross(mixed, r)))
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            push, couple = get3(links.hold, k, 0), get3(links.hold, k, 3)
            speed = plus(applied(force, push), applied(mixed, couple))
            spin = plus(applied_back(mixed, push), applied(turn, couple))
            share = links.share[k, 0]
            ease = share + share * share * (dot(speed, push) + dot(spin, couple))
            joints.ease[k, 0] = ease
            # s wᵀ + w sᵀ less s sᵀ ease: with v = w/D − ½ ease s it is s vᵀ + v sᵀ
            own_speed, own_spin = get3(links.way, k, 0), get3(links.way, k, 3)
            speed, spin = (minus(scaled(speed, share), scaled(own_speed, 0.5 * ease)),
                           minus(scaled(spin, share), scaled(own_spin, 0.5 * ease)))
            force = less_outer(less_outer(force, own_speed, speed), speed, own_speed)
            mixed = less_outer(less_outer(mixed, own_speed, spin), speed, own_spin)
            turn = less_outer(less_outer(turn, own_spin, spin), spin, own_spin)
        set9(give, i, MASS, force)
        set9(give, i, MIXED, mixed)
        set9(give, i, MOMENT, turn)
