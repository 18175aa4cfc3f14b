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
from robotphi.kernels.contact.press.balls import ball_slope, press_ball
from robotphi.kernels.contact.press.facet_tree import next_leaf, renew_boxes
from robotphi.kernels.contact.press.winding import winding_number
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import add_to, cross, dot, get3, minus, norm, plus, read, scaled, unit

# columns of a patch: what is known of the surface within a ball; positions are relative to the centre
PATCH_VOLUME, PATCH_AREA = 0, 1        # m³, m²
PATCH_RIM, PATCH_CLOSING = 2, 3        # m: rim × slope of the ball's side there; m³/s: growth of the volume
PATCH_NORMALS, PATCH_MIDDLE, PATCH_SPEED = 4, 7, 10   # ∫ N dA, ∫ r dA, ∫ v dA, three columns each
PATCH_SECOND, PATCH_SWIRL = 13, 19     # Σ A_k r_k r_k (xx, yy, zz, yz, zx, xy) and Σ A_k r_k × v_k over the corners of facets
PATCH_FACETS, PATCH_FIRST = 22, 25     # how many facets there are, and the first of their rows in `touch.cut` and `cut_facet`
PATCH_DEPTH, PATCH_SECTION = 23, 24    # m, m²: depth of the cap of that volume, dV/dx
PATCH_COLUMNS = 26

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


@inlined
def meets_side(u, w, n, square):
    """Whether the foot of the centre, from which u and w count, is left of the side u to w; whether the disc reaches it."""
    along, left = minus(w, u), dot(n, cross(u, w))
    length, start = dot(along, along), -dot(u, along)
    if 0.0 < start < length:
        return left >= 0.0, left * left < square * length
    return left >= 0.0, min(dot(u, u), dot(w, w)) < square


@inlined
def meets_disc(u, v, w, n, square):
    """Whether the disc of the ball in the plane of a triangle has something in common with it: most do not."""
    left, within = meets_side(u, v, n, square)
    left_too, within_too = meets_side(v, w, n, square)
    left_last, within_last = meets_side(w, u, n, square)
    return within or within_too or within_last or (left and left_too and left_last)


@inlined
def cut_whole(radius, height, u, v, w, area):
    """Volume behind a triangle that is wholly within the disc, by its solid angle."""
    square = height * height
    first, second, third = (math.sqrt(dot(u, u) + square), math.sqrt(dot(v, v) + square), math.sqrt(dot(w, w) + square))
    below = (first * second * third + (dot(u, v) + square) * third + (dot(v, w) + square) * first
             + (dot(w, u) + square) * second)
    solid = 2.0 * arctangent2(2.0 * height * area, below)
    return (radius * radius * radius * solid - height * area) / 3.0


@kernel
def cut_facet(p, radius, a, b, c):
    """What a ball about p cuts out of a triangle: the volume behind it, its area, the areas and rims of its corners, normal.

    Side by side around the foot of p: a straight piece where the side is within the disc, sectors where it is outside. A
    straight piece has the solid angle after van Oosterom and Strackee 1983, one corner straight below the centre. Sectors
    have one radius: their angles add up, and of their directions the ends alone are left.
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
    foot = minus(p, scaled(n, above))
    corners = minus(a, foot), minus(b, foot), minus(c, foot)
    farthest = max(dot(corners[0], corners[0]), max(dot(corners[1], corners[1]), dot(corners[2], corners[2])))
    if farthest <= square:
        volume, third = cut_whole(radius, height, corners[0], corners[1], corners[2], 0.5 * size), size / 6.0
        return (volume if above > 0.0 else -volume), 0.5 * size, (third, third, third), ZERO, n
    if not meets_disc(corners[0], corners[1], corners[2], n, square):
        return UNTOUCHED
    volume, area, angle = 0.0, 0.0, 0.0
    moment, ends = ZERO, ZERO
    for side in range(3):
        u = corners[0] if side == 0 else (corners[1] if side == 1 else corners[2])
        w = corners[1] if side == 0 else (corners[2] if side == 1 else corners[0])
        along = minus(w, u)
        length = norm(along)
        if not length > 0.0:
            continue
        t = scaled(along, 1.0 / length)
        start, left = dot(u, t), dot(n, cross(u, t))
        end, inner = start + length, square - left * left
        half = math.sqrt(inner) if inner > 0.0 else 0.0
        first, last = max(-half, start), min(half, end)
        if not first < last:
            angle += arctangent2(left * length, dot(u, w))
            continue
        enter, leave = u, w
        to_enter, to_leave = radius, radius   # from the centre
        if first > start:
            enter = plus(u, scaled(t, first - start))
            angle += arctangent2(left * (first - start), dot(u, enter))
            ends = plus(ends, enter)
        else:
            to_enter = math.sqrt(dot(u, u) + height * height)
        if last < end:
            leave = plus(u, scaled(t, last - start))
            angle += arctangent2(left * (end - last), dot(leave, w))
            ends = minus(ends, leave)
        else:
            to_leave = math.sqrt(dot(w, w) + height * height)
        twice = left * (last - first)
        solid = 2.0 * arctangent2(twice, (to_enter + height) * (to_leave + height) + dot(enter, leave))
        volume += (radius * radius * radius * solid - 0.5 * height * twice) / 3.0
        area += 0.5 * twice
        moment = plus(moment, scaled(plus(enter, leave), twice / 6.0))
    rest, turn = radius - height, cross(ends, n)
    volume += angle * rest * rest * (2.0 * radius + height) / 6.0
    area += 0.5 * angle * square
    if not area > GRAZE * square:
        return UNTOUCHED
    moment = plus(moment, scaled(turn, square / 3.0))
    rim, rim_moment, corner = angle * height, scaled(turn, height), corners[0]
    return (volume if above > 0.0 else -volume, area, shares(area, minus(moment, scaled(corner, area)), a, b, c, n, size),
            shares(rim, minus(rim_moment, scaled(corner, rim)), a, b, c, n, size), n)


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
    patch[PATCH_FIRST] = parts.facet_start[part]
    if touch.fresh[part] == 0:
        renew_boxes(parts, tree, part, x, box)
        touch.fresh[part] = 1
    node = next_leaf(tree, box, tree.start[part], end, p, radius)
    while node < end:
        for i in range(tree.first[node], tree.first[node] + tree.count[node]):
            facet = tree.order[i]
            rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
            if not near_ball(x, rows, p, radius * radius):
                continue
            if add_facet(patch, x, v, rows, p, speed, radius, touch.cut, parts.facet_start[part] + count):
                touch.cut_facet[parts.facet_start[part] + count] = facet
                count += 1
                for corner in range(3):
                    touch.share[parts.facet_vertex[facet, corner]] = 0.0
        node = next_leaf(tree, box, node + 1, end, p, radius)
    patch[PATCH_FACETS] = count
    touch.cut_by[part, 0], touch.cut_by[part, 1] = 0, count
    whole = radius * radius * radius
    if count > 0:
        patch[PATCH_VOLUME] += 4.0 / 3.0 * math.pi * whole * winding_number(parts, tree, box, part, x, p)
    depth = cap_depth(patch[PATCH_VOLUME], radius)
    patch[PATCH_DEPTH], patch[PATCH_SECTION] = depth, math.pi * depth * (2.0 * radius - depth)


@inlined
def near_ball(x, rows, p, square):
    """Whether the box of the facet with these rows is nearer to a point than the root of `square`."""
    for axis in range(3):
        a, b, c = x[rows[0], axis], x[rows[1], axis], x[rows[2], axis]
        away = max(0.0, max(min(a, min(b, c)) - p[axis], p[axis] - max(a, max(b, c))))
        square -= away * away
    return square > 0.0


@kernel
def add_facet(patch, x, v, rows, p, speed, radius, cut, at):
    """Add one facet to a patch, and keep the areas and rims of its corners; returns whether it has a part in it."""
    volume, area, areas, rims, n = cut_facet(p, radius, read(x, rows[0]), read(x, rows[1]), read(x, rows[2]))
    if not area > 0.0:
        return False
    for k in range(3):
        cut[at, k], cut[at, 3 + k] = areas[k], rims[k]
    patch[PATCH_VOLUME] += volume
    patch[PATCH_RIM] += rims[0] + rims[1] + rims[2]
    add3(patch, PATCH_NORMALS, scaled(n, area))
    speeds = add_corners(patch, x, v, rows, p, areas)
    patch[PATCH_CLOSING] += dot(n, minus(speeds, scaled(speed, area)))
    return True


@inlined
def add_corners(patch, x, v, rows, p, areas):
    """Add what the corners of a facet say of a patch as a body; returns Σ A v of them."""
    middle, speeds, swirl, squares, products = ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(3):
        r, u = minus(read(x, rows[k]), p), read(v, rows[k])
        lever = scaled(r, areas[k])
        middle, speeds, swirl = plus(middle, lever), plus(speeds, scaled(u, areas[k])), plus(swirl, cross(lever, u))
        squares = plus(squares, (lever[0] * r[0], lever[1] * r[1], lever[2] * r[2]))
        products = plus(products, (lever[1] * r[2], lever[2] * r[0], lever[0] * r[1]))
    patch[PATCH_AREA] += areas[0] + areas[1] + areas[2]
    add3(patch, PATCH_MIDDLE, middle)
    add3(patch, PATCH_SPEED, speeds)
    add3(patch, PATCH_SECOND, squares)
    add3(patch, PATCH_SECOND + 3, products)
    add3(patch, PATCH_SWIRL, swirl)
    return speeds


@kernel
def measure_again(parts, touch, part, x, v, p):
    """The surface of a soft part as a body, at other velocities than when a ball about p last cut its facets."""
    patch, first = touch.patch, parts.facet_start[part]
    patch[PATCH_AREA] = 0.0
    for column in range(PATCH_MIDDLE, PATCH_FACETS):
        patch[column] = 0.0
    for at in range(first, first + touch.cut_by[part, 1]):
        facet = touch.cut_facet[at]
        rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
        add_corners(patch, x, v, rows, p, get3(touch.cut, at, 0))


@inlined
def add3(patch, column, a):
    for axis in range(3):
        patch[column + axis] += a[axis]


@inlined
def of_patch(patch, column):
    return patch[column], patch[column + 1], patch[column + 2]


@kernel
def press_patch(patch, stiffness, power, damping, radius, skin):
    """Energy, elastic pressure, pressure [N/m²], loss and slope of the force [N/m] of a ball law on a patch, and how much of
    that slope moving the rim makes.

    `skin`: how much of the ball is there to feel only; the law sees the depth less the skin.
    """
    depth, section = patch[PATCH_DEPTH] - skin, patch[PATCH_SECTION]
    if not (depth > 0.0 and section > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    energy, elastic, normal, loss = press_ball(stiffness, power, damping, depth, patch[PATCH_CLOSING] / section)
    # dp/dV of the elastic pressure p = F/section, and what moving the rim adds; a row of its matrix sums up to no more
    grows = (ball_slope(stiffness, power, depth) - elastic * 2.0 * math.pi * (radius - patch[PATCH_DEPTH]) / section) / section
    rim = elastic / section * patch[PATCH_RIM]
    slope = math.fabs(grows) / section * patch[PATCH_AREA] * patch[PATCH_AREA] + rim
    return energy, elastic / section, normal / section, loss, slope, rim


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
def push_patch(now, p, radius, pressure, f, arm, stiffness, side, damping, side_damping, by_corners):
    """A pressure on the facets of a patch, and the opposite of a force f that acts at a point, relative to the ball's centre.

    The bounds of the step learn of the springs that stand behind both: their stiffnesses and dampings, of the pressure as a
    whole and of f. A corner has its part in them by its area and by its rim (Gershgorin: twice, for the ball's own columns),
    but where a stiff object is bounded as a body (`on_stiff`), not `by_corners`.
    """
    parts, particles, touch, x, force = now.arrays.contact.parts, now.arrays.particles, now.touch, now.x, now.force
    patch = touch.patch
    area, rim = patch[PATCH_AREA], patch[PATCH_RIM]
    if not area > 0.0:
        return
    middle = scaled(of_patch(patch, PATCH_MIDDLE), 1.0 / area)
    turn, _ = turn_patch(patch, cross(minus(arm, middle), f))
    reach = reach_of_patch(patch, arm)
    stiffness, damping = max(stiffness, side * reach), damping + side_damping * reach
    first = int(patch[PATCH_FIRST])
    for i in range(first, first + int(patch[PATCH_FACETS])):
        facet = touch.cut_facet[i]
        rows = (parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2])
        n = unit(cross(minus(read(x, rows[1]), read(x, rows[0])), minus(read(x, rows[2]), read(x, rows[0]))))
        for k in range(3):
            r, own = minus(minus(read(x, rows[k]), p), middle), touch.cut[i, k]
            back = plus(scaled(n, pressure), plus(scaled(f, 1.0 / area), cross(turn, r)))
            add_to(force, rows[k], back, -own)
            touch.share[parts.facet_vertex[facet, k]] += own / area + (touch.cut[i, 3 + k] / rim if rim > 0.0 else 0.0)
    if not by_corners:
        return
    for i in range(first, first + int(patch[PATCH_FACETS])):
        facet = touch.cut_facet[i]
        for k in range(3):
            w = 2.0 * touch.share[parts.facet_vertex[facet, k]] * particles.inverse_mass[parts.facet[facet, k]]
            place = parts.facet_vertex[facet, k]
            touch.hard[place, 0] = max(touch.hard[place, 0], stiffness * w)
            touch.hard[place, 1] = max(touch.hard[place, 1], damping * w)
