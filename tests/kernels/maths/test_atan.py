"""The arctangent against 40 digits."""
import math

import mpmath
import numpy as np
import pytest

from robotphi.kernels.maths.atan import COEFFICIENTS, TAN_3PI_8, TAN_PI_8, arctangent2

# 2.75 seen over 1e7 directions, next to π/8, where π/4 and a turn back by π/8 meet; a unit is the spacing of doubles.
LARGEST_ERROR_IN_ULP = 3.0


def error_in_ulp(y, x):
    with mpmath.workdps(40):
        exact = mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))
        return float(abs(mpmath.mpf(arctangent2(y, x)) - exact) / math.ulp(float(exact)))


def points(count, seed):
    """Directions all round, near the axes, and near the directions where the turn changes."""
    generator = np.random.default_rng(seed)
    angles = generator.uniform(-math.pi, math.pi, count)
    offset = generator.choice([-1, 1], count) * 10.0 ** generator.uniform(-15, -1, count)
    near = generator.integers(-8, 9, count) * (math.pi / 8) + offset
    for angle in np.concatenate([angles, near]):
        size = 10.0 ** generator.uniform(-100, 100)
        yield float(size * math.sin(angle)), float(size * math.cos(angle))


def test_the_polynomial_alone_is_within_a_third_of_a_rounding():
    # rounding of one operation: 2^-53 = 1.1e-16
    with mpmath.workdps(40):
        for r in np.linspace(1e-3, TAN_PI_8, 1001):
            exact = mpmath.atan(mpmath.mpf(r)) / r
            found = mpmath.fsum(c * mpmath.mpf(r) ** (2 * k) for k, c in enumerate(COEFFICIENTS))
            assert abs(found / exact - 1) < 3.6e-17


def test_every_direction_is_within_three_units_in_the_last_place():
    assert max(error_in_ulp(y, x) for y, x in points(1500, seed=1)) <= LARGEST_ERROR_IN_ULP


def test_tiny_angles_keep_their_relative_accuracy():
    assert max(error_in_ulp(10.0 ** -k, 1.0) for k in range(1, 300)) <= 1.0


@pytest.mark.parametrize(("y", "x"), [
    (0.0, 1.0), (0.0, -1.0), (-0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0),
    (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0), (TAN_PI_8, 1.0), (TAN_3PI_8, 1.0)])
def test_axes_and_diagonals_equal_the_library(y, x):
    assert abs(arctangent2(y, x) - math.atan2(y, x)) <= math.ulp(math.atan2(y, x))


def test_the_angle_has_the_sign_of_the_ordinate():
    for y, x in points(200, seed=2):
        assert arctangent2(-y, x) == -arctangent2(y, x)


def test_the_uncompiled_form_gives_the_same_bits():
    plain = getattr(arctangent2, "py_func", arctangent2)
    assert all(plain(y, x) == arctangent2(y, x) for y, x in points(200, seed=3))
