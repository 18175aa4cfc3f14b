"""Steps with the dampers apart (`apart`) beside stops, limits of motors and dry friction: as long as none of them turns.

They know of no events. So a mechanism goes with them as long as it is free of its stops, each motor below its limit, or at it,
and what dry friction holds held and what slides sliding, from the beginning of a step to its end. An attempt that finds it
otherwise is made again with the dampers in the force, where the flow of `events` meets stops when they are hit, and `holds`
finds what gives way.

What slides is pushed by its kinetic friction, a constant effort through each half of the step, which takes its impulse × mean
rate. What is held has no share in the recursion. It needs an effort for that, by all other forces and by the impulses J of the
dampers in the last stage of each half h: R(f) + R(J)/h, which is within static friction, or it gives way.
"""
import math

from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.mechanism.columns import (
    DAMPER,
    DAMPER_THEN,
    DIRECTION,
    EVENTS,
    HELD,
    HOLDING,
    KNOWN,
    LOOSE,
    MODE,
    REACTION,
    RUBBED,
    NoMechanisms,
)
from robotphi.kernels.mechanism.motors import within_limit


@kernel
def choose_still(mechanisms, links, rate, m):
    """What dry friction holds through the step, and against which way it acts on what slides."""
    flow, begin, end = links.flow, mechanisms.start[m], mechanisms.start[m + 1]
    links.sums[m, EVENTS] = 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[k, MODE], flow[k, KNOWN], flow[k, DIRECTION] = LOOSE, 0.0, 0.0
        if mechanisms.friction[k, 0] > 0.0:
            if rate[k, 0] == 0.0:
                flow[k, MODE] = HELD
            else:
                flow[k, DIRECTION] = math.copysign(1.0, rate[k, 0])


@kernel
def rub_on(mechanisms, links, first, last):
    """Kinetic friction joins the efforts."""
    for k in range(first, last):
        links.effort[k, 0] -= mechanisms.friction[k, 1] * links.flow[k, DIRECTION]


@kernel
def keep_holding(links, first, last):
    """What holds without the dampers, of the solution at hand."""
    for k in range(first, last):
        if links.flow[k, MODE] == HELD:
            links.flow[k, HOLDING] = links.flow[k, REACTION]


@kernel
def rub_through(mechanisms, links, half, m):
    """Behind the last stage of a half: what friction took, and whether anything gave way or came to rest."""
    flow, sums, begin, end = links.flow, links.sums, mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        if flow[k, MODE] == HELD:
            if not abs(flow[k, HOLDING] + flow[k, REACTION] / half) <= mechanisms.friction[k, 0]:
                sums[m, EVENTS] += 1.0
        elif flow[k, DIRECTION] != 0.0:
            sums[m, RUBBED] += (0.5 * half * mechanisms.friction[k, 1] * flow[k, DIRECTION]
                                * (links.start[k, 0] + links.trial[k, 0]))
            if not links.trial[k, 0] * flow[k, DIRECTION] > 0.0:
                sums[m, EVENTS] += 1.0


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
            then = flow[k, DAMPER_THEN]
            if flow[k, DAMPER] != then or within_limit(motors, flow, n, k, joints.rate[k, 0])[1] != then:
                return False
    return is_free_of_stops(arrays, joints)
