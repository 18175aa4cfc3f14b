"""Which objects can be stiff, what is said of them, and when "auto" leaves them as they are."""
import numpy as np
import pytest

from robotphi import Drive, Scene, SceneError, build_model
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.geometry.shapes import box
from robotphi.model.stiff import whole_matrix

FOAM = Material(1e6, density=1000.0)


def pad(counts=(2, 2, 2), size=(0.03, 0.03, 0.03)):
    return deformable(discretise(box(size, centre=(0.0, 0.0, size[2] / 2)), counts=counts), FOAM)


def plate(height):
    return rigid(box((0.04, 0.04, 0.01), centre=(0, 0, height)), density=1000.0)


def model_of(thing, stiff, scene=None, **placing):
    scene = Scene("stiff", duration=1.0) if scene is None else scene
    scene.add_object("pad", thing, stiff=stiff, **placing)
    return build_model(scene)


def test_the_matrices_are_inverse_to_each_other_and_leave_motions_of_a_rigid_alone():
    model = model_of(pad(), 1e-3)
    stiff, mass = model.arrays.stiff, np.repeat(model.arrays.particles.mass[:model.particle_count], 3)
    size = len(mass)
    inverse, added = (whole_matrix(each, size) for each in (stiff.inertia_inverse, stiff.inertia_added))
    assert np.abs(inverse @ (np.diag(mass) + added) - np.eye(size)).max() < 1e-12 * size * added.max() / mass.min()
    assert added.max() > mass.min()
    turned = np.cross([[1.0, 2.0, 3.0]], stiff.rest[:, :3]).ravel() + np.tile([3.0, 2.0, 1.0], size // 3)
    assert np.abs(added @ turned).max() < 1e-12 * np.abs(added).max() * np.abs(turned).max() * size


@pytest.mark.parametrize(("make", "placing", "told"), [
    (lambda: glue({"low": plate(-0.005), "pad": pad(), "high": plate(0.035)}), {}, "2 rigid parts"),
    (lambda: pad((12, 6, 6)), {}, "free particles, and the matrix for it grows with their square"),
    (pad, {"support": {"left": "x"}}, "leave a part of it loose"),
    (lambda: glue({"low": plate(-0.005), "pad": pad()}), {"support": {"pad.top": "xyz"}},
     "a rigid part and particles that are held")])
def test_what_cannot_be_stiff_is_refused_and_auto_says_why(make, placing, told):
    with pytest.raises(SceneError, match=told):
        model_of(make(), True, **placing)
    model = model_of(make(), "auto", **placing)
    assert len(model.arrays.stiff.way) == 0
    assert told in model.stiff_told[0]


@pytest.mark.parametrize("stiff", [0.0, -1e-3, "yes", np.nan, [1e-3]])
def test_a_step_must_be_one(stiff):
    with pytest.raises(SceneError, match="stiff"):
        model_of(pad(), stiff)


def test_auto_takes_what_pays_and_says_what_is_right():
    model = model_of(bar(), "auto")
    assert len(model.arrays.stiff.way) == 1
    assert "modes" in model.stiff_told[0]
    assert "right to 1 %" in model.stiff_told[0]
    model = model_of(pad(), "auto")   # its fastest mode is little faster than the sixth
    assert len(model.arrays.stiff.way) == 0
    assert "times as long" in model.stiff_told[0]


def bar():
    return pad((1, 1, 12), (0.01, 0.012, 0.12))


def test_auto_keeps_off_where_a_drive_swings_fast():
    scene = Scene("driven", duration=1.0)
    fast = scene.add_particles("shaker", [(1.0, 0.0, 0.0)], 1.0, drive={"x": Drive.sine(1e-3, 2000.0)})
    assert len(fast) == 1
    model = model_of(bar(), "auto", scene)
    assert len(model.arrays.stiff.way) == 0
    assert "a drive swings at 2e+03 Hz" in model.stiff_told[0]


@pytest.mark.parametrize("law", ["drive", "torque"])
def test_auto_keeps_off_where_a_joint_is_driven_fast(law):
    scene = Scene("arm", duration=1.0)
    hand = scene.add_object("hand", glue({"low": plate(-0.005), "pad": bar()}), stiff="auto")
    scene.add_joint("wrist", "revolute", None, hand.rigids[0], at=(0.1, 0.0, 0.0), axis=(0, 1, 0),
                    **{law: Drive.sine(1e-3, 2000.0)})
    assert "a drive swings at 2e+03 Hz" in build_model(scene).stiff_told[0]


def test_other_numbers_make_other_matrices():
    model = model_of(pad(), 1e-3)
    name = next(name for name in model.scene.things if name.startswith("pad."))
    softer = model.with_values({(name, "stiffness"): 10.0})
    assert not np.array_equal(softer.arrays.stiff.inertia_added, model.arrays.stiff.inertia_added)


def test_said_again_it_is_the_same():
    scene = Scene("stiff", duration=1.0)
    scene.add_object("pad", pad(), stiff=2e-3)
    again = build_model(Scene.from_statements(scene.statements))
    assert np.array_equal(again.arrays.stiff.inertia_inverse, build_model(scene).arrays.stiff.inertia_inverse)


def arm(stiff, closed):
    """A pad on a link that hangs on a hinge, or on two."""
    scene = Scene("arm", duration=1.0)
    hand = scene.add_object("hand", glue({"low": plate(-0.005), "pad": bar()}), stiff=stiff)
    base = scene.add_rigid("base", [(0.1, 0.0, 0.0), (0.2, 0.0, 0.0), (0.1, 0.1, 0.0)], 1.0, support="xyz",
                           rotation_support="xyz")
    scene.add_joint("wrist", "revolute", base, hand.rigids[0], at=(0.1, 0.0, 0.0), axis=(0, 1, 0))
    if closed:
        scene.add_joint("again", "revolute", base, hand.rigids[0], at=(0.1, 0.1, 0.0), axis=(0, 1, 0))
    return build_model(scene)


def test_a_pad_on_a_link_of_a_loop_is_not_stiff():
    told = "its rigid part belongs to a loop of exact joints"
    with pytest.raises(SceneError, match=told):
        arm(True, True)
    assert told in arm("auto", True).stiff_told[0]


def test_auto_takes_a_pad_on_a_link_and_says_what_is_right():
    model = arm("auto", False)
    assert len(model.arrays.stiff.way) == 1
    assert "right to 1 %" in model.stiff_told[0]
    assert model.arrays.mechanisms.link_of_rigid[model.arrays.stiff.rigid[0]] >= 0
