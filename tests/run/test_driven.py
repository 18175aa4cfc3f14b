"""Driven primitives and followed normals: which way they turn, and what they lift."""
import numpy as np

from robotphi import Drive, Scene, Stepping, simulate

CROSS = np.array([(1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0), (0, 0, 1.0)])


def test_a_driven_rotation_turns_by_the_right_hand():
    scene = Scene("turn", duration=1.0, frames=2, gravity=(0, 0, 0))
    body = scene.add_rigid("body", CROSS, mass=1.0, drive={"rotation": ((0, 0, 1), Drive.table([0, 1], [0, np.pi / 2]))})
    recording = simulate(scene)
    np.testing.assert_allclose(recording.position[-1, body.particles[0]], CROSS[2] + recording.rigid_position[-1, 0]
                               - recording.rigid_position[0, 0], atol=1e-12)
    np.testing.assert_allclose(recording.rigid_spin[1, 0], (0, 0, np.pi / 2), atol=1e-12)


def test_a_drive_that_lifts_does_the_work_of_the_weight():
    """From rest to rest over h: W = m g h, for a particle and a rigid; the potential is exact, the power a trapezoid."""
    scene = Scene("lift", duration=1.0, frames=4, stepping=Stepping(budget=1e-6))
    lift = Drive.table(np.linspace(0, 1, 21), 0.5 * (1 - np.cos(np.pi * np.linspace(0, 1, 21))), kind="cubic")
    scene.add_particle("p", (0, 0, 0), 2.0, drive={"z": lift})
    other = Drive.table(np.linspace(0, 1, 21), 0.5 * (1 - np.cos(np.pi * np.linspace(0, 1, 21))), kind="cubic")
    scene.add_rigid("r", CROSS + 3.0, mass=3.0, drive={"z": other})
    ledger = simulate(scene).ledger
    height = 1.0
    np.testing.assert_allclose(ledger["gravity"][-1], 5.0 * 9.81 * height, rtol=1e-9)
    total = sum(values[-1] for name, values in ledger.items() if name.startswith("work:"))
    np.testing.assert_allclose(total, ledger["gravity"][-1] + ledger["kinetic"][-1] - ledger["kinetic"][0], rtol=1e-5)


def test_the_normal_of_a_signed_bend_follows_its_plane():
    """A bent bar spun half a turn about its chord keeps its bend; a normal left behind would ask for the opposite one."""
    bend, stiffness = 0.6, 5.0
    half = np.array([np.cos(bend / 2), np.sin(bend / 2), 0.0])
    points = np.array([(0, 0, 0), half, half + np.array([np.cos(bend / 2), -np.sin(bend / 2), 0])])
    middle = points.mean(axis=0)
    scene = Scene("spun", duration=1.0, frames=20, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    p = scene.add_particles("p", points, 1.0, velocity=np.cross([np.pi, 0, 0], points - middle))
    scene.add_linear("bars", p[:2], p[1:], 2000.0)
    scene.add_angular("bend", p[0], p[1], p[2], stiffness, yield_moment=1e9)
    recording = simulate(scene)
    assert recording.position[-1, 1, 1] < middle[1], "the bar must have turned over"
    assert recording.ledger["elastic_angular"].max() < 0.1 * 0.5 * stiffness * (2 * bend) ** 2
