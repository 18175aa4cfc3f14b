"""Bounded least squares of many small systems against scipy's, one at a time."""
import numpy as np
import pytest
from scipy.optimize import nnls

from robotphi.discretise.matter.bounded import non_negative


@pytest.mark.parametrize("size", [1, 6, 24])
def test_solutions_are_those_of_scipy(size):
    rng = np.random.default_rng(size)
    system = rng.standard_normal((50, 2 * size + 3, size))
    right = rng.standard_normal((50, 2 * size + 3))
    found, done = non_negative(np.swapaxes(system, 1, 2) @ system, np.einsum("crm,cr->cm", system, right))
    assert done.all()
    for one, rows, sides in zip(found, system, right, strict=True):
        assert np.allclose(one, nnls(rows, sides)[0], rtol=0, atol=1e-10)


def test_a_solution_without_bounds_in_its_way_is_the_plain_one():
    gram = np.array([[[2.0, 0.5], [0.5, 1.0]]])
    found, done = non_negative(gram, np.array([[2.0, 1.0]]))
    assert done[0]
    assert np.allclose(found[0], np.linalg.solve(gram[0], [2.0, 1.0]))
