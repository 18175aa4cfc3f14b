"""Readings of joints: coordinates, rates, efforts and what a joint transmits, of an instant or of many frames.

A reaction is the force and couple of the parent on the child, at the joint, along the axes of the joint as its parent carries
them: x along the axis that was given. An effort is all that acts on a coordinate, springs, dampers, friction and drives
together; that of a revolute joint is the x of its couple, but for what an armature takes.
"""
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.mechanism.columns import EFFORT
from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.model.mechanisms import freedom_rows
from robotphi.record.relative import along, carried_frame, coordinates, rates
from robotphi.record.spring_joints import spring_joint_reading

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


def joint_reading(model, number, quantity, seen, freedom=ALL):
    """A quantity of a joint, with frames in front where the instant has them; one number of one freedom, else (…, k).

    A joint that closes a loop has no coordinates of its own: they are those of the relative pose, and nothing acts on them.
    """
    joint, (link, back) = model.scene.joints[number], model.link_of_joint[number]
    if quantity in ("reaction_force", "reaction_couple"):
        columns = slice(0, 3) if quantity == "reaction_force" else slice(3, 6)
        if link < 0:
            own = np.flatnonzero(model.arrays.closures.joint == number)
            whole = np.take(seen.joint_closing, own, axis=-2)[..., columns].sum(axis=-2)
        else:
            whole = (-1.0 if back else 1.0) * seen.joint_reaction[..., link, columns]
        return along(carried_frame(model, joint, seen), whole)
    if link < 0:
        return _of_closure(model, joint, quantity, seen, slice(None) if freedom == ALL else slice(freedom, freedom + 1))
    rows = freedom_rows(model, number)
    rows = rows if freedom == ALL else rows[freedom:freedom + 1]
    if quantity == "power":
        return np.ascontiguousarray(seen.joint_exerted[..., rows, 0] * seen.joint_rate[..., rows, 0]).sum(axis=-1)
    column = {"rate": "joint_rate", "effort": "joint_exerted", "coordinate": "joint_place"}[quantity]
    found = getattr(seen, column)[..., rows, 0]
    if quantity == "coordinate" and joint.kind == "ball":
        found = rotation_vector(seen.joint_turn[..., link, :]) @ model.arrays.mechanisms.axis[rows].T
    return found[..., 0] if found.shape[-1] == 1 else found


def motor_reading(model, number, quantity, seen):
    """What a motor does on its coordinate: effort, or effort × rate, which is what its entry of the ledger adds up."""
    motor, motors = model.scene.motors[number], model.arrays.mechanisms.motors
    joint = [each.name for each in model.scene.joints].index(motor.joint)
    freedom = freedom_rows(model, joint)[motor.freedom]
    effort = seen.joint_motor[..., np.flatnonzero(motors.freedom == freedom)[0], EFFORT]
    return effort * seen.joint_rate[..., freedom, 0] if quantity == "power" else effort


def _of_closure(model, joint, quantity, seen, chosen):
    found = (coordinates if quantity == "coordinate" else rates)(model, joint, seen)[..., chosen]
    if quantity in ("effort", "power"):
        found = np.zeros_like(found)
    if quantity == "power":
        return found.sum(axis=-1)
    return found[..., 0] if found.shape[-1] == 1 else found


def rotation_vector(q):
    """Axis × angle [rad], at most half a turn, of quaternions (…, 4)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(size > 0.0, 2.0 * np.arctan2(size, q[..., :1]) / np.where(size > 0.0, size, 1.0), 2.0)


def joint(recording, given, freedom):
    """See `Recording.joint`."""
    scene, name = recording.scene, getattr(given, "name", given)
    readers = {each.name: (number, each.kind, reader) for joints, reader in (
        (scene.joints, joint_reading), (scene.spring_joints, spring_joint_reading)) for number, each in enumerate(joints)}
    if not isinstance(name, str) or name not in readers:
        known = ", ".join(map(repr, list(readers)[:12])) or "none"
        raise RecordingError(f"{name!r:.60} is no joint of this recording; joints: {known}")
    number, kind, reader = readers[name]
    names = [each.name for each in freedoms_of(kind)]
    if freedom is not None and not (isinstance(freedom, str) and freedom in names):
        raise RecordingError(f"joint {name!r} has no freedom {freedom!r:.60}; its freedoms: {', '.join(names) or 'none'}")
    seen = SimpleNamespace(**{**vars(recording), **recording.checkpoint})
    chosen = ALL if freedom is None else names.index(freedom)
    return JointReading(**{quantity: reader(recording.model, number, quantity, seen, chosen)
                           for quantity in JointReading._fields})


def joint_facts(model):
    """What a recording tells of its joints without its scene: plain JSON values; nothing where there are none."""
    found = []
    for number, one in enumerate(model.scene.joints):
        closing = np.flatnonzero(model.arrays.closures.joint == number)
        found.append({"joint": one.name, "kind": one.kind, "parent": "" if one.parent is None else one.parent.name,
                      "child": one.child.name, "link": int(model.link_of_joint[number, 0]), "closing": closing.tolist(),
                      "freedoms": freedom_rows(model, number).tolist()})
    return {"joints": found} if found else {}


def joint_summary(recording):
    """A `JointSummary` of every joint, from the recording alone."""
    found, kept = [], recording.checkpoint
    for one in recording.info.get("joints", []):
        rows = one["freedoms"] if one["kind"] != "ball" else []
        names = [each.name for each in freedoms_of(one["kind"])][:len(rows)]
        places = kept["joint_place"][:, rows, 0]
        span = {name: [float(places[:, k].min()), float(places[:, k].max())] for k, name in enumerate(names)}
        whole = (kept["joint_reaction"][:, one["link"]] if one["link"] >= 0
                 else kept["joint_closing"][:, one["closing"]].sum(axis=1))
        sizes = [float(np.linalg.norm(whole[:, half], axis=-1).max()) for half in (slice(0, 3), slice(3, 6))]
        found.append(JointSummary(one["joint"], one["kind"], one["parent"], one["child"], span, *sizes))
    return found
