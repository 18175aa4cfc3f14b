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


def test_springs_within_one_rigid_ask_for_nothing_and_a_couple_has_no_lever():
    """A rigid far from a hinge line that is turned by an angular spring between its own particles is as free as without."""
    points = np.array([(5, 0, 0), (5.1, 0, 0), (5, 0.1, 0), (5, 0, 0.1)])
    scene = Scene("rigid", gravity=(0, 0, 0))
    body = scene.add_rigid("body", points, mass=1.0, inertia=(0.1, 0.2, 0.3), centre=(0, 0, 0))
    first = int(body.particles[0])
    scene.add_linear("own", first, first + 1, 1e6, 10.0)
    scene.add_angular("bend", first + 1, first, first + 2, 1e4)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    numbers = simulator.state.buffers.numbers
    # what rounding of places 5 m off leaves of the sum of forces and moments: k (ε r/I)², next to (1e6 N/m)/(1 kg)
    assert numbers[slots.SPRING_SQUARE] < 1e-12 * 1e6
    assert numbers[slots.SPRING_DAMPING] < 1e-12 * 10.0
