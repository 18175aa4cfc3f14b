"""What an attempt comes to: its entries of the ledger, the error of its path, and what both are judged by."""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.mechanism import columns as jointed
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import NEXT
from robotphi.kernels.step.ledger import (
    ANGULAR,
    ARTICULAR,
    GRAVITY,
    KINETIC,
    LINEAR,
    collect_power,
    column_sum,
    enter_contact,
    enter_joints,
    enter_springs,
    net_work,
    stored_change,
)
from robotphi.kernels.step.particles import force_scale
from robotphi.kernels.step.path import CLEARLY, STRETCH, watches_path
from robotphi.kernels.step.plan import touching_step
from robotphi.kernels.step.promise import allowed_residual
from robotphi.kernels.step.rigids import rigid_scale
from robotphi.kernels.step.scales import at_rest, cancelled_energy, present_scale, raise_scale, rounding_noise
from robotphi.kernels.step.stiff_energy import enter_stiff


@kernel
def enter_attempt(arrays, buffers, now, ahead):
    """Everything that the entries of the ledger come to at the end of the attempt."""
    numbers, books = buffers.numbers, buffers.books
    enter_springs(buffers.group_sums, books)
    kinetic = column_sum(buffers.block_sums, at.PART_KINETIC) + column_sum(buffers.rigid_sums, at.PART_KINETIC)
    books[GRAVITY, NEXT] = (column_sum(buffers.block_sums, at.PART_POTENTIAL) + column_sum(buffers.group_sums, at.SUM_POTENTIAL)
                            + column_sum(buffers.rigid_sums, at.PART_POTENTIAL) + numbers[at.STEP_GRAVITY])
    kinetic += enter_joints(buffers.links.sums, books)
    kinetic += collect_power(arrays, buffers, now, ahead, numbers[at.STEP_END], numbers[at.INSIDE])
    books[KINETIC, NEXT] = kinetic
    if len(arrays.stiff.way) > 0:
        enter_stiff(buffers)
    if buffers.counters[at.HAS_CONTACT] == 1:
        enter_contact(buffers.touch.totals, books)


@kernel
def attempt_noise(buffers, size):
    """What rounding alone can make of the residual of the attempt [J]."""
    numbers, books = buffers.numbers, buffers.books
    size += cancelled_energy(numbers, buffers.touch.totals) + column_sum(buffers.links.sums, jointed.CARRIED)
    size += numbers[at.ACT_SIZE]
    pull = column_sum(buffers.group_sums, at.SUM_TENSION) + buffers.touch.totals[touched.TOTAL_NORMAL]
    noise = rounding_noise(numbers, size, books[LINEAR, NEXT] + books[ANGULAR, NEXT] + books[ARTICULAR, NEXT], pull)
    numbers[at.STEP_NOISE] = noise
    return noise


@kernel
def path_error(buffers):
    """E_path of the attempt [J], see `path`; 0 where it does not matter."""
    if not watches_path(buffers.counters):
        return 0.0
    return STRETCH * (column_sum(buffers.block_sums, at.PART_PATH) + column_sum(buffers.rigid_sums, at.PART_PATH)
                      + column_sum(buffers.links.sums, jointed.OF_PATH))


@kernel
def attempt_reference(arrays, buffers, ahead, residual, error):
    """E_ref with what the attempt adds to it, and what stands in for it at the start [J]."""
    numbers, counters, books, kinds = buffers.numbers, buffers.counters, buffers.books, buffers.book_kind
    tau, noise = numbers[at.STEP_TAU], numbers[at.STEP_NOISE]
    reference = max(max(numbers[at.REFERENCE], present_scale(numbers)),
                    books[KINETIC, NEXT] + net_work(books, kinds, tau) + stored_change(books, kinds, NEXT))
    if not at_rest(numbers) or tau > touching_step(numbers, counters, buffers.touch.totals):
        return reference
    if (abs(residual) > allowed_residual(numbers, reference, residual, tau) + noise
            or error > CLEARLY * numbers[at.BUDGET] * reference + noise):
        # a force that grows from nothing: only the end of the attempt shows how large it is to become; an attempt that ran
        # deep into a contact shows what no step will meet
        square = force_scale(value(arrays.particles), 0, len(arrays.particles.mass), ahead.force)
        if len(arrays.rigids.mass) > 0:
            square += (rigid_scale(arrays.rigids, arrays.mechanisms.link_of_rigid, ahead.load)
                       + column_sum(buffers.links.sums, jointed.OF_SCALE))
        raise_scale(arrays.breakpoints, arrays.drives, numbers, square)
    return max(reference, present_scale(numbers))
