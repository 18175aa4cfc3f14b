"""Joints by springs: how far they part, and that they are read as exact ones are."""
import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model, relax, simulate
from robotphi.errors import SceneError
from robotphi.model.arrays import model_digest
from robotphi.scene.spring_joints import KINDS

BOX = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
H = 5e-7   # s between frames: springs and dampers act at some 5e4/s, so (ω h)²/6 is 1e-4
SHIFT = np.array([0.5, 0.0, 0.0])
ON = {"revolute": {"stiffness": 20.0, "viscosity": 0.5, "rest": 0.2},
      "prismatic": {"stiffness": 300.0, "viscosity": 2.0, "rest": 0.02}}


def bar(kind, way="springs", duration=0.05, frames=5, base=True, stepping=None, **given):
    scene = Scene("bar", duration=duration, frames=frames, stepping=stepping or Stepping(budget=1e-3))
    given = {**({"gap": 1e-5} if way == "springs" else {}), **given}
    body = scene.add_rigid("body", BOX + SHIFT, 2.0, inertia=(0.1, 0.2, 0.3))
    parent = None if base else scene.add_rigid("base", BOX - SHIFT, 3.0, inertia=(0.2, 0.2, 0.4), spin=(0.0, 0.3, 0.0))
    scene.add_joint("joint", kind, parent, body, (0, 0, 0), axis=(0, 1, 0), across=(1, 0, 0), way=way, **given)
    return scene


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "universal", "ball"])
def test_springs_are_read_as_the_exact_joint_but_for_their_gap(kind):
    given = ON.get(kind, {})
    springs, exact = (simulate(bar(kind, way, **given)).joint("joint") for way in ("springs", "exact"))
    tolerance = {"coordinate": 5e-6, "rate": 1e-4, "effort": 5e-3, "power": 5e-3, "reaction_force": 2e-2,
                 "reaction_couple": 2e-2}
    for name, allowed in tolerance.items():   # a gap of 1e-5 m at loads that suit it: shares of 1e-5 to 1e-3 of each reading
        one, other = getattr(springs, name), getattr(exact, name)
        assert one.shape == other.shape
        np.testing.assert_allclose(one[1:], other[1:], rtol=0, atol=allowed, err_msg=name)
    assert np.abs(exact.coordinate).max() > 5e-3


@pytest.mark.parametrize("kind", KINDS)
def test_reactions_and_weights_are_what_changes_the_momenta(kind):
    stepping = Stepping(control="fixed", dt=H)
    recording = simulate(bar(kind, duration=300 * H, frames=300, base=False, stepping=stepping, **ON.get(kind, {})))
    reading, scene = recording.joint("joint"), recording.scene
    from robotphi.record.relative import carried_frame, point_of

    frame = carried_frame(recording.model, scene.spring_joints[0], recording)
    force, couple = (np.einsum("fij,fj->fi", frame, each) for each in (reading.reaction_force, reading.reaction_couple))
    body = scene.find("body").index
    arm = point_of(recording.model, scene.find("body"), np.zeros(3), recording)[0] - recording.rigid_position[:, body]
    push, turn = 2.0 * recording.rigid_velocity[:, body], recording.rigid_momentum[:, body]
    rates = [(each[2:] - each[:-2]) / (2.0 * H) for each in (push, turn)]
    wanted = [force + np.array([0, 0, -2.0 * 9.81]), couple + np.cross(arm, force)]
    for rate, all_of_it in zip(rates, wanted, strict=True):
        assert np.abs(all_of_it).max() > 0.1
        assert np.abs(rate - all_of_it[1:-1]).max() < 2e-3 * np.abs(all_of_it).max()


@pytest.mark.parametrize("kind", ["fixed", "prismatic", "revolute"])
def test_it_parts_by_the_gap_at_most_under_its_load(kind):
    gap = 1e-4
    scene = Scene("still")
    body = scene.add_rigid("body", BOX + SHIFT, 2.0, inertia=(0.1, 0.2, 0.3))
    joint = scene.add_joint("joint", kind, None, body, (0, 0, 0), axis=(1, 0, 0), across=(0, 1, 0), way="springs", gap=gap,
                            **({} if kind == "fixed" else {"stiffness": 100.0}))
    assert joint.load == pytest.approx(2.0 * 9.81)
    rest = relax(build_model(scene))
    points = [index for block in scene.particle_blocks if block.name == "joint.child" for index in block.indices]
    sunk = np.abs(rest.position[points] - scene.position[points]).max()
    assert 1e-3 * gap < sunk < 1.1 * gap


def test_the_load_is_what_hangs_on_it_or_of_a_free_vehicle_the_heavier_side():
    def load(base):
        scene = Scene("s")
        held = {"support": "xyz", "rotation_support": "xyz"} if base == "held" else {"mass": 10.0}
        hull = scene.add_rigid("hull", BOX, **held)
        arm, hand = scene.add_rigid("arm", BOX + 1, 2.0), scene.add_rigid("hand", BOX + 2, 1.0)
        scene.add_joint("wrist", "revolute", arm, hand, (1.5, 1.5, 1.5), axis=(0, 0, 1))
        return scene.add_joint("shoulder", "ball", hull, arm, (0.5, 0.5, 0.5), way="springs", gap=1e-4).load / 9.81
    assert load("held") == pytest.approx(3.0)
    assert load("free") == pytest.approx(10.0)


def test_sensors_and_statements():
    scene = bar("universal", duration=0.01, frames=4)
    scene.add_sensor("a", "coordinate", ("joint", "second"))
    scene.add_sensor("b", "reaction_force", scene.find("joint"))
    model = build_model(scene)
    recording = Simulator(model).run()
    assert np.array_equal(recording.sensors["a"], recording.joint("joint", "second").coordinate)
    assert np.array_equal(recording.sensors["b"], recording.joint("joint").reaction_force)
    assert model_digest(build_model(Scene.from_statements(scene.statements))) == recording.scene_digest
    softer = scene.with_values({("joint", "gap"): 1e-3})
    assert softer.find("joint").stiffness == pytest.approx(0.01 * scene.find("joint").stiffness)


@pytest.mark.parametrize(("kind", "given", "words"), [
    ("screw", {"pitch": 0.1}, ["a screw joint by springs", 'way="exact"']),
    ("planar", {}, ["a planar joint by springs"]),
    ("ball", {"way": "spring"}, ["unknown way 'spring'", "did you mean 'springs'"]),
    ("ball", {"gap": None}, ["springs without a gap", "gap=1e-5"]),
    ("ball", {"gap": 0.0}, ["gap is 0", "> 0"]),
    ("ball", {"load": -1.0}, ["load is -1", "> 0"]),
    ("ball", {"stiffness": 1.0}, ["coordinates of a ball joint by springs"]),
    ("revolute", {"armature": 1.0}, ["with armature", 'way="exact"']),
    ("revolute", {"way": "exact"}, ["an exact joint with a gap", 'way="springs"']),
])
def test_what_springs_do_not_is_refused_and_leaves_nothing(kind, given, words):
    scene = Scene("s")
    body = scene.add_rigid("body", BOX, 1.0)
    with pytest.raises(SceneError) as refused:
        scene.add_joint("joint", kind, None, body, (0, 0, 0), axis=(0, 0, 1), **{"way": "springs", "gap": 1e-5, **given})
    assert all(word in str(refused.value) for word in words), refused.value
    assert list(scene.things) == ["body"]
    assert scene.particle_count == len(scene.rigids[0].particles) == 8
