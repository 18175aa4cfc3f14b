"""How the two rigids of a joint stand and move to each other, with the words of its kind, from where they are.

Coordinates are taken of the relative pose R = R_pᵀ R_c in axes of the joint as the parent carries them: of a revolute joint
the twist about x, of a universal one R = R_x(a) R_y(b), of a ball the rotation vector. Angles are within half a turn of those
drawn.
"""
import numpy as np

from robotphi.scene.checks import AXES
from robotphi.scene.rigid import principal_frame
from robotphi.scene.turns import matrix_of, rotation_about


def drawn(model, rigid):
    """Centre and principal axes of a rigid where it was drawn: what drives add at time zero included."""
    rigid = model.scene.rigids[rigid.index]
    centre, axes = rigid.centre.copy(), principal_frame(rigid.inertia)[1]
    for axis, drive in rigid.drive.items():
        if axis == "rotation":
            axes = rotation_about(rigid.drive_axis, float(drive.value(0.0))) @ axes
        else:
            centre[AXES.index(axis)] += drive.value(0.0)
    return centre, axes


def turn_of(model, rigid, seen):
    """(…, 3, 3) by which a rigid has turned since it was drawn."""
    if rigid is None:
        return np.eye(3)
    return matrix_of(seen.rigid_orientation[..., rigid.index, :]) @ drawn(model, rigid)[1].T


def carried_frame(model, joint, seen):
    """(…, 3, 3) axes of a joint as its parent carries them."""
    return turn_of(model, joint.parent, seen) @ joint.frame


def along(frame, vector):
    """Components of a vector along axes."""
    return np.stack([(frame[..., :, k] * vector).sum(axis=-1) for k in range(3)], axis=-1)


def point_of(model, rigid, place, seen):
    """Where a rigid has a place that was drawn on it, how that moves, and the spin."""
    if rigid is None:
        return place, np.zeros(3), np.zeros(3)
    i, spin = rigid.index, seen.rigid_spin[..., rigid.index, :]
    arm = (turn_of(model, rigid, seen) @ (place - drawn(model, rigid)[0])[:, None])[..., 0]
    return seen.rigid_position[..., i, :] + arm, seen.rigid_velocity[..., i, :] + np.cross(spin, arm), spin


def _ends(model, joint, seen):
    on_child = getattr(joint, "at_child", joint.at)
    return point_of(model, joint.parent, joint.at, seen), point_of(model, joint.child, on_child, seen)


def coordinates(model, joint, seen):
    """(…, k) coordinates of a joint by the relative pose."""
    frame = carried_frame(model, joint, seen)
    r = np.swapaxes(frame, -1, -2) @ turn_of(model, joint.child, seen) @ getattr(joint, "frame_child", joint.frame)
    (at, *_), (own_at, *_) = _ends(model, joint, seen)
    shift = along(frame, own_at - at)
    twist = np.arctan2(r[..., 2, 1] - r[..., 1, 2], r[..., 1, 1] + r[..., 2, 2])
    x, y, z = np.moveaxis(shift, -1, 0)
    found = {"revolute": (twist,), "screw": (twist,), "prismatic": (x,), "cylindrical": (x, twist), "planar": (y, z, twist),
             "universal": (np.arctan2(r[..., 2, 1], r[..., 1, 1]), np.arctan2(r[..., 0, 2], r[..., 0, 0])),
             "ball": tuple(np.moveaxis(_rotation_vector(r), -1, 0))}.get(joint.kind, ())
    return np.stack(found, axis=-1) + joint.place if found else np.zeros((*x.shape, 0))


def _rotation_vector(r):
    """Axis × angle of rotation matrices."""
    skew = 0.5 * np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    sine = np.linalg.norm(skew, axis=-1, keepdims=True)
    angle = np.arctan2(sine, 0.5 * (np.trace(r, axis1=-2, axis2=-1)[..., None] - 1.0))
    return skew * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0)


def rates(model, joint, seen):
    """(…, k) rates of the coordinates."""
    frame = carried_frame(model, joint, seen)
    (at, speed, spin), (own_at, own_speed, own_spin) = _ends(model, joint, seen)
    turning = along(frame, own_spin - spin)
    x, y, z = np.moveaxis(along(frame, own_speed - speed - np.cross(spin, own_at - at)), -1, 0)
    about, _, _ = np.moveaxis(turning, -1, 0)
    if joint.kind == "universal":   # ω = ȧ x + ḃ (y turned by a)
        first = coordinates(model, joint, seen)[..., 0] - joint.place[0]
        return np.stack([about, np.cos(first) * turning[..., 1] + np.sin(first) * turning[..., 2]], axis=-1)
    found = {"revolute": (about,), "screw": (about,), "prismatic": (x,), "cylindrical": (x, about), "planar": (y, z, about),
             "ball": tuple(np.moveaxis(turning, -1, 0))}.get(joint.kind, ())
    return np.stack(found, axis=-1) if found else np.zeros((*x.shape, 0))
