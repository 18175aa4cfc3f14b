"""Things thrown together end well or with a rare and clear error; `make fuzz` throws 2000 scenes."""
import warnings
from collections import Counter

import numpy as np
import pytest

from robotphi import build_model
from tests.fuzz.contact_ordeal import throw_many
from tests.fuzz.random_contact import random_contact_scene
from tests.fuzz.same_bits import assert_threads_do_not_matter

RARE = 0.01       # share of the scenes that may end in an error
SAMPLE = 20       # scenes of the usual suite


@pytest.fixture
def thrown_count(scene_count):
    return scene_count // 5 if scene_count > 200 else SAMPLE


@pytest.fixture(autouse=True)
def quiet():
    """Random blocks have cells of any form, and are warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_things_thrown_together_end_well_or_in_a_rare_and_clear_error(thrown_count):
    outcomes = list(throw_many(0, thrown_count))
    assert [outcome.seed for outcome in outcomes] == list(range(thrown_count))
    troubles = [(outcome.seed, outcome.world, outcome.troubles) for outcome in outcomes if outcome.troubles]
    assert not troubles
    errors = [(outcome.seed, outcome.message) for outcome in outcomes if outcome.status in ("diverged", "refused")]
    assert len(errors) <= RARE * len(outcomes), errors
    print(f"\n{len(outcomes)} scenes: {dict(Counter(outcome.status for outcome in outcomes))}")


@pytest.mark.slow
def test_thrown_scenes_do_not_depend_on_the_number_of_threads(thrown_count):
    seeds, compared = range(0, thrown_count, 10), 0
    for seed in seeds:
        compared += assert_threads_do_not_matter(build_model(random_contact_scene(seed, attempts=300).scene), seed)
    assert compared >= (1.0 - RARE) * len(seeds) - 1


def test_a_seed_throws_the_same_scene_again():
    for seed in range(5):
        one, two = (build_model(random_contact_scene(seed).scene) for _ in range(2))
        np.testing.assert_array_equal(one.position, two.position)
        np.testing.assert_array_equal(one.velocity, two.velocity)
        np.testing.assert_array_equal(one.arrays.contact.law, two.arrays.contact.law)


def test_the_thrown_scenes_have_everything_in_them():
    seen, stiffness, friction = Counter(), [], []
    for seed in range(60):
        watched = random_contact_scene(seed)
        seen.update({watched.world: 1, f"control {watched.scene.stepping.control}": 1, "overlapping": watched.overlapping,
                     "between": bool(watched.scene.between), "gravity": bool(np.any(watched.scene.gravity))})
        seen.update(thing.kind for thing in watched.things)
        for thing in watched.scene.touching.values():
            stiffness.append(thing.contact.stiffness)
            friction.append(thing.contact.friction)
            seen[thing.contact.ball_law] += 1
            seen["elastic" if thing.contact.damping == 0.0 else "damped"] += 1
    wanted = {"box", "plane", "field", "free", "carried", "wall", "slab", "icosphere", "cone", "hull", "compound", "ball",
              "capsule", "cylinder", "block", "sheet", "grains", "chain", "control ledger", "control energy", "overlapping",
              "between", "gravity", "volume", "hertz", "linear", "elastic", "damped"}
    assert {name for name in wanted if seen[name] == 0} == set()
    assert np.ptp(np.log10(stiffness)) > 4.0
    assert (min(friction) == 0.0, max(friction) > 1.2) == (True, True)
