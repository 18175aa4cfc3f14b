"""Whether an equilibrium is stable: the direction along which its energy curves least, by conjugate gradients.

With fictitious masses m (see `kernels/step/relax.py`) and y = √m x the curvature along y is  yᵀ H y,  H = −m^-½ (∂f/∂x) m^-½,
its products by differences of forces. The least Rayleigh quotient is sought in the plane of y, its slope and the last change
of y (Knyazev 2001, without preconditioner: the masses are one). Below zero the equilibrium is a saddle.
"""
import numpy as np

ROUNDS = 100       # products at most: what has not shown by then curves down by less than a long chain does
CONVERGED = 0.05   # slope of the quotient, as a share of itself, from which it goes down no further by much
DOWN = -1e-6       # in units of the stiffness bound, beyond what differences of forces can tell
REACH = 1e-6       # of the extent: half the distance between two forces that are compared
LEAVE = 1e-3       # of the extent: how far a saddle is left


class Around:
    """The neighbourhood of the present shape; `evaluate` moves by the speeds and leaves the forces there in the buffers."""

    def __init__(self, buffers, speed, rigid_speed, gain, rigid_gain, evaluate):
        self._b, self._speed, self._rigid_speed = buffers, speed, rigid_speed
        self._free, self._root = (gain > 0.0, rigid_gain > 0.0), None
        self._gain, self._rigid_gain, self._evaluate = gain, rigid_gain, evaluate

    def leave(self):
        """Move off a saddle, along the direction in which it curves down; False, with nothing moved, where there is none."""
        position, rigid = self._b.position.copy(), self._b.rigid.copy()
        self._root = np.sqrt(np.concatenate([self._gain[self._free[0]], self._rigid_gain[self._free[1]]]))
        extent = float(np.ptp(position[:, :3], axis=0).max())
        if not len(self._root) or not extent > 0.0:
            return False
        shape = position, rigid, extent
        direction = self._downwards(shape)
        self._step(shape, LEAVE, 0.0 * self._root if direction is None else direction)
        self._speed[:], self._rigid_speed[:] = 0.0, 0.0
        return direction is not None

    def _step(self, shape, reach, direction):
        """Forces, as a slope in y, after a move by so much of the extent along a direction; and the change of y."""
        position, rigid, extent = shape
        self._b.position[:], self._b.rigid[:] = position, rigid
        change = self._root * direction
        first = int(self._free[0].sum())
        largest = np.abs(change).max(initial=0.0)
        length = reach * extent / largest if largest > 0.0 else 0.0
        self._speed[:], self._rigid_speed[:] = 0.0, 0.0
        self._speed[self._free[0]], self._rigid_speed[self._free[1]] = length * change[:first], length * change[first:]
        self._evaluate()
        forces = np.concatenate([self._b.force[self._free[0]], self._b.load[self._free[1]]])
        return self._root * forces, length

    def _product(self, shape, direction):
        """H y"""
        ahead, length = self._step(shape, REACH, direction)
        behind, _ = self._step(shape, -REACH, direction)
        return (behind - ahead) / (2.0 * length)

    def _downwards(self, shape):
        """A direction of negative curvature, or None."""
        y = np.random.default_rng(0).standard_normal(len(self._root))
        y /= np.linalg.norm(y)
        last = last_product = None
        product = self._product(shape, y)
        for _ in range(ROUNDS):
            quotient = float(y @ product)
            if quotient < DOWN:
                return y
            slope = product - quotient * y
            if np.linalg.norm(slope) <= CONVERGED * quotient or not np.isfinite(quotient):
                return None
            columns, products = [y, slope], [product, self._product(shape, slope)]
            if last is not None:
                columns, products = [*columns, last], [*products, last_product]
            best = _least(np.stack(columns, axis=1), np.stack(products, axis=1))
            if best is None:
                return None
            next_y, next_product = np.stack(columns, axis=1) @ best, np.stack(products, axis=1) @ best
            last, last_product = next_y - (y @ next_y) * y, next_product - (y @ next_y) * product
            y, product = next_y, next_product
        return None


def _least(columns, products):
    """Coefficients of the unit vector within the columns whose quotient is least; None where they have no second direction."""
    size = np.linalg.norm(columns, axis=0)
    size[size == 0.0] = 1.0
    columns, products = columns / size, products / size
    values, vectors = np.linalg.eigh(columns.T @ columns)
    used = values > 1e-10
    if used.sum() < 2:
        return None
    frame = vectors[:, used] / np.sqrt(values[used])
    small = frame.T @ (columns.T @ products) @ frame
    coefficients = frame @ np.linalg.eigh(0.5 * (small + small.T))[1][:, 0]
    return coefficients / size
