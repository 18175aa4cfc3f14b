"""Packed copies have every byte of a recording, for us and for VTK."""
import json

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from robotphi.commands.cli import app
from robotphi.errors import RecordingError
from robotphi.record.files.names import CHAIN, ROWS
from robotphi.record.files.pack import pack
from robotphi.record.recording import Recording
from tests.record.synthetic_run import run
from tests.record.test_cut_off import assert_begins_alike, assert_vtk_agrees


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "run.vtkhdf"
    return run(path, frames=250), path, tmp_path / "packed.vtkhdf"


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
    assert again.stat().st_size > packed.stat().st_size


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
