"""Joints at the door: what is refused, and with what remedy; statements and values."""
import numpy as np
import pytest

from robotphi import Drive, Scene, build_model, simulate
from robotphi.discretise.rigid import rigid
from robotphi.errors import SceneError
from robotphi.geometry.shapes import box
from robotphi.kernels.mechanism.kinds import JOINTS, freedoms_of
from robotphi.model.arrays import model_digest
from robotphi.scene.extremes import extremes

CORNERS = np.array([[x, y, z] for x in (0.0, 0.1) for y in (0.0, 0.1) for z in (0.0, 0.1)])
NEEDED = {"screw": {"pitch": 0.01}}


def two(name="two"):
    scene = Scene(name)
    scene.a = scene.add_rigid("a", CORNERS, 1.0)
    scene.b = scene.add_rigid("b", CORNERS + 0.2, 2.0)
    return scene


def add(scene, kind="revolute", name="hinge", **given):
    given = {"parent": scene.a, "child": scene.b, "at": (0.15, 0.15, 0.15), "axis": (0, 0, 1), **NEEDED.get(kind, {}), **given}
    return scene.add_joint(name, kind, **given)


def leaves(model):
    """Everything of a model that a run reads."""
    parts = [model.arrays.mechanisms, (model.position, model.velocity, model.rigid_velocity, model.rigid_spin,
                                       model.joint_place, model.joint_rate, model.joint_turn, model.link_of_joint)]
    parts.append(model.arrays.mechanisms.motors)
    return [array for part in parts for array in part if isinstance(array, np.ndarray)]


@pytest.mark.parametrize(("given", "words"), [
    ({"kind": "revolut"}, ["unknown kind 'revolut'", "did you mean 'revolute'"]),
    ({"name": "a"}, ["the name 'a' is taken", "'a_2'"]),
    ({"name": "a:b"}, ['without ":"']),
    ({"parent": 0}, ["parent is 0", "a rigid of this scene, or None for the world"]),
    ({"child": None}, ["child is None", "a rigid of this scene"]),
    ({"child": "b"}, ["child is 'b'", "a rigid of this scene"]),
    ({"child": lambda s: s.a}, ["'a' is joined to itself", "two rigids"]),
    ({"child": lambda s: two("other").b}, ["'b' is a rigid of another scene", "add it to this one"]),
    ({"axis": None}, ["a revolute joint without an axis", "(0, 0, 1)"]),
    ({"axis": (0, 0, 0)}, ["axis is [0.0, 0.0, 0.0]", "a direction"]),
    ({"axis": (0, 0)}, ["axis", "three numbers"]),
    ({"across": (0, 0, 2)}, ["across points along the axis"]),
    ({"at": (0, 0, np.nan)}, ["at", "finite"]),
    ({"pitch": 0.1}, ["a revolute joint with a pitch", 'kind="screw"']),
    ({"kind": "screw", "pitch": None}, ["a screw without pitch", "for each radian"]),
    ({"stiffness": -1.0}, ["stiffness", ">= 0"]),
    ({"viscosity": (1.0, 2.0)}, ["viscosity", "2"]),
    ({"kind": "universal", "rate": (1.0, 2.0, 3.0)}, ["rate", "3"]),
    ({"kind": "ball", "place": 0.1}, ["a ball joint with a place", "have no coordinates"]),
    ({"kind": "ball", "stiffness": 1.0}, ["a ball joint with stiffness", "use revolute joints"]),
])
def test_a_joint_that_cannot_be_is_refused_with_what_would_work(given, words):
    scene = two()
    given = {what: value(scene) if callable(value) else value for what, value in given.items()}
    with pytest.raises(SceneError) as refused:
        add(scene, **given)
    assert all(word in str(refused.value) for word in ["joint ", *words]), refused.value
    assert scene.joints == []


@pytest.mark.parametrize(("quantity", "of", "words"), [
    ("coordinate", "a", ["coordinate of 'a'", "joints: 'hinge', 'cross'"]),
    ("rate", None, ["rate of None", "give a joint or (joint, freedom)"]),
    ("effort", "cross", ["which has 2 freedoms", "first, second"]),
    ("effort", ("cross", "angle"), ["unknown freedom of joint 'cross' 'angle'", "first"]),
    ("effort", ("cross", 2), ["freedom of joint 'cross' 2", "0 to 1"]),
    ("reaction_force", ("cross", "first"), ["reaction_force of one freedom", "the joint alone"]),
    ("coordinate", "weld", ["which has 0 freedoms", "it has reactions alone"]),
    ("position", "hinge", ["position of joint 'hinge'", "it has coordinate, rate"]),
])
def test_a_sensor_of_a_joint_that_cannot_be_is_refused(quantity, of, words):
    scene = two()
    add(scene)
    add(scene, "universal", "cross", parent=None, child=scene.a)
    scene.add_joint("weld", "fixed", scene.b, scene.add_rigid("c", CORNERS + 1, 1.0), (1, 1, 1))
    with pytest.raises(SceneError) as refused:
        scene.add_sensor("probe", quantity, of)
    assert all(word in str(refused.value) for word in ["sensor 'probe'", *words]), refused.value


def test_an_object_of_one_rigid_is_joined_as_that_rigid_and_others_are_refused():
    scene = Scene("objects")
    arm = scene.add_object("arm", rigid(box((1, 1, 1)), density=1.0))
    assert scene.add_joint("hinge", "revolute", None, arm, (0, 0, 0), axis=(0, 0, 1)).child is scene.find("arm")
    from robotphi.discretise.joining.assembly import join
    from robotphi.discretise.joining.transform import moved

    pair = scene.add_object("pair", join({"one": rigid(box((1, 1, 1)), density=1.0),
                                          "two": moved(rigid(box((1, 1, 1)), density=1.0), shift=(3, 0, 0))}))
    with pytest.raises(SceneError, match=r"object of 2 rigids; give one of its rigids: pair\.one\.body, pair\.two\.body"):
        scene.add_joint("other", "revolute", arm, pair, (0, 0, 0), axis=(0, 0, 1))


@pytest.mark.parametrize("kind", [kind for kind, known in JOINTS.items() if known.links is not None])
def test_statements_make_the_same_model_to_the_bit(kind):
    scene = two()
    several = len(freedoms_of(kind)) > 1
    add(scene, kind, across=(1, 0.1, 0), rate=tuple(0.1 + i for i in range(len(freedoms_of(kind)))) if several else 0.3,
        viscosity=0.2, armature=0.01)
    if freedoms_of(kind):
        scene.add_sensor("s", "coordinate", ("hinge", freedoms_of(kind)[-1].name))
    scene.add_sensor("f", "reaction_force", scene.find("hinge"))
    again = Scene.from_statements(scene.statements)
    one, other = build_model(scene), build_model(again)
    assert model_digest(one) == model_digest(other)
    assert all(np.array_equal(a, b) for a, b in zip(leaves(one), leaves(other), strict=True))
    assert [sensor.of.indices.tolist() for sensor in scene.sensors] == [sensor.of.indices.tolist() for sensor in again.sensors]


VALUES = {"viscosity": 0.7, "stiffness": 3.0, "rest": 0.2, "armature": 0.05, "rate": -1.0, "place": 0.4}


@pytest.mark.parametrize("quantity", VALUES)
def test_a_value_of_a_joint_is_that_of_a_joint_made_so(quantity):
    value = VALUES[quantity]
    made, given = two(), two()
    add(made, place=0.1, rest=0.3)
    add(given, **{"place": 0.1, "rest": 0.3, quantity: value})
    model = build_model(made).with_values({("hinge", quantity): value})
    wanted = build_model(given)
    assert all(np.array_equal(a, b) for a, b in zip(leaves(model), leaves(wanted), strict=True))
    assert model_digest(model) == model_digest(wanted) != model_digest(build_model(made))
    assert model.scene.value("hinge", quantity) == value
    assert quantity in made.addresses()["hinge"]


def test_a_value_of_one_freedom_goes_by_its_name_and_wrong_ones_are_refused():
    scene = two()
    add(scene, "universal", viscosity=(0.1, 0.2), stiffness=1.0)
    scene.set_value("hinge", "viscosity", 0.5, "second")
    assert scene.value("hinge", "viscosity").tolist() == [0.1, 0.5]
    assert scene.value("hinge", "viscosity", "first").tolist() == [0.1]
    assert build_model(scene).arrays.mechanisms.viscosity[-2:].tolist() == [0.1, 0.5]
    for address, value, words in ((("hinge", "viscosity"), -1.0, ">= 0"), (("hinge", "viscosity", 2), 1.0, "0 to 1"),
                                  (("hinge", "viscosity", "third"), 1.0, "unknown freedom"),
                                  (("hinge", "rate"), (1, 2, 3), "3"), (("hinge", "stifness"), 1.0, "mean 'stiffness'")):
        with pytest.raises(SceneError, match=words):
            build_model(scene).with_values({address: value})
    add(scene, "screw", "bolt", parent=None, child=scene.a)
    assert build_model(scene).with_values({("bolt", "pitch"): 0.5}).arrays.mechanisms.slide.max() == 0.5
    add(other := two("other"), "ball")
    with pytest.raises(SceneError, match="a ball joint has no stiffness"):
        other.set_value("hinge", "stiffness", 1.0)


def test_arguments_of_a_joint_are_values_too():
    scene = two()
    add(scene)
    moved = scene.with_values({("hinge", "at"): (0.3, 0.1, 0.2)})
    assert moved.find("hinge").at.tolist() == [0.3, 0.1, 0.2]
    assert scene.value("hinge", "axis") == (0, 0, 1)


def test_a_rigid_with_another_value_may_still_be_joined():
    scene = two()
    scene.set_value("b", "mass", 5.0)
    assert add(scene).child is scene.find("b")


# Drives and stops -----------------------------------------------------------------------------------------------------

def driven(drive, limits=(-0.2, 0.5), duration=2.0):
    scene = Scene("driven", duration=duration, frames=4)
    scene.a = scene.add_rigid("a", CORNERS, 1.0)
    drive = drive(scene) if callable(drive) else drive
    scene.add_joint("slide", "prismatic", None, scene.a, (0, 0, 0), axis=(1, 0, 0), drive=drive, limits=limits)
    return scene


@pytest.mark.parametrize(("drive", "words"), [
    (Drive.table([0.0, 1.0], [0.0, 0.501]), ["leads it to 0.501 at 1 s", "at least -0.2 and at most 0.5"]),
    (Drive.sine(0.3, 0.5), ["leads it to -0.3 at 1.5 s", "a motor with that target stops at the stops"]),
    (Drive.sine(0.501, 0.25), ["leads it to 0.501 at 1 s"]),
    (Drive.table([0.0, 0.5, 1.0, 2.0], [0.0, 0.49, 0.49, 0.2], kind="cubic"), ["beyond its stops"]),   # between its points
    (lambda scene: scene.add_command("go", 0.0, rate=1.0), ["command 'go'", "add_command(…, low=-0.2, high=0.5)"]),
    (lambda scene: scene.add_command("go", 0.0, low=-0.1, high=0.6, rate=1.0), ["command 'go'", "(…, high=0.5)"]),
])
def test_a_drive_beyond_the_stops_of_its_own_joint_is_refused_with_time_and_value(drive, words):
    with pytest.raises(SceneError) as refused:
        driven(drive)
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize("drive", [
    Drive.table([0.0, 1.0, 2.0], [0.0, 0.5, 0.5]), Drive.sine(0.2, 0.5), Drive.table([0.0, 2.5, 3.0], [0.0, 0.5, 0.9]),
    lambda scene: scene.add_command("go", 0.0, low=-0.2, high=0.5, rate=1.0)])
def test_a_drive_may_go_as_far_as_the_stops_and_costs_what_it_costs_without_them(drive):
    """What happens behind the end of the run is nobody's matter."""
    with_stops, without = simulate(driven(drive)), simulate(driven(drive, None))
    assert with_stops.counts["attempts"] == without.counts["attempts"]
    assert np.array_equal(with_stops.checkpoint["joint_place"], without.checkpoint["joint_place"])


def test_the_extremes_of_a_drive_are_where_it_has_them():
    times = np.linspace(0.0, 3.0, 300001)
    for drive in (Drive.sine(0.3, 0.7, 1.0, 0.1), Drive.sine(-0.3, 0.7, -2.0), Drive.sine(0.3, 0.05, 0.4), Drive.constant(0.2),
                  Drive.table([0.5, 1.0, 2.0, 4.0], [0.0, 0.49, 0.49, -0.2], kind="cubic"), Drive.steps([1.0, 2.0], [1.0, 3.0]),
                  Drive.table([-1.0, 0.4, 2.9], [2.0, -1.0, 5.0])):
        (low, early), (high, late) = extremes(drive, 3.0)
        values = drive.value(times)
        assert low <= values.min() <= low + 1e-9
        assert values.max() - 1e-15 <= high <= values.max() + 1e-5
        assert drive.value(early) == low
        assert drive.value(late) == high


def test_a_follower_that_drives_lead_beyond_its_stops_is_refused():
    def related(factors, **drives):
        scene = Scene("related", duration=2.0)
        for n, name in enumerate(("first", "second", "follower")):
            body = scene.add_rigid(name, CORNERS + n, 1.0)
            given = {"drive": drives.get(name)}
            if name == "follower":
                given = {"limits": (-0.1, 0.5), "rate": drives.get("rate", 0.0)}
            scene.add_joint(f"{name} slide", "prismatic", None, body, (n, n, n), axis=(1, 0, 0), **given)
        scene.relate("together", {f"{name} slide": factor for name, factor in factors.items()})

    ramp = Drive.table([0.0, 1.0], [0.0, 0.6])
    with pytest.raises(SceneError, match=r"joint 'follower slide' to 0\.6 at 1 s, beyond its stops at \[-0\.1, 0\.5\]"):
        related({"first": 1.0, "follower": -1.0}, first=ramp, rate=0.6)
    with pytest.raises(SceneError, match=r"to 0\.6 at 1 s"):
        related({"first": 0.5, "second": 0.5, "follower": -1.0}, first=ramp, second=ramp, rate=0.6)
    related({"first": 1.0, "follower": -2.0}, first=ramp, rate=0.3)
    related({"first": 0.5, "second": 0.5, "follower": -1.0}, first=ramp, rate=0.3)   # the other one is free


def test_commands_in_a_relation_are_held_against_the_stops_of_the_follower():
    """They may be set to anything within their bounds, whatever others are; one in two coordinates counts by the sum."""
    def related(factors, low=None, high=None, ramp=None, both=False):
        scene = Scene("related", duration=2.0)
        command = scene.add_command("go", 0.0, low=low, high=high, rate=1.0)
        drives = {"first": command, "second": command if both else ramp}
        for n, name in enumerate(("first", "second", "follower")):
            body = scene.add_rigid(name, CORNERS + n, 1.0)
            given = {"limits": (-0.1, 0.5)} if name == "follower" else {"drive": drives[name]}
            scene.add_joint(f"{name} slide", "prismatic", None, body, (n, n, n), axis=(1, 0, 0), **given)
        scene.relate("together", {f"{name} slide": factor for name, factor in factors.items()})

    alone = {"first": 1.0, "follower": -2.0}
    with pytest.raises(SceneError, match=r"go may be set such that joint 'follower slide' would be at inf.* by add_command"):
        related(alone, low=-0.1)
    with pytest.raises(SceneError, match=r"would be at -0\.15, beyond its stops at \[-0\.1, 0\.5\]"):
        related(alone, low=-0.3, high=1.0)
    related(alone, low=-0.2, high=1.0)
    three, ramp = {"first": 1.0, "second": 1.0, "follower": -1.0}, Drive.table([0.0, 1.0, 2.0], [0.0, 0.0, 0.25])
    related(three, low=-0.1, high=0.25, ramp=ramp)
    with pytest.raises(SceneError, match=r"would be at 0\.55"):
        related(three, low=-0.1, high=0.3, ramp=ramp)
    related({"first": 1.0, "second": -1.0, "follower": -1.0}, low=-9.0, high=9.0, both=True)
    with pytest.raises(SceneError, match=r"would be at 0\.6"):
        related(three, low=0.0, high=0.3, both=True)


def two_related(factor):
    """Two arms that a relation holds together, the second `factor` times."""
    scene = Scene("two", duration=0.2, frames=4)
    for i, name in enumerate("ab"):
        arm = scene.add_rigid(f"arm {name}", [(0, i, 0)], mass=1.0, centre=(0.5, i, 0), inertia=(0.01, 0.1, 0.1))
        scene.add_joint(name, "revolute", None, arm, at=(0, i, 0), axis=(0, 1, 0))
    scene.relate("gear", {"a": 1.0, "b": factor})
    return scene


def test_factors_of_a_relation_may_be_far_apart_but_not_beyond_rounding():
    """Of 1e±12 the one falls as if the other were not there, 1.7e-5 beyond; of more the answer is words."""
    alone = Scene("alone", duration=0.2, frames=4)
    arm = alone.add_rigid("arm", [(0, 0, 0)], mass=1.0, centre=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    alone.add_joint("b", "revolute", None, arm, at=(0, 0, 0), axis=(0, 1, 0))
    falls = simulate(alone).joint("b").coordinate
    for factor, free in ((1e-12, "b"), (1e12, "a"), (-1e12, "a")):
        recording = simulate(two_related(factor))
        np.testing.assert_allclose(recording.joint(free).coordinate, falls, rtol=0, atol=1e-4 * falls[-1])
    for factor in (1e-13, -1e13, 1e300):
        with pytest.raises(SceneError, match=r"give factors within 1e\+12 of each other, or hold '.' by a fixed joint"):
            two_related(factor)
