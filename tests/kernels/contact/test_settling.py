"""Lossy contacts settle at rest and do nothing of the kind at first touch."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, moved, rigid, turned
from robotphi.geometry.shapes import box, cylinder, hexahedron
from robotphi.scene.contact import damping_for, restitution_of

RADIUS, FLIGHT, BUDGET = 0.05, 0.02, 1e-5


@pytest.mark.parametrize("speed", np.geomspace(0.1, 10.0, 12)[[0, 2, 6, 8]])
def test_a_step_may_end_where_a_ball_just_touches(speed):
    """A frame ends at a depth of 1e-17 m: settling damping over an elastic force of 1e-27 N would stop the run there."""
    lossy = ContactMaterial(stiffness=2e8, restitution=0.75, speed=3.0)
    scene = Scene("touch", duration=0.1, frames=100, gravity=(0, 0, 0), stepping=Stepping(budget=BUDGET))
    scene.add_plane("ground", contact=lossy)
    place = (0, 0, RADIUS + FLIGHT * speed)
    scene.add_ball("ball", place, RADIUS, mass=0.01 / speed ** 2, contact=lossy, velocity=(0, 0, -speed))
    recording = simulate(scene)
    gap = recording.rigid_position[:, 0, 2] - RADIUS
    assert np.abs(gap).min() < 1e-15   # the case is there
    e = recording.rigid_velocity[-1, 0, 2] / speed
    # the budget bounds the error of e²; what settling takes, 2π (u₀/u)³ with u₀ = 3e-3 m/s, matters for the slowest
    assert e == pytest.approx(restitution_of(lossy.damping, speed), abs=BUDGET + 2 * np.pi * (3e-3 / speed) ** 3)


def test_the_budget_holds_from_the_first_touch_on():
    """Boxes let go just on each other: what the first attempt, a frame long, meets deep inside is no measure of energy."""
    law = ContactMaterial(stiffness=4e8, restitution=0.05, speed=1.0, friction=0.6, tangential_stiffness=2e5)
    scene = Scene("boxes", duration=0.8, frames=40, stepping=Stepping(budget=1e-6))
    scene.add_plane("ground", contact=law)
    for i in range(5):
        scene.add_object(f"box {i}", rigid(box(0.2, (0.02 * (i % 2), 0, 0.2 * (i + 0.5))), density=800.0), contact=law)
    recording = simulate(scene)
    assert recording.info["budget_kept"]
    assert np.abs(recording.ledger["largest_residual"][1:] / recording.ledger["reference_energy"][1:]).max() < 1e-6


@pytest.mark.parametrize("frames", [39, 40, 77, 80])
def test_a_hit_is_the_same_wherever_frames_end(frames):
    """With 40 and 80 frames one ends on first touch, behind a step as long as many hits: it has not lasted all that while."""
    e, budget = 0.3, 1e-5
    law = ContactMaterial(stiffness=1e9, restitution=e, speed=1.0)
    scene = Scene("hit", duration=0.2, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    for side in (-1, 1):
        cube = rigid(box(0.1, (0.1 * side, 0, 0)), density=1000.0)
        scene.add_object(f"box {side}", cube, contact=law, velocity=(-0.5 * side, 0, 0))
    recording = simulate(scene)
    found = float(recording.rigid_velocity[-1, 1, 0] - recording.rigid_velocity[-1, 0, 0])
    # of the energy, 1 at the start, e² is left: 2 e Δe ≤ budget; what settling takes is 2π (u₀/u)³ of it, u₀ = 1e-3 m/s
    assert found == pytest.approx(e, abs=(budget + 2 * np.pi * 1e-9) / (2 * e))


def wedges(gravity):
    """Two stones of an arch, face on face to the last bit or the one before it."""
    law = ContactMaterial(stiffness=1e9, restitution=0.05, speed=1.0, friction=0.6)
    scene = Scene("stones", duration=0.1, frames=10, gravity=(0, 0, -gravity), stepping=Stepping(attempt_limit=20_000))
    for i in (-1, 0):
        around = ((i, -0.05), (i + 1, -0.05), (i + 1, 0.05), (i, 0.05))
        ring = [(r * np.sin(0.2 * k), y, r * np.cos(0.2 * k)) for r in (0.5, 0.6) for k, y in around]
        scene.add_object(f"stone {i}", rigid(hexahedron(np.array(ring)), density=2000.0), contact=law)
    return scene


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_faces_that_just_touch_cost_no_steps(gravity):
    """A depth of rounding has a force of nothing: critical damping, shared out over it, would stop the run."""
    recording = simulate(wedges(gravity))
    assert recording.status == "done"
    assert recording.counts["refused"] < 100
    assert np.ptp(recording.rigid_position[-1, :, 2] - recording.rigid_position[0, :, 2]) < 1e-9   # they fall side by side


def resistance(**law):
    """Deceleration over g of a polygon of 24 sides that rolls at 0.5 m/s."""
    law = ContactMaterial(stiffness=2e7, friction=0.7, **law)
    scene = Scene("wheel", duration=2.0, frames=100, stepping=Stepping(attempt_limit=100_000))
    scene.add_plane("ground", contact=law)
    radius, sides = 0.12, 24
    wheel = moved(turned(rigid(cylinder(radius, 0.08, sides), mass=4.0), (1, 0, 0), np.pi / 2),
                  (0, 0, radius * np.cos(np.pi / sides)))
    scene.add_object("wheel", wheel, contact=law, velocity=(0.5, 0, 0), spin=(0, 0.5 / radius, 0))
    recording = simulate(scene)
    late = recording.time > 0.3
    return -np.polyfit(recording.time[late], recording.rigid_velocity[late, 0, 0], 1)[0] / 9.81


def test_what_rolls_is_not_settled():
    """A restitution and the damping that it comes to brake a wheel alike: at rest is only what of it touches the ground."""
    damping = resistance(damping=damping_for(0.8, 1.0))
    assert 5e-4 < damping < 2e-3
    assert resistance(restitution=0.8, speed=1.0) < 1.3 * damping


@pytest.mark.parametrize("direction", [(1, 0, 1), (1, 0, 0.3), (1, 1, 1)])
def test_a_ball_may_start_on_the_edge_of_something_soft(direction):
    """0.1 mm deep nothing moves but by the contact, whose energy is a small difference of large volumes."""
    law = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)
    scene = Scene("edge", duration=0.05, frames=10, gravity=(0, 0, 0), stepping=Stepping(attempt_limit=5000))
    soft = Material(2e5, density=1000.0, damping_ratio=0.1)
    scene.add_object("block", deformable(discretise(box(0.1), counts=(2, 2, 2)), soft), contact=law)
    n = np.array(direction, float) / np.linalg.norm(direction)
    corner = np.where(np.array(direction) == 0, 0.013, 0.05)
    scene.add_ball("ball", corner + (0.03 - 1e-4) * n, 0.03, mass=0.05, contact=law)
    recording = simulate(scene)
    assert recording.status == "done"
    assert recording.info["budget_kept"]
    assert recording.rigid_velocity[-1, 0] @ n > 0.0
    assert 0.0 < recording.ledger["contact"][-1] < recording.ledger["contact"][0]


@pytest.mark.parametrize("first", ["ball", "particle"])
@pytest.mark.parametrize(("direction", "overlap", "speed"),
                         [((1, 0, 1), 0.0, 1e-3), ((1, 0.3, 1), 0.0, 0.0), ((1, 1, 1), 1e-5, 0.0)])
def test_a_first_touch_of_an_edge_costs_no_steps(first, direction, overlap, speed):
    """Friction of what takes no moment acts far beside the speck that it touches, which turns like nothing."""
    law = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)
    scene = Scene("graze", duration=0.02, frames=4, gravity=(0, 0, 0), stepping=Stepping(attempt_limit=10_000))
    soft = Material(2e5, density=1000.0, damping_ratio=0.1)
    scene.add_object("block", deformable(discretise(box(0.1), counts=(2, 2, 2)), soft), contact=law)
    n = np.array(direction, float) / np.linalg.norm(direction)
    place = np.where(np.array(direction) == 1, 0.05, 0.012) + (0.03 - overlap) * n
    if first == "ball":
        scene.add_ball("ball", place, 0.03, mass=0.05, contact=law, velocity=-speed * n)
    else:
        scene.add_contact_balls("size", scene.add_particle("grain", place, 0.05, velocity=-speed * n), 0.03, contact=law)
    assert simulate(scene).status == "done"
