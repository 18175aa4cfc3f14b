"""Random scenes give the same bits with a team of threads, and when they are continued from the middle."""

import numpy as np
import pytest

from robotphi import SimulationDiverged, Simulator, build_model
from tests.fuzz.random_scene import random_scene


def run(simulator):
    try:
        return simulator.run()
    except SimulationDiverged as error:
        return error.recording


def assert_same_bits(one, two, seed):
    for name in ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_momentum"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=f"seed {seed}: {name}")
    for name, values in one.ledger.items():
        np.testing.assert_array_equal(values, two.ledger[name], err_msg=f"seed {seed}: {name}")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_random_scenes_do_not_depend_on_the_number_of_threads(start, scene_count):
    for seed in range(start, scene_count // 10, 4):
        model = build_model(random_scene(seed, attempts=300)[0])
        assert_same_bits(run(Simulator(model, threads=1)), run(Simulator(model, threads=2)), seed)


@pytest.mark.parametrize("start", range(4))
def test_random_scenes_continue_from_the_middle_as_if_they_had_never_stopped(start, scene_count):
    for seed in range(start, scene_count, 4):
        model = build_model(random_scene(seed)[0])
        straight = run(Simulator(model))
        if len(straight) < 3:
            continue
        middle = len(straight) // 2
        rest = run(Simulator.continued(model, straight, middle))
        for name in ("time", "position", "velocity", "rigid_orientation", "rigid_momentum"):
            np.testing.assert_array_equal(getattr(straight, name)[middle:], getattr(rest, name), err_msg=f"seed {seed}: {name}")
        for name, values in straight.ledger.items():
            np.testing.assert_array_equal(values[middle:], rest.ledger[name], err_msg=f"seed {seed}: {name}")
