"""Broad phase: which parts are near enough to be looked at, in a time linear in the parts and the pairs.

Boxes are sorted by size into levels, a factor of four apart, relative to the usual size along each axis, so that a pile of
plates is no harder than a cloud of balls. Each level has a grid of its own whose cells are at least as wide as every box of
this and all smaller levels; a box lives in the one cell that holds its lower corner. Cells are looked up by a hash, hence
neither the extent of the scene nor empty space costs anything (hierarchical hash tables: M. Eitz, G. Lixu, "Hierarchical
spatial hashing for real-time collision detection", IEEE Shape Modeling 2007). Parts go in from the largest level to the
smallest; each asks the cells in reach of its own and of the larger levels before it enters, so that every pair turns up
once. Levels of a few boxes are simply scanned.

The comparisons that decide are those of the boxes themselves: grids only spare some of them. So the pairs are a fact of the
boxes; nothing is kept from one call to the next.
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel

LEVELS = 32       # 4^30 between the levels 1 and 31: whatever is smaller still lives in the last one
VAST = 1e100      # m: boxes that reach farther or nowhere are level 0, which is always scanned
SCANNED = 3       # a level of no more boxes is scanned instead of hashed
CELL_WIDTH = 2.0       # cells over the largest box of a level: fewer cells to ask against fewer boxes in each
CELL_BITS = 19    # bits of a cell's number along an axis: neighbours differ, whatever was cut off
CELL_MASK = (1 << CELL_BITS) - 1
FARTHEST = 2.0**52  # cells beyond are one
# columns of a level in scratch_real: width of its largest box, reach towards lower corners, cells per metre
WIDEST, REACH, PER_METRE, LEVEL_COLUMNS = 0, 3, 6, 9
SCALE_AT = LEVELS * LEVEL_COLUMNS  # behind the levels: levels per metre of width, three axes


def scratch_sizes(p, cap):
    """Lengths of `scratch_int` (int64) and `scratch_real` (float64) for p parts and up to cap pairs."""
    return 2 * (LEVELS + 1) + 3 * p + 1 + bucket_count(p) + max(2 * cap, p), SCALE_AT + 3


@kernel
def bucket_count(p):
    """A power of two, at least twice the parts."""
    count = 16
    while count < 2 * p and count < 1 << 40:
        count *= 2
    return count


@inlined
def boxes_meet(box, a, b):
    """Whether two boxes have a point in common, edges included; NaN never."""
    return (box[a, 0] <= box[b, 3] and box[b, 0] <= box[a, 3] and box[a, 1] <= box[b, 4] and box[b, 1] <= box[a, 4]
            and box[a, 2] <= box[b, 5] and box[b, 2] <= box[a, 5])


@inlined
def box_counts(box, a):
    """Whether a box is one: lower edges below upper ones, no NaN."""
    return box[a, 0] <= box[a, 3] and box[a, 1] <= box[a, 4] and box[a, 2] <= box[a, 5]


@inlined
def box_is_vast(box, a):
    return (max(-box[a, 0], -box[a, 1], -box[a, 2]) > VAST or max(box[a, 3], box[a, 4], box[a, 5]) > VAST)


@kernel
def is_excluded(excluded, key):
    """Binary search in sorted keys."""
    low, high = 0, len(excluded)
    while low < high:
        middle = (low + high) >> 1
        if excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(excluded) and excluded[low] == key


@inlined
def cell_of(coordinate, per_metre):
    """Number of the cell along one axis; monotone in the coordinate, as far as bits go."""
    return math.floor(min(max(coordinate * per_metre, -FARTHEST), FARTHEST))


@inlined
def cell_key(level, i, j, k):
    return (((level << CELL_BITS | i & CELL_MASK) << CELL_BITS | j & CELL_MASK) << CELL_BITS) | k & CELL_MASK


@inlined
def bucket_of(key, buckets):
    """Mixed bits of a key; products stay below 2^62."""
    mixed = (key & 0x7FFFFFFF) * 0x5851F42D + (key >> 31) * 0x4C957F2D
    return (mixed ^ mixed >> 29) >> 12 & (buckets - 1)


@kernel
def measure_scale(box, active, p, real):
    """Usual width of a box along each axis: 2 to the mean of binary exponents, so that one huge part changes nothing."""
    for axis in range(3):
        total, count, low, high = 0, 0, np.inf, -np.inf
        for a in range(p):
            if active[a] != 0 and box_counts(box, a) and not box_is_vast(box, a):
                width = box[a, 3 + axis] - box[a, axis]
                if width > 0.0:
                    total += math.frexp(width)[1]
                    count += 1
                low, high = min(low, box[a, axis]), max(high, box[a, axis])
        if count > 0:
            real[SCALE_AT + axis] = 2.0**min(-total / count - 0.5, 660.0)  # 1e-100 to 1e199
        elif high - low > 1e-100:
            real[SCALE_AT + axis] = p / (high - low)  # flat boxes: as if they were spread evenly
        else:
            real[SCALE_AT + axis] = 1.0


@kernel
def level_of(box, a, real):
    """Base-four logarithm of the width of a box over the usual one, rounded up."""
    ratio = max((box[a, 3] - box[a, 0]) * real[SCALE_AT], (box[a, 4] - box[a, 1]) * real[SCALE_AT + 1],
                (box[a, 5] - box[a, 2]) * real[SCALE_AT + 2])
    return (math.frexp(ratio)[1] + 1) >> 1 if ratio > 0.0 else -1024


@kernel
def sort_by_level(box, active, p, order, level, start, scratch, real):
    """Parts that count, the largest level first (vast ones are level 0), by counting; returns how many."""
    top = -1024
    for a in range(p):
        if active[a] != 0 and box_counts(box, a) and not box_is_vast(box, a):
            scratch[level + a] = level_of(box, a, real)
            top = max(top, scratch[level + a])
    for k in range(LEVELS + 1):
        scratch[start + k] = 0
    for a in range(p):
        k = -1
        if active[a] != 0 and box_counts(box, a):
            k = 0 if box_is_vast(box, a) else min(1 + top - scratch[level + a], LEVELS - 1)
            scratch[start + k + 1] += 1
        scratch[level + a] = k
    for k in range(LEVELS):
        scratch[start + k + 1] += scratch[start + k]
    fill = start + LEVELS + 1
    for k in range(LEVELS):
        scratch[fill + k] = scratch[start + k]
    for a in range(p):
        k = scratch[level + a]
        if k >= 0:
            scratch[order + scratch[fill + k]] = a
            scratch[fill + k] += 1
    return scratch[start + LEVELS]


@kernel
def measure_levels(box, order, start, scratch, real):
    """Widest box of each level, and cells no narrower than any box of it or of a smaller one."""
    for axis in range(3):
        below = 0.0
        for k in range(LEVELS - 1, 0, -1):
            widest = 0.0
            for i in range(scratch[start + k], scratch[start + k + 1]):
                a = scratch[order + i]
                widest = max(widest, box[a, 3 + axis] - box[a, axis])
            below = max(below, widest)
            at = k * LEVEL_COLUMNS + axis
            real[at + WIDEST] = widest
            # b meets a: b's upper edge ≥ a's lower edge, so b's lower corner ≥ a's − widest; a little more for the rounding
            # of a width, and rounding of the difference keeps the order
            real[at + REACH] = widest * (1.0 + 1e-15)
            # widths reach 2e100 at most; cells of no width are as wide as the usual box
            real[at + PER_METRE] = min(1.0 / (CELL_WIDTH * below), 1e200) if below > 0.0 else real[SCALE_AT + axis]


@inlined
def keep_pair(a, b, excluded, p, cap, found, pair):
    """Write a pair, the smaller index first, if it may touch and there is room; returns the count."""
    low, high = min(a, b), max(a, b)
    if len(excluded) > 0 and is_excluded(excluded, np.int64(low) * p + high):
        return found
    if found < cap:
        pair[found, 0], pair[found, 1] = low, high
    return found + 1


@kernel
def ask_level(box, a, k, excluded, p, cap, found, buckets, head, after, scratch, real, pair):
    """Pairs of a with the boxes of level k that have entered, by the cells in reach."""
    at = k * LEVEL_COLUMNS
    fx, fy, fz = real[at + PER_METRE], real[at + PER_METRE + 1], real[at + PER_METRE + 2]
    i0, i1 = cell_of(box[a, 0] - real[at + REACH], fx), cell_of(box[a, 3], fx)
    j0, j1 = cell_of(box[a, 1] - real[at + REACH + 1], fy), cell_of(box[a, 4], fy)
    k0, k1 = cell_of(box[a, 2] - real[at + REACH + 2], fz), cell_of(box[a, 5], fz)
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            for m in range(k0, k1 + 1):
                key = cell_key(k, i, j, m)
                entry = scratch[head + bucket_of(key, buckets)]
                while entry >= 0:
                    if scratch[after + 2 * entry + 1] == key and boxes_meet(box, a, entry):
                        found = keep_pair(a, entry, excluded, p, cap, found, pair)
                    entry = scratch[after + 2 * entry]
    return found


@kernel
def enter(box, a, k, buckets, head, after, scratch, real):
    """Put a into the cell of its lower corner."""
    at = k * LEVEL_COLUMNS + PER_METRE
    key = cell_key(k, cell_of(box[a, 0], real[at]), cell_of(box[a, 1], real[at + 1]), cell_of(box[a, 2], real[at + 2]))
    bucket = head + bucket_of(key, buckets)
    scratch[after + 2 * a], scratch[after + 2 * a + 1] = scratch[bucket], key
    scratch[bucket] = a


@kernel
def sort_pairs(pair, count, p, tally, copy, scratch):
    """Sort by (first, second): two stable passes of counting, the second index first."""
    for column in (1, 0):
        for a in range(p + 1):
            scratch[tally + a] = 0
        for i in range(count):
            scratch[tally + pair[i, column] + 1] += 1
            scratch[copy + 2 * i], scratch[copy + 2 * i + 1] = pair[i, 0], pair[i, 1]
        for a in range(p):
            scratch[tally + a + 1] += scratch[tally + a]
        for i in range(count):
            place = tally + scratch[copy + 2 * i + column]
            to = scratch[place]
            scratch[place] = to + 1
            pair[to, 0], pair[to, 1] = scratch[copy + 2 * i], scratch[copy + 2 * i + 1]


@kernel
def find_pairs(box, active, excluded, parts_count, scratch_int, scratch_real, pair):
    """All pairs of active parts whose boxes meet and that are not excluded; returns how many there are.

    `box` (p, 6) m: xmin ymin zmin xmax ymax zmax; `active` (p,) int32 0 or 1; `excluded` sorted keys first × p + second
    (first < second). `pair` gets rows (first, second), first < second, sorted. If the answer exceeds len(pair), the rows
    are any sorted choice of them: the caller makes room for as many as the answer says (`scratch_sizes` again) and asks
    anew. Boxes with NaN or with edges the wrong way round meet nothing.
    """
    p, cap, found = np.int64(parts_count), len(pair), 0
    start = 0
    order = start + 2 * (LEVELS + 1)
    after = order + p  # two columns: next entry of the bucket, key of the cell
    head = after + 2 * p + 1
    buckets = bucket_count(p)
    copy = head + buckets
    measure_scale(box, active, p, scratch_real)
    count = sort_by_level(box, active, p, order, copy, start, scratch_int, scratch_real)
    measure_levels(box, order, start, scratch_int, scratch_real)
    for i in range(buckets):
        scratch_int[head + i] = -1
    level = 0
    for i in range(count):
        while i >= scratch_int[start + level + 1]:
            level += 1
        a = scratch_int[order + i]
        for k in range(level + 1):
            begin, end = scratch_int[start + k], scratch_int[start + k + 1]
            if k > 0 and end - begin > SCANNED:
                found = ask_level(box, a, k, excluded, p, cap, found, buckets, head, after, scratch_int, scratch_real, pair)
            else:
                for j in range(begin, min(end, i)):
                    if boxes_meet(box, a, scratch_int[order + j]):
                        found = keep_pair(a, scratch_int[order + j], excluded, p, cap, found, pair)
        if level > 0 and scratch_int[start + level + 1] - scratch_int[start + level] > SCANNED:
            enter(box, a, level, buckets, head, after, scratch_int, scratch_real)
    sort_pairs(pair, min(found, cap), p, after, copy, scratch_int)
    return found
