"""Runs that end because a loop of joints is drawn tight are told by the joint that closes it."""
import numpy as np
import pytest

from robotphi import Motion, Scene, SimulationDiverged, simulate

CORNERS = [(0, 0, 0), (0.15, 0, -0.13), (0.35, 0, -0.13), (0.5, 0, 0)]


def bar(begin, end):
    across = np.array((0.0, 0.02, 0.0))
    return np.array([begin - across, begin + across, end - across, end + across + (0, 0, 0.01)])


def test_a_chain_torn_between_two_led_bodies_is_told_by_the_joint_that_closes_it():
    """Three links of 0.2 m, 0.5 m apart at the start, are led apart by 0.2 t²: at 0.6 m, t = 0.69 s, they are in line."""
    scene, times = Scene("torn", duration=1.0, frames=20), np.linspace(0.0, 1.0, 21)
    places = np.array(CORNERS, float)
    parent = scene.add_rigid("left", bar(np.array((-0.2, 0, 0)), places[0]), motion=Motion(times, np.zeros((21, 3))))
    for k in range(3):
        link = scene.add_rigid(f"link {k}", bar(places[k], places[k + 1]), mass=0.1)
        scene.add_joint(f"joint {k}", "revolute", parent, link, at=places[k], axis=(0, 1, 0))
        parent = link
    right = scene.add_rigid("right", bar(places[3], np.array((0.7, 0, 0))),
                            motion=Motion(times, np.outer(0.2 * times**2, (1, 0, 0))))
    scene.add_joint("joint 3", "revolute", parent, right, at=places[3], axis=(0, 1, 0))
    with pytest.raises(SimulationDiverged, match=r"loop that joint '.*' closes|loop closed by joint") as caught:
        simulate(scene)
    assert caught.value.post_mortem.culprit.startswith("joint 'joint")
    assert caught.value.recording.time[-1] == pytest.approx(0.65)
