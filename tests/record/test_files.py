"""Recordings written while a run goes on: the same as of a run in memory, whole or cut off at any point, and gone on with."""
import json
from dataclasses import replace

import numpy as np
import pytest

import robotphi.record.files.running as running
import robotphi.run.filing as filing
from robotphi import ContactMaterial, Scene, Simulator, build_model
from robotphi.errors import RecordingError
from robotphi.record.files.log import read_log
from robotphi.record.files.read import repair
from robotphi.record.recording import Recording
from robotphi.record.rows import Rows
from tests.record.test_recording import arrays_of, assert_same_bits

GROUPS = "ledger", "sensors", "checkpoint", "steps"


def bouncing(frames=60):
    """Balls on a plane, with a spring, a sensor and a command."""
    scene = Scene("bouncing", duration=0.6, frames=frames)
    rubber = ContactMaterial(stiffness=1e6, restitution=0.7, speed=1.0, friction=0.5)
    scene.add_plane("ground", contact=rubber)
    balls = [scene.add_ball(f"ball {i}", (0.3 * i, 0, 0.2 + 0.05 * i), 0.05, density=900, contact=rubber) for i in range(3)]
    pull = scene.add_command("pull", 0.0)
    scene.add_force("wind", balls[0], (1.0, 0.0, 0.0), drive=pull)
    scene.add_sensor("height", "position", of=balls[0])

    @scene.controller(rate=50)
    def swing(view):
        view["pull"] = float(np.sin(9.0 * view.time))
    return scene


def swing(view):
    view["pull"] = float(np.sin(9.0 * view.time))


def assert_same(first, second, but=()):
    assert_same_bits(arrays_of(first), arrays_of(second))
    for group in GROUPS:
        assert_same_bits(getattr(first, group), getattr(second, group))
    assert first.rows.keys() == second.rows.keys()
    for table in first.rows:
        assert_same_bits(first.rows[table], second.rows[table])
    assert first.counts == second.counts
    assert first.statements == second.statements or len(first.statements) == len(second.statements)


@pytest.fixture(scope="module")
def straight():
    return Simulator(build_model(bouncing())).run()


@pytest.fixture
def at_once(monkeypatch):
    """Every frame is flushed."""
    monkeypatch.setattr(running, "EACH", -1.0)
    monkeypatch.setattr(filing, "EACH", -1.0)


def test_a_run_into_a_file_is_that_in_memory(straight, at_once, tmp_path):
    path = tmp_path / "run.vtkhdf"
    run = Simulator(build_model(bouncing())).run(to=path)
    assert run.path == path
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
    assert_same(straight, run)
    assert_same(straight, Recording.load(path))


def test_a_short_run_is_written_at_its_end(straight, tmp_path):
    run = Simulator(build_model(bouncing())).run(to=tmp_path / "run.vtkhdf")
    assert_same(straight, Recording.load(run.path))


def test_a_run_that_ends_early_has_its_frames(straight, at_once, tmp_path):
    Simulator(build_model(bouncing())).run(until=0.2, to=tmp_path / "run.vtkhdf")
    read = Recording.load(tmp_path / "run.vtkhdf")
    assert len(read) == 21
    assert np.array_equal(read.position, straight.position[:21])


def test_a_simulator_runs_on_in_memory_when_its_file_is_finished(straight, at_once, tmp_path):
    simulator = Simulator(build_model(bouncing()))
    simulator.run(until=0.2, to=tmp_path / "run.vtkhdf")
    before = (tmp_path / "run.vtkhdf").read_bytes()
    assert_same(straight, simulator.run())
    assert (tmp_path / "run.vtkhdf").read_bytes() == before


class Stop(BaseException):
    """Nothing catches it."""


@pytest.mark.parametrize("frame", [1, 17, 60])
def test_what_was_flushed_is_read_from_a_run_that_was_cut_off_and_gone_on_with(straight, at_once, tmp_path, monkeypatch, frame):
    path, flush, close = tmp_path / "run.vtkhdf", running.RunningFile.flush, running.RunningFile.close

    def cut_off(file, *given):
        flush(file, *given)
        if file._recorder.frame_count > frame:
            raise Stop
    monkeypatch.setattr(running.RunningFile, "flush", cut_off)
    monkeypatch.setattr(running.RunningFile, "close", lambda *_: pytest.fail("the run was not cut off"))
    with pytest.raises(Stop):
        Simulator(build_model(bouncing())).run(to=path)
    loose = Recording.load(path)
    assert repair(path)
    assert not repair(path)
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
    monkeypatch.setattr(running.RunningFile, "flush", flush)
    monkeypatch.setattr(running.RunningFile, "close", close)
    for read in (loose, Recording.load(path)):
        assert read.status == "interrupted"
        assert len(read) == frame + 1
        assert np.array_equal(read.position, straight.position[:frame + 1])
        resumed = Simulator.resumed(read, controllers={"swing": swing}).run(to=tmp_path / "whole.vtkhdf")
        assert_same(straight, resumed)
        assert_same(straight, Recording.load(tmp_path / "whole.vtkhdf"))
        (tmp_path / "whole.vtkhdf").unlink()


def test_a_run_that_goes_on_into_a_file_takes_none_of_its_frames_into_memory(straight, at_once, tmp_path, monkeypatch):
    read = Recording.load(Simulator(build_model(bouncing())).run(until=0.4, to=tmp_path / "run.vtkhdf").path)
    simulator, kept = Simulator.resumed(read, build_model(bouncing()), controllers={"swing": swing}), []
    lie_in = Rows._lie_in

    def watched(rows, room, forms):
        kept.append(rows.count - rows.gone if hasattr(rows, "size") else 0)
        lie_in(rows, room, forms)
    monkeypatch.setattr(Rows, "_lie_in", watched)
    assert_same(straight, simulator.run(to=tmp_path / "whole.vtkhdf"))
    assert_same(straight, Recording.load(tmp_path / "whole.vtkhdf"))
    assert len(kept) >= 4, "tables of contact got new memory"
    assert max(kept) == 0
    read = replace(read, info=read.info | {"wall_time": 1e6})
    again = Simulator.resumed(read, build_model(bouncing()), controllers={"swing": swing})
    kept.clear()
    assert_same(straight, again := again.run())
    assert again.info["wall_time"] >= 1e6, "its time is that of all its frames"
    assert len(read) in kept, "without a file they come into memory, when the next frame does"


def test_a_simulator_that_goes_on_begins_anew_without_touching_its_recording(straight):
    before, simulator = straight.position.copy(), Simulator.resumed(straight, frame=30, controllers={"swing": swing})
    simulator.restart()
    assert_same(straight, simulator.run())
    assert straight.position.tobytes() == before.tobytes()


def test_a_file_that_was_cut_off_while_it_was_finished_says_what_helps(straight, tmp_path):
    path = straight.save(tmp_path / "run.vtkhdf")
    (tmp_path / ".run.vtkhdf.aside").write_bytes(b"")
    with pytest.raises(RecordingError, match="robotphi repair"):
        Recording.load(path)


@pytest.fixture
def spoiled(monkeypatch):
    """Rows that are given back are gone indeed, however few they are."""
    let_go = Rows.let_go

    def spoil(rows, first):
        let_go(rows, first)
        for values in rows.columns.values():
            values[:first].view(np.uint8)[...] = 0xA5
    monkeypatch.setattr(Rows, "let_go", spoil)


def test_rows_of_contact_leave_the_memory_with_each_flush_and_come_back_from_the_file(straight, at_once, spoiled, tmp_path,
                                                                                  monkeypatch):
    flush, left = running.RunningFile.flush, []

    def watched(file, *given):
        flush(file, *given)
        left.append(sum(rows.count - rows.gone for rows in file._recorder.tables.values()))
    monkeypatch.setattr(running.RunningFile, "flush", watched)
    simulator = Simulator(build_model(bouncing()))
    assert_same(straight, simulator.run(to=tmp_path / "run.vtkhdf"))
    assert len(left) >= 60
    assert not any(left)
    assert_same(straight, Recording.load(tmp_path / "run.vtkhdf"))
    assert_same(straight, simulator.run())


def test_a_simulator_whose_run_was_broken_off_has_all_rows(straight, at_once, spoiled, tmp_path, monkeypatch):
    flush = running.RunningFile.flush

    def broken_off(file, *given):
        flush(file, *given)
        if file._recorder.frame_count > 30:
            raise Stop
    monkeypatch.setattr(running.RunningFile, "flush", broken_off)
    simulator = Simulator(build_model(bouncing()))
    with pytest.raises(Stop):
        simulator.run(to=tmp_path / "run.vtkhdf")
    assert_same(straight, simulator.run())


def test_the_log_tells_of_facts_only_what_changed(at_once, tmp_path, monkeypatch):
    flush, told = running.RunningFile.flush, []

    def watched(file, *given):
        flush(file, *given)
        facts = [columns["text"].tobytes() for table, _, columns in read_log(file._log.path, file._forms) if table == "facts"]
        told.append(json.loads(facts[-1]))
        assert len(facts) == len(told)
    monkeypatch.setattr(running.RunningFile, "flush", watched)
    run = Simulator(build_model(bouncing())).run(to=tmp_path / "run.vtkhdf")
    assert told[0]["info"].keys() >= {"sensors", "versions", "scene"}
    for each in told[1:]:
        assert each["info"].keys() <= {"causes", "wall_time", "warnings", "budget_kept"}
    assert told[0]["counts"].keys() == run.counts.keys()
    assert "accepted" in told[-1]["counts"] or "accepted" in told[-2]["counts"]
