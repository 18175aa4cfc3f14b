"""Loops: the facets of a polyhedron as one flat list of corners, and who neighbours whom."""
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import first_true, frozen, refuse


class Loops(NamedTuple):
    """Facets one after the other."""
    corners: np.ndarray   # (c,) int32 vertex of each corner
    starts: np.ndarray    # (f,) first corner of each facet
    sizes: np.ndarray     # (f,) corners of each facet
    facet: np.ndarray     # (c,) int32 facet of each corner

    @property
    def following(self):
        """(c,) the corner after each corner, within its facet."""
        index = np.arange(1, len(self.corners) + 1)
        index[self.starts + self.sizes - 1] = self.starts
        return index

    def split(self, values):
        """Values per corner as one array per facet."""
        return tuple(np.split(values, self.starts[1:]))


class Edges(NamedTuple):
    """The edges of a closed surface."""
    ends: np.ndarray      # (e, 2) int32 vertices, lower first, ascending
    facets: np.ndarray    # (e, 2) int32: the facet that runs it upwards, the one that runs it downwards
    of_corner: np.ndarray  # (c,) int32 edge from each corner to the following one


def flatten(facets, count):
    """Loops of the given sequences of vertices, of which there are `count`."""
    loops = [np.asarray(facet) for facet in facets]
    if not loops:
        refuse("polyhedron", "it has no facets", "give one loop of vertices per facet")
    for index, loop in enumerate(loops):
        if loop.ndim != 1 or loop.dtype.kind not in "iu" or len(loop) < 3:
            refuse("polyhedron, facets", f"a facet is {loop.tolist()!s:.60}", "give at least three vertices by number", index)
    sizes = np.array([len(loop) for loop in loops])
    corners = np.concatenate(loops)
    facet = np.repeat(np.arange(len(loops), dtype=np.int32), sizes)
    bad = first_true((corners < 0) | (corners >= count))
    if bad is not None:
        refuse("polyhedron, facets", f"vertex {corners[bad]}", f"there are vertices 0 to {count - 1}", int(facet[bad]))
    keys = np.sort(facet * np.int64(count) + corners)
    bad = first_true(keys[1:] == keys[:-1])
    if bad is not None:
        index, vertex = divmod(int(keys[bad]), count)
        refuse("polyhedron, facets", f"vertex {vertex} comes twice", "name each corner once", index)
    bad = first_true(np.bincount(corners, minlength=count) == 0)
    if bad is not None:
        refuse("polyhedron, vertices", "a vertex belongs to no facet", "leave it out", bad)
    return Loops(frozen(corners.astype(np.int32)), frozen(np.cumsum(sizes) - sizes), frozen(sizes), frozen(facet))


def find_edges(loops, count, names):
    """Edges of loops that close: every edge run twice, once each way; anything else is refused."""
    tail, head = loops.corners, loops.corners[loops.following]
    keys = np.minimum(tail, head) * np.int64(count) + np.maximum(tail, head)
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    up, down = (rows[np.argsort(keys[rows], kind="stable")] for rows in (up, down))
    for rows in (up, down):
        bad = first_true(keys[rows[1:]] == keys[rows[:-1]])
        if bad is not None:
            one, other = (names[loops.facet[rows[bad + i]]] for i in range(2))
            refuse("polyhedron", f"facets {one!r} and {other!r} run edge {tail[rows[bad]]}–{head[rows[bad]]} the same way",
                   "turn the loop that points inwards; only two facets may meet in an edge")
    alone = np.concatenate([up[~np.isin(keys[up], keys[down])], down[~np.isin(keys[down], keys[up])]])
    if len(alone):
        corner = alone.min()
        refuse("polyhedron", f"facet {names[loops.facet[corner]]!r} has no neighbour across edge {tail[corner]}–{head[corner]}",
               f"close the surface: {len(alone)} edges are open")
    of_corner = np.empty(len(tail), np.int32)
    of_corner[up] = of_corner[down] = np.arange(len(up))
    return Edges(frozen(np.stack([tail[up], head[up]], axis=1)), frozen(np.stack([loops.facet[up], loops.facet[down]], axis=1)),
                 frozen(of_corner))


def grouped(keys, values, count):
    """One ascending array of values for each key from 0 to count − 1."""
    order = np.lexsort((values, keys))
    return tuple(np.split(frozen(values[order]), np.cumsum(np.bincount(keys, minlength=count))[:-1]))


def halved(loops):
    """(t, 3) triangles and (t,) their facets, by cutting off every second corner of each facet, again and again.

    Large facets get few long triangles, where a fan has nothing else.
    """
    corners, facet, triangles, owners = loops.corners, loops.facet, [], []
    while len(corners):
        sizes = np.bincount(facet)[facet]
        starts = np.flatnonzero(np.diff(facet, prepend=-1))
        place = np.arange(len(facet)) - np.repeat(starts, np.diff(starts, append=len(facet)))
        cut = np.flatnonzero(place % 2)
        after = np.where(place[cut] == sizes[cut] - 1, cut - place[cut], cut + 1) % len(corners)
        triangles.append(np.stack([corners[cut - 1], corners[cut], corners[after]], axis=1))
        owners.append(facet[cut])
        kept = (place % 2 == 0) & (sizes > 4)
        corners, facet = corners[kept], facet[kept]
    return np.concatenate(triangles), np.concatenate(owners)


def fan(loops):
    """(t, 3) triangles of all facets, fanned from the lowest vertex of each, and (t,) their facets.

    Solids that share a facet cut it alike, and so do meshes.
    """
    corners, starts, sizes = loops.corners, loops.starts, loops.sizes
    lowest = np.minimum.reduceat(corners, starts)
    at = np.flatnonzero(corners == lowest[loops.facet]) - starts
    facet = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes - 2)
    step = np.arange(len(facet)) - np.repeat(np.cumsum(sizes - 2) - (sizes - 2), sizes - 2) + 1
    turn = [corners[starts[facet] + (at[facet] + offset) % sizes[facet]] for offset in (0, step, step + 1)]
    return np.stack(turn, axis=1), facet
