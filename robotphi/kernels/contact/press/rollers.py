"""Round shapes with an axis on planes: the wrench and the damping of what of them is below the surface.

With the depth z(x) = level − n·x the energy is U = λ ∫ z dV over that part; its moments come from `below`.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.finish import finish_pressure
from robotphi.kernels.contact.press.below import moments_below
from robotphi.kernels.contact.press.clip import add_tensor
from robotphi.kernels.contact.press.ground import plane_now, surface_motion
from robotphi.kernels.contact.sides import load_wrench
from robotphi.kernels.maths.vectors import across, cross, dot, get3, minus, norm, plus, read, scaled, set3, unit

NOT_IN_PLANE = (0.0, 0.0, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0)
STATIONS = 9


@kernel
def relative_motion(origin, first_at, first_velocity, first_spin, second_at, second_velocity, second_spin):
    """Velocity at `origin` and spin of the first rigid as seen from the second: v + ω × (x − origin) is what x slides at."""
    first = plus(first_velocity, cross(first_spin, minus(origin, first_at)))
    second = plus(second_velocity, cross(second_spin, minus(origin, second_at)))
    return minus(first, second), minus(first_spin, second_spin)


@inlined
def some_across(n):
    """Some unit vector across n, always the same one for the same n."""
    if abs(n[0]) < 0.6:
        size = math.sqrt(n[1] * n[1] + n[2] * n[2])
        return 0.0, n[2] / size, -n[1] / size
    size = math.sqrt(n[0] * n[0] + n[1] * n[1])
    return n[1] / size, -n[0] / size, 0.0


@inlined
def tilt_of(p, q, n):
    """Length, sine and cosine of the tilt (p the lower end), and the unit vector T across n towards which the axis rises."""
    span = minus(q, p)
    length = norm(span)
    t = some_across(n)
    if not length > 0.0:
        return 0.0, 1.0, 0.0, t
    axis = scaled(span, 1.0 / length)
    sine = dot(axis, n)
    flat = minus(axis, scaled(n, sine))
    size = norm(flat)
    if size > 0.0:
        # Once more: near upright the first difference is mostly rounding, and T must be across n to all digits.
        flat = scaled(flat, 1.0 / size)
        flat = minus(flat, scaled(n, dot(flat, n)))
        size = norm(flat)
        if size > 0.5:
            t = scaled(flat, 1.0 / size)
    return length, max(sine, 0.0), abs(dot(axis, t)), t


@inlined
def press_part(moments, p, t, n, level, velocity, spin, origin, stiffness, damping):
    """What a part below the surface does, from its moments: see `press_roller`.

    The damping acts along n at nine stations, mean ± √2 deviations in T and in B with the weights ¼ ½ ¼. They carry the
    part's volume, centroid and second moments, so that force, moment and loss are the exact integrals while nothing leaves
    faster than 1/d; beyond that no station pulls.
    """
    v, z, first, second, bb, section, start = moments
    if not v > 0.0:
        return NOT_IN_PLANE
    b = cross(n, t)
    mean = first / v
    reach_t = math.sqrt(2.0 * max(second / v - mean * mean, 0.0))
    reach_b = math.sqrt(2.0 * max(bb / v, 0.0))
    arm = minus(plus(p, scaled(t, start + mean)), origin)
    arm = plus(arm, scaled(n, level - z / v - dot(p, n)))
    rate = -dot(n, plus(velocity, cross(spin, arm)))   # closing speed at the centroid, and how it changes across n
    rate_t = -dot(n, cross(spin, t)) * reach_t
    rate_b = -dot(n, cross(spin, b)) * reach_b
    at_t, at_b = dot(arm, t), dot(arm, b)
    elastic = stiffness * v
    normal = loss = sum_t = sum_b = spread = 0.0
    for i in range(-1, 2):
        for j in range(-1, 2):
            weight = elastic / ((2.0 + 2.0 * abs(i)) * (2.0 + 2.0 * abs(j)))
            closing = rate + i * rate_t + j * rate_b
            extra = damping * closing
            if extra < -1.0:
                extra = -1.0
            push = weight * (1.0 + extra)
            x, y = at_t + i * reach_t, at_b + j * reach_b
            normal += push
            loss += weight * extra * closing
            sum_t += push * i * reach_t
            sum_b += push * j * reach_b
            spread += push * (x * x + y * y)
    centre = plus(scaled(arm, normal), plus(scaled(t, sum_t), scaled(b, sum_b)))
    return stiffness * z, elastic, normal, loss, section, scaled(n, normal), cross(centre, n), centre, spread, STATIONS


@kernel
def press_roller(kind, p, q, radius, n, level, velocity, spin, origin, stiffness, damping):
    """A round shape with the ends p and q of its axis on the half space {x: n·x < level}; `NOT_IN_PLANE` if nothing is below.

    `velocity` (at `origin`) and `spin` are those of the body as seen from the surface (`relative_motion`), `stiffness` is
    λ [N/m³], `damping` d [s/m]. Returns energy [J], elastic force, normal force [N], loss [W], section of the body by the
    surface [m²] (the elastic force changes by λ × section with the level), force [N] and moment about `origin` [N·m] on the
    body, centre Σ N × (x − origin) [N·m], spread Σ N × |x − origin|² across n [N·m²], number of points of pressure.
    """
    if dot(n, q) < dot(n, p):
        p, q = q, p
    length, sine, cosine, t = tilt_of(p, q, n)
    moments = moments_below(kind, level - dot(n, p), length, radius, sine, cosine)
    return press_part(moments, p, t, n, level, velocity, spin, origin, stiffness, damping)


@kernel
def keep_tensor(sums, k, elastic, n, mean, axis, radius):
    """The spread of the pressure: beside the axis no more than half of it, nor than half the square of the radius."""
    middle = across(mean, n)
    spread = max(sums[k, c.PAIR_SPREAD] / elastic - dot(middle, middle), 0.0)
    t = unit(across(axis, n))
    t = t if dot(t, t) > 0.5 else some_across(n)
    b = cross(n, t)
    beside = min(0.5 * spread, 0.5 * radius * radius)
    add_tensor(sums, k, elastic, mean)
    add_tensor(sums, k, elastic * (spread - beside), t)
    add_tensor(sums, k, elastic * beside, b)


@kernel
def touch_roller(now, k, row):
    """A capsule, cylinder, … on a plane."""
    parts, law, touch, x, rigid = now.arrays.contact.parts, now.arrays.contact.law, now.touch, now.x, now.rigid
    sums = touch.sums
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    n, level = plane_now(parts, b, rigid)
    speed, spin, centre = surface_motion(parts, b, rigid)
    own_speed, own_spin, own_centre = surface_motion(parts, a, rigid)
    first = parts.vertex_start[a]
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    origin = own_centre
    slide, turn = relative_motion(origin, own_centre, own_speed, own_spin, centre, speed, spin)
    whole, damping = law[row, c.STIFFNESS], touch.numbers[k, c.LOSSY]
    energy, elastic, normal, loss, area, f, moment, mean, spread, _ = press_roller(
        parts.kind[a], p, q, parts.size[a, c.RADIUS], n, level, slide, turn, origin, whole, damping)
    sums[k, c.PAIR_ENERGY], sums[k, c.PAIR_ELASTIC], sums[k, c.PAIR_NORMAL] = energy, elastic, normal
    sums[k, c.PAIR_LOSS], sums[k, c.PAIR_AREA] = loss, area
    set3(sums, k, c.PAIR_FORCE, f)
    set3(sums, k, c.PAIR_MOMENT, moment)
    without = elastic / normal if normal > 0.0 else 0.0  # the damping's share taken off
    set3(sums, k, c.PAIR_CENTRE, scaled(mean, without))
    set3(sums, k, c.PAIR_PLACE, scaled(mean, without))
    sums[k, c.PAIR_SPREAD], sums[k, c.PAIR_FACING] = spread * without, elastic
    if elastic > 0.0:
        keep_tensor(sums, k, elastic, n, scaled(get3(sums, k, c.PAIR_CENTRE), 1.0 / elastic), minus(q, p),
                    parts.size[a, c.RADIUS])
    load_wrench(touch.load, rigid, parts.rigid[a], origin, f, moment, 1.0)
    if parts.rigid[b] >= 0:
        load_wrench(touch.load, rigid, parts.rigid[b], origin, f, moment, -1.0)
    finish_pressure(now, k, row, n, origin)
