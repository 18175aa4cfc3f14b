"""Exact joints at the door: what is joined where, checked, as a Joint."""
import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.scene.blocks import Joint, Rigid
from robotphi.scene.checks import frozen, number, numbers, refuse, vector, word
from robotphi.scene.joint_efforts import dry_friction, laws_of_time, start_of, stops
from robotphi.scene.table import Table

PARALLEL = 1e-9   # sine of the angle below which two axes are one


def exact_joint(scene, where, name, kind, parent, child, at, axis, across, place, rate, pitch, armature, stiffness, rest,
                viscosity, friction, limits, restitution, drive, torque, table):
    word(where, "kind", kind, tuple(JOINTS))
    known = JOINTS[kind]
    _check_ends(scene, where, parent, child)
    frame = _frame(where, kind, known, axis, across)
    if known.pitch:
        pitch = number(where, "pitch", refuse(where, "a screw without pitch", "give metres for each radian")
                       if pitch is None else pitch)
    elif pitch is not None:
        refuse(where, f"a {kind} joint with a pitch", 'leave it out, or use kind="screw"')
    count = sum(len(freedoms) for freedoms in known.links)
    drive, torque = laws_of_time(scene, where, "drive", drive, count), laws_of_time(scene, where, "torque", torque, count)
    place, rate = start_of(where, drive, torque, place, rate, count)
    stiffness = numbers(where, "stiffness", stiffness, count, low=0.0)
    friction, limits = dry_friction(where, friction, count), stops(where, limits, place, count)
    if table is not None and not isinstance(table, Table):
        refuse(where, f"table is {table!r:.60}", "give a Table such as Table([-0.1, 0.0, 0.1], [-2.0, 0.0, 3.0])")
    if kind == "ball":
        _check_ball(where, place, stiffness, friction, limits, drive, table)
    if count != 1 and table is not None:
        refuse(where, f"a table on a {kind} joint", "give it to a joint of one freedom")
    return Joint(name, kind, parent, child, vector(where, "at", at), frame, pitch or 0.0, place, rate,
                 numbers(where, "armature", armature, count, low=0.0), stiffness,
                 place if rest is None else numbers(where, "rest", rest, count),
                 numbers(where, "viscosity", viscosity, count, low=0.0), friction, limits,
                 numbers(where, "restitution", restitution, count, low=0.0, high=1.0), drive, torque, table)


def _check_ball(where, place, stiffness, friction, limits, drive, table):
    """The three axes of a ball have rates, but no coordinates."""
    given = {"a place": place.any(), "stiffness": stiffness.any(), "dry friction": friction.any(),
             "stops": np.isfinite(limits).any(), "a drive": any(drive), "a table": table is not None}
    for what, there in given.items():
        if there:
            refuse(where, f"a ball joint with {what}", "its axes have no coordinates: use revolute joints, or springs")


def _check_ends(scene, where, parent, child):
    for what, end in (("parent", parent), ("child", child)):
        if not isinstance(end, Rigid) and not (what == "parent" and end is None):
            or_world = ", or None for the world" if what == "parent" else ""
            refuse(where, f"{what} is {end!r:.60}", f"give a rigid of this scene{or_world}")
        if end is not None and not any(end is rigid for rigid in scene.rigids):
            refuse(where, f"{what} {end.name!r} is a rigid of another scene", "add it to this one")
    if parent is child:
        refuse(where, f"{child.name!r} is joined to itself", "give two rigids, or None for the world")


def _frame(where, kind, known, axis, across):
    """(3, 3) axes of the joint as columns: x along the axis, y across it."""
    if axis is None and known.needs_axis:
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
