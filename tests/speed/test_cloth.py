"""The measure measures the right thing: the cloth has its springs, and C, plain or in lanes, has our physics."""
import shutil

import numpy as np
import pytest

from robotphi.kernels.springs.plain import add_angular_forces, add_linear_forces
from tests.speed.cloth import build_cloth
from tests.speed.native import NativeScene, build_library, reset

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="the measure is C, built by gcc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build_library(tmp_path_factory.mktemp("native"))


def without_viscosity(cloth):
    return cloth._replace(linear=cloth.linear._replace(viscosity=0 * cloth.linear.viscosity),
                          angular=cloth.angular._replace(viscosity=0 * cloth.angular.viscosity))


def shaken(scene, seed):
    """Velocities for the dampers, and positions with bends of any size."""
    generator = np.random.default_rng(seed)
    count = len(scene.position) - 4
    scene.velocity[:count, :3] = generator.normal(size=(count, 3))
    scene.position[:count, :3] += generator.uniform(-0.02, 0.02, (count, 3))


def energy(cloth, position):
    """½ Σ k (L − L0)² + ½ Σ k (φ − φ0)² − Σ m g·x."""
    linear, angular, x = cloth.linear, cloth.angular, position[:, :3]
    length = np.linalg.norm(x[linear.first] - x[linear.second], axis=1)
    p, q = x[angular.first] - x[angular.centre], x[angular.second] - x[angular.centre]
    bend = np.arctan2(np.linalg.norm(np.cross(p, q), axis=1), -np.sum(p * q, axis=1))
    return (0.5 * np.sum(linear.stiffness * (length - linear.rest_length) ** 2)
            + 0.5 * np.sum(angular.stiffness * (bend - angular.rest_bend) ** 2)
            - np.sum(cloth.mass * (x @ cloth.gravity[:3])))


@pytest.mark.parametrize(("count", "linear", "angular"), [(200, 712, 340), (10_000, 39_402, 19_600)])
def test_the_cloth_has_the_springs_of_the_reference(count, linear, angular):
    cloth = build_cloth(count)
    assert (cloth.linear_count, cloth.angular_count) == (linear, angular)
    assert len(cloth.linear.first) % 4 == len(cloth.angular.first) % 4 == 0
    pairs = np.sort(np.stack(cloth.linear[:2], 1)[:linear], axis=1)
    assert len(np.unique(pairs, axis=0)) == linear
    assert np.all(cloth.linear.first[linear:] >= count)
    assert np.all(cloth.linear.stiffness[linear:] == 0)


def test_a_cloth_without_a_grid_is_refused():
    with pytest.raises(ValueError, match="300 particles was asked for; there are grids of 200"):
        build_cloth(300)


@needs_compiler
def test_four_springs_at_a_time_move_the_cloth_as_the_plain_loop_does(library):
    cloth = build_cloth(200)
    plain, lanes = NativeScene(cloth), NativeScene(cloth)
    for scene, function in ((plain, library.steps_scalar), (lanes, library.steps_lanes)):
        reset(scene, cloth)
        shaken(scene, seed=5)
        function(scene.address, 1e-4, 100)
    assert np.abs(plain.position - cloth.position).max() > 1e-3
    for ours, theirs in ((plain.position, lanes.position), (plain.velocity, lanes.velocity)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


@needs_compiler
def test_forces_without_viscosity_are_minus_the_gradient_of_the_energy(library):
    cloth = without_viscosity(build_cloth(200))
    scene = NativeScene(cloth)
    reset(scene, cloth)
    shaken(scene, seed=6)
    library.forces_lanes(scene.address)
    # central difference: h²/6 of the third derivative and rounding 1e-16 E/h leave 1e-8 of the largest force
    h, largest = 1e-6, np.abs(scene.force).max()
    for particle in (0, 25, 110, 199):
        for axis in range(3):
            moved = [scene.position.copy() for _ in range(2)]
            moved[0][particle, axis] += h
            moved[1][particle, axis] -= h
            slope = (energy(cloth, moved[0]) - energy(cloth, moved[1])) / (2 * h)
            assert abs(scene.force[particle, axis] + slope) < 1e-7 * largest


@needs_compiler
def test_our_kernels_give_the_forces_of_c(library):
    cloth = build_cloth(200)
    scene = NativeScene(cloth)
    reset(scene, cloth)
    shaken(scene, seed=7)
    library.forces_lanes(scene.address)
    force = np.ascontiguousarray(cloth.mass[:, None] * cloth.gravity)
    add_linear_forces(cloth.linear, 0, len(cloth.linear.first), scene.position, scene.velocity, force)
    add_angular_forces(cloth.angular, 0, len(cloth.angular.first), scene.position, scene.velocity, force)
    np.testing.assert_allclose(force[:200], scene.force[:200], rtol=0, atol=1e-13 * np.abs(scene.force).max())
