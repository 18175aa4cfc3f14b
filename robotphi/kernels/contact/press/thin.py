"""Thin surfaces: vertices against facets at less than a distance, the reach, on either side.

A vertex k at the distance r < h of a surface stores ½ κ (h − r)², κ = λ × its share of area [N/m]: the pressure is λ times
the gap g = h − r, along the line of closest points. To store it once, however the surface is cut into facets, and without a
jump where the closest facet changes, it is summed over all facets within reach less all inner edges plus all inner corners
(inclusion and exclusion, as Li, Kaufman, Jiang, "Convergent Incremental Potential Contact", 2023, have it):
```
U = ½ κ [Σ_f g_f² − Σ_e g_e² + Σ_v g_v²]
```
A ball around the vertex meets one more facet than inner edges and corners of each connected piece of the surface: over a flat
or convex one this is ½ κ g² of the closest point to rounding, over a fold the sum of its sides. Every term is a smooth
function where r > 0, so the force is the exact gradient: κ g û at the vertex and −w κ g û at the corners of the facet, w the
weights of the closest point. Opposite forces along one line: both momenta are exact.

Damping (Hunt and Crossley 1975) is a factor max(0, 1 + d ġ) on each term.

Edges against edges are not looked at. Two surfaces with facets' edges shorter than twice the reach cannot cross unseen: where
edges cross, one end of each is nearer than the reach to the other's facets. Coarser ones can hook edge over edge.
A vertex exactly on a facet is pushed along the facet's normal; the barrier ½ κ h² has to be higher than what arrives there.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.columns import (
    PAIR_AREA,
    PAIR_CENTRE,
    PAIR_ELASTIC,
    PAIR_ENERGY,
    PAIR_FORCE,
    PAIR_LOSS,
    PAIR_MOMENT,
    PAIR_NORMAL,
    PAIR_POINTS,
)
from robotphi.kernels.contact.press.facet_tree import near_facet, next_leaf, next_leaf_near, reaches, renew_boxes
from robotphi.kernels.maths.vectors import add_to, cross, dot, get3, minus, norm, plus, read, scaled, set3, unit

APART_AT_REST = 1.5   # reaches: what is nearer at rest never pushes; bending and shortening by a third bring nothing into reach
SLIVER = 1e-24  # square of the sine below which a triangle is nothing but its edges

NO_DISTANCE = 1e-14  # distances below this share of the coordinates are rounding and have no direction


@kernel
def along_segment(p, a, b):
    """Parameter 0 … 1 of the point of the segment a b closest to p; a for a segment of no length."""
    e = minus(b, a)
    square = dot(e, e)
    if not square > 0.0:
        return 0.0
    return min(max(dot(minus(p, a), e) / square, 0.0), 1.0)


@kernel
def over_triangle(p, a, b, c):
    """Weights of the foot of p on the plane of a triangle, valid where the foot is within it and the triangle is not flat."""
    e, f, q = minus(b, a), minus(c, a), minus(p, a)
    big = cross(e, f)
    square = dot(big, big)
    if not square > SLIVER * dot(e, e) * dot(f, f):
        return False, 0.0, 0.0
    v, w = dot(cross(q, f), big) / square, dot(cross(e, q), big) / square
    return v >= 0.0 and w >= 0.0 and v + w <= 1.0, v, w


@inlined
def mixed(a, b, c, w):
    """The point of a triangle with these weights, from corner a for the sake of rounding."""
    return plus(a, plus(scaled(minus(b, a), w[1]), scaled(minus(c, a), w[2])))


@inlined
def edge_weights(t, edge):
    """Weights in the triangle of the point t on the edge 0–1, 1–2 or 2–0."""
    if edge == 0:
        return 1.0 - t, t, 0.0
    if edge == 1:
        return 0.0, 1.0 - t, t
    return t, 0.0, 1.0 - t


@kernel
def point_triangle(p, a, b, c):
    """Weights of the point of the triangle closest to p, none negative, sum 1, and the distance; any triangle at all."""
    inside, v, w = over_triangle(p, a, b, c)
    best = (1.0 - v - w, v, w)
    distance = norm(minus(p, mixed(a, b, c, best))) if inside else math.inf
    if not inside:
        for edge in range(3):
            start, end = (a, b) if edge == 0 else ((b, c) if edge == 1 else (c, a))
            weights = edge_weights(along_segment(p, start, end), edge)
            far = norm(minus(p, mixed(a, b, c, weights)))
            if far < distance:
                best, distance = weights, far
    return best, distance


@kernel
def press_term(share, w, k, rows, x, v, force, reach, stiffness, damping, normal, origin, sums, row):
    """One term of a vertex k against the point of a facet with weights w, `share` times; returns its force.

    Adds to energies and forces in the sums; force, moment and centre there are those on the facet.
    """
    corner = read(x, rows[0])
    p = read(x, k)
    offset = minus(p, mixed(corner, read(x, rows[1]), read(x, rows[2]), w))
    r = norm(offset)
    gap = reach - r
    if not gap > 0.0:
        return 0.0
    u = scaled(offset, 1.0 / r) if r > NO_DISTANCE * (norm(p) + norm(minus(p, corner))) else normal
    surface = mixed(read(v, rows[0]), read(v, rows[1]), read(v, rows[2]), w)
    rate = -dot(u, minus(read(v, k), surface))
    elastic = share * stiffness * gap
    extra = max(damping * rate, -1.0)
    push = elastic * (1.0 + extra)
    add_to(force, k, u, push)
    for i in range(3):
        add_to(force, rows[i], u, -push * w[i])
    sums[row, PAIR_ENERGY] += 0.5 * elastic * gap
    sums[row, PAIR_LOSS] += elastic * extra * rate
    sums[row, PAIR_NORMAL] += push
    sums[row, PAIR_ELASTIC] += elastic
    arm = minus(minus(p, scaled(offset, 0.5)), origin)
    moment = cross(arm, u)
    for axis in range(3):
        sums[row, PAIR_FORCE + axis] -= push * u[axis]
        sums[row, PAIR_MOMENT + axis] -= push * moment[axis]
        sums[row, PAIR_CENTRE + axis] += push * arm[axis]
    return push


@kernel
def press_facet(tree, f, rows, best, k, x, v, force, reach, stiffness, damping, origin, sums, row):
    """Vertex k against facet f, its inner edges and corners; `best` weighs the closest point. Returns the normal force."""
    p, a, b, c = read(x, k), read(x, rows[0]), read(x, rows[1]), read(x, rows[2])
    normal = unit(cross(minus(b, a), minus(c, a)))
    push = press_term(1.0, best, k, rows, x, v, force, reach, stiffness, damping, normal, origin, sums, row)
    for edge in range(3):
        share = tree.edge_share[f, edge]
        if share > 0.0:
            start, end = (a, b) if edge == 0 else ((b, c) if edge == 1 else (c, a))
            push += press_term(-share, edge_weights(along_segment(p, start, end), edge), k, rows, x, v, force, reach,
                               stiffness, damping, normal, origin, sums, row)
    for corner in range(3):
        share = tree.corner_share[f, corner]
        if share != 0.0:
            push += press_term(share, edge_weights(0.0, corner), k, rows, x, v, force, reach, stiffness, damping, normal,
                               origin, sums, row)
    return push


@inlined
def closest(x, rows, k):
    return point_triangle(read(x, k), read(x, rows[0]), read(x, rows[1]), read(x, rows[2]))


@inlined
def press_leaf(parts, tree, leaf, place, x, v, force, box, reach, apart, stiffness, damping, origin, share, sums, row):
    """The vertex at `place` against the facets of a leaf; returns whether it is within reach of any.

    Facets that hold the vertex, or that it was nearer to at rest than `apart`, are left alone. Small things by value, no named
    tuples until something touches: handing them over costs more than the distance.
    """
    k = parts.vertex[place]
    p, touching = read(x, k), False
    if reaches(box, leaf, p, reach):
        for i in range(tree.first[leaf], tree.first[leaf] + tree.count[leaf]):
            f = tree.order[i]
            rows = (parts.facet[f, 0], parts.facet[f, 1], parts.facet[f, 2])
            if rows[0] != k and rows[1] != k and rows[2] != k and near_facet(x, rows, p, reach):
                best, distance = closest(x, rows, k)
                if distance < reach and (apart == 0.0 or closest(tree.rest, rows, k)[1] >= apart):
                    push = press_facet(tree, f, rows, best, k, x, v, force, reach, stiffness, damping, origin, sums, row)
                    share[place] += push
                    for j in range(3):
                        share[parts.facet_vertex[f, j]] += push * best[j]
                    touching = True
    return touching


@kernel
def press_self(parts, tree, a, x, v, force, box, reach, stiffness, damping, origin, share, sums, row):
    """The vertices of part a against its own facets, nearer than `reach` (a sheet's thickness) [m].

    Where two layers meet each has vertices of its own, so that either counts by half: the pressure is λ g in all. Facets
    that a vertex is nearer to at rest than APART reaches are left alone, first of all those around it. `box` (m, 6) is
    scratch for the boxes of the tree. Forces within one thing add up to nothing: FORCE, MOMENT and CENTRE stay.
    """
    renew_boxes(parts, tree, a, x, box)
    force_kept, moment_kept = get3(sums, row, PAIR_FORCE), get3(sums, row, PAIR_MOMENT)
    centre_kept = get3(sums, row, PAIR_CENTRE)
    end = tree.start[a + 1]
    for leaf in range(tree.start[a], end):
        begin, count = tree.place_start[leaf], tree.place_start[leaf + 1] - tree.place_start[leaf]
        touching = 0  # a bit for each vertex of the leaf
        node = next_leaf_near(tree, box, tree.start[a], end, leaf, reach) if count > 0 else end
        while node < end:
            for i in range(count):
                place = tree.place[begin + i]
                if press_leaf(parts, tree, node, place, x, v, force, box, reach, APART_AT_REST * reach,
                              0.5 * stiffness * parts.vertex_area[place], damping, origin, share, sums, row):
                    touching |= 1 << i
            node = next_leaf_near(tree, box, node + 1, end, leaf, reach)
        for i in range(count):
            if touching >> i & 1 == 1:
                sums[row, PAIR_AREA] += parts.vertex_area[tree.place[begin + i]]
                sums[row, PAIR_POINTS] += 1.0
    set3(sums, row, PAIR_FORCE, force_kept)
    set3(sums, row, PAIR_MOMENT, moment_kept)
    set3(sums, row, PAIR_CENTRE, centre_kept)


@kernel
def press_corners(parts, tree, a, b, x, v, force, box, reach, stiffness, damping, origin, share, sums, row):
    """The vertices of part b against the facets of sheet a, nearer than `reach` [m]: half the sheet's thickness, and theirs.

    Forces go to the rows of both parts; FORCE and MOMENT are those on a, about the origin. What each vertex of both gets of the
    normal force is added to `share`.
    """
    renew_boxes(parts, tree, a, x, box)
    end = tree.start[a + 1]
    for place in range(parts.vertex_start[b], parts.vertex_start[b + 1]):
        area, touching = parts.vertex_area[place], False
        p = read(x, parts.vertex[place])
        node = next_leaf(tree, box, tree.start[a], end, p, reach)
        while node < end:
            if press_leaf(parts, tree, node, place, x, v, force, box, reach, 0.0, stiffness * area, damping, origin, share,
                          sums, row):
                touching = True
            node = next_leaf(tree, box, node + 1, end, p, reach)
        if touching:
            sums[row, PAIR_AREA] += area
            sums[row, PAIR_POINTS] += 1.0
