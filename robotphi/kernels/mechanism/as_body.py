"""A mechanism as one of the bodies in the bounds of the step (`step/bodies`): it moves by the rates u of its freedoms alone.

With x_i = Z_i u the motions of its rigids, each scaled by its inertia, gradients ĝ_i on some of them are one gradient
g = Σ Z_iᵀ ĝ_i of the mechanism. Terms k g gᵀ come to one matrix K, with the stiffnesses of the joints themselves on its
diagonal, and with the joint-space inertia Zᵀ Z = L Lᵀ

    |ĝ| = |L⁻¹ g|        ω² ≤ λ_max(L⁻¹ K L⁻ᵀ)

so that springs from link to link count by what the joints leave of them. K is of the rates: it goes with the mechanism as it
moves, as blocks of rigids go with their frames.

Mechanisms of more than BOUND_DENSE freedoms are not among these bodies: there each rigid is one, see `bounds`.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.maths.vectors import cross, dot, get3, plus, scaled, set3
from robotphi.kernels.mechanism.columns import BOUND_DENSE, NoMechanisms
from robotphi.kernels.mechanism.poses import pose_links
from robotphi.kernels.step.relief import OF_JOINTS, relieved
from robotphi.kernels.step.rigids import axes_of, get_orientation, row3

# columns of a mechanism: upper triangles of K of springs and of dampers, weights, bounds; those with contacts; freedoms
TRIANGLE = BOUND_DENSE * (BOUND_DENSE + 1) // 2
TREE_STIFF, TREE_DAMP = 0, TRIANGLE
TREE_STIFF_WEIGHT, TREE_DAMP_WEIGHT, TREE_STIFF_LIMIT, TREE_DAMP_LIMIT = range(2 * TRIANGLE, 2 * TRIANGLE + 4)
TREE_JOINT = 2 * TRIANGLE + 4
FREEDOMS = 2 * TREE_JOINT        # 0: its rigids are bodies each
TREE_COLUMNS = FREEDOMS + 1
SMALLEST = 1e-15                 # share of an inertia that rounding leaves of it


@kernel_unless(NoMechanisms, lambda arrays, links, joints, rigid: None)
def pose_mechanisms(arrays, links, joints, rigid):
    """Pose the links of all mechanisms that are bodies."""
    mechanisms = arrays.mechanisms
    for m in range(len(mechanisms.free)):
        if links.tree[m, FREEDOMS] > 0.0:
            pose_links(mechanisms, links, joints, rigid, mechanisms.start[m], mechanisms.start[m + 1])


@kernel_unless(NoMechanisms, lambda arrays, buffers: None)
def face_mechanisms(arrays, buffers):
    """Motions and inertias of all mechanisms that are bodies, whose links stand posed."""
    for m in range(len(arrays.mechanisms.free)):
        if buffers.links.tree[m, FREEDOMS] > 0.0:
            spread_motions(arrays.mechanisms, buffers.links, m)
            scale_motions(arrays.mechanisms, arrays.rigids, buffers.links, m)
            factor_inertia(arrays.mechanisms, buffers.links, m)


@kernel
def spread_motions(mechanisms, links, m):
    """Velocity and spin of each link for each rate, outwards."""
    begin, end, motion = mechanisms.start[m], mechanisms.start[m + 1], links.motion
    base, count = mechanisms.freedom_start[begin], int(links.tree[m, FREEDOMS])
    for i in range(begin, end):
        parent, reach = mechanisms.parent[i], get3(links.reach, i, 0)
        first, last = mechanisms.freedom_start[i] - base, mechanisms.freedom_start[i + 1] - base
        for k in range(count):
            speed, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if parent >= begin:
                spin = get3(motion, parent, 6 * k + 3)
                speed = plus(get3(motion, parent, 6 * k), cross(spin, reach))
            if first <= k < last:
                speed = plus(speed, get3(links.way, base + k, 0))
                spin = plus(spin, get3(links.way, base + k, 3))
            set3(motion, i, 6 * k, speed)
            set3(motion, i, 6 * k + 3, spin)


@kernel
def scale_motions(mechanisms, rigids, links, m):
    """Z: the same in the principal frames of the rigids, by the roots of their inertias."""
    motion, count = links.motion, int(links.tree[m, FREEDOMS])
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        body = mechanisms.rigid[i]
        if body < 0:
            continue
        a, b, c = axes_of(get_orientation(links.pose, i))
        root, inertia = math.sqrt(rigids.mass[body]), row3(rigids.inertia, body)
        turns = math.sqrt(inertia[0]), math.sqrt(inertia[1]), math.sqrt(inertia[2])
        for k in range(count):
            speed, spin = scaled(get3(motion, i, 6 * k), root), get3(motion, i, 6 * k + 3)
            set3(motion, i, 6 * k, (dot(a, speed), dot(b, speed), dot(c, speed)))
            set3(motion, i, 6 * k + 3, (turns[0] * dot(a, spin), turns[1] * dot(b, spin), turns[2] * dot(c, spin)))


@kernel
def factor_inertia(mechanisms, links, m):
    """L of Zᵀ Z, with what turns with the coordinates alone, row by row."""
    begin, motion, root = mechanisms.start[m], links.motion, links.root
    base, count = mechanisms.freedom_start[begin], int(links.tree[m, FREEDOMS])
    for a in range(count):
        for b in range(a + 1):
            total = mechanisms.armature[base + a] if a == b else 0.0
            for i in range(begin, mechanisms.start[m + 1]):
                if mechanisms.rigid[i] >= 0:
                    for axis in range(6):
                        total += motion[i, 6 * a + axis] * motion[i, 6 * b + axis]
            whole = total
            for k in range(b):
                total -= root[m, a * count + k] * root[m, b * count + k]
            if a == b:
                root[m, a * count + a] = math.sqrt(max(total, SMALLEST * whole))
            else:
                root[m, a * count + b] = total / root[m, b * count + b]


@kernel_unless(NoMechanisms, lambda arrays, links, relief: None)
def clear_mechanisms(arrays, links, relief):
    """No terms yet but those of the joints themselves, relieved by half their viscosity (`step/relief`)."""
    mechanisms, tree = arrays.mechanisms, links.tree
    for m in range(len(mechanisms.free)):
        first, count, at = mechanisms.freedom_start[mechanisms.start[m]], int(tree[m, FREEDOMS]), 0
        for a in range(count):
            for b in range(a, count):
                own = relieved(mechanisms.steepest[first + a], OF_JOINTS * mechanisms.viscosity[first + a], relief)
                tree[m, TREE_STIFF + at] = own if a == b else 0.0
                tree[m, TREE_DAMP + at] = mechanisms.forced[first + a] if a == b else 0.0
                at += 1


@inlined
def pushed(motion, link, k, push, turn):
    """Zᵀ of a scaled force and moment on a link, for freedom k."""
    return dot(get3(motion, link, 6 * k), push) + dot(get3(motion, link, 6 * k + 3), turn)


@kernel
def scaled_size(links, m, term, j, gradient, scratch):
    """|L⁻¹ g| of an end of a term, with g and room for L⁻¹ g at columns of its row."""
    count, root, square = int(links.tree[m, FREEDOMS]), links.root, 0.0
    for a in range(count):
        total = term[j, gradient + a]
        for b in range(a):
            total -= root[m, a * count + b] * term[j, scratch + b]
        total /= root[m, a * count + a]
        term[j, scratch + a] = total
        square += total * total
    return math.sqrt(square)


@kernel
def fold_turning(links, m, link, rows, i, column):
    """Enter what turns a link alone, a symmetric 3 × 3 matrix S at columns of row i, upper triangle: K += Zᵀ S Z."""
    xx, xy, xz, yy, yz, zz = (rows[i, column], rows[i, column + 1], rows[i, column + 2], rows[i, column + 3],
                              rows[i, column + 4], rows[i, column + 5])
    if xx == 0.0 and yy == 0.0 and zz == 0.0 and xy == 0.0 and xz == 0.0 and yz == 0.0:
        return
    motion, count, at = links.motion, int(links.tree[m, FREEDOMS]), TREE_STIFF
    for a in range(count):
        s = get3(motion, link, 6 * a + 3)
        t = (xx * s[0] + xy * s[1] + xz * s[2], xy * s[0] + yy * s[1] + yz * s[2], xz * s[0] + yz * s[1] + zz * s[2])
        for b in range(a, count):
            links.tree[m, at] += dot(t, get3(motion, link, 6 * b + 3))
            at += 1


@kernel
def scale_matrix(links, m, column, square):
    """L⁻¹ K L⁻ᵀ into the first row of the scratch; returns the root of the sum of its squares."""
    count, root, at = int(links.tree[m, FREEDOMS]), links.root, column
    for a in range(count):
        for b in range(a, count):
            square[0, a * count + b] = square[0, b * count + a] = links.tree[m, at]
            at += 1
    for c in range(count):
        for a in range(count):
            total = square[0, a * count + c]
            for b in range(a):
                total -= root[m, a * count + b] * square[0, b * count + c]
            square[0, a * count + c] = total / root[m, a * count + a]
    size = 0.0
    for c in range(count):
        for a in range(c + 1):
            total = square[0, c * count + a]
            for b in range(a):
                total -= root[m, a * count + b] * square[0, c * count + b]
            total /= root[m, a * count + a]
            square[0, c * count + a] = square[0, a * count + c] = total
            size += total * total * (1.0 if a == c else 2.0)
    return math.sqrt(size)
