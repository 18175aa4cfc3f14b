"""Bodies out of markers: exact poses, least squares against scipy, gaps, and what cannot be a body."""
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from robotphi import SceneError
from robotphi.scene.measured.clusters import fit, read_clusters, relative_motion

PLACES = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.08, 0.0], [0.02, 0.03, 0.05]])
TABLE = "marker,bone,x [mm],y [mm],z [mm]\n" + "".join(
    f"{bone}{k},{bone},{','.join(repr(1e3 * float(each)) for each in place)}\n" for bone in ("femur", "tibia")
    for k, place in enumerate(PLACES))


def poses(turns, shifts):
    found = np.tile(np.eye(4), (len(shifts), 1, 1))
    found[:, :3, :3], found[:, :3, 3] = turns.as_matrix(), shifts
    return found


def seen(found):
    return np.einsum("kij,mj->kmi", found[:, :3, :3], PLACES) + found[:, None, :3, 3]


@pytest.fixture
def moved():
    """Femur and tibia in the room over 21 frames."""
    time = np.linspace(0.0, 1.0, 21)
    femur = poses(Rotation.from_rotvec(np.outer(time, (0.3, -0.5, 0.2))), np.outer(time, (0.1, 0.2, -0.1)) + 1.0)
    tibia = poses(Rotation.from_rotvec(np.outer(time, (0.1, 0.4, 0.9))), np.outer(time, (-0.2, 0.1, 0.05)))
    return time, femur, tibia


def trc(folder, time, **bodies):
    names = [f"{body}{k}" for body in bodies for k in range(len(PLACES))]
    points = np.concatenate([1e3 * each for each in bodies.values()], axis=1)
    lines = ["PathFileType\t4\t(X/Y/Z)\ta.trc", "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
             f"20\t20\t{len(time)}\t{len(names)}\tmm", "Frame#\tTime\t" + "\t\t\t".join(names), "\t\tX1\tY1\tZ1"]
    for k, at in enumerate(time):
        cells = ["" if np.isnan(each) else repr(float(each)) for each in points[k].ravel()]
        lines.append("\t".join([str(k + 1), repr(float(at)), *cells]))
    (folder / "a.trc").write_text("\n".join(lines), encoding="utf-8")
    (folder / "markers.csv").write_text(TABLE, encoding="utf-8")
    return folder / "a.trc", folder / "markers.csv"


def test_a_body_is_found_exactly_by_three_of_its_markers(moved):
    _, femur, _ = moved
    points = seen(femur)
    points[3, 1] = np.nan
    points[4, :2] = np.nan
    found, off = fit(points, PLACES)
    known = np.arange(21) != 4
    np.testing.assert_allclose(found[known], femur[known], atol=1e-12)
    assert np.isnan(found[4]).all()
    assert np.nanmax(off[known]) < 1e-12


def test_what_is_found_is_the_least_of_squares_and_never_a_mirror(moved):
    """Against scipy's own alignment of vectors, with scatter of 5 mm; flat markers could be met by a mirror as well."""
    _, femur, _ = moved
    random = np.random.default_rng(0)
    for places in (PLACES, PLACES[:3]):
        points = np.einsum("kij,mj->kmi", femur[:, :3, :3], places) + femur[:, None, :3, 3]
        points = points + random.normal(0.0, 5e-3, points.shape)
        found, _ = fit(points, places)
        for pose, each in zip(found, points, strict=True):
            wanted, _ = Rotation.align_vectors(each - each.mean(axis=0), places - places.mean(axis=0))
            np.testing.assert_allclose(pose[:3, :3], wanted.as_matrix(), atol=1e-9)
            assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


def test_one_bone_as_seen_from_the_other_through_a_gap(tmp_path, moved):
    time, femur, tibia = moved
    points = seen(femur)
    points[7:9, :2] = np.nan
    clusters = read_clusters(*trc(tmp_path, time, femur=points, tibia=seen(tibia)))
    motion, words = relative_motion(clusters, "femur", "tibia")
    assert "2 of 21 frames lie in gaps" in words
    wanted = np.linalg.inv(tibia) @ femur
    for k in range(21):
        # between poses 0.15 s apart a spline through turns by ω = 1.3 rad/s is off by (ω h)⁴ 5/384 rad, arms are 2 m
        np.testing.assert_allclose(motion.pose(time[k]), wanted[k], atol=1e-9 if k not in (7, 8) else 2e-4)
    with pytest.raises(SceneError, match=r"from 0\.3 s to 0\.45 s less than three markers of 'femur' or 'tibia' are seen"):
        relative_motion(clusters, "femur", "tibia", gap=0.1)


def test_the_residual_tells_scatter_and_refuses_markers_that_were_exchanged(tmp_path, moved):
    time, femur, tibia = moved
    random = np.random.default_rng(1)
    noisy = seen(femur) + random.normal(0.0, 1e-3, (21, 4, 3))
    clusters = read_clusters(*trc(tmp_path, time, femur=noisy, tibia=seen(tibia)))
    # 12 coordinates less 6 freedoms: rms of a marker is σ √(3 · 6/12) in the mean
    assert np.sqrt(np.mean(clusters["femur"].residual**2)) == pytest.approx(1e-3 * np.sqrt(1.5), rel=0.2)
    noisy[5, [0, 1]] = noisy[5, [1, 0]]
    with pytest.raises(SceneError, match=r"at 0\.25 s the markers of 'femur' are .* mm off their places"):
        read_clusters(*trc(tmp_path, time, femur=noisy, tibia=seen(tibia)))


@pytest.mark.parametrize(("old", "new", "words"), [
    ("femur3,", "hip3,", r"line 5, column 'marker': 'hip3' is no marker of a\.trc; it has femur0"),
    ("tibia3,", "tibia2,", r"line 9, column 'marker': 'tibia2' is there twice"),
    ("0.0,80.0,0.0\nfemur3,femur,20.0,30.0,50.0", "50,0,0\nfemur3,femur,70,0,0", "in a line"),
    ("x [mm]", "x", "column 'x' is without a unit; write its unit")])
def test_wrong_tables_of_markers_are_refused(tmp_path, moved, old, new, words):
    time, femur, tibia = moved
    path, table = trc(tmp_path, time, femur=seen(femur), tibia=seen(tibia))
    assert old in TABLE
    table.write_text(TABLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SceneError, match=words):
        read_clusters(path, table)
