"""Readings of joints that close loops: they have no coordinates of their own, but what their two rigids do says them all.

Angles are those within half a turn of the frame before, in a single instant those within half a turn of what is drawn. Nothing
acts along their coordinates. Reactions are kept in frames as those of other joints, behind these.
"""
import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.scene.rigid import matrix_of, principal_frame, quaternion_of


def closed_reading(model, number, quantity, seen):
    """A quantity of a joint that closes a loop, (…, k)."""
    joint, freedoms = model.scene.joints[number], freedoms_of(model.scene.joints[number].kind)
    if quantity in ("effort", "power"):
        return np.zeros((*seen.joint_place.shape[:-2], len(freedoms) if quantity == "effort" else 1))
    axes, at, speed, spin = _side(model, joint.parent, joint.at, joint.frame, seen)
    if quantity.startswith("reaction"):
        row = told_row(model, number)
        return _along(axes, seen.joint_reaction[..., row, slice(0, 3) if quantity == "reaction_force" else slice(3, 6)])
    own_axes, own_at, own_speed, own_spin = _side(model, joint.child, joint.at_child, joint.frame_child, seen)
    turning, apart = _along(axes, own_spin - spin), _along(axes, own_at - at)
    slid = _along(axes, own_speed - speed - np.cross(spin, own_at - at))
    if quantity == "rate":
        if joint.kind == "universal":
            return np.stack((turning[..., 0], _dot(own_spin - spin, own_axes[..., :, 1])), axis=-1)
        return np.stack([_dot(turning if freedom.turn else slid, np.array(freedom.axis)) for freedom in freedoms], axis=-1)
    if joint.kind == "ball":
        turns = np.swapaxes(axes, -1, -2) @ own_axes
        flat = np.array([quaternion_of(turn) for turn in turns.reshape(-1, 3, 3)])
        return rotation_vector(flat.reshape(*turns.shape[:-2], 4))
    second = [_dot(own_axes[..., :, 1], axes[..., :, k]) for k in range(3)]
    first_angle = np.arctan2(second[2], second[1])
    found = []
    for freedom, drawn in zip(freedoms, joint.place, strict=True):
        if freedom.name == "second":
            up = axes[..., :, 2] * np.cos(first_angle)[..., None] - axes[..., :, 1] * np.sin(first_angle)[..., None]
            angle = np.arctan2(-_dot(own_axes[..., :, 0], up), _dot(own_axes[..., :, 0], axes[..., :, 0]))
        elif freedom.turn:
            angle = first_angle
        else:
            found.append(drawn + _dot(apart, np.array(freedom.axis)))
            continue
        found.append(drawn + (np.unwrap(angle) if angle.ndim else angle))
    return np.stack(found, axis=-1)


def told_row(model, number):
    """Where the reaction of a joint that closes a loop stands in a frame."""
    closures = model.arrays.closures
    return int(closures.told[np.flatnonzero(closures.joint == number)[0]])


def _side(model, rigid, at, frame, seen):
    """Axes and place of a joint as one of its rigids carries them, velocity of that place, spin."""
    if rigid is None:
        nothing = np.zeros((*seen.joint_place.shape[:-2], 3))
        return np.broadcast_to(frame, (*nothing.shape[:-1], 3, 3)), nothing + at, nothing, nothing
    number = rigid.index
    centre, drawn = drawn_pose(model, rigid)
    turned = matrix_of(seen.rigid_orientation[..., number, :])
    place = turned @ (drawn.T @ (at - centre))
    spin = seen.rigid_spin[..., number, :]
    return (turned @ (drawn.T @ frame), seen.rigid_position[..., number, :] + place,
            seen.rigid_velocity[..., number, :] + np.cross(spin, place), spin)


def drawn_pose(model, rigid):
    """Centre and axes of a rigid as its joints were drawn on it: before the assembly, but where its drives begin."""
    if model.arrays.mechanisms.link_of_rigid[rigid.index] < 0:
        return model.rigid_position[rigid.index], matrix_of(model.rigid_orientation[rigid.index])
    return rigid.centre, principal_frame(rigid.inertia)[1]


def _along(axes, vectors):
    return np.stack([_dot(axes[..., :, k], vectors) for k in range(3)], axis=-1)


def _dot(a, b):
    return (a * b).sum(axis=-1)


def rotation_vector(q):
    """Axis × angle [rad], at most half a turn, of quaternions (…, 4)."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(size > 0.0, 2.0 * np.arctan2(size, q[..., :1]) / np.where(size > 0.0, size, 1.0), 2.0)
