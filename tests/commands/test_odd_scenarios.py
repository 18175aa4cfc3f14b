"""Scenarios that do odd things, and output that cannot be written: told in words, with the run that was made."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from robotphi.commands import cli
from robotphi.scenario import folder
from tests import ROOT

ODD = '''"""Φ: prints, and does what it is told to."""
import os
import sys

from robotphi import Scene

print("loading")


def build(oddity="", duration=1.0):
    print("building")
    if oddity == "exit":
        sys.exit(3)
    if oddity == "elsewhere":
        os.chdir("/")
    scene = Scene("Φ", duration=duration, frames=10)
    nodes = scene.add_particles("node", [(0, 0, 0), (0, 0, -1)], 1.0, support=["xyz", ""])
    scene.add_linear("λ", nodes[0], nodes[1], 100.0)
    return scene


def check(recording, oddity=""):
    print("checking")
    return {"check 5": 5, "check list": [1, 2], "check keys": {3: 1.0, None: "a"}}.get(oddity, {"Φ": 1.0})


def draw(recording, folder, oddity=""):
    print("drawing")
    return {"draw 5": 5, "draw text": "abc", "draw numbers": [3], "draw nothing": None}.get(oddity, [])
'''


@pytest.fixture
def odd(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "odd.py"
    path.write_text(ODD, encoding="utf-8")
    return str(path)


@pytest.fixture
def answered(capsys):
    """Run a command with --json: (exit code, its one document)."""
    def run(*words):
        with pytest.raises(SystemExit) as ending:
            cli.app([*words, "--json"])
        return ending.value.code, json.loads(capsys.readouterr().out)
    return run


def test_what_a_scenario_prints_stays_out_of_the_document(odd, answered):
    code, document = answered("run", odd)
    assert code == 0
    assert document["figures"] == {"Φ": 1.0}
    assert answered("info", odd)[1]["scenario"] == "odd"


@pytest.mark.parametrize(("oddity", "said"), [
    ("exit", "ends the program, sys.exit(3) (line"), ("check 5", "check returned 5; it must return {name: number}"),
    ("check list", "check returned [1, 2]"), ("draw 5", "draw returned 5; it must return the paths"),
    ("draw text", "draw returned 'abc'"), ("draw numbers", "draw returned [3]")])
def test_odd_answers_are_told(odd, answered, oddity, said):
    code, document = answered("run", odd, "--set", f"oddity={oddity}")
    assert code == (2 if oddity == "exit" else 1)
    assert said in document["error"]


@pytest.mark.parametrize("oddity", ["check keys", "draw nothing", "elsewhere"])
def test_what_is_only_unusual_is_taken(odd, answered, oddity, tmp_path):
    assert answered("run", odd, "--set", f"oddity={oddity}")[0] == 0
    assert Path.cwd() == tmp_path
    assert (tmp_path / "runs" / "odd" / "summary.json").is_file()


def test_a_study_that_gives_no_recording_is_told(odd, answered, tmp_path):
    (tmp_path / "odd.py").write_text(ODD + "\n\ndef run(oddity=''):\n    return [1]\n", encoding="utf-8")
    code, document = answered("run", odd)
    assert code == 2
    assert "run returned [1]; it must return a Recording" in document["error"]


def test_a_run_that_ends_before_its_first_frame_checks_nothing(odd, answered, tmp_path):
    (tmp_path / "odd.py").write_text(ODD + "\n\ndef run(oddity=''):\n    return [1]\n", encoding="utf-8")  # a study
    code, document = answered("run", odd, "--until", "0.05", "--no-view")
    assert (code, document["simulated_time"], document["checked"]) == (0, 0.0, False)
    assert answered("run", odd, "--until", "0.1", "--no-view")[1]["checked"]


def test_a_folder_in_the_way_is_told_before_the_run(odd, answered, tmp_path):
    (tmp_path / "runs" / "odd" / "summary.json").mkdir(parents=True)
    code, document = answered("run", odd)
    assert code == 2
    assert "is a folder, where a file is to be written" in document["error"]


def test_a_folder_that_cannot_be_written_is_told_before_the_run(odd, answered, monkeypatch):
    """The owner of a machine may write everywhere, so the refusal is made up."""
    def refused(**words):
        raise PermissionError(13, "Permission denied")
    monkeypatch.setattr(folder.tempfile, "mkstemp", refused)
    code, document = answered("run", odd)
    assert code == 2
    assert "Permission denied; name another folder" in document["error"]


@pytest.mark.skipif(folder.flock is None, reason="folders are claimed on POSIX systems alone")
def test_a_second_run_in_one_folder_is_warned(odd, answered, tmp_path):
    with folder.claimed(tmp_path / "runs" / "odd") as shared:
        assert not shared
        code, document = answered("run", odd, "--no-view")
    assert code == 0
    assert "another run is writing into runs/odd" in document["warnings"][0]
    assert not answered("run", odd, "--no-view")[1]["warnings"]


def program(*words, out=subprocess.PIPE, **variables):
    return subprocess.run([sys.executable, "-m", "robotphi", *words], stdout=out, stderr=subprocess.PIPE, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT)} | variables)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_letters_that_an_encoding_lacks_end_nothing(odd, encoding):
    done = program("info", odd, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?: prints" in done.stdout
    told = program("info", odd, "--json", PYTHONIOENCODING=encoding)
    assert json.loads(told.stdout)["about"].startswith("Φ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_standard_output_that_is_full_is_told_without_a_traceback():
    with open("/dev/full", "wb") as full:
        done = program("list", out=full)
    assert done.returncode == 1
    assert done.stderr.startswith(b"robotphi: ")
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs pipes of POSIX systems")
@pytest.mark.parametrize(("words", "both"), [("schema", False), ("list", False), ("--help", True), ("info nothing", True)])
def test_where_nobody_reads_on_a_command_ends_in_silence_as_others_do(words, both):
    ours, other = os.pipe()
    os.close(ours)
    try:
        done = subprocess.run([sys.executable, "-m", "robotphi", *words.split()], stdout=other, check=False,
                              stderr=other if both else subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)})
    finally:
        os.close(other)
    assert (done.returncode, done.stderr or b"") == (141, b"")


def test_closed_streams_end_nothing():
    done = subprocess.run(["/bin/sh", "-c", f"exec {sys.executable} -m robotphi list >&- 2>&-"], check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
