"""Exact joints at the door: what is joined where, checked, as a Joint."""
import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.scene.blocks import Joint, Rigid
from robotphi.scene.checks import frozen, number, numbers, refuse, vector
from robotphi.scene.closing import reach_of
from robotphi.scene.joint_efforts import dry_friction, laws_of_time, start_of, stops
from robotphi.scene.objects import Placed
from robotphi.scene.poses import marked
from robotphi.scene.table import Table

PARALLEL = 1e-9   # sine of the angle below which two axes are one


def exact_place(scene, where, kind, at, axis, across, length, centre, points, closed):
    """Where an exact joint stands on both, as fields of a Joint."""
    at, axis, across = joint_place(scene, where, at, axis, across)
    (axis, axis_child), (across, across_child) = _two(axis), _two(across)
    frame = joint_frame(where, kind, axis, across)
    alike = axis_child is axis and across_child is across
    at, at_child, size, curve = reach_of(where, kind, at, length, centre, points, closed)
    return {"at": at, "at_child": at_child, "frame": frame, "size": size, "curve": curve, "closed": bool(closed),
            "frame_child": frame if alike else joint_frame(where, kind, axis_child, across_child)}


def exact_motion(scene, where, kind, place, rate, drive, torque):
    """Its coordinates and rates at the start and its laws of time, as fields of a Joint."""
    count = freedom_count(kind)
    drive, torque = laws_of_time(scene, where, "drive", drive, count), laws_of_time(scene, where, "torque", torque, count)
    place, speed = start_of(where, drive, torque, place, 0.0 if rate is None else rate, count)
    return {"place": place, "rate": speed, "rate_said": rate is not None or any(drive), "drive": drive, "torque": torque}


def exact_efforts(where, kind, place, armature, stiffness, rest, viscosity, friction, limits, restitution, table):
    """What acts on its coordinates, drawn at a place, as fields of a Joint."""
    count = freedom_count(kind)
    if table is not None and not isinstance(table, Table):
        refuse(where, f"table is {table!r:.60}", "give a Table such as Table([-0.1, 0.0, 0.1], [-2.0, 0.0, 3.0])")
    if table is not None and count != 1:
        refuse(where, f"a table on a {kind} joint", "give it to a joint of one freedom")
    return {"armature": numbers(where, "armature", armature, count, low=0.0),
            "stiffness": numbers(where, "stiffness", stiffness, count, low=0.0),
            "rest": place if rest is None else numbers(where, "rest", rest, count),
            "viscosity": numbers(where, "viscosity", viscosity, count, low=0.0),
            "friction": dry_friction(where, friction, count), "limits": stops(where, limits, place, count),
            "restitution": numbers(where, "restitution", restitution, count, low=0.0, high=1.0), "table": table}


def exact_joint(where, name, kind, parent, child, pitch, assemble, **fields):
    """A Joint of rigids, given the fields of its place, motion and efforts."""
    joint = Joint(name, kind, parent, child, pitch=_pitch_of(where, kind, pitch),
                  assemble=None if assemble is None else number(where, "assemble", assemble, low=0.0), **fields)
    if kind == "ball":
        _check_ball(where, joint)
    return joint


def freedom_count(kind):
    """How many coordinates a kind of joint has where it moves something; what only closes has none."""
    return sum(map(len, JOINTS[kind].links or ()))


def _pitch_of(where, kind, pitch):
    if not JOINTS[kind].pitch:
        if pitch is not None:
            refuse(where, f"a {kind} joint with a pitch", 'leave it out, or use kind="screw"')
        return 0.0
    pitch = number(where, "pitch", refuse(where, "a screw without pitch", "give metres for each radian")
                   if pitch is None else pitch)
    if pitch == 0.0:
        refuse(where, "a screw with pitch 0", 'give metres for each radian, or use kind="revolute"')
    return pitch


def _check_ball(where, joint):
    """The three axes of a ball have rates, but no coordinates."""
    given = {"a place": joint.place.any(), "stiffness": joint.stiffness.any(), "dry friction": joint.friction.any(),
             "stops": np.isfinite(joint.limits).any(), "a drive": any(joint.drive)}
    for what, there in given.items():
        if there:
            refuse(where, f"a ball joint with {what}", "its axes have no coordinates: use revolute joints, or springs")


def _two(direction):
    """A direction on the parent and on the child, where one is given for both."""
    return (direction[0], direction[1]) if direction is not None and np.shape(direction) == (2, 3) else (direction, direction)


def joint_place(scene, where, at, axis, across):
    """Where a joint stands, and its axes, from a place or a mark; a frame has axes, where none are given."""
    at, x, y = marked(scene, where, at)
    return at, x if axis is None else axis, y if axis is None and across is None else across


def joint_ends(scene, where, parent, child):
    """The rigids that a parent and a child mean, None for the world."""
    parent = None if parent is None else rigid_end(scene, where, "parent", parent)
    child = rigid_end(scene, where, "child", child)
    if parent is not None and parent.index == child.index:
        refuse(where, f"{child.name!r} is joined to itself", "give two rigids, or None for the world")
    return parent, child


def rigid_end(scene, where, what, end):
    """The rigid of this scene that an end means."""
    if isinstance(end, Placed) and len(end.rigids) == 1:
        end = end.rigids[0]
    if isinstance(end, Placed):
        names = ", ".join(rigid.name for rigid in end.rigids[:12])
        refuse(where, f"{what} {end.name!r} is an object of {len(end.rigids)} rigids",
               f"give one of its rigids: {names}" if names else "joints hold rigids; join deformable parts by springs")
    if not isinstance(end, Rigid):
        world = ", or None for the world" if what == "parent" else ""
        refuse(where, f"{what} is {end!r:.60}", f"give a rigid of this scene{world}")
    known = scene.things.get(end.name)
    if not isinstance(known, Rigid) or known.centre is not end.centre:   # values make a rigid anew and leave its centre
        refuse(where, f"{what} {end.name!r} is a rigid of another scene", "add it to this one")
    return known


def joint_frame(where, kind, axis, across):
    """(3, 3) axes of the joint as columns: x along the axis, y across it."""
    if axis is None and JOINTS[kind].needs_axis:
        refuse(where, f"a {kind} joint without an axis", 'give axis, such as (0, 0, 1)')
    x = _direction(where, "axis", (1.0, 0.0, 0.0) if axis is None else axis)
    if across is None:
        across = np.eye(3)[np.argmin(np.abs(x))]
    y = vector(where, "across", across)
    y = y - (y @ x) * x
    size = np.linalg.norm(y)
    if size <= PARALLEL * max(np.linalg.norm(across), 1e-300):
        refuse(where, "across points along the axis", "give a direction across it")
    y = y / size
    return frozen(np.column_stack((x, y, np.cross(x, y))))


def _direction(where, what, value):
    value = vector(where, what, value)
    size = np.linalg.norm(value)
    if not 0.0 < size < np.inf:
        refuse(where, f"{what} is {value.tolist()}", "give a direction such as (0, 0, 1)")
    return value / size
