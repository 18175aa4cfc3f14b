"""How a run ends: limits, Ctrl-C, divergence with its post-mortem; threads and processes beside each other."""
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

from robotphi import (
    ContactMaterial,
    Recording,
    RobotphiError,
    Scene,
    SimulationDiverged,
    Simulator,
    Stepping,
    build_model,
    simulate,
)
from robotphi.run import moving
from robotphi.run import simulator as simulator_module
from robotphi.run.filing import Filing
from robotphi.run.limits import Interrupts
from robotphi.run.loop import choose_threads
from tests import ROOT
from tests.clock import LOOK, Clock

NODES = 8
WEAK = 4          # the link of `chain` that is unlike the others


def chain(stepping, stiffness=100.0, odd_stiffness=100.0, odd_viscosity=0.0, duration=1.0, frames=10):
    """A chain under gravity, held at one end, in which one link has a stiffness and viscosity of its own."""
    scene = Scene("chain", duration=duration, frames=frames, stepping=stepping)
    nodes = scene.add_particles("node", [(0.1 * i, 0, 0) for i in range(NODES)], 0.1, support=["xyz"] + [""] * (NODES - 1))
    k, mu = np.full(NODES - 1, stiffness), np.zeros(NODES - 1)
    k[WEAK], mu[WEAK] = odd_stiffness, odd_viscosity
    scene.add_linear("link", nodes[:-1], nodes[1:], k, mu)
    return scene


FRAME = 5e-3      # s, of an endless run


def endless():
    return chain(Stepping(dt_max=1e-6, attempt_limit=1_000_000), duration=1000.0, frames=200_000)


@pytest.fixture
def clock(monkeypatch):
    """The clock that the simulator looks at."""
    return Clock().take_place(monkeypatch, simulator_module, "clock").take_place(monkeypatch, moving, "clock")


def assert_finite(recording):
    for name in ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin"):
        assert np.isfinite(getattr(recording, name)).all(), name
    for name, values in (*recording.ledger.items(), *recording.steps.items()):
        assert np.isfinite(values).all(), name


# Limits ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("frames", [200_000, 1], ids=["many frames", "one frame"])
def test_the_wall_limit_stops_a_run_and_keeps_the_frames_so_far(frames, clock):
    scene = chain(Stepping(dt_max=1e-6, attempt_limit=1_000_000), duration=1000.0, frames=frames)
    simulator = Simulator(build_model(scene))
    recording = simulator.run(wall_limit=60.0)
    assert 60.0 / LOOK <= clock.looks < 60.0 / LOOK + 7  # two at the first instant, three around the run, the last
    assert recording.status == "wall limit"
    assert len(recording) > 1 if frames > 1 else len(recording) == 1
    np.testing.assert_array_equal(recording.time, scene.frame_times[:len(recording)])
    assert_finite(recording)


def test_a_run_goes_on_behind_a_wall_limit(clock):
    simulator = Simulator(build_model(chain(Stepping(), duration=0.2)))
    simulator.begin()
    assert simulator.run(wall_limit=0.0).status == "wall limit"
    assert simulator.run().status == "done"


def test_limits_and_ctrl_c_are_seen_between_frames_that_are_shorter_than_a_look(clock):
    scene = chain(Stepping(dt=1e-3, control="fixed"), duration=1000.0, frames=1_000_000)
    model = build_model(scene)
    assert simulate(scene, wall_limit=0.2).status == "wall limit"
    told = []

    def interrupt(time, dt):
        told.append(time)
        if len(told) == 2:
            signal.raise_signal(signal.SIGINT)

    recording = Simulator(model).run(progress=interrupt)
    assert recording.status == "interrupted"
    assert recording.time[-1] == told[1]


def test_the_attempt_limit_ends_a_run():
    recording = simulate(chain(Stepping(attempt_limit=37)))
    assert recording.status == "attempt limit"
    assert recording.counts["attempts"] == 37
    assert_finite(recording)


def test_until_stops_at_the_last_frame_at_or_before_it():
    simulator = Simulator(build_model(chain(Stepping())))
    assert simulator.run(until=0.35).time[-1] == pytest.approx(0.3)
    assert simulator.run(until=0.5).time[-1] == pytest.approx(0.5)
    assert simulator.run().time[-1] == 1.0


@pytest.mark.parametrize("options", [{"until": -1.0}, {"wall_limit": -0.1}, {"wall_limit": float("nan")}, {"until": "1"},
                                     {"wall_limit": [1.0]}, {"until": 10**400}, {"until": True}])
def test_limits_that_make_no_sense_are_refused(options):
    with pytest.raises(RobotphiError, match="give a number of seconds"):
        simulate(chain(Stepping()), **options)


def test_progress_is_told_time_and_step(clock):
    told = []
    simulate(endless(), wall_limit=6.0, progress=lambda time, dt: told.append((time, dt)))
    assert told
    assert all(time > 0 and 0 < dt <= 1e-6 for time, dt in told)


# Ctrl-C ---------------------------------------------------------------------------------------------------------------

def test_ctrl_c_ends_a_run_with_the_frames_so_far(clock):
    before = signal.getsignal(signal.SIGINT)
    recording = simulate(endless(), progress=lambda time, dt: time > FRAME and signal.raise_signal(signal.SIGINT))
    assert recording.status == "interrupted"
    assert len(recording) > 1
    assert_finite(recording)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_is_obeyed_at_once():
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert interrupts.seen
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def hears_ctrl_c():
    """Programs in the background may be deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("each", [1.0, -1.0])   # s between flushes: the file is written at the end, or as the run goes on
def test_ctrl_c_while_a_file_is_finished_is_obeyed_once_it_is_whole(tmp_path, monkeypatch, hears_ctrl_c, each):
    end, before = Filing.end, signal.getsignal(signal.SIGINT)

    def pressed(filing, recording):
        signal.raise_signal(signal.SIGINT)
        return end(filing, recording)
    monkeypatch.setattr(Filing, "end", pressed)
    monkeypatch.setattr("robotphi.run.filing.EACH", each)
    with pytest.raises(KeyboardInterrupt):
        simulate(chain(Stepping(), duration=0.1), to=tmp_path / "run.vtkhdf")
    assert Recording.load(tmp_path / "run.vtkhdf").status == "done"
    assert [path.name for path in tmp_path.iterdir()] == ["run.vtkhdf"]
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_than_the_main_one_leaves_ctrl_c_alone():
    before = signal.getsignal(signal.SIGINT)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(simulate, chain(Stepping(), duration=0.1)).result().status == "done"
    assert signal.getsignal(signal.SIGINT) is before


PROGRAM = """
from tests.run.test_simulator import FRAME, endless
from robotphi import simulate
recording = simulate(endless(), wall_limit=600, progress=lambda time, dt: time > FRAME and print("running", flush=True))
print(recording.status, len(recording) > 1)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals between processes")
def test_ctrl_c_reaches_a_process_of_its_own():
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, cwd=ROOT,
                               stderr=subprocess.PIPE)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    out, problem = process.communicate(timeout=600)
    assert process.returncode == 0, problem
    assert out.splitlines()[-1] == "interrupted True"


# Divergence -----------------------------------------------------------------------------------------------------------

UNSTABLE = {
    "stiff": (Stepping(control="fixed", dt=1e-3), {"odd_stiffness": 1e6}),
    "stiff, one frame": (Stepping(control="fixed", dt=1e-3), {"odd_stiffness": 1e6, "frames": 1}),
    "viscous": (Stepping(scheme="taylor", control="fixed", dt=1e-2), {"odd_viscosity": 1e3}),
    "taylor": (Stepping(scheme="taylor", control="fixed", dt=1e-3), {"odd_stiffness": 1e6}),
    "high floor": (Stepping(dt_min=1e-3), {"odd_stiffness": 1e6}),
    "floor": (Stepping(dt_min=1e-4, budget=1e-8), {"odd_stiffness": 1e5}),
}


@pytest.mark.parametrize("case", UNSTABLE)
def test_a_run_that_diverges_says_which_spring_and_what_would_help(case):
    stepping, options = UNSTABLE[case]
    with pytest.raises(SimulationDiverged) as caught:
        simulate(chain(stepping, **options))
    recording, post_mortem = caught.value.recording, caught.value.post_mortem
    assert recording.status == "diverged"
    assert_finite(recording)
    assert recording.time[-1] <= post_mortem.time < 1.0
    if case != "floor":  # there no spring is out of the ordinary
        assert post_mortem.culprit == f"linear spring 'link', index {WEAK}"
    assert f"t = {post_mortem.time:.6g} s" in str(caught.value)
    for value in post_mortem.remedy.values():
        assert f"{value:g}" in post_mortem.suggestion if isinstance(value, float) else str(value) in post_mortem.suggestion
    followed = simulate(chain(replace(stepping, **post_mortem.remedy, attempt_limit=100_000), **options), until=0.5)
    assert followed.status in ("done", "attempt limit")
    assert_finite(followed)


def test_a_rigid_that_a_stiff_spring_throws_about_is_not_blamed_for_it():
    scene = Scene("bell", duration=1.0, frames=5, stepping=Stepping(control="fixed", dt=2e-3))
    hook = scene.add_particle("hook", (0, 0, 0.5), 1.0, support="xyz")
    bell = scene.add_rigid("bell", [(0, 0, 0), (0.1, 0, -0.2), (-0.1, 0.1, -0.2), (0, -0.1, -0.2)], mass=2.0)
    scene.add_linear("soft", hook, bell.particles[0], 50.0)
    scene.add_linear("stiff", hook, bell.particles[1], 1e7)
    with pytest.raises(SimulationDiverged) as caught:
        simulate(scene)
    assert caught.value.post_mortem.culprit == "linear spring 'stiff'"


def test_forces_beyond_the_range_of_numbers_are_a_clear_error():
    scene = Scene("huge", gravity=(0, 0, 0))
    ends = scene.add_particles("ends", [(0, 0, 0), (1, 0, 0)], 1.0)
    scene.add_linear("spring", ends[0], ends[1], 1e300, rest_length=1e10)
    with pytest.raises(SimulationDiverged, match="first instant"):
        simulate(scene)


def test_an_unstable_damper_shows_as_a_large_residual():
    """In the force, μ τ/m = 3 multiplies the speed by 1 − z = −2 a step: energy from nowhere, never booked as dissipation."""
    stepping = Stepping(scheme="taylor", control="fixed", dt=0.1)
    scene = Scene("damper", duration=0.5, frames=5, gravity=(0, 0, 0), stepping=stepping)
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1e6, 0, 0), 1.0, velocity=(1.0, 0, 0))
    scene.add_linear("damper", wall, block, 0.0, 30.0)
    simulator = Simulator(build_model(scene))
    while simulator.advance_frame():  # a run would end
        pass
    recording = simulator.recording()
    np.testing.assert_allclose(recording.velocity[:, block, 0], (-2.0) ** np.arange(6), rtol=1e-4)
    assert (np.diff(recording.ledger["spring_dissipation"]) > 0).all()
    assert recording.ledger["residual"][-1] > recording.ledger["kinetic"][-1]


@pytest.mark.parametrize("case", ["spring", "damper", "contact"])
def test_fixed_steps_that_make_energy_end_before_they_leave_the_range_of_numbers(case):
    """Somewhat beyond the stable step: everything stays finite, and the energy grows a thousandfold."""
    if case == "contact":
        scene = Scene("ball", duration=0.2, frames=20, stepping=Stepping(control="fixed", dt=1e-2))
        scene.add_ball("ball", (0, 0, 0.11), 0.1, mass=1.0, contact=ContactMaterial(stiffness=1e10), velocity=(0, 0, -2.0))
        scene.add_plane("ground", contact=ContactMaterial(stiffness=1e10))
    else:
        viscosity = 100.0 if case == "damper" else 0.0
        scene = chain(Stepping(control="fixed", dt=0.1), odd_viscosity=viscosity, duration=1.0, frames=10)
    with pytest.raises(SimulationDiverged, match="made a thousand times the energy that there was") as ending:
        simulate(scene)
    assert ending.value.recording.status == "diverged"
    assert_finite(ending.value.recording)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
def test_rough_fixed_steps_within_the_stable_ones_are_left_alone(share):
    """Verlet at ω τ = 2 share keeps a shadow energy: the true one swings by up to 1/(1 − share²), and nothing grows."""
    scene = Scene("rough", duration=100.0 * share, frames=10, gravity=(0, 0, 0),
                  stepping=Stepping(control="fixed", dt=2.0 * share))
    ends = scene.add_particles("end", [(0, 0, 0), (1, 0, 0)], 1.0, support=["xyz", "yz"], velocity=[(0, 0, 0), (0.1, 0, 0)])
    scene.add_linear("spring", ends[0], ends[1], 1.0)
    recording = simulate(scene)
    assert recording.status == "done"
    assert recording.ledger["kinetic"].max() <= 0.5 * 0.1**2 / (1.0 - share**2)


def test_fixed_steps_leave_no_slivers():
    """0.1 s is no sum of steps of 1e-5 s as the clock adds them up; each frame takes as many steps as it is long."""
    recording = simulate(chain(Stepping(control="fixed", dt=1e-5), duration=0.5, frames=5))
    assert recording.counts["accepted"] == 50_000
    np.testing.assert_allclose(recording.steps["dt"], 1e-5, rtol=1e-6)


# Several at a time ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("threads", [0, -1, True, 2.0, "2"])
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads):
    with pytest.raises(RobotphiError, match="whole number of at least 1"):
        Simulator(build_model(chain(Stepping())), threads=threads)


def test_small_scenes_run_in_one_thread_unless_told_otherwise():
    model = build_model(chain(Stepping()))
    assert choose_threads(model, None) == 1
    assert choose_threads(model, 3) == 3


def test_wheels_on_a_field_are_shared_by_two_each(monkeypatch):
    """Each takes some 10 µs of a step; arms of capsules above a field mostly nothing."""
    monkeypatch.setattr("robotphi.run.loop.processors", lambda: 8)
    hard = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0)
    for shape, wanted in (("add_cylinder", 3), ("add_capsule", 1)):
        scene = Scene("cart", duration=0.1)
        scene.add_height_field("land", np.zeros((3, 3)), (1.0, 1.0), (-1, -1, 0), contact=hard)
        for number in range(6):
            getattr(scene, shape)(f"wheel {number}", (0.3 * number, 0, 0.5), (0.3 * number, 0.1, 0.5), 0.1, mass=1.0,
                                  contact=hard)
        assert choose_threads(build_model(scene), None) == wanted


def positions(budget):
    """Last positions of a chain; run in worker processes as well."""
    return simulate(chain(Stepping(budget=budget), duration=0.3)).position[-1]


def test_simulations_run_beside_each_other_in_threads():
    budgets = [1e-3, 1e-4] * 3
    wanted = [positions(budget) for budget in budgets]
    with ThreadPoolExecutor(2) as pool:
        for found, alone in zip(pool.map(positions, budgets), wanted, strict=True):
            np.testing.assert_array_equal(found, alone)


@pytest.mark.slow
def test_simulations_with_teams_run_beside_each_other_in_threads():
    model = build_model(chain(Stepping(), duration=0.1))
    alone = Simulator(model, threads=1).run().position
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(Simulator(model, threads=2).run) for _ in range(2)]
        for run in runs:
            np.testing.assert_array_equal(run.result(timeout=600).position, alone)


def test_simulations_run_in_spawned_processes():
    with get_context("spawn").Pool(2) as pool:
        found = pool.map(positions, [1e-3, 1e-4])
    np.testing.assert_array_equal(found[0], positions(1e-3))
    np.testing.assert_array_equal(found[1], positions(1e-4))


def test_limits_beyond_the_range_of_integers_and_floats_are_no_limits():
    assert simulate(chain(Stepping(attempt_limit=10**39)), until=0.1).status == "done"


def test_ctrl_c_while_the_loop_is_compiled_ends_it_at_once(monkeypatch):
    simulator = Simulator(build_model(chain(Stepping())))
    monkeypatch.setattr(simulator._loop, "prepare", lambda state: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background may be deaf to it
    try:
        with pytest.raises(KeyboardInterrupt):
            simulator.run()
    finally:
        signal.signal(signal.SIGINT, before)


def test_compiling_is_no_time_of_the_run(monkeypatch, clock):
    """Compilation that takes a thousand looks at the clock; the run gets its ten seconds all the same."""
    simulator = Simulator(build_model(chain(Stepping())))
    prepare = simulator._loop.prepare

    def slowly(state):
        prepare(state)
        clock.looks += 1000
    monkeypatch.setattr(simulator._loop, "prepare", slowly)
    assert simulator.run(wall_limit=10.0).status == "done"


def test_a_run_ends_where_no_more_frames_fit_into_the_memory(monkeypatch):
    simulator = Simulator(build_model(chain(Stepping())))
    record = simulator._record

    def meagre():
        if simulator.recorder.frame_count == 4:
            raise MemoryError
        record()
    monkeypatch.setattr(simulator, "_record", meagre)
    recording = simulator.run()
    assert (recording.status, len(recording)) == ("memory full", 4)
