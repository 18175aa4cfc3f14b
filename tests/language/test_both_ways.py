"""Scenes from their files run like those that were said: the same digest of every frame. `python -m tests.language.both_ways`
runs all scenarios so."""
import numpy as np
import pytest

from robotphi import Scene
from tests.language.both_ways import both_ways, difference, run_short, scenes_of

SHORT = ("two_masses", "spring_pendulum", "hanging_chain", "bouncing_ball", "pinch")   # seconds each, once compiled


def oscillator(stiffness=10.0):
    scene = Scene("oscillator", duration=1.0, frames=10)
    ends = scene.add_particles("ends", np.array([[0.0, 0, 0], [1.1, 0, 0]]), 0.3)
    scene.add_linear("spring", ends[0], ends[1], stiffness=stiffness, rest_length=1.0)
    return scene


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_a_scenario_and_its_variants_have_the_same_frames_from_their_files(name, tmp_path):
    for scene, exact in scenes_of(name):
        said, read = both_ways(scene, tmp_path, exact)
        assert difference(said, read) == ""
        assert said.frames


def test_a_scene_has_the_same_frames_from_its_file_and_another_one_has_others(tmp_path):
    said, read = both_ways(oscillator(), tmp_path)
    assert (difference(said, read), len(said.frames)) == ("", 6)
    other = run_short(oscillator(10.0 * (1.0 + 1e-15)), tmp_path / "other.vtkhdf")
    assert difference(said, other) == "another model"
    assert difference(said, other._replace(model=said.model)) == "frame 0 differs"


def test_a_difference_between_two_frames_is_told_as_one_of_the_end(tmp_path):
    said, _ = both_ways(oscillator(), tmp_path)
    assert difference(said, said._replace(end="other")) == "the end differs"
    assert difference(said, said._replace(frames=said.frames[:-1])) == "frame 5 differs"
    assert difference(said, said._replace(frames=[*said.frames[:3], "x", *said.frames[4:]])) == "frame 3 differs"
