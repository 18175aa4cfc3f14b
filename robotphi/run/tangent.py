"""How forces of rest change with places: K = −∂f/∂δ where all springs of friction hold, and what slips make of it.

Springs at their limits, of stiffness k along t and limit c N, slip by γ ≥ 0 where a load comes: with A = t D and N = ∂N/∂δ
(`rubbing`) what is beyond the limits changes by −k M γ, M = 1 − (A − c/k N) K⁻¹ Aᵀ k. So one factor of K serves whatever slips
(Woodbury 1950). A rest is stable where K has nothing but positive eigenvalues, and slips cannot run away: where M + Mᵀ is
positive definite all principal minors of M are positive, and every small load has one answer, in which slips come to an end
(Cottle, Pang & Stone 1992, section 3.3); what is left then holds, and is elastic. One particle on something hard loses that
where c reaches K_tt/|K_nt| (Klarbring 1990).
"""
from typing import NamedTuple

import numpy as np

ENDS = 1e-2   # eigenvalues of M + Mᵀ, in units of its diagonal, from which slips come to an end


class Slipping(NamedTuple):
    """Springs of friction that bear what they can."""
    springs: np.ndarray   # (m,)
    ways: np.ndarray      # (m, 4, u) D along what they bear, and across it
    lost: np.ndarray      # (m, 4) N/m of their stiffness
    follows: np.ndarray   # (m,) m/N, c/k


def slipping(rubbing, stretch, sticks, less=0.0):
    """Of springs of friction so stretched those that bear what they can, or less by that share."""
    at_most, size = rubbing.limits(sticks, rubbing.pressures()), rubbing.sizes(stretch)
    springs = np.flatnonzero((size > (1.0 - less) * at_most) & (size > 0.0) & rubbing.bears)
    k, share = rubbing.stiffness[springs], np.minimum(at_most[springs] / size[springs], 1.0)
    along = stretch[springs] * (k / size[springs])[:, None]
    mirror = along + np.copysign(1.0, along[:, :1]) * np.eye(4)[0]     # Householder: what they bear, and three across it
    mirror /= np.linalg.norm(mirror, axis=1)[:, None]
    frame = np.eye(4) - 2.0 * mirror[:, :, None] * mirror[:, None, :]
    frame[:, 0] = along
    lost = np.repeat((k * (1.0 - share))[:, None], 4, axis=1)          # across it c N/|y| is left, along it nothing
    lost[:, 0] = k
    return Slipping(springs, np.einsum("kij,kju->kiu", frame, rubbing.ways[springs]), lost, rubbing.kinetic[springs] / k)


class Tangent:
    """K, factored, and the slopes of the pressures on springs of friction.

    Attributes:
        springs: which springs of friction it knows.
        holds: whether it has nothing but positive eigenvalues, by the signs of its factor; `sure`: in units of its diagonal,
            beyond what differences leave of them.
    """

    def __init__(self, matrix, slopes, rubbing, sure):
        from scipy.sparse import csc_matrix, diags
        from scipy.sparse.linalg import splu

        whole = csc_matrix(matrix) + rubbing.holding()
        self.springs, self.solve, self._slopes = rubbing.springs, splu(whole).solve, slopes
        size = np.sqrt(np.abs(whole.diagonal()))
        self.holds = bool(size.all())
        if self.holds:
            scaled = diags(1.0 / size) @ (0.5 * (whole + whole.T)) @ diags(1.0 / size) - sure * diags(np.ones(len(size)))
            factor = splu(scaled.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
            self.holds = bool((factor.perm_r == factor.perm_c).all() and (factor.U.diagonal() > 0.0).all())

    def step(self, force, slips):
        """K⁻¹ f, where some springs slip."""
        step = self.solve(force)
        if not len(slips.springs):
            return step
        matrix, beyond, answer = self._slips(slips)
        return step + answer @ np.linalg.solve(matrix, np.einsum("ku,u->k", beyond, step))

    def comes_to_an_end(self, slips):
        """Whether slips of springs at their limits do, whatever small load comes."""
        if not len(slips.springs):
            return True
        matrix = self._slips(slips)[0][::4, ::4]   # at the limit nothing is lost across
        size = np.sqrt(np.abs(np.diag(matrix)))
        return bool(size.all() and np.linalg.eigvalsh(0.5 * (matrix + matrix.T) / np.outer(size, size))[0] > ENDS)

    def _slips(self, slips):
        """M, along what each bears and across it; A − c/k N; K⁻¹ Aᵀ k, of k what is lost."""
        beyond, rows = slips.ways.copy(), slips.ways.reshape(-1, slips.ways.shape[2])
        beyond[:, 0] -= slips.follows[:, None] * self._slopes[slips.springs]
        beyond = beyond.reshape(rows.shape)
        answer = self.solve(np.ascontiguousarray(rows.T * slips.lost.ravel()))
        return np.eye(len(rows)) - np.einsum("ku,uj->kj", beyond, answer), beyond, answer   # einsum: no threads for so little
