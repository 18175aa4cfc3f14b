"""What is led by a motion stands and moves exactly as it says; its work is in the ledger; what hangs on it feels it."""
import numpy as np
import pytest

from robotphi import Drive, Motion, Recording, Scene, Simulator, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry import shapes
from robotphi.scene.turns import rotation_about

AXIS = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
THROUGH, RATE = np.array([0.1, 0.2, 0.3]), 2.0
CORNERS = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])


def hung(**stepping):
    """A rigid and some particles led round, and a mass on threads that hangs on both."""
    motion = Motion.spinning(AXIS, RATE, through=THROUGH)
    scene = Scene("led", duration=1.0, frames=10, stepping=Stepping(**stepping))
    body = scene.add_rigid("body", CORNERS + np.array((0.2, 0.0, 0.1)), mass=2.0, motion=motion)
    points = scene.add_particles("points", [(0.5, 0.5, 1.0), (1.0, 0.0, 0.4)], 0.3, motion=motion)
    ball = scene.add_particle("ball", (0.5, 0.5, -0.5), mass=1.0)
    scene.add_linear("threads", [ball] * 2, [int(points[0]), int(body.particles[0])], stiffness=100.0, viscosity=0.3)
    return scene


def test_places_speeds_and_spins_are_those_of_the_motion_to_rounding():
    recording = simulate(hung())
    led = np.arange(10)                      # all but the ball
    for frame, time in enumerate(recording.time):
        turn = rotation_about(AXIS, RATE * time)
        wanted = THROUGH + (recording.position[0, led] - THROUGH) @ turn.T
        np.testing.assert_allclose(recording.position[frame, led], wanted, rtol=0.0, atol=1e-14)
        speed = RATE * np.cross(AXIS, wanted - THROUGH)
        np.testing.assert_allclose(recording.velocity[frame, led], speed, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(recording.rigid_spin[:, 0], np.broadcast_to(RATE * AXIS, (11, 3)), rtol=0.0, atol=1e-14)


def test_the_ledger_closes_at_second_order():
    """Halved steps leave a quarter of the residual: sums of smooth errors of third order, 10 % apart at these steps."""
    left = [simulate(hung(control="fixed", dt=1.0 / steps)).ledger["residual"][-1] for steps in (400, 800)]
    assert left[0] / left[1] == pytest.approx(4.0, rel=0.1)


def test_a_motion_gives_just_the_energy_that_its_body_gets():
    """From rest to a rate about a principal axis and to a speed: ½ I ω² + ½ m v² + m g h, without anything else."""
    times = np.linspace(0.0, 1.2, 241)
    angle = 3.0 * (times**3 - 0.5 * times**4)                 # rate 3 and no acceleration at the end
    half = 0.5 * angle
    turns = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], 1)
    motion = Motion(times, np.outer(angle / 3.0, (0.4, 0.0, 0.2)), turns)
    scene = Scene("led", duration=1.0, frames=4, stepping=Stepping(control="fixed", dt=1e-3))
    scene.add_rigid("body", CORNERS, mass=2.0, motion=motion)
    recording = simulate(scene)
    moment = 2.0 * (0.3**2 + 0.2**2)
    spin, speed = recording.rigid_spin[-1, 0, 2], np.linalg.norm(recording.rigid_velocity[-1, 0])
    wanted = 0.5 * moment * spin**2 + 0.5 * 2.0 * speed**2 + 2.0 * 9.81 * recording.rigid_position[-1, 0, 2]
    assert spin == pytest.approx(3.0, abs=1e-6)               # a spline of 200 pieces: (1/200)³ of the third derivative
    assert recording.ledger["work:body"][-1] == pytest.approx(wanted, abs=1e-5)   # trapezoids of the weight's power: dt²


def led_base(with_joint):
    """A pendulum on a base that turns and hangs off the axis, led or driven through a joint."""
    scene = Scene("base", duration=1.5, frames=6, stepping=Stepping(control="fixed", dt=2e-4))
    turning = Motion.spinning((0.0, 0.0, 1.0), 3.0, through=(0.2, 0.0, 0.0))
    base = scene.add_rigid("base", CORNERS, mass=1.0, **({} if with_joint else {"motion": turning}))
    if with_joint:
        rate = Drive.table([0, 2], [0, 6.0])
        scene.add_joint("motor", "revolute", None, base, at=(0.2, 0.0, 0.0), axis=(0, 0, 1), drive=rate)
    arm = scene.add_rigid("arm", CORNERS + np.array((0.0, 0.4, -0.6)), mass=0.7)
    scene.add_joint("hinge", "universal", base, arm, at=(0.0, 0.3, -0.1), axis=(1, 1, 0), across=(0, 0, 1), viscosity=0.05)
    return simulate(scene)


def test_a_mechanism_on_a_led_base_moves_as_on_one_that_a_joint_turns():
    """Two ways through the kernels; both of second order, with errors of (ω τ)²/24 of some radians: 1e-7."""
    led, driven = led_base(False), led_base(True)
    np.testing.assert_allclose(led.rigid_position[:, 1], driven.rigid_position[:, 1], rtol=0.0, atol=2e-6)
    np.testing.assert_allclose(led.rigid_spin[:, 1], driven.rigid_spin[:, 1], rtol=0.0, atol=2e-5)
    assert led.ledger["work:base"][-1] - led.ledger["work:base"][0] == pytest.approx(driven.ledger["work:motor"][-1], abs=1e-4)


def test_dampers_that_go_apart_know_what_is_led():
    """A damper far beyond what steps bear, between a led point and a mass: the mass follows, the motion pays what is lost."""
    times = np.linspace(0.0, 1.0, 101)
    motion = Motion(times, np.outer(0.1 * np.sin(3.0 * times), (1.0, 0.0, 0.0)))
    scene = Scene("apart", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    end = scene.add_particles("end", [(0.0, 0.0, 0.0)], 0.1, motion=motion)
    body = scene.add_rigid("holder", CORNERS + np.array((0, 0, 2.0)), mass=1.0, motion=motion)
    mass = scene.add_particles("mass", [(1.0, 0.0, 0.0), (1.0, 0.0, 2.0)], 0.2)
    scene.add_linear("damper", mass, [int(end[0]), int(body.particles[0])], stiffness=50.0, viscosity=2e4)
    recording = simulate(scene)
    assert recording.counts["accepted"] < 10_000              # with viscosity in the force τ ≤ m/μ = 1e-5 s: 100 000 steps
    assert recording.info["budget_kept"]
    follows = recording.position[-1, mass[0], 0] - 1.0
    # what is held back falls behind by less than half the acceleration in each step: ½ 0.9 m/s² × 1 s × the largest step
    assert follows == pytest.approx(recording.position[-1, end[0], 0], abs=0.45 * recording.steps["dt"].max())


def test_a_region_of_an_object_follows():
    silicone = Material(young=2e5, density=1100, damping_ratio=0.05)
    bar = deformable(discretise(shapes.box((0.1, 0.02, 0.02)), size=0.01), silicone)
    motion = Motion.spinning((1.0, 0.0, 0.0), 4.0)
    scene = Scene("twisted", duration=0.05, frames=5, gravity=(0, 0, 0))
    placed = scene.add_object("bar", bar, support={"right": "xyz"}, motion={"left": motion})
    recording = simulate(scene)
    own = placed.region("left")
    wanted = recording.position[0, own] @ rotation_about(np.array([1.0, 0.0, 0.0]), 0.2).T
    np.testing.assert_allclose(recording.position[-1, own], wanted, rtol=0.0, atol=1e-15)
    assert recording.info["budget_kept"]
    assert recording.ledger["work:bar"][-1] > 0.0


def test_it_goes_on_from_any_frame_with_the_same_bits(tmp_path):
    whole = simulate(hung())
    whole.save(tmp_path / "led.h5")
    loaded = Recording.load(tmp_path / "led.h5")
    again = Simulator.continued(loaded, frame=4).run()
    np.testing.assert_array_equal(again.position[-1], whole.position[-1])
    np.testing.assert_array_equal(again.ledger["work:body"][-1], whole.ledger["work:body"][-1])
    assert build_model(loaded.scene).arrays.motions.led.pose.shape == (1, 7)


def test_what_holds_a_led_body_bears_its_weight_and_turns_it():
    """Led round a circle of radius r while it turns with it: m ω² r inwards and the weight; about its centre what turns it."""
    motion = Motion.spinning((0, 0, 1), 3.0, through=(0.5, 0.0, 0.0))
    scene = Scene("carousel", duration=1.0, frames=4, stepping=Stepping(control="fixed", dt=0.05))
    seat = scene.add_rigid("seat", CORNERS @ rotation_about(np.array([1.0, 0, 0]), 0.3).T, mass=2.0, motion=motion)
    point = scene.add_particles("point", [(0.0, 0.0, 1.0)], 0.4, motion=motion)
    for name, quantity, of in (("force", "support_force", seat), ("couple", "support_couple", seat),
                               ("gain", "acceleration", seat), ("held", "support_force", int(point[0]))):
        scene.add_sensor(name, quantity, of)
    found = simulate(scene)
    out = found.rigid_position[:, 0] - np.array([0.5, 0.0, 0.0])
    np.testing.assert_allclose(found.sensors["gain"], -9.0 * out, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(found.sensors["force"], -2.0 * 9.0 * out + (0, 0, 2.0 * 9.81), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found.sensors["held"], -0.4 * 9.0 * (found.position[:, point[0]] - (0.5, 0.0, 1.0))
                               + (0, 0, 0.4 * 9.81), rtol=0.0, atol=1e-12)
    couple = np.cross([0.0, 0.0, 3.0], found.rigid_momentum[:, 0])          # ω × L at a steady spin
    np.testing.assert_allclose(found.sensors["couple"], couple, rtol=0.0, atol=1e-13)
    assert np.abs(couple).max() > 0.01
