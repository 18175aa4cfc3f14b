"""Capsules, cylinders and wheels on height fields and polyhedra, and wheels on planes: what is there presses by triangles.

Ground is the depth along z below each triangle of a field, as for polyhedra; a rigid polyhedron the depth along the direction
of the pair, its facets turned away counting with their sign. Where the ground presses from several sides, as in a valley, each
side has friction of its own (`hold/patches`): triangles whose normals differ by less than 26° are one side.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import carried_direction
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.kernels.contact.dampers import keep_side_rows
from robotphi.kernels.contact.finish import book_pair, bound_pair, finish_pressure, pressure_point
from robotphi.kernels.contact.hold.hold import rub_pair, stiffness_of
from robotphi.kernels.contact.hold.patches import SAME_PLACE, rub_places
from robotphi.kernels.contact.kinds import CAPSULE
from robotphi.kernels.contact.press.clip import facet_rows
from robotphi.kernels.contact.press.field_places import corner_of
from robotphi.kernels.contact.press.ground import cells_over, plane_now, surface_motion
from robotphi.kernels.contact.press.outline import outline_at, outline_count
from robotphi.kernels.contact.press.rollers import relative_motion, some_across
from robotphi.kernels.contact.press.round_balls import press_half_ball
from robotphi.kernels.contact.press.round_facet import cuts_of, lean_of
from robotphi.kernels.contact.press.round_lines import is_beside, press_disc, press_strip
from robotphi.kernels.contact.sides import ask_pair, load_wrench, lossy_now
from robotphi.kernels.maths.vectors import across, cross, dot, get3, minus, norm, plus, read, scaled, set3, unit

# columns of `touch.points`: over a side the sums of normal force × normal, of elastic force × place, and of both forces; then
# the normal, the place and the force
SIDE_NORMAL, SIDE_POINT, SIDE_SHARE, SIDE_ELASTIC = 0, 3, 6, 7
MOST_SIDES = 3
MATRIX = 3                                      # rows of `touch.points` from which on the damping of the pressure stands, 6 × 6
SHARPENED = 2                                   # how often the ground that may touch is looked for among that found before
ROUNDED = 1e-12                                 # of a radius
NO_EDGE = (1.0, 0.0, 0.0, 0.0)                  # a cut that takes nothing away


@inlined
def axis_frame(parts, part, x, n, origin):
    """Start of the axis from the reference point, its direction, two across it, the first best against n, and its length."""
    first = parts.vertex_start[part]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    axis = unit(minus(q, p))
    down = across(scaled(n, -1.0), axis)
    u = unit(down) if dot(down, down) > 1e-20 else some_across(axis)
    u = unit(across(u, axis))
    return minus(p, origin), axis, u, cross(axis, u), norm(minus(q, p))


@kernel
def press_cut(parts, part, work, sums, k, frame, cuts, n, way, law, slide, turn):
    """Pressure within some cuts on all of the surface of a round part."""
    start, axis, u, b, length = frame
    last = outline_count(parts, part) - 1
    for i in range(last):
        low, r = outline_at(parts, part, i, length)
        high, end = outline_at(parts, part, i + 1, length)
        press_strip(work, sums, k, plus(start, scaled(axis, low)), scaled(axis, high - low), r, end - r, u, b, cuts, n, way,
                    law, slide, turn)
    for side in range(2):
        outward = scaled(axis, -1.0) if side == 0 else axis
        at, r = outline_at(parts, part, 0 if side == 0 else last, length)
        centre = plus(start, scaled(axis, at))
        if parts.kind[part] == CAPSULE:
            press_half_ball(work, sums, k, centre, r, outward, b, cuts, n, way, law, slide, turn)
        elif r > 0.0:
            press_disc(work, sums, k, centre, r, outward, b, u, cuts, n, way, law, slide, turn)


@inlined
def is_clear(cuts, middle, reach):
    """Whether all within `reach` of a place is outside one of the cuts."""
    for j in range(4):
        cut = cuts[j]
        slope = math.sqrt(cut[1] * cut[1] + cut[2] * cut[2] + cut[3] * cut[3])
        if cut[0] + cut[1] * middle[0] + cut[2] * middle[1] + cut[3] * middle[2] + slope * reach <= 0.0:
            return True
    return False


@kernel
def press_triangle(parts, part, work, sums, k, frame, ball, g0, g1, g2, n, stiffness, lossy, slide, turn, leans):
    """Pressure of one triangle on a round part; `ball`: middle and radius of a ball around this, and how far down n it goes.

    `leans`: whether it damps along its own normal, else along n.
    """
    if not max(dot(g0, n), max(dot(g1, n), dot(g2, n))) > ball[2]:
        return
    lean, sign = lean_of(g0, g1, g2, n)
    if sign == 0.0:
        return
    cuts = cuts_of(g0, g1, g2, n, lean, sign)
    if is_clear(cuts, ball[0], ball[1]):
        return
    start, axis, u, b, length = frame
    if parts.kind[part] == CAPSULE or not is_beside(cuts, start, scaled(axis, length), parts.size[part, c.RADIUS], u, b):
        way = lean if leans else n
        press_cut(parts, part, work, sums, k, frame, cuts, n, way, (sign * stiffness, lossy[0] / norm(way), lossy[1]), slide,
                  turn)


@inlined
def as_seen(now, k):
    """Reference point of the first part of pair k, its velocity there and spin as seen from the second one."""
    parts, touch = now.arrays.contact.parts, now.touch
    speed, spin, centre = surface_motion(parts, touch.pairs[k, c.SECOND], now.rigid)
    own_speed, own_spin, origin = surface_motion(parts, touch.pairs[k, c.FIRST], now.rigid)
    slide, turn = relative_motion(origin, origin, own_speed, own_spin, centre, speed, spin)
    return origin, slide, turn


@inlined
def ball_around(parts, part, x, n, origin):
    """Middle and radius of a ball around a round part, and the least of n·x of a cylinder around it, or of all of a capsule."""
    first = parts.vertex_start[part]
    p, q = minus(read(x, parts.vertex[first]), origin), minus(read(x, parts.vertex[first + 1]), origin)
    half, r, axis, middle = 0.5 * norm(minus(q, p)), parts.size[part, c.RADIUS], unit(minus(q, p)), scaled(plus(p, q), 0.5)
    along, low = abs(dot(axis, n)), min(dot(p, n), dot(q, n))
    if parts.kind[part] == CAPSULE:
        return middle, half + r, low - r
    return middle, math.sqrt(half * half + r * r), low - r * math.sqrt(max(1.0 - along * along, 0.0)) - ROUNDED * r


# On planes and polyhedra ---------------------------------------------------------------------------------------------------

@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_wheel_plane(now, k, row):
    """What has an outline of its own on a plane."""
    parts, law, touch, x, rigid = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.x, now.rigid
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    origin, slide, turn = as_seen(now, k)
    depth, lossy = (level - dot(n, origin), -n[0], -n[1], -n[2]), lossy_now(touch.numbers, k)
    press_cut(parts, a, touch.breaks, touch.sums, k, axis_frame(parts, a, x, n, origin), (depth, NO_EDGE, NO_EDGE, NO_EDGE), n,
              n, (law[row, c.STIFFNESS], lossy[0], lossy[1]), slide, turn)
    give_wrench(now, k, origin)
    finish_pressure(now, k, row, n, origin)


@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_round_solid(now, k, row):
    """A round part on a rigid polyhedron, along the direction that this carries."""
    parts, law, touch, x, rigid = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.x, now.rigid
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n = carried_direction(touch.pairs, touch.numbers, k, parts, x, rigid)
    origin, slide, turn = as_seen(now, k)
    frame, ball, lossy = axis_frame(parts, a, x, n, origin), ball_around(parts, a, x, n, origin), lossy_now(touch.numbers, k)
    for facet in range(parts.facet_start[b], parts.facet_start[b + 1]):
        r0, r1, r2 = facet_rows(parts.facet, facet)
        press_triangle(parts, a, touch.breaks, touch.sums, k, frame, ball, minus(read(x, r0), origin),
                       minus(read(x, r1), origin), minus(read(x, r2), origin), n, law[row, c.STIFFNESS], lossy, slide, turn,
                       False)
    give_wrench(now, k, origin)
    finish_pressure(now, k, row, n, origin)


@kernel
def give_wrench(now, k, origin):
    """The force and moment of pair k to its first part, the opposite to its second."""
    parts, touch = now.arrays.contact.parts, now.touch
    f, moment = get3(touch.sums, k, c.PAIR_FORCE), get3(touch.sums, k, c.PAIR_MOMENT)
    for part, sign in ((touch.pairs[k, c.FIRST], 1.0), (touch.pairs[k, c.SECOND], -1.0)):
        if parts.rigid[part] >= 0:
            load_wrench(touch.load, now.rigid, parts.rigid[part], origin, f, moment, sign)


# On fields -----------------------------------------------------------------------------------------------------------------

@kernel
def press_round_on_field(now, k, row, origin):
    """Pressure of the field of pair k into its sums; returns on how many sides, which are the first rows of `touch.points`."""
    contact, touch = now.arrays.contact, now.touch
    parts, fields, z = contact.parts, contact.fields, (0.0, 0.0, 1.0)
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    number, lossy, stiffness = parts.field[b], lossy_now(touch.numbers, k), contact.law[row, c.STIFFNESS]
    own_speed, own_spin, _ = surface_motion(parts, a, now.rigid)
    frame, ball = axis_frame(parts, a, now.x, z, origin), ball_around(parts, a, now.x, z, origin)
    first_u, last_u, first_v, last_v = cells_in_touch(parts, a, now.x, fields, number)
    sides, apart = 0, touch.pairs[k, c.HAS_ROWS] == 1
    if apart:
        for i in range(MATRIX, MATRIX + 6):
            for j in range(6):
                touch.points[i, j] = 0.0
    for i in range(first_u, last_u + 1):
        for j in range(first_v, last_v + 1):
            p, q = corner_of(fields, number, i, j), corner_of(fields, number, i + 1, j + 1)
            for half in range(2):
                r = corner_of(fields, number, i + 1, j) if half == 0 else corner_of(fields, number, i, j + 1)
                g0, g1, g2 = minus(p, origin), minus(r, origin), minus(q, origin)
                if half == 1:
                    g1, g2 = g2, g1
                before = told_of(touch.sums, k)
                press_triangle(parts, a, touch.breaks, touch.sums, k, frame, ball, g0, g1, g2, z, stiffness, lossy,
                               own_speed, own_spin, True)
                after = told_of(touch.sums, k)
                if after[1] == before[1]:
                    continue
                lean, _ = lean_of(g0, g1, g2, z)
                sides = add_side(touch.points, sides, lean, before, after)
                if apart and after[1] > before[1]:
                    add_damping(touch.points, lean, before, after)
    return sides


@inlined
def told_of(sums, k):
    """What a side needs of the sums: normal and elastic force, where the latter is and how it is spread."""
    return (sums[k, c.PAIR_NORMAL], sums[k, c.PAIR_ELASTIC], get3(sums, k, c.PAIR_CENTRE), get3(sums, k, c.PAIR_TENSOR),
            get3(sums, k, c.PAIR_TENSOR + 3))


@kernel
def add_damping(rows, lean, before, after):
    """Of a triangle Σ w g gᵀ/|l|, g = (l, r × l): what its pressures w at places r brake, for each of the damping [N].

    With K the matrix of r ↦ r × l it has w l lᵀ, K Σ w r lᵀ and K (Σ w r rᵀ) Kᵀ; the lower triangle is kept.
    """
    lean = scaled(lean, 1.0 / math.sqrt(norm(lean)))
    w, first = after[1] - before[1], minus(after[2], before[2])
    even, odd = minus(after[3], before[3]), minus(after[4], before[4])
    turn = cross(first, lean)
    for i in range(3):
        for j in range(3):
            rows[MATRIX + i, j] += w * lean[i] * lean[j]
            rows[MATRIX + 3 + i, j] += turn[i] * lean[j]
    x, y, z = (even[0], odd[0], odd[1]), (odd[0], even[1], odd[2]), (odd[1], odd[2], even[2])
    x, y, z = cross(x, lean), cross(y, lean), cross(z, lean)   # rows of (Σ w r rᵀ) Kᵀ
    for j in range(3):
        column = cross((x[j], y[j], z[j]), lean)
        for i in range(3):
            rows[MATRIX + 3 + i, 3 + j] += column[i]


@kernel
def add_side(rows, sides, lean, before, after):
    """What a triangle has added to the sums goes to the side whose normal is nearest to its own, or begins another."""
    normal, elastic = after[0] - before[0], after[1] - before[1]
    if not normal > 0.0:
        return sides
    share = normal * norm(lean)
    found, best = sides, SAME_PLACE
    for i in range(sides):
        near = dot(unit(get3(rows, i, SIDE_NORMAL)), unit(lean))
        if near > best or (sides == MOST_SIDES and (found == sides or near > best)):
            found, best = i, near
    if found == sides:
        for column in range(8):
            rows[sides, column] = 0.0
        sides += 1
    set3(rows, found, SIDE_NORMAL, plus(get3(rows, found, SIDE_NORMAL), scaled(unit(lean), share)))
    set3(rows, found, SIDE_POINT, plus(get3(rows, found, SIDE_POINT), minus(after[2], before[2])))
    rows[found, SIDE_SHARE] += share
    rows[found, SIDE_ELASTIC] += elastic
    return sides


@kernel
def cells_below(parts, part, x, fields, number):
    """Cells of a field under a round part, first and last along u and then along v, and how low it may be."""
    first, r = parts.vertex_start[part], parts.size[part, c.RADIUS]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    u, w = fields.origin[number, 0], fields.origin[number, 1]
    du, dv = fields.spacing[number, 0], fields.spacing[number, 1]
    first_u, last_u = cells_over((min(p[0], q[0]) - r - u) / du, (max(p[0], q[0]) + r - u) / du, fields.shape[number, 0] - 1)
    first_v, last_v = cells_over((min(p[1], q[1]) - r - w) / dv, (max(p[1], q[1]) + r - w) / dv, fields.shape[number, 1] - 1)
    return first_u, last_u, first_v, last_v, min(p[2], q[2]) - r


@kernel
def cells_in_touch(parts, part, x, fields, number):
    """Cells of a field which a round part may touch, as of `cells_below`.

    Of a cylinder around it what is below the highest place of the field under it lies within an angle of straight down; under
    that the field may be lower, so that it is less again.
    """
    first_u, last_u, first_v, last_v, low = cells_below(parts, part, x, fields, number)
    first, r = parts.vertex_start[part], parts.size[part, c.RADIUS]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    axis = unit(minus(q, p))
    level = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1])
    if parts.kind[part] == CAPSULE or not level > 1e-3:
        return first_u, last_u, first_v, last_v
    low = min(p[2], q[2]) - r * level - ROUNDED * r
    down = (axis[0] * axis[2] / level, axis[1] * axis[2] / level)     # along x and y, of the direction across the axis that
    beside = (axis[1] / level, axis[0] / level)                       # is most down, and of the level one, but for its sign
    for _ in range(SHARPENED):
        top = -math.inf
        for i in range(first_u, last_u + 2):
            for j in range(first_v, last_v + 2):
                top = max(top, corner_of(fields, number, i, j)[2])
        if not low < top:
            return 0, -1, 0, -1
        least = min(max((min(p[2], q[2]) - top) / (r * level) - ROUNDED, -1.0), 1.0)
        sine = math.sqrt(max(1.0 - least * least, 0.0)) if least > 0.0 else 1.0
        first_u, last_u = cells_within(fields, number, 0, p[0], q[0], r * down[0], r * beside[0], least, sine, first_u, last_u)
        first_v, last_v = cells_within(fields, number, 1, p[1], q[1], r * down[1], r * beside[1], least, sine, first_v, last_v)
    return first_u, last_u, first_v, last_v


@inlined
def cells_within(fields, number, way, p, q, down, beside, least, sine, first, last):
    """Of the cells from first to last along one side of a field those over which an arc of a cylinder from p to q may be."""
    origin, spacing = fields.origin[number, way], fields.spacing[number, way]
    low = min(p, q) + min(down, least * down) - sine * abs(beside) - origin
    high = max(p, q) + max(down, least * down) + sine * abs(beside) - origin
    found, end = cells_over(low / spacing, high / spacing, fields.shape[number, way] - 1)
    return max(first, found), min(last, end)


@kernel
def settle_sides(rows, sides, origin):
    """Sums over sides become their normal and place; a side that presses nothing is none. Returns how many there are."""
    kept = 0
    for i in range(sides):
        if rows[i, SIDE_ELASTIC] > 0.0:
            place = plus(origin, scaled(get3(rows, i, SIDE_POINT), 1.0 / rows[i, SIDE_ELASTIC]))
            n, share = unit(get3(rows, i, SIDE_NORMAL)), rows[i, SIDE_SHARE]
            set3(rows, kept, SIDE_NORMAL, n)
            set3(rows, kept, SIDE_POINT, place)
            rows[kept, SIDE_SHARE] = share
            kept += 1
    return kept


@kernel_unless(NoOutlines, lambda now, k, row: None)
def touch_round_field(now, k, row):
    """A round part on a height field: on one side like on a plane, on several with friction on each."""
    touch, parts = now.touch, now.arrays.contact.parts
    _, _, origin = surface_motion(parts, touch.pairs[k, c.FIRST], now.rigid)
    sides = settle_sides(touch.points, press_round_on_field(now, k, row, origin), origin)
    give_wrench(now, k, origin)
    push_of_all = get3(touch.sums, k, c.PAIR_FORCE)
    pressed = touch.sums[k, c.PAIR_NORMAL] > 0.0
    n = unit(push_of_all) if pressed else (0.0, 0.0, 1.0)
    touch.sums[k, c.PAIR_NORMAL] = norm(push_of_all) if pressed else 0.0
    finish_sides(now, k, row, n, origin, sides)


@kernel
def finish_sides(now, k, row, n, origin, sides):
    """What follows the pressure of sides: friction on each of several, or of the one as a whole."""
    law, touch = now.arrays.contact.law, now.touch
    sums, stiffness = touch.sums, law[row, c.STIFFNESS] * touch.sums[k, c.PAIR_AREA]
    point, gyration = pressure_point(sums, k, origin, n)
    normal = sums[k, c.PAIR_NORMAL]
    book_pair(touch, k, n, normal > 0.0)
    touch.numbers[k, c.DEPTH] = sums[k, c.PAIR_ELASTIC] / stiffness if stiffness > 0.0 else 0.0
    several = sides > 1
    if not several:
        rub_places(now, k, row, touch.points, SIDE_NORMAL, SIDE_POINT, SIDE_SHARE, 0)
    rub_pair(now, k, row, n, point, (0.0, 0.0, 0.0), gyration, 0.0 if several else normal, 0.0)
    if several:   # the one spring lets go
        rub_places(now, k, row, touch.points, SIDE_NORMAL, SIDE_POINT, SIDE_SHARE, sides)
    if touch.pairs[k, c.HAS_ROWS] == 1:
        keep_side_rows(now, k, n, point, gyration, touch.points, MATRIX, origin)
    if several and normal > 0.0:
        bound_sides(now, k, row, point, gyration, stiffness)
    elif normal > 0.0:
        bound_pair(now, k, row, point, gyration, stiffness, touch.numbers[k, c.LOSSY] * sums[k, c.PAIR_ELASTIC])


@kernel
def bound_sides(now, k, row, point, gyration, stiffness):
    """Let the springs of several sides count for the step: what one holds by its depth another does by friction."""
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    slope = stiffness
    if law[row, c.STATIC_FRICTION] > 0.0:
        slope = max(slope, stiffness_of(parts, law, row, touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]))
    touch.numbers[k, c.STEEPNESS] = stiffness
    lossy = 0.0 if touch.pairs[k, c.HAS_ROWS] == 1 else 1.0   # dampers that are rows bound no step
    damping = lossy * touch.numbers[k, c.LOSSY] * touch.sums[k, c.PAIR_ELASTIC]
    ask_pair(now, k, point, gyration, slope, damping, slope, lossy * touch.numbers[k, c.RUB_DAMPING] + damping,
             0.0, 0.0)
