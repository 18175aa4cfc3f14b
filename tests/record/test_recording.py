"""Recordings: collected frame by frame, written to one file, read back bit for bit."""
import json
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

from robotphi.errors import RecordingError
from robotphi.record.files.names import FORMAT, FORMAT_VERSION, FRAME_ARRAYS
from robotphi.record.recorder import Recorder
from robotphi.record.recording import STATUSES, Recording
from tests import ROOT
from tests.record.old_files import write_old

AWKWARD = [0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, 0.1 + 0.2, np.pi]


def frame(index, particles=4, rigids=2):
    generator = np.random.default_rng(index)
    return dict(
        time=0.1 * index,
        position=generator.normal(size=(particles, 3)), velocity=generator.normal(size=(particles, 3)),
        rigid_position=generator.normal(size=(rigids, 3)), rigid_orientation=generator.normal(size=(rigids, 4)),
        rigid_velocity=generator.normal(size=(rigids, 3)), rigid_spin=generator.normal(size=(rigids, 3)),
        rigid_momentum=generator.normal(size=(rigids, 3)),
        ledger={"kinetic": AWKWARD[index % 7], "work:pull/../up.": generator.normal(), "residual": 1e-17},
        sensors={"tip": generator.normal(size=3), "length": generator.normal()},
        checkpoint={"turns": np.array([index, -index], np.int32), "tau": np.float64(1e-3), "on": np.array([True])})


def recorded(frames=11, **sizes):
    recorder = Recorder(frames=3)
    for index in range(frames):
        recorder.add_frame(**frame(index, **sizes))
        recorder.add_steps(np.arange(5) + 5.0 * index, np.full(5, 1e-3), np.full(5, 1e-12), np.full(5, index, np.int32))
    return recorder.recording("done", {"attempts": 55}, {"scene": "küche Φ", "budget": 1e-4, "sizes": [4, 2]}, "ab12")


def assert_same_bits(first, second):
    assert first.keys() == second.keys()
    for name in first:
        assert first[name].dtype == second[name].dtype, name
        assert first[name].shape == second[name].shape, name
        assert first[name].tobytes() == second[name].tobytes(), name


def arrays_of(recording):
    return {name: getattr(recording, name) for name in FRAME_ARRAYS}


def test_frames_are_stacked_in_the_order_in_which_they_came():
    recording = recorded(frames=11)
    assert len(recording) == 11
    assert recording.position.shape == (11, 4, 3)
    assert recording.rigid_orientation.shape == (11, 2, 4)
    for index in range(11):
        assert np.array_equal(recording.velocity[index], frame(index)["velocity"])
        assert np.array_equal(recording.sensors["tip"][index], frame(index)["sensors"]["tip"])
        assert recording.checkpoint["turns"][index, 1] == -index


def test_a_file_gives_back_every_bit(tmp_path):
    written = recorded()
    read = Recording.load(written.save(tmp_path / "recording.h5"))
    assert_same_bits(arrays_of(written), arrays_of(read))
    for group in ("ledger", "sensors", "steps", "checkpoint"):
        assert list(getattr(written, group)) == list(getattr(read, group))
        assert_same_bits(getattr(written, group), getattr(read, group))
    assert (read.counts, read.info, read.status, read.scene_digest) == (written.counts, written.info, "done", "ab12")
    assert [path.name for path in tmp_path.iterdir()] == ["recording.h5"]


def test_files_of_before_give_back_every_bit(tmp_path):
    written = recorded()
    read = Recording.load(write_old(written, tmp_path / "recording.h5"))
    assert_same_bits(arrays_of(written), arrays_of(read))
    for group in ("ledger", "sensors", "steps", "checkpoint"):
        assert_same_bits(getattr(written, group), getattr(read, group))
    assert (read.counts, read.info, read.status, read.scene_digest) == (written.counts, written.info, "done", "ab12")


def test_a_scene_without_particles_or_rigids_is_kept_as_well(tmp_path):
    read = Recording.load(recorded(frames=1, particles=0, rigids=0).save(tmp_path / "empty.h5"))
    assert read.position.shape == (1, 0, 3)
    assert read.rigid_orientation.shape == (1, 0, 4)


def test_a_recording_cannot_be_changed_by_accident():
    recording = recorded()
    with pytest.raises(ValueError, match="read-only"):
        recording.position[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        recording.ledger["kinetic"][0] = 0.0


def test_a_recording_taken_midway_is_not_changed_by_later_frames():
    recorder = Recorder(frames=2)
    for index in range(2):
        recorder.add_frame(**frame(index))
    early = recorder.recording()
    kept = early.position.copy()
    for index in range(2, 9):
        recorder.add_frame(**frame(index))
    assert len(early) == 2
    assert np.array_equal(early.position, kept)
    assert len(recorder.recording()) == 9


def test_a_recording_taken_midway_is_not_changed_by_thinning():
    recorder = Recorder(step_rows=1024)
    recorder.add_frame(**frame(0))
    recorder.add_steps(*[np.arange(1024.0)] * 4)
    early = recorder.recording()
    recorder.add_steps(*[np.arange(1024.0)] * 4)
    assert recorder.recording().info["step_stride"] == 2
    assert np.array_equal(early.steps["time"], np.arange(1024.0))


def test_a_name_that_appears_midway_is_refused():
    recorder = Recorder()
    recorder.add_frame(**frame(0))
    late = frame(1)
    late["ledger"]["work:late"] = 0.0
    with pytest.raises(ValueError, match="work:late"):
        recorder.add_frame(**late)


@pytest.mark.parametrize("batch", [1, 3, 7, 64])
def test_a_long_step_history_is_thinned_evenly_whatever_the_batches(batch):
    recorder, total, rows = Recorder(step_rows=16), 1000, 16
    recorder.add_frame(**frame(0))
    for start in range(0, total, batch):
        index = np.arange(start, min(start + batch, total), dtype=float)
        recorder.add_steps(index, index, index, index.astype(np.int32))
    recording = recorder.recording()
    stride = recording.info["step_stride"]
    assert stride & (stride - 1) == 0
    assert rows / 2 <= len(recording.steps["time"]) <= rows
    assert np.array_equal(recording.steps["time"], np.arange(0, total, stride))
    assert recording.steps["limit"].dtype == np.int32


def test_the_frame_nearest_to_an_instant_is_found():
    assert recorded().frame_at(0.34) == 3
    assert recorded().frame_at(99.0) == 10


def test_a_failed_write_leaves_the_old_file_and_no_debris(tmp_path):
    path = recorded(frames=2).save(tmp_path / "recording.h5")
    spoiled = recorded(frames=3)
    spoiled.info["not json"] = object()
    with pytest.raises(TypeError, match="object"):
        spoiled.save(path)
    assert len(Recording.load(path)) == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(RecordingError, match="no folder"):
        recorded().save(tmp_path / "nowhere" / "recording.h5")


def test_what_is_not_a_recording_is_refused_with_its_reason(tmp_path):
    with pytest.raises(RecordingError, match="no recording"):
        Recording.load(tmp_path / "absent.h5")
    with pytest.raises(RecordingError, match="not a file"):
        Recording.load(tmp_path)
    text = tmp_path / "notes.h5"
    text.write_text(json.dumps({"time": [0.0]}))
    with pytest.raises(RecordingError, match="not an HDF5 file"):
        Recording.load(text)
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["time"] = [0.0]
    with pytest.raises(RecordingError, match="not a recording of Robot Φ"):
        Recording.load(tmp_path / "other.h5")


def test_a_newer_format_is_refused_by_its_number(tmp_path):
    path = recorded().save(tmp_path / "recording.h5")
    with h5py.File(path, "r+") as file:
        assert file["robotphi"].attrs["format"] == FORMAT
        file["robotphi"].attrs["format_version"] = FORMAT_VERSION + 1
    with pytest.raises(RecordingError, match="newer"):
        Recording.load(path)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_a_file_cut_short_is_refused(tmp_path, share):
    path = recorded().save(tmp_path / "recording.h5")
    data = path.read_bytes()
    path.write_bytes(data[:int(share * len(data))])
    with pytest.raises(RecordingError, match=r"damaged|not an HDF5"):
        Recording.load(path)


def test_a_file_that_lacks_an_array_is_refused(tmp_path):
    path = recorded().save(tmp_path / "recording.h5")
    with h5py.File(path, "r+") as file:
        del file["VTKHDF/PointData/velocity"]
    with pytest.raises(RecordingError, match="damaged"):
        Recording.load(path)


def test_a_file_whose_arrays_disagree_in_length_is_refused(tmp_path):
    path = recorded().save(tmp_path / "recording.h5")
    with h5py.File(path, "r+") as file:
        del file["VTKHDF/PointData/velocity"]
        file["VTKHDF/PointData/velocity"] = np.zeros((3, 4, 3))
    with pytest.raises(RecordingError, match="11 frames"):
        Recording.load(path)


def test_the_ways_a_run_can_end_are_seven():
    assert len(STATUSES) == len(set(STATUSES)) == 7


def test_every_flipped_bit_is_told(tmp_path):
    """Of a file as it was written; a bit of the seal's own name makes it a file without one, whose rows are all there."""
    path = recorded().save(tmp_path / "run.h5")
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for place in random.integers(0, len(whole), 200):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        if len(whole) - 48 <= place < len(whole) - 32:
            Recording.load(path)
        else:
            with pytest.raises(RecordingError, match="not those that were written"):
                Recording.load(path)


def test_overwritten_and_shuffled_files_never_reach_hdf5(tmp_path, monkeypatch):
    path = recorded().save(tmp_path / "run.h5")
    whole = path.read_bytes()
    monkeypatch.setattr("h5py.File", lambda *words, **more: pytest.fail("HDF5 was asked to read a damaged file"))
    random = np.random.default_rng(2)
    for _ in range(50):
        first, last = sorted(random.integers(0, len(whole) - 48, 2))
        for piece in (bytes(last - first), random.bytes(last - first), whole[first:last][::-1]):
            path.write_bytes(whole[:first] + piece + whole[last:])
            if path.read_bytes() != whole:
                with pytest.raises(RecordingError):
                    Recording.load(path)


def test_a_file_that_was_edited_is_read_as_it_is(tmp_path):
    path = recorded().save(tmp_path / "run.h5")
    with h5py.File(path, "r+") as file:
        file.attrs["note"] = "of the third of May"
        file["VTKHDF/Points"][0, 0] = 7.0
    assert Recording.load(path).position[0, 0, 0] == 7.0


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="needs limits of POSIX")
def test_no_room_for_a_file_is_told_and_leaves_the_old_one(tmp_path):
    """In a process of its own, whose files may not be longer than 8 kB; HDF5 by itself ends it by a crash."""
    old = recorded().save(tmp_path / "run.h5").read_bytes()
    process = subprocess.run([sys.executable, "-c", f"""
import resource
from pathlib import Path
from robotphi.errors import RecordingError
from tests.record.test_recording import recorded
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    recorded().save(Path({str(tmp_path)!r}) / "run.h5")
except RecordingError as error:
    print(error)
"""], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert "MB: File too large" in process.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["run.h5"]
    assert (tmp_path / "run.h5").read_bytes() == old
