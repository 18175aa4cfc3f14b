"""The two sides of a contact: how fast the material of a part moves at a point, how a force there gets to it, and how long a
step that allows.

A part on a rigid takes a force at a point as force and moment; a free particle takes it as it is; what is fixed takes nothing.

A spring K between two bodies gives (see `stability`) ω² ≤ Σ 2 K w on each, w = 1/M + r²/I for a rigid and 1/m for a particle;
where the other side is fixed the factor 2 falls away. Contact forces of one instant are bounded by what they are now.
"""
import math
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.maths.vectors import add_to, cross, dot, get3, minus, plus, read
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY


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


@kernel
def bound_part(now, part, other, row, point, spread, stiffness, damping):
    """Let a contact spring count for one of its parts: a rigid, or the particle of `row`."""
    arrays, limits, totals = now.arrays, now.touch.limits, now.touch.totals
    share = 2.0 if math.isfinite(arrays.contact.parts.size[other, c.MASS]) else 1.0
    i = arrays.contact.parts.rigid[part]
    if i >= 0:
        w = share * rigid_mobility(arrays.rigids, now.rigid, i, point, spread)
        limits[i, 0] += stiffness * w
        limits[i, 1] += damping * w
        totals[c.TOTAL_SQUARE] = max(totals[c.TOTAL_SQUARE], limits[i, 0])
        totals[c.TOTAL_DAMPING] = max(totals[c.TOTAL_DAMPING], limits[i, 1])
    elif row >= 0:
        w = share * arrays.particles.inverse_mass[row]
        totals[c.TOTAL_SQUARE] = max(totals[c.TOTAL_SQUARE], stiffness * w)
        totals[c.TOTAL_DAMPING] = max(totals[c.TOTAL_DAMPING], damping * w)
    totals[c.TOTAL_STIFFEST] = max(totals[c.TOTAL_STIFFEST], stiffness)


@kernel
def bound_vertices(now, part, stiffness, damping, rubs):
    """Let the vertices of a soft part count that have a share of the force: λ times the area around, and what friction adds.

    Friction's spring has the same stiffness unless told, with critical damping.
    """
    parts, particles, totals, share = now.arrays.contact.parts, now.arrays.particles, now.touch.totals, now.touch.share
    for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        if share[place] > 0.0:
            w = 2.0 * particles.inverse_mass[parts.vertex[place]]
            square = stiffness * parts.vertex_area[place] * w
            rate = damping * share[place] * w
            totals[c.TOTAL_SQUARE] = max(totals[c.TOTAL_SQUARE], square)
            totals[c.TOTAL_DAMPING] = max(totals[c.TOTAL_DAMPING], rate + (math.sqrt(2.0 * square) if rubs else 0.0))
            totals[c.TOTAL_STIFFEST] = max(totals[c.TOTAL_STIFFEST], stiffness * parts.vertex_area[place])
