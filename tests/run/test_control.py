"""What the control of the step promises: its reference, its budget over a whole run, and its path."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Stepping, simulate
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
