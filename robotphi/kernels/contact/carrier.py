"""What carries a contact direction between two polyhedra from one accepted step to the next.

The energy of a pair depends on the direction n. Where n turns with matter (the rigid of a part, a facet, two edges), the energy
is a function of positions alone, its gradient has a part that turns that matter, and both momenta are exact: the couple that
the forces at a held n lack is just that part. Only when the direction is asked for anew and comes out another does the energy
change without work; that is the ledger's entry of its own.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact.columns import (
    BY_EDGES,
    BY_FIRST,
    BY_SECOND,
    BY_TRIANGLE,
    CARRIER,
    CARRIER_ROW,
    FIRST,
    LOCAL_X,
    NORMAL_X,
    SECOND,
)
from robotphi.kernels.maths.vectors import add_to, cross, dot, get3, minus, norm, plus, read, scaled, set3, unit
from robotphi.kernels.step.rigids import get_orientation, rotate, rotate_back


@kernel
def triangle_frame(x, r0, r1, r2):
    """Unit vectors along the first side, across it in the plane, and along the normal of a triangle of rows."""
    at = read(x, r0)
    side = minus(read(x, r1), at)
    normal = unit(cross(side, minus(read(x, r2), at)))
    along = unit(side)
    return along, cross(normal, along), normal


@kernel
def carried_direction(pairs, numbers, k, parts, x, rigid):
    """n of pair k where its carrier now is."""
    how = pairs[k, CARRIER]
    n = get3(numbers, k, NORMAL_X)
    local = get3(numbers, k, LOCAL_X)
    if how == BY_SECOND or how == BY_FIRST:
        part = pairs[k, SECOND] if how == BY_SECOND else pairs[k, FIRST]
        return rotate(get_orientation(rigid, parts.rigid[part]), local)
    if how == BY_TRIANGLE:
        a, b, c = triangle_frame(x, pairs[k, CARRIER_ROW], pairs[k, CARRIER_ROW + 1], pairs[k, CARRIER_ROW + 2])
        return unit(plus(plus(scaled(a, local[0]), scaled(b, local[1])), scaled(c, local[2])))
    if how == BY_EDGES:
        return scaled(unit(edges_normal(pairs, k, x)), local[0])
    return n


@kernel
def edges_normal(pairs, k, x):
    first = minus(read(x, pairs[k, CARRIER_ROW + 1]), read(x, pairs[k, CARRIER_ROW]))
    second = minus(read(x, pairs[k, CARRIER_ROW + 3]), read(x, pairs[k, CARRIER_ROW + 2]))
    return cross(first, second)


@kernel
def fix_direction(pairs, numbers, k, parts, x, rigid, n):
    """Let the carrier of pair k carry n from here on."""
    how = pairs[k, CARRIER]
    set3(numbers, k, NORMAL_X, n)
    if how == BY_SECOND or how == BY_FIRST:
        part = pairs[k, SECOND] if how == BY_SECOND else pairs[k, FIRST]
        set3(numbers, k, LOCAL_X, rotate_back(get_orientation(rigid, parts.rigid[part]), n))
    elif how == BY_TRIANGLE:
        a, b, c = triangle_frame(x, pairs[k, CARRIER_ROW], pairs[k, CARRIER_ROW + 1], pairs[k, CARRIER_ROW + 2])
        set3(numbers, k, LOCAL_X, (dot(a, n), dot(b, n), dot(c, n)))
    elif how == BY_EDGES:
        set3(numbers, k, LOCAL_X, (1.0 if dot(edges_normal(pairs, k, x), n) > 0.0 else -1.0, 0.0, 0.0))


@kernel
def add_couple(pairs, k, x, force, n, couple):
    """Give a couple to the rows that carry the direction, as forces whose sum is nothing.

    A triangle takes what tilts it by forces along its normal, which are unique, and what turns it by two forces across its
    first side; two edges take what tilts n by forces along n on their ends.
    """
    row = CARRIER_ROW
    if pairs[k, CARRIER] == BY_TRIANGLE:
        r0, r1, r2 = pairs[k, row], pairs[k, row + 1], pairs[k, row + 2]
        _, across, normal = triangle_frame(x, r0, r1, r2)
        at = read(x, r0)
        d1, d2 = minus(read(x, r1), at), minus(read(x, r2), at)
        area, side = dot(cross(d1, d2), normal), norm(d1)
        if not (area > 0.0 and side > 0.0):
            return
        w = cross(normal, couple)
        f1 = dot(cross(w, d2), normal) / area
        f2 = dot(cross(d1, w), normal) / area
        turn = dot(couple, normal) / side
        add_to(force, r1, normal, f1)
        add_to(force, r2, normal, f2)
        add_to(force, r0, normal, -(f1 + f2))
        add_to(force, r1, across, turn)
        add_to(force, r0, across, -turn)
    elif pairs[k, CARRIER] == BY_EDGES:
        u = cross(minus(read(x, pairs[k, row + 1]), read(x, pairs[k, row])), n)
        w = cross(minus(read(x, pairs[k, row + 3]), read(x, pairs[k, row + 2])), n)
        area = dot(cross(u, w), n)
        if not math.fabs(area) > 0.0:
            return
        fu = dot(cross(couple, w), n) / area
        fw = dot(cross(u, couple), n) / area
        add_to(force, pairs[k, row + 1], n, fu)
        add_to(force, pairs[k, row], n, -fu)
        add_to(force, pairs[k, row + 3], n, fw)
        add_to(force, pairs[k, row + 2], n, -fw)
