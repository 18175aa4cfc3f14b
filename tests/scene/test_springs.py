"""Springs at the door: rest values taken from the positions, and every refusal; bends and dihedral angles of positions."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.scene import Drive, Scene, Table
from robotphi.scene.springs import bends, dihedrals, lengths

BAD = float("nan")
SINE = Drive.sine(0.1, 2.0)
CURVE = Table([0, 1], [0, 10])


def corner():
    """Five particles 0 … 4: a square corner, one above, one in line with 0 and 1; and a rigid of 5, 6, 7, 8."""
    scene = Scene("corner")
    scene.add_particles("p", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [3, 0, 0]], 1.0)
    scene.add_rigid("body", np.vstack((np.eye(3), np.zeros((1, 3)))) + 5, 1.0)
    return scene


def refusal(make):
    with pytest.raises(SceneError) as refused:
        make()
    return str(refused.value)


def test_rest_values_are_the_current_ones_unless_told():
    scene = corner()
    scene.add_linear("l", [0, 0], [1, 2], 1.0)
    scene.add_angular("a", [0, 0], [1, 1], [2, 4], 1.0)
    scene.add_articular("t", 0, 1, 2, 3, 1.0)
    np.testing.assert_allclose(scene.find("l").rest_length, [1, np.sqrt(2)], rtol=1e-15)
    np.testing.assert_allclose(scene.find("a").rest_bend, [np.pi / 2, 0], rtol=1e-15)
    # (0,0,0) is at −x of the axis along y, (1,1,1) at +z: from −x to +z is a right-handed quarter turn about y
    np.testing.assert_allclose(scene.find("t").rest_angle, [np.pi / 2], rtol=1e-15)


def test_springs_are_counted_by_kind_over_blocks():
    scene = corner()
    first = scene.add_linear("a", [0, 1], [1, 2], 1.0)
    scene.add_angular("b", 0, 1, 2, 1.0)
    second = scene.add_linear("c", 0, 2, 1.0)
    assert (first.kind, first.indices.tolist(), second.indices.tolist()) == ("linear", [0, 1], [2])
    assert scene.spring_count("linear") == 3
    assert scene.spring_name("linear", 1) == "'a', index 1"
    assert scene.spring_name("linear", 2) == "'c'"


def test_one_particle_may_stand_for_all_springs_of_a_block():
    scene = corner()
    scene.add_linear("star", 0, [1, 2, 3], [1, 2, 3])
    assert scene.find("star").first.tolist() == [0, 0, 0]


def test_a_straight_angle_rests_exactly_straight_in_spite_of_rounding():
    scene = Scene("straight")
    line = np.outer(np.arange(11) / 10, [0.3, 0.5, 0.7]) + 1
    p = scene.add_particles("p", line, 1.0)
    scene.add_angular("now", p[:-2], p[1:-1], p[2:], 1.0)
    scene.add_angular("told", p[:-2], p[1:-1], p[2:], 1.0, rest_angle=np.pi)
    assert not scene.find("now").rest_bend.any()
    assert not scene.find("told").rest_bend.any()


def test_a_normal_gives_the_current_bend_its_sign():
    scene = corner()
    scene.add_angular("left", 0, 1, 2, 1.0, normal=(0, 0, -2))
    scene.add_angular("right", 0, 1, 2, 1.0, normal=(0, 0, 2))
    bends = {name: scene.find(name).rest_bend[0] for name in ("left", "right")}
    # (0 − 1) × (2 − 1) = (−x) × y = −z
    np.testing.assert_allclose([bends["left"], bends["right"]], [np.pi / 2, -np.pi / 2], rtol=1e-15)
    assert scene.find("left").normal.tolist() == [[0, 0, -1]]
    assert scene.find("left").has_law


@settings(deadline=None)
@given(st.floats(0, np.pi))
def test_any_rest_angle_between_folded_and_straight_is_accepted(angle):
    scene = corner()
    scene.add_angular("a", 0, 1, 2, 1.0, rest_angle=angle)
    assert abs(scene.find("a").rest_bend[0] - (np.pi - angle)) <= 1e-9


def test_springs_with_one_particle_outside_their_rigid_are_allowed():
    scene = corner()
    scene.add_linear("l", 5, 0, 1.0)
    scene.add_angular("a", 5, 6, 0, 1.0)
    scene.add_articular("t", 5, 6, 7, 0, 1.0)
    assert [scene.spring_count(kind) for kind in ("linear", "angular", "articular")] == [1, 1, 1]


def test_springs_between_held_particles_are_allowed():
    scene = Scene("held")
    scene.add_particles("p", np.eye(3), 0.0, support="xyz")
    scene.add_linear("l", 0, 1, 1.0)
    assert scene.spring_count("linear") == 1


COMMON = [
    ({"first": 9}, ["first is particle 9", "does not exist", "0 to 8"]),
    ({"first": [0, -1]}, ["index 1", "particle -1"]),
    ({"first": 0.5}, ["first is 0.5", "particle index"]),
    ({"first": True}, ["first is True"]),
    ({"first": []}, ["first is []"]),
    ({"first": "p"}, ["first is 'p'"]),
    ({"first": [0, 0], "second": [2, 2, 2]}, ["different lengths", "first 2", "second 3"]),
    ({"second": 0}, ["first and second are the same particle 0", "'p', index 0", "different particles"]),
    ({"stiffness": -1.0}, ["stiffness is -1", ">= 0"]),
    ({"stiffness": BAD}, ["stiffness is nan", "finite"]),
    ({"stiffness": "stiff"}, ["stiffness", "give numbers"]),
    ({"stiffness": [1.0, 2.0]}, ["stiffness has shape (2,)", "one number or 1"]),
    ({"viscosity": -1.0}, ["viscosity is -1", ">= 0"]),
    ({"viscosity": float("inf")}, ["viscosity is inf"]),
    ({"stiffness": 0.0}, ["both zero", "does nothing"]),
    ({"hardening": -1.0}, ["hardening is -1"]),
    ({"hardening": 1.0}, ["hardening 1 without yield_", "give yield_"]),
    ({"drive": "slow"}, ["drive is 'slow'", "Drive.sine", "a number, or a function of time"]),
    ({"stiffness": 0.0, "viscosity": 1.0, "drive": SINE}, ["drive with zero stiffness", "leave drive out"]),
]
LINEAR = [*COMMON,
    ({"rest_length": -0.1}, ["rest_length is -0.1", ">= 0", "leave it out"]),
    ({"rest_length": BAD}, ["rest_length is nan"]),
    ({"yield_force": 0.0}, ["yield_force is 0", "> 0"]),
    ({"yield_force": BAD}, ["yield_force is nan"]),
    ({"yield_force": 1.0, "stiffness": 0.0, "viscosity": 1.0}, ["yield_force with zero stiffness"]),
    ({"table": 3.0}, ["table is 3.0", "Table("]),
    ({"table": CURVE}, ["stiffness 5 beside a table", "stiffness=0"]),
    ({"table": CURVE, "stiffness": 0.0, "yield_force": 1.0}, ["yield_force beside a table"]),
    ({"table": CURVE, "stiffness": 0.0, "tension_only": True}, ["tension_only beside a table", "Table.toe"]),
    ({"tension_only": True, "yield_force": 1.0}, ["tension_only beside yield_force"]),
    ({"tension_only": True, "stiffness": 0.0, "viscosity": 1.0}, ["tension_only with zero stiffness"]),
    ({"tension_only": [True]}, ["tension_only", "True or False"]),
    ({"first": 5, "second": 8}, ["rigid primitive 'body'", "nothing can move", "outside"]),
]
ANGULAR = [*COMMON,
    ({"centre": 0}, ["first and centre are the same"]),
    ({"rest_angle": -0.1}, ["rest_angle is -0.1", ">= 0 and <= 3.14159", "folded"]),
    ({"rest_angle": 3.2}, ["rest_angle is 3.2"]),
    ({"yield_moment": -1.0}, ["yield_moment is -1", "> 0"]),
    ({"yield_moment": 1.0, "stiffness": 0.0, "viscosity": 1.0}, ["yield_moment with zero stiffness"]),
    ({"normal": (0, 0, 0)}, ["normal is zero"]),
    ({"normal": (1, 0, 0)}, ["normal", "along the arm", "across"]),
    ({"normal": (1, 0)}, ["normal has shape"]),
    ({"second": 4, "drive": SINE}, ["driven angle", "straight", "give normal"]),
    ({"first": 5, "centre": 6, "second": 7}, ["rigid primitive 'body'"]),
]
ARTICULAR = [*COMMON,
    ({"end": 1}, ["centre and end are the same"]),
    ({"second": 4, "end": 2, "centre": 1, "first": 0, "rest_angle": BAD}, ["rest_angle is nan"]),
    ({"yield_moment": 0.0}, ["yield_moment is 0"]),
    ({"first": 0, "centre": 1, "end": 4, "second": 2}, ["arm is parallel to the axis", "'p', index 1", "off the axis"]),
    ({"first": 5, "centre": 6, "end": 7, "second": 8}, ["rigid primitive 'body'"]),
]


@pytest.mark.parametrize(("given", "words"), LINEAR)
def test_linear_springs_that_cannot_be_are_refused(given, words):
    message = refusal(lambda: corner().add_linear("l", **{"first": 0, "second": 2, "stiffness": 5.0, **given}))
    assert all(word in message for word in ["linear springs 'l'", *words]), message


@pytest.mark.parametrize(("given", "words"), ANGULAR)
def test_angular_springs_that_cannot_be_are_refused(given, words):
    given = {"first": 0, "centre": 1, "second": 2, "stiffness": 5.0, **given}
    message = refusal(lambda: corner().add_angular("a", **given))
    assert all(word in message for word in ["angular springs 'a'", *words]), message


@pytest.mark.parametrize(("given", "words"), ARTICULAR)
def test_articular_springs_that_cannot_be_are_refused(given, words):
    given = {"first": 0, "centre": 1, "end": 2, "second": 3, "stiffness": 5.0, **given}
    message = refusal(lambda: corner().add_articular("t", **given))
    assert all(word in message for word in ["articular springs 't'", *words]), message


def test_a_length_of_zero_is_refused_for_every_kind_and_names_the_spring():
    scene = Scene("heap")
    scene.add_particles("p", [[1, 0, 0], [2, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], 1.0)
    for add in (lambda: scene.add_linear("l", [0, 1], [1, 2], 1.0),
                lambda: scene.add_angular("l", [0, 0], [3, 1], [1, 2], 1.0),
                lambda: scene.add_articular("l", [0, 0], [3, 1], [4, 2], [1, 3], 1.0)):
        message = refusal(add)
        assert all(word in message for word in ("index 1", "length of zero", "particle 2", "move them apart")), message


def test_the_spring_at_fault_is_named_among_many():
    scene = Scene("row")
    p = scene.add_particles("p", np.outer(np.arange(1000), [1, 0, 0]), 1.0)
    stiffness = np.ones(999)
    stiffness[437] = -2
    assert "index 437: stiffness is -2" in refusal(lambda: scene.add_linear("l", p[:-1], p[1:], stiffness))


def test_a_refused_block_leaves_nothing_behind():
    scene = corner()
    refusal(lambda: scene.add_linear("l", 0, 1, -1.0))
    assert scene.spring_count("linear") == 0
    scene.add_linear("l", 0, 1, 1.0)


def test_springs_without_a_scene_of_particles_are_refused():
    assert "there is none yet" in refusal(lambda: Scene("empty").add_linear("l", 0, 1, 1.0))


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


def test_springs_that_draw_their_ends_together_may_start_with_these_in_one_place():
    scene = Scene("tie")
    ends = scene.add_particles("end", [(0, 0, 1), (0, 0, 1), (1, 0, 1)], 1.0)
    scene.add_linear("tie", ends[0], ends[1], 10.0, rest_length=0.0)
    for more in ({}, {"rest_length": 0.1}, {"rest_length": 0.0, "drive": Drive.sine(0.1, 1.0)}):
        with pytest.raises(SceneError, match=r"index 0: .* a length of zero; .* rest_length=0 if they are to meet"):
            scene.add_linear("bar", ends[0], ends[1:], 10.0, **more)
    with pytest.raises(SceneError, match=r"index 1: .* a length of zero"):
        scene.add_linear("bars", ends[0], ends[[2, 1]], 10.0, rest_length=[0.0, 0.1])
