"""A knee of files that others made: other names, units and separators; markers, joint angles; bones of a mesh."""
import numpy as np
import pytest

from robotphi import RobotphiError, SceneError
from robotphi.applications.ligament import Flexion, bone_of, passive_study, read_knee, read_strands
from robotphi.applications.ligament.scatter import example_scatter, scatter_of
from robotphi.geometry.files import write_mesh
from robotphi.geometry.shapes import cylinder, torus

STRANDS = ("name\tgroup\tk [N/mm]\tl0 [cm]\tfemur_x [cm]\tfemur_y [cm]\tfemur_z [cm]\ttibia_x [mm]\ttibia_y [mm]\t"
           "tibia_z [mm]\na1\tACL\t40\t2,8\t0,1\t0,3\t0,3\t17\t-21\t-4\n"
           "m1\tMCL\t12\t7,5\t0,4\t1,0\t-4,0\t12\t-66\t-16\n")


def bent(share):
    """rad of flexion of the strangers' knee."""
    return np.radians(5.0 + 30.0 * (1.0 - np.cos(np.pi * share)))


@pytest.fixture
def strands(tmp_path):
    (tmp_path / "baender.tsv").write_text(STRANDS, encoding="utf-8")
    return tmp_path / "baender.tsv"


@pytest.fixture
def poses(tmp_path):
    lines = ["# right knee, tibia in axes of the femur", "t [ms];tx [cm];ty [cm];tz [cm];q0;q1;q2;q3"]
    for share in np.linspace(0.0, 1.0, 41):
        half = 0.5 * bent(share)
        row = 5000 * share, -0.2 * np.sin(2 * half), 0.1, 0.0, np.cos(half), 0.0, 0.0, -np.sin(half)
        lines.append(";".join(repr(float(each)).replace(".", ",") for each in row))
    (tmp_path / "knie.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "knie.csv"


def test_a_table_with_other_names_units_and_commas_is_read(strands):
    found = read_strands(strands)
    assert found.ligaments == ("ACL", "MCL")
    np.testing.assert_allclose(found.femur, 1e-3 * np.array([[1.0, 3.0, 3.0], [4.0, 10.0, -40.0]]))
    np.testing.assert_allclose(found.tibia[0], [0.017, -0.021, -0.004])
    known = found.slack_in(np.eye(4))
    np.testing.assert_allclose(known.slack, [0.028, 0.075])
    np.testing.assert_allclose(known.stiffness, [40e3 * 0.028, 12e3 * 0.075])
    strands.write_text(STRANDS.replace("group", "l0 [mm]"), encoding="utf-8")
    with pytest.raises(SceneError, match="two columns are called 'l0'"):
        read_strands(strands)


def test_poses_with_other_names_are_a_knee(poses, strands):
    knee = read_knee(str(poses), str(strands), smoothing=1.0)
    assert knee.flexion.degrees.min() == pytest.approx(5.0, abs=0.05)
    assert knee.flexion.degrees.max() == pytest.approx(65.0, abs=0.05)
    study = passive_study(knee.strands, knee.flexion, 4)
    np.testing.assert_allclose(study.tension, study.law_at_chord(), atol=1e-6 * max(study.tension.max(), 1.0))
    assert "knie.csv, poses of the tibia, smoothed at 1 Hz" in knee.flexion.said


def test_markers_in_the_room_are_the_same_knee_as_its_poses(tmp_path, poses):
    """Four markers on each bone, the room turned, some not seen in some frames."""
    flexion, random = Flexion.read(poses), np.random.default_rng(2)
    on = {bone: random.uniform(-0.1, 0.1, (4, 3)) for bone in ("femur", "tibia")}
    rows, names = [], [f"{bone[0].upper()}{k}" for bone in on for k in range(4)]
    room = np.linalg.qr(random.normal(size=(3, 3)))[0]
    room *= np.linalg.det(room)
    for k, pose in enumerate(flexion.poses):
        here = np.vstack([on["femur"] @ pose[:3, :3].T + pose[:3, 3], on["tibia"]]) @ room.T + (0.3, 0.01 * k, 1.0)
        cells = [repr(float(each)) for each in 1e3 * here.ravel()]
        if 10 <= k < 12:
            cells[:6] = [""] * 6
        rows.append("\t".join([str(k + 1), repr(float(flexion.instants[k])), *cells]))
    (tmp_path / "flex.trc").write_text("\n".join([
        "PathFileType\t4\t(X/Y/Z)\tflex.trc", "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits", f"8\t8\t{len(rows)}\t8\tmm",
        "Frame#\tTime\t" + "\t\t\t".join(names), "\t\tX1\tY1\tZ1", "", *rows]), encoding="utf-8")
    (tmp_path / "places.csv").write_text("marker,bone,x [cm],y [cm],z [cm]\n" + "\n".join(
        f"{name},{bone},{','.join(repr(100 * float(each)) for each in place)}"
        for name, (bone, place) in zip(names, ((bone, place) for bone in on for place in on[bone]), strict=True)),
        encoding="utf-8")
    found = Flexion.read(tmp_path / "flex.trc", markers=tmp_path / "places.csv", gap=0.5)
    assert len(found) == 39
    assert "2 of 41 frames lie in gaps" in found.said
    kept = np.delete(np.arange(41), [10, 11])
    np.testing.assert_allclose(found.poses, flexion.poses[kept], atol=1e-9)


def test_a_filter_is_told_by_the_strain_that_it_takes(poses, strands):
    knee = read_knee(str(poses), str(strands), smoothing=1.0)
    found = scatter_of(knee.strands, knee.flexion)
    assert found.cutoff == 1.0
    assert found.of_strain < 1e-3            # nothing but motion is in this file
    walked = read_knee()
    example = example_scatter(walked.strands, walked.flexion, 0.4e-3)
    # σ/L0 in each strand, as the scatter along a strand is that of one axis; 600 poses of 12 strands
    wanted = np.sqrt(np.mean((0.4e-3 / walked.strands.slack) ** 2))
    assert example.taken[0] == pytest.approx(wanted, rel=0.05)
    # white scatter filtered at f of 50 Hz keeps f/25 of its power
    k = int(np.argmin(np.abs(example.cutoffs - 4.4)))
    assert example.wrong[k] == pytest.approx(wanted * np.sqrt(example.cutoffs[k] / 25.0), rel=0.15)


def test_a_bone_of_a_mesh_is_in_millimetres_unless_told(tmp_path):
    write_mesh(tmp_path / "tibia.stl", cylinder(15.0, 80.0, 24).as_mesh())
    bone = bone_of("tibia", str(tmp_path / "tibia.stl"))
    assert len(bone.parts) == 1
    assert np.ptp(bone.parts[0].vertices, axis=0).max() == pytest.approx(0.08)
    for told, unit, words in (("tibia.stl", "m", "it would be 80 m long"), ("tibia.stl", "feet", "its unit is 'feet'"),
                              ("none.stl", "mm", "none.stl"), ("cut.stl", "mm", "cut.stl")):
        (tmp_path / "cut.stl").write_bytes((tmp_path / "tibia.stl").read_bytes()[:500])
        with pytest.raises(RobotphiError, match=words):
            bone_of("tibia", str(tmp_path / told), unit)
    assert bone_of("femur", "") is None
    assert len(bone_of("femur", "nominal").parts) == 2


def test_a_bone_of_many_convex_parts_is_gone_round():
    """A ring of sixteen wedges, through both sides of which the straight line goes."""
    parts = torus(30e-3, 8e-3, 16, 8)
    assert len(parts.parts) == 16
    strands = read_strands_between((0.0, -0.05, 0.006), (0.0, 0.05, -0.006))
    flexion = Flexion.walker(poses=3)
    study = passive_study(strands, flexion, bones={"tibia": parts})
    assert np.isfinite(study.places).all()
    assert study.length[0, 0] > 1.002 * strands.lengths(flexion.poses)[0, 0]
    inner = study.places[:, 0, 4:-4].reshape(-1, 3)
    assert not any(part.contains(inner).any() for part in parts.parts)


def read_strands_between(femur, tibia):
    """One strand between two places."""
    from robotphi.applications.ligament import Strands

    nothing = np.array([np.nan])
    return Strands(("a",), ("a",), ("a",), np.array([femur]), np.array([tibia]), np.array([500.0]), nothing, np.array([0.09]),
                   nothing, nothing, np.array([0.06]))
