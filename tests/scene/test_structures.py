"""Rods and grids."""
import numpy as np
import pytest

from robotphi.errors import SceneError
from robotphi.scene import Scene


def rod(**given):
    scene = Scene("rods")
    return scene, scene.add_rod("rod", **{"start": (0, 0, 0), "end": (2, 0, 0), "segments": 4, "axial_stiffness": 10.0,
                                          "bending_stiffness": 3.0, "mass_per_length": 0.5, **given})


def grid(**given):
    scene = Scene("grids")
    return scene, scene.add_grid("g", **{"origin": (0, 0, 1), "edge_u": (2, 0, 0), "edge_v": (0, 3, 0), "shape": (3, 4),
                                         "mass": 6.0, **given})


def test_a_free_rod_has_half_masses_at_its_ends_and_stiffness_over_length():
    scene, handle = rod(axial_viscosity=1.0, bending_viscosity=2.0)
    assert handle.particles.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(scene.position[:, 0], [0, 0.5, 1, 1.5, 2], rtol=1e-15)
    np.testing.assert_allclose(scene.find("rod").mass, [0.125, 0.25, 0.25, 0.25, 0.125], rtol=1e-15)
    linear, angular = scene.find(handle.linear.name), scene.find(handle.angular.name)
    np.testing.assert_allclose(linear.stiffness, [20.0] * 4)
    np.testing.assert_allclose(linear.viscosity, [2.0] * 4)
    np.testing.assert_allclose(angular.stiffness, [6.0] * 3)
    np.testing.assert_allclose(angular.viscosity, [4.0] * 3)
    assert not angular.rest_bend.any()


@pytest.mark.parametrize(("clamps", "ghosts"), [
    ({"clamp_start": "clamp"}, [[-0.5, 0, 0]]), ({"clamp_end": "clamp"}, [[2.5, 0, 0]]),
    ({"clamp_start": "clamp", "clamp_end": "clamp"}, [[-0.5, 0, 0], [2.5, 0, 0]]),
])
def test_a_clamped_end_is_held_and_bends_over_half_a_segment(clamps, ghosts):
    scene, handle = rod(**clamps)
    assert scene.position[5:].tolist() == ghosts
    held = scene.find("rod").support.all(axis=1)
    assert held[[0, -1]].tolist() == ["clamp_start" in clamps, "clamp_end" in clamps]
    angular = scene.find(handle.angular.name)
    np.testing.assert_allclose(angular.stiffness, [6.0] * 3 + [12.0] * len(ghosts))
    for row, ghost in zip(range(3, 5), range(5, 5 + len(ghosts)), strict=False):
        assert angular.first[row] == ghost
        assert abs(scene.position[angular.centre[row]] - scene.position[ghost])[0] == 0.5
        assert abs(scene.position[angular.second[row]] - scene.position[ghost])[0] == 1.0


def test_a_pinned_end_is_held_without_a_moment():
    scene, handle = rod(clamp_start="pin")
    assert scene.particle_count == 5
    assert scene.find("rod").support.all(axis=1).tolist() == [True, False, False, False, False]
    assert handle.angular.count == 3


def test_a_rod_without_bending_has_no_angular_springs():
    assert rod(bending_stiffness=0.0)[1].angular is None
    assert rod(segments=1)[1].angular is None
    assert rod(segments=1, clamp_start="clamp")[1].angular.count == 1


@pytest.mark.parametrize(("given", "words"), [
    ({"end": (0, 0, 0)}, ["start and end coincide"]),
    ({"segments": 0}, ["segments is 0", "at least 1"]),
    ({"axial_stiffness": -1.0}, ["axial_stiffness is -1"]),
    ({"bending_stiffness": -1.0}, ["bending_stiffness is -1"]),
    ({"mass_per_length": 0.0}, ["mass_per_length is 0"]),
    ({"clamp_start": "weld"}, ["unknown clamp 'weld'", "clamp, pin"]),
    ({"clamp_start": "clamp", "bending_stiffness": 0.0}, ["without bending_stiffness", '"pin"']),
])
def test_a_rod_that_cannot_be_is_refused_with_what_would_work(given, words):
    with pytest.raises(SceneError) as refused:
        rod(**given)
    assert all(word in str(refused.value) for word in ["rod 'rod'", *words]), refused.value


def test_a_grid_has_springs_along_its_lines_its_diagonals_and_its_triples():
    scene, handle = grid(structural=5.0, shear=2.0, bending=1.0, bending_viscosity=0.5)
    assert handle.particles.shape == (3, 4)
    assert (handle.structural.count, handle.shear.count, handle.bending.count) == (2 * 4 + 3 * 3, 2 * 2 * 3, 4 + 3 * 2)
    assert scene.position[handle.particles[2, 3]].tolist() == [2, 3, 1]
    assert set(scene.find("g.structural").rest_length.tolist()) == {1.0}
    np.testing.assert_allclose(scene.find("g.shear").rest_length, np.sqrt(2))
    assert not scene.find("g.bending").rest_bend.any()
    assert set(scene.find("g.bending").viscosity) == {0.5}


def test_the_mass_of_a_grid_is_shared_by_area():
    scene, handle = grid(structural=5.0)
    mass = scene.find("g").mass.reshape(3, 4)
    assert mass.sum() == pytest.approx(6.0, rel=1e-14)
    assert (mass[1, 1], mass[0, 1], mass[0, 0]) == (1.0, 0.5, 0.25)
    assert handle.shear is None


def test_each_kind_of_spring_of_a_grid_is_switched_off_by_none():
    assert grid()[1].structural is None
    assert grid(structural=0.0)[1].structural is None
    assert grid(structural=0.0, structural_viscosity=1.0)[1].structural.count == 17


def test_bending_may_differ_along_the_two_sides():
    scene, handle = grid(bending=(4.0, 0.0))
    assert handle.bending.count == 4
    scene, handle = grid(bending=(4.0, 7.0))
    springs = scene.find("g.bending")
    along_u = scene.position[springs.first][:, 0] != scene.position[springs.second][:, 0]
    assert set(springs.stiffness[along_u]) == {4.0}
    assert set(springs.stiffness[~along_u]) == {7.0}


def test_the_particles_of_a_grid_can_be_held_one_by_one():
    words = np.full((3, 4), "", dtype=object)
    words[0, 3] = "xyz"
    scene, handle = grid(structural=1.0, support=words)
    assert np.flatnonzero(scene.find("g").support.all(axis=1)).tolist() == [handle.particles[0, 3]]


@pytest.mark.parametrize(("given", "words"), [
    ({"shape": (1, 4)}, ["shape is 1", "at least 2"]),
    ({"shape": 4}, ["shape is 4", "two whole numbers"]),
    ({"shape": (2, 3, 4)}, ["two whole numbers"]),
    ({"edge_v": (1, 0, 0)}, ["no area"]),
    ({"mass": 0.0}, ["mass is 0"]),
    ({"bending": (1, 2, 3)}, ["bending is (1, 2, 3)", "two"]),
    ({"structural": -1.0}, ["structural is -1"]),
])
def test_a_grid_that_cannot_be_is_refused_with_what_would_work(given, words):
    with pytest.raises(SceneError) as refused:
        grid(**given)
    assert all(word in str(refused.value) for word in ["grid 'g'", *words]), refused.value
