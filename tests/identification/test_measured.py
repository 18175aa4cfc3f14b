"""Tables of text: blocks, units in heads, and errors that say where."""
import numpy as np
import pytest

from identification.errors import DataError
from identification.measured import READERS, open_data, text


def written(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path, **options):
    return open_data(path).columns([0, 1], ordered=0, **options)


def test_columns_and_units_are_those_of_the_heads(tmp_path):
    source = open_data(written(tmp_path, "t [ms],note,z [mm]\n0,a,1.5\n1,b,-2e-3\n\n2,c,3\n"))
    assert source.titles == [("t", "ms"), ("note", None), ("z", "mm")]
    assert np.array_equal(source.columns([0, 2]), [[0.0, 1.5], [1.0, -2e-3], [2.0, 3.0]])


def test_round_brackets_hold_a_unit_where_it_is_one(tmp_path):
    source = open_data(written(tmp_path, "Time (ms),Height (mm),ball (left),n (1)\n0,1,2,3\n"))
    assert source.titles == [("Time", "ms"), ("Height", "mm"), ("ball (left)", None), ("n (1)", None)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_seen_in_the_heads_and_blocks_change_nothing(tmp_path, monkeypatch, separator):
    times, values = np.arange(500) * 0.1, np.sin(np.arange(500))
    rows = [f"{t!r}{separator}{z!r}" for t, z in zip(times.tolist(), values.tolist(), strict=True)]
    path = written(tmp_path, "\ufeff" + "\r\n".join([f"t [s]{separator}z [m]", *rows]))
    whole = read(path)
    monkeypatch.setattr(text, "BLOCK", 100)
    assert np.array_equal(whole, np.stack([times, values], axis=1))
    assert np.array_equal(read(path), whole)


@pytest.mark.parametrize(("content", "told"), [
    ("t [s],z [m]\n0,1\n1,abc\n", r"data.csv:3: column 'z \[m\]' is 'abc'"),
    ("t [s],z [m]\n0,1\n1,\n", r"data.csv:3: column 'z \[m\]' is empty"),
    ("t [s],z [m]\n0,1\n\n1,nan\n", r"data.csv:4: column 'z \[m\]' is nan"),
    ("t [s],z [m]\n0,1\n1,inf\n", r"data.csv:3: .* is inf"),
    ("t [s],z [m]\n0,1\n2,1\n1,1\n", r"data.csv:4: column 't \[s\]' is 1 after 2; times have to grow"),
    ("t [s],z [m]\n0,1\n0,1\n", r"data.csv:3: .* is 0 after 0"),
    ("t [s],z [m]\n0,1\n1,2,3\n", r"data.csv:3: 3 cells, where there are 2 heads"),
    ("t [s];z [m]\n0;1.234,5\n", r"data.csv:2: column 'z \[m\]' is '1.234,5', which is no number"),
    ("t [s],z [m]\n0,\"1,5\"\n", r"data.csv:2: .*a point instead of the comma"),
    ("# a camera\n\n# 2026\n", r"data.csv:4: there are no heads"),
    ("# a camera\n\nt [s],z [m]\n0,1\n1,x\n", r"data.csv:5: column 'z \[m\]' is 'x'"),
    ("", "data.csv:1: there are no heads"),
    ("t [s],z [m]\n0,1\n1,\xb5\n".encode("latin-1"), "data.csv:3: byte 0xb5 is no UTF-8"),
    ("t [s],z [m]\n".encode("utf-16"), "data.csv:1: this is no UTF-8"),
    ("t [s],z [m]\n0,\"1\n1,2\n", "data.csv:"),
    ("t [s],z [m]\n0,__import__('os').system('true')\n", "is no number"),
])
def test_what_is_wrong_is_told_with_file_line_and_column(tmp_path, content, told):
    with pytest.raises(DataError, match=told):
        read(written(tmp_path, content))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_numbers_may_have_a_decimal_comma_where_something_else_separates_cells(tmp_path, monkeypatch, separator):
    """Read as a whole, and cell by cell where a number with a point is among them."""
    rows = ["0;1,5;a", "0,25;-2,5e-1;b", "1;3;c"]
    text_of = "\n".join(["# of a camera; 2026", "", "t [s];z [m];note", *rows, ""]).replace(";", separator)
    wanted, slow, careful = [[0.0, 1.5], [0.25, -0.25], [1.0, 3.0]], [], text.TextSource._read_carefully
    monkeypatch.setattr(text.TextSource, "_read_carefully", lambda *given: slow.append(1) or careful(*given))
    assert np.array_equal(read(written(tmp_path, text_of)), wanted)
    assert not slow
    assert np.array_equal(read(written(tmp_path, text_of + f"1.5{separator}0,5{separator}d\n")), [*wanted, [1.5, 0.5]])
    assert slow


def test_what_is_missing_may_be_skipped(tmp_path):
    path = written(tmp_path, "t [s],z [m]\n0,1\n1,\n2,nan\n3,4\n")
    assert np.array_equal(read(path, skip=True), [[0.0, 1.0], [3.0, 4.0]])


def test_blocks_without_gaps_are_read_at_once_where_gaps_may_be_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 1000)
    rows = [f"{k},{k}" for k in range(2000)]
    rows[777] = "777,"
    path, slow = written(tmp_path, "\n".join(["t [s],z [m]", *rows, ""])), []
    careful = text.TextSource._read_carefully
    monkeypatch.setattr(text.TextSource, "_read_carefully", lambda *given: slow.append(1) or careful(*given))
    assert np.array_equal(read(path, skip=True)[:, 0], np.delete(np.arange(2000.0), 777))
    assert len(slow) == 1


def test_what_is_wrong_far_below_is_told_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 64)
    rows = [f"{k},{k}" for k in range(1000)]
    rows[777] = "777,x"
    with pytest.raises(DataError, match=r"data\.csv:779: "):
        read(written(tmp_path, "\n".join(["t [s],z [m]", *rows, ""])))


def test_other_endings_and_missing_packages_are_told_with_what_would_work(tmp_path):
    with pytest.raises(DataError, match=r"there are readers for \.csv"):
        open_data(written(tmp_path, "", "data.xlsx"))
    with pytest.raises(DataError, match="there is no such file"):
        open_data(tmp_path / "nothing.csv")
    for ending in set(READERS) - {".csv", ".tsv", ".txt"}:
        with pytest.raises(DataError, match=f"data{ending}"):
            open_data(written(tmp_path, "nothing of that kind", f"data{ending}")).columns([0, 1])


def test_markers_and_coordinates_come_by_the_readers_of_the_simulator(tmp_path):
    path = written(tmp_path, "angles\nversion=1\nnRows=3\nnColumns=2\ninDegrees=yes\nendheader\ntime\tknee\n"
                   "0\t0\n0.1\t90\n0.2\t180\n", "angles.mot")
    source = open_data(path)
    assert source.titles == [("time", "s"), ("knee", "rad")]
    assert source.columns([0, 1], ordered=0)[1] == pytest.approx([0.1, np.pi / 2.0])
