"""Edges and shells of a triangulated surface: whether it closes, is turned alike and bounds each place once."""
import numpy as np

from robotphi.scene.checks import refuse

RAYS = np.array([[0.5257311, 0.3090170, 0.7928421], [-0.7071932, 0.6180344, 0.3437151], [0.2187351, -0.9341728, 0.2818237]])


def check_edges(points, triangles, label, tolerance):
    """Refuse open edges, edges of more than two facets, facets turned against their neighbours or folded upon them."""
    tail, head = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    keys = np.minimum(tail, head) * np.int64(len(points)) + np.maximum(tail, head)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    counts = np.diff(starts, append=len(keys))
    if np.any(counts == 1):
        _refuse_open(points, triangles, label, order[starts[counts == 1]])
    if np.any(counts > 2):
        first = starts[counts > 2][0]
        corners = order[first:first + counts[counts > 2][0]]
        refuse("surface", f"{label(corners // 3)} meet in one edge, {_edge(triangles, corners[0])}; so do "
               f"{np.count_nonzero(counts > 2) - 1} more such edges", "let two facets meet in an edge: split its points")
    one, other = order[0::2], order[1::2]
    alike = tail[one] == tail[other]
    if np.any(alike):
        _refuse_turned(triangles, label, one, other, alike)
    _check_folds(points, triangles, label, one, other, tolerance)


def check_shells(points, triangles, label, tree):
    """Refuse shells turned inside out, where an outer one must point outwards and one around a hollow into it."""
    shell, volumes = shells(points, triangles)
    if len(volumes) == 1:
        if volumes[0] < 0.0:
            refuse("surface", f"it is inside out: all its facets point inwards (volume {volumes[0]:g} m³)",
                   "turn every triangle round: triangles[:, ::-1]")
        return
    if np.all(volumes < 0.0):
        refuse("surface", f"it is inside out: all its {len(volumes)} shells point inwards",
               "turn every triangle round: triangles[:, ::-1]")
    from robotphi.geometry.box_tree import winding
    first = np.unique(shell, return_index=True)[1]
    starts = points[triangles[first, 0]]
    around = np.median([winding(tree, shell, starts, np.arange(len(first)), ray) for ray in RAYS], axis=0).astype(int)
    for index, (volume, turns) in enumerate(zip(volumes.tolist(), around.tolist(), strict=True)):
        size, start = np.count_nonzero(shell == index), label(first[index:index + 1])
        what = f"shell {index} of {len(volumes)} ({size} triangles, from {start} on)"
        if volume < 0.0 and turns != 1:
            refuse("surface", f"{what} points inwards and is not a hollow of another shell", "turn its triangles round")
        if volume > 0.0 and turns != 0:
            refuse("surface", f"{what} lies inside another one and points outwards, so that its inside would count twice",
                   "turn its triangles round to make it a hollow, or leave it out")


def shells(points, triangles):
    """(t,) connected shell of each triangle, numbered by their first triangles, and their signed volumes [m³]."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = triangles[:, [0, 0]].reshape(-1), triangles[:, 1:].reshape(-1)
    graph = coo_matrix((np.ones(len(ends[0]), np.int8), ends), shape=(len(points),) * 2)
    of_point = connected_components(graph, directed=False)[1]
    found, first, shell = np.unique(of_point[triangles[:, 0]], return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    shell = rank[shell]
    a, b, c = (points[triangles[:, i]] for i in range(3))
    middle = points[triangles[np.sort(first), 0]][shell]
    volumes = np.einsum("ij,ij->i", a - middle, np.cross(b - a, c - a)) / 6
    return shell, np.bincount(shell, volumes, minlength=len(found))


def _refuse_open(points, triangles, label, corners):
    corners = np.sort(corners)
    others = corners[corners // 3 != corners[0] // 3] // 3
    distinct = len(np.unique(points, axis=0))
    remedy = "add the facets that are missing"
    if distinct < len(points):
        remedy = f"merge points that coincide: {len(points) - distinct} of {len(points)} lie where another one does"
    refuse("surface", f"it is open: {counted(len(corners), 'edge')} of one facet only; edge {_edge(triangles, corners[0])} of "
           f"{label(corners[:1] // 3)}" + (f"; also {label(others)}" if len(others) else ""), remedy)


def counted(number, noun):
    """"1 edge", "2 edges"."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _edge(triangles, corner):
    """Points at the ends of the edge that starts at a corner."""
    row, at = divmod(int(corner), 3)
    return f"{triangles[row, at]}–{triangles[row, (at + 1) % 3]}"


def _refuse_turned(triangles, label, one, other, alike):
    """Name the fewest facets that must be turned: a graph of two nodes per triangle, as given and turned round.

    Neighbours that agree join like nodes, others unlike ones; a shell whose two states join has no outside at all.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(triangles)
    rows, columns = one // 3, other // 3
    start = np.concatenate([rows, rows + count])
    end = np.concatenate([columns + count * alike, columns + count * ~alike])
    graph = coo_matrix((np.ones(len(start), np.int8), (start, end)), shape=(2 * count,) * 2)
    state = connected_components(graph, directed=False)[1]
    if np.any(state[:count] == state[count:]):
        bad = np.flatnonzero(state[:count] == state[count:])
        refuse("surface", f"it has one side only, like a Klein bottle: {label(bad)}",
               "cut it and close it with an inside and an outside")
    members = np.bincount(state[:count], minlength=state.max() + 1)
    given, reverse = state[:count], state[count:]
    turned = np.flatnonzero((members[given] < members[reverse]) | ((members[given] == members[reverse]) & (given > reverse)))
    refuse("surface", f"{counted(len(turned), 'triangle')} turned against the neighbours: {label(turned)}",
           "reverse the order of their corners")


def _check_folds(points, triangles, label, one, other, tolerance):
    """Two triangles of a common edge lie upon each other where both corners opposite are on the same side, in one plane."""
    tail, head = points[triangles.reshape(-1)[one]], points[triangles[:, [1, 2, 0]].reshape(-1)[one]]
    p, q = (points[triangles[:, [2, 0, 1]].reshape(-1)[rows]] - tail for rows in (one, other))
    edge = head - tail
    p_out, q_out = np.cross(edge, p), np.cross(edge, q)
    height = np.abs(np.einsum("ij,ij->i", p_out, q)) / np.linalg.norm(p_out, axis=1)
    bad = np.flatnonzero((height <= tolerance) & (np.einsum("ij,ij->i", p_out, q_out) > 0.0))
    if len(bad):
        pair = np.array([one[bad[0]] // 3, other[bad[0]] // 3])
        refuse("surface", f"{label(pair)} lie folded upon each other; {counted(len(bad), 'such pair')}",
               "leave one out or move its corner")
