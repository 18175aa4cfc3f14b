"""Distance of two sets of corners: certificates of its answers, and arbiters where it is hardest."""
import numpy as np
import pytest
from gjk_arbiter import Pairs, random_pair


@pytest.mark.parametrize("kind", ["separated", "touching", "deep", "lattice", "needles", "far", "duplicates"])
def test_the_distance_equals_the_support_gap_along_n_and_the_witnesses_lie_in_their_hulls(kind):
    generator = np.random.default_rng(1)
    pairs = Pairs([random_pair(generator, kind, *generator.integers(1, 31, 2)) for _ in range(300)])
    gap, weight = pairs.certificate(pairs.solve())
    assert gap.max() <= 1e-12
    assert weight.max() <= 1e-15
