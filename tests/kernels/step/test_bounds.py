"""The bounds of frequencies and damping rates beside exact eigenvalues: never below, and near."""
import functools

import numpy as np
import pytest

from robotphi import Scene, Simulator, build_model
from robotphi.kernels.step import slots
from tests.kernels.step.bounded_scenes import SCENES
from tests.kernels.step.exact import compared

WORST, MEDIAN = 2.5, 1.5
DIFFERENCED = 1e-5    # relative: central differences over 1e-7 m of forces that rounding leaves to some 1e-13 of themselves


@functools.cache
def found(name):
    return compared(SCENES[name]())


@pytest.mark.parametrize("name", SCENES)
def test_a_bound_is_a_bound_and_not_far_from_what_it_bounds(name):
    exact, bound = found(name)["exact"], found(name)["bound"]
    for quantity, true, bounded in zip(("frequency", "damping rate"), exact, bound, strict=True):
        assert bounded >= (1.0 - DIFFERENCED) * true, f"{quantity} {true:g} /s is above its bound {bounded:g} /s"
        assert bounded <= WORST * true or true < 1e-6 * exact[0], f"{quantity} {true:g} /s, bound {bounded:g} /s"


def test_most_bounds_are_near():
    ratios = np.array([[bound / true if true > 1e-6 * found(name)["exact"][0] else 1.0
                        for true, bound in zip(found(name)["exact"], found(name)["bound"], strict=True)] for name in SCENES])
    assert (np.median(ratios, axis=0) <= MEDIAN).all(), dict(zip(SCENES, ratios.tolist(), strict=True))


@pytest.mark.parametrize("masses", [(1.0, 1e-4, 1.0), (1e-3, 1.0, 1e-3), (1.0, 1e-4, 1e-4)])
def test_light_and_heavy_neighbours(masses):
    """A chain of three in a line: ω² is the largest root of K v = ω² M v."""
    scene = Scene("three", gravity=(0, 0, 0))
    p = scene.add_particles("p", [(i, 0, 0) for i in range(3)], masses)
    scene.add_linear("s", p[:2], p[1:], 100.0)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    root = np.diag(1.0 / np.sqrt(masses))
    exact = np.linalg.eigvalsh(root @ np.array([[100, -100, 0], [-100, 200, -100], [0, -100, 100]]) @ root)[-1]
    bound = simulator.state.buffers.numbers[slots.SPRING_SQUARE]
    assert exact * (1.0 - 1e-12) <= bound <= 1.05 * exact


def test_a_heavy_hub_with_many_light_neighbours():
    """ω² = k/m + N k/(3 M) for N neighbours alike in all directions; shared by halves it would be 2 N k/3 M."""
    count, k, light, heavy = 200, 10.0, 1e-3, 1.0
    directions = np.random.default_rng(1).normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    scene = Scene("hub", gravity=(0, 0, 0))
    hub = scene.add_particle("hub", (0, 0, 0), heavy)
    p = scene.add_particles("p", directions, light)
    scene.add_linear("s", np.full(count, hub), p, k)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    least = k / light + np.linalg.eigvalsh(k * directions.T @ directions / heavy)[0]
    bound = simulator.state.buffers.numbers[slots.SPRING_SQUARE]
    assert least <= bound <= 1.3 * (k / light + k * np.linalg.eigvalsh(directions.T @ directions)[-1] / heavy)


@pytest.mark.parametrize("along", [True, False])
def test_a_spring_has_the_lever_that_its_direction_has(along):
    """A rod, tied at its end: along it ω² = k/M whatever its moments, across it k (1/M + r²/I)."""
    k, mass, least, moment, reach = 100.0, 2.0, 1e-6, 0.1, 0.5
    scene = Scene("rod", gravity=(0, 0, 0))
    rod = scene.add_rigid("rod", [(-reach, 0, 0), (reach, 0, 0)], mass=mass, inertia=(least, moment, moment), centre=(0, 0, 0))
    wall = scene.add_particle("wall", (2 * reach, 0, 0) if along else (reach, 0, 1), 1.0, support="xyz")
    scene.add_linear("spring", int(rod.particles[1]), wall, k)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    exact = k / mass if along else k * (1.0 / mass + reach**2 / moment)
    assert exact * (1.0 - 1e-12) <= simulator.state.buffers.numbers[slots.SPRING_SQUARE] <= exact * (1.0 + 1e-6)
