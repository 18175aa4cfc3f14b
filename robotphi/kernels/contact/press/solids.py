"""Polyhedra on planes, on height fields and on each other.

Two polyhedra press at the carried direction; the couple that is left goes to its carrier, the opposite of it all to a rigid.

Where a soft part is inside out its volume counts as negative. A pair whose energy would be less than nothing, which would pull
the two into each other without end, has no pressure.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import add_couple, carried_direction
from robotphi.kernels.contact.finish import finish_pressure
from robotphi.kernels.contact.press.facets import press_polyhedra
from robotphi.kernels.contact.press.ground import plane_now, press_on_field, press_on_plane, surface_motion
from robotphi.kernels.contact.sides import clear_shares, load_wrench, lossy_now
from robotphi.kernels.maths.vectors import get3, norm, plus, read, scaled, set3, unit

UPRIGHT = 0.1      # of a slope along z: what is steeper counts as that steep
SEEN_ALONG = (c.PAIR_ELASTIC, c.PAIR_AREA, *range(c.PAIR_CENTRE, c.PAIR_SPREAD + 1), *range(c.PAIR_FACING, c.PAIR_SUMS))


@kernel
def pulls(now, k):
    """Whether a pair with a soft part would have an energy below nothing; its sums are then cleared, its forces are to go."""
    parts, touch = now.arrays.contact.parts, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    soft = parts.rigid[a] < 0 or (parts.rigid[b] < 0 and parts.vertex_start[b] < parts.vertex_start[b + 1])
    if not (soft and touch.sums[k, c.PAIR_ENERGY] < 0.0):
        return False
    clear_pair(touch, k)
    return True


@kernel
def clear_pair(touch, k):
    for column in range(c.PAIR_SUMS):
        touch.sums[k, column] = 0.0


@kernel
def press_plane(now, k, n, level, origin, stiffness):
    """Pressure of the plane of pair k on its first part into the sums."""
    parts, touch = now.arrays.contact.parts, now.touch
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    speed, spin, centre = surface_motion(parts, b, now.rigid)
    clear_shares(parts, a, touch)
    press_on_plane(parts, a, now.x, now.v, now.force, n, level, speed, spin, centre, stiffness, lossy_now(touch.numbers, k),
                   origin, touch.share, touch.sums, k)


@kernel
def touch_plane(now, k, row):
    """A polyhedron on a plane."""
    arrays, touch, x, rigid = now.arrays, now.touch, now.x, now.rigid
    parts, law = arrays.contact.parts, arrays.contact.law
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    press_plane(now, k, n, level, origin, law[row, c.STIFFNESS])
    if pulls(now, k):
        press_plane(now, k, n, level, origin, -law[row, c.STIFFNESS])
        clear_pair(touch, k)
        clear_shares(parts, a, touch)
    if parts.rigid[b] >= 0:
        f, moment = get3(touch.sums, k, c.PAIR_FORCE), get3(touch.sums, k, c.PAIR_MOMENT)
        load_wrench(touch.load, rigid, parts.rigid[b], origin, f, moment, -1.0)
    finish_pressure(now, k, row, n, origin)


@kernel
def press_field(now, k, origin, stiffness):
    """Pressure of the field of pair k on its first part into the sums."""
    contact, touch = now.arrays.contact, now.touch
    parts = contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    clear_shares(parts, a, touch)
    press_on_field(parts, a, now.x, now.v, now.force, contact.fields, parts.field[b], stiffness,
                   lossy_now(touch.numbers, k), origin, touch.facet_corner, touch.share, touch.sums, k)


@kernel
def touch_field(now, k, row):
    """A polyhedron on a height field."""
    touch, parts, law = now.touch, now.arrays.contact.parts, now.arrays.contact.law
    a = touch.pairs[k, c.FIRST]
    origin = read(now.x, parts.vertex[parts.vertex_start[a]])
    press_field(now, k, origin, law[row, c.STIFFNESS])
    if pulls(now, k):
        press_field(now, k, origin, -law[row, c.STIFFNESS])
        clear_pair(touch, k)
        clear_shares(parts, a, touch)
    # the push of a slope leans: friction acts across what the pressure adds up to
    push_of_all = get3(touch.sums, k, c.PAIR_FORCE)
    pressed = touch.sums[k, c.PAIR_NORMAL] > 0.0
    n = unit(push_of_all) if pressed else (0.0, 0.0, 1.0)
    touch.sums[k, c.PAIR_NORMAL] = norm(push_of_all) if pressed else 0.0
    see_along(parts, touch, k, n)
    finish_pressure(now, k, row, n, origin)


@inlined
def see_along(parts, touch, k, n):
    """Elastic forces, shares of vertices and areas of pair k, summed as seen along z, become those along n, like the whole."""
    steep, a = 1.0 / max(n[2], UPRIGHT), touch.pairs[k, c.FIRST]
    for column in SEEN_ALONG:
        touch.sums[k, column] *= steep
    for place in range(parts.vertex_start[a], parts.vertex_start[a + 1]):
        touch.share[place] *= steep


@kernel
def press(now, k, stiffness, first, second, n, origin, both):
    """Pressure of `second` on `first` along n into the sums of pair k."""
    contact, touch = now.arrays.contact, now.touch
    return press_polyhedra(contact.parts, first, second, now.x, now.v, now.force, n, stiffness,
                           lossy_now(touch.numbers, k), origin, both, touch.facet_index, touch.facet_box, touch.facet_corner,
                           touch.facet_most, touch.share, touch.below, touch.sums, k)


@kernel
def press_solids(now, k, stiffness):
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
        press(now, k, stiffness, b, a, scaled(n, -1.0), origin, 0)
        f, moment = scaled(get3(sums, k, c.PAIR_FORCE), -1.0), scaled(get3(sums, k, c.PAIR_MOMENT), -1.0)
        set3(sums, k, c.PAIR_FORCE, f)
        set3(sums, k, c.PAIR_MOMENT, moment)
        load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
        return n, origin
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    both = 0 if how == c.BY_SECOND else 1
    fx, fy, fz, mx, my, mz = press(now, k, stiffness, a, b, n, origin, both)
    if both == 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, get3(sums, k, c.PAIR_FORCE), get3(sums, k, c.PAIR_MOMENT), -1.0)
    elif sums[k, c.PAIR_NORMAL] != 0.0:
        add_couple(touch.pairs, k, x, force, n, scaled(plus(get3(sums, k, c.PAIR_MOMENT), (mx, my, mz)), -1.0))
    return n, origin


@kernel
def touch_solids(now, k, row):
    """Two polyhedra that overlap or may do so by the end of the step."""
    parts, touch, stiffness = now.arrays.contact.parts, now.touch, now.arrays.contact.law[row, c.STIFFNESS]
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    clear_shares(parts, a, touch)
    clear_shares(parts, b, touch)
    n, origin = press_solids(now, k, stiffness)
    if pulls(now, k):
        press_solids(now, k, -stiffness)
        clear_pair(touch, k)
        clear_shares(parts, a, touch)
        clear_shares(parts, b, touch)
    finish_pressure(now, k, row, n, origin)
