"""Uniting: springs that cells make, each of its own, as springs of a body, each once."""
from typing import Any, NamedTuple

import numpy as np


class Piece(NamedTuple):
    """Springs of one kind of cell and one material."""
    part: Any                # cell_springs.CellPart
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
