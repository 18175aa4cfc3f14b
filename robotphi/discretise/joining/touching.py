"""Touching: which particles of several parts are in one place, and which lie on a surface."""
from itertools import combinations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from robotphi.discretise.cells.nearest import pair_distance
from robotphi.geometry.cells import KINDS, VOLUME_KINDS

CHUNK = 1024  # facets whose neighbourhoods are looked at together


def touching_pairs(places, tolerance):
    """{(i, j): (m, 2) rows in parts i < j that are no further apart than `tolerance`}; `places` holds (n, 3) of each part."""
    low, high = (np.array([edge(each, axis=0) for each in places]) for edge in (np.min, np.max))
    found = {}
    for i, j in combinations(range(len(places)), 2):
        box = np.maximum(low[i], low[j]) - tolerance, np.minimum(high[i], high[j]) + tolerance
        near = [np.flatnonzero(((places[k] >= box[0]) & (places[k] <= box[1])).all(axis=1)) for k in (i, j)
                if (box[0] <= box[1]).all()]
        if not near or not all(map(len, near)):
            continue
        first, second = (cKDTree(places[k][rows]) for k, rows in zip((i, j), near, strict=True))
        pairs = first.sparse_distance_matrix(second, tolerance, output_type="ndarray")
        if len(pairs):
            found[i, j] = np.stack([near[0][pairs["i"]], near[1][pairs["j"]]], axis=1)
    return found


def overlapping(thing, starts, pairs):
    """(i, j) the first parts that share a volume where it is plain to see, or None; `pairs` are those that touch.

    Two cells on the same corners do, and two particles in one place that are both within their polyhedra, not on facets.
    """
    count = len(thing.position)
    inner = np.ones(count, bool)
    inner[thing.facets] = False
    has_facets = np.diff(np.searchsorted(np.sort(thing.facets[:, 0]), starts)) > 0
    inner &= np.repeat(has_facets, np.diff(starts))
    for pair, rows in pairs.items():
        if inner[rows].all(axis=1).any():
            return pair
    if not pairs:
        return None
    lowest = groups_of(np.concatenate(list(pairs.values())), count)
    for kind, rows in thing.cells.items():
        if kind in VOLUME_KINDS:
            corners = rows[:, :KINDS[kind].corners]
            _, first, number = np.unique(np.sort(lowest[corners], axis=1), axis=0, return_index=True, return_inverse=True)
            twice = np.flatnonzero(first[number.reshape(-1)] != np.arange(len(rows)))
            if len(twice):
                both = corners[[first[number.reshape(-1)[twice[0]]], twice[0]], 0]
                return tuple((np.searchsorted(starts, both, side="right") - 1).tolist())
    return None


def groups_of(pairs, count):
    """(count,) the lowest member of the group that each is in: the pieces that pairs (m, 2) join."""
    graph = coo_matrix((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return first[label]


def nearest_rows(places, others):
    """(n,) distance [m] from each of (n, 3) places to the nearest of (m, 3) others, and (n,) its row."""
    return cKDTree(others).query(places)


def distance_within(points, corners, reach):
    """(n,) distance [m] of points from the nearest of the triangles (t, 3, 3), inf where it is more than `reach`."""
    distance = np.full(len(points), np.inf)
    centre = corners.mean(axis=1)
    radius = np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1) + reach * (1 + 1e-12)
    low, high = corners.min(axis=(0, 1)) - reach, corners.max(axis=(0, 1)) + reach
    near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
    if not len(near):
        return distance
    tree = cKDTree(points[near])
    for first in range(0, len(corners), CHUNK):
        some = slice(first, first + CHUNK)
        lists = tree.query_ball_point(centre[some], radius[some])
        facet = np.repeat(np.arange(first, first + len(lists)), [len(each) for each in lists])
        if len(facet):
            rows = near[np.concatenate([each for each in lists if each])]
            np.minimum.at(distance, rows, pair_distance(points[rows], corners[facet]))
    distance[distance > reach] = np.inf
    return distance


def surface_gap(points, corners):
    """Distance [m] from the nearest of the points (n, 3) to the triangles (t, 3, 3)."""
    bound = nearest_rows(points, corners.reshape(-1, 3))[0].min()  # that of the corners: the surface is no further
    return float(min(distance_within(points, corners, bound).min(), bound))
