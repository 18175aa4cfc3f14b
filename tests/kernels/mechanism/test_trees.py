"""Trees of joints of all kinds beside a reference that knows neither tables nor kernels of mechanisms."""
import numpy as np
import pytest

from tests.kernels.mechanism.reference import velocity_of
from tests.kernels.mechanism.trees import BASES, Beside, random_tree

STEPS = 100          # of a thousandth of a second: the coordinates are then none of those drawn
ROUNDING = 1e-12     # of the largest: some hundred roundings a link, eight links one behind the other
CASES = [(base, seed) for base in BASES for seed in range(3)]


@pytest.mark.parametrize(("base", "seed"), CASES)
def test_places_velocities_and_accelerations_are_those_of_the_reference(base, seed):
    beside = Beside(random_tree(seed, base), base)
    for time in (0.0, 1e-3 * STEPS):
        beside.to(time)
        motions, rows = beside.motions(), beside.rows()
        for i, motion in motions.items():
            np.testing.assert_allclose(rows[i][0], motion.place, rtol=0, atol=ROUNDING * np.abs(motion.place).max())
            speed = velocity_of(motion)
            np.testing.assert_allclose(rows[i][1], speed, rtol=0, atol=ROUNDING * max(np.abs(velocity_of(one)).max()
                                                                                      for one in motions.values()))
        matrix, pull = beside.tree.equations(motions, beside.load(), beside.effort())
        gain = beside.numbers()[2]
        # inverse: what is left of M q̈ − Q beside the sizes that cancel in it; forward: the same through M⁻¹
        sizes = np.abs(matrix) @ np.abs(gain) + np.abs(pull)
        np.testing.assert_allclose(matrix @ gain, pull, rtol=0, atol=ROUNDING * sizes.max())
        exact = np.linalg.solve(matrix, pull)
        np.testing.assert_allclose(gain, exact, rtol=0, atol=ROUNDING * np.abs(exact).max() * np.linalg.cond(matrix) ** 0.5)
