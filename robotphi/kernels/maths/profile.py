"""Symmetric equations by their profile: rows of the lower triangle from their first entry on, L D Lᵀ without pivoting.

By Sylvester's law of inertia as many D are negative as the matrix has negative eigenvalues: an equilibrium whose stiffness has
one is a saddle. Source: Jennings 1966; George & Liu 1981, chapter 4.
"""
from robotphi.kernels.compiling.compiled import kernel


@kernel
def factor_profile(first, begin, entry, size, nothing, down):
    """L D Lᵀ in place of the matrix, D on the diagonal; returns how many D are negative, and how many are nought.

    Row i has its entries of columns first[i] … i at begin[i] … in `entry`. A D between −`down` and `nothing`, times size[i], is
    nought: it becomes size[i], so that the unknown goes by itself.
    """
    negative, none = 0, 0
    for i in range(len(first)):
        row = begin[i] - first[i]
        for j in range(first[i], i):
            other, total = begin[j] - first[j], entry[row + j]
            for k in range(max(first[i], first[j]), j):
                total -= entry[row + k] * entry[other + k]   # of row i still L D
            entry[row + j] = total
        pivot = entry[row + i]
        for j in range(first[i], i):
            share = entry[row + j] / entry[begin[j + 1] - 1]
            pivot -= share * entry[row + j]
            entry[row + j] = share
        if pivot < -down * size[i]:
            negative += 1
        elif pivot <= nothing * size[i]:
            none += 1
            pivot = size[i] if size[i] > 0.0 else 1.0
        entry[row + i] = pivot
    return negative, none


@kernel
def solve_profile(first, begin, entry, x):
    """x ← (L D Lᵀ)⁻¹ x"""
    for i in range(len(first)):
        row = begin[i] - first[i]
        for k in range(first[i], i):
            x[i] -= entry[row + k] * x[k]
    for i in range(len(first)):
        x[i] /= entry[begin[i + 1] - 1]
    for i in range(len(first) - 1, -1, -1):
        row = begin[i] - first[i]
        for k in range(first[i], i):
            x[k] -= entry[row + k] * x[i]


@kernel
def direction_of(first, begin, entry, i, x):
    """x with xᵀ A x = D[i]: Lᵀ x = e_i."""
    for k in range(len(x)):
        x[k] = 0.0
    x[i] = 1.0
    for j in range(i, -1, -1):
        row = begin[j] - first[j]
        for k in range(first[j], j):
            x[k] -= entry[row + k] * x[j]
