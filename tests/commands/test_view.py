"""`robotphi view`: files that are asked for, errors in words, one JSON document."""
import json
import subprocess
import sys

import pytest

from robotphi.commands import cli
from robotphi.view import movies, style
from tests.view import played


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "recording.vtkhdf"
    played.recording("swing")[0].save(path)
    return path


def called(capsys, *words):
    """Exit code, standard output and error of a command."""
    with pytest.raises(SystemExit) as ending:
        cli.app(list(map(str, words)))
    return ending.value.code, *capsys.readouterr()


def test_a_page_is_written(file, tmp_path, capsys):
    code, out, _ = called(capsys, "view", file, "--html", tmp_path / "page.html")
    assert code == 0
    assert str(tmp_path / "page.html") in out.replace("\n", "")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.skipif(style.off_screen_window() is None, reason="no graphics library for pyvista here")
def test_page_picture_and_movie_are_told_as_one_document(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(movies, "SIZE", (320, 180))
    paths = {kind: str(tmp_path / name) for kind, name in (("page", "p.html"), ("picture", "p.png"), ("movie", "p.gif"))}
    code, out, _ = called(capsys, "view", file, "--html", paths["page"], "--screenshot", paths["picture"], "--time", 0.5,
                          "--movie", paths["movie"], "--every", 4, "--colour", "speed", "--look", "front", "--json")
    assert code == 0
    assert json.loads(out) == {"recording": str(file), **paths}
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("p.html", "p.png", "p.gif"))


@pytest.mark.parametrize(("words", "said"), [
    (["--html", "none/p.html"], "there is no folder none"), (["--html", "p.html", "--colour", "spede"], "speed"),
    (["--html", "."], "it is a folder"), (["--screenshot", "p.tga"], "use one of: .png"),
    (["--movie", "p.avi"], "use one of: .webp"), (["--movie", "p.gif", "--speed", "-1"], "speed is -1"),
    (["--screenshot", "p.png", "--colour", "spede"], "speed"), (["--screenshot", "p.png", "--look", "up"], "oblique"),
    (["--screenshot", "p.png", "--colour", "contact pressure"], "has no contact pressure")])
def test_what_cannot_be_ends_with_two_and_says_why(file, capsys, words, said, monkeypatch, tmp_path):
    if words[0] == "--screenshot" and style.off_screen_window() is None:
        pytest.skip("no graphics library for pyvista here")
    monkeypatch.chdir(tmp_path)
    code, _, error = called(capsys, "view", file, *words)
    assert code == 2
    assert said in error
    code, _, error = called(capsys, "view", file.with_name("none.h5"), *words)
    assert code == 2
    assert "none.h5" in error


def test_a_page_needs_no_graphics_library(file, tmp_path):
    code = ("import sys; from robotphi.view.page import write_page; from robotphi.record.recording import Recording;"
            "write_page(Recording.load(sys.argv[1]), sys.argv[2]); assert 'pyvista' not in sys.modules")
    subprocess.run([sys.executable, "-c", code, file, tmp_path / "page.html"], check=True)
