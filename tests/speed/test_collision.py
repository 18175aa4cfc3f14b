"""The measure of distances: C and our kernel do the same work."""
import shutil

import pytest

from robotphi.kernels.compiling.compiled import PLAIN
from tests.speed.collision import judge_collision, measure


@pytest.mark.slow
@pytest.mark.skipif(PLAIN or shutil.which("gcc") is None, reason="times compiled code against C")
def test_c_and_ours_give_the_same_distances_in_as_many_iterations():
    results = measure(queries=30, repeats=1, counts=(8, 36))
    for figures in results["counts"].values():
        assert figures["disagreement"] == 0
        for name, iterations in figures["iterations"].items():
            assert iterations == figures["iterations"][name.removeprefix("c ")]
    found = {budget["what"] for budget in judge_collision(results)}
    assert {"distance, cold / C", "distance, warm / C", "log–log slope, distance, warm"} <= found
