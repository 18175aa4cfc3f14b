"""Doors of runs and of things that act on themselves: what was given, what is allowed, what would work; nothing is lost."""
import numpy as np
import pytest

from robotphi import (
    ControllerFailed,
    Drive,
    Motion,
    Recording,
    RecordingError,
    Scene,
    SceneError,
    Simulator,
    build_model,
    equilibria,
    place_on,
    relax,
    settle,
    simulate,
)

TRIANGLE = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)])
NAN = float("nan")


def arm():
    scene = Scene("arm", duration=0.1, frames=4)
    for name, height, parent in (("a", 0.0, None), ("b", 1.0, "a")):
        link = scene.add_rigid(name, TRIANGLE + np.array((0, 0, height)), mass=1.0, inertia=(0.1, 0.1, 0.1))
        scene.add_joint(f"to {name}", "revolute", parent and scene.rigids[0], link, at=(0, 0, height), axis=(0, 0, 1))
    scene.add_particle("p", (1, 1, 1), 1.0)
    return scene


@pytest.mark.parametrize("given", [3, None, "x", [1]])
def test_whoever_runs_a_scene_says_what_it_takes(given):
    for run in (simulate, build_model, settle, relax, Simulator, lambda it: equilibria(it, over={"a": [(0, 0, 0)]}),
                lambda it: place_on(it, "a")):
        with pytest.raises(SceneError, match=r"(is no Scene|is no Model|is neither a Scene nor a Model).*(make one|give)"):
            run(given)
    with pytest.raises(RecordingError, match="give"):
        Simulator.continued(given)
    with pytest.raises(RecordingError, match="give"):
        Simulator.replayed(given)
    with pytest.raises(RecordingError, match=r"no path|there is no recording"):
        Recording.load(given)


def test_a_scene_and_a_model_are_not_taken_for_each_other():
    scene = arm()
    model = build_model(scene)
    with pytest.raises(SceneError, match=r"the model of scene 'arm'; run that with Simulator\(model\)"):
        simulate(model)
    with pytest.raises(SceneError, match="give build_model"):
        Simulator(scene)
    with pytest.raises(RecordingError, match="3 is no recording"):
        Simulator.continued(model, 3)
    for thing in (scene, model):
        with pytest.raises(SceneError, match=r"give {address: value}"):
            thing.with_values([1])
    with pytest.raises(SceneError, match=r"give {name: function}"):
        simulate(scene, controllers=[print])
    with pytest.raises(SceneError, match="give the name of a sensor"):
        Simulator(model).read(3)


@pytest.mark.parametrize("limit", [{"step_limit": "x"}, {"step_limit": 1.5}, {"wall_limit": "x"}, {"wall_limit": -1.0},
                                   {"wall_limit": NAN}])
def test_a_limit_of_rest_that_is_none_is_refused_before_anything_is_done(limit):
    scene = arm()
    for rest in (settle, lambda it, **limits: relax(build_model(it), **limits),
                 lambda it, **limits: equilibria(it, over=[0.0], **limits)):
        with pytest.raises(SceneError, match=next(iter(limit))):
            rest(scene, **limit)


ON_ITSELF = {
    "is on rigid 'a'": lambda s: s.add_pull("n", "a", s.rigids[0], stiffness=1.0),
    "rigid 'a', as is": lambda s: s.add_pull("n", 0, s.rigids[0], stiffness=1.0),
    "is on particle 6": lambda s: s.add_field("n", "p", "power", 1.0, around="p", power=1),
    "points 0 and 1 of its way are the same": lambda s: s.add_tendon("n", ["p", "p"], 1.0),
    "points 1 and 2": lambda s: s.add_tendon("n", ["a", "p", "p", "b"], 1.0),
    "its other end is on rigid 'a'": lambda s: s.add_tendon("n", [0, 1], 1.0),
    "turned towards itself": lambda s: s.add_attitude("n", "a", "a", 1.0),
    "joined to itself": lambda s: s.add_joint("n", "ball", s.rigids[0], s.rigids[0], at=(0, 0, 0)),
    "'to a:angle' is there twice": lambda s: s.relate("n", {"to a": 1.0, "to a:angle": -1.0}),
    "the factor of 'to b' is 0": lambda s: s.relate("n", {"to a": 1.0, "to b": 0.0}),
    "ratio is 0": lambda s: s.add_motor("n", "to a", torque=1.0, ratio=0.0, rotor=1.0),
}


@pytest.mark.parametrize("words", ON_ITSELF)
def test_what_acts_on_itself_is_refused_and_leaves_nothing(words):
    scene = arm()
    with pytest.raises(SceneError, match=words):
        ON_ITSELF[words](scene)
    assert "n" not in scene.things
    assert not any((scene.acts, scene.motors, scene.relations))


IMPOSSIBLE = {
    "unknown exact joint 'elbow'; allowed: to a, to b": lambda s: s.add_motor("n", "elbow", torque=1.0),
    "time 0.5 follows 1; times must grow": lambda s: Drive.table([0, 1, 0.5], [0, 1, 2]),
    "time 1 follows 1; ": lambda s: Drive.steps([0, 1, 1], [0, 1, 2]),
    "the pose at 0.25 s follows that at 0.5 s": lambda s: Motion([0, 0.5, 0.25], np.zeros((3, 3))),
    "lowest must be below": lambda s: s.add_joint("n", "revolute", None, s.rigids[1], (0, 0, 0), (0, 0, 1), limits=(1, -1)),
    "beyond its stops": lambda s: s.add_joint("n", "revolute", None, s.rigids[1], (0, 0, 0), (0, 0, 1), limits=(1, 2)),
    "limit is 0; it must be > 0": lambda s: s.add_motor("n", "to a", torque=1.0, limit=0.0),
    "leaps by 5.* where 0.01 m is usual": lambda s: Motion(
        np.arange(20.0), np.outer(0.01 * np.arange(20.0) + 5.0 * (np.arange(20) == 10), (1, 0, 0))),
    "turns by 180": lambda s: Motion([0, 1], np.zeros((2, 3)), [(1, 0, 0, 0), (0, 1, 0, 0)]),
    "a turn needs one of some length": lambda s: Motion([0, 1], np.zeros((2, 3)), [(1, 0, 0, 0), (0, 0, 0, 0)]),
    "comes to nothing at 0.5 s": lambda s: Motion.of_drives(w=Drive.table([0, 1], [1.0, -1.0])),
    "of length 0; give one of length one": lambda s: s.add_attitude("n", "a", (0, 0, 0, 0), 1.0),
}


@pytest.mark.parametrize("words", IMPOSSIBLE)
def test_what_cannot_be_is_refused_with_what_can(words):
    with pytest.raises(SceneError, match=words):
        IMPOSSIBLE[words](arm())


@pytest.mark.parametrize("wrong", [NAN, np.inf, None, "fast", [1.0]])
def test_a_controller_that_sets_nonsense_ends_the_run_and_the_frames_so_far_are_kept(wrong):
    scene = arm()
    push = scene.add_command("push", 0.0)
    scene.add_force("force", "p", (1, 0, 0), drive=push)

    @scene.controller(rate=100)
    def control(view):
        view["push"] = wrong if view.time > 0.07 else 1.0

    with pytest.raises(ControllerFailed, match=r"controller 'control' .*'push'.* give one finite number") as caught:
        simulate(scene)
    kept = caught.value.recording
    np.testing.assert_allclose(kept.time, (0.0, 0.025, 0.05, 0.075))
    assert np.isfinite(kept.position).all()
    assert kept.velocity[-1, 6, 0] > 0.0
