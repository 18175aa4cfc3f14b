"""Sheets: every vertex is a small ball of half the thickness with the pressure of the area around it, and rubs by itself.

Corners of polyhedra between the vertices of a sheet press on its facets (`thin`), and so do sheets on each other and on
themselves, by a tree of boxes over the facets.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import get, put, unit
from robotphi.kernels.contact.find.bound import bound_part, bound_vertices
from robotphi.kernels.contact.find.gjk import nearest_called
from robotphi.kernels.contact.hold.friction import across
from robotphi.kernels.contact.hold.hold import find_slot, hold_vertex, slot3, turning
from robotphi.kernels.contact.kinds import (
    AREA,
    CENTRE,
    ELASTIC,
    ENERGY,
    FORCE,
    HALF_THICKNESS,
    LOSS,
    NORMAL,
    POINTS,
    RADIUS,
    REFERENCE_AREA,
    STATIC,
    STIFFNESS,
    TANGENTIAL,
)
from robotphi.kernels.contact.press.ball_field import press_ball_on_field
from robotphi.kernels.contact.press.ball_soft import AREA as WITHIN
from robotphi.kernels.contact.press.ball_soft import NORMALS, SECTION, measure_patch, press_patch, push_patch, speed_of_patch
from robotphi.kernels.contact.press.balls import press_ball
from robotphi.kernels.contact.press.ground_place import plane_now
from robotphi.kernels.contact.press.thin import press_corners, press_self
from robotphi.kernels.contact.sides import clear_shares, push, speed_at
from robotphi.kernels.maths.vectors import add_to, dot, minus, norm, plus, read, scaled

COLD = (0, 0, 0, 0, 0, 0, 0, 0, 0)
FEELS = 4.0   # half thicknesses: how far a vertex feels around itself for a soft body, so that it is still lifted when deep in


@kernel
def outside(touch, part, p, reach):
    """Whether a point is farther than `reach` from all places that a part may be at within this step."""
    for axis in range(3):
        if p[axis] < touch.fat[part, axis] - reach or p[axis] > touch.fat[part, 3 + axis] + reach:
            return True
    return False


@inlined
def feeler(parts, a, b):
    """Radius of the ball with which a vertex of sheet a feels for the soft part b: within the thickness of both."""
    half = parts.size[a, HALF_THICKNESS]
    return max(half, min(FEELS * half, parts.size[b, HALF_THICKNESS]))


@kernel
def vertex_on_solid(parts, touch, x, place, b, p):
    """Distance of a vertex from a rigid polyhedron, and the direction.

    Inside, it is lifted out by the side that it touched so far, or away from the polyhedron's middle.
    """
    first, last = parts.vertex_start[b], parts.vertex_start[b + 1]
    distance, n, _, _, _ = nearest_called(x, parts.vertex, place, place + 1, first, last, parts.neighbour_start,
                                          parts.neighbour, (0.0, 0.0, 0.0), COLD)
    if distance > 0.0:
        return distance, n
    s = find_slot(touch.node, place, b)
    if s >= 0 and touch.slots[place, s * c.SLOT_NUMBERS + c.SLOT_USED] > 0.0:
        held = slot3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_NORMAL)
    else:
        box = touch.box
        held = unit(minus(p, (0.5 * (box[b, 0] + box[b, 3]), 0.5 * (box[b, 1] + box[b, 4]), 0.5 * (box[b, 2] + box[b, 5]))))
    top = -math.inf
    for k in range(first, last):
        top = max(top, dot(read(x, parts.vertex[k]), held))
    lift = top - dot(p, held) + parts.size[b, HALF_THICKNESS]
    distance, n, _, _, _ = nearest_called(x, parts.vertex, place, place + 1, first, last, parts.neighbour_start,
                                          parts.neighbour, scaled(held, lift), COLD)
    return distance - lift * dot(n, held), n


@kernel
def vertex_gap(arrays, touch, x, rigid, k, place, p):
    """Distance of the middle surface at a vertex from the second part of pair k, a plane, ball or rigid, and the direction."""
    parts = arrays.contact.parts
    b, case = touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
    if case == c.SHEET_PLANE:
        n, level = plane_now(parts, b, rigid)
        return dot(n, p) - level, n
    if case == c.SHEET_BALL:
        apart = minus(p, read(x, parts.vertex[parts.vertex_start[b]]))
        return norm(apart) - parts.size[b, RADIUS], unit(apart)
    if outside(touch, b, p, parts.size[touch.pairs[k, c.FIRST], HALF_THICKNESS]):
        return math.inf, (0.0, 0.0, 1.0)
    return vertex_on_solid(parts, touch, x, place, b, p)


@kernel
def press_vertex(arrays, touch, x, v, force, rigid, dt, k, row, place):
    """One vertex of the sheet of pair k against the second part: a plane, field, ball or rigid polyhedron."""
    contact = arrays.contact
    parts, law = contact.parts, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    vertex = parts.vertex[place]
    p, u = read(x, vertex), read(v, vertex)
    half, damping = parts.size[a, HALF_THICKNESS], touch.numbers[k, c.LOSSY]
    whole = law[row, STIFFNESS] * parts.vertex_area[place]
    surface = (0.0, 0.0, 0.0)
    if touch.pairs[k, c.CASE] == c.SHEET_FIELD:
        energy, elastic, f, loss, _ = press_ball_on_field(contact.fields, parts.field[b], p, u, half, whole, 1.0, damping,
                                                          touch.points)
        normal = norm(f)
        n = unit(f)
    else:
        gap, n = vertex_gap(arrays, touch, x, rigid, k, place, p)
        surface = speed_at(parts, b, v, rigid, p)
        energy, elastic, normal, loss = press_ball(whole, 1.0, damping, half - gap, dot(n, minus(surface, u)))
        f = scaled(n, normal)
    book_vertex(parts, touch, k, b, place, p, energy, elastic, normal, loss, f)
    f = plus(f, rub_vertex(arrays, touch, rigid, dt, k, row, place, minus(u, surface), n, normal))
    add_to(force, vertex, f, 1.0)
    push(parts, b, force, touch.load, rigid, p, f, -1.0)


@kernel
def press_vertex_soft(arrays, touch, x, v, force, rigid, dt, k, row, place):
    """One vertex of the sheet of pair k against a soft polyhedron: as a ball, all but half the thickness of it only to feel."""
    contact, patch = arrays.contact, touch.patch
    parts, law = contact.parts, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    vertex, radius, damping = parts.vertex[place], feeler(parts, a, b), touch.numbers[k, c.LOSSY]
    p, u = read(x, vertex), read(v, vertex)
    if outside(touch, b, p, radius) and find_slot(touch.node, place, b) < 0:
        return
    whole = law[row, STIFFNESS] * parts.vertex_area[place]
    measure_patch(parts, contact.tree, touch, b, x, v, p, u, radius)
    energy, elastic, pressure, loss, slope = press_patch(patch, whole, 1.0, damping, radius,
                                                         radius - parts.size[a, HALF_THICKNESS])
    normals = (patch[NORMALS], patch[NORMALS + 1], patch[NORMALS + 2])
    f = scaled(normals, pressure)
    normal = norm(f)
    book_vertex(parts, touch, k, b, place, p, energy, elastic * norm(normals), normal, loss, f)
    rub = rub_vertex(arrays, touch, rigid, dt, k, row, place, minus(u, speed_of_patch(patch, (0.0, 0.0, 0.0))), unit(normals),
                     normal)
    add_to(force, vertex, plus(f, rub), 1.0)
    if normal > 0.0:
        side, side_damping = 0.0, 0.0
        if law[row, STATIC] > 0.0:
            side = max(whole, law[row, TANGENTIAL])
            mobility = arrays.particles.inverse_mass[vertex]
            side_damping = 2.0 * math.sqrt(side / mobility) if mobility > 0.0 else 0.0
        push_patch(parts, arrays.particles, touch, x, force, p, radius, pressure, rub, (0.0, 0.0, 0.0), slope, side,
                   damping * elastic * patch[WITHIN] * patch[WITHIN] / patch[SECTION], side_damping)


@kernel
def book_vertex(parts, touch, k, b, place, p, energy, elastic, normal, loss, f):
    """Add the pressure on a vertex to the sums of pair k."""
    sums = touch.sums
    touch.share[place] = normal
    if not elastic > 0.0:  # what leaves faster than 1/d presses no more, but has not yet given back its energy
        return
    sums[k, ENERGY] += energy
    sums[k, ELASTIC] += elastic
    sums[k, NORMAL] += normal
    sums[k, LOSS] += loss
    sums[k, AREA] += parts.vertex_area[place]
    sums[k, POINTS] += 1.0
    for axis in range(3):
        sums[k, FORCE + axis] += f[axis]
        sums[k, CENTRE + axis] += normal * p[axis]


@kernel
def rub_vertex(arrays, touch, rigid, dt, k, row, place, speed, n, normal):
    """Friction on a vertex of the sheet of pair k that moves with a speed relative to the surface."""
    parts, law, vertex = arrays.contact.parts, arrays.contact.law, arrays.contact.parts.vertex[place]
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    if not law[row, STATIC] > 0.0 or (not normal > 0.0 and find_slot(touch.node, place, b) < 0):
        return 0.0, 0.0, 0.0
    mass = 1.0 / arrays.particles.inverse_mass[vertex] if arrays.particles.inverse_mass[vertex] > 0.0 else math.inf
    return hold_vertex(parts, law, row, b, touch.node, touch.slots, place, mass, across(speed, n), n, normal,
                       turning(parts, a, b, rigid, n), -1, dt, touch.totals)


@kernel
def book_sheet(arrays, touch, rigid, k, row):
    """Add the sums of a sheet's pair to the totals, and its springs to the bounds."""
    parts, law, sums, totals = arrays.contact.parts, arrays.contact.law, touch.sums, touch.totals
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    normal = sums[k, NORMAL]
    totals[c.TOTAL_ENERGY] += sums[k, ENERGY]
    totals[c.TOTAL_LOSS] += sums[k, LOSS]
    totals[c.TOTAL_NORMAL] += max(math.fabs(normal), sums[k, ELASTIC])
    touch.pairs[k, c.TRIAL_TOUCHING] = 1 if normal > 0.0 else 0
    n = unit(get(sums, k, FORCE)) if normal > 0.0 else get(touch.numbers, k, c.NORMAL_X)
    put(touch.numbers, k, c.NOW, n)
    if not normal > 0.0:
        return
    point = scaled(get(sums, k, CENTRE), 1.0 / normal)
    put(touch.numbers, k, c.POINT, point)
    touch.numbers[k, c.DEPTH] = sums[k, ELASTIC] / (law[row, STIFFNESS] * sums[k, AREA])
    touch.numbers[k, c.STEEPNESS] = law[row, STIFFNESS] * sums[k, AREA]
    damping = touch.numbers[k, c.LOSSY]
    bound_vertices(arrays, touch, a, law[row, STIFFNESS], damping, law[row, STATIC] > 0.0)
    if parts.rigid[b] >= 0:
        bound_part(arrays.rigids, arrays.particles, parts, b, a, rigid, touch.limits, touch.totals, -1, point, 0.0,
                   2.0 * law[row, STIFFNESS] * sums[k, AREA], damping * sums[k, ELASTIC])
    elif parts.vertex_start[b + 1] - parts.vertex_start[b] > 1 and b != a:
        bound_vertices(arrays, touch, b, law[row, STIFFNESS], damping, False)


@kernel
def touch_sheet(arrays, touch, x, v, force, rigid, dt, k, row):
    """A sheet on a plane, field, ball or polyhedron."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        touch.share[place] = 0.0
        if touch.pairs[k, c.CASE] == c.SHEET_SOFT:
            press_vertex_soft(arrays, touch, x, v, force, rigid, dt, k, row, place)
        else:
            press_vertex(arrays, touch, x, v, force, rigid, dt, k, row, place)
    if touch.pairs[k, c.CASE] == c.SHEET_SOLID or touch.pairs[k, c.CASE] == c.SHEET_SOFT:
        clear_shares(parts, b, touch)
        press_corners(parts, arrays.contact.tree, a, b, x, v, force, touch.tree_box, parts.size[a, HALF_THICKNESS],
                      law[row, STIFFNESS], touch.numbers[k, c.LOSSY], (0.0, 0.0, 0.0), touch.share, touch.sums, k)
    book_sheet(arrays, touch, rigid, k, row)


@inlined
def skin(parts, part):
    """How far from its facets a part is felt by facets [m]: half a sheet's thickness, or a quarter of an edge."""
    return parts.size[part, RADIUS] if parts.size[part, RADIUS] > 0.0 else 0.25 * math.sqrt(parts.size[part, REFERENCE_AREA])


@kernel
def touch_thin(arrays, touch, x, v, force, rigid, dt, k, row):
    """A part on itself, or two sheets: vertices of each against the facets of the other, half the pressure from either side."""
    parts, tree, law = arrays.contact.parts, arrays.contact.tree, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    damping, origin = touch.numbers[k, c.LOSSY], (0.0, 0.0, 0.0)
    reach = skin(parts, a) + skin(parts, b)
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    if a == b:
        press_self(parts, tree, a, x, v, force, touch.tree_box, reach, law[row, STIFFNESS], damping, origin, touch.share,
                   touch.sums, k)
    else:
        press_corners(parts, tree, a, b, x, v, force, touch.tree_box, reach, 0.5 * law[row, STIFFNESS], damping, origin,
                      touch.share, touch.sums, k)
        press_corners(parts, tree, b, a, x, v, force, touch.tree_box, reach, 0.5 * law[row, STIFFNESS], damping, origin,
                      touch.share, touch.sums, k)
    book_sheet(arrays, touch, rigid, k, row)
