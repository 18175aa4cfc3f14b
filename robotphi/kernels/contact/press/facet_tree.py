"""Boxes of a tree over facets, and the walk through them.

The nodes of a tree stand in the order of a walk that goes left first: the first child of a node is the next one, its
second child the one behind the first child's subtree. So a walk is a loop, `node = next_node(…)`, that only goes forward, and
the boxes are renewed by going backward once.
"""
import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel


@kernel
def renew_boxes(parts, tree, a, x, box):
    """Boxes (m, 6) of the tree of part a around its facets as they are now: xmin ymin zmin xmax ymax zmax."""
    for node in range(tree.start[a + 1] - 1, tree.start[a] - 1, -1):
        if tree.count[node] == 0:
            join_boxes(box, node, node + 1, tree.behind[node + 1])
        else:
            box_of_leaf(parts, tree, node, x, box)


@inlined
def join_boxes(box, node, left, right):
    for axis in range(3):
        box[node, axis] = min(box[left, axis], box[right, axis])
        box[node, 3 + axis] = max(box[left, 3 + axis], box[right, 3 + axis])


@inlined
def box_of_leaf(parts, tree, node, x, box):
    for axis in range(3):
        low, high = np.inf, -np.inf
        for i in range(tree.first[node], tree.first[node] + tree.count[node]):
            for corner in range(3):
                at = x[parts.facet[tree.order[i], corner], axis]
                low, high = min(low, at), max(high, at)
        box[node, axis], box[node, 3 + axis] = low, high


@inlined
def reaches(box, node, p, reach):
    """Whether a point is within reach of a box along every axis; NaN never."""
    return (box[node, 0] - reach <= p[0] <= box[node, 3] + reach and box[node, 1] - reach <= p[1] <= box[node, 4] + reach
            and box[node, 2] - reach <= p[2] <= box[node, 5] + reach)


@inlined
def next_leaf(tree, box, node, end, p, reach):
    """The first leaf from `node` on whose box is within reach of p, or `end`."""
    while node < end:
        if not reaches(box, node, p, reach):
            node = tree.behind[node]
        elif tree.count[node] > 0:
            return node
        else:
            node += 1
    return end


@inlined
def boxes_near(box, a, b, reach):
    """Whether two boxes are within reach of each other along every axis; NaN never."""
    return (box[a, 0] - reach <= box[b, 3] and box[b, 0] - reach <= box[a, 3]
            and box[a, 1] - reach <= box[b, 4] and box[b, 1] - reach <= box[a, 4]
            and box[a, 2] - reach <= box[b, 5] and box[b, 2] - reach <= box[a, 5])


@inlined
def next_leaf_near(tree, box, node, end, leaf, reach):
    """The first leaf from `node` on whose box is within reach of the box of `leaf`, or `end`."""
    while node < end:
        if not boxes_near(box, node, leaf, reach):
            node = tree.behind[node]
        elif tree.count[node] > 0:
            return node
        else:
            node += 1
    return end


@inlined
def near_facet(x, rows, p, reach):
    """Whether a point is within reach of the box of the facet with these rows, along every axis."""
    for axis in range(3):
        a, b, c = x[rows[0], axis], x[rows[1], axis], x[rows[2], axis]
        if not (min(a, min(b, c)) - reach <= p[axis] and p[axis] <= max(a, max(b, c)) + reach):
            return False
    return True
