"""Whether steps with the dampers apart (`apart`) may pass over stops and limits of motors: where none is met.

They know of no events. So a mechanism with stops, or motors that damp up to a limit, goes with them as long as it is free of
its stops, and each motor below its limit, or at it, from the beginning of a step to its end. An attempt that finds it otherwise
is made again with the dampers in the force, where the flow of `events` meets stops when they are hit.
"""
import math

from robotphi.kernels.compiling.compiled import kernel_unless
from robotphi.kernels.mechanism.columns import DAMPER, DAMPER_THEN, NoMechanisms
from robotphi.kernels.mechanism.motors import within_limit


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
    """The same at the end of a step whose motors went on as they began."""
    motors, flow = arrays.mechanisms.motors, buffers.links.flow
    for n in range(len(motors.damping)):
        if motors.damping[n] > 0.0 and not math.isinf(motors.limit[n]):
            k = motors.freedom[n]
            then = flow[k, DAMPER_THEN]
            if flow[k, DAMPER] != then or within_limit(motors, flow, n, k, joints.rate[k, 0])[1] != then:
                return False
    return is_free_of_stops(arrays, joints)
