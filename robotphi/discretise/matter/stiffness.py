"""Stiffness of an object at rest: its springs' gradients, the sparse matrix of small displacements, and static solutions.

At rest every spring is without force, so that  K = Σ k_s g_s g_sᵀ  with the gradient g_s of its length or angle.
"""
import numpy as np
from scipy import sparse

from robotphi.discretise.matter.elasticity import angle_gradients
from robotphi.errors import RobotphiError
from robotphi.scene.springs import bends

STRAIGHT = 1e-6        # rad: an angle bent by less bends to both sides
DIRECT = 60_000        # unknowns up to which the matrix is factorised; larger ones are solved by conjugate gradients
LOOSE = "the springs leave a part loose: its stiffness matrix is singular; add springs or hold more of it"
SOLVED = 1e-6          # of the right side that a solution may leave
TOLERANCE = 1e-10      # of the right side, of conjugate gradients


def stiffness_matrix(thing):
    """(3 n, 3 n) sparse stiffness [N/m] of the springs of an Object."""
    size = 3 * len(thing.position)
    total = sparse.csr_array((size, size))
    for group in thing.springs.values():
        for particles, gradient, stiffness in GRADIENTS[group.kind](thing.position, group):
            total = total + _gathered(particles, gradient, stiffness, size)
    return total


def _gathered(particles, gradient, stiffness, size):
    """Gᵀ diag(k) G of gradients (m, corners, 3)."""
    count, corners = particles.shape
    column = (3 * particles[:, :, None].astype(np.int64) + np.arange(3)).reshape(-1)
    row = np.repeat(np.arange(count), 3 * corners)
    matrix = sparse.csr_array((gradient.reshape(-1), (row, column)), (count, size))
    return (matrix.T @ sparse.diags_array(stiffness) @ matrix).tocsr()


def _linear(position, group):
    arm = position[group.particles[:, 0]] - position[group.particles[:, 1]]
    unit = arm / np.linalg.norm(arm, axis=1, keepdims=True)
    yield group.particles, np.stack([unit, -unit], axis=1), group.stiffness


def _angular(position, group):
    """Bent angles by ∂θ/∂x; straight ones by the two components of their bend vector, p/|p| + q/|q| across the line."""
    first, centre, second = group.particles.T
    p, q = position[first] - position[centre], position[second] - position[centre]
    bend, _ = bends(position, first, centre, second)
    straight = bend < STRAIGHT
    for chosen, across in ((~straight, None), (straight, 0), (straight, 1)):
        if not chosen.any():
            continue
        own_p, own_q = p[chosen], q[chosen]
        if across is None:
            at_p, at_q = angle_gradients(own_p, own_q)
        else:
            long_p, long_q = (np.linalg.norm(arm, axis=1, keepdims=True) for arm in (own_p, own_q))
            axis = np.eye(3)[np.argmin(np.abs(own_p), axis=1)]
            side = np.cross(own_p, axis)
            side = side / np.linalg.norm(side, axis=1, keepdims=True)
            side = side if across == 0 else np.cross(own_p / long_p, side)
            at_p, at_q = side / long_p, side / long_q
        yield group.particles[chosen], np.stack([at_p, -(at_p + at_q), at_q], axis=1), group.stiffness[chosen]


def _articular(position, group):
    """∂φ/∂x of the dihedral angle of first, centre, end, second about centre → end (Blondel and Karplus 1996)."""
    a, c, d, b = (position[column] for column in group.particles.T)
    axis = d - c
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    m, n = np.cross(a - c, axis), np.cross(b - d, axis)
    at_a = -length * m / np.einsum("si,si->s", m, m)[:, None]
    at_b = length * n / np.einsum("si,si->s", n, n)[:, None]
    along_a = np.einsum("si,si->s", a - c, axis)[:, None] / length ** 2
    along_b = np.einsum("si,si->s", b - c, axis)[:, None] / length ** 2
    at_d = -along_a * at_a - along_b * at_b
    yield group.particles, np.stack([at_a, -(at_a + at_b + at_d), at_d, at_b], axis=1), group.stiffness


GRADIENTS = {"linear": _linear, "angular": _angular, "articular": _articular}


def solve(matrix, force, held, displacement=None):
    """Displacements (3 n, r) under forces, some components held (at `displacement`, or still).

    Args:
        matrix: (3 n, 3 n) stiffness. force: (3 n, r). held: (3 n,) bool. displacement: (3 n, r) values of the held ones.
    """
    result = np.zeros(force.shape) if displacement is None else np.where(held[:, None], displacement, 0.0)
    free = np.flatnonzero(~held)
    if not len(free):
        return result
    right = (force - matrix @ result)[free]
    inner = matrix[free][:, free]
    result[free] = _factorised(inner, right) if len(free) <= DIRECT else _iterated(inner, right)
    # a singular matrix may still be factorised by rounding: then its solution solves nothing
    left = np.linalg.norm(inner @ result[free] - right)
    if not left <= SOLVED * max(np.linalg.norm(right), np.finfo(float).tiny):
        raise RobotphiError(LOOSE)
    return result


def _factorised(matrix, right):
    from scipy.sparse.linalg import splu

    try:
        factor = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError as error:
        raise RobotphiError(LOOSE) from error
    return factor.solve(right)


def _iterated(matrix, right):
    from scipy.sparse.linalg import cg

    diagonal = matrix.diagonal()
    if not (diagonal > 0.0).all():
        raise RobotphiError(LOOSE)
    scale = sparse.diags_array(1.0 / diagonal)
    found = [cg(matrix, column, rtol=TOLERANCE, maxiter=20_000, M=scale) for column in right.T]
    if any(code for _, code in found):
        raise RobotphiError(f"the static solution of {len(right)} unknowns did not converge; use a coarser object here")
    return np.stack([solution for solution, _ in found], axis=1)
