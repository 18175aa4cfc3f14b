"""Ways to spread the mass of cells of one kind: shares of each cell's mass and the places of its inner particles.

Every way takes the corners of cells (3, corners, c) and gives `Shares`; none of its masses is negative, or the cell is refused.
Sources: RR-3072, section 6.2.2; the tetrahedron's 1/20 and 4/5 are exact in mass, centre and all second moments.
"""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.moments import (
    PAIRS,
    Frame,
    around,
    corner_shares,
    determinants,
    fan,
    fan_determinants,
    framed,
    mean,
    solids,
    with_facet_centres,
)
from robotphi.geometry.cells import KINDS
from robotphi.scene.checks import refuse

CORNER, CENTROID = 1 / 20, 4 / 5  # of a tetrahedron's mass
WARPED = "its facets are too warped: use better shaped cells"


class Shares(NamedTuple):
    """What cells of one kind become."""
    volume: np.ndarray       # (c,)
    share: np.ndarray        # (particles, c) of the cell's volume, in the order of the columns
    places: np.ndarray       # (3, own, c) of the particles behind the corners and facet centres


def on_corners(corners, name, first):
    """Mass on the corners alone, exact in mass and centre; a cell's middle passes its quarter on to all corners alike."""
    _, frame, scaled = framed(corners)
    dets = fan_determinants(with_facet_centres(scaled, name), name)
    six = dets.sum(axis=0)
    share = corner_shares(dets, name) + six / (24.0 * KINDS[name].corners)
    _check(name, first, six, share)
    return Shares(six / 6.0 * frame.volume, share * frame.volume, np.empty((3, 0, corners.shape[2])))


def on_corners_and_centre(corners, name, first, nearest=True):
    """Corners and centre of inertia: the report's share, or with `nearest` the masses nearest to the second moments."""
    if name == "tetrahedron":
        return on_tetrahedra(corners, name, first)
    solid = solids(corners, name)
    _check(name, first, solid.volume)
    outer = corner_shares(solid.dets, name) / (0.125 * solid.dets.sum(axis=0))
    places = solid.points[:, :len(outer)]
    part = _best_part(outer, solid.frame.back(places), solid.frame.back_moments(solid.moments))
    masses = np.concatenate([part * outer, (1.0 - part)[None]])
    if nearest:
        # where the report's way would need negative masses, the search starts with everything at the centre
        masses[:, (masses < 0.0).any(axis=0)] = [[0.0]] * len(outer) + [[1.0]]
        masses = nearest_masses(places, solid.moments, masses)
    _check(name, first, solid.volume, masses)
    return Shares(solid.volume, masses * solid.volume, solid.centre[:, None])


def by_report(corners, name, first):
    """The report's symmetric approximate way: one part of every corner's mass goes to the centre."""
    return on_corners_and_centre(corners, name, first, nearest=False)


def on_tetrahedra(corners, name, first):
    """Corners and the centroids of the tetrahedra that fill the cell, cut along diagonals: exact for that solid."""
    tetrahedra = KINDS[name].tetrahedra
    _, frame, scaled = framed(corners)
    a, b, d, e = (scaled[:, tetrahedra[:, i]] for i in range(4))
    volume = determinants(b - a, d - a, e - a) / 6.0 * frame.volume
    _check_pieces(name, first, volume)
    share = np.zeros((KINDS[name].corners + len(tetrahedra), corners.shape[2]))
    for piece, four in zip(volume, tetrahedra, strict=True):
        share[four] += CORNER * piece
    share[KINDS[name].corners:] = CENTROID * volume
    return Shares(volume.sum(axis=0), share, mean(corners[:, tetrahedra.T]))


def symmetrically(corners, name, first):
    """Corners, facet centres, centre and the centroids of the tetrahedra between them: exact for the solid, and isotropic."""
    if name == "tetrahedron":
        return on_tetrahedra(corners, name, first)
    solid = solids(corners, name)
    pieces = solid.dets / 6.0 * solid.frame.volume
    _check_pieces(name, first, pieces)
    share = np.concatenate([CORNER * around(pieces, name), CORNER * pieces.sum(axis=0)[None], CENTROID * pieces])
    centroids = solid.frame.back(solid.points[:, fan(name).triangles].sum(axis=2) / 4.0)
    places = np.concatenate([np.zeros_like(centroids[:, :1]), centroids], axis=1) + solid.centre[:, None]
    return Shares(solid.volume, share, places)


WAYS = {"corners": on_corners, "centre": on_corners_and_centre, "report": by_report,
        "tetrahedra": on_tetrahedra, "symmetric": symmetrically}


def inner_counts(name, way):
    """(facet centres, own inner particles) of a cell of this kind."""
    if way == "corners":
        return 0, 0
    if name == "tetrahedron":
        return 0, 1
    if way == "symmetric":
        return len(fan(name).quads), 1 + len(fan(name).triangles)
    return 0, len(KINDS[name].tetrahedra) if way == "tetrahedra" else 1


def _best_part(outer, places, wanted):
    """Part of the mass that stays on the corners so that the inertia comes nearest: (I_corners · I) / |I_corners|².

    The report searches for it; Frobenius products of inertias tr(C) 1 − C are tr C tr C' + C · C'.
    """
    def product(one, other):
        return np.einsum("iic->c", one) * np.einsum("iic->c", other) + (one * other).sum(axis=(0, 1))

    reached = np.einsum("kc,xkc,ykc->xyc", outer, places, places)
    return np.clip(product(reached, wanted) / product(reached, reached), 0.0, 1.0)


def _check(name, first, volume, share=None):
    flat = ~(volume > 0.0)
    if flat.any():
        cell = int(flat.argmax())
        refuse(f"{name} {first + cell}", f"its volume is {volume[cell]:g}",
               "it must be positive: number the corners so that the first facet points inwards")
    if share is not None and not (share >= 0.0).all():
        corner, cell = np.argwhere(~(share >= 0.0))[0]
        refuse(f"{name} {first + cell}", f"corner {corner} would get a negative mass", f"{WARPED}, or way='centre'")


def _check_pieces(name, first, volume):
    inverted = ~(volume > 0.0)
    if inverted.any():
        cell = int(inverted.any(axis=0).argmax())
        piece = int(inverted[:, cell].argmax())
        refuse(f"{name} {first + cell}", f"its tetrahedron {piece} is turned inside out (volume {volume[piece, cell]:g})",
               f"{WARPED}, or way='centre'")


# Nearest masses --------------------------------------------------------------------------------------------------------
#
# Masses u (corners and centre, of a cell of mass 1) with the places r about the centre of inertia, in the frame in which the
# solid's own second moments are C = 1 (so that flat and slanted cells are served like cubes):
#     min |Σ u r rᵀ − 1|² + ε² |u − u0|²   with   Σ u = 1,  Σ u r = 0,  u ≥ LEAST u0
# u0 is the report's share (RR-3072, section 6.2.2). Without ε the masses of a cube are not determined (an xyz pattern changes
# no second moment) and those of nearly cubic cells run to zero for a gain that nobody can measure.

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
