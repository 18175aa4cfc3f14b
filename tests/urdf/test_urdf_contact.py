"""Links of robots that touch: what carries them, which of them never meet, and what is refused."""

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, SceneError, Stepping, build_model, simulate
from robotphi.kernels.contact import kinds
from robotphi.urdf import load_urdf
from tests.urdf.urdf_files import ARM, joint, link, load

pytest.importorskip("yourdfpy")

SURFACE = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0, friction=0.3)
BOX = '<collision><origin xyz="{at}" rpy="0 0 {turn}"/><geometry><box size="{size}"/></geometry></collision>'


def box(size="0.2 0.1 0.1", at="0 0 0", turn=0.0):
    return BOX.format(size=size, at=at, turn=turn)


def chain(folder):
    """Four links that overlap where they are joined; the last is fixed to the third, the second has two shapes."""
    return load(folder, link("base", 2.0, more=box()), link("first", 1.0, more=box() + box(at="0.1 0 0", turn=0.5)),
                link("second", 1.0, more=box()), link("tip", 0.5, more=box("0.05 0.05 0.05")),
                joint("a", "revolute", "base", "first", xyz="0.15 0 0"),
                joint("b", "revolute", "first", "second", xyz="0.15 0 0"), joint("c", "fixed", "second", "tip", xyz="0.1 0 0"))


def test_links_have_the_shapes_that_the_file_gives(tmp_path):
    scene = Scene("robot")
    handle = chain(tmp_path).add_to(scene, "arm", contact=SURFACE, pose=np.array([[0, -1, 0, 1.0], [1, 0, 0, 2], [0, 0, 1, 3],
                                                                                  [0, 0, 0, 1]], float))
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert handle.touching == ("arm.base", "arm.first", "arm.second", "arm.tip")
    assert model.part_names == ("arm.base", "arm.first:shape 0", "arm.first:shape 1", "arm.second", "arm.tip")
    assert (parts.kind == kinds.POLYHEDRON).all()
    assert parts.rigid.tolist() == [handle.rigid(name).index for name in ("base", "first", "first", "second", "tip")]
    # the second shape of "first": at (0.25, 0, 0) of the robot, turned by 0.5 rad and, with the robot, by a quarter
    corners = model.position[parts.vertex[parts.vertex_start[2]:parts.vertex_start[3]]]
    np.testing.assert_allclose(corners.mean(axis=0), (1, 2.25, 3), atol=1e-12)
    along = np.array((-np.sin(0.5), np.cos(0.5), 0))
    np.testing.assert_allclose(np.ptp(corners @ along), 0.2, atol=1e-12)


def test_links_that_a_joint_joins_never_touch_and_others_may(tmp_path):
    scene = Scene("robot")
    chain(tmp_path).add_to(scene, "arm", contact=SURFACE)
    model = build_model(scene)
    keys = model.arrays.contact.excluded
    names = [name.removeprefix("arm.").split(":")[0] for name in model.part_names]
    never = {frozenset((names[key // len(names)], names[key % len(names)])) for key in keys}
    # "tip" and "second" are one body, so the joint of "second" keeps "first" from both
    assert never == {frozenset(pair) for pair in (("base", "first"), ("first",), ("first", "second"), ("first", "tip"),
                                                  ("second", "tip"))}


def test_a_robot_that_lies_on_the_ground_is_carried_by_its_links(tmp_path):
    scene = Scene("lies", duration=1.0, frames=10, stepping=Stepping(budget=1e-4))
    scene.add_plane("ground", (0, 0, -0.0505), contact=SURFACE)
    handle = chain(tmp_path).add_to(scene, "arm", contact=SURFACE, fixed_base=False, way="springs")
    recording = simulate(scene)
    carried = sum(recording.contact_forces(name, "ground") for name in handle.touching)
    np.testing.assert_allclose(carried[-1], (0, 0, 4.5 * 9.81), atol=0.02 * 4.5 * 9.81)
    assert recording.info["warnings"] == []


def test_a_real_arm_falls_on_the_floor_and_stays_above_it():
    scene = Scene("fall", duration=0.45, frames=45)
    scene.add_plane("floor", (0, 0, -0.3), contact=SURFACE)
    handle = load_urdf(ARM).add_to(scene, "arm", positions={"shoulder_lift": -0.3, "elbow": 0.4}, contact=SURFACE,
                                 way="springs")
    recording = simulate(scene)
    rows = recording.rows["contacts"]
    assert len(rows["first"]), "it comes down to the floor"
    # half of 10 kg at 2 m/s in λ A x²/2, λ = 5e6 N/m³ and A ≈ 0.01 m²: 2 cm
    assert rows["depth"].max() < 0.02
    assert recording.position[:, handle.links["tool_frame"], 2].min() > -0.3
    [hit, *_] = recording.hits("arm.wrist_2_link", "floor", scene)
    assert hit.impulse_from == "forces", "the joints act on it as well"
    assert hit.impulse[2] > 0.0


def test_some_links_touch_where_they_are_named(tmp_path):
    scene = Scene("robot")
    handle = chain(tmp_path).add_to(scene, "arm", contact={"tip": SURFACE})
    assert handle.touching == ("arm.tip",)
    assert build_model(scene).part_names == ("arm.tip",)


def test_without_a_material_nothing_changes(tmp_path):
    one, other = Scene("robot"), Scene("robot")
    robot = chain(tmp_path)
    assert robot.add_to(one, "arm").touching == ()
    assert not one.touching
    robot.add_to(other, "arm", contact=SURFACE)
    assert other.particle_count > one.particle_count


@pytest.mark.parametrize(("contact", "message"), [
    ({"tp": SURFACE}, "'tp', which is no link with a collision shape; name some of: base, first, second, tip"),
    ({"tip": 3.0}, "robot 'arm', link 'tip': contact is 3.0; give a ContactMaterial"),
    (1e7, "contact is 10000000.0; give a ContactMaterial")])
def test_what_makes_no_contact_is_refused(tmp_path, contact, message):
    scene = Scene("robot")
    with pytest.raises(SceneError) as caught:
        chain(tmp_path).add_to(scene, "arm", contact=contact)
    assert message in str(caught.value)
    assert not scene.things


def test_a_robot_without_collision_shapes_cannot_touch(tmp_path):
    robot = load(tmp_path, link("base"), link("bob"), joint("hinge", "revolute", "base", "bob"))
    with pytest.raises(SceneError, match="no link has a collision shape"):
        robot.add_to(Scene("robot"), "arm", contact=SURFACE)


def test_links_are_drawn(tmp_path):
    from robotphi.view.touching import picture_touching

    scene = Scene("robot", duration=0.01, frames=1)
    scene.add_plane("ground", (0, 0, -0.3), contact=SURFACE)
    chain(tmp_path).add_to(scene, "arm", contact=SURFACE)
    assert picture_touching(simulate(scene), scene, tmp_path / "robot.png", frames=[1]).stat().st_size > 1000
