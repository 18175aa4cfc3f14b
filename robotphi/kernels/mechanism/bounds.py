"""Mechanisms in the bounds of the step: the highest frequency and damping rate of rigids that move by their joints alone.

Those of few freedoms are one body each, see `as_body`. At the rigids of larger ones springs and contacts have left one block
B_i each, so that their energy is at most ½ Σ x_i·B_i x_i of its motion x_i, scaled by inertia (`step/bodies`). A mechanism
moves in fewer ways: with x = Z u, u the rates of its joints, ZᵀZ is its joint-space inertia, and ω² is at most the largest
eigenvalue of

    N = (ZᵀZ)⁻¹ (Zᵀ B Z + K)          K the stiffnesses of the joints themselves

which the articulated recursion multiplies with rates. So many steps of the power iteration find it, and a margin, since they
come from below.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.maths.matrices import get6, of_symmetric
from robotphi.kernels.maths.vectors import get3, scaled, set3
from robotphi.kernels.mechanism.articulated import factor_links
from robotphi.kernels.mechanism.as_body import (
    FREEDOMS,
    TREE_DAMP,
    TREE_DAMP_LIMIT,
    TREE_JOINT,
    TREE_STIFF,
    TREE_STIFF_LIMIT,
)
from robotphi.kernels.mechanism.by_flow import let_all_go
from robotphi.kernels.mechanism.columns import SPAN, NoMechanisms
from robotphi.kernels.mechanism.gains import solve_links
from robotphi.kernels.mechanism.poses import spread_from_rest
from robotphi.kernels.mechanism.relations import clear_push
from robotphi.kernels.step.bodies import (
    RIGID_DAMP_BLOCK,
    RIGID_DAMP_LIMIT,
    RIGID_STIFF_BLOCK,
    RIGID_STIFF_LIMIT,
    largest_of_mechanism,
)
from robotphi.kernels.step.rigids import get_orientation, rotate, rotate_back, row3
from robotphi.kernels.step.slots import NO_BODY

ITERATIONS = 24       # of the power iteration …
MARGIN = 1.25         # … and what its answer is multiplied by


@kernel
def large_limit(arrays, buffers, m, column, lossy):
    """A bound of λ_max of mechanism m with the blocks that begin at a column of the rigids' rows; of its dampers if `lossy`.

    The links stand posed, and factored with nothing beside (`loosen`). What is worked out of loads there is written over.
    """
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    if not asks_anything(mechanisms, buffers.rigid_block, begin, end, column, lossy):
        return 0.0
    return by_iteration(arrays, buffers, begin, end, column, lossy)


@kernel
def loosen(mechanisms, rigids, links, m):
    """Factor posed links with nothing beside their armatures, where what holds them back may have been."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    if mechanisms.viscous[m] == 1 or mechanisms.eventful[m] != 0:
        let_all_go(mechanisms, links, mechanisms.freedom_start[begin], mechanisms.freedom_start[end])
        factor_links(mechanisms, rigids, links, begin, end)
        links.sums[m, SPAN] = 0.0


@kernel_unless(NoMechanisms, lambda arrays, buffers: None)
def ease_rigids(arrays, buffers):
    """How much of what a rigid in touch would give way by itself its joints leave: M⁻¹ ≥ W/ease with its mobility W.

    M^½ W M^½ is part of a projection, so that its trace says it, and is at most 1. Of several rigids of one mechanism that are
    pushed at a time each counts as √ease Σ √ease by Cauchy. Those that no joint holds have 1.
    """
    mechanisms, links, touch, parts = arrays.mechanisms, buffers.links, buffers.touch, arrays.contact.parts
    for i in range(len(touch.ease)):
        touch.ease[i] = 1.0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.TRIAL_TOUCHING] == 1:
            for column in (c.FIRST, c.SECOND):
                i = parts.rigid[touch.pairs[k, column]]
                if i >= 0 and mechanisms.link_of_rigid[i] >= 0:
                    touch.ease[i] = -1.0   # to be found
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        total, largest = 0.0, 0.0
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0 and touch.ease[body] < 0.0:
                if total == 0.0:
                    loosen(mechanisms, arrays.rigids, links, m)
                touch.ease[body] = -min(ease_of(mechanisms, arrays.rigids, links, i, begin, end), 1.0)
                total, largest = total + math.sqrt(-touch.ease[body]), max(largest, math.sqrt(-touch.ease[body]))
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0 and touch.ease[body] <= 0.0:
                touch.ease[body] = total * math.sqrt(-touch.ease[body]) if total * largest < 1.0 else 1.0


@kernel
def ease_of(mechanisms, rigids, links, i, begin, end):
    """The trace for link i: answers to a unit of force and of couple along each axis of the world."""
    total, own, mass = 0.0, get6(links.own, i, 0), rigids.mass[mechanisms.rigid[i]]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.effort[k, 0] = 0.0
    for axis in range(6):
        clear_push(links, begin, end)
        links.push[i, axis] = -1.0
        solve_links(mechanisms, links, links.effort, links.answer, begin, end)
        if axis < 3:
            total += mass * links.acceleration[i, axis]
        else:
            turning = of_symmetric(own, get3(links.acceleration, i, 3))
            total += turning[axis - 3]
    return max(total, 0.0)


@kernel
def asks_anything(mechanisms, blocks, begin, end, column, lossy):
    """Whether any spring or damper is there."""
    own = mechanisms.forced if lossy else mechanisms.steepest
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        if own[k] > 0.0:
            return True
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            for k in range(21):
                if blocks[body, column + k] != 0.0:
                    return True
    return False


@kernel
def answer_rates(arrays, buffers, begin, end, column, lossy):
    """N u into `links.answer`, of the rates u in `links.trial`; returns u·ZᵀBZ u + u·K u and u·ZᵀZ u."""
    mechanisms, rigids, links, blocks = arrays.mechanisms, arrays.rigids, buffers.links, buffers.rigid_block
    own = mechanisms.forced if lossy else mechanisms.steepest
    asked, moved = 0.0, 0.0
    for i in range(begin, end):
        speed, spin = spread_from_rest(mechanisms, links, links.acceleration, links.trial, begin, i)
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            rate = links.trial[k, 0]
            links.effort[k, 0] = own[k] * rate
            asked += own[k] * rate * rate
            moved += mechanisms.armature[k] * rate * rate
        body, force, couple = mechanisms.rigid[i], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if body >= 0:
            force, couple, of_body, size = pull_of(rigids, blocks, body, column, get_orientation(links.pose, i), speed, spin)
            asked += of_body
            moved += size
        set3(links.push, i, 0, scaled(force, -1.0))
        set3(links.push, i, 3, scaled(couple, -1.0))
    solve_links(mechanisms, links, links.effort, links.answer, begin, end)
    return asked, moved


@inlined
def pull_of(rigids, blocks, body, column, q, speed, spin):
    """M^½ B M^½ of a velocity and a spin of a rigid, that times them, and M times them twice."""
    root, inertia = math.sqrt(rigids.mass[body]), row3(rigids.inertia, body)
    a, b = rotate_back(q, scaled(speed, root)), rotate_back(q, spin)
    turns = math.sqrt(inertia[0]), math.sqrt(inertia[1]), math.sqrt(inertia[2])
    x = (a[0], a[1], a[2], turns[0] * b[0], turns[1] * b[1], turns[2] * b[2])
    y0 = row_times(blocks, body, column, 0, x)
    y1 = row_times(blocks, body, column, 1, x)
    y2 = row_times(blocks, body, column, 2, x)
    y3 = row_times(blocks, body, column, 3, x)
    y4 = row_times(blocks, body, column, 4, x)
    y5 = row_times(blocks, body, column, 5, x)
    asked = x[0] * y0 + x[1] * y1 + x[2] * y2 + x[3] * y3 + x[4] * y4 + x[5] * y5
    moved = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + x[4] * x[4] + x[5] * x[5]
    return (scaled(rotate(q, (y0, y1, y2)), root), rotate(q, (turns[0] * y3, turns[1] * y4, turns[2] * y5)), asked, moved)


@inlined
def row_times(blocks, body, column, row, x):
    """A row of a symmetric 6 × 6 block, kept as its upper triangle row by row, times x."""
    total = 0.0
    for k in range(6):
        low, high = min(row, k), max(row, k)
        total += blocks[body, column + low * (11 - low) // 2 + high] * x[k]
    return total


@kernel
def by_iteration(arrays, buffers, begin, end, column, lossy):
    """Rayleigh quotients from one start, so that they follow from the state alone."""
    mechanisms, links = arrays.mechanisms, buffers.links
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        links.trial[k, 0] = 1.0 + 0.5 * math.sin(1.7 * (k - first))
    found = 0.0
    for _ in range(ITERATIONS):
        asked, moved = answer_rates(arrays, buffers, begin, end, column, lossy)
        if not asked > 0.0 or not moved > 0.0:
            return MARGIN * found
        found = max(found, asked / moved)
        scale = moved / asked
        for k in range(first, last):
            links.trial[k, 0] = scale * links.answer[k, 0]
    return MARGIN * found


@kernel_unless(NoMechanisms, lambda arrays, buffers, joint, joined: (0.0, 0.0, NO_BODY, NO_BODY))
def bound_mechanisms(arrays, buffers, joint, joined):
    """Bounds of ω² and c by mechanisms, of springs alone (0) or with contacts (`bodies.JOINT`), and the bodies that are behind
    them; kept for each. Of large ones only where `joined`: then all their rigids count with what is found."""
    blocks, tree, scratch = buffers.rigid_block, buffers.links.tree, buffers.block_square
    square, damping, stiff_body, damp_body = 0.0, 0.0, NO_BODY, NO_BODY
    own = 0 if joint == 0 else TREE_JOINT
    for m in range(len(arrays.mechanisms.free)):
        if tree[m, FREEDOMS] > 0.0:
            stiff = damp = -1 - blocks.shape[0] - m
            found = largest_of_mechanism(buffers.links, m, own + TREE_STIFF, -1.0, scratch)
            lossy = largest_of_mechanism(buffers.links, m, own + TREE_DAMP, -1.0, scratch)
            tree[m, own + TREE_STIFF_LIMIT], tree[m, own + TREE_DAMP_LIMIT] = found, lossy
        elif joined:
            loosen(arrays.mechanisms, arrays.rigids, buffers.links, m)
            found = large_limit(arrays, buffers, m, joint + RIGID_STIFF_BLOCK, False)
            stiff = set_limits(arrays.mechanisms, blocks, m, joint + RIGID_STIFF_BLOCK, joint + RIGID_STIFF_LIMIT, found)
            lossy = large_limit(arrays, buffers, m, joint + RIGID_DAMP_BLOCK, True)
            damp = set_limits(arrays.mechanisms, blocks, m, joint + RIGID_DAMP_BLOCK, joint + RIGID_DAMP_LIMIT, lossy)
        else:
            continue
        if found > square:
            square, stiff_body = found, stiff
        if lossy > damping:
            damping, damp_body = lossy, damp
    return square, damping, stiff_body, damp_body


@kernel
def set_limits(mechanisms, blocks, m, column, limit, found):
    """What is found is what every rigid of the mechanism counts with; returns the one with the largest block, as a body."""
    largest, body = -1.0, NO_BODY
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        one = mechanisms.rigid[i]
        if one >= 0:
            blocks[one, limit] = found
            trace = 0.0
            for k in range(6):
                trace += blocks[one, column + k * (13 - k) // 2]
            if trace > largest:
                largest, body = trace, -1 - one
    return body
