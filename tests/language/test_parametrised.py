"""Parameters of written scenes: what numbers follow is found, said to the bit, and true at other values too."""
import pytest

from robotphi import Scene, build_model, read_scene
from robotphi.commands.convert import converted, said_beside, scene_of
from robotphi.language import SceneFile
from robotphi.language.expressions import evaluate
from robotphi.language.parameters import Parameter
from robotphi.language.parametrised import others, parametrised
from robotphi.model.arrays import model_digest


def written(make, knobs):
    """The document of a function of knobs, and those that stay values."""
    def write(values):
        return make(**{knob.name: knob.value for knob in knobs} | values), {}

    return parametrised(write({})[0], {}, knobs, write)


@pytest.mark.parametrize(("make", "expression"), [
    (lambda p: p, "= p"), (lambda p: -p, "= -p"), (lambda p: 2.0 * p, "= 2.0*p"), (lambda p: 3.0 / p, "= 3.0/p"),
    (lambda p: p * p, "= p*p"), (lambda p: 0.05 + p, "= 0.05 + p"), (lambda p: p - 0.25, "= p - 0.25"),
    (lambda p: 1.0 - p, "= 1.0 - p"), (lambda p: 1.5 - 2.0 * p, "= 1.5 - 2.0*p")])
def test_a_number_that_follows_from_one_knob_is_said_by_it(make, expression):
    document, stay = written(lambda p: {"things": {"a": [1.0, make(p)], "b": "word"}}, [Parameter("p", 0.7)])
    assert document == {"parameters": {"p": 0.7}, "things": {"a": [1.0, expression], "b": "word"}}
    assert stay == []


@pytest.mark.parametrize("make", [lambda p: p / 3.0, lambda p: p * p / 7.0, lambda p: 0.1 / p, lambda p: 1.0 / 3.0 + p / 7.0])
def test_an_expression_gives_the_very_bits(make):
    document, _ = written(lambda p: {"things": {"x": make(p)}}, [Parameter("p", 0.7)])
    assert evaluate(document["things"]["x"][2:], {"p": 0.7}.__getitem__) == make(0.7)


def test_products_of_several_knobs_are_found():
    document, stay = written(lambda k, d, n: {"duration": k * d / 4.0, "frames": n, "things": {"x": k / d}},
                             [Parameter("k", 300.0, "N/m", 1.0, 1e5, "stiff"), Parameter("d", 0.1), Parameter("n", 7)])
    assert document["duration"] == "= 0.25*k*d"
    assert document["frames"] == "= n"
    assert document["things"] == {"x": "= k/d"}
    assert document["parameters"]["k"] == {"default": 300.0, "unit": "N/m", "low": 1.0, "high": 1e5, "about": "stiff"}
    assert list(document) == ["duration", "frames", "parameters", "things"]
    assert stay == []


@pytest.mark.parametrize("make", [
    lambda p, q: {"x": 2.0**p}, lambda p, q: {"x": f"ball {p}"}, lambda p, q: {"x": [1.0] * int(p)},
    lambda p, q: {f"x{p}": 1.0}, lambda p, q: {"x": p > 3.0}, lambda p, q: {"x": round(p)}])
def test_a_knob_from_which_more_follows_stays_a_value_and_the_others_do_not(make):
    document, stay = written(lambda p, q: {"things": make(p, q) | {"y": p, "z": q}}, [Parameter("p", 4.0), Parameter("q", 0.5)])
    assert stay == ["p"]
    assert document["parameters"] == {"q": 0.5}
    assert (document["things"]["y"], document["things"]["z"]) == (4.0, "= q")


def test_a_knob_that_changes_nothing_a_word_and_names_that_are_taken_are_left_alone():
    knobs = [Parameter(*each) for each in (("p", 4.0), ("word", "left"), ("on", True), ("t", 2.0), ("pi", 3.0), ("none", None))]
    document, stay = written(lambda p, word, on, t, pi, none: {"things": {"x": t}}, knobs)
    assert document == {"things": {"x": 2.0}}
    assert stay == []


def test_what_holds_for_one_knob_at_a_time_alone_is_not_said():
    document, stay = written(lambda p, q: {"things": {"x": p * q if p > 4.0 and q > 2.0 else p, "y": q}},
                             [Parameter("p", 4.0), Parameter("q", 2.0)])
    assert document == {"things": {"x": 4.0, "y": 2.0}}
    assert stay == ["p", "q"]


def test_other_values_keep_to_the_bounds():
    assert all(1.0 <= value <= 1.2 for value in others(Parameter("p", 1.0, low=1.0, high=1.2)))
    assert all(value <= 3 for value in others(Parameter("n", 3, high=3)))


@pytest.mark.parametrize(("name", "changed"), [
    ("two_masses", {"stiffness": 70.0, "viscosity": 2.0}), ("bouncing_ball", {"height": 0.7, "restitution": 0.8}),
    ("hanging_chain", {"stiffness": 900.0, "damping": 0.01})])
def test_a_scenario_and_its_file_are_one_scene_at_other_values_too(name, changed, tmp_path):
    scene, about, _ = scene_of(name, {})
    knobs, _ = said_beside(name, scene, {})
    target = tmp_path / "scene.yaml"
    converted(scene, target, about, knobs, lambda values: scene_of(name, values)[::2])
    assert set(changed) <= set(SceneFile(target).parameters())
    for values in ({}, changed):
        wanted, found = scene_of(name, values)[0], read_scene(target, values)
        assert isinstance(wanted, Scene)
        assert model_digest(build_model(found)) == model_digest(build_model(wanted))


def test_a_file_keeps_the_names_that_it_defines(tmp_path):
    source, target = tmp_path / "given.yaml", tmp_path / "written.yaml"
    source.write_text("""robotphi: 1
scene: names
duration: 1
parameters: {young: 2e5}
define:
  rubber: {contact_material: {young: 1e6, thickness: 0.02}}
  foam: {material: {young: = young}}
  unused: {material: {young: 1e5}}
  ball: {contact_material: {young: 1e5, thickness: 0.03}}
things:
  ground: {plane: {contact: rubber}}
  ball: {ball: {position: [0, 0, 1], radius: 0.1, mass: 1, contact: ball}}
  stone: {ball: {position: [1, 0, 1], radius: 0.1, mass: 1, contact: ball}}
  pad: {object: {thing: {deformable: {mesh: {discretise: {shape: {box: {size: 0.1}}, counts: 1}}, material: foam}}}}
""", encoding="utf-8")
    known, define = said_beside(str(source), *(found := scene_of(str(source), {}))[:1], {})[0], found[2]
    assert set(define) == {"rubber", "foam", "ball"}
    converted(found[0], target, "", known, lambda values: scene_of(str(source), values)[::2], define=define)
    text = target.read_text(encoding="utf-8")
    assert "rubber: {contact_material: {young: 1e6, thickness: 0.02}}" in text
    assert "foam: {material: {young: = young}}" in text
    assert "unused" not in text
    assert "contact_material_1: {contact_material: {young: 1e5, thickness: 0.03}}" in text, "a thing has its name"


def test_a_file_with_a_parameter_in_degrees_is_written_so_that_it_means_the_same(tmp_path):
    source, target = tmp_path / "given.yaml", tmp_path / "written.yaml"
    source.write_text("""robotphi: 1
scene: tilted
duration: 1
parameters: {tilt: {default: 30, unit: deg, low: 1, high: 60}, way: {default: 5, unit: mm}}
things:
  one: {particle: {position: [= 2 * tilt, = way / 4, = tilt], mass: 1}}
""", encoding="utf-8")
    scene = scene_of(str(source), {})[0]
    known = said_beside(str(source), scene, {})[0]
    _, stay = converted(scene, target, "", known, lambda values: scene_of(str(source), values)[::2])
    assert stay == []
    assert "tilt: {default: 30, unit: deg, low: 1, high: 60}" in target.read_text(encoding="utf-8")
    for values in ({}, {"tilt": 47.0, "way": 3.0}):
        assert read_scene(target, values).position[0] == pytest.approx(read_scene(source, values).position[0], rel=1e-13)
    assert read_scene(target, {"tilt": 45.0}).position[0, 2] == pytest.approx(0.7853981633974483, rel=1e-14)
