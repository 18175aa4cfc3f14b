"""Acts that contact switches: when they are on, and that what a switch changes is booked."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, SceneError, Simulator, build_model, simulate

LAW = ContactMaterial(stiffness=1e6, restitution=0.5, speed=1.0)


def thrown(when, act="pull"):
    """A ball comes down on a plane after 0.2 s or so, and is pulled or pushed aside."""
    scene = Scene("thrown", duration=1.0, frames=50, gravity=(0, 0, 0))
    scene.add_plane("ground", (0, 0, 0), contact=LAW)
    scene.add_ball("ball", (0, 0, 0.4), 0.1, density=500.0, velocity=(0, 0, -1.5), contact=LAW)
    if act == "pull":
        scene.add_pull("act", scene.rigids[0], (0.3, 0, 0.2), 20.0, damping=1.0, axes="x", when=when)
    else:
        scene.add_field("act", scene.rigids[0], "uniform", 2.0, axis=(1, 0, 0), when=when)
    return scene


def touched(run):
    """Frames in which the ball presses on the ground."""
    return np.array([bool(run.contacts(frame).normal.any()) for frame in range(len(run))])


@pytest.mark.parametrize("act", ["pull", "field"])
def test_an_act_is_on_since_until_or_while_things_touch(act):
    first = None
    for way in ("since", "until", "while"):
        run = simulate(thrown((way, "ball", "ground"), act))
        on = touched(run)
        first, moves = int(np.argmax(on)), np.abs(np.diff(run.rigid_velocity[:, 0, 0])) > 1e-9
        assert 0 < first < len(on) - 10
        before, behind = moves[:first - 1], moves[first + 1:]
        if way == "since":
            assert not before.any()
            assert behind.all()
        elif way == "until":
            assert before.all()
            assert not behind.any()
        else:
            gone = first + int(np.argmin(on[first:])) + 1
            assert not before.any()
            assert not moves[gone:].any()
            assert moves[first - 1:gone].any()


@pytest.mark.parametrize("way", ["since", "until", "while"])
def test_a_switch_by_contact_is_booked_and_a_run_goes_on_behind_it(way):
    run = simulate(thrown((way, "ground")))
    assert run.ledger["largest_residual"][-1] <= run.info["budget"] * run.ledger["reference_energy"][-1]
    assert abs(run.ledger["work:act"][-1]) > 1e-2   # what is switched on was given, and taken where it is switched off
    for frame in (5, 20):
        again = Simulator.continued(build_model(thrown((way, "ground"))), run, frame=frame).run()
        assert np.array_equal(again.rigid_position[-1], run.rigid_position[-1])
        assert np.array_equal(again.ledger["work:act"][-1], run.ledger["work:act"][-1])


def test_what_touches_at_the_start_switches_at_once():
    scene = Scene("lying", duration=0.1, frames=2)
    scene.add_plane("ground", (0, 0, 0), contact=LAW)
    scene.add_ball("ball", (0, 0, 0.0999), 0.1, density=500.0, contact=LAW)
    scene.add_field("act", scene.rigids[0], "uniform", 2.0, axis=(1, 0, 0), when=("since", "ball"))
    run = simulate(scene)
    assert run.rigid_velocity[-1, 0, 0] == pytest.approx(2.0 * 0.1 / scene.rigids[0].mass, rel=1e-6)


def test_what_a_switch_needs_is_said():
    for when in ("since", ("once", "ball"), ("since",)):
        with pytest.raises(SceneError, match=r'give \("since", thing\)'):
            thrown(when)
    with pytest.raises(SceneError, match="unknown thing that touches 'bell'; did you mean 'ball'"):
        thrown(("since", "bell"))
