"""The triangles of a height field as seen from a point: their corners, how far away they are, which is the nearest."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.ground import field_height
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, scaled


@inlined
def corner_of(fields, number, i, j):
    return (fields.origin[number, 0] + i * fields.spacing[number, 0], fields.origin[number, 1] + j * fields.spacing[number, 1],
            fields.origin[number, 2] + fields.height[fields.start[number] + i * fields.shape[number, 1] + j])


@kernel
def corners_of(fields, number, triangle):
    """Corners of triangle 2 (i (nv − 1) + j) + half, counterclockwise from above."""
    cell, half = triangle // 2, triangle % 2
    i, j = cell // (fields.shape[number, 1] - 1), cell % (fields.shape[number, 1] - 1)
    a, c = corner_of(fields, number, i, j), corner_of(fields, number, i + 1, j + 1)
    if half == 0:
        return a, corner_of(fields, number, i + 1, j), c
    return a, c, corner_of(fields, number, i, j + 1)


@kernel
def nearest_on_edge(a, b, p):
    along = minus(b, a)
    share = dot(minus(p, a), along) / dot(along, along)
    return plus(a, scaled(along, min(max(share, 0.0), 1.0)))


@kernel
def reach_triangle(fields, number, triangle, p, as_plane, limit):
    """Distance, direction and nearest point of a triangle from p; over (or under, negative) its inside those of its plane.

    Where already the plane is not nearer than `limit`, that is all that is told.
    """
    a, b, c = corners_of(fields, number, triangle)
    n = cross(minus(b, a), minus(c, a))
    n = scaled(n, 1.0 / norm(n))
    height = dot(n, minus(p, a))
    foot = minus(p, scaled(n, height))
    if as_plane or height >= limit:
        return height, n, foot
    ab = dot(n, cross(minus(b, a), minus(foot, a)))
    bc = dot(n, cross(minus(c, b), minus(foot, b)))
    ca = dot(n, cross(minus(a, c), minus(foot, c)))
    if ab >= 0.0 and bc >= 0.0 and ca >= 0.0:
        return height, n, foot
    best, point = math.inf, a
    if ab < 0.0:
        point = nearest_on_edge(a, b, p)
        best = norm(minus(p, point))
    if bc < 0.0:
        other = nearest_on_edge(b, c, p)
        size = norm(minus(p, other))
        if size < best:
            best, point = size, other
    if ca < 0.0:
        other = nearest_on_edge(c, a, p)
        size = norm(minus(p, other))
        if size < best:
            best, point = size, other
    if not 0.0 < best < math.inf:
        return height, n, foot
    return best, scaled(minus(p, point), 1.0 / best), point


@kernel
def cell_at(x, count):
    """The cell of a grid coordinate, or the outermost one."""
    if not x > 0.0:
        return 0
    return min(int(x), count - 2) if x < count else count - 2


@kernel
def triangle_under(fields, number, p):
    """The triangle that a centre on or under the surface is to be lifted from; −1 where it is above or beside the field."""
    if not p[2] < field_height(fields, number, p[0], p[1]):
        return -1
    u = (p[0] - fields.origin[number, 0]) / fields.spacing[number, 0]
    w = (p[1] - fields.origin[number, 1]) / fields.spacing[number, 1]
    i, j = cell_at(u, fields.shape[number, 0]), cell_at(w, fields.shape[number, 1])
    return 2 * (i * (fields.shape[number, 1] - 1) + j) + (0 if u - i >= w - j else 1)


@kernel
def nearest_triangle(fields, number, p, reach):
    """The triangle that p is deepest under or nearest to, within `reach`, and its distance; −1 if there is none."""
    under = triangle_under(fields, number, p)
    if under >= 0:
        return under, reach_triangle(fields, number, under, p, True, 0.0)[0]
    nu, nv = fields.shape[number, 0], fields.shape[number, 1]
    x, y = p[0] - fields.origin[number, 0], p[1] - fields.origin[number, 1]
    du, dv = fields.spacing[number, 0], fields.spacing[number, 1]
    found, best = -1, reach
    if not (x + reach >= 0.0 and y + reach >= 0.0 and x - reach <= (nu - 1) * du and y - reach <= (nv - 1) * dv):
        return found, best
    for i in range(cell_at((x - reach) / du, nu), cell_at((x + reach) / du, nu) + 1):
        for j in range(cell_at((y - reach) / dv, nv), cell_at((y + reach) / dv, nv) + 1):
            first = fields.start[number] + i * nv + j
            top = fields.origin[number, 2] + max(max(fields.height[first], fields.height[first + 1]),
                                                 max(fields.height[first + nv], fields.height[first + nv + 1]))
            if p[2] - top >= best:
                continue
            for half in range(2):
                triangle = 2 * (i * (nv - 1) + j) + half
                distance = reach_triangle(fields, number, triangle, p, False, best)[0]
                if distance < best:
                    found, best = triangle, distance
    return found, best
