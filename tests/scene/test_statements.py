"""What is said to a scene: verbs, defaults, handles, shared things, refusals, and the way to plain data and back."""
import json
import math

import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, SceneError, Stepping, Table, build_model
from robotphi.discretise import Material, deformable, discretise, in_ring, join, merge, moved, name_region, nearest, rigid
from robotphi.geometry import Compound, Mesh, Polyhedron, hull, shapes
from robotphi.model.arrays import model_digest
from robotphi.scene import makers
from robotphi.scene.objects import Object
from robotphi.scene.said_data import from_data, from_text, to_data, to_text
from robotphi.scene.say_again import in_order
from robotphi.scene.statements import Handle, Made, Statement, keep, recipe_of

RUBBER = ContactMaterial(young=1e6, thickness=0.02, restitution=0.6, speed=1.0)


def said_again(scene):
    """The scene of its statements as a file holds them, which shares no thing with it."""
    return Scene.from_statements(read_back(scene.statements))


def read_back(statements):
    """Statements by their text and their arrays, whose layout in memory is lost as in a file."""
    text, arrays = to_text(statements)
    return from_text(text, [np.array(array, order="C") for array in arrays])


def assert_same_bits(scene):
    one, two = build_model(scene), build_model(said_again(scene))
    assert model_digest(one) == model_digest(two)
    assert one.work_names == two.work_names
    assert one.part_names == two.part_names


def verbs(scene):
    return [statement.verb for statement in scene.statements]


# Verbs ---------------------------------------------------------------------------------------------------------------

def test_a_statement_is_the_verb_and_what_was_given_without_defaults():
    scene = Scene("said", 2.0, gravity=(0, 0, -9.81))
    scene.add_particle("p", (1, 2, 3), mass=0.5, velocity=[0, 0, 0], support="")
    assert verbs(scene) == ["Scene", "add_particle"]
    assert scene.statements[0].arguments == {"name": "said", "duration": 2.0}
    assert scene.statements[1].arguments == {"name": "p", "position": (1, 2, 3), "mass": 0.5}


def test_minus_zero_is_no_default():
    scene = Scene("said")
    scene.add_particle("p", (1, 2, 3), 0.5, velocity=(0.0, -0.0, 0.0))
    assert math.copysign(1.0, scene.statements[1].arguments["velocity"][1]) == -1.0
    assert_same_bits(scene)


def test_every_public_verb_of_a_scene_is_said():
    unsaid = [name for name in dir(Scene) if name.startswith(("add_", "set_", "exclude_"))
              and not getattr(getattr(Scene, name), "is_verb", False)]
    assert not unsaid


def test_what_verbs_say_to_each_other_is_not_kept():
    scene = Scene("said")
    scene.add_rod("rod", (0, 0, 0), (1, 0, 0), 4, 100.0, 1.0, 0.1, clamp_start="clamp")
    scene.add_object("pad", deformable(discretise(shapes.box(1.0, (0, 0, 3)), counts=2), Material(1e5)))
    scene.add_ball("ball", (0, 0, 5), 0.1, mass=1.0, contact=RUBBER)
    assert verbs(scene) == ["Scene", "add_rod", "add_object", "add_ball"]


def test_what_is_given_may_change_afterwards():
    places, words = np.zeros((2, 3)), ["x", ""]
    places[1] = 1.0
    scene = Scene("said")
    scene.add_particles("p", places, 1.0, support=words)
    places[:], words[0] = 7.0, "xyz"
    given = scene.statements[1].arguments
    assert given["positions"].max() == 1.0
    assert given["support"] == ("x", "")
    with pytest.raises(ValueError, match="read-only"):
        given["positions"][0] = 3.0


def test_a_large_array_that_nobody_can_write_to_is_shared():
    places = np.random.default_rng(1).normal(size=(10, 3))
    places.flags.writeable = False
    scene = Scene("said")
    scene.add_particles("p", places, 1.0)
    assert scene.statements[1].arguments["positions"] is places


def test_an_iterator_is_said_by_what_it_gave():
    scene = Scene("said")
    scene.add_particles("p", np.eye(3), 1.0, support=(word for word in ("x", "", "z")))
    assert scene.statements[1].arguments["support"] == ("x", "", "z")


@pytest.mark.parametrize("refused", [
    lambda scene: scene.add_particle("p", (0, 0, 0), -1.0),
    lambda scene: scene.add_rod("rod", (0, 0, 0), (1, 0, 0), 4, 100.0, 0.0, 0.1, clamp_end="clamp"),   # after its particles
    lambda scene: scene.add_grid("net", (0, 0, 0), (1, 0, 0), (0, 1, 0), (3, 3), 1.0, structural=(1.0, 2.0, 3.0)),
    lambda scene: scene.set_medium(drag=1.0),
    lambda scene: scene.add_sensor("s", "speed", "nobody"),
    lambda scene: Scene.from_statements((*scene.statements[1:],))])
def test_a_refused_verb_leaves_no_statement_and_nothing_behind(refused):
    scene = Scene("said")
    scene.add_particles("first", np.eye(3), 1.0)
    before = model_digest(build_model(scene))
    with pytest.raises(SceneError):
        refused(scene)
    assert verbs(scene) == ["Scene", "add_particles"]
    assert list(scene.things) == ["first"]
    assert model_digest(build_model(scene)) == before
    scene.add_particle("p", (0, 0, 0), 1.0)
    assert verbs(scene)[-1] == "add_particle"


def test_an_argument_that_has_no_plain_form_is_refused_and_nothing_is_added():
    scene = Scene("said")
    with pytest.raises(SceneError, match="add_object: an argument is <object"):
        scene.add_object("thing", Object(np.eye(3), np.ones(3), notes={"author": object()}))
    assert verbs(scene) == ["Scene"]
    assert not scene.particle_count
    assert not scene.objects


# Handles and shared things -------------------------------------------------------------------------------------------

def handled():
    scene = Scene("handles", duration=0.1, frames=2)
    body = scene.add_rigid("body", np.concatenate([np.eye(3), -np.eye(3)]), 2.0)
    rod = scene.add_rod("rod", (3, 0, 0), (4, 0, 0), 3, 100.0, 1.0, 0.1)
    net = scene.add_grid("net", (0, 3, 0), (1, 0, 0), (0, 1, 0), (3, 3), 1.0, structural=10.0)
    block = scene.add_object("block", rigid(shapes.box(1.0, (0, 0, 5)), density=100.0), contact=RUBBER)
    tie = scene.add_linear("tie", int(body.particles[0]), rod.particles[0], 50.0)
    scene.add_force("push", body, (1, 0, 0))
    scene.add_torque("turn", block.rigids[0], (0, 0, 1), drive=2.0)
    scene.add_plane("deck", (0, 0, 5.5), contact=RUBBER, rigid=block)
    for name, quantity, of in (("a", "speed", body), ("b", "tension", tie), ("c", "length", rod), ("d", "momentum", net),
                               ("e", "tension", (rod.linear, 1)), ("f", "contact_force", block),
                               ("g", "kinetic_energy", None)):
        scene.add_sensor(name, quantity, of)
    return scene


def test_handles_are_names_and_are_found_again():
    scene = handled()
    given = {statement.arguments["name"]: statement.arguments for statement in scene.statements}
    assert given["push"]["target"] == Handle("rigid", "body")
    assert given["deck"]["rigid"] == Handle("object", "block")
    assert given["turn"]["rigid"] == Handle("rigid", "block")
    assert given["c"]["of"] == Handle("rod", "rod")
    assert given["e"]["of"] == (Handle("springs", "rod.linear"), 1)
    assert_same_bits(scene)
    again = said_again(scene)
    for one, two in zip(scene.sensors, again.sensors, strict=True):
        assert (one.of.kind, one.of.indices.tolist()) == (two.of.kind, two.of.indices.tolist())


def shared_drive(same):
    scene = Scene("drives", duration=1.0)
    scene.add_particles("p", np.arange(12.0).reshape(4, 3), 1.0)
    drives = [Drive.sine(0.1, 2.0)] * 2 if same else [Drive.sine(0.1, 2.0), Drive.sine(0.1, 2.0)]
    scene.add_linear("one", 0, 1, 10.0, drive=drives[0])
    scene.add_linear("two", 2, 3, 10.0, drive=drives[1])
    return scene


@pytest.mark.parametrize(("same", "entries"), [(True, 1), (False, 2)])
def test_one_drive_of_two_blocks_stays_one_entry_of_the_ledger_and_two_stay_two(same, entries):
    scene = shared_drive(same)
    assert len(build_model(scene).work_names) == entries
    assert len(to_data(scene.statements)["things"]) == (1 if same else 0)
    assert_same_bits(scene)


def test_a_function_of_time_is_said_as_its_table_and_asked_no_more():
    asked = []

    def wave(time):
        asked.append(time)
        return math.sin(3 * time)

    scene = Scene("functions", duration=1.0)
    scene.add_particle("p", (0, 0, 0), 1.0, drive={"x": wave, "y": wave})
    scene.add_particle("q", (1, 1, 1), 1.0)
    scene.add_linear("spring", 0, 1, 5.0, drive=lambda time: 0.1 * time ** 2)
    count = len(asked)
    assert recipe_of(scene.things["p"].drive["x"]) is scene.statements[1].arguments["drive"]["x"]
    assert scene.statements[1].arguments["drive"]["x"] is not scene.statements[1].arguments["drive"]["y"]
    assert scene.statements[3].arguments["drive"].arguments["kind"] == "function"
    assert_same_bits(scene)
    assert len(asked) == count


# Makers --------------------------------------------------------------------------------------------------------------

def test_the_table_of_makers_names_what_there_is():
    for word, place in {**makers.MAKERS, **makers.VERBS}.items():
        assert callable(makers.called(place)), word
    assert set(makers.CLASSES.values()) <= set(makers.MAKERS)


def test_a_thing_remembers_how_it_was_made_and_what_it_was_made_of():
    solid = shapes.box((1, 2, 3))
    thing = moved(deformable(discretise(solid, size=0.5), Material(1e5, damping_ratio=0.1)), (0, 0, 1))
    assert [node.maker for node in in_order(recipe_of(thing))] == ["box", "discretise", "Material", "deformable", "moved"]
    assert recipe_of(solid).arguments == {"size": (1, 2, 3)}


def test_what_is_put_together_by_hand_is_said_by_its_fields():
    square = Mesh([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], {"quad": np.array([[0, 1, 2, 3]])}, regions={"left": [0, 3]})
    recipe = recipe_of(square)
    assert recipe.maker == "Mesh"
    assert set(recipe.arguments) == {"points", "cells", "regions"}
    assert recipe_of(square) is recipe


def test_what_was_changed_after_it_was_made_is_said_as_it_is_now():
    def pad(change):
        thing = deformable(discretise(shapes.box(1.0), size=0.5), Material(1e5))
        before = recipe_of(thing)
        change(thing)
        scene = Scene("changed")
        scene.add_object("pad", thing, support={"tip": "xyz"})
        assert recipe_of(thing) is not before
        assert recipe_of(thing).maker == "Object"
        assert_same_bits(scene)

    pad(lambda thing: thing.regions.update(tip=[0, 1]))
    pad(lambda thing: object.__setattr__(thing, "regions", {"tip": np.array([2])}))


def test_an_array_that_somebody_can_still_write_to_is_copied():
    numbers = np.arange(9.0)
    views = [numbers, numbers.reshape(3, 3), np.broadcast_to(numbers, (2, 9)),
             np.lib.stride_tricks.as_strided(numbers, (3, 3), (24, 8), writeable=False)]
    kept = [keep(view) for view in views]
    numbers += 1.0
    for view, one in zip(views, kept, strict=True):
        assert (one == view - 1.0).all()
        assert not one.flags.writeable


def test_what_a_function_of_places_made_is_said_by_its_fields():
    plain = discretise(shapes.box(1.0), size=0.5)
    refined = discretise(shapes.box(1.0), size=0.5, refine=lambda points: np.full(len(points), 0.4))
    assert recipe_of(plain).maker == "discretise"
    assert recipe_of(refined).maker == "Mesh"


SHAPES = {
    "box": lambda: shapes.box((1, 2, 3), (0, 0, 1)), "prism": lambda: shapes.prism([(0, 0), (1, 0), (0, 1)], 2.0),
    "cylinder": lambda: shapes.cylinder(1.0, 2.0, 12), "cone": lambda: shapes.cone(1.0, 2.0, top_radius=0.5),
    "sphere": lambda: shapes.sphere(1.0, 1), "capsule": lambda: shapes.capsule(0.5, 1.0),
    "torus": lambda: shapes.torus(2.0, 0.5),
    "tube": lambda: shapes.tube(1.0, 0.5, 2.0, 8), "hull": lambda: hull(np.random.default_rng(1).normal(size=(20, 3))),
    "turned": lambda: shapes.box(1.0).transformed([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 2, 3)),
    "mirrored": lambda: shapes.cone(1.0, 2.0, 8).mirrored((1, 0, 0)),
    "swept": lambda: shapes.swept(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * 0.1, [(0, 0, 0), (1, 0, 0), (2, 1, 0)]),
    "by hand": lambda: Polyhedron(shapes.box(2.0).vertices, shapes.box(2.0).facets),
    "compound": lambda: Compound((shapes.box(1.0), shapes.box(1.0, (1, 0, 0)))),
    "closed mesh": lambda: shapes.box(1.0).as_mesh()}


@pytest.mark.parametrize("name", SHAPES)
def test_a_rigid_of_any_shape_is_said_again_to_the_same_bits(name):
    scene = Scene("shapes")
    scene.add_object("thing", rigid(SHAPES[name](), density=100.0), spin=(1, 2, 3))
    assert_same_bits(scene)


def test_joined_turned_and_named_objects_are_said_again_to_the_same_bits():
    soft = deformable(discretise(shapes.box(1.0), counts=2), Material((1e5, 2e5, 3e5), frame=np.eye(3)), angular=True)
    other = moved(soft, (1, 0, 0))
    whole = merge({"one": soft, "two": other})
    whole = name_region(whole, "corner", nearest(whole, (9, 9, 9)))
    ring = in_ring(moved(whole, (5, 0, 0)), 3)
    scene = Scene("joined")
    scene.add_object("whole", whole, support={"corner": "xyz"})
    scene.add_object("third", ring[2])
    scene.add_object("both", join({"first": ring[0], "second": ring[1]}), velocity=(1, 0, 0))
    assert recipe_of(ring[2]).maker == "item"
    assert_same_bits(scene)


def test_laws_of_springs_media_ground_and_groups_are_said_again_to_the_same_bits():
    scene = Scene("all", duration=0.5, frame_interval=0.1, stepping=Stepping(budget=1e-5))
    p = scene.add_particles("p", np.random.default_rng(2).normal(size=(5, 3)), [1.0, 2.0, 3.0, 4.0, 5.0])
    scene.add_linear("table", p[0], p[1], table=Table([0.0, 0.1, 0.3], [0.0, 5.0, 6.0], kind="cubic"))
    scene.add_linear("toe", p[0], p[2], table=Table.toe(10.0, 0.1))
    scene.add_angular("bend", p[0], p[1], p[2], 3.0, yield_moment=0.1, hardening=0.2)
    scene.add_articular("fold", *p[[0, 1, 2, 3]], 3.0, drive=Drive.steps([0.0, 0.2], [0.0, 0.1]))
    scene.add_height_field("hills", np.sin(np.arange(12.0)).reshape(3, 4).T, 1.0, origin=(0, 0, -9), contact=RUBBER)
    scene.add_contact_balls("beads", "p", 0.01, contact=RUBBER, contact_group="all")
    scene.add_capsule("log", (0, 0, 20), (1, 0, 20), 0.1, density=100.0, contact=RUBBER, contact_group="all")
    scene.set_contact("all", "hills", ContactMaterial(1e5, friction=0.3))
    scene.exclude_contact("all", "all")
    scene.set_medium(density=1.2, drag={"pad": 1.0}, wind=(lambda t: t, 1.0, Drive.constant(0.5)))
    scene.add_object("pad", deformable(discretise(shapes.box(1.0, (0, 0, 30)), counts=2), Material(1e5)))
    assert_same_bits(scene)


# Changing a statement ------------------------------------------------------------------------------------------------

def test_a_statement_with_one_argument_changed_makes_another_scene():
    scene = Scene("said")
    scene.add_ball("ball", (0, 0, 1), 0.1, mass=1.0, contact=RUBBER)
    first, ball = scene.statements
    heavier = ball.replace(mass=3.0, contact=ball.arguments["contact"].replace(friction=0.5))
    other = Scene.from_statements((first, heavier))
    assert other.rigids[0].mass == 3.0
    assert other.touching["ball"].contact.friction == 0.5
    assert other.touching["ball"].contact.restitution == 0.6
    assert scene.touching["ball"].contact.friction == 0.0
    assert scene.statements[1].arguments["mass"] == 1.0


# Data ----------------------------------------------------------------------------------------------------------------

def test_the_data_is_plain_and_its_text_is_json():
    scene = handled()
    text, arrays = to_text(scene.statements)
    plain = json.loads(text)
    assert [next(iter(statement)) for statement in plain["statements"]] == verbs(scene)
    assert all(type(array) is np.ndarray for array in arrays)
    assert [statement.verb for statement in from_data(to_data(scene.statements))] == verbs(scene)


def test_words_that_look_like_marks_and_arrays_of_any_layout_come_back():
    arrays = [np.arange(120.0).reshape(40, 3).T, np.broadcast_to(0.5, (50, 3)), np.arange(60, dtype=np.int16),
              np.float32([[1.5, -0.0], [np.nan, np.inf]]), np.zeros((0, 3)), np.array(2.0), np.array([True, False])]
    given = {"@thing": 1, "@array": [0], 3: ["x", None, True], "plain": {"@of": arrays},
             "numbers": [np.float64(0.1), np.int8(3)]}
    [statement] = read_back([Statement("anything", keep({"given": given}))])
    back = statement.arguments["given"]
    assert list(back) == list(given)
    assert (back["@thing"], back["@array"], back[3], back["numbers"]) == (1, (0,), ("x", None, True), (0.1, 3))
    for one, two in zip(arrays, back["plain"]["@of"], strict=True):
        assert one.dtype == two.dtype
        assert one.shape == two.shape
        assert one.tobytes() == two.tobytes()
        assert any(one.strides) == any(two.strides)
        assert one.flags.f_contiguous == two.flags.f_contiguous


def test_a_chain_of_recipes_may_be_longer_than_python_calls_itself():
    thing = rigid(shapes.box(1.0), density=1.0)
    for _ in range(400):
        thing = moved(thing, (0, 0, 1e-3))
    scene = Scene("chain")
    scene.add_object("thing", thing)
    assert_same_bits(scene)


def test_a_statement_is_told_shortly_however_deep_its_recipes_are():
    thing = rigid(shapes.box(1.0), density=1.0)
    for _ in range(2000):
        thing = moved(thing, (0, 0, 1e-3))
    assert repr(Statement("add_object", {"thing": recipe_of(thing)})) == "add_object(thing=moved(…))"


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(("data", "told"), [
    (None, "the first is not"), (5, "the first is not"), ({}, 'no lists "things" and "statements"'),
    ({"things": [], "statements": []}, "the first is not"),
    ({"things": [], "statements": [{"add_particle": {}}]}, "the first is not"),
    ({"things": [], "statements": [["Scene", {}]]}, "statement 0: .* cannot be read"),
    ({"things": [], "statements": [{"Scene": {"name": object()}}]}, "statement 0: .* is no number, word"),
    ({"things": [], "statements": [{"Scene": {"name": {"@thing": 0}}}]}, "thing 0 is not listed before it"),
    ({"things": [], "statements": [{"Scene": {"name": {"@eval": "1"}}}]}, "statement 0: .* cannot be read"),
    ({"things": [], "statements": [{"Scene": {}}]}, "statement 0, Scene: .*missing a required argument: 'name'"),
    ({"things": [], "statements": [{"Scene": {"name": "s", "colour": 1}}]}, "statement 0, Scene: .*unexpected keyword"),
    ({"things": [], "statements": [{"Scene": {"name": "s"}}, {"__init__": {"name": "t"}}]}, "statement 1, .*unknown verb"),
    ({"things": [], "statements": [{"Scene": {"name": "s"}}, {"find": {"name": "t"}}]}, "statement 1, .*unknown verb 'find'"),
    ({"things": [], "statements": [{"Scene": {"name": "s"}}, {"add_particle": {
        "name": "p", "position": [0, 0, 0], "mass": -1}}]},
     "statement 1, add_particle: particles 'p'.* mass is -1"),
    ({"things": [], "statements": [{"Scene": {"name": "s", "stepping": {"@made": ["os.system", {"command": "ls"}]}}}]},
     "statement 0, Scene: .*unknown maker 'os.system'"),
    ({"things": [], "statements": [{"Scene": {"name": "s", "stepping": {"@made": ["box", {"size": "large"}]}}}]},
     "statement 0, Scene: box.*size is 'large'"),
    ({"things": [], "statements": [{"Scene": {"name": "s"}}, {"add_torque": {"name": "t", "rigid": {"@of": ["rigid", "b"]},
                                                                             "vector": [0, 0, 1]}}]},
     "statement 1, add_torque: .*no rigid called 'b'"),
    ({"things": [], "statements": [{"Scene": {"name": nested(100_000)}}]}, "statement 0: .* cannot be read"),
    ({"things": [], "statements": [{"Scene": {"name": {"@all": [0, [10**9, 10**9], "float64"]}}}]}, "statement 0: .*more than"),
    ({"things": [], "statements": [{"Scene": {"name": "s"}}, {"add_object": {"name": "o", "thing": {
        "@made": ["item", {"of": 3, "place": 0}]}}}]}, "statement 1, add_object: it cannot be said")])
def test_bad_data_is_refused_with_its_place(data, told):
    with pytest.raises(SceneError, match=told):
        Scene.from_statements(data)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"things": [], "statements": [{"Scene": {"name": {"@array": [7]}}}]}'])
def test_a_damaged_text_is_refused(text):
    with pytest.raises(SceneError):
        from_text(text, [])


# Sizes ---------------------------------------------------------------------------------------------------------------

def test_a_recipe_is_small_and_holds_no_array_that_nobody_gave():
    scene = Scene("small")
    scene.add_grid("net", (0, 0, 0), (1, 0, 0), (0, 1, 0), (200, 200), 1.0, structural=10.0, bending=1.0)
    pad = deformable(discretise(shapes.box((1, 1, 0.1), (0, 0, 5)), size=0.05), Material(1e5))
    scene.add_object("pad", pad, contact=RUBBER)
    scene.add_object("other", moved(pad, (0, 0, 1)), contact=RUBBER)
    text, arrays = to_text(scene.statements)
    assert not arrays
    assert len(text) < 1200   # a few dozen words, however fine the things are


def test_a_made_thing_may_go_and_its_recipe_stays():
    recipe = recipe_of(shapes.box(1.0))
    assert isinstance(recipe, Made)
    scene = Scene("gone")
    scene.add_object("thing", rigid(shapes.box(1.0), density=2.0))
    statements = scene.statements
    before = model_digest(build_model(scene))
    del scene
    assert model_digest(build_model(Scene.from_statements(statements))) == before
