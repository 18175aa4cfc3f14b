"""What writing a recording costs is counted in calls: of HDF5, and of the digest over each frame."""
from pathlib import Path

import h5py
import numpy as np
import pytest

import robotphi.record.files.chain as chain
import robotphi.record.files.make as make
import robotphi.record.files.read as read
from robotphi import Simulator, build_model
from robotphi.record.files.seal import Changed
from robotphi.record.recording import Recording
from tests.record.test_files import bouncing, swing
from tests.record.test_recording import assert_same_bits


@pytest.fixture(scope="module")
def run():
    return Simulator(build_model(bouncing()), controllers={"swing": swing}).run()


@pytest.fixture
def counted(monkeypatch):
    """How often files are opened, and digests and what goes into them made."""
    counts = {"opened": 0, "digests": 0, "updates": 0}
    opening, made = h5py.File.__init__, chain.hashlib.sha256

    def opened(file, name, *args, **options):
        counts["opened"] += isinstance(name, Path)   # else a file that is open already is looked at
        opening(file, name, *args, **options)

    class Counted:
        def __init__(self, *args, **options):
            counts["digests"] += 1
            self._own, self.digest = (own := made(*args, **options)), own.digest

        def update(self, data):
            counts["updates"] += 1
            self._own.update(data)

    monkeypatch.setattr(h5py.File, "__init__", opened)
    monkeypatch.setattr(chain, "hashlib", type("Hashes", (), {"sha256": Counted}))
    return counts


def test_a_whole_run_is_written_by_opening_its_file_once_and_one_call_of_the_digest_a_frame(run, counted, tmp_path):
    run.save(tmp_path / "run.vtkhdf")
    tables = [rows["start"] for table, rows in run.rows.items() if table != "commands"]
    touching = int(np.any([np.diff(start) > 0 for start in tables], axis=0).sum())
    assert 0 < touching < len(run)
    assert counted == {"opened": 1, "digests": len(run) + 1, "updates": touching}


def test_large_frames_go_into_the_digest_array_by_array(monkeypatch, run, counted, tmp_path):
    before = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(before, "r") as file:
        digests = file["robotphi/chain"][()]
    monkeypatch.setattr(chain, "TOGETHER", 1)
    with h5py.File(run.save(tmp_path / "again.vtkhdf"), "r") as file:
        np.testing.assert_array_equal(file["robotphi/chain"][()], digests)
    assert counted["updates"] > 20 * len(run)


def test_files_whose_frames_were_chained_by_the_digest_before_are_read_and_still_looked_through(monkeypatch, run, tmp_path):
    with monkeypatch.context() as before:
        before.setattr(chain, "FORMAT_VERSION", 2)
        before.setattr(make, "FORMAT_VERSION", 2)
        path = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(path, "r") as file, h5py.File(run.save(tmp_path / "now.vtkhdf"), "r") as now:
        assert file["robotphi"].attrs["format_version"] == 2 < now["robotphi"].attrs["format_version"]
        assert (file["robotphi/chain"][()] != now["robotphi/chain"][()]).any(axis=1).all()
    assert_same_bits(run.checkpoint, Recording.load(path).checkpoint)
    with h5py.File(path, "r+") as file:   # nothing but the chain tells: what was edited has no seal
        file["VTKHDF/Points"][7 * run.position.shape[1], 0] += 1e-12
    assert first_wrong(path) == 7
    with h5py.File(path, "r+") as file:
        file["robotphi"].attrs["format_version"] = 3
    assert first_wrong(path) == 0


def first_wrong(path):
    """The first frame of a file whose bytes are not those that were written."""
    with pytest.raises(Changed, match=r"frame (\d+) ") as found:
        read.read_file(path, True)
    return int(found.value.args[0].split("frame ")[1].split()[0])


def test_what_is_the_same_for_all_entries_of_the_ledger_is_one_dataset(run, tmp_path):
    with h5py.File(run.save(tmp_path / "run.vtkhdf"), "r") as file:
        for group in ("FieldDataOffsets", "FieldDataSizes"):
            own = file[f"VTKHDF/Steps/{group}"]
            assert len(own) == len(run.ledger)
            assert len({h5py.h5o.get_info(own[name].id).addr for name in own}) == 1
    read = Recording.load(tmp_path / "run.vtkhdf")
    assert_same_bits(run.ledger, read.ledger)
