"""Bends and dihedral angles of positions."""
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.scene.springs import bends, dihedrals, lengths

ONE = (np.array([0]), np.array([1]), np.array([2]))


def test_a_length_is_the_distance():
    assert lengths(np.array([[0.0, 0, 0], [3, 0, 4]]), np.array([0]), np.array([1])).tolist() == [5]


@settings(deadline=None)
@given(st.floats(1e-9, np.pi - 1e-9))
def test_the_bend_is_what_is_missing_to_a_straight_line(angle):
    position = np.array([[2.0, 0, 0], [0, 0, 0], [3 * np.cos(angle), 3 * np.sin(angle), 0]])
    bend, normal = bends(position, *ONE)
    np.testing.assert_allclose(bend, np.pi - angle, atol=1e-15)
    np.testing.assert_allclose(normal, [[0, 0, 1]], atol=1e-15)


@settings(deadline=None)
@given(st.floats(-3.1, 3.1), st.floats(-2, 2))
def test_the_dihedral_angle_is_right_handed_about_its_axis(angle, along):
    position = np.array([[1.0, 0, along], [0, 0, 0], [0, 0, 2], [3 * np.cos(angle), 3 * np.sin(angle), 2 + along]])
    value, sine = dihedrals(position, *ONE, np.array([3]))
    np.testing.assert_allclose(value, angle, atol=1e-14)
    np.testing.assert_allclose(sine, 1 / np.hypot(1, along) if along else 1.0, rtol=1e-12)
