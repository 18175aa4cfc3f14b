"""Many closures: S x = b by conjugate residuals, each step one answer of the whole tree (Faure 1997, I-5.5.2).

    α = r·Sr/|Sp|²    x += α p    r −= α Sp    β = r·Sr/(r·Sr before)    p = r + β p    Sp = Sr + β Sp

The residual never grows, also where S is singular; from nothing the solution is the one of least norm. Memory and work of a
step are linear in the number of links.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.answer import answer_links, answered, ask_nothing, ask_of
from robotphi.kernels.mechanism.factor import RIGHT, SOLUTION

ALONG, TIMES, REST = 5, 6, 7   # columns of `left`: p, Sp, Sr; r stands in that of b
ENOUGH = 10                    # times as many steps as there are rows: what rounding may ask for


@kernel
def answer_rows(mechanisms, closures, bound, m, column, into):
    """S times a column of `left`."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    ask_nothing(mechanisms, bound, begin, end)
    for i in range(closures.start[m], closures.start[m + 1]):
        ask_of(mechanisms, closures, bound, i, bound.left[i, column])
    answer_links(mechanisms, bound, begin, end)
    for i in range(closures.start[m], closures.start[m + 1]):
        bound.left[i, into] = answered(mechanisms, closures, bound, i)


@kernel
def solve_iterated(mechanisms, closures, bound, m, wanted):
    """From the column of b, of which so much may be left, into that of x, to which the solution is added; returns the number of
    answers that it took."""
    begin, end, left = closures.start[m], closures.start[m + 1], bound.left
    product, square, largest = 0.0, 0.0, 0.0
    for i in range(begin, end):
        largest = max(largest, abs(left[i, RIGHT]))
        left[i, ALONG] = left[i, RIGHT]
    if not largest > wanted:
        return 0
    answer_rows(mechanisms, closures, bound, m, ALONG, REST)
    for i in range(begin, end):
        left[i, TIMES] = left[i, REST]
        product += left[i, RIGHT] * left[i, REST]
    for n in range(ENOUGH * (end - begin)):
        largest, square = 0.0, 0.0
        for i in range(begin, end):
            largest = max(largest, abs(left[i, RIGHT]))
            square += left[i, TIMES] * left[i, TIMES]
        if not (largest > wanted and square > 0.0 and product > 0.0):
            return n + 1
        step, before = product / square, product
        for i in range(begin, end):
            left[i, SOLUTION] += step * left[i, ALONG]
            left[i, RIGHT] -= step * left[i, TIMES]
        answer_rows(mechanisms, closures, bound, m, RIGHT, REST)
        product = 0.0
        for i in range(begin, end):
            product += left[i, RIGHT] * left[i, REST]
        for i in range(begin, end):
            left[i, ALONG] = left[i, RIGHT] + product / before * left[i, ALONG]
            left[i, TIMES] = left[i, REST] + product / before * left[i, TIMES]
    return ENOUGH * (end - begin) + 1
