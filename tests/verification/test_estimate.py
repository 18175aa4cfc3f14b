"""Error bars from refinement, on sequences whose errors are known."""
import numpy as np
from numpy.testing import assert_allclose

from robotphi.verification.estimate import extrapolated, observed_order, richardson, sampled_frequency, slope


def sequence(step):
    return 3.0 + 0.7 * step ** 2 + 0.1 * step ** 4


def test_richardson_tells_the_error_of_the_finer_value():
    coarse, fine = sequence(0.02), sequence(0.01)
    assert_allclose(richardson(coarse, fine), fine - 3.0, rtol=1e-3)


def test_extrapolation_removes_the_leading_error():
    assert abs(extrapolated(sequence(0.02), sequence(0.01)) - 3.0) < 1e-8
    assert_allclose(extrapolated(1 + 4 * 0.5, 1 + 0.5, order=1, ratio=4), 1.0, rtol=1e-15)


def test_the_order_is_seen_in_three_refinements_and_in_the_slope():
    assert_allclose(observed_order(sequence(0.04), sequence(0.02), sequence(0.01)), 2.0, atol=1e-3)
    steps = 0.04 / 2.0 ** np.arange(4)
    assert_allclose(slope(steps, sequence(steps) - 3.0), 2.0, atol=1e-3)


def test_a_sampled_sinusoid_gives_its_frequency_whatever_its_phase():
    times = np.arange(40) * 0.3
    assert_allclose(sampled_frequency(0.2 * np.cos(2.5 * times + 0.9), 0.3), 2.5, rtol=1e-13)
