"""The energy ledger of a step: what changed, what was lost, what was put in, and what nobody can explain.

    residual = ΔK + ΔU + ΔC + ΔB + ΔG + D + P + H + R + M − W
with C the energy stored in contacts, H and R what contact and friction take (rates by the trapezoid, slip by mean force × way),
B the energy of the liquid displaced, M what the drag of the medium takes (the work of the wind is part of W),
D = ½ τ (d + d⁺) of the dissipation rate d = Σ μ L̇², P the plastic loss, W = ½ τ (p + p⁺) of the power of drives and virtual
forces plus what a drive gives the inertia of its own axis; acts have each their own ΔU, D and W. No entry is made by
difference, so that whatever the scheme gets wrong shows as residual. The entries and their columns are in `entries`.
"""
import math

from robotphi.kernels.acts.driven import driven_count, settle_driven
from robotphi.kernels.acts.table import power_acts, turn_acts
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.mechanism import columns as jointed
from robotphi.kernels.springs.table import ACCUMULATED, BREAKS, BROKEN, FLOW, LOSS, POWER
from robotphi.kernels.springs.table import ENERGY as SPRING_ENERGY
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import (
    CHANGE_FROM,
    CHANGE_TO,
    EXTRA,
    FIXED_ENTRIES,
    LOST,
    LOST_FROM,
    NEXT,
    NEXT_RATE,
    RATE,
    START,
    TOTAL,
    VALUE,
    WORK,
    WORK_FROM,
    places,
)

KINETIC, LINEAR, ANGULAR, ARTICULAR = places("kinetic", "elastic_linear", "elastic_angular", "elastic_articular")
JOINT, JOINT_LOSS = places("elastic_joint", "joint_dissipation")
GRAVITY, CONTACT, SPRING_LOSS, PLASTIC = places("gravity", "contact", "spring_dissipation", "plastic_flow")
(BREAKING,) = places("breaking")
CONTACT_LOSS, FRICTION, DIRECTION = places("contact_dissipation", "friction", "contact_direction")


@inlined
def add_compensated(values, where, amount):
    """values[where] += amount, the rounding kept in values[where + 1] (Neumaier)."""
    old = values[where]
    new = old + amount
    if abs(old) >= abs(amount):
        values[where + 1] += (old - new) + amount
    else:
        values[where + 1] += (amount - new) + old
    values[where] = new


@inlined
def column_sum(parts, column):
    """Sum over rows, in their order."""
    total = 0.0
    for i in range(parts.shape[0]):
        total += parts[i, column]
    return total


@kernel
def enter_springs(sums, books):
    """Elastic energies by kind, dissipation rate and plastic loss over all groups."""
    books[LINEAR, NEXT] = column_sum(sums, at.SUM_LINEAR)
    books[ANGULAR, NEXT] = column_sum(sums, at.SUM_ANGULAR)
    books[ARTICULAR, NEXT] = column_sum(sums, at.SUM_ARTICULAR)
    books[SPRING_LOSS, NEXT_RATE] = column_sum(sums, at.SUM_LOSS)
    books[PLASTIC, EXTRA] = column_sum(sums, at.SUM_PLASTIC)


@kernel
def enter_joints(sums, books):
    """Energy of the springs of joints, what viscosity takes there; returns the kinetic energy of what turns with them alone."""
    books[JOINT, NEXT] = column_sum(sums, jointed.STORED)
    books[JOINT_LOSS, NEXT_RATE] = column_sum(sums, jointed.LOSS)
    return column_sum(sums, jointed.OF_ARMATURE)


@kernel
def enter_contact(totals, books):
    """Energy stored in contacts, what is lost in them, and rubbed away at a rate and by slip."""
    books[CONTACT, NEXT] = totals[touched.TOTAL_ENERGY] + totals[touched.TOTAL_STRETCH]
    books[CONTACT_LOSS, NEXT_RATE] = totals[touched.TOTAL_LOSS]
    books[FRICTION, NEXT_RATE] = totals[touched.TOTAL_RATE]
    books[FRICTION, EXTRA] += totals[touched.TOTAL_SLIP]  # dampers apart have left theirs


@kernel
def begin_acts(buffers):
    """Nothing stored, lost or pushed by acts yet."""
    books, kinds, load = buffers.books, buffers.book_kind, buffers.act_load
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == VALUE:
            books[k, NEXT] = 0.0
            for column in range(6):
                buffers.act_push[k, column] = 0.0
        elif kinds[k] == LOST:
            books[k, NEXT_RATE] = 0.0
    for i in range(load.shape[0]):
        for axis in range(6):
            load[i, axis] = 0.0


@kernel
def collect_power(arrays, buffers, before, ahead, time, inside):
    """Power of every drive and act into the next rates; returns the correction of the kinetic energy."""
    books, kinds = buffers.books, buffers.book_kind
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == WORK:
            books[k, NEXT_RATE] = 0.0
    add_spring_power(arrays.linear_law.drive, buffers.linear_law, buffers.book_of_drive, books)
    add_spring_power(arrays.angular_law.drive, buffers.angular_law, buffers.book_of_drive, books)
    add_spring_power(arrays.articular.drive, buffers.articular, buffers.book_of_drive, books)
    change = 0.0
    if driven_count(arrays.motions) > 0:
        change += settle_driven(arrays, buffers, before, ahead, time, inside)
    if len(arrays.acts.forces.kind) > 0 or buffers.counters[at.HAS_ACTS] == 1:
        power_acts(arrays.acts, arrays.drives, buffers, ahead, time, inside)
    return change


@kernel
def add_spring_power(drive, state, book_of_drive, books):
    """Power that drives put into springs by moving their rest value."""
    for i in range(len(drive)):
        if drive[i] >= 0:
            books[book_of_drive[drive[i]], NEXT_RATE] += state[i, POWER]


# The balance of an attempt --------------------------------------------------------------------------------------------

@inlined
def flow(books, k, dt):
    """What an entry of a rate comes to in a step: ½ τ (rate + rate⁺) and what comes without a rate."""
    return 0.5 * dt * (books[k, RATE] + books[k, NEXT_RATE]) + books[k, EXTRA]


@kernel
def stored_energies(books, kinds):
    """Change of all stored energies in the attempt, and Σ |energy| at its end, of those known by their changes |change|."""
    change, size = books[KINETIC, NEXT] - books[KINETIC, TOTAL], books[KINETIC, NEXT]
    for k in range(1, CHANGE_FROM):
        change += books[k, NEXT] - books[k, TOTAL]
        size += abs(books[k, NEXT])
    for k in range(CHANGE_FROM, CHANGE_TO):
        change += books[k, NEXT]
        size += abs(books[k, NEXT])
    for k in range(CHANGE_TO, LOST_FROM):
        change += books[k, NEXT] - books[k, TOTAL]
        size += abs(books[k, NEXT])
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == VALUE:
            change += books[k, NEXT] - books[k, TOTAL]
            size += abs(books[k, NEXT])
    return change, size


@kernel
def unexplained(books, kinds, change, dt):
    """Residual of the attempt, and Σ |work|: the change of energy, with what was lost, without the work that was done."""
    for k in range(LOST_FROM, WORK_FROM):
        change += flow(books, k, dt)
    work, size = 0.0, 0.0
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == LOST:
            change += flow(books, k, dt)
        elif kinds[k] == WORK:
            amount = flow(books, k, dt)
            work += amount
            size += abs(amount)
    change -= work
    for k in range(WORK_FROM, FIXED_ENTRIES):
        amount = flow(books, k, dt)
        change -= amount
        size += abs(amount)
    return change, size


@kernel
def stored_change(books, kinds, column):
    """Σ |change since the start| of stored energies but the kinetic one, now (TOTAL) or at the end of the attempt (NEXT)."""
    total = 0.0
    for k in range(1, CHANGE_FROM):
        total += abs(books[k, column] - books[k, START])
    for k in range(CHANGE_TO, LOST_FROM):
        total += abs(books[k, column] - books[k, START])
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == VALUE:
            total += abs(books[k, column] - books[k, START])
    for k in range(CHANGE_FROM, CHANGE_TO):
        total += abs(books[k, TOTAL] + books[k, NEXT] if column == NEXT else books[k, TOTAL])
    return total


@kernel
def net_work(books, kinds, dt):
    """Σ |work since the start| over all that does work, with the attempt of length dt; with dt = 0 until now.

    What comes and goes, such as the work of an end that is led in a circle against a constant pull, changes nothing for good.
    """
    total = 0.0
    for k in range(WORK_FROM, books.shape[0]):
        if kinds[k] == WORK:
            total += abs(books[k, TOTAL] + flow(books, k, dt))
    return total


# What stands ----------------------------------------------------------------------------------------------------------

@kernel
def keep_attempt(books, kinds, dt):
    """Book an accepted step; what it ends at is where the next one starts."""
    for k in range(LOST_FROM):
        if CHANGE_FROM <= k < CHANGE_TO:
            add_compensated(books[k], TOTAL, books[k, NEXT])
        else:
            books[k, TOTAL] = books[k, NEXT]
    for k in range(LOST_FROM, FIXED_ENTRIES):
        keep_flow_of(books, k, dt)
    for k in range(FIXED_ENTRIES, books.shape[0]):
        if kinds[k] == VALUE:
            books[k, TOTAL] = books[k, NEXT]
        else:
            keep_flow_of(books, k, dt)


@inlined
def keep_flow_of(books, k, dt):
    amount = flow(books, k, dt)
    if amount != 0.0:
        add_compensated(books[k], TOTAL, amount)
    books[k, RATE] = books[k, NEXT_RATE]
    books[k, EXTRA] = 0.0


@kernel
def forget_attempt(books):
    """A refused attempt leaves nothing."""
    for k in range(LOST_FROM, books.shape[0]):
        books[k, EXTRA] = 0.0


@kernel
def book_jump(arrays, buffers, sign):
    """Energy of driven springs, with a sign: before and after a jump of their drives, it is the work of the jump.

    At rest the path of the jump is known, and the energy is the exact integral of the force along it.
    """
    for drive, state in ((arrays.linear_law.drive, buffers.linear_law), (arrays.angular_law.drive, buffers.angular_law),
                         (arrays.articular.drive, buffers.articular)):
        for i in range(len(drive)):
            if drive[i] >= 0:
                gained = state[i, SPRING_ENERGY]
                if sign > 0.0:
                    gained += state[i, LOSS]
                buffers.books[buffers.book_of_drive[drive[i]], EXTRA] += sign * gained


@kernel
def open_and_shut(arrays, buffers, now, joints):
    """Turn the gates of acts by what holds now; where one turns, that is a jump."""
    counters = buffers.counters
    if buffers.act_state.shape[0] == 0:
        return
    if turn_acts(arrays.acts, arrays.contact.parts.owner, buffers, now, joints):
        buffers.numbers[at.TURNED] = buffers.numbers[at.TIME]
        if counters[at.EVENT_PASSED] == 0:
            book_jump(arrays, buffers, -1.0)
        counters[at.EVENT_PASSED] = 1
        counters[at.FRESH] = at.STALE


@kernel
def book_broken(arrays, buffers, jump):
    """What springs stored that broke is lost; of a driven one it is no work of a jump of its drive."""
    springs, state, books = arrays.linear_law, buffers.linear_law, buffers.books
    for i in range(len(springs.first)):
        if state[i, ACCUMULATED] == BREAKS:
            state[i, ACCUMULATED] = BROKEN
            add_compensated(books[BREAKING], TOTAL, state[i, FLOW])
            if jump and springs.drive[i] >= 0:
                books[buffers.book_of_drive[springs.drive[i]], EXTRA] += state[i, FLOW]


@kernel
def raise_reference(books, kinds, numbers):
    """E_ref: the largest so far of kinetic + |stored changes| + |net work|, entry by entry."""
    now = books[KINETIC, TOTAL] + net_work(books, kinds, 0.0) + stored_change(books, kinds, TOTAL)
    if math.isfinite(now):
        numbers[at.REFERENCE] = max(numbers[at.REFERENCE], now)
