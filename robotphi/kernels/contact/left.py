"""What pairs that are shared leave: from the scratch of a member to a row of the pair, and from the rows of all, in the order
of the pairs, to what everybody sees; see `shared`.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.sides import is_soft
from robotphi.kernels.maths.vectors import add_to, cross, get3, minus, plus, read, set3
from robotphi.kernels.step.rigids import CENTRE


@inlined
def has_left(totals):
    """Whether a pair of what is not soft has left anything: no push without one of these."""
    return (totals[c.TOTAL_NORMAL] != 0.0 or totals[c.TOTAL_ENERGY] != 0.0 or totals[c.TOTAL_LOSS] != 0.0
            or totals[c.TOTAL_STRETCH] != 0.0 or totals[c.TOTAL_SLIP] != 0.0 or totals[c.TOTAL_RATE] != 0.0)


@kernel
def take_wrench(mine, members, part, i):
    """Force on rigid i and moment about its centre of what a pair put on a part of it, which then is nought again."""
    load, own, x, centre = mine.touch.load, mine.force, mine.x, get3(mine.rigid, i, CENTRE)
    f, moment = get3(load, i, 0), get3(load, i, 3)
    for axis in range(6):
        load[i, axis] = 0.0
    for j in range(members.row_start[part], members.row_start[part + 1]):
        row = members.row[j]
        push = read(own, row)
        if push[0] != 0.0 or push[1] != 0.0 or push[2] != 0.0:
            set3(own, row, 0, (0.0, 0.0, 0.0))
            f, moment = plus(f, push), plus(moment, cross(minus(read(x, row), centre), push))
    return f, moment


@kernel
def hand_over(mine, touch, members, force, k):
    """What pair k left, to the loads, the forces on balls and the totals at once; the same sums as by its row."""
    parts, own = mine.arrays.contact.parts, mine.touch.totals
    for side in range(2):
        part = touch.pairs[k, c.FIRST if side == 0 else c.SECOND]
        i = parts.rigid[part]
        if i >= 0:
            f, moment = take_wrench(mine, members, part, i)
            for axis in range(3):
                touch.load[i, axis] += f[axis]
                touch.load[i, 3 + axis] += moment[axis]
        elif parts.kind[part] == kinds.SPHERE:
            row = parts.vertex[parts.vertex_start[part]]
            add_to(force, row, read(mine.force, row), 1.0)
            set3(mine.force, row, 0, (0.0, 0.0, 0.0))
    for i in range(c.SUMMED_TOTALS):
        touch.totals[i] += own[i]
    for i in range(c.SUMMED_TOTALS, c.PAIR_TOTALS):
        touch.totals[i] = max(touch.totals[i], own[i])
    for i in range(c.PAIR_TOTALS):
        own[i] = 0.0


@kernel
def leave_pair(mine, members, force, k):
    """What pair k left on the forces, loads and totals of a member, to its row of `pushed`."""
    touch, totals = mine.touch, mine.touch.totals
    leave_side(mine, members, force, k, touch.pairs[k, c.FIRST], 0)
    leave_side(mine, members, force, k, touch.pairs[k, c.SECOND], 6)
    for i in range(c.PAIR_TOTALS):
        touch.pushed[k, c.PUSHED_TOTALS + i] = totals[i]
        totals[i] = 0.0


@kernel
def leave_side(mine, members, force, k, part, column):
    """What a pair put on a part into row k, on free particles of a soft part where it belongs."""
    parts, pushed, own = mine.arrays.contact.parts, mine.touch.pushed, mine.force
    i = parts.rigid[part]
    if i >= 0:
        f, moment = take_wrench(mine, members, part, i)
        set3(pushed, k, column, f)
        set3(pushed, k, column + 3, moment)
    elif is_soft(parts, part):
        for j in range(members.row_start[part], members.row_start[part + 1]):
            row = members.row[j]
            for axis in range(3):
                force[row, axis] += own[row, axis]
                own[row, axis] = 0.0
    elif parts.kind[part] == kinds.SPHERE:
        row = parts.vertex[parts.vertex_start[part]]
        set3(pushed, k, column, read(own, row))
        set3(own, row, 0, (0.0, 0.0, 0.0))


# After: in the order of the pairs -----------------------------------------------------------------------------------------

@kernel
def add_up(arrays, touch, force):
    """The rows of all pairs, in their order."""
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.LEFT] == 1:
            add_up_pair(touch, arrays.contact.parts, force, k)


@kernel
def add_up_pair(touch, parts, force, k):
    """What pair k left, to the loads, the forces on balls and the totals."""
    pushed, totals = touch.pushed, touch.totals
    for side in range(2):
        part, column = touch.pairs[k, c.FIRST if side == 0 else c.SECOND], 6 * side
        i = parts.rigid[part]
        if i >= 0:
            for axis in range(6):
                touch.load[i, axis] += pushed[k, column + axis]
        elif parts.kind[part] == kinds.SPHERE:
            for axis in range(3):
                force[parts.vertex[parts.vertex_start[part]], axis] += pushed[k, column + axis]
    for i in range(c.SUMMED_TOTALS):
        totals[i] += pushed[k, c.PUSHED_TOTALS + i]
    for i in range(c.SUMMED_TOTALS, c.PAIR_TOTALS):
        totals[i] = max(totals[i], pushed[k, c.PUSHED_TOTALS + i])


@kernel
def close_ranks(touch):
    """The rows of dampers, each pair's where it was reserved, one behind the other."""
    half = 1 - touch.row_counts[c.ROW_HALF]
    first, begin = half * (touch.row.shape[0] // 2), half * (touch.row_body.shape[0] // 2)
    rows, ends = 0, 0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        count, end_count = touch.span[k, c.ROWS], touch.span[k, c.ENDS]
        from_row, from_end = touch.span[k, c.FIRST_ROW], touch.span[k, c.FIRST_END]
        if count > 0 and (from_row > rows or from_end > ends):   # what is fixed is no end: pairs may leave room there alone
            for r in range(count):
                for column in range(c.DAMPER_COLUMNS):
                    touch.row[first + rows + r, column] = touch.row[first + from_row + r, column]
                touch.row[first + rows + r, c.DAMPER_BEGIN] -= from_end - ends
                touch.row[first + rows + r, c.DAMPER_END] -= from_end - ends
            for e in range(end_count):
                touch.row_body[begin + ends + e] = touch.row_body[begin + from_end + e]
                for column in range(6):
                    touch.row_way[begin + ends + e, column] = touch.row_way[begin + from_end + e, column]
        rows, ends = rows + count, ends + end_count
    touch.row_counts[c.ROW_COUNT + half], touch.row_counts[c.ROW_ENDS + half] = rows, ends
