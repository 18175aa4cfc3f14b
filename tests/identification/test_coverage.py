"""What repeats of an experiment remember of its simulations is what these would answer."""
import numpy as np

from tests.identification.remembered import Polynomial, box_of
from tests.identification.two_masses import TRUTH, closed_form


def test_within_its_box_a_polynomial_is_what_would_be_simulated():
    problem, random = closed_form(), np.random.default_rng(2)
    box = box_of(problem.shares(TRUTH * np.array([[0.99, 0.95], [1.01, 1.05]])))
    polynomial = Polynomial(problem, box, (5, 5))
    for shares in polynomial.shares(random.uniform(-1, 1, (20, 2))):
        [outcome] = problem.evaluate(problem.values(shares), True)
        assert polynomial.holds(shares)
        assert np.abs(polynomial(shares) - outcome.residuals).max() < 1e-4   # of the noise
    assert not polynomial.holds(problem.shares(TRUTH * [1.02, 1.0])[0])


def test_the_box_holds_where_repeats_have_been_and_half_as_much_about():
    low, high = box_of([[0.4, 0.1], [0.6, 0.9]])
    assert np.allclose([low, high], [[0.35, 0.0], [0.65, 1.0]])
