"""A model with other numbers has the bits of a model that is built with them."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, SceneError, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes
from robotphi.geometry.polyhedron import Compound
from robotphi.model.arrays import model_digest
from robotphi.scene.values import known_values, things_with_values
from robotphi.verification.mixed import KINDS, mixed_scene


def touching_scene():
    """A soft pad of two materials, a block, a ball, a rod, wind, and a law of their own for two of them."""
    rubber = ContactMaterial(young=1e6, thickness=0.02, restitution=0.6, speed=1.0, friction=0.8)
    scene = Scene("drop", duration=0.1, frames=2, stepping=Stepping(budget=1e-3))
    scene.add_plane("ground", contact=rubber)
    mesh = discretise(shapes.box((0.3, 0.2, 0.1), (0, 0, 0.051)), size=0.1)
    pad = deformable(mesh, Material(young=2e5, damping_ratio=0.1))
    scene.add_object("pad", pad, contact=rubber)
    scene.add_object("block", rigid(shapes.box((0.08, 0.08, 0.08), (-0.06, 0, 0.25)), density=900), spin=(1, 6, 2),
                     contact=rubber)
    scene.add_ball("ball", (0.08, 0, 0.3), 0.05, density=900, contact=rubber)
    scene.add_rod("rope", (0, 0, 1), (1, 0, 1), 5, 100.0, 0.1, 0.1)
    scene.set_contact("ball", "pad", ContactMaterial(stiffness=1e7, friction=0.1))
    scene.set_medium(density=1.2, drag=1.1, wind=(1.0, 0, 0))
    return scene


def mixed():
    """All three springs, damped, plastic and driven."""
    return mixed_scene(None, 1.0, 4, damping=0.01, plastic=KINDS, gravity=(0, 0, -9.81), driven=True)


def is_rebuilt(model):
    """Whether a model has the bits of one that is built of all that was said to its scene."""
    return model_digest(model) == model_digest(build_model(Scene.from_statements(model.scene.statements)))


def other(value, quantity):
    """Another value that is allowed wherever this one is."""
    if isinstance(value, Drive):
        return 0.125
    if value is None:
        return None
    return np.array(value, float) * 0.75 if np.ndim(value) else float(value) * 0.75


@pytest.mark.parametrize("make", [touching_scene, mixed],
                         ids=["touching", "mixed"])
def test_every_number_of_what_is_there_can_be_changed_to_the_bits_of_a_rebuild(make):
    model = build_model(make())
    digest, changed = model_digest(model), 0
    for thing in things_with_values(model.scene):
        for quantity, (value, _) in known_values(model.scene, thing).items():
            if value is None or quantity.endswith("static_friction"):
                continue   # left out; less of it than of friction is refused
            after = model.with_values({(thing, quantity): other(value, quantity)})
            assert is_rebuilt(after), (thing, quantity)
            changed += model_digest(after) != digest
            assert model_digest(model) == digest, "the model itself stays as it is"
    assert changed > 30


@pytest.mark.parametrize(("address", "value"), [
    (("pad", "young"), 3e5), (("pad", "density"), 1200.0), (("pad", "mesh.size"), 0.08), (("pad", "mesh.shape.size", 2), 0.12),
    (("block", "density"), 800.0), (("ball", "radius"), 0.04), (("rope", "axial_stiffness"), 200.0),
    (("rope.linear", "stiffness", 2), 50.0), (("pad", "mass", "left"), 0.01), (("scene", "gravity", 2), None)])
def test_what_changes_cells_or_places_is_said_again(address, value):
    model = build_model(touching_scene())
    if value is None:
        with pytest.raises(SceneError, match="one for all"):
            model.with_values({address: 1.0})
        return
    after = model.with_values({address: value})
    assert model_digest(after) != model_digest(model)
    assert is_rebuilt(after)
    assert np.all(after.scene.value(*address) == value)


def test_several_values_at_once_and_one_after_the_other_are_the_same():
    model = build_model(mixed())
    values = {("links", "stiffness", 3): 7.0, ("links", "viscosity", (0, 1)): 0.5, ("plate", "mass"): 3.0}
    at_once, step = model.with_values(values), model
    for address, value in values.items():
        step = step.with_values({address: value})
    assert model_digest(at_once) == model_digest(step)
    assert at_once.scene.things["links"].stiffness.tolist() == [60.0] * 3 + [7.0] + [60.0]


def test_a_value_that_is_set_again_and_again_leaves_one_statement():
    model = build_model(mixed())
    said = len(model.scene.statements)
    for stiffness in (1.0, 2.0, 3.0):
        model = model.with_values({("links", "stiffness"): stiffness})
    assert len(model.scene.statements) == said + 1
    assert is_rebuilt(model)


def test_values_that_need_each_other_are_said_in_an_order_in_which_they_can_be():
    scene = Scene("order")
    scene.add_particles("dots", np.eye(3), 1.0)
    scene.add_linear("springs", [0, 1], [1, 2], 10.0)
    model, said = build_model(scene), len(scene.statements)
    for quantity, value in (("viscosity", 1.0), ("stiffness", 0.0), ("viscosity", 2.0)):   # neither may be 0 where the other is
        model = model.with_values({("springs", quantity): value})
    assert is_rebuilt(model)
    for number in range(1, 9):
        model = model.with_values({("springs", "stiffness"): number, ("dots", "mass"): number})
        model = model.with_values({("springs", "stiffness", 1): 2 * number})
    assert is_rebuilt(model)
    assert len(model.scene.statements) <= said + 6


def test_rows_that_were_set_as_an_array_can_be_set_one_by_one():
    scene = mixed()
    scene.set_value("links", "stiffness", 3.0, where=np.array([0, 2]))
    after = scene.with_values({("links", "stiffness", 2): 5.0}).with_values({("links", "stiffness", 0): 7.0})
    assert after.value("links", "stiffness", (0, 1, 2)).tolist() == [7.0, 60.0, 5.0]


def test_a_scene_and_the_same_with_other_values_grow_apart():
    scene = touching_scene()
    other_one = scene.with_values({("ball", "mass"): 2.0})
    count = scene.particle_count
    other_one.add_particle("mine", (7, 7, 7), 1.0)
    scene.add_particle("mine", (8, 8, 8), 1.0)
    assert other_one.position[count].tolist() == [7, 7, 7]
    assert scene.position[count].tolist() == [8, 8, 8]
    again = other_one.with_values({("ball", "mass"): 3.0})
    assert "mine" in again.things
    assert build_model(again).particle_count == count + 1


@pytest.mark.parametrize("make", [touching_scene, mixed], ids=["touching", "mixed"])
def test_every_number_that_is_listed_can_be_given_again_to_the_bits_of_a_rebuild(make):
    model, given = build_model(make()), 0
    for thing, quantities in model.scene.addresses().items():
        for quantity in quantities:
            value = model.scene.value(thing, quantity)
            if value is not None:   # left out
                after = model.with_values({(thing, quantity): value})
                assert is_rebuilt(after), (thing, quantity)
                if not quantity.startswith("contact."):   # of what stands for one another the last said is kept
                    assert model_digest(after) == model_digest(model), (thing, quantity)
                given += 1
    assert given > 50


def test_the_budget_is_a_number_of_the_scene_alone():
    model = build_model(mixed())
    after = model.with_values({("scene", "budget"): 1e-3})
    assert model_digest(after) == model_digest(model)
    assert after.scene.stepping.budget == 1e-3
    assert model.scene.stepping.budget != 1e-3


def test_two_materials_of_one_object_have_addresses_of_their_own():
    parts = Compound((shapes.box((0.1, 0.1, 0.1)), shapes.box((0.1, 0.1, 0.1), (0.1, 0, 0))))
    scene = Scene("finger", duration=0.1)
    scene.add_object("finger", deformable(discretise(parts, size=0.05), Material(young=1e5),
                                          materials={"part 1": Material(young=2e5)}))
    model = build_model(scene)
    assert scene.value("finger/part 1", "young") == 2e5
    after = model.with_values({("finger/part 1", "young"): 3e5})
    assert after.scene.value("finger", "materials.part 1.young") == 3e5
    assert after.scene.value("finger", "material.young") == 1e5
    assert is_rebuilt(after)


@pytest.mark.parametrize(("address", "told"), [
    (("links", "stifness"), "did you mean 'stiffness'"), (("linkss", "stiffness"), "there are: scene, block"),
    (("links", "stiffness", 40), "use 0 to 4"), (("plate", "mass", 1), "one for all"), (5, "give \\(thing, quantity\\)"),
    (("links", 3), "give \\(thing, quantity\\)"), (("line", "mass", "tip"), "has no regions"),
    (("toe", "stiffness"), "table, which replaces it")])
def test_an_address_of_nothing_is_refused_with_what_there_is(address, told):
    with pytest.raises(SceneError, match=told):
        build_model(mixed()).with_values({address: 1.0})


@pytest.mark.parametrize(("address", "value", "told"), [
    (("ties", "stiffness"), -1.0, ">= 0"), (("line", "mass"), 0.0, "mass > 0"), (("links", "stiffness"), 0.0, "do nothing"),
    (("ties", "stiffness"), "much", "numbers"), (("plate", "inertia"), (1.0, 1.0, 5.0), "triangle"),
    (("scene", "budget"), 7.0, "budget"), (("line", "positions"), object(), "give numbers"),
    (("line", "drive"), sum, "give numbers")])
def test_a_value_that_cannot_be_is_refused_and_changes_nothing(address, value, told):
    model = build_model(mixed())
    digest, said = model_digest(model), len(model.scene.statements)
    with pytest.raises(SceneError, match=told):
        model.with_values({address: value})
    assert model_digest(model) == digest
    assert len(model.scene.statements) == said


def test_what_a_method_was_called_of_has_values_too():
    scene = Scene("turned")
    scene.add_object("block", rigid(shapes.box(1.0).transformed([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 2, 3)), density=100.0))
    after = build_model(scene).with_values({("block", "shape.self.size"): 2.0})
    assert after.scene.rigids[0].mass == pytest.approx(800.0, rel=1e-12)
    assert is_rebuilt(after)


@pytest.mark.parametrize("value", ["much", None, (1.0, 2.0), [[1.0]], object()])
def test_an_entry_of_an_argument_takes_numbers_of_its_shape(value):
    with pytest.raises(SceneError, match="give"):
        build_model(touching_scene()).with_values({("pad", "mesh.shape.size", 2): value})


def test_what_only_drag_may_be_is_refused_of_the_density_of_a_medium():
    with pytest.raises(SceneError, match="density"):
        build_model(touching_scene()).with_values({("medium", "density"): {"pad": 1.0}})


def test_a_number_that_two_things_could_mean_is_asked_for():
    with pytest.raises(SceneError, match=r"'mesh\.shape\.size', 'mesh\.size'"):
        build_model(touching_scene()).with_values({("pad", "size"): 0.1})


def test_all_addresses_are_listed():
    listed = touching_scene().addresses()
    assert {"scene", "medium", "pad", "pad.linear", "block", "ball", "rope", "rope.linear", "rope.angular", "ground",
            ("ball", "pad")} == set(listed)
    assert {"friction", "contact.young", "material.young", "mesh.size", "mass"} <= set(listed["pad"])


def test_what_was_set_without_a_verb_stays_with_values():
    scene = Scene("set", duration=1.0, frames=50)
    scene.add_particle("ball", (0, 0, 0), 1.0)
    other = scene.with_values({("scene", "budget"): 1e-6})
    other.frames = 2
    again = other.with_values({("ball", "mass"): 2.0})
    assert (again.frames, again.stepping.budget, again.value("ball", "mass")) == (2, 1e-6, 2.0)
    assert other.with_values({}).frames == 2
    assert build_model(other).with_values({("ball", "mass"): 2.0}).scene.frames == 2
