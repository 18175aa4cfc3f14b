"""Affine maps and mirror images."""
import numpy as np

from robotphi.scene.checks import floats, refuse, vector


def affine(matrix, shift):
    """Checked (3, 3) matrix and (3,) shift; None leaves things as they are."""
    matrix = np.eye(3) if matrix is None else floats("transform", "matrix", matrix)
    if matrix.shape != (3, 3) or abs(np.linalg.det(matrix)) <= 1e-12 * np.linalg.norm(matrix) ** 3:
        refuse("transform", f"matrix is {matrix.tolist()!s:.80}", "give three rows of three numbers that keep a volume")
    return matrix, np.zeros(3) if shift is None else vector("transform", "shift", shift)


def mirror(normal, point):
    """Matrix and shift of the image in a plane: x − 2 n (n·(x − p))."""
    normal, point = vector("mirror", "normal", normal), vector("mirror", "point", point)
    length = np.linalg.norm(normal)
    if length == 0.0:
        refuse("mirror", "normal is zero", "give a direction")
    unit = normal / length
    return np.eye(3) - 2 * np.outer(unit, unit), 2 * (unit @ point) * unit
