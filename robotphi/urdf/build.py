"""A robot in a scene: bodies become rigid primitives, joints exact ones, or springs that belong together."""
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import frozen, number, refuse, word
from robotphi.scene.poses import pose_matrix
from robotphi.scene.rigid import given_inertia
from robotphi.scene.saying import said
from robotphi.scene.turns import rotation_about
from robotphi.urdf.contact import add_skins, link_materials, skin_of
from robotphi.urdf.exact import KINDS, add_exact_joints, check_limits, exact_plans, notes_of
from robotphi.urdf.handle import JointHandle, RobotHandle
from robotphi.urdf.names import joint_name, notes_on_names, plain
from robotphi.urdf.robot import MOVING, Joint

GRAVITY = 9.81         # m/s², of the load that joints are made for, whatever that of the scene
WAYS = ("exact", "springs")
BEND = 1e-4            # rad, by which that load may bend a joint; a smaller one makes stiffer springs and shorter steps
RADIUS = 0.25          # of the reach of a joint: where its springs take hold
DAMPING_RATIO = 0.1    # of the quickest vibration of the springs that hold a joint; slower ones have less


class _Body:
    """A rigid in the making: points are collected until all joints are known."""

    def __init__(self, inertial):
        self.inertial, self.points, self.rigid = inertial, [], None

    def add(self, point):
        self.points.append(point)
        return self, len(self.points) - 1


def _index(place):
    body, row = place
    return int(body.rigid.particles[row])


@said
def add_robot(scene, robot, name, joint_stiffness=None, positions=None, fixed_base=True, pose=None, axis_stiffness=0.0,
              contact=None, way="exact", round_shapes=False):
    """See `Robot.add_to`; a verb of scenes, as their own are."""
    where = f"robot {name!r}"
    exact = word(where, "way", way, WAYS) == "exact"
    _check_way(where, robot, exact, joint_stiffness)
    materials = link_materials(where, robot, contact)
    at, poses = robot.positions(positions), robot.poses(positions, None if pose is None else pose_matrix(where, "pose", pose))
    bodies = {first: _Body(robot.inertial(links, poses)) for first, links in robot.bodies.items()}
    for first, body in bodies.items():
        if body.inertial.mass == 0.0 and not (fixed_base and first == robot.root) and not (exact and _carries(robot, first)):
            refuse(where, f"its body {', '.join(robot.bodies[first])} has no mass",
                   "give one of these links an inertial, or join them to another by a fixed joint")
        if body.inertial.mass > 0.0:
            given_inertia(f"{where}, body {', '.join(robot.bodies[first])}", body.inertial.inertia)
    links = {link: bodies[robot.body_of[link]].add(poses[link][:3, 3]) for link in robot.links}
    whole = 0.0 if fixed_base else sum(body.inertial.mass for body in bodies.values())
    if exact:
        check_limits(where, robot, at)
    plans = exact_plans(robot, poses) if exact else {joint.name: _plan(robot, joint, at[joint.name], poses, bodies, whole)
                                                     for joint in robot.joints.values() if joint.type in MOVING}
    stiffness = _per_joint(where, "joint_stiffness", joint_stiffness, plans, above=0.0)
    axis = _per_joint(where, "axis_stiffness", axis_stiffness, plans, low=0.0)
    skins = {link: skin_of(robot.links[link], poses[link], bodies[robot.body_of[link]], round_shapes) for link in materials}
    rigids = {first: _add_rigid(scene, f"{name}.{plain(first)}", body, fixed_base and first == robot.root)
              for first, body in bodies.items()}
    if exact:
        joints = add_exact_joints(scene, name, robot, at, plans, rigids, axis)
    else:
        joints = {one: _add_joint(scene, joint_name(robot, name, one), plan, stiffness.get(one), axis.get(one, 0.0))
                  for one, plan in plans.items()}
    return RobotHandle(name, robot, rigids, {link: _index(place) for link, place in links.items()}, joints,
                       add_skins(scene, robot, name, skins, rigids, materials),
                       (*(notes_of(joints) if exact else ()), *notes_on_names(robot, name, joints), *robot.left_out), scene)


def _check_way(where, robot, exact, joint_stiffness):
    """Refuse what belongs to the other way."""
    if exact and joint_stiffness is not None:
        refuse(where, "joint_stiffness is given, and exact joints have no gap", 'leave it out, or give way="springs"')
    planar = [joint.name for joint in robot.joints.values() if joint.type == "planar"]
    if planar and not exact:
        refuse(where, f"its joint {planar[0]!r} is planar, which springs do not hold", 'give way="exact"')


def _carries(robot, first):
    """Whether a body that has no mass hangs on a joint and carries a body by one, so that it may be without."""
    moving = [joint for joint in robot.joints.values() if joint.type in KINDS]
    return all(any(robot.body_of[getattr(joint, end)] == first for joint in moving) for end in ("child", "parent"))


def _per_joint(where, what, value, plans, **bounds):
    """{joint: number} from None, one number or a dictionary."""
    if value is None:
        return {}
    given = value if isinstance(value, dict) else dict.fromkeys(plans, value)
    return {word(where, "moving joint", one, tuple(plans)): number(where, f"{what} of joint {one!r}", k, **bounds)
            for one, k in given.items()}


def _add_rigid(scene, name, body, held):
    mass, centre, inertia = body.inertial
    given = {"massless": not held} if mass == 0.0 else {"mass": mass, "centre": centre, "inertia": inertia}
    fixed = {"support": "xyz", "rotation_support": "xyz"} if held else {}
    body.rigid = scene.add_rigid(name, np.array(body.points), **given, **fixed)
    return body.rigid


@dataclass
class _Plan:
    """Where the springs of a joint take hold; places are pairs of body and row."""
    joint: Joint
    position: float
    outer: list
    inner: list
    axis: list             # of the spring about or along the axis
    load: float            # N·m, that bends it: M g l, with M what hangs on it, or of a free robot may stand on it
    radius: float          # m
    inertance: float       # kg: what the two bodies, shaken at the joint, weigh at least
    rail: float = 0.0      # m, length of the rails of a prismatic joint
    length_at_zero: float = 0.0


def _plan(robot, joint, position, poses, bodies, whole):
    parent, child = bodies[robot.body_of[joint.parent]], bodies[robot.body_of[joint.child]]
    origin, frame = poses[joint.child][:3, 3], poses[joint.parent][:3, :3] @ joint.origin[:3, :3]
    axis = frame @ joint.axis
    across = frame @ np.cross(joint.axis, np.eye(3)[np.argmin(np.abs(joint.axis))])
    across /= np.linalg.norm(across)
    # Everything that hangs on the joint: its mass, and how far it reaches, by the radius of gyration of its parts.
    carried = {robot.body_of[joint.child]}
    for other in robot.joints.values():  # parents before children
        if robot.body_of[other.parent] in carried:
            carried.add(robot.body_of[other.child])
    parts = [bodies[one].inertial for one in carried]
    mass = sum(part.mass for part in parts)
    reach = max(np.linalg.norm(part.centre - origin) + np.sqrt(np.trace(part.inertia) / (2.0 * part.mass)) for part in parts)
    radius = RADIUS * reach
    mobility = sum(_mobility(body.inertial, np.linalg.norm(body.inertial.centre - origin) + radius)
                   for body in (parent, child) if body.inertial.mass > 0.0)
    weight = GRAVITY * max(mass, whole - mass)   # a robot that is free may stand on what hangs on the joint
    plan = _Plan(joint, position, [], [], [], weight * reach, radius, 1.0 / mobility)
    (_lay_rails if joint.type == "prismatic" else _lay_ring)(plan, parent, child, origin, axis, across)
    return plan


def _mobility(inertial, arm):
    """1/kg, at most, of a point of a rigid body at that distance from its centre: 1/m + arm²/I, by its smallest moment."""
    return 1.0 / inertial.mass + arm ** 2 / np.linalg.eigvalsh(inertial.inertia)[0]


def _lay_ring(plan, parent, child, origin, axis, across):
    """Three particles of the parent around the axis, two of the child on it.

    At height r/√2 beside a ring of radius r the three directions are at right angles: Σ d dᵀ = 1, the same stiffness k
    in all directions, and 2 k (r/√2)² = k r² against bending.
    """
    radius = plan.radius
    turns = 2.0 * np.pi / 3.0 * np.arange(3)
    plan.outer = [parent.add(origin + radius * rotation_about(axis, turn) @ across) for turn in turns]
    plan.inner = [child.add(origin + side * radius / np.sqrt(2.0) * axis) for side in (-1.0, 1.0)]
    arm = child.add(origin + radius * rotation_about(axis, plan.position) @ across)
    plan.axis = [plan.outer[0], *plan.inner, arm]


def _lay_rails(plan, parent, child, origin, axis, across):
    """Two rails of the parent along the axis; two particles of the child on the first, one on the second.

    A particle that leaves its rail by y, with p and q of the rail on its two sides, bends it by y (1/p + 1/q).
    """
    joint, radius = plan.joint, plan.radius
    if np.isinf(joint.upper - joint.lower):
        refuse(f"joint {joint.name!r}", "the file gives it no limits, and rails of springs have ends", 'give way="exact"')
    low, high = min(joint.lower, plan.position), max(joint.upper, plan.position)
    zero = origin - plan.position * axis
    for beside in (0.0, radius):
        plan.outer += [parent.add(zero + at * axis + beside * across) for at in (low - 2.0 * radius, high + 2.0 * radius)]
    plan.inner = [child.add(origin - radius * axis), child.add(origin + radius * axis), child.add(origin + radius * across)]
    plan.axis = [plan.outer[0], plan.inner[0]]
    plan.rail, plan.length_at_zero = high - low + 4.0 * radius, radius - low


def _add_joint(scene, name, plan, stiffness, axis_stiffness):
    joint = plan.joint
    k = plan.load / (BEND * plan.radius ** 2) if stiffness is None else stiffness
    viscosity = DAMPING_RATIO * np.sqrt(2.0 * k * plan.inertance)
    outer, inner = (np.array([_index(place) for place in places], np.int32) for places in (plan.outer, plan.inner))
    if joint.type == "prismatic":
        weakest = (4.0 / plan.rail) ** 2  # (1/p + 1/q)² in the middle of the rail
        holding = scene.add_angular(name, outer[[0, 0, 2]], inner, outer[[1, 1, 3]], k / weakest,
                                    viscosity=viscosity / weakest, rest_angle=np.pi)
    else:
        holding = scene.add_linear(name, np.repeat(outer, 2), np.tile(inner, 3), k, viscosity=viscosity)
    particles, spring = tuple(_index(place) for place in plan.axis), None
    if axis_stiffness > 0.0 or joint.damping > 0.0:
        add = scene.add_linear if joint.type == "prismatic" else scene.add_articular
        spring = add(f"{name}.axis", *particles, axis_stiffness, viscosity=joint.damping)
    return JointHandle(joint, plan.position, holding, spring, particles, frozen(outer), frozen(inner),
                       plan.length_at_zero)
