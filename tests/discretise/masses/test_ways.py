"""Nine masses: the minimum under its conditions, whatever the bounds hold."""
import numpy as np

from robotphi.discretise.masses.moments import PAIRS, solids
from robotphi.discretise.masses.ways import LEAST, PULL, WEIGHTS, by_report, nearest_masses
from robotphi.verification.inertia import shaken_cubes


def problem(count, amplitude):
    """Places in the frame where C = 1 by another way (eigenvectors), and report's masses of the cells that have them."""
    corners = np.ascontiguousarray(shaken_cubes(count, amplitude, seed=3).transpose(2, 1, 0))
    corners = corners[:, :, solids(corners, "hexahedron").volume > 0.0]
    solid = solids(corners, "hexahedron")
    report = by_report(corners, "hexahedron", 0)
    moments = solid.frame.back_moments(solid.moments).transpose(2, 0, 1)
    squares, axes = np.linalg.eigh(moments)
    places = np.einsum("cji,jkc->cki", axes, solid.frame.back(solid.points[:, :8])) / np.sqrt(squares)[:, None]
    return solid, report.share / report.volume, places


def test_no_other_allowed_masses_are_nearer():
    solid, start, places = problem(5000, 0.35)
    masses = nearest_masses(solid.points[:, :8], solid.moments, start).T
    start, least = start.T, LEAST * start.T
    held = masses <= least * (1 + 1e-9)
    assert (masses >= least * (1 - 1e-12)).all()
    assert 10 < held.any(axis=1).sum() < 1000  # bounds matter for some
    for u, u0, place, hold in zip(masses, start, places, held, strict=True):
        rows = np.zeros((10, 9))
        rows[:6, :8] = [w * place[:, i] * place[:, j] for w, (i, j) in zip(WEIGHTS, PAIRS, strict=True)]
        rows[6:9, :8] = place.T
        rows[9] = 1.0
        # mass and centre: rounding of ten equations, whose condition reaches 1e4 in the most crooked cells
        np.testing.assert_allclose(rows[6:] @ u, [0, 0, 0, 1], atol=1e-12)
        # conditions of the minimum: the slope is a mix of the four conditions where masses are free, and growing held ones does
        # not help. Rounding of the rows, squares of places of up to 10 in the most crooked cells, solved with ε² = 0.04
        slope = rows[:6].T @ (rows[:6] @ u - [1, 1, 1, 0, 0, 0]) + PULL ** 2 * (u - u0)
        mix = np.linalg.lstsq(rows[6:, ~hold].T, slope[~hold], rcond=None)[0]
        rest = slope - mix @ rows[6:]
        np.testing.assert_allclose(rest[~hold], 0.0, atol=1e-10)
        assert (rest[hold] >= -1e-10).all()
