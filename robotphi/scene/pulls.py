"""Pulls at the door: what is pulled, towards what, along which axes and when."""
from numbers import Integral

import numpy as np

from robotphi.scene.acts import Ends, check_apart, check_once, ends_of
from robotphi.scene.blocks import ParticleBlock, Rigid
from robotphi.scene.checks import AXES, axes, floats, number, refuse, yes_or_no
from robotphi.scene.drive import as_drive, is_number
from robotphi.scene.gates import gate_of, share_of
from robotphi.scene.objects import Placed
from robotphi.scene.path import Path
from robotphi.scene.poses import frame_of, mark_rows

GOALS = ("goal_x", "goal_y", "goal_z")


def pull_fields(scene, where, target, towards, speed, axes_said, frame, active, when, whole, laws):
    """Fields of the act `pull`; see `Scene.add_pull`."""
    fields = {**_target(scene, where, target, whole), **laws}
    count = 1 if "together" in fields else len(fields["target"].rows)
    goal = _goal(scene, where, towards, speed, count)
    fields |= goal
    if "goal" in goal:
        check_apart(scene, where, "towards", fields["target"].rows, goal["goal"].rows)
    rigid, directions = _frame(scene, where, axes_said, frame, goal.get("goal"))
    fields |= {"frame": rigid} | dict(zip(("first", "second", "third"), directions, strict=True))
    fields |= gate_of(scene, where, when)
    if active is not None:
        fields["share"] = share_of(scene, where, active)
    return {what: value for what, value in fields.items() if value is not None}


def _target(scene, where, target, whole):
    if isinstance(target, str) and target in scene.objects:
        target = scene.objects[target]
    if whole is not None:
        whole = yes_or_no(where, "whole", whole)
    if isinstance(target, Placed) and whole is not False:
        rows, weights = _masses(target, scene)
        return {"target": Ends(rows), "weight": weights, "together": len(rows)}
    if isinstance(target, (tuple, list)) and len(target) == 2 and isinstance(target[1], str):
        thing = scene.objects.get(target[0], target[0]) if isinstance(target[0], str) else target[0]
        if isinstance(thing, Placed) and target[1] in thing.object.regions:
            target = thing.region(target[1])
    if isinstance(target, Placed):
        target = target.particles
    ends = check_once(scene, where, ends_of(scene, where, "target", target))
    return {"target": Ends(ends), "together": len(ends)} if whole else {"target": Ends(ends)}


def _masses(placed, scene):
    """Ends of all that has mass in an object, and the masses: its mean by them is the centre of mass."""
    free = np.flatnonzero((placed.object.rigid_of_particle < 0) & (placed.object.mass > 0.0))
    rows = [*placed.particles[free].tolist(), *(-1 - rigid.index for rigid in placed.rigids)]
    return np.array(rows, np.int32), np.array([*placed.object.mass[free], *(rigid.mass for rigid in placed.rigids)])


def _goal(scene, where, towards, speed, count):
    """Fields of the goal: a place that stays or is led, one for each target, or an end of another thing."""
    if isinstance(towards, Path):
        if speed is None:
            refuse(where, "towards a path without a speed", "give speed [m/s], or a Drive of the distance along it [m]")
        return dict(zip(GOALS, towards.run(where, speed, scene.duration), strict=True))
    if speed is not None:
        refuse(where, "a speed without a path", "give towards=Path(points)")
    if isinstance(towards, Placed) or (isinstance(towards, str) and towards in scene.objects):
        refuse(where, f"towards the object {getattr(towards, 'name', towards)!r}", "give a mark of it as (object, mark)")
    if isinstance(towards, (str, Rigid, ParticleBlock)) or _is_index(towards) or _is_mark(towards):
        return {"goal": Ends(ends_of(scene, where, "towards", towards))}
    if isinstance(towards, (tuple, list)) and len(towards) == 3 and not all(map(is_number, towards)):
        if any(np.ndim(one) for one in towards if not callable(one)):
            return {"anchor": _places(where, towards, count)}
        places = [number(where, "towards", one) if is_number(one) else 0.0 for one in towards]
        led = {what: as_drive(where, f"towards along {axis}", one, scene.duration)
               for what, axis, one in zip(GOALS, AXES, towards, strict=True) if not is_number(one)}
        return {"anchor": places, **led}
    return {"anchor": _places(where, towards, count)}


def _places(where, towards, count):
    places = floats(where, "towards", towards)
    if places.shape not in ((3,), (count, 3)):
        refuse(where, f"towards has shape {places.shape}",
               f"give a place (three numbers, Drives or functions of time), {count} of them, a mark, rigid, particle or Path")
    return places


def _is_index(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iu" and value.ndim <= 1
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_mark(value):
    return isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], str)


def _frame(scene, where, letters, frame, goal):
    """(rigid whose axes count or None, three directions, nought along which it does not pull)."""
    held = axes(where, "axes", letters)
    if not held.any():
        refuse(where, "axes is empty", 'give letters such as "xyz" or "z"')
    directions, rigid = np.eye(3), frame
    if isinstance(frame, (tuple, list)):
        if not (len(frame) == 2 and isinstance(frame[0], (str, Rigid)) and isinstance(frame[1], str)):
            refuse(where, f"frame is {frame!r:.60}", "give a rigid, or a frame marked on one as (rigid, mark)")
        rigid = scene.find(frame[0], where) if isinstance(frame[0], str) else frame[0]
        directions = frame_of(where, frame[1], scene.position[mark_rows(scene, where, rigid, frame[1])])[:3, :3].T
    if rigid is not None:
        return rigid, directions * held[:, None]
    if goal is None:
        return None, directions * held[:, None]
    if not held.all():
        refuse(where, f"along {letters} of the world towards another thing, which would turn the two from outside",
               "give frame=, a rigid whose axes they are")
    carriers = {scene.rigid_of_particle[end] if end >= 0 else -1 - end for end in goal.rows.tolist()}
    carrier = carriers.pop() if len(carriers) == 1 else -1
    return scene.rigids[carrier] if carrier >= 0 else None, directions


def led_turn(where, rotation, about):
    """Fields of a turn, (axis, drive), about a place."""
    if rotation is None:
        return {}
    if not isinstance(rotation, (tuple, list)) or len(rotation) != 2:
        refuse(where, f"rotation is {rotation!r:.60}", "give (axis, Drive), the angle in radians")
    axis = floats(where, "axis of rotation", rotation[0])
    if axis.shape != (3,) or not axis.any():
        refuse(where, f"axis of rotation is {axis.tolist()}", "give three numbers that are not all 0")
    return {"axis": axis / np.linalg.norm(axis), "turn": rotation[1], "about": floats(where, "about", about)}
