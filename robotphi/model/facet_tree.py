"""Trees of boxes over the facets of parts whose facets are asked where they are: sheets, soft parts among balls or sheets, and
parts that may touch themselves.

The form of a tree is fixed at model time by halving the facets at the median along the longest side of their middle points;
the boxes follow the particles (`kernels/contact/press/facet_tree`). Nodes stand in the order of a walk that goes left first, so
that the next node is either the following one or, where a box is missed, the one behind the subtree: no stack is needed.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.contact.kinds import POLYHEDRON, SHEET, SPHERE

LEAF = 8  # facets of a leaf, at most


class FacetTree(NamedTuple):
    """Trees of all parts, one behind the other, and what thin contact knows of the facets."""
    start: np.ndarray         # (p + 1,) int32 into the nodes; equal for parts without a tree
    behind: np.ndarray        # (m,) int32 node behind the subtree of each node
    first: np.ndarray         # (m,) int32 into order
    count: np.ndarray         # (m,) int32 facets of a leaf, 0 for other nodes
    place_start: np.ndarray   # (m + 1,) int32 into place: the vertices that a leaf looks after
    place: np.ndarray         # (k,) int32 places in the vertices of the model, each in the first leaf that holds it
    order: np.ndarray         # (f,) int32 facets of the model, part by part, in the order of the leaves
    edge_share: np.ndarray    # (f, 3) what is taken off for the edges 01, 12, 20: ½ where two facets meet, 0 at a border
    corner_share: np.ndarray  # (f, 3) what is given back for the corners: 1/n within a surface of n facets around it
    rest: np.ndarray          # (rows, 3) m, where the particles are at rest


def facet_tree(parts, position):
    """The FacetTree of Parts; `position` (n, 3) m of the particles at rest."""
    position = np.ascontiguousarray(position, float)
    count = len(parts.kind)
    facets = np.asarray(parts.facet)
    if len(facets) and not (facets.min() >= 0 and facets.max() < len(position)):
        raise SceneError(f"facets name particles {facets.min()} to {facets.max()}, but there are {len(position)}: "
                         "give the positions of all particles of the model")
    order = np.arange(len(facets), dtype=np.int32)
    start, trees = np.zeros(count + 1, np.int32), []
    kind = np.asarray(parts.kind)
    wanted = (kind == SHEET) | (np.asarray(parts.self_touch) == 1)
    if np.isin(kind, (SPHERE, SHEET)).any():
        wanted |= (kind == POLYHEDRON) & (np.asarray(parts.rigid) < 0)
    for part in range(count):
        begin, end = parts.facet_start[part], parts.facet_start[part + 1]
        nodes = np.empty((0, 3), np.int32)
        if end > begin and wanted[part]:
            middle = position[facets[begin:end]].mean(axis=1)
            own, nodes = _halve(middle)
            order[begin:end] = begin + own
            nodes = nodes + np.array([start[part], begin, 0], np.int32)
        trees.append(nodes)
        start[part + 1] = start[part] + len(nodes)
    nodes = np.concatenate([np.empty((0, 3), np.int32), *trees]).astype(np.int32)
    place_start, place = _places(nodes, np.asarray(parts.facet_vertex)[order])
    edges, corners = facet_shares(np.repeat(np.arange(count), np.diff(parts.facet_start)), facets)
    return FacetTree(start, *(np.ascontiguousarray(column) for column in nodes.T), place_start, place, order, edges, corners,
                     position)


def _halve(middle):
    """Order of the facets, and rows (behind, first, count) of the nodes of their tree; all nodes of a depth at a time."""
    order = np.arange(len(middle))
    sizes = {}
    rows = np.zeros((_node_count(len(middle), sizes), 3), np.int32)
    begin, count, node = np.array([0]), np.array([len(middle)]), np.array([0])
    while len(node):
        total = np.array([_node_count(c, sizes) for c in count.tolist()])
        leaf = count <= LEAF
        rows[node, 0], rows[node, 1] = node + total, begin
        rows[node[leaf], 2] = count[leaf]
        begin, count, node = begin[~leaf], count[~leaf], node[~leaf]
        if not len(node):
            break
        _sort_segments(middle, order, begin, count)
        left = (count + 1) // 2
        first = np.array([_node_count(c, sizes) for c in left.tolist()])
        begin, count, node = (np.column_stack(two).ravel() for two in (
            (begin, begin + left), (left, count - left), (node + 1, node + 1 + first)))
    return order, rows


def _places(nodes, facet_vertex):
    """Vertices of each node: those of a leaf's facets that no leaf before has."""
    leaf_of = np.repeat(np.arange(len(nodes)), nodes[:, 2])
    within = np.arange(len(leaf_of)) - np.repeat(np.cumsum(nodes[:, 2]) - nodes[:, 2], nodes[:, 2])
    places = facet_vertex[nodes[leaf_of, 1] + within].ravel()
    leaves = np.repeat(leaf_of, 3)[places >= 0]
    places, first = np.unique(places[places >= 0], return_index=True)
    order = np.argsort(first)
    start = np.searchsorted(leaves[first[order]], np.arange(len(nodes) + 1))
    return start.astype(np.int32), places[order].astype(np.int32)


def _node_count(count, known):
    """Nodes of the tree of so many facets."""
    if count <= LEAF:
        return 1
    if count not in known:
        known[count] = 1 + _node_count((count + 1) // 2, known) + _node_count(count // 2, known)
    return known[count]


def _sort_segments(middle, order, begin, count):
    """Sort each segment of the order along the longest side of its middle points."""
    segment = np.repeat(np.arange(len(begin)), count)
    places = np.arange(count.sum()) + np.repeat(begin - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
    points = middle[order[places]]
    heads = np.concatenate([[0], np.cumsum(count)[:-1]])
    side = np.maximum.reduceat(points, heads) - np.minimum.reduceat(points, heads)
    key = np.take_along_axis(points, side.argmax(axis=1)[segment][:, None], axis=1)[:, 0]
    order[places] = order[places][np.lexsort((order[places], key, segment))]


def facet_shares(part, facets):
    """Shares (f, 3) of facets in their edges and corners, so that facets − edges + corners count each place once.

    An edge of m facets is taken off m − 1 times; a corner of n facets is given back 1 − n + Σ (m − 1) times over its edges:
    once within a surface, not at all at its border.
    """
    if len(facets) == 0:
        return np.zeros((0, 3)), np.zeros((0, 3))
    ends = np.sort(np.stack([facets, np.roll(facets, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    edges, which, uses = np.unique(np.column_stack([np.repeat(part, 3), ends]), axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    edge_share = ((uses - 1) / uses)[which].reshape(-1, 3)
    corners, corner, around = np.unique(np.column_stack([np.repeat(part, 3), facets.ravel()]), axis=0, return_inverse=True,
                                        return_counts=True)
    corner = corner.ravel()
    back = 1.0 - around
    # each edge counts at both its ends; a facet names it once, with all its uses
    for end in (1, 2):
        at = _rows_in(corners, edges[:, [0, end]])
        back += np.bincount(at, uses - 1, len(corners))
    return edge_share, (back / around)[corner].reshape(-1, 3)


def _rows_in(table, rows):
    """Places of rows (part, particle) in a sorted table of them."""
    width = max(table[:, 1].max(), rows[:, 1].max()) + 1
    return np.searchsorted(table[:, 0].astype(np.int64) * width + table[:, 1], rows[:, 0].astype(np.int64) * width + rows[:, 1])
