"""Inertia and principal frames."""
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.scene.rigid import mass_properties, principal_frame, quaternion_of, rotation_about

SEEDS = st.integers(0, 2**32 - 1)


def turned(quaternion):
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def test_a_dumbbell_has_the_inertia_of_two_points():
    mass, centre, inertia = mass_properties(np.array([[0.0, 0, 0], [2, 0, 0]]), np.array([1.0, 3.0]))
    assert mass == 4
    np.testing.assert_allclose(centre, [1.5, 0, 0])
    np.testing.assert_allclose(inertia, np.diag([0, 3, 3]), atol=1e-15)  # m1 m2/(m1 + m2) d²


@settings(deadline=None)
@given(SEEDS)
def test_the_principal_frame_gives_the_inertia_back_and_is_right_handed(seed):
    points = np.random.default_rng(seed).normal(size=(5, 3))
    inertia = mass_properties(points, np.ones(5))[2]
    moments, frame = principal_frame(inertia)
    np.testing.assert_allclose(frame @ np.diag(moments) @ frame.T, inertia, rtol=0, atol=1e-13 * np.trace(inertia))
    assert abs(np.linalg.det(frame) - 1) < 1e-13


@settings(deadline=None)
@given(SEEDS, st.floats(0.0, 0.2))
def test_the_principal_frame_of_a_slightly_turned_body_is_slightly_turned(seed, angle):
    axis = np.random.default_rng(seed).normal(size=3)
    rotation = rotation_about(axis / np.linalg.norm(axis), angle)
    moments, frame = principal_frame(rotation @ np.diag([3.0, 1.0, 2.0]) @ rotation.T)
    np.testing.assert_allclose(moments, [3, 1, 2], atol=1e-12)
    np.testing.assert_allclose(frame, rotation, atol=1e-7)


def test_a_diagonal_inertia_keeps_its_axes_exactly():
    moments, frame = principal_frame(np.diag([3.0, 1.0, 2.0]))
    assert moments.tolist() == [3, 1, 2]
    assert np.array_equal(frame, np.eye(3))
    assert quaternion_of(frame).tolist() == [1, 0, 0, 0]


def test_rounding_does_not_turn_a_body_of_equal_moments():
    inertia = np.diag([2.0, 2.0, 2.0])
    inertia[0, 1] = inertia[1, 0] = 3e-16
    moments, frame = principal_frame(inertia)
    assert moments.tolist() == [2, 2, 2]
    assert np.array_equal(frame, np.eye(3))


@settings(max_examples=200, deadline=None)
@given(st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_a_rotation_and_its_quaternion_are_the_same(components):
    rotation = turned(np.array(components) / np.linalg.norm(components))
    quaternion = quaternion_of(rotation)
    assert quaternion[0] >= 0
    np.testing.assert_allclose(turned(quaternion), rotation, rtol=0, atol=1e-14)


def test_a_quarter_turn_about_z_takes_x_to_y():
    np.testing.assert_allclose(rotation_about(np.array([0.0, 0, 1]), np.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
