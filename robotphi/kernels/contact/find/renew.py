"""The contact direction and the gap of a pair at an accepted step."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.carrier import carried_direction, fix_direction
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.kernels.contact.find.direction import SAME_DIRECTION, contact_direction
from robotphi.kernels.contact.find.round_direction import round_direction
from robotphi.kernels.contact.press.ball_solid import ball_on_solid
from robotphi.kernels.contact.press.field_places import corner_of
from robotphi.kernels.contact.press.ground import field_height, plane_now
from robotphi.kernels.contact.press.touch_round_pairs import gap_to_round
from robotphi.kernels.contact.press.touch_rounds import cells_below
from robotphi.kernels.maths.vectors import dot, get3, minus, norm, read, set3, unit

ROUND_TURNED = 1e-7   # a direction found for what is curved that is nearer than this to the one held is the same


@kernel
def lowest_over(parts, part, x, n, level):
    """Smallest n·x − level of the vertices of a part, less what is around them."""
    lowest = math.inf
    for k in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        lowest = min(lowest, dot(read(x, parts.vertex[k]), n))
    return lowest - level - parts.size[part, c.RADIUS]


@kernel
def lowest_over_field(contact, part, x, field):
    """Smallest height of the vertices of a part over a field, less what is around them."""
    parts, lowest = contact.parts, math.inf
    for k in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        p = read(x, parts.vertex[k])
        lowest = min(lowest, p[2] - field_height(contact.fields, parts.field[field], p[0], p[1]))
    return lowest - parts.size[part, c.RADIUS]


@kernel_unless(NoOutlines, lambda contact, part, x, field: 0.0)
def over_field(contact, part, x, field):
    """How far a round part with an axis is above all that is under it of a field, at least; 0 beside it."""
    parts, fields, number = contact.parts, contact.fields, contact.parts.field[field]
    first_u, last_u, first_v, last_v, low = cells_below(parts, part, x, fields, number)
    if last_u < first_u or last_v < first_v:
        return 0.0
    top = -math.inf
    for i in range(first_u, last_u + 2):
        for j in range(first_v, last_v + 2):
            top = max(top, corner_of(fields, number, i, j)[2])
    return low - top


@kernel
def box_gap(box, a, b):
    """The largest distance of two boxes along an axis, and that direction from b to a; no more than 0 where they meet."""
    best, n = -math.inf, (0.0, 0.0, 1.0)
    for axis in range(3):
        for sign in (1.0, -1.0):
            gap = box[a, axis] - box[b, 3 + axis] if sign > 0.0 else box[b, axis] - box[a, 3 + axis]
            if gap > best:
                best = gap
                n = (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
    return best, n


@kernel
def renew_direction(arrays, touch, x, v, rigid, k, cold):
    """Direction and gap of pair k; returns whether a direction that forces had used became another."""
    contact = arrays.contact
    parts, pairs, numbers = contact.parts, touch.pairs, touch.numbers
    a, b, case = pairs[k, c.FIRST], pairs[k, c.SECOND], pairs[k, c.CASE]
    if case == kinds.SOLID_SOLID:
        return ask_solids(arrays, touch, x, rigid, k, cold)
    if case == kinds.BALL_SOLID:
        return ask_ball(arrays, touch, x, k, cold)
    if case == kinds.ROUND_SOLID or case == kinds.ROUND_CYLINDER or case == kinds.ROUND_WHEEL:
        return ask_round(arrays, touch, x, rigid, k, cold)
    if case == kinds.CAPSULE_CAPSULE:
        n, gap = round_direction(parts, a, b, x, get3(numbers, k, c.NORMAL_X))
    elif case == kinds.BALL_BALL:
        apart = minus(read(x, parts.vertex[parts.vertex_start[a]]), read(x, parts.vertex[parts.vertex_start[b]]))
        n = unit(apart)
        gap = norm(apart) - parts.size[a, c.RADIUS] - parts.size[b, c.RADIUS]
    elif case == kinds.BALL_CAPSULE or case == kinds.BALL_CYLINDER or case == kinds.BALL_WHEEL:
        gap, n = gap_to_round(parts, b, x, read(x, parts.vertex[parts.vertex_start[a]]))
        gap -= parts.size[a, c.RADIUS]
    elif case == kinds.SELF:
        n, gap = (0.0, 0.0, 1.0), 0.0
    elif parts.kind[b] == kinds.PLANE:
        n, level = plane_now(parts, b, rigid)
        gap = lowest_over(parts, a, x, n, level)
    elif parts.kind[b] == kinds.FIELD:
        n = (0.0, 0.0, 1.0)
        gap = over_field(contact, a, x, b) if case == kinds.ROUND_FIELD else lowest_over_field(contact, a, x, b)
    else:
        gap, n = box_gap(touch.box, a, b)
    if pairs[k, c.TOUCHING] == 0:
        set3(numbers, k, c.NORMAL_X, n)
    numbers[k, c.GAP] = gap
    return False


@kernel
def ask_ball(arrays, touch, x, k, cold):
    """A ball and a polyhedron: the distance of the centre, less the radius.

    Where the centre is inside, another direction to lift it along, or having come out by another side, changes the depth
    without work; returns whether it did.
    """
    contact = arrays.contact
    parts, pairs, numbers = contact.parts, touch.pairs, touch.numbers
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    inside, before = pairs[k, c.OVERLAPS] == 1, 0.0
    if inside:
        if cold:
            return False  # kept as the frame holds it
        before, _ = ball_on_solid(parts, touch, x, k)
    n, gap, simplex, _, _ = contact_direction(
        x, parts.vertex, parts.vertex_start[a], parts.vertex_start[a + 1], parts.vertex_start[b], parts.vertex_start[b + 1],
        parts.neighbour_start, parts.neighbour, get3(numbers, k, c.NORMAL_X),
        max(-numbers[k, c.GAP] - parts.size[a, c.RADIUS], 0.0),
        touch.motion[b, 5], simplex_of(pairs, k))
    keep_simplex(pairs, k, simplex)
    set3(numbers, k, c.NORMAL_X, n)
    numbers[k, c.GAP] = gap - parts.size[a, c.RADIUS]
    pairs[k, c.OVERLAPS] = 1 if gap < 0.0 else 0
    if not inside:
        return False
    after, _ = ball_on_solid(parts, touch, x, k)
    return pairs[k, c.TOUCHING] == 1 and math.fabs(after - before) > SAME_DIRECTION * touch.motion[b, 5]


@kernel_unless(NoOutlines, lambda arrays, touch, x, rigid, k, cold: False)
def ask_round(arrays, touch, x, rigid, k, cold):
    """A round part and a rigid one that carries the direction; returns whether one in use became another."""
    parts, pairs, numbers = arrays.contact.parts, touch.pairs, touch.numbers
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    overlaps = pairs[k, c.OVERLAPS] == 1
    if overlaps and cold:
        return False  # kept as the frame holds it
    held = carried_direction(pairs, numbers, k, parts, x, rigid)
    n, gap = round_direction(parts, a, b, x, held)
    numbers[k, c.GAP] = gap
    changed = norm(minus(n, held)) > ROUND_TURNED
    pairs[k, c.OVERLAPS], pairs[k, c.CARRIER] = 1 if gap < 0.0 else 0, c.BY_SECOND
    fix_direction(pairs, numbers, k, parts, x, rigid, n if changed or not overlaps else held)
    return pairs[k, c.TOUCHING] == 1 and changed


@inlined
def simplex_of(pairs, k):
    i = c.SIMPLEX
    return (pairs[k, i], pairs[k, i + 1], pairs[k, i + 2], pairs[k, i + 3], pairs[k, i + 4], pairs[k, i + 5],
            pairs[k, i + 6], pairs[k, i + 7], pairs[k, i + 8])


@inlined
def keep_simplex(pairs, k, simplex):
    for i in range(9):
        pairs[k, c.SIMPLEX + i] = simplex[i]


@kernel
def ask_solids(arrays, touch, x, rigid, k, cold):
    """Two polyhedra: GJK, and in contact the direction asked for anew from the one held (RR-3072 §4.2)."""
    parts, pairs, numbers = arrays.contact.parts, touch.pairs, touch.numbers
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    overlaps = pairs[k, c.OVERLAPS] == 1
    if overlaps and cold:
        return False  # kept as the frame holds it
    held = carried_direction(pairs, numbers, k, parts, x, rigid)
    size = min(touch.motion[a, 5], touch.motion[b, 5])
    n, gap, simplex, _, asks = contact_direction(
        x, parts.vertex, parts.vertex_start[a], parts.vertex_start[a + 1], parts.vertex_start[b], parts.vertex_start[b + 1],
        parts.neighbour_start, parts.neighbour, held, max(-numbers[k, c.GAP], 0.0), size, simplex_of(pairs, k))
    keep_simplex(pairs, k, simplex)
    numbers[k, c.GAP] = gap
    if gap < 0.0:
        touch.sizes[c.ASKS] += asks
        touch.sizes[c.ASKED] += 1
    used = pairs[k, c.TOUCHING] == 1
    changed = norm(minus(n, held)) > SAME_DIRECTION
    pairs[k, c.OVERLAPS] = 1 if gap < 0.0 else 0
    choose_carrier(parts, pairs, k, x)
    fix_direction(pairs, numbers, k, parts, x, rigid, n if changed or not overlaps else held)
    return used and changed


@kernel
def choose_carrier(parts, pairs, k, x):
    """What the direction of pair k turns with: the face or edges it comes from, else a rigid, else a facet."""
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    first, second = parts.rigid[a], parts.rigid[b]
    simplex = simplex_of(pairs, k)
    a0, a1, a2, of_a = distinct(simplex[0], simplex[1], simplex[2], simplex[3], simplex[4])
    b0, b1, b2, of_b = distinct(simplex[0], simplex[5], simplex[6], simplex[7], simplex[8])
    row = c.CARRIER_ROW
    if of_b >= 3 and of_a == 1:
        if second >= 0:
            pairs[k, c.CARRIER] = c.BY_SECOND
        else:
            pairs[k, c.CARRIER] = c.BY_TRIANGLE
            pairs[k, row], pairs[k, row + 1], pairs[k, row + 2] = parts.vertex[b0], parts.vertex[b1], parts.vertex[b2]
    elif of_a >= 3 and of_b == 1:
        if first >= 0:
            pairs[k, c.CARRIER] = c.BY_FIRST
        else:
            pairs[k, c.CARRIER] = c.BY_TRIANGLE
            pairs[k, row], pairs[k, row + 1], pairs[k, row + 2] = parts.vertex[a0], parts.vertex[a1], parts.vertex[a2]
    elif of_a == 2 and of_b == 2 and crossing(x, parts.vertex[a0], parts.vertex[a1], parts.vertex[b0], parts.vertex[b1]):
        pairs[k, c.CARRIER] = c.BY_EDGES
        pairs[k, row], pairs[k, row + 1] = parts.vertex[a0], parts.vertex[a1]
        pairs[k, row + 2], pairs[k, row + 3] = parts.vertex[b0], parts.vertex[b1]
    elif second >= 0:
        pairs[k, c.CARRIER] = c.BY_SECOND
    elif first >= 0:
        pairs[k, c.CARRIER] = c.BY_FIRST
    else:
        facet = parts.facet_start[b]
        pairs[k, c.CARRIER] = c.BY_TRIANGLE
        for i in range(3):
            pairs[k, row + i] = parts.facet[facet, i]


@inlined
def distinct(count, p, q, r, s):
    """The first three different corners of a side of a simplex, and how many there are."""
    first, second, third, found = p, -1, -1, 1
    for i, corner in ((1, q), (2, r), (3, s)):
        if i < count and corner != first and corner != second and corner != third:
            if second < 0:
                second = corner
            elif third < 0:
                third = corner
            found += 1
    return first, second, third, found


@kernel
def crossing(x, a0, a1, b0, b1):
    """Whether two edges are far enough from parallel to give a direction."""
    first, second = minus(read(x, a1), read(x, a0)), minus(read(x, b1), read(x, b0))
    along = dot(first, second)
    return along * along < 0.9999 * dot(first, first) * dot(second, second)
