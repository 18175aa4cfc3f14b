"""Motion out: coordinates at a robot's rate, against closed forms; files; limits that are passed."""
import csv
import json

import numpy as np
import pytest

from robotphi import CheckFailed, Drive, RecordingError, RobotphiError, Scene, SceneError, Simulator, build_model, simulate
from robotphi.record.motion import hermite

BOX = np.array([(0, 0, 0), (0.5, 0, 0), (0, 0.1, 0), (0, 0, 0.1)])
SPEED = 3.0   # rad/s of the sine


@pytest.fixture(scope="module")
def swung():
    """An arm that a drive swings by ½ sin(3 t), with a hand that slides by 0.1 t."""
    scene = Scene("swung", duration=2.0, frames=100, gravity=(0, 0, 0))
    arm = scene.add_rigid("arm", BOX, mass=1.0, centre=(0, 0, 0), inertia=(0.2, 0.2, 0.2),
                          frames={"tip": ((0.5, 0, 0), (1, 0, 0, 0))})
    scene.add_joint("shoulder", "revolute", None, arm, at=(0, 0, 0), axis=(0, 0, 1), drive=Drive.sine(0.5, SPEED / (2 * np.pi)))
    hand = scene.add_rigid("hand", BOX + np.array((0, 1, 0)), mass=1.0)
    scene.add_joint("slide", "prismatic", None, hand, at=(0, 1, 0), axis=(1, 0, 0), rate=0.1)
    return simulate(scene)


def test_a_motion_has_the_coordinates_of_the_frames_to_the_bit(swung):
    motion = swung.motion()
    assert motion.joints == ("shoulder", "slide")
    assert motion.units == ("rad", "m")
    for k, name in enumerate(motion.joints):
        assert np.array_equal(motion.position[:, k], swung.joint(name).coordinate)
        assert np.array_equal(motion.rate[:, k], swung.joint(name).rate)
        assert np.array_equal(motion.effort[:, k], swung.joint(name).effort)


def test_a_motion_at_a_rate_follows_the_sine_with_the_orders_of_a_cubic(swung):
    """Between frames h apart: |q⁗| h⁴/384 off, accelerations |q⁗| h²/12."""
    motion, h = swung.motion(["shoulder"], rate=333.0), 0.02
    fourth = 0.5 * SPEED**4
    phase = SPEED * motion.time
    np.testing.assert_allclose(np.diff(motion.time), 1 / 333.0, rtol=1e-9)
    assert np.abs(motion.position[:, 0] - 0.5 * np.sin(phase)).max() <= 1.01 * fourth * h**4 / 384
    assert np.abs(motion.rate[:, 0] - 0.5 * SPEED * np.cos(phase)).max() <= fourth * h**3 / 100
    assert np.abs(motion.acceleration[:, 0] + 0.5 * SPEED**2 * np.sin(phase)).max() <= 1.1 * fourth * h**2 / 12
    torque = -0.2 * 0.5 * SPEED**2 * np.sin(phase)   # I q̈
    np.testing.assert_allclose(motion.effort[:, 0], torque, atol=0.2 * 0.5 * SPEED**4 * h**2 / 8 + 1e-9)


def test_cubics_are_exact():
    def cubic(t):
        return np.stack([t**3 - t, 2 * t**3 + t**2], axis=-1)

    knots, time = np.array([0.0, 0.5, 0.7, 2.0]), np.linspace(0, 2, 31)
    rates = np.stack([3 * knots**2 - 1, 6 * knots**2 + 2 * knots], axis=-1)
    place, rate, acceleration = hermite(knots, cubic(knots), rates, time)
    np.testing.assert_allclose(place, cubic(time), atol=1e-14)
    np.testing.assert_allclose(rate[:, 0], 3 * time**2 - 1, atol=1e-13)
    np.testing.assert_allclose(acceleration[:, 1], 12 * time + 2, atol=1e-12)


def test_the_tool_path_is_that_of_the_mark(swung):
    motion = swung.motion(rate=50.0, tool=("arm", "tip"))
    angle = 0.5 * np.sin(SPEED * motion.time)
    np.testing.assert_allclose(motion.tool[:, 0], 0.5 * np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(motion.tool[:, 1], 0.5 * np.sin(angle), atol=1e-9)
    np.testing.assert_allclose(motion.tool[:, 3], np.cos(angle / 2), atol=1e-9)
    np.testing.assert_allclose(motion.tool[:, 6], np.sin(angle / 2), atol=1e-9)
    between = swung.motion(rate=317.0, tool="arm").tool
    np.testing.assert_allclose(np.linalg.norm(between[:, 3:], axis=1), 1.0, atol=1e-12)


def test_a_motion_is_saved_and_read_back_to_the_bit(swung, tmp_path):
    motion = swung.motion(rate=125.0, tool=("arm", "tip"))
    told = json.loads(motion.save(tmp_path / "motion.json").read_text(encoding="utf-8"))
    with motion.save(tmp_path / "motion.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == list(told)
    assert header[:5] == ["time [s]", "shoulder position [rad]", "shoulder rate [rad/s]", "shoulder acceleration [rad/s²]",
                          "shoulder effort [N·m]"]
    assert np.array_equal(np.array(rows, float).T, list(told.values()))
    assert np.array_equal(told["slide position [m]"], motion.position[:, 1])


def test_a_motion_replayed_by_drives_gives_the_same_tool_path():
    """Coordinates out of a passive swing, put in again as cubic tables."""
    def pendulum(drive=None):
        scene = Scene("pendulum", duration=1.0, frames=100)
        arm = scene.add_rigid("arm", BOX, mass=1.0, points={"tip": (0.5, 0, 0)})
        scene.add_joint("hinge", "revolute", None, arm, at=(0, 0, 0), axis=(0, 1, 0), drive=drive)
        return simulate(scene)

    free = pendulum()
    out = free.motion(rate=200.0, tool=("arm", "tip"))
    again = pendulum(Drive.table(out.time, out.position[:, 0], kind="cubic")).motion(rate=200.0, tool=("arm", "tip"))
    np.testing.assert_allclose(again.tool, out.tool, atol=1e-6)


def test_limits_that_are_passed_are_named_with_joint_time_and_value(swung):
    motion = swung.motion(rate=25.0)
    assert motion.passed({"shoulder": {"position": (-0.501, 0.501), "speed": 1.501, "torque": 2.0},
                          "slide": {"position": (0.0, 0.21), "speed": 0.2, "torque": 1.0}}) == []
    [high] = motion.passed({"shoulder": {"position": (-0.51, 0.4999)}})
    assert (high.joint, high.what, high.limit) == ("shoulder", "position", 0.4999)
    assert high.value == pytest.approx(0.5, abs=2e-5)   # between two instants
    assert high.time == pytest.approx(np.pi / 2 / SPEED, abs=2e-3)
    with pytest.raises(CheckFailed, match=r"speed of joint 'slide' is 0.1 at .* s, its limit 0.05"):
        motion.check({"slide": {"speed": 0.05}})
    low, high = motion.passed({"shoulder": {"torque": 0.5}})
    assert low.value == pytest.approx(-0.9, rel=1e-2)
    assert high.value == pytest.approx(0.9, rel=1e-2)


@pytest.mark.parametrize(("limits", "told"), [
    ({"elbow": {"speed": 1.0}}, "unknown joint 'elbow'"), ({"slide": {"velocity": 1.0}}, "unknown limit"),
    ({"slide": {"speed": 0.0}}, "> 0"), ({"slide": {"speed": float("nan")}}, "finite"),
    ({"slide": {"position": (1.0, 0.0)}}, "lowest, highest"), ({"slide": {"position": 1.0}}, "lowest, highest"),
    ({"slide": 1.0}, "dictionary"), ([1], "give {joint")])
def test_limits_that_cannot_be_are_refused(swung, limits, told):
    with pytest.raises(SceneError, match=told):
        swung.motion().passed(limits)


def test_what_has_no_motion_is_refused(swung, tmp_path):
    for given, told in (({"joints": ["elbow"]}, "unknown joint"), ({"rate": 0.0}, "> 0"), ({"rate": float("inf")}, "finite"),
                        ({"tool": "leg"}, "unknown tool"), ({"tool": ("arm", "toe")}, "unknown mark"),
                        ({"joints": ["slide:angle"]}, "unknown freedom")):
        with pytest.raises(SceneError, match=told):
            swung.motion(**given)
    with pytest.raises(SceneError, match="ending"):
        swung.motion().save(tmp_path / "motion.txt")
    with pytest.raises(RecordingError, match="no folder"):
        swung.motion().save(tmp_path / "none" / "motion.csv")
    scene = Scene("none")
    scene.add_particle("p", (0, 0, 0), 1.0)
    with pytest.raises(RecordingError, match="no joints"):
        Simulator(build_model(scene)).run(until=0.0).motion()


def test_a_rate_that_fills_the_memory_is_refused_before_anything_is_worked_out(swung):
    for rate in (1e9, 1e300):
        with pytest.raises(SceneError, match=r"give a rate of at most 2\.5e\+06 per second"):
            swung.motion(rate=rate)


@pytest.mark.parametrize(("ask", "words"), [
    (lambda recording: recording.motion(3), "unknown joint 3"), (lambda recording: recording.joint([]), "is no joint"),
    (lambda recording: recording.joint("slide", np.zeros(2)), "has no freedom"),
    (lambda recording: recording.motion().save(None), "None is no path"),
])
def test_what_a_motion_is_not_is_told_in_words(swung, ask, words):
    with pytest.raises(RobotphiError, match=words):
        ask(swung)
