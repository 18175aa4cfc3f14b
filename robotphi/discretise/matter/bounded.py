"""Bounded least squares of many small systems: min ½ xᵀG x − bᵀx with x ≥ 0, for each of them."""
import numpy as np
from numba import njit

from robotphi.kernels.compiling.store import keep

ROUNDS = 200       # of exchanges between free and held unknowns; three to ten are usual
SLACK = 1e-11      # of the largest right side: slopes and unknowns less negative than this are zero
PATIENCE = 3       # exchanges of many at once that may fail to help before they go one by one


@keep
@njit
def non_negative(gram, right):
    """(c, m) solutions, and whether each was found (c,).

    By block principal pivoting (Portugal, Júdice and Vicente 1994; Kim and Park 2011).

    Unknowns are free (slope 0) or held (at 0); those whose sign is wrong change sides, all at once while that helps, else the
    last one alone, which ends.
    """
    cells, size = right.shape
    result, done = np.zeros((cells, size)), np.zeros(cells, np.bool_)
    for cell in range(cells):
        free = np.ones(size, np.bool_)
        slack = SLACK * np.abs(right[cell]).max()
        fewest, patience = size + 1, PATIENCE
        x, slope = np.zeros(size), np.zeros(size)
        for _ in range(ROUNDS):
            _solve_free(gram[cell], right[cell], free, x)
            wrong, last = 0, -1
            for i in range(size):
                slope[i] = -right[cell, i]
                for j in range(size):
                    slope[i] += gram[cell, i, j] * x[j]
                if (free[i] and x[i] < 0.0) or (not free[i] and slope[i] < -slack):
                    wrong, last = wrong + 1, i
            if wrong == 0:
                done[cell] = True
                break
            if wrong < fewest:
                fewest, patience = wrong, PATIENCE
            else:
                patience -= 1
            for i in range(size):
                if ((free[i] and x[i] < 0.0) or (not free[i] and slope[i] < -slack)) and (patience >= 0 or i == last):
                    free[i] = not free[i]
        for i in range(size):
            result[cell, i] = max(x[i], 0.0)
    return result, done


@keep
@njit
def _solve_free(gram, right, free, x):
    """Free unknowns of  G x = b  with the others at 0, by Cholesky's factors."""
    chosen = np.flatnonzero(free)
    count = len(chosen)
    lower, y = np.empty((count, count)), np.empty(count)
    for i in range(count):
        for j in range(i + 1):
            total = gram[chosen[i], chosen[j]]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(total) if i == j else total / lower[j, j]
        total = right[chosen[i]]
        for k in range(i):
            total -= lower[i, k] * y[k]
        y[i] = total / lower[i, i]
    x[:] = 0.0
    for i in range(count - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, count):
            total -= lower[k, i] * x[chosen[k]]
        x[chosen[i]] = total / lower[i, i]
