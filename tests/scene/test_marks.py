"""Marked points and frames: they go with what carries them, and joints and sensors find them; poses."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise, glue, join, mark, mirrored, moved, posed, rigid, turned
from robotphi.errors import SceneError
from robotphi.geometry.shapes import box
from robotphi.model.arrays import model_digest
from robotphi.scene.poses import frame_of, pose_matrix
from robotphi.scene.turns import matrix_of, quaternion_of, rotation_about

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])
TURN = rotation_about(np.array([1.0, 2.0, 2.0]) / 3.0, 0.7)
POSE = np.vstack((np.column_stack((TURN, (0.3, -0.2, 0.5))), (0, 0, 0, 1)))
TIP, FRAME = (0.4, 0.1, 0.3), np.array([[0, -1, 0, 0.2], [1, 0, 0, 0.0], [0, 0, 1, 0.1], [0, 0, 0, 1.0]])


def link():
    return rigid(box((1.0, 0.4, 0.2)), density=100.0, points={"tip": TIP}, frames={"wrist": FRAME})


def place(thing, name):
    return thing.position[thing.regions[name]]


def test_marks_weigh_nothing_and_go_where_the_object_goes():
    plain, marked = rigid(box((1.0, 0.4, 0.2)), density=100.0), link()
    for one, other in zip(plain.properties, marked.properties, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(place(marked, "tip"), [TIP])
    np.testing.assert_allclose(frame_of("", "wrist", place(marked, "wrist")), FRAME, atol=1e-15)
    for changed, matrix in ((moved(marked, (1, 2, 3)), np.eye(4) + np.outer((0, 0, 0, 1), (1, 2, 3, 0)).T),
                            (posed(marked, POSE), POSE), (turned(marked, (0, 0, 1), np.pi / 2), [[0, -1, 0, 0], [1, 0, 0, 0],
                                                                                                 [0, 0, 1, 0], [0, 0, 0, 1]])):
        np.testing.assert_allclose(place(changed, "tip")[0], (np.asarray(matrix) @ (*TIP, 1))[:3], atol=1e-15)
        np.testing.assert_allclose(frame_of("", "wrist", place(changed, "wrist")), matrix @ FRAME, atol=1e-14)
    image = frame_of("", "wrist", place(mirrored(marked, (1, 0, 0)), "wrist"))
    np.testing.assert_allclose(image[:3, :2], np.diag([-1, 1, 1]) @ FRAME[:3, :2], atol=1e-14)
    assert np.linalg.det(image[:3, :3]) == pytest.approx(1.0)


def test_marks_go_through_glue_and_join_under_the_name_of_their_part():
    pad = moved(deformable(discretise(box((0.2, 0.2, 0.1)), size=0.1), Material(young=1e5, density=100.0)), (0, 0, 0.15))
    whole = glue({"bone": link(), "pad": pad})
    np.testing.assert_array_equal(place(whole, "bone.tip"), [TIP])
    scene = Scene("s", gravity=(0, 0, 0), duration=0.1, frames=2, stepping=Stepping(control="fixed", dt=1e-3))
    finger = scene.add_object("finger", whole, velocity=(1.0, 0, 0))
    scene.add_sensor("tip", "position", (finger, "bone.tip"))
    scene.add_sensor("wrist", "velocity", (finger, "bone.wrist"))
    recording = simulate(scene)
    np.testing.assert_allclose(recording.sensors["tip"][-1], np.add(TIP, (0.1, 0, 0)), atol=1e-9)
    np.testing.assert_allclose(recording.sensors["wrist"][-1], (1, 0, 0), atol=1e-9)
    two = join({"a": link(), "b": moved(link(), (2, 0, 0))})
    np.testing.assert_array_equal(place(two, "b.tip"), [np.add(TIP, (2, 0, 0))])
    np.testing.assert_array_equal(place(mark(two, {"nail": (2, 0, 1)}, part="b.body"), "nail"), [(2, 0, 1)])


def test_joints_stand_at_marks_and_take_the_axes_of_frames():
    scene = Scene("s")
    arm = scene.add_rigid("arm", CORNERS, 1.0, points={"end": (0.5, 0, 0)}, frames={"mount": FRAME})
    hand = scene.add_object("hand", link())
    assert scene.add_joint("a", "ball", arm, hand, (arm, "end")).at.tolist() == [0.5, 0.0, 0.0]
    wrist = scene.add_joint("b", "revolute", None, arm, (arm, "mount"))
    np.testing.assert_allclose(wrist.at, FRAME[:3, 3], atol=1e-15)
    np.testing.assert_allclose(wrist.frame, FRAME[:3, :3], atol=1e-15)
    assert scene.add_joint("c", "revolute", None, arm, (arm, "mount"), axis=(0, 0, 1)).frame[:, 0].tolist() == [0, 0, 1]
    scene.add_sensor("s", "position", (arm, "end"))
    assert arm.mass == 1.0
    again = Scene.from_statements(scene.statements)
    np.testing.assert_array_equal(again.find("b").frame, wrist.frame)
    assert [sensor.of.indices.tolist() for sensor in again.sensors] == [sensor.of.indices.tolist() for sensor in scene.sensors]


def test_statements_with_marks_and_poses_make_the_same_model_to_the_bit():
    scene = Scene("s")
    arm = scene.add_rigid("arm", CORNERS, 1.0, inertia=(1, 2, 2.5), points={"end": (0.5, 0, 0)}, frames={"mount": FRAME},
                          pose=POSE)
    hand = scene.add_object("hand", posed(link(), ((0, 0, 2), quaternion_of(TURN))))
    scene.add_joint("a", "universal", arm, hand, (hand, "wrist"))
    assert model_digest(build_model(scene)) == model_digest(build_model(Scene.from_statements(scene.statements)))


def test_a_rigid_in_a_pose_is_one_of_turned_places():
    scene = Scene("s")
    by_matrix = scene.add_rigid("a", CORNERS, 2.0, inertia=(1, 2, 2.5), centre=(0.1, 0, 0), points={"end": TIP}, pose=POSE)
    by_turn = scene.add_rigid("b", CORNERS, 2.0, inertia=(1, 2, 2.5), centre=(0.1, 0, 0), points={"end": TIP},
                              pose=(POSE[:3, 3], quaternion_of(TURN)))
    for one in (by_matrix, by_turn):
        np.testing.assert_allclose(scene.position[one.particles][:-1], CORNERS @ TURN.T + POSE[:3, 3], atol=1e-15)
        np.testing.assert_allclose(scene.position[one.particles][-1], TURN @ TIP + POSE[:3, 3], atol=1e-15)
        np.testing.assert_allclose(one.centre, TURN @ (0.1, 0, 0) + POSE[:3, 3], atol=1e-15)
        np.testing.assert_allclose(one.inertia, TURN @ np.diag([1, 2, 2.5]) @ TURN.T, atol=1e-15)
    np.testing.assert_allclose(pose_matrix("", "", (POSE[:3, 3], quaternion_of(TURN))), POSE, atol=1e-15)
    np.testing.assert_allclose(matrix_of(quaternion_of(TURN)), TURN, atol=1e-15)


def test_a_mark_moves_with_its_rigid():
    scene = Scene("s", duration=0.5, frames=1, stepping=Stepping(control="fixed", dt=1e-3))
    arm = scene.add_rigid("arm", CORNERS, support="xyz", drive={"rotation": ((0, 0, 1), Drive.table((0, 1), (0, 2)))},
                          points={"end": (0.5, 0, 0)})
    scene.add_sensor("s", "position", (arm, "end"))
    np.testing.assert_allclose(simulate(scene).sensors["s"][-1], (0.5 * np.cos(1.0), 0.5 * np.sin(1.0), 0), atol=1e-12)


@pytest.mark.parametrize(("do", "words"), [
    (lambda s, a, h: s.add_joint("j", "ball", a, h, (a, "ned")), ["unknown mark of 'a' 'ned'", "did you mean 'end'"]),
    (lambda s, a, h: s.add_joint("j", "ball", a, h, (h, "tap")), ["unknown mark of 'h' 'tap'", "did you mean 'tip'"]),
    (lambda s, a, h: s.add_joint("j", "ball", a, h, "end"), ["at is 'end'", "(thing, 'end')"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, points={"x.y": (0, 0, 0)}), ["a mark is called 'x.y'"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, points={"p": (0, 0)}), ["point 'p'", "three numbers"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, points=[(0, 0, 0)]), ["by name"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, frames={"f": 2 * np.eye(4)}), ["frame 'f'", "(position, quaternion)"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, pose=((0, 0, 0), (1, 1, 0, 0))), ["quaternion of pose", "of length one"]),
    (lambda s, a, h: s.add_rigid("b", CORNERS, 1.0, pose=np.diag([1, 1, -1, 1])), ["pose is", "(4, 4) matrix"]),
    (lambda s, a, h: mark(link(), {"tip": (0, 0, 0)}), ["the name 'tip' is taken"]),
    (lambda s, a, h: mark(join({"a": link(), "b": moved(link(), (3, 0, 0))}), {"p": (0, 0, 0)}),
     ["2 rigid parts", "a.body, b.body"]),
    (lambda s, a, h: mark(link(), {"p": (0, 0, 0)}, part="b"), ["no rigid part 'b'", "body"]),
])
def test_what_cannot_be_marked_is_refused(do, words):
    scene = Scene("s")
    arm = scene.add_rigid("a", CORNERS, 1.0, points={"end": (0.5, 0, 0)})
    hand = scene.add_object("h", link())
    count = scene.particle_count
    with pytest.raises(SceneError) as refused:
        do(scene, arm, hand)
    assert all(word in str(refused.value) for word in words), refused.value
    assert scene.particle_count == count


def test_points_of_deformable_objects_are_particles_that_are_there():
    soft = deformable(discretise(box((0.2, 0.2, 0.1)), size=0.1), Material(young=1e5, density=100.0))
    np.testing.assert_allclose(place(mark(soft, {"corner": soft.position[3]}), "corner"), soft.position[[3]])
    with pytest.raises(SceneError, match="no particle is at point 'p'"):
        mark(soft, {"p": (0.01, 0.02, 0.03)})
