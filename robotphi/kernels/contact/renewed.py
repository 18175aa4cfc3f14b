"""What `accepted` does once an accepted step, shared over the members of a team: pair by pair, part by part, vertex by
vertex.

Each writes what is its own; what they find together, how soon one could leave its box or pass through another, is compared
in the order of parts and pairs. Bounds of frequencies, the list of pairs, and speeds on soft parts, which take scratch, are
one member's.
"""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.accepted import (
    FIRM,
    LIMP,
    RESOLUTION,
    keep_trials,
    leave_soonest,
    renew_contacts,
    renew_pairs,
    slide_pairs,
)
from robotphi.kernels.contact.beside import plan_pairs
from robotphi.kernels.contact.bounds import touch_bounds
from robotphi.kernels.contact.find.pairs import find_near, measure_parts
from robotphi.kernels.contact.pair_terms import pair_cause
from robotphi.kernels.contact.shared import begin_own, own_touch, run_of_pairs
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.codes import APPROACH
from robotphi.kernels.step.damp_touch import exchange_rows

LEAVES, CHANGED, FIRST_FOUND = range(3)   # of `seen`: a part leaves its box, a direction changed, what is soonest


@kernel
def renew_together(arrays, buffers, x, v, force, rigid, load, member, team, generation):
    """After an accepted step: what friction did is kept, directions are asked for, the next step is bounded."""
    touch, members = buffers.touch, buffers.members
    if member == 0:
        exchange_rows(touch, buffers.numbers)
    if team == 1 or touch.sizes[c.SHARED] == 0:   # the same, one after the other
        if member == 0:
            renew_contacts(arrays, buffers, x, v, force, rigid, load)
        return generation
    working = min(team, members.load.shape[0])
    if member < working:
        keep_share(arrays, buffers, x, v, force, rigid, load, member, working)
    generation = meet(buffers.sync, team, generation)
    if member == 0:
        touch_bounds(arrays, buffers, refer(Instant(x, v, force, rigid, load)), 1)
        renew_list(arrays, buffers, working)
    generation = meet(buffers.sync, team, generation)
    if member < working:
        own = refer(own_touch(touch, members, member))
        begin_own(touch, own)
        look_share(arrays, buffers, own, x, v, rigid, member, working)
    generation = meet(buffers.sync, team, generation)
    if member == 0:
        compare_shares(arrays, buffers, x, v, rigid, working)
    return generation


@kernel
def keep_share(arrays, buffers, x, v, force, rigid, load, member, working):
    """A member's share of what is kept, and of the boxes and motions of parts."""
    touch, parts = buffers.touch, arrays.contact.parts
    keep_trials(parts, touch, buffers.numbers[at.STEP_TAU], member, working)
    leaves = measure_parts(arrays, touch, buffers.links, x, v, force, rigid, load, buffers.numbers[at.TAU], member, working)
    buffers.members.seen[member, LEAVES] = 1 if leaves else 0


@kernel
def renew_list(arrays, buffers, working):
    """The list of pairs, where one could leave its enlarged box; LACKING > 0 where there is no room for it."""
    touch, leaves = buffers.touch, False
    for m in range(working):
        leaves |= buffers.members.seen[m, LEAVES] == 1
    touch.sizes[c.LACKING] = 0
    if leaves:
        found = find_near(arrays, touch, buffers.numbers[at.TAU])
        if found > touch.found.shape[0]:
            touch.sizes[c.LACKING] = found
        plan_pairs(arrays, touch, buffers.members, 1 if buffers.counters[at.VISCOSITY] == at.APART else 0)


@kernel
def look_share(arrays, buffers, own, x, v, rigid, member, working):
    """A member's share of directions, of how soon parts could leave or meet, and of speeds of sliding."""
    touch, parts, seen = buffers.touch, arrays.contact.parts, buffers.members.seen
    resolution, count, parts_count = RESOLUTION * buffers.numbers[at.EXTENT], touch.sizes[c.PAIR_COUNT], len(parts.kind)
    own.sizes[c.ASKS], own.sizes[c.ASKED] = 0, 0
    changed = 0
    soonest, first = leave_soonest(touch, member, parts_count, working)
    run = run_of_pairs(count, working)
    for start in range(run * member, count, run * working):
        stop = min(start + run, count)
        if touch.sizes[c.LACKING] == 0 and renew_pairs(arrays, own, x, v, rigid, start, stop, False):
            changed = 1
        found, k = slide_pairs(arrays, own, x, v, rigid, start, stop, resolution, FIRM)
        if found < soonest:
            soonest, first = found, parts_count + k
    seen[member, CHANGED], seen[member, FIRST_FOUND], buffers.members.soonest[member, 0] = changed, first, soonest


@kernel
def compare_shares(arrays, buffers, x, v, rigid, working):
    """What the members found, as one that goes through all of it would have."""
    touch, members, parts = buffers.touch, buffers.members, arrays.contact.parts
    soonest, first, parts_count = math.inf, -1, len(parts.kind)
    for m in range(working):
        found, place = members.soonest[m, 0], members.seen[m, FIRST_FOUND]
        if found < soonest or (found == soonest and place < first):
            soonest, first = found, place
        if members.seen[m, CHANGED] == 1:
            buffers.counters[at.FRESH] = at.STALE
        touch.sizes[c.ASKS] += members.sizes[m, c.ASKS]
        touch.sizes[c.ASKED] += members.sizes[m, c.ASKED]
    if first >= 0:
        a = first if first < parts_count else touch.pairs[first - parts_count, c.FIRST]
        b = first if first < parts_count else touch.pairs[first - parts_count, c.SECOND]
        buffers.counters[at.APPROACH_CAUSE] = pair_cause(parts, APPROACH, a, b)
    if members.coloured[0] == 1:
        slide_pairs(arrays, touch, x, v, rigid, 0, touch.sizes[c.PAIR_COUNT], RESOLUTION * buffers.numbers[at.EXTENT], LIMP)
    buffers.numbers[at.CONTACT_STEP] = soonest
    buffers.numbers[at.TOUCH_STIFFEST] = touch.totals[c.TOTAL_STIFFEST]
