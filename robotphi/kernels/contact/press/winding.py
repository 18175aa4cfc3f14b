"""How often the surface of a soft part winds round a point: 1 inside, 0 outside, −1 in what is inside out, 2 in folds.

By what a ray from the point upwards leaves less what it enters. A ray that meets a side or a corner meets just one of the
facets there: a place exactly on a side seen from above counts as moved by ε along x and ε² along y, for both facets alike.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, read, scaled


@inlined
def is_left(p, a, b):
    """Whether p, seen from above, is left of the side from a to b; never of both a, b and b, a."""
    turn = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0])
    if turn != 0.0:
        return turn > 0.0
    return a[1] > b[1] or (a[1] == b[1] and b[0] > a[0])


@kernel
def leaves_through(p, a, b, c):
    """1 where the ray from p upwards leaves through the facet, −1 where it enters, 0 where it passes by."""
    first = is_left(p, a, b)
    if is_left(p, b, c) != first or is_left(p, c, a) != first:
        return 0
    big = cross(minus(b, a), minus(c, a))
    size = norm(big)
    if not size > 0.0:
        return 0
    # the same sign, to the bit, by which the volume below the facet counts as seen from p
    above = dot(scaled(big, 1.0 / size), minus(p, a)) > 0.0
    if first:
        return 0 if above else 1
    return -1 if above else 0


@kernel
def winding_number(parts, tree, box, part, x, p):
    """How often the surface of a part winds round p; the boxes of its tree are around the facets as they are now."""
    node, end, count = tree.start[part], tree.start[part + 1], 0
    while node < end:
        if not (box[node, 0] <= p[0] <= box[node, 3] and box[node, 1] <= p[1] <= box[node, 4] and p[2] <= box[node, 5]):
            node = tree.behind[node]
            continue
        for i in range(tree.first[node], tree.first[node] + tree.count[node]):
            facet = tree.order[i]
            count += leaves_through(p, read(x, parts.facet[facet, 0]), read(x, parts.facet[facet, 1]),
                                    read(x, parts.facet[facet, 2]))
        node += 1
    return count
