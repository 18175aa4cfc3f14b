"""Motions at the door: poses in, from tables, files and recordings; what cannot be followed is refused with words."""
import numpy as np
import pytest

from robotphi import Drive, Motion, Recording, Scene, SceneError, build_model, simulate
from robotphi.model.arrays import model_digest
from robotphi.scene.turns import matrix_of, rotation_about

TIMES = np.linspace(0.0, 2.0, 41)
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
CORNERS = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])


def poses(times=TIMES, rate=1.5):
    half = 0.5 * rate * times
    return np.stack([np.sin(times), 0.2 * times, 0.0 * times], 1), np.column_stack([np.cos(half), np.outer(np.sin(half), AXIS)])


def test_a_spline_of_poses_goes_through_them_and_errs_by_the_fourth_power_between_or_less():
    """Of a steady turn the fourth order is along the quaternion, and goes where it is brought to length one."""
    off = []
    for count in (41, 81):
        times = np.linspace(0.0, 2.0, count)
        motion = Motion(times, *poses(times))
        exact = Motion.spinning(AXIS, 1.5)
        between = 0.5 * (times[1:] + times[:-1])
        off.append(max(np.abs(motion.pose(t)[:3, :3] - exact.pose(t)[:3, :3]).max() for t in between[5:-5]))
        np.testing.assert_allclose(motion.pose(times[7])[:3, :3], rotation_about(AXIS, 1.5 * times[7]), rtol=0.0, atol=1e-15)
    assert off[0] / off[1] > 15.0


@pytest.mark.parametrize("rate", [2.0, -2.0])
def test_a_turn_about_a_fixed_axis_is_exact_in_place_and_rate(rate):
    through = np.array([0.3, -0.1, 0.2])
    motion = Motion.spinning(AXIS, rate, through=through, start=0.4)
    for time in (0.0, 0.7, 3.1):
        turn = rotation_about(AXIS, rate * time + 0.4)
        np.testing.assert_allclose(motion.pose(time)[:3, :3], turn, rtol=0.0, atol=4e-16)
        np.testing.assert_allclose(motion.pose(time)[:3, 3], through - turn @ through, rtol=0.0, atol=4e-16)
        speed, spin = motion.speed(time)
        np.testing.assert_allclose(spin, rate * AXIS, rtol=0.0, atol=1e-15)
        np.testing.assert_allclose(speed, -np.cross(rate * AXIS, turn @ through), rtol=0.0, atol=2e-15)


def test_signs_and_lengths_of_quaternions_do_not_matter():
    places, turns = poses()
    other = turns * np.where(np.arange(len(turns)) % 3 == 0, -2.0, 0.5)[:, None]
    one, two = Motion(TIMES, places, turns), Motion(TIMES, places, other)
    np.testing.assert_allclose(one.pose(0.77), two.pose(0.77), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(("given", "words"), [
    ({"quaternions": np.zeros((41, 4))}, "some length"),
    ({"quaternions": poses(rate=60.0)[1]}, "it turns by 86|it turns by 1"),
    ({"times": TIMES[::-1]}, "motion, index 1: the pose at .* follows that .* times must grow"),
    ({"positions": np.full((41, 3), np.nan)}, "finite"),
    ({"positions": poses()[0] + np.where(np.arange(41) == 20, 1e3, 0.0)[:, None]}, "it leaps"),
    ({"positions": np.zeros((40, 3))}, "positions"), ({"quaternions": np.zeros((41, 3))}, "quaternions"),
    ({"kind": "smooth"}, "linear"),
])
def test_poses_that_nothing_can_follow_are_refused(given, words):
    places, turns = poses()
    with pytest.raises(SceneError, match=words):
        Motion(**{"times": TIMES, "positions": places, "quaternions": turns, **given})


def test_drives_that_jump_or_have_no_turn_are_refused():
    with pytest.raises(SceneError, match="jumps"):
        Motion.of_drives(x=Drive.steps([0.0, 1.0], [0.0, 1.0]))
    with pytest.raises(SceneError, match="comes to nothing"):
        Motion.of_drives(w=Drive.table([0.0, 1.0, 2.0], [1.0, 0.0, -1.0]))
    with pytest.raises(SceneError, match="duration"):
        Motion.of_drives(x=np.sin)
    assert Motion.of_drives(x=np.sin, duration=2.0).pose(1.0)[0, 3] == pytest.approx(np.sin(1.0), abs=1e-9)


def test_what_follows_a_motion_does_nothing_else():
    motion, scene = Motion.spinning((0, 0, 1), 1.0), Scene("s")
    for more in ({"velocity": (1.0, 0, 0)}, {"support": "x"}, {"drive": {"x": Drive.sine(0.1, 1.0)}}, {"spin": (0, 0, 1.0)}):
        with pytest.raises(SceneError, match="follows a motion"):
            scene.add_rigid("body", CORNERS, mass=1.0, motion=motion, **more)
    with pytest.raises(SceneError, match="give a Motion"):
        scene.add_particles("points", CORNERS, 1.0, motion=3.0)
    assert scene.add_rigid("weightless", CORNERS, motion=motion).mass == 0.0


def write(path, heads, rows):
    path.write_text("\n".join([heads, *(",".join(f"{value!r}" for value in row) for row in rows)]), encoding="utf-8")
    return path


def test_files_are_read_by_their_heads_and_units(tmp_path):
    places, turns = poses()
    wanted = Motion(TIMES, places, turns)
    quaternions = write(tmp_path / "q.csv", "time [ms],x [mm],y [mm],z [mm],qw,qx,qy,qz",
                        np.column_stack([1e3 * TIMES, 1e3 * places, turns]).tolist())
    entries = ", ".join(f"r{i}{j}" for i in "123" for j in "123")
    matrices = write(tmp_path / "m.csv", f"time [s], x [m], y [m], z [m], {entries}",
                     np.column_stack([TIMES, places, matrix_of(turns).reshape(-1, 9)]).tolist())
    vectors = write(tmp_path / "v.csv", "time [s],x [cm],y [cm],z [cm],rx [deg],ry [deg],rz [deg]",
                    np.column_stack([TIMES, 1e2 * places, np.degrees(1.5 * TIMES[:, None] * AXIS)]).tolist())
    for path, axes in ((quaternions, "quaternion"), (matrices, "matrix"), (vectors, "rotation-vector")):
        np.testing.assert_allclose(Motion.read(path, axes=axes).pose(1.23), wanted.pose(1.23), rtol=0.0, atol=1e-12)
    angles = write(tmp_path / "e.csv", "time [s],x [m],y [m],z [m],rx [rad],ry [rad],rz [rad]",
                   [[t, 0.0, 0.0, 0.0, 0.3, 0.2, 0.1] for t in (0.0, 1.0)])
    turn = rotation_about(np.array([0, 0, 1.0]), 0.1) @ rotation_about(np.array([1.0, 0, 0]), 0.3) \
        @ rotation_about(np.array([0, 1.0, 0]), 0.2)
    np.testing.assert_allclose(Motion.read(angles, axes="euler-zxy").pose()[:3, :3], turn, rtol=0.0, atol=1e-15)
    angles = write(tmp_path / "rpy.csv", "time [s],x [m],y [m],z [m],roll [deg],pitch [deg],yaw [deg]",
                   [[t, 0.0, 0.0, 0.0, *np.degrees((0.3, 0.2, 0.1)).tolist()] for t in (0.0, 1.0)])
    turn = rotation_about(np.array([0, 0, 1.0]), 0.1) @ rotation_about(np.array([0, 1.0, 0]), 0.2) \
        @ rotation_about(np.array([1.0, 0, 0]), 0.3)   # about the fixed axis x first
    np.testing.assert_allclose(Motion.read(angles, axes="roll-pitch-yaw").pose()[:3, :3], turn, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(("text", "words"), [
    ("time [s],x [m],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,zero,1,0,0,0", "line 3, column 'z \\[m\\]': 'zero'"),
    ("time [s],x [m],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,nan,0,1,0,0,0", "line 3, column 'y \\[m\\]': it is nan"),
    ("time,x [m],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0", "write its unit"),
    ("time [s],x [inch],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0", "'inch'"),
    ("time [s],x [m],y [m],z [m],qw,qx,qy\n0,0,0,0,1,0,0\n1,0,0,0,1,0,0", "no column 'qz'"),
    ("time [s],x [m],y [m],z [m],qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0", "line 3 has 4 columns"),
    ("time [s],x [m]", "lines"), ("", "lines"),
    ("time [s],x [m],y [m],z [m],qw,qx,qy,qz\n1,0,0,0,1,0,0,0\n0,0,0,0,1,0,0,0", "poses.csv.*times must grow"),
])
def test_files_that_are_wrong_are_refused_by_line_and_column(tmp_path, text, words):
    (tmp_path / "poses.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=words):
        Motion.read(tmp_path / "poses.csv")


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(SceneError, match="cannot be read"):
        Motion.read(tmp_path / "missing.csv")
    with pytest.raises(SceneError):
        Motion.read(tmp_path)
    (tmp_path / "latin.csv").write_bytes("time [s],x [µm]\n".encode("latin-1"))
    with pytest.raises(SceneError, match="UTF-8"):
        Motion.read(tmp_path / "latin.csv")


def test_smoothing_takes_off_what_is_fast_and_tells_how_much():
    random = np.random.default_rng(3)
    places, turns = poses()
    rough = Motion(TIMES, places + 4e-4 * random.normal(size=places.shape), turns)
    smooth, clean = rough.smoothed(3.0), Motion(TIMES, places, turns)
    before, after = (np.linalg.norm(one.poses(TIMES)[0] - clean.poses(TIMES)[0], axis=1)[5:-5].mean()
                     for one in (rough, smooth))
    assert after < 0.75 * before                              # a cutoff at 3 of 10 Hz leaves √0.3 of white noise
    assert 1e-4 < rough.largest_distance(smooth)[0] < 2e-3
    with pytest.raises(SceneError, match="cutoff"):
        rough.smoothed(50.0)


def test_the_inverse_seen_from_the_body_undoes_it():
    motion = Motion(TIMES, *poses())
    np.testing.assert_allclose(motion.inverted().pose(TIMES[9]) @ motion.pose(TIMES[9]), np.eye(4), rtol=0.0, atol=1e-14)


def test_a_scene_with_motions_is_said_again_and_a_recording_leads_another_body():
    scene = Scene("first", duration=1.0, frames=20)
    scene.add_rigid("body", CORNERS, mass=1.0, motion=Motion(TIMES, *poses()))
    again = Scene.from_statements(scene.statements)
    assert model_digest(build_model(again)) == model_digest(build_model(scene))
    recording = simulate(scene)
    assert isinstance(recording, Recording)
    copy = Scene("second", duration=1.0, frames=20)
    copy.add_rigid("body", CORNERS, mass=1.0, motion=Motion.of(recording, "body"))
    # a spline of 21 poses of a motion of 1.5 rad/s: (0.05 s)⁴ × 1.5⁴/384
    np.testing.assert_allclose(simulate(copy).position, recording.position, rtol=0.0, atol=1e-6)
    with pytest.raises(SceneError, match="body"):
        Motion.of(recording, "nobody")
    with pytest.raises(SceneError, match="3 is no recording"):
        Motion.of(3, "body")
    with pytest.raises(SceneError, match="path is None"):
        Motion.read(None)


def along_x(*places):
    """A motion of those places along x, ten in a second."""
    return Motion(0.1 * np.arange(len(places)), np.outer(places, (1.0, 0.0, 0.0)))


@pytest.mark.parametrize("places", [
    [0.0] * 10 + [5.0] * 11, [0.0] * 10 + [5.0] + [0.0] * 10, [5.0] + [0.0] * 20, [0.0] * 20 + [5.0],
    [0, 0.01, 0.02, 1e3, 0.04],
], ids=["a step", "there and back", "the first", "the last", "one of five"])
def test_a_leap_is_refused_where_most_stand_still_and_among_few_poses(places):
    with pytest.raises(SceneError, match="it leaps by"):
        along_x(*places)


@pytest.mark.parametrize("places", [
    [0, 0, 1], [0, 5, 0], [0, 0, 1, 1, 2, 2], [0, 5, 5.001], [0.5] * 20 + [0.500001] + [0.5] * 20, np.repeat(np.arange(20), 2),
    np.round(np.linspace(0, 1, 300), 2), [0] * 30 + [0.01 * n * n for n in range(30)] + [8.41] * 30,
    [0] * 20 + [1e-17] + [0] * 20,
], ids=["stages", "to and fro", "stages and stops", "an approach", "a digit", "steps", "digits", "off and stop", "rounding"])
def test_what_stands_between_stages_or_is_written_with_few_digits_is_no_leap(places):
    assert len(along_x(*places).times) == len(places)


@pytest.mark.parametrize(("ask", "words"), [
    (lambda motion: motion.pose("x"), "time is 'x'"), (lambda motion: motion.speed(np.nan), "time is nan"),
    (lambda motion: motion.poses("x"), "times is 'x'"), (lambda motion: motion.largest_distance(3), "give a Motion"),
    (lambda motion: Motion.of_drives(duration="x"), "duration is 'x'"),
])
def test_what_a_motion_is_asked_for_is_checked(ask, words):
    with pytest.raises(SceneError, match=words):
        ask(along_x(0, 1, 2))


def test_a_motion_by_functions_of_time_is_said_again_with_the_samples(tmp_path):
    scene = Scene("led", duration=1.0, frames=2)
    motion = Motion.of_drives(z=lambda t: 0.1 * np.sin(t) ** 2, duration=1.0)
    scene.add_rigid("block", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], mass=1.0, motion=motion)
    recording = simulate(scene)
    recording.save(tmp_path / "led.vtkhdf")
    again = Scene.from_statements(Recording.load(tmp_path / "led.vtkhdf").statements)
    assert model_digest(build_model(again)) == model_digest(build_model(scene))


def test_joints_hang_on_a_table_that_rests_but_for_its_rounding_and_on_none_whose_rate_jumps():
    """While it rests the rates on both sides of a knot differ by the rounding of its places over their time."""
    def hanging(drive):
        scene = Scene("hanging", duration=1.0, frames=2)
        corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
        base = scene.add_rigid("base", corners, mass=1.0, motion=Motion.of_drives(z=drive))
        bob = scene.add_rigid("bob", corners - (0, 0, 2), mass=1.0)
        scene.add_joint("pin", "revolute", base, bob, (0, 0, 0), (1, 0, 0))
        return scene
    times = np.linspace(0.0, 1.0, 11)
    build_model(hanging(Drive.table(times, np.where(np.arange(11) % 2, 0.3, np.nextafter(0.3, 1.0)))))
    with pytest.raises(SceneError, match="per second at once"):
        build_model(hanging(Drive.table(times, np.maximum(times - 0.5, 0.0))))
