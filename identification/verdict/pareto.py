"""The Pareto front of several criteria, all to be small: the points of which no other is better in everything."""
import numpy as np


def pareto_front(criteria):
    """Indices of the points that no other dominates, by the first criterion; rows that are not finite are left out."""
    criteria = np.asarray(criteria, float)
    front, best = [], []
    finite = np.flatnonzero(np.isfinite(criteria).all(axis=1))
    for index in finite[np.lexsort(criteria[finite].T[::-1])]:
        row = criteria[index]
        if not any((other <= row).all() for other in best):
            front.append(int(index))
            best.append(row)
    return front
