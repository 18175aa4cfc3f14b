"""After the forces were evaluated at the present state: energies and rates of the start of the next step."""
import math

from robotphi.kernels.acts.table import keep_acts, potential_acts
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism import columns as jointed
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import (
    EXTRA,
    FIXED_ENTRIES,
    LOST_FROM,
    NEXT,
    NEXT_RATE,
    RATE,
    START,
    TOTAL,
    VALUE,
    WORK,
    WORK_ROW,
)
from robotphi.kernels.step.ledger import (
    ANGULAR,
    ARTICULAR,
    CONTACT,
    DIRECTION,
    KINETIC,
    LINEAR,
    PLASTIC,
    add_compensated,
    book_broken,
    book_jump,
    collect_power,
    column_sum,
    enter_contact,
    enter_joints,
    enter_springs,
    keep_flow_of,
    open_and_shut,
    raise_reference,
)
from robotphi.kernels.step.plan import touching_step
from robotphi.kernels.step.renewal import renew_stability
from robotphi.kernels.step.rigids import rigid_scale
from robotphi.kernels.step.scales import raise_scale
from robotphi.kernels.step.stability import know_weights
from robotphi.kernels.step.stiff_energy import enter_stiff


@kernel
def settle_refresh(arrays, buffers, now, joints):
    """Entries of the ledger, scales and bounds at the present state; after a jump of a drive, its work."""
    numbers, counters, books = buffers.numbers, buffers.counters, buffers.books
    starts = counters[at.STARTED] == 0
    jump = counters[at.EVENT_PASSED] == 1 and not starts
    enter_springs(buffers.group_sums, books)
    if len(arrays.stiff.way) > 0:
        enter_stiff(buffers)
    if jump:
        book_jump(arrays, buffers, 1.0)
        add_compensated(books[PLASTIC], TOTAL, books[PLASTIC, EXTRA])
    books[PLASTIC, EXTRA] = 0.0
    if counters[at.HAS_LAWS] == 1:
        book_broken(arrays, buffers, jump)
    armature = enter_joints(buffers.links.sums, books)
    kinetic = collect_power(arrays, buffers, now, now, numbers[at.TIME], numbers[at.INSIDE])
    if counters[at.HAS_CONTACT] == 1:
        enter_contact(buffers.touch.totals, books)
        if not starts:  # nothing has moved: a change of energy is one of direction
            add_compensated(books[DIRECTION], TOTAL, books[CONTACT, TOTAL] - books[CONTACT, NEXT])
    settle_entries(books, buffers.book_kind, numbers, starts, jump)
    know_weights(arrays, buffers)
    if starts:
        books[KINETIC, TOTAL] = (column_sum(buffers.block_sums, at.PART_KINETIC)
                                 + column_sum(buffers.rigid_sums, at.PART_KINETIC) + armature + kinetic)
        if counters[at.HAS_CONTACT] == 0:
            renew_stability(arrays, buffers, now)
        else:  # the scale of the start is what forces do in a quarter of a period, also of contact
            numbers[at.STABLE] = touching_step(numbers, counters, buffers.touch.totals)
        start_step(numbers, counters)
    elif jump:
        books[KINETIC, TOTAL] += kinetic
    if jump or starts:
        square = column_sum(buffers.block_sums, at.PART_SCALE)
        if len(arrays.rigids.mass) > 0:
            square += (rigid_scale(arrays.rigids, arrays.mechanisms.link_of_rigid, now.load)
                       + column_sum(buffers.links.sums, jointed.OF_SCALE))
        raise_scale(arrays.breakpoints, arrays.drives, numbers, square)
    if counters[at.COUNT_POTENTIAL] == 1 and starts:
        numbers[at.POTENTIAL] = potential_acts(arrays.acts, arrays.drives, buffers, now, numbers[at.TIME], numbers[at.INSIDE])
    raise_reference(books, buffers.book_kind, numbers)
    keep_acts(buffers)
    counters[at.STARTED] = 1
    counters[at.EVENT_PASSED] = 0
    counters[at.FRESH] = at.EXACT
    if starts:
        open_and_shut(arrays, buffers, now, joints)
    if not math.isfinite(books[LINEAR, TOTAL] + books[ANGULAR, TOTAL] + books[ARTICULAR, TOTAL] + books[KINETIC, TOTAL]):
        counters[at.STATUS] = at.NOT_FINITE


@kernel
def settle_entries(books, kinds, numbers, starts, jump):
    """Values and rates of now; of a jump the work that came without a rate."""
    for k in range(LOST_FROM, FIXED_ENTRIES):
        books[k, RATE] = books[k, NEXT_RATE]
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == VALUE:
            if jump:  # nothing has moved: what is stored was changed by the drives of the act
                books[k + WORK_ROW, EXTRA] += books[k, NEXT] - books[k, TOTAL]
            continue
        books[k, RATE] = books[k, NEXT_RATE]
        if kinds[k] == WORK:
            if jump:
                keep_flow_of(books, k, 0.0)
            books[k, EXTRA] = 0.0
    for k in range(books.shape[0]):
        if kinds[k] == VALUE and k != KINETIC:
            books[k, TOTAL] = books[k, NEXT]
            if starts:
                books[k, START] = books[k, NEXT]


@kernel
def start_step(numbers, counters):
    """First proposal: a tenth of the stable step; the rule does the rest."""
    if counters[at.CONTROL] != at.FIXED and not numbers[at.TAU] > 0.0:
        first = min(0.1 * numbers[at.STABLE], min(numbers[at.DT_MAX], numbers[at.DURATION]))
        numbers[at.TAU] = max(first, numbers[at.DT_MIN])
        counters[at.LIMIT] = at.BY_BUDGET
