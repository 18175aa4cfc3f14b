"""Bodies and the terms that join them: what the bounds of frequencies and damping rates are made of.

A body is a free particle, a rigid, or a mechanism of few freedoms (`mechanism/as_body`). Motion is scaled by inertia, so that
ω² is the largest eigenvalue of a sum of terms k ĝ ĝᵀ: ĝ is the gradient of one quantity (a length, an angle, a slide) on all
bodies that it touches, divided by the root of their inertia. On a rigid the gradients at its points come together as one force
and one moment first: what is within one rigid is nothing, a couple is a couple, a normal through the centre has no lever.

For any positive weights W of bodies, Cauchy gives (Σ_i ĝ_i·u_i)² ≤ Σ_i (ĝ_i·u_i)²/θ_i with θ_i = |ĝ_i| W_i / Σ_j |ĝ_j| W_j. All
terms then fall apart into one matrix B_i of each body, Σ (k/θ_i) ĝ_i ĝ_iᵀ, 3 × 3, 6 × 6 or of a mechanism's freedoms, and
    ω² ≤ max_i λ_max(B_i)                                                      (Collatz and Wielandt, for blocks)
whatever the weights; the best ones make all λ_max(B_i) equal. The same with viscosities bounds the damping rate.

Translations of a rigid and its turns are taken in its principal frame, so that B_i moves with it. What is held does not move:
factors of a rigid's axes are zero there, and turns about supported axes are projected away.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, scaled
from robotphi.kernels.mechanism.as_body import (
    FREEDOMS,
    TREE_DAMP,
    TREE_DAMP_WEIGHT,
    TREE_JOINT,
    TREE_STIFF,
    TREE_STIFF_WEIGHT,
    pushed,
    scale_matrix,
    scaled_size,
)
from robotphi.kernels.mechanism.columns import BOUND_DENSE
from robotphi.kernels.step.rigids import CENTRE, HELD, PARTLY, get_orientation, rotate_back, row3

# columns of a free particle: two symmetric 3 × 3 blocks (xx yy zz xy xz yz), weights, bounds of ω² and c by its block
STIFF_BLOCK, DAMP_BLOCK, STIFF_WEIGHT, DAMP_WEIGHT, STIFF_LIMIT, DAMP_LIMIT = 0, 6, 12, 13, 14, 15
PARTICLE_COLUMNS = 16
# columns of a rigid: two symmetric 6 × 6 blocks (upper triangles row by row), weights, bounds, and the matrices that take a
# force and a moment of the world to ĝ
RIGID_STIFF_BLOCK, RIGID_DAMP_BLOCK = 0, 21
RIGID_STIFF_WEIGHT, RIGID_DAMP_WEIGHT, RIGID_STIFF_LIMIT, RIGID_DAMP_LIMIT = 42, 43, 44, 45
PUSHED, TURNED = 46, 55
JOINT = 64            # the same again, of springs and contacts together; of particles in `Touch.particle_block`
OWNER, LINK = 110, 111   # of rigids in a mechanism that is one body: its number and that of the link, each plus one; else 0
RIGID_BLOCK_COLUMNS = 128
# columns of an end of the term at hand: body (row of a particle, or −1 − rigid, with mechanisms numbered behind all rigids),
# |ĝ|, ĝ (of a mechanism g, then L⁻¹ g)
BODY, SIZE, GRADIENT = 0, 1, 2
SCALED = GRADIENT + BOUND_DENSE
TERM_ENDS, TERM_COLUMNS = 4, SCALED + BOUND_DENSE
SQUARINGS = 4         # B¹⁶: at most 1.8 % above λ_max of three, 3.1 % of six, half as much in ω
TINY = 1e-300


@kernel
def face_rigid(rigids, i, rigid, blocks):
    """How forces and moments move rigid i where it is now: Rᵀ √(1/M) by axis, and P I^(−1/2) Rᵀ.

    P takes away the turns about supported axes e: directions I^(−1/2) Rᵀ e, made perpendicular.
    """
    q = get_orientation(rigid, i)
    inertia = row3(rigids.inverse_inertia, i)
    root = (math.sqrt(inertia[0]), math.sqrt(inertia[1]), math.sqrt(inertia[2]))
    first, second, held = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0
    for axis in range(3):
        e = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        body = rotate_back(q, e)
        turn = (root[0] * body[0], root[1] * body[1], root[2] * body[2])
        push = scaled(body, math.sqrt(rigids.inverse_mass[i, axis]))
        if rigids.rotation[i] == HELD:
            turn = (0.0, 0.0, 0.0)
        for k in range(3):
            blocks[i, PUSHED + 3 * k + axis] = push[k]
            blocks[i, TURNED + 3 * k + axis] = turn[k]
        if rigids.rotation[i] == PARTLY and rigids.support[i, axis] > 0.0:
            if held == 1:
                turn = minus(turn, scaled(first, dot(first, turn)))
            size = norm(turn)
            if size > 0.0 and held == 0:
                first, held = scaled(turn, 1.0 / size), 1
            elif size > 0.0:
                second = scaled(turn, 1.0 / size)
    if rigids.rotation[i] == PARTLY:
        for axis in range(3):
            turn = (blocks[i, TURNED + axis], blocks[i, TURNED + 3 + axis], blocks[i, TURNED + 6 + axis])
            for e in (first, second):
                turn = minus(turn, scaled(e, dot(e, turn)))
            for k in range(3):
                blocks[i, TURNED + 3 * k + axis] = turn[k]


@inlined
def through(blocks, i, column, a):
    """A 3 × 3 matrix of a rigid's row times a."""
    return (dot(get3(blocks, i, column), a), dot(get3(blocks, i, column + 3), a), dot(get3(blocks, i, column + 6), a))


@inlined
def body_of(blocks, i):
    """The body that rigid i is, or belongs to."""
    return -1 - i if blocks[i, OWNER] == 0.0 else -blocks.shape[0] - int(blocks[i, OWNER])


@inlined
def mechanism_of(blocks, body):
    """The mechanism that a body is; negative for others."""
    return -1 - body - blocks.shape[0]


@inlined
def width_of(buffers, body):
    m = mechanism_of(buffers.rigid_block, body)
    return 6 if m < 0 else int(buffers.links.tree[m, FREEDOMS])


# Terms ------------------------------------------------------------------------------------------------------------------

@kernel
def add_wrench(buffers, count, i, force, moment):
    """Let the term at hand push rigid i with a force and a moment about its centre; returns how many bodies it touches now."""
    term, blocks = buffers.term, buffers.rigid_block
    push, turn, body = through(blocks, i, PUSHED, force), through(blocks, i, TURNED, moment), body_of(blocks, i)
    width, at = width_of(buffers, body), 0
    while at < count and term[at, BODY] != body:
        at += 1
    if at == count:
        term[at, BODY] = body
        for k in range(width):
            term[at, GRADIENT + k] = 0.0
    if body == -1 - i:
        for k in range(3):
            term[at, GRADIENT + k] += push[k]
            term[at, GRADIENT + 3 + k] += turn[k]
    else:
        link = int(blocks[i, LINK]) - 1
        for k in range(width):
            term[at, GRADIENT + k] += pushed(buffers.links.motion, link, k, push, turn)
    return max(count, at + 1)


@kernel
def add_end(particles, buffers, count, rigid, row, place, gradient):
    """Let the term at hand have a gradient on a row of particles that is at a place."""
    i = buffers.carrier[row]
    if i >= 0:
        return add_wrench(buffers, count, i, gradient, cross(minus(place, get3(rigid, i, CENTRE)), gradient))
    if not particles.inverse_mass[row] > 0.0:
        return count
    root, axes = math.sqrt(particles.inverse_mass[row]), particles.axes[row]
    term = buffers.term
    term[count, BODY] = row
    for k in range(3):
        term[count, GRADIENT + k] = root * particles.moves[axes, k] * gradient[k]
        term[count, GRADIENT + 3 + k] = 0.0
    return count + 1


@kernel
def measure_term(buffers, particles, joint, count, damping):
    """Sizes of the gradients of the term at hand; returns Σ |ĝ| W."""
    term, total = buffers.term, 0.0
    for j in range(count):
        term[j, SIZE] = size_of_end(buffers, j)
        total += term[j, SIZE] * weight_of(buffers, particles, joint, term[j, BODY], damping)
    return total


@kernel
def size_of_end(buffers, j):
    """|ĝ| of an end of the term at hand."""
    term, square = buffers.term, 0.0
    m = mechanism_of(buffers.rigid_block, int(term[j, BODY]))
    if m >= 0:
        return scaled_size(buffers.links, m, term, j, GRADIENT, SCALED)
    for k in range(6):
        square += term[j, GRADIENT + k] * term[j, GRADIENT + k]
    return math.sqrt(square)


@inlined
def weight_of(buffers, particles, joint, body, damping):
    which = int(body)
    if which >= 0:
        return particles[which, DAMP_WEIGHT if damping else STIFF_WEIGHT]
    m = mechanism_of(buffers.rigid_block, which)
    if m >= 0:
        return buffers.links.tree[m, (0 if joint == 0 else TREE_JOINT) + (TREE_DAMP_WEIGHT if damping else TREE_STIFF_WEIGHT)]
    return buffers.rigid_block[-1 - which, joint + (RIGID_DAMP_WEIGHT if damping else RIGID_STIFF_WEIGHT)]


@kernel
def share_among(buffers, particles, joint, count, factor, damping):
    """Enter the term at hand, factor × ĝ ĝᵀ, into blocks of its bodies, those of springs alone or (JOINT) with contacts.

    Returns the most it asks of one of them, factor |ĝ|²/θ.
    """
    most = 0.0
    if not factor > 0.0:
        return most
    term, total = buffers.term, measure_term(buffers, particles, joint, count, damping)
    for j in range(count):
        if not term[j, SIZE] > TINY:
            continue
        body = int(term[j, BODY])
        share = factor * total / (term[j, SIZE] * weight_of(buffers, particles, joint, body, damping))
        m = mechanism_of(buffers.rigid_block, body)
        if body >= 0:
            add_square(particles, body, DAMP_BLOCK if damping else STIFF_BLOCK, share, get3(term, j, GRADIENT))
        elif m >= 0:
            add_big_square(buffers.links.tree, m, (0 if joint == 0 else TREE_JOINT) + (TREE_DAMP if damping else TREE_STIFF),
                           share, term, j, width_of(buffers, body))
        else:
            add_big_square(buffers.rigid_block, -1 - body, joint + (RIGID_DAMP_BLOCK if damping else RIGID_STIFF_BLOCK), share,
                           term, j, 6)
        most = max(most, share * term[j, SIZE] * term[j, SIZE])
    return most


@kernel
def share_term(buffers, count, factor, damping):
    """Enter the term at hand into the blocks of springs alone."""
    return share_among(buffers, buffers.particle_block, 0, count, factor, damping)


@kernel
def load_of_term(buffers, count, factor, damping, body):
    """What the term at hand asks of one body among springs alone: factor |ĝ|²/θ."""
    particles = buffers.particle_block
    term, total = buffers.term, measure_term(buffers, particles, 0, count, damping)
    for j in range(count):
        if int(term[j, BODY]) == body and term[j, SIZE] > TINY:
            return factor * total * term[j, SIZE] / weight_of(buffers, particles, 0, body, damping)
    return 0.0


@inlined
def add_square(rows, i, column, factor, g):
    """Row i's symmetric 3 × 3 block += factor g gᵀ."""
    x, y, z = factor * g[0], factor * g[1], factor * g[2]
    rows[i, column] += x * g[0]
    rows[i, column + 1] += y * g[1]
    rows[i, column + 2] += z * g[2]
    rows[i, column + 3] += x * g[1]
    rows[i, column + 4] += x * g[2]
    rows[i, column + 5] += y * g[2]


@inlined
def add_big_square(rows, i, column, factor, term, j, width):
    """Row i's symmetric block += factor ĝ ĝᵀ of an end of the term."""
    at = column
    for a in range(width):
        scaled_part = factor * term[j, GRADIENT + a]
        for b in range(a, width):
            rows[i, at] += scaled_part * term[j, GRADIENT + b]
            at += 1


# Largest eigenvalues, from above ------------------------------------------------------------------------------------------

@inlined
def largest_by_moments(count, trace, square):
    """λ_max^16 from above by the traces of B¹⁶ and B³²: mean + √(n − 1) × deviation of the eigenvalues (Wolkowicz and Styan,
    1980), exact where all or one of them count; the sixteenth root of it."""
    mean = trace / count
    power = mean + math.sqrt((count - 1.0) * max(square / count - mean * mean, 0.0))
    for _ in range(SQUARINGS):
        power = math.sqrt(power)
    return power


@kernel
def largest_of_three(rows, i, column, known):
    """A bound of λ_max of a 3 × 3 block; of one that cannot exceed what is known a looser one, |B|."""
    a, b, c = rows[i, column], rows[i, column + 1], rows[i, column + 2]
    d, e, f = rows[i, column + 3], rows[i, column + 4], rows[i, column + 5]
    size = math.sqrt(a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f))
    if not size > max(known, 0.0):
        return size
    inverse = 1.0 / size
    a, b, c, d, e, f = a * inverse, b * inverse, c * inverse, d * inverse, e * inverse, f * inverse
    for _ in range(SQUARINGS):
        a, b, c, d, e, f = (a * a + d * d + e * e, d * d + b * b + f * f, e * e + f * f + c * c,
                            a * d + d * b + e * f, a * e + d * f + e * c, d * e + b * f + f * c)
    return size * largest_by_moments(3.0, a + b + c, a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f))


@kernel
def largest_of_six(rows, i, column, known, square):
    """The same of a 6 × 6 block; `square` (2, 36 at least) is scratch."""
    at, size = column, 0.0
    for a in range(6):
        for b in range(a, 6):
            square[0, 6 * a + b] = square[0, 6 * b + a] = rows[i, at]
            size += rows[i, at] * rows[i, at] * (1.0 if a == b else 2.0)
            at += 1
    size = math.sqrt(size)
    return largest_of_square(square, 6, size) if size > max(known, 0.0) else size


@kernel
def largest_of_mechanism(links, m, column, known, square):
    """The same of a mechanism."""
    size = scale_matrix(links, m, column, square)
    return largest_of_square(square, int(links.tree[m, FREEDOMS]), size) if size > max(known, 0.0) else size


@inlined
def largest_of_square(square, width, size):
    """The same of a symmetric matrix in the first row of the scratch, given the root of the sum of its squares."""
    for k in range(width * width):
        square[0, k] /= size
    here, power = 0, 0.0
    for _ in range(SQUARINGS):
        power = 0.0
        for a in range(width):
            for b in range(a, width):
                total = 0.0
                for k in range(width):
                    total += square[here, width * a + k] * square[here, width * b + k]
                square[1 - here, width * a + b] = square[1 - here, width * b + a] = total
                power += total * total * (1.0 if a == b else 2.0)
        here = 1 - here
    trace = 0.0
    for a in range(width):
        trace += square[here, (width + 1) * a]
    return size * largest_by_moments(float(width), trace, power)
