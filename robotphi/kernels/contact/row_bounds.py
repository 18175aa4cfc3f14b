"""The bound of the damping rate of the dampers of contact that are rows (`dampers`).

Of few rows, all of balls on stiff objects, with what they are to each other:
C = Σ c g gᵀ has the largest eigenvalue of the matrix √(c_r c_s) G_rs with
G_rs = g_r·M⁻¹ g_s, taken from above by its rows, Σ_s √(c_r c_s) |G_rs| or Σ_s c_s |G_rs|: what stands across each other adds
nothing. A body that joints hold has M⁻¹ from `mechanism/bounds.ease_rigids`, a stiff object the answer that is known of it as a
whole (`on_stiff`), or sizes alone where there is none.
Of all others by sizes: max over the bodies of Σ c |ĝ| Σ |ĝ|, by Cauchy, see `step/stability`. Of few rows whose bound was taken
where pairs were entered (`row_faces`) it is that, by as much as any coefficient, or this bound by sizes, has grown since.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.hold.mobility import turned_inverse
from robotphi.kernels.maths.matrices import applied, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, read, scaled, set3
from robotphi.kernels.step.rigids import CENTRE, HELD

ANSWER = 6        # column of `row_way` from which on M⁻¹ g of an end stands
NOTHING = (0.0, 0.0, 0.0)


@inlined
def turn_square(now, i, turn):
    """N·J⁻¹ N of rigid i."""
    if now.arrays.rigids.rotation[i] == HELD:
        return 0.0
    return max(dot(turn, turned_inverse(now.arrays.rigids, now.rigid, i, turn)), 0.0)


@kernel
def end_size(now, e, carrier):
    """|g| over the root of the inertia of the body at an end, a free particle or a rigid."""
    touch, rigids, body = now.touch, now.arrays.rigids, now.touch.row_body[e]
    way, turn = get3(touch.row_way, e, 0), get3(touch.row_way, e, 3)
    i = -1 - body if body < 0 else carrier[body]
    if i < 0:
        stiff, ease = now.arrays.stiff, now.arrays.particles.inverse_mass[body]
        if len(stiff.way) > 0 and stiff.object[body] >= 0:
            ease = stiff.local[stiff.place[body]]
        return math.sqrt(dot(way, way) * ease)
    if body >= 0:
        turn = cross(minus(read(now.x, body), get3(now.rigid, i, CENTRE)), way)
    w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2]))
    return math.sqrt(touch.ease[i] * (w * dot(way, way) + turn_square(now, i, turn)))


@inlined
def place_of_body(now, e, carrier):
    """Where the body of an end has its sum; a stiff object is one body, with its rigid."""
    body, stiff, rows = now.touch.row_body[e], now.arrays.stiff, now.x.shape[0]
    i = -1 - body if body < 0 else carrier[body]
    if len(stiff.way) > 0:
        o = stiff.of_rigid[i] if i >= 0 else stiff.object[body]
        if o >= 0:
            return rows + len(stiff.of_rigid) + o
    return body if i < 0 else rows + i


@kernel
def size_row(now, r, carrier):
    """|ĝ| of each end of row r; of a stiff object that is known as a whole all is on the first end."""
    touch, stiff = now.touch, now.arrays.stiff
    whole = touch.row[r, c.DAMPER_WHOLE]
    for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
        body = touch.row_body[e]
        if touch.row[r, c.DAMPER_WHOLE] > 0.0 and body >= 0 and stiff.object[body] >= 0 and carrier[body] < 0:
            touch.row_size[e], whole = whole, 0.0
        else:
            touch.row_size[e] = end_size(now, e, carrier)


@kernel
def rows_ahead(touch):
    """The rows of the end of the attempt: first, one behind the last."""
    half = 1 - touch.row_counts[c.ROW_HALF]
    first = half * (touch.row.shape[0] // 2)
    return first, first + touch.row_counts[c.ROW_COUNT + half]


@inlined
def rigid_of(body, carrier):
    """The rigid that an end is, or belongs to; −1 of free particles."""
    return -1 - body if body < 0 else carrier[body]


@inlined
def object_of(now, body, carrier):
    """The stiff object that an end belongs to, by its rigid too, or −1."""
    stiff = now.arrays.stiff
    if len(stiff.way) == 0:
        return -1
    i = rigid_of(body, carrier)
    return stiff.of_rigid[i] if i >= 0 else stiff.object[body]


@kernel
def answer_row(now, r, carrier):
    """M⁻¹ g of the ends of row r; of a stiff object, of which a row has one at most, the size of all its ends."""
    touch, rigids, size, rest = now.touch, now.arrays.rigids, 0.0, -1
    known = touch.row[r, c.DAMPER_WHOLE]
    touch.row[r, c.DAMPER_OBJECT] = 0.0
    for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
        body, way, turn = touch.row_body[e], get3(touch.row_way, e, 0), get3(touch.row_way, e, 3)
        i, o = rigid_of(body, carrier), object_of(now, body, carrier)
        if o >= 0:
            touch.row[r, c.DAMPER_OBJECT] = o + 1
            if known == 0.0 or i >= 0:
                size += end_size(now, e, carrier)
                touch.row[r, c.DAMPER_PAIR] = 0.0   # no direction of all of it
            for column in range(ANSWER, ANSWER + 6):
                touch.row_way[e, column] = 0.0
            continue
        rest = e if rest < 0 else rest
        if i < 0:
            set3(touch.row_way, e, ANSWER, scaled(way, now.arrays.particles.inverse_mass[body]))
        else:
            if body >= 0:
                turn = cross(minus(read(now.x, body), get3(now.rigid, i, CENTRE)), way)
                set3(touch.row_way, e, 3, turn)
            w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2])) * touch.ease[i]
            set3(touch.row_way, e, ANSWER, scaled(way, w))
            turned = turned_inverse(rigids, now.rigid, i, turn) if rigids.rotation[i] != HELD else NOTHING
            set3(touch.row_way, e, ANSWER + 3, scaled(turned, touch.ease[i]))
    touch.row[r, c.DAMPER_WHOLE] = known + size
    touch.row[r, c.DAMPER_REST] = rest if rest >= 0 else touch.row[r, c.DAMPER_END]


@kernel
def between(now, r, s, carrier):
    """g_r·M⁻¹ g_s, and the most that it is beside where sizes alone are known."""
    touch, total, sizes = now.touch, 0.0, 0.0
    for e in range(int(touch.row[r, c.DAMPER_REST]), int(touch.row[r, c.DAMPER_END])):
        body = touch.row_body[e]
        i = rigid_of(body, carrier)
        for f in range(int(touch.row[s, c.DAMPER_REST]), int(touch.row[s, c.DAMPER_END])):   # M⁻¹ × it is 0 of the object
            other = touch.row_body[f]
            if other == body or (i >= 0 and rigid_of(other, carrier) == i):
                total += dot(get3(touch.row_way, e, 0), get3(touch.row_way, f, ANSWER))
                if i >= 0:
                    total += dot(get3(touch.row_way, e, 3), get3(touch.row_way, f, ANSWER + 3))
    if touch.row[r, c.DAMPER_OBJECT] > 0.0 and touch.row[r, c.DAMPER_OBJECT] == touch.row[s, c.DAMPER_OBJECT]:
        k = int(touch.row[r, c.DAMPER_PAIR])
        if k > 0 and k == int(touch.row[s, c.DAMPER_PAIR]):
            push = get3(touch.row, r, c.DAMPER_PUSHED)
            total += dot(push, applied(get9(touch.numbers, k - 1, c.GIVES), get3(touch.row, s, c.DAMPER_PUSHED)))
        else:
            sizes = touch.row[r, c.DAMPER_WHOLE] * touch.row[s, c.DAMPER_WHOLE]
    return total, sizes


@kernel
def bound_few(now, carrier, first, last):
    """Of few rows, set against each other."""
    row, most, scaled_most = now.touch.row, 0.0, 0.0
    for r in range(first, last):
        answer_row(now, r, carrier)
        row[r, c.DAMPER_BESIDE], row[r, c.DAMPER_SCALED] = 0.0, 0.0
    for r in range(first, last):
        for s in range(first, r + 1):
            known, beside = between(now, r, s, carrier)
            size, one, other = math.fabs(known) + beside, row[r, c.DAMPER], row[s, c.DAMPER]
            mean = math.sqrt(one * other) * size
            row[r, c.DAMPER_BESIDE] += mean
            row[r, c.DAMPER_SCALED] += other * size
            if s < r:
                row[s, c.DAMPER_BESIDE] += mean
                row[s, c.DAMPER_SCALED] += one * size
    for r in range(first, last):
        most, scaled_most = max(most, row[r, c.DAMPER_BESIDE]), max(scaled_most, row[r, c.DAMPER_SCALED])
    return min(most, scaled_most)


@kernel
def are_known(touch, first, last):
    """Whether all rows are of balls on stiff objects whose answers are known, and few."""
    if last - first > c.FEW:
        return False
    for r in range(first, last):
        if not touch.row[r, c.DAMPER_PAIR] > 0.0:
            return False
    return True


@kernel
def bound_rows(now, carrier, sized):
    """Bound of the damping rate of all rows; `sized`: whether `size_row` was done."""
    touch, half = now.touch, 1 - now.touch.row_counts[c.ROW_HALF]
    first, last = rows_ahead(touch)
    bound = (bound_few(now, carrier, first, last) if are_known(touch, first, last) else
             bound_many(now, carrier, sized, first, last))
    if last > first:
        touch.row_taken[c.FEW, c.TAKEN_SAYS + half] = bound
        bound = min(bound, bound_grown(touch, first, last, bound))
    touch.row_bound[half] = bound


@kernel
def bound_grown(touch, first, last, says):
    """The bound that was taken last times the most that any coefficient, or what sizes say, has grown; none where the rows are
    not those of then."""
    taken = touch.row_taken
    if taken[c.FEW, c.TAKEN_COUNT] != last - first:
        return math.inf
    most = says / taken[c.FEW, c.TAKEN_SAID]
    for k in range(last - first):
        row = touch.row[first + k]
        if (taken[k, c.TAKEN_FIRST] != touch.row_body[int(row[c.DAMPER_BEGIN])]
                or taken[k, c.TAKEN_LAST] != touch.row_body[int(row[c.DAMPER_END]) - 1]):
            return math.inf
        most = max(most, row[c.DAMPER] / taken[k, c.TAKEN_DAMPER])
    return most * taken[c.FEW, c.TAKEN_BOUND]


@kernel
def bound_many(now, carrier, sized, first, last):
    """Of many rows, by sizes."""
    touch, load = now.touch, now.touch.row_load
    half = 1 - touch.row_counts[c.ROW_HALF]
    begin = half * (touch.row_body.shape[0] // 2)
    for e in range(begin, begin + touch.row_counts[c.ROW_ENDS + half]):
        load[place_of_body(now, e, carrier)] = 0.0
    most = 0.0
    for r in range(first, last):
        if not sized:
            size_row(now, r, carrier)
        start, stop, total = int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END]), 0.0
        for e in range(start, stop):
            total += touch.row_size[e]
        for e in range(start, stop):
            place = place_of_body(now, e, carrier)
            load[place] += touch.row[r, c.DAMPER] * total * touch.row_size[e]
            most = max(most, load[place])
    return most
