"""The hand is one: it holds the ball by friction when the table goes, and lets it slip where there is hardly any.

Three fingers of about 1 N hold 3 × 0.8 N against 0.49 N of weight, and not 3 × 0.05 N. Steps are fixed, as in `test_rover`.
"""
import numpy as np
import pytest

from robotphi import Simulator, build_model, simulate
from tests.speed import hand
from tests.speed.robots import ROBOTS

DT = {"rigid": 2e-4, "soft": 1e-5}       # s
TIPS = [pytest.param("rigid", id="rigid"), pytest.param("soft", id="soft", marks=pytest.mark.slow)]
WEIGHT = hand.MASS * hand.GRAVITY


def run(tips, friction):
    return simulate(hand.build(tips == "soft", friction, duration=0.9, frames=90, dt=DT[tips]))


def fingers(recording):
    """(f, 3, 3) N on the ball by each finger."""
    return np.stack([recording.sensors[f"force of {name}"] for name in hand.FINGERS], axis=1)


@pytest.mark.parametrize("tips", TIPS)
def test_friction_holds_the_ball(tips):
    recording = run(tips, 0.8)
    ball, late = recording.sensors["ball"], recording.time > 0.8
    assert (hand.BALL - ball[:, 2]).max() < 0.1 * hand.DEPTH
    assert np.ptp(ball[late], axis=0).max() < 1e-5
    np.testing.assert_allclose(fingers(recording)[late].sum(axis=1).mean(axis=0), (0.0, 0.0, WEIGHT), atol=0.01 * WEIGHT)
    np.testing.assert_allclose(np.linalg.norm(fingers(recording)[late], axis=2), 1.0, rtol=0.2)


@pytest.mark.parametrize("tips", TIPS)
def test_without_friction_the_ball_goes_down_with_the_table(tips):
    recording = run(tips, 0.05)
    ball = recording.sensors["ball"]
    np.testing.assert_allclose(ball[-1, 2], hand.BALL - hand.DEPTH, atol=0.1 * hand.BALL)
    assert not fingers(recording)[-1].any()


def test_it_is_built_as_told():
    rigid, soft = hand.build(), hand.build(soft=True)
    assert len(rigid.rigids) == len(soft.rigids) == 12
    assert rigid.spring_count("linear") == 9 * 6 + 3
    assert soft.spring_count("linear") == 567
    assert rigid.spring_count("articular") == soft.spring_count("articular") == 9


@pytest.mark.slow
def test_soft_tips_on_exact_joints_have_the_same_bits_on_two_threads():
    """Members of a team wait for each other between a mechanism and what hangs on it."""
    robot = ROBOTS["hand, exact joints, soft tips, 50 s"]
    model = build_model(robot.build(**robot.knobs))
    one, two = (Simulator(model, threads).run(until=0.6) for threads in (1, 2))
    assert one.counts == two.counts
    assert one.position.tobytes() == two.position.tobytes()
