"""Contacts in the bounds of the step: springs of one instant, summed into the blocks of the bodies together with their springs.

A pair of rigids or balls is a spring along n at its pressure point, springs of friction across n there, and where the pressure
has an extent a couple each: λ A × the spread of the pressure against tilting, friction × the square of its gyration radius
about n. A body thus has one block of springs and contacts, not two bounds that are added; a normal through the centre of a ball
has no lever, a slender body is as loose about its axis as it is.

Vertices of soft parts are looked at in every attempt, each by itself (`sides.ask_vertices`). The springs of a pair of a rigid
and a soft part are one term to each vertex: of a share θ for the vertices, of the rest for the rigid, so that both ask as much.

All this is done where pairs have become stiffer or weaker by more than a fifth since it was done last, where new ones would
count, every so many steps, and at each frame; in between bounds are raised by as much as any pair has become stiffer.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.gives_way import is_on_link, know_link, know_places
from robotphi.kernels.contact.kinds import SPHERE
from robotphi.kernels.contact.object_shares import all_by_balls, base_of_object
from robotphi.kernels.contact.pair_terms import enter_pair, name_pair
from robotphi.kernels.contact.row_faces import take_rows
from robotphi.kernels.contact.sides import weigh_vertices
from robotphi.kernels.mechanism.as_body import (
    TREE_DAMP,
    TREE_DAMP_LIMIT,
    TREE_DAMP_WEIGHT,
    TREE_JOINT,
    TREE_STIFF_LIMIT,
    TREE_STIFF_WEIGHT,
    face_mechanisms,
)
from robotphi.kernels.mechanism.bounds import bound_mechanisms, ease_rigids
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import (
    DAMP_BLOCK,
    DAMP_LIMIT,
    DAMP_WEIGHT,
    JOINT,
    RIGID_DAMP_BLOCK,
    RIGID_DAMP_LIMIT,
    RIGID_DAMP_WEIGHT,
    RIGID_STIFF_BLOCK,
    RIGID_STIFF_LIMIT,
    RIGID_STIFF_WEIGHT,
    STIFF_BLOCK,
    STIFF_LIMIT,
    STIFF_WEIGHT,
    face_rigid,
    largest_of_six,
    largest_of_three,
)
from robotphi.kernels.step.plan import joint_bounds
from robotphi.kernels.step.renewal import renew_stability
from robotphi.kernels.step.stiff_bounds import DAMP_EXTRA, STIFF_EXTRA, extra_of_rigid
from robotphi.kernels.step.stiff_frame import NoStiff

GREW, FELL = 1.15, 0.7  # pairs that ask for so much more or less than they did are entered anew, where contact sets the bound
RENEW_TOUCH = 32        # accepted steps after which contacts are entered anew in any case
FIRST_SWEEPS = 3        # of the weights at a frame
LEAST_WEIGHT = 0.01


@kernel
def touch_bounds(arrays, buffers, now, accepted):
    """After an instant's contact forces: the bounds of ω² and c with them, entered anew where that is due."""
    numbers, counters, totals = buffers.numbers, buffers.counters, buffers.touch.totals
    counters[at.SINCE_TOUCH] += accepted
    afresh = counters[at.BLOCKS] == 0
    if afresh:
        renew_stability(arrays, buffers, now)
    elif counters[at.BLOCKS] == at.BLOCKS_TAKEN and counters[at.SINCE_TOUCH] < RENEW_TOUCH and not is_due(
            numbers, totals, counters[at.VISCOSITY] == at.APART):
        return
    if len(arrays.mechanisms.free) > 0:
        ease_rigids(arrays, buffers)
        ease_places(arrays, buffers)
    if counters[at.BLOCKS] != at.BLOCKS_TAKEN:
        take_blocks(arrays, buffers, afresh)
        counters[at.BLOCKS] = at.BLOCKS_TAKEN
    for sweep in range(FIRST_SWEEPS if afresh else 1):
        enter_pairs(arrays, buffers, now, sweep)
    for column in (c.TOTAL_GROWTH, c.TOTAL_MORE, c.TOTAL_NEW, c.TOTAL_DAMP_GROWTH, c.TOTAL_DAMP_MORE, c.TOTAL_DAMP_NEW):
        totals[column] = 0.0
    numbers[at.ASKED], numbers[at.ASKED_DAMPING] = totals[c.TOTAL_ASKED], totals[c.TOTAL_DAMP_ASKED]
    counters[at.SINCE_TOUCH] = 0
    if counters[at.VISCOSITY] == at.APART:
        take_rows(arrays, buffers, now)


@kernel_unless(NoStiff, lambda arrays, buffers: None)
def ease_places(arrays, buffers):
    """How the particles of stiff objects give way whose vertices are touched, as joints leave it."""
    touch, changed = buffers.touch, False
    for o in range(len(arrays.stiff.way)):
        if touch.stiff[o, c.BY_OTHERS] > 0.0 and is_on_link(arrays, o):
            know_link(arrays, buffers, o)
            know_places(arrays, buffers.slow, touch.local, o)
            changed = True
    if changed:
        weigh_vertices(arrays, touch)


@kernel
def is_due(numbers, totals, apart):
    """Whether pairs have become so much stiffer, or weaker, that the step is not what it should be."""
    square, damping = joint_bounds(numbers, totals)
    springs, dampers = numbers[at.RELIEVED_SQUARE], 0.0 if apart else numbers[at.SPRING_DAMPING]
    return (square > GREW * max(numbers[at.JOINT_SQUARE], springs) or damping > GREW * max(numbers[at.JOINT_DAMPING], dampers)
            or (totals[c.TOTAL_ASKED] < FELL * numbers[at.ASKED] and numbers[at.JOINT_SQUARE] > springs)
            or (totals[c.TOTAL_DAMP_ASKED] < FELL * numbers[at.ASKED_DAMPING] and numbers[at.JOINT_DAMPING] > dampers))


@kernel
def take_blocks(arrays, buffers, afresh):
    """What springs ask of particles that parts stand on; at a frame all weights are alike."""
    parts, own, joint, rigids = arrays.contact.parts, buffers.particle_block, buffers.touch.particle_block, buffers.rigid_block
    apart, tree = buffers.counters[at.VISCOSITY] == at.APART, buffers.links.tree
    for place in range(len(parts.vertex)):
        i = parts.vertex[place]
        joint[i, STIFF_LIMIT] = own[i, STIFF_LIMIT]
        joint[i, DAMP_LIMIT] = 0.0 if apart else own[i, DAMP_LIMIT]
        if afresh:
            joint[i, STIFF_WEIGHT], joint[i, DAMP_WEIGHT] = 1.0, 1.0
    if afresh:
        for i in range(rigids.shape[0]):
            weight = math.sqrt(buffers.touch.ease[i])   # so far as joints hold it, it is heavier
            rigids[i, JOINT + RIGID_STIFF_WEIGHT], rigids[i, JOINT + RIGID_DAMP_WEIGHT] = weight, weight
            rigids[i, JOINT + RIGID_STIFF_LIMIT], rigids[i, JOINT + RIGID_DAMP_LIMIT] = 0.0, 0.0
        for m in range(tree.shape[0]):
            tree[m, TREE_JOINT + TREE_STIFF_WEIGHT], tree[m, TREE_JOINT + TREE_DAMP_WEIGHT] = 1.0, 1.0
            tree[m, TREE_JOINT + TREE_STIFF_LIMIT], tree[m, TREE_JOINT + TREE_DAMP_LIMIT] = 0.0, 0.0
    weigh_vertices(arrays, buffers.touch)


@inlined
def is_free_ball(parts, part):
    return parts.kind[part] == SPHERE and parts.rigid[part] < 0


@kernel
def enter_pairs(arrays, buffers, now, sweep):
    """All pairs in touch into the blocks; the largest bounds; better weights for the next time."""
    numbers, touch, rigids = buffers.numbers, buffers.touch, buffers.rigid_block
    parts, balls, tree = arrays.contact.parts, buffers.touch.particle_block, buffers.links.tree
    apart = buffers.counters[at.VISCOSITY] == at.APART
    for i in range(rigids.shape[0]):
        face_rigid(arrays.rigids, i, now.rigid, rigids)
        for k in range(RIGID_STIFF_WEIGHT):
            rigids[i, JOINT + k] = 0.0 if apart and k >= RIGID_DAMP_BLOCK else rigids[i, k]
    face_mechanisms(arrays, buffers)
    for m in range(tree.shape[0]):
        for k in range(TREE_STIFF_WEIGHT):
            tree[m, TREE_JOINT + k] = 0.0 if apart and k >= TREE_DAMP else tree[m, k]
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            for k in range(STIFF_WEIGHT):
                balls[i, k] = 0.0 if apart and k >= DAMP_BLOCK else buffers.particle_block[i, k]
    touch.totals[c.TOTAL_ASKED], touch.totals[c.TOTAL_DAMP_ASKED] = 0.0, 0.0
    touch.totals[c.TOTAL_WORST], touch.totals[c.TOTAL_DAMP_WORST] = 0.0, 0.0
    touch.totals[c.TOTAL_DAMP_ALONE] = 0.0
    for o in range(len(arrays.stiff.way)):
        for column in range(c.BY_BALLS, c.BRACED):
            touch.stiff[o, column] = 0.0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.TRIAL_TOUCHING] == 1:
            enter_pair(arrays, buffers, now, k, sweep)
            name_pair(parts, touch, k, buffers.counters)
        else:
            touch.numbers[k, c.ENTERED_STIFF], touch.numbers[k, c.ENTERED_DAMP] = 0.0, 0.0
            for i in range(9):
                touch.numbers[k, c.GIVES + i] = 0.0
    square, damping = 0.0, 0.0
    for o in range(len(arrays.stiff.way)):
        touch.stiff[o, c.BY_BALLS] = all_by_balls(touch, buffers.slow, o)
    for i in range(rigids.shape[0]):
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            continue
        found = largest_of_six(rigids, i, JOINT + RIGID_STIFF_BLOCK, -1.0, buffers.block_square)
        found += extra_of_rigid(arrays.stiff, buffers, i, STIFF_EXTRA)
        rigids[i, JOINT + RIGID_STIFF_LIMIT], square = found, max(square, found)
        found = largest_of_six(rigids, i, JOINT + RIGID_DAMP_BLOCK, -1.0, buffers.block_square)
        found += 0.0 if apart else extra_of_rigid(arrays.stiff, buffers, i, DAMP_EXTRA)
        rigids[i, JOINT + RIGID_DAMP_LIMIT], damping = found, max(damping, found)
    if len(arrays.mechanisms.free) > 0:
        by_joints, by_dampers, _, _ = bound_mechanisms(arrays, buffers, JOINT, True)
        square, damping = max(square, by_joints), max(damping, by_dampers)
    for o in range(len(arrays.stiff.way)):
        if touch.stiff[o, c.BY_BALLS] > 0.0:
            found = base_of_object(arrays, buffers, o, False) + touch.stiff[o, c.BY_BALLS]
            if found > touch.stiff[o, c.BRACED_TO] > 0.0:
                found += touch.stiff[o, c.BRACED] * (found / touch.stiff[o, c.BRACED_TO] - 1.0)
            square = max(square, found)
            damping = max(damping, base_of_object(arrays, buffers, o, True) + touch.stiff[o, c.BY_BALLS_DAMP])
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            found = largest_of_three(balls, i, STIFF_BLOCK, -1.0)
            balls[i, STIFF_LIMIT], square = found, max(square, found)
            found = largest_of_three(balls, i, DAMP_BLOCK, -1.0)
            balls[i, DAMP_LIMIT], damping = found, max(damping, found)
    numbers[at.JOINT_SQUARE], numbers[at.JOINT_DAMPING] = square, damping
    numbers[at.TOUCH_RELIEF] = numbers[at.RELIEF]
    for i in range(rigids.shape[0]):
        improve(rigids, i, JOINT + RIGID_STIFF_LIMIT, JOINT + RIGID_STIFF_WEIGHT, rigids[i, RIGID_STIFF_LIMIT], square)
        improve(rigids, i, JOINT + RIGID_DAMP_LIMIT, JOINT + RIGID_DAMP_WEIGHT, rigids[i, RIGID_DAMP_LIMIT], damping)
    for m in range(tree.shape[0]):
        improve(tree, m, TREE_JOINT + TREE_STIFF_LIMIT, TREE_JOINT + TREE_STIFF_WEIGHT, tree[m, TREE_STIFF_LIMIT], square)
        improve(tree, m, TREE_JOINT + TREE_DAMP_LIMIT, TREE_JOINT + TREE_DAMP_WEIGHT, tree[m, TREE_DAMP_LIMIT], damping)
    for part in range(len(parts.kind)):
        if is_free_ball(parts, part):
            i = parts.vertex[parts.vertex_start[part]]
            improve(balls, i, STIFF_LIMIT, STIFF_WEIGHT, buffers.particle_block[i, STIFF_LIMIT], square)
            improve(balls, i, DAMP_LIMIT, DAMP_WEIGHT, buffers.particle_block[i, DAMP_LIMIT], damping)


@inlined
def improve(blocks, i, limit, weight, alone, largest):
    """A better weight for the next time, see `stability.fit_weights`; of what nothing touches as at the start."""
    if not blocks[i, limit] > alone:
        blocks[i, weight] = 1.0
    elif largest > 0.0:
        blocks[i, weight] = max(blocks[i, weight] * math.sqrt(blocks[i, limit] / largest), LEAST_WEIGHT)
