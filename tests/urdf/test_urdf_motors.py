"""Motors of robots: gains, limits and transmissions of the file against closed forms; a real arm and a hand under servos."""
import numpy as np
import pytest

from robotphi import Drive, Scene, build_model, simulate
from robotphi.errors import MeshError, SceneError
from robotphi.model.arrays import model_digest
from robotphi.urdf import load_urdf
from tests import ROOT
from tests.urdf.urdf_files import ARM, joint, link, load

pytest.importorskip("yourdfpy")

HAND = ROOT / "data" / "urdf" / "hand.urdf"
POSE = {"shoulder_pan": 0.3, "shoulder_lift": -0.5, "elbow": 0.8, "wrist_1": -0.4, "wrist_2": 0.5}
G = 9.81
HEAVY = 2.0 * 0.3**2 + 0.01   # kg·m² of the link below about its joint
LIMIT = '<axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="{effort}" velocity="{velocity}"/>'
GEARED = ('<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="turn"/>'
          '<actuator name="m"><mechanicalReduction>{ratio}</mechanicalReduction>{rotor}</actuator></transmission>')
ROTOR = "<motorInertia>4e-5</motorInertia>"


def turning(folder, *more, effort=50.0, velocity=2.0, kind="revolute"):
    """One link of moment HEAVY about a level joint."""
    return load(folder, link("base"), link("arm", 2.0, "0.3 0 0", 0.01),
                joint("turn", kind, "base", "arm", LIMIT.format(effort=effort, velocity=velocity)), *more)


def run_one(robot, duration=0.5, **motor):
    scene = Scene("turn", duration=duration, frames=50)
    handle = robot.add_to(scene, "r")
    made = handle.add_motor("turn", **motor)
    recording = simulate(scene)
    return made, recording, recording.joint("r.turn")


def test_a_target_that_jumps_is_led_at_the_rate_of_the_joint_which_comes_behind_critically_damped(tmp_path):
    """Led by v t from rest, with c = 2 J Ω and κ = J Ω²: q = v t (1 − exp(−Ω t))."""
    made, recording, turn = run_one(turning(tmp_path), target=0.8, bandwidth=3.0)
    wide = 2.0 * np.pi * 3.0
    assert (made.stiffness, made.damping) == (pytest.approx(HEAVY * wide**2), pytest.approx(2.0 * HEAVY * wide))
    assert (made.name, made.limit) == ("r.turn.motor", 50.0)
    t = recording.time[recording.time < 0.4]                     # 0.8 rad at 2 rad/s
    np.testing.assert_allclose(turn.coordinate[:len(t)], 2.0 * t * (1.0 - np.exp(-wide * t)), atol=2e-4)
    assert np.abs(turn.rate).max() <= 2.0 * (1.0 + np.exp(-2.0)) * 1.001   # what catches up goes by so much faster


def test_the_effort_keeps_within_the_limit_of_the_file(tmp_path):
    made, recording, turn = run_one(turning(tmp_path, effort=0.5, velocity=100.0), target=8.0)
    np.testing.assert_allclose(turn.coordinate, 0.5 * 0.5 / HEAVY * recording.time**2, rtol=1e-6, atol=1e-9)
    assert np.abs(turn.effort).max() <= 0.5 * (1.0 + 1e-12)


@pytest.mark.parametrize("rotor", [ROTOR, '<rotor_inertia value="4e-5"/>'])
def test_a_transmission_gives_the_ratio_and_the_rotor(tmp_path, rotor):
    robot = turning(tmp_path, GEARED.format(ratio=-50, rotor=rotor))
    assert robot.joints["turn"].transmission == ("m", -50.0, 4e-5)
    _, recording, turn = run_one(robot, torque=0.2)
    np.testing.assert_allclose(turn.coordinate, 0.1 / (HEAVY + 2500 * 4e-5) * recording.time**2, rtol=1e-9, atol=1e-12)
    made = run_one(robot, speed=1.5)[0]
    assert made.damping == pytest.approx((HEAVY + 0.1) * 20.0 * np.pi)
    assert made.inertia == pytest.approx(0.1)


def test_what_a_transmission_says_in_other_places_is_read_and_what_is_not_simulated_is_told(tmp_path):
    begin = '<transmission name="d"><joint name="turn"/><actuator name="m"/>'
    of_all = turning(tmp_path, f"{begin}<mechanicalReduction>3</mechanicalReduction></transmission>")
    assert of_all.joints["turn"].transmission == ("m", 3.0, 0.0)
    two = turning(tmp_path, f'{begin}<actuator name="b"/></transmission>')
    assert two.joints["turn"].transmission is None
    handle = two.add_to(Scene("s"), "r")
    assert handle.notes == ("transmission 'd' of 1 joints and 2 actuators is not simulated",)
    for parts, message in (((GEARED.format(ratio=0, rotor=""),), "reduction of 0"),
                           ((GEARED.format(ratio="many", rotor=""),), "mechanicalReduction of transmission 't' is 'many'"),
                           ((GEARED.format(ratio=1, rotor=""),) * 2, "second of joint 'turn'"),
                           ((GEARED.format(ratio=1, rotor="").replace("turn", "twist"),), "names joint 'twist'")):
        with pytest.raises(MeshError, match=message):
            turning(tmp_path, *parts)


def moments_of_weight(recording, frame, handle):
    """N·m about each joint that holds what is beyond it: −axis · Σ (c − o) × m g, from the places of a frame."""
    robot, found = handle.robot, {}
    at = {name: recording.joint(one.handle).coordinate[frame] for name, one in handle.joints.items()}
    poses, weight = robot.poses(at), np.array((0.0, 0.0, -G))
    names = list(robot.joints)
    for name in handle.joints:
        beyond = [robot.joints[one].child for one in names[names.index(name):]]   # a chain
        axis = poses[robot.joints[name].child][:3, :3] @ robot.joints[name].axis
        origin = poses[robot.joints[name].child][:3, 3]
        moment = sum(np.cross(poses[one][:3, :3] @ robot.links[one].centre + poses[one][:3, 3] - origin,
                              robot.links[one].mass * weight) for one in beyond)
        found[name] = -axis @ moment
    return found


def test_an_arm_holds_its_pose_under_servos_by_the_moments_of_its_weight():
    scene = Scene("hold", duration=1.0, frames=10)
    arm = load_urdf(ARM, visuals=False).add_to(scene, "arm", positions=POSE)
    motors = arm.add_motors()
    assert list(motors) == list(arm.joints)
    recording = simulate(scene)
    held = moments_of_weight(recording, -1, arm)
    for name, one in arm.joints.items():
        told, motor = recording.joint(one.handle), motors[name]
        assert told.effort[-1] == pytest.approx(held[name], abs=1e-6)     # exp(−20 π) of the fall is left
        assert told.coordinate[-1] == pytest.approx(one.position - held[name] / motor.stiffness, abs=1e-8)
    recording.motion().check(arm.limits)


def test_an_arm_follows_a_trajectory_within_its_limits():
    """What servos leave behind is the torque over their stiffness."""
    scene = Scene("follow", duration=1.5, frames=150)
    arm = load_urdf(ARM, visuals=False).add_to(scene, "arm", positions=POSE)
    ways = {name: Drive.sine(-0.3, 0.5 + 0.1 * k, phase=np.pi / 2, offset=one.position + 0.3)
            for k, (name, one) in enumerate(arm.joints.items())}
    motors = arm.add_motors(ways, bandwidth=20.0)
    recording = simulate(scene)
    recording.motion().check(arm.limits)
    late = recording.time > 0.2
    for name, one in arm.joints.items():
        told, motor = recording.joint(one.handle), motors[name]
        lag, late_rate = ways[name].value(recording.time) - told.coordinate, ways[name].rate(recording.time) - told.rate
        np.testing.assert_allclose(motor.stiffness * lag + motor.damping * late_rate, told.effort, atol=1e-8)
        assert np.abs(lag[late]).max() <= 1.1 * np.abs(told.effort[late]).max() / motor.stiffness
        assert np.abs(lag[late]).max() < 0.05
        assert np.ptp(told.coordinate) > 0.5


def test_a_hand_closes_by_servos_on_what_mimics_nothing():
    scene = Scene("hand", duration=0.5, frames=20)
    hand = load_urdf(HAND).add_to(scene, "hand")
    motors = hand.add_motors({name: 0.6 for name, one in hand.joints.items() if one.joint.mimic is None}, bandwidth=5.0)
    assert len(motors) == 6
    assert model_digest(build_model(scene)) == model_digest(build_model(Scene.from_statements(scene.statements)))
    recording = simulate(scene)
    for name, one in hand.joints.items():
        told = recording.joint(one.handle)
        wanted, reach = (0.48, 0.8) if one.joint.mimic else (0.6, 1.0)
        motor = motors[one.joint.mimic.joint if one.joint.mimic else name]
        # the weight of three phalanges at 0.05 m on average, and dry friction that holds, over the stiffness
        assert abs(told.coordinate[-1] - wanted) <= reach * (0.062 * G * 0.11 + 0.004) / motor.stiffness
        assert np.abs(told.effort).max() <= 1.5


def test_a_command_leads_a_servo_as_fast_as_the_joint_may(tmp_path):
    scene = Scene("told", duration=0.6, frames=6)
    handle = turning(tmp_path).add_to(scene, "r")
    with pytest.raises(SceneError, match=r"may change faster than 2 per second.*rate=2"):
        handle.add_motor("turn", target=scene.add_command("jumping", 0.0))
    with pytest.raises(SceneError, match=r"starts at 0\.5, and the joint at 0"):
        handle.add_motor("turn", target=scene.add_command("away", 0.5, rate=1.0))
    handle.add_motor("turn", target=scene.add_command("place", 0.0, rate=2.0), name="drive")

    @scene.controller(rate=10)
    def tell(view):
        view["place"] = 0.4
    recording = simulate(scene)
    assert recording.joint("r.turn").coordinate[-1] == pytest.approx(0.4, abs=1e-6)   # exp(−0.4 s × 20 π)
    assert "work:drive" in recording.ledger


@pytest.mark.parametrize(("given", "message"), [
    ({"speed": 3.0}, "a speed of 3 is beyond 2"), ({"joint": "twist", "target": 0.0}, "unknown moving joint 'twist'"),
    ({}, "nothing tells it what to do"), ({"target": 0.0, "bandwidth": 0.0}, "bandwidth")])
def test_what_a_motor_cannot_be_told_is_refused(tmp_path, given, message):
    handle = turning(tmp_path).add_to(Scene("s"), "r")
    with pytest.raises(SceneError, match=message):
        handle.add_motor(**({"joint": "turn"} | given))


def test_joints_that_no_motor_drives_are_refused(tmp_path):
    hand = load_urdf(HAND).add_to(Scene("s"), "hand")
    with pytest.raises(SceneError, match="it mimics 'flex_1_middle'; drive that one"):
        hand.add_motor("flex_1_distal", target=0.1)
    springs = turning(tmp_path).add_to(Scene("s"), "r", way="springs")
    with pytest.raises(SceneError, match="springs hold its joints"):
        springs.add_motor("turn", target=0.1)
    weak = turning(tmp_path, effort=0.0).add_to(Scene("s"), "r")
    with pytest.raises(SceneError, match=r"an effort of 0.*limit="):
        weak.add_motor("turn", target=0.1)
    assert weak.add_motor("turn", target=0.1, limit=np.inf).limit == np.inf
