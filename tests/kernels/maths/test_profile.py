"""Symmetric equations by their profile, against numpy."""
import numpy as np
import pytest

from robotphi.kernels.maths.profile import direction_of, factor_profile, solve_profile


def profile(matrix, first):
    """Entries of the rows from their first column on, and where each row begins."""
    begin = np.concatenate(([0], np.cumsum(np.arange(len(first)) - first + 1)))
    return begin, np.concatenate([matrix[i, first[i]:i + 1] for i in range(len(first))])


def random_matrix(seed, count=40):
    rng = np.random.default_rng(seed)
    first = np.array([rng.integers(max(0, i - 6), i + 1) for i in range(count)])
    matrix = np.zeros((count, count))
    for i in range(count):
        matrix[i, first[i]:i] = rng.standard_normal(i - first[i])
        matrix[i, i] = rng.uniform(-6, 12)
    return matrix + np.tril(matrix, -1).T, first


@pytest.mark.parametrize("seed", range(8))
def test_solutions_and_signs_are_those_of_the_matrix(seed):
    matrix, first = random_matrix(seed)
    begin, entry = profile(matrix, first)
    negative, none = factor_profile(first, begin, entry, np.ones(len(first)), 1e-12, 1e-12)
    assert (negative, none) == (np.count_nonzero(np.linalg.eigvalsh(matrix) < 0), 0)
    x = np.arange(1.0, len(first) + 1)
    solve_profile(first, begin, entry, x)
    np.testing.assert_allclose(matrix @ x, np.arange(1.0, len(first) + 1), rtol=1e-8, atol=1e-8)
    pivots = entry[begin[1:] - 1]
    for i in (0, 7, 39):
        direction = np.zeros(len(first))
        direction_of(first, begin, entry, i, direction)
        assert direction @ matrix @ direction == pytest.approx(pivots[i], rel=1e-8)


def test_what_has_no_stiffness_goes_by_itself():
    matrix = np.diag([2.0, 0.0, 3.0])
    begin, entry = profile(matrix, np.array([0, 0, 0]))
    assert factor_profile(np.array([0, 0, 0]), begin, entry, np.full(3, 5.0), 1e-8, 1e-8) == (0, 1)
    x = np.array([2.0, 10.0, 3.0])
    solve_profile(np.array([0, 0, 0]), begin, entry, x)
    np.testing.assert_allclose(x, (1.0, 2.0, 1.0))
