"""What a user chooses to keep stays, the rest goes, and a recording says what it can no longer do."""
import json
import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from typer.testing import CliRunner

from robotphi import Simulator, build_model
from robotphi.commands.cli import app
from robotphi.errors import FrameError, RecordingError
from robotphi.record.choice import GROUPS, Choice, choice_of, chosen
from robotphi.record.recording import Recording
from robotphi.record.rows import Rows
from tests.record.test_files import bouncing, swing
from tests.view import played


@pytest.fixture(scope="module")
def whole():
    return played.recording()[0]


@pytest.mark.parametrize(("words", "choice"), [
    ((), Choice()), ("every=10", Choice(10)), (["every=3", "contacts"], Choice(3, ("contacts",))), ("frames", Choice(1, ())),
    ("sensors, checkpoint", Choice(1, ("checkpoint", "sensors")))])
def test_words_say_what_stays(words, choice):
    assert choice_of(words or []) == choice


@pytest.mark.parametrize("word", ["every=0", "every=-1", "every=x", "position", "", 3])
def test_other_words_are_refused(word):
    with pytest.raises(RecordingError, match="every=N, frames, checkpoint"):
        choice_of([word])


def test_frames_that_stay_have_their_rows(whole, tmp_path):
    few = Recording.load(chosen(whole, Choice(5)).save(tmp_path / "run.vtkhdf"))
    numbers = [0, 5, 10, 12]   # and the last
    np.testing.assert_array_equal(few.time, whole.time[numbers])
    np.testing.assert_array_equal(few.position, whole.position[numbers])
    np.testing.assert_array_equal(few.ledger["kinetic"], whole.ledger["kinetic"][numbers])
    for place, number in enumerate(numbers):
        for name, values in whole.frame_rows("contacts", number).items():
            np.testing.assert_array_equal(few.frame_rows("contacts", place)[name], values)
    assert any("one frame in 5" in warning for warning in few.info["warnings"])
    with pytest.raises(RecordingError, match="every so many frames"):
        Simulator.resumed(few)


def test_what_was_not_kept_is_told_and_not_taken_for_nothing(whole, tmp_path):
    bare = Recording.load(chosen(whole, Choice(1, ())).save(tmp_path / "run.vtkhdf"))
    assert not bare.sensors
    for read in (lambda: bare.contacts(3), lambda: bare.contact_force("ball"), lambda: bare.hits("ball", "ground")):
        with pytest.raises(RecordingError, match="told to keep no contacts"):
            read()
    with pytest.raises(RecordingError, match="told to keep no checkpoint"):
        bare.checkpoint["numbers"]
    assert any("no run goes on" in warning for warning in bare.info["warnings"])


def test_a_run_keeps_what_it_is_told_to_and_is_replayed(tmp_path):
    path = tmp_path / "run.vtkhdf"
    run = Simulator(build_model(bouncing())).run(to=path, keep=["every=7", "sensors"])
    assert len(run) == 61   # what is returned has everything
    assert set(run.checkpoint) > {"numbers"}
    few = Recording.load(path)
    np.testing.assert_array_equal(few.position, run.position[[*range(0, 61, 7), 60]])
    np.testing.assert_array_equal(few.sensors["height"], run.sensors["height"][[*range(0, 61, 7), 60]])
    assert set(few.rows) == {"commands"}
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
    with pytest.raises(RecordingError, match="told to keep no checkpoint"):
        Simulator.continued(few, controllers={"swing": swing})
    done = CliRunner().invoke(app, ["replay", str(path), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"recording": str(path), "frames": 10, "same": True, "moved": False}
    with pytest.raises(RecordingError, match="name it by to="):
        Simulator(build_model(bouncing())).run(keep="frames")


def test_frames_come_one_after_the_other(whole, tmp_path):
    read = Recording.load(whole.save(tmp_path / "run.vtkhdf"))
    with read.frames(0.2, 0.8, every=2) as frames:
        numbers = [frame.number for frame in frames]
        assert numbers == [2, 4, 6, 8]
        assert len(frames) == 4
        for frame in frames:
            assert frame.time == whole.time[frame.number]
            assert frame.position.tobytes() == whole.position[frame.number].tobytes()
            assert frame.ledger["kinetic"] == whole.ledger["kinetic"][frame.number]
            assert len(frame.contacts["first"]) == len(whole.contacts(frame.number).first)
    assert [frame.number for frame in whole.frames()] == list(range(len(whole)))
    assert whole.frames()[-1].number == len(whole) - 1
    with pytest.raises(FrameError, match="every is 0"):
        whole.frames(every=0)


def test_going_over_frames_in_memory_leaves_them_as_they_are(whole):
    """No file stands behind them: what a large column lies in may not be given back."""
    position = Rows({"position": ((1000, 3), float)}, 60)
    for _ in range(60):
        position.append({"position": 1.0})
    large = replace(whole, position=position["position"][:len(whole)])
    with large.frames() as frames:
        for frame in frames:
            assert frame.position.all()
    assert large.position.all()


def test_pandas_gets_columns_with_units(whole, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(RecordingError, match="pip install pandas"):
        whole.to_pandas()
    stand_in = ModuleType("pandas")
    stand_in.Index = lambda values, name: (name, values)
    stand_in.DataFrame = lambda columns, index: (columns, index)
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    columns, (name, times) = whole.to_pandas()
    assert name == "time [s]"
    assert times is whole.time
    assert list(columns)[:2] == ["height [m]", "kinetic [J]"]
    assert list(whole.to_pandas("kinetic")[0]) == ["kinetic [J]"]
    with pytest.raises(RecordingError, match="neither a sensor nor"):
        whole.to_pandas("kinetik")


def test_each_group_has_a_meaning():
    assert set(Choice().groups) == set(GROUPS)
