"""Friction that turns: with the surfaces that it holds on, and about the normal of the patch."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box

GRAVITY = 9.81


def test_what_lies_on_a_turning_table_stays_where_it_is():
    """The spring that holds it turns with both: else it would creep by spin × stretch, stretch = m ω² R/k."""
    mass, spin, out, stiffness = 1.0, 3.0, 0.3, 1e4
    size = np.array([0.2, 0.2, 0.02])
    law = ContactMaterial(stiffness=2.5e5, restitution=0.1, speed=1.0, friction=0.9, tangential_stiffness=stiffness)
    scene = Scene("table", duration=0.8, frames=8, stepping=Stepping(control="fixed", dt=1e-3))
    scene.add_cylinder("table", (0, 0, -0.2), (0, 0, -0.1), 1.0, mass=1e3, support="xyz", rotation_support="xy",
                       spin=(0, 0, spin))
    depth = mass * GRAVITY / (2.5e5 * size[0] * size[1])
    scene.add_plane("top", (0, 0, 0), contact=law, rigid="table")
    scene.add_object("box", rigid(box(size, (out, 0, size[2] / 2 - depth)), mass=mass), contact=law,
                     velocity=(0, spin * out, 0), spin=(0, 0, spin))
    scene.set_contact("top", "box", law)
    recording = simulate(scene)
    angle = spin * recording.time
    place = recording.rigid_position[:, 1]
    along = -np.sin(angle) * place[:, 0] + np.cos(angle) * place[:, 1]   # beside its own radius of the table
    stretch = mass * spin ** 2 * out / stiffness
    late = recording.time > 0.35                                         # after the spring is stretched and has settled
    drift = np.ptp(along[late])
    assert drift < 0.02 * spin * stretch * np.ptp(recording.time[late])


def test_a_disc_that_spins_on_its_face_is_braked_by_the_friction_of_its_patch():
    """A moment c N ρ with ρ = R/√2, the gyration radius of even pressure, on I = m R²/2: the spin falls by √2 c g/R."""
    radius, height, friction, mass = 0.1, 0.02, 0.3, 1.0
    law = ContactMaterial(stiffness=1e6, restitution=0.1, speed=1.0, friction=friction)
    depth = mass * GRAVITY / (1e6 * np.pi * radius ** 2)
    scene = Scene("disc", duration=0.2, frames=20, stepping=Stepping(control="fixed", dt=5e-4))
    scene.add_plane("ground", contact=law)
    scene.add_cylinder("disc", (0, 0, -depth), (0, 0, height - depth), radius, mass=mass, contact=law, spin=(0, 0, 20.0))
    scene.set_contact("ground", "disc", law)
    recording = simulate(scene)
    late = recording.time >= 0.1
    slope = np.polyfit(recording.time[late], recording.rigid_spin[late, 0, 2], 1)[0]
    assert -slope == pytest.approx(np.sqrt(2.0) * friction * GRAVITY / radius, rel=1e-6)
