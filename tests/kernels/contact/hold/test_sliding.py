"""What slides is held back by kinetic friction and nothing else."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.contact.hold.friction import hold

SIZE, STIFFNESS, GRAVITY = np.array([0.2, 0.14, 0.08]), 2e7, 9.81


def test_forces_evaluated_anew_while_sliding_keep_to_kinetic_friction():
    slide = (1.0, 0.0, 0.0, 0.0)
    y, _, sticks, _, _ = hold((1e-5, 0, 0, 0), slide, slide, 1e-4, 1e5, 100.0, 10.0, 0.5, 0.2, 0)
    assert sticks == 0
    again, force, sticks, lost, rate = hold(y, slide, slide, 0.0, 1e5, 100.0, 10.0, 0.5, 0.2, 0)
    assert sticks == 0
    assert again == y
    assert force[0] == pytest.approx(-0.2 * 10.0, rel=1e-14)
    assert lost == rate == 0.0


def test_static_friction_has_no_part_in_sliding():
    """A block thrown on level ground slows by c g whatever s is; evenly pressed, it neither tilts nor bounces."""
    c, mass = 0.2, 800.0 * SIZE.prod()
    law = ContactMaterial(stiffness=STIFFNESS, restitution=0.2, speed=1.0, friction=c, static_friction=0.45)
    scene = Scene("thrown", duration=0.4, frames=40, gravity=(0, 0, -GRAVITY), stepping=Stepping(budget=1e-4))
    scene.add_plane("ground", contact=law)
    depth = mass * GRAVITY / (STIFFNESS * SIZE[0] * SIZE[1])
    block = rigid(box(SIZE, (0, 0, SIZE[2] / 2 - depth)), mass=mass)
    scene.add_object("block", block, contact=law, velocity=(2.0, 0, 0))
    scene.set_contact("ground", "block", law)
    recording = simulate(scene)
    late = recording.time >= 0.2
    slope = np.polyfit(recording.time[late], recording.rigid_velocity[late, 0, 0], 1)[0]
    assert -slope == pytest.approx(c * GRAVITY, rel=1e-9)   # rounding of the speed over 0.2 s, and what is left of rocking


def test_what_starts_in_touch_is_held_where_it_starts():
    """A push winds up the spring of friction, which takes the box back: no step of the start goes unheld."""
    mass, side, tangential, speed = 1.0, 0.1, 2e5, 1e-3
    law = ContactMaterial(stiffness=2e9, restitution=0.3, speed=1.0, friction=0.7, tangential_stiffness=2 * tangential)
    scene = Scene("pushed", duration=0.5, frames=10)
    scene.add_plane("ground", contact=law)
    place = (0, 0, side / 2 - mass * GRAVITY / (1e9 * side**2))
    scene.add_object("box", rigid(box(side, place), mass=mass), contact=law, velocity=(speed, 0, 0))
    recording = simulate(scene)
    assert 0.5 < recording.ledger["friction"][-1] / (0.5 * mass * speed**2) < 1.0   # its damper took most, rocking some
    amplitude = speed * np.sqrt(mass / tangential)
    assert abs(recording.rigid_position[-1, 0, 0]) < 1e-6 * amplitude   # a step unheld leaves some thousandths
