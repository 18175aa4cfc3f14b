"""The bound of the damping rate of few dampers of contact as rows (`dampers`), by what bodies give way as joints let them.

Of C = Σ c g gᵀ with ĝ the gradient of a row on a body over the root of its inertia (`step/bodies`: a free particle, a rigid, a
mechanism of few freedoms), the largest eigenvalue is that of the matrix √(c_r c_s) Σ ĝ_r·ĝ_s, sum over the bodies that both
touch: taken from above by its traces it is exact within some per cent, where sizes alone (`row_bounds`) come to several times
as much. Rows of balls on stiff objects whose answers are known are set against each other by these, with their signs.

It is taken where pairs are entered into the bounds (`bounds`), bodies being faced there, and holds until they are next, times
the most that any coefficient has grown: C is no more than that many times what it was, as long as bodies stand as they did.
Where they have moved, so that levers have become longer, the bound by sizes grows with them, and this one as much.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.dampers import learn_whole
from robotphi.kernels.contact.row_bounds import answer_row, are_known, between, bound_few
from robotphi.kernels.contact.sides import ContactInstant
from robotphi.kernels.maths.vectors import get3, read
from robotphi.kernels.mechanism.columns import BOUND_DENSE
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import (
    BODY,
    GRADIENT,
    SCALED,
    add_end,
    add_wrench,
    largest_of_square,
    mechanism_of,
    size_of_end,
    width_of,
)
from robotphi.kernels.step.damp_touch import rows_of

END_COLUMNS = 1 + BOUND_DENSE   # of an end: its body, and ĝ on it
TAKEN_COLUMNS = c.TAKEN_ENDS + 2 * END_COLUMNS
NOBODY = 0.5                    # in place of a body


@kernel
def take_rows(arrays, buffers, now):
    """The bound of the rows of the present, where they are few, and of two ends at most, none of a stiff object, or all of
    balls on stiff objects whose answers are known."""
    touch = buffers.touch
    if touch.row_taken.shape[0] == 0:
        return
    taken = touch.row_taken
    taken[c.FEW, c.TAKEN_COUNT] = 0.0
    first, last = rows_of(touch, False)
    count = last - first
    if not 0 < count <= c.FEW:
        return
    for r in range(first, last):
        learn_whole(touch, r)
    known = are_known(touch, first, last)
    instant = refer(ContactInstant(arrays, touch, now.position, now.velocity, now.force, now.rigid, 0.0))
    for k in range(count):
        if known:
            answer_row(instant, first + k, buffers.carrier)
            keep_row(touch, first + k, k)
        elif not face_row(arrays, buffers, now, first + k, k):
            return
    square, total, half = buffers.block_square, 0.0, touch.row_counts[c.ROW_HALF]
    for r in range(count):
        for s in range(r + 1):
            shared, beside = (between(instant, first + r, first + s, buffers.carrier) if known else
                              (between_ends(taken, r, s), 0.0))
            if beside > 0.0:   # by sizes, which have no signs
                return
            value = math.sqrt(taken[r, c.TAKEN_DAMPER] * taken[s, c.TAKEN_DAMPER]) * shared
            square[0, r * count + s] = square[0, s * count + r] = value
            total += value * value * (1.0 if r == s else 2.0)
    if not (total > 0.0 and taken[c.FEW, c.TAKEN_SAYS + half] > 0.0):
        return
    bound = largest_of_square(square, count, math.sqrt(total))
    taken[c.FEW, c.TAKEN_BOUND], taken[c.FEW, c.TAKEN_COUNT] = bound, float(count)
    says = bound_few(instant, buffers.carrier, first, last) if known else taken[c.FEW, c.TAKEN_SAYS + half]
    taken[c.FEW, c.TAKEN_SAID] = says
    touch.row_bound[half] = min(touch.row_bound[half], bound)
    buffers.numbers[at.ROW_DAMPING] = touch.row_bound[half]


@inlined
def keep_row(touch, r, k):
    """Row r as number k of the few: its coefficient, and by which ends it is known again."""
    taken, row = touch.row_taken, touch.row
    taken[k, c.TAKEN_DAMPER] = row[r, c.DAMPER]
    taken[k, c.TAKEN_FIRST] = touch.row_body[int(row[r, c.DAMPER_BEGIN])]
    taken[k, c.TAKEN_LAST] = touch.row_body[int(row[r, c.DAMPER_END]) - 1]


@kernel
def face_row(arrays, buffers, now, r, k):
    """The same with gradients on bodies; False where it is none of those."""
    touch, stiff, term, taken = buffers.touch, arrays.stiff, buffers.term, buffers.touch.row_taken
    begin, end = int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])
    if not (0 < end - begin <= 2 and touch.row[r, c.DAMPER] > 0.0):
        return False
    count = 0
    for e in range(begin, end):
        body = touch.row_body[e]
        i = -1 - body if body < 0 else buffers.carrier[body]
        if len(stiff.way) > 0 and (stiff.of_rigid[i] >= 0 if i >= 0 else stiff.object[body] >= 0):
            return False
        way = get3(touch.row_way, e, 0)
        count = (add_wrench(buffers, count, i, way, get3(touch.row_way, e, 3)) if body < 0 else
                 add_end(arrays.particles, buffers, count, now.rigid, body, read(now.position, body), way))
    keep_row(touch, r, k)
    for j in range(2):
        column = c.TAKEN_ENDS + j * END_COLUMNS
        taken[k, column] = NOBODY
        if j < count:
            size_of_end(buffers, j)
            of_mechanism = mechanism_of(buffers.rigid_block, int(term[j, BODY])) >= 0
            width, start = width_of(buffers, int(term[j, BODY])), SCALED if of_mechanism else GRADIENT
            taken[k, column] = term[j, BODY]
            for a in range(BOUND_DENSE):
                taken[k, column + 1 + a] = term[j, start + a] if a < width else 0.0
    return True


@kernel
def between_ends(taken, r, s):
    """Σ ĝ_r·ĝ_s over the bodies that both rows touch."""
    total = 0.0
    for i in range(2):
        first = c.TAKEN_ENDS + i * END_COLUMNS
        for j in range(2):
            second = c.TAKEN_ENDS + j * END_COLUMNS
            if taken[r, first] == taken[s, second] and taken[r, first] != NOBODY:
                for a in range(1, END_COLUMNS):
                    total += taken[r, first + a] * taken[s, second + a]
    return total
