"""What a run is asked for: options that are no such thing are told in words, by every door."""
import numpy as np
import pytest

from robotphi import RobotphiError, Scene, Simulator, build_model, equilibria, place_on, relax, settle, simulate

WRONG = [3, None, "x", []]


def pulled():
    """A particle on a spring."""
    scene = Scene("pulled", duration=0.1, frames=2)
    p = scene.add_particles("p", [(0, 0, 0), (0, 0, -1)], 1.0, support=["xyz", ""])
    scene.add_linear("k", p[0], p[1], 100.0)
    return scene


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize("door", [
    simulate, build_model, Simulator, settle, relax, lambda given: equilibria(given, [0.0]), lambda given: place_on(given, "p"),
    Simulator.continued, Simulator.resumed, Simulator.replayed],
    ids=["simulate", "build_model", "Simulator", "settle", "relax", "equilibria", "place_on", "continued", "resumed",
         "replayed"])
def test_what_is_no_scene_model_or_recording_is_told_in_words(door, wrong):
    with pytest.raises(RobotphiError, match=r"is no |neither"):
        door(wrong)


@pytest.mark.parametrize(("options", "words"), [
    ({"to": 3}, "to is 3"), ({"to": ""}, "to is ''"), ({"keep": 3, "to": "x"}, "keep is 3"), ({"progress": 3}, "progress is 3"),
    ({"until": "a"}, "until is 'a'"), ({"wall_limit": -1}, "wall_limit is -1"),
    ({"keep": [[]], "to": "x"}, r"keep \[\] is not"),
])
def test_options_of_a_run_are_checked_before_it_begins(options, words):
    simulator = Simulator(build_model(pulled()))
    with pytest.raises(RobotphiError, match=words):
        simulator.run(**options)
    assert simulator.state.time == 0.0


def test_what_a_study_is_not_is_told_in_words():
    study = equilibria(pulled(), [0.0])
    for ask, words in ((lambda: study.table(3), "no springs 3"), (lambda: study.tension(None), "no springs None"),
                       (lambda: study.reaction([]), "no rigid"), (lambda: study.table().to_csv(None), "None is no path")):
        with pytest.raises(RobotphiError, match=words):
            ask()


def test_numbers_beyond_their_range_are_told_at_the_door():
    scene = Scene("arm")
    link = scene.add_rigid("link", np.eye(3), mass=1.0)
    scene.add_joint("hinge", "revolute", None, link, at=(0, 0, 0), axis=(0, 0, 1))
    for wrong, words in (({"ratio": 1e300, "rotor": 1.0}, "beyond the range"), ({"ratio": 0.0}, "never turn")):
        with pytest.raises(RobotphiError, match=words):
            scene.add_motor("motor", "hinge", torque=1.0, **wrong)
    with pytest.raises(RobotphiError, match="memory is more than"):
        scene.add_controller("control", print, rate=1.0, memory=10**12)
