"""Handles of a robot in a scene: its rigids and joints by the names of the file, and the motors that drive them."""
from dataclasses import dataclass, field

import numpy as np

from robotphi.scene.blocks import Springs
from robotphi.scene.checks import word
from robotphi.urdf.exact import ExactJoint
from robotphi.urdf.motors import motor_of
from robotphi.urdf.robot import Joint, Robot


@dataclass(frozen=True, eq=False)
class JointHandle:
    """A joint in a scene that springs hold.

    `particles` are those of a spring about or along the axis: first, centre, end and second of an articular one, whose angle
    is the position of the joint, or first and second of a linear one, whose length is the position + `length_at_zero`.
    """
    joint: Joint
    position: float                    # rad or m, at the start
    holding: Springs                   # linear of a revolute joint, angular of a prismatic one
    axis: Springs | None               # the passive spring about or along the axis
    particles: tuple
    outer: np.ndarray                  # int32 particles of the parent: around the axis, or the ends of two rails
    inner: np.ndarray                  # int32 particles of the child: on the axis (of a prismatic joint, the third beside it)
    length_at_zero: float = 0.0


@dataclass(frozen=True, eq=False)
class RobotHandle:
    """A robot in a scene."""
    name: str
    robot: Robot
    rigids: dict           # first link of a body → Rigid
    links: dict            # link → particle at the origin of its frame
    joints: dict           # moving joint → ExactJoint, or JointHandle where springs hold them
    touching: tuple = ()   # names of the links that touch, as contacts and sensors have them
    notes: tuple = ()      # what the file says and the scene does not do, for people
    scene: object = field(default=None, repr=False)

    def rigid(self, link):
        """The rigid primitive that a link is part of."""
        word(f"robot {self.name!r}", "link", link, tuple(self.links))
        return self.rigids[self.robot.body_of[link]]

    @property
    def limits(self):
        """{joint of the scene: limits} of position, speed and torque that the file gives, as `check` of a motion takes them."""
        found = {}
        for one in self.joints.values():
            told = {"speed": one.joint.velocity, "torque": one.joint.effort}
            most = {what: value for what, value in told.items() if 0.0 < value < np.inf}
            if np.isfinite([one.joint.lower, one.joint.upper]).all() and one.joint.lower < one.joint.upper:
                most["position"] = (one.joint.lower, one.joint.upper)
            if isinstance(one, ExactJoint):
                found[one.handle.name] = most
        return found

    def add_motor(self, joint, target=None, speed=None, torque=None, stiffness=None, damping=None, integral=0.0,
                  integral_limit=None, bandwidth=10.0, limit=None, fastest=None, name=None):
        """Drive a joint by a motor as the file has it; returns the handle of the motor, see `Scene.add_motor`.

        The effort keeps within the limit of the file; a target is led from where the joint stands, no faster than the limit of
        velocity, and a speed asked for is to be within that. A transmission gives the ratio and the inertia of the rotor. All
        is told at the joint.

        Args:
            joint: its name in the file; not one that mimics another.
            target: coordinate that is asked for [rad, m]: a Drive, number, function of time or command. A command starts where
                the joint is and has a rate within the limit.
            speed: rate that is asked for [rad/s, m/s], likewise; a command has bounds.
            torque: effort beside the others [N·m, N], such as a feed-forward.
            stiffness: [N·m/rad, N/m], by the bandwidth unless told.
            damping: [N·m·s/rad, N·s/m], critical unless told.
            integral, integral_limit: see `Scene.add_motor`.
            bandwidth: Hz, of the swing of all that the joint carries on the stiffness, with rotor, in the pose of the start.
            limit, fastest: of effort and velocity, in place of those of the file; inf for none.
            name: of the motor in the scene; <robot>.<joint>.motor unless told.
        """
        return motor_of(self, joint, target, speed, torque, stiffness, damping, bandwidth, limit, fastest, name,
                        integral=integral, integral_limit=integral_limit)

    def add_motors(self, targets=None, **same):
        """A servo for each joint of {joint: target}, {joint: Motor}: unless told, all that mimic nothing, to hold where they
        are; all else is the same for each, see `add_motor`."""
        if targets is None:
            targets = {name: one.position for name, one in self.joints.items() if one.joint.mimic is None}
        return {joint: self.add_motor(joint, target, **same) for joint, target in targets.items()}
