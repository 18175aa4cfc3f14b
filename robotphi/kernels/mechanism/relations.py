"""Relations of coordinates, Σ factor × coordinate = value: gears, mimics, differentials.

They hold by efforts Gᵀλ on the freedoms, one multiplier a relation, G their factors:

    S λ = −(G k₀ + G u/h),    S = G M⁻¹ Gᵀ        k = k₀ + M⁻¹ Gᵀ λ

with k₀ the accelerations without them, so that G u⁺ = 0 and the multipliers do no work. Their places are linear in the rates:
one freedom of each is put where the others say, which changes it by rounding alone. M⁻¹ knows what is held and what viscosity
does, so that holds, stops and drives go with them; relations of nothing but what is held ask for nothing.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import set3
from robotphi.kernels.mechanism.columns import DRIVEN, FIT, KNOWN, MODE, STOP
from robotphi.kernels.mechanism.gains import solve_links

SINGULAR = 1e-12   # of the largest: pivots of relations that follow from others, or from holds
ZERO = (0.0, 0.0, 0.0)


@inlined
def has_relations(mechanisms, m):
    return mechanisms.relation_start[m + 1] > mechanisms.relation_start[m]


@kernel
def of_relation(mechanisms, values, i):
    """Σ factor × value of relation i."""
    total = 0.0
    for t in range(mechanisms.term_start[i], mechanisms.term_start[i + 1]):
        total += mechanisms.factor[t] * values[mechanisms.term[t], 0]
    return total


@kernel
def fit_alike(mechanisms, links, m):
    """Freedoms that are related go their ways alike."""
    largest = 0.5
    begin, end = mechanisms.relation_start[m], mechanisms.relation_start[m + 1]
    for t in range(mechanisms.term_start[begin], mechanisms.term_start[end]):
        largest = max(largest, links.flow[mechanisms.term[t], FIT])
    for t in range(mechanisms.term_start[begin], mechanisms.term_start[end]):
        links.flow[mechanisms.term[t], FIT] = largest


@kernel
def clear_push(links, begin, end):
    for i in range(begin, end):
        set3(links.push, i, 0, ZERO)
        set3(links.push, i, 3, ZERO)


@kernel
def factor_relations(mechanisms, links, m):
    """S of factored links, as L Lᵀ."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    row, behind = mechanisms.relation_start[m], mechanisms.relation_start[m + 1]
    for k in range(first, last):
        links.start[k, 0], links.flow[k, KNOWN] = links.flow[k, KNOWN], 0.0
    for i in range(row, behind):
        for k in range(first, last):
            links.effort[k, 0] = 0.0
        for t in range(mechanisms.term_start[i], mechanisms.term_start[i + 1]):
            links.effort[mechanisms.term[t], 0] += mechanisms.factor[t]
        clear_push(links, begin, end)
        solve_links(mechanisms, links, links.effort, links.answer, begin, end)
        for j in range(row, behind):
            links.related[j, i - row] = of_relation(mechanisms, links.answer, j)
    for k in range(first, last):
        links.flow[k, KNOWN] = links.start[k, 0]
    decompose(links.related, row, behind - row)


@kernel
def decompose(matrix, row, count):
    """L of L Lᵀ in the lower half, with columns of nought where a pivot is."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, matrix[row + i, i])
    for j in range(count):
        pivot = matrix[row + j, j]
        for k in range(j):
            pivot -= matrix[row + j, k] * matrix[row + j, k]
        root = math.sqrt(pivot) if pivot > SINGULAR * largest else 0.0
        matrix[row + j, j] = root
        for i in range(j + 1, count):
            total = matrix[row + i, j]
            for k in range(j):
                total -= matrix[row + i, k] * matrix[row + j, k]
            matrix[row + i, j] = total / root if root > 0.0 else 0.0


@kernel
def add_multipliers(mechanisms, links, gain, rate, often, m):
    """Efforts λ that make G (k + often × u) nought, beside those on the freedoms."""
    row = mechanisms.relation_start[m]
    count = mechanisms.relation_start[m + 1] - row
    matrix, x = links.related, links.multiplier
    for i in range(count):
        total = -of_relation(mechanisms, gain, row + i) - often * of_relation(mechanisms, rate, row + i)
        for k in range(i):
            total -= matrix[row + i, k] * x[row + k, 0]
        x[row + i, 0] = total / matrix[row + i, i] if matrix[row + i, i] > 0.0 else 0.0
    for i in range(count - 1, -1, -1):
        total = x[row + i, 0]
        for k in range(i + 1, count):
            total -= matrix[row + k, i] * x[row + k, 0]
        x[row + i, 0] = total / matrix[row + i, i] if matrix[row + i, i] > 0.0 else 0.0
    for i in range(count):
        for t in range(mechanisms.term_start[row + i], mechanisms.term_start[row + i + 1]):
            links.effort[mechanisms.term[t], 0] += mechanisms.factor[t] * x[row + i, 0]


@kernel
def put_in_place(mechanisms, links, place, m):
    """The first freedom of each relation goes where the others say, unless it stands at a stop."""
    for i in range(mechanisms.relation_start[m], mechanisms.relation_start[m + 1]):
        t = mechanisms.term_start[i]
        k = mechanisms.term[t]
        if links.flow[k, STOP] == 0.0 and links.flow[k, MODE] != DRIVEN:
            place[k, 0] += (mechanisms.value[i] - of_relation(mechanisms, place, i)) / mechanisms.factor[t]
