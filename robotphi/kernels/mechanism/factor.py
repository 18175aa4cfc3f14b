"""The matrix of few closures, S = G M⁻¹ Gᵀ, factored with the largest row first (pivoted Cholesky): S = L Lᵀ.

Rows of which the others leave less than RANK of their own answer follow from them (a planar four-bar in space has three): they
are left out, and what solves S x = b is shared out among all rows so that its norm is the least,

    x = (x₁ + T z, x₂ − z),   (1 + TᵀT) z = x₂ − Tᵀ x₁,   T = L₁⁻ᵀ L₂ᵀ        L₁ of the rows taken, L₂ of those left out.

T takes the place of L₂, the factor of 1 + TᵀT that of what is left of S.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel

RANK = 1e-10       # of its own answer: a row with less left follows from the others
STIFF = 1e-12      # of the answer of the rigids by themselves: one with less is held by the joints of the tree already
RIGHT, SOLUTION, OWN, FREE, SPARE = range(5)   # columns of `left`: b, x, S_ii, what S_ii were without joints, z


@kernel
def factor_rows(bound, begin, count):
    """Factor S, whose lower triangle stands in rows begin …; returns its rank. Their order is kept."""
    a, order, left = bound.factor, bound.order, bound.left
    for k in range(count):
        order[begin + k, 0] = k
        left[begin + k, OWN] = a[begin + k, k]
    rank = count
    for k in range(count):
        best, chosen = 0.0, -1
        for i in range(k, count):
            row = begin + order[begin + i, 0]
            own = left[row, OWN]
            share = a[begin + i, i] / own if own > STIFF * left[row, FREE] else 0.0
            if share > best:
                best, chosen = share, i
        if not best > RANK:
            rank = k
            break
        exchange(a, order, begin, count, k, chosen)
        pivot = math.sqrt(a[begin + k, k])
        a[begin + k, k] = pivot
        for i in range(k + 1, count):
            a[begin + i, k] /= pivot
        for i in range(k + 1, count):
            for j in range(k + 1, i + 1):
                a[begin + i, j] -= a[begin + i, k] * a[begin + j, k]
    if rank < count:
        prepare_sharing(a, begin, count, rank)
    return rank


@inlined
def exchange(a, order, begin, count, k, p):
    """Exchange rows and columns k ≤ p of a symmetric matrix of which the lower triangle is kept, and their numbers."""
    if p > k:
        order[begin + k, 0], order[begin + p, 0] = order[begin + p, 0], order[begin + k, 0]
        a[begin + k, k], a[begin + p, p] = a[begin + p, p], a[begin + k, k]
        for j in range(k):
            a[begin + k, j], a[begin + p, j] = a[begin + p, j], a[begin + k, j]
        for i in range(p + 1, count):
            a[begin + i, k], a[begin + i, p] = a[begin + i, p], a[begin + i, k]
        for i in range(k + 1, p):
            a[begin + i, k], a[begin + p, i] = a[begin + p, i], a[begin + i, k]


@kernel
def prepare_sharing(a, begin, count, rank):
    """T and the factor of 1 + TᵀT in the place of the rows left out."""
    for i in range(rank, count):
        for k in range(rank - 1, -1, -1):
            rest = a[begin + i, k]
            for j in range(k + 1, rank):
                rest -= a[begin + j, k] * a[begin + i, j]
            a[begin + i, k] = rest / a[begin + k, k]
    for i in range(rank, count):
        for j in range(rank, i + 1):
            total = 1.0 if i == j else 0.0
            for k in range(rank):
                total += a[begin + i, k] * a[begin + j, k]
            for k in range(rank, j):
                total -= a[begin + i, k] * a[begin + j, k]
            a[begin + i, j] = math.sqrt(total) if i == j else total / a[begin + j, j]


@kernel
def solve_factored(bound, begin, rank, count):
    """x of S x = b, from the column of b into that of x; rows left out have none."""
    a, order, left = bound.factor, bound.order, bound.left
    for k in range(rank):
        rest = left[begin + order[begin + k, 0], RIGHT]
        for j in range(k):
            rest -= a[begin + k, j] * left[begin + order[begin + j, 0], SOLUTION]
        left[begin + order[begin + k, 0], SOLUTION] = rest / a[begin + k, k]
    for k in range(rank - 1, -1, -1):
        rest = left[begin + order[begin + k, 0], SOLUTION]
        for i in range(k + 1, rank):
            rest -= a[begin + i, k] * left[begin + order[begin + i, 0], SOLUTION]
        left[begin + order[begin + k, 0], SOLUTION] = rest / a[begin + k, k]
    for k in range(rank, count):
        left[begin + order[begin + k, 0], SOLUTION] = 0.0


@kernel
def share_out(bound, begin, rank, count):
    """Make the norm of the multipliers the least, without a change of what they do."""
    a, order, left, pull = bound.factor, bound.order, bound.left, bound.pull
    for i in range(rank, count):
        rest = pull[begin + order[begin + i, 0], 0]
        for k in range(rank):
            rest -= a[begin + i, k] * pull[begin + order[begin + k, 0], 0]
        for j in range(rank, i):
            rest -= a[begin + i, j] * left[begin + j, SPARE]
        left[begin + i, SPARE] = rest / a[begin + i, i]
    for i in range(count - 1, rank - 1, -1):
        rest = left[begin + i, SPARE]
        for j in range(i + 1, count):
            rest -= a[begin + j, i] * left[begin + j, SPARE]
        left[begin + i, SPARE] = rest / a[begin + i, i]
    for i in range(rank, count):
        pull[begin + order[begin + i, 0], 0] -= left[begin + i, SPARE]
        for k in range(rank):
            pull[begin + order[begin + k, 0], 0] += a[begin + i, k] * left[begin + i, SPARE]
