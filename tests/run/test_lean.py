"""Lean runs: what they read is, to the bit, what a simulator of the same model reads, whatever they ran before."""
import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model
from robotphi.run.lean import DIVERGED, DONE, LIMIT, Lean
from robotphi.scenario import load_scenario

TIMES = np.array([0.1, 0.25, 0.3])


def swinging():
    scene = Scene("swinging", duration=0.5, frames=1)
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
    balls = scene.add_particles("balls", [(0.1 * k, 0, 0) for k in range(1, 4)], 0.2)
    scene.add_linear("rope", hook, balls[0], 300.0, 1.0, rest_length=0.1)
    scene.add_linear("links", balls[:-1], balls[1:], 300.0, 0.5, rest_length=0.1)
    scene.add_angular("bends", balls[0], balls[1], balls[2], 0.5, 0.01)
    scene.add_force("push", balls[2], (0.0, 1.0, 0.0))
    scene.add_sensor("end", "position", balls[2])
    scene.add_sensor("pull", "tension", "rope")
    return scene


CHANGES = [
    {("rope", "stiffness"): 500.0}, {("links", "viscosity"): 0.0}, {("bends", "stiffness"): 2.0}, {("balls", "mass"): 0.3},
    {("rope", "rest_length"): 0.12}, {("push", "vector"): (0.0, 3.0, 1.0)}, {("balls", "velocity"): (0.0, 0.0, 1.0)},
    {("scene", "gravity"): (0.0, 0.0, -1.0)}, {("scene", "budget"): 1e-6}, {}]


def fresh(model, times, names):
    simulator, found = Simulator(model, 1), []
    for time in times:
        simulator.advance_to(time)
        found.append(simulator.read(names))
    return {name: np.array([each[name] for each in found]) for name in names}, simulator.counts()


def same(model, lean, names):
    times = TIMES[model.scene.duration >= TIMES]
    seen, (values, counts) = lean.readings(model, times, names), fresh(model, times, names)
    assert seen.status == DONE
    assert (seen.attempts, seen.evaluations) == (counts["attempts"], counts["evaluations"])
    for name in names:
        assert np.array_equal(seen.values[name], values[name]), name


def test_one_after_the_other_reads_what_fresh_simulators_read():
    model, lean = build_model(swinging()), Lean()
    for change in [*CHANGES, *CHANGES[::-1]]:
        same(model.with_values(change), lean, ("end", "pull"))


def test_frames_that_another_model_has_are_landed_on_as_a_fresh_simulator_does():
    scene, lean = swinging(), Lean()
    for frames in (1, 7, 1):
        scene.frames = frames
        same(build_model(scene), lean, ("end", "pull"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bouncing_ball", "cantilever", "servo_arm", "pinch"])
def test_so_do_scenarios_with_contact_joints_and_drives(name):
    scene = load_scenario(name).module.build()
    model, lean = build_model(scene), Lean()
    names = tuple(each.name for each in scene.sensors)[:4]
    for _ in range(2):
        for change in ({}, {("scene", "budget"): 3e-4}):
            same(model.with_values(change), lean, names)


def test_another_form_is_taken_as_well():
    lean, other = Lean(), load_scenario("two_masses").module.build()
    same(build_model(swinging()), lean, ("end",))
    same(build_model(other), lean, ("length",))
    same(build_model(swinging()), lean, ("end",))


def test_a_limit_of_attempts_ends_a_run_and_is_forgotten_by_the_next():
    model, lean = build_model(swinging()), Lean()
    seen = lean.readings(model, TIMES, ("end",), attempt_limit=20)
    assert (seen.status, seen.attempts) == (LIMIT, 20)
    assert 0.0 < seen.reached < 0.3
    same(model, lean, ("end",))


def test_what_diverges_says_so_without_an_error():
    scene = swinging()
    scene.stepping = Stepping(control="fixed", dt=0.2)
    seen = Lean().readings(build_model(scene.with_values({("rope", "stiffness"): 1e7})), [0.5], ("end",))
    assert seen.status == DIVERGED


def test_the_model_it_runs_stays_as_it_is():
    model, lean = build_model(swinging()), Lean()
    before = model.arrays.linear.stiffness.tobytes()
    lean.readings(model.with_values({("rope", "stiffness"): 500.0}), TIMES, ("end",))
    lean.readings(model.with_values({("rope", "stiffness"): 700.0}), TIMES, ("end",))
    assert model.arrays.linear.stiffness.tobytes() == before
