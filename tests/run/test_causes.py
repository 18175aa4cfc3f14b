"""What set the length of steps has a name: in the state, in recordings, in `info`, in advice."""
import json

import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Recording, Scene, Simulator, Stepping, build_model, simulate
from robotphi.kernels.step.causes import CAUSE_ROWS, CAUSE_STEPS, count_cause
from robotphi.kernels.step.codes import LIMITS
from robotphi.record.causes import all_causes, cause_names, step_causes
from robotphi.run.advice import slow


def net(stiffness=100.0, viscosity=0.0, stiff=1e4, duration=0.5, budget=1.0):
    """Two particles on a soft spring to the wall and a stiff one between them.

    By the scheme in which dampers stay in the force: `verlet` takes them apart, and they set no step.
    """
    scene = Scene("net", duration=duration, frames=4, gravity=(0, 0, 0), stepping=Stepping(scheme="taylor", budget=budget))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    p = scene.add_particles("p", [(1, 0, 0), (2, 0, 0)], 0.1, velocity=[(0, 0, 0.1), (0, 0, 0)])
    scene.add_linear("soft", wall, p[0], stiffness)
    scene.add_linear("stiff", p[0], p[1], stiff, viscosity=viscosity)
    return scene


def spun():
    """A free body: nothing but its turning keeps steps short."""
    scene = Scene("spun", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=1.0))
    scene.add_rigid("top", [(0, 0, 0), (0.1, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0, 0, 0), spin=(0, 0, 100.0))
    return scene


def shaken():
    """A fast sine that moves the end of a soft spring."""
    scene = Scene("shaken", duration=1.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=1.0))
    hand = scene.add_particle("hand", (0, 0, 0), 1.0, drive={"x": Drive.sine(1e-3, 50.0)}, support="yz")
    scene.add_linear("spring", hand, scene.add_particle("p", (1, 0, 0), 1.0), 1.0)
    return scene


def pressed(friction):
    """A block that lies on the ground under its weight."""
    contact = ContactMaterial(stiffness=1e7, friction=friction, restitution=0.3, speed=1.0)
    scene = Scene("pressed", duration=0.2, frames=4, stepping=Stepping(budget=1.0))
    scene.add_plane("ground", contact=contact)
    scene.add_ball("block", (0, 0, 0.0999), 0.1, mass=1.0, contact=contact)
    return scene


def on_hinge(**joint):
    """A wheel on a joint."""
    scene = Scene("hinge", duration=0.3, frames=3, gravity=(0, 0, 0), stepping=Stepping(budget=1.0))
    wheel = scene.add_rigid("wheel", [(0, 0, 0)], mass=1.0, centre=(0, 0, 0), inertia=(1, 1, 1))
    scene.add_joint("axle", "revolute", None, wheel, at=(0, 0, 0), axis=(0, 0, 1), **joint)
    return scene


def servo():
    scene = on_hinge()
    scene.add_motor("servo", "axle", target=0.1, stiffness=1e6, damping=1e3)
    return scene


def pulled(more=0):
    scene = Scene("pulled", duration=0.3, frames=3, gravity=(0, 0, 0), stepping=Stepping(budget=1.0))
    bob = scene.add_particle("bob", (0, 0, 0), 1.0)
    for name in ("goal", "aim", "end", "home", "rest")[:1 + more]:
        scene.add_pull(name, bob, (0, 0, 0), stiffness=1e6)
    return scene


NAMES = {"stiffness": (net, {}, "the stiffness of 'stiff'"),
         "viscosity": (net, {"viscosity": 50.0}, "the viscosity of 'stiff'"),
         "turning": (spun, {}, "the turning of 'top'"),
         "drive": (shaken, {}, "the drive of 'hand'"),
         "contact": (pressed, {"friction": 0.5}, "the damping of contact of 'block' and 'ground'"),
         "joint": (on_hinge, {"stiffness": 1e6}, "the spring of joint 'axle'"),
         "motor": (servo, {}, "motor 'servo'"),
         "act": (pulled, {}, "the pull 'goal'"),
         "acts": (pulled, {"more": 4}, "the pull 'goal' or the pull 'aim' or the pull 'end' or one of 2 others")}


@pytest.mark.parametrize("case", NAMES)
def test_what_sets_the_steps_is_named_and_counted(case):
    build, options, name = NAMES[case]
    recording = simulate(build(**options))
    causes = recording.info["causes"]
    assert causes[0]["name"] == name, causes
    # each step of a limit with a name behind it is counted once, and stands in the history
    steps = recording.steps
    behind = [LIMITS[code].name for code in steps["limit"][steps["cause"] > 0]]
    assert sum(cause["steps"] for cause in causes) == len(behind)
    first = [(cause, code) for cause, code in zip(steps["cause"], steps["dt"], strict=True)
             if cause > 0 and cause_names(recording.model, cause)[:3] == (causes[0]["what"], causes[0]["thing"],
                                                                          tuple(causes[0]["names"]))]
    assert len(first) == causes[0]["steps"]
    assert np.mean([dt for _, dt in first]) == pytest.approx(causes[0]["dt"], rel=2.0**-24)   # the history rounds steps
    assert set(behind) <= {"stability", "contact", "user"}
    assert recording.counts["limited_by_stability"] == behind.count("stability")


def test_a_continued_run_goes_on_counting_with_the_same_bits(tmp_path):
    scene = net(viscosity=50.0)
    whole = simulate(scene)
    whole.save(tmp_path / "run.h5")
    again = Simulator.continued(build_model(scene), Recording.load(tmp_path / "run.h5"), frame=2).run()
    assert again.info["causes"] == whole.info["causes"]
    np.testing.assert_array_equal(again.checkpoint["causes"][-1], whole.checkpoint["causes"][-1])
    np.testing.assert_array_equal(again.position[-1], whole.position[-1])


def test_a_full_table_counts_the_rest_together():
    table = np.zeros((CAUSE_ROWS, 3))
    for cause in range(1, CAUSE_ROWS + 10):
        count_cause(table, 1 + 16 * cause, 1e-3)
    assert table[:, CAUSE_STEPS].sum() == CAUSE_ROWS + 9
    assert table[-1, CAUSE_STEPS] == 10
    assert [(cause.name, cause.steps) for cause in step_causes(None, table[-1:])] == [("others", 10)]


def test_info_and_its_json_tell_what_set_the_steps(tmp_path, capsys):
    from robotphi.commands.cli import app

    path = tmp_path / "run.h5"
    simulate(net(viscosity=50.0)).save(path)
    told = []
    for words in (["info", str(path)], ["info", str(path), "--json"]):
        with pytest.raises(SystemExit):
            app(words)
        told.append(capsys.readouterr().out)
    assert "what set the steps" in told[0]
    assert "viscosity of 'stiff'" in " ".join(told[0].split())
    found = json.loads(told[1])
    assert found["steps set by"][0]["name"] == "the viscosity of 'stiff'"
    assert sum(cause["steps"] for cause in found["steps set by"]) == found["counts"]["accepted"]


def test_all_steps_are_told_budget_path_and_frames_among_them():
    """Each with the mean of its steps, which together make the time."""
    from robotphi.verification import paths

    recordings = {"ledger": simulate(net(budget=1e-6)), "path": simulate(paths.circle_scene(1e-6))}
    names = {which: [cause.name for cause in all_causes(recording)] for which, recording in recordings.items()}
    assert names["ledger"][0] == "the budget of 1e-06"
    assert names["path"][0] == "the budget of 1e-06, for the path"
    assert "frames and events" in names["ledger"]
    for recording in recordings.values():
        causes = all_causes(recording)
        assert sum(cause.steps for cause in causes) == recording.counts["accepted"]
        assert sum(cause.steps * cause.dt for cause in causes) == pytest.approx(recording.time[-1], rel=1e-9)


# Advice ---------------------------------------------------------------------------------------------------------------

def test_advice_after_a_long_run_says_what_less_viscosity_would_give(monkeypatch):
    """And a run with as much says steps as long as that, within the two digits that are told."""
    monkeypatch.setattr(slow, "MANY", 100)
    scene = net(viscosity=50.0)
    [text] = simulate(scene).info["advice"]
    assert "of the steps are set by the viscosity of 'stiff'" in text
    less, told = float(text.split("; ")[1].split()[0]), text.rsplit("give ", 1)[1]
    longer = simulate(net(viscosity=less))
    by_stability = [cause for cause in longer.info["causes"] if cause["limit"] == "stability"]
    assert by_stability[0]["dt"] == pytest.approx(float(told.split()[0]) * {"µs": 1e-6, "ms": 1e-3}[told.split()[1]], rel=0.3)


def test_advice_on_contact_speaks_of_how_deep_it_was(monkeypatch):
    monkeypatch.setattr(slow, "MANY", 10)
    scene = pressed(0.0)
    texts = simulate(scene).info["advice"]
    assert len(texts) <= slow.LISTED
    assert not any("m/s" in text for text in texts)


def test_short_runs_get_no_advice():
    assert simulate(net(viscosity=50.0)).info["advice"] == []
