"""Two polyhedra: pressure at the carried direction, the couple that goes to its carrier, the opposite on a rigid."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.carrier import add_couple, carried_direction, get, put
from robotphi.kernels.contact.kinds import FORCE, MOMENT, NORMAL, STIFFNESS
from robotphi.kernels.contact.press.facets import press_polyhedra
from robotphi.kernels.contact.sides import load_wrench
from robotphi.kernels.maths.vectors import plus, read, scaled


@inlined
def lossy_now(numbers, k):
    """Damping [s/m] and the share of it that is left, as the last accepted step found them."""
    return numbers[k, c.LOSSY], 1.0 - numbers[k, c.TAKEN]


@kernel
def press(arrays, touch, x, v, force, k, row, first, second, n, origin, both):
    """Pressure of `second` on `first` along n into the sums of pair k."""
    law = arrays.contact.law
    return press_polyhedra(arrays.contact.parts, first, second, x, v, force, n, law[row, STIFFNESS],
                           lossy_now(touch.numbers, k), origin, both, touch.facet_index, touch.facet_box, touch.facet_corner,
                           touch.facet_most, touch.share, touch.below, touch.sums, k)


@kernel
def press_solids(arrays, touch, x, v, force, rigid, k, row):
    """Pressure of pair k; returns the direction and the reference point of its sums.

    Where the direction turns with a rigid, the energy depends on where the other part is beside it, and no more: the rigid gets
    the opposite of what the other gets. Else both sides are integrated; what their moments do not cancel is the part of the
    gradient that turns the carrier.
    """
    parts, sums = arrays.contact.parts, touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n = carried_direction(touch.pairs, touch.numbers, k, parts, x, rigid)
    how = touch.pairs[k, c.CARRIER]
    if how == c.BY_FIRST:
        origin = read(x, parts.vertex[parts.vertex_start[b]])
        press(arrays, touch, x, v, force, k, row, b, a, scaled(n, -1.0), origin, 0)
        f, moment = scaled(get(sums, k, FORCE), -1.0), scaled(get(sums, k, MOMENT), -1.0)
        put(sums, k, FORCE, f)
        put(sums, k, MOMENT, moment)
        load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
        return n, origin
    origin = read(x, parts.vertex[parts.vertex_start[a]])
    both = 0 if how == c.BY_SECOND else 1
    fx, fy, fz, mx, my, mz = press(arrays, touch, x, v, force, k, row, a, b, n, origin, both)
    if both == 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, get(sums, k, FORCE), get(sums, k, MOMENT), -1.0)
    elif sums[k, NORMAL] != 0.0:
        add_couple(touch.pairs, k, x, force, n, scaled(plus(get(sums, k, MOMENT), (mx, my, mz)), -1.0))
    return n, origin
