"""Controllers: functions that are called at a fixed rate, see sensors and set commands."""
import traceback

import numpy as np
import pytest

from robotphi import ControllerFailed, Scene, SceneError, Simulator, build_model, relax, settle, simulate
from robotphi.scene.contact import ContactMaterial

from ..counted import python_lines


def cart(rate=200, gain=40.0, memory=0, frames=20, function=None, duration=1.0):
    """A mass that a controller brings to 1 m by a force."""
    scene = Scene("cart", duration=duration, frames=frames, gravity=(0, 0, 0))
    push = scene.add_command("push", 0.0, low=-20.0, high=20.0)
    p = scene.add_particle("mass", (0, 0, 0), 1.0)
    scene.add_force("push", p, (1, 0, 0), drive=push)
    scene.add_sensor("x", "position", of=p)
    scene.add_sensor("v", "velocity", of=p)
    scene.add_sensor("push", "command", of=push)

    def to_one(view):
        view["push"] = min(max(gain * (1.0 - view["x"][0]) - 10.0 * view["v"][0], -20.0), 20.0)

    scene.add_controller("to one", function or to_one, rate, memory=memory)
    return scene


def test_a_sampled_controller_does_what_its_difference_equation_says():
    """A mass under a force held over h = 1/200 s: x⁺ = x + v h + ½ F h², v⁺ = v + F h, exactly."""
    recording = simulate(cart())
    h, x, v, seen = 1.0 / 200, 0.0, 0.0, []
    for step in range(200):
        if step % 10 == 0:
            seen.append(x)
        force = min(max(40.0 * (1.0 - x) - 10.0 * v, -20.0), 20.0)
        x, v = x + v * h + 0.5 * force * h * h, v + force * h
    np.testing.assert_allclose(recording.position[:-1, 0, 0], seen, rtol=0, atol=1e-12)
    assert recording.position[-1, 0, 0] == pytest.approx(x, abs=1e-12)
    assert abs(x - 1.0) < 0.1


def test_a_controller_is_called_at_its_instants_and_not_at_the_end():
    times = []
    simulate(cart(rate=30, function=lambda view: times.append(view.time), frames=7))
    np.testing.assert_allclose(times, np.arange(30) / 30, atol=1e-12)
    assert len(times) == 30


def test_a_run_with_a_controller_is_the_same_from_run_to_run_and_continued_from_any_frame():
    scene = cart(rate=170, frames=23)
    recording = simulate(scene)
    assert np.array_equal(recording.position, simulate(cart(rate=170, frames=23)).position)
    for frame in (0, 1, 11, 22):
        again = Simulator.continued(build_model(scene), recording, frame=frame).run()
        assert np.array_equal(recording.position[frame:], again.position)
        assert np.array_equal(recording.sensors["push"][frame:], again.sensors["push"])
        assert np.array_equal(recording.ledger["work:push"][frame:], again.ledger["work:push"])


def test_what_a_controller_remembers_is_kept_with_frames():
    def integral(view):
        view.memory[0] += (1.0 - view["x"][0]) / 100
        return {"push": 5.0 * (1.0 - view["x"][0]) + 8.0 * view.memory[0] - 2.0 * view["v"][0]}

    scene = cart(rate=100, function=integral, memory=1)
    recording = simulate(scene)
    again = Simulator.continued(build_model(scene), recording, frame=9).run()
    assert np.array_equal(recording.position[9:], again.position)
    assert recording.checkpoint["memory"][-1, 0] > 0.0


def test_a_recording_is_replayed_without_the_function():
    scene = cart(rate=130, frames=9)
    recording = simulate(scene)
    with pytest.raises(SceneError, match="hand it in as controllers="):
        Simulator.continued(recording, frame=3).run()
    with pytest.raises(SceneError, match="hand it in as controllers="):
        simulate(Scene.from_statements(scene.statements))
    again = Simulator.replayed(recording).run()
    assert np.array_equal(recording.position, again.position)
    assert np.array_equal(recording.velocity, again.velocity)
    for name in recording.ledger:
        assert np.array_equal(recording.ledger[name], again.ledger[name]), name


def rolling(looks, sets):
    """A ball that rolls on the ground, with a controller that may look at its acceleration and set a push by it."""
    rubber = ContactMaterial(stiffness=1e5, restitution=0.3, speed=1.0, friction=0.5)
    scene = Scene("rolling", duration=0.5, frames=10)
    scene.add_plane("ground", contact=rubber)
    ball = scene.add_ball("ball", (0, 0, 0.1), 0.1, mass=1.0, contact=rubber, velocity=(1.0, 0.2, -0.1))
    scene.add_force("push", ball, (1, 0, 0), drive=scene.add_command("push", 0.0))
    scene.add_sensor("gain", "acceleration", of=ball)

    def slow(view):
        gain = view["gain"][0] if looks else 0.0
        return {"push": 0.1 - 0.3 * gain} if sets else None

    scene.add_controller("slow", slow, 100)
    return scene


def test_a_controller_that_looks_at_forces_leaves_the_run_with_contact_as_it_is():
    """What damps a contact follows from the forces before: an evaluation more would change it by rounding."""
    seen, unseen = simulate(rolling(True, False)), simulate(rolling(False, False))
    again = simulate(rolling(True, True))
    for one, other in ((seen, unseen), (again, Simulator.replayed(again).run())):
        for name in one.checkpoint:
            assert np.array_equal(one.checkpoint[name], other.checkpoint[name]), name
    assert again.counts["evaluations"] < 1.5 * again.counts["attempts"] + 51   # what is read is not counted as the run's


def test_a_call_costs_the_same_lines_of_python_for_few_and_many_particles():
    def lines(count):
        scene = cart(rate=100)
        scene.add_particles("others", np.arange(3.0 * count).reshape(count, 3), 1.0)
        simulator = Simulator(build_model(scene))
        simulator.advance_to(0.1)   # what is made at the first call is there
        return python_lines(lambda: simulator.advance_to(0.4))

    assert lines(2) == lines(60)


def test_a_scene_that_is_said_again_takes_the_function_by_name():
    def push(view):
        return {"push": 1.0}
    scene = cart(function=push)
    again = simulate(Scene.from_statements(scene.statements), controllers={"to one": push})
    assert np.array_equal(simulate(scene).position, again.position)
    with pytest.raises(SceneError, match="did you mean 'to one'"):
        simulate(Scene.from_statements(scene.statements), controllers={"to on": push})


def test_a_controller_that_raises_ends_the_run_with_its_traceback_and_all_frames_so_far():
    def fails(view):
        if view.time > 0.42:
            raise KeyError("no such thing")

    with pytest.raises(ControllerFailed, match=r"controller 'to one' raised KeyError at 0.425 s") as failed:
        simulate(cart(function=fails))
    assert "in fails" in "".join(traceback.format_exception(failed.value))
    recording = failed.value.recording
    assert recording.status == "controller failed"
    assert recording.time[-1] == pytest.approx(0.4)


@pytest.mark.parametrize(("function", "told"), [
    (lambda view: {"push": float("nan")}, r"controller 'to one' at 0 s, command 'push': it is set to nan"),
    (lambda view: {"push": 21.0}, "at most 20"), (lambda view: {"pull": 1.0}, "unknown command 'pull'"),
    (lambda view: view["y"], "unknown sensor or command 'y'"), (lambda view: 3.0, "returned 3.0")])
def test_what_a_controller_cannot_do_is_told_by_name(function, told):
    with pytest.raises(ControllerFailed, match=told) as failed:
        simulate(cart(function=function))
    assert len(failed.value.recording) == 1


def test_controllers_of_several_rates_stand_on_all_their_instants_and_see_only_what_they_may():
    calls = []
    scene = cart(rate=3, function=lambda view: calls.append(("slow", view.time)))

    @scene.controller(rate=4, sensors=["x"], commands=[])
    def quick(view):
        calls.append(("quick", view.time))
        with pytest.raises(SceneError, match="unknown sensor or command 'v'"):
            view["v"]
        with pytest.raises(SceneError, match="unknown sensor or command 'push'"):
            view["push"]

    simulate(scene)
    assert [name for name, _ in calls] == ["slow", "quick", "quick", "slow", "quick", "slow", "quick"]
    np.testing.assert_allclose([time for _, time in calls], [0, 0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4], atol=1e-12)


def test_an_object_may_be_a_controller():
    class Bang:
        def control(self, view):
            return {"push": 1.0 if view["x"][0] < 0.1 else -1.0}

    assert simulate(cart(function=Bang())).sensors["push"][-1] == -1.0


@pytest.mark.parametrize(("given", "told"), [
    ({"rate": 0.0}, "> 0"), ({"rate": float("nan")}, "finite"), ({"rate": "fast"}, "number"), ({"rate": 1e9}, "at most 1e"),
    ({"function": 3.0}, "cannot be called"), ({"sensors": ["z"]}, "unknown sensor 'z'"),
    ({"commands": ["pull"]}, "unknown command"),
    ({"name": "to one"}, "taken"), ({"memory": -1}, "at least 0")])
def test_a_controller_that_cannot_be_is_refused(given, told):
    scene = cart()
    before = len(scene.statements)
    with pytest.raises(SceneError, match=told):
        scene.add_controller(**{"name": "second", "function": print, "rate": 10.0, **given})
    assert len(scene.statements) == before
    assert list(scene.controllers) == ["to one"]
    with pytest.raises(SceneError, match="rate is missing"):
        scene.controller(print)


def test_what_is_assigned_to_the_memory_is_kept_with_frames():
    def counting(view):
        view.memory += np.array((1.0, 2.0))

    simulator = Simulator(build_model(cart(rate=20, frames=4, memory=2, function=counting)))
    recording = simulator.run()
    assert simulator.control.memory.tolist() == [20.0, 40.0]
    np.testing.assert_array_equal(recording.checkpoint["memory"][:, 1], 2.0 * recording.checkpoint["memory"][:, 0])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_written_into_a_place_of_the_memory_is_a_number_too(wrong):
    def writing(view):
        view.memory[1] = wrong if view.time > 0.5 else 3.0

    with pytest.raises(ControllerFailed, match=rf"at 0\.55 s: memory\[1\] is {wrong}") as failed:
        simulate(cart(rate=20, memory=2, function=writing))
    assert failed.value.recording.time[-1] >= 0.5


@pytest.mark.parametrize(("values", "told"), [([1.0, 2.0, 3.0], "declared for 2"), ("ab", "memory is 'ab'"),
                                              ([0.0, np.nan], "finite")])
def test_what_does_not_fit_into_the_memory_is_refused(values, told):
    def wrong(view):
        view.memory = values

    with pytest.raises(ControllerFailed, match=told):
        simulate(cart(memory=2, function=wrong))


def test_what_frames_would_not_keep_cannot_be_left_on_a_view():
    def wrong(view):
        view.before = 1.0

    with pytest.raises(ControllerFailed, match="no attribute 'before'"):
        simulate(cart(function=wrong))


@pytest.mark.parametrize("move", [
    lambda simulator: simulator.advance_to(0.5), lambda simulator: simulator.advance_frame(), lambda simulator: simulator.run(),
    lambda simulator: simulator.restart(), settle, relax],
    ids=["advance_to", "advance_frame", "run", "restart", "settle", "relax"])
def test_a_controller_cannot_move_on_the_run_that_waits_for_it(move):
    seen = []

    def moving(view):
        seen.append(view.time)
        if len(seen) > 1:
            move(simulator)

    simulator = Simulator(build_model(cart(rate=10, function=moving)))
    with pytest.raises(ControllerFailed, match="is being called, and the run waits for it") as caught:
        simulator.run()
    assert len(caught.value.recording) == 3   # all frames up to the second call
    assert seen == [0.0, 0.1]


def test_a_controller_may_read_and_set_by_the_simulator():
    def pushing(view):
        simulator.set({"push": 2.0 * simulator.read("x")[0] - 3.0})

    def same(view):
        view["push"] = 2.0 * view["x"][0] - 3.0

    simulator = Simulator(build_model(cart(rate=50, function=pushing)))
    assert np.array_equal(simulator.run().position, simulate(cart(rate=50, function=same)).position)
