"""All contact forces at one instant: each pair of parts by its kind, one after the other, in the order of the pairs.

The pairs come from `accepted.py`, which runs once an accepted step. Here nothing is kept but trials, so that a refused attempt
leaves no trace.
"""

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import get, put, unit
from robotphi.kernels.contact.finish import finish_pressure
from robotphi.kernels.contact.kinds import (
    AREA,
    CYLINDER,
    ELASTIC,
    ENERGY,
    FACING,
    FORCE,
    LOSS,
    MOMENT,
    NORMAL,
    PLACE,
    RADIUS,
    SPREAD,
    STIFFNESS,
    TOTAL_COLUMNS,
)
from robotphi.kernels.contact.kinds import CENTRE as PRESSURE
from robotphi.kernels.contact.press.ground import press_on_field, press_on_plane
from robotphi.kernels.contact.press.ground_place import plane_now, surface_motion
from robotphi.kernels.contact.press.rollers import press_capsule, press_cylinder, relative_motion
from robotphi.kernels.contact.press.sheets import touch_sheet, touch_thin
from robotphi.kernels.contact.press.solids import lossy_now, press_solids
from robotphi.kernels.contact.press.touch_balls import (
    touch_ball_field,
    touch_ball_plane,
    touch_ball_soft,
    touch_ball_solid,
    touch_balls,
)
from robotphi.kernels.contact.sides import clear_shares, load_wrench
from robotphi.kernels.maths.vectors import norm, read, scaled


@inlined
def law_row(contact, touch, a, b):
    return contact.parts.material[a] * touch.sizes[c.MATERIALS] + contact.parts.material[b]


@kernel
def touch_plane(arrays, touch, x, v, force, rigid, dt, k, row):
    """A polyhedron on a plane."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_plane(parts, a, x, v, force, n, level, speed, spin, centre, law[row, STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.share, touch.sums, k)
    if parts.rigid[b] >= 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, get(touch.sums, k, FORCE), get(touch.sums, k, MOMENT), -1.0)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_field(arrays, touch, x, v, force, rigid, dt, k, row):
    """A polyhedron on a height field."""
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_field(parts, a, x, v, force, arrays.contact.fields, parts.field[b], law[row, STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.facet_corner, touch.share, touch.sums, k)
    # the push of a slope leans: friction acts across what the pressure adds up to
    push_of_all = get(touch.sums, k, FORCE)
    n = unit(push_of_all) if touch.sums[k, NORMAL] > 0.0 else (0.0, 0.0, 1.0)
    touch.sums[k, NORMAL] = norm(push_of_all) if touch.sums[k, NORMAL] > 0.0 else 0.0
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_roller(arrays, touch, x, v, force, rigid, dt, k, row):
    """A capsule or cylinder on a plane."""
    parts, law, sums = arrays.contact.parts, arrays.contact.law, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    own_speed, own_spin, own_centre = surface_motion(parts, a, rigid)
    first = parts.vertex_start[a]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    origin = own_centre
    slide, turn = relative_motion(origin, own_centre, own_speed, own_spin, centre, speed, spin)
    whole, damping = law[row, STIFFNESS], touch.numbers[k, c.LOSSY]
    if parts.kind[a] == CYLINDER:
        pressed = press_cylinder(p, q, parts.size[a, RADIUS], n, level, slide, turn, origin, whole, damping)
    else:
        pressed = press_capsule(p, q, parts.size[a, RADIUS], n, level, slide, turn, origin, whole, damping)
    energy, elastic, normal, loss, area, f, moment, mean, spread, _ = pressed
    sums[k, ENERGY], sums[k, ELASTIC], sums[k, NORMAL], sums[k, LOSS], sums[k, AREA] = energy, elastic, normal, loss, area
    put(sums, k, FORCE, f)
    put(sums, k, MOMENT, moment)
    without = elastic / normal if normal > 0.0 else 0.0  # the damping's share taken off
    put(sums, k, PRESSURE, scaled(mean, without))
    put(sums, k, PLACE, scaled(mean, without))
    sums[k, SPREAD], sums[k, FACING] = spread * without, elastic
    load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
    if parts.rigid[b] >= 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, f, moment, -1.0)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_solids(arrays, touch, x, v, force, rigid, dt, k, row):
    """Two polyhedra that overlap or may do so by the end of the step."""
    parts = arrays.contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    n, origin = press_solids(arrays, touch, x, v, force, rigid, k, row)
    finish_pressure(arrays, touch, x, v, force, rigid, dt, k, row, n, origin)


@kernel
def touch_pair(arrays, touch, x, v, force, rigid, dt, k):
    """The contact of pair k, by its kind."""
    for column in range(TOTAL_COLUMNS):
        touch.sums[k, column] = 0.0
    case = touch.pairs[k, c.CASE]
    row = law_row(arrays.contact, touch, touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND])
    if case == c.SOLID_PLANE:
        touch_plane(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SOLID_SOLID:
        touch_solids(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SOLID_FIELD:
        touch_field(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.ROLLER_PLANE:
        touch_roller(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_SOLID:
        touch_ball_solid(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_SOFT:
        touch_ball_soft(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_FIELD:
        touch_ball_field(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_PLANE:
        touch_ball_plane(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.SHEET_SHEET or case == c.SELF:
        touch_thin(arrays, touch, x, v, force, rigid, dt, k, row)
    elif c.SHEET_PLANE <= case <= c.SHEET_BALL or case == c.SHEET_SOFT:
        touch_sheet(arrays, touch, x, v, force, rigid, dt, k, row)
    elif case == c.BALL_BALL:
        touch_balls(arrays, touch, x, v, force, rigid, dt, k, row)


@kernel
def add_contact_forces(arrays, touch, x, v, force, rigid, dt):
    """Contact forces on the particles, the load of contact on the rigids, and what it all adds up to."""
    for i in range(touch.load.shape[0]):
        for axis in range(6):
            touch.load[i, axis] = 0.0
        touch.limits[i, 0] = 0.0
        touch.limits[i, 1] = 0.0
    for i in range(c.TOTALS):
        touch.totals[i] = 0.0
    for part in range(len(touch.fresh)):
        touch.fresh[part] = 0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        touch_pair(arrays, touch, x, v, force, rigid, dt, k)
