"""A ball in a soft body: the volume of the overlap, and the pressure that it puts on the facets.

Facets on free particles turn, dent and wrap the ball. The nearest point of such a surface, or the shortest way out of it, jumps
from facet to facet while particles hardly move; a force that follows it lets facets take turns, and nothing comes to rest. The
volume V of the ball within the body is smooth whatever the facets do, and its gradient is local (E the part of the surface
that is within the ball, N its normal outwards, dA its area, ω the angle under which the centre sees it):
```
∂V/∂x = ∫_E N dA at the surface, its opposite at the centre        V = Σ_facets ± ⅓ ∫ (R³ − r³) dω
```
A law of a depth needs a depth: that of the cap of the same volume, V = π x² (3 R − x)/3, dV/dx = π x (2 R − x). So over a
plane, however it is cut into facets, this is just the law of a ball; in a valley the caps of both sides add up (of a linear law
the energies, as two springs), over edges the push turns smoothly from side to side. U(x(V)) gives all of E one pressure,
p = U′(x) dx/dV, and the corner k of a facet −p N ∫ w_k dA. The rim of E lies on the ball, so that p ∫ N dA acts through its
centre: both momenta are exact. Damping (Hunt and Crossley 1975) is the factor max(0, 1 + d ẋ) on the pressure,
ẋ = V̇/(π x (2 R − x)).

From within, the facets cut something off a whole ball: as often as the surface winds round the centre, the ball's own volume
belongs to the sum. So V = ∫ w dV over the ball, w how often the surface winds round each point, and it is smooth wherever
facets get to. Where a body is inside out w is −1: V is negative, and no depth, force or energy comes of it. A ball that is
wholly within touches no facet and is lost.

Friction holds the surface E as a body: its mean velocity, and the rotation that fits that of its corners best. A force at a
point goes back by the transpose of this, so that here too force, moment and power are exact.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.columns import TOTAL_DAMPING, TOTAL_SQUARE
from robotphi.kernels.contact.press.balls import ball_slope, press_ball
from robotphi.kernels.contact.press.facet_tree import near_facet, next_leaf, renew_boxes
from robotphi.kernels.contact.press.winding import winding_number
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled

# columns of a patch: what is known of the surface within a ball; positions are relative to the centre
PATCH_VOLUME, PATCH_AREA = 0, 1        # m³, m²
PATCH_RIM, PATCH_CLOSING = 2, 3        # m: rim × slope of the ball's side there; m³/s: growth of the volume
PATCH_NORMALS, PATCH_MIDDLE, PATCH_SPEED = 4, 7, 10   # ∫ N dA, ∫ r dA, ∫ v dA, three columns each
PATCH_SECOND, PATCH_SWIRL = 13, 19     # Σ A_k r_k r_k (xx, yy, zz, yz, zx, xy) and Σ A_k r_k × v_k over the corners of facets
PATCH_FACETS = 22                      # how many facets there are, their numbers in `touch.facet_index`
PATCH_DEPTH, PATCH_SECTION = 23, 24    # m, m²: depth of the cap of that volume, dV/dx
PATCH_COLUMNS = 25

GRAZE = 1e-12        # of the square of the disc's radius: less of a facet is what rounding leaves where sectors cancel
NEWTON = 6           # iterations for the depth of a cap, which starts a quarter off at most
TURNS_NOTHING = 1e-9   # of the cube of their mean: moments of inertia with a smaller product turn nothing
ZERO = (0.0, 0.0, 0.0)
UNTOUCHED = (0.0, 0.0, ZERO, ZERO, ZERO)


@kernel
def cap_depth(volume, radius):
    """Depth x of the cap of a ball with this volume: π x² (3 R − x)/3, solved from the nearer end, where it is convex."""
    share = min(3.0 * volume / (math.pi * radius * radius * radius), 4.0)
    if not share > 0.0:
        return 0.0
    less = min(share, 4.0 - share)
    y = math.sqrt(0.5 * less)
    for _ in range(NEWTON):
        if y > 0.0:
            y -= (y * y * (3.0 - y) - less) / (3.0 * y * (2.0 - y))
    return radius * (y if share <= 2.0 else 2.0 - y)


@kernel
def cut_sector(u, w, n, radius, height, disc):
    """Volume, area, ∫ r dA, rim and ∫ r of it of the sector of the disc between two directions in its plane."""
    angle = math.atan2(dot(n, cross(u, w)), dot(u, w))
    turn = cross(minus(scaled(w, 1.0 / norm(w)), scaled(u, 1.0 / norm(u))), n)
    rest = radius - height
    return (angle * rest * rest * (2.0 * radius + height) / 6.0, 0.5 * angle * disc * disc,
            scaled(turn, disc * disc * disc / 3.0), angle * height, scaled(turn, disc * height))


@kernel
def cut_straight(u, w, n, radius, height):
    """Volume, area and ∫ r dA of the triangle of the foot of the centre and two points of the disc.

    Its solid angle after van Oosterom and Strackee 1983, one corner straight below the centre.
    """
    twice = dot(n, cross(u, w))
    first, second = math.sqrt(dot(u, u) + height * height), math.sqrt(dot(w, w) + height * height)
    angle = 2.0 * math.atan2(twice, first * second + height * (first + second) + dot(u, w) + height * height)
    return (radius * radius * radius * angle - 0.5 * height * twice) / 3.0, 0.5 * twice, scaled(plus(u, w), twice / 6.0)


@kernel
def cut_facet(p, radius, a, b, c):
    """What a ball about p cuts out of a triangle: the volume behind it, its area, the areas and rims of its corners, normal.

    Side by side around the foot of p: a straight piece where the side is within the disc, sectors where it is outside.
    """
    big = cross(minus(b, a), minus(c, a))
    size = norm(big)
    if not size > 0.0:
        return UNTOUCHED
    n = scaled(big, 1.0 / size)
    above = dot(n, minus(p, a))
    square, height = radius * radius - above * above, math.fabs(above)
    if not square > 0.0:
        return UNTOUCHED
    disc = math.sqrt(square)
    foot = minus(p, scaled(n, above))
    volume, area, rim = 0.0, 0.0, 0.0
    moment, rim_moment = ZERO, ZERO
    for side in range(3):
        u = minus(a if side == 0 else (b if side == 1 else c), foot)
        w = minus(b if side == 0 else (c if side == 1 else a), foot)
        along = minus(w, u)
        length = norm(along)
        if not length > 0.0:
            continue
        t = scaled(along, 1.0 / length)
        start, away = dot(u, t), cross(u, t)
        left = square - dot(away, away)
        half = math.sqrt(left) if left > 0.0 else 0.0
        first, last = max(-half, start), min(half, start + length)
        if not first < last:
            volume, area, moment, rim, rim_moment = add_sector(volume, area, moment, rim, rim_moment, u, w, n, radius, height,
                                                               disc)
            continue
        enter, leave = plus(u, scaled(t, first - start)), plus(u, scaled(t, last - start))
        more, wide, lever = cut_straight(enter, leave, n, radius, height)
        volume, area, moment = volume + more, area + wide, plus(moment, lever)
        if first > start:
            volume, area, moment, rim, rim_moment = add_sector(volume, area, moment, rim, rim_moment, u, enter, n, radius,
                                                               height, disc)
        if last < start + length:
            volume, area, moment, rim, rim_moment = add_sector(volume, area, moment, rim, rim_moment, leave, w, n, radius,
                                                               height, disc)
    if not area > GRAZE * square:
        return UNTOUCHED
    corner = minus(a, foot)
    return (volume if above > 0.0 else -volume, area, shares(area, minus(moment, scaled(corner, area)), a, b, c, n, size),
            shares(rim, minus(rim_moment, scaled(corner, rim)), a, b, c, n, size), n)


@inlined
def add_sector(volume, area, moment, rim, rim_moment, u, w, n, radius, height, disc):
    more, wide, lever, arc, arc_lever = cut_sector(u, w, n, radius, height, disc)
    return volume + more, area + wide, plus(moment, lever), rim + arc, plus(rim_moment, arc_lever)


@inlined
def shares(whole, moment, a, b, c, n, size):
    """∫ w_k of the three corners, from the whole ∫ 1 and the moment ∫ (r − a)."""
    second = dot(n, cross(moment, minus(c, a))) / size
    third = dot(n, cross(minus(b, a), moment)) / size
    return whole - second - third, second, third


@kernel
def measure_patch(parts, tree, touch, part, x, v, p, speed, radius):
    """What is within a ball about p, which moves with `speed`, of the surface of a soft part: the columns of `touch.patch`."""
    patch, box, end, count = touch.patch, touch.tree_box, tree.start[part + 1], 0
    for column in range(PATCH_COLUMNS):
        patch[column] = 0.0
    if touch.fresh[part] == 0:
        renew_boxes(parts, tree, part, x, box)
        touch.fresh[part] = 1
    node = next_leaf(tree, box, tree.start[part], end, p, radius)
    while node < end:
        for i in range(tree.first[node], tree.first[node] + tree.count[node]):
            facet = tree.order[i]
            rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
            if near_facet(x, rows, p, radius) and add_facet(patch, x, v, rows, p, speed, radius):
                touch.facet_index[count] = facet
                count += 1
                for corner in range(3):
                    touch.share[parts.facet_vertex[facet, corner]] = 0.0
        node = next_leaf(tree, box, node + 1, end, p, radius)
    patch[PATCH_FACETS] = count
    whole = radius * radius * radius
    if count > 0:
        patch[PATCH_VOLUME] += 4.0 / 3.0 * math.pi * whole * winding_number(parts, tree, box, part, x, p)
    depth = cap_depth(patch[PATCH_VOLUME], radius)
    patch[PATCH_DEPTH], patch[PATCH_SECTION] = depth, math.pi * depth * (2.0 * radius - depth)


@kernel
def add_facet(patch, x, v, rows, p, speed, radius):
    """Add one facet to a patch; returns whether it has a part in it."""
    volume, area, areas, rims, n = cut_facet(p, radius, read(x, rows[0]), read(x, rows[1]), read(x, rows[2]))
    if not area > 0.0:
        return False
    patch[PATCH_VOLUME] += volume
    patch[PATCH_AREA] += area
    add3(patch, PATCH_NORMALS, n, area)
    for k in range(3):
        r, u, share = minus(read(x, rows[k]), p), read(v, rows[k]), areas[k]
        patch[PATCH_RIM] += rims[k]
        patch[PATCH_CLOSING] += share * dot(n, minus(u, speed))
        add3(patch, PATCH_MIDDLE, r, share)
        add3(patch, PATCH_SPEED, u, share)
        add3(patch, PATCH_SECOND, (r[0] * r[0], r[1] * r[1], r[2] * r[2]), share)
        add3(patch, PATCH_SECOND + 3, (r[1] * r[2], r[2] * r[0], r[0] * r[1]), share)
        add3(patch, PATCH_SWIRL, cross(r, u), share)
    return True


@inlined
def add3(patch, column, a, factor):
    for axis in range(3):
        patch[column + axis] += factor * a[axis]


@inlined
def of_patch(patch, column):
    return patch[column], patch[column + 1], patch[column + 2]


@kernel
def press_patch(patch, stiffness, power, damping, radius, skin):
    """Energy, elastic pressure, pressure [N/m²], loss and slope of the force [N/m] of a ball law on a patch.

    `skin`: how much of the ball is there to feel only; the law sees the depth less the skin.
    """
    depth, section = patch[PATCH_DEPTH] - skin, patch[PATCH_SECTION]
    if not (depth > 0.0 and section > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    energy, elastic, normal, loss = press_ball(stiffness, power, damping, depth, patch[PATCH_CLOSING] / section)
    # dp/dV of the elastic pressure p = F/section, and what moving the rim adds; a row of its matrix sums up to no more
    grows = (ball_slope(stiffness, power, depth) - elastic * 2.0 * math.pi * (radius - patch[PATCH_DEPTH]) / section) / section
    slope = math.fabs(grows) / section * patch[PATCH_AREA] * patch[PATCH_AREA] + elastic / section * patch[PATCH_RIM]
    return energy, elastic / section, normal / section, loss, slope


@kernel
def turn_patch(patch, moment):
    """The rotation J⁻¹ M of a patch as a body about its middle, J = Σ A_k (r² − r r), and the trace of J⁻¹."""
    area = patch[PATCH_AREA]
    m = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area)
    xx, yy, zz = (patch[PATCH_SECOND] - area * m[0] * m[0], patch[PATCH_SECOND + 1] - area * m[1] * m[1],
                  patch[PATCH_SECOND + 2] - area * m[2] * m[2])
    yz, zx, xy = (patch[PATCH_SECOND + 3] - area * m[1] * m[2], patch[PATCH_SECOND + 4] - area * m[2] * m[0],
                  patch[PATCH_SECOND + 5] - area * m[0] * m[1])
    a, b, c = (yy + zz, -xy, -zx), (-xy, zz + xx, -yz), (-zx, -yz, xx + yy)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    whole, mean = dot(a, bc), (a[0] + b[1] + c[2]) / 3.0
    if not whole > TURNS_NOTHING * mean * mean * mean:
        return ZERO, 0.0
    turned = plus(plus(scaled(bc, moment[0]), scaled(ca, moment[1])), scaled(ab, moment[2]))
    return scaled(turned, 1.0 / whole), (bc[0] + ca[1] + ab[2]) / whole


@kernel
def speed_of_patch(patch, arm):
    """Velocity of the surface as a body at a point given relative to the ball's centre; nothing where there is no surface."""
    area = patch[PATCH_AREA]
    if not area > 0.0:
        return ZERO
    middle, mean = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area), scaled(of_patch(patch, PATCH_SPEED), 1.0 / area)
    spin, _ = turn_patch(patch, minus(of_patch(patch, PATCH_SWIRL), scaled(cross(middle, mean), area)))
    return plus(mean, cross(spin, minus(arm, middle)))


@kernel
def reach_of_patch(patch, arm):
    """Σ |∂f_k/∂f|² A/A_k over the corners of a patch, f a force at a point relative to the ball's centre; 1 in its middle."""
    area = patch[PATCH_AREA]
    if not area > 0.0:
        return 1.0
    away = minus(arm, scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area))
    _, loose = turn_patch(patch, ZERO)
    return 1.0 + dot(away, away) * area * loose


@kernel
def push_patch(now, p, radius, pressure, f, arm, stiffness, side, damping, side_damping):
    """A pressure on the facets of a patch, and the opposite of a force f that acts at a point, relative to the ball's centre.

    The bounds of the step learn of the springs that stand behind both: their stiffnesses and dampings, of the pressure as a
    whole and of f. A corner has its part in them by its area and by its rim (Gershgorin: twice, for the ball's own columns).
    """
    parts, particles, touch, x, force = now.arrays.contact.parts, now.arrays.particles, now.touch, now.x, now.force
    patch, totals = touch.patch, touch.totals
    area, rim = patch[PATCH_AREA], patch[PATCH_RIM]
    if not area > 0.0:
        return
    middle = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area)
    turn, _ = turn_patch(patch, cross(minus(arm, middle), f))
    reach = reach_of_patch(patch, arm)
    stiffness, damping = max(stiffness, side * reach), damping + side_damping * reach
    for i in range(int(patch[PATCH_FACETS])):
        facet = touch.facet_index[i]
        rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
        _, _, areas, rims, n = cut_facet(p, radius, read(x, rows[0]), read(x, rows[1]), read(x, rows[2]))
        for k in range(3):
            r = minus(minus(read(x, rows[k]), p), middle)
            back = plus(scaled(n, pressure), plus(scaled(f, 1.0 / area), cross(turn, r)))
            add_to(force, rows[k], back, -areas[k])
            touch.share[parts.facet_vertex[facet, k]] += areas[k] / area + (rims[k] / rim if rim > 0.0 else 0.0)
    for i in range(int(patch[PATCH_FACETS])):
        facet = touch.facet_index[i]
        for k in range(3):
            w = 2.0 * touch.share[parts.facet_vertex[facet, k]] * particles.inverse_mass[parts.facet[facet, k]]
            totals[TOTAL_SQUARE] = max(totals[TOTAL_SQUARE], stiffness * w)
            totals[TOTAL_DAMPING] = max(totals[TOTAL_DAMPING], damping * w)
