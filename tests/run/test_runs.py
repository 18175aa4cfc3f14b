"""Every scenario by the command line: each of its knobs, each option of a run, one frame, and a ledger that does not close."""
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from robotphi import simulate
from robotphi.commands import cli
from robotphi.errors import CheckFailed
from robotphi.record.balance import balance, balance_line, check_balance, rounding_floor, worst
from robotphi.record.recording import Recording
from robotphi.scenario.file import accepted, list_scenarios, load_scenario

SCENARIOS = {name: load_scenario(name) for name in sorted(list_scenarios())}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name == "discretisations" else name  # seconds to build
         for name in SCENARIOS]
STUDIES = [name for name, scenario in SCENARIOS.items() if scenario.is_study]
BRIEF = "0.02"  # s: a frame or a few of every scenario

SMALL = '''"""Two falls, or one."""
from robotphi import Drive, Scene, Stepping, simulate


def build(mass=1.0, budget=1e-4, push="none", duration=0.1):
    scene = Scene("fall", duration=duration, frames=2, stepping=Stepping(budget=budget))
    ball = scene.add_particle("ball", (0, 0, 0), mass, velocity=(1, 0, 0))
    if push == "function":
        scene.add_force("push", ball, (1, 0, 0), drive=lambda t: t * t)
    if push == "jump":
        scene.add_force("push", ball, (1, 0, 0), drive=lambda t: 1.0 if t > 0.05 else 0.0)
    return scene


def run(count=2, mass=1.0):
    return {str(i): simulate(build(mass, push="function")) for i in range(count)}


def check(recordings):
    return {"runs": len(recordings)}


def draw(recordings, folder):
    return []
'''


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Run `robotphi run … --json` in this process: (exit code, document, standard error)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as ending:
            cli.app(["run", *words, "--json"])
        output = capsys.readouterr()
        return ending.value.code or 0, json.loads(output.out), output.err
    return run


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


def set_to(knobs):
    """Words that set knobs to values."""
    return [word for name, value in knobs.items()
            for word in ("--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}")]


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_takes_its_knobs_a_budget_and_the_options_of_a_run(name, command):
    knobs = SCENARIOS[name].scene_knobs | accepted(SCENARIOS[name].module.build, SCENARIOS[name].module.QUICK)
    options = ["--until", BRIEF, "--threads", "1", "--wall-limit", "1e6", "--no-view"]
    code, document, err = command(name, *set_to(knobs | {"budget": 1e-2}), *options)
    assert code == 0, err
    recording = Recording.load(document["recordings"][0])
    assert (recording.info["budget"], recording.info["threads"], len(document["recordings"])) == (1e-2, 1, 1)
    assert recording.time[-1] <= float(BRIEF) * (1 + 1e-12)
    assert document["ledger"][name]["kept"] is True


@pytest.mark.parametrize("name", STUDIES)
def test_the_single_scene_of_a_study_says_so_and_is_checked_and_drawn_by_its_ledger(name, command):
    code, document, err = command(name, "--set", "budget=1e-2", "--until", "0.1")
    assert (code, document["study"], document["checked"]) == (0, False, True)
    assert len([line for line in err.splitlines() if "it ends at" not in line]) == 1   # two scenes end before that, and say so
    why = "--until" if "budget" in SCENARIOS[name].study_knobs else "budget and --until"  # a knob of both says nothing
    assert f"not the study, because of {why}" in err
    assert [Path(path).name for path in document["pictures"]] == ["ledger.png", "steps.png"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "knob"), [(name, knob) for name, one in SCENARIOS.items() for knob in one.scene_knobs])
def test_every_knob_of_a_scene_can_be_set_to_its_default(name, knob, command):
    given = {knob: SCENARIOS[name].scene_knobs[knob]}
    assert command(name, *set_to(given), "--until", BRIEF, "--no-view")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_every_knob_of_a_study_can_be_set_to_its_default(name, command):
    scenario = SCENARIOS[name]
    given = scenario.study_knobs | accepted(scenario.module.run, scenario.module.QUICK)
    code, document, err = command(name, *set_to(given), "--no-view")
    told = err.splitlines()
    if name == "cantilever":   # of 2e-10 J that a coarse rod takes to bend, rounding of places 1 m away makes more than 1e-4
        told = [line for line in told if not line.startswith("robotphi: warning: the ledger leaves ")]
    assert (code, document["study"], document["note"], told) == (0, True, "", [])
    assert all(each["closes"] is not False for each in document["ledger"].values())


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_of_one_frame_is_drawn_without_a_word(name, command):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code, document, _ = command(name, "--until", "1e-9")
    assert code == 0, document["error"]
    assert (document["simulated_time"], document["checked"]) == (0.0, False)
    assert all(Path(path).stat().st_size > 1000 for path in document["pictures"])


@pytest.mark.parametrize(("words", "study", "files"), [
    ([], True, 2), (["--set", "count=1"], True, 1), (["--set", "mass=2"], True, 2), (["--set", "budget=1e-3"], False, 1),
    (["--set", "mass=2", "--set", "budget=1e-3"], False, 1), (["--wall-limit", "1e6"], False, 1),
    (["--threads", "1"], False, 1)])
def test_what_only_build_or_one_run_takes_leaves_the_study_aside(small, command, words, study, files):
    code, document, _ = command(small, *words)
    assert (code, document["study"], len(document["recordings"])) == (0, study, files)
    assert bool(document["figures"]) is study


@pytest.mark.parametrize("words", [["--set", "budget=1e-3"], ["--until", "0.1"]])
def test_a_knob_of_the_study_and_what_a_single_scene_takes_do_not_go_together(small, command, words):
    code, document, _ = command(small, "--set", "count=1", *words)
    assert code == 2
    assert "belongs to its study (count) and what belongs to a single scene" in document["error"]
    assert words[-1].partition("=")[0] in document["error"] or words[0] in document["error"]


def test_the_errors_of_sampled_drives_are_shown(small, command, capsys):
    assert 0 < command(small)[1]["sampling_errors"]["push"] < 1e-12
    with pytest.warns(UserWarning, match="miss the function"):
        document = command(small, "--set", "push=jump")[1]
    assert document["sampling_errors"]["push"] > 0.1
    with pytest.raises(SystemExit):
        cli.app(["info", document["recordings"][0]])
    assert "by how much their samples miss them" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="miss the function"), pytest.raises(SystemExit):
        cli.app(["run", small, "--set", "push=jump"])
    out = capsys.readouterr().out
    assert "push: its samples miss the function by up to" in out
    assert "of the largest energy is unexplained, budget 0.0001, kept" in out


@pytest.fixture(scope="module")
def leaking():
    """A recording whose residual was raised above its budget by hand."""
    recording = simulate(SCENARIOS["spring_pendulum"].module.build(duration=0.1, frames=2))
    recording.ledger["largest_residual"] = 2e-6 * recording.ledger["reference_energy"]
    recording.info["budget_kept"] = False
    return recording


def test_a_ledger_that_does_not_close_fails(leaking):
    with pytest.raises(CheckFailed, match=r"the ledger does not close: stiff: 2\.00e-06 of .* the budget is 1e-06"):
        check_balance(leaking, "stiff")
    assert balance(leaking)["kept"] is False
    assert worst({"a": {"share": 0.5, "budget": None}, "b": {}, "c": balance(leaking)})[0] == "c"


def test_what_rounding_explains_is_no_fault(leaking):
    """At rest hardly any energy moves: the residual of rounding is a large share of next to nothing."""
    counts = leaking.counts | {"accepted": 10}
    ledger = {name: np.zeros(2) for name in leaking.ledger} | {"gravity": np.full(2, -3.0)}
    floor = 10 * 4 * np.finfo(float).eps * 3.0
    for residual, closes in ((0.9 * floor, True), (1.1 * floor, False)):
        values = {**vars(leaking), "counts": counts, "ledger": ledger | {"largest_residual": np.full(2, residual)}}
        figures = balance(Recording(**values))
        assert rounding_floor(Recording(**values)) == pytest.approx(floor)
        assert (figures["kept"], figures["closes"]) == (False, closes)
        assert ("missed by rounding alone" if closes else "NOT kept") in balance_line(figures)


@pytest.mark.parametrize("change", [{"control": "fixed"}, {"control": "energy"}, {"budget_kept": None}, {"budget": 1e-5}])
def test_a_recording_without_a_budget_to_keep_passes(leaking, change):
    info = {name: value for name, value in {**leaking.info, "budget_kept": True, **change}.items() if value is not None}
    values = {**vars(leaking), "info": info}
    assert check_balance(Recording(**values))["share"] == pytest.approx(2e-6)


@pytest.mark.parametrize("words", [[], ["--until", "0.05"]])
def test_a_run_whose_ledger_does_not_close_is_reported_as_failed(small, command, words, monkeypatch):
    from robotphi.run.simulator import Simulator

    whole = Simulator.recording

    def leaking(simulator, status="done"):
        recording = whole(simulator, status)
        recording.ledger["largest_residual"] = np.ones(len(recording))
        return recording

    monkeypatch.setattr(Simulator, "recording", leaking)
    code, document, err = command(small, *words)
    assert (code, document["passed"]) == (1, False)
    assert document["error"].startswith("the ledger does not close: ")
    assert "the ledger does not close" in err
