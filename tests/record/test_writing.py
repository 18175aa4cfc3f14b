"""What writing a recording costs is counted in calls: of HDF5, and of the digest over each frame."""
from pathlib import Path

import h5py
import numpy as np
import pytest

import robotphi.record.files.chain as chain
from robotphi import Simulator, build_model
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
    opening, made = h5py.File.__init__, chain.hashlib.blake2b

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
    monkeypatch.setattr(chain, "hashlib", type("Hashes", (), {"blake2b": Counted}))
    return counts


def test_a_whole_run_is_written_by_opening_its_file_once_and_one_call_of_the_digest_a_frame(run, counted, tmp_path):
    run.save(tmp_path / "run.vtkhdf")
    assert counted == {"opened": 1, "digests": len(run) + 1, "updates": len(run)}


def test_large_frames_go_into_the_digest_array_by_array(monkeypatch, run, counted, tmp_path):
    before = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(before, "r") as file:
        digests = file["robotphi/chain"][()]
    monkeypatch.setattr(chain, "TOGETHER", 1)
    with h5py.File(run.save(tmp_path / "again.vtkhdf"), "r") as file:
        np.testing.assert_array_equal(file["robotphi/chain"][()], digests)
    assert counted["updates"] > 20 * len(run)


def test_what_is_the_same_for_all_entries_of_the_ledger_is_one_dataset(run, tmp_path):
    with h5py.File(run.save(tmp_path / "run.vtkhdf"), "r") as file:
        for group in ("FieldDataOffsets", "FieldDataSizes"):
            own = file[f"VTKHDF/Steps/{group}"]
            assert len(own) == len(run.ledger)
            assert len({h5py.h5o.get_info(own[name].id).addr for name in own}) == 1
    read = Recording.load(tmp_path / "run.vtkhdf")
    assert_same_bits(run.ledger, read.ledger)
