"""Every scene there is, said again to the same bits: all scenarios and their studies, verification cases, many random ones."""
import warnings
from contextlib import suppress

import numpy as np
import pytest

from robotphi import Simulator
from robotphi.scenario import list_scenarios, load_scenario
from robotphi.verification import all_cases
from tests.bits.bits import SILENT, Short
from tests.fuzz.random_contact import random_contact_scene
from tests.fuzz.random_scene import random_scene
from tests.scene.test_statements import assert_same_bits

pytestmark = pytest.mark.slow
ATTEMPTS = 5   # of each simulation: only what it starts from matters


def scenes_of(start):
    """The scenes that a function simulates, its runs cut short; it may stumble over that."""
    begin, found = Simulator.__init__, []

    def noted(simulator, model, threads=None, controllers=None):
        found.append(model.scene)
        begin(simulator, model, threads)

    Simulator.__init__ = noted
    try:
        with Short(ATTEMPTS, 1).patched(), warnings.catch_warnings(), np.errstate(all="ignore"), suppress(Exception):
            warnings.simplefilter("ignore")
            start()
    finally:
        Simulator.__init__ = begin
    return found


@pytest.mark.parametrize("name", list_scenarios())
def test_every_scene_of_a_scenario_is_said_again_to_the_same_bits(name):
    scenario = load_scenario(name)
    scenes = [scenario.module.build(), *(scenes_of(scenario.module.run) if scenario.is_study else ())]
    for scene in scenes:
        assert_same_bits(scene)


@pytest.mark.parametrize("name", [name for name in all_cases() if name not in SILENT])
def test_every_scene_of_a_case_is_said_again_to_the_same_bits(name):
    scenes = scenes_of(all_cases()[name].run)
    assert scenes
    for scene in scenes:
        assert_same_bits(scene)


def test_many_random_scenes_are_said_again_to_the_same_bits(scene_count):
    for seed in range(scene_count):
        assert_same_bits(random_scene(seed)[0])
        assert_same_bits(random_contact_scene(seed).scene)
