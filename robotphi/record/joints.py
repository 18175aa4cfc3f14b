"""Readings of joints: coordinates, rates, efforts and what a joint transmits, of an instant or of many frames.

A reaction is the force and couple of the parent on the child, at the joint, along the axes of the joint as its parent carries
them: x along the axis that was given. An effort is all that acts on a coordinate, springs, dampers, friction and drives
together; that of a revolute joint is the x of its couple, but for what an armature takes.
"""
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.mechanism.kinds import BALL, freedoms_of
from robotphi.record.closed_joints import closed_reading, drawn_pose, rotation_vector, told_row
from robotphi.scene.rigid import matrix_of

COLUMNS = ("joint_place", "joint_rate", "joint_turn", "joint_reaction", "joint_exerted")   # of a frame
POSES = ("rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin")
ALL = -1   # in place of a freedom: the joint as a whole


class JointReading(NamedTuple):
    """What a joint does over time, (f,) for one freedom, else (f, k)."""
    coordinate: np.ndarray        # rad or m; of a ball joint the turn as a rotation vector
    rate: np.ndarray              # rad/s or m/s
    effort: np.ndarray            # N·m or N, positive where it drives the coordinate on
    power: np.ndarray             # (f,) W that it gives to the mechanism, of all freedoms chosen
    reaction_force: np.ndarray    # (f, 3) N on the child, axes of the joint
    reaction_couple: np.ndarray   # (f, 3) N·m on the child, about the joint


class JointSummary(NamedTuple):
    """A joint over a whole run, for people."""
    joint: str
    kind: str
    parent: str
    child: str
    freedoms: dict                # name → [least, most] coordinate
    largest_force: float          # N
    largest_couple: float         # N·m


class JointRows(NamedTuple):
    """Where a joint stands in the arrays."""
    link: int             # the link that it moves
    freedoms: slice       # its freedoms, or the one chosen
    parent: int           # the rigid that carries its axes, −1: the world
    axes: np.ndarray      # (3, 3) its axes in the frame of the parent


def joint_rows(model, number, freedom=ALL):
    """`JointRows` of a joint by its number in the scene."""
    joint, mechanisms = model.scene.joints[number], model.arrays.mechanisms
    link = int(model.link_of_joint[number])
    last = int(mechanisms.freedom_start[link + 1])
    first = last - len(freedoms_of(joint.kind))
    chosen = slice(first, last) if freedom == ALL else slice(first + freedom, first + freedom + 1)
    if joint.parent is None:
        return JointRows(link, chosen, -1, joint.frame)
    parent = joint.parent.index
    return JointRows(link, chosen, parent, drawn_pose(model, joint.parent)[1].T @ joint.frame)


def joint_reading(model, number, quantity, seen, freedom=ALL):
    """A quantity of a joint, with frames in front where the instant has them; one number of one freedom, else (…, k).

    What joints that close a loop do is told by their rigids, see `closed_joints`.
    """
    if model.link_of_joint[number] < 0:
        found = closed_reading(model, number, quantity, seen)
        if quantity.startswith("reaction"):
            return found
        found = found if freedom == ALL or quantity == "power" else found[..., freedom:freedom + 1]
        return found[..., 0] if found.shape[-1] == 1 else found
    rows = joint_rows(model, number, freedom)
    if quantity in ("reaction_force", "reaction_couple"):
        whole = seen.joint_reaction[..., rows.link, slice(0, 3) if quantity == "reaction_force" else slice(3, 6)]
        if model.arrays.mechanisms.rigid[rows.link] != model.scene.joints[number].child.index:
            whole = -whole   # the tree goes from the child to the parent there
        axes = rows.axes if rows.parent < 0 else matrix_of(seen.rigid_orientation[..., rows.parent, :]) @ rows.axes
        return np.stack([(axes[..., :, k] * whole).sum(axis=-1) for k in range(3)], axis=-1)
    if quantity == "power":
        return _power(seen, rows.freedoms)
    column = {"rate": "joint_rate", "effort": "joint_exerted", "coordinate": "joint_place"}[quantity]
    found = getattr(seen, column)[..., rows.freedoms, 0]
    if quantity == "coordinate" and model.arrays.mechanisms.rotation[rows.link] == BALL:
        turn = rotation_vector(seen.joint_turn[..., rows.link, :])
        found = turn @ model.arrays.mechanisms.axis[rows.freedoms].T
    return found[..., 0] if found.shape[-1] == 1 else found


def _power(seen, freedoms):
    given = seen.joint_exerted[..., freedoms, 0] * seen.joint_rate[..., freedoms, 0]
    return np.ascontiguousarray(given).sum(axis=-1)


def joint(recording, given, freedom):
    """See `Recording.joint`."""
    joints, name = recording.scene.joints, getattr(given, "name", given)
    numbers = {each.name: number for number, each in enumerate(joints)}
    if name not in numbers:
        known = ", ".join(map(repr, list(numbers)[:12])) or "none"
        raise RecordingError(f"{name!r:.60} is no joint of this recording; joints: {known}")
    names = [each.name for each in freedoms_of(joints[numbers[name]].kind)]
    if freedom is not None and freedom not in names:
        raise RecordingError(f"joint {name!r} has no freedom {freedom!r:.60}; its freedoms: {', '.join(names) or 'none'}")
    seen = SimpleNamespace(**{column: getattr(recording, column) for column in POSES}, **{
        column: recording.checkpoint[column] for column in COLUMNS})
    chosen = ALL if freedom is None else names.index(freedom)
    return JointReading(**{quantity: joint_reading(recording.model, numbers[name], quantity, seen, chosen)
                           for quantity in JointReading._fields})


def joint_facts(model):
    """What a recording tells of its joints without its scene: plain JSON values; nothing where there are none."""
    found = []
    for number, one in enumerate(model.scene.joints):
        closes = model.link_of_joint[number] < 0
        rows = None if closes else joint_rows(model, number)
        found.append({"joint": one.name, "kind": one.kind, "parent": "" if one.parent is None else one.parent.name,
                      "child": one.child.name, "link": told_row(model, number) if closes else rows.link,
                      "first": None if closes else rows.freedoms.start})
    return {"joints": found} if found else {}


def joint_summary(recording):
    """A `JointSummary` of every joint, from the recording alone."""
    found, kept = [], recording.checkpoint
    for one in recording.info.get("joints", []):
        first = one["first"]   # none of joints that close loops
        names = [each.name for each in freedoms_of(one["kind"])] if one["kind"] != "ball" and first is not None else []
        places = kept["joint_place"][:, first:(first or 0) + len(names), 0]
        span = {name: [float(places[:, k].min()), float(places[:, k].max())] for k, name in enumerate(names)}
        sizes = [float(np.linalg.norm(kept["joint_reaction"][:, one["link"], half], axis=-1).max())
                 for half in (slice(0, 3), slice(3, 6))]
        found.append(JointSummary(one["joint"], one["kind"], one["parent"], one["child"], span, *sizes))
    return found
