"""The mass distribution of a real object from its measured mass, centre and inertia: particles that have all ten numbers.

With S = ½ tr(J) 1 − J, the second moments ∫ x xᵀ dm about the centre, a distribution exists where S has no negative eigenvalue.
Six particles of m/6 on the principal axes, at ± √(3 S_i/m), have it exactly. Within a shape the density nearest to an even one,
least ∫ (ρ/ρ₀ − 1)² dV with ρ ≥ 0 and the ten numbers, is ρ = ρ₀ max(0, 1 + q(x)) with a quadratic q (Karush, Kuhn and
Tucker), whose ten coefficients are found by Newton's method.
"""
from typing import NamedTuple

import numpy as np

from identification.errors import FitError
from robotphi.geometry.inside import surrounds

ROUNDED = 1e-9       # of the trace: a second moment so little below nought is nought
STEPS = 200          # of Newton's method
CLOSE = 1e-10        # of each of the ten numbers, by their size
FEWEST = 30          # points within a shape
CHUNK = 1_000_000    # points times triangles that are looked at in one go


class Distribution(NamedTuple):
    """Particles that have a measured mass, centre and inertia."""
    position: np.ndarray     # (n, 3) m
    mass: np.ndarray         # (n,) kg
    unevenness: float        # root of the mean of (ρ/ρ₀ − 1)², NaN without a shape

    def properties(self):
        """(mass, centre, inertia about it) of the particles."""
        mass = float(self.mass.sum())
        centre = self.mass @ self.position / mass
        arm = self.position - centre
        second = np.einsum("n,ni,nj->ij", self.mass, arm, arm)
        return mass, centre, np.trace(second) * np.eye(3) - second


def inertia_of(numbers):
    """(3, 3) of three moments, or of six numbers Jxx, Jyy, Jzz, Jxy, Jxz, Jyz (entries of the matrix, signs included)."""
    numbers = np.asarray(numbers, float)
    if numbers.shape == (3, 3):
        if not np.allclose(numbers, numbers.T, rtol=1e-6, atol=1e-12 * abs(numbers).max()):
            raise FitError("the inertia is not symmetric; give Jxx, Jyy, Jzz, Jxy, Jxz, Jyz")
        return (numbers + numbers.T) / 2
    if numbers.shape not in ((3,), (6,)):
        raise FitError(f"the inertia has {numbers.size} numbers; give three, or six: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz")
    found = np.diag(numbers[:3])
    if len(numbers) == 6:
        for value, (row, column) in zip(numbers[3:], ((0, 1), (0, 2), (1, 2)), strict=True):
            found[row, column] = found[column, row] = value
    return found


def second_moments(mass, inertia):
    """S of an inertia about the centre; an error where no distribution of mass has it."""
    if not (np.isfinite(mass) and mass > 0 and np.isfinite(inertia).all()):
        raise FitError(f"a mass of {mass:g} kg, an inertia of {np.asarray(inertia).tolist()}; give a mass above 0 and finite "
                       "numbers")
    moments = np.linalg.eigvalsh(inertia)
    if moments[2] > moments[0] + moments[1] + ROUNDED * moments.sum():
        raise FitError(f"principal moments {', '.join(f'{each:.6g}' for each in moments)} kg·m² are those of no body: the "
                       f"largest is more than the sum of the others, {moments[0] + moments[1]:.6g}; measure them again about "
                       "one centre, or check the signs of the products")
    return np.trace(inertia) / 2 * np.eye(3) - inertia


def six_particles(mass, centre, inertia):
    """Six equal particles on the principal axes."""
    values, axes = np.linalg.eigh(second_moments(mass, inertia))
    arms = np.sqrt(3 * np.maximum(values, 0.0) / mass) * axes
    return Distribution(np.asarray(centre, float) + np.vstack([arms.T, -arms.T]), np.full(6, mass / 6), np.nan)


def within(points, mass, centre, inertia):
    """Masses of points that stand for equal volumes of a shape, as even as the ten numbers allow."""
    points, centre = np.asarray(points, float), np.asarray(centre, float)
    if len(points) < FEWEST:
        raise FitError(f"{len(points)} points fill the shape; take a smaller distance, so that there are {FEWEST} at least")
    second = second_moments(mass, inertia)
    arm = points - centre
    size = np.abs(arm).max()
    rows, columns = np.triu_indices(3)
    scaled = arm / size
    basis = np.column_stack([np.ones(len(points)), scaled, scaled[:, rows] * scaled[:, columns]])      # (n, 10)
    wanted = np.concatenate([[1.0], np.zeros(3), second[rows, columns] / mass / size ** 2])
    share = _evenest(basis, wanted)
    if share is None:
        raise FitError(f"no distribution of mass within the shape has the centre {centre.tolist()} m and this inertia; check "
                       "that they are told in the axes and the origin of the shape, in metres")
    return Distribution(points, mass * share, float(np.sqrt(np.mean((share * len(points) - 1) ** 2))))


def _evenest(basis, wanted):
    """Shares max(0, 1 + basis · q)/n with basisᵀ share = wanted, by damped Newton steps on q; None where there are none."""
    count = len(basis)
    q = np.zeros(basis.shape[1])

    def left(q):
        return basis.T @ np.maximum(1 + basis @ q, 0) / count - wanted

    miss = left(q)
    for _ in range(STEPS):
        if np.abs(miss).max() < CLOSE:
            return np.maximum(1 + basis @ q, 0) / count
        active = basis[1 + basis @ q > 0]
        slope = active.T @ active / count
        step = np.linalg.lstsq(slope, -miss, rcond=1e-12)[0]
        length = 1.0
        while length > 1e-6 and not _nearer(left(q + length * step), miss):
            length /= 2
        if length <= 1e-6:
            return None
        q = q + length * step
        miss = left(q)
    return None


def _nearer(one, other):
    return one @ one < (1 - 1e-4) * (other @ other)


def points_within(mesh, distance):
    """(n, 3) centres of cubes of this size whose middle is inside a closed surface."""
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    counts = np.maximum(np.round((high - low) / distance), 1).astype(int)
    if np.prod(counts, dtype=float) > 1e6:
        raise FitError(f"{distance:g} m makes {' × '.join(map(str, counts))} points of the shape; take a larger distance")
    axes = [low[k] + (np.arange(counts[k]) + 0.5) * (high[k] - low[k]) / counts[k] for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    chunk = max(1, CHUNK // max(len(mesh.triangles), 1))
    found = [surrounds(mesh.points, mesh.triangles, points[start:start + chunk]) for start in range(0, len(points), chunk)]
    return points[np.concatenate(found)]
