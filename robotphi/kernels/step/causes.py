"""What set the length of a step has a name: a spring, a rigid that turns, two things in touch, a drive.

A cause is one whole number, what + 16 × the thing: the user's number of a spring or rigid, the owners of a pair, a drive
(`codes.CAUSES`). Steps are counted by cause, with the time they cover, in a table that belongs to the state.
"""
import math

from robotphi.kernels.acts.drives import scale_of_drive
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as touched
from robotphi.kernels.maths.vectors import minus, read, unit
from robotphi.kernels.springs.articular import dihedral
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import body_of, load_of_term
from robotphi.kernels.step.codes import (
    ACT_FORCE,
    ANGULAR_STIFFNESS,
    ANGULAR_VISCOSITY,
    ARTICULAR_STIFFNESS,
    ARTICULAR_VISCOSITY,
    CAUSE_KINDS,
    DRIVE_CHANGE,
    LINEAR_STIFFNESS,
    LINEAR_VISCOSITY,
    NO_CAUSE,
    TURNING,
)
from robotphi.kernels.step.relief import relieved
from robotphi.kernels.step.terms import bend_in_plane, bend_of, damped_freely, open_angle, open_line
from robotphi.kernels.step.viscosity import staged_step

CAUSE_ROWS = 64                       # of the table; what comes later is counted in its last row
CAUSE_CODE, CAUSE_STEPS, CAUSE_TIME = range(3)
CAUSE_COLUMNS = 3


@inlined
def cause_of(what, thing):
    return what + CAUSE_KINDS * thing


# Springs: once the bounds were taken ---------------------------------------------------------------------------------------

@kernel
def name_bodies(arrays, buffers, position, rigid):
    """The springs that ask most of the two bodies which bound frequencies and damping rates."""
    counters = buffers.counters
    counters[at.STIFF_CAUSE] = heaviest_spring(arrays, buffers, position, rigid, counters[at.STIFF_BODY], False)
    counters[at.DAMP_CAUSE] = heaviest_spring(arrays, buffers, position, rigid, counters[at.DAMP_BODY], True)


@inlined
def stands_on(buffers, row, body):
    """Whether a row of particles is a body or on it."""
    i = buffers.carrier[row]
    return row == body if body >= 0 else i >= 0 and body_of(buffers.rigid_block, i) == body


@kernel
def heaviest_spring(arrays, buffers, position, rigid, body, damping):
    """The cause that is the spring which asks most of a body; an act where none does."""
    if body == at.NO_BODY:
        return NO_CAUSE
    found = heaviest_left(arrays, buffers, position, rigid, body, damping, buffers.numbers[at.RELIEF])
    if found == cause_of(ACT_FORCE, 0):   # dampers may take all off the springs of a body: what is left is their own term
        found = heaviest_left(arrays, buffers, position, rigid, body, damping, 0.0)
    return found


@kernel
def heaviest_left(arrays, buffers, position, rigid, body, damping, relief):
    """The same of what is left by a relief."""
    particles = arrays.particles
    best, cause = 0.0, cause_of(ACT_FORCE, 0)
    best, cause = heaviest_line(particles, buffers, position, rigid, arrays.linear, body, damping, relief, best, cause)
    best, cause = heaviest_law(arrays, buffers, position, rigid, body, damping, relief, best, cause)
    best, cause = heaviest_bend(particles, buffers, position, rigid, arrays.angular, body, damping, relief, best, cause)
    best, cause = heaviest_bend(particles, buffers, position, rigid, arrays.angular_law, body, damping, 0.0, best, cause)
    springs, what = arrays.articular, ARTICULAR_VISCOSITY if damping else ARTICULAR_STIFFNESS
    for i in range(len(springs.first)):
        a, b, c, d = springs.first[i], springs.second[i], springs.centre[i], springs.end[i]
        if (stands_on(buffers, a, body) or stands_on(buffers, b, body) or stands_on(buffers, c, body)
                or stands_on(buffers, d, body)):
            _, on_a, on_b, on_c, on_d = dihedral(springs, i, position, 0.0)
            count = open_angle(particles, buffers, rigid, position, springs, i, on_a, on_b, on_c, on_d)
            load = load_of_term(buffers, count, springs.viscosity[i] if damping else springs.stiffness[i], damping, body)
            if load > best:
                best, cause = load, cause_of(what, springs.identity[i])
    return cause


@kernel
def heaviest_line(particles, buffers, position, rigid, springs, body, damping, relief, best, cause):
    """The linear spring of a list that asks more of a body than what is known, and the cause that it is; else that. Stiffness
    counts with what dampers take off it by the `relief`."""
    what = LINEAR_VISCOSITY if damping else LINEAR_STIFFNESS
    for i in range(len(springs.first)):
        load = load_of_line(particles, buffers, position, rigid, springs, i, body, damping, relief)
        if load > best:
            best, cause = load, cause_of(what, springs.identity[i])
    return best, cause


@kernel
def heaviest_law(arrays, buffers, position, rigid, body, damping, relief, best, cause):
    """The same of those with a law."""
    springs, what = arrays.linear_law, LINEAR_VISCOSITY if damping else LINEAR_STIFFNESS
    for i in range(len(springs.first)):
        own = relief if damped_freely(springs, i, buffers.linear_law) else 0.0
        load = load_of_line(arrays.particles, buffers, position, rigid, springs, i, body, damping, own)
        if load > best:
            best, cause = load, cause_of(what, springs.identity[i])
    return best, cause


@inlined
def load_of_line(particles, buffers, position, rigid, springs, i, body, damping, relief):
    """What linear spring i asks of a body."""
    a, b = springs.first[i], springs.second[i]
    if not (stands_on(buffers, a, body) or stands_on(buffers, b, body)):
        return 0.0
    count = open_line(particles, buffers, rigid, position, a, b, unit(minus(read(position, a), read(position, b))))
    weight = springs.viscosity[i] if damping else relieved(springs.stiffness[i], springs.viscosity[i], relief)
    return load_of_term(buffers, count, weight, damping, body)


@kernel
def heaviest_bend(particles, buffers, position, rigid, springs, body, damping, relief, best, cause):
    """The same of angular springs."""
    what = ANGULAR_VISCOSITY if damping else ANGULAR_STIFFNESS
    for i in range(len(springs.first)):
        a, b, c = springs.first[i], springs.second[i], springs.centre[i]
        if stands_on(buffers, a, body) or stands_on(buffers, b, body) or stands_on(buffers, c, body):
            p, q, _, normal = bend_of(springs, i, position)
            count = bend_in_plane(particles, buffers, rigid, position, springs, i, p, q, normal)
            weight = springs.viscosity[i] if damping else relieved(springs.stiffness[i], springs.viscosity[i], relief)
            load = load_of_term(buffers, count, weight, damping, body)
            if load > best:
                best, cause = load, cause_of(what, springs.identity[i])
    return best, cause


# Each step -----------------------------------------------------------------------------------------------------------------

@kernel
def name_step(drives, buffers):
    """The cause of the limit of the step that was chosen."""
    numbers, counters = buffers.numbers, buffers.counters
    limit = counters[at.STEP_LIMIT]
    cause = NO_CAUSE
    if limit == at.BY_STABILITY:
        cause = stability_cause(numbers, counters, buffers.touch.totals)
    elif limit == at.BY_CONTACT:
        cause = counters[at.APPROACH_CAUSE]
    elif limit == at.BY_USER and len(drives.start) > 1 and numbers[at.TAU] < numbers[at.DT_MAX]:
        cause = drive_cause(drives, numbers)
    counters[at.STEP_CAUSE] = cause


@kernel
def stability_cause(numbers, counters, totals):
    """What the stable step comes from: turning, or the larger of ω/2 and c, of springs or of what is in touch."""
    apart = counters[at.VISCOSITY] == at.APART   # then dampers keep steps short where there are no more stages for them
    if apart and staged_step(numbers) <= numbers[at.STABLE]:
        by_springs = numbers[at.SPRING_DAMPING] >= numbers[at.ROW_DAMPING]
        return counters[at.DAMP_CAUSE] if by_springs else counters[at.TOUCH_DAMP_CAUSE]
    square, damping = numbers[at.RELIEVED_SQUARE], numbers[at.ACT_DAMPING] if apart else numbers[at.SPRING_DAMPING]
    damped_by = cause_of(ACT_FORCE, 0) if apart else counters[at.DAMP_CAUSE]
    touching, rubbing = 0.0, 0.0
    if counters[at.HAS_CONTACT] == 1:
        touching = max(numbers[at.JOINT_SQUARE], totals[touched.TOTAL_SQUARE]) + totals[touched.TOTAL_NEW]
        rubbing = max(numbers[at.JOINT_DAMPING], totals[touched.TOTAL_DAMPING]) + totals[touched.TOTAL_DAMP_NEW]
    rate = max(damping, rubbing)
    whole = max(square, touching)
    turning = numbers[at.SPRING_STEP] * (rate + math.sqrt(rate * rate + whole)) < 2.0 * numbers[at.SAFETY]
    if apart:
        turning = numbers[at.SPRING_STEP] < numbers[at.RELIEVED_STEP]
    if turning:
        return cause_of(TURNING, counters[at.TURN_BODY])
    # springs count in what is in touch as well: a contact is to blame where it adds as much again
    if 2.0 * rate > math.sqrt(whole):
        return counters[at.TOUCH_DAMP_CAUSE] if rubbing > 2.0 * damping else damped_by
    return counters[at.TOUCH_STIFF_CAUSE] if touching > 2.0 * square else counters[at.STIFF_CAUSE]


@kernel
def drive_cause(drives, numbers):
    """The drive that changes too quickly for a longer step."""
    shortest, cause = math.inf, NO_CAUSE
    for drive in range(len(drives.start) - 1):
        scale = scale_of_drive(drives, drive, numbers[at.TIME])
        if scale < shortest:
            shortest, cause = scale, cause_of(DRIVE_CHANGE, drive)
    return cause if shortest <= numbers[at.TAU] else NO_CAUSE


@kernel
def count_cause(causes, cause, tau):
    """Count an accepted step; the table has a row for each cause, the last one for all that find no room."""
    if cause == NO_CAUSE:
        return
    row = 0
    while row < CAUSE_ROWS - 1 and causes[row, CAUSE_STEPS] > 0.0 and causes[row, CAUSE_CODE] != cause:
        row += 1
    if causes[row, CAUSE_STEPS] == 0.0:
        causes[row, CAUSE_CODE] = cause if row < CAUSE_ROWS - 1 else NO_CAUSE
    causes[row, CAUSE_STEPS] += 1.0
    causes[row, CAUSE_TIME] += tau
