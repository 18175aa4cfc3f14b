"""Facets of two parts that could touch along n, found in linear time: boxes across n, cut to where both parts are.

What lies wholly above the other part's highest point, or below its lowest, cannot touch; of the others only what is inside both
parts' ranges across n is left, sorted along the longer side of that zone for a sweep.
"""
import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.clip import arms, facet_rows, normal_length
from robotphi.kernels.maths.vectors import dot, minus, read

UPRIGHT = 1e-24  # square of the sine between facet and n below which it stands above no area
FAR = 1e300

# columns of the boxes of facets: ranges across n in two directions, range along n
LOW_S, HIGH_S, LOW_T, HIGH_T, LOW, HIGH = range(6)


@inlined
def local(y, s, t, n):
    return dot(s, y), dot(t, y), dot(n, y)


@inlined
def in_frame(y, s, t, n):
    return local(y[0], s, t, n), local(y[1], s, t, n), local(y[2], s, t, n)


@kernel
def heights(facet, first, end, x, origin, n, box, shift):
    """Ranges along n of the facets first … end, facet i in row i − shift of the boxes; returns the range of them all."""
    low, high = FAR, -FAR
    for i in range(first, end):
        r0, r1, r2 = facet_rows(facet, i)
        z0, z1, z2 = dot(n, minus(read(x, r0), origin)), dot(n, minus(read(x, r1), origin)), dot(n, minus(read(x, r2), origin))
        least, largest = min(z0, min(z1, z2)), max(z0, max(z1, z2))
        box[i - shift, LOW], box[i - shift, HIGH] = least, largest
        low, high = min(low, least), max(high, largest)
    return low, high


@inlined
def wider(box, p):
    return min(box[0], p[0]), max(box[1], p[0]), min(box[2], p[1]), max(box[3], p[1])


@inlined
def with_edge(box, a, b, da, db):
    """The box widened by the end a of an edge and by where the edge crosses d = 0, as far as d ≥ 0."""
    if da >= 0.0:
        box = wider(box, a)
    if (da >= 0.0) != (db >= 0.0):
        t = da / (da - db)
        box = wider(box, (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return box


@kernel
def boxes_behind(facet, first, end, x, origin, s, t, n, side, limit, standing, box, shift):
    """Boxes across n of what each facet has below `limit` (side +1) or above it (−1), empty where there is nothing.

    Returns the box of all of them. Triangles are cut, not corners counted: a table top may have no corner there. With
    `standing` = 0 facets parallel to n, which only feel pressure, are left out.
    """
    whole = (FAR, -FAR, FAR, -FAR)
    for i in range(first, end):
        q = i - shift
        found = (FAR, -FAR, FAR, -FAR)
        if (side > 0.0 and box[q, LOW] <= limit) or (side < 0.0 and box[q, HIGH] >= limit):
            c = in_frame(arms(x, facet_rows(facet, i), origin), s, t, n)
            seen, square = normal_length(c)
            if standing != 0 or seen * seen > UPRIGHT * square:
                d = (side * (limit - c[0][2]), side * (limit - c[1][2]), side * (limit - c[2][2]))
                found = with_edge(found, c[0], c[1], d[0], d[1])
                found = with_edge(found, c[1], c[2], d[1], d[2])
                found = with_edge(found, c[2], c[0], d[2], d[0])
                whole = (min(whole[0], found[0]), max(whole[1], found[1]), min(whole[2], found[2]), max(whole[3], found[3]))
        box[q, LOW_S], box[q, HIGH_S], box[q, LOW_T], box[q, HIGH_T] = found
    return whole


@inlined
def bucket_of(low, zone_low, scale, count):
    """Which of `count` buckets; any number, not-a-number included, has one."""
    place = (low - zone_low) * scale
    return int(place) if 0.0 < place < count else (0 if not place >= count else count - 1)


@kernel
def sort_within(box, base, end, zone, column, order, spare):
    """Boxes base … end that meet the zone, cut to it and sorted by where they begin in `column`; returns how many.

    Counted into as many buckets as there are boxes, then sorted by insertion: linear unless they crowd.
    """
    count = 0
    for q in range(base, end):
        low_s, high_s = max(box[q, LOW_S], zone[0]), min(box[q, HIGH_S], zone[1])
        low_t, high_t = max(box[q, LOW_T], zone[2]), min(box[q, HIGH_T], zone[3])
        if low_s <= high_s and low_t <= high_t:
            count += 1
            box[q, LOW_S], box[q, HIGH_S], box[q, LOW_T], box[q, HIGH_T] = low_s, high_s, low_t, high_t
        else:
            box[q, LOW_S], box[q, HIGH_S] = FAR, -FAR
    start, span = (zone[0], zone[1] - zone[0]) if column == LOW_S else (zone[2], zone[3] - zone[2])
    scale = count / span if span > 0.0 else 0.0
    for c in range(count + 1):
        order[spare + c] = 0
    for q in range(base, end):
        if box[q, LOW_S] <= box[q, HIGH_S]:
            order[spare + 1 + bucket_of(box[q, column], start, scale, count)] += 1
    for c in range(count):
        order[spare + c + 1] += order[spare + c]
    for q in range(base, end):
        if box[q, LOW_S] <= box[q, HIGH_S]:
            c = spare + bucket_of(box[q, column], start, scale, count)
            order[base + order[c]] = q
            order[c] += 1
    for c in range(base + 1, base + count):
        q = order[c]
        key, p = box[q, column], c
        while p > base and box[order[p - 1], column] > key:
            order[p] = order[p - 1]
            p -= 1
        order[p] = q
    return count


@kernel
def near_facets(facet, first_a, end_a, first_b, end_b, x, origin, s, t, n, both, order, box):
    """Drop the facets that cannot touch; returns how many of A and of B are left, and the column they are sorted by.

    The boxes of A come first, then those of B.
    """
    to_a, to_b = first_a, first_b - (end_a - first_a)
    low, _ = heights(facet, first_a, end_a, x, origin, n, box, to_a)
    _, high = heights(facet, first_b, end_b, x, origin, n, box, to_b)
    if not low < high:
        return 0, 0, LOW_S
    zone_a = boxes_behind(facet, first_a, end_a, x, origin, s, t, n, 1.0, high, np.int64(1), box, to_a)
    zone_b = boxes_behind(facet, first_b, end_b, x, origin, s, t, n, -1.0, low, both, box, to_b)
    zone = (max(zone_a[0], zone_b[0]), min(zone_a[1], zone_b[1]), max(zone_a[2], zone_b[2]), min(zone_a[3], zone_b[3]))
    if not (zone[0] <= zone[1] and zone[2] <= zone[3]):
        return 0, 0, LOW_S
    column = LOW_S if zone[1] - zone[0] >= zone[3] - zone[2] else LOW_T
    spare = end_b - to_b
    return (sort_within(box, first_a - to_a, end_a - to_a, zone, column, order, spare),
            sort_within(box, first_b - to_b, spare, zone, column, order, spare), column)


@inlined
def boxes_meet(box, q, r, other):
    """Boxes q of A and r of B across n in the other direction, and A not wholly above B."""
    return box[q, other] <= box[r, other + 1] and box[r, other] <= box[q, other + 1] and box[q, LOW] < box[r, HIGH]
