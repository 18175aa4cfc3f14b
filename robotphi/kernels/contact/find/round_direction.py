"""The contact direction of a capsule, cylinder or wheel and a convex part: GJK by support points, kept through overlap.

Supports of round parts are closed forms, so that nothing is cut into facets. A curved side makes GJK converge rather than end:
it stops where the certificate says so, and the direction is then good to some 1e-7. Where the normal of a facet or of a flat
end parts the two at least as well it is taken instead, exact to rounding.

As for polyhedra (`direction`, RR-3072 §4.2) the first part is moved out along the last known direction where the two overlap,
and asked again; the separation along the direction grows with each ask. Capsules are segments with a margin.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.kernels.contact.find.careful import ORIGIN_INSIDE
from robotphi.kernels.contact.find.direction import start_direction
from robotphi.kernels.contact.find.simplex import of_new_corner, of_segment, of_triangle
from robotphi.kernels.contact.find.support import corner, support
from robotphi.kernels.contact.kinds import CAPSULE, SWEPT
from robotphi.kernels.contact.press.outline import outline_at, outline_count
from robotphi.kernels.maths.vectors import across, cross, dot, minus, norm, plus, read, scaled, unit

MOST_ITERATIONS = 60
CERTAIN = 1e-14      # of the square of the distance: gap of the certificate
TINY = 1e-15         # of the largest difference: distances below it are none
MOST_ASKS = 6
SAME = 1e-9          # directions nearer than this are one
LIFT = 1e-3          # of the radius: how far apart the parts are for the ask, beyond their overlap
NEAR_FACE = 0.999    # cosine: normals of facets that are tried
AS_GOOD = 1e-9       # of the radius: separations that differ by less are one


@inlined
def is_round(parts, part):
    return parts.kind[part] in SWEPT


@inlined
def margin_of(parts, part):
    """How far a part reaches beyond what its supports tell."""
    return parts.size[part, c.RADIUS] if parts.kind[part] == CAPSULE else 0.0


@kernel
def farthest(parts, part, x, d, place):
    """The point of a part farthest along d, without its margin, and the place of the corner where it has corners."""
    first, last = parts.vertex_start[part], parts.vertex_start[part + 1]
    if not is_round(parts, part):
        place = support(x, parts.vertex, first, last, parts.neighbour_start, parts.neighbour, d, place)
        return corner(x, parts.vertex, place), place
    p, q = read(x, parts.vertex[first]), read(x, parts.vertex[first + 1])
    axis, length = unit(minus(q, p)), norm(minus(q, p))
    along, flat = dot(axis, d), across(d, axis)
    if parts.kind[part] == CAPSULE:
        return (q, place) if along > 0.0 else (p, place)
    size, best, at, r = norm(flat), -math.inf, 0.0, 0.0
    for i in range(outline_count(parts, part)):
        s, radius = outline_at(parts, part, i, length)
        value = along * s + size * radius
        if value > best:
            best, at, r = value, s, radius
    out = scaled(flat, r / size) if size > 0.0 else (0.0, 0.0, 0.0)
    return plus(p, plus(scaled(axis, at), out)), place


@kernel
def parted(parts, a, b, x, n, place):
    """Separation of two parts along n, from b to a, negative where they overlap, without margins; and a place for the next."""
    lowest, _ = farthest(parts, a, x, scaled(n, -1.0), parts.vertex_start[a])
    highest, place = farthest(parts, b, x, n, place)
    return dot(minus(lowest, highest), n), place


@kernel
def nearest_rounds(parts, a, b, x, shift, v, place):
    """Distance of two parts without margins, the first moved by `shift`, and the direction from b to a; v: where to look first.

    Direction 0 where they touch or overlap.
    """
    w0 = w1 = w2 = (0.0, 0.0, 0.0)
    count, square, largest = 0, 0.0, 0.0
    for _ in range(MOST_ITERATIONS):
        low, _ = farthest(parts, a, x, scaled(v, -1.0), parts.vertex_start[a])
        high, place = farthest(parts, b, x, v, place)
        w = plus(minus(low, high), shift)
        largest = max(largest, dot(w, w))
        if count > 0 and not square - dot(v, w) > CERTAIN * square:
            break
        if count == 0:
            count, w0, v = 1, w, w
        elif count == 1:
            code, _, _, u = of_segment(w0, w)
            if code == 1:
                break
            v = u
            if code == 2:
                w0 = w
            else:
                count, w1 = 2, w
        elif count == 2:
            code, _, _, _, u, height = of_triangle(w0, w1, w)
            if code < 4:
                break
            v = u
            if code == 7:
                count, w2 = 3, w
                if height > 0.0:
                    w1, w2 = w2, w1
            elif code == 6:
                w0 = w
            elif code == 5:
                w1 = w
            else:
                count, w0 = 1, w
        else:
            code, _, _, _, u = of_new_corner(w0, w1, w2, w)
            if code == 11:
                w2 = w
            elif code == 14:
                w0 = w
            elif code == 13:
                w1 = w
            elif code == 9:
                count, w1 = 2, w
            elif code == 10:
                count, w0 = 2, w
            elif code == 12:
                count, w0, w1 = 2, w, w2
            elif code == 8:
                count, w0 = 1, w
            else:   # the origin is inside, or rounding leaves it undecided
                return (0.0, (0.0, 0.0, 0.0), place) if code == ORIGIN_INSIDE else (math.sqrt(square), unit(v), place)
            v = u
        square = dot(v, v)
        if not square > TINY * TINY * largest:
            return 0.0, (0.0, 0.0, 0.0), place
    return math.sqrt(square), unit(v), place


@inlined
def better(parts, a, b, x, lift, best, n, m, place, slack):
    """The direction m in place of n where it parts the two, the first moved by `lift`, as well."""
    if dot(m, n) > NEAR_FACE:
        gap, place = parted(parts, a, b, x, m, place)
        if gap + dot(lift, m) >= best - slack:
            return m, gap + dot(lift, m)
    return n, best


@kernel
def axis_of(parts, part, x):
    first = parts.vertex_start[part]
    return unit(minus(read(x, parts.vertex[first + 1]), read(x, parts.vertex[first])))


@kernel
def by_faces(parts, a, b, x, lift, n, place):
    """n, or the normal of a facet of b or of a flat end near it that parts the two as well."""
    slack = AS_GOOD * parts.size[a, c.RADIUS]
    best, place = parted(parts, a, b, x, n, place)
    best += dot(lift, n)
    for part in (a, b):
        if is_round(parts, part):
            axis = axis_of(parts, part, x)
            if parts.kind[part] != CAPSULE:
                outward = axis if dot(axis, n) > 0.0 else scaled(axis, -1.0)
                n, best = better(parts, a, b, x, lift, best, n, outward, place, slack)
        else:
            for facet in range(parts.facet_start[part], parts.facet_start[part + 1]):
                at = read(x, parts.facet[facet, 0])
                m = unit(cross(minus(read(x, parts.facet[facet, 1]), at), minus(read(x, parts.facet[facet, 2]), at)))
                n, best = better(parts, a, b, x, lift, best, n, m, place, slack)
    return n


@kernel
def follow_round(parts, a, b, x, n, place):
    """From a direction to the nearest way out on its side, as `direction.follow`: (n, separation without margins)."""
    gap, place = parted(parts, a, b, x, n, place)
    for _ in range(MOST_ASKS):
        lift = scaled(n, max(-gap, 0.0) + LIFT * parts.size[a, c.RADIUS])
        distance, turned, place = nearest_rounds(parts, a, b, x, lift, lift, place)
        if not distance > 0.0:
            break
        turned = by_faces(parts, a, b, x, lift, turned, place)
        settled = norm(minus(turned, n)) <= SAME
        n = turned
        gap, place = parted(parts, a, b, x, n, place)
        if settled or gap > 0.0:
            break
    return n, gap


@kernel_unless(NoOutlines, lambda parts, a, b, x, held: (held, 0.0))
def round_direction(parts, a, b, x, held):
    """Direction from b to a and the gap along it, margins included: (n, gap).

    held: the last known unit direction, zero for none.
    """
    margin, place = margin_of(parts, a) + margin_of(parts, b), parts.vertex_start[b]
    known, nothing = dot(held, held) > 0.0, (0.0, 0.0, 0.0)
    middle = minus(middle_of(parts, a, x), middle_of(parts, b, x))
    distance, n, place = nearest_rounds(parts, a, b, x, nothing, held if known else start_direction(0, middle), place)
    if distance > LIFT * LIFT * parts.size[a, c.RADIUS]:
        n = by_faces(parts, a, b, x, nothing, n, place)
        return n, distance - margin
    if known:
        n, gap = follow_round(parts, a, b, x, held, place)
        return n, gap - margin
    best, n = -math.inf, held
    for k in range(7):
        m, gap = follow_round(parts, a, b, x, start_direction(k, middle), place)
        if gap > best:
            best, n = gap, m
    return n, best - margin


@kernel
def middle_of(parts, part, x):
    total, first, last = (0.0, 0.0, 0.0), parts.vertex_start[part], parts.vertex_start[part + 1]
    for k in range(first, last):
        total = plus(total, read(x, parts.vertex[k]))
    return scaled(total, 1.0 / (last - first))
