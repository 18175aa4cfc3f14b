"""Overlap: which convex parts of a compound share a volume, where they should do no more than touch."""
import numpy as np

NEAR = 1e-9    # of the size of both: how deep touching parts may go into each other


def overlap(parts):
    """The first pair (i, j) of convex Polyhedra that share a volume, or None."""
    low, high = (np.array([edge(part.vertices, axis=0) for part in parts]) for edge in (np.min, np.max))
    near = NEAR * (high - low).max(axis=1)
    order = np.argsort(low[:, 0], kind="stable")
    ends = np.searchsorted(low[order, 0], high[order, 0])    # along x no part behind this one starts before it ends
    for place, i in enumerate(order):
        others = order[place + 1:ends[place]]
        deep = np.minimum(high[i], high[others]) - np.maximum(low[i], low[others])
        for j in others[(deep > (near[i] + near[others])[:, None]).all(axis=1)]:
            if _share(parts[i], parts[j], near[i] + near[j]):
                return (int(min(i, j)), int(max(i, j)))
    return None


def _share(one, other, near):
    """Whether two convex polyhedra have a ball in common whose radius is more than `near`.

    Most are told apart by the plane of a facet. For the others it is the largest ball: r highest with n·x + r ≤ d of all
    planes (Boyd and Vandenberghe 2004, section 8.5.1).
    """
    middle = one.facet_centres[0]
    planes = [(part.normals, np.einsum("ij,ij->i", part.normals, part.facet_centres - middle)) for part in (one, other)]
    for (normals, offsets), part in zip(planes, (other, one), strict=True):
        if (((part.vertices - middle) @ normals.T).min(axis=0) >= offsets - near).any():
            return False
    from scipy.optimize import linprog

    normals, offsets = (np.concatenate(each) for each in zip(*planes, strict=True))
    size = np.ptp(one.vertices, axis=0).max()
    found = linprog([0, 0, 0, -1], np.column_stack([normals, np.ones(len(normals))]), offsets / size,
                    bounds=[(None, None)] * 3 + [(None, 1)])
    return bool(found.status == 0 and found.x[3] * size > near)
