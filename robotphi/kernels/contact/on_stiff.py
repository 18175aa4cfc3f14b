"""A ball on a stiff object in the bounds of the step: the object, with all that it hangs on, gives way as one body.

With T⁻¹ the mobility of its particles (`model/stiff`: their own inertia and the rigid that they follow, left free) and the
patch of surface E within the ball (`press/ball_soft`), the springs behind the pair ask of the object

    K = k g gᵀ + s Σ_d w_d w_dᵀ + Σ_r c_r w_r w_rᵀ        g = Σ A_j N_j/A    w_d = Σ (A_j/A) d

k the slope of the pressure, s of friction along both directions d across n, and what moving the rim r adds, c = p dl × slope of
the ball's side. The first three vectors are what they are: the 3 × 3 matrix of their products through T⁻¹ has the same largest
eigenvalue. Of the rim's, w wᵀ ≤ diag w (the weights of corners add up to one), so that with N_i of facet and corner i

    λ ≤ max_i Σ_j c_j |N_i·T⁻¹_ij N_j|                                                           (Gershgorin, for rows scaled)

and both bounds are added. All this is done where pairs are entered into the bounds (`bounds`).
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.press.ball_soft import measure_patch
from robotphi.kernels.contact.sides import largest_local, rigid_mobility
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3, unit
from robotphi.kernels.mechanism.as_body import TREE_DAMP_LIMIT, TREE_JOINT, TREE_STIFF_LIMIT
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import JOINT, OWNER, RIGID_DAMP_LIMIT, RIGID_STIFF_LIMIT
from robotphi.kernels.step.stiff_bounds import DAMP_EXTRA, STIFF_EXTRA
from robotphi.kernels.step.stiff_frame import FRAME, HELD, multiply, three

FAINT = 1e-3          # of the whole rim: corners with less count by what they ask alone
LEAST_SHARE = 0.02    # of either side of a pair
ZERO = (0.0, 0.0, 0.0)
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


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
    """T⁻¹ of the weights of the patch on part b along a way of the world (`axis` 0), or along its normals (1)."""
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
    multiply(stiff.mobility, stiff.matrix_start[o], 3 * (stiff.free_end[o] - stiff.start[o]), stiff.width[o], slow.given, begin,
             slow.got)


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
    first = parts.facet_start[b]
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
            most = max(most, row_of_rim(arrays, touch, o, b, rim, j, get3(touch.cut, i, 6)))
    return most + faint


@kernel
def row_of_rim(arrays, touch, o, b, rim, j, n):
    """Σ c |n·T⁻¹ N| over the corners of the rim, n at the free particle whose numbers begin at j."""
    stiff, parts, total = arrays.stiff, arrays.contact.parts, 0.0
    begin, width, matrix = stiff.matrix_start[o], stiff.width[o], stiff.mobility
    first = parts.facet_start[b]
    for i in range(first, first + touch.cut_by[b, 1]):
        other = get3(touch.cut, i, 6)
        for corner in range(3):
            share = touch.cut[i, 3 + corner] / rim
            m = corner_of(arrays, o, parts.facet[touch.cut_facet[i], corner])
            if m < 0 or not share >= FAINT:
                continue
            along = 0.0
            for a in range(3):
                at_row = begin + (j + a) * width + m
                along += n[a] * (matrix[at_row] * other[0] + matrix[at_row + 1] * other[1] + matrix[at_row + 2] * other[2])
            total += share * math.fabs(along)
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
        return (press + side) * local, (damping + side_damping) * local
    turn_normals(arrays, buffers, now, o, b)
    for i in range(3):
        answer_patch(arrays, buffers, o, b, area, 0, AXES[i])
        mean, _ = moved_patch(arrays, buffers, o, b, area)
        set3(numbers, k, c.GIVES + 3 * i, mean)
    answer_patch(arrays, buffers, o, b, area, 1, n)
    mean, out = moved_patch(arrays, buffers, o, b, area)
    first = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    second = cross(n, first)
    gives = get9(numbers, k, c.GIVES)
    aa, ab, bb = dot(first, applied(gives, first)), dot(first, applied(gives, second)), dot(second, applied(gives, second))
    both = larger_of_two(aa, ab, bb)
    mixed = math.sqrt(dot(mean, first)**2 + dot(mean, second)**2)
    by_rim = min(numbers[k, c.RIM], press)
    most = larger_of_two((press - by_rim) * out, math.sqrt((press - by_rim) * side) * mixed, side * both)
    most_damping = larger_of_two(damping * out, math.sqrt(damping * side_damping) * mixed, side_damping * both)
    if by_rim > 0.0 and rim > 0.0:
        most += by_rim * rim_gives(arrays, buffers, o, b, rim)
    if carried > 0.0:
        i = arrays.stiff.rigid[o]
        if i >= 0:
            give = rigid_mobility(arrays.rigids, now.rigid, i, get3(numbers, k, c.POINT), 0.0)
            most, most_damping = most + (press + side) * give, most_damping + (damping + side_damping) * give
    return most, most_damping


@inlined
def larger_of_two(a, b, d):
    """The larger eigenvalue of [[a, b], [b, d]]."""
    half = 0.5 * (a - d)
    return 0.5 * (a + d) + math.sqrt(half * half + b * b)


@inlined
def shared_out(ball, own, base):
    """One over the shares θ, 1 − θ of the object and of the ball with which base + own/θ = ball/(1 − θ).

    With x = 1/(1 − θ): ball x² − (ball + base + own) x + base = 0.
    """
    if not ball > 0.0 or not own > 0.0:
        return 2.0, 2.0
    total = ball + base + own
    x = (total + math.sqrt(max(total * total - 4.0 * ball * base, 0.0))) / (2.0 * ball)
    x = min(max(x, 1.0 / (1.0 - LEAST_SHARE)), 1.0 / LEAST_SHARE)
    return x / (x - 1.0), x


@kernel
def ball_alone(arrays, buffers, k, own, lossy, asked):
    """The bound of the ball of pair k, were nothing laid on it for other sides; `asked`: by this pair alone."""
    i, ease = arrays.contact.parts.rigid[buffers.touch.pairs[k, c.FIRST]], own
    if i < 0 or arrays.mechanisms.link_of_rigid[i] >= 0 or not ease > 1.0:
        return asked
    limit = buffers.rigid_block[i, JOINT + (RIGID_DAMP_LIMIT if lossy else RIGID_STIFF_LIMIT)]
    return max(limit * (ease - 1.0) / ease, asked)   # over x of then


@kernel
def base_of_object(arrays, buffers, o, lossy):
    """What the springs of object o ask, and all that its rigid feels, contacts too."""
    base, i = buffers.touch.stiff[o, 1 if lossy else 0], arrays.stiff.rigid[o]
    if lossy and buffers.counters[at.VISCOSITY] == at.APART:
        return 0.0
    if i >= 0 and arrays.mechanisms.link_of_rigid[i] >= 0:   # those that move by themselves have it in their own bound
        extra = buffers.slow.extra[o, DAMP_EXTRA if lossy else STIFF_EXTRA]
        base = max(base, extra + limit_of_rigid(buffers, i, lossy))
    return base


@kernel
def limit_of_rigid(buffers, i, lossy):
    """The bound of rigid i with contacts; that of its mechanism where it belongs to one that is one body."""
    from_tree = int(buffers.rigid_block[i, OWNER]) - 1
    if from_tree >= 0:
        return buffers.links.tree[from_tree, TREE_JOINT + (TREE_DAMP_LIMIT if lossy else TREE_STIFF_LIMIT)]
    return buffers.rigid_block[i, JOINT + (RIGID_DAMP_LIMIT if lossy else RIGID_STIFF_LIMIT)]
