"""Stepping: what it accepts and what it refuses."""
import pytest

from robotphi.errors import SceneError
from robotphi.scene import Stepping


def test_the_default_is_verlet_with_the_ledger():
    stepping = Stepping()
    assert (stepping.scheme, stepping.control, stepping.at_floor) == ("verlet", "ledger", "error")
    assert stepping.budget == 1e-4


def test_all_combinations_that_make_sense_are_accepted():
    report = Stepping("taylor", "fixed", dt=0.01)
    energy = Stepping(control="energy", energy_tolerance=0.01, count_force_potential=True, at_floor="accept")
    bounded = Stepping(dt_min=1e-9, dt=1e-3, dt_max=1e-2, attempt_limit=2000)
    assert (report.scheme, report.control, report.dt) == ("taylor", "fixed", 0.01)
    assert (energy.energy_tolerance, energy.count_force_potential, energy.at_floor) == (0.01, True, "accept")
    assert (bounded.dt_min, bounded.dt, bounded.dt_max, bounded.attempt_limit) == (1e-9, 1e-3, 1e-2, 2000)


@pytest.mark.parametrize(("given", "words"), [
    ({"scheme": "verlett"}, ["unknown scheme 'verlett'", "did you mean 'verlet'", "verlet, taylor"]),
    ({"control": "budget"}, ["unknown control 'budget'", "ledger, energy, fixed"]),
    ({"at_floor": "ignore"}, ["at_floor", "error, accept"]),
    ({"budget": 0.0}, ["budget is 0", ">= 1e-12 and <= 1"]),
    ({"budget": 2.0}, ["budget is 2", "<= 1"]),
    ({"budget": "small"}, ["budget is 'small'", "one number"]),
    ({"dt": -1.0, "control": "fixed"}, ["dt is -1", "> 0"]),
    ({"dt_max": float("nan")}, ["dt_max is nan", "finite"]),
    ({"dt_min": 0.1, "dt_max": 0.01}, ["dt_min = 0.1", "dt_max = 0.01", "dt_min <= dt <= dt_max"]),
    ({"dt": 0.1, "dt_max": 0.01}, ["dt = 0.1", "dt_max = 0.01"]),
    ({"control": "fixed"}, ["without dt", "give dt"]),
    ({"control": "energy"}, ["without energy_tolerance", "joules"]),
    ({"accuracy": "phase"}, ["unknown accuracy 'phase'", "path, energy"]),
    ({"accuracy": "path", "control": "fixed", "dt": 0.1}, ["accuracy='path'", "'fixed'", "leave accuracy out"]),
    ({"accuracy": "energy", "control": "fixed", "dt": 0.1}, ["accuracy='energy'", "'fixed'", 'control="ledger"']),
    ({"accuracy": "path", "control": "energy", "energy_tolerance": 0.1}, ["accuracy='path'", "'energy'", 'control="ledger"']),
    ({"accuracy": "path", "scheme": "taylor"}, ["accuracy='path'", "'taylor'", 'scheme="verlet"']),
    ({"energy_tolerance": 0.1}, ["energy_tolerance", 'control="energy"']),
    ({"count_force_potential": True}, ["count_force_potential", 'control="energy"']),
    ({"count_force_potential": 1}, ["count_force_potential is 1", "True or False"]),
    ({"attempt_limit": 0}, ["attempt_limit is 0", "at least 1"]),
    ({"attempt_limit": 2.5}, ["attempt_limit is 2.5", "whole number"]),
])
def test_what_cannot_be_is_refused_with_what_would_work(given, words):
    with pytest.raises(SceneError) as refused:
        Stepping(**given)
    assert all(word in str(refused.value) for word in ["stepping", *words]), refused.value


@pytest.mark.parametrize(("given", "governed"), [
    ({}, "path"), ({"accuracy": "path"}, "path"), ({"accuracy": "energy"}, "energy"),
    ({"scheme": "taylor"}, "energy"), ({"scheme": "taylor", "accuracy": "energy"}, "energy"),
    ({"control": "fixed", "dt": 0.1}, "none"), ({"control": "energy", "energy_tolerance": 0.1}, "none")])
def test_what_the_budget_governs_is_said_as_it_is(given, governed):
    """And the loop is told the same: it watches the path where that is governed, and nowhere else."""
    from robotphi import Scene, build_model
    from robotphi.kernels.step import slots
    from robotphi.run.state import State

    stepping = Stepping(**given)
    assert stepping.governed == governed
    scene = Scene("told", duration=1.0, stepping=stepping)
    scene.add_particle("p", (0, 0, 0), mass=1.0)
    assert State(build_model(scene)).buffers.counters[slots.PATH] == (governed == "path")
