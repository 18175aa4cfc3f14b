"""Springs of cells: materials in, linear springs (and angles at the corners of faces) with their stiffnesses out.

Every cell makes springs whose energy under a uniform strain is its own; where cells share a spring, stiffnesses add up. A
spring so has the section of the cells around it, and what a body does to a uniform strain does not depend on how finely it is
cut.
"""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.elasticity import FAINTEST, ROOT2, angular_response, fit, linear_response, nearest_isotropic, whitening
from robotphi.discretise.stencils import stencil
from robotphi.geometry.cells import KINDS

SAME = 1e-9        # of the size: cells alike within this share one fit
CHUNK = 1 << 16    # cells looked at at once
FITS = 512         # cells fitted at once
EXACT = 1e-9       # mismatch below which a fit has reached the material
INNER_SHARE = 0.5  # of the nominal stiffness: springs of inner particles where there are many of these
LOOSE = 0.02       # mismatch of linear springs beyond which angles at the corners of faces help
UNUSED = 1e-6      # of the nominal stiffness: springs below are left out


class CellSprings(NamedTuple):
    """Springs of all cells, each once."""
    particles: np.ndarray    # (m, 2 | 3) int32
    stiffness: np.ndarray    # (m,)
    viscosity: np.ndarray    # (m,)
    limit: np.ndarray | None # (m,) force at which it yields


class Part(NamedTuple):
    """Cells of one kind and one material, and what their springs have to do."""
    rows: np.ndarray         # (c, local) int32 particles
    kind: str
    way: str
    volume: np.ndarray       # (c,) m³; of a sheet, area times thickness
    target: np.ndarray       # (6, 6) Pa in the world frame; of a sheet in that of its facets
    angles: bool             # whether angular springs at the corners of faces help
    damping_time: float      # s
    yield_strain: float      # inf where elastic


class Reached(NamedTuple):
    """What the cells of a part do under uniform strain, before their neighbours even it out."""
    volume: float            # m³
    stiffness: np.ndarray    # (6, 6) Pa, mean of the cells, their inner particles at rest
    mismatch: float          # largest share of a cell's stiffness that its springs miss
    factor: float            # by which the fitted stiffnesses were multiplied, so that the mean E is the material's


def cell_springs(position, parts):
    """({"linear": CellSprings, "angular": CellSprings}, [Reached of each part]): springs of all parts."""
    made, found = {"linear": [], "angular": []}, []
    for part in parts:
        which, stiffness, reached = _fitted(position, part)
        if not part.angles and reached.mismatch > LOOSE:
            part = part._replace(angles=True)
            which, stiffness, reached = _fitted(position, part)
        columns = {"linear": stencil(part.kind, part.way).pairs, "angular": stencil(part.kind, part.way).corners}
        count = len(columns["linear"])
        made["linear"].append((part, columns["linear"], stiffness[:, :count], which))
        if part.angles:
            made["angular"].append((part, columns["angular"], stiffness[:, count:], which))
        found.append(reached)
    return {kind: _united(position, kind, pieces) for kind, pieces in made.items() if pieces}, found


def _fitted(position, part):
    """Class of each cell (c,), stiffnesses (classes, springs) and what they reach: cells alike are fitted once."""
    which, example = classes(position, part.rows)
    stiffness, left, made = [], [], []
    for start in range(0, len(example), FITS):
        chosen = example[start:start + FITS]
        fitted = _fit_some(position[part.rows[chosen]], part.volume[chosen], part)
        for kept, one in zip((stiffness, left, made), fitted, strict=True):
            kept.append(one)
    volume = np.bincount(which, part.volume, len(example))
    mean = np.einsum("c,cij->ij", volume, np.concatenate(made)) / volume.sum()
    mismatch = float(np.concatenate(left).max())
    factor = 1.0
    if mismatch > LOOSE and KINDS[part.kind].dimension == 3:
        factor = nearest_isotropic(part.target)[0] / nearest_isotropic(mean)[0]
    return which, factor * np.concatenate(stiffness), Reached(float(volume.sum()), factor * mean, mismatch, factor)


def _fit_some(places, volume, part):
    """Stiffnesses (c, springs), those of angles last, mismatch (c,) and stiffness reached (c, 6, 6) of cells.

    Inner particles come to rest in their cell and so take less than their springs' uniform strain would: what they give then
    is subtracted from the target, and the springs between shared particles are fitted to the rest.
    """
    form = stencil(part.kind, part.way)
    if KINDS[part.kind].dimension == 2:
        places = in_facet_frame(places)
    response, nominal = _linear(places, volume, form.pairs, part.target)
    if part.angles:
        own, plain = _angular(places, volume, form.corners, part.target)
        response, nominal = np.concatenate([response, own], axis=1), np.concatenate([nominal, plain], axis=1)
    none = np.zeros(response.shape[1] - len(form.pairs), bool)
    spare, inner = np.concatenate([form.optional, none]), np.concatenate([form.inner, none])
    least = np.where(np.arange(len(spare)) < len(form.pairs), FAINTEST, 0.0)
    target, white = np.broadcast_to(part.target, (len(places), 6, 6)), whitening(part.target)
    if part.way in ("tetrahedra", "symmetric"):
        stiffness, left = np.where(inner, INNER_SHARE * nominal, 0.0), np.full(len(places), np.inf)
    else:
        stiffness, left = _fit_where(~spare, response, nominal, volume, target, white, least)
        more = left > EXACT
        if spare.any() and more.any():
            stiffness[more], left[more] = fit(response[more], nominal[more], volume[more], target[more], white, least)
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


def _uniform(response, stiffness, volume, chosen):
    """(c, 6, 6) Pa of some of the springs when every particle follows the strain."""
    response = response[:, chosen]
    return np.einsum("csi,cs,csj->cij", response, stiffness[:, chosen], response) / volume[:, None, None]


def _fit_where(chosen, response, nominal, volume, target, white, least):
    """`fit` with some of the springs, the others left out."""
    stiffness = np.zeros(nominal.shape)
    stiffness[:, chosen], left = fit(response[:, chosen], nominal[:, chosen], volume, target, white, least[chosen])
    return stiffness, left


def _at_rest(places, form, response, stiffness):
    """(c, 6, 6) J: twice the energy of the inner springs under uniform strain of the shared particles, inner ones at rest.

    With gradients g of the springs' lengths over the inner particles:  Σ k e eᵀ − Fᵀ K⁻¹ F,  K = Σ k g gᵀ,  F = Σ k g eᵀ.
    """
    count = len(form.pairs)
    pairs, response, stiffness = (form.pairs[form.inner], response[:, :count][:, form.inner], stiffness[:, :count][:, form.inner])
    arms = places[:, pairs[:, 1]] - places[:, pairs[:, 0]]
    unit = arms / np.linalg.norm(arms, axis=2, keepdims=True)
    gradient = np.zeros((*stiffness.shape, places.shape[1] - form.boundary, 3))
    for end, sign in ((0, -1.0), (1, 1.0)):
        rows = np.flatnonzero(pairs[:, end] >= form.boundary)
        gradient[:, rows, pairs[rows, end] - form.boundary] = sign * unit[:, rows]
    gradient = gradient.reshape(*stiffness.shape, -1)
    weighted = gradient * stiffness[..., None]
    inside = np.einsum("csa,csb->cab", weighted, gradient)
    force = np.einsum("csa,csk->cak", weighted, response)
    relaxed = np.einsum("cak,cal->ckl", force, np.linalg.solve(inside, force))
    return np.einsum("csk,cs,csl->ckl", response, stiffness, response) - relaxed


def _linear(places, volume, pairs, target):
    """Responses, and nominal stiffnesses that share out the trace of the target: Σ k L² = V C_iijj of linear springs."""
    arms = places[:, pairs[:, 1]] - places[:, pairs[:, 0]]
    one = np.array([1.0, 1, 1, 0, 0, 0])
    nominal = (one @ target @ one) * volume[:, None] / len(pairs) / np.einsum("cpi,cpi->cp", arms, arms)
    return linear_response(arms), nominal


def _angular(places, volume, corners, target):
    first, second = (places[:, corners[:, i]] - places[:, corners[:, 1]] for i in (0, 2))
    response = angular_response(first, second)
    shear = np.trace(target[3:, 3:])
    return response, np.broadcast_to(shear * volume[:, None] / len(corners), response.shape[:2])


def in_facet_frame(places):
    """Places of surface cells in frames whose third axis is their normal: first edge along x."""
    first = places[:, 1] - places[:, 0]
    normal = np.cross(places[:, 2] - places[:, 0], places[:, -1] - places[:, 1]) if places.shape[1] == 4 \
        else np.cross(first, places[:, 2] - places[:, 0])
    z = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    x = first - z * np.einsum("ci,ci->c", first, z)[:, None]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frame = np.stack([x, np.cross(z, x), np.zeros_like(z)], axis=2)  # facets are taken flat
    return (places - places[:, :1]) @ frame


def classes(position, rows):
    """(which (c,), example (k,)): cells of the same form and size within SAME, by translation."""
    cells = len(rows)
    probe = np.random.default_rng(0).standard_normal(3 * (rows.shape[1] - 1))
    key = np.empty(cells)
    size = 0.0
    for start in range(0, cells, CHUNK):
        form = _form(position, rows[start:start + CHUNK])
        size = max(size, float(np.abs(form).max()))
        key[start:start + CHUNK] = form @ probe
    _, example, which = np.unique(np.round(key / (SAME * size)), return_index=True, return_inverse=True)
    alike = np.empty(cells, bool)
    for start in range(0, cells, CHUNK):
        part = slice(start, start + CHUNK)
        apart = np.abs(_form(position, rows[part]) - _form(position, rows[example[which[part]]])).max(axis=1)
        alike[part] = apart <= 4 * SAME * size
    lone = np.flatnonzero(~alike)
    which = which.astype(np.int32)
    which[lone] = len(example) + np.arange(len(lone))
    return which, np.concatenate([example, lone])


def _form(position, rows):
    return (position[rows[:, 1:]] - position[rows[:, :1]]).reshape(len(rows), -1)


def _united(position, kind, pieces):
    """Springs of all pieces, those of the same particles as one."""
    keys = np.concatenate([_keys(part.rows[:, columns], kind, len(position)).ravel() for part, columns, _, _ in pieces])
    unique, inverse = np.unique(keys, return_inverse=True)
    del keys
    particles = _particles(unique, kind, len(position))
    every = [stiffness[which].ravel() for _, _, stiffness, which in pieces]
    total = np.bincount(inverse, np.concatenate(every), len(unique))
    viscosity = np.bincount(inverse, _spread([part.damping_time for part, *_ in pieces], every) * np.concatenate(every), len(unique))
    limit = None
    if kind == "linear" and any(np.isfinite(part.yield_strain) for part, *_ in pieces):
        # a spring yields when the first of the cells that share it would
        least = np.full(len(unique), np.inf)
        np.minimum.at(least, inverse, _spread([part.yield_strain for part, *_ in pieces], every))
        limit = total * least * np.linalg.norm(position[particles[:, 0]] - position[particles[:, 1]], axis=1)
    used = total > 0.0
    if not used.all():
        particles, total, viscosity = particles[used], total[used], viscosity[used]
        limit = None if limit is None else limit[used]
    return CellSprings(particles, total, viscosity, limit)


def _spread(values, pieces):
    """One value a piece, as one a spring; a single one stays a number."""
    if len(set(values)) == 1:
        return values[0]
    return np.concatenate([np.full(piece.size, value) for value, piece in zip(values, pieces, strict=True)])


def _keys(ends, kind, count):
    """One number for the particles of each spring, the same whichever end comes first."""
    first, last = ends[..., 0].astype(np.int64), ends[..., -1]
    low, high = np.minimum(first, last), np.maximum(first, last)
    return low * count + high if kind == "linear" else (ends[..., 1] * np.int64(count) + low) * count + high


def _particles(keys, kind, count):
    rest, high = np.divmod(keys, count)
    if kind == "linear":
        return np.stack([rest, high], axis=1).astype(np.int32)
    centre, low = np.divmod(rest, count)
    return np.stack([low, centre, high], axis=1).astype(np.int32)


def plane_stress(young, poisson):
    """(6, 6) stiffness of a sheet in the frame of its facet; nothing across."""
    c = np.zeros((6, 6))
    c[0, 0] = c[1, 1] = young / (1 - poisson ** 2)
    c[0, 1] = c[1, 0] = poisson * c[0, 0]
    c[5, 5] = ROOT2 ** 2 * young / (2 * (1 + poisson))
    return c
