"""Elasticity of a cell: which spring stiffnesses make the energy of a uniform strain that of the material.

A spring s of stiffness k_s whose elongation (or angle) is e_s·ε under a uniform strain ε (Mandel's six components) gives a
cell of volume V the stiffness  C = Σ k_s e_s e_sᵀ / V.  Linear springs have e = L n⊗n: alone they reach the tensors that are
symmetric in all four indices (Cauchy's), of the isotropic ones that with ν = 1/4 (in a plane ν = 1/3). Angular springs at
the corners of the faces resist shear without changing volume and reach down to ν = 0.
"""
import numpy as np

from robotphi.discretise.matter.bounded import non_negative

ROOT2 = np.sqrt(2.0)
FAINTEST = 1e-3  # of the nominal stiffness: no linear spring of a stencil is weaker, so that no particle hangs loose
BALANCE = 0.1    # weight of the forces on particles beside the stiffness of the cell
RIDGE = 1e-8     # of the trace: keeps systems solvable whose springs do not reach every stiffness
PULL = 1e-4      # weight of the nominal stiffnesses where they cannot all be kept
PAIRS = np.triu_indices(6)
WEIGHT = np.where(PAIRS[0] == PAIRS[1], 1.0, ROOT2)  # so that the 21 numbers have the norm of the matrix


def mandel(matrix):
    """(…, 6) of symmetric (…, 3, 3): xx, yy, zz, √2 yz, √2 zx, √2 xy; scalar products stay."""
    m = np.asarray(matrix)
    return np.stack([m[..., 0, 0], m[..., 1, 1], m[..., 2, 2], ROOT2 * m[..., 1, 2], ROOT2 * m[..., 2, 0],
                     ROOT2 * m[..., 0, 1]], axis=-1)


def unmandel(values):
    """(…, 3, 3) symmetric matrices of (…, 6)."""
    v = np.asarray(values)
    yz, zx, xy = (v[..., i] / ROOT2 for i in (3, 4, 5))
    return np.stack([np.stack([v[..., 0], xy, zx], axis=-1), np.stack([xy, v[..., 1], yz], axis=-1),
                     np.stack([zx, yz, v[..., 2]], axis=-1)], axis=-2)


def linear_response(arms):
    """(…, 6) elongation of springs of the given arms per unit of strain: L n⊗n."""
    length = np.linalg.norm(arms, axis=-1)[..., None, None]
    return mandel(arms[..., :, None] * arms[..., None, :] / length)


def angular_response(first, second):
    """(…, 6) change of the angle between two arms per unit of strain.

    θ̇ = −[2 p·ε q − cos θ (p·ε p + q·ε q)] / sin θ with unit arms p, q.
    """
    p = first / np.linalg.norm(first, axis=-1, keepdims=True)
    q = second / np.linalg.norm(second, axis=-1, keepdims=True)
    cosine = np.einsum("...i,...i->...", p, q)[..., None, None]
    sine = np.linalg.norm(np.cross(p, q), axis=-1)[..., None, None]
    pq = p[..., :, None] * q[..., None, :]
    both = pq + np.swapaxes(pq, -1, -2)
    own = p[..., :, None] * p[..., None, :] + q[..., :, None] * q[..., None, :]
    return mandel((cosine * own - both) / sine)


def angle_gradients(first, second):
    """(…, 3) change of the angle between two arms with the end of each: normal to the arm, in their plane, 1/length."""
    normal = np.cross(first, second)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    first_square, second_square = (np.sum(arm * arm, axis=-1, keepdims=True) for arm in (first, second))
    return np.cross(first, normal) / first_square, np.cross(normal, second) / second_square


def isotropic(young, poisson):
    """(6, 6) stiffness of an isotropic solid: λ 1⊗1 + 2 μ."""
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    one = np.array([1.0, 1, 1, 0, 0, 0])
    return lame * np.outer(one, one) + 2 * shear * np.eye(6)


def orthotropic(young, poisson=0.25):
    """(6, 6) of a solid with Young's moduli along three axes: the isotropic one, its axes scaled by E_i^¼.

    With s_i = E_i^¼, C_ijkl = s_i s_j s_k s_l C⁰_ijkl has the moduli E_i, ν_ij = ν √(E_i/E_j) and G_ij = √(E_i E_j)/2/(1 + ν),
    is positive whatever the moduli, and symmetric in all indices where C⁰ is.
    """
    s = np.asarray(young, float) ** 0.25
    scale = np.array([s[0] * s[0], s[1] * s[1], s[2] * s[2], s[1] * s[2], s[2] * s[0], s[0] * s[1]])
    return isotropic(1.0, poisson) * np.outer(scale, scale)


def rotated(stiffness, frame):
    """(6, 6) in the world of a stiffness given in a frame whose axes are the columns of `frame`."""
    basis = np.eye(3)
    turn = np.empty((6, 6))
    for column, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))):
        unit = (np.outer(basis[i], basis[j]) + np.outer(basis[j], basis[i])) / (2.0 if i == j else ROOT2)
        turn[:, column] = mandel(frame @ unit @ frame.T)
    return turn @ stiffness @ turn.T


def moduli(stiffness):
    """Young's moduli, Poisson's ratios and shear moduli along the axes of a (6, 6) stiffness, and how isotropic it is."""
    compliance = np.linalg.inv(stiffness)
    young = 1.0 / np.diag(compliance)[:3]
    mean = nearest_isotropic(stiffness)
    ratio = {pair: -compliance["xyz".index(pair[0]), "xyz".index(pair[1])] * young["xyz".index(pair[0])]
             for pair in ("xy", "yx", "yz", "zy", "zx", "xz")}
    return {"young": young, "poisson": ratio,
            "shear": {pair: 0.5 / compliance[i, i] for pair, i in (("yz", 3), ("zx", 4), ("xy", 5))},
            "mean_young": mean[0], "mean_poisson": mean[1],
            "anisotropy": float(np.linalg.norm(stiffness - isotropic(*mean)) / np.linalg.norm(stiffness))}


def nearest_isotropic(stiffness):
    """(E, ν) of the isotropic stiffness nearest to one in Frobenius' norm: bulk and shear parts by projection."""
    one = np.array([1.0, 1, 1, 0, 0, 0])
    bulk = one @ stiffness @ one / 9.0
    shear = (np.trace(stiffness) - 3.0 * bulk) / 10.0
    return float(9 * bulk * shear / (3 * bulk + shear)), float((3 * bulk - 2 * shear) / (2 * (3 * bulk + shear)))


def whitening(stiffness):
    """(6, 6) W with W C W = 1 on what C resists, nothing on the rest."""
    values, vectors = np.linalg.eigh(stiffness)
    used = values > 1e-9 * values[-1]
    return (vectors[:, used] / np.sqrt(values[used])) @ vectors[:, used].T


def fit(response, nominal, volume, target, white, least=None, balance=None):
    """Stiffnesses (c, m) >= 0 of the springs of c cells for their target stiffness, and the mismatch left (c,).

    Misses are measured as shares of the material's own energy: by W (C − C*) W. Of all solutions the one whose forces on the
    particles are those of a solid, then the one nearest to the nominal stiffnesses, each measured by its own size; where that
    has a negative one, non-negative least squares with the same aims.

    Args:
        response: (c, m, 6) elongation or angle per unit of strain.
        nominal: (c, m) stiffnesses of a plain rule.
        volume: (c,) m³.
        target: (c, 6, 6) Pa.
        white: (6, 6) W, `whitening` of the material.
        least: (m,) smallest share of the nominal stiffness that a spring may have; FAINTEST where left out.
        balance: (rows (c, r, m), wanted (c, r)) of the forces on particles, or None.
    """
    least = np.full(nominal.shape[1], FAINTEST) if least is None else least
    response, target = response @ white, white @ target @ white
    rows = response[..., PAIRS[0]] * response[..., PAIRS[1]] * WEIGHT * (nominal / volume[:, None])[..., None]
    rows, wanted = np.swapaxes(rows, 1, 2), target[:, PAIRS[0], PAIRS[1]] * WEIGHT               # (c, 21, m), (c, 21)
    turned = np.swapaxes(rows, 1, 2)
    gram = turned @ rows + PULL ** 2 * np.eye(rows.shape[2])
    right = np.einsum("ckm,ck->cm", rows, wanted) + PULL ** 2
    if balance is not None:
        forces, hoped = BALANCE * balance[0] * nominal[:, None], BALANCE * balance[1]
        gram += np.swapaxes(forces, 1, 2) @ forces
        right += np.einsum("crm,cr->cm", forces, hoped)
    share = _towards(rows, wanted, np.linalg.solve(gram, right[..., None])[..., 0])  # the aims have pulled a little
    low = np.flatnonzero((share < least).any(axis=1))
    if len(low):
        share[low] = _bounded(rows[low], wanted[low], gram[low], right[low], least)
    left = np.linalg.norm(np.einsum("ckm,cm->ck", rows, share) - wanted, axis=1)
    return share * nominal, left / np.sqrt(np.linalg.matrix_rank(white))


def _bounded(rows, wanted, gram, right, least):
    """(c, m) shares, none below its least; those above it then make up for what the aims have pulled, where they can."""
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    right = right - gram @ least
    above, done = non_negative(gram, right)
    for cell in np.flatnonzero(~done):  # rounding kept it from ending
        lower = np.linalg.cholesky(gram[cell])
        above[cell] = nnls(lower.T, solve_triangular(lower, right[cell], lower=True))[0]
    share = least + above
    better = _towards(rows, wanted, share, rows * (share > least)[:, None])
    return np.where((better >= least).all(axis=1, keepdims=True), better, share)


def _towards(rows, wanted, share, changing=None):
    """Shares (c, m) that meet their target as far as they can, by the least change of (some of) them.

    Rᵀ (R Rᵀ + ε 1)⁻¹ takes away all but about ε of what is missing, each time; what no change can meet has no part in Rᵀ.
    """
    changing = rows if changing is None else changing
    gram = changing @ np.swapaxes(changing, 1, 2)
    ridge = RIDGE * np.trace(gram, axis1=1, axis2=2)
    ridge[ridge == 0.0] = 1.0  # nothing may change
    inverse = np.linalg.inv(gram + ridge[:, None, None] * np.eye(gram.shape[1]))
    for _ in range(3):
        missing = wanted - np.einsum("ckm,cm->ck", rows, share)
        share = share + np.einsum("ckm,ck->cm", changing, np.einsum("ckl,cl->ck", inverse, missing))
    return share
