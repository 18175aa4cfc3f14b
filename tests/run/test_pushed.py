"""Stability of rests with contact, acts and joints: unstable ones are left for the stable one beside them, or named."""
import numpy as np
import pytest

from robotphi import ContactMaterial, NoEquilibrium, Scene, Simulator, build_model, equilibria, settle
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box, prism
from robotphi.run.buffers import checkpointed
from robotphi.scene.turns import rotation_about

G = 9.81
Y = np.array([0.0, 1.0, 0.0])
MASS, LONG = 2.0, 0.5   # kg, m from the joint to the centre


def pole(stiffness=0.0, **joint):
    """A rod that stands on its joint; a spring or servo of the joint holds it upright."""
    scene = Scene("pole", duration=1.0)
    rod = scene.add_rigid("rod", [(0, 0, 0), (0, 0, 2 * LONG)], MASS, inertia=(0.2, 0.2, 0.01), centre=(0, 0, LONG))
    scene.add_joint("foot", "revolute", None, rod, at=(0, 0, 0), axis=Y, stiffness=joint.pop("spring", 0.0), **joint)
    if stiffness:
        scene.add_motor("servo", "foot", target=0.0, stiffness=stiffness, damping=0.1 * stiffness)
    return scene


def test_a_pole_that_stands_on_a_free_joint_is_left_for_where_it_hangs():
    found = settle(pole())
    assert (found.unstable, found.stability) == (1, "stable")
    np.testing.assert_allclose(found.rigid_position[0], (0, 0, -LONG), atol=1e-6)


@pytest.mark.parametrize("way", ["servo", "spring"])
@pytest.mark.parametrize(("share", "holds"), [(1.2, True), (0.8, False)])
def test_a_pole_is_held_upright_by_more_than_its_weight_has_of_moment(way, share, holds):
    """It stands where κ > m g l; else it leans by κ φ = m g l sin φ."""
    stiffness = share * MASS * G * LONG
    scene = pole(stiffness) if way == "servo" else pole(spring=stiffness)
    found = settle(scene)
    assert found.unstable == (0 if holds else 1)
    lean = np.arctan2(found.rigid_position[0, 0], found.rigid_position[0, 2])
    assert (lean == pytest.approx(0.0, abs=1e-9)) == holds
    assert stiffness * lean == pytest.approx(MASS * G * LONG * np.sin(lean), abs=1e-6)


def test_dry_friction_of_a_joint_holds_a_pole_and_its_rest_is_stable():
    found = settle(pole(friction=1.0))
    assert (found.unstable, found.stability) == (0, "stable")
    assert np.arctan2(found.rigid_position[0, 0], found.rigid_position[0, 2]) == pytest.approx(0.0, abs=1e-9)


LAW = ContactMaterial(stiffness=1e7, friction=0.6, restitution=0.2, speed=0.1)


def on_ground(angle):
    """A block of 0.1 × 0.1 × 0.2 m that has been turned about y, just above the ground."""
    scene = Scene("block", duration=1.0)
    scene.add_plane("ground", contact=LAW)
    block = placed(box((0.1, 0.1, 0.2)), rotation_about(Y, angle))
    scene.add_object("block", rigid(placed(block, up=1e-4 - block.vertices[:, 2].min()), density=500.0), contact=LAW)
    return scene


def placed(shape, turn=None, up=0.0):
    return shape.transformed(turn, (0, 0, up))


def test_a_block_that_is_balanced_on_an_edge_falls_onto_a_face():
    found = settle(on_ground(np.arctan(0.5)))   # its centre stands above the edge
    assert found.stability == "stable"
    assert min(abs(found.rigid_position[0, 2] - half) for half in (0.05, 0.1)) < 1e-4
    assert found.residual <= 1e-8 * found.load


def test_a_block_on_its_smallest_face_is_stable_and_a_push_that_is_withstood_leaves_nothing(monkeypatch):
    pushed = Simulator(build_model(on_ground(0.0)))
    found = settle(pushed)
    assert (found.unstable, found.stability) == (0, "stable")
    assert found.rigid_position[0, 2] == pytest.approx(0.1 - 2.0 * G / (1e7 * 0.01), abs=1e-9)   # two such surfaces in line
    monkeypatch.setattr("robotphi.run.settle.withstands", lambda *given: True)
    alone = Simulator(build_model(on_ground(0.0)))
    settle(alone)
    for name, array in checkpointed(alone.state.buffers).items():
        np.testing.assert_array_equal(array, checkpointed(pushed.state.buffers)[name], name)
    for one in (alone, pushed):
        one.advance_to(0.01)
    np.testing.assert_array_equal(alone.state.position, pushed.state.position)


def test_a_ball_on_a_ridge_rolls_off():
    scene = Scene("ridge", duration=1.0)
    scene.add_plane("ground", contact=LAW)
    ridge = placed(prism([(-0.3, 0.0), (0.3, 0.0), (0.0, 0.2)], 2.0), rotation_about(np.array([1.0, 0, 0]), np.pi / 2))
    scene.add_object("ridge", rigid(ridge, density=500.0), support="xyz", contact=LAW)
    assert ridge.vertices[:, 2].max() == pytest.approx(0.2)
    scene.add_ball("ball", (0, ridge.vertices[:, 1].mean(), 0.25), 0.05, mass=0.3, contact=LAW)
    found = settle(scene)
    assert found.unstable >= 1
    assert found.rigid_position[1, 2] < 0.1


def test_along_a_path_what_becomes_unstable_is_left_or_named():
    """The spring of a pole grows weaker: it leans from κ = m g l on."""
    shares = np.array([1.5, 1.2, 0.7])
    over = {("foot", "stiffness"): shares * MASS * G * LONG}
    kept = equilibria(pole(spring=1.0), over, unstable="keep")
    assert kept.stability.tolist() == ["stable", "stable", "unstable"]
    assert kept.left.tolist() == [0, 0, 0]
    left = equilibria(pole(spring=1.0), over)
    assert left.stability.tolist() == ["stable"] * 3
    assert left.left.tolist() == [0, 0, 1]
    lean = np.arctan2(left.rigid_position[:, 0, 0], left.rigid_position[:, 0, 2])
    np.testing.assert_allclose(0.7 * lean[2], np.sin(lean[2]), atol=1e-6)


def test_what_is_balanced_over_nothing_is_named():
    scene = Scene("cliff", duration=1.0)
    scene.add_object("post", rigid(placed(box(0.2), rotation_about(Y, np.pi / 4)), density=500.0), support="xyz", contact=LAW)
    scene.add_ball("ball", (0, 0, 0.05 + 0.1 * np.sqrt(2.0)), 0.05, mass=0.3, contact=LAW)   # on its edge
    with pytest.raises(NoEquilibrium, match=r"'ball' has fallen"):
        settle(scene)
