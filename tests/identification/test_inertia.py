"""The mass distribution of a real object: the ten numbers come out, what no body has is refused."""
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identification.commands.cli import app
from identification.errors import FitError
from identification.inertia import inertia_of, points_within, six_particles, within
from robotphi import read_scene
from robotphi.geometry.files import write_mesh
from robotphi.geometry.shapes import box


def called(capsys, *words):
    """Exit code and what stands on standard output."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ending:
        app([str(word) for word in words])
    return ending.value.code or 0, capsys.readouterr().out


UNEVEN = np.array([[2.0e-3, 1e-4, 0], [1e-4, 2.4e-3, -2e-4], [0, -2e-4, 1.0e-3]])
CENTRE = np.array([0.004, -0.002, 0.006])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(1e-6, 10.0), min_size=3, max_size=3), st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3),
       st.floats(1e-3, 100.0))
def test_six_particles_have_any_inertia_that_a_body_can_have(seconds, angles, mass):
    a, b, c = angles
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) @ np.array(
        [[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]]) @ np.array(
        [[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    second = turn @ np.diag(seconds) @ turn.T
    inertia = np.trace(second) * np.eye(3) - second
    reached = six_particles(mass, [1.0, 2.0, 3.0], inertia).properties()
    assert reached[0] == pytest.approx(mass)
    np.testing.assert_allclose(reached[1], [1, 2, 3], rtol=1e-9)
    np.testing.assert_allclose(reached[2], inertia, rtol=0, atol=1e-9 * (np.trace(inertia) + mass))


def test_a_shape_is_filled_unevenly_just_as_far_as_the_ten_numbers_ask():
    mesh = box((0.1, 0.08, 0.2)).as_mesh()
    points = points_within(mesh, 0.01)
    assert len(points) == 10 * 8 * 20
    found = within(points, 0.5, CENTRE, UNEVEN)
    mass, centre, inertia = found.properties()
    assert mass == pytest.approx(0.5)
    np.testing.assert_allclose(centre, CENTRE, atol=1e-10)
    np.testing.assert_allclose(inertia, UNEVEN, atol=1e-10)
    assert found.mass.min() >= 0
    even = within(points, 0.5, points.mean(axis=0), _even(points, 0.5))
    assert even.unevenness < 1e-9 < found.unevenness


def _even(points, mass):
    arm = points - points.mean(axis=0)
    second = mass * arm.T @ arm / len(points)
    return np.trace(second) * np.eye(3) - second


def test_no_other_distribution_within_the_shape_is_more_even():
    """Against any change of the masses that keeps the ten numbers and leaves none below nought."""
    points = points_within(box((0.1, 0.08, 0.2)).as_mesh(), 0.02)
    found = within(points, 0.5, CENTRE, UNEVEN)
    arm = points - CENTRE
    rows, columns = np.triu_indices(3)
    ten = np.column_stack([np.ones(len(points)), arm, arm[:, rows] * arm[:, columns]])
    free = np.linalg.svd(ten.T)[2][10:]
    random = np.random.default_rng(0)
    for _ in range(50):
        change = free.T @ random.standard_normal(len(free))
        other = found.mass + 1e-3 * found.mass.max() * change / np.abs(change).max()
        if other.min() >= 0:
            assert np.var(other) >= np.var(found.mass)


@pytest.mark.parametrize(("numbers", "words"), [
    ([1.0, 1.0, 3.0], "those of no body"),
    ([1.0, 1.0], "give three, or six"),
    ([[1.0, 0.5, 0], [0.1, 1.0, 0], [0, 0, 1.0]], "not symmetric"),
])
def test_what_no_body_has_is_refused(numbers, words):
    with pytest.raises(FitError, match=words):
        six_particles(1.0, [0, 0, 0], inertia_of(numbers))


def test_an_inertia_larger_than_the_shape_is_refused():
    points = points_within(box((0.1, 0.1, 0.1)).as_mesh(), 0.01)
    with pytest.raises(FitError, match="no distribution of mass within the shape"):
        within(points, 1.0, [0, 0, 0], np.diag([0.01, 0.01, 0.01]))


def test_the_command_writes_a_scene_whose_rigid_has_the_numbers(tmp_path, capsys):
    write_mesh(tmp_path / "block.stl", box((0.1, 0.08, 0.2)).as_mesh())
    words = ["inertia", "--mass", "0.5", "--centre", "0.004,-0.002,0.006", "--inertia", "2e-3,2.4e-3,1e-3,1e-4,0,-2e-4",
             "--shape", str(tmp_path / "block.stl"), "--out", str(tmp_path / "object.yaml"), "--json"]
    code, answer = called(capsys, *words)
    assert code == 0, answer
    np.testing.assert_allclose(json.loads(answer)["inertia"], UNEVEN, atol=1e-10)
    rigid = read_scene(tmp_path / "object.yaml").things["object"]
    assert rigid.mass == pytest.approx(0.5)
    np.testing.assert_allclose(rigid.inertia, UNEVEN, atol=1e-10)


def test_bad_numbers_are_told_with_what_would_work(capsys):
    code, answer = called(capsys, "inertia", "--mass", "1", "--inertia", "1,x,2", "--json")
    assert code == 2
    assert "give 3 or 6 numbers" in json.loads(answer)["error"]
