"""A robot in a scene by exact joints: bodies become rigid primitives, one without mass too, joints those of mechanisms."""
from dataclasses import dataclass

import numpy as np

from robotphi.scene import blocks
from robotphi.scene.checks import refuse
from robotphi.urdf.names import joint_name, plain
from robotphi.urdf.robot import MOVING, Joint

KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "planar": "planar"}


@dataclass(frozen=True, eq=False)
class ExactJoint:
    """A joint of a robot in a scene."""
    joint: Joint              # as the file has it
    position: float           # rad or m, at the start
    handle: blocks.Joint      # of the scene, for sensors and readings
    left_out: tuple           # what the file says of it and nothing in the scene does, for people


def exact_plans(robot, poses):
    """Joint → (point, axis) in the world, of all that move."""
    return {joint.name: (poses[joint.child][:3, 3], poses[joint.parent][:3, :3] @ joint.origin[:3, :3] @ joint.axis)
            for joint in robot.joints.values() if joint.type in KINDS}


def add_exact_joints(scene, name, robot, at, plans, rigids, axis_stiffness):
    """{joint: ExactJoint}; mimics are related to what they mimic."""
    found = {one: _add_joint(scene, joint_name(robot, name, one), robot, robot.joints[one], at.get(one, 0.0), *plan, rigids,
                             axis_stiffness.get(one, 0.0)) for one, plan in plans.items()}
    for one, joint in found.items():
        if (mimic := joint.joint.mimic) is not None and joint.handle.kind != "fixed" and not joint.left_out:
            leader = found[mimic.joint].handle.name
            scene.relate(f"{name}.{plain(one)}.mimic", {joint.handle.name: 1.0, leader: -mimic.multiplier})
    return found


def _add_joint(scene, name, robot, joint, position, point, axis, rigids, stiffness):
    parent, child = (rigids[robot.body_of[link]] for link in (joint.parent, joint.child))
    kind, given = ("fixed", {}) if is_stuck(robot, joint) else (KINDS[joint.type], acting(joint))
    if kind == "planar":
        given = {what: value for what, value in given.items() if what != "limits"}
    if kind in ("revolute", "prismatic"):
        given |= {"place": position, "stiffness": stiffness}
    handle = scene.add_joint(name, kind, parent, child, point, axis=axis, **given)
    return ExactJoint(joint, position, handle, left_out(robot, joint))


def is_stuck(robot, joint):
    """Whether a joint has one position alone: by its limits, or as it mimics 0 times another, or one that is stuck."""
    if joint.type not in MOVING or joint.mimic is None:
        return joint.type == "fixed" or (joint.type in MOVING and joint.lower == joint.upper)
    return joint.lower == joint.upper or joint.mimic.multiplier == 0.0 or is_stuck(robot, robot.joints[joint.mimic.joint])


def check_limits(where, robot, at):
    """Refuse joints that would start beyond their stops; `at` has the positions."""
    for name, position in at.items():
        joint, told = robot.joints[name], name
        if (joint.mimic is not None and is_stuck(robot, joint)) or joint.lower <= position <= joint.upper:
            continue
        while robot.joints[told].mimic is not None:
            told = robot.joints[told].mimic.joint
        follows = "" if told == name else f", as it mimics {told!r}"
        middle = f"{0.5 * (joint.lower + joint.upper):.4g}" if told == name and np.isfinite(joint.upper - joint.lower) else "…"
        refuse(where, f"joint {name!r} would start at {position:g}{follows}, beyond its limits {joint.lower:g} to "
               f"{joint.upper:g}", f"give positions={{{told!r}: {middle}}}, within them")


def acting(joint):
    """What acts on the coordinate of a joint, as `Scene.add_joint` has it."""
    bound = np.isfinite(joint.lower) or np.isfinite(joint.upper)
    return {"viscosity": joint.damping, "friction": joint.friction, "limits": (joint.lower, joint.upper) if bound else None}


def left_out(robot, joint):
    """What the file says of a joint and a scene does not do: mimic what does not move along one coordinate."""
    if joint.mimic is None:
        return ()
    leader = robot.joints[joint.mimic.joint]
    known = is_stuck(robot, joint) or (leader.type in MOVING and joint.type in MOVING)
    return () if known else (f"its mimicry of {joint.mimic.joint}",)


def notes_of(joints):
    """One sentence for each joint of which something is left out."""
    return tuple(f"joint {name}: {', '.join(one.left_out)} is not simulated" for name, one in joints.items() if one.left_out)
