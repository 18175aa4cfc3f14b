"""Attitudes: couples that turn a rigid towards a frame that stays, that a motion leads, or that another rigid carries.

With the turns A and G of the two, n and θ axis and angle of the turn A Gᵀ that is left, 0 ≤ θ ≤ π, and the rate ω of the one
as the other sees it, θ̇ = n·ω, so that
    M = s(t) (−T(θ) n − μ ω),   T = ∂U/∂θ,   U = ½ k θ²
is the gradient of what is stored, s U, exactly; −M goes to the other rigid. T is cut at the limit, and what damping may add
is what fits beside it. At half a turn the nearer way changes sides: over the last part of it T fades to nothing, so that the
couple is smooth everywhere and no way is taken there. Where an axis alone is to point along that of the goal, n = b × a/sin θ
of the two, and what turns about a is neither pulled nor damped. The goal gives M·Ω by its own spin, a share that changes ṡ U.
"""
import math
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import LOST, STORED, WORK, Act, lose, stiffen_rigid, store, tell, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.acts.ends import rigid_gives
from robotphi.kernels.acts.gates import SEEN, SIDES, WAYS, present_share
from robotphi.kernels.acts.led import product, square, vector_of_product
from robotphi.kernels.acts.pull import NEVER, NOTHING, fitting, get_orientation_at_start
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, scaled
from robotphi.kernels.step.bodies import TURNED
from robotphi.kernels.step.rigids import SPIN, add_rigid_force, get3, get_orientation, of_length_one, rotate, rotate_back, row3

FADES = 5.0 * math.pi / 6.0   # rad: from here on the couple falls to nothing at half a turn
FADING = math.pi - FADES


class Attitude(NamedTuple):
    target: fields.rigid()
    towards: fields.rigid(default=None)
    offset: fields.vector("rad", default=(0.0, 0.0, 0.0))   # turn vector from the goal to the target, as they are drawn
    lead_w: fields.drive("1", default=None)                 # quaternion of the goal, of any length
    lead_i: fields.drive("1", default=None)
    lead_j: fields.drive("1", default=None)
    lead_k: fields.drive("1", default=None)
    axis: fields.vector("1", default=(0.0, 0.0, 0.0))       # that alone is to point along the goal's, as drawn; nought: all
    stiffness: fields.number("N·m", low=0.0, default=0.0)   # for each radian
    damping: fields.number("N·m·s", low=0.0, default=0.0)
    limit: fields.number("N·m", above=0.0, default=NEVER)
    share: fields.drive("1", default=1.0)
    when: fields.choice(*WAYS, default="always")            # see `gates`
    touch_first: fields.touching()
    touch_second: fields.touching()
    seen: fields.choice(*SEEN, default="contact")
    seen_at: fields.ends(default=None, looked_at=True)
    seen_to: fields.ends(default=None, looked_at=True)
    seen_joint: fields.freedom()
    seen_along: fields.vector("1", default=(0.0, 0.0, 1.0))
    side: fields.choice(*SIDES, default="above")
    threshold: fields.number("m, m/s, rad or rad/s", default=0.0, single=True)
    gate: fields.state("when", single=True, starts=("until",))
    entry: fields.entry()


@inlined
def turn_by(vector):
    """The quaternion of a turn vector [rad]."""
    angle = norm(vector)
    factor = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    return math.cos(0.5 * angle), factor * vector[0], factor * vector[1], factor * vector[2]


@inlined
def inverse(q):
    return q[0], -q[1], -q[2], -q[3]


@inlined
def turned_since(buffers, now, i):
    """The turn of a rigid since the start."""
    return product(get_orientation(now.rigid, i), inverse(get_orientation_at_start(buffers, i)))


@kernel
def goal_turn(rows, k, drives, buffers, now, time, inside):
    """The turn of the goal, and its spin by drives alone [rad/s]."""
    if rows.towards[k] >= 0:
        return turned_since(buffers, now, rows.towards[k]), NOTHING
    if rows.lead_w[k] < 0:
        return (1.0, 0.0, 0.0, 0.0), NOTHING
    a, da = drive_value(drives, rows.lead_w[k], time, inside)
    b, db = drive_value(drives, rows.lead_i[k], time, inside)
    c, dc = drive_value(drives, rows.lead_j[k], time, inside)
    d, dd = drive_value(drives, rows.lead_k[k], time, inside)
    q = (a, b, c, d)
    return of_length_one(q), scaled(vector_of_product((da, db, dc, dd), q), 2.0 / square(q))


@inlined
def turn_left(turn, goal, offset, axis):
    """n and θ of what is left, and the axis that may turn freely, nought where none may."""
    if axis[0] != 0.0 or axis[1] != 0.0 or axis[2] != 0.0:
        a, b = rotate(turn, axis), rotate(goal, rotate_back(offset, axis))
        across = cross(b, a)
        size = norm(across)
        return scaled(across, 1.0 / size if size > 0.0 else 0.0), math.atan2(size, dot(a, b)), a
    left = product(product(turn, offset), inverse(goal))
    u = (left[1], left[2], left[3])
    size = norm(u)
    sign = 1.0 if left[0] >= 0.0 else -1.0
    return scaled(u, sign / size if size > 0.0 else 0.0), 2.0 * math.atan2(size, abs(left[0])), NOTHING


@inlined
def couple_law(stiffness, limit, angle):
    """T and U of an angle. Beyond FADES min(k t, limit) is multiplied by 1 − 3 s² + 2 s³, s from 0 to 1 at half a turn: its
    integral is that of k t up to where the limit is reached, and of the limit behind."""
    if not stiffness > 0.0:
        return 0.0, 0.0
    cut = limit / stiffness
    t = min(angle, FADES)
    size, energy = stiffness * min(t, cut), 0.5 * stiffness * t * t
    if t > cut:
        energy = limit * (t - 0.5 * cut)
    if angle <= FADES:
        return size, energy
    s = min((angle - FADES) / FADING, 1.0)
    c = min(max((cut - FADES) / FADING, 0.0), s)
    # W = ∫ 1 − 3 x² + 2 x³ dx and ∫ x (1 − 3 x² + 2 x³) dx
    below, all_of_it = c - c**3 + 0.5 * c**4, s - s**3 + 0.5 * s**4
    growing = 0.5 * c * c - 0.75 * c**4 + 0.4 * c**5
    energy += FADING * stiffness * (FADES * below + FADING * growing)
    if all_of_it > below:
        energy += FADING * limit * (all_of_it - below)
    return stiffness * min(angle, cut) * (1.0 - s * s * (3.0 - 2.0 * s)), energy


@kernel
def couple_on(rows, k, drives, buffers, now, time, inside):
    """Spring and damping of a couple [N·m], the spin of what moves alone and of the goal by its drives [rad/s], both as far
    as they count, energy U and the rate of the share."""
    turn = turned_since(buffers, now, rows.target[k])
    goal, led_by = goal_turn(rows, k, drives, buffers, now, time, inside)
    n, angle, loose = turn_left(turn, goal, turn_by(row3(rows.offset, k)), row3(rows.axis, k))
    moves = get3(now.rigid, rows.target[k], SPIN)
    if rows.towards[k] >= 0:
        moves = minus(moves, get3(now.rigid, rows.towards[k], SPIN))
    moves, led_by = minus(moves, scaled(loose, dot(loose, moves))), minus(led_by, scaled(loose, dot(loose, led_by)))
    share, growth = present_share(rows, k, drives, buffers, time, inside)
    size, energy = couple_law(rows.stiffness[k], rows.limit[k], angle)
    spring, damping = scaled(n, -size), scaled(minus(moves, led_by), -rows.damping[k])
    damping = scaled(damping, abs(share) * fitting(spring, damping, rows.limit[k]))
    return scaled(spring, share), damping, moves, led_by, share * energy, growth * energy


@kernel
def push(rows, drives, buffers, now, time, inside):
    for k in range(len(rows.target)):
        spring, damping, moves, led_by, energy, _ = couple_on(rows, k, drives, buffers, now, time, inside)
        couple = plus(spring, damping)
        add_rigid_force(now.load, rows.target[k], 3, couple, 1.0)
        if rows.towards[k] >= 0:
            add_rigid_force(now.load, rows.towards[k], 3, couple, -1.0)
        tell(buffers, rows.entry[k], 3, couple)
        store(buffers, rows.entry[k], energy)
        lose(buffers, rows.entry[k], -dot(damping, minus(moves, led_by)))


@kernel
def power(rows, drives, buffers, now, time, inside):
    for k in range(len(rows.target)):
        spring, damping, _, led_by, _, growth = couple_on(rows, k, drives, buffers, now, time, inside)
        work(buffers, rows.entry[k], dot(plus(spring, damping), led_by) + growth)


@kernel
def bound(rows, drives, buffers, now, time, inside):
    """Along n the couple grows by T′, across it by T/2 cot θ/2 or, of an axis, T cot θ: none exceeds k before it fades, nor
    k (1 + 3 θ/2 FADING) then. Of another rigid Cauchy gives each of the two twice as much, where both turn."""
    for k in range(len(rows.target)):
        share = abs(present_share(rows, k, drives, buffers, time, inside)[0])
        goal, _ = goal_turn(rows, k, drives, buffers, now, time, inside)
        _, angle, _ = turn_left(turned_since(buffers, now, rows.target[k]), goal, turn_by(row3(rows.offset, k)),
                                row3(rows.axis, k))
        steep = 1.0 + 1.5 * angle / FADING if angle > FADES else 1.0
        other = rows.towards[k] >= 0 and rigid_gives(buffers, rows.towards[k], TURNED, TURNED + 9)
        both = 2.0 if other and rigid_gives(buffers, rows.target[k], TURNED, TURNED + 9) else 1.0
        stiffness, damping = both * share * steep * rows.stiffness[k], both * share * rows.damping[k]
        stiffen_rigid(buffers, rows.target[k], 0.0, 0.0, stiffness, damping)
        if rows.towards[k] >= 0:
            stiffen_rigid(buffers, rows.towards[k], 0.0, 0.0, stiffness, damping)


ACT = Act("attitude", Attitude, (STORED, LOST, WORK), push=push, power=power, bound=bound)
