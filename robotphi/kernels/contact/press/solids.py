"""Polyhedra on planes, on height fields and on each other.

Two polyhedra press at the carried direction; the couple that is left goes to its carrier, the opposite of it all to a rigid.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import add_couple, carried_direction
from robotphi.kernels.contact.finish import finish_pressure
from robotphi.kernels.contact.press.facets import press_polyhedra
from robotphi.kernels.contact.press.ground import plane_now, press_on_field, press_on_plane, surface_motion
from robotphi.kernels.contact.sides import clear_shares, load_wrench, lossy_now
from robotphi.kernels.maths.vectors import get3, norm, plus, read, scaled, set3, unit


@kernel
def touch_plane(now, k, row):
    """A polyhedron on a plane."""
    arrays, touch, x, v, force, rigid = now.arrays, now.touch, now.x, now.v, now.force, now.rigid
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_plane(parts, a, x, v, force, n, level, speed, spin, centre, law[row, c.STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.share, touch.sums, k)
    if parts.rigid[b] >= 0:
        f, moment = get3(touch.sums, k, c.PAIR_FORCE), get3(touch.sums, k, c.PAIR_MOMENT)
        load_wrench(touch.load, rigid, parts.rigid[b], origin, f, moment, -1.0)
    finish_pressure(now, k, row, n, origin)


@kernel
def touch_field(now, k, row):
    """A polyhedron on a height field."""
    arrays, touch, x, v, force = now.arrays, now.touch, now.x, now.v, now.force
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    clear_shares(parts, a, touch)
    press_on_field(parts, a, x, v, force, arrays.contact.fields, parts.field[b], law[row, c.STIFFNESS],
                   lossy_now(touch.numbers, k), origin, touch.facet_corner, touch.share, touch.sums, k)
    # the push of a slope leans: friction acts across what the pressure adds up to
    push_of_all = get3(touch.sums, k, c.PAIR_FORCE)
    n = unit(push_of_all) if touch.sums[k, c.PAIR_NORMAL] > 0.0 else (0.0, 0.0, 1.0)
    touch.sums[k, c.PAIR_NORMAL] = norm(push_of_all) if touch.sums[k, c.PAIR_NORMAL] > 0.0 else 0.0
    finish_pressure(now, k, row, n, origin)


@kernel
def press(now, k, row, first, second, n, origin, both):
    """Pressure of `second` on `first` along n into the sums of pair k."""
    contact, touch = now.arrays.contact, now.touch
    return press_polyhedra(contact.parts, first, second, now.x, now.v, now.force, n, contact.law[row, c.STIFFNESS],
                           lossy_now(touch.numbers, k), origin, both, touch.facet_index, touch.facet_box, touch.facet_corner,
                           touch.facet_most, touch.share, touch.below, touch.sums, k)


@kernel
def press_solids(now, k, row):
    """Pressure of pair k; returns the direction and the reference point of its sums.

    Where the direction turns with a rigid, the energy depends on where the other part is beside it, and no more: the rigid gets
    the opposite of what the other gets. Else both sides are integrated; what their moments do not cancel is the part of the
    gradient that turns the carrier.
    """
    parts, touch, x, force, rigid = now.arrays.contact.parts, now.touch, now.x, now.force, now.rigid
    sums = touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n = carried_direction(touch.pairs, touch.numbers, k, parts, x, rigid)
    how = touch.pairs[k, c.CARRIER]
    if how == c.BY_FIRST:
        origin = read(x, parts.vertex[parts.vertex_start[b]])
        press(now, k, row, b, a, scaled(n, -1.0), origin, 0)
        f, moment = scaled(get3(sums, k, c.PAIR_FORCE), -1.0), scaled(get3(sums, k, c.PAIR_MOMENT), -1.0)
        set3(sums, k, c.PAIR_FORCE, f)
        set3(sums, k, c.PAIR_MOMENT, moment)
        load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
        return n, origin
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    both = 0 if how == c.BY_SECOND else 1
    fx, fy, fz, mx, my, mz = press(now, k, row, a, b, n, origin, both)
    if both == 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, get3(sums, k, c.PAIR_FORCE), get3(sums, k, c.PAIR_MOMENT), -1.0)
    elif sums[k, c.PAIR_NORMAL] != 0.0:
        add_couple(touch.pairs, k, x, force, n, scaled(plus(get3(sums, k, c.PAIR_MOMENT), (mx, my, mz)), -1.0))
    return n, origin


@kernel
def touch_solids(now, k, row):
    """Two polyhedra that overlap or may do so by the end of the step."""
    parts, touch = now.arrays.contact.parts, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    n, origin = press_solids(now, k, row)
    finish_pressure(now, k, row, n, origin)
