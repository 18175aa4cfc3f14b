"""The benchmark's own machinery: what it refuses, what it repeats, what it says."""
import json
import shutil
import time

import numpy as np
import pytest

from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from tests.speed import bench, calls, native, pieces, timing
from tests.speed.verdicts import judge


def test_costs_that_follow_a_power_have_its_slope():
    assert timing.slope([1e3, 1e4, 1e6], [2e3 ** 1.2, 2e4 ** 1.2, 2e6 ** 1.2]) == pytest.approx(1.2, rel=1e-12)


def test_a_disturbed_round_is_taken_again(monkeypatch):
    clock = {"own": 0.0, "busy": 0.0, "foreign": iter([0.5, 0.0, 0.0])}

    def case():
        clock["busy"] += 1.0 + next(clock["foreign"])
        clock["own"] += 1.0
        return clock["busy"]

    monkeypatch.setattr(time, "perf_counter", lambda: clock["own"])
    monkeypatch.setattr(time, "process_time", lambda: clock["own"])
    monkeypatch.setattr(timing, "busy_time", lambda: clock["busy"])
    samples = timing.sample({"case": case}, 2, np.random.default_rng(0))
    assert (samples.disturbed, samples.refused) == (0, 1)
    np.testing.assert_array_equal(samples.cost["case"], [2.5, 3.5])


def test_ratios_are_formed_round_by_round():
    samples = timing.Samples({"a": np.array([2.0, 9.0]), "b": np.array([1.0, 3.0])}, 0, 0)
    np.testing.assert_array_equal(samples.ratio("a", "b"), [2.0, 3.0])


def test_a_budget_is_met_by_the_median_alone():
    def spread(value):
        return {"median": value, "min": 0.5 * value, "max": 2 * value}

    ratio = {"ours / c lanes": 1.05, "step / c lanes": 2.1, "c lanes / c scalar": 0.5, "ours / ours 2 threads": 1.7}
    figures = {"ratio": {name: spread(value) for name, value in ratio.items()},
               "ns_per_spring": {"c lanes": spread(4.5)}}
    budgets = judge({"sizes": {10_000: figures}, "slopes": {"ours": 1.06}})
    verdicts = {budget["what"]: budget["met"] for budget in budgets}
    assert verdicts == {"C lanes, ns per spring": True, "spring step / C lanes": True, "adaptive step / C lanes": False,
                        "gain of 2 threads, spring step": False, "log–log slope, spring step": False}


def test_calls_are_judged_by_their_medians():
    def figures(entry, stop):
        return {"microseconds": {"entry": {"median": entry}, "stop": {"median": stop}}}

    budgets = calls.judge_calls({"one": figures(2.9, 15.1), "other": figures(3.1, 14.9)})
    assert [budget["met"] for budget in budgets] == [True, False, False, True]


def test_pieces_are_judged_each_by_its_limit():
    found = dict.fromkeys(pieces.LIMITS, 2.0)
    assert [budget["met"] for budget in pieces.judge_pieces(found)] == [name != "spring sensor" for name in pieces.LIMITS]


def test_the_ball_of_the_pieces_is_in_the_soft_part_where_it_is_said_to_be():
    for depth in (pieces.PRESSED, -pieces.PRESSED):
        simulator = Simulator(pieces.pressed(depth), threads=1)
        simulator.begin()
        assert len(simulator.recording().contacts(0).first) == (depth > 0.0)


def test_stops_and_frames_of_a_call_scene_take_the_same_steps():
    for make in calls.SCENES.values():
        few, many = (Simulator(build_model(make(frames))) for frames in (1, 5))
        for instant in many.frame_times[1:]:
            few.advance_to(instant)
            many.advance_frame()
        assert few.counts() == many.counts()


def test_without_a_compiler_it_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    assert bench.main(["--quick"]) == 2
    assert "no C compiler" in capsys.readouterr().err


def test_a_size_without_a_grid_is_bad_input(capsys):
    with pytest.raises(SystemExit) as stop:
        bench.main(["--sizes", "300"])
    assert stop.value.code == 2
    assert "allowed are 200, 1000" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(PLAIN or shutil.which("gcc") is None, reason="times compiled code against C")
def test_json_is_one_document_with_every_figure(capsys):
    assert bench.main(["--json", "--quick", "--sizes", "200", "--repeats", "1", "--bare"]) == 0
    document = json.loads(capsys.readouterr().out)
    figures = document["sizes"]["200"]
    assert figures["springs"] == 1052
    assert {"c scalar", "c lanes", "kernels", "ours", "ours 2 threads"} == set(figures["cost"])
    assert figures["ratio"]["ours / c lanes"]["median"] > 0
    assert {budget["what"] for budget in document["budgets"]} == {"C lanes, ns per spring", "spring step / C lanes"}
