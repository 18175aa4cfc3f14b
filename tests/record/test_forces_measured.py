"""What is measured of springs is what the kernels do: the power of a spring is its measured force × the rate of its strain."""
import inspect

import numpy as np
import pytest

from robotphi import Scene, Table, build_model
from robotphi.record import measure
from robotphi.record.springs import springs
from robotphi.run.state import State
from tests.kernels.springs.probe import evaluate
from tests.kernels.springs.test_forces import CASES, build, cloud


def measured_power(model, kind, position, velocity, state):
    """Power [W] by measures: minus tension × rate of length, moment × rate of bend or angle."""
    if kind == "linear":
        pull = measure.tensions(model, position, velocity, 0.0, state.buffers.linear_law)
        return -float(pull @ measure.length_rates(model, position, velocity))
    law = state.buffers.angular_law if kind == "angular" else state.buffers.articular
    moment = measure.moments(model, position, velocity, 0.0, law, kind=kind)
    rate = measure.angle_rates(model, position, velocity, kind=kind, law=law)
    return float(moment @ rate) * (1.0 if kind == "angular" else -1.0)  # bend is π − angle


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", CASES)
def test_a_measured_force_has_the_power_of_the_force_of_the_kernel(name, seed):
    model = build(name, seed)
    state, velocity = State(model), 30.0 * cloud(seed + 100)
    force, sums = evaluate(model, model.position, velocity, state)
    scale = np.linalg.norm(force) * np.linalg.norm(velocity)
    found = measured_power(model, CASES[name][0], model.position, velocity, state)
    assert found == pytest.approx(np.sum(force * velocity), rel=0, abs=1e-13 * scale)  # zero for slack cables
    law = getattr(state.buffers, {"linear": "linear_law", "angular": "angular_law"}.get(CASES[name][0], "articular"))
    reading = measure.readings(model, springs(model, CASES[name][0]), model.position, velocity, 0.0, law)
    assert reading.stored.sum() == pytest.approx(sums["elastic"], rel=1e-12)


@pytest.mark.parametrize("bend", [-0.4, 0.0, 0.4])
def test_a_signed_bend_is_measured_on_both_sides_of_the_straight_line(bend):
    scene = Scene("signed", gravity=(0, 0, 0))
    p = scene.add_particles("p", [[-0.5, 0, 0], [0, 0, 0], [0.25, 0, 0]], 1.0)
    scene.add_angular("s", *p, 2.0, 0.7, rest_angle=np.pi, normal=(0, 0, -1.0))
    model = build_model(scene)
    state = State(model)
    position, velocity = model.position.copy(), np.zeros((3, 3))
    position[2] = 0.25 * np.cos(bend), 0.25 * np.sin(bend), 0.0
    velocity[2] = -0.25 * np.sin(bend) * 3.0, 0.25 * np.cos(bend) * 3.0, 0.0  # the bend grows by 3 rad/s
    moment = measure.moments(model, position, velocity, 0.0, state.buffers.angular_law)
    np.testing.assert_allclose(moment, 2.0 * bend + 0.7 * 3.0, rtol=1e-12)
    force, _ = evaluate(model, position, velocity, state)
    np.testing.assert_allclose(np.sum(force * velocity), -moment[0] * 3.0, rtol=1e-12)


def test_a_table_that_never_pushes_has_a_damper_that_never_pushes():
    """A slack tissue has no force at all, however fast its ends move; a taut one between 0 and twice its elastic pull."""
    tables = (Table.toe(100.0, 0.1), Table([-0.1, 0.0, 0.1, 0.2], [0.0, 0.0, 5.0, 15.0], "cubic"),
              Table([-0.3, -0.2, 0.1], [0.0, 0.0, 3.0]))  # the last one pulls below its rest length as well
    for table in tables:
        for stretch, rate in ((-0.35, -5.0), (-0.35, 5.0), (-0.05, 500.0), (0.05, -500.0), (0.05, 500.0), (0.05, 0.01)):
            points = np.array([[0, 0, 0], [1.0 + stretch, 0, 0]])
            scene = Scene("tissue", gravity=(0, 0, 0))
            p = scene.add_particles("p", points, 1.0)
            scene.add_linear("s", *p, table=table, viscosity=1.0, rest_length=1.0)
            model = build_model(scene)
            velocity = np.array([[0, 0, 0], [rate, 0, 0]])
            force, sums = evaluate(model, points, velocity)
            elastic = float(table.force(stretch))
            assert elastic >= 0.0
            wanted = elastic + np.clip(rate, -elastic, elastic)
            np.testing.assert_allclose(force[0, 0], wanted, rtol=1e-12, atol=1e-12)
            assert sums["loss"] >= 0.0
            np.testing.assert_allclose(measure.tensions(model, points, velocity, 0.0), wanted, rtol=1e-12, atol=1e-12)


def test_forces_are_measured_at_a_time_that_is_told():
    for function in (measure.tensions, measure.elongations, measure.moments):
        assert inspect.signature(function).parameters["time"].default is inspect.Parameter.empty
