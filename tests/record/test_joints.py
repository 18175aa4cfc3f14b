"""Readings of joints: what they transmit, against momenta, closed forms and the ledger."""
import subprocess
import sys

import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, Stepping, build_model, simulate
from robotphi.commands.info import describe_recording
from robotphi.errors import RecordingError
from robotphi.kernels.step import slots
from robotphi.view.stage import Stage

BOX = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
DT = 1e-3


def rod(scene, name, at, mass=1.0, **given):
    return scene.add_rigid(name, BOX + np.asarray(at), mass, inertia=(0.02, 0.08, 0.09), **given)


def chain(frames=50, **stepping):
    """Three links on the world, by a hinge, a universal joint and a ball, with springs, dampers and an armature."""
    scene = Scene("chain", duration=frames * 10 * DT, frames=frames,
                  stepping=Stepping(**(stepping or {"control": "fixed", "dt": DT})))
    a, b, c = (rod(scene, name, (0.5 + i, 0, 0), 1.0 + i) for i, name in enumerate("abc"))
    scene.add_joint("hinge", "revolute", None, a, (0, 0, 0), axis=(0, 1, 0), viscosity=0.3, stiffness=2.0, armature=0.05,
                    rate=0.5)
    scene.add_joint("cross", "universal", a, b, (1, 0, 0), axis=(0, 1, 0), across=(0, 0, 1), viscosity=0.1, rate=(0.3, 1.0))
    scene.add_joint("ball", "ball", b, c, (2, 0, 0), viscosity=0.05)
    return scene


def world(recording, name, quantity):
    """A reaction along axes of the world."""
    joint = recording.scene.find(name)
    whole = getattr(recording.joint(name), quantity) @ joint.frame.T
    if joint.parent is None:
        return whole
    from robotphi.scene.turns import matrix_of

    turn = matrix_of(recording.rigid_orientation[:, joint.parent.index])
    turn = turn @ turn[0].T   # drawn as it is at the start
    return np.einsum("fij,fj->fi", turn, whole)


def test_reactions_and_weight_are_what_changes_the_momentum():
    recording = simulate(chain())
    mass = np.array([rigid.mass for rigid in recording.scene.rigids])
    push = mass[:, None] * recording.rigid_velocity
    force = {name: world(recording, name, "reaction_force") for name in ("hinge", "cross", "ball")}
    for i, (own, beyond) in enumerate((("hinge", "cross"), ("cross", "ball"), ("ball", None))):
        total = force[own] - (force[beyond] if beyond else 0.0) + mass[i] * np.array([0.0, 0.0, -9.81])
        # central differences over two frames of h = 10 ms: h²/6 of the third derivative, here about ω³ V m ≈ 10³
        rate = (push[2:, i] - push[:-2, i]) / (recording.time[2:] - recording.time[:-2])[:, None]
        scale = np.abs(total).max()
        assert scale > 5.0
        assert np.abs(rate - total[1:-1]).max() < 2e-2 * scale
    moment = recording.rigid_momentum[:, 2]
    arm = recording.rigid_position[:, 2] - anchor(recording)
    couple = world(recording, "ball", "reaction_couple") - np.cross(arm, force["ball"])
    rate = (moment[2:] - moment[:-2]) / (recording.time[2:] - recording.time[:-2])[:, None]
    assert np.abs(rate - couple[1:-1]).max() < 2e-2 * np.abs(couple).max()


def test_reactions_know_the_dampers_of_springs_whichever_way_these_go():
    """In the force or apart: forces of both are off by what a step leaves, of second order in it."""
    def reaction(way):
        scene = Scene("damped", duration=0.05, frames=5, stepping=Stepping(control="fixed", dt=1e-4))
        arm = rod(scene, "arm", (0.5, 0, 0))
        scene.add_joint("hinge", "revolute", None, arm, (0, 0, 0), axis=(0, 1, 0), rate=2.0)
        post = scene.add_particle("post", (1.0, 0.0, 1.0), 1.0, support="xyz")
        scene.add_linear("damper", arm.particles[-1:], [post], 10.0, viscosity=20.0)
        simulator = Simulator(build_model(scene), threads=1)
        simulator.begin()
        simulator.state.buffers.counters[slots.VISCOSITY] = way
        recording = simulator.run()
        assert simulator.state.buffers.counters[slots.VISCOSITY] == way
        return recording.joint("hinge").reaction_force[1:]

    together, apart = reaction(slots.IN_FORCE), reaction(slots.APART)
    assert np.abs(together).max() > 10.0
    assert np.abs(apart - together).max() < 1e-3 * np.abs(together).max()


def anchor(recording):
    """(f, 3) where the ball joint is: the end of b."""
    from robotphi.scene.turns import matrix_of

    turn = matrix_of(recording.rigid_orientation[:, 1])
    return recording.rigid_position[:, 1] + (turn @ turn[0].T) @ np.array([0.5, 0.0, 0.0])


def test_efforts_are_what_springs_and_dampers_do_and_their_power_is_in_the_ledger():
    recording = simulate(chain())
    hinge, cross, ball = (recording.joint(name) for name in ("hinge", "cross", "ball"))
    # evaluated at the instant itself: rounding of accelerations of some 100 times the inertia, over the recursion
    np.testing.assert_allclose(hinge.effort, -2.0 * hinge.coordinate - 0.3 * hinge.rate, atol=1e-10)
    np.testing.assert_allclose(cross.effort, -0.1 * cross.rate, atol=1e-10)
    np.testing.assert_allclose(ball.effort, -0.05 * ball.rate, atol=1e-10)
    assert np.abs(hinge.effort).max() > 1.0
    given = hinge.power + cross.power + ball.power
    taken = recording.ledger["elastic_joint"] + recording.ledger["joint_dissipation"]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (given[1:] + given[:-1]) * np.diff(recording.time))])
    # trapezoids over frames of h = 10 ms: h²/12 of the second derivative of a power of 1 W at some 10 rad/s
    assert np.abs(taken - taken[0] + work).max() < 3e-3 * np.abs(work).max()
    np.testing.assert_allclose(cross.power, (cross.effort * cross.rate).sum(axis=1), rtol=1e-14, atol=1e-300)


def test_a_hanging_rod_pulls_by_its_weight_and_a_held_lever_by_its_moment():
    scene = Scene("still", duration=0.01, frames=1, stepping=Stepping(control="fixed", dt=DT))
    scene.add_joint("weld", "fixed", None, rod(scene, "lever", (0.5, 0, 0), 2.0), (0, 0, 0), axis=(0, 0, 1))
    force, couple = (getattr(simulate(scene).joint("weld"), name)[-1] for name in ("reaction_force", "reaction_couple"))
    frame = scene.find("weld").frame
    np.testing.assert_allclose(frame @ force, [0, 0, 2.0 * 9.81], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(frame @ couple, [0, -2.0 * 9.81 * 0.5, 0], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(force, [2.0 * 9.81, 0, 0], rtol=1e-14, atol=1e-14)   # x along the axis given


def test_a_driven_rigid_carries_what_is_welded_to_it_by_weight_and_acceleration():
    scene = Scene("lift", duration=0.1, frames=5, stepping=Stepping(control="fixed", dt=DT))
    lift = scene.add_rigid("lift", BOX, support="xy", rotation_support="xyz", drive={"z": Drive.sine(0.1, 2.0)})
    scene.add_joint("weld", "fixed", lift, rod(scene, "load", (1, 0, 0), 2.0), (0.5, 0, 0), axis=(0, 0, 1))
    recording = simulate(scene)
    lifted = -0.1 * (4.0 * np.pi) ** 2 * np.sin(4.0 * np.pi * recording.time)   # z̈ of 0.1 sin(2π 2 t)
    np.testing.assert_allclose(recording.joint("weld").reaction_force[:, 0], 2.0 * (9.81 + lifted), rtol=1e-9)


def lever(**given):
    """A rod of 1 kg on a level hinge along y at its end: I = 0.08 + 0.25 kg·m² there, its weight 4.905 N·m about y."""
    scene = Scene("lever", duration=0.1, frames=5, stepping=Stepping(control="fixed", dt=DT))
    scene.add_joint("hinge", "revolute", None, rod(scene, "rod", (0.5, 0, 0)), (0, 0, 0), axis=(0, 1, 0), **given)
    return scene


def test_what_dry_friction_and_stops_hold_is_effort():
    for given in ({"friction": 6.0}, {"limits": (-1.0, 0.0)}):
        reading = simulate(lever(**given)).joint("hinge")
        assert np.abs(reading.rate).max() == 0.0
        # about y the weight turns the rod down by +9.81 × 0.5: what holds it is the opposite
        np.testing.assert_allclose(reading.effort, -4.905, rtol=1e-12)
        np.testing.assert_allclose(reading.reaction_force[:, 2], -9.81, rtol=1e-12)   # z of the joint is x × y: −z of the world
    sliding = simulate(lever(friction=2.0)).joint("hinge")
    assert sliding.rate[-1] > 0.1
    np.testing.assert_allclose(sliding.effort[1:], -2.0, rtol=1e-9)


def test_the_effort_of_a_drive_is_what_inertia_and_weight_ask():
    w = 10.0
    scene = lever(drive=Drive.sine(0.2, w / (2.0 * np.pi)), armature=0.1)
    reading, time = simulate(scene).joint("hinge"), scene.frame_times
    angle = 0.2 * np.sin(w * time)
    np.testing.assert_allclose(reading.coordinate, angle, atol=1e-12)
    wanted = -(0.33 + 0.1) * w * w * angle - 4.905 * np.cos(angle)
    np.testing.assert_allclose(reading.effort, wanted, rtol=1e-9)


def test_a_closure_bears_its_share_and_a_joint_that_is_gone_through_backwards_the_opposite():
    scene = Scene("beam", duration=0.01, frames=1, stepping=Stepping(control="fixed", dt=DT))
    beam = rod(scene, "beam", (0.5, 0, 0))
    scene.add_joint("hinge", "revolute", None, beam, (0, 0, 0), axis=(0, 1, 0))
    scene.add_joint("rope", "rod", None, beam, ((1, 0, 0.7), (1, 0, 0)))
    scene.add_sensor("pull", "reaction_force", "rope")
    recording = simulate(scene)
    assert np.array_equal(recording.sensors["pull"], recording.joint("rope").reaction_force)
    half = 0.5 * 9.81   # a beam on two supports
    np.testing.assert_allclose(world(recording, "rope", "reaction_force"), [[0, 0, half]] * 2, atol=1e-10)
    np.testing.assert_allclose(world(recording, "hinge", "reaction_force"), [[0, 0, half]] * 2, atol=1e-10)
    assert recording.joint("rope").coordinate.shape == (2, 0)
    found = []
    for backwards in (False, True):   # a rod that falls from a welded foot, said from either end
        scene = Scene("s", duration=0.1, frames=2, stepping=Stepping(control="fixed", dt=DT))
        foot, arm = rod(scene, "foot", (-0.5, 0, 0)), rod(scene, "arm", (0.5, 0, 0))
        scene.add_joint("weld", "fixed", None, foot, (-1, 0, 0))
        ends = (arm, foot) if backwards else (foot, arm)
        scene.add_joint("knee", "revolute", *ends, (0, 0, 0), axis=(0, 1, 0), viscosity=0.1)
        found.append(simulate(scene))
    one, other = found
    assert np.abs(one.joint("knee").coordinate[-1]) > 0.05
    np.testing.assert_allclose(other.joint("knee").coordinate, -one.joint("knee").coordinate, atol=1e-12)
    np.testing.assert_allclose(other.joint("knee").effort, -one.joint("knee").effort, atol=1e-12)
    for quantity in ("reaction_force", "reaction_couple"):
        np.testing.assert_allclose(world(other, "knee", quantity), -world(one, "knee", quantity), atol=1e-11)


def test_the_turn_of_a_ball_is_a_rotation_vector_along_its_axes():
    scene = Scene("top", duration=1.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=1e-2))
    top = scene.add_rigid("top", BOX, 1.0, inertia=(0.1, 0.1, 0.1))
    scene.add_joint("socket", "ball", None, top, (0, 0, 0), axis=(0, 0, 1), across=(1, 0, 0), rate=(2.0, 1.0, 0.0))
    reading = simulate(scene).joint("socket")
    np.testing.assert_allclose(reading.coordinate, reading.rate[0] * np.arange(11)[:, None] / 10, atol=1e-12)
    assert np.abs(reading.reaction_force).max() < 1e-12


def test_sensors_of_joints_are_the_same_readings_and_go_on_to_the_bit():
    scene = chain(frames=6, budget=1e-4)
    for name, quantity, of in (("a", "coordinate", "hinge"), ("b", "rate", ("cross", "second")), ("c", "effort", ("ball", 2)),
                               ("d", "power", "cross"), ("e", "reaction_force", "ball"), ("f", "reaction_couple", "cross"),
                               ("g", "power", ("cross", "first"))):
        scene.add_sensor(name, quantity, of)
    model = build_model(scene)
    recording = Simulator(model).run()
    cross = recording.joint("cross", "second")
    assert np.array_equal(recording.sensors["a"], recording.joint(scene.find("hinge")).coordinate)
    assert np.array_equal(recording.sensors["b"], cross.rate)
    assert np.array_equal(recording.sensors["c"], recording.joint("ball").effort[:, 2])
    assert np.array_equal(recording.sensors["d"], recording.joint("cross").power)
    assert np.array_equal(recording.sensors["e"], recording.joint("ball").reaction_force)
    assert np.array_equal(recording.sensors["f"], recording.joint("cross").reaction_couple)
    assert recording.sensors["e"].shape == (7, 3)
    assert cross.rate.shape == cross.power.shape == (7,)
    after = Simulator.continued(model, recording, 2).run()
    assert all(np.array_equal(after.sensors[name], values[2:]) for name, values in recording.sensors.items())


def test_a_recording_tells_of_its_joints_without_its_scene(tmp_path):
    recording = simulate(chain(frames=4))
    path = recording.save(tmp_path / "chain.h5")
    told = describe_recording(path)["joints"]
    assert [(one["joint"], one["kind"], one["parent"], one["child"]) for one in told] == [
        ("hinge", "revolute", "", "a"), ("cross", "universal", "a", "b"), ("ball", "ball", "b", "c")]
    hinge, cross = recording.joint("hinge"), recording.joint("cross")
    assert told[0]["freedoms"] == {"angle": [hinge.coordinate.min(), hinge.coordinate.max()]}
    assert told[1]["freedoms"]["second"] == [cross.coordinate[:, 1].min(), cross.coordinate[:, 1].max()]
    assert told[2]["freedoms"] == {}
    assert told[0]["largest_force"] == pytest.approx(np.linalg.norm(hinge.reaction_force, axis=1).max(), rel=1e-12)
    said = subprocess.run([sys.executable, "-m", "robotphi", "info", str(path)], capture_output=True, text=True, check=True)
    assert all(word in said.stdout for word in ("the world, a", "universal", "second"))


def test_the_stage_shows_the_axes_of_joints_where_they_are():
    stage = Stage(simulate(chain()))
    for frame in (0, -1):
        ends = stage.joints(frame)
        np.testing.assert_allclose(ends.mean(axis=1)[0], 0.0, atol=1e-12)
        np.testing.assert_allclose(ends.mean(axis=1)[2], anchor(stage.recording)[frame], atol=1e-12)
        axes = ends[:, 1] - ends[:, 0]
        assert np.linalg.norm(axes[2]) == 0.0   # a ball has none
        np.testing.assert_allclose(axes[0] / np.linalg.norm(axes[0]), [0, 1, 0], atol=1e-12)
    assert np.abs(ends - stage.joints(0)).max() > 0.1


def test_what_is_no_joint_is_refused_with_what_there_is():
    recording = simulate(chain(frames=1))
    with pytest.raises(RecordingError, match=r"'knee' is no joint.*'hinge', 'cross', 'ball'"):
        recording.joint("knee")
    with pytest.raises(RecordingError, match="no freedom 'angle'; its freedoms: first, second"):
        recording.joint("cross", "angle")
