"""Which pairs may be done beside each other: whether there are enough for a team, in which colours, where their dampers go.

All of it follows from the list of pairs alone, so that it is the same for any number of members; see `shared`.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.dampers import OF_SIDES, has_rows
from robotphi.kernels.contact.sides import is_soft


@kernel
def plan_pairs(arrays, touch, members, apart):
    """Whether the pairs are shared, in which colours, and where the rows of their dampers go: anew with their list."""
    sizes, parts = touch.sizes, arrays.contact.parts
    if sizes[c.PLANNED] == 0:
        sizes[c.PLANNED], sizes[c.COLOURS], work = 1, 1, 0
        for k in range(sizes[c.PAIR_COUNT]):
            work += members.weight[touch.pairs[k, c.CASE]]
            a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
            touch.span[k, c.WITH_SOFT] = 1 if is_soft(parts, a) or is_soft(parts, b) else 0
        sizes[c.WORTH_IT] = 1 if work >= members.worth[0] else 0
        if sizes[c.WORTH_IT] == 1:
            sizes[c.ROWS_FIT] = 1 if reserve_rows(arrays, touch) else 0
            if members.coloured[0] == 1:
                colour_pairs(parts, touch, members)
    sizes[c.SHARED] = 1 if sizes[c.WORTH_IT] == 1 and (apart == 0 or sizes[c.ROWS_FIT] == 1) else 0


@kernel
def reserve_rows(arrays, touch):
    """The first row and end of the dampers of each pair, as many as it may have; whether there is room for all."""
    parts, rows, ends = arrays.contact.parts, 0, 0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        touch.span[k, c.FIRST_ROW], touch.span[k, c.FIRST_END] = rows, ends
        a, b, case = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND], touch.pairs[k, c.CASE]
        if not has_rows(parts, a, b, case):
            continue
        if case == kinds.BALL_SOFT:
            rows, ends = rows + 3, ends + 9 * (parts.facet_start[b + 1] - parts.facet_start[b]) + 3
        elif case == kinds.ROUND_FIELD:
            rows, ends = rows + OF_SIDES, ends + OF_SIDES
        elif touch.span[k, c.WITH_SOFT] == 1:
            soft = a if is_soft(parts, a) else b
            count = parts.vertex_start[soft + 1] - parts.vertex_start[soft]
            rows, ends = rows + 3 * count, ends + 6 * count
        else:
            rows, ends = rows + 6, ends + 12
    return rows <= touch.row.shape[0] // 2 and ends <= touch.row_body.shape[0] // 2


@kernel
def thing_of(touch, parts, k, side):
    """Number of what pair k writes to beside its row: a soft thing, a round one on a field (one set of slots); or −1."""
    part = touch.pairs[k, side]
    if is_soft(parts, part):
        return parts.owner[part]
    case = touch.pairs[k, c.CASE]
    if side == c.FIRST and (case == kinds.BALL_FIELD or case == kinds.ROUND_FIELD):
        return len(parts.kind) + part
    return -1


@kernel
def colour_pairs(parts, touch, members):
    """The pairs in the order of their colours: the lowest that neither of the things it writes to has yet.

    What is left when all are taken comes last, one pair after the other.
    """
    count = touch.sizes[c.PAIR_COUNT]
    for thing in range(len(members.taken)):
        members.taken[thing] = 0
    for colour in range(c.MOST_COLOURS + 1):
        touch.colour[colour] = 0
    for k in range(count):
        first, second = thing_of(touch, parts, k, c.FIRST), thing_of(touch, parts, k, c.SECOND)
        taken, found = 0, 0
        if first >= 0:
            taken |= members.taken[first]
        if second >= 0:
            taken |= members.taken[second]
        if first >= 0 or second >= 0:
            while found < c.MOST_COLOURS - 1 and taken >> found & 1 == 1:
                found += 1
        if first >= 0:
            members.taken[first] |= 1 << found
        if second >= 0:
            members.taken[second] |= 1 << found
        touch.span[k, c.COLOUR] = found
        touch.colour[found + 1] += 1
    for colour in range(c.MOST_COLOURS):
        touch.colour[colour + 1] += touch.colour[colour]
    for k in range(count):
        colour = touch.span[k, c.COLOUR]
        touch.order[touch.colour[colour]] = k
        touch.colour[colour] += 1
    for colour in range(c.MOST_COLOURS, 0, -1):
        touch.colour[colour] = touch.colour[colour - 1]
    touch.colour[0] = 0
    touch.sizes[c.COLOURS] = c.MOST_COLOURS
