"""Runs that end because a joint is pushed beyond all bounds are told by what pushes it."""
import pytest

from robotphi import Scene, SimulationDiverged, simulate


def arm(motor=None, **shoulder):
    """Two links of 1 kg, and what is told of the first joint; a motor drives the second."""
    scene, parent = Scene("arm", duration=0.1, frames=4), None
    for i, name in enumerate(("shoulder", "elbow")):
        link = scene.add_rigid(f"link {i}", [(i, 0, 0)], mass=1.0, centre=(i + 0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        scene.add_joint(name, "revolute", parent, link, at=(i, 0, 0), axis=(0, 1, 0), **({} if i else shoulder))
        parent = link
    if motor:
        scene.add_motor("drive", "elbow", **motor)
    return scene


@pytest.mark.parametrize(("told", "culprit", "value"), [
    ({"stiffness": 1e30}, "stiffness of joint 'shoulder'", r"1e\+30 N·m/rad, and it carries 1.8 kg·m²"),
    ({"torque": 1e12}, "torque of joint 'shoulder'", r"1e\+12 N·m, "),
    ({"motor": {"torque": 1e100}}, "torque of motor 'drive'", r"1e\+100 N·m, and it carries 0.24 kg·m²"),
    ({"motor": {"target": 0.1, "stiffness": 1e100}}, "stiffness of motor 'drive'", r"1e\+100 N·m/rad")])
def test_efforts_that_nothing_can_follow_are_named_by_their_joint(told, culprit, value):
    with pytest.raises(SimulationDiverged, match=f"The {culprit} is {value}") as caught:
        simulate(arm(**told))
    assert caught.value.post_mortem.culprit == culprit


def test_what_moves_a_joint_in_a_time_that_there_is_is_not_to_blame():
    """A servo of 1e4 N·m/rad, and an impulse by a force that nothing can follow."""
    scene = arm(motor={"target": 0.1, "stiffness": 1e4})
    scene.add_force("blow", scene.things["link 1"], (0, 0, 1e60))
    with pytest.raises(SimulationDiverged) as caught:
        simulate(scene)
    assert "drive" not in caught.value.post_mortem.culprit
