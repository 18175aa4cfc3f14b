"""Free rotation of rigids: exact where two or three moments are equal, second order else, momentum to the bit."""
import numpy as np
import pytest

from robotphi import Scene, Stepping, build_model, simulate
from robotphi.kernels.step.path import HORIZON, STRETCH, free_turn_error
from robotphi.kernels.step.rigids import axes_by_moment, rotate_back, spin_of, turn_free
from robotphi.verification import reference

TURNS = 44.0        # rad
EPSILON = np.finfo(float).eps


def turned_freely(inertia, spin, duration, steps):
    """Orientations after each step, from (1, 0, 0, 0)."""
    inverse, momentum = tuple(1.0 / np.array(inertia, float)), tuple(np.multiply(inertia, spin).astype(float))
    found = [(1.0, 0.0, 0.0, 0.0)]
    for _ in range(steps):
        found.append(turn_free(found[-1], momentum, inverse, duration / steps))
    return np.array(found), momentum, inverse


def angle_between(q, p):
    """rad; by the chord, so that small angles are not lost in rounding."""
    return 2.0 * np.arcsin(min(1.0, min(np.linalg.norm(q - p), np.linalg.norm(q + p)) / 2.0)) * 2.0


@pytest.mark.parametrize("inertia", [(2, 2, 2), (2, 2, 3), (3, 2, 2), (2, 3, 2), (2, 2, 1), (1, 2, 2)])
def test_symmetric_bodies_turn_exactly_however_far_in_one_step(inertia):
    spin = np.array([30.0, 20.0, 25.0])
    duration = TURNS / np.linalg.norm(spin)
    # of TURNS radians: isotropic bodies turn about their spin, symmetric ones by ω_p about L and by their own about the axis
    momentum = np.multiply(inertia, spin)
    odd = next((k for k in range(3) if inertia.count(inertia[k]) == 1), 0)
    across = inertia[(odd + 1) % 3]
    about_momentum = turn(momentum / across * duration)
    own = np.zeros(3)
    own[odd] = momentum[odd] * (1.0 / inertia[odd] - 1.0 / across) * duration
    exact = product(about_momentum, turn(own))
    for steps in (1, 7, 400):
        found = turned_freely(inertia, spin, duration, steps)[0][-1]
        # TURNS and its double carry a rounding each in angle, and every step one in the orientation
        assert angle_between(found, exact) < (4 * TURNS + 8 * steps) * EPSILON


def turn(vector):
    """Quaternion of a rotation vector."""
    angle = np.linalg.norm(vector)
    return np.append(np.cos(angle / 2), np.sin(angle / 2) * vector / angle) if angle else np.array([1.0, 0, 0, 0])


def product(p, q):
    return np.append(p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))


@pytest.mark.parametrize("inertia", [(6, 5, 4), (4, 6, 5), (5, 4, 6)])
def test_an_asymmetric_body_is_second_order_and_near(inertia):
    spin = np.array([3.0, 2.0, 1.0])
    duration = TURNS / np.linalg.norm(spin)
    exact = reference.torque_free_motion([0.0, duration], inertia, spin)[1][-1]
    errors = [angle_between(turned_freely(inertia, spin, duration, steps)[0][-1], exact) for steps in (200, 400, 800)]
    np.testing.assert_allclose(np.diff(np.log(errors)) / np.log(0.5), 2.0, atol=0.05)
    assert errors[0] < 2e-3  # the product of five turns about all three axes: 2e-2


def test_the_energy_that_the_product_conserves_is_the_one_it_says():
    """H + τ² a b (a L_a² (L_b² − L_m²)/24 + b L_b² (L_m² − L_a²)/12) changes with τ⁴, H itself with τ²."""
    inertia, spin = (6, 5, 4), (3.0, 2.0, 2.5)
    swings = []
    for dt in (0.05, 0.025):
        path, momentum, inverse = turned_freely(inertia, spin, 200 * dt, 200)
        middle, outer, inner = axes_by_moment(inverse)
        a, b = inverse[outer] - inverse[middle], inverse[inner] - inverse[middle]
        body = np.array([rotate_back(tuple(q), momentum) for q in path])
        energy = 0.5 * np.array([np.dot(momentum, spin_of(tuple(q), momentum, inverse)) for q in path])
        m, o, i = (body[:, k] ** 2 for k in (middle, outer, inner))
        swings.append((np.ptp(energy), np.ptp(energy + dt * dt * a * b * (a * o * (i - m) / 24 + b * i * (m - o) / 12))))
    plain, corrected = np.diff(np.log(swings), axis=0)[0] / np.log(0.5)
    assert plain == pytest.approx(2.0, abs=0.1)
    assert corrected == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize(("moments", "found"), [((6, 5, 4), 1), ((4, 6, 5), 2), ((5, 4, 6), 0), ((1, 2, 2), 1), ((2, 2, 2), 1)])
def test_the_middle_moment_comes_first(moments, found):
    axes = axes_by_moment(tuple(1.0 / np.array(moments)))
    assert sorted(axes) == [0, 1, 2]
    assert moments[axes[0]] == sorted(moments)[1] == moments[found]
    inverse = 1.0 / np.array(moments)
    assert abs(inverse[axes[1]] - inverse[axes[0]]) >= abs(inverse[axes[2]] - inverse[axes[0]])


def test_the_momentum_of_a_free_body_keeps_every_bit_and_its_energy_its_size():
    scene = Scene("free", duration=5.0, frames=50, gravity=(0, 0, 0), stepping=Stepping(budget=1e-2))
    scene.add_rigid("body", np.eye(3), mass=1.0, inertia=(6, 5, 4), centre=(0, 0, 0), spin=(3, 2, 1))
    recording = simulate(scene)
    assert np.ptp(recording.rigid_momentum, axis=0).max() == 0.0
    kinetic = recording.ledger["kinetic"]
    assert np.abs(kinetic / kinetic[0] - 1).max() < 1e-2


def test_the_error_of_the_path_is_the_spin_that_the_conserved_energy_adds():
    """½ (50 τ² ∂h/∂L)·I(50 τ² ∂h/∂L), with the derivative by differences of h."""
    moments, momentum, dt = np.array([6.0, 5.0, 4.0]), np.array([3.0, -2.0, 2.5]), 0.03
    middle, outer, inner = axes_by_moment(tuple(1.0 / moments))
    a, b = 1.0 / moments[outer] - 1.0 / moments[middle], 1.0 / moments[inner] - 1.0 / moments[middle]

    def h(body):
        m, o, i = body[[middle, outer, inner]] ** 2
        return a * b * (a * o * (i - m) / 24 + b * i * (m - o) / 12)

    step = 1e-4 * np.eye(3)
    spin = HORIZON * dt**2 * np.array([(h(momentum + e) - h(momentum - e)) / 2e-4 for e in step])
    model = build_model(body_scene(moments))
    found = free_turn_error(model.arrays.rigids, 0, (1.0, 0.0, 0.0, 0.0), tuple(momentum), dt)
    assert STRETCH * found == pytest.approx(spin @ (moments * spin), rel=1e-6)


def body_scene(moments):
    scene = Scene("body", gravity=(0, 0, 0))
    scene.add_rigid("body", np.eye(3), mass=1.0, inertia=moments, centre=(0, 0, 0))
    return scene
