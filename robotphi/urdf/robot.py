"""Robot: a tree of links and joints, its poses, and what its bodies weigh."""
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from robotphi.geometry.mass_properties import shifted_inertia
from robotphi.scene.checks import frozen, number, refuse, word
from robotphi.scene.turns import rotation_about

TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
MOVING = ("revolute", "continuous", "prismatic")


class Inertial(NamedTuple):
    """What a body weighs and how it turns."""
    mass: float           # kg
    centre: np.ndarray    # (3,) m
    inertia: np.ndarray   # (3, 3) kg·m² about the centre


class Mimic(NamedTuple):
    """A joint that follows another: position = multiplier × that of the other + offset."""
    joint: str
    multiplier: float
    offset: float


class Transmission(NamedTuple):
    """What stands between an actuator and a joint."""
    actuator: str
    ratio: float          # turns of the actuator for each of the joint; of a prismatic one rad/m
    inertia: float        # kg·m² of the rotor


@dataclass(frozen=True, eq=False)
class LinkShape:
    """A Polyhedron, Compound or Mesh that belongs to a link."""
    shape: object
    pose: np.ndarray      # (4, 4) in the frame of the link
    round: tuple = ()     # ("cylinder", radius, length), its axis z, or ("ball", radius) [m], of which the shape is made


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid part of a robot, in its own frame; one without inertial has no mass."""
    name: str
    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    collisions: tuple     # LinkShape, …
    visuals: tuple
    pose: np.ndarray      # (4, 4) in the frame of the robot when every joint is at 0
    said_without = "visuals"   # in statements: nothing in a scene reads them, and they are most of a robot


@dataclass(frozen=True, eq=False)
class Joint:
    """How a child link moves in the frame of its parent; limits in rad or m, infinite where there are none."""
    name: str
    type: str             # one of TYPES
    parent: str
    child: str
    origin: np.ndarray    # (4, 4) of the child in the parent, at position 0
    axis: np.ndarray      # (3,) unit, in the frame of the child
    lower: float
    upper: float
    effort: float         # N·m or N
    velocity: float       # rad/s or m/s
    damping: float        # N·m·s/rad or N·s/m
    friction: float       # N·m or N, dry
    mimic: Mimic | None
    transmission: Transmission | None = None

    def motion(self, position):
        """(4, 4) of the child in its own frame at position 0."""
        result = np.eye(4)
        if self.type in ("revolute", "continuous"):
            result[:3, :3] = rotation_about(self.axis, position)
        elif self.type == "prismatic":
            result[:3, 3] = position * self.axis
        return result


@dataclass(frozen=True, eq=False)
class Robot:
    """Links and joints by name; `root` is the link that has no parent.

    `bodies` are what moves as one: link → links that fixed joints join to it, itself first.
    """
    name: str
    root: str
    links: dict
    joints: dict          # parents before children
    left_out: tuple = ()  # sentences on what of the file is not simulated, beside what joints are
    said_without = "left_out"

    def __repr__(self):
        moving = sum(joint.type in MOVING for joint in self.joints.values())
        return f"<Robot {self.name!r}: {len(self.links)} links, {moving} moving joints>"

    @cached_property
    def body_of(self):
        """Link → the first link of its body."""
        body = {self.root: self.root}
        for joint in self.joints.values():
            body[joint.child] = body[joint.parent] if joint.type == "fixed" else joint.child
        return body

    @cached_property
    def bodies(self):
        """First link of each body → all of its links."""
        found = {}
        for link, body in self.body_of.items():
            found.setdefault(body, []).append(link)
        return {body: tuple(links) for body, links in found.items()}

    def positions(self, given=None):
        """{moving joint: position}, 0 where not given; mimics follow unless given themselves."""
        if not isinstance(given, dict | None):
            refuse(f"robot {self.name!r}", f"positions are {given!r:.60}", "give a dict of joints, {name: rad or m}")
        given = dict(given or {})
        moving = {name: joint for name, joint in self.joints.items() if joint.type in MOVING}
        for name, value in given.items():
            word(f"robot {self.name!r}", "moving joint", name, tuple(moving))
            value = number(f"robot {self.name!r}", f"position of joint {name!r}", value)
            if not moving[name].lower <= value <= moving[name].upper:
                refuse(f"robot {self.name!r}", f"position of joint {name!r} is {value:g}",
                       f"give {moving[name].lower:g} to {moving[name].upper:g}")
        result = {}
        for name in moving:
            chain, at = [], name
            while at not in given and moving[at].mimic is not None:
                chain.append(moving[at].mimic)
                at = moving[at].mimic.joint
            value = float(given.get(at, 0.0))
            for mimic in reversed(chain):
                value = mimic.multiplier * value + mimic.offset
            result[name] = value
        return result

    def poses(self, positions=None, pose=None):
        """{link: (4, 4)} for joint positions {name: rad or m}; `pose` is that of the root, (4, 4)."""
        at = self.positions(positions)
        found = {self.root: np.eye(4) if pose is None else np.asarray(pose, np.float64)}
        for name, joint in self.joints.items():
            found[joint.child] = found[joint.parent] @ joint.origin @ joint.motion(at.get(name, 0.0))
        return {name: frozen(one) for name, one in found.items()}

    def inertial(self, links=None, poses=None):
        """Mass, centre and inertia of some links taken as one (all of them unless told), at poses (zero unless told)."""
        poses = self.poses() if poses is None else poses
        parts = [(self.links[name], poses[name]) for name in (self.links if links is None else links)]
        mass = sum(link.mass for link, _ in parts)
        if mass == 0.0:
            return Inertial(0.0, np.mean([pose[:3, 3] for _, pose in parts], axis=0), np.zeros((3, 3)))
        origin = parts[0][1][:3, 3]
        centres = [pose[:3, :3] @ link.centre + pose[:3, 3] for link, pose in parts]
        offset = sum(link.mass * (at - origin) for (link, _), at in zip(parts, centres, strict=True)) / mass
        inertia = sum(pose[:3, :3] @ link.inertia @ pose[:3, :3].T + shifted_inertia(link.mass, at - origin - offset)
                      for (link, pose), at in zip(parts, centres, strict=True))
        return Inertial(mass, origin + offset, inertia)

    def add_to(self, scene, name, joint_stiffness=None, positions=None, fixed_base=True, pose=None, axis_stiffness=0.0,
               contact=None, way="exact", round_shapes=False):
        """Put the robot into a scene: a rigid primitive for each body, a joint for each joint; returns its RobotHandle.

        Joints are exact, name.<joint> in the scene, with the damping, friction and limits of the URDF; mimics follow, by
        relations name.<joint>.mimic. What else it says of them, and the scene does not do, is told by `notes`. A floating
        joint holds nothing. Where a link and a joint have one name the joint is name.<joint>.joint; `/` and `:` of names are
        `_`. A body between two joints needs no mass. Limits of effort and velocity, and transmissions, are
        those of motors: `RobotHandle.add_motor` adds them.

        With way="springs" joints have a gap: a revolute joint is held by linear springs from three particles of the parent
        around its axis to two of the child on it, whose lengths do not change as it turns; a prismatic joint by angular springs
        at 180°, whose bend stays zero as it slides. About or along its axis stands a spring of `axis_stiffness` and of the
        damping that the URDF gives; where both are zero there is none. Handles name the particles for another one, with a
        drive.

        Where not told, the stiffness of a joint is such that the weight of all it carries, M g at its reach l, bends it
        by 1e-4 rad: k = M g l/(1e-4 r²) with r = l/4, g = 9.81 m/s²; the viscosity is a tenth of the critical one of the
        quickest vibration. Friction and limits of the URDF are not simulated. Mimics only start where they should.

        Args:
            scene: the Scene.
            name: of the robot there; rigids are name.<first link>, springs name.<joint> and name.<joint>.axis.
            joint_stiffness: by springs: of those that hold a joint [N/m], one number or {joint: number}.
            positions: {joint: rad or m}, 0 where not given.
            fixed_base: whether the root is held.
            pose: of the root in the world, (4, 4) or (position, quaternion).
            axis_stiffness: of a spring on the coordinate [N·m/rad] or [N/m], one number or {joint: number}, at rest where the
                joint is now.
            contact: a ContactMaterial for all links with a collision shape, or {link: ContactMaterial}: they touch other things
                and each other as name.<link>, all of the contact group `name`, but for links that a joint joins and those of
                one body. Of a mesh the convex hull touches. Without it nothing of the robot does.
            way: "exact", or "springs" that hold the joints.
            round_shapes: whether links whose collision shape is one cylinder or ball touch as such: without edges, and
                not on soft objects and sheets as yet, if a cylinder.
        """
        from robotphi.urdf.build import add_robot

        return add_robot(scene, self, name, joint_stiffness, positions, fixed_base, pose, axis_stiffness, contact, way,
                         round_shapes)
