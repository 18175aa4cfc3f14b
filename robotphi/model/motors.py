"""Motors of a scene as arrays, and what they make of the mechanisms whose joints they drive."""
import numpy as np

from robotphi.kernels.mechanism.columns import EVENTFUL, Motors
from robotphi.model.arrays import aligned
from robotphi.scene.checks import refuse

NUMBERS = ("stiffness", "damping", "integral", "limit")


def freedom_numbers(links, freedom_start):
    """(joint, its freedom) → its number in the arrays."""
    return {(link.joint.name, link.first + n): freedom_start[i] + n for i, link in enumerate(links) if link.joint is not None
            for n in range(len(link.freedoms))}


def with_motors(scene, mechanisms, freedom, number):
    """The mechanisms with the motors of a scene; `freedom` as of `freedom_numbers`, `number` tells drives."""
    lost = next((motor for motor in scene.motors if (motor.joint, motor.freedom) not in freedom), None)
    if lost is not None:
        refuse(f"motor {lost.name!r}", f"joint {lost.joint!r} closes a loop, and has no coordinate of its own",
               "drive another joint of the loop")
    order = sorted(range(len(scene.motors)), key=lambda n: freedom[scene.motors[n].joint, scene.motors[n].freedom])
    motors = [scene.motors[n] for n in order]
    rows = np.array([freedom[motor.joint, motor.freedom] for motor in motors], int)
    ends = mechanisms.freedom_start[mechanisms.start]
    told = {what: aligned([-1 if getattr(motor, what) is None else number[getattr(motor, what)] for motor in motors], np.int32)
            for what in ("target", "speed", "torque")}
    numbers = {what: aligned([getattr(motor, what) for motor in motors]) for what in NUMBERS}
    arrays = Motors(start=aligned(np.searchsorted(rows, ends), np.int32), freedom=aligned(rows, np.int32), **told, **numbers,
                    most_of_integral=aligned([motor.integral_limit for motor in motors]))
    of_freedom = np.full(len(mechanisms.turn), -1)
    of_freedom[rows] = np.arange(len(rows))
    steepest, armature = np.array(mechanisms.steepest), np.array(mechanisms.armature)
    damping = np.array(mechanisms.viscosity)
    steepest[rows] += numbers["stiffness"]
    armature[rows] += [motor.inertia for motor in motors]
    damping[rows] += numbers["damping"]
    at_limits = (numbers["damping"] > 0.0) & np.isfinite(numbers["limit"])
    viscous, eventful = np.array(mechanisms.viscous), np.array(mechanisms.eventful)
    of_mechanism = np.searchsorted(ends, rows, side="right") - 1
    viscous[of_mechanism[numbers["damping"] > 0.0]] = 1
    eventful[of_mechanism[at_limits]] = EVENTFUL
    return mechanisms._replace(motor=aligned(of_freedom, np.int32), motors=arrays, steepest=aligned(steepest),
                               armature=aligned(armature), damping=aligned(damping), viscous=aligned(viscous, np.int32),
                               eventful=aligned(eventful, np.int32)), np.array(order, int)
