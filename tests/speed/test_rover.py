"""The rover is one: wheels carry their shares and all touch on hills, the differential keeps the body between the rockers.

Steps are fixed, below the limit of its stiffest hinge (2.7e-4 s by the eigenvalues of all hinges), so that what is tested here
is the scene and not the control of steps.
"""
import numpy as np
import pytest

from robotphi import simulate
from tests.speed import rover

DT = 2e-4                # s
REST = 0.5               # s, over which loads are averaged


@pytest.fixture(scope="module")
def on_hills():
    return simulate(rover.build(dt=DT, duration=7.0, frames=175))


def loads(recording):
    """(f, 6) N, upward force of the ground on each wheel."""
    return np.stack([recording.sensors[f"load of {name}"][:, 2] for name in rover.NAMES], axis=1)


def pitch(recording, name):
    """(f,) rad, turn of a rigid about y, its nose down."""
    w, x, y, z = recording.rigid_orientation[:, recording.scene.find(name).index].T
    return np.arctan2(2.0 * (w * y + x * z), 1.0 - 2.0 * (y * y + z * z))


def test_each_wheel_carries_a_sixth_of_the_weight_at_rest():
    recording = simulate(rover.build("plane", "none", dt=DT, duration=1.0, frames=100))
    late = loads(recording)[recording.time >= recording.time[-1] - REST]
    # What is left of its momentum at both ends of the time is the error of the mean: m v / REST.
    moving = sum(rigid.mass * np.abs(recording.rigid_velocity[:, rigid.index, 2]) for rigid in recording.scene.rigids)
    left = 2.0 * moving[recording.time >= recording.time[-1] - REST].max() / REST + 1e-9 * rover.WEIGHT
    assert abs(late.sum(axis=1).mean() - rover.WEIGHT) <= left + 1e-3 * rover.WEIGHT
    # A hinge gives way by F/2k, about a millimetre, by which the arm of 0.2 m to the bogie may be longer or shorter.
    np.testing.assert_allclose(late.mean(axis=0), rover.WEIGHT / 6, rtol=5e-3)


def test_its_links_weigh_what_they_should():
    scene = rover.build("plane", "none", dt=DT, duration=0.1)
    assert sum(rigid.mass for rigid in scene.rigids) * rover.GRAVITY == pytest.approx(rover.WEIGHT, rel=1e-12)
    assert (len(scene.rigids), scene.spring_count("linear")) == (12, 11 * 6 + 2)


def test_fat_links_differ_in_their_roll_alone():
    thin, fat = (rover.build("plane", "none", fat, dt=DT, duration=0.1).find("left bogie") for fat in (False, True))
    assert fat.mass == thin.mass
    np.testing.assert_allclose(fat.inertia[0, 0], rover.FAT, rtol=1e-12)
    assert thin.inertia[0, 0] < 0.01 * rover.FAT
    np.testing.assert_allclose(fat.centre, thin.centre)


@pytest.mark.slow
def test_all_wheels_follow_the_ground(on_hills):
    assert on_hills.status == "done"
    assert (loads(on_hills) > 0.0).all()
    heights = on_hills.rigid_position[:, :, 2]
    up_and_down = {name: np.ptp(heights[:, on_hills.scene.find(name).index]) for name in ("left front wheel", "body")}
    assert up_and_down["left front wheel"] > 0.5 * rover.CREST       # there are hills, and links that spare the body of them
    assert up_and_down["body"] < 0.5 * up_and_down["left front wheel"]
    assert np.ptp(pitch(on_hills, "left bogie") - pitch(on_hills, "left rocker")) > 0.1


@pytest.mark.slow
def test_the_body_stands_between_the_rockers(on_hills):
    left, right, body = (pitch(on_hills, name) for name in ("left rocker", "right rocker", "body"))
    assert np.ptp(left - right) > 0.05
    # Rods and hinges give way by the load that lifts a wheel (some 70 N on arms of 0.15 m) over 2 k: below a millimetre each.
    # A rocker that turns by θ lifts or lowers its end of the rod by ARM θ, which draws both ends nearer by (ARM θ)²/(2 ARM).
    arm, turn = rover.ROOF - rover.PIVOT, 0.5 * np.abs(left - right).max()
    allowed = (2e-3 + 0.5 * rover.ARM * turn ** 2) / arm
    np.testing.assert_allclose(0.5 * (left + right), body, atol=allowed)


@pytest.mark.slow
def test_it_follows_its_carrot(on_hills):
    lag = rover.travelled(on_hills.time[-1], 0.25) - on_hills.rigid_position[-1, on_hills.scene.find("body").index, 0]
    steepest = 0.35          # of the hills, which the draw bar feels as a part of the weight
    assert abs(lag) < steepest * rover.WEIGHT / 800.0


@pytest.mark.slow
def test_motors_roll_it_over_the_ground():
    recording = simulate(rover.build("plane", "motors", dt=DT, duration=3.0, frames=30))
    body = recording.rigid_position[:, recording.scene.find("body").index, 0]
    rate = (body[-1] - body[-11]) / (recording.time[-1] - recording.time[-11])
    # wheels with flat sides roll on a radius between that of their edges and of their sides, R cos(π/24) = 0.991 R
    assert 0.98 * 0.25 < rate < 1.0 * 0.25
