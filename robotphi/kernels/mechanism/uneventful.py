"""Steps with the dampers apart (`apart`) beside drives, relations, stops, limits of motors and dry friction, as long as none of
the last three turns.

They know of no events. So a mechanism goes with them as long as it is free of its stops, each motor below its limit, or at it,
and what dry friction holds held and what slides sliding, from the beginning of a step to its end. An attempt that finds it
otherwise is made again with the dampers in the force, where the flow of `events` meets stops when they are hit, and `holds`
finds what gives way.

What slides is pushed by its kinetic friction, a constant effort through each half of the step, which takes its impulse × mean
rate. What is held has no share in the recursion. It needs an effort for that, by all other forces and by the impulses J of the
dampers in the last stage of each half h: R(f) + R(J)/h, which is within static friction, or it gives way. What is driven needs
the same beside its acceleration, at a rate.
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.mechanism.by_flow import drive_freedom
from robotphi.kernels.mechanism.columns import (
    BY_DAMPERS,
    DAMPER,
    DAMPER_THEN,
    DAMPING,
    DIRECTION,
    DRIVEN,
    EVENTS,
    GIVEN,
    HELD,
    HOLDING,
    KNOWN,
    LOOSE,
    MODE,
    REACTION,
    RUBBED,
    SPRING,
    SPRING_THEN,
    STOP,
    WORK,
    NoMechanisms,
)
from robotphi.kernels.mechanism.gains import solve_loaded
from robotphi.kernels.mechanism.motors import within_limit
from robotphi.kernels.mechanism.relations import add_multipliers, has_relations
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.entries import EXTRA

KINK = 1e-6   # of a rate that is driven: jumps of it behind which the dampers act in the force


@kernel
def choose_still(arrays, links, joints, numbers, m):
    """What dry friction holds through the step, against which way it acts on what slides, and how what is driven goes."""
    mechanisms, flow, rate = arrays.mechanisms, links.flow, joints.rate
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    links.sums[m, EVENTS] = 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[k, MODE], flow[k, KNOWN], flow[k, DIRECTION], flow[k, STOP], flow[k, WORK] = LOOSE, 0.0, 0.0, 0.0, 0.0
        if mechanisms.drive[k] >= 0:
            flow[k, MODE] = DRIVEN
            _, flow[k, KNOWN], flow[k, GIVEN] = drive_freedom(
                arrays.drives, mechanisms.drive[k], joints.place[k, 0], rate[k, 0], numbers[at.STEP_TAU], numbers[at.STEP_END],
                numbers[at.INSIDE])
            behind = drive_value(arrays.drives, mechanisms.drive[k], numbers[at.TIME],
                                 math.nextafter(numbers[at.TIME], math.inf))[1]
            if abs(behind - rate[k, 0]) > KINK * max(abs(behind), abs(rate[k, 0])):   # dampers would see it rise bit by bit
                links.sums[m, EVENTS] += 1.0
        elif mechanisms.friction[k, 0] > 0.0 and rate[k, 0] == 0.0:
            flow[k, MODE] = HELD
        elif mechanisms.friction[k, 0] > 0.0:
            flow[k, DIRECTION] = math.copysign(1.0, rate[k, 0])


@kernel
def rub_on(mechanisms, links, half, first, last):
    """Kinetic friction joins the efforts; viscosity of what is driven acts at its mean rate."""
    flow = links.flow
    for k in range(first, last):
        links.effort[k, 0] -= mechanisms.friction[k, 1] * flow[k, DIRECTION] + 0.5 * half * flow[k, KNOWN] * flow[k, DAMPING]


@kernel
def solve_related(mechanisms, rigids, links, load, gain, rate, half, m):
    """Accelerations by loads and efforts with relations met at the end of the half, and what holds and leads without the
    dampers."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    solve_loaded(mechanisms, rigids, links, load, links.effort, gain, begin, end)
    if has_relations(mechanisms, m):
        add_multipliers(mechanisms, links, gain, rate, 1.0 / half, m)
        solve_loaded(mechanisms, rigids, links, load, links.effort, gain, begin, end)
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.flow[k, HOLDING] = links.flow[k, REACTION]


@kernel
def keep_going(links, first, last):
    """Impulses of dampers change nothing that is held or led."""
    for k in range(first, last):
        links.flow[k, KNOWN] = 0.0


@kernel
def lead_on(mechanisms, links, first, last):
    """What is driven has its acceleration of the second half."""
    for k in range(first, last):
        if links.flow[k, MODE] == DRIVEN:
            links.flow[k, KNOWN] = links.flow[k, GIVEN]


@kernel
def rub_through(mechanisms, links, place, half, ahead, m):
    """Behind the last stage of a half: what friction took and drives gave, and whether anything gave way, came to rest, or
    turned beyond a stop. `place`: coordinates where the half begins, or `ahead`, where it ends."""
    flow, sums, begin, end = links.flow, links.sums, mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        before, after = links.start[k, 0], links.trial[k, 0]
        mean = 0.5 * (before + after)
        if before * after < 0.0:
            turn = place[k, 0] - (half * mean if ahead else 0.0) + 0.5 * half * before * before / (before - after)
            if not mechanisms.limits[k, 0] < turn < mechanisms.limits[k, 1]:
                sums[m, EVENTS] += 1.0
        if flow[k, MODE] == DRIVEN:
            flow[k, WORK] += (half * flow[k, HOLDING] + flow[k, BY_DAMPERS]) * mean
        elif flow[k, MODE] == HELD:
            if not abs(flow[k, HOLDING] + flow[k, BY_DAMPERS] / half) <= mechanisms.friction[k, 0]:
                sums[m, EVENTS] += 1.0
        elif flow[k, DIRECTION] != 0.0:
            sums[m, RUBBED] += half * mechanisms.friction[k, 1] * flow[k, DIRECTION] * mean
            if not links.trial[k, 0] * flow[k, DIRECTION] > 0.0:
                sums[m, EVENTS] += 1.0


@kernel
def put_driven(arrays, numbers, place, first, last):
    """Driven coordinates are where their drives say at the end of the step."""
    for k in range(first, last):
        if arrays.mechanisms.drive[k] >= 0:
            place[k, 0] = drive_value(arrays.drives, arrays.mechanisms.drive[k], numbers[at.STEP_END], numbers[at.INSIDE])[0]


@kernel
def book_driven(arrays, buffers, rate, first, last):
    """… and go as fast as these; their work."""
    mechanisms, numbers = arrays.mechanisms, buffers.numbers
    for k in range(first, last):
        drive = mechanisms.drive[k]
        if drive >= 0:
            rate[k, 0] = drive_value(arrays.drives, drive, numbers[at.STEP_END], numbers[at.INSIDE])[1]
            buffers.books[buffers.book_of_drive[drive], EXTRA] += buffers.links.flow[k, WORK]


@kernel_unless(NoMechanisms, lambda arrays, joints: True)
def is_free_of_stops(arrays, joints):
    """Whether no coordinate is at a stop, or beyond."""
    limits = arrays.mechanisms.limits
    for k in range(len(limits)):
        if not limits[k, 0] < joints.place[k, 0] < limits[k, 1]:
            return False
    return True


@kernel_unless(NoMechanisms, lambda arrays, buffers, joints: True)
def was_uneventful(arrays, buffers, joints):
    """Whether a step that has come to its end met nothing."""
    motors, links, flow = arrays.mechanisms.motors, buffers.links, buffers.links.flow
    for m in range(len(arrays.mechanisms.free)):
        if links.sums[m, EVENTS] > 0.0:
            return False
    for n in range(len(motors.damping)):
        if motors.damping[n] > 0.0 and not math.isinf(motors.limit[n]):
            k = motors.freedom[n]
            then, (spring, damper) = flow[k, DAMPER_THEN], within_limit(motors, flow, n, k, joints.rate[k, 0])
            if flow[k, DAMPER] != then or damper != then:
                return False
            if then == 0.0 and not flow[k, SPRING_THEN] == flow[k, SPRING] == spring:   # from one limit to the other
                return False
    return is_free_of_stops(arrays, joints)
