"""Frames whose digests another thread chains: they count when the chain stands, not before, and the file is the same."""
import threading

import h5py
import numpy as np
import pytest

import robotphi.record.files.counting as counting
import robotphi.record.files.mapped as mapped
import robotphi.record.files.running as running
from robotphi import Simulator, build_model
from robotphi.record.files.names import CHAIN
from robotphi.record.files.read import repair
from robotphi.record.recording import Recording
from tests.record.synthetic_run import FRAMES, FRAMES_EACH, run
from tests.record.test_files import assert_same, at_once, bouncing, straight, swing

__all__ = ["at_once", "straight"]


@pytest.fixture
def apart(monkeypatch):
    """Every frame is large, and so is every array."""
    monkeypatch.setattr(counting, "APART", 1)
    monkeypatch.setattr(counting, "LARGE", 0)


def test_a_file_is_the_same_whoever_chains_its_digests(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    run(tmp_path / "here" / "run.vtkhdf")
    made, begin = [], counting.ThreadPoolExecutor
    monkeypatch.setattr(counting, "ThreadPoolExecutor", lambda *given: made.append(given) or begin(*given))
    monkeypatch.setattr(counting, "APART", 1)
    monkeypatch.setattr(counting, "LARGE", 0)
    run(tmp_path / "run.vtkhdf")
    assert len(made) == 1
    assert_same(Recording.load(tmp_path / "here" / "run.vtkhdf"), Recording.load(tmp_path / "run.vtkhdf"))
    with h5py.File(tmp_path / "run.vtkhdf") as one, h5py.File(tmp_path / "here" / "run.vtkhdf") as other:
        assert one[CHAIN][()].tobytes() == other[CHAIN][()].tobytes()


def test_a_run_with_contact_whose_digests_are_chained_apart_is_that_in_memory(straight, at_once, apart, tmp_path):
    found = Simulator(build_model(bouncing())).run(to=tmp_path / "run.vtkhdf")
    assert_same(straight, found)
    assert_same(straight, Recording.load(tmp_path / "run.vtkhdf"))
    assert not repair(tmp_path / "run.vtkhdf")


def test_frames_do_not_count_before_their_digests_stand(apart, tmp_path, monkeypatch):
    chained, goes_on, links, seen = threading.Event(), threading.Event(), counting.links, []

    def slow(before, arrays, starts, rows, first, last):
        if first > FRAMES_EACH:
            chained.set()
            assert goes_on.wait(600)
        return links(before, arrays, starts, rows, first, last)
    flush = running.RunningFile.flush

    def watched(file, *given):
        flush(file, *given)
        if file.counting.handed == 2 * FRAMES_EACH + 1:
            assert chained.wait(600)
            seen.append((file.counting.counted, len(Recording.load(file.path))))
            goes_on.set()
            file.counting.wait()
            seen.append((file.counting.counted, len(Recording.load(file.path))))
    monkeypatch.setattr(counting, "links", slow)
    monkeypatch.setattr(running.RunningFile, "flush", watched)
    run(tmp_path / "run.vtkhdf")
    assert seen == [(FRAMES_EACH + 1, FRAMES_EACH + 1), (2 * FRAMES_EACH + 1, 2 * FRAMES_EACH + 1)]
    assert len(Recording.load(tmp_path / "run.vtkhdf")) == FRAMES


def test_what_was_handed_over_counts_where_a_run_is_broken_off(straight, at_once, apart, tmp_path, monkeypatch):
    flush = running.RunningFile.flush

    def broken_off(file, *given):
        flush(file, *given)
        if file.counting.handed > 30:
            raise KeyboardInterrupt
    monkeypatch.setattr(running.RunningFile, "flush", broken_off)
    with pytest.raises(KeyboardInterrupt):
        Simulator(build_model(bouncing())).run(to=tmp_path / "run.vtkhdf")
    monkeypatch.setattr(running.RunningFile, "flush", flush)
    read = Recording.load(tmp_path / "run.vtkhdf")
    assert len(read) == 31
    assert_same(straight, Simulator.resumed(read, controllers={"swing": swing}).run(to=tmp_path / "whole.vtkhdf"))


def test_what_goes_wrong_in_the_other_thread_ends_the_run(at_once, apart, tmp_path, monkeypatch):
    def full(*_):
        raise MemoryError("no room for a digest")
    monkeypatch.setattr(counting, "links", full)
    with pytest.raises(MemoryError, match="no room for a digest"):
        Simulator(build_model(bouncing())).run(to=tmp_path / "run.vtkhdf")


@pytest.mark.parametrize("advice", [mapped.READY, None, 12345])
def test_pages_that_are_made_ready_keep_their_bytes(tmp_path, monkeypatch, advice):
    monkeypatch.setattr(mapped, "READY", advice)
    path, wanted = tmp_path / "file", np.random.default_rng(1).integers(0, 256, 5 * mapped.PAGE + 17, np.uint8)
    path.write_bytes(wanted.tobytes())
    file = mapped.Mapped(path, writing=True)
    for byte, size in ((0, 1), (mapped.PAGE - 1, 2 * mapped.PAGE), (4 * mapped.PAGE, len(wanted)), (3, 0)):
        file.make_ready(byte, size)
    assert bytes(file.memory) == wanted.tobytes() == path.read_bytes()
