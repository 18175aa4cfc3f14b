"""Pressure of the ground, a half space or a height field, on the facets of a polyhedron.

Ground of stiffness λ [N/m³] stores U = λ ∫ φ dV over the part of the body below its surface, φ the length of ground above a
point along n. The surface of the body feels the pressure λ φ along −N: the exact gradient, side walls included, and for a
half space Archimedes' force λ × volume through the centroid. Damping (Hunt and Crossley 1975) makes the pressure of the
lower facets λ φ (1 + s max(−1, d ġ)), ġ the rate at which the facet sinks in, s the share that upper facets, which take from
the force where they are below the surface too, leave of it: the force as a whole never pulls.
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.clip import (
    arms,
    facet_rows,
    frame,
    give_share,
    integrate_behind,
    integrate_polygon,
    normal_length,
    press_facet,
)
from robotphi.kernels.contact.press.facets import part_over
from robotphi.kernels.contact.press.near import FAR
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, plus, read
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, get_orientation, rotate

ON_LINE = 1e-9  # of a cell: a wall along a line of the grid has half of its pressure from either side


# Where the ground is ----------------------------------------------------------------------------------------------------

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


# Its pressure -----------------------------------------------------------------------------------------------------------

@inlined
def sinking(n, p, velocity, surface_velocity, surface_spin, surface_at):
    """ġ at p: n·(velocity of the ground − velocity of the body)."""
    ground = plus(surface_velocity, cross(surface_spin, minus(p, surface_at)))
    return dot(n, minus(ground, velocity))


@inlined
def press_facet_on_plane(facets, places, facet, x, v, force, n, level, surface_velocity, surface_spin, surface_at, stiffness,
                         lossy, origin, share, sums, k):
    """One facet of which something is below the plane."""
    r0, r1, r2 = facet_rows(facets, facet)
    x0, x1, x2 = read(x, r0), read(x, r1), read(x, r2)
    gap = (level - dot(n, x0), level - dot(n, x1), level - dot(n, x2))
    area = cross(minus(x1, x0), minus(x2, x0))
    rate = (0.0, 0.0, 0.0)
    if lossy[0] > 0.0 and dot(area, n) < 0.0:  # far sides, which press back, are not damped
        rate = (sinking(n, x0, read(v, r0), surface_velocity, surface_spin, surface_at),
                sinking(n, x1, read(v, r1), surface_velocity, surface_spin, surface_at),
                sinking(n, x2, read(v, r2), surface_velocity, surface_spin, surface_at))
    arm = (minus(x0, origin), minus(x1, origin), minus(x2, origin))
    s, t = frame(n)
    across = ((dot(s, arm[0]), dot(t, arm[0])), (dot(s, arm[1]), dot(t, arm[1])), (dot(s, arm[2]), dot(t, arm[2])))
    most = max(gap[0], max(gap[1], gap[2]))
    total = integrate_behind(gap, most, rate, lossy, across)
    s0, s1, s2 = press_facet(total, -stiffness, area, n, n, arm, (r0, r1, r2), force, sums, k, 1.0)
    give_share(share, facet_rows(places, facet), s0, s1, s2)


@kernel
def press_on_plane(parts, a, x, v, force, n, level, surface_velocity, surface_spin, surface_at, stiffness, lossy, origin,
                   share, sums, k):
    """Pressure of the half space n·p < level on part a; its material moves as a rigid at the given velocity and spin."""
    facets, places = parts.facet, parts.facet_vertex
    for facet in range(parts.facet_start[a], parts.facet_start[a + 1]):
        r0, r1, r2 = facets[facet, 0], facets[facet, 1], facets[facet, 2]
        if (dot(n, read(x, r0)) < level or dot(n, read(x, r1)) < level or dot(n, read(x, r2)) < level):
            press_facet_on_plane(facets, places, facet, x, v, force, n, level, surface_velocity, surface_spin, surface_at,
                                 stiffness, lossy, origin, share, sums, k)


@inlined
def cells_over(low, high, count):
    """First and last of `count` cells that a range [in cells] meets; none if it meets none, or is not a number."""
    if not (high >= -ON_LINE and low <= count + ON_LINE):
        return 0, -1
    return int(min(max(low - ON_LINE, 0.0), count - 1.0)), int(min(max(high + ON_LINE, 0.0), count - 1.0))


@inlined
def grid_point(fields, number, i, j, origin):
    """A point of the surface from the reference point."""
    height = fields.height[fields.start[number] + i * fields.shape[number, 1] + j]
    return (fields.origin[number, 0] + i * fields.spacing[number, 0] - origin[0],
            fields.origin[number, 1] + j * fields.spacing[number, 1] - origin[1], fields.origin[number, 2] + height - origin[2])


@inlined
def added(a, b, weight):
    return (a[0] + weight * b[0], a[1] + weight * b[1], a[2] + weight * b[2], a[3] + weight * b[3], a[4] + weight * b[4],
            a[5] + weight * b[5], a[6] + weight * b[6], a[7] + weight * b[7], a[8] + weight * b[8], a[9] + weight * b[9],
            a[10] + b[10])


@kernel
def press_under_triangle(corner, own, ground, points, rows, v, stiffness, lossy, force, sums, k):
    """Pressure of one triangle of the field on what lies of the facet `own` below it; returns the shares of its corners.

    The depth of matter that moves grows by −v·l, l = (−h_x, −h_y, 1), and the damping acts along that direction: what slides
    along a slope is not held back by it. It goes by the speed −v·l/|l|: hit along its normal, a slope damps like a plane.
    """
    big = cross(minus(ground[1], ground[0]), minus(ground[2], ground[0]))
    lean = (big[0] / big[2], big[1] / big[2], 1.0)
    lossy = lossy[0] / norm(lean), lossy[1]
    seen, _ = normal_length(ground)
    begin, count, weight, gap, most, _, _ = part_over(corner, own, ground, points, seen, 1.0)
    if weight == 0.0:
        return 0.0, 0.0, 0.0
    area = cross(minus(own[1], own[0]), minus(own[2], own[0]))
    rate = (0.0, 0.0, 0.0)
    if lossy[0] > 0.0 and area[2] < 0.0:
        rate = (-dot(read(v, rows[0]), lean), -dot(read(v, rows[1]), lean), -dot(read(v, rows[2]), lean))
    total = added((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                  integrate_polygon(corner, begin, count, gap, most, rate, lossy, own), weight)
    if not total[0] > 0.0:
        return 0.0, 0.0, 0.0
    return press_facet(total, -stiffness, area, (0.0, 0.0, 1.0), lean, own, rows, force, sums, k, 1.0)


@inlined
def cells_under(low, high, fields, number, origin):
    """Cells under a box of places from the reference point: first and last along u, then along v."""
    u, w = fields.origin[number, 0] - origin[0], fields.origin[number, 1] - origin[1]
    du, dv = fields.spacing[number, 0], fields.spacing[number, 1]
    first_u, last_u = cells_over((low[0] - u) / du, (high[0] - u) / du, fields.shape[number, 0] - 1)
    first_v, last_v = cells_over((low[1] - w) / dv, (high[1] - w) / dv, fields.shape[number, 1] - 1)
    return first_u, last_u, first_v, last_v


@inlined
def least(a, b):
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@inlined
def greatest(a, b):
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@kernel
def highest_under(facets, first, end, x, fields, number, origin):
    """Height of the highest point of the field under the facets first … end, from the reference point."""
    low, high = (FAR, FAR, FAR), (-FAR, -FAR, -FAR)
    for facet in range(first, end):
        a, b, c = arms(x, facet_rows(facets, facet), origin)
        low, high = least(low, least(a, least(b, c))), greatest(high, greatest(a, greatest(b, c)))
    first_u, last_u, first_v, last_v = cells_under(low, high, fields, number, origin)
    top = -FAR
    if last_u >= first_u and last_v >= first_v:
        for i in range(first_u, last_u + 2):
            for j in range(first_v, last_v + 2):
                top = max(top, grid_point(fields, number, i, j, origin)[2])
    return top


@kernel
def press_facet_on_field(corner, own, low, fields, number, origin, rows, v, stiffness, lossy, force, sums, k):
    """Pressure of the field on one facet; `low` is the height of its lowest corner. Returns the shares of its corners."""
    share = (0.0, 0.0, 0.0)
    nv = fields.shape[number, 1]
    first_u, last_u, first_v, last_v = cells_under(least(own[0], least(own[1], own[2])),
                                                   greatest(own[0], greatest(own[1], own[2])), fields, number, origin)
    for i in range(first_u, last_u + 1):
        for j in range(first_v, last_v + 1):
            a, b = grid_point(fields, number, i, j, origin), grid_point(fields, number, i + 1, j, origin)
            c, d = grid_point(fields, number, i + 1, j + 1, origin), grid_point(fields, number, i, j + 1, origin)
            row = i * nv + j
            if low < max(a[2], max(b[2], c[2])):
                share = plus(share, press_under_triangle(corner, own, (a, b, c), (row, row + nv, row + nv + 1), rows, v,
                                                         stiffness, lossy, force, sums, k))
            if low < max(a[2], max(c[2], d[2])):
                share = plus(share, press_under_triangle(corner, own, (a, c, d), (row, row + nv + 1, row + 1), rows, v,
                                                         stiffness, lossy, force, sums, k))
    return share


@kernel
def press_on_field(parts, a, x, v, force, fields, number, stiffness, lossy, origin, scratch_corner, share, sums, k):
    """Pressure of the height field `number`, at rest, on part a along z; beside the grid there is no ground.

    Each triangle of the field cuts its prism out of a facet. Scratch: corner (CORNER_ROWS, 2).
    """
    facets, places = parts.facet, parts.facet_vertex
    first, end = np.int64(parts.facet_start[a]), np.int64(parts.facet_start[a + 1])
    top = highest_under(facets, first, end, x, fields, number, origin)
    for facet in range(first, end):
        rows = facet_rows(facets, facet)
        arm = arms(x, rows, origin)
        low = min(arm[0][2], min(arm[1][2], arm[2][2]))
        if not low < top:
            continue
        s0, s1, s2 = press_facet_on_field(scratch_corner, arm, low, fields, number, origin, rows, v, stiffness, lossy,
                                          force, sums, k)
        give_share(share, facet_rows(places, facet), s0, s1, s2)
