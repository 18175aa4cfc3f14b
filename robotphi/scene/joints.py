"""Exact joints at the door: what is joined where, checked, as a Joint."""
import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.scene.blocks import Joint, Rigid
from robotphi.scene.checks import frozen, number, numbers, refuse, vector, word
from robotphi.scene.objects import Placed
from robotphi.scene.poses import marked

PARALLEL = 1e-9   # sine of the angle below which two axes are one


def exact_joint(scene, where, name, kind, parent, child, at, axis, across, place, rate, pitch, armature, stiffness, rest,
                viscosity):
    word(where, "kind", kind, tuple(JOINTS))
    known = JOINTS[kind]
    parent, child = joint_ends(scene, where, parent, child)
    at, axis, across = joint_place(scene, where, at, axis, across)
    frame = joint_frame(where, kind, axis, across)
    if known.pitch:
        pitch = number(where, "pitch", refuse(where, "a screw without pitch", "give metres for each radian")
                       if pitch is None else pitch)
    elif pitch is not None:
        refuse(where, f"a {kind} joint with a pitch", 'leave it out, or use kind="screw"')
    count = sum(len(freedoms) for freedoms in known.links)
    place = numbers(where, "place", place, count)
    if kind == "ball" and place.any():
        refuse(where, "a ball joint with a place", "leave it out: its orientation is that drawn")
    stiffness = numbers(where, "stiffness", stiffness, count, low=0.0)
    if kind == "ball" and stiffness.any():
        refuse(where, "a ball joint with stiffness about its three axes", "join the rigids by springs, or use revolute joints")
    return Joint(name, kind, parent, child, at, frame, pitch or 0.0, place,
                 numbers(where, "rate", rate, count), numbers(where, "armature", armature, count, low=0.0), stiffness,
                 place if rest is None else numbers(where, "rest", rest, count),
                 numbers(where, "viscosity", viscosity, count, low=0.0))


def joint_place(scene, where, at, axis, across):
    """Where a joint stands, and its axes, from a place or a mark; a frame has axes, where none are given."""
    at, x, y = marked(scene, where, at)
    return at, x if axis is None else axis, y if axis is None and across is None else across


def joint_ends(scene, where, parent, child):
    """The rigids that a parent and a child mean, None for the world."""
    parent, child = None if parent is None else _end(scene, where, "parent", parent), _end(scene, where, "child", child)
    if parent is not None and parent.index == child.index:
        refuse(where, f"{child.name!r} is joined to itself", "give two rigids, or None for the world")
    return parent, child


def _end(scene, where, what, end):
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
