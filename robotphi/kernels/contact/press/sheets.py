"""Sheets: every vertex is a small ball of half the thickness with the pressure of the area around it, and rubs by itself.

Corners of polyhedra between the vertices of a sheet press on its facets (`thin`), and so do sheets on each other and on
themselves, by a tree of boxes over the facets.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.find.gjk import nearest_called
from robotphi.kernels.contact.finish import bound_pair
from robotphi.kernels.contact.hold.hold import find_slot, hold_vertex, turning
from robotphi.kernels.contact.hold.mobility import moved_mass
from robotphi.kernels.contact.press.ball_field import press_ball_on_field
from robotphi.kernels.contact.press.ball_soft import (
    PATCH_AREA,
    PATCH_NORMALS,
    PATCH_SECTION,
    measure_patch,
    press_patch,
    push_patch,
    reach_of_patch,
    speed_of_patch,
)
from robotphi.kernels.contact.press.balls import press_ball
from robotphi.kernels.contact.press.clip import add_tensor
from robotphi.kernels.contact.press.ground import plane_now
from robotphi.kernels.contact.press.thin import press_corners, press_self
from robotphi.kernels.contact.sides import clear_shares, push, speed_at
from robotphi.kernels.maths.vectors import across, add_to, dot, get3, minus, norm, plus, read, scaled, set3, unit

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
    half = parts.size[a, c.HALF_THICKNESS]
    return max(half, min(FEELS * half, parts.size[b, c.HALF_THICKNESS]))


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
        held = get3(touch.slots, place, s * c.SLOT_NUMBERS + c.SLOT_NORMAL)
    else:
        box = touch.box
        held = unit(minus(p, (0.5 * (box[b, 0] + box[b, 3]), 0.5 * (box[b, 1] + box[b, 4]), 0.5 * (box[b, 2] + box[b, 5]))))
    top = -math.inf
    for k in range(first, last):
        top = max(top, dot(read(x, parts.vertex[k]), held))
    lift = top - dot(p, held) + parts.size[b, c.HALF_THICKNESS]
    distance, n, _, _, _ = nearest_called(x, parts.vertex, place, place + 1, first, last, parts.neighbour_start,
                                          parts.neighbour, scaled(held, lift), COLD)
    return distance - lift * dot(n, held), n


@kernel
def vertex_gap(now, k, place, p):
    """Distance of the middle surface at a vertex from the second part of pair k, a plane, ball or rigid, and the direction."""
    parts, touch, x = now.arrays.contact.parts, now.touch, now.x
    b, case = touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
    if case == kinds.SHEET_PLANE:
        n, level = plane_now(parts, b, now.rigid)
        return dot(n, p) - level, n
    if case == kinds.SHEET_BALL:
        apart = minus(p, read(x, parts.vertex[parts.vertex_start[b]]))
        return norm(apart) - parts.size[b, c.RADIUS], unit(apart)
    if outside(touch, b, p, parts.size[touch.pairs[k, c.FIRST], c.HALF_THICKNESS]):
        return math.inf, (0.0, 0.0, 1.0)
    return vertex_on_solid(parts, touch, x, place, b, p)


@kernel
def press_vertex(now, k, row, place):
    """One vertex of the sheet of pair k against the second part: a plane, field, ball or rigid polyhedron."""
    contact, touch, force, rigid = now.arrays.contact, now.touch, now.force, now.rigid
    parts, law = contact.parts, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    vertex = parts.vertex[place]
    p, u = read(now.x, vertex), read(now.v, vertex)
    half, damping = parts.size[a, c.HALF_THICKNESS], touch.numbers[k, c.LOSSY]
    whole = law[row, c.STIFFNESS] * parts.vertex_area[place]
    surface = (0.0, 0.0, 0.0)
    if touch.pairs[k, c.CASE] == kinds.SHEET_FIELD:
        energy, elastic, f, loss, _ = press_ball_on_field(contact.fields, parts.field[b], p, u, half, whole, 1.0, damping,
                                                          touch.points)
        normal = norm(f)
        n = unit(f)
    else:
        gap, n = vertex_gap(now, k, place, p)
        surface = speed_at(parts, b, now.v, rigid, p)
        energy, elastic, normal, loss = press_ball(whole, 1.0, damping, half - gap, dot(n, minus(surface, u)))
        f = scaled(n, normal)
    book_vertex(parts, touch, k, b, place, p, energy, elastic, normal, loss, f)
    f = plus(f, rub_vertex(now, k, row, place, minus(u, surface), n, normal, 1.0 / parts.size[b, c.MASS]))
    add_to(force, vertex, f, 1.0)
    push(parts, b, force, touch.load, rigid, p, f, -1.0)


@kernel
def press_vertex_soft(now, k, row, place):
    """One vertex of the sheet of pair k against a soft polyhedron: as a ball, all but half the thickness of it only to feel."""
    arrays, touch = now.arrays, now.touch
    contact, patch = arrays.contact, touch.patch
    parts, law = contact.parts, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    vertex, radius, damping = parts.vertex[place], feeler(parts, a, b), touch.numbers[k, c.LOSSY]
    p, u = read(now.x, vertex), read(now.v, vertex)
    if outside(touch, b, p, radius) and find_slot(touch.node, place, b) < 0:
        return
    whole = law[row, c.STIFFNESS] * parts.vertex_area[place]
    measure_patch(parts, contact.tree, touch, b, now.x, now.v, p, u, radius)
    energy, elastic, pressure, loss, slope, _ = press_patch(patch, whole, 1.0, damping, radius,
                                                         radius - parts.size[a, c.HALF_THICKNESS])
    touch.totals[c.TOTAL_CANCELLED] += pressure * radius * radius * radius
    normals = (patch[PATCH_NORMALS], patch[PATCH_NORMALS + 1], patch[PATCH_NORMALS + 2])
    f = scaled(normals, pressure)
    normal = norm(f)
    book_vertex(parts, touch, k, b, place, p, energy, elastic * norm(normals), normal, loss, f)
    give = reach_of_patch(patch, (0.0, 0.0, 0.0)) / moved_mass(parts, b, patch[PATCH_AREA])
    rub = rub_vertex(now, k, row, place, minus(u, speed_of_patch(patch, (0.0, 0.0, 0.0))), unit(normals), normal, give)
    add_to(now.force, vertex, plus(f, rub), 1.0)
    if normal > 0.0:
        side, side_damping = 0.0, 0.0
        if law[row, c.STATIC_FRICTION] > 0.0:
            side = max(whole, law[row, c.TANGENTIAL])
            mobility = arrays.particles.inverse_mass[vertex] + give
            side_damping = 2.0 * math.sqrt(side / mobility) if mobility > 0.0 else 0.0
        area = patch[PATCH_AREA]
        push_patch(now, p, radius, pressure, rub, (0.0, 0.0, 0.0), slope, side,
                   damping * elastic * area * area / patch[PATCH_SECTION], side_damping, True)


@kernel
def book_vertex(parts, touch, k, b, place, p, energy, elastic, normal, loss, f):
    """Add the pressure on a vertex to the sums of pair k."""
    sums = touch.sums
    touch.share[place] = normal
    if not elastic > 0.0:  # what leaves faster than 1/d presses no more, but has not yet given back its energy
        return
    sums[k, c.PAIR_ENERGY] += energy
    sums[k, c.PAIR_ELASTIC] += elastic
    sums[k, c.PAIR_NORMAL] += normal
    sums[k, c.PAIR_LOSS] += loss
    sums[k, c.PAIR_AREA] += parts.vertex_area[place]
    sums[k, c.PAIR_POINTS] += 1.0
    for axis in range(3):
        sums[k, c.PAIR_FORCE + axis] += f[axis]
        sums[k, c.PAIR_CENTRE + axis] += normal * p[axis]
    add_tensor(sums, k, normal, p)


@kernel
def rub_vertex(now, k, row, place, speed, n, normal, give):
    """Friction on a vertex of the sheet of pair k that moves with a speed relative to the surface, which gives way [1/kg]."""
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    inverse = now.arrays.particles.inverse_mass[parts.vertex[place]]
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    if not law[row, c.STATIC_FRICTION] > 0.0 or (not normal > 0.0 and find_slot(touch.node, place, b) < 0):
        return 0.0, 0.0, 0.0
    mobility = inverse + give
    return hold_vertex(now, row, b, place, mobility, across(speed, n), n, normal, turning(parts, a, b, now.rigid, n), -1)


@kernel
def book_sheet(now, k, row):
    """Add the sums of a sheet's pair to the totals, and its springs to the bounds."""
    law, touch = now.arrays.contact.law, now.touch
    sums, totals = touch.sums, touch.totals
    normal = sums[k, c.PAIR_NORMAL]
    totals[c.TOTAL_ENERGY] += sums[k, c.PAIR_ENERGY]
    totals[c.TOTAL_LOSS] += sums[k, c.PAIR_LOSS]
    totals[c.TOTAL_NORMAL] += max(math.fabs(normal), sums[k, c.PAIR_ELASTIC])
    touch.pairs[k, c.TRIAL_TOUCHING] = 1 if normal > 0.0 else 0
    n = unit(get3(sums, k, c.PAIR_FORCE)) if normal > 0.0 else get3(touch.numbers, k, c.NORMAL_X)
    set3(touch.numbers, k, c.NOW, n)
    if not normal > 0.0:
        return
    point = scaled(get3(sums, k, c.PAIR_CENTRE), 1.0 / normal)
    set3(touch.numbers, k, c.POINT, point)
    touch.numbers[k, c.DEPTH] = sums[k, c.PAIR_ELASTIC] / (law[row, c.STIFFNESS] * sums[k, c.PAIR_AREA])
    bound_pair(now, k, row, point, 0.0, law[row, c.STIFFNESS] * sums[k, c.PAIR_AREA],
               touch.numbers[k, c.LOSSY] * sums[k, c.PAIR_ELASTIC])


@kernel
def touch_sheet(now, k, row):
    """A sheet on a plane, field, ball or polyhedron."""
    parts, law, touch = now.arrays.contact.parts, now.arrays.contact.law, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        touch.share[place] = 0.0
        if touch.pairs[k, c.CASE] == kinds.SHEET_SOFT:
            press_vertex_soft(now, k, row, place)
        else:
            press_vertex(now, k, row, place)
    if touch.pairs[k, c.CASE] == kinds.SHEET_SOLID or touch.pairs[k, c.CASE] == kinds.SHEET_SOFT:
        clear_shares(parts, b, touch)
        press_corners(parts, now.arrays.contact.tree, a, b, now.x, now.v, now.force, touch.tree_box,
                      parts.size[a, c.HALF_THICKNESS], law[row, c.STIFFNESS], touch.numbers[k, c.LOSSY], (0.0, 0.0, 0.0),
                      touch.share, touch.sums, k)
    book_sheet(now, k, row)


@inlined
def skin(parts, part):
    """How far from its facets a part is felt by facets [m]: half a sheet's thickness, or a quarter of an edge."""
    radius = parts.size[part, c.RADIUS]
    return radius if radius > 0.0 else 0.25 * math.sqrt(parts.size[part, c.REFERENCE_AREA])


@kernel
def touch_thin(now, k, row):
    """A part on itself, or two sheets: vertices of each against the facets of the other, half the pressure from either side."""
    contact, touch, x, v, force = now.arrays.contact, now.touch, now.x, now.v, now.force
    parts, tree, law = contact.parts, contact.tree, contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    damping, origin = touch.numbers[k, c.LOSSY], (0.0, 0.0, 0.0)
    reach = skin(parts, a) + skin(parts, b)
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    if a == b:
        press_self(parts, tree, a, x, v, force, touch.tree_box, reach, law[row, c.STIFFNESS], damping, origin, touch.share,
                   touch.sums, k)
    else:
        press_corners(parts, tree, a, b, x, v, force, touch.tree_box, reach, 0.5 * law[row, c.STIFFNESS], damping, origin,
                      touch.share, touch.sums, k)
        press_corners(parts, tree, b, a, x, v, force, touch.tree_box, reach, 0.5 * law[row, c.STIFFNESS], damping, origin,
                      touch.share, touch.sums, k)
    book_sheet(now, k, row)
