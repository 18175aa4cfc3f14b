"""Measured motion out of files: values in SI, gaps, and what is wrong by line and column; damaged files are told."""
import numpy as np
import pytest

from robotphi import SceneError
from robotphi.scene.measured import READERS, read_measured
from robotphi.scene.measured.opensim import unit_by_name

TRC = ("PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\t"
       "OrigDataStartFrame\tOrigNumFrames\n100.00\t100.00\t3\t2\tmm\t100.00\t1\t3\nFrame#\tTime\tR.Knee\t\t\tL heel\t\t\n"
       "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n1\t0.00\t1\t2\t3\t4\t5\t6\n2\t0.01\t1.5\t2\t3\t\t\t\n3\t0.02\t2\t2\t-3e1\t4\t5\t6\t\n")
MOT = ("Coordinates\nversion=1\nnRows=2\nnColumns=4\ninDegrees=yes\n\nendheader\n"
       "time\tknee_flex_r\tknee_tx_r\tground_force_vy\n 0.0\t 10\t 0.01 700\n 0.1 20 0.02 710\n")
CSV = "# made by hand\nt (ms);tip x [mm];load [kN];count\n0;1,5;2;3\n10;2,5;;4\n"
QUATERNIONS = "DataType=Quaternion\nversion=3\nendheader\ntime\tfemur_r\n0\t1,0,0,0\n1\t0.6,0,0,0.8\n"
TEXTS = {"a.trc": TRC, "a.mot": MOT, "a.csv": CSV, "a.sto": QUATERNIONS}


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_markers_of_a_trc_file_are_metres_and_what_was_not_seen_is_nan(tmp_path):
    found = read_measured(written(tmp_path, "a.trc", TRC))
    assert found.markers == ("R.Knee", "L heel")
    np.testing.assert_allclose(found.times, [0.0, 0.01, 0.02])
    np.testing.assert_allclose(found.points(["R.Knee"])[:, 0], [[1e-3, 2e-3, 3e-3], [1.5e-3, 2e-3, 3e-3], [2e-3, 2e-3, -30e-3]])
    assert np.isnan(found.points()[:, 1]).all(axis=1).tolist() == [False, True, False]
    spaced = TRC.replace("L heel", "L.heel").replace("\t\t\t\n", "\tnan nan nan\n").replace("\t", " ")
    again = read_measured(written(tmp_path, "b.trc", spaced)).points()
    np.testing.assert_array_equal(again, found.points())


def test_turns_of_opensim_are_radians_and_places_stay_metres(tmp_path):
    found = read_measured(written(tmp_path, "a.mot", MOT))
    np.testing.assert_allclose(found.column("knee_flex_r", "angle"), np.radians([10.0, 20.0]))
    np.testing.assert_allclose(found.column("knee_tx_r", "length"), [0.01, 0.02])
    np.testing.assert_allclose(found.column("ground_force_vy", "force"), [700.0, 710.0])
    plain = read_measured(written(tmp_path, "b.mot", MOT.replace("inDegrees=yes", "inDegrees=no")))
    np.testing.assert_allclose(plain.column("knee_flex_r", "angle"), [10.0, 20.0])
    turns = read_measured(written(tmp_path, "a.sto", QUATERNIONS))
    np.testing.assert_allclose([turns.column(f"femur_r.{part}")[1] for part in "wxyz"], [0.6, 0.0, 0.0, 0.8])


def test_a_table_has_units_in_its_heads_and_may_have_semicolons_and_decimal_commas(tmp_path):
    found = read_measured(written(tmp_path, "a.csv", CSV), units={"count": "mm"})
    np.testing.assert_allclose(found.times, [0.0, 0.01])
    np.testing.assert_allclose(found.column("Tip X", "length"), [1.5e-3, 2.5e-3])
    np.testing.assert_allclose(found.column("count"), [3e-3, 4e-3])
    assert found.units == {"tip x": "m", "load": "N", "count": "m"}
    with pytest.raises(SceneError, match=r"line 4, column 'load \[kN\]': nothing was measured there"):
        found.column("load")
    named = read_measured(written(tmp_path, "b.csv", CSV.replace("t (ms)", "clock [ms]")), time="clock [ms]")
    np.testing.assert_array_equal(named.times, found.times)


@pytest.mark.parametrize(("name", "old", "new", "words"), [
    ("a.trc", "\tmm\t", "\tfurlong\t", r"line 3: Units is 'furlong'"),
    ("a.trc", "1.5", "1.5mm", r"line 8, column 'R\.Knee X': '1\.5mm' is no finite number"),
    ("a.trc", "3\t0.02\t", "3\t0.01\t", r"line 9: the time 0\.01 s does not come after 0\.01 s"),
    ("a.trc", "2\t0.01\t1.5\t2\t3\t\t\t\n", "", r"NumFrames is 3, but 2 lines of data follow"),
    ("a.trc", "2\t0.01\t1.5\t2\t3\t\t\t\n", "2\t0.01\t1.5\n", r"line 8 has 3 columns, the heads 8"),
    ("a.trc", "L heel", "R.Knee", r"line 4: two markers are called 'R\.Knee'"),
    ("a.trc", "PathFileType", "Pathos", r"does not begin with the five lines"),
    ("a.mot", "endheader", "end", r"there is no line endheader"),
    ("a.mot", "nRows=2", "nRows=3", r"nRows=3, but 2 are there"),
    ("a.mot", "inDegrees=yes", "inDegrees=perhaps", r"inDegrees='perhaps'"),
    ("a.mot", " 20 ", " twenty ", r"line 10, column 'knee_flex_r': 'twenty' is no finite number"),
    ("a.mot", "knee_tx_r", "knee_flex_r", r"line 8: below endheader stands"),
    ("a.sto", "1\t0.6,0,0,0.8", "1\t0.6,0,0", r"line 6, column 2: '0\.6,0,0' has 3 numbers; give 4"),
    ("a.csv", "[mm]", "[ell]", r"column 'tip x \[ell\]' is in 'ell'; known: s, ms"),
    ("a.csv", "t (ms)", "t", r"the column of times is called 't'; write its unit into the head"),
    ("a.csv", "t (ms)", "x (ms)", r"there is no column of times; its heads are x \(ms\)"),
    ("a.csv", "2,5", "inf", r"line 4, column 'tip x \[mm\]': 'inf' is no finite number"),
    ("a.csv", "count", "load", r"line 2: two columns are called 'load'")])
def test_what_is_wrong_in_a_file_is_told_with_its_place(tmp_path, name, old, new, words):
    assert old in TEXTS[name]
    with pytest.raises(SceneError, match=words):
        read_measured(written(tmp_path, name, TEXTS[name].replace(old, new)))


def test_names_and_units_of_columns_are_checked(tmp_path):
    found = read_measured(written(tmp_path, "a.mot", MOT.replace("inDegrees=yes\n", "")))
    with pytest.raises(SceneError, match="did you mean 'knee_flex_r'"):
        found.column("knee_flex")
    with pytest.raises(SceneError, match="'knee_flex_r' is without a unit; it has to be one of angle"):
        found.column("knee_flex_r", "angle")
    with pytest.raises(SceneError, match=r"'knee_tx_r' is in m; it has to be one of angle"):
        found.column("knee_tx_r", "angle")


def test_what_is_no_file_is_refused(tmp_path):
    for path, words in ((tmp_path / "none.trc", "cannot be read"), (tmp_path / "a.xls", "ends by '.xls'; known: .csv"),
                        (3, "give the path of a file"), ("a\0.csv", "give the path"),
                        (written(tmp_path, "e.csv", ""), "heads")):
        with pytest.raises(SceneError, match=words):
            read_measured(path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SceneError, match="it is no file"):
        read_measured(tmp_path / "folder.csv")
    with pytest.raises(SceneError, match="line 1 has more than"):
        read_measured(written(tmp_path, "long.csv", "time [s]," * 200_000))


WRONG = (b"\0", b"\n", b"\t", b"=", b'"', b"1e999", b"-", b",", b";", b"nan", b"9" * 400, b"\xff")


def mutated(random, data):
    """A file with some bytes changed, a part cut out, doubled, or its end missing."""
    data = bytearray(data)
    for _ in range(random.integers(1, 5)):
        at, size = random.integers(0, len(data)), random.integers(1, 40)
        kind = random.integers(0, 5)
        if kind == 0:
            data[at] = random.integers(0, 256)
        elif kind == 1:
            del data[at:at + size]
        elif kind == 2:
            data[at:at] = data[at:at + size]
        elif kind == 3:
            data[at:at + 1] = WRONG[random.integers(0, len(WRONG))]
        else:
            del data[at:]
        data = data or bytearray(b" ")
    return bytes(data)


@pytest.mark.parametrize("name", list(TEXTS))
def test_damaged_text_is_read_or_refused(tmp_path, name):
    random, refused = np.random.default_rng(7), 0
    for _ in range(150):
        path = written(tmp_path, name, mutated(random, TEXTS[name].encode()))
        try:
            found = read_measured(path)
        except SceneError:
            refused += 1
        else:
            assert np.isfinite(found.times).all()
            assert all(len(column) == len(found.times) and not np.isinf(column).any() for column in found.columns.values())
    assert refused > 30


def test_every_reader_says_what_it_reads():
    assert {".csv", ".trc", ".mot", ".sto", ".c3d", ".bag"} <= set(READERS)
    assert all(reader.what for reader in READERS.values())


def test_places_of_opensim_are_in_metres_by_the_end_of_their_names():
    names = ("tx", "knee_ty_r", "/jointset/knee/knee_tz/value", "pelvis_tilt", "extx")
    assert [unit_by_name(name, "rad") for name in names] == ["m", "m", "m", "rad", "rad"]
