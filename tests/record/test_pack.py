"""Packed copies have every byte of a recording, for us and for VTK."""
import json

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from robotphi import Simulator, build_model
from robotphi.commands.cli import app
from robotphi.errors import RecordingError
from robotphi.record.files import pack as pack_module
from robotphi.record.files import packed as packed_arrays
from robotphi.record.files.names import CHAIN, ROWS
from robotphi.record.files.pack import pack
from robotphi.record.recording import Recording
from robotphi.view.page import write_page
from tests.record.kill_all import assert_begins_alike, assert_vtk_agrees
from tests.record.synthetic_run import run
from tests.record.test_files import assert_same, bouncing, swing


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "run.vtkhdf"
    return run(path, flushes=50), path, tmp_path / "packed.vtkhdf"


def test_a_packed_copy_has_every_byte_in_less_room(files):
    whole, path, packed = files
    before, now = pack(path, packed)
    assert now < before
    assert sorted(each.name for each in path.parent.iterdir()) == ["packed.vtkhdf", "run.vtkhdf"]
    read = Recording.load(packed)
    assert_begins_alike(read, whole)
    assert len(read) == len(whole)
    assert_vtk_agrees(packed, whole)
    with h5py.File(path, "r") as one, h5py.File(packed, "r") as other:
        np.testing.assert_array_equal(one[CHAIN][()], other[CHAIN][()])
        assert other["VTKHDF/Points"].compression == "gzip"
        assert other["VTKHDF"].attrs["Version"].dtype == one["VTKHDF"].attrs["Version"].dtype
        assert set(other[f"{ROWS}/contacts"]) == set(one[f"{ROWS}/contacts"])


def test_a_flipped_bit_in_a_packed_copy_is_told(files):
    _, path, packed = files
    pack(path, packed)
    data = bytearray(packed.read_bytes())
    for place in np.linspace(0, len(data) - 80, 25).astype(int):
        data[place] ^= 1
        packed.write_bytes(data)
        with pytest.raises(RecordingError):
            Recording.load(packed)
        data[place] ^= 1


def test_a_copy_is_unpacked_by_saving_it(files):
    whole, path, packed = files
    pack(path, packed)
    again = Recording.load(packed).save(path.with_name("again.vtkhdf"))
    assert_begins_alike(Recording.load(again), whole)
    with h5py.File(again, "r") as file:
        assert file["VTKHDF/Points"].chunks is None


@pytest.fixture
def twice(tmp_path, monkeypatch):
    """A recording with contact and its packed copy, of which every array waits until it is asked for."""
    monkeypatch.setattr(packed_arrays, "SMALL", 0)
    monkeypatch.setattr(pack_module, "SMALL", 0)
    path = Simulator(build_model(bouncing()), controllers={"swing": swing}).run().save(tmp_path / "run.vtkhdf")
    pack(path, tmp_path / "packed.vtkhdf")
    return Recording.load(path), Recording.load(tmp_path / "packed.vtkhdf")


def test_of_a_packed_copy_the_frames_that_are_asked_for_are_read_and_no_others(twice, monkeypatch):
    _, read = twice
    rows, own = [], packed_arrays.Unpacked._read
    monkeypatch.setattr(packed_arrays.Unpacked, "_read", lambda array, *place: rows.append(place) or own(array, *place))
    assert isinstance(read.position, packed_arrays.Unpacked)
    assert len(read.position) == len(read)
    assert rows == []
    with read.frames(every=20) as frames:
        numbers = [frame.number for frame in frames]
    read.contacts(40)
    most = max(end - begin for begin, end in rows)
    assert most < len(read)
    assert {begin for begin, end in rows if end - begin == 1} >= {*numbers}


def test_every_reading_of_a_packed_copy_is_that_of_the_recording(twice, tmp_path):
    whole, read = twice
    assert_same(whole, read)
    assert np.array_equal(read.position[:, 1], whole.position[:, 1])
    assert np.array_equal(read.position[5:9][1], whole.position[6])
    assert np.array_equal(np.linalg.norm(read.velocity - 1.0, axis=-1), np.linalg.norm(whole.velocity - 1.0, axis=-1))
    assert read.position[-1].flags.writeable is False
    assert np.array_equal(read.contact_force("ball 0"), whole.contact_force("ball 0"))
    for frame in (0, 30, -1):
        for one, other in zip(read.contacts(frame), whole.contacts(frame), strict=True):
            assert np.array_equal(one, other)
    assert repr(read.hits("ball 0", "ground")) == repr(whole.hits("ball 0", "ground"))
    pages = [write_page(each, tmp_path / f"{number}.html").read_bytes() for number, each in enumerate((whole, read))]
    assert pages[0] == pages[1]
    went_on = [Simulator.resumed(each, frame=30, controllers={"swing": swing}).run() for each in (whole, read)]
    assert_same(*went_on)


def test_what_cannot_be_packed_is_said(files):
    _, path, packed = files
    with pytest.raises(RecordingError, match="the recording itself"):
        pack(path, path)
    with h5py.File(path, "r+") as file:
        file.attrs["note"] = 1
    done = CliRunner().invoke(app, ["pack", str(path), "--out", str(packed), "--json"])
    assert done.exit_code == 2
    assert "not finished" in json.loads(done.stdout)["error"]
    assert not packed.exists()
