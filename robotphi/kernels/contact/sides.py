"""The two sides of a contact: how fast the material of a part moves at a point, and how a force at a point gets to it.

A part on a rigid takes a force at a point as force and moment; a free particle takes it as it is; what is fixed takes nothing.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.maths.vectors import add_to, cross, minus, plus, read
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, get3


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
