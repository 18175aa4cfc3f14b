"""The table of steps: what is told of a run is what the run says of itself, and ratios are formed of the same runs."""
import json
from dataclasses import fields

import pytest

from robotphi import Stepping, simulate
from robotphi.run.simulator import Simulator
from robotphi.scenario.file import load_scenario
from tests.speed import robots, steps

NAME = "two_masses"


def made_up(attempts, simulated=1.0, ruled=True):
    return {"scene": "scene", "asked": "budget 0.0001", "ruled": ruled, "status": "done", "simulated": simulated,
            "attempts": attempts, "accepted": attempts, "limits": {"budget": attempts}, "loop": 1e-6 * attempts,
            "spent": 2e-6 * attempts, "residual": 0.1}


def test_figures_are_those_of_the_run():
    recording = simulate(load_scenario(NAME).module.build())
    runs, problem = steps.runs_of(NAME, {})
    assert not problem
    (name, run), = runs.items()
    assert name.startswith("two_masses: two masses, budget ")
    assert [run[what] for what in ("attempts", "accepted")] == [recording.counts[what] for what in ("attempts", "accepted")]
    assert steps.mean_step(run) == pytest.approx(recording.time[-1] / recording.counts["accepted"], rel=1e-12)
    assert sum(run["limits"].values()) == recording.counts["accepted"]
    assert 0.0 < run["residual"] <= 1.0


def test_a_budget_takes_the_place_of_that_of_the_scene_and_keeps_its_name():
    given, loose = (steps.runs_of(NAME, changed)[0] for changed in ({}, {"budget": 1e-2}))
    assert list(given) == list(loose)
    assert [run["attempts"] for run in loose.values()] < [run["attempts"] for run in given.values()]


def test_the_simulator_is_as_it_was():
    before = Simulator.__init__, Simulator.run, Simulator._drive
    steps.runs_of(NAME, {})
    assert (Simulator.__init__, Simulator.run, Simulator._drive) == before


def test_robots_are_run_by_name_as_far_as_the_benchmark_runs_them(monkeypatch):
    def build(duration):
        return load_scenario(NAME).module.build(duration=duration, frames=10)

    monkeypatch.setattr(steps, "robots", lambda: {"short": robots.Robot(build, {"duration": 1.0}, 0.5, 0.1, None)})
    runs, problem = steps.runs_of("short", {})
    (name, run), = runs.items()
    assert (name, run["simulated"], problem) == ("short: two masses, budget 0.0001", pytest.approx(0.5), "")


def test_what_goes_wrong_in_one_scenario_is_told_and_leaves_the_others(monkeypatch):
    def broken(name, *_):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(steps, "simulate", broken)
    document = steps.measure([NAME, "spring_pendulum"], {})
    assert document["problems"] == dict.fromkeys([NAME, "spring_pendulum"], "RuntimeError: no such luck")


def test_ratios_are_those_of_runs_in_both_that_a_budget_rules():
    before = {"runs": {"a: x": made_up(400), "a: y": made_up(100), "b: z": made_up(900), "b: fixed": made_up(7, ruled=False)}}
    after = {"runs": {"a: x": made_up(100), "a: y": made_up(100), "b: z": made_up(100), "b: fixed": made_up(7, ruled=False),
                      "c: new": made_up(5)}}
    pairs = steps.pairs_of(before, after)
    assert [name for name, *_ in pairs] == ["a: x", "a: y", "b: z"]
    fewer = [dict(steps.RATIOS)["fewer attempts"](old, new) for _, old, new in pairs]
    assert fewer == [4.0, 1.0, 9.0]
    assert (steps.median(fewer), steps.geometric_mean(fewer)) == (4.0, pytest.approx(36.0 ** (1 / 3)))
    assert steps.of_scenarios(pairs, fewer) == pytest.approx([2.0, 9.0])
    assert steps.comparison(before, after).row_count == 3 + 4 + 4


def test_kept_figures_are_compared_without_a_run(tmp_path, capsys):
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    for path, attempts in ((before, 300), (after, 100)):
        path.write_text(json.dumps({"runs": {"a: x": made_up(attempts)}, "problems": {}}))
    assert steps.main(["--from", str(after), "--compare", str(before)]) == 0
    assert "3.00" in capsys.readouterr().out


def test_an_accuracy_that_is_not_known_is_refused():
    known = any(field.name == "accuracy" for field in fields(Stepping))
    options = steps.parse(["--accuracy", "path"])
    if known:
        assert steps.changes(options) == {"accuracy": "path"}
    else:
        with pytest.raises(SystemExit, match="knows no accuracy"):
            steps.changes(options)
