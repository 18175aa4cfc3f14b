"""Every scene there is, written as a file and read again, has the same bits: all scenarios and their study variants."""
import warnings
from contextlib import suppress
from unittest.mock import MagicMock

import pytest

from robotphi import build_model
from robotphi.language import read_scene, write_scene
from robotphi.model.arrays import model_digest
from robotphi.scenario import list_scenarios, load_scenario
from tests.fuzz.random_contact import random_contact_scene
from tests.fuzz.random_scene import random_scene

# Their shapes are meshed for seconds: adaptively, or with many cells.
LONG = {"cable", "discretisations", "table"}


MOST = 12   # variants of a study


class Enough(Exception):
    """A study has shown its variants."""


def variants_of(module):
    """The scenes that a study simulates, without simulating any: it may stumble over what it gets instead of recordings."""
    found = []

    def noted(given, *args, **options):
        found.append(getattr(given, "scene", given))
        if len(found) >= MOST:
            raise Enough
        return MagicMock()

    before = {name: getattr(module, name) for name in ("simulate", "Simulator") if hasattr(module, name)}
    for name in before:
        setattr(module, name, noted)
    try:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.run()
    finally:
        for name, value in before.items():
            setattr(module, name, value)
    return found


def assert_file_gives_the_same(scene, folder, exact=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = read_scene(write_scene(scene, folder / "scene.yaml", exact=exact)[0])
    one, two = build_model(scene), build_model(again)
    assert model_digest(one) == model_digest(two)
    assert (one.work_names, one.part_names) == (two.work_names, two.part_names)
    assert [(sensor.name, sensor.quantity, sensor.of.kind, sensor.of.indices.tolist()) for sensor in scene.sensors] == \
        [(sensor.name, sensor.quantity, sensor.of.kind, sensor.of.indices.tolist()) for sensor in again.sensors]


@pytest.mark.parametrize("name", [name if name not in LONG else pytest.param(name, marks=pytest.mark.slow)
                                  for name in list_scenarios()])
def test_the_scene_of_a_scenario_is_the_same_from_its_file(name, tmp_path):
    assert_file_gives_the_same(load_scenario(name).module.build(), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in list_scenarios() if load_scenario(name).is_study])
def test_every_variant_of_a_study_is_the_same_from_its_file(name, tmp_path):
    scenes = variants_of(load_scenario(name).module)
    assert scenes
    for scene in scenes:
        assert_file_gives_the_same(scene, tmp_path, exact=True)


@pytest.mark.slow
def test_random_scenes_are_the_same_from_their_files(tmp_path, scene_count):
    for seed in range(scene_count):
        assert_file_gives_the_same(random_scene(seed)[0], tmp_path)
        assert_file_gives_the_same(random_contact_scene(seed).scene, tmp_path)
