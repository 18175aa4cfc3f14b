"""Poses: where a rigid, or what is marked on a thing, stands and how it has turned: position and quaternion (w, x, y, z).

The turn of a rigid is that since it was drawn; a frame that is marked on it has axes of its own, a point those of the rigid. A
frame on soft matter is three particles: its x points to the second, its y lies in their plane.
"""
import numpy as np

from robotphi.record import measure
from robotphi.record.relative import drawn
from robotphi.scene.poses import frame_of
from robotphi.scene.turns import quaternion_of


def pose(model, rows, seen):
    """(…, 7) of a pose of an instant or of many frames."""
    rigid, point, *ends = (int(row) for row in rows)
    position = seen.rigid_position[..., rigid, :] if point < 0 else seen.position[..., point, :]
    if rigid >= 0:
        turn = product(seen.rigid_orientation[..., rigid, :], _drawn_frame(model, rigid, point, ends))
    else:
        x, y = (seen.position[..., end, :] - position for end in ends)
        turn = _turn_of(x, y)
    return np.concatenate([position, np.where(turn[..., :1] < 0.0, -turn, turn)], axis=-1)


def _drawn_frame(model, rigid, point, ends):
    """The quaternion of a frame as it was drawn, in the principal frame of its rigid."""
    own = quaternion_of(drawn(model, model.scene.rigids[rigid])[1]) * (1.0, -1.0, -1.0, -1.0)
    if min(ends) < 0:
        return own
    places = model.scene.position[[point, *ends]]
    return product(own, quaternion_of(frame_of("pose", "the mark", places)[:3, :3]))


def product(p, q):
    """The turn q followed by the turn p."""
    p, q = np.broadcast_arrays(p, q)
    w = p[..., 0] * q[..., 0] - measure.dot(p[..., 1:], q[..., 1:])
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w[..., None], vector], axis=-1)


def _turn_of(x, y):
    """Quaternions of frames whose x and y are nearly along two vectors, (…, 3)."""
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    z = np.cross(x, y)
    z = z / np.linalg.norm(z, axis=-1, keepdims=True)
    axes = np.stack([x, np.cross(z, x), z], axis=-1).reshape(-1, 3, 3)
    return np.array([quaternion_of(each) for each in axes]).reshape(*x.shape[:-1], 4)
