"""Files of runs that are killed at any call that writes: nothing that was flushed is lost, VTK reads what was made whole."""
import sys

import h5py
import pytest

from robotphi.errors import RecordingError
from robotphi.record.files.read import repair
from robotphi.record.files.running import RunningFile
from robotphi.record.recording import Recording
from tests.record import kill_all
from tests.record.kill_all import assert_begins_alike, assert_vtk_agrees
from tests.record.synthetic_run import FLUSHES, FRAMES, FRAMES_EACH, run


def test_vtk_reads_what_was_written(tmp_path):
    whole = run(tmp_path / "run.vtkhdf")
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
    assert_begins_alike(Recording.load(tmp_path / "run.vtkhdf"), whole)
    assert_vtk_agrees(tmp_path / "run.vtkhdf", whole)


@pytest.mark.slow
def test_a_run_killed_at_each_call_that_writes_keeps_all_of_its_last_flush(tmp_path):
    killer = kill_all.build_killer(tmp_path)
    if killer is None:
        pytest.skip("needs a C compiler and Linux to kill a process at its calls")
    calls, seen = kill_all.killed_at_each_call(killer, FLUSHES, tmp_path)
    assert calls > 10 * FLUSHES
    assert {*range(FRAMES_EACH + 1, FRAMES, FRAMES_EACH), FRAMES} <= seen


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_run_that_is_killed_goes_on_as_if_it_had_not_been(tmp_path):
    assert kill_all.killed_at_any_moment(1, kill_all.straight(), tmp_path, None)[0] == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_request_to_terminate_ends_a_run_as_ctrl_c_does(tmp_path):
    assert kill_all.terminated(1, kill_all.straight(), tmp_path, None) == 1


def test_a_file_that_is_being_written_is_not_made_whole_by_others(tmp_path, monkeypatch):
    path, seen = tmp_path / "run.vtkhdf", []
    flush = RunningFile.flush

    def tried(file, *given):
        flush(file, *given)
        if path.exists() and not seen:
            with pytest.raises(RecordingError, match="is being written by a run"):
                repair(path)
            seen.append(Recording.load(path))
    monkeypatch.setattr(RunningFile, "flush", tried)
    whole = run(path)
    assert_begins_alike(seen[0], whole)
    assert_begins_alike(Recording.load(path), whole)


def test_a_file_that_was_edited_is_whole(tmp_path):
    path = tmp_path / "run.vtkhdf"
    run(path)
    with h5py.File(path, "r+") as file:
        file.attrs["note"] = "of the third of May"
    assert repair(path) is False
    assert len(Recording.load(path)) == FRAMES
