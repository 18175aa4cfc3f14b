"""Volume, centre and inertia of solids by integrals over their surface: independent of tetrahedra.

By the divergence theorem (Mirtich, "Fast and accurate computation of polyhedral mass properties", J. Graphics Tools 1996):
    V = ⅓ ∫ x·n dA,   ∫ x dV = ½ ∫ x² n_x dA,   ∫ x² dV = ⅓ ∫ x³ n_x dA,   ∫ x y dV = ½ ∫ x² y n_x dA
Facet integrals are taken by a quadrature with seven points that is exact for polynomials of degree five (Radon 1948).
"""
import numpy as np

from robotphi.geometry.cells import KINDS

_ROOT = np.sqrt(15.0)
_NEAR, _FAR = (6 - _ROOT) / 21, (6 + _ROOT) / 21
POINTS = np.array([[1 / 3] * 3, *(np.roll([1 - 2 * p, p, p], turn) for p in (_NEAR, _FAR) for turn in range(3))])
WEIGHTS = np.array([9 / 40, *[(155 - _ROOT) / 1200] * 3, *[(155 + _ROOT) / 1200] * 3])


def surface_integrals(triangles, density=1.0):
    """Mass (c,), centre (c, 3) and inertia about it (c, 3, 3) of c closed surfaces of t triangles each, (c, t, 3, 3)."""
    triangles = np.asarray(triangles, float)
    # about a point of each solid, so that nothing cancels far from the origin, and in a frame in which its corners spread alike
    # in all directions: of flat and slanted solids, products of long edges lose the digits that a reference has to keep
    base = triangles.mean(axis=(1, 2))
    corners = triangles - base[:, None, None]
    squares, axes = np.linalg.eigh(np.einsum("ctki,ctkj->cij", corners, corners) / np.prod(corners.shape[1:3]))
    radius = np.sqrt(squares)[:, None]
    axes *= np.sign(np.linalg.det(axes))[:, None, None]
    frame = axes * radius
    corners = np.einsum("ctki,cij->ctkj", corners, axes / radius)
    normal = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]) / 2  # of length area
    x = np.einsum("pk,ctkx->ctpx", POINTS, corners)
    flux = np.einsum("p,ctx->ctpx", WEIGHTS, normal)
    volume = np.einsum("ctpx,ctpx->c", x, flux) / 3
    centre = np.einsum("ctpx,ctpx->cx", x ** 2, flux) / 2 / volume[:, None]
    x = x - centre[:, None, None]
    moment = np.einsum("cx,xy->cxy", np.einsum("ctpx,ctpx->cx", x ** 3, flux) / 3, np.eye(3))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        moment[:, i, j] = moment[:, j, i] = np.einsum("ctp,ctp->c", x[..., i] ** 2 * x[..., j], flux[..., i]) / 2
    scale = density * radius.prod(axis=(1, 2))
    moment = scale[:, None, None] * np.einsum("cij,cjk,clk->cil", frame, moment, frame)
    inertia = np.trace(moment, axis1=1, axis2=2)[:, None, None] * np.eye(3) - moment
    return scale * volume, base + np.einsum("cij,cj->ci", frame, centre), inertia


def of_cells(mesh, kind, density=1.0, diagonals=False):
    """The same of the cells of a mesh; warped quadrilaterals are cut through their centres, or along the diagonals of the
    tetrahedra that `KINDS` fills the kind with."""
    corners = mesh.points[mesh.cells[kind]]
    if diagonals:
        faces = _outer(KINDS[kind].tetrahedra)
        return surface_integrals(corners[:, faces], density)
    triangles = []
    for face in KINDS[kind].faces:
        if len(face) == 3:
            triangles.append(corners[:, face])
            continue
        middle = corners[:, face].mean(axis=1)
        triangles += [np.stack([corners[:, face[j]], corners[:, face[(j + 1) % 4]], middle], axis=1) for j in range(4)]
    return surface_integrals(np.stack(triangles, axis=1), density)


def _outer(tetrahedra):
    """(t, 3) outward facets of tetrahedra that belong to one of them only."""
    facets = [tuple(four[list(local)].tolist()) for four in tetrahedra for local in KINDS["tetrahedron"].faces]
    met = [tuple(sorted(facet)) for facet in facets]
    return np.array([facet for facet, key in zip(facets, met, strict=True) if met.count(key) == 1])
