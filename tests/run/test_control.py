"""What the control of the step promises: its reference, its budget over a whole run, and its path."""
import re

import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, Stepping, Table, build_model, simulate
from robotphi.errors import SimulationDiverged
from robotphi.kernels.step import slots
from robotphi.kernels.step.decide import PATIENCE
from robotphi.scenario.file import load_scenario
from robotphi.verification import paths


def led_in_circles(turns):
    """A taut spring whose end is led round its other end, which stands still: no net work, constant tension."""
    time = np.linspace(0.0, turns, 40 * turns + 1)
    angle = 2 * np.pi * time
    scene = Scene("led", duration=float(turns), frames=10, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=2e-3))
    pin = scene.add_particle("pin", (0, 0, 0), 1.0, support="xyz")
    drives = {"x": Drive.table(time, np.cos(angle) - 1.0, kind="cubic"), "y": Drive.table(time, np.sin(angle), kind="cubic")}
    end = scene.add_particle("end", (1, 0, 0), 1e-6, support="z", drive=drives)
    scene.add_linear("spring", pin, end, 100.0, rest_length=0.95)
    return scene


def test_work_that_comes_and_goes_does_not_raise_the_reference():
    """Each axis pulls with T cos φ and moves by cos φ: its work swings by T R = 5 J and comes back, with every turn."""
    one, five = (simulate(led_in_circles(turns)).ledger for turns in (1, 5))
    assert one["elastic_linear"][-1] == pytest.approx(0.125, rel=0.02)
    assert one["reference_energy"][-1] == pytest.approx(5.0, rel=0.1)
    assert five["reference_energy"][-1] == pytest.approx(one["reference_energy"][-1], rel=0.01)


def test_work_that_is_lost_again_counts():
    """A weight pulled at a constant speed through a damper: all work is dissipated, all of it is energy that was there."""
    scene = Scene("drag", duration=1.0, frames=10, gravity=(0, 0, 0))
    ends = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz"), scene.add_particle(
        "end", (1, 0, 0), 1.0, support="yz", drive={"x": Drive.table([0.0, 1.0], [0.0, 1.0])})
    scene.add_linear("damper", *ends, 0.0, viscosity=3.0, rest_length=1.0)
    ledger = simulate(scene).ledger
    assert ledger["spring_dissipation"][-1] == pytest.approx(3.0, rel=1e-3)
    assert ledger["reference_energy"][-1] == pytest.approx(3.0 + 0.5, rel=0.2)


# The path -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("error_of", "slope"), [(paths.circle_error, 0.5), (paths.orbit_error, 0.5), (paths.beats_error, 0.5)],
                         ids=["circle", "orbit", "beats"])
def test_a_smaller_budget_is_a_more_exact_path(error_of, slope):
    """The error falls with the square root of the budget at least: with τ² where τ⁴ is bounded by the budget."""
    budgets = np.array([1e-3, 1e-5, 1e-7])
    errors = np.array([error_of(budget)[0] for budget in budgets])
    assert (np.diff(np.log(errors)) / np.diff(np.log(budgets)) >= slope - 0.02).all()
    assert (errors[1:] < np.sqrt(budgets[1:])).all()


def test_steady_circular_motion_is_as_near_as_was_asked_and_says_what_sets_its_step():
    """The rule alone sets the step there: ½ of a slope, and less than √budget however large the budget is."""
    budgets = np.array([1e-2, 1e-4, 1e-6])
    found = [paths.circle_error(budget) for budget in budgets]
    errors = np.array([error for error, _ in found])
    np.testing.assert_allclose(np.diff(np.log(errors)) / np.diff(np.log(budgets)), 0.5, atol=0.02)
    assert (errors < np.sqrt(budgets)).all()
    for _, recording in found:
        assert recording.counts["limited_by_path"] > 0.9 * recording.counts["accepted"]
        assert recording.counts["refused"] < 0.01 * recording.counts["accepted"]


def test_with_accuracy_energy_the_ledger_alone_sets_the_step():
    scene = paths.circle_scene(1e-6)
    near = simulate(scene)
    scene.stepping = Stepping(budget=1e-6, accuracy="energy")
    far = simulate(scene)
    assert far.counts["limited_by_path"] == 0
    assert far.counts["attempts"] < 0.5 * near.counts["attempts"]
    assert (near.info["accuracy"], far.info["accuracy"]) == ("path", "energy")


def test_symmetric_bodies_and_flights_cost_the_path_nothing():
    scene = Scene("flight", duration=1.0, frames=5, stepping=Stepping(budget=1e-8))
    scene.add_particle("stone", (0, 0, 0), 1.0, velocity=(3, 0, 4))
    scene.add_rigid("top", np.eye(3), mass=1.0, inertia=(2, 2, 3), centre=(0, 0, 0), spin=(1, 2, 3))
    counts = simulate(scene).counts
    assert counts["limited_by_path"] == counts["refused"] == 0
    assert counts["attempts"] < 60


def test_an_asymmetric_body_is_as_near_as_was_asked():
    for budget in (1e-3, 1e-5, 1e-7):
        error, recording = paths.attitude_error((6, 5, 4), (3, 2, 1), budget)
        assert error < np.sqrt(budget)


# The promise ----------------------------------------------------------------------------------------------------------

def oscillator(budget, duration=10.0, **more):
    """ω = 10 rad/s, elongation 0.1 m, E = 0.5 J."""
    scene = Scene("oscillator", duration=duration, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=budget, **more))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1.1, 0, 0), 1.0)
    scene.add_linear("spring", wall, block, 100.0, rest_length=1.0)
    return scene


def promise_used(recording):
    """Largest |Σ residual| over what was promised."""
    ledger = recording.ledger
    return ledger["largest_residual"][-1] / (recording.info["budget"] * ledger["reference_energy"][-1])


@pytest.mark.parametrize("budget", [1e-2, 1e-4, 1e-6, 1e-8])
def test_the_budget_is_spent_and_kept(budget):
    """What swings may use it all at once: a judgement of each step by its share of the run uses a hundredth."""
    recording = simulate(oscillator(budget, duration=2.0))
    assert 0.2 < promise_used(recording) <= 1.0
    assert recording.info["budget_kept"]


def test_a_run_ten_times_as_long_takes_ten_times_the_steps():
    """A swing leaves nothing behind, so how long it goes on does not matter; shares of the run would ask for 32 times."""
    short, long = (simulate(oscillator(1e-4, duration)).counts["attempts"] for duration in (4.0, 40.0))
    assert long < 16 * short


def test_a_smaller_budget_takes_steps_as_the_root_of_it():
    """The swing of the energy is (ωτ)²/4 of it: hundred times less is ten times the steps."""
    counts = [simulate(oscillator(budget, 4.0)).counts["attempts"] for budget in (1e-4, 1e-6, 1e-8)]
    assert (np.diff(np.log10(counts)) < 1.15).all()


def leaking(leak, budget=1e-4, frames=100):
    """A mass that flies freely and is given energy at every frame, in all `leak` times what is promised of its 0.5 J."""
    scene = Scene("leak", duration=1.0, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    scene.add_particle("mass", (0, 0, 0), 1.0, velocity=(1, 0, 0))
    simulator = Simulator(build_model(scene))
    simulator.begin()
    while simulator.frame < frames:
        speed = simulator.state.velocity[0, 0]
        simulator.state.velocity[0, 0] = np.sqrt(speed * speed + 2.0 * leak * budget * 0.5 / frames)
        simulator.advance_frame()
    return simulator.recording("done")


@pytest.mark.parametrize("leak", [1e-3, 0.8])
def test_a_leak_within_the_budget_shows_in_the_residual(leak):
    """A thousandth of what is promised is seen as well; nothing else is left by a free flight."""
    recording = leaking(leak)
    assert promise_used(recording) == pytest.approx(leak, rel=1e-3)
    assert recording.counts["refused"] == 0


@pytest.mark.parametrize("leak", [3.0, 30.0])
def test_a_leak_beyond_the_budget_ends_the_run_before_it_is_spent(leak):
    """No step is short enough for it. What is left is spent evenly, so the run ends when about half of it has come in."""
    with pytest.raises(SimulationDiverged) as ended:
        leaking(leak)
    recording = ended.value.recording
    assert recording.time[-1] < 1.2 / leak
    assert promise_used(recording) <= 1.0


def on_a_table(duration=2.0):
    """A block on a tabulated spring that swings over its knots, 0.5 J."""
    scene = Scene("table", duration=duration, frames=int(10 * duration), gravity=(0, 0, 0))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1.1, 0, 0), 1.0)
    knots = np.linspace(-0.2, 0.2, 9)
    scene.add_linear("spring", wall, block, rest_length=1.0, table=Table(knots, 100.0 * knots))
    return build_model(scene)


def energies_of(model):
    """The energies at the knots of the tables of a model, to be made wrong."""
    piece = model.arrays.tables.piece
    piece.setflags(write=True)
    energies = piece[:, 6]
    piece.setflags(write=False)   # of its own kind else, for which all would be compiled anew
    return energies


def test_an_energy_that_is_not_that_of_the_force_ends_the_run():
    """The energy at the knots of a table made 20 % too large: each knot passed leaves energy, however short the step."""
    right, wrong = on_a_table(), on_a_table()
    assert promise_used(Simulator(right).run()) <= 1.0
    energies_of(wrong)[:] *= 1.2
    with pytest.raises(SimulationDiverged) as ended:
        Simulator(wrong).run()
    assert ended.value.recording.time[-1] < 0.5


def leaping(leap):
    """The energy of one half of the table is higher by a share of what is promised, and all that ordinary steps may leave is
    spent: no step is short enough to pass the middle. Few of a run of 100 s are run, so that the share of a step is small."""
    model = on_a_table(100.0)
    energies = energies_of(model)
    energies[len(energies) // 2:] += leap * 1e-4 * 0.5
    simulator = Simulator(model)
    simulator.begin()
    simulator.advance_frame()
    numbers = simulator.state.buffers.numbers
    numbers[slots.SPENT] = numbers[slots.BUDGET] * numbers[slots.REFERENCE]
    return simulator


@pytest.mark.parametrize("leap", [2e-5, 5e-5])
def test_a_leap_of_the_energy_is_paid_by_the_reserve(leap):
    """A thousandth of the reserve, 5.5e-5 of what is promised, is there for one that ten refusals have not made smaller; the
    middle is passed upwards every π/5 s."""
    recording = (simulator := leaping(leap)).run(until=2.0)
    numbers = simulator.state.buffers.numbers
    assert recording.counts["reserve"] == 3
    assert numbers[slots.RESERVE_SPENT] == pytest.approx(3 * leap * 1e-4 * 0.5, rel=1e-3)
    assert recording.counts["refused"] > 3 * PATIENCE


def test_a_larger_leap_ends_the_run():
    with pytest.raises(SimulationDiverged) as ended:
        leaping(1e-3).run(until=2.0)
    assert ended.value.recording.counts["reserve"] == 0


# Rounding -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("budget", [1e-9, 1e-10])
@pytest.mark.parametrize("away", [0.0, 100.0])
def test_a_free_body_spins_within_budgets_near_rounding(budget, away):
    """16 roundings of 2e-16 of its energy in a step of this scene, 2e4 steps that add up at random: 5e-13 at most."""
    scene = Scene("spin", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    scene.add_rigid("body", np.eye(3) + away, mass=1.0, inertia=(6, 5, 4), centre=(away, away, away), spin=(3, 2, 1))
    recording = simulate(scene)
    assert promise_used(recording) <= 1.0
    assert recording.counts["rounding"] < 0.01 * recording.counts["accepted"]


def spinning(budget):
    scene = Scene("spin", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    scene.add_rigid("body", np.eye(3), mass=1.0, inertia=(6, 5, 4), centre=(0, 0, 0), spin=(3, 2, 1))
    return scene


def test_what_hides_behind_rounding_has_no_budget_of_its_own():
    """At 1e-11 most steps leave less than rounding may make of them, all of one sign for a quarter of a turn."""
    recording = simulate(spinning(1e-11))
    assert promise_used(recording) <= 1.0
    assert recording.info["warnings"] == []


def three_masses(budget, away):
    """Two springs in a corner, taut, far from the origin or not."""
    scene = Scene("three", duration=0.5, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    masses = scene.add_particles("masses", np.array([(0, 0, 0), (1.1, 0, 0), (1.1, 0.9, 0)]) + away, 1.0)
    scene.add_linear("springs", masses[:2], masses[1:], 100.0, rest_length=1.0)
    return scene


@pytest.mark.parametrize(("budget", "away"), [(1e-12, None), (1e-11, 0.0), (1e-9, 1e4)], ids=["spin", "near", "far"])
def test_a_budget_below_rounding_is_told_and_the_run_goes_on(budget, away):
    """No step helps against rounding: everywhere the run ends as it would, with what was promised, what came, why, and a budget
    that works; roundings of T ε X in a step, one way or the other."""
    scene = spinning(budget) if away is None else three_masses(budget, away)
    recording = simulate(scene)
    assert recording.status == "done"
    assert not recording.info["budget_kept"]
    told, = (each for each in recording.info["warnings"] if "unexplained" in each)
    assert f"{promise_used(recording):.2g} times the budget of {budget:g}" in told
    assert "rounding alone" in told
    assert ("nearer to the origin than 1e+04 m" in told) == (away == 1e4)
    scene.stepping = Stepping(budget=float(re.search(r"give budget=([0-9.e-]+)", told)[1].rstrip(".")))
    again = simulate(scene)
    assert promise_used(again) <= 1.0
    assert again.info["warnings"] == []


def test_a_budget_missed_at_a_floor_says_so():
    scene = oscillator(1e-8, 2.0, dt_min=5e-3, at_floor="accept")
    recording = simulate(scene)
    told, = recording.info["warnings"]
    assert "stood at the floor" in told
    assert not recording.info["budget_kept"]


def test_an_arm_that_folds_to_nothing_ends_the_run_and_is_named():
    """Two particles led together along their line by a damper without bound: the arm between them vanishes, its direction
    leaps. Stages stand any damping rate, so the end comes in some thousand steps and not in millions."""
    scene = Scene("fold", duration=1.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=1e-2, attempt_limit=100_000))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    knee = scene.add_particle("knee", (0.3, 0, 0), 0.5)
    foot = scene.add_particle("foot", (0.3, 0.3, 0), 0.5, velocity=(0.2, -1, 0))
    scene.add_linear("springs", wall, [knee, foot], 1000.0, 10.0, rest_length=0.3)
    scene.add_angular("bend", wall, knee, foot, 1.5, 0.015)
    with pytest.raises(SimulationDiverged, match="An arm of angular spring 'bend' has all but vanished") as ended:
        simulate(scene)
    assert ended.value.recording.counts["attempts"] < 20_000


def test_a_fall_of_many_particles_in_a_long_run_is_not_ended_by_the_rounding_of_its_sums():
    """5000 s of which one is run: the share of a step is 1e-4/5000 of the energy times its length."""
    scene = load_scenario("jelly_cube").module.build(duration=5000.0, frames=10000)
    recording = Simulator(build_model(scene)).run(until=0.5)
    assert recording.status == "done"
    assert promise_used(recording) <= 1.0


def braced(gravity, torque):
    """Bars that cannot move, in one plane: four and a brace, with a torque on the first."""
    scene = Scene("braced", duration=0.5, frames=10, gravity=(0, 0, gravity))
    points = np.array([(0, 0, 0), (0.1, 0, 1), (2, 0, 1.2), (2, 0, 0)], float)
    bars, parent = [], None
    for i in range(3):
        bars.append(scene.add_rigid(f"bar {i}", [points[i]], mass=1.0, centre=0.5 * (points[i] + points[i + 1]),
                                    inertia=(0.1, 0.1, 0.1)))
        scene.add_joint(f"pin {i}", "revolute", parent, bars[i], at=points[i], axis=(0, 1, 0))
        parent = bars[i]
    scene.add_joint("pin 3", "revolute", None, parent, at=points[3], axis=(0, 1, 0))
    brace = scene.add_rigid("brace", [(0.5, 0, 0.8)], mass=1.0, centre=(0.5, 0, 0.8), inertia=(0.1, 0.1, 0.1))
    for i, at in enumerate([(0.05, 0, 0.5), (1.05, 0, 1.1)]):
        scene.add_joint(f"knot {i}", "revolute", bars[i], brace, at=at, axis=(0, 1, 0))
    if torque:
        scene.add_torque("twist", bars[0], (0, torque, 0))
    return scene


@pytest.mark.parametrize(("gravity", "torque"), [(-9.81, 0.0), (-9.81, 100.0), (0.0, 100.0)])
def test_loads_on_a_mechanism_that_cannot_move_end_no_run_and_ask_for_no_budget(gravity, torque):
    """All its energy is rounding: 1e-92 J of a few watts, of which no share says anything."""
    recording = simulate(braced(gravity, torque))
    assert len(recording) == 11
    assert recording.info["warnings"] == []
    assert recording.ledger["kinetic"].max() < 1e-25
