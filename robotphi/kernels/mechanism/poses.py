"""Where the links are and how they move, from the coordinates of the joints and their rates; from the base outwards.

With R of the parent, d the slides and w the turns of the freedoms (axes e fixed in the parent), b from the joint to the centre:

    C = C_p + R_p (a + Σ e s q) + R b        V = V_p + ω_p × (C − C_p) + ḋ + w × R b        ω = ω_p + w

The acceleration has beside the parent's, and the rates' own, what the velocities bring along:

    ω_p × (ω_p × (C − C_p − R b)) + 2 ω_p × ḋ + (ω_p × w) × R b + ω × (ω × R b),        ω_p × w

Summed up outwards from a base, with what a driven one does, it is the acceleration that links have without that of any
coordinate.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.circle import cos_sin
from robotphi.kernels.maths.matrices import along
from robotphi.kernels.maths.turns import columns_of, get4, nearly_one, product, set4
from robotphi.kernels.maths.vectors import cross, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.columns import WORLD
from robotphi.kernels.mechanism.kinds import ANGLE, BALL
from robotphi.kernels.step.rigids import (
    CENTRE,
    ORIENTATION,
    SPIN,
    VELOCITY,
    get_orientation,
    row3,
    turned,
)

ZERO = (0.0, 0.0, 0.0)
UNTURNED = (1.0, 0.0, 0.0, 0.0)


@inlined
def base_of(links, rigid, parent):
    """Centre and orientation of a parent: a link, a rigid that is held or driven, or the world."""
    if parent >= 0:
        return get3(links.pose, parent, CENTRE), get_orientation(links.pose, parent)
    if parent == WORLD:
        return ZERO, UNTURNED
    return get3(rigid, -2 - parent, CENTRE), get_orientation(rigid, -2 - parent)


@inlined
def axes_of_link(links, i):
    """Where the principal axes of link i point: the columns of R."""
    return get3(links.axes, i, 0), get3(links.axes, i, 3), get3(links.axes, i, 6)


@inlined
def base_axes(links, rigid, parent):
    """Axes of a parent, as of `base_of`."""
    if parent >= 0:
        return axes_of_link(links, parent)
    return columns_of(UNTURNED if parent == WORLD else get_orientation(rigid, -2 - parent))


@inlined
def base_gain(links, parent):
    """What is known beforehand of the acceleration of a parent, as of `base_of`."""
    if parent >= 0:
        return get3(links.swing, parent, 0), get3(links.swing, parent, 3)
    if parent == WORLD:
        return ZERO, ZERO
    return get3(links.base, -2 - parent, 0), get3(links.base, -2 - parent, 3)


@inlined
def base_motion(links, parent):
    """Velocity and spin of a parent, as of `base_of`."""
    if parent >= 0:
        return get3(links.pose, parent, VELOCITY), get3(links.pose, parent, SPIN)
    if parent == WORLD:
        return ZERO, ZERO
    return get3(links.base, -2 - parent, 6), get3(links.base, -2 - parent, 9)


@kernel
def pose_links(mechanisms, links, joints, rigid, begin, end):
    """Poses of links begin … end−1, and the ways of their freedoms."""
    halve_turns(mechanisms, links, joints, begin, end)
    for i in range(begin, end):
        pose_link(mechanisms, links, joints, rigid, i)


@inlined
def halve_turns(mechanisms, links, joints, begin, end):
    """Cosines and sines of half the angles, by themselves: nothing waits for them."""
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.half[k, 0], links.half[k, 1] = cos_sin(0.5 * mechanisms.turn[k] * (joints.place[k, 0] - mechanisms.drawn_at[k]))


@inlined
def pose_link(mechanisms, links, joints, rigid, i):
    """Of link i alone, its parent posed."""
    place, way, parent = joints.place, links.way, mechanisms.parent[i]
    centre, q = base_of(links, rigid, parent)
    above = base_axes(links, rigid, parent)
    first, last = mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]
    arm, turn = row3(mechanisms.on_parent, i), UNTURNED
    for k in range(first, last):
        axis = row3(mechanisms.axis, k)
        if mechanisms.slide[k] != 0.0:
            arm = plus(arm, scaled(axis, mechanisms.slide[k] * (place[k, 0] - mechanisms.drawn_at[k])))
        if mechanisms.rotation[i] == ANGLE and mechanisms.turn[k] != 0.0:
            turn = links.half[k, 0], links.half[k, 1] * axis[0], links.half[k, 1] * axis[1], links.half[k, 1] * axis[2]
    if mechanisms.rotation[i] == BALL:
        turn = get4(joints.turn, i, 0)
    own = nearly_one(product(q, product(turn, get4(mechanisms.drawn, i, 0))))
    axes = columns_of(own)
    behind = along(axes, row3(mechanisms.on_child, i))
    reach = plus(along(above, arm), behind)
    set3(links.axes, i, 0, axes[0])
    set3(links.axes, i, 3, axes[1])
    set3(links.axes, i, 6, axes[2])
    set3(links.pose, i, CENTRE, plus(centre, reach))
    set4(links.pose, i, ORIENTATION, own)
    set3(links.reach, i, 0, reach)
    set3(links.reach, i, 3, behind)
    for k in range(first, last):
        axis = along(above, row3(mechanisms.axis, k))
        spin = scaled(axis, mechanisms.turn[k])
        set3(way, k, 0, plus(scaled(axis, mechanisms.slide[k]), cross(spin, behind)))
        set3(way, k, 3, spin)


@kernel
def turn_balls(mechanisms, now, ahead, ways, column, begin, end):
    """Orientations of balls ahead: turned from those of now by the ways of their three freedoms, as one turn."""
    for i in range(begin, end):
        if mechanisms.rotation[i] == BALL:
            turn = ZERO
            for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
                turn = plus(turn, scaled(row3(mechanisms.axis, k), mechanisms.turn[k] * ways[k, column]))
            set4(ahead.turn, i, 0, turned(get4(now.turn, i, 0), turn))


@kernel
def move_links(mechanisms, links, rate, begin, end):
    """Velocities of posed links, and what they and a driven base bring along."""
    for i in range(begin, end):
        move_link(mechanisms, links, rate, i)


@inlined
def move_link(mechanisms, links, rate, i):
    """Of link i alone, its parent moving."""
    speed, spin = base_motion(links, mechanisms.parent[i])
    lifted, above = base_gain(links, mechanisms.parent[i])
    reach, behind = get3(links.reach, i, 0), get3(links.reach, i, 3)
    own_speed, relative, slid = plus(speed, cross(spin, reach)), ZERO, ZERO
    for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
        way, turn = get3(links.way, k, 0), get3(links.way, k, 3)
        own_speed = plus(own_speed, scaled(way, rate[k, 0]))
        relative = plus(relative, scaled(turn, rate[k, 0]))
        if mechanisms.slide[k] != 0.0:
            slid = plus(slid, scaled(minus(way, cross(turn, behind)), rate[k, 0]))
    own_spin = plus(spin, relative)
    turning = cross(spin, relative)
    swing = plus(cross(spin, plus(cross(spin, minus(reach, behind)), scaled(slid, 2.0))),
                 plus(cross(turning, behind), cross(own_spin, cross(own_spin, behind))))
    set3(links.pose, i, VELOCITY, own_speed)
    set3(links.pose, i, SPIN, own_spin)
    set3(links.swing, i, 0, plus(plus(lifted, cross(above, reach)), swing))
    set3(links.swing, i, 3, plus(above, turning))


@inlined
def gone_along(mechanisms, links, rate, i, speed, spin):
    """Velocity and spin of posed link i by those of its parent and the rates of its freedoms; accelerations likewise."""
    speed = plus(speed, cross(spin, get3(links.reach, i, 0)))
    for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
        speed = plus(speed, scaled(get3(links.way, k, 0), rate[k, 0]))
        spin = plus(spin, scaled(get3(links.way, k, 3), rate[k, 0]))
    return speed, spin


@kernel
def spread_rates(mechanisms, links, rate, begin, end):
    """Velocities and spins of posed links by rates into `links.acceleration`, and nothing of what they bring along."""
    for i in range(begin, end):
        parent = mechanisms.parent[i]
        if parent >= 0:
            speed, spin = get3(links.acceleration, parent, 0), get3(links.acceleration, parent, 3)
        else:
            speed, spin = base_motion(links, parent)
        speed, spin = gone_along(mechanisms, links, rate, i, speed, spin)
        set3(links.acceleration, i, 0, speed)
        set3(links.acceleration, i, 3, spin)


@kernel
def accelerate_links(mechanisms, links, gain, begin, end):
    """Whole accelerations of posed and moving links from those of the coordinates."""
    spread_gains(mechanisms, links, gain, begin, end)
    for i in range(begin, end):
        for axis in range(6):
            links.acceleration[i, axis] += links.swing[i, axis]


@kernel
def spread_gains(mechanisms, links, gain, begin, end):
    """Accelerations of posed links by those of the coordinates alone."""
    for i in range(begin, end):
        spread_from_rest(mechanisms, links, links.acceleration, gain, begin, i)


@inlined
def spread_from_rest(mechanisms, links, rows, rate, begin, i):
    """Velocity and spin of link i by rates on a base at rest, kept in rows of all links; accelerations likewise."""
    parent, speed, spin = mechanisms.parent[i], ZERO, ZERO
    if parent >= begin:
        speed, spin = get3(rows, parent, 0), get3(rows, parent, 3)
    speed, spin = gone_along(mechanisms, links, rate, i, speed, spin)
    set3(rows, i, 0, speed)
    set3(rows, i, 3, spin)
    return speed, spin
