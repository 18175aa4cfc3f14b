"""Turns as quaternions (w, x, y, z), rotation matrices, and angles about axes."""
import numpy as np


def quaternion_of(rotation):
    """Unit quaternion (w, x, y, z), w ≥ 0, of a rotation matrix, from its largest component (Shepperd 1978)."""
    r = rotation
    squares = np.array([1.0 + r[0, 0] + r[1, 1] + r[2, 2], 1.0 + r[0, 0] - r[1, 1] - r[2, 2],
                        1.0 - r[0, 0] + r[1, 1] - r[2, 2], 1.0 - r[0, 0] - r[1, 1] + r[2, 2]])
    products = np.array([
        [squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], squares[1], r[1, 0] + r[0, 1], r[0, 2] + r[2, 0]],
        [r[0, 2] - r[2, 0], r[1, 0] + r[0, 1], squares[2], r[2, 1] + r[1, 2]],
        [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2], squares[3]]])
    quaternion = products[np.argmax(squares)]
    quaternion = quaternion / np.linalg.norm(quaternion)
    return -quaternion if quaternion[0] < 0.0 else quaternion


def matrix_of(quaternion):
    """Rotation matrices (…, 3, 3) of unit quaternions (w, x, y, z), (…, 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotation_about(axis, angle):
    """Rotation matrix (3, 3) by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
