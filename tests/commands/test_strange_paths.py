"""Paths that nobody means: each is told in words, and what stood there before stays."""
import errno
import os

import numpy as np
import pytest

from robotphi.errors import SceneError
from robotphi.language import write_scene
from robotphi.scene.whole_file import whole_file
from robotphi.view.export.table import write_csv
from robotphi.view.stage import Stage
from tests.commands.test_view import called
from tests.view import played

READERS = (["view", "{}", "--html", "p.html"], ["info", "{}"], ["replay", "{}"], ["repair", "{}"], ["pack", "{}"],
           ["export", "{}", "--to", "csv"], ["lint", "{}"])
WRITERS = (["view", "{}", "--html"], ["view", "{}", "--screenshot"], ["export", "{}", "--to", "csv", "--out"],
           ["pack", "{}", "--out"])


@pytest.fixture(scope="module")
def recording():
    return played.recording("swing")[0]


@pytest.fixture(scope="module")
def file(recording, tmp_path_factory):
    return recording.save(tmp_path_factory.mktemp("strange") / "recording.vtkhdf")


@pytest.mark.parametrize("path", ["", ".", "..", "/", "x" * 300 + ".vtkhdf", "no/such/file.vtkhdf"])
@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_what_is_no_recording_is_told_in_words(capsys, tmp_path, monkeypatch, words, path):
    monkeypatch.chdir(tmp_path)
    code, _, err = called(capsys, *(word.format(path) for word in words))
    assert code == 2
    assert "robotphi: " in err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0] + words[-1])
@pytest.mark.parametrize("stem", ["x" * 300, "no/such"])
def test_what_cannot_be_written_is_told_in_words(capsys, tmp_path, monkeypatch, file, words, stem):
    monkeypatch.chdir(tmp_path)
    ending = {"--screenshot": ".png", "--html": ".html"}.get(words[-1], ".csv" if "csv" in words else ".vtkhdf")
    code, _, err = called(capsys, *(word.format(file) for word in words), stem + ending)
    assert code == 2
    assert "cannot write" in err
    assert not [*tmp_path.iterdir()]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0] + words[-1])
def test_a_device_or_a_pipe_is_not_replaced_by_a_file(capsys, tmp_path, file, words):
    ending = {"--screenshot": ".png", "--html": ".html"}.get(words[-1], ".csv" if "csv" in words else ".vtkhdf")
    pipe = tmp_path / f"pipe{ending}"
    os.mkfifo(pipe)
    code, _, err = called(capsys, *(word.format(file) for word in words), pipe)
    assert code == 2
    assert "a device or a pipe" in err
    assert pipe.is_fifo()


class Full(OSError):
    """As of a disk without room."""
    def __init__(self):
        super().__init__(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_file_that_cannot_be_finished_leaves_the_one_before(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("before")

    def fails():
        with whole_file(path) as part:
            part.write_text("half of")
            raise Full
    with pytest.raises(Full):
        fails()
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("run.csv", "before")]
    with whole_file(path) as part:
        part.write_text("after")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("run.csv", "after")]


def test_a_scene_file_or_table_that_finds_no_room_leaves_the_one_before(tmp_path, monkeypatch, recording):
    scene, path = played.scene("swing"), tmp_path / "scene.yaml"
    path.write_text("before")
    (tmp_path / "scene.npz").write_text("arrays")
    (tmp_path / "run.csv").write_text("table")

    def full(*_, **__):
        raise Full
    monkeypatch.setattr(np, "savez", full)
    monkeypatch.setattr("robotphi.language.write.FEW", 1)
    with pytest.raises(SceneError, match="No space left"):
        write_scene(scene, path)
    monkeypatch.setattr("robotphi.view.export.table._in_pieces", full)
    with pytest.raises(Full):
        write_csv(Stage(recording), tmp_path / "run.csv", ["height"])
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {
        "scene.yaml": "before", "scene.npz": "arrays", "run.csv": "table"}


def test_a_name_that_the_system_refuses_is_bad_input_with_one_document(capsys):
    code, out, err = called(capsys, "info", "x" * 300 + ".vtkhdf", "--json")
    assert code == 2
    assert '"exit_code": 2' in out
    assert os.strerror(errno.ENAMETOOLONG) in err
