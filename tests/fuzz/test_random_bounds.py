"""The bounds of frequencies and damping rates of random scenes are never below exact eigenvalues.

How near they are says little here: slack cables and tables count with the stiffness that they can reach.
"""
import warnings

import numpy as np
import pytest

from robotphi.errors import RobotphiError
from tests.fuzz.random_scene import random_scene
from tests.kernels.step.exact import begun, compared

SEEDS = 40
DIFFERENCED = 1e-5    # relative: central differences over 1e-7 of the size


@pytest.mark.parametrize("part", [0.0, 0.3])
def test_random_scenes_have_bounds(part):
    looked_at = 0
    for seed in range(SEEDS):
        scene = random_scene(seed)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                simulator = begun(scene, part * scene.duration)
            except RobotphiError:
                continue
        size = float(np.ptp(simulator.state.position, axis=0).max())
        found = compared(simulator, step=1e-7 * size, speed=1e-3 * size)
        looked_at += 1
        for quantity, true, bound in zip(("frequency", "damping rate"), found["exact"], found["bound"], strict=True):
            floor = 1e-9 * found["exact"][0]   # what differences leave of nothing
            assert bound >= (1.0 - DIFFERENCED) * true - floor, f"seed {seed}: {quantity} {true:g} /s, bound {bound:g} /s"
    assert looked_at > 0.8 * SEEDS
