"""Masses of corners and centre that come nearest to the second moments of their cell, many cells at once.

Masses u (corners and centre, of a cell of mass 1) with the places r about the centre of inertia, in the frame in which the
solid's own second moments are C = 1 (so that flat and slanted cells are served like cubes):
    min |Σ u r rᵀ − 1|² + ε² |u − u0|²   with   Σ u = 1,  Σ u r = 0,  u ≥ LEAST u0
u0 is the report's share (RR-3072, section 6.2.2). Without ε the masses of a cube are not determined (an xyz pattern changes
no second moment) and those of nearly cubic cells run to zero for a gain that nobody can measure.
"""
import numpy as np

from robotphi.discretise.masses.moments import PAIRS, Frame

PULL = 0.2         # ε: costs 1 to 10 % of the smallest error and keeps the lightest corner at three quarters of the mean
LEAST = 0.1        # of the report's share: a massless corner would need steps of no length
SOLVED = 1e-13     # second moments this near to those asked for need no other masses
ROUNDS = 60        # of the active set; two are usual, and every round leaves masses that are allowed
WEIGHTS = np.array([1, 1, 1, 2, 2, 2]) ** 0.5   # Frobenius: off-diagonal terms stand twice in the matrix


def nearest_masses(places, moments, start):
    """(corners + 1, c) masses, the last one at the centre.

    Args:
        places: corners about the centre of inertia, (3, corners, c), in any frame.
        moments: wanted second moments of mass 1, (6, c).
        start: the report's masses u0, (corners + 1, c), exact in mass and centre, none negative.
    """
    r = Frame.of(moments).into(places)
    corners, count = r.shape[1:]
    wanted = np.array([1.0, 1, 1, 0, 0, 0])
    # rows: six second moments, three of the centre, the mass; the last column is the centre's particle
    rows = np.zeros((count, 10, corners + 1))
    rows[:, :6, :corners] = np.stack([w * r[i] * r[j] for w, (i, j) in zip(WEIGHTS, PAIRS, strict=True)]).transpose(2, 0, 1)
    rows[:, 6:9, :corners] = r.transpose(2, 0, 1)
    rows[:, 9] = 1.0
    masses = start.T.copy()
    missing = np.zeros((count, 10))
    missing[:, :6] = wanted - np.einsum("ckj,cj->ck", rows[:, :6], masses)
    todo = np.flatnonzero(np.abs(missing).max(axis=1) > SOLVED)
    if len(todo):
        masses[todo] += _changes(rows[todo], missing[todo], (LEAST - 1.0) * masses[todo])
        masses[todo, -1] = 1.0 - masses[todo, :-1].sum(axis=1)
    return masses.T


def _changes(rows, missing, low):
    """Changes d of the masses: min |A d − missing|² + ε² |d|², E d = 0, d ≥ low; A and E are rows 0–5 and 6–9.

    Primal active set: d goes to the minimum over the free masses, or as far as the first bound lets it; that mass is then
    held, and let go where the gradient pushes it back inside.
    """
    count, _, size = rows.shape
    change, held = np.zeros((count, size)), np.zeros((count, size), bool)
    todo = np.arange(count)
    for _ in range(ROUNDS):
        goal, slope = _minimum(rows[todo], missing[todo], low[todo], held[todo])
        here, free, each = change[todo], ~held[todo], np.arange(len(todo))
        over = free & (goal < low[todo])
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(over, (low[todo] - here) / (goal - here), 1.0)
        first = reach.argmin(axis=1)
        blocked = over.any(axis=1)
        change[todo] = here + np.where(blocked, reach[each, first], 1.0)[:, None] * (goal - here)
        held[todo[blocked], first[blocked]] = True
        back = slope.argmin(axis=1)
        freed = ~blocked & (slope[each, back] < -1e-12)
        held[todo[freed], back[freed]] = False
        todo = todo[blocked | freed]
        if not len(todo):
            break
    return np.maximum(change, low)


def _minimum(rows, missing, low, held):
    """The minimum with the held masses at their bounds, and the slope there along each held mass (0 along free ones).

    On free masses d = Gᵀ y with G all ten rows: (G Gᵀ + diag(ε², …, 0, …)) y = what the held masses leave missing.
    """
    fixed = np.where(held, low, 0.0)
    free = np.where(held[:, None], 0.0, rows)
    matrix = free @ free.transpose(0, 2, 1)
    matrix[:, range(6), range(6)] += PULL ** 2
    y = np.linalg.solve(matrix, (missing - np.einsum("ckj,cj->ck", rows, fixed))[..., None])[..., 0]
    goal = np.einsum("ckj,ck->cj", rows, y)
    return np.where(held, low, goal), np.where(held, fixed - goal, 0.0)
