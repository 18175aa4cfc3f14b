"""What held and led rigids bear that carry mechanisms: force, couple about their centre and power against closed forms."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, build_model, equilibria, settle, simulate

G = 9.81
CROSS = np.array([(0.1, 0, 0), (-0.1, 0, 0), (0, 0.1, 0), (0, -0.1, 0), (0, 0, 0.1)])
BASE, ROD, LENGTH = 3.0, 2.0, 0.8            # kg, kg, m
INERTIA = ROD * LENGTH**2 / 12.0
SWING = Drive.sine(0.05, 0.7)                # of the base along z: m, Hz


def pendulum(way, joint):
    """A rod that swings about y on a base that is held, or driven up and down; 0.3 m beside the base's centre."""
    scene = Scene("pendulum", duration=0.25, frames=10)
    given = {"held": {"support": "xyz"}, "led": {"support": "xy", "drive": {"z": SWING}}}[way] | {"rotation_support": "xyz"}
    base = scene.add_rigid("base", CROSS, mass=BASE, inertia=(0.1, 0.1, 0.1), centre=(0, 0, 0), **given)
    rod = scene.add_rigid("rod", [(0.3, 0.1, 0), (0.3, 0.1, -LENGTH)], mass=ROD, inertia=(INERTIA, INERTIA, 1e-3),
                          centre=(0.3, 0.1, -0.5 * LENGTH))
    scene.add_joint("hinge", "revolute", base, rod, at=(0.3, 0.1, 0), axis=(0, 1, 0), rate=3.0, **joint)
    for quantity in ("support_force", "support_couple", "power"):
        scene.add_sensor(quantity, quantity, base)
    scene.add_sensor("angle", "coordinate", "hinge")
    scene.add_sensor("rate", "rate", "hinge")
    return scene


@pytest.mark.parametrize("way", ["held", "led"])
@pytest.mark.parametrize("joint", [{}, {"viscosity": 0.8}, {"friction": 0.5}], ids=["free", "viscous", "dry"])
def test_what_carries_a_pendulum_bears_it(way, joint):
    """(I + m l²) θ̈ = −m l (g + z̈) sin θ − c θ̇ − T sgn θ̇, l to its centre, which is at (−l sin θ, 0, −l cos θ) of the hinge."""
    recording = simulate(pendulum(way, joint))
    angle, rate, time = recording.sensors["angle"], recording.sensors["rate"], recording.time
    assert (rate > 0.1).all()                # dry friction has one sign
    w = 2.0 * np.pi * 0.7
    lift, speed = (0.0, 0.0) if way == "held" else (-0.05 * w**2 * np.sin(w * time), 0.05 * w * np.cos(w * time))
    half, braked = 0.5 * LENGTH, joint.get("viscosity", 0.0) * rate + joint.get("friction", 0.0)
    gain = (-ROD * half * (G + lift) * np.sin(angle) - braked) / (INERTIA + ROD * half**2)
    sine, cosine = np.sin(angle), np.cos(angle)
    centre = half * np.stack([gain * -cosine + rate**2 * sine, 0.0 * rate, gain * sine + rate**2 * cosine], axis=1)
    centre[:, 2] += lift
    on_rod = ROD * (centre + np.array((0, 0, G)))
    force = on_rod + np.stack([0.0 * rate, 0.0 * rate, BASE * (G + lift) + 0.0 * rate], axis=1)
    axial = np.cross(half * np.stack([-sine, 0.0 * rate, -cosine], axis=1), on_rod)   # at the hinge: −c θ̇ is all along y
    couple = np.cross((0.3, 0.1, 0.0), on_rod)
    couple[:, 1] -= braked
    assert INERTIA * gain + axial[:, 1] == pytest.approx(-braked, abs=1e-9)
    np.testing.assert_allclose(recording.sensors["support_force"], force, atol=1e-6)
    np.testing.assert_allclose(recording.sensors["support_couple"], couple, atol=1e-6)
    np.testing.assert_allclose(recording.sensors["power"], force[:, 2] * speed, atol=1e-6)


@pytest.mark.parametrize("frictions", [0.0, 0.3])
def test_a_base_bears_a_loop_that_closes_on_it(frictions):
    """F = Σ m (a − g); M = Σ r × m (a − g) + J ω̇ about its centre, of all links, ω̇ by differences of spins."""
    scene = Scene("four bar", duration=0.02, frames=200)
    base = scene.add_rigid("base", CROSS, mass=BASE, inertia=(0.1, 0.1, 0.1), centre=(0.2, 0, -0.1), support="xyz",
                           rotation_support="xyz")
    corners = np.array([(0, 0, 0), (0.1, 0, 0.3), (0.5, 0, 0.5), (0.6, 0, 0.0)])
    links = [scene.add_rigid(f"link {k}", corners[k:k + 2], mass=1.0 + k, inertia=(0.04, 0.02 + 0.01 * k, 0.04),
                             centre=corners[k:k + 2].mean(axis=0)) for k in range(3)]
    ends = [base, *links, base]
    for k in range(4):
        scene.add_joint(f"joint {k}", "revolute", ends[k], ends[k + 1], at=corners[k], axis=(0, 1, 0),
                        friction=frictions if k == 0 else 0.0, **({"rate": 4.0} if k == 0 else {}))
    scene.add_sensor("force", "support_force", base)
    scene.add_sensor("couple", "support_couple", base)
    for k, link in enumerate(links):
        scene.add_sensor(f"gain {k}", "acceleration", link)
    recording = simulate(scene)
    force, couple = np.tile((0, 0, BASE * G), (201, 1)), np.zeros((201, 3))
    for k, link in enumerate(links):
        own = (1.0 + k) * (recording.sensors[f"gain {k}"] + (0, 0, G))
        force += own
        couple += np.cross(recording.rigid_position[:, link.index] - (0.2, 0, -0.1), own)
        couple[:, 1] += (0.02 + 0.01 * k) * np.gradient(recording.rigid_spin[:, link.index, 1], recording.time)
    np.testing.assert_allclose(recording.sensors["force"], force, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(recording.sensors["couple"][1:-1], couple[1:-1], atol=1e-4)   # (1e-4 s)² of the differences


def arm_on(**given):
    """Two links that springs of their joints hold out from a base."""
    scene = Scene("arm", duration=1.0)
    base = scene.add_rigid("base", CROSS, mass=BASE, inertia=(0.1, 0.1, 0.1), centre=(0, 0, 0), **given)
    upper = scene.add_rigid("upper", [(0.2, 0, 0), (0.7, 0, 0)], mass=2.0, inertia=(0.01, 0.05, 0.05), centre=(0.45, 0, 0))
    lower = scene.add_rigid("lower", [(0.7, 0, 0), (0.7, 0.4, 0)], mass=1.0, inertia=(0.05, 0.01, 0.05), centre=(0.7, 0.2, 0))
    scene.add_joint("shoulder", "revolute", base, upper, at=(0.2, 0, 0), axis=(0, 1, 0), stiffness=300.0)
    scene.add_joint("elbow", "revolute", upper, lower, at=(0.7, 0, 0), axis=(1, 0, 0), stiffness=200.0)
    return scene, base


def test_an_arm_at_rest_weighs_on_its_base_with_all_its_weight():
    scene, base = arm_on(support="xyz", rotation_support="xyz")
    simulator = Simulator(build_model(scene))
    settle(simulator, tolerance=1e-9)
    np.testing.assert_allclose(simulator.measure("support_force", base), (0, 0, 6.0 * G), atol=1e-6)
    study = equilibria(scene, {"base": [np.eye(4)]}, tolerance=1e-9)
    _, upper, lower = study.rigid_position[0]
    couple = np.cross(upper, (0, 0, 2.0 * G)) + np.cross(lower, (0, 0, G))
    np.testing.assert_allclose(study.reaction(base)[0], (0, 0, 6.0 * G, *couple), atol=1e-6)
    np.testing.assert_allclose(simulator.measure("support_couple", base), couple, atol=1e-6)


def test_a_base_that_is_led_bears_its_arm_along_a_path():
    scene, base = arm_on(support="xy", rotation_support="xyz", drive={"z": Drive.table([0, 1.0], [0.0, 0.5])})
    study = equilibria(scene, [0.0, 0.5, 1.0], tolerance=1e-9)
    np.testing.assert_allclose(study.reaction(base)[:, 2], 6.0 * G, atol=1e-6)
    arms = study.rigid_position[:, 1:] - study.rigid_position[:, :1]
    couple = np.cross(arms[:, 0], (0, 0, 2.0 * G)) + np.cross(arms[:, 1], (0, 0, G))
    np.testing.assert_allclose(study.reaction(base)[:, 3:], couple, atol=1e-6)
