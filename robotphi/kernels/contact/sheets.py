"""Sheets: every vertex is a small ball of half the thickness with the pressure of the area around it, and rubs by itself.

Corners of polyhedra between the vertices of a sheet press on its facets (`thin`), and so do sheets on each other and on
themselves, by a tree of boxes over the facets.
"""
import math

from ..compiled import inlined, kernel
from ..vectors import add_to, dot, minus, norm, plus, read, scaled
from . import columns as c
from .ball_field import press_ball_on_field
from .ball_solid import push_corners
from .balls import press_ball
from .bound import bound_part, bound_vertices
from .carrier import get, put, unit
from .friction import across
from .gjk import nearest_called
from .ground_place import plane_now
from .hold import find_slot, hold_vertex, slot3, turning
from .kinds import (
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
)
from .sides import push, speed_at
from .thin import press_corners, press_self

COLD = (0, 0, 0, 0, 0, 0, 0, 0, 0)
NO_WEIGHTS = (0.0, 0.0, 0.0, 0.0)


@kernel
def outside(touch, part, p, reach):
    """Whether a point is farther than `reach` from all places that a part may be at within this step."""
    for axis in range(3):
        if p[axis] < touch.fat[part, axis] - reach or p[axis] > touch.fat[part, 3 + axis] + reach:
            return True
    return False


@kernel
def vertex_on_solid(parts, touch, x, place, b, p):
    """Distance of a vertex from a polyhedron, direction, and the polyhedron's corners with their weights.

    Inside, it is lifted out by the side that it touched so far, or away from the polyhedron's middle.
    """
    first, last = parts.vertex_start[b], parts.vertex_start[b + 1]
    distance, n, simplex, weights, _ = nearest_called(x, parts.vertex, place, place + 1, first, last, parts.neighbour_start,
                                                      parts.neighbour, (0.0, 0.0, 0.0), COLD)
    if distance > 0.0:
        return distance, n, simplex, weights
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
    distance, n, simplex, weights, _ = nearest_called(x, parts.vertex, place, place + 1, first, last, parts.neighbour_start,
                                                      parts.neighbour, scaled(held, lift), COLD)
    return distance - lift * dot(n, held), n, simplex, weights


@kernel
def vertex_gap(arrays, touch, x, rigid, k, place, p):
    """Distance of the middle surface at a vertex from the second part of pair k, the direction, and who takes the reaction."""
    parts = arrays.contact.parts
    b, case = touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
    if case == c.SHEET_PLANE:
        n, level = plane_now(parts, b, rigid)
        return dot(n, p) - level, n, COLD, NO_WEIGHTS
    if case == c.SHEET_BALL:
        apart = minus(p, read(x, parts.vertex[parts.vertex_start[b]]))
        return norm(apart) - parts.size[b, RADIUS], unit(apart), COLD, NO_WEIGHTS
    if outside(touch, b, p, parts.size[touch.pairs[k, c.FIRST], HALF_THICKNESS]):
        return math.inf, (0.0, 0.0, 1.0), COLD, NO_WEIGHTS
    return vertex_on_solid(parts, touch, x, place, b, p)


@kernel
def press_vertex(arrays, touch, x, v, force, rigid, dt, k, row, place):
    """One vertex of the sheet of pair k against the second part; returns normal force times n and its rate of change."""
    contact = arrays.contact
    parts, law, sums = contact.parts, contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    vertex = parts.vertex[place]
    p = read(x, vertex)
    half, damping = parts.size[a, HALF_THICKNESS], touch.numbers[k, c.LOSSY]
    whole = law[row, STIFFNESS] * parts.vertex_area[place]
    hard = parts.rigid[b] >= 0 or parts.vertex_start[b + 1] - parts.vertex_start[b] < 2
    simplex, weights = COLD, NO_WEIGHTS
    surface = (0.0, 0.0, 0.0)
    if touch.pairs[k, c.CASE] == c.SHEET_FIELD:
        energy, elastic, f, loss, _ = press_ball_on_field(contact.fields, parts.field[b], p, read(v, vertex), half, whole, 1.0,
                                                          damping, touch.points)
        normal = norm(f)
        n = unit(f)
    else:
        gap, n, simplex, weights = vertex_gap(arrays, touch, x, rigid, k, place, p)
        if hard:
            surface = speed_at(parts, b, v, rigid, p)
        else:
            for i in range(simplex[0]):
                surface = plus(surface, scaled(read(v, parts.vertex[simplex[5 + i]]), weights[i]))
        energy, elastic, normal, loss = press_ball(whole, 1.0, damping, half - gap,
                                                   dot(n, minus(surface, read(v, vertex))))
        f = scaled(n, normal)
    if elastic > 0.0:  # what leaves faster than 1/d presses no more, but has not yet given back its energy
        sums[k, ENERGY] += energy
        sums[k, ELASTIC] += elastic
        sums[k, NORMAL] += normal
        sums[k, LOSS] += loss
        sums[k, AREA] += parts.vertex_area[place]
        sums[k, POINTS] += 1.0
        for axis in range(3):
            sums[k, FORCE + axis] += f[axis]
            sums[k, CENTRE + axis] += normal * p[axis]
    elif find_slot(touch.node, place, b) < 0:
        return
    touch.share[place] = normal
    if law[row, STATIC] > 0.0:
        mass = 1.0 / arrays.particles.inverse_mass[vertex] if arrays.particles.inverse_mass[vertex] > 0.0 else math.inf
        f = plus(f, hold_vertex(parts, law, row, b, touch.node, touch.slots, place, mass,
                                across(minus(read(v, vertex), surface), n), n, normal, turning(parts, a, b, rigid, n), -1, dt,
                                touch.totals))
    add_to(force, vertex, f, 1.0)
    if hard:
        push(parts, b, force, touch.load, rigid, p, f, -1.0)
    else:
        push_corners(parts, force, simplex, weights, scaled(f, -1.0))


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
        bound_all_vertices(arrays, touch, b, law[row, STIFFNESS], damping, normal)


@kernel
def bound_all_vertices(arrays, touch, part, stiffness, damping, normal):
    """Let every vertex of a soft part count as if the whole pressure of a vertex stood on it."""
    parts = arrays.contact.parts
    for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        touch.share[place] = normal / (parts.vertex_start[part + 1] - parts.vertex_start[part])
    bound_vertices(arrays, touch, part, stiffness, damping, False)


@kernel
def touch_sheet(arrays, touch, x, v, force, rigid, dt, k, row):
    """A sheet on a plane, field, ball or polyhedron."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        touch.share[place] = 0.0
        press_vertex(arrays, touch, x, v, force, rigid, dt, k, row, place)
    if touch.pairs[k, c.CASE] == c.SHEET_SOLID:
        press_corners(parts, arrays.contact.tree, a, b, x, v, force, touch.tree_box, parts.size[a, HALF_THICKNESS],
                      law[row, STIFFNESS], touch.numbers[k, c.LOSSY], (0.0, 0.0, 0.0), touch.sums, k)
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
    if a == b:
        press_self(parts, tree, a, x, v, force, touch.tree_box, reach, law[row, STIFFNESS], damping, origin, touch.sums, k)
    else:
        press_corners(parts, tree, a, b, x, v, force, touch.tree_box, reach, 0.5 * law[row, STIFFNESS], damping, origin,
                      touch.sums, k)
        press_corners(parts, tree, b, a, x, v, force, touch.tree_box, reach, 0.5 * law[row, STIFFNESS], damping, origin,
                      touch.sums, k)
    normal = touch.sums[k, NORMAL]
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        touch.share[place] = normal
    book_sheet(arrays, touch, rigid, k, row)
