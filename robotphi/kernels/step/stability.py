"""Bounds of the highest frequency and damping rate, and the step they allow.

The scheme is stable for (ω τ/2)² + c τ ≤ 1, that is τ ≤ 2/(c + √(c² + ω²)), with ω² and c bounded over bodies (`bodies`): each
has a block of all the terms that touch it (`terms`), whose largest eigenvalue counts. Weights of bodies, by which terms are
shared out, are fitted once to the places at the start and kept: they follow from the model alone, so that a run continued from
any frame has the same.
"""
import math

from robotphi.kernels.acts.table import bound_acts
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import dot, get3, minus, norm, plus, read, scaled
from robotphi.kernels.mechanism.as_body import (
    TREE_DAMP_LIMIT,
    TREE_DAMP_WEIGHT,
    TREE_STIFF_LIMIT,
    TREE_STIFF_WEIGHT,
    clear_mechanisms,
    face_mechanisms,
    fold_turning,
    pose_mechanisms,
)
from robotphi.kernels.mechanism.bounds import bound_mechanisms
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import (
    DAMP_BLOCK,
    DAMP_LIMIT,
    DAMP_WEIGHT,
    LINK,
    OWNER,
    RIGID_DAMP_BLOCK,
    RIGID_DAMP_LIMIT,
    RIGID_DAMP_WEIGHT,
    RIGID_STIFF_BLOCK,
    RIGID_STIFF_LIMIT,
    RIGID_STIFF_WEIGHT,
    STIFF_BLOCK,
    STIFF_LIMIT,
    STIFF_WEIGHT,
    TURNED,
    add_end,
    add_wrench,
    face_rigid,
    largest_of_six,
    largest_of_three,
    share_term,
)
from robotphi.kernels.step.rigids import CENTRE, HELD, MOMENTUM, SPIN
from robotphi.kernels.step.slots import DAMP, RIGID_DAMP, RIGID_STIFF, STIFF, TURN_DAMP, TURN_STIFF
from robotphi.kernels.step.stiff_bounds import add_stiff_bounds, add_stiff_terms, forget_strain, know_strain
from robotphi.kernels.step.terms import add_spring_terms

TURN_LIMIT = 0.5      # rad a rigid may turn in one step
SWEEPS = 40           # of the weights at most
SETTLED = 5e-3        # relative: a sweep that gains no more is the last
IDLE = 1e-18     # of the largest bound: what rounding makes of none
LIGHTEST = 1e-9       # smallest weight
TURNS = 15            # where the turns begin in a block of 6 × 6
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def clear_blocks(arrays, buffers, rigid, relief):
    """No terms yet; rigids as they stand."""
    particles, rigids = buffers.particle_block, buffers.rigid_block
    for i in range(particles.shape[0]):
        for k in range(STIFF_WEIGHT):
            particles[i, k] = 0.0
    for i in range(rigids.shape[0]):
        for k in range(RIGID_STIFF_WEIGHT):
            rigids[i, k] = 0.0
        face_rigid(arrays.rigids, i, rigid, rigids)
    clear_mechanisms(arrays, buffers.links, relief)


@kernel
def know_weights(arrays, buffers):
    """Fit the weights where that has not been done yet, before the first step: until then the other half of the buffers holds
    the start, in a run that is continued as well."""
    counters = buffers.counters
    if counters[at.FITTED] == 0:
        stiff, damp = counters[at.STIFF_BODY], counters[at.DAMP_BODY]  # in a run that is continued those of its last bounds
        fit_weights(arrays, buffers)
        counters[at.STIFF_BODY], counters[at.DAMP_BODY] = stiff, damp
        counters[at.FITTED] = 1


@kernel
def fit_weights(arrays, buffers):
    """Weights of all bodies for the places at the start.

    Collatz and Wielandt: where the bound of a body is above the others, terms lay more of their load on its partners.
    """
    particles, rigids = buffers.particle_block, buffers.rigid_block
    for column in (STIFF_WEIGHT, DAMP_WEIGHT):
        for i in range(particles.shape[0]):
            particles[i, column] = 1.0
    for column in (RIGID_STIFF_WEIGHT, RIGID_DAMP_WEIGHT):
        for i in range(rigids.shape[0]):
            rigids[i, column] = 1.0
    trees = buffers.links.tree
    for column in (TREE_STIFF_WEIGHT, TREE_DAMP_WEIGHT):
        for m in range(trees.shape[0]):
            trees[m, column] = 1.0
    pose_mechanisms(arrays, buffers.links, buffers.next_joints, buffers.next_rigid)
    face_mechanisms(arrays, buffers)
    if len(arrays.stiff.way) > 0:
        forget_strain(arrays, buffers.slow)
    before = math.inf
    for _ in range(SWEEPS):
        clear_blocks(arrays, buffers, buffers.next_rigid, 0.0)
        add_spring_terms(arrays, buffers, buffers.next_position, buffers.next_rigid, 0.0, 0.0, False, 0.0)
        square, damping = largest_of_all(arrays, buffers, -1.0, False)
        if len(arrays.stiff.way) > 0:
            square, damping = add_stiff_bounds(arrays, buffers, square, damping, 0.0)
        improve_weights(particles, STIFF_LIMIT, STIFF_WEIGHT, square)
        improve_weights(particles, DAMP_LIMIT, DAMP_WEIGHT, damping)
        improve_weights(rigids, RIGID_STIFF_LIMIT, RIGID_STIFF_WEIGHT, square)
        improve_weights(rigids, RIGID_DAMP_LIMIT, RIGID_DAMP_WEIGHT, damping)
        improve_weights(trees, TREE_STIFF_LIMIT, TREE_STIFF_WEIGHT, square)
        improve_weights(trees, TREE_DAMP_LIMIT, TREE_DAMP_WEIGHT, damping)
        rate = damping + math.sqrt(damping * damping + square)
        if not rate < (1.0 - SETTLED) * before:
            break
        before = rate
    pose_mechanisms(arrays, buffers.links, buffers.joints, buffers.rigid)   # where the run begins or goes on


@kernel
def improve_weights(blocks, limit, weight, largest):
    """Bodies of which nothing is asked stay as they are: what may be asked of them later, such as by stiff objects that have
    turned, is not known yet."""
    if largest > 0.0:
        for i in range(blocks.shape[0]):
            if blocks[i, limit] > IDLE * largest:
                blocks[i, weight] = max(blocks[i, weight] * math.sqrt(blocks[i, limit] / largest), LIGHTEST)


@kernel
def largest_of_all(arrays, buffers, known, joined):
    """Bounds of ω² and c: the largest of any body. Bodies whose own cannot exceed them are not looked at closely, unless
    `known` is negative. `joined`: also the rigids of large mechanisms move by their joints alone."""
    particles, rigids, scratch = buffers.particle_block, buffers.rigid_block, buffers.block_square
    counters = buffers.counters
    square, damping = 0.0, 0.0
    counters[at.STIFF_BODY], counters[at.DAMP_BODY] = at.NO_BODY, at.NO_BODY
    for i in range(rigids.shape[0]):
        if rigids[i, OWNER] > 0.0 or (joined and arrays.mechanisms.link_of_rigid[i] >= 0):
            continue
        found = largest_of_six(rigids, i, RIGID_STIFF_BLOCK, min(square, known), scratch)
        rigids[i, RIGID_STIFF_LIMIT] = found
        if found > square:
            square, counters[at.STIFF_BODY] = found, -1 - i
        found = largest_of_six(rigids, i, RIGID_DAMP_BLOCK, min(damping, known), scratch)
        rigids[i, RIGID_DAMP_LIMIT] = found
        if found > damping:
            damping, counters[at.DAMP_BODY] = found, -1 - i
    if len(arrays.mechanisms.free) > 0:
        joints, dampers, stiff, damp = bound_mechanisms(arrays, buffers, 0, joined)
        if joints > square:
            square, counters[at.STIFF_BODY] = joints, stiff
        if dampers > damping:
            damping, counters[at.DAMP_BODY] = dampers, damp
    for i in range(particles.shape[0]):
        found = largest_of_three(particles, i, STIFF_BLOCK, min(square, known))
        particles[i, STIFF_LIMIT] = found
        if found > square:
            square, counters[at.STIFF_BODY] = found, i
        found = largest_of_three(particles, i, DAMP_BLOCK, min(damping, known))
        particles[i, DAMP_LIMIT] = found
        if found > damping:
            damping, counters[at.DAMP_BODY] = found, i
    return square, damping


@kernel
def spring_bounds(arrays, buffers, now, time, inside):
    """Bounds of ω², relieved, and of the damping rate by springs and acts; the step in which a rigid turns by half a radian."""
    relief = buffers.numbers[at.RELIEF]
    know_weights(arrays, buffers)
    clear_blocks(arrays, buffers, now.rigid, relief)
    face_mechanisms(arrays, buffers)
    stiff = len(arrays.stiff.way) > 0
    if stiff:
        know_strain(arrays, buffers, now, relief)
        clear_blocks(arrays, buffers, now.rigid, relief)
    if buffers.counters[at.HAS_ACTS] == 1:
        add_act_terms(arrays, buffers, now, time, inside)
    add_spring_terms(arrays, buffers, now.position, now.rigid, time, inside, True, relief)
    if stiff:
        add_stiff_terms(arrays, buffers, now, relief)
    for i in range(len(arrays.rigids.mass)):
        add_load_terms(arrays.rigids, i, now, buffers.rigid_block)
        owner, link = int(buffers.rigid_block[i, OWNER]), int(buffers.rigid_block[i, LINK])
        if owner > 0:
            fold_turning(buffers.links, owner - 1, link - 1, buffers.rigid_block, i, RIGID_STIFF_BLOCK + TURNS)
    square, damping = largest_of_all(arrays, buffers, math.inf if buffers.counters[at.HAS_CONTACT] == 0 and not stiff else -1.0,
                                     True)
    if stiff:
        square, damping = add_stiff_bounds(arrays, buffers, square, damping, relief)
    return square, damping, turning_step(arrays, now.rigid, buffers.counters)


@kernel
def turning_step(arrays, rigid, counters):
    """The step in which a rigid turns by half a radian."""
    rigids, turning = arrays.rigids, 0.0
    counters[at.TURN_BODY] = at.NO_BODY
    for i in range(len(rigids.mass)):
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            rate = norm(get3(rigid, i, SPIN))   # its momentum is none of its own
            if rate > turning:
                turning, counters[at.TURN_BODY] = rate, i
        elif rigids.rotation[i] != HELD:
            inverse = max(rigids.inverse_inertia[i, 0], max(rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2]))
            rate = inverse * norm(get3(rigid, i, MOMENTUM))
            if rate > turning:
                turning, counters[at.TURN_BODY] = rate, i
    return TURN_LIMIT / turning if turning > 0.0 else math.inf


@kernel
def add_load_terms(rigids, i, now, blocks):
    """What the forces f at the particles of rigid i, at r from its centre, add about it as it turns by ω: they stay as they are
    where their points move by ω × r + ½ ω × (ω × r), so that the energy gains ½ ω·S ω, S = Σ (f·r) 1 − ½ (f rᵀ + r fᵀ)."""
    centre, along = get3(now.rigid, i, CENTRE), 0.0
    rows_x, rows_y, rows_z = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(rigids.start[i], rigids.used[i]):
        p = rigids.particle[k]
        f, r = read(now.force, p), minus(read(now.position, p), centre)
        along += dot(f, r)
        rows_x = plus(rows_x, plus(scaled(r, 0.5 * f[0]), scaled(f, 0.5 * r[0])))
        rows_y = plus(rows_y, plus(scaled(r, 0.5 * f[1]), scaled(f, 0.5 * r[1])))
        rows_z = plus(rows_z, plus(scaled(r, 0.5 * f[2]), scaled(f, 0.5 * r[2])))
    for a in range(3):
        turn = get3(blocks, i, TURNED + 3 * a)
        moved = minus(scaled(turn, along), (dot(rows_x, turn), dot(rows_y, turn), dot(rows_z, turn)))
        for b in range(a, 3):
            blocks[i, RIGID_STIFF_BLOCK + TURNS + a * (5 - a) // 2 + b] += dot(get3(blocks, i, TURNED + 3 * b), moved)


@kernel
def add_act_terms(arrays, buffers, now, time, inside):
    """What acts say of particles, and of rigids for their centre and about it, into the blocks."""
    particles, rigids = arrays.particles, arrays.rigids
    bound, own = buffers.stiffness_bound, buffers.rigid_bound
    for i in range(bound.shape[0]):
        bound[i, STIFF], bound[i, DAMP] = 0.0, 0.0
    for i in range(own.shape[0]):
        for column in range(4):
            own[i, column] = 0.0
    bound_acts(arrays.acts, arrays.drives, buffers, now, time, inside)
    for i in range(bound.shape[0]):
        k, mu = bound[i, STIFF], bound[i, DAMP]
        if k == 0.0 and mu == 0.0:
            continue
        for axis in range(3):
            e = AXES[axis]
            count = add_end(particles, buffers, 0, now.rigid, i, read(now.position, i), e)
            share_term(buffers, count, k, False)
            share_term(buffers, count, mu, True)
    for i in range(len(rigids.mass)):
        for axis in range(3):
            e = AXES[axis]
            add_alone(buffers, i, e, (0.0, 0.0, 0.0), own[i, RIGID_STIFF], own[i, RIGID_DAMP])
            add_alone(buffers, i, (0.0, 0.0, 0.0), e, own[i, TURN_STIFF], own[i, TURN_DAMP])


@kernel
def add_alone(buffers, i, force, moment, stiffness, damping):
    """A term of rigid i alone."""
    if stiffness > 0.0 or damping > 0.0:
        count = add_wrench(buffers, 0, i, force, moment)
        share_term(buffers, count, stiffness, False)
        share_term(buffers, count, damping, True)
