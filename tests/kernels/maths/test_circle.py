"""Cosine and sine at once, against the library's, whose own error is less than a unit."""
import math

import numpy as np
import pytest

from robotphi.kernels.maths.circle import FAR, cos_sin

UNIT = 2.0**-53      # half the spacing of doubles below one


def angles():
    random = np.random.default_rng(1)
    quarters = 0.5 * math.pi * np.arange(-40, 41)
    near = np.concatenate([quarters + sign * 10.0 ** random.uniform(-16, 0, len(quarters)) for sign in (-1, 1)])
    return np.concatenate([near, random.uniform(-4, 4, 2000), random.uniform(-FAR, FAR, 2000), [0.0, 1e-300, 3 * FAR, 1e15]])


def test_both_are_right_to_two_units_of_one():
    for x in angles().tolist():
        c, s = cos_sin(x)
        assert abs(c - math.cos(x)) <= 2.0 * UNIT, x
        assert abs(s - math.sin(x)) <= 2.0 * UNIT, x


@pytest.mark.parametrize("x", [1e-300, -1e-9, 3e-5, 0.1])
def test_small_angles_are_relatively_right(x):
    assert cos_sin(x)[1] == pytest.approx(math.sin(x), rel=4.0 * UNIT, abs=0.0)


def test_what_is_no_angle_stays_none():
    assert all(math.isnan(each) for each in cos_sin(math.nan))
