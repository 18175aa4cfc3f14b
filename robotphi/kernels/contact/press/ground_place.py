"""Where planes and height fields are."""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import dot, plus
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, get3, get_orientation, rotate


@kernel
def plane_now(parts, plane, rigid):
    """Normal and level n·p of a plane, where its rigid now carries it."""
    point = (parts.plane[plane, 0], parts.plane[plane, 1], parts.plane[plane, 2])
    n = (parts.plane[plane, 3], parts.plane[plane, 4], parts.plane[plane, 5])
    i = parts.rigid[plane]
    if i >= 0:
        q = get_orientation(rigid, i)
        n = rotate(q, n)
        point = plus(get3(rigid, i, CENTRE), rotate(q, point))
    return n, dot(n, point)


@kernel
def surface_motion(parts, part, rigid):
    """Velocity, spin and reference point of the material of a part on a rigid, or fixed."""
    i = parts.rigid[part]
    if i >= 0:
        return get3(rigid, i, VELOCITY), get3(rigid, i, SPIN), get3(rigid, i, CENTRE)
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@kernel
def field_height(fields, number, x, y):
    """Height of a field at a place [m]; −∞ beside its grid."""
    u = (x - fields.origin[number, 0]) / fields.spacing[number, 0]
    w = (y - fields.origin[number, 1]) / fields.spacing[number, 1]
    nu, nv = fields.shape[number, 0], fields.shape[number, 1]
    if not (u >= 0.0 and w >= 0.0 and u <= nu - 1 and w <= nv - 1):
        return -math.inf
    i, j = min(int(u), nu - 2), min(int(w), nv - 2)
    u, w = u - i, w - j
    first = fields.start[number] + i * nv + j
    low, high = fields.height[first], fields.height[first + nv + 1]
    if u >= w:  # the triangle (0,0)–(1,0)–(1,1)
        middle = fields.height[first + nv]
        height = low + u * (middle - low) + w * (high - middle)
    else:
        middle = fields.height[first + 1]
        height = low + w * (middle - low) + u * (high - middle)
    return fields.origin[number, 2] + height
