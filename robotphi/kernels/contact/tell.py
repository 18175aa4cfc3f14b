"""Contact of an instant, as the rows that a frame keeps of it (`contact/rows`).

What is told of a contact is what its forces were at the end of the last step, or at the first instant. Friction is held by the
pair where both parts are rigid or balls, else by vertices: one of the two is nothing.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.find.pairs import rank
from robotphi.kernels.contact.kinds import FIELD
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3

NOWHERE = (math.nan, math.nan, math.nan)
LEVEL = 1.0 + 1e-12   # planes of facets that are farther than the nearest facet so far, rounding left aside


@kernel
def tell_contacts(contact, touch, x, tables):
    """Append what contact is now to the tables. Returns whether there was room: else nothing is written but what is needed."""
    needed = tables.needed
    count_rows(touch, needed)
    kept, held, told, rubbing = tables.contact_state, tables.vertex_state, tables.contacts, tables.contact_vertices
    if (kept.size[0] + needed[0] > len(kept.whole) or held.size[0] + needed[1] > len(held.place)
            or told.size[0] + needed[2] > len(told.first) or rubbing.size[0] + needed[3] > len(rubbing.part)
            or tables.starts.size[0] >= len(tables.starts.contacts)):
        return False
    keep_pairs(touch, kept)
    keep_vertices(touch, held)
    begin, begin_rubbing = told.size[0], rubbing.size[0]
    tell_pairs(contact, touch, x, told)
    tell_vertices(contact.parts, touch, rubbing)
    add_vertex_friction(contact.parts, told, begin, rubbing, begin_rubbing)
    return True


@inlined
def is_kept(touch, k):
    """Whether a continued run needs a pair."""
    return touch.pairs[k, c.TOUCHING] == 1 or touch.pairs[k, c.OVERLAPS] == 1


@inlined
def in_slot(touch, place, slot, column):
    return touch.slots[place, slot * c.SLOT_NUMBERS + column]


@kernel
def count_rows(touch, needed):
    """How many rows the present instant takes in each table."""
    for table in range(len(needed)):
        needed[table] = 0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if is_kept(touch, k):
            needed[0] += 1
        if touch.pairs[k, c.TRIAL_TOUCHING] == 1:
            needed[2] += 1
    for place in range(len(touch.node)):
        for slot in range(c.SLOTS):
            if touch.node[place, slot] > 0:
                if in_slot(touch, place, slot, c.SLOT_USED) > 0.0:
                    needed[1] += 1
                if in_slot(touch, place, slot, c.SLOT_FORCE) > 0.0:
                    needed[3] += 1


@kernel
def keep_pairs(touch, rows):
    """Pairs that touch or overlap, as a continued run needs them."""
    row = rows.size[0]
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if is_kept(touch, k):
            for i in range(c.KEPT_WHOLES):
                rows.whole[row, i] = touch.pairs[k, i]
            for i in range(c.KEPT_NUMBERS):
                rows.number[row, i] = touch.numbers[k, i]
            row += 1
    rows.size[0] = row


@kernel
def keep_vertices(touch, rows):
    """Friction of vertices that is in use, likewise."""
    row = rows.size[0]
    for place in range(len(touch.node)):
        for slot in range(c.SLOTS):
            if touch.node[place, slot] > 0 and in_slot(touch, place, slot, c.SLOT_USED) > 0.0:
                rows.place[row], rows.slot[row], rows.node[row] = place, slot, touch.node[place, slot]
                for i in range(c.SLOT_KEPT):
                    rows.number[row, i] = in_slot(touch, place, slot, i)
                row += 1
    rows.size[0] = row


@kernel
def tell_pairs(contact, touch, x, rows):
    """Pairs that touch; what a part does to itself adds up to nothing and has no one place or direction."""
    numbers, sums = touch.numbers, touch.sums
    row = rows.size[0]
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.TRIAL_TOUCHING] != 1:
            continue
        first, second = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
        point, direction = get3(numbers, k, c.POINT), get3(numbers, k, c.NOW)
        if first == second:
            point, direction = NOWHERE, NOWHERE
        rows.first[row], rows.second[row] = first, second
        set3(rows.point, row, 0, point)
        set3(rows.direction, row, 0, direction)
        set3(rows.normal, row, 0, get3(sums, k, c.PAIR_FORCE))
        set3(rows.friction, row, 0, get3(numbers, k, c.RUB_FORCE))
        rows.depth[row] = numbers[k, c.DEPTH]
        rows.twist[row] = numbers[k, c.RUB_FORCE + 3] * numbers[k, c.GYRATION]
        rows.area[row], rows.energy[row] = sums[k, c.PAIR_AREA], sums[k, c.PAIR_ENERGY]
        rows.places[row] = int(max(sums[k, c.PAIR_POINTS], 1.0))
        rows.pressed[row] = sums[k, c.PAIR_ELASTIC]
        rows.sticks[row] = touch.pairs[k, c.TRIAL_STICKS] == 1
        rows.first_facet[row] = facet_at(contact, first, x, point)
        rows.second_facet[row] = facet_at(contact, second, x, point)
        row += 1
    rows.size[0] = row


@kernel
def tell_vertices(parts, touch, rows):
    """Vertices that rub on something."""
    row = rows.size[0]
    for part in range(len(parts.kind)):
        for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
            for slot in range(c.SLOTS):
                if not (touch.node[place, slot] > 0 and in_slot(touch, place, slot, c.SLOT_FORCE) > 0.0):
                    continue
                other, facet = touch.node[place, slot] - 1, int(in_slot(touch, place, slot, c.SLOT_FACET))
                rows.part[row], rows.other[row], rows.particle[row] = part, other, parts.vertex[place]
                rows.normal[row] = in_slot(touch, place, slot, c.SLOT_FORCE)
                for axis in range(3):
                    rows.friction[row, axis] = in_slot(touch, place, slot, c.SLOT_FRICTION + axis)
                rows.sticks[row] = in_slot(touch, place, slot, c.SLOT_TRIAL_STICKS) == 1.0
                rows.facet[row] = facet - parts.facet_start[other] if facet >= 0 else -1
                row += 1
    rows.size[0] = row


@kernel
def add_vertex_friction(parts, told, begin, rubbing, begin_rubbing):
    """Add the friction of vertices to that of their pairs, on the first part; a pair sticks where all of its vertices do.

    Those of first parts come before those of second ones, so that sums have one order.
    """
    for turned in range(2):
        for row in range(begin_rubbing, rubbing.size[0]):
            part, other = rubbing.part[row], rubbing.other[row]
            if turned == 1:
                if part == other:  # a part on itself gives to and takes from itself
                    continue
                part, other = other, part
            pair = row_of_pair(parts, told, begin, part, other)
            if pair >= 0:
                sign = 1.0 if turned == 0 else -1.0
                set3(told.friction, pair, 0, plus(read(told.friction, pair), scaled(read(rubbing.friction, row), sign)))
                told.sticks[pair] = told.sticks[pair] and rubbing.sticks[row]


@kernel
def row_of_pair(parts, told, begin, first, second):
    """The row of two parts among those of the present instant, which are in the order of pairs; −1 where they do not touch."""
    wanted, low, high = rank(parts, first, second), begin, told.size[0]
    while low < high:
        middle = (low + high) // 2
        if rank(parts, told.first[middle], told.second[middle]) < wanted:
            low = middle + 1
        else:
            high = middle
    if low < told.size[0] and told.first[low] == first and told.second[low] == second:
        return low
    return -1


# The facet nearest to a point -----------------------------------------------------------------------------------------

@kernel
def facet_at(contact, part, x, p):
    """The facet of a part that is nearest to a point, by its number in the part; −1 where it has none."""
    parts = contact.parts
    if parts.kind[part] == FIELD:
        return facet_of_field(contact.fields, parts.field[part], p)
    least, found = math.inf, -1
    for facet in range(parts.facet_start[part], parts.facet_start[part + 1]):
        square = square_to_triangle(p, read(x, parts.facet[facet, 0]), read(x, parts.facet[facet, 1]),
                                    read(x, parts.facet[facet, 2]), least)
        if square < least:
            least, found = square, facet - parts.facet_start[part]
    return found


@kernel
def square_to_triangle(p, a, b, c, least):
    """Square of the distance of a point from a triangle [m²]; infinite where its plane alone is farther than `least`."""
    normal = cross(minus(b, a), minus(c, a))
    size, height = dot(normal, normal), dot(minus(p, a), normal)
    if height * height > least * size * LEVEL:
        return math.inf
    inside, square = size > 0.0, math.inf
    for side in range(3):
        begin, end = (a, b) if side == 0 else ((b, c) if side == 1 else (c, a))
        along, away = minus(end, begin), minus(p, begin)
        length = dot(along, along)
        share = dot(away, along) / (length if length > 0.0 else 1.0)
        from_side = minus(away, scaled(along, min(max(share, 0.0), 1.0)))
        square = min(square, dot(from_side, from_side))
        inside = inside and dot(cross(along, away), normal) >= 0.0
    return height * height / size if inside else square


@kernel
def facet_of_field(fields, number, p):
    """Number of the triangle of a height field over which a point is."""
    cells = fields.shape[number, 1] - 1
    u = (p[0] - fields.origin[number, 0]) / fields.spacing[number, 0]
    w = (p[1] - fields.origin[number, 1]) / fields.spacing[number, 1]
    i = int(min(max(math.floor(u), 0.0), fields.shape[number, 0] - 2.0))
    j = int(min(max(math.floor(w), 0.0), cells - 1.0))
    return 2 * (i * cells + j) + (1 if w - j > u - i else 0)
