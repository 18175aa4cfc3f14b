"""Starts of mechanisms from rest: what stands in for their energy before anything has moved, and so what the promise allows."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, Stepping, build_model, simulate

CORNERS = np.array([[x, y, z] for x in (-0.06, 0.06) for y in (-0.04, 0.04) for z in (-0.02, 0.02)])
BUDGET = 1e-6


def worst_share(recording):
    """Of all frames with energy in them: the largest residual so far over the largest energy so far."""
    largest, reference = recording.ledger["largest_residual"], recording.ledger["reference_energy"]
    return (largest[reference > 0.0] / reference[reference > 0.0]).max()


def pendulum(angle, duration=1.0, **joint):
    scene = Scene("pendulum", duration=duration, frames=20, gravity=(0, 0, -9.81), stepping=Stepping(budget=BUDGET))
    bob = scene.add_rigid("bob", CORNERS + np.array((np.sin(angle), 0.0, -np.cos(angle))), mass=2.0)
    scene.add_joint("axle", "revolute", None, bob, at=(0, 0, 0), axis=(0, 1, 0), **joint)
    return scene


@pytest.mark.parametrize("joint", [{}, {"viscosity": 5.0}])
def test_what_its_joint_bears_of_a_pendulum_is_not_what_it_starts_with(joint):
    """Let go a hundredth of a radian aside: its energy is a ten thousandth of what its weight would be in free fall."""
    recording = simulate(pendulum(1e-2, **joint))
    assert recording.info["budget_kept"]
    assert worst_share(recording) <= BUDGET


@pytest.mark.parametrize("viscosity", [0.0, 0.4])
def test_a_small_swing_decays_as_its_closed_form(viscosity):
    """(I + m l²) q̈ = −μ q̇ − m g l q"""
    recording = simulate(pendulum(1e-3, viscosity=viscosity))
    inertia, time = 2.0 * (1.0 + 0.06**2 + 0.02**2), recording.time
    decay, own = 0.5 * viscosity / inertia, np.sqrt(2.0 * 9.81 / inertia)
    swing = np.sqrt(own**2 - decay**2)
    wanted = 1e-3 * np.exp(-decay * time) * (np.cos(swing * time) + decay / swing * np.sin(swing * time))
    off = np.abs(recording.joint("axle").coordinate) - np.abs(wanted - 1e-3)
    np.testing.assert_allclose(off, 0.0, atol=1e-3 * np.sqrt(BUDGET))     # motion is as far ahead as the root of the budget
    assert worst_share(recording) <= BUDGET


def test_a_torque_that_grows_from_nothing_keeps_the_promise_at_every_frame():
    """E ~ t⁴: what the first frame is judged by is what there is at the first frame."""
    scene = Scene("wheel", duration=1.0, frames=20, gravity=(0, 0, 0), stepping=Stepping(budget=BUDGET))
    wheel = scene.add_rigid("wheel", CORNERS, mass=2.0)
    axle = scene.add_joint("axle", "revolute", None, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    scene.add_motor("motor", axle, torque=Drive.table([0.0, 1.0], [0.0, 1.0]))
    assert worst_share(simulate(scene)) <= BUDGET


@pytest.mark.parametrize("speed", [6.0, Drive.table([0.0, 0.2], [0.0, 6.0])])
def test_a_motor_starts_a_loop_within_the_promise(speed):
    """A crank, a coupler and a rocker that hang in their bearings, from rest."""
    scene = Scene("four-bar", duration=1.0, frames=100, gravity=(0, 0, -9.81), stepping=Stepping(budget=BUDGET))
    links = [((0.0, 0, 0.1), (0.0, 0, 0.3)), ((0.0, 0, 0.3), (0.8, 0, 0.5)), ((0.8, 0, 0.5), (0.6, 0, 0.0))]
    bars = [scene.add_rigid(f"bar{n}", CORNERS + 0.5 * (np.array(a) + b), mass=0.5) for n, (a, b) in enumerate(links)]
    crank = scene.add_joint("crank", "revolute", None, bars[0], at=links[0][0], axis=(0, 1, 0))
    for n in (1, 2):
        scene.add_joint(f"pin{n}", "revolute", bars[n - 1], bars[n], at=links[n][0], axis=(0, 1, 0))
    scene.add_joint("rocker", "revolute", None, bars[2], at=links[2][1], axis=(0, 1, 0), viscosity=0.2)
    scene.add_motor("motor", crank, speed=speed, damping=2.0)
    assert worst_share(Simulator(build_model(scene)).run(until=0.03)) <= BUDGET
