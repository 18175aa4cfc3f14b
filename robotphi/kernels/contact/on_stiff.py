"""A ball on a stiff object in the bounds of the step: the object, with all that it hangs on, gives way as one body.

With T⁻¹ the mobility of its particles (`gives_way`) and the
patch of surface E within the ball (`press/ball_soft`), the springs behind the pair ask of the object

    K = k g gᵀ + s Σ_d w_d w_dᵀ + Σ_r c_r w_r w_rᵀ        g = Σ A_j N_j/A    w_d = Σ (A_j/A) d

k the slope of the pressure, s of friction along both directions d across n, and what moving the rim r adds, c = p dl × slope of
the ball's side. The first three vectors are what they are: the 3 × 3 matrix of their products through T⁻¹ has the same largest
eigenvalue. Of the rim's, w wᵀ ≤ diag w (the weights of corners add up to one), so that with N_i of facet and corner i

    λ ≤ max_i Σ_j c_j |N_i·T⁻¹_ij N_j|                                                           (Gershgorin, for rows scaled)

and both bounds are added. With the springs within the object it is less than their sum, see `gives_way`. All this is done where
pairs are entered into the bounds (`bounds`); how object and ball share a pair is in `object_shares`.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.braces import NO_BRACE, brace_link, brace_of, braced
from robotphi.kernels.contact.gives_way import (
    AXES,
    ZERO,
    give_way,
    gives_at,
    is_on_link,
    know_link,
    knows_strain,
    strained_by,
)
from robotphi.kernels.contact.press.ball_soft import measure_patch
from robotphi.kernels.contact.sides import largest_local, rigid_mobility
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3, unit
from robotphi.kernels.step.stiff_bounds import STIFF_EXTRA
from robotphi.kernels.step.stiff_frame import FRAME, HELD, pulled, three

FAINT = 1e-3          # of the whole rim: corners with less count by what they ask alone


@inlined
def to_frame(arrays, slow, o, a):
    return a if arrays.stiff.way[o] == HELD else applied_back(get9(slow.motion, o, FRAME), a)


@inlined
def to_world(arrays, slow, o, a):
    return a if arrays.stiff.way[o] == HELD else applied(get9(slow.motion, o, FRAME), a)


@inlined
def corner_of(arrays, o, row):
    """Place of a row among the free particles of object o, counted in numbers of three; −1 of those that a rigid carries."""
    stiff = arrays.stiff
    k = stiff.place[row]
    return 3 * (k - stiff.start[o]) if k < stiff.free_end[o] else -1


@kernel
def cut_patch(arrays, buffers, now, k):
    """Know the patch of pair k as it is now, with normals; returns area and rim, and the share of what a rigid carries."""
    touch, contact = buffers.touch, arrays.contact
    parts = contact.parts
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    ball = parts.vertex[parts.vertex_start[a]]
    if touch.cut_by[b, 0] != ball + 1:
        measure_patch(parts, contact.tree, touch, b, now.position, now.velocity, read(now.position, ball), ZERO,
                      parts.size[a, c.RADIUS])
        touch.cut_by[b, 0] = ball + 1
    area, rim, carried = 0.0, 0.0, 0.0
    first = parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        for corner in range(3):
            area += touch.cut[i, corner]
            rim += max(touch.cut[i, 3 + corner], 0.0)
            if buffers.carrier[parts.facet[touch.cut_facet[i], corner]] >= 0:
                carried += touch.cut[i, corner] + max(touch.cut[i, 3 + corner], 0.0)
    return area, rim, carried


@kernel
def answer_patch(arrays, buffers, o, b, area, axis, way):
    """T⁻¹ of the weights of the patch on part b along a way of the world (`axis` 0), or along its normals (1).

    Returns the velocity and spin that the link of the object gets, in its frame.
    """
    stiff, slow, touch, parts = arrays.stiff, buffers.slow, buffers.touch, arrays.contact.parts
    begin, own = stiff.first[o], to_frame(arrays, slow, o, way)
    for j in range(stiff.width[o]):
        slow.given[begin + j] = 0.0
    first = parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        if axis == 1:
            own = get3(touch.cut, i, 6)
        for corner in range(3):
            j = corner_of(arrays, o, parts.facet[touch.cut_facet[i], corner])
            if j >= 0:
                share = touch.cut[i, corner] / area
                for k in range(3):
                    slow.given[begin + j + k] += share * own[k]
    return give_way(arrays, slow, o)


@kernel
def moved_patch(arrays, buffers, o, b, area):
    """Mean velocity of the patch by what was answered last, in the world, and Σ A N·v/A."""
    stiff, slow, touch, parts = arrays.stiff, buffers.slow, buffers.touch, arrays.contact.parts
    mean, out, first = ZERO, 0.0, parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        for corner in range(3):
            j = corner_of(arrays, o, parts.facet[touch.cut_facet[i], corner])
            if j >= 0:
                moved = scaled(three(slow.got, stiff.first[o] + j), touch.cut[i, corner] / area)
                mean, out = plus(mean, moved), out + dot(moved, get3(touch.cut, i, 6))
    return to_world(arrays, slow, o, mean), out


@kernel
def rim_gives(arrays, buffers, o, b, rim):
    """The bound of the rim, of weights that add up to one."""
    stiff, touch, parts, most, faint = arrays.stiff, buffers.touch, arrays.contact.parts, 0.0, 0.0
    first, on_link, by_link = parts.facet_start[b], is_on_link(arrays, o), 0.0
    last = first + touch.cut_by[b, 1]
    for i in range(first, last):
        for corner in range(3):
            share, row = touch.cut[i, 3 + corner] / rim, parts.facet[touch.cut_facet[i], corner]
            j = corner_of(arrays, o, row)
            if j < 0 or not share > 0.0:
                continue
            if share < FAINT:
                faint += share * stiff.local[stiff.place[row]]
                continue
            if on_link:   # of whose part the trace is near
                by_link += share * gives_at(arrays, buffers.slow, o, row, get3(touch.cut, i, 6))
            most = max(most, row_of_rim(arrays, touch, o, b, rim, j, get3(touch.cut, i, 6)))
    return most + faint + by_link


@kernel
def row_of_rim(arrays, touch, o, b, rim, j, n):
    """Σ c |n·T⁻¹ N| over the corners of the rim, n at the free particle whose numbers begin at j."""
    stiff, parts, total = arrays.stiff, arrays.contact.parts, 0.0
    begin, count = stiff.matrix_start[o], 3 * (stiff.free_end[o] - stiff.start[o])
    matrix = stiff.inertia_inverse if is_on_link(arrays, o) else stiff.mobility
    first = parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        other = get3(touch.cut, i, 6)
        for corner in range(3):
            share = touch.cut[i, 3 + corner] / rim
            m = corner_of(arrays, o, parts.facet[touch.cut_facet[i], corner])
            if m < 0 or not share >= FAINT:
                continue
            total += share * math.fabs(pulled(matrix, begin, count, j, n, m, other))
    return total


@kernel
def turn_normals(arrays, buffers, now, o, b):
    """Normals of the facets of the patch, in the frame of the object."""
    touch, parts, x = buffers.touch, arrays.contact.parts, now.position
    first = parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        facet = touch.cut_facet[i]
        p = read(x, parts.facet[facet, 0])
        n = unit(cross(minus(read(x, parts.facet[facet, 1]), p), minus(read(x, parts.facet[facet, 2]), p)))
        set3(touch.cut, i, 6, to_frame(arrays, buffers.slow, o, n))


@kernel
def ask_object(arrays, buffers, now, k, o, press, damping, side, side_damping):
    """What the springs and dampers of pair k ask of stiff object o alone [1/s², 1/s]; how its patch gives way is kept."""
    touch, numbers = buffers.touch, buffers.touch.numbers
    b, n = touch.pairs[k, c.SECOND], get3(touch.numbers, k, c.NOW)
    area, rim, carried = cut_patch(arrays, buffers, now, k)
    if not area > 0.0:
        local = largest_local(arrays.stiff, o)
        numbers[k, c.BESIDE], numbers[k, c.STRAINING] = (press + side) * local, 0.0
        return (press + side) * local, (damping + side_damping) * local
    turn_normals(arrays, buffers, now, o, b)
    if is_on_link(arrays, o):
        know_link(arrays, buffers, o)
        brace = brace_of(arrays, buffers, now, o)
    else:
        brace = NO_BRACE
    known, strain, held = knows_strain(arrays, o), 0.0, (ZERO, ZERO, ZERO)
    by_rim = min(numbers[k, c.RIM], press)
    for i in range(3):
        speed, spin = answer_patch(arrays, buffers, o, b, area, 0, AXES[i])
        mean, _ = moved_patch(arrays, buffers, o, b, area)
        set3(numbers, k, c.GIVES + 3 * i, mean)
        if brace[0] > 0.0:
            speed, spin = braced(arrays, buffers.slow, o, brace, speed, spin)
            mean, _ = moved_patch(arrays, buffers, o, b, area)
        held = (held[1], held[2], mean)
        if known and side > 0.0:   # of three ways, where two are across
            strain += side * strained_by(arrays, buffers.slow, now, o, speed, spin)
    speed, spin = answer_patch(arrays, buffers, o, b, area, 1, n)
    mean, out = moved_patch(arrays, buffers, o, b, area)
    free_mean, free_out = mean, out
    if brace[0] > 0.0:
        speed, spin = braced(arrays, buffers.slow, o, brace, speed, spin)
        mean, out = moved_patch(arrays, buffers, o, b, area)
        brace_link(buffers.slow, o, brace)
    if known:
        strain += (press - by_rim) * strained_by(arrays, buffers.slow, now, o, speed, spin)
    first = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    second = cross(n, first)
    most = of_patch(held, first, second, mean, out, press - by_rim, side)
    most_damping = of_patch(get9(numbers, k, c.GIVES), first, second, free_mean, free_out, damping, side_damping)
    resists = buffers.slow.extra[o, STIFF_EXTRA]
    numbers[k, c.STRAINING] = min(strain / most, resists) if known and most > 0.0 else resists
    along = most
    if by_rim > 0.0 and rim > 0.0:
        most += by_rim * rim_gives(arrays, buffers, o, b, rim)
    if carried > 0.0:
        i = arrays.stiff.rigid[o]
        if i >= 0:
            give = rigid_mobility(arrays.rigids, now.rigid, i, get3(numbers, k, c.POINT), 0.0)
            most, most_damping = most + (press + side) * give, most_damping + (damping + side_damping) * give
    numbers[k, c.BESIDE] = most - along
    return most, most_damping


@inlined
def of_patch(gives, first, second, mean, out, press, side):
    """The largest eigenvalue of a term along the normals and two across them."""
    aa, ab, bb = dot(first, applied(gives, first)), dot(first, applied(gives, second)), dot(second, applied(gives, second))
    mixed = math.sqrt(dot(mean, first)**2 + dot(mean, second)**2)
    return larger_of_two(press * out, math.sqrt(press * side) * mixed, side * larger_of_two(aa, ab, bb))


@inlined
def larger_of_two(a, b, d):
    """The larger eigenvalue of [[a, b], [b, d]]."""
    half = 0.5 * (a - d)
    return 0.5 * (a + d) + math.sqrt(half * half + b * b)
