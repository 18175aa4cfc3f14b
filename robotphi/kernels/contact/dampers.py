"""Dampers of contact as rows: what the pressure and friction of an instant do to velocities, for `step/damp_touch`.

Where dampers go apart from the rest of the step, the force of contact at (x⁺, v') stays what its law says, limits included. Its
damping beside v' is C (v − v') with C a sum of rows c g gᵀ:
    w = g·v          F = −c (w − w') g.
The g are those of the forces themselves, so that each row is a force, or a couple, on one side and its opposite on the other:
along n at the pressure point and across it where friction rubs, about n, and against tilting; of vertices of soft parts each by
itself; of a ball on a soft part the volume of the overlap as a whole, and friction by the surface as a body. The c are the
slopes of the law at v': none where the pressure falls to nothing, and none of friction that slips, as there the force does
not follow the speed.

What has an axis on a field has the damping of its pressure as a whole, on however many sides: the matrix of what velocity and
spin of its rigid meet, as rows by L D Lᵀ, and friction of each side.

Sheets, soft parts on each other, and balls on fields have no rows: theirs bound the step.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.hold.hold import find_slot
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.contact.press.ball_soft import (
    PATCH_AREA,
    PATCH_FACETS,
    PATCH_FIRST,
    PATCH_MIDDLE,
    of_patch,
    turn_patch,
)
from robotphi.kernels.contact.sides import is_soft, object_in, speed_at
from robotphi.kernels.contact.spread import spread_of
from robotphi.kernels.maths.matrices import applied, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3, unit
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY

ZERO = (0.0, 0.0, 0.0)
ROUNDING = 1e-9      # of what a pivot was, below which it is nothing
OF_SIDES = 9 + 2 * c.SLOTS   # rows, of one end each, of what has an axis on a field: pressure, friction as a whole and of sides
LEAST_LEFT = 0.25    # of the pressure of a vertex that leaves: with less its elastic part is not taken from it


@kernel
def has_rows(parts, a, b, case):
    """Whether the dampers of such a pair can be rows."""
    if case == kinds.BALL_SOFT:
        return True
    of_sheet = (case == kinds.SHEET_SHEET or case == kinds.SELF or case == kinds.SHEET_PLANE or case == kinds.SHEET_FIELD
                or case == kinds.SHEET_SOLID or case == kinds.SHEET_BALL or case == kinds.SHEET_SOFT)
    return not (of_sheet or case == kinds.BALL_FIELD or (is_soft(parts, a) and is_soft(parts, b)))


@kernel
def begin_rows(touch, kept):
    """No rows yet at the end of the attempt; `kept`: whether there are to be any."""
    sizes = touch.row_counts
    half = 1 - sizes[c.ROW_HALF]
    sizes[c.ROW_COUNT + half], sizes[c.ROW_ENDS + half], sizes[c.ROWS_KEPT] = 0, 0, kept
    touch.row_bound[half] = 0.0


@kernel
def takes_rows(touch, k, rows, ends):
    """Whether the dampers of pair k are to be rows, and there is room for so many."""
    sizes = touch.row_counts
    half = 1 - sizes[c.ROW_HALF]
    return (touch.pairs[k, c.HAS_ROWS] == 1 and sizes[c.ROW_COUNT + half] + rows <= touch.row.shape[0] // 2
            and sizes[c.ROW_ENDS + half] + ends <= touch.row_body.shape[0] // 2)


@kernel
def open_row(touch, of):
    """A new row without ends."""
    sizes = touch.row_counts
    half = 1 - sizes[c.ROW_HALF]
    r = half * (touch.row.shape[0] // 2) + sizes[c.ROW_COUNT + half]
    begin = half * (touch.row_body.shape[0] // 2) + sizes[c.ROW_ENDS + half]
    touch.row[r, c.DAMPER_OF], touch.row[r, c.DAMPER_BEGIN], touch.row[r, c.DAMPER_END] = of, begin, begin
    touch.row[r, c.DAMPER_WHOLE], touch.row[r, c.DAMPER_PAIR] = 0.0, 0.0
    return r


@kernel
def add_row_end(touch, r, body, way, turn):
    """One more end of row r, or more of one that it has already."""
    begin, end = int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])
    e = begin
    while e < end and touch.row_body[e] != body:
        e += 1
    if e == end:
        touch.row_body[e], touch.row[r, c.DAMPER_END] = body, end + 1
        for axis in range(6):
            touch.row_way[e, axis] = 0.0
    for axis in range(3):
        touch.row_way[e, axis] += way[axis]
        touch.row_way[e, 3 + axis] += turn[axis]


@kernel
def add_row_side(now, r, part, point, way, couple, sign):
    """A part as an end of row r: along a direction at a point, and by a couple; a free ball, a rigid, or fixed."""
    parts, i = now.arrays.contact.parts, now.arrays.contact.parts.rigid[part]
    if i >= 0:
        turn = plus(cross(minus(point, get3(now.rigid, i, CENTRE)), way), couple)
        add_row_end(now.touch, r, -1 - i, scaled(way, sign), scaled(turn, sign))
    elif parts.kind[part] == SPHERE:
        add_row_end(now.touch, r, parts.vertex[parts.vertex_start[part]], scaled(way, sign), ZERO)


@kernel
def close_row(now, r, damping, push):
    """Row r stands: its coefficient, the rate that its ends have now, and what of the force it is, at that rate."""
    touch, rate = now.touch, 0.0
    begin, end = int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])
    for e in range(begin, end):
        rate += end_rate(touch.row_body[e], touch.row_way, e, now.v, now.rigid)
    touch.row[r, c.DAMPER], touch.row[r, c.DAMPER_RATE], touch.row[r, c.DAMPER_PUSH] = damping, rate, push
    sizes = touch.row_counts
    half = 1 - sizes[c.ROW_HALF]
    sizes[c.ROW_COUNT + half] += 1
    sizes[c.ROW_ENDS + half] += end - begin


@kernel
def close_linear_row(now, r, damping):
    """Row r stands; it pushes with −c w' along its ends."""
    close_row(now, r, damping, 0.0)
    now.touch.row[r, c.DAMPER_PUSH] = -damping * now.touch.row[r, c.DAMPER_RATE]


@inlined
def end_rate(body, way, e, v, rigid):
    """g·v of one end."""
    g = (way[e, 0], way[e, 1], way[e, 2])
    if body >= 0:
        return dot(g, read(v, body))
    i = -1 - body
    return dot(g, get3(rigid, i, VELOCITY)) + dot((way[e, 3], way[e, 4], way[e, 5]), get3(rigid, i, SPIN))


@inlined
def some_frame(n):
    first = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    return first, cross(n, first)


# Pairs of rigids, balls, what is fixed --------------------------------------------------------------------------------------

@kernel
def keep_pair_rows(now, k, n, point, gyration):
    """Dampers of a pair as a whole: along n, across it, against tilting, about n."""
    touch, numbers, sums = now.touch, now.touch.numbers, now.touch.sums
    if not takes_rows(touch, k, 6, 12):
        touch.pairs[k, c.HAS_ROWS] = 0
        return
    elastic, normal = sums[k, c.PAIR_ELASTIC], sums[k, c.PAIR_NORMAL]
    damping = numbers[k, c.LOSSY] * (1.0 - numbers[k, c.TAKEN]) * elastic if normal > 0.0 else 0.0
    first, second = some_frame(n)
    large, small = 0.0, 0.0
    if damping > 0.0 and gyration > 0.0:
        first, second, large, small = spread_of(sums, k, elastic, n, gyration * gyration)
    if damping > 0.0:
        keep_row(now, k, point, n, ZERO, damping, normal - elastic)
        if large > 0.0:
            keep_couple(now, k, second, damping * large, c.OF_PRESSURE)
        if small > 0.0:
            keep_couple(now, k, first, damping * small, c.OF_PRESSURE)
    keep_friction_rows(now, k, point, n, first, second, numbers[k, c.RUB_HELD], gyration)


@kernel
def keep_friction_rows(now, k, point, n, first, second, held, gyration):
    """Dampers of friction of pair k across n, and about it where the pressure has an extent."""
    a, b = now.touch.pairs[k, c.FIRST], now.touch.pairs[k, c.SECOND]
    if held > 0.0:
        for direction in (first, second):
            r = open_row(now.touch, c.OF_FRICTION)
            add_row_side(now, r, a, point, direction, ZERO, 1.0)
            add_row_side(now, r, b, point, direction, ZERO, -1.0)
            close_linear_row(now, r, held)
        if gyration > 0.0:
            keep_couple(now, k, n, held * gyration * gyration, c.OF_FRICTION)


@kernel
def keep_row(now, k, point, direction, couple, damping, push):
    r = open_row(now.touch, c.OF_PRESSURE)
    add_row_side(now, r, now.touch.pairs[k, c.FIRST], point, direction, couple, 1.0)
    add_row_side(now, r, now.touch.pairs[k, c.SECOND], point, direction, couple, -1.0)
    close_row(now, r, damping, push)


@kernel
def keep_couple(now, k, axis, damping, of):
    """A damper of the relative spin of pair k about an axis."""
    parts, pairs = now.arrays.contact.parts, now.touch.pairs
    r = open_row(now.touch, of)
    for side in range(2):
        i = parts.rigid[pairs[k, c.FIRST if side == 0 else c.SECOND]]
        if i >= 0:
            add_row_end(now.touch, r, -1 - i, ZERO, scaled(axis, 1.0 if side == 0 else -1.0))
    close_linear_row(now, r, damping)


# What has an axis on a field -------------------------------------------------------------------------------------------------

@kernel
def keep_side_rows(now, k, n, point, gyration, matrix, first, origin):
    """Dampers of what has an axis on a field: of the pressure by a matrix, of friction as a whole and of each side.

    `matrix`: from its row `first` on the lower triangle of Σ w g gᵀ, g = (l, r × l), r from `origin`.
    """
    touch, numbers, slots = now.touch, now.touch.numbers, now.touch.slots
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    if not takes_rows(touch, k, OF_SIDES, OF_SIDES):
        touch.pairs[k, c.HAS_ROWS] = 0
        return
    damping = numbers[k, c.LOSSY] * (1.0 - numbers[k, c.TAKEN])
    if damping > 0.0 and touch.sums[k, c.PAIR_NORMAL] > 0.0:
        keep_matrix_rows(now, a, matrix, first, origin, damping)
    across_n, second = some_frame(n)
    keep_friction_rows(now, k, point, n, across_n, second, numbers[k, c.RUB_HELD], gyration)
    place = now.arrays.contact.parts.vertex_start[a]
    for s in range(c.SLOTS):
        at = s * c.SLOT_NUMBERS
        if touch.node[place, s] == b + 1 and slots[place, at + c.SLOT_HELD] > 0.0:
            side = get3(slots, place, at + c.SLOT_TRIAL_NORMAL)
            across_n, second = some_frame(side)
            keep_friction_rows(now, k, get3(slots, place, at + c.SLOT_POINT), side, across_n, second,
                               slots[place, at + c.SLOT_HELD], 0.0)


@kernel
def keep_matrix_rows(now, part, matrix, first, origin, damping):
    """Rows of a matrix of a wrench on velocity and spin at `origin`, which becomes its L D Lᵀ; what rounding leaves is none."""
    for j in range(6):
        pivot, own = matrix[first + j, j], matrix[first + j, j]
        for i in range(j):
            own += matrix[first + j, i] * matrix[first + j, i] * matrix[first + i, i] if matrix[first + i, i] > 0.0 else 0.0
        if not pivot > ROUNDING * own:
            matrix[first + j, j] = 0.0
            continue
        for i in range(j + 1, 6):
            matrix[first + i, j] /= pivot
        for m in range(j + 1, 6):
            for i in range(m, 6):
                matrix[first + i, m] -= matrix[first + i, j] * matrix[first + m, j] * pivot
        way = share_of(matrix, first, j, 0), share_of(matrix, first, j, 1), share_of(matrix, first, j, 2)
        turn = share_of(matrix, first, j, 3), share_of(matrix, first, j, 4), share_of(matrix, first, j, 5)
        r = open_row(now.touch, c.OF_PRESSURE)
        add_row_side(now, r, part, origin, way, turn, 1.0)
        close_linear_row(now, r, damping * pivot)


@inlined
def share_of(matrix, first, j, i):
    """Component i of column j of L."""
    if i < j:
        return 0.0
    return 1.0 if i == j else matrix[first + i, j]


# Soft parts ---------------------------------------------------------------------------------------------------------------

@kernel
def keep_vertex_rows(now, k, n):
    """Dampers of the vertices of the soft part of pair k on what is rigid or fixed: by their shares of its force."""
    parts, touch, slots = now.arrays.contact.parts, now.touch, now.touch.slots
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    soft, other = (a, b) if is_soft(parts, a) else (b, a)
    lossy, left = touch.numbers[k, c.LOSSY], 1.0 - touch.numbers[k, c.TAKEN]
    first, second = some_frame(n)
    count = 0
    for place in range(parts.vertex_start[soft], parts.vertex_start[soft + 1]):
        count += 1 if touch.share[place] > 0.0 else 0
    if not takes_rows(touch, k, 3 * count, 6 * count):
        touch.pairs[k, c.HAS_ROWS] = 0
        return
    for place in range(parts.vertex_start[soft], parts.vertex_start[soft + 1]):
        share = touch.share[place]
        if not share > 0.0:
            continue
        vertex = parts.vertex[place]
        point = read(now.x, vertex)
        closing = dot(n, minus(speed_at(parts, other, now.v, now.rigid, point), read(now.v, vertex)))
        closing = closing if soft == a else -closing
        part = 1.0 + left * lossy * closing
        if lossy > 0.0 and part > 0.0:
            keep_vertex_row(now, vertex, other, point, n, c.OF_PRESSURE, left * lossy * share / max(part, LEAST_LEFT))
        s = find_slot(touch.node, place, other)
        held = slots[place, s * c.SLOT_NUMBERS + c.SLOT_HELD] if s >= 0 else 0.0
        if held > 0.0:
            keep_vertex_row(now, vertex, other, point, first, c.OF_FRICTION, held)
            keep_vertex_row(now, vertex, other, point, second, c.OF_FRICTION, held)


@kernel
def keep_vertex_row(now, vertex, other, point, direction, of, damping):
    r = open_row(now.touch, of)
    add_row_end(now.touch, r, vertex, direction, ZERO)
    add_row_side(now, r, other, point, direction, ZERO, -1.0)
    close_linear_row(now, r, damping)


@kernel
def keep_patch_rows(now, k, n, p, arm, damping, push):
    """Dampers of a ball about p on a soft part: of the growth of the volume, N·s/m⁵, and of friction at `arm` from p.

    `push`: the part of the pressure that is damping.
    """
    touch, patch, parts = now.touch, now.touch.patch, now.arrays.contact.parts
    facets, area = int(patch[PATCH_FACETS]), patch[PATCH_AREA]
    if not area > 0.0:
        return
    if not takes_rows(touch, k, 3, 9 * facets + 3):
        touch.pairs[k, c.HAS_ROWS] = 0
        return
    ball = touch.pairs[k, c.FIRST]
    if damping > 0.0:
        r = open_row(touch, c.OF_PRESSURE)
        add_patch_ends(now, r, p, ZERO, ZERO, 0.0, 1.0)
        normals = ZERO
        for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
            normals = plus(normals, get3(touch.row_way, e, 0))
        add_row_side(now, r, ball, p, normals, ZERO, -1.0)
        know_whole(now.arrays, touch, k, r, normals)
        close_row(now, r, damping, -push)
    held = touch.numbers[k, c.RUB_HELD]
    if held > 0.0:
        middle = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area)
        for direction in some_frame(n):
            r = open_row(touch, c.OF_FRICTION)
            turn, _ = turn_patch(patch, cross(minus(arm, middle), direction))
            add_patch_ends(now, r, p, direction, turn, 1.0 / area, 0.0)
            add_row_side(now, r, ball, plus(p, arm), direction, ZERO, 1.0)
            if parts.rigid[ball] >= 0:   # else friction turns the surface as well
                know_whole(now.arrays, touch, k, r, scaled(direction, -1.0))
            close_linear_row(now, r, held)


@kernel
def know_whole(arrays, touch, k, r, push):
    """Row r pushes the surface of pair k as a whole: its size √(g·T⁻¹ g) where that is part of a stiff object whose answer is
    known (`on_stiff`); as long as it is not the number of the pair stands with a sign."""
    if object_in(arrays, touch, k) >= 0:
        touch.row[r, c.DAMPER_PAIR] = -k - 1
        set3(touch.row, r, c.DAMPER_PUSHED, push)
        learn_whole(touch, r)


@kernel
def learn_whole(touch, r):
    """The size of row r where the answer to it has become known."""
    k = -1 - int(touch.row[r, c.DAMPER_PAIR])
    if k >= 0:
        push = get3(touch.row, r, c.DAMPER_PUSHED)
        square = dot(push, applied(get9(touch.numbers, k, c.GIVES), push))
        if square > 0.0:
            touch.row[r, c.DAMPER_WHOLE], touch.row[r, c.DAMPER_PAIR] = math.sqrt(square), k + 1


@kernel
def add_patch_ends(now, r, p, direction, turn, along, outwards):
    """The corners of a patch as ends of row r: A_k (`outwards` N − `along` × direction − turn × r_k), see `push_patch`."""
    parts, touch, x = now.arrays.contact.parts, now.touch, now.x
    patch = touch.patch
    middle = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / patch[PATCH_AREA])
    first = int(patch[PATCH_FIRST])
    for i in range(first, first + int(patch[PATCH_FACETS])):
        facet = touch.cut_facet[i]
        rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
        n = ZERO
        if outwards != 0.0:
            n = unit(cross(minus(read(x, rows[1]), read(x, rows[0])), minus(read(x, rows[2]), read(x, rows[0]))))
        for corner in range(3):
            own = touch.cut[i, corner]
            way = scaled(n, own * outwards)
            if along != 0.0:
                away = minus(minus(read(x, rows[corner]), p), middle)
                way = scaled(plus(scaled(direction, along), cross(turn, away)), -own)
            add_row_end(touch, r, rows[corner], way, ZERO)
