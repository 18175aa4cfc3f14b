"""Advice after a run is true: the changed scene runs with the steps that were foretold.

What is foretold is the mean step of the steps in question, told to two digits and, of what is tried, from three pieces of
some tens of steps: the steps of the changed run are to be as many within a fifth.
"""
import re

import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model, simulate
from robotphi.record.causes import all_causes
from robotphi.run.advice import slow, trial
from robotphi.scenario import load_scenario
from robotphi.verification import paths

LENGTHS = {"m": 1.0, "mm": 1e-3, "µm": 1e-6}
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
WITHIN = 0.2


@pytest.fixture(autouse=True)
def short_runs_are_advised(monkeypatch):
    monkeypatch.setattr(slow, "MANY", 100)


def net(stiffness=1e4, beside=100.0, viscosity=0.0, duration=2.0, **stepping):
    """Three particles in a row on a soft spring to the wall: two stiff springs in turn, or one that is."""
    scene = Scene("net", duration=duration, frames=4, gravity=(0, 0, 0), stepping=Stepping(**({"budget": 1.0} | stepping)))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    p = scene.add_particles("p", [(1, 0, 0), (2, 0, 0), (3, 0, 0)], 0.1, velocity=(1, 0, 0))
    scene.add_linear("soft", wall, p[0], 100.0)
    scene.add_linear("first", p[0], p[1], stiffness, viscosity=viscosity)
    scene.add_linear("second", p[1], p[2], beside)
    return scene


def pendulum(**stepping):
    """A ball on a spring, of which the budget sets every step."""
    scene = Scene("pendulum", duration=10.0, frames=20, stepping=Stepping(**stepping))
    pivot = scene.add_particle("pivot", (0, 0, 0), 1.0, support="xyz")
    scene.add_linear("spring", pivot, scene.add_particle("ball", (0.8, 0, -0.7), 1.0, velocity=(0, 1, 0)), 60.0)
    return scene


def advised(scene):
    """(recording, the cause of most steps, the advice on it)."""
    recording = simulate(scene)
    cause = next(each for each in all_causes(recording) if each.limit not in ("event", "user"))
    return recording, cause, recording.info["advice"][0]


def step_of(text):
    """The foretold step [s]."""
    dt, unit = re.search(r"would give ([\d.e+-]+) (\S*s)\b", text).groups()
    return float(dt) * UNITS[unit]


def numbers_of(text):
    """(proposed value, foretold step [s])."""
    return float(re.search(r"([\d.e+-]+) instead", text).group(1)), step_of(text)


def assert_foretold(recording, cause, dt, changed):
    """The changed scene runs in as many steps as the foretold length of those in question makes."""
    assert_steps(recording, cause, dt, simulate(changed))


def assert_steps(recording, cause, dt, changed):
    accepted = recording.counts["accepted"]
    foretold = accepted - cause.steps + cause.steps * cause.dt / dt
    assert dt > slow.WORTH * cause.dt
    assert changed.counts["accepted"] == pytest.approx(foretold, rel=WITHIN)


@pytest.mark.parametrize("budget", [1e-5, 1e-8])
def test_trials_cost_a_thirtieth_of_the_attempts_of_a_run_or_one_piece_a_side(monkeypatch, budget):
    """Of a short run one piece as it was and one changed, of a long one so many as that pays for."""
    attempts, advance = [], trial._advance

    def counted(loop, state, most):
        attempts.append(most)
        advance(loop, state, most)

    monkeypatch.setattr(trial, "_advance", counted)
    recording, _, _ = advised(pendulum(budget=budget))
    of_run = recording.counts["attempts"]
    one_piece = trial.FIRST + int(np.clip(trial.SHARE * recording.counts["accepted"], trial.FEWEST, trial.MOST))
    assert (of_run > 2 * trial.PIECES * one_piece / trial.ALLOWED) == (budget == 1e-8)   # both are tried
    assert 2 * one_piece <= sum(attempts) <= max(trial.ALLOWED * of_run, 2 * one_piece)


def test_less_stiffness_of_a_block_gives_the_step_foretold():
    recording, cause, text = advised(net())
    assert "set by the stiffness of 'first'" in text
    value, dt = numbers_of(text)
    assert "'second'" not in text
    assert_foretold(recording, cause, dt, net(stiffness=value))


def test_blocks_that_are_as_stiff_are_named_together():
    recording, cause, text = advised(net(beside=9.9e3))
    value, dt = numbers_of(text)
    assert "and as much less in 'second'" in text
    assert_foretold(recording, cause, dt, net(stiffness=value, beside=9.9e3 * value / 1e4))
    alone = simulate(net(stiffness=value, beside=9.9e3))
    assert alone.counts["accepted"] > 1.3 * simulate(net(stiffness=value, beside=9.9e3 * value / 1e4)).counts["accepted"]


def test_less_viscosity_of_a_block_gives_the_step_foretold():
    """As much as costs half of the step, where stages of dampers apart would cost more than half of the time."""
    recording, cause, text = advised(net(viscosity=19.0))
    assert "set by the viscosity of 'first'" in text
    value, dt = numbers_of(text)
    assert_foretold(recording, cause, dt, net(viscosity=value))


def test_where_the_scheme_leaks_the_other_one_is_tried():
    recording, cause, text = advised(pendulum(scheme="taylor", budget=1e-3))
    assert 'scheme="verlet" would give' in text
    assert recording.info["accuracy"] == "energy"
    assert text.endswith("or more")   # of what grows for longer than a trial
    far = simulate(pendulum(budget=1e-3)).counts["accepted"]
    assert cause.dt / step_of(text) > (1.0 - WITHIN) * far / recording.counts["accepted"]


def test_a_larger_budget_gives_the_step_foretold():
    recording, cause, text = advised(pendulum(budget=1e-6))
    assert "set by the budget of 1e-06" in text
    value, dt = numbers_of(text)
    assert value == 1e-5
    assert_foretold(recording, cause, dt, pendulum(budget=value))


def test_a_larger_budget_for_the_path_gives_the_step_foretold():
    recording, cause, text = advised(paths.circle_scene(1e-6))
    assert "set by the budget of 1e-06, for the path" in text
    assert 'accuracy="energy" asks nothing of the path' in text
    value, dt = numbers_of(text)
    assert_foretold(recording, cause, dt, paths.circle_scene(value))


def test_a_larger_tolerance_gives_the_step_foretold():
    stepping = {"scheme": "taylor", "control": "energy", "energy_tolerance": 1e-5}
    recording, cause, text = advised(pendulum(**stepping))
    assert "set by the energy tolerance" in text
    value, dt = numbers_of(text)
    assert_foretold(recording, cause, dt, pendulum(**(stepping | {"energy_tolerance": value})))


def test_a_softer_contact_gives_the_step_and_depth_foretold():
    """A box on the ground that balls roll on: half of the steps are its contact's, beside the dampers of which it is softer."""
    model = build_model(load_scenario("billiards").module.build(budget=3e-4))
    recording = Simulator(model).run()
    [cause] = [each for each in all_causes(recording) if each.thing == "pair" and each.steps > 1000]
    [text] = [each for each in recording.info["advice"] if "the stiffness of contact of 'box' and 'ground'" in each]
    value, dt = numbers_of(text)
    depth, unit = re.search(r"would give .*, ([\d.e+-]+) (\S+) deep", text).groups()
    softer = Simulator(model.with_values({(("ground", "box"), "stiffness"): value})).run()
    assert_steps(recording, cause, dt, softer)
    sunk = max(softer.rows["contacts"]["depth"][softer.rows["contacts"]["area"] > 0.01])
    assert sunk == pytest.approx(float(depth) * LENGTHS[unit], rel=WITHIN)


@pytest.mark.parametrize("budget", [0.1, 0.03, 0.01])
def test_no_step_is_foretold_that_stability_or_path_forbid(budget):
    """Where a larger budget alone would make steps longer than they allow."""
    longest = simulate(net(stiffness=1e3, budget=10.0 * budget)).steps["dt"].max()
    advice = simulate(net(stiffness=1e3, budget=budget)).info["advice"]
    assert any("set by the budget" in text for text in advice)
    assert all(step_of(text) <= (1.0 + WITHIN) * longest for text in advice)


def test_a_trial_changes_nothing_of_the_run():
    """Neither the state, which goes on with the same bits, nor what was recorded."""
    simulator = Simulator(build_model(pendulum(budget=1e-6)))
    recording = simulator.run(until=5.0)
    held = simulator.state.position.copy(), {name: values.copy() for name, values in recording.checkpoint.items()}
    assert simulator.recording().info["advice"] == recording.info["advice"] != []
    np.testing.assert_array_equal(simulator.state.position, held[0])
    for name, values in held[1].items():
        np.testing.assert_array_equal(recording.checkpoint[name], values)
    np.testing.assert_array_equal(simulator.run().position[-1], simulate(pendulum(budget=1e-6)).position[-1])


def test_fixed_steps_get_no_advice_and_are_their_users():
    recording = simulate(pendulum(control="fixed", dt=1e-3))
    assert recording.info["advice"] == []
    assert recording.counts["limited_by_user"] == recording.counts["accepted"]
    assert [cause.name for cause in all_causes(recording)] == ["the fixed step"]
