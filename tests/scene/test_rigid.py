"""Rigid primitives at the door; inertia and principal frames."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.scene import Drive, Scene
from robotphi.scene.rigid import mass_properties, principal_frame
from robotphi.scene.turns import quaternion_of, rotation_about

SINE = Drive.sine(0.1, 2.0)
TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
LINE = [[0, 0, 0], [1, 1, 1], [2, 2, 2]]


def add(**given):
    return Scene("one").add_rigid("body", **{"positions": TRIANGLE, "mass": 3.0, **given})


def test_particle_masses_give_mass_centre_and_inertia():
    body = add(mass=[1, 2, 3])
    assert body.mass == 6
    np.testing.assert_allclose(body.centre, [1 / 3, 1 / 2, 0], rtol=1e-15)
    r = np.array(TRIANGLE) - body.centre
    expected = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip([1, 2, 3], r, strict=True))
    np.testing.assert_allclose(body.inertia, expected, atol=1e-15)


def test_a_total_mass_is_shared_equally():
    body = add(mass=3.0)
    same = add(mass=[1, 1, 1])
    assert np.array_equal(body.inertia, same.inertia)
    np.testing.assert_allclose(body.centre, [1 / 3, 1 / 3, 0], rtol=1e-15)


def test_a_given_inertia_and_centre_stand_for_those_of_the_particles():
    body = add(positions=LINE, inertia=(1, 2, 3), centre=(1, 0, 0))
    assert body.inertia.tolist() == np.diag([1, 2, 3]).tolist()
    assert body.centre.tolist() == [1, 0, 0]


def test_its_particles_belong_to_it():
    scene = Scene("two")
    scene.add_particle("p", (0, 0, 0), 1.0)
    body = scene.add_rigid("body", TRIANGLE, 1.0)
    assert body.particles.tolist() == [1, 2, 3]
    assert (body.index, body.name) == (0, "body")
    assert scene.rigid_of_particle.tolist() == [-1, 0, 0, 0]
    assert scene.find("body") is body


def test_a_rigid_that_is_wholly_held_or_driven_needs_no_mass():
    assert add(mass=None, support="xyz", rotation_support="xyz").mass == 0
    led = add(mass=None, support="yz", drive={"x": SINE, "rotation": ((0, 0, 2), SINE)})
    assert led.drive_axis.tolist() == [0, 0, 1]
    assert add(mass=None, positions=LINE, support="xyz", rotation_support="xyz").centre.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("given", "words"), [
    ({"mass": None}, ["mass is missing", "held or driven on all axes"]),
    ({"mass": 0.0}, ["mass is 0", "> 0"]),
    ({"mass": -1.0}, ["mass is -1"]),
    ({"mass": [1, -1, 1]}, ["index 1", "mass is -1"]),
    ({"mass": [0, 0, 0]}, ["add up to zero"]),
    ({"mass": [1, 1]}, ["mass has shape (2,)", "3 of them"]),
    ({"mass": float("nan")}, ["mass is nan"]),
    ({"positions": LINE}, ["fewer than three particles", "one line", "inertia="]),
    ({"positions": LINE[:2]}, ["fewer than three particles", "one line"]),
    ({"positions": LINE[:1]}, ["fewer than three particles"]),
    ({"mass": [1, 1, 0]}, ["with mass that do not lie on one line"]),
    ({"positions": [[0, 0, 0], [1, 0, np.inf], [0, 1, 0]]}, ["index 1", "finite"]),
    ({"inertia": (1, 1)}, ["inertia has shape (2,)", "3 x 3"]),
    ({"inertia": (1, 1, -1)}, ["not positive definite", "-1, 1, 1"]),
    ({"inertia": (1, 1, 0)}, ["not positive definite"]),
    ({"inertia": (1, 1, 3)}, ["triangle inequality", "1, 1, 3", "may be 2"]),
    ({"inertia": [[2, 1, 0], [0, 2, 0], [0, 0, 2]]}, ["not symmetric", "off by 1"]),
    ({"inertia": (1, 1, np.nan)}, ["inertia is nan"]),
    ({"centre": (0, 0)}, ["centre", "three numbers"]),
    ({"velocity": (1, 0)}, ["velocity", "three numbers"]),
    ({"velocity": (1, 0, 0), "support": "x"}, ["velocity along x is 1", "supported"]),
    ({"velocity": (1, 0, 0), "drive": {"x": SINE}}, ["velocity along x is 1", "driven"]),
    ({"spin": (1, 0, np.nan)}, ["spin is nan"]),
    ({"spin": (1, 0, 0), "rotation_support": "x"}, ["spin is [1.0, 0.0, 0.0]", "held or driven"]),
    ({"spin": (1, 0, 0), "drive": {"rotation": ((1, 0, 0), SINE)}}, ["spin", "driven"]),
    ({"support": "q"}, ["support is 'q'"]),
    ({"rotation_support": "zz"}, ["rotation_support is 'zz'"]),
    ({"support": "x", "drive": {"x": SINE}}, ["axis x", "both driven and supported"]),
    ({"rotation_support": "x", "drive": {"rotation": ((0, 0, 1), SINE)}}, ["rotation is both", "holds the other two"]),
    ({"drive": {"rotation": SINE}}, ["drive of rotation", "(axis, Drive)"]),
    ({"drive": {"rotation": ((0, 0, 0), SINE)}}, ["axis of the driven rotation is zero"]),
    ({"drive": {"rotation": ((0, 0, 1), "3")}}, ["drive of rotation is '3'"]),
    ({"drive": {"spin": SINE}}, ["unknown driven axis 'spin'", "rotation"]),
    ({"drive": {"x": Drive.steps([0, 1], [0, 1])}}, ["drive of x jumps at 1 s"]),
])
def test_a_rigid_that_cannot_be_is_refused_with_what_would_work(given, words):
    with pytest.raises(SceneError) as refused:
        add(**given)
    assert all(word in str(refused.value) for word in ["rigid 'body'", *words]), refused.value


def test_the_triangle_inequality_is_not_broken_by_rounding():
    assert add(inertia=(1, 2, 3 * (1 + 1e-10))).mass == 3


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


@pytest.mark.parametrize("far", [
    {"positions": 1e160 * np.array(TRIANGLE)}, {"inertia": (1e308, 1e308, 1e308)}, {"inertia": 1e305 * np.eye(3)},
    {"mass": 10**400}])
def test_inertias_beyond_the_range_of_floats_are_refused(far):
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(SceneError, match=r"inertia|mass"):
        add(**far)
