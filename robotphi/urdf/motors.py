"""Motors of a robot: servos on its joints with the limits and transmissions that its file gives.

Gains that are not told follow from how heavy a joint is, J = J_carried + ratio² J_rotor, as if all joints beyond it were stiff
in the pose in which the robot was put into the scene: κ = J Ω² and c = 2 √(κ J), a critically damped swing of frequency Ω/2π.
"""
import numpy as np

from robotphi.geometry.mass_properties import shifted_inertia
from robotphi.scene.checks import number, refuse, word
from robotphi.scene.commands import Command
from robotphi.scene.drive import as_drive
from robotphi.scene.joint_efforts import NEAR
from robotphi.urdf.exact import ExactJoint
from robotphi.urdf.names import plain

LOOKED = 1001   # instants at which a speed asked for is compared with the limit


def motor_of(robot, joint, target, speed, torque, stiffness, damping, bandwidth, limit, fastest, name, **more):
    """See `RobotHandle.add_motor`; `robot` is the handle."""
    where = f"robot {robot.name!r}, motor of joint {joint!r}"
    word(f"robot {robot.name!r}", "moving joint", joint, tuple(robot.joints))
    one = robot.joints[joint]
    _check_joint(where, one)
    limit, fastest = _limit(where, "effort", limit, one.joint.effort), _limit(where, "velocity", fastest, one.joint.velocity)
    transmission = one.joint.transmission
    ratio, rotor = (1.0, 0.0) if transmission is None else transmission[1:]
    duration = robot.scene.duration
    if target is not None:
        target = _led(where, as_drive(where, "target", target, duration), one, fastest, duration)
    if speed is not None:
        speed = _slow(where, as_drive(where, "speed", speed, duration), fastest, duration)
    stiffness, damping = _gains(where, robot, joint, ratio**2 * rotor, target, speed, stiffness, damping, bandwidth)
    name = f"{robot.name}.{plain(joint)}.motor" if name is None else name
    return robot.scene.add_motor(name, one.handle.name, target, speed, torque, stiffness, damping, limit=limit, ratio=ratio,
                                 rotor=rotor, **more)


def _check_joint(where, one):
    if not isinstance(one, ExactJoint):
        refuse(where, "springs hold its joints", 'put the robot into the scene with way="exact"')
    if one.joint.mimic is not None and not one.left_out:
        refuse(where, f"it mimics {one.joint.mimic.joint!r}", "drive that one")
    if one.handle.kind not in ("revolute", "prismatic"):
        refuse(where, f"it is a {one.handle.kind} joint in the scene", "drive another, or use scene.add_motor")


def _limit(where, what, given, of_file):
    """What is told, else what the file says; None for no limit."""
    if given is not None:
        return None if given == np.inf else number(where, f"limit of {what}", given, above=0.0)
    if of_file == 0.0:
        refuse(where, f"the file gives it an {what} of 0", f"tell another by {'limit' if what == 'effort' else 'fastest'}=")
    return of_file if np.isfinite(of_file) else None


def _led(where, target, one, fastest, duration):
    """The target as the joint can follow it: from where it stands, and no faster than it may."""
    if fastest is None:
        return target
    if not isinstance(target, Command):
        return target.limited(fastest, duration, one.position)
    if abs(target.start - one.position) > NEAR:
        refuse(where, f"the command {target.name!r} starts at {target.start:g}, and the joint at {one.position:g}",
               "start it where the joint is")
    if target.fastest is None or target.fastest > fastest:
        refuse(where, f"the command {target.name!r} may change faster than {fastest:g} per second, the limit of the joint",
               f"give it such a rate: add_command(…, rate={fastest:g}), or tell another limit by fastest=")
    return target


def _slow(where, speed, fastest, duration):
    if fastest is None:
        return speed
    bounds = [] if isinstance(speed, Command) else speed.value(np.linspace(0.0, duration, LOOKED)).tolist()
    if isinstance(speed, Command):
        bounds = [np.inf if each is None else each for each in (speed.low, speed.high)]
    if max(map(abs, bounds)) > fastest * (1.0 + NEAR):
        refuse(where, f"a speed of {max(map(abs, bounds)):g} is beyond {fastest:g}, the limit of the joint",
               "ask for less (a command has low= and high=), or tell another limit by fastest=")
    return speed


def _gains(where, robot, joint, rotor, target, speed, stiffness, damping, bandwidth):
    """Stiffness and damping, by the bandwidth where they are not told."""
    wide = 2.0 * np.pi * number(where, "bandwidth", bandwidth, above=0.0)
    heavy = carried_inertia(robot, joint) + rotor
    if stiffness is None:
        stiffness = 0.0 if target is None else heavy * wide**2
    if damping is None:
        following = target is not None
        damping = 2.0 * np.sqrt(stiffness * heavy) if following else 0.0 if speed is None else heavy * wide
    return stiffness, damping


def carried_inertia(robot, joint):
    """Inertia about the axis of a joint [kg·m²], or mass along it [kg], of all that hangs on it, where it stands."""
    tree, body_of = robot.robot, robot.robot.body_of
    carried = {body_of[tree.joints[joint].child]}
    for other in tree.joints.values():   # parents before children
        if body_of[other.parent] in carried:
            carried.add(body_of[other.child])
    at, axis = robot.joints[joint].handle.at, robot.joints[joint].handle.frame[:, 0]
    rigids = [robot.rigids[body] for body in carried]
    if robot.joints[joint].handle.kind == "prismatic":
        return sum(rigid.mass for rigid in rigids)
    return float(sum(axis @ (rigid.inertia + shifted_inertia(rigid.mass, rigid.centre - at)) @ axis for rigid in rigids))
