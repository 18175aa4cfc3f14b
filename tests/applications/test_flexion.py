"""Motions of knees: Walker's polynomials in all readings, recorded poses of either bone, the way at rest speed."""
import numpy as np
import pytest

from robotphi import SceneError
from robotphi.applications.data import data_file
from robotphi.applications.ligament import Flexion, read_strands
from robotphi.applications.ligament.flexion import angles_of, walker

# mm, means of the anteromedial and posterolateral strands at 0, 30, 60, 90, 120°, from another program
LENGTHS = {"source": ((29.0, 30.8, 32.5, 33.3, 33.0), (24.5, 24.9, 25.7, 26.5, 27.2)),
           "femur axes": ((29.0, 28.9, 26.4, 22.7, 20.2), (24.5, 23.0, 19.6, 16.2, 16.5)),
           "tibia": ((29.0, 30.8, 33.6, 35.7, 36.1), (24.5, 24.8, 27.4, 30.2, 31.7)),
           "rotations": ((29.0, 29.7, 29.6, 28.9, 27.9), (24.5, 23.6, 23.0, 22.9, 23.7))}


def recorded(path, flexion, of, heads="time [s],flexion [deg],varus [deg],internal [deg],x [mm],y [mm],z [mm]"):
    """Write a flexion as a file of poses of the tibia or the femur."""
    lines = [heads]
    for time, pose, angles in zip(flexion.instants, flexion.poses, flexion.angles, strict=True):
        if of == "tibia":
            place = 1e3 * -pose[:3, :3].T @ pose[:3, 3]
            lines.append(",".join(map(repr, map(float, (time, *angles, *place)))))
        else:
            lines.append(",".join(map(repr, map(float, (time, *pose[:3, :3].ravel(), *(1e3 * pose[:3, 3]))))))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_polynomials_give_the_angles_that_they_say():
    """Varus, internal turn and shifts at 30 and 90°, by hand."""
    poses = walker([30.0, 90.0])
    np.testing.assert_allclose(angles_of(poses), [[30.0, 1.696, 8.630], [90.0, 0.654, 14.884]], atol=5e-4)
    np.testing.assert_allclose(1e3 * poses[:, :3, 3], [[-3.417, -1.358, 0.0], [-7.662, -1.750, 0.0]], atol=6e-4)


@pytest.mark.parametrize("reading", list(LENGTHS))
def test_lengths_of_the_cruciate_depend_on_the_reading_as_another_program_found(reading):
    strands, poses = read_strands(data_file("knee/ligaments.csv")), walker([0.0, 30.0, 60.0, 90.0, 120.0], reading)
    for bundle, wanted in zip(("ACLam", "ACLpl"), LENGTHS[reading], strict=True):
        np.testing.assert_allclose(1e3 * strands.of(bundle).lengths(poses).mean(axis=1), wanted, atol=0.25)


def test_a_pose_is_found_by_its_flexion():
    flexion = Flexion.walker(poses=31)
    pose = flexion.pose_at(33.0)
    assert angles_of(pose[None])[0, 0] == pytest.approx(33.0, abs=1e-9)
    # a spline through poses 4° apart: (4°)⁴/384 of the fourth derivative of sines and cosines is 6e-8 rad
    np.testing.assert_allclose(pose, walker([33.0])[0], atol=1e-6)
    with pytest.raises(SceneError, match=r"it goes from 0\.0° to 120\.0°"):
        flexion.pose_at(121.0)
    assert flexion.nearest(121.0) == pytest.approx(120.0)


@pytest.mark.parametrize("of", ["tibia", "femur"])
def test_a_recorded_motion_of_either_bone_gives_the_same_poses(tmp_path, of):
    flexion = Flexion.walker(poses=41)
    turn = ",".join(f"r{i}{j}" for i in "123" for j in "123")
    heads = {} if of == "tibia" else {"heads": f"time [s],{turn},x [mm],y [mm],z [mm]"}
    found = Flexion.read(recorded(tmp_path / "poses.csv", flexion, of, **heads), of)
    np.testing.assert_allclose(found.poses, flexion.poses, atol=1e-12)
    assert found.said == f"poses.csv, poses of the {of}"


def test_smoothing_is_said_and_takes_scatter_away(tmp_path):
    """Scatter of 0.4 mm on 201 poses in 20 s; a filter of 0.5 Hz of 5 Hz leaves some tenth of its power."""
    flexion, random = Flexion.walker(poses=201), np.random.default_rng(1)
    times = np.linspace(0.0, 20.0, 201)
    poses = flexion.poses.copy()
    poses[:, :3, 3] += random.normal(0.0, 0.4e-3, (201, 3))
    noisy = Flexion.of(times, poses, "noisy")
    path = recorded(tmp_path / "noisy.csv", noisy, "tibia")
    raw, smooth = Flexion.read(path), Flexion.read(path, smoothing=0.5)
    inner = slice(20, -20)
    off = [np.linalg.norm((one.poses - flexion.poses)[inner, :3, 3], axis=1).std() for one in (raw, smooth)]
    assert off[1] < 0.5 * off[0]
    assert "smoothed at 0.5 Hz (by" in smooth.said


def test_the_slow_way_passes_the_same_poses_and_rests_at_both_ends():
    flexion = Flexion.walker(poses=61)
    motion, times = flexion.slowly(10.0)
    np.testing.assert_allclose(np.array([motion.pose(time) for time in times]), flexion.poses, atol=1e-5)
    middle = np.linalg.norm(motion.speed(5.0)[1])
    for time in (0.0, 10.0):
        assert np.linalg.norm(motion.speed(time)[1]) < 1e-3 * middle


def test_heads_that_do_not_tell_the_turn_are_refused(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("time [s],x [mm],y [mm],z [mm],rx [deg],ry [deg],rz [deg]\n0,0,0,0,0,0,0\n1,0,0,0,1,0,0", encoding="utf-8")
    with pytest.raises(SceneError, match=r"'poses\.csv': its heads .* axes="):
        Flexion.read(path)
    assert len(Flexion.read(path, axes="euler-xyz")) == 2


def test_joint_angles_of_opensim_are_the_same_motion(tmp_path):
    """Degrees by their usual names, and by others with their sense told."""
    flexion = Flexion.walker(poses=21)
    rows = [(time, *angles, *(-pose[:3, :3].T @ pose[:3, 3]))
            for time, angles, pose in zip(flexion.instants, flexion.angles, flexion.poses, strict=True)]
    head = "Coordinates\nversion=1\nnRows=21\nnColumns=7\ninDegrees=yes\nendheader\ntime\t"
    usual = "knee_flex_r\tknee_add_r\tknee_rot_r\tknee_tx_r\tknee_ty_r\tknee_tz_r"
    lines = ["\t".join(repr(float(each)) for each in row) for row in rows]
    (tmp_path / "walk.mot").write_text("\n".join([head + usual, *lines]), encoding="utf-8")
    np.testing.assert_allclose(Flexion.read(tmp_path / "walk.mot").poses, flexion.poses, atol=1e-12)
    turned = ["\t".join([line.split("\t")[0], repr(-float(line.split("\t")[1])), *line.split("\t")[2:]]) for line in lines]
    (tmp_path / "back.mot").write_text("\n".join([head + usual.replace("knee_flex_r", "bend"), *turned]), encoding="utf-8")
    found = Flexion.read(tmp_path / "back.mot", names="flexion=-bend")
    np.testing.assert_allclose(found.poses, flexion.poses, atol=1e-12)
    for names, words in (("flexion=bend", "bends backwards, to -120°"), (None, "do not tell how turns are meant"),
                         ("flexion", "write names="), ("bend=flexion", "unknown column of names 'bend'")):
        with pytest.raises(SceneError, match=words):
            Flexion.read(tmp_path / "back.mot", names=names)
    flat = Flexion.read(tmp_path / "back.mot", names={"flexion": "-bend", "x": 0.0, "y": "0", "z": 0.0})
    assert np.abs(flat.poses[:, :3, 3]).max() < 1e-12


def test_markers_want_their_places_on_the_bones(tmp_path):
    (tmp_path / "walk.trc").write_text("PathFileType\n", encoding="utf-8")
    with pytest.raises(SceneError, match=r"'walk\.trc': it has markers, .* markers=, a table with heads marker,bone"):
        Flexion.read(tmp_path / "walk.trc")
