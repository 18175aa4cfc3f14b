"""Runs that are killed at any moment, asked to end, and killed at each of their calls that write: nothing that was flushed is
lost, at most a second is, VTK reads what was made whole, and gone on with they are the straight run.

    python -m tests.record.kill_all                            50 times kill -9, 10 times SIGTERM, each of 200 calls that write
    python -m tests.record.kill_all --kills 5 --terms 0 --flushes 0
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from robotphi import Recording, Simulator, build_model
from robotphi.errors import RecordingError
from robotphi.record.compare import first_difference
from robotphi.record.files.read import repair
from robotphi.record.files.running import EACH
from tests import ROOT
from tests.record.synthetic_run import FRAMES_EACH, run
from tests.record.test_files import bouncing, swing
from tests.record.test_recording import arrays_of, assert_same_bits

FRAMES, PAUSE = 2000, 1e-3   # of a run of some seconds, which waits after each frame [s]
LATE = 0.5                   # s: a flush falls due between two frames, takes a while, and the machine may be busy
FLUSHES = 45                 # with some 200 calls that write
RUN = """
import mmap, signal, sys, time
import robotphi.record.files.counting as counting, robotphi.record.files.running as running, robotphi.run.filing as filing
from robotphi import Simulator, build_model
from tests.record.kill_all import FRAMES, PAUSE
from tests.record.test_files import bouncing
path, told, own, apart = sys.argv[1:]
if int(apart):
    counting.APART = counting.LARGE = 1   # as if frames were large
with open(told, "r+b") as file:
    told = memoryview(mmap.mmap(file.fileno(), 0)).cast("d")   # another process sees it, however this one ends
look, flush, handed = filing.Filing.look, running.RunningFile.flush, {}

def tell(counted):
    told[1], told[2] = handed[counted], counted

def seen(file):
    time.sleep(PAUSE)
    told[0] = time.monotonic()
    if handed:
        tell(file._file.counting.counted)
    look(file)

def flushed(file, *given):
    flush(file, *given)
    handed[file.counting.handed] = time.monotonic()
    tell(file.counting.counted)
    if told[3] == 0.0 and int(own):
        told[3] = 1.0
        signal.raise_signal(int(own))

filing.Filing.look, running.RunningFile.flush = seen, flushed
Simulator(build_model(bouncing(FRAMES))).run(to=path)
"""


def ended(folder, kind, after, apart=False):
    """(file, s from the last flush whose frames count to the last frame, frames that count) of a process that gets a signal so
    long after its first flush [s], or sends it to itself there; `apart`: another thread lets its frames count."""
    path, told = folder / "run.vtkhdf", folder / "told"
    told.write_bytes(bytes(32))
    itself = int(kind) if after is None else 0
    process = subprocess.Popen([sys.executable, "-c", RUN, str(path), str(told), str(itself), str(int(apart))], cwd=ROOT)
    while after is not None and process.poll() is None and np.frombuffer(told.read_bytes())[2] == 0.0:
        time.sleep(0.01)
    if after is not None:
        time.sleep(after)
        process.send_signal(kind)
    code = process.wait()
    last, flushed, frames, _ = np.frombuffer(told.read_bytes())
    assert code in (0, -kind), f"exit code {code} after {frames:g} frames"   # what comes when all is done ends the process
    return path, max(float(last - flushed), 0.0), int(frames)


def straight():
    """The run that nobody ends."""
    return Simulator(build_model(bouncing(FRAMES))).run()


def assert_goes_on(path, whole, frames=1):
    """Check a file that is whole: its frames are those of the straight run, which it becomes when it is gone on with."""
    read = Recording.load(path)
    assert frames <= len(read) <= len(whole)
    assert first_difference(read, whole) in (None, (len(read), "frames"))
    on = Simulator.resumed(read, controllers={"swing": swing}).run(to=path.with_name("on.vtkhdf"))
    assert first_difference(whole, on) is None
    for name in ("time", "dt"):
        assert on.steps[name].tobytes() == whole.steps[name].tobytes()
    return len(read)


def killed_at_any_moment(count, whole, folder, longest=2.5, seed=5):
    """(how often a run was cut off, the longest time that was lost [s]) of so many that got kill -9, up to the `longest` time
    after their first flush [s], or there; in every second one another thread lets frames count."""
    random, losses = np.random.default_rng(seed), []
    for number in range(count):
        own = folder / f"kill {number}"
        own.mkdir()
        path, lost, frames = ended(own, signal.SIGKILL, longest and random.uniform(0.0, longest), number % 2 == 1)
        losses += [lost] if repair(path) else []
        assert_goes_on(path, whole, frames)
        shutil.rmtree(own)
    return len(losses), max(losses, default=0.0)


def terminated(count, whole, folder, longest=2.5, seed=6):
    """How often a run ended early of so many that were asked to: nothing at all is lost then."""
    random, early = np.random.default_rng(seed), 0
    for number in range(count):
        own = folder / f"term {number}"
        own.mkdir()
        path, _, frames = ended(own, signal.SIGTERM, longest and random.uniform(0.0, longest), number % 2 == 1)
        assert sorted(each.name for each in own.iterdir()) == ["run.vtkhdf", "told"]
        early += Recording.load(path).status == "interrupted"
        assert_goes_on(path, whole, frames)
        shutil.rmtree(own)
    return early


def build_killer(folder):
    """A library that kills the process into which it is loaded at one of its calls that write; None where none can be made."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        return None
    library = folder / "killed_at.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, ROOT / "tests/record/killed_at.c", "-ldl"], check=True)
    return library


def killed(killer, path, call, flushes):
    """Whether a run into a file was killed at a call, the first being 1."""
    process = subprocess.run([sys.executable, "-m", "tests.record.synthetic_run", str(path), str(flushes)], cwd=ROOT,
                             check=False, env=os.environ | {"LD_PRELOAD": str(killer), "KILLED_AT": str(call)})
    assert process.returncode in (0, -9)
    return process.returncode == -9


def killed_at_each_call(killer, flushes, folder):
    """(calls that write, numbers of frames that were left) of a run of so many flushes, killed at each of them in turn.

    Calls before the file has its name, of making it, leave nothing; each later one leaves a file that is read, made whole and
    shown.
    """
    whole, call, seen, frames = run(folder / "whole.vtkhdf", flushes), 0, set(), FRAMES_EACH * flushes
    while True:
        call += 1
        own = folder / str(call)
        own.mkdir()
        path = own / "run.vtkhdf"
        if not killed(killer, path, call, flushes):
            return call - 1, seen
        if path.exists():
            if (own / ".run.vtkhdf.aside").exists():
                with pytest.raises(RecordingError, match="robotphi repair"):
                    Recording.load(path)
            else:
                Recording.load(path)
            repair(path)
            assert [each.name for each in own.iterdir()] == ["run.vtkhdf"]
            read = Recording.load(path)
            assert len(read) in (0, *range(FRAMES_EACH + 1, frames, FRAMES_EACH), frames)
            assert_begins_alike(read, whole)
            if len(read):
                assert_vtk_agrees(path, read)
            seen.add(len(read))
        shutil.rmtree(own)


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
    for instant in times:
        reader.UpdateTimeStep(instant)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="runs that get kill -9")
    parser.add_argument("--terms", type=int, default=10, help="runs that get SIGTERM")
    parser.add_argument("--flushes", type=int, default=FLUSHES, help="of the run that is killed at each call that writes")
    given = parser.parse_args()
    late = False
    with tempfile.TemporaryDirectory() as folder:
        folder, whole = Path(folder), straight() if given.kills or given.terms else None
        if given.kills:
            cut, longest = killed_at_any_moment(given.kills, whole, folder)
            print(f"{given.kills} times kill -9: {cut} runs were cut off, {longest:.2f} s lost at most", flush=True)
            late = longest > EACH + LATE
        if given.terms:
            print(f"{given.terms} times SIGTERM: {terminated(given.terms, whole, folder)} runs ended early", flush=True)
        killer = build_killer(folder) if given.flushes else None
        if killer:
            calls, seen = killed_at_each_call(killer, given.flushes, folder)
            print(f"{calls} calls that write in {given.flushes} flushes: {len(seen)} lengths were left", flush=True)
    raise SystemExit(1 if late else 0)


if __name__ == "__main__":
    main()
