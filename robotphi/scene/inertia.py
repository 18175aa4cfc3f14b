"""Mass, centre and inertia of point masses; the principal frame of an inertia."""
from itertools import permutations

import numpy as np


def mass_properties(position, mass, centre=None):
    """Total mass, centre (3,) and inertia (3, 3) about it: I = Σ m (|r|² 1 − r rᵀ)."""
    total = mass.sum()
    if centre is None:
        centre = mass @ position / total
    r = position - centre
    inertia = np.einsum("i,ij,ij->", mass, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", mass, r, r)
    return float(total), centre, inertia


def principal_frame(inertia):
    """Principal moments (3,) and rotation (3, 3), principal frame to world, the nearest to no rotation.

    A diagonal inertia keeps its axes exactly; else eigenvectors take the order and the signs that leave them
    closest to the world axes. That is right-handed by itself: the largest sum of |entries| over the orders is above 1,
    and an orthogonal matrix of determinant −1 has a trace of at most 1.
    """
    off_diagonal = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off_diagonal <= 1e-14 * np.trace(inertia):  # rounding of a symmetric body
        return np.diag(inertia).copy(), np.eye(3)
    moments, vectors = np.linalg.eigh(0.5 * (inertia + inertia.T))
    order = max(permutations(range(3)), key=lambda p: np.abs(vectors[range(3), p]).sum())
    vectors, moments = vectors[:, order], moments[list(order)]
    return moments, vectors * np.where(np.diag(vectors) < 0.0, -1.0, 1.0)


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


def rotation_about(axis, angle):
    """Rotation matrix (3, 3) by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
