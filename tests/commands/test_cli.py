"""The command line: what it prints, what it writes, and how it ends."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robotphi
from robotphi.commands import bench, cli
from robotphi.commands.run import parse_knobs, time_taken
from robotphi.record.recording import Recording
from robotphi.scenario import file as scenario_file
from robotphi.scenario.perform import Outcome

STUDY = '''"""A fall that needs no simulator: y(t) = −g t²/2.

More words.
"""
from pathlib import Path

import numpy as np

from robotphi.errors import CheckFailed, SceneError, SimulationDiverged
from robotphi.record.recorder import Recorder
from robotphi.scenario import run_scenario


def build(gravity=9.81, frames=5, label="fall", closed=True):
    if gravity < 0:
        raise SceneError("gravity is negative; give 0 or more")
    return 1.0 / frames


def run(gravity=9.81, frames=5, label="fall", closed=True, until=1.0, ending="done"):
    build(gravity, frames)
    recorder = Recorder(frames)
    nothing = {f"rigid_{name}": np.zeros((0, size)) for name, size in
               (("position", 3), ("orientation", 4), ("velocity", 3), ("spin", 3), ("momentum", 3))}
    for time in np.linspace(0.0, until, frames + 1):
        recorder.add_frame(time, [[0, 0, -0.5 * gravity * time**2]], [[0, 0, -gravity * time]], **nothing,
                           ledger={"kinetic": 0.5 * (gravity * time) ** 2, "residual": 0.0, "reference_energy": 1.0})
    recording = recorder.recording("done" if ending == "diverged" else ending, {"accepted": frames}, {"scene": label})
    if ending == "diverged":
        raise SimulationDiverged("the step reached its floor at 0.5 s", recording)
    return recording


def check(recording, gravity=9.81):
    fall = float(recording.position[-1, 0, 2])
    if gravity > 100:
        raise CheckFailed(f"the fall is {fall} m")
    return {"fall [m]": fall, "nothing": float("nan")}


def draw(recording, folder):
    path = Path(folder) / "fall.png"
    path.write_bytes(b"not really a picture")
    return [path]


if __name__ == "__main__":
    run_scenario(__file__)
'''


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "fall.py"
    path.write_text(STUDY, encoding="utf-8")
    return str(path)


@pytest.fixture
def command(capsys):
    """Run a command in this process: (exit code, standard output, standard error)."""
    def run(*words):
        with pytest.raises(SystemExit) as ending:
            cli.app(list(words))
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return ending.value.code or 0, output.out, output.err
    return run


def test_run_simulates_checks_draws_and_keeps(study, command, tmp_path):
    code, out, err = command("run", study)
    folder = Path("runs/fall")
    assert code == 0
    assert "check passed" in out
    assert "-4.905" in out
    assert err == ""
    recording = Recording.load(folder / "recording.vtkhdf")
    assert recording.position[-1, 0, 2] == -4.905
    assert sorted(path.name for path in folder.iterdir()) == ["fall.png", "recording.vtkhdf", "summary.json"]
    assert json.loads((folder / "summary.json").read_text())["figures"]["fall [m]"] == -4.905


def test_times_that_are_told_know_running_from_loading():
    told = Outcome("fall", None, {}, simulated_time=3.0, wall_time=5.0, running_time=1.5)
    assert time_taken(told) == "1.5 s (2 × real time; 3.5 s beside for the scene, compiled code and files)"
    assert time_taken(Outcome("fall", None, {}, simulated_time=3.0, wall_time=5.0)) == "5 s"


def test_json_is_one_document_and_nothing_else(study, command):
    code, out, err = command("run", study, "--json", "--out", "elsewhere", "--set", "frames=7")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["knobs"] == {"frames": 7}
    assert document["passed"]
    assert document["checked"]
    assert document["figures"]["nothing"] is None, "JSON has no NaN"
    assert [Path(path).is_file() for path in (*document["recordings"], *document["pictures"])] == [True, True]


@pytest.mark.parametrize(("words", "said"), [
    (["run"], "NAME|FILE"),
    (["run", "two_masses", "--threads", "0"], "--threads"),
    (["run", "two_masses", "--threads", "two"], "--threads"),
    (["run", "two_masses", "--until", "-1"], "above 0"),
    (["run", "two_masses", "three_masses"], "three_masses"),
    (["run", "two_masses", "--sett", "a=1"], "--sett"),
    (["dance"], "dance"),
    (["list", "--all"], "--all"),
    (["info"], "FILE"),
    (["bench", "--fast"], "--fast"),
    (["bench", "--sizes", "7"], "allowed are"),
])
@pytest.mark.parametrize("place", [0, -1])
def test_wrong_words_with_json_leave_one_document_and_end_with_two(command, words, said, place):
    given = [*words[:1], "--json", *words[1:]] if place == 0 else [*words, "--json"]
    code, out, err = command(*given)
    document = json.loads(out)
    assert (code, document["exit_code"]) == (2, 2)
    assert said in document["error"]
    assert said in err, "people read it too"


def test_the_program_itself_answers_wrong_words_in_json():
    done = subprocess.run([sys.executable, "-m", "robotphi", "run", "--json"], capture_output=True, text=True, check=False,
                          cwd=Path(robotphi.__file__).parents[1])
    assert done.returncode == 2
    assert "NAME|FILE" in json.loads(done.stdout)["error"]


def test_no_view_draws_nothing(study, command):
    assert json.loads(command("run", study, "--json", "--no-view")[1])["pictures"] == []


def test_a_wrong_figure_ends_with_one_and_still_leaves_everything(study, command):
    code, out, err = command("run", study, "--set", "gravity=1000")
    assert code == 1
    assert "check failed" in out
    assert "the fall is -500.0 m" in err
    assert Path("runs/fall/fall.png").exists()


def test_a_run_that_diverges_keeps_its_recording(study, command):
    code, out, err = command("run", study, "--set", "ending=diverged", "--json")
    document = json.loads(out)
    assert (code, document["status"], document["checked"]) == (1, "diverged", False)
    assert "reached its floor" in document["error"]
    assert len(Recording.load(document["recordings"][0])) == 6


@pytest.mark.parametrize("ending", ["interrupted", "wall limit"])
def test_a_run_that_ends_early_is_not_checked_and_ends_with_one(study, command, ending):
    code, out, err = command("run", study, "--set", f"ending={ending}")
    assert code == 1
    assert "not checked" in out
    assert ending in err
    assert Path("runs/fall/recording.vtkhdf").exists()


@pytest.mark.parametrize(("words", "said"), [
    (["--set", "gravty=3"], "did you mean gravity"),
    (["--set", "gravity"], "not name=value"),
    (["--set", "gravity=strong"], "takes a number such as 9.81, not 'strong'"),
    (["--set", "closed=1"], "takes true or false"),
    (["--set", "label=3"], "takes a text"),
    (["--set", "gravity=-1"], "give 0 or more"),
    (["--set", "frames=0"], "ZeroDivisionError"),
    (["--threads", "2"], "build returned 0.2; it must return a Scene"),
    (["--until", "-3"], "above 0"),
    (["--until", "nan"], "above 0"),
    (["--wall-limit", "0"], "above 0"),
    (["--out", "fall.py"], "cannot write to fall.py"),
    (["--until", "soon"], "--until"),
    (["--threads", "0"], "--threads"),
    (["--sett", "a=1"], "--sett"),
])
def test_bad_input_ends_with_two_and_says_what_would_work(study, command, words, said):
    code, out, err = command("run", study, *words)
    assert code == 2
    assert said in err.replace("\n", " ")
    assert out == ""


@pytest.mark.parametrize(("source", "said"), [
    ("def build(:\n", "line 1"),
    ("import nowhere_to_be_found\n", "nowhere_to_be_found"),
    ("x = 1\n", "has no function build"),
    ("def build(): pass\ndef check(r): pass\ndef draw(r, f): pass\ndef run():\n    return 1 / 0\n", "line 5"),
])
def test_a_broken_scenario_file_is_told_without_a_traceback(tmp_path, command, source, said):
    path = tmp_path / "broken.py"
    path.write_text(source)
    code, out, err = command("run", str(path), "--out", str(tmp_path / "out"))
    assert code == 2
    assert said in err


def test_an_unknown_scenario_gets_the_nearest_names_and_the_list(command, monkeypatch):
    monkeypatch.setattr(scenario_file, "list_scenarios", lambda: {"two_masses": "", "cantilever": ""})
    code, out, err = command("run", "two_mases")
    assert code == 2
    assert "did you mean two_masses?" in err
    assert "cantilever" in err
    assert json.loads(command("run", "two_mases", "--json")[1])["exit_code"] == 2


def test_a_picture_outside_the_folder_is_refused(study, command):
    path = Path(study)
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace('Path(folder) /', 'Path(folder).parent /'), encoding="utf-8")
    code, out, err = command("run", study)
    assert code == 1
    assert "outside its folder" in err


def test_values_of_set_are_json_scalars_or_texts():
    words = ["a=1", "b=2.5e-3", "c=true", "d=null", "e=word", 'f="3"', "g=[1, 2]", "h=x=y", "i="]
    assert parse_knobs(words) == {"a": 1, "b": 2.5e-3, "c": True, "d": None, "e": "word", "f": "3", "g": "[1, 2]",
                                  "h": "x=y", "i": ""}


def test_list_names_every_scenario(command):
    code, out, err = command("list", "--json")
    names = [row["name"] for row in json.loads(out)]
    assert code == 0
    assert names == sorted(scenario_file.list_scenarios())
    assert all(name in command("list")[1] for name in names)


def test_a_broken_scenario_does_not_hide_the_others(command, tmp_path, monkeypatch):
    (tmp_path / "good.py").write_text('"""What it shows."""')
    (tmp_path / "broken.py").write_text("def build(:")
    monkeypatch.setattr(scenario_file, "scenario_folder", lambda: tmp_path)
    rows = {row["name"]: row["summary"] for row in json.loads(command("list", "--json")[1])}
    assert rows["good"] == "What it shows."
    assert rows["broken"].startswith("cannot be read")


def test_info_shows_a_recording(study, command):
    command("run", study)
    document = json.loads(command("info", "runs/fall/recording.vtkhdf", "--json")[1])
    assert (document["status"], document["frames"], document["particles"]) == ("done", 6, 1)
    code, out, err = command("info", "runs/fall/recording.vtkhdf")
    assert code == 0
    assert "kinetic" in out


def test_info_shows_the_knobs_of_a_scenario(study, command):
    document = json.loads(command("info", study, "--json")[1])
    assert document["knobs"] == {"gravity": 9.81, "frames": 5, "label": "fall", "closed": True, "ending": "done"}
    assert "More words." in command("info", study)[1]


@pytest.mark.parametrize("words", [["info", "absent.h5"], ["info", "."], ["info", "no_such_scenario"],
                                   ["verify", "nonsense"], ["dance"]])
def test_what_does_not_exist_ends_with_two(command, words):
    assert command(*words)[0] == 2


def test_bench_says_what_is_missing(command, monkeypatch):
    monkeypatch.setattr(bench, "COMPILER", "no-such-compiler")
    code, out, err = command("bench")
    assert code == 2
    assert "needs a C compiler" in err
    monkeypatch.setattr(bench, "__file__", "/nowhere/robotphi/commands/bench.py")
    code, out, err = command("bench", "--json")
    assert code == 2
    assert "source tree" in json.loads(out)["error"]


def test_a_scenario_file_runs_by_itself(study):
    environment = os.environ | {"PYTHONPATH": str(Path(robotphi.__file__).parents[1])}
    done = subprocess.run([sys.executable, study], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "fall [m]" in done.stdout
    assert "recording.vtkhdf" in done.stdout


def test_python_m_robotphi_is_the_command():
    done = subprocess.run([sys.executable, "-m", "robotphi", "--version"], capture_output=True, text=True, check=False,
                          cwd=Path(robotphi.__file__).parents[1])
    assert done.returncode == 0
    assert done.stdout.startswith("robotphi ")


def test_knobs_given_as_whole_numbers_reach_the_scenario_as_they_are(study, command):
    command("run", study, "--set", "frames=3")
    assert np.array_equal(Recording.load("runs/fall/recording.vtkhdf").time, np.linspace(0, 1, 4))


def test_a_study_keeps_every_recording_whatever_its_name(study, command):
    path = Path(study)
    several = "    return {'μ = 1': recording, '../../up': recording}\n"
    source = path.read_text(encoding="utf-8").replace("    return recording\n", several)
    path.write_text(source.replace("fall = float(recording", "fall = float(recording['μ = 1']"), encoding="utf-8")
    document = json.loads(command("run", study, "--json")[1])
    assert document["passed"]
    assert document["recordings"] == ["runs/fall/recording_00_1.vtkhdf", "runs/fall/recording_01_up.vtkhdf"]
    assert document["simulated_time"] == 2.0
