"""The exact answers against numbers published or worked out elsewhere, and against a second way of computing them."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from robotphi.verification import reference


@pytest.mark.parametrize(("stiffness", "viscosity", "times", "stretches"), [
    (100, 5, [0.1, 0.5, 1, 2], [0.037107355, 0.008771261, 0.000687928, 0.000002770]),
    (8.94, 0.6, [1, 2, 5, 10], [-0.034388571, -0.011145320, -0.001798701, -0.000160738]),
])
def test_two_masses_keep_the_published_stretch(stiffness, viscosity, times, stretches):
    found, _ = reference.two_masses(times, 0.1, stiffness, viscosity)
    assert_allclose(found, stretches, rtol=0, atol=5.1e-10)


@pytest.mark.parametrize("viscosity", [0.0, 0.5, 2 * np.sqrt(8 * 0.5), 20.0, 400.0])
def test_the_oscillator_solves_its_equation_under_any_damping(viscosity):
    mass, stiffness = 0.5, 8.0
    times = np.linspace(0, 5, 41)
    x, v = reference.oscillator(times, 0.3, -0.2, mass, stiffness, viscosity)
    found = solve_ivp(lambda t, y: [y[1], -(viscosity * y[1] + stiffness * y[0]) / mass], (0, 5), [0.3, -0.2],
                      t_eval=times, method="Radau" if viscosity > 10 else "DOP853", rtol=1e-10, atol=1e-12)
    assert_allclose(x, found.y[0], rtol=0, atol=1e-8)
    assert_allclose(v, found.y[1], rtol=0, atol=1e-7 if viscosity > 10 else 1e-8)


def test_the_two_masses_share_their_stretch_by_the_reduced_mass():
    heavy, _ = reference.two_masses(1.0, 0.1, 8.94, 0.6, 1.0, 1e12)
    wall, _ = reference.oscillator(1.0, 0.1, 0.0, 1.0, 8.94, 0.6)
    assert_allclose(heavy, wall, rtol=1e-10, atol=0)


def test_chain_frequencies_are_those_of_its_matrix():
    count, mass, stiffness = 7, 0.3, 50.0
    matrix = stiffness / mass * (2 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1))
    assert_allclose(reference.chain_frequencies(count, mass, stiffness) ** 2, np.linalg.eigvalsh(matrix), rtol=1e-12, atol=0)


def test_a_hanging_chain_of_many_springs_stretches_like_a_rod():
    density, modulus, length = 2000.0, 1e6, 1.5
    count = 100_000
    chain = reference.hanging_stretch(count, density * length / count, modulus * count / length)
    assert_allclose(chain, reference.hanging_stretch_continuum(density, modulus, length), rtol=1.1 / count, atol=0)
    assert_allclose(reference.hanging_stretch(3, 2.0, 100.0, 10.0), (60 + 40 + 20) / 100, rtol=1e-15, atol=0)


def test_a_rod_pulled_at_its_end_stretches_as_published():
    assert_allclose(reference.axial_stretch(1.0, 1.0, 1e4, 0.025), 0.0509296, rtol=0, atol=5e-8)


@pytest.mark.parametrize(("length", "sag", "pull"), [(1.05, 0.13930421, 0.875847), (1.2, 0.29234380, 0.391285)])
def test_the_catenary_has_the_published_sag_and_pull(length, sag, pull):
    found = reference.catenary(1.0, length)
    assert_allclose(found[0], sag, rtol=0, atol=5.1e-9)
    assert_allclose(found[1], pull, rtol=0, atol=5.1e-7)


@pytest.mark.parametrize(("load", "w", "u", "tip"), [
    (0.25, 0.082746, 0.004118, 0.124292), (1, 0.301721, 0.056433, 0.461352), (5, 0.713792, 0.387628, 1.215368)])
def test_the_elastica_has_the_published_tip(load, w, u, tip):
    assert_allclose(reference.elastica(load), (w, u, tip), rtol=0, atol=5.1e-7)


@pytest.mark.parametrize("load", [0.01, 0.25, 1, 5, 30])
def test_elliptic_integrals_and_integration_from_the_clamp_agree(load):
    w, u, tip = reference.elastica(load)
    assert_allclose(reference.elastica_shape(load, [1.0]).ravel(), (1 - u, w, tip), rtol=0, atol=1e-10)


def test_a_small_load_bends_the_cantilever_as_the_linear_theory_says():
    assert_allclose(reference.elastica(1e-3)[0], 1e-3 / 3, rtol=1e-6, atol=0)


def test_cantilever_frequencies_are_the_published_ones():
    assert_allclose(reference.cantilever_frequencies(3, 1.0, 1e5, 0.02, 2000.0), [0.248620, 1.558074, 4.362652],
                    rtol=0, atol=5.1e-7)


@pytest.mark.parametrize(("spin", "half"), [((0.01, 1, 0), 20.75460976), ((0, 1, 0.01), 18.85103579)])
def test_the_flip_has_the_published_half_period(spin, half):
    assert_allclose(reference.flip_half_period((1, 2, 3), spin), half, rtol=0, atol=5.1e-9)
    times = np.array([0.0, half, 2 * half])
    assert_allclose(reference.torque_free_motion(times, (1, 2, 3), spin)[0][:, 1], [1, -1, 1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("spin", [
    (0.01, 1, 0), (0, 1, 0.01), (0.3, 1, -0.2), (-0.7, 0.5, 0.1), (0.2, -0.3, -0.9), (-1, -0.1, 0.3)])
def test_jacobi_and_integration_give_the_same_spin(spin):
    times = np.linspace(0, 60, 601)
    found, _ = reference.torque_free_motion(times, (1, 2, 3), spin)
    assert_allclose(reference.torque_free_spin(times, (1, 2, 3), spin), found, rtol=0, atol=1e-10)


def test_the_orientation_carries_the_angular_momentum_to_one_place():
    inertia, spin = np.array([1.0, 2.0, 3.0]), np.array([0.3, 1.0, -0.2])
    body, turn = reference.torque_free_motion(np.linspace(0, 60, 61), inertia, spin)
    w, u = turn[:, :1], turn[:, 1:]
    momentum = body * inertia
    world = momentum + 2 * np.cross(u, np.cross(u, momentum) + w * momentum)
    assert_allclose(world, np.broadcast_to(inertia * spin, world.shape), rtol=0, atol=1e-10)


def test_the_double_pendulum_has_the_published_state_after_one_second():
    assert_allclose(reference.double_pendulum(1.0)[0], [-0.6250876998, -1.0345850857, -3.9222795729, -1.3030992487],
                    rtol=0, atol=1e-9)


def test_the_spring_pendulum_keeps_its_energy_and_its_vertical_angular_momentum():
    times = np.linspace(0, 10, 401)
    x, v = reference.spring_pendulum(times, (1.0, 0.0, -0.5), (0.0, 1.0, 0.0), 1.0, 40.0, 1.0)
    energy = 0.5 * (v ** 2).sum(1) + 20 * (np.linalg.norm(x, axis=1) - 1) ** 2 + 9.81 * x[:, 2]
    assert_allclose(energy, np.full(401, energy[0]), rtol=0, atol=1e-9)
    assert_allclose(x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0], np.ones(401), rtol=0, atol=1e-10)
