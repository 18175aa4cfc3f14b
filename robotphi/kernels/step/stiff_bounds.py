"""What is left of the springs of stiff objects in the bounds of the step.

At rest in its frame an object has frequencies up to ω_o and damping rates up to c_o, with its inertia as the build makes it.
Where a spring has turned against the frame, from R u₀ to u, Cauchy gives for any ε > 0

    k u uᵀ ≤ (1 + ε) k R u₀ u₀ᵀ Rᵀ + (1 + 1/ε) k δ δᵀ        δ = u − R u₀

The first part has ω_o² (1 + ε) at most. The second goes into the blocks of bodies, for which the mass itself is inertia enough;
with the best ε the blocks' bound λ of an object becomes ω_o² + 2 ω_o √λ + λ: what comes to the bound of each of its bodies is
ω_o² + 2 ω_o √λ. The pull of springs acts across u and stays with the blocks whole. Likewise for damping rates.

In the frame of a rigid or of the world, springs within an object know the places of its particles there alone, and what they
move against is A with what is left of M where the rigid is free to give way. With N its inverse (`Stiff.line_gives`), traces
of N times both remainders bound their eigenvalues, D = Σ k δ·N δ and T = Σ t (tr N − u·N u) with the pull t of each spring
over its length, N of its two ends: all of (ω_o + √D)² + T comes to each body, and what rigids would have of such springs is
none of theirs. Angular springs go into blocks here too, with λ/σ for λ, σ the least that A comes to of the mass
(`Stiff.least`). Frames that follow from the particles are another matter: these have λ as it is.

Relief (`relief`) leaves at most 1 − β μ/k of the springs at rest, for the least μ/k, and k − β μ of each in D.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, read, scaled, unit
from robotphi.kernels.mechanism.as_body import TREE_DAMP_LIMIT, TREE_STIFF_LIMIT
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import (
    DAMP_BLOCK,
    DAMP_LIMIT,
    OWNER,
    RIGID_DAMP_LIMIT,
    RIGID_STIFF_LIMIT,
    STIFF_BLOCK,
    STIFF_LIMIT,
    largest_of_three,
    share_term,
)
from robotphi.kernels.step.relief import relieved
from robotphi.kernels.step.stiff_frame import FRAME, FREE, HELD, NoStiff, know_motion
from robotphi.kernels.step.terms import (
    add_bend_load,
    bend_of,
    bends_within_stiff,
    open_bend,
    open_line,
    some_normal,
)

STIFF_EXTRA, DAMP_EXTRA = range(2)   # columns of `Slow.extra`: what comes to the bound of each body …
STRAIN_STIFF, STRAIN_DAMP, STRAIN_PULL = 2, 3, 4   # … and D, with λ/σ, and T of objects in the frame of a rigid or of the world
EXTRA_COLUMNS = 5


@kernel_unless(NoStiff, lambda arrays, slow: None)
def forget_strain(arrays, slow):
    for o in range(len(arrays.stiff.way)):
        slow.extra[o, STRAIN_STIFF], slow.extra[o, STRAIN_DAMP], slow.extra[o, STRAIN_PULL] = 0.0, 0.0, 0.0


@kernel_unless(NoStiff, lambda arrays, buffers, now, relief: None)
def know_strain(arrays, buffers, now, relief):
    """D and T of objects in frames that do not follow from their particles. Blocks are to be cleared before and behind."""
    stiff, blocks = arrays.stiff, buffers.particle_block
    for o in range(len(stiff.way)):
        know_motion(arrays, buffers.slow, now, o)
    add_stiff_bends(arrays, buffers, now, False, relief)
    for o in range(len(stiff.way)):
        most, most_damping = 0.0, 0.0
        for k in range(stiff.start[o], stiff.free_end[o] if stiff.way[o] != FREE else stiff.start[o]):
            most = max(most, largest_of_three(blocks, stiff.particle[k], STIFF_BLOCK, most))
            most_damping = max(most_damping, largest_of_three(blocks, stiff.particle[k], DAMP_BLOCK, most_damping))
        buffers.slow.extra[o, STRAIN_STIFF] = most / stiff.least[o]
        buffers.slow.extra[o, STRAIN_DAMP] = most_damping / stiff.least[o]
        buffers.slow.extra[o, STRAIN_PULL] = 0.0
    add_line_strain(arrays, buffers.slow, now, relief)


@kernel
def add_line_strain(arrays, slow, now, relief):
    """What linear springs have of D and T."""
    stiff = arrays.stiff
    for o in range(len(stiff.way)):
        if stiff.way[o] != FREE:
            for place in range(stiff.line_start[o], stiff.line_start[o + 1]):
                add_strain_of_line(arrays, slow, now, relief, o, place)


@inlined
def add_strain_of_line(arrays, slow, now, relief, o, place):
    stiff, springs, i = arrays.stiff, arrays.linear, arrays.stiff.line[place]
    a, b, k, mu = springs.first[i], springs.second[i], springs.stiffness[i], springs.viscosity[i]
    d = minus(read(now.position, a), read(now.position, b))
    length = norm(d)
    if length > 0.0:
        u = scaled(d, 1.0 / length)
        u = u if stiff.way[o] == HELD else applied_back(get9(slow.motion, o, FRAME), u)
        turned = minus(u, unit(minus(get3(stiff.rest, stiff.place[a], 0), get3(stiff.rest, stiff.place[b], 0))))
        n0, n1, n2 = get9(stiff.line_gives, place, 0)
        gives = dot(turned, applied((n0, n1, n2), turned))
        slow.extra[o, STRAIN_STIFF] += relieved(k, mu, relief) * gives
        slow.extra[o, STRAIN_DAMP] += mu * gives
        pull = k * (length - springs.rest_length[i]) / length
        if pull > 0.0:
            slow.extra[o, STRAIN_PULL] += pull * (n0[0] + n1[1] + n2[2] - dot(u, applied((n0, n1, n2), u)))


@kernel_unless(NoStiff, lambda arrays, buffers, now, relief: None)
def add_stiff_terms(arrays, buffers, now, relief):
    """Springs within FREE stiff objects, by how far they have turned in the frame, and their pull."""
    stiff = arrays.stiff
    for o in range(len(stiff.way)):
        if stiff.way[o] == FREE:
            for place in range(stiff.line_start[o], stiff.line_start[o + 1]):
                add_line_terms(arrays, buffers, now, relief, o, stiff.line[place])
    add_stiff_bends(arrays, buffers, now, True, relief)


@kernel
def add_line_terms(arrays, buffers, now, relief, o, i):
    """Linear spring i within object o."""
    stiff, slow, particles, springs = arrays.stiff, buffers.slow, arrays.particles, arrays.linear
    a, b, k, mu = springs.first[i], springs.second[i], springs.stiffness[i], springs.viscosity[i]
    d = minus(read(now.position, a), read(now.position, b))
    length = norm(d)
    if length > 0.0:
        u = scaled(d, 1.0 / length)
        rest = unit(minus(get3(stiff.rest, stiff.place[a], 0), get3(stiff.rest, stiff.place[b], 0)))
        count = open_line(particles, buffers, now.rigid, now.position, a, b, minus(u, in_world(stiff, slow, o, rest)))
        share_term(buffers, count, relieved(k, mu, relief), False)
        share_term(buffers, count, mu, True)
        tension = k * (length - springs.rest_length[i]) / length
        if tension > 0.0:
            first = some_normal(u)
            for e in (first, cross(u, first)):
                count = open_line(particles, buffers, now.rigid, now.position, a, b, e)
                share_term(buffers, count, tension, False)


@inlined
def bend_gradients(p, q, normal):
    """Gradients of a bend on its arms, as in `terms.bend_in_plane`."""
    return scaled(cross(normal, p), 1.0 / dot(p, p)), scaled(cross(q, normal), 1.0 / dot(q, q))


@inlined
def in_world(stiff, slow, o, a):
    return a if stiff.way[o] == HELD else applied(get9(slow.motion, o, FRAME), a)


@kernel
def add_stiff_bends(arrays, buffers, now, free, relief):
    """Angular springs likewise, of FREE objects or of the others."""
    stiff, slow, particles, springs = arrays.stiff, buffers.slow, arrays.particles, arrays.angular
    for i in range(len(springs.first)):
        k, mu = springs.stiffness[i], springs.viscosity[i]
        if (k == 0.0 and mu == 0.0) or not bends_within_stiff(stiff, springs, i):
            continue
        if (stiff.way[stiff.object[springs.first[i]]] == FREE) != free:
            continue
        a, b, c = stiff.place[springs.first[i]], stiff.place[springs.second[i]], stiff.place[springs.centre[i]]
        o, centre = stiff.object[springs.first[i]], get3(stiff.rest, c, 0)
        p, q = minus(get3(stiff.rest, a, 0), centre), minus(get3(stiff.rest, b, 0), centre)
        rest_a, rest_b = bend_gradients(p, q, unit(cross(p, q)))
        p, q, bend, normal = bend_of(springs, i, now.position)
        on_a, on_b = bend_gradients(p, q, normal)
        on_a, on_b = minus(on_a, in_world(stiff, slow, o, rest_a)), minus(on_b, in_world(stiff, slow, o, rest_b))
        count = open_bend(particles, buffers, now.rigid, now.position, springs, i, on_a, on_b)
        share_term(buffers, count, relieved(k, mu, relief), False)
        share_term(buffers, count, mu, True)
        add_bend_load(particles, buffers, now.rigid, now.position, springs, i, p, q, bend, normal, bend - springs.rest_bend[i],
                      k, mu)


@kernel_unless(NoStiff, lambda arrays, buffers, square, damping, relief: (square, damping))
def add_stiff_bounds(arrays, buffers, square, damping, relief):
    """Bounds of ω² and c with what stiff objects have left; `square`, `damping`: those of the blocks."""
    stiff, extra, counters = arrays.stiff, buffers.slow.extra, buffers.counters
    particles, rigids = buffers.particle_block, buffers.rigid_block
    for o in range(len(stiff.way)):
        most, most_damping = 0.0, 0.0
        for k in range(stiff.start[o], stiff.free_end[o]):
            most = max(most, particles[stiff.particle[k], STIFF_LIMIT])
            most_damping = max(most_damping, particles[stiff.particle[k], DAMP_LIMIT])
        if stiff.rigid[o] >= 0:
            take_from_tree(buffers.links.tree, rigids, stiff.rigid[o])
            most = max(most, rigids[stiff.rigid[o], RIGID_STIFF_LIMIT])
            most_damping = max(most_damping, rigids[stiff.rigid[o], RIGID_DAMP_LIMIT])
        at_rest = relieved(1.0, stiff.lossy[o], relief) * stiff.square[o]
        if stiff.way[o] == FREE:
            extra[o, STIFF_EXTRA] = at_rest + 2.0 * math.sqrt(at_rest * most)
            extra[o, DAMP_EXTRA] = stiff.damping[o] + 2.0 * math.sqrt(stiff.damping[o] * most_damping)
        else:
            extra[o, STIFF_EXTRA] = (math.sqrt(at_rest) + math.sqrt(extra[o, STRAIN_STIFF]))**2 + extra[o, STRAIN_PULL]
            extra[o, DAMP_EXTRA] = (math.sqrt(stiff.damping[o]) + math.sqrt(extra[o, STRAIN_DAMP]))**2
        buffers.touch.stiff[o, 0] = extra[o, STIFF_EXTRA] + most
        buffers.touch.stiff[o, 1] = extra[o, DAMP_EXTRA] + most_damping
        for k in range(stiff.start[o], stiff.free_end[o]):
            i = stiff.particle[k]
            particles[i, STIFF_LIMIT] += extra[o, STIFF_EXTRA]
            particles[i, DAMP_LIMIT] += extra[o, DAMP_EXTRA]
            if particles[i, STIFF_LIMIT] > square:
                square, counters[at.STIFF_BODY] = particles[i, STIFF_LIMIT], i
            if particles[i, DAMP_LIMIT] > damping:
                damping, counters[at.DAMP_BODY] = particles[i, DAMP_LIMIT], i
        if stiff.rigid[o] >= 0:
            i = stiff.rigid[o]
            rigids[i, RIGID_STIFF_LIMIT] += extra[o, STIFF_EXTRA]
            rigids[i, RIGID_DAMP_LIMIT] += extra[o, DAMP_EXTRA]
            if rigids[i, RIGID_STIFF_LIMIT] > square:
                square, counters[at.STIFF_BODY] = rigids[i, RIGID_STIFF_LIMIT], -1 - i
            if rigids[i, RIGID_DAMP_LIMIT] > damping:
                damping, counters[at.DAMP_BODY] = rigids[i, RIGID_DAMP_LIMIT], -1 - i
    return square, damping


@kernel
def take_from_tree(tree, rigids, i):
    """Of a rigid that belongs to a mechanism of few freedoms what counts is the bound of that."""
    m = int(rigids[i, OWNER]) - 1
    if m >= 0:
        rigids[i, RIGID_STIFF_LIMIT], rigids[i, RIGID_DAMP_LIMIT] = tree[m, TREE_STIFF_LIMIT], tree[m, TREE_DAMP_LIMIT]


@inlined
def extra_of_rigid(stiff, buffers, i, column):
    """What comes to the bound of rigid i by the stiff object that is glued to it, and by what touches that."""
    if len(stiff.way) > 0 and stiff.of_rigid[i] >= 0:
        o = stiff.of_rigid[i]
        return buffers.slow.extra[o, column] + buffers.touch.stiff[o, 2 + column] + buffers.touch.stiff[o, 4 + column]
    return 0.0
