"""Springs of cells: materials in, linear springs (and angles at the corners of faces) with their stiffnesses out.

Every cell makes springs whose energy under a uniform strain is its own; where cells share a spring, stiffnesses add up. A
spring so has the section of the cells around it, and what a body does to a uniform strain does not depend on how finely it is
cut.
"""
from typing import Any, NamedTuple

import numpy as np

from robotphi.discretise.matter.elasticity import ROOT2, linear_response, nearest_isotropic, whitening
from robotphi.discretise.matter.fitting import LOOSE, fit_cells
from robotphi.discretise.matter.stencils import stencil
from robotphi.geometry.cells import KINDS
from robotphi.scene.checks import refuse

SAME = 1e-9        # of the size: cells alike within this share one fit
CHUNK = 1 << 16    # cells looked at at once
FITS = 512         # cells fitted at once
ROUNDS = 4         # of asking for what cells miss on average
EVEN = 1e-6        # what they may miss on average


class CellPart(NamedTuple):
    """Cells of one kind and one material, and what their springs have to do."""
    rows: np.ndarray         # (c, local) int32 particles
    kind: str
    way: str
    volume: np.ndarray       # (c,) m³; of a sheet, area times thickness
    target: np.ndarray       # (6, 6) Pa in the world frame; of a sheet in that of its facets
    young: float             # Pa, of every direction, unless there is a compliance
    angles: bool | None      # whether angular springs at the corners of faces are wanted; None: where they help
    damping_time: float      # s
    yield_stress: float = np.inf
    hardening: float = 0.0   # Pa
    compliance: np.ndarray | None = None  # (6, 6) 1/Pa of a material whose modulus differs with the direction
    aim: np.ndarray | None = None         # (6, 6) Pa that cells are fitted to where it is not the target


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
        which, example = classes(position, part.rows)
        stiffness, reached = _fitted(position, part, which, example)
        form = stencil(part.kind, part.way)
        count = len(form.pairs)
        young = directional_young(position[part.rows[example]], form.pairs, part)
        made["linear"].append(Piece(part, form.pairs, stiffness[:, :count], which, young))
        turning = (stiffness[:, count:] > 0.0).any(axis=1)
        if turning.any():
            own = part if turning.all() else part._replace(rows=part.rows[turning[which]])
            made["angular"].append(Piece(own, form.corners, stiffness[:, count:], which[turning[which]], part.young))
        found.append(reached)
    return {kind: united(position, kind, pieces) for kind, pieces in made.items() if pieces}, found


def directional_young(places, pairs, part):
    """Young's modulus along each spring: one number, or (classes, springs), 1/E = n⊗n : S : n⊗n."""
    if part.compliance is None:
        return part.young
    arms = places[:, pairs[:, 1]] - places[:, pairs[:, 0]]
    square = np.einsum("cpi,cpi->cp", arms, arms)
    along = linear_response(np.where(square[..., None] > 0.0, arms, 1.0))
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    return 1.0 / np.einsum("cpi,ij,cpj->cp", along, part.compliance, along)


class Fit(NamedTuple):
    """One fit of all classes of cells."""
    stiffness: np.ndarray    # (classes, springs)
    mismatch: float          # the largest
    mean: np.ndarray         # (6, 6) Pa


def _fitted(position, part, which, example):
    """Stiffnesses (classes, springs) and what they reach: cells alike are fitted once.

    Where cells cannot reach the material, what they miss on average is asked for in addition, so that they make up for each
    other: a mesh of many orientations comes nearer than any of its cells.
    """
    white = whitening(part.target)
    best, least, aim = None, np.inf, part.target.copy()
    for _ in range(ROUNDS):
        one = _fit_examples(position, part._replace(aim=aim), which, example)
        missed = float(np.linalg.norm(white @ (one.mean - part.target) @ white))
        if missed > 0.9 * least:
            break
        best, least = one, missed
        if missed < EVEN:
            break
        aim += part.target - one.mean
    factor = 1.0
    if best.mismatch > LOOSE and KINDS[part.kind].dimension == 3:
        factor = nearest_isotropic(part.target)[0] / nearest_isotropic(best.mean)[0]
    return factor * best.stiffness, Reached(float(part.volume.sum()), factor * best.mean, best.mismatch, factor)


def _fit_examples(position, part, which, example):
    parts = []
    for start in range(0, len(example), FITS):
        chosen = example[start:start + FITS]
        parts.append(fit_cells(position[part.rows[chosen]], part.volume[chosen], part))
    stiffness, left, made = (np.concatenate([part[i] for part in parts]) for i in range(3))
    bad = np.flatnonzero(~np.isfinite(stiffness).all(axis=1))
    if len(bad):
        rows = part.rows[example[bad[0]]]
        refuse("material", f"a {part.kind} at {np.round(position[rows].mean(axis=0), 9).tolist()} m is so flat or small that "
               "no springs could be found for it", "mend or remove such cells", int(example[bad[0]]))
    volume = np.bincount(which, part.volume, len(example))
    return Fit(stiffness, float(left.max()), np.einsum("c,cij->ij", volume, made) / volume.sum())


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


def plane_stress(young, poisson):
    """(6, 6) stiffness of a sheet in the frame of its facet; nothing across."""
    c = np.zeros((6, 6))
    c[0, 0] = c[1, 1] = young / (1 - poisson ** 2)
    c[0, 1] = c[1, 0] = poisson * c[0, 0]
    c[5, 5] = ROOT2 ** 2 * young / (2 * (1 + poisson))
    return c


# United: springs that cells make, each of its own, as springs of a body, each once --------------------------------------

class Piece(NamedTuple):
    """Springs of one kind of cell and one material."""
    part: CellPart
    columns: np.ndarray      # (s, 2 | 3) of the rows of its cells
    stiffness: np.ndarray    # (classes, s)
    which: np.ndarray        # (c,) class of each cell
    young: Any               # Pa, one number or (classes, s): along each spring


class CellSprings(NamedTuple):
    """Springs of all cells, each once."""
    particles: np.ndarray    # (m, 2 | 3) int32
    stiffness: np.ndarray    # (m,)
    viscosity: np.ndarray    # (m,)
    young: Any               # Pa, one number or (m,): the section of a spring is stiffness × length / young
    limit: np.ndarray | None = None      # (m,) N at which it yields
    hardening: np.ndarray | None = None  # (m,) N/m


def united(position, kind, pieces):
    """The CellSprings of all pieces: where cells share a spring, stiffnesses, viscosities and sections add up."""
    keys, lines = _keys(pieces, kind, len(position))
    unique, inverse = np.unique(keys, return_inverse=True)
    del keys
    particles = _particles(unique, lines, kind, len(position))
    every = [piece.stiffness[piece.which].ravel() for piece in pieces]

    def summed(values):
        """Σ value × stiffness over the cells of each spring."""
        values = _spread(values, every)
        if np.ndim(values) == 0:
            return values * total
        return np.bincount(inverse, values * np.concatenate(every), len(unique))

    total = np.bincount(inverse, np.concatenate(every), len(unique))
    viscosity = summed([piece.part.damping_time for piece in pieces])
    young = _spread([_of_cells(piece, piece.young) for piece in pieces], every)
    limit = hardening = None
    if kind == "linear" and any(np.isfinite(piece.part.yield_stress) for piece in pieces):
        # a spring yields when the first of the cells that share it would
        strain = _spread([_of_cells(piece, piece.part.yield_stress / piece.young) for piece in pieces], every)
        least = np.full(len(unique), np.inf)
        np.minimum.at(least, inverse, strain)
        limit = total * least * np.linalg.norm(position[particles[:, 0]] - position[particles[:, 1]], axis=1)
        if any(piece.part.hardening for piece in pieces):
            hardening = summed([_of_cells(piece, piece.part.hardening / piece.young) for piece in pieces])
    if np.ndim(young):
        with np.errstate(invalid="ignore"):
            young = total / np.bincount(inverse, np.concatenate(every) / young, len(unique))
    made = CellSprings(particles, total, viscosity, young, limit, hardening)
    used = total > 0.0
    return made if used.all() else CellSprings(*(each[used] if np.ndim(each) else each for each in made))


def _of_cells(piece, values):
    """One number, or one for each spring of each cell."""
    return values if np.ndim(values) == 0 else values[piece.which].ravel()


def _spread(values, every):
    """Values of pieces, each one number or one a spring, as one array; as one number where they all are the same."""
    if all(np.ndim(value) == 0 for value in values) and len(set(values)) == 1:
        return values[0]
    return np.concatenate([np.broadcast_to(value, one.shape) for value, one in zip(values, every, strict=True)])


def _keys(pieces, kind, count):
    """One number for the particles of each spring, the same whichever end comes first; and what the numbers stand for.

    Two particles fit into 64 bits; of three, the outer two are ranked first.
    """
    ends = [piece.part.rows[:, piece.columns] for piece in pieces]
    pairs = np.concatenate([_pair(one[..., 0], one[..., -1], count).ravel() for one in ends])
    if kind == "linear":
        return pairs, None
    lines, rank = np.unique(pairs, return_inverse=True)
    centre = np.concatenate([one[..., 1].ravel() for one in ends])
    return rank * np.int64(count) + centre, lines


def _pair(first, last, count):
    return np.minimum(first, last).astype(np.int64) * count + np.maximum(first, last)


def _particles(keys, lines, kind, count):
    if kind == "linear":
        return np.stack(np.divmod(keys, count), axis=1).astype(np.int32)
    rank, centre = np.divmod(keys, count)
    low, high = np.divmod(lines[rank], count)
    return np.stack([low, centre, high], axis=1).astype(np.int32)
