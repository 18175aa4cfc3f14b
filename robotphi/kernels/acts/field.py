"""Fields: virtual forces by place, on each of many things, with a potential where they have one.

With r from the centre, ρ = √(r² + ε²), d the distance from a surface (a ball or a half space) that repels within a range:
    uniform     F = S e                                U = −S e·x
    power       F = −S ρⁿ⁻¹ r                          U = S ρⁿ⁺¹/(n + 1), n = −1: S ln ρ; S > 0 draws near, S < 0 drives away
    well        F = −S/w² exp(−r²/2w²) r               U = −S exp(−r²/2w²): of depth S [J] and width w
    ball        F = S (1/d − 1/D)/d² n, d < D          U = ½ S (1/d − 1/D)², d = r − R   (Khatib 1986)
    plane       the same with d = e·r
    vortex      F = S exp(−q²/2w²) e × r               no potential; q the distance from the axis e through the centre
Within an edge of a box a field fades: F times the product of smooth steps along its axes, which has no potential either.
What has a potential is stored, what has none gives work. The amount S s(t) may be driven, which gives the work ṡ U. The
centre may be an end of another thing: −F then pushes that.
"""
import math
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import STORED, WORK, Act, store, tell, work
from robotphi.kernels.acts.ends import NO_END, end_place, end_velocity, push_end, stiffen_end
from robotphi.kernels.acts.gates import SEEN, SIDES, WAYS, present_share
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, scaled
from robotphi.kernels.step.rigids import row3

LAWS = ("uniform", "power", "well", "ball", "plane", "vortex")
UNIFORM, POWER, WELL, BALL, PLANE, VORTEX = range(len(LAWS))
NEAREST = 1e-6        # of the range: within it a surface repels no more strongly, so that a force is never infinite


class FieldRows(NamedTuple):
    """One row for each end that the field pushes."""
    target: fields.ends()
    law: fields.choice(*LAWS)
    amount: fields.number("N, N/mⁿ, J, J·m² or N/m")
    share: fields.drive("1", default=1.0)
    axis: fields.vector("1", default=(0.0, 0.0, 1.0))
    centre: fields.vector("m", default=(0.0, 0.0, 0.0))
    around: fields.ends(default=None)                    # instead of the centre
    power: fields.number("1", default=1.0, single=True)     # n
    width: fields.number("m", above=0.0, default=1e150, single=True)   # w, or the range D
    radius: fields.number("m", low=0.0, default=0.0, single=True)      # R
    soft: fields.number("m", low=0.0, default=0.0, single=True)        # ε
    low: fields.vector("m", default=(-1e150, -1e150, -1e150))
    high: fields.vector("m", default=(1e150, 1e150, 1e150))
    edge: fields.number("m", low=0.0, default=0.0, single=True)     # 0: no box
    when: fields.choice(*WAYS, default="always")         # see `gates`
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
def power_law(amount, n, square):
    """F/r and U of ρ² = square."""
    if not square > 0.0:
        return 0.0, 0.0
    if n == -1.0:
        return -amount / square, 0.5 * amount * math.log(square)
    size = math.sqrt(square)
    return -amount * size**(n - 1.0), amount * size**(n + 1.0) / (n + 1.0)


@inlined
def repelling(amount, distance, reach):
    """Force away from a surface and its energy."""
    if not distance < reach:
        return 0.0, 0.0
    near = max(distance, NEAREST * reach)
    gap = 1.0 / near - 1.0 / reach
    force = amount * gap / (near * near)
    return force, 0.5 * amount * gap * gap + force * (near - distance)


@kernel
def law_of(rows, i, r):
    """Force [N] and potential [J] at r from the centre, of a share of 1."""
    law, amount = rows.law[i], rows.amount[i]
    if law == UNIFORM:
        return scaled(row3(rows.axis, i), amount), -amount * dot(row3(rows.axis, i), r)
    if law == POWER:
        factor, energy = power_law(amount, rows.power[i], dot(r, r) + rows.soft[i] * rows.soft[i])
        return scaled(r, factor), energy
    width = rows.width[i]
    if law == WELL:
        depth = amount * math.exp(-0.5 * dot(r, r) / (width * width))
        return scaled(r, -depth / (width * width)), -depth
    if law == BALL:
        distance = norm(r)
        force, energy = repelling(amount, distance - rows.radius[i], width)
        return scaled(r, force / distance if distance > 0.0 else 0.0), energy
    if law == PLANE:
        force, energy = repelling(amount, dot(row3(rows.axis, i), r), width)
        return scaled(row3(rows.axis, i), force), energy
    about = cross(row3(rows.axis, i), r)
    return scaled(about, amount * math.exp(-0.5 * dot(about, about) / (width * width))), 0.0


@inlined
def smooth(u):
    """0 below 0, 1 above 1, without a kink in between."""
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@kernel
def window(rows, i, x):
    """How much of the field there is at x, 1 where it has no box."""
    if not rows.edge[i] > 0.0:
        return 1.0
    part = 1.0
    for axis in range(3):
        part *= smooth((x[axis] - rows.low[i, axis]) / rows.edge[i]) * smooth((rows.high[i, axis] - x[axis]) / rows.edge[i])
    return part


@kernel
def field_at(rows, i, drives, buffers, now, time, inside):
    """Force on end i [N], its potential [J] and what the share adds to that [W], and whether there is one."""
    x = end_place(now, rows.target[i])
    r = minus(x, end_place(now, rows.around[i]) if rows.around[i] != NO_END else row3(rows.centre, i))
    force, energy = law_of(rows, i, r)
    share, growth = present_share(rows, i, drives, buffers, time, inside)
    if rows.law[i] == VORTEX or rows.edge[i] > 0.0:
        return scaled(force, share * window(rows, i, x)), 0.0, 0.0, False
    return scaled(force, share), share * energy, growth * energy, True


@kernel
def push(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.target)):
        force, energy, _, _ = field_at(rows, i, drives, buffers, now, time, inside)
        push_end(now, rows.target[i], force, 1.0)
        if rows.around[i] != NO_END:
            push_end(now, rows.around[i], force, -1.0)
        tell(buffers, rows.entry[i], 0, force)
        store(buffers, rows.entry[i], energy)


@kernel
def power(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.target)):
        force, _, growth, stored = field_at(rows, i, drives, buffers, now, time, inside)
        if stored:
            work(buffers, rows.entry[i], growth)
        else:
            v = end_velocity(now, rows.target[i])
            if rows.around[i] != NO_END:
                v = minus(v, end_velocity(now, rows.around[i]))
            work(buffers, rows.entry[i], dot(force, v))


@kernel
def slope_of(rows, i, r):
    """A bound of |∂F/∂x| [N/m], of a share of 1."""
    law, amount, width = rows.law[i], abs(rows.amount[i]), rows.width[i]
    if law == UNIFORM:
        steep = 0.0
    elif law == POWER:
        n, square = rows.power[i], dot(r, r) + rows.soft[i] * rows.soft[i]
        steep = amount * max(abs(n), 1.0) * math.sqrt(square)**(n - 1.0) if square > 0.0 else 0.0
    elif law == WELL:
        steep = amount / (width * width)   # at the middle; elsewhere less
    elif law == VORTEX:
        steep = amount
    else:
        distance = norm(r) - rows.radius[i] if law == BALL else dot(row3(rows.axis, i), r)
        near = max(min(distance, width), NEAREST * width)
        force, _ = repelling(amount, near, width)
        # dF/dd = S (3/d⁴ − 2/(D d³)), at the edge S/D⁴; across a ball F/r
        steep = amount * (3.0 / near - 2.0 / width) / (near * near * near)
        if law == BALL and norm(r) > 0.0:
            steep = max(steep, force / norm(r))
    if rows.edge[i] > 0.0:
        steep += 3.0 * 1.5 / rows.edge[i] * norm(law_of(rows, i, r)[0])
    return steep


@kernel
def bound(rows, drives, buffers, now, time, inside):
    for i in range(len(rows.target)):
        x = end_place(now, rows.target[i])
        r = minus(x, end_place(now, rows.around[i]) if rows.around[i] != NO_END else row3(rows.centre, i))
        steep = slope_of(rows, i, r) * abs(present_share(rows, i, drives, buffers, time, inside)[0])
        if rows.around[i] != NO_END:
            steep *= 2.0
            stiffen_end(buffers, rows.around[i], steep, 0.0)
        stiffen_end(buffers, rows.target[i], steep, 0.0)


ACT = Act("field", FieldRows, (STORED, WORK), push=push, power=power, bound=bound)
