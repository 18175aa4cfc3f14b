"""Moving to a time of one's own choice gives the bits of a frame there, and calls of the compiled loop stay lean."""
import numpy as np
import pytest

from robotphi import RobotphiError, Scene, Simulator, Stepping, build_model
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.contact.columns import LACKING, PAIR_COUNT
from robotphi.run import loop
from robotphi.run.limits import SAME
from robotphi.verification.mixed import mixed_scene
from tests.kernels.contact.touching_scenes import gathering, stack

STEPS = 20


def masses(duration=0.1, frames=5, stepping=None):
    scene = Scene("masses", duration=duration, frames=frames, stepping=stepping)
    ends = scene.add_particles("end", [(0, 0, 0), (1.2, 0, 0)], 1.0)
    scene.add_linear("spring", ends[:1], ends[1:], 100.0, 0.1)
    return scene


def mixed(frames):
    return mixed_scene(None, 0.2, frames, damping=0.005, driven=True)


def touching(frames):
    return stack(duration=0.02, frames=frames)


def seen(simulator):
    """All that the state tells, as bytes."""
    b = simulator.state.buffers
    arrays = (b.position, b.velocity, b.rigid, b.linear_law, b.angular_law, b.articular, b.books, b.numbers, b.touch.load)
    return [array.tobytes() for array in arrays] + [repr(simulator.state.ledger())]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("make", [mixed, touching])
def test_the_state_there_is_that_of_a_frame_there(make, threads):
    framed, free = Simulator(build_model(make(STEPS)), threads), Simulator(build_model(make(2)), threads)
    for time in framed.frame_times[1:]:
        framed.advance_frame()
        assert free.advance_to(time)
        assert seen(free) == seen(framed)
    assert free.counts() == framed.counts()
    for name, values in framed.recording().steps.items():
        np.testing.assert_array_equal(values, free.recording().steps[name])


def test_calls_within_a_step_cost_a_step_each():
    """The steps of a swing, and calls that are a little less than one of them apart: cut steps tell as well how long they may
    be. What was once halved, since a step was proposed that was shorter, stayed so."""
    def swing():
        scene = Scene("swing", duration=4.0, frames=1, stepping=Stepping(budget=1e-3), gravity=(0, 0, 0))
        ends = scene.add_particles("end", [(0, 0, 0), (1.2, 0, 0)], 1.0)
        scene.add_linear("spring", ends[:1], ends[1:], 100.0, rest_length=1.0)
        return Simulator(build_model(scene))
    alone = swing().run()
    between = 0.95 * alone.steps["dt"][len(alone.steps["dt"]) // 2]
    simulator, calls = swing(), int(4.0 / between)
    for call in range(1, calls + 1):
        simulator.advance_to(call * between)
    assert simulator.counts()["attempts"] < 1.03 * calls + 20
    ledger = simulator.state.ledger()
    assert ledger["largest_residual"] <= 1e-3 * ledger["reference_energy"]


def test_frames_on_the_way_are_recorded_where_they_stand():
    simulator = Simulator(build_model(masses()))
    assert simulator.advance_to(0.05)
    assert simulator.state.time == 0.05
    np.testing.assert_array_equal(simulator.recording().time, simulator.frame_times[:3])
    recording = simulator.run()
    np.testing.assert_array_equal(recording.time, simulator.frame_times)
    assert len(recording.steps["time"]) == recording.counts["accepted"]


@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.5])
def test_a_time_within_rounding_of_a_frame_is_that_frame(shift):
    simulator = Simulator(build_model(masses()))
    assert simulator.advance_to(simulator.frame_times[1] * (1.0 + shift * SAME))
    assert simulator.state.time == simulator.frame_times[1]
    assert len(simulator.recording()) == 2


def test_nothing_happens_where_the_state_is_there_already():
    simulator = Simulator(build_model(masses()))
    simulator.advance_to(0.03)
    attempts = simulator.counts()["attempts"]
    assert simulator.advance_to(0.03)
    assert simulator.counts()["attempts"] == attempts


@pytest.mark.parametrize(("time", "why"), [(0.02, "in the past"), (-1.0, "in the past"), (0.2, "beyond the end"),
                                           (np.inf, "beyond the end"), (np.nan, "no time")])
def test_a_time_that_cannot_be_reached_is_refused(time, why):
    simulator = Simulator(build_model(masses()))
    simulator.advance_to(0.03)
    with pytest.raises(RobotphiError, match=rf"{why}: give a time from 0\.03 s, where its state is, to its duration of 0\.1 s"):
        simulator.advance_to(time)
    assert simulator.advance_to(0.1)


@pytest.mark.parametrize("time", [None, "0.1", [0.1], True, np.array([0.1])])
def test_what_is_no_time_is_refused(time):
    with pytest.raises(RobotphiError, match="give a number of seconds"):
        Simulator(build_model(masses())).advance_to(time)


def test_the_attempt_limit_stops_on_the_way():
    simulator = Simulator(build_model(masses(stepping=Stepping(attempt_limit=4))))
    assert not simulator.advance_to(0.1)
    assert simulator.counts()["attempts"] == 4


# What a call costs ------------------------------------------------------------------------------------------------------

def counted(monkeypatch):
    """Every laying down from now on."""
    laid = []

    def lay(given, *beside):
        laid.append(given)
        return kept(given, *beside)
    kept = loop.Laid
    monkeypatch.setattr(loop, "Laid", lay)
    return laid


def test_arrays_are_laid_down_once_and_buffers_in_both_orders(monkeypatch):
    laid = counted(monkeypatch)
    simulator = Simulator(build_model(masses(frames=STEPS)))
    simulator._chunk = 1  # a call for every step
    simulator.run()
    assert [type(each).__name__ for each in laid] == ["Arrays", "Buffers", "Buffers"]


def test_more_room_for_pairs_on_the_way_changes_no_bit(monkeypatch):
    tight, roomy = (Simulator(build_model(gathering(frames=STEPS))) for _ in range(2))
    while tight.advance_frame() and roomy.advance_frame():
        assert seen(tight) == seen(roomy)
        if roomy.frame == STEPS // 2:
            assert roomy.state.buffers.touch.sizes[PAIR_COUNT] > 0
            roomy.state.buffers.touch.sizes[LACKING] = 1000
            laid = counted(monkeypatch)
            roomy.state.make_room()
    assert len(roomy.state.buffers.touch.pairs) > len(tight.state.buffers.touch.pairs)
    assert len(laid) == 2


def test_history_is_not_lost_between_calls():
    simulator = Simulator(build_model(masses(duration=10.0, stepping=Stepping(dt=1e-3, control="fixed"))))
    for k in range(1, 10_001):
        simulator.advance_to(k * 1e-3)
    recording = simulator.recording()
    assert len(recording.steps["time"]) == recording.counts["accepted"] >= 10_000
    assert (np.diff(recording.steps["time"]) > 0).all()


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_compilation_is_no_time_of_a_run(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("robotphi.run.simulator.clock.perf_counter", lambda: now[0])
    simulator = Simulator(build_model(masses()))
    prepare = simulator._loop.prepare

    def slowly(state):
        now[0] += 1e6
        prepare(state)
    monkeypatch.setattr(simulator._loop, "prepare", slowly)
    recording = simulator.run(wall_limit=1000.0)
    assert recording.status == "done"
    assert recording.info["wall_time"] == 0.0
