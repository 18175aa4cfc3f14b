"""Fitting: the springs of single cells, for the stiffness that their material has there."""
import numpy as np

from robotphi.discretise.masses.moments import fan
from robotphi.discretise.matter.elasticity import (
    FAINTEST,
    angle_gradients,
    angular_response,
    fit,
    linear_response,
    unmandel,
    whitening,
)
from robotphi.discretise.matter.stencils import stencil
from robotphi.geometry.cells import KINDS

EXACT = 1e-9       # mismatch below which a fit has reached the material
LOOSE = 0.02       # mismatch of linear springs beyond which angles at the corners of faces help
INNER_SHARE = 0.5  # of the nominal stiffness: springs of inner particles where there are many of these
CENTRE_LEAST = 0.1  # of it: a centre of a hexahedron, with much of its mass, is not to hang loose
HELD = 0.1         # of it, at least: springs of "corners"; the nearest fit of skewed cells would leave particles all but loose
UNUSED = 1e-6      # of the nominal stiffness: springs below are left out


def fit_cells(places, volume, part):
    """Stiffnesses (c, springs), those of angles last, mismatch (c,) and stiffness reached (c, 6, 6) of cells.

    Angles are used where the part wants them; where it leaves that open, in cells whose linear springs miss much.
    """
    form = stencil(part.kind, part.way)
    if KINDS[part.kind].dimension == 2:
        places = in_facet_frame(places, KINDS[part.kind].corners)
    if part.angles is not None:
        return _fit_alike(places, volume, part, form, part.angles)
    stiffness, left, reached = _fit_alike(places, volume, part, form, False)
    poor = np.flatnonzero(left > LOOSE)
    stiffness = np.concatenate([stiffness, np.zeros((len(places), len(form.corners)))], axis=1)
    if len(poor):
        stiffness[poor], left[poor], reached[poor] = _fit_alike(places[poor], volume[poor], part, form, True)
    return stiffness, left, reached


def _fit_alike(places, volume, part, form, angles):
    """The fit of cells all with or all without angles.

    Inner particles come to rest in their cell and so take less than their springs' uniform strain would: what they give then
    is subtracted from the target, and the springs between shared particles are fitted to the rest.
    """
    response, nominal = _linear(places, volume, form, part.target)
    if angles:
        own, plain = _angular(places, volume, form.corners, part.target)
        response, nominal = np.concatenate([response, own], axis=1), np.concatenate([nominal, plain], axis=1)
    none = np.zeros(response.shape[1] - len(form.pairs), bool)
    spare, inner = np.concatenate([form.optional, none]), np.concatenate([form.inner, none])
    least = np.zeros(len(spare))
    faintest = HELD if part.kind == "hexahedron" and part.way == "corners" else FAINTEST
    least[:len(form.pairs)] = np.where(form.across, 0.0, faintest)
    aim = part.target if part.aim is None else part.aim
    target, white = np.broadcast_to(aim, (len(places), 6, 6)), whitening(part.target)
    balance = _balance(places, volume, part, form, angles, response, white)
    if part.way in ("tetrahedra", "symmetric"):
        stiffness, left = np.where(inner, INNER_SHARE * nominal, 0.0), np.full(len(places), np.inf)
    else:
        stiffness, left = _fit_where(~spare, response, nominal, volume, target, white, least, balance)
        more = left > EXACT
        if spare.any() and more.any():
            stiffness[more], left[more] = fit(response[more], nominal[more], volume[more], target[more], white, least,
                                               _some(balance, more, form))
        if part.kind == "hexahedron" and inner.any():
            _hold_centres(stiffness, left, inner, response, nominal, volume, target, white, least)
    given = np.zeros(target.shape)
    if inner.any():
        given = _at_rest(places, form, response, stiffness) / volume[:, None, None]
        plain = _uniform(response, stiffness, volume, inner)
        size = np.linalg.norm(target, axis=(1, 2))
        again = (np.linalg.norm(plain - given, axis=(1, 2)) > EXACT * size) | ~np.isfinite(left)
        if again.any():
            rest = target[again] - given[again]
            outer, left[again] = _fit_where(~inner, response[again], nominal[again], volume[again], rest, white, least)
            stiffness[again] = np.where(inner, stiffness[again], outer)
    stiffness[stiffness <= UNUSED * nominal] = 0.0
    return stiffness, left, given + _uniform(response, stiffness, volume, ~inner)


def _hold_centres(stiffness, left, inner, response, nominal, volume, target, white, least):
    """Fit cells whose centre hangs on faint springs anew, these held up, where that costs nothing of the material."""
    loose = np.flatnonzero((stiffness[:, inner] < CENTRE_LEAST * nominal[:, inner]).all(axis=1) & (left <= EXACT))
    if not len(loose):
        return
    again, missed = fit(response[loose], nominal[loose], volume[loose], target[loose], white,
                        np.where(inner, CENTRE_LEAST, least))
    held = missed <= EXACT
    stiffness[loose[held]], left[loose[held]] = again[held], missed[held]


def _uniform(response, stiffness, volume, chosen):
    """(c, 6, 6) Pa of some of the springs when every particle follows the strain."""
    response = response[:, chosen]
    return np.einsum("csi,cs,csj->cij", response, stiffness[:, chosen], response) / volume[:, None, None]


def _fit_where(chosen, response, nominal, volume, target, white, least, balance=None):
    """`fit` with some of the springs, the others left out."""
    stiffness = np.zeros(nominal.shape)
    stiffness[:, chosen], left = fit(response[:, chosen], nominal[:, chosen], volume, target, white, least[chosen],
                                    None if balance is None else (balance[0][..., chosen], balance[1]))
    return stiffness, left


def _at_rest(places, form, response, stiffness):
    """(c, 6, 6) J: twice the energy of the inner springs under uniform strain of the shared particles, inner ones at rest.

    With gradients g of the springs' lengths over the inner particles:  Σ k e eᵀ − Fᵀ K⁻¹ F,  K = Σ k g gᵀ,  F = Σ k g eᵀ.
    """
    chosen = np.flatnonzero(form.inner)
    pairs, response, stiffness = form.pairs[chosen], response[:, chosen], stiffness[:, chosen]
    arms = places[:, pairs[:, 1]] - places[:, pairs[:, 0]]
    unit = arms / np.linalg.norm(arms, axis=2, keepdims=True)
    gradient = np.zeros((*stiffness.shape, pairs.max() + 1 - form.boundary, 3))
    for end, sign in ((0, -1.0), (1, 1.0)):
        rows = np.flatnonzero(pairs[:, end] >= form.boundary)
        gradient[:, rows, pairs[rows, end] - form.boundary] = sign * unit[:, rows]
    gradient = gradient.reshape(*stiffness.shape, -1)
    weighted = gradient * stiffness[..., None]
    inside = np.einsum("csa,csb->cab", weighted, gradient)
    force = np.einsum("csa,csk->cak", weighted, response)
    relaxed = np.einsum("cak,cal->ckl", force, np.linalg.solve(inside, force))
    return np.einsum("csk,cs,csl->ckl", response, stiffness, response) - relaxed


def _linear(places, volume, form, target):
    """Responses, and nominal stiffnesses that share out the trace of the target: Σ k L² = V C_iijj of linear springs.

    Springs across a face at the surface have no length and do nothing; others are shared with the neighbour.
    """
    arms = places[:, form.pairs[:, 1]] - places[:, form.pairs[:, 0]]
    square = np.einsum("cpi,cpi->cp", arms, arms)
    there = square > 0.0
    one = np.array([1.0, 1, 1, 0, 0, 0])
    nominal = (one @ target @ one) * volume[:, None] / len(form.pairs) / np.where(there, square, np.inf)
    arms[~there] = 1.0
    return np.where(there[..., None], linear_response(arms), 0.0), np.where(form.across, 0.5, 1.0) * nominal


def _angular(places, volume, corners, target):
    first, second = (places[:, corners[:, i]] - places[:, corners[:, 1]] for i in (0, 2))
    response = angular_response(first, second)
    shear = np.trace(target[3:, 3:])
    return response, np.broadcast_to(shear * volume[:, None] / len(corners), response.shape[:2])


def in_facet_frame(places, corners):
    """Places of surface cells in frames whose third axis is their normal, the first along the world axis nearest to them."""
    last = places[:, 3] if corners == 4 else places[:, 0]     # of a triangle (c − a) × (a − b), the same normal
    normal = np.cross(places[:, 2] - places[:, 0], last - places[:, 1])
    z = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    x = np.eye(3)[np.argmin(np.abs(np.round(z, 9)), axis=1)]
    x = x - z * np.einsum("ci,ci->c", x, z)[:, None]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frame = np.stack([x, np.cross(z, x), np.zeros_like(z)], axis=2)  # facets are taken flat
    return (places - places[:, :1]) @ frame


def _some(balance, cells, form):
    """The balance of some cells; where springs reach into neighbours, of their inner particles alone."""
    if balance is None:
        return None
    rows, wanted = (each[cells] for each in balance)
    if form.across.any():
        particles = np.arange(rows.shape[1]) // 3 % (rows.shape[1] // 18)    # rows go by strain, particle, axis
        own = (particles >= form.boundary) & (particles <= form.pairs[form.inner].max(initial=-1))
        rows, wanted = rows[:, own], wanted[:, own]
    return rows, wanted


def _balance(places, volume, part, form, angles, response, white):
    """(rows (c, r, springs), wanted (c, r)): forces on a cell's particles under six uniform strains, each in units of its own.

    A solid of volume V with the uniform stress σ pulls at its corner a with σ ∂V/∂x_a; where all cells do so, particles
    between them are in balance and a uniform strain is at rest, however the cells are formed. None where the fit has
    no use for it: on surfaces, and where inner particles are laid down beforehand.
    """
    if KINDS[part.kind].dimension == 2 or part.way in ("tetrahedra", "symmetric"):
        return None
    cells, corners = places.shape[0], KINDS[part.kind].corners
    gradient = np.zeros((cells, response.shape[1], places.shape[1], 3))
    _linear_gradients(gradient, places, form.pairs)
    if angles:
        _angular_gradients(gradient[:, len(form.pairs):], places, form.corners)
    strained = response @ white
    rows = np.einsum("csm,csad->cmads", strained, gradient).reshape(cells, -1, response.shape[1])
    stress = unmandel((part.target @ white).T)                        # of each strain, (6, 3, 3)
    pull = np.zeros((cells, 6, places.shape[1], 3))
    pull[:, :, :corners] = np.einsum("mij,caj->cmai", stress, volume_gradient(places[:, :corners], part.kind))
    unit = np.sqrt(np.trace(part.target) / 6.0) * np.cbrt(volume) ** 2
    return rows / unit[:, None, None], pull.reshape(cells, -1) / unit[:, None]


def _linear_gradients(gradient, places, pairs):
    arms = places[:, pairs[:, 1]] - places[:, pairs[:, 0]]
    length = np.linalg.norm(arms, axis=2, keepdims=True)
    unit = arms / np.where(length > 0.0, length, 1.0)
    springs = np.arange(len(pairs))
    gradient[:, springs, pairs[:, 0]], gradient[:, springs, pairs[:, 1]] = -unit, unit


def _angular_gradients(gradient, places, corners):
    p, q = (places[:, corners[:, i]] - places[:, corners[:, 1]] for i in (0, 2))
    at_p, at_q = angle_gradients(p, q)
    angles = np.arange(len(corners))
    gradient[:, angles, corners[:, 0]], gradient[:, angles, corners[:, 2]] = at_p, at_q
    gradient[:, angles, corners[:, 1]] = -(at_p + at_q)


def volume_gradient(corners, kind):
    """(c, corners, 3) ∂V/∂x of cells whose quadrilateral facets are cut through the mean of their corners."""
    surface = fan(kind)
    places = np.concatenate([corners, *(corners[:, quad].mean(axis=1)[:, None] for quad in surface.quads)], axis=1)
    change = np.zeros(places.shape)
    for triangle in surface.triangles:
        a, b, c = (places[:, i] for i in triangle)
        for i, area in zip(triangle, (np.cross(b, c), np.cross(c, a), np.cross(a, b)), strict=True):
            change[:, i] += area / 6.0
    result = change[:, :corners.shape[1]].copy()
    for i, quad in enumerate(surface.quads):
        result[:, quad] += 0.25 * change[:, corners.shape[1] + i][:, None]
    return result
