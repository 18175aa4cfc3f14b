"""Verification of the ledger: every entry converges by itself at second order, and nothing hides in the residual.

Errors are root mean squares over frames, against verlet at a quarter of the last step with its leading error taken away; the
slope of log error over log dt is 2 within 0.1 where the forces are smooth. Where springs begin to yield, the place of the
step in which they do so shifts the error's coefficient from step to step (not its order): the mean slope over five halvings
of a sum over many yields keeps 0.3.
"""

import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, Stepping, build_model, simulate
from robotphi.verification.mixed import KINDS, mixed_scene

STEPS = 2e-3 / 2.0 ** np.arange(6)
SKIP = {"residual", "largest_residual", "reference_energy"}


def ledgers(make):
    return [make(Stepping(control="fixed", dt=float(dt))).ledger for dt in STEPS]


def slopes(make, steps=STEPS):
    """Slope for every entry of the ledger that is not zero throughout."""
    fine, finest = (make(Stepping(control="fixed", dt=float(steps[-1] / part))).ledger for part in (2, 4))
    found = {}
    runs = [make(Stepping(control="fixed", dt=float(dt))).ledger for dt in steps]
    for name in finest:
        exact = finest[name] + (finest[name] - fine[name]) / 3.0
        errors = [np.sqrt(np.mean((run[name] - exact) ** 2)) for run in runs]
        if name not in SKIP and np.abs(exact).max() > 0:
            found[name] = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    return found


def test_every_entry_converges_at_second_order():
    found = slopes(lambda stepping: simulate(mixed_scene(stepping, 0.6, 12, damping=0.01, driven=True, gravity=(0, 0, -2.0))))
    wanted = {"kinetic", "elastic_linear", "elastic_angular", "elastic_articular", "gravity", "spring_dissipation",
              "work:muscle", "work:servo", "work:motor", "work:push", "work:turn"}
    assert found.keys() >= wanted
    assert {name: slope for name, slope in found.items() if abs(slope - 2.0) > 0.1} == {}


def yielding_net(stepping):
    """Forty masses thrown apart on springs that yield."""
    random = np.random.default_rng(5)
    scene = Scene("yielding", duration=0.6, frames=12, gravity=(0, 0, 0), stepping=stepping)
    points = random.uniform(-1, 1, (40, 3))
    p = scene.add_particles("p", points, 1.0, velocity=3.0 * points)
    pairs = np.array([(i, j) for i in range(40) for j in range(i) if np.linalg.norm(points[i] - points[j]) < 0.6])
    scene.add_linear("springs", p[pairs[:, 0]], p[pairs[:, 1]], 50.0, 0.1, yield_force=3.0, hardening=4.0)
    return simulate(scene)


def test_plastic_flow_converges_at_second_order():
    found = slopes(yielding_net)
    assert abs(found["plastic_flow"] - 2.0) < 0.3
    assert abs(found["kinetic"] - 2.0) < 0.3


@pytest.mark.parametrize("plastic", [(), KINDS])
def test_the_residual_is_of_second_order(plastic):
    sizes = [run["largest_residual"][-1] for run in ledgers(
        lambda stepping: simulate(mixed_scene(stepping, 0.6, 12, damping=0.01, plastic=plastic, driven=True)))]
    assert abs(np.polyfit(np.log(STEPS), np.log(sizes), 1)[0] - 2.0) < 0.1


def test_an_unstable_damper_shows_as_a_large_residual():
    """Two masses, damping rate c = 2 μ/m = 50 /s, in the force: at dt = 1/20 s every step multiplies their speed by 1 − c dt
    = −1.5, which makes energy that no entry claims; at 1/1000 s each leaves (c dt)²/2 of it, c dt/4 = 0.0125 in all."""
    residual = {}
    for dt in (1 / 1000, 1 / 20):
        scene = Scene("damper", duration=2.0, frames=4, gravity=(0, 0, 0),
                      stepping=Stepping(scheme="taylor", control="fixed", dt=dt))
        a, b = scene.add_particle("a", (0, 0, 0), 1.0), scene.add_particle("b", (1.0, 0, 0), 1.0, velocity=(0.1, 0, 0))
        scene.add_linear("dashpot", a, b, viscosity=25.0)
        simulator = Simulator(build_model(scene))
        while simulator.advance_frame():  # a run would end
            pass
        ledger = simulator.recording().ledger
        residual[dt] = abs(ledger["residual"][-1]) / ledger["kinetic"][0]
        assert ledger["spring_dissipation"][-1] >= 0
    assert residual[1 / 1000] < 0.02
    assert residual[1 / 20] > 1e3


def test_a_jump_of_a_rest_length_is_the_work_of_its_drive():
    """At rest at the rest length 1, the rest length jumps by 0.2: the drive puts ½ k 0.2² in, the rest is motion."""
    scene = Scene("jump", duration=1.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=1e-6))
    a, b = scene.add_particle("a", (0, 0, 0), 1.0, support="xyz"), scene.add_particle("b", (1.0, 0, 0), 1.0)
    scene.add_linear("s", a, b, 50.0, drive=Drive.steps([0.0, 0.35], [0.0, 0.2]))
    recording = simulate(scene)
    ledger = recording.ledger
    np.testing.assert_array_equal(ledger["work:s"][recording.time < 0.35], 0)
    np.testing.assert_allclose(ledger["work:s"][recording.time > 0.35], 0.5 * 50.0 * 0.2**2, rtol=1e-12)
    assert np.abs(ledger["residual"]).max() <= 1e-6 * ledger["reference_energy"][-1]
    assert 0.35 in recording.steps["time"]


@pytest.mark.parametrize("frames", [10, 50, 97])
def test_a_drive_in_phase_with_the_frames_is_seen(frames):
    """A free mass under cos(2π 10 t) goes nowhere: x = x0 + (1 − cos ωt)/ω²; at one step a period it would fly off by ½ t²."""
    scene = Scene("phase", duration=10.0, frames=frames, gravity=(0, 0, 0))
    p = scene.add_particle("p", (0, 0, 0), 1.0)
    scene.add_force("f", p, (1.0, 0, 0), Drive.sine(1.0, 10.0, phase=np.pi / 2))
    recording = simulate(scene)
    exact = (1 - np.cos(2 * np.pi * 10 * recording.time)) / (2 * np.pi * 10) ** 2
    np.testing.assert_allclose(recording.position[:, p, 0], exact, rtol=0, atol=1e-4)


@pytest.mark.parametrize("budget", [1e-2, 1e-4])
@pytest.mark.parametrize("stiffness", [0.0, 10.0])
def test_a_short_pulse_at_the_start_keeps_the_budget(budget, stiffness):
    scene = Scene("pulse", duration=1.0, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    a, p = scene.add_particle("a", (0, 0, 0), 1.0, support="xyz"), scene.add_particle("p", (1, 0, 0), 1.0)
    if stiffness:
        scene.add_linear("s", a, p, stiffness)
    scene.add_force("f", p, (1, 0, 0), Drive.from_function(lambda t: np.exp(-t * t / 2e-6), 1.0, samples=4000))
    ledger = simulate(scene).ledger
    assert ledger["largest_residual"][-1] <= budget * ledger["reference_energy"][-1]
