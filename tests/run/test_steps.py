"""What single steps promise: refusals leave no trace, events are met, supports hold, drives are followed, laws close."""

import numpy as np
import pytest
from scipy.integrate import quad

from robotphi import Drive, Scene, Simulator, Stepping, Table, build_model, simulate
from robotphi.kernels.springs.laws import ACCUMULATED, FLOW, NORMAL
from robotphi.kernels.step import slots
from robotphi.kernels.step.entries import CHANGE_FROM, REST, TOTAL
from robotphi.verification.mixed import KINDS, mixed_scene

EPSILON = np.finfo(float).eps
L_BODY = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0.1, 0, 0.4)])  # a rigid with three different moments


def step_by_step(simulator, look):
    """Run with one attempt per call of the compiled loop; `look` is called before and after each."""
    advance = simulator._loop.advance

    def one(_):
        simulator.state.buffers.counters[slots.CHUNK] = 1
        before = look(simulator)
        attempts = simulator.counts()["attempts"]
        advance(simulator.state)
        if simulator.counts()["attempts"] > attempts:
            pairs.append((before, look(simulator)))
            assert len(pairs) < 20_000, "the run does not come to its end"

    pairs = []
    simulator.begin()
    simulator._loop.advance = one
    simulator.run()
    return pairs


# Refusals and events --------------------------------------------------------------------------------------------------

def everything(simulator):
    """Copies of all that a refused attempt must not change, the count of refusals in front."""
    b = simulator.state.buffers
    energies = np.append(b.books[:CHANGE_FROM, TOTAL], b.numbers[slots.REFERENCE])
    kept = [slots.TIME, slots.RESIDUAL, slots.RESIDUAL + 1, slots.LARGEST_RESIDUAL]
    return (simulator.counts()["refused"], energies, b.position.copy(), b.velocity.copy(), b.rigid.copy(), b.numbers[kept],
            b.linear_law[:, [FLOW, ACCUMULATED]], b.angular_law[:, [FLOW, ACCUMULATED, NORMAL, NORMAL + 1, NORMAL + 2]],
            b.articular[:, [FLOW, ACCUMULATED, NORMAL]], b.books[CHANGE_FROM:, [TOTAL, REST]])


@pytest.mark.parametrize("plastic", [(), KINDS], ids=["elastic", "plastic"])
@pytest.mark.parametrize("scheme", ["verlet", "taylor"])
def test_a_refused_attempt_changes_nothing(scheme, plastic):
    stepping = Stepping(scheme=scheme, dt=0.05, budget=1e-4)
    scene = mixed_scene(stepping, 0.5, 4, damping=0.01, plastic=plastic, driven=True, gravity=(0, 0, -9.81))
    # so many knots that the one behind is often nearer than the step before: steps are too long again and again
    shake = Drive.table(np.linspace(0.0, 0.5, 101), 0.1 * np.random.default_rng(3).uniform(-1, 1, 101), kind="cubic")
    handle = scene.add_particle("handle", (0, 0, 2), 0.5, drive={"x": shake}, support="yz")
    scene.add_linear("leash", handle, 0, 50.0, 0.3)
    pairs = step_by_step(Simulator(build_model(scene)), everything)
    refused = [(before, after) for before, after in pairs if after[0] > before[0]]
    assert len(refused) > 10
    assert (refused[-1][0][6][:, ACCUMULATED].max() > 0) == bool(plastic), "plastic flow must have happened"
    # forces are evaluated again where they were at predicted velocities; springs that have yielded then start from the flow
    # that was kept, and round their energy otherwise. Without flow not one bit may differ.
    rounding = 4 * EPSILON if plastic else 0.0
    for before, after in refused:
        np.testing.assert_allclose(after[1], before[1], rtol=rounding, atol=0.0)
        for old, new in zip((before[2], *before[4:]), (after[2], *after[4:]), strict=True):
            np.testing.assert_array_equal(old, new)
        # of velocities that of the handle alone: at a knot its drive has the same rate in both pieces but for rounding
        moved = np.delete(np.arange(len(before[3])), handle)
        np.testing.assert_array_equal(before[3][moved], after[3][moved])
        np.testing.assert_allclose(after[3][handle], before[3][handle], rtol=4 * EPSILON, atol=0.0)


def jumping_scene(stepping=None):
    """A mass on a spring whose rest length jumps twice, at rest until then."""
    scene = Scene("jump", duration=1.0, frames=7, gravity=(0, 0, 0), stepping=stepping)
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1, 0, 0), 2.0)
    scene.add_linear("spring", wall, block, 50.0, drive=Drive.steps([0.0, 0.3, 0.77], [0.0, 0.1, -0.05]))
    return scene


def test_steps_land_on_the_jumps_of_drives_and_on_frames():
    scene = jumping_scene()
    recording = simulate(scene)
    assert {0.3, 0.77} <= set(recording.steps["time"])
    np.testing.assert_array_equal(recording.time, scene.frame_times)
    assert set(scene.frame_times[1:]) <= set(recording.steps["time"])


def test_the_work_of_a_jump_is_booked():
    """From rest, a jump δ of the rest length puts in ½ k δ²; later ½ k ((x − δ')² − (x − δ)²) with the elongation x of then."""
    recording = simulate(jumping_scene(Stepping(budget=1e-6)))
    ledger = recording.ledger
    assert ledger["work:spring"][2] == 0.0  # 2/7 s
    np.testing.assert_allclose(ledger["work:spring"][3], 0.5 * 50.0 * 0.1**2, rtol=1e-12)
    omega = np.sqrt(50.0 / 2.0)
    x = 0.1 - 0.1 * np.cos(omega * 0.47)
    second = 25.0 * ((x + 0.05)**2 - (x - 0.1)**2)
    np.testing.assert_allclose(ledger["work:spring"][-1], 0.25 + second, rtol=1e-4)
    stored = ledger["kinetic"] + ledger["elastic_linear"] - ledger["work:spring"]
    np.testing.assert_allclose(stored, ledger["residual"], rtol=0, atol=1e-14)
    assert ledger["largest_residual"][-1] <= 1e-6 * ledger["reference_energy"][-1]


def test_events_do_not_shorten_the_proposed_step():
    """A step that was cut to end on one may tell that the next can be longer, by half at most."""
    scene = jumping_scene(Stepping(budget=1e-3))
    pairs = step_by_step(Simulator(build_model(scene)), lambda simulator: (
        simulator.counts()["limited_by_event"], simulator.counts()["refused"], simulator.state.buffers.numbers[slots.TAU]))
    at_events = [(before, after) for before, after in pairs if after[0] > before[0]]
    assert len(at_events) >= 9
    assert all(before[2] <= after[2] <= 1.5 * before[2] for before, after in at_events)


# Supports -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("scheme", ["verlet", "taylor"])
@pytest.mark.parametrize("support", ["x", "yz", "xyz"])
def test_supported_axes_do_not_move_by_a_bit(scheme, support):
    scene = Scene("held", duration=0.5, frames=10, stepping=Stepping(scheme=scheme, budget=1e-2))
    held = scene.add_particle("held", (0.1, 0.2, 0.3), 1.0, support=support)
    body = scene.add_rigid("body", L_BODY + 1.0, mass=2.0, support=support, spin=(1.0, 2.0, 3.0))
    free = scene.add_particle("free", (0.5, -0.4, 0.9), 1.0, velocity=(1, 2, 3))
    scene.add_linear("springs", [held, held, free], [free, body.particles[1], body.particles[2]], 40.0, 0.3, rest_length=0.5)
    recording = simulate(scene)
    for axis, letter in enumerate("xyz"):
        for path in (recording.position[:, held, axis], recording.rigid_position[:, 0, axis]):
            assert (path == path[0]).all() == (letter in support)


@pytest.mark.parametrize("support", ["x", "z", "xz", "xyz"])
def test_held_rotations_have_no_spin(support):
    scene = Scene("top", duration=0.5, frames=10, stepping=Stepping(budget=1e-2))
    spin = [0.0 if axis in support else 2.0 for axis in "xyz"]
    body = scene.add_rigid("body", L_BODY, mass=2.0, rotation_support=support, spin=spin, support="xyz")
    hook = scene.add_particle("hook", (1, 1, 1), 1.0, support="xyz")
    scene.add_linear("string", body.particles[1], hook, 80.0, rest_length=0.4)
    recording = simulate(scene)
    for axis, letter in enumerate("xyz"):
        along = np.abs(recording.rigid_spin[:, 0, axis])
        if letter in support:
            assert along.max() <= 100 * EPSILON * max(np.abs(recording.rigid_spin).max(), 1.0)
        else:
            assert along.max() > 0.5
    turned = np.abs(recording.rigid_orientation - recording.rigid_orientation[0]).max()
    assert turned == 0.0 if support == "xyz" else turned > 0.1


@pytest.mark.parametrize("support", ["x", "yz"])
def test_partly_held_rotation_keeps_energy_to_second_order(support):
    """No torque but that of the support, which does no work."""
    drift = []
    for dt in (0.02, 0.01, 0.005):
        scene = Scene("top", duration=4.0, frames=200, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=dt))
        scene.add_rigid("body", L_BODY, mass=2.0, rotation_support=support,
                        spin=[0.0 if axis in support else 2.0 for axis in "xyz"])
        kinetic = simulate(scene).ledger["kinetic"]
        drift.append(np.abs(kinetic - kinetic[0]).max() / kinetic[0])
    if support == "yz":
        assert max(drift) < 1e-12  # a turn about one axis is exact
    else:
        slopes = np.diff(np.log(drift)) / np.log(0.5)
        np.testing.assert_allclose(slopes, 2.0, atol=0.2)


# Drives ---------------------------------------------------------------------------------------------------------------

def test_driven_axes_follow_their_drives_exactly():
    shake, lift = Drive.sine(0.2, 1.5), Drive.table([0.0, 0.4, 0.7, 1.0], [0.0, 0.3, -0.1, 0.2], kind="cubic")
    scene = Scene("driven", duration=1.0, frames=20, stepping=Stepping(budget=1e-3))
    hand = scene.add_particle("hand", (0, 0, 1), 1.0, drive={"x": shake}, support="yz")
    arm = scene.add_rigid("arm", L_BODY, mass=2.0, support="xy", drive={"z": lift, "rotation": ((0, 0, 2.0), shake)})
    load = scene.add_particle("load", (0.5, 0.5, 0), 0.3)
    scene.add_linear("strings", [hand, arm.particles[1]], [load, load], 50.0, 0.2)
    recording = simulate(scene)
    time = recording.time
    np.testing.assert_allclose(recording.position[:, hand, 0], shake.value(time), rtol=0, atol=4 * EPSILON)
    np.testing.assert_allclose(recording.velocity[:, hand, 0], shake.rate(time), rtol=0, atol=16 * EPSILON)
    np.testing.assert_allclose(recording.rigid_position[:, 0, 2] - arm.centre[2], lift.value(time), rtol=0, atol=4 * EPSILON)
    np.testing.assert_allclose(recording.rigid_spin[:, 0], np.outer(shake.rate(time), (0, 0, 1)), rtol=0, atol=32 * EPSILON)
    across = recording.position[:, arm.particles[1]] - recording.position[:, arm.particles[0]]
    np.testing.assert_allclose(np.arctan2(across[:, 1], across[:, 0]), shake.value(time), rtol=0, atol=32 * EPSILON)
    np.testing.assert_allclose(np.linalg.norm(across, axis=1), 0.3, rtol=0, atol=8 * EPSILON)


def test_the_work_of_a_driven_axis_is_the_energy_that_it_puts_in():
    shake = Drive.sine(0.2, 1.5)
    scene = Scene("driven", duration=1.0, frames=20, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    hand = scene.add_particle("hand", (0, 0, 0), 1.0, drive={"x": shake}, support="yz")
    load = scene.add_particle("load", (0.5, 0, 0), 0.3)
    scene.add_linear("string", hand, load, 50.0)
    recording = simulate(scene)
    speed, gap = recording.velocity[:, :, 0], recording.position[:, load, 0] - recording.position[:, hand, 0]
    energy = 0.5 * speed[:, hand]**2 + 0.15 * speed[:, load]**2 + 25.0 * (gap - 0.5)**2
    work = recording.ledger["work:hand"]
    assert np.ptp(work) > 1.0
    np.testing.assert_allclose(work, energy - energy[0], atol=1e-5 * recording.ledger["reference_energy"][-1])


# Laws -----------------------------------------------------------------------------------------------------------------

def test_a_slack_cable_lets_its_mass_fly():
    """Thrown towards the anchor: free flight until the cable is taut again, and no energy lost or won."""
    scene = Scene("cable", duration=1.0, frames=50, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    anchor = scene.add_particle("anchor", (0, 0, 0), 1.0, support="xyz")
    ball = scene.add_particle("ball", (1, 0, 0), 1.0, velocity=(-2.0, 0.3, 0))
    scene.add_linear("cable", anchor, ball, 1000.0, rest_length=1.0, tension_only=True)
    recording = simulate(scene)
    slack = np.linalg.norm(recording.position[:, ball], axis=1) < 1.0 - 1e-9
    first_taut = 1 + int(np.argmin(slack[1:]))
    assert 20 < first_taut < 50
    flight = np.array([1.0, 0, 0]) + np.outer(recording.time, (-2.0, 0.3, 0))
    np.testing.assert_allclose(recording.position[:first_taut, ball], flight[:first_taut], rtol=0, atol=1e-14)
    energy = recording.ledger["kinetic"] + recording.ledger["elastic_linear"]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-5)


def test_a_plastic_cycle_loses_the_area_of_its_loop():
    """Both ends held, the rest length driven through a cycle: work in = elastic energy left + yield × flow.

    By hand: flow Δγ = (k|e − e_p| − f_y − H γ)/(k + H) past the yield, its loss f_y γ + ½ H γ².
    """
    k, limit, hardening, corners = 200.0, 4.0, 50.0, [0.0, 0.1, -0.1, 0.05, 0.0]
    times = np.linspace(0, 1, len(corners))
    scene = Scene("cycle", duration=1.0, frames=400, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=2.5e-3))
    ends = scene.add_particles("ends", [(0, 0, 0), (1, 0, 0)], 1.0, support="xyz")
    scene.add_linear("bar", ends[0], ends[1], k, yield_force=limit, hardening=hardening,
                     drive=Drive.table(times, [-e for e in corners]))
    scene.add_sensor("tension", "tension", "bar")
    recording = simulate(scene)
    flow = total = 0.0
    for elongation in corners[1:]:
        trial = elongation - flow
        more = max(0.0, (k * abs(trial) - limit - hardening * total) / (k + hardening))
        flow, total = flow + np.sign(trial) * more, total + more
    ledger = recording.ledger
    np.testing.assert_allclose(ledger["plastic_flow"][-1], limit * total + 0.5 * hardening * total**2, rtol=1e-12)
    np.testing.assert_allclose(ledger["elastic_linear"][-1], 0.5 * k * flow**2, rtol=1e-12)
    np.testing.assert_allclose(ledger["work:bar"][-1], ledger["plastic_flow"][-1] + ledger["elastic_linear"][-1], rtol=1e-4)
    tension, elongation = recording.sensors["tension"].ravel(), np.interp(recording.time, times, corners)
    area = np.sum(0.5 * (tension[1:] + tension[:-1]) * np.diff(elongation))
    np.testing.assert_allclose(ledger["work:bar"][-1], area, rtol=1e-4)


@pytest.mark.parametrize("kind", ["cubic", "linear"])
def test_a_mass_on_a_tabulated_spring_has_the_period_of_the_quadrature(kind):
    """T = 4 ∫ dx / √(2 (U(A) − U(x))/m), with x = A sin θ."""
    amplitude, mass = 0.3, 0.7
    knots = np.linspace(-0.5, 0.5, 21)
    table = Table(knots, 30.0 * (knots + 8.0 * knots**3), kind=kind)

    def slowness(angle):
        gap = 2.0 / mass * (table.energy(amplitude) - table.energy(amplitude * np.sin(angle)))
        return amplitude * np.cos(angle) / np.sqrt(gap)

    bends = [np.arcsin(x / amplitude) for x in knots if 0 < x < amplitude]
    period = 4.0 * quad(slowness, 0.0, 0.5 * np.pi - 1e-9, points=bends, limit=200)[0]
    scene = Scene("table", duration=10.25 * period, frames=41, gravity=(0, 0, 0), stepping=Stepping(budget=1e-6))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1 + amplitude, 0, 0), mass)
    scene.add_linear("spring", wall, block, rest_length=1.0, table=table)
    x = simulate(scene).position[:, block, 0] - 1.0
    # 40 quarters on the block is back; one more and it passes the middle, where a late phase shows as v Δt
    np.testing.assert_allclose(x[:41:4], amplitude, rtol=1e-4)
    speed = np.sqrt(2.0 / mass * table.energy(amplitude))
    assert abs(x[41]) < 1e-4 * speed * 10.25 * period


# The report's scheme --------------------------------------------------------------------------------------------------

def oscillator(scheme, dt, duration):
    scene = Scene("oscillator", duration=duration, frames=1, gravity=(0, 0, 0),
                  stepping=Stepping(scheme=scheme, control="fixed", dt=dt))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1.1, 0, 0), 1.0)
    scene.add_linear("spring", wall, block, 100.0, rest_length=1.0)
    return simulate(scene)


def test_taylor_multiplies_the_energy_of_an_oscillator_by_one_plus_half_the_square_of_its_step():
    """x⁺ = x + τ v − ½ ω²τ² x, v⁺ = v − ω²τ x has the determinant 1 + (ωτ)²/2, which is the growth of the energy a step."""
    dt, steps = 0.002, 10_000
    ledger = oscillator("taylor", dt, dt * steps).ledger
    energy = ledger["kinetic"] + ledger["elastic_linear"]
    growth = (energy[1] / energy[0]) ** (1.0 / steps)
    np.testing.assert_allclose(growth - 1.0, 0.5 * (10.0 * dt)**2, rtol=0.02)  # the phase of the end counts ωτ/steps


@pytest.mark.parametrize(("scheme", "order"), [("taylor", 1), ("verlet", 2)])
def test_a_scheme_has_its_order(scheme, order):
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        recording = oscillator(scheme, dt, 1.0)
        errors.append(abs(recording.position[-1, 1, 0] - 1.0 - 0.1 * np.cos(10.0)))
    np.testing.assert_allclose(np.diff(np.log(errors)) / np.log(0.5), order, atol=0.1)

