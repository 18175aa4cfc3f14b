"""A robot in a scene by exact joints: bodies become rigid primitives, one without mass too, joints those of mechanisms."""
from dataclasses import dataclass

import numpy as np

from robotphi.scene import blocks
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
    found = {one: _add_joint(scene, f"{name}.{one}", robot, robot.joints[one], at.get(one, 0.0), *plan, rigids,
                             axis_stiffness.get(one, 0.0)) for one, plan in plans.items()}
    for one, joint in found.items():
        if (mimic := joint.joint.mimic) is not None and joint.handle.kind != "fixed" and not joint.left_out:
            scene.relate(f"{name}.{one}.mimic", {joint.handle.name: 1.0, found[mimic.joint].handle.name: -mimic.multiplier})
    return found


def _add_joint(scene, name, robot, joint, position, point, axis, rigids, stiffness):
    parent, child = (rigids[robot.body_of[link]] for link in (joint.parent, joint.child))
    stuck = joint.type in MOVING and joint.lower == joint.upper
    kind, given = ("fixed", {}) if stuck else (KINDS[joint.type], acting(joint))
    if kind == "planar":
        given = {what: value for what, value in given.items() if what != "limits"}
    if kind in ("revolute", "prismatic"):
        given |= {"place": position, "stiffness": stiffness}
    handle = scene.add_joint(name, kind, parent, child, point, axis=axis, **given)
    return ExactJoint(joint, position, handle, left_out(robot, joint))


def acting(joint):
    """What acts on the coordinate of a joint, as `Scene.add_joint` has it."""
    bound = np.isfinite(joint.lower) or np.isfinite(joint.upper)
    return {"viscosity": joint.damping, "friction": joint.friction, "limits": (joint.lower, joint.upper) if bound else None}


def left_out(robot, joint):
    """What the file says of a joint and a scene does not do: mimic what does not move along one coordinate."""
    if joint.mimic is None:
        return ()
    leader = robot.joints[joint.mimic.joint]
    moves = leader.type in MOVING and leader.lower < leader.upper and joint.mimic.multiplier != 0.0
    return () if moves and joint.type in MOVING else (f"its mimicry of {joint.mimic.joint}",)


def notes_of(joints):
    """One sentence for each joint of which something is left out."""
    return tuple(f"joint {name}: {', '.join(one.left_out)} is not simulated" for name, one in joints.items() if one.left_out)
