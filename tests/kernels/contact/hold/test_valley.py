"""A ball in a valley of a height field: each wall holds it by μ times its own force, as two planes do."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model, simulate

RADIUS, MASS, GRAVITY, STIFFNESS = 0.12, 10.0, 9.81, 2e8   # the pair has half of it
INERTIA, WEIGHT = 0.4 * MASS * RADIUS**2, MASS * GRAVITY
DEPTH = 1e-3
START = 0.25   # s, when what the start stirs has settled


def valley(ground="field", friction=0.7, restitution=0.05, duration=0.5, frames=50, limit=20_000, **motion):
    """The ball lies on two walls that rise at 45° to either side of the y axis."""
    law = ContactMaterial(stiffness=STIFFNESS, restitution=restitution, speed=1.0, friction=friction)
    scene = Scene("valley", duration=duration, frames=frames, stepping=Stepping(attempt_limit=limit))
    if ground == "field":
        grid = np.linspace(-1.0, 1.0, 41)   # cells of 0.05 m
        scene.add_height_field("land", np.tile(np.abs(grid)[:, None], (1, 41)), (0.05, 0.05), (-1.0, -1.0, 0.0), contact=law)
    else:
        scene.add_plane("left", normal=(1, 0, 1), contact=law)
        scene.add_plane("right", normal=(-1, 0, 1), contact=law)
    scene.add_ball("ball", (0.0, 0.01, RADIUS * np.sqrt(2.0) - DEPTH), RADIUS, mass=MASS, contact=law, **motion)
    return scene


def braking_torque(friction, ground):
    """Torque on a ball that spins across the valley and slides on both walls.

    Friction of one wall presses on the other: N₁ + μ N₂ = N₂ − μ N₁ = W/√2, so N₁ : N₂ = 1 − μ : 1 + μ, and each has the arm
    R − ½ x to the middle of its depth: N = k x² on planes, on the field shares of one law, k |δ|² = √(N₁² + N₂²), x ∝ N.
    """
    first, second = (WEIGHT / np.sqrt(2.0) * (1.0 + sign * friction) / (1.0 + friction**2) for sign in (-1.0, 1.0))
    k = 0.5 * STIFFNESS * np.pi * RADIUS
    depth = np.sqrt(np.array([first, second]) / k)
    if ground == "field":
        depth = np.array([first, second]) / np.sqrt(k * np.hypot(first, second))
    return friction * float(np.sum(np.array([first, second]) * (RADIUS - 0.5 * depth)))


@pytest.mark.parametrize("ground", ["field", "planes"])
@pytest.mark.parametrize("friction", [0.3, 0.7])
def test_a_spinning_ball_is_braked_by_both_walls(friction, ground):
    recording = simulate(valley(ground, friction, spin=(0.0, 300.0, 0.0)))
    late = recording.time > START
    slope = np.polyfit(recording.time[late], recording.rigid_spin[late, 0, 1], 1)[0]
    # what still swings about the steady state, amplitude 1e-5 of the spin, over the slope of 0.25 s
    assert -INERTIA * slope == pytest.approx(braking_torque(friction, ground), rel=2e-3)


def test_a_ball_that_slides_along_is_braked_by_both_walls():
    """μ (N₁ + N₂) = √2 μ W while it slides; one force for both would be μ W."""
    friction = 0.3
    recording = simulate(valley(friction=friction, duration=0.1, frames=20, velocity=(0.0, 3.0, 0.0)))
    late = recording.time > 0.03
    slope = np.polyfit(recording.time[late], recording.rigid_velocity[late, 0, 1], 1)[0]
    assert -slope == pytest.approx(np.sqrt(2.0) * friction * GRAVITY, rel=1e-2)


@pytest.mark.parametrize("spin", [60.0, 5.0])
def test_a_field_costs_no_more_steps_than_two_planes(spin):
    def steps(ground):
        recording = simulate(valley(ground, restitution=0.3, duration=0.3, spin=(0.0, spin, 0.0)))
        assert recording.status == "done"
        return recording.counts["attempts"]
    # what hops is not the same hop, and walls that press on each other are stiffer by a factor of up to 2
    assert steps("field") < 2.0 * steps("planes")


def test_a_ball_held_by_both_walls_comes_to_rest():
    """A small spin winds up both springs and swings back: nothing creeps and all of the energy is gone."""
    recording = simulate(valley(restitution=0.3, duration=0.5, spin=(0.0, 0.2, 0.0)))
    assert np.abs(recording.rigid_spin[-1]).max() < 1e-6
    late = recording.time > 0.4
    assert recording.contacts(-1).sticks.all()
    assert np.ptp(recording.rigid_position[late, 0], axis=0).max() < 1e-9


def test_a_run_is_continued_with_the_same_bits():
    scene = valley(restitution=0.3, duration=0.1, frames=10, spin=(0.0, 60.0, 0.0), velocity=(0.3, 0.2, 0.0))
    model = build_model(scene)
    whole = Simulator(model).run()
    for frame in (1, 4, 7):
        rest = Simulator.continued(model, whole, frame=frame).run()
        assert np.array_equal(rest.rigid_spin[-1], whole.rigid_spin[-1])
        assert np.array_equal(rest.rigid_position[-1], whole.rigid_position[-1])


def test_each_wall_is_a_place_of_its_own():
    """The record has a row for each place that rubs, and their friction adds up to that of the contact."""
    recording = simulate(valley(friction=0.3, duration=0.3, frames=5, spin=(0.0, 300.0, 0.0)))
    places, contact = recording.contact_vertices(-1), recording.contacts(-1)
    assert list(places.part) == ["ball", "ball"]
    assert list(places.other) == ["land", "land"]
    assert not contact.sticks.any()
    np.testing.assert_allclose(places.friction.sum(axis=0), contact.friction[0], rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(places.friction, axis=1), 0.3 * places.normal, rtol=1e-9)
