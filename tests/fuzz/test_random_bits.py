"""Random scenes give the same bits with a team of threads, and when they are continued from the middle."""
import pytest

from robotphi import build_model
from tests.fuzz.random_scene import random_scene
from tests.fuzz.same_bits import assert_continues, assert_threads_do_not_matter


@pytest.mark.slow
@pytest.mark.parametrize("start", range(4))
def test_random_scenes_do_not_depend_on_the_number_of_threads(start, scene_count):
    for seed in range(start, scene_count // 10, 4):
        assert assert_threads_do_not_matter(build_model(random_scene(seed, attempts=300)[0]), seed)


@pytest.mark.parametrize("start", range(4))
def test_random_scenes_continue_from_the_middle_as_if_they_had_never_stopped(start, scene_count):
    seeds = range(start, scene_count, 4)
    compared = sum(assert_continues(build_model(random_scene(seed)[0]), seed) for seed in seeds)
    assert compared >= 0.5 * len(seeds)   # others end before their third frame
