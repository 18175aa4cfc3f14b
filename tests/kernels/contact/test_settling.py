"""Lossy contacts settle at rest and do nothing of the kind at first touch."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.scene.contact import restitution_of

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
