"""Robots by exact joints: what their joints are, and that they do what the same robot does by springs."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, build_model, simulate
from robotphi.errors import SceneError
from robotphi.model.arrays import model_digest
from robotphi.scene.touching import TouchingRound
from robotphi.urdf import load_urdf
from tests import ROOT
from tests.urdf.urdf_files import ARM, joint, link, load

pytest.importorskip("yourdfpy")

HAND = ROOT / "data" / "urdf" / "hand.urdf"
BEND = {"shoulder_lift": -0.5, "elbow": 0.8}
SURFACE = ContactMaterial(1e6)


def fall(way, **given):
    scene = Scene("fall", duration=0.2, frames=4)
    load_urdf(ARM).add_to(scene, "arm", positions=BEND, way=way, **given)
    return simulate(scene)


def test_the_arm_falls_by_exact_joints_as_by_springs_without_their_gap():
    exact, springs = fall("exact"), fall("springs")
    # springs bend by 1e-4 rad a joint at most and wobble about it: some 1e-4 m at a reach of 1 m; the arm falls 0.15 m
    apart = np.abs(exact.rigid_position - springs.rigid_position).max()
    assert 1e-9 < apart < 4e-4
    assert np.abs(exact.rigid_position[-1] - exact.rigid_position[0]).max() > 0.1
    assert exact.counts["attempts"] < 0.1 * springs.counts["attempts"]
    weight = sum(rigid.mass for rigid in exact.scene.rigids[1:]) * 9.81
    pan = exact.joint("arm.shoulder_pan")
    assert pan.reaction_force.shape == (5, 3)
    assert 0.0 < pan.reaction_force[0, 0] < weight   # along its axis, up; what falls freely weighs nothing


def test_joints_of_the_hand_are_where_the_file_says_with_what_it_says_of_them():
    robot = load_urdf(HAND)
    scene = Scene("hand")
    handle = robot.add_to(scene, "hand", positions={"flex_1_middle": 0.5})
    assert len(handle.joints) == 9 == len(scene.joints)
    one = handle.joints["flex_1_distal"]
    assert one.position == pytest.approx(0.4)   # 0.8 of the joint that it mimics
    assert one.handle.place.tolist() == [one.position]
    assert (one.handle.viscosity.tolist(), one.handle.friction.tolist()) == ([0.005], [[0.002, 0.002]])
    assert one.handle.limits.tolist() == [[-0.4, 1.3]]
    assert (one.handle.parent.name, one.handle.child.name) == ("hand.finger_1_middle", "hand.finger_1_distal")
    np.testing.assert_allclose(one.handle.at, robot.poses({"flex_1_middle": 0.5})["finger_1_distal"][:3, 3], atol=1e-15)
    np.testing.assert_allclose(one.handle.frame[:, 0], [0, -1, 0], atol=1e-15)
    total = sum(rigid.mass for rigid in scene.rigids)
    assert total == pytest.approx(0.4 + 3 * (0.03 + 0.02 + 0.012))
    assert handle.notes == ()


def test_mimics_follow_what_they_mimic():
    scene = Scene("hand", duration=0.1, frames=4)
    handle = load_urdf(HAND).add_to(scene, "hand", positions={"flex_1_middle": 0.5})
    scene.add_torque("close", scene.find("hand.finger_1_middle"), (0.0, -0.01, 0.0))
    recording = simulate(scene)
    leader, follower = (recording.joint(handle.joints[f"flex_1_{one}"].handle) for one in ("middle", "distal"))
    np.testing.assert_allclose(follower.coordinate, 0.8 * leader.coordinate, atol=1e-12)
    assert np.ptp(leader.coordinate) > 0.1


def test_statements_of_a_robot_make_the_same_model_to_the_bit():
    scene = Scene("hand")
    load_urdf(HAND).add_to(scene, "hand", positions={"flex_2_proximal": 0.3}, contact=SURFACE, round_shapes=True,
                            fixed_base=False)
    assert model_digest(build_model(scene)) == model_digest(build_model(Scene.from_statements(scene.statements)))


def test_round_links_touch_as_cylinders_and_balls():
    scene = Scene("hand")
    handle = load_urdf(HAND).add_to(scene, "hand", contact=SURFACE, round_shapes=True)
    touching = [scene.touching[name] for name in handle.touching]
    assert all(isinstance(one, TouchingRound) for one in touching)
    bone = scene.touching["hand.finger_1_middle"]
    assert (bone.shape, bone.radius, bone.length) == ("cylinder", 0.008, pytest.approx(0.019))
    assert np.linalg.norm(np.diff(scene.position[bone.particles], axis=0)) == pytest.approx(0.019)
    assert scene.touching["hand.finger_1_distal"].shape == "ball"
    np.testing.assert_allclose(scene.position[bone.particles].mean(axis=0), [0.04, 0, 0.01 + 0.05 + 0.0175], atol=1e-15)


def test_bodies_without_mass_between_joints_are_carried_by_them(tmp_path):
    def two(middle):
        return load(tmp_path, link("base"), middle, link("end", 2.0, "0.5 0 0", 0.1),
                    joint("one", "continuous", "base", "middle", '<axis xyz="0 1 0"/>'),
                    joint("two", "continuous", "middle", "end", '<axis xyz="0 0 1"/>', xyz="0.3 0 0"))
    scene = Scene("light", duration=0.1, frames=2, stepping=Stepping(control="fixed", dt=1e-3))
    two(link("middle", 0)).add_to(scene, "r")
    heavy = Scene("heavy", duration=0.1, frames=2, stepping=Stepping(control="fixed", dt=1e-3))
    two(link("middle", 1e-9, i=1e-12)).add_to(heavy, "r")
    light, other = simulate(scene), simulate(heavy)
    # a mass of 1e-9 of the other changes accelerations by some 1e-9
    np.testing.assert_allclose(light.rigid_position[-1], other.rigid_position[-1], atol=1e-9)
    with pytest.raises(SceneError, match="its body middle has no mass"):
        two(link("middle", 0)).add_to(Scene("s"), "r", way="springs")
    with pytest.raises(SceneError, match="its body tip has no mass"):
        load(tmp_path, link("base"), link("tip", 0), joint("one", "continuous", "base", "tip")).add_to(Scene("s"), "r")


def test_planar_and_floating_joints_and_ways(tmp_path):
    robot = load(tmp_path, link("base"), link("puck"), link("kite"),
                 joint("slide", "planar", "base", "puck", '<axis xyz="0 0 1"/>'),
                 joint("fly", "floating", "base", "kite", xyz="0 0 1"))
    scene = Scene("s", duration=0.1, frames=1, stepping=Stepping(control="fixed", dt=1e-3))
    handle = robot.add_to(scene, "r")
    assert list(handle.joints) == ["slide"]
    assert handle.joints["slide"].handle.kind == "planar"
    recording = simulate(scene)
    fallen = recording.rigid_position[-1, :, 2] - recording.rigid_position[0, :, 2]
    np.testing.assert_allclose(fallen, [0, 0, -0.5 * 9.81 * 0.01], atol=1e-12)
    for options, message in (({"way": "springs"}, "'slide' is planar"), ({"way": "loose"}, "unknown way 'loose'"),
                             ({"joint_stiffness": 1e5}, "exact joints have no gap")):
        with pytest.raises(SceneError, match=message):
            robot.add_to(Scene("s"), "r", **options)


AXIS = '<axis xyz="0 0 1"/>'


def chain_of_two(folder, first=AXIS, second=AXIS, kind="revolute"):
    return load(folder, link("a"), link("b"), link("c"), joint("j", kind, "a", "b", first), joint("k", kind, "b", "c", second))


def put(robot, **given):
    """(scene, handle) of a robot in a scene of its own."""
    scene = Scene("put", duration=0.02, frames=1)
    return scene, robot.add_to(scene, "r", **given)


def test_what_mimics_nothing_times_a_joint_or_one_that_is_stuck_is_fixed_at_its_offset(tmp_path):
    for first, mimic in ((AXIS, 'multiplier="0"'), (f'{AXIS}<limit lower="0.2" upper="0.2"/>', 'multiplier="1"')):
        robot = chain_of_two(tmp_path, first, f'{AXIS}<mimic joint="j" {mimic} offset="0.3"/>')
        scene, handle = put(robot, positions={} if first == AXIS else {"j": 0.2})
        assert handle.joints["k"].handle.kind == "fixed"
        assert handle.joints["k"].position == pytest.approx(0.3 if first == AXIS else 0.5)
        assert handle.notes == ()
        assert len(simulate(scene)) == 2


def test_joints_without_limits_turn_freely_and_that_is_told(tmp_path):
    for limit in ('<limit effort="1" velocity="1"/>', "<limit/>"):
        robot = chain_of_two(tmp_path, AXIS + limit)
        scene, handle = put(robot)
        assert handle.joints["j"].handle.kind == "revolute"
        assert not np.isfinite(handle.joints["j"].handle.limits).any()
        assert handle.notes == ("joint 'j' has no limits, as the file gives it neither lower nor upper",)
    robot = chain_of_two(tmp_path, f'{AXIS}<limit upper="2" effort="1" velocity="1"/>')
    assert put(robot)[1].joints["j"].handle.limits.tolist() == [[0.0, 2.0]]   # one left out is 0
    sliding = chain_of_two(tmp_path, AXIS + "<limit/>", kind="prismatic")
    assert len(put(sliding)[1].notes) == 1
    with pytest.raises(SceneError, match='rails of springs have ends; give way="exact"'):
        put(sliding, way="springs")


def test_names_that_a_scene_cannot_have_twice_or_at_all_become_others(tmp_path):
    same = load(tmp_path, link("a"), link("b"), joint("b", "revolute", "a", "b", AXIS))
    for way in ("exact", "springs"):
        scene, handle = put(same, way=way)
        assert {"r.b", "r.b.joint"} <= set(scene.things) | {one.name for one in scene.joints}
        assert handle.notes == ("joint 'b' is called 'r.b.joint' in the scene",)
    box = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    odd = load(tmp_path, link("a/x", more=box), link("b:y", more=box), joint("j/1", "revolute", "a/x", "b:y", AXIS))
    scene, handle = put(odd, contact=SURFACE)
    assert [one.name for one in scene.joints] == ["r.j_1"]
    assert handle.touching == ("r.a_x", "r.b_y")
    assert handle.add_motor("j/1", target=0.1).name == "r.j_1.motor"
    assert "link 'b:y' is called 'r.b_y' in the scene" in handle.notes
    assert len(simulate(scene)) == 2


def test_a_joint_that_would_start_beyond_its_limits_says_which_position_to_give(tmp_path):
    away = f'{AXIS}<limit lower="0.5" upper="1" effort="1" velocity="1"/>'
    with pytest.raises(SceneError, match=r"joint 'j' would start at 0, beyond .* 0.5 to 1; give positions={'j': 0.75}"):
        put(chain_of_two(tmp_path, away))
    with pytest.raises(SceneError, match=r"joint 'k' would start at 3, as it mimics 'j', .* give positions={'j': …}"):
        put(chain_of_two(tmp_path, AXIS, f'{AXIS}<mimic joint="j" offset="3"/>'))
    with pytest.raises(SceneError, match=r"give positions={'j': 0.2}"):
        put(chain_of_two(tmp_path, f'{AXIS}<limit lower="0.2" upper="0.2"/>'))
    assert put(chain_of_two(tmp_path, away), positions={"j": 0.6})[1].joints["j"].position == 0.6
