"""A disk without room: it is said at once or when it is full, and what was flushed is there."""
import errno
import os

import numpy as np
import pytest

import robotphi.record.files.running as running
from robotphi import Simulator, build_model
from robotphi.errors import RecordingError
from robotphi.record.files.log import Log, read_log
from robotphi.record.files.mapped import reserve
from robotphi.record.files.read import repair
from robotphi.record.recording import Recording
from tests.record.test_files import assert_same, at_once, bouncing, straight, swing

__all__ = ["at_once", "straight"]


class Full:
    """A file on a disk that has room for so many bytes more."""

    def __init__(self, file, room):
        self._file, self.room = file, room

    def write(self, data):
        done = self._file.write(bytes(data)[:self.room])
        self.room -= done
        if not done and len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return done

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.mark.parametrize("room", [10_000, 20_000, 35_000])
def test_a_run_whose_disk_gets_full_says_so_and_goes_on_where_it_was(straight, at_once, tmp_path, monkeypatch, room):
    path, flush, frames = tmp_path / "run.vtkhdf", running.RunningFile.flush, []

    def fuller(file, *given):
        if file.frames and not frames:
            file._log._file = Full(file._log._file, room)
        flush(file, *given)
        frames.append(int(file._filed.progress[0]))
    monkeypatch.setattr(running.RunningFile, "flush", fuller)
    with pytest.raises(RecordingError, match=r"No space left.*last flush are safe.*robotphi repair"):
        Simulator(build_model(bouncing())).run(to=path)
    monkeypatch.setattr(running.RunningFile, "flush", flush)
    assert 0 < frames[-1] < 61
    repair(path)
    read = Recording.load(path)
    assert len(read) == frames[-1]
    assert_same(straight, Simulator.resumed(read, controllers={"swing": swing}).run(to=path))


def test_a_log_without_room_is_left_as_it_was(tmp_path):
    forms = {"values": {"value": ((1000,), "<f8")}}
    log = Log(tmp_path / "log", forms)
    log.add("values", 0, {"value": np.ones((20, 1000))})
    log.flush()
    log._file, kept = Full(log._file, 100_000), log._file
    log.add("values", 20, {"value": np.ones((20, 1000))})
    before = (tmp_path / "log").stat().st_size
    with pytest.raises(OSError, match="No space"):
        log.flush()
    assert (tmp_path / "log").stat().st_size == before
    log._file = kept
    log.add("values", 20, {"value": np.full((3, 1000), 2.0)})
    log.flush()
    log.close()
    assert [(first, rows["value"][0, 0], len(rows["value"])) for _, first, rows in read_log(tmp_path / "log", forms)] == [
        (0, 1.0, 20), (20, 2.0, 3)]


@pytest.mark.parametrize("trouble", [errno.EOPNOTSUPP, errno.EINVAL, None])
def test_room_is_taken_where_the_system_knows_no_call_for_it(tmp_path, monkeypatch, trouble):
    path = tmp_path / "file"
    with open(path, "wb") as file:
        file.seek(3_000_000)
        file.write(b"end")
    if trouble is None:
        monkeypatch.delattr(os, "posix_fallocate")
    else:
        def refused(*_):
            raise OSError(trouble, "no")
        monkeypatch.setattr(os, "posix_fallocate", refused)
    reserve(path, path, 5_000_001)
    data = path.read_bytes()
    assert len(data) == 5_000_001
    assert data[3_000_000:3_000_003] == b"end"
    assert not data[:3_000_000].strip(b"\0")
    assert path.stat().st_blocks * 512 >= 5_000_001


def test_a_disk_that_is_full_at_the_beginning_is_said(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "posix_fallocate", full)
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError, match=r"No space left.*keep fewer frames"):
        reserve(tmp_path / "file", "run.vtkhdf", 1000)
