"""Scene files as people write them: the same model as Python to the bit, and shorter; the forms of the language one by one."""
import ast
import math
import re
import warnings

import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Motion, Scene, Stepping, build_model
from robotphi.discretise import in_ring, moved, rigid
from robotphi.errors import SceneFileError
from robotphi.geometry import shapes
from robotphi.language import SceneFile, read_scene, write_scene
from robotphi.model.arrays import model_digest
from robotphi.scenario import load_scenario
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
FOLDER = ROOT / "docs" / "scenes"
OF_README = ("hammock", "finger", "drop", "arm", "balance", "ligament")
VARIANTS = {"stack": ("boxes",), "bouncing_ball": ("drop",)}
OF_SCENARIOS = sorted(path.stem for path in FOLDER.glob("*.yaml") if path.stem not in OF_README)


def read(tmp_path, text, **values):
    (tmp_path / "scene.yaml").write_text(text, encoding="utf-8")
    return read_scene(tmp_path / "scene.yaml", values)


def same(one, two):
    return model_digest(build_model(one)) == model_digest(build_model(two))


def letters(text):
    return len(re.sub(r"\s", "", text))


def letters_of_file(name):
    """Letters of a scene file, without what it says of itself and comments."""
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return letters(re.sub(r"(?m)^about:.*$|(?:^|\s)#.*$", "", text))


def python_of_readme(name):
    """The lines of the README, or of the guide, that say a scene."""
    code = next(each for each in re.findall(r"```python\n(.*?)```", README + GUIDE, re.DOTALL) if f'Scene("{name}"' in each)
    return re.split(r"\n(?:recording|study) = ", code)[0]


def python_of_scenario(name):
    """The code of `build` and of all of its file that it uses."""
    tree = ast.parse((ROOT / "scenarios" / f"{name}.py").read_text(encoding="utf-8"))
    known = {}
    for node in tree.body:
        for inner in ast.walk(node):
            if isinstance(node, ast.Assign) and isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                known[inner.id] = node
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            known |= {each.asname or each.name: node for each in node.names}
        if isinstance(node, ast.FunctionDef):
            known[node.name] = node
            node.body = node.body[1:] if ast.get_docstring(node) else node.body
    found, waiting = [], ["build"]
    while waiting:
        node = known.get(waiting.pop())
        if node is not None and node not in found:
            found.append(node)
            waiting += [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return "\n".join(map(ast.unparse, found))


@pytest.mark.parametrize("name", OF_README)
def test_scenes_of_the_readme_are_the_same_from_files_by_hand_which_are_shorter(name):
    spoken = {}
    exec(compile(python_of_readme(name), "README.md", "exec"), spoken)
    assert same(spoken["scene"], read_scene(FOLDER / f"{name}.yaml"))
    assert letters_of_file(name) < letters(python_of_readme(name))


@pytest.mark.parametrize("name", OF_SCENARIOS)
def test_scenarios_are_the_same_from_files_by_hand_which_are_shorter(name):
    scenario = load_scenario(name).module.build(*VARIANTS.get(name, ()))
    again = read_scene(FOLDER / f"{name}.yaml")
    assert same(scenario, again)
    assert [sensor.name for sensor in scenario.sensors] == [sensor.name for sensor in again.sensors]
    assert letters_of_file(name) < letters(python_of_scenario(name))


def test_the_file_in_the_readme_is_its_python(tmp_path):
    spoken = {}
    exec(compile(python_of_readme("hammock"), "README.md", "exec"), spoken)
    text = next(each for each in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "scene: hammock" in each)
    assert same(spoken["scene"], read(tmp_path, text))


def test_the_file_in_the_docs_is_a_scene(tmp_path):
    text = (ROOT / "docs" / "scene_files.md").read_text(encoding="utf-8")
    for found in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        assert read(tmp_path, found, k=300.0).springs["linear"][0].stiffness[0] == 300.0


def test_there_are_ten_scenarios_by_hand():
    assert len(OF_SCENARIOS) >= 10


# Forms ---------------------------------------------------------------------------------------------------------------

def test_parameters_are_set_and_what_stands_on_them_follows(tmp_path):
    text = """
robotphi: 1
scene: "masses of {m}"
parameters:
  m: {default: 2.0, unit: kg, low: 0.1, high: 10, about: of each}
  heavy: = 3 * m
  way: {default: even, choices: [even, odd]}
define: {half: = m / 2}
things:
  one: {particle: {position: [0, 0, 0], mass: = half}}
  two: {particle: {position: [0, 0, = 1 if way == 'even' else 2], mass: = heavy}}
"""
    scene = read(tmp_path, text)
    assert (scene.name, scene.things["one"].mass[0], scene.things["two"].mass[0]) == ("masses of 2", 1.0, 6.0)
    scene = read(tmp_path, text, m=4.0, way="odd")
    assert (scene.things["one"].mass[0], scene.things["two"].mass[0], scene.position[1, 2]) == (2.0, 12.0, 2.0)
    parameter = SceneFile(tmp_path / "scene.yaml").parameters()["m"]
    assert (parameter.unit, parameter.low, parameter.high, parameter.about) == ("kg", 0.1, 10, "of each")


IN_UNITS = """
robotphi: 1
scene: tilted
parameters:
  tilt: {default: 30, unit: deg, low: 0, high: 90}
  twice: {default: = 2 * tilt, unit: deg}
  gaps: {default: [1, 2.5, = 2 * 2e-3], unit: mm}
parts:
  mass:
    parameters: {at: {default: 45, unit: deg, high: 60}}
    things: {point: {particle: {position: [= at, 0, 0], mass: 1}}}
things:
  one: {particle: {position: [= tilt, = twice, "= gaps[1]"], mass: 1}}
  last: {particle: {position: ["= gaps[2]", 0, 0], mass: 1}}
  own: {use: {part: mass}}
  said: {use: {part: mass, parameters: {at: 10}}}
  led: {use: {part: mass, parameters: {at: = tilt}}}
"""


@pytest.mark.parametrize("tilt", [30.0, 42.0])
def test_plain_numbers_of_a_parameter_are_in_its_unit_and_expressions_get_si(tmp_path, tilt):
    """Mutation: without the factor the place of `one` was 30 rad."""
    found = read(tmp_path, IN_UNITS, **({} if tilt == 30.0 else {"tilt": tilt}))
    place = {name: found.position[found.things[name].start] for name in ("one", "last", "own.point", "said.point", "led.point")}
    assert place["one"] == pytest.approx([math.radians(tilt), math.radians(2.0 * tilt), 2.5e-3], rel=1e-14)
    assert [place["last"][0], place["own.point"][0]] == pytest.approx([4e-3, math.radians(45.0)], rel=1e-14)
    assert [place["said.point"][0], place["led.point"][0]] == pytest.approx(np.radians([10.0, tilt]), rel=1e-14)
    told = SceneFile(tmp_path / "scene.yaml").parameters(tilt=tilt)
    assert (told["tilt"].value, told["tilt"].low, told["tilt"].high) == (tilt, 0, 90)
    assert told["twice"].value == pytest.approx(2.0 * tilt, rel=1e-14)


@pytest.mark.parametrize(("set", "problem"), [({"tilt": 91.0}, "it is 91 deg; it must be at most 90 deg"),
                                              ({"tilt": 70.0}, "'at': it is 70 deg; it must be at most 60 deg")])
def test_bounds_of_a_parameter_are_in_its_unit(tmp_path, set, problem):
    with pytest.raises(SceneFileError, match=problem):
        read(tmp_path, IN_UNITS, **set)


def test_a_unit_that_is_not_known_is_refused_with_some_that_are(tmp_path):
    with pytest.raises(SceneFileError, match=r"scene.yaml:5:29: .*'degres' is no unit that is known; .*deg.*about:"):
        read(tmp_path, IN_UNITS.replace("deg, low", "degres, low"))


def test_what_is_defined_is_one_thing_however_often_it_is_used(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: shared
define: {swing: {drive.sine: {amplitude: 0.1, frequency: 2}}}
things:
  p: {particles: {positions: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], mass: 1}}
  one: {linear: {first: "p[0]", second: "p[1]", stiffness: 10, drive: swing}}
  two: {linear: {first: "p[2]", second: "p[3]", stiffness: 10, drive: swing}}
""")
    assert len(build_model(scene).work_names) == 1


def test_a_function_of_time_is_an_expression_in_t(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: swing
duration: 1.0
parameters: {a: 0.1}
things:
  p: {particle: {position: [0, 0, 0], mass: 1, drive: {x: "= a * sin(3 * t)"}}}
""")
    import math
    spoken = Scene("swing", duration=1.0)
    spoken.add_particle("p", (0, 0, 0), 1, drive={"x": lambda t: 0.1 * math.sin(3 * t)})
    assert same(scene, spoken)


def test_selectors_name_particles_regions_marks_springs_and_freedoms(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: selectors
things:
  net: {grid: {origin: [0, 0, 0], edge_u: [1, 0, 0], edge_v: [0, 1, 0], shape: [4, 3], mass: 1, structural: 10}}
  body: {rigid: {positions: [[5, 0, 0], [6, 0, 0], [5, 1, 0]], mass: 1, points: {tip: [6, 0, 0]}}}
  pad: {object: {thing: {rigid: {shape: {box: {size: 1, centre: [0, 0, 5]}}, mass: 1}}}}
  rope: {rod: {start: [0, 0, 9], end: [1, 0, 9], segments: 4, axial_stiffness: 10, bending_stiffness: 0, mass_per_length: 1}}
  axle: {joint: {kind: cylindrical, parent: world, child: body, at: "body:tip", axis: [0, 0, 1]}}
  tie: {linear: {first: ["net[-1, 0]", "net[0, :2]", "rope[::2]"], second: ["body[0]", "net[1, :2]", "rope[1::2]", "rope[0]"],
                 stiffness: 5}}
sensors:
  tip: {quantity: position, of: "body:tip"}
  turn: {quantity: coordinate, of: "axle:angle"}
  pull: {quantity: tension, of: "rope.linear[2]"}
  far: {quantity: distance, of: ["body:tip", pad]}
""")
    start = {name: scene.things[name].start for name in ("net", "rope")}
    statement = next(each for each in scene.statements if each.arguments.get("name") == "tie")
    net, rope = start["net"], start["rope"]
    assert statement.arguments["first"] == (net + 9, net, net + 1, rope, rope + 2, rope + 4)
    assert [sensor.of.kind for sensor in scene.sensors] == ["particle", "joint", "linear", "distance"]
    assert scene.sensors[2].of.indices.tolist() == [scene.things["rope.linear"].start + 2]


def test_parts_have_names_and_parameters_of_their_own(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: hands
define: {skin: {contact_material: {stiffness: 1e6}}}
parts:
  finger:
    parameters: {side: {default: 1, low: -1, high: 1}, radius: 0.1}
    things:
      tip: {ball: {position: [= side, 0, 0], radius: = radius, mass: 1, contact: skin, contact_group: tips}}
      root: {particle: {position: [= 2 * side, 0, 0], mass: 1}}
      bone: {linear: {first: "tip[0]", second: root, stiffness: 10}}
      far: {linear: {first: root, second: palm, stiffness: 10}}
    sensors:
      at: {quantity: position, of: tip}
things:
  palm: {particle: {position: [0, 0, 1], mass: 1}}
  left: {use: {part: finger, parameters: {side: -1}}}
  right: {use: {part: finger}}
contact: [{apart: [left.tip, right.tip]}]
""")
    assert {"left.tip", "right.tip", "left.bone", "right.far"} <= set(scene.things)
    assert [sensor.name for sensor in scene.sensors] == ["left.at", "right.at"]
    assert scene.rigids[0].centre[0] == -1.0
    assert scene.statements[-1].verb == "exclude_contact"


def test_repetition_is_a_loop_in_python(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: rows
things:
  rows:
    repeat:
      i: 3
      j: [0.5, 1.5]
      things:
        "p {i} {j}": {particle: {position: [= i, = j, 0], mass: 1}}
  ends: {particles: {positions: {repeat: {k: 3, value: [= k, 9, 9]}}, mass: {all: 1.0, shape: 3, but: {"-1": 2}},
                     support: {all: "", shape: 3, but: {0: xyz}}}}
""")
    spoken = Scene("rows")
    for i in range(3):
        for j in (0.5, 1.5):
            spoken.add_particle(f"p {i} {j:g}", (i, j, 0), 1)
    spoken.add_particles("ends", [(k, 9, 9) for k in range(3)], [1, 1, 2], support=["xyz", "", ""])
    assert list(scene.things) == list(spoken.things)
    assert same(scene, spoken)


def test_entries_of_contact_and_values_are_repeated(tmp_path):
    ball = "{ball: {position: [= i, 0, 0], radius: 0.6, mass: 1, contact: {stiffness: 1e6}}}"
    scene = read(tmp_path, f"""
robotphi: 1
scene: row
things: {{row: {{repeat: {{i: 4, things: {{"ball {{i}}": {ball}}}}}}}}}
contact: [{{apart: [ball 0, ball 1]}}, {{repeat: {{i: 2, value: {{apart: ["ball {{i+1}}", "ball {{i+2}}"]}}}}}}]
values: [{{repeat: {{i: 4, value: {{thing: "ball {{i}}", quantity: mass, value: = 1 + i}}}}}}]
""")
    assert [dict(each.arguments) for each in scene.statements if each.verb == "exclude_contact"] == [
        {"first": f"ball {i}", "second": f"ball {i + 1}"} for i in range(3)]
    assert [rigid.mass for rigid in scene.rigids] == [1.0, 2.0, 3.0, 4.0]


def test_included_files_share_what_they_define(tmp_path):
    (tmp_path / "materials.yaml").write_text("""
robotphi: 1
parameters: {friction: {default: 0.5, low: 0, high: 2}}
define: {rubber: {contact_material: {stiffness: 1e6, friction: = friction}}}
things: {ground: {plane: {contact: rubber}}}
""")
    text = """
robotphi: 1
scene: includes
include: [materials.yaml]
things: {ball: {ball: {position: [0, 0, 1], radius: 0.1, mass: 1, contact: rubber}}}
"""
    scene = read(tmp_path, text, friction=0.25)
    assert list(scene.touching) == ["ground", "ball"]
    assert scene.touching["ball"].contact is scene.touching["ground"].contact
    assert scene.touching["ball"].contact.friction == 0.25


def test_every_section_is_said_in_its_place(tmp_path):
    scene = read(tmp_path, """
robotphi: 1
scene: sections
controllers: {hold: {rate: 100, sensors: [at], commands: [push]}}
sensors: {at: {quantity: position, of: b}}
values: [{thing: b, quantity: mass, value: 3}]
medium: {density: 1.2, drag: 1.0, wind: [1, 0, "= 0.1 * t"]}
contact: [{between: [a, b], law: {stiffness: 1e5}}, {apart: [a, a]}]
things:
  a: {ball: {position: [0, 0, 0], radius: 0.1, mass: 1, contact: {stiffness: 1e6}, contact_group: a}}
  b: {ball: {position: [1, 0, 0], radius: 0.1, mass: 1, contact: {stiffness: 1e6}}}
  f: {force: {target: b, vector: [1, 0, 0], drive: push}}
commands: {push: {value: 0, low: -1, high: 1}}
then: [{things: {c: {particle: {position: [0, 0, 9], mass: 1}}}}, {values: [{thing: c, quantity: mass, value: 2}]}]
""")
    assert [statement.verb for statement in scene.statements] == [
        "Scene", "add_command", "add_ball", "add_ball", "add_force", "set_contact", "exclude_contact", "set_medium",
        "set_value", "add_sensor", "add_controller", "add_particle", "set_value"]


def spoken_of_everything():
    """A scene with values of every odd form: shared, deep, empty, cut from larger arrays, strange names."""
    scene = Scene("odd {names} = [1]", 1.0, gravity=(0, 0, -0.0), stepping=Stepping(budget=1e-3))
    scene.add_particles("a {b} [2]", np.arange(600.0).reshape(3, 200).T, 1.0)
    scene.add_particles("= 1", np.random.default_rng(1).normal(size=(100, 3))[::2], np.full(50, 0.5), support=["x"] * 50)
    body = scene.add_object("null", rigid(shapes.box(1.0, (0, 0, 9)), mass=2.0, points={"tip": (0, 0, 9)}),
                            contact=ContactMaterial(stiffness=1e6))
    three = in_ring(moved(rigid(shapes.box(0.5, (5, 0, 9)), mass=1.0), (0, 0, 1)), 3)
    for k, one in enumerate(three):
        scene.add_object(f"ring {k}", one)
    wave = Drive.sine(0.1, 3.0)
    scene.add_force("push", body.rigids[0], (1, 0, 0), drive=wave)
    scene.add_pull("lead", (body, "tip"), (0, 0, 20), 5.0, damping=np.float64(0.25))
    scene.add_pull("whole", body, (0, 0, 20), 5.0)
    scene.add_pull("spread", np.arange(5), (0, 0, 20), damping=np.arange(1.0, 6.0))
    scene.add_linear("tie", np.arange(0, 10, 2), np.arange(1, 11, 2), 5.0, drive=wave)
    scene.set_value("= 1", "mass", 2.0, [3, 4])
    scene.add_sensor("true", "position", (body, "tip"))
    scene.add_particle("late", (0, 0, 50), 1.0)
    return scene


@pytest.mark.parametrize("exact", [False, True])
def test_odd_values_and_names_survive_a_file(tmp_path, exact):
    scene = spoken_of_everything()
    paths = write_scene(scene, tmp_path / "odd.yaml", exact=exact)
    again = read_scene(paths[0])
    assert again.name == scene.name
    assert sorted(again.things) == sorted(scene.things)
    if exact:
        assert [each.verb for each in again.statements] == [each.verb for each in scene.statements]
        assert list(again.things) == list(scene.things)
        assert same(scene, again)


def turned_and_switched():
    """Attitudes of every form of goal, and acts that are switched by what touches and by sensors."""
    scene = Scene("turned", 1.0, gravity=(0, 0, 0))
    frames = {"eye": ((0, 0, 0), (np.sqrt(0.5), 0, 0, np.sqrt(0.5)))}
    box, other = (scene.add_object(name, rigid(shapes.box(0.2, (x, 0, 0)), mass=1.0, frames=frames),
                                   contact=ContactMaterial(stiffness=1e6)) for x, name in ((0, "box"), (1, "other")))
    tilt = (np.cos(0.2), 0, np.sin(0.2), 0)
    scene.add_attitude("drawn", box, stiffness=1.0, limit=2.0)
    scene.add_attitude("quaternion", box.rigids[0], tilt, 1.0, damping=0.1, axis=(0, 0, 1))
    scene.add_attitude("matrix", (box, "eye"), [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], 1.0, active=(0.1, None))
    scene.add_attitude("led", box, Motion.spinning((0, 0, 1), 2.0), 1.0)
    scene.add_attitude("rigid", box, other.rigids[0], 1.0, when=("since", "box", "other"))
    scene.add_attitude("frame", (box, "eye"), (other, "eye"), 1.0)
    scene.add_attitude("by name", "box", "other", 1.0)
    hinge = scene.add_joint("hinge", "revolute", None, other.rigids[0], at=(1, 0, 0), axis=(0, 0, 1))
    scene.add_sensor("above", "coordinate", hinge)
    height = scene.add_sensor("height", "position", box.rigids[0])
    scene.add_attitude("bent", box, tilt, 1.0, when=("while", "above", "above", 0.5))
    scene.add_pull("high", box, (0, 0, 1), 5.0, when=("since", (height, "z"), "below", -0.25))
    scene.add_field("up", box, "uniform", 2.0, axis=(1, 0, 0), when=("until", ("height", "x"), "above", 1))
    return scene


@pytest.mark.parametrize("exact", [False, True])
def test_attitudes_and_gates_survive_a_file(tmp_path, exact):
    scene = turned_and_switched()
    again = read_scene(write_scene(scene, tmp_path / "turned.yaml", exact=exact)[0])
    assert same(scene, again)


def test_attitudes_and_gates_are_the_same_by_hand(tmp_path):
    by_hand = read(tmp_path, """
robotphi: 1
scene: by hand
duration: 1
define: {turning: {motion.spinning: {axis: [0, 0, 1], rate: 2}}, tilt: [0.6, 0, 0.8, 0]}
parameters: {high: 0.25}
things:
  box: {rigid: {positions: [[0, 0, 0], [1, 0, 0]], mass: 1, inertia: [0.1, 0.1, 0.1]}}
  one: {attitude: {target: box, towards: turning, stiffness: 1}}
  two: {attitude: {target: box, towards: {spinning: {axis: [0, 0, 1], rate: 2}}, stiffness: 1}}
  three: {attitude: {target: box, towards: tilt, stiffness: 1}}
sensors: {height: {quantity: position, of: box}}
then:
- things:
    four: {attitude: {target: box, towards: [0.6, 0, 0.8, 0], damping: 1, when: [while, [height, z], above, = 2*high]}}
""")
    python = Scene("by hand", 1.0)
    python.add_rigid("box", [(0, 0, 0), (1, 0, 0)], mass=1, inertia=(0.1, 0.1, 0.1))
    python.add_attitude("one", "box", Motion.spinning((0, 0, 1), 2), 1)
    python.add_attitude("two", "box", Motion.spinning((0, 0, 1), 2), 1)
    python.add_attitude("three", "box", (0.6, 0, 0.8, 0), 1)
    python.add_sensor("height", "position", "box")
    python.add_attitude("four", "box", (0.6, 0, 0.8, 0), damping=1, when=("while", ("height", "z"), "above", 0.5))
    assert same(by_hand, python)


@pytest.mark.parametrize("told", ["seen: coordinate", "seen_joint: [7, 0]"])
def test_what_a_gate_looks_at_is_said_by_when_alone(tmp_path, told):
    """An act trusts the numbers of joints that the door of gates gives it."""
    with pytest.raises(SceneFileError, match=f"pull has no '{told.partition(':')[0]}'"):
        read(tmp_path, f"""
robotphi: 1
scene: gate
things:
  p: {{particle: {{position: [0, 0, 0], mass: 1}}}}
  a: {{act: {{kind: pull, target: p, anchor: [0, 0, 1], stiffness: 1, when: while, side: above, threshold: 1, {told}}}}}
""")


def test_a_file_written_twice_is_the_same_text(tmp_path):
    scene = load_scenario("pinch").module.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = write_scene(scene, tmp_path / "one.yaml")[0].read_text()
        again = write_scene(read_scene(tmp_path / "one.yaml"), tmp_path / "two.yaml")[0].read_text()
    assert first == again


def test_marks_by_two_words_are_written_so_that_they_read_back(tmp_path):
    scene = Scene("marks", duration=0.1, frames=2)
    for name, y in (("link", 0.0), ("other", 1.0)):
        scene.add_rigid(name, [(0, y, 0), (0.1, y, 0)], mass=1.0, inertia=(1e-3, 1e-3, 1e-3), points={"eye": (0.05, y, 0.02)},
                        frames={"tip": ((0.1, y, 0), (1, 0, 0, 0))})
    scene.add_object("box", rigid(shapes.box((0.1, 0.1, 0.1), (0, 2, 0)), density=500.0, points={"crown": (0, 2, 0.05)}))
    scene.add_particle("stone", (0, 0, 1), 1.0)
    scene.add_pull("of one", ("link", "eye"), (0, 0, 1), 10.0)
    scene.add_pull("towards one", "stone", ("link", "tip"), 10.0, axes="x", frame=("link", "tip"))
    scene.add_pull("of an object", ("box", "crown"), ("other", "eye"), 10.0)
    scene.add_pull("of two", [("link", "eye"), ("other", "eye")], (0, 0, 1), 10.0)
    scene.add_tendon("cable", [("link", "eye"), ("other", "eye"), "stone"], 100.0)
    text = write_scene(scene, tmp_path / "marks.yaml")[0].read_text(encoding="utf-8")
    assert 'through: ["link:eye", "other:eye", stone]' in text
    assert model_digest(build_model(read_scene(tmp_path / "marks.yaml"))) == model_digest(build_model(scene))
