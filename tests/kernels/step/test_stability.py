"""Verification of the stability bound: never above the exact limit of the scheme, and exact where Cauchy's bound is."""

import numpy as np
import pytest

from robotphi import Scene, Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.run.state import SAFETY
from tests.kernels.springs.probe import evaluate


def stable_step(scene):
    simulator = Simulator(build_model(scene))
    simulator.begin()
    return simulator.state.buffers.numbers[slots.STABLE]


@pytest.mark.parametrize(("stiffness", "viscosity"), [(100.0, 0.0), (100.0, 5.0), (0.0, 5.0)])
def test_the_bound_of_two_equal_masses_is_exact(stiffness, viscosity):
    """ω² = 2k/m, c = 2μ/m, limit (ωτ/2)² + cτ = 1."""
    scene = Scene("two", gravity=(0, 0, 0))
    a, b = scene.add_particle("a", (0, 0, 0), 0.5), scene.add_particle("b", (1, 0, 0), 0.5)
    scene.add_linear("s", a, b, stiffness, viscosity)
    square, damping = 2 * stiffness / 0.5, 2 * viscosity / 0.5
    np.testing.assert_allclose(stable_step(scene), SAFETY * 2 / (damping + np.sqrt(damping**2 + square)), rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_a_net_lies_below_the_limit_of_its_fastest_mode_and_near_it(seed):
    """Against the eigenvalues of the stiffness matrix by central differences of the forces; at most four times too careful."""
    random = np.random.default_rng(seed)
    points, mass = random.uniform(-1, 1, (6, 3)), random.uniform(0.2, 2.0, 6)
    scene = Scene("net", gravity=(0, 0, 0))
    p = scene.add_particles("p", points, mass)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    scene.add_linear("l", p[pairs[:, 0]], p[pairs[:, 1]], random.uniform(1, 50, len(pairs)))
    scene.add_angular("a", p[:4], p[1:5], p[2:], 2.0)
    scene.add_articular("t", p[0], p[1], p[2], p[3], 1.0)
    model = build_model(scene)
    matrix, step = np.zeros((18, 18)), 1e-6
    for column in range(18):
        shift = np.zeros(18)
        shift[column] = step
        up, down = (evaluate(model, points + sign * shift.reshape(6, 3))[0].ravel() for sign in (1, -1))
        matrix[:, column] = (down - up) / (2 * step)
    fastest = np.sqrt(np.linalg.eigvals(matrix / np.repeat(mass, 3)[:, None]).real.max())
    bound = stable_step(scene)
    assert 0.25 * 2 / fastest < bound <= SAFETY * 2 / fastest
