"""Springs of cells: materials in, linear springs (and angles at the corners of faces) with their stiffnesses out.

Every cell makes springs whose energy under a uniform strain is its own; where cells share a spring, stiffnesses add up. A
spring so has the section of the cells around it, and what a body does to a uniform strain does not depend on how finely it is
cut.
"""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.elasticity import ROOT2, nearest_isotropic, whitening
from robotphi.discretise.fitting import fit_cells
from robotphi.discretise.stencils import stencil
from robotphi.geometry.cells import KINDS

SAME = 1e-9        # of the size: cells alike within this share one fit
CHUNK = 1 << 16    # cells looked at at once
FITS = 512         # cells fitted at once
ROUNDS = 4         # of asking for what cells miss on average
EVEN = 1e-6        # what they may miss on average
LOOSE = 0.02       # mismatch of linear springs beyond which angles at the corners of faces help


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
    aim: np.ndarray | None = None  # (6, 6) Pa that cells are fitted to where it is not the target


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
        groups = classes(position, part.rows)
        if not part.angles and part.kind != "tetrahedron":
            part = part._replace(angles=_fit_examples(position, part, *groups)[1] > LOOSE)
        which, stiffness, reached = _fitted(position, part, *groups)
        columns = {"linear": stencil(part.kind, part.way).pairs, "angular": stencil(part.kind, part.way).corners}
        count = len(columns["linear"])
        made["linear"].append((part, columns["linear"], stiffness[:, :count], which))
        if part.angles:
            made["angular"].append((part, columns["angular"], stiffness[:, count:], which))
        found.append(reached)
    return {kind: _united(position, kind, pieces) for kind, pieces in made.items() if pieces}, found


def _fitted(position, part, which, example):
    """Class of each cell (c,), stiffnesses (classes, springs) and what they reach: cells alike are fitted once.

    Where cells cannot reach the material, what they miss on average is asked for in addition, so that they make up for each
    other: a mesh of many orientations comes nearer than any of its cells.
    """
    best, aim = None, part.target.copy()
    for _ in range(ROUNDS):
        stiffness, mismatch, mean = _fit_examples(position, part._replace(aim=aim), which, example)
        white = whitening(part.target)
        missed = float(np.linalg.norm(white @ (mean - part.target) @ white)) / np.sqrt(np.linalg.matrix_rank(white))
        if best is not None and missed > 0.9 * best[0]:
            break
        best = (missed, stiffness, mismatch, mean)
        if missed < EVEN:
            break
        aim += part.target - mean
    missed, stiffness, mismatch, mean = best
    factor = 1.0
    if mismatch > LOOSE and KINDS[part.kind].dimension == 3:
        factor = nearest_isotropic(part.target)[0] / nearest_isotropic(mean)[0]
    return which, factor * stiffness, Reached(float(part.volume.sum()), factor * mean, mismatch, factor)


def _fit_examples(position, part, which, example):
    """Stiffnesses (classes, springs), largest mismatch and mean stiffness (6, 6) of one fit of all classes."""
    parts = []
    for start in range(0, len(example), FITS):
        chosen = example[start:start + FITS]
        parts.append(fit_cells(position[part.rows[chosen]], part.volume[chosen], part))
    stiffness, left, made = (np.concatenate([part[i] for part in parts]) for i in range(3))
    volume = np.bincount(which, part.volume, len(example))
    return stiffness, float(left.max()), np.einsum("c,cij->ij", volume, made) / volume.sum()


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
    times = _spread([part.damping_time for part, *_ in pieces], every)
    viscosity = np.bincount(inverse, times * np.concatenate(every), len(unique))
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
