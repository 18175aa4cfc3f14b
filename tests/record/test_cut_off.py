"""Files of runs that are killed at any call that writes: nothing that was flushed is lost, VTK reads what was made whole."""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

from robotphi.errors import RecordingError
from robotphi.record.files.read import repair
from robotphi.record.files.running import RunningFile
from robotphi.record.recording import Recording
from tests import ROOT
from tests.record.synthetic_run import FLUSHES, FRAMES, run
from tests.record.test_recording import arrays_of, assert_same_bits

EACH = FRAMES // FLUSHES


def read_by_vtk(path):
    """(times, points of each frame, velocities, kinetic energies) as VTK's own reader gives them."""
    hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
    reader = hdf.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    facts, found = reader.GetOutputInformation(0), []
    times = [facts.Get(Pipeline.TIME_STEPS(), i) for i in range(facts.Length(Pipeline.TIME_STEPS()))]
    for time in times:
        reader.UpdateTimeStep(time)
        shown = reader.GetOutput()
        found.append([vtk_to_numpy(each).copy() for each in (
            shown.GetPoints().GetData(), shown.GetPointData().GetArray("velocity"), shown.GetFieldData().GetArray("kinetic"))])
    return times, *zip(*found, strict=True)


def assert_vtk_agrees(path, recording):
    times, points, velocities, kinetic = read_by_vtk(path)
    assert np.array_equal(times, recording.time)
    assert np.array(points).tobytes() == recording.position.tobytes()
    assert np.array(velocities).tobytes() == recording.velocity.tobytes()
    assert np.array(kinetic)[:, 0].tobytes() == recording.ledger["kinetic"].tobytes()


def assert_begins_alike(read, whole):
    count = len(read)
    assert_same_bits({name: array[:count] for name, array in arrays_of(whole).items()}, arrays_of(read))
    for group in ("ledger", "sensors", "checkpoint"):
        assert_same_bits({name: array[:count] for name, array in getattr(whole, group).items()}, getattr(read, group))
    ends = read.rows["contacts"]["start"]
    assert np.array_equal(ends, whole.rows["contacts"]["start"][:count + 1])
    assert read.rows["contacts"]["normal"].tobytes() == whole.rows["contacts"]["normal"][:ends[-1]].tobytes()
    known = len(read.steps["dt"])
    assert known >= 5 * count
    assert read.steps["time"].tobytes() == whole.steps["time"][:known].tobytes()


def test_vtk_reads_what_was_written(tmp_path):
    whole = run(tmp_path / "run.vtkhdf")
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
    assert_begins_alike(Recording.load(tmp_path / "run.vtkhdf"), whole)
    assert_vtk_agrees(tmp_path / "run.vtkhdf", whole)


@pytest.fixture(scope="module")
def killer(tmp_path_factory):
    """A library that kills the process into which it is loaded at one of its calls that write."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler and Linux to kill a process at its calls")
    library = tmp_path_factory.mktemp("killer") / "killed_at.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, ROOT / "tests/record/killed_at.c", "-ldl"], check=True)
    return library


def killed(killer, path, call):
    """Whether a run into a file was killed at a call, the first being 1."""
    process = subprocess.run([sys.executable, "-m", "tests.record.synthetic_run", str(path)], cwd=ROOT, check=False,
                             env=os.environ | {"LD_PRELOAD": str(killer), "KILLED_AT": str(call)})
    assert process.returncode in (0, -9)
    return process.returncode == -9


@pytest.mark.slow
def test_a_run_killed_at_each_call_that_writes_keeps_all_of_its_last_flush(killer, tmp_path):
    """Calls before the file has its name, of making it, leave nothing; each later one leaves a file that is read, made whole
    and shown."""
    whole, call, seen = run(tmp_path / "whole.vtkhdf"), 0, set()
    while True:
        call += 1
        folder = tmp_path / str(call)
        folder.mkdir()
        path = folder / "run.vtkhdf"
        if not killed(killer, path, call):
            break
        if not path.exists():
            continue
        if (folder / ".run.vtkhdf.aside").exists():
            with pytest.raises(RecordingError, match="robotphi repair"):
                Recording.load(path)
        else:
            Recording.load(path)
        repair(path)
        assert [each.name for each in folder.iterdir()] == ["run.vtkhdf"]
        read = Recording.load(path)
        assert len(read) in (0, *range(EACH + 1, FRAMES, EACH), FRAMES)
        assert_begins_alike(read, whole)
        if len(read):
            assert_vtk_agrees(path, read)
        seen.add(len(read))
        shutil.rmtree(folder)
    assert {*range(EACH + 1, FRAMES, EACH), FRAMES} <= seen


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
