"""Random mechanisms end well or with a rare and clear error; `make fuzz` runs the long list."""
from collections import Counter

from robotphi import build_model
from robotphi.model.arrays import model_digest
from tests.fuzz.ordeal import run_mechanism
from tests.fuzz.random_mechanism import random_mechanism
from tests.fuzz.same_bits import assert_continues, assert_threads_do_not_matter

RARE = 0.01     # share that may end in an error
SAMPLE = 60     # of the usual suite


def test_random_mechanisms_end_well_or_in_a_rare_and_clear_error(scene_count):
    outcomes = [run_mechanism(seed) for seed in range(scene_count if scene_count > 200 else SAMPLE)]
    assert not [(outcome.seed, outcome.troubles) for outcome in outcomes if outcome.troubles]
    errors = [(outcome.seed, outcome.message) for outcome in outcomes if outcome.status in ("diverged", "refused")]
    assert len(errors) <= RARE * len(outcomes) + 1, errors
    print(f"\n{len(outcomes)} mechanisms: {dict(Counter(outcome.status for outcome in outcomes))}")


def test_a_seed_makes_the_same_mechanism_again():
    for seed in range(20):
        one, two = (build_model(random_mechanism(seed)[0]) for _ in range(2))
        assert model_digest(one) == model_digest(two)


def test_random_mechanisms_have_the_same_bits_by_any_way():
    compared = 0
    for seed in range(12):
        assert_threads_do_not_matter(build_model(random_mechanism(seed, 300)[0]), seed)
        compared += assert_continues(build_model(random_mechanism(seed)[0]), seed)
    assert compared >= 4   # others end before their third frame
