"""Pairs shared out over the members of a team, where they are many.

A member works with scratch of its own and puts what a pair pushes with on forces and loads of its own, which are nought
before and after. From there it goes into the row of the pair (`left`): the wrench on the rigid, or the force on the ball, of
either side, and what the pair adds to the totals; rows of dampers have a reserved place. One member then adds up these rows in
the order of the pairs. So every sum has one order, whoever did what, and a team of one has the same bits.

Vertices of soft parts have more than a wrench: their forces, slots and bounds are written where they belong. Pairs of one soft
thing therefore come one after the other: pairs are done in colours, of which each has one pair of a soft thing at most. The
colours follow from the list of pairs alone, and so does whether pairs are shared at all.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.compiling.team import lay_out, meet, take
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.beside import plan_pairs
from robotphi.kernels.contact.left import add_up, close_ranks, hand_over, has_left, leave_pair
from robotphi.kernels.contact.row_bounds import bound_rows, rows_ahead, size_row
from robotphi.kernels.contact.sides import ContactInstant, weigh_vertices
from robotphi.kernels.contact.touch import begin_forces, touch_pair
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Touch

MOST_AT_ONCE, TURNS = 8, 8   # pairs that a member takes at a time, and how often it takes some at least where they are few
IN_TURN, ALONE, BESIDE, BY_COLOUR = range(4)   # see `go_through`


@kernel
def add_contact_forces(arrays, buffers, x, v, force, rigid, dt, member, team, generation):
    """Contact forces on the particles, the load of contact on the rigids, and what it all adds up to, by all members.

    The others have to be waited for behind it.
    """
    touch, members, apart = buffers.touch, buffers.members, 1 if buffers.counters[at.VISCOSITY] == at.APART else 0
    may_share = members.load.shape[0] > 0
    if member == 0:
        begin_forces(touch, apart)
        if may_share:
            lay_out(buffers.sync)
            plan_pairs(arrays, touch, members, apart)
    if may_share:
        generation = meet(buffers.sync, team, generation)
        if touch.sizes[c.SHARED] == 1:
            generation = touch_shared(arrays, buffers, x, v, force, rigid, dt, member, team, generation)
    shared = may_share and touch.sizes[c.SHARED] == 1
    if member == 0:
        if shared:
            if team > 1 or touch.sizes[c.COLOURS] > 1:
                add_up(arrays, touch, force)
                if apart == 1:
                    close_ranks(touch)
        else:
            now = refer(ContactInstant(arrays, touch, x, v, force, rigid, dt))
            go_through(now, touch, members, force, 0, touch.sizes[c.PAIR_COUNT], 1, IN_TURN)
        weigh_vertices(arrays, touch)
    if apart == 1:
        now = refer(ContactInstant(arrays, touch, x, v, force, rigid, dt))
        if shared and team > 1:
            generation = meet(buffers.sync, team, generation)
            first, last = rows_ahead(touch)
            for r in range(first + (last - first) * member // team, first + (last - first) * (member + 1) // team):
                size_row(now, r, buffers.carrier)
            generation = meet(buffers.sync, team, generation)
        if member == 0:
            bound_rows(now, buffers.carrier, shared and team > 1)
    return generation


# Every member -------------------------------------------------------------------------------------------------------------

@kernel
def own_touch(touch, own, m):
    """What contact writes, with the scratch of member m in place of the scratch of all."""
    return Touch(
        touch.pairs, touch.numbers, touch.sums, touch.spare_pairs, touch.spare_numbers, touch.spare_sums, touch.found,
        touch.node, touch.slots, own.share[m], own.below[m], own.load[m], touch.hard, touch.particle_block, touch.box,
        touch.fat, touch.motion, touch.active, own.totals[m], own.sizes[m], touch.scratch_whole, touch.scratch_real,
        own.facet_index[m], own.facet_box[m], own.facet_corner[m], own.facet_most[m], touch.tree_box, touch.fresh,
        own.points[m], own.breaks[m], own.patch[m], touch.cut_facet, touch.cut, touch.cut_by, touch.stiff, touch.row,
        touch.row_body, touch.row_way, touch.row_size, own.row_counts[m], touch.row_bound, touch.row_taken, touch.row_load,
        touch.ease, touch.pushed, touch.span, touch.order, touch.colour, touch.local)


@kernel
def begin_own(touch, own):
    """What a member has to know of the sizes of the tables."""
    for i in range(c.ROW_SIZES):
        own.row_counts[i] = touch.row_counts[i]
    for i in range(c.SIZES):
        own.sizes[i] = touch.sizes[i]


@inlined
def run_of_pairs(count, working):
    """How many pairs a member takes at a time: what takes most often stands together in the list, as wheels on ground do."""
    return min(max(count // (TURNS * working), 1), MOST_AT_ONCE)


@kernel
def touch_shared(arrays, buffers, x, v, force, rigid, dt, member, team, generation):
    """The share of a member in all pairs: what they push with is left in their rows."""
    touch, members = buffers.touch, buffers.members
    working = min(team, members.load.shape[0])
    m = min(member, working - 1)
    own = refer(own_touch(touch, members, m))
    mine = refer(ContactInstant(arrays, own, x, v, members.force[m], rigid, dt))
    if member < working:
        begin_own(touch, own)
    count, colours = touch.sizes[c.PAIR_COUNT], touch.sizes[c.COLOURS]
    if team == 1 and colours == 1:   # one after the other: what a pair leaves is added up at once
        go_through(mine, touch, members, force, 0, count, 1, ALONE)
        for i in range(c.ROW_SIZES):
            touch.row_counts[i] = own.row_counts[i]
        return generation
    if colours == 1:
        run = run_of_pairs(count, working)
        start = run * take(buffers.sync) if member < working else count
        while start < count:
            go_through(mine, touch, members, force, start, min(start + run, count), 1, BESIDE)
            start = run * take(buffers.sync)
        return meet(buffers.sync, team, generation)
    for colour in range(colours):
        first, last = touch.colour[colour], touch.colour[colour + 1]
        if first == last:
            continue
        step = working if colour < colours - 1 else 1
        if member < step:
            go_through(mine, touch, members, force, first + member, last, step, BY_COLOUR)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def go_through(mine, touch, members, force, first, last, step, how):
    """Pairs, or places in the order of their colours, from first on; the only place that touches a pair, so that all of it is
    compiled into one loop.

    `mine` is what touches as a member sees it, `touch` as all do. IN_TURN: straight onto forces and loads. ALONE: what a pair
    leaves is added up at once. BESIDE others and BY_COLOUR: it stays in the row of the pair, its dampers in their place.
    """
    own, half = mine.touch, 1 - mine.touch.row_counts[c.ROW_HALF]
    for place in range(first, last, step):
        k = touch.order[place] if how == BY_COLOUR else place
        if how >= BESIDE:
            own.row_counts[c.ROW_COUNT + half] = touch.span[k, c.FIRST_ROW]
            own.row_counts[c.ROW_ENDS + half] = touch.span[k, c.FIRST_END]
        touch_pair(mine, k)
        if how >= BESIDE:
            touch.span[k, c.ROWS] = own.row_counts[c.ROW_COUNT + half] - touch.span[k, c.FIRST_ROW]
            touch.span[k, c.ENDS] = own.row_counts[c.ROW_ENDS + half] - touch.span[k, c.FIRST_END]
            touch.pairs[k, c.LEFT] = 1 if touch.span[k, c.WITH_SOFT] == 1 or has_left(own.totals) else 0
            if touch.pairs[k, c.LEFT] == 1:
                leave_pair(mine, members, force, k)
        elif how == ALONE and has_left(own.totals):
            hand_over(mine, touch, members, force, k)
