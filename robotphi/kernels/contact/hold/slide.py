"""How the surfaces of a pair slide on each other at an accepted step, and how lossy it is where hardly anything moves."""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.hold.hold import pair_speed
from robotphi.kernels.contact.hold.mobility import reduced_mass
from robotphi.kernels.contact.hold.on_facet import facet_speed
from robotphi.kernels.contact.hold.patches import set_place_slides
from robotphi.kernels.contact.press.ball_soft import measure_again, measure_patch, speed_of_patch
from robotphi.kernels.contact.press.sheets import feeler
from robotphi.kernels.contact.sides import effective_mass, speed_at, spin_of_part
from robotphi.kernels.maths.vectors import across, cross, dot, get3, minus, norm, plus, read, scaled
from robotphi.kernels.step.rigids import CENTRE

SETTLING = 0.5   # of critical damping, when at rest
HIT = 3.0        # half periods: no hit takes as long (one without damping takes one)
LASTS = 99.0     # how much higher the settling speed is for what stays in touch


@kernel
def set_slide(arrays, touch, x, v, rigid, k, resolution):
    """Sliding speeds of pair k at the velocities of the accepted step; lengths below `resolution` are rounding."""
    parts, pairs, numbers = arrays.contact.parts, touch.pairs, touch.numbers
    a, b = pairs[k, c.FIRST], pairs[k, c.SECOND]
    n = get3(numbers, k, c.NORMAL_X)
    row = parts.material[a] * touch.sizes[c.MATERIALS] + parts.material[b]
    numbers[k, c.LOSSY], numbers[k, c.TAKEN] = arrays.contact.law[row, c.DAMPING], 0.0
    if touch.sums[k, c.PAIR_FACING] > 0.0:
        numbers[k, c.TAKEN] = min(max(1.0 - touch.sums[k, c.PAIR_ELASTIC] / touch.sums[k, c.PAIR_FACING], 0.0), 1.0)
    if pairs[k, c.TOUCHING] == 1:
        settle(arrays, touch, x, v, rigid, k, row, n, resolution)
        point = get3(numbers, k, c.POINT)
        surface = speed_at(parts, b, v, rigid, point)
        if pairs[k, c.CASE] == kinds.BALL_SOFT:
            centre = read(x, parts.vertex[parts.vertex_start[a]])
            if touch.cut_by[b, 0] == parts.vertex[parts.vertex_start[a]] + 1:
                measure_again(parts, touch, b, x, v, centre)
                surface = speed_of_patch(touch.patch, minus(point, centre))
            else:
                surface = soft_speed(arrays, touch, b, x, v, centre, parts.size[a, c.RADIUS], minus(point, centre))
        slide = pair_speed(parts, a, b, v, rigid, point, surface, n, numbers[k, c.GYRATION])
        for i in range(4):
            numbers[k, c.SLIDE + i] = slide[i]
    if pairs[k, c.CASE] == kinds.BALL_FIELD or pairs[k, c.CASE] == kinds.ROUND_FIELD:
        set_place_slides(parts, touch, a, b, v, rigid)
    for part, other in ((a, b), (b, a)):
        if parts.rigid[part] >= 0 or parts.vertex_start[part + 1] - parts.vertex_start[part] < 2:
            continue
        for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
            for s in range(c.SLOTS):
                first = s * c.SLOT_NUMBERS
                if touch.node[place, s] == other + 1 and touch.slots[place, first + c.SLOT_USED] > 0.0:
                    set_vertex_slide(arrays, touch, part, other, place, first, x, v, rigid)


@kernel
def soft_speed(arrays, touch, part, x, v, p, radius, arm):
    """Velocity of the surface of a soft part within a ball about p, at a point relative to p."""
    measure_patch(arrays.contact.parts, arrays.contact.tree, touch, part, x, v, p, (0.0, 0.0, 0.0), radius)
    return speed_of_patch(touch.patch, arm)


@kernel
def settle(arrays, touch, x, v, rigid, k, row, n, resolution):
    """More damping where hardly anything moves.

    Hunt and Crossley's force loses next to nothing in small vibration about rest: a box would ring for seconds. Below
    the settling speed u₀, a thousandth of that of the hits the material is meant for, the damping of a lossy pair grows towards
    half the critical one. What has been in touch for longer than any hit lasts settles from speeds a hundred times as high: a
    block that comes to rest on a slope would else be kept rattling by friction.
    (1 + (u/u₀)² + ½ μ u²/U)⁻² leaves the energy lost in a hit at speed u as it is, to some 2π (u₀/u)³; μ is the reduced mass
    and U the elastic energy, so that nothing is added at first touch. The speed is that of the last accepted step: damping
    holds still in a step. What turns counts by the speed of its mass centre about the contact, which is at rest where the body
    is; what rolls is at rest only where it touches, and is not held back. What is in touch of a soft part takes it all up: it
    is critically damped at most.

    Damping d is per elastic force F, which grows in the step to come: this damping is shared out over F, what the accelerations
    a of mass m in touch are still to make of it, m a, and what a depth of rounding would. Where two faces just touch, F is
    nothing and tells nothing.
    """
    parts, numbers, sums = arrays.contact.parts, touch.numbers, touch.sums
    damping = arrays.contact.law[row, c.DAMPING]
    if not (damping > 0.0 and sums[k, c.PAIR_ELASTIC] > 0.0 and sums[k, c.PAIR_ENERGY] > 0.0):
        return
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    point = get3(numbers, k, c.POINT)
    speed = math.fabs(dot(minus(speed_of(parts, a, v, rigid, point), speed_of(parts, b, v, rigid, point)), n))
    spin = minus(spin_of_part(parts, a, rigid), spin_of_part(parts, b, rigid))
    reach = max(numbers[k, c.GYRATION], max(arm_of(parts, a, rigid, point), arm_of(parts, b, rigid, point)))
    speed += reach * norm(cross(spin, n))
    calm = arrays.contact.law[row, c.SETTLING_SPEED] * (1.0 + LASTS * min(max(numbers[k, c.LASTING] - HIT, 0.0), 1.0))
    share = speed / calm
    mass, stiffness = effective_mass(parts.size[a, c.MASS], parts.size[b, c.MASS]), numbers[k, c.STEEPNESS]
    moved = reduced_mass(parts, a, b, sums[k, c.PAIR_AREA])
    fade = 1.0 / (1.0 + share * share + 0.5 * mass * speed * speed / sums[k, c.PAIR_ENERGY])
    coming = moved * (touch.motion[a, 4] + touch.motion[b, 4]) + stiffness * resolution
    most = min(SETTLING * 2.0 * math.sqrt(stiffness * mass), 2.0 * math.sqrt(stiffness * moved))
    numbers[k, c.LOSSY] = damping + fade * fade * most / (sums[k, c.PAIR_ELASTIC] + coming)


@kernel
def arm_of(parts, part, rigid, point):
    """Distance of a point from the mass centre of a part's rigid [m]; 0 where it has none."""
    i = parts.rigid[part]
    return norm(minus(point, get3(rigid, i, CENTRE))) if i >= 0 and math.isfinite(parts.size[part, c.MASS]) else 0.0


@kernel
def speed_of(parts, part, v, rigid, point):
    """Velocity of a part near a point; of a soft part, the mean of all its vertices."""
    start, stop = parts.vertex_start[part], parts.vertex_start[part + 1]
    if parts.rigid[part] >= 0 or start == stop:
        return speed_at(parts, part, v, rigid, point)
    total = (0.0, 0.0, 0.0)
    for k in range(start, stop):
        total = plus(total, read(v, parts.vertex[k]))
    return scaled(total, 1.0 / (stop - start))


@kernel
def set_vertex_slide(arrays, touch, part, other, place, first, x, v, rigid):
    """Sliding speed of a vertex on a facet, on a soft body around it, or on what is rigid or fixed."""
    parts = arrays.contact.parts
    row, slots = parts.vertex[place], touch.slots
    point, facet = read(x, row), int(slots[place, first + c.SLOT_FACET])
    if facet >= 0:
        surface = facet_speed(x, v, parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2], point)
    elif parts.rigid[other] < 0 and parts.vertex_start[other + 1] - parts.vertex_start[other] > 1:
        surface = soft_speed(arrays, touch, other, x, v, point, feeler(parts, part, other), (0.0, 0.0, 0.0))
    else:
        surface = speed_at(parts, other, v, rigid, point)
    n = get3(slots, place, first + c.SLOT_NORMAL)
    slide = across(minus(read(v, row), surface), n)
    for i in range(3):
        slots[place, first + c.SLOT_SLIDE + i] = slide[i]
