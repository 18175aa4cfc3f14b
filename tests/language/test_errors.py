"""What is wrong in a scene file is told with file, line, column, the value, what is allowed and the nearest spelling."""
import zipfile

import numpy as np
import pytest

from robotphi import SceneFileError
from robotphi.language import limits, nodes, read_scene
from robotphi.language.expressions import ExpressionError, evaluate, filled

HEAD = "robotphi: 1\nscene: wrong\n"
BALL = "{ball: {position: [0, 0, 0], radius: 0.1, mass: 1}}"


def refused(tmp_path, text, head=HEAD):
    (tmp_path / "scene.yaml").write_text(head + text, encoding="utf-8")
    with pytest.raises(SceneFileError) as error:
        read_scene(tmp_path / "scene.yaml")
    return str(error.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize(("text", "place", "says"), [
    ("things: {b: {bal: {}}}", "3:14", "there is no kind 'bal'; did you mean 'ball'?"),
    ("things: {b: {box: {size: 1}}}", "3:14", "give {object: {thing: {rigid: {shape: {box: …}, density: …}}}}"),
    ("things: {b: {deformable: {}}}", "3:14", "give {object: {thing: {deformable: …}}}"),
    ("things: {b: {material: {}}}", "3:14", "it is a function, which stands in define: and in arguments"),
    ("things: {b: {particle: {position: 0 0 0, mass: 1}}}", "3:35", "give three numbers, [x, y, z]"),
    ("things: {b: {particle: {position: [0, 0, = t], mass: 1}}}", "3:42", "functions of time alone know the time"),
    ("things: {a: {repeat: {i: 2, things: {b: {particle: {}}}}}}", "3:52", "particle without position"),
    (f"things: {{a: {{repeat: {{i: 2, things: {{b: {BALL}}}}}}}}}", "3:38", 'put the variable into its name, such as "b {i}"'),
    ("values: [{repeat: {i: 2}}]", "3:19", "repeat: without value"),
    ("contact: [{repeat: {i: 2, value: {apart: [a]}}}]", "3:34", "give {between: [a, b], law: …} or {apart: [a, b]}"),
    ("things: {b: {particles: {positions: {all: 1, shape: [2.5, 3]}, mass: 1}}}", "3:53", "the shape is [2.5, 3]; give whole"),
    ("things:\n  b: {ball: {positon: [0, 0, 0]}}", "4:14", "ball has no 'positon'; did you mean 'position'?"),
    ("things:\n  b: {ball: {position: [0, 0, 0]}}", "4:13", "ball without radius; give radius: number [m] > 0"),
    ("things:\n  b: {ball: {position: [0, 0], radius: 1}}", "4:24", "position is a list of 2; give three numbers"),
    ("things:\n  b: {ball: {position: [0, 0, 0], radius: -1}}", "4:43", "radius is -1; it must be > 0"),
    ("things:\n  b: {ball: {position: [0, 0, 0], radius: '1'}}", "4:43", "radius is '1'; give number [m] > 0"),
    ("things:\n  b: {ball: {position: [0, 0, 0], radius: 1, mass: 010}}", "4:52", "mass is '010'"),
    ("things:\n  b: {ball: {position: [0, 0, 0], radius: 1}}", "4:13", "mass"),
    ("parameters: {k: 3}\nthings: {b: {particle: {position: [0, 0, 0], mass: k}}}", "4:52", "= k is the number of that name"),
    ("things: {b: {particle: {position: [0, 0, 0], mass: = kk}}}", "3:52", "there is no 'kk' here"),
    ("things: {b: {particle: {position: [0, 0, 0], mass: = 1/0}}}", "3:52", "cannot be worked out: division by zero"),
    ("define: {rubber: {contact_material: {}}}\nthings: {g: {plane: {contact: ruber}}}", "4:31",
     "'ruber' is not in define:; did you mean 'rubber'?"),
    ("things: {g: {plane: {contact: {contakt_material: {}}}}}", "3:32", "'contakt_material' makes no contact"),
    ("things: {g: {plane: {contact: {box: {size: 1}}}}}", "3:31", "box gives a shape, where a contact is asked for"),
    ("define: {a: {moved: {thing: b, shift: [0, 0, 1]}}, b: {moved: {thing: a, shift: [0, 0, 1]}}}\n"
     "things: {o: {object: {thing: a}}}", "3:71", "'a' is defined by itself"),
    (f"things: {{b: {BALL}, t: {{linear: {{first: bb, second: b}}}}}}", "3:86", "no thing called 'bb' yet; did you mean 'b'?"),
    (f"things: {{b: {BALL}, t: {{linear: {{first: 'b[70]', second: b}}}}}}", "3:86", "is outside: there are 7"),
    (f"things: {{b: {BALL}}}\nsensors: {{s: {{quantity: speeed, of: b}}}}", "4:25", "did you mean 'speed'?"),
    (f"things: {{b: {BALL}}}\nfigures: {{f: {{last: s}}}}", "4:21", "there is no sensor 's'"),
    (f"things: {{b: {BALL}}}\nfigures: {{f: {{last: \"ledger:kinetics\"}}}}", "4:21", "did you mean 'kinetic'?"),
    (f"things: {{b: {BALL}}}\nfigures: {{f: {{min: s}}}}", "4:15", "did you mean 'smallest'?"),
    ("things: {'= 1': {ball: {position: [0, 0, 0], radius: 1, mass: 1}}}", "3:10", "the name '= 1' is 1; give text"),
    ("things: {'= [1]': {use: {part: '= [1]'}}}\nparts: {p: {}}", "3:32", "there is no part [1]"),
    ("things: {b: {particles: {positions: {all: 0, shape: [2, 3], but: {'= [1]': 1}}, mass: 1}}}", "3:67", "is no place"),
    ("thingss: {}", "3:1", "a scene file has no 'thingss'; did you mean 'things'?"),
    ("things: {b: [1]}", "3:13", "give one kind and its arguments"),
    ("things: {a: {use: {part: fingr}}}\nparts: {finger: {}}", "3:26", "did you mean 'finger'?"),
    ("things: {a: {use: {part: p}}}\nparts: {p: {things: {b: {use: {part: p}}}}}", "4:31", "the part 'p' uses itself"),
    ("parameters: {k: {default: 3, high: 2, unit: m}}", "3:27", "it is 3 m; it must be at most 2 m"),
    ("parameters: {k: {defult: 3}}", "3:18", "did you mean 'default'?"),
    ("a: &x 1", "3:4", "the anchor &x"), ("a: *x", "3:4", "the alias *x"), ("a: !!python/object 1", "3:4", "the tag"),
    ("<<: {}", "3:1", "the merge key"), ("about: 1\nabout: 2", "4:1", "'about' stands twice, first in line 3"),
    ("a: [1, 2", "4:1", "this is no YAML"), ("a: b: c", "3:5", "this is no YAML"), ("---\na: 1", "3:1", "a second document"),
    ("a: " + "[" * 70, "3:63", "more than 60 brackets"),
    ("record: {evry: 2}", "3:10", "did you mean 'every'?"), ("record: {every: 0}", "3:17", "a whole number of frames from 1"),
    ("record: {keep: contacts}", "3:16", "give a list of some of checkpoint"),
    ("record: {keep: [contact]}", "3:17", "did you mean 'contacts'?"),
    ("include: [../other.yaml]", "3:11", "outside the folder of the scene"),
    ("include: [/etc/passwd]", "3:11", "outside the folder of the scene"),
    ("include: [none.yaml]", "3:11", "there is no file 'none.yaml'"), ("include: [scene.yaml]", "3:11", "includes itself"),
])
def test_errors_name_the_place_the_value_and_what_is_allowed(tmp_path, text, place, says):
    said = refused(tmp_path, text)
    assert said.startswith(f"scene.yaml:{place}: "), said
    assert says in said


@pytest.mark.parametrize(("head", "says"), [
    ("", "scene.yaml: it holds nothing"), ("robotphi: 2\n", "1:11: version 2"), ("scene: x\n", "the file has no version"),
    ("robotphi: 1\n", "the scene has no name"), ("- 1\n", "it holds a list of 1"),
    ("robotphi: 1\nscene: 3\n", "2:8: name is 3")])
def test_files_that_are_no_scenes_are_told(tmp_path, head, says):
    assert says in refused(tmp_path, "", head)


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    (tmp_path / "scene.yaml").write_bytes(HEAD.encode() + b"about: \xff\n")
    with pytest.raises(SceneFileError, match=r"scene.yaml:3: byte 0xff is no UTF-8"):
        read_scene(tmp_path / "scene.yaml")


# Bounds --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "says"), [
    ("things: {g: {grid: {origin: [0, 0, 0], edge_u: [1, 0, 0], edge_v: [0, 1, 0], shape: [25000, 15000], mass: 1}}}",
     "3.75e+08"),
    ("things: {r: {rod: {start: [0, 0, 0], end: [1, 0, 0], segments: 1000000000, axial_stiffness: 1, bending_stiffness: 0, "
     "mass_per_length: 1}}}", "1e+09 particles"),
    ("things: {o: {object: {thing: {rigid: {shape: {sphere: {radius: 1, level: 40}}, mass: 1}}}}}", "sphere would make"),
    ("things: {o: {object: {thing: {deformable: {mesh: {discretise: {shape: {box: {size: 1}}, size: 1e-6}}, "
     "material: {young: 1e5}}}}}}", "discretise would make"),
    ("things: {a: {repeat: {i: 99999999, things: {}}}}", "repetitions"),
    ("things: {a: {repeat: {i: 1000, j: 1000, things: {'{i} {j}': {}}}}}", "repetitions"),
    ("things: {a: {particles: {positions: {all: 1, shape: [99999999, 3]}, mass: 1}}}", "at most"),
    ("define: {a: = 10**400}\nthings: {a: {particle: {position: [0, 0, 0], mass: = a}}}", "too large a whole number")])
def test_what_would_fill_the_memory_is_refused_before_it_is_made(tmp_path, text, says):
    assert says in refused(tmp_path, text)


def test_values_and_bytes_of_all_files_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(nodes, "MOST_NODES", 20)
    assert "more than 20 values" in refused(tmp_path, f"about: x\ngravity: {list(range(30))}")
    monkeypatch.setattr(nodes, "MOST_BYTES", 40)
    assert "more than 0 MiB" in refused(tmp_path, "about: " + "x" * 60)


def test_a_file_of_arrays_is_checked_before_it_is_unpacked(tmp_path):
    thing = "things: {a: {particles: {positions: {file: FILE}, mass: 1}}}"
    np.savez(tmp_path / "good.npz", place=np.eye(3), words=np.array(["a"], object))
    assert "did you mean 'place'?" in refused(tmp_path, thing.replace("FILE", "'good.npz#plase'"))
    assert "'words' has 1 entries of object" in refused(tmp_path, thing.replace("FILE", "'good.npz#words'"))
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 no archive")
    assert "cannot be read as arrays" in refused(tmp_path, thing.replace("FILE", "'bad.npz#a'"))
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive, archive.open("a.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 3)})
    assert "at most" in refused(tmp_path, thing.replace("FILE", "'huge.npz#a'"))
    monstrous = refused(tmp_path, thing.replace("FILE", "'../good.npz#place'"))
    assert "outside the folder" in monstrous


def test_another_folder_may_be_allowed(tmp_path):
    (tmp_path / "scenes").mkdir()
    np.savez(tmp_path / "places.npz", a=np.eye(3))
    path = tmp_path / "scenes" / "scene.yaml"
    path.write_text(HEAD + "things: {a: {particles: {positions: {file: '../places.npz#a'}, mass: 1}}}")
    with pytest.raises(SceneFileError, match="outside"):
        read_scene(path)
    assert read_scene(path, allow=[tmp_path]).particle_count == 3


def test_a_link_out_of_the_folder_is_no_way_out(tmp_path):
    (tmp_path / "scenes").mkdir()
    np.savez(tmp_path / "places.npz", a=np.eye(3))
    (tmp_path / "scenes" / "places.npz").symlink_to(tmp_path / "places.npz")
    path = tmp_path / "scenes" / "scene.yaml"
    path.write_text(HEAD + "things: {a: {particles: {positions: {file: 'places.npz#a'}, mass: 1}}}")
    with pytest.raises(SceneFileError, match="outside"):
        read_scene(path)


# Expressions ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "value"), [
    ("2*pi", 6.283185307179586), ("m*g/2", 9.0), ("-2**2", -4), ("[1, 2, 3][i]", 2), ("1 if m > 2 else 0", 1),
    ("max(1, 2.5)", 2.5), ("7 // 2 + 7 % 2", 4), ("hypot(3, 4)", 5.0), ("m == 3 and not g == 3", True),
    ("0.1 + 0.2", 0.1 + 0.2)])
def test_expressions_are_worked_out_as_python_does(text, value):
    assert evaluate(text, {"m": 3, "g": 6, "i": 1}.__getitem__) == value


@pytest.mark.parametrize("text", [
    "__import__('os')", "().__class__", "m.real", "lambda: 1", "[x for x in m]", "open('x')", "'a' * 9", "f'{m}'",
    "10**10**10",
    "9**9**9**9", "(-1)**0.5", "1/0", "m[0]", "x := 3", "1;2", "", "(", "max(", "round(1, 10**9)", "sin('a')", "1e400*0",
    "print(1)",
    "2 if", "{1: 2}", "m if m else", "not", "'" + "a" * 600 + "'", "1j", "b'a'", "...", "None",
    "*m", "i @ m"])
def test_nothing_else_is_an_expression(text):
    def look_up(name):
        if name != "m":
            raise ExpressionError(f"there is no {name}")
        return 3

    with pytest.raises(ExpressionError):
        evaluate(text, look_up)


def test_texts_are_filled_and_braces_stay_where_they_are_doubled():
    look_up = {"i": 3, "x": 0.5}.__getitem__
    assert filled("ball {i} at {2*x} {{i}}", look_up) == "ball 3 at 1 {i}"
    for text in ("{", "}", "{i", "a}"):
        with pytest.raises(ExpressionError, match="brace"):
            filled(text, look_up)


def test_scalars_are_what_they_look_like():
    words = {"1e5": 1e5, "on": "on", "yes": "yes", "010": "010", "0x10": "0x10", "1_000": "1_000", "true": True, "null": None,
             "~": None, "-3": -3, "+.5": 0.5, ".inf": float("inf"), "12:30": "12:30", "2001-01-01": "2001-01-01", "1.": 1.0}
    for word, value in words.items():
        found = nodes.scalar(word)
        assert (type(found), found) == (type(value), value), word


def test_limits_stand_in_the_module():
    assert (nodes.MOST_BYTES, nodes.MOST_NODES, nodes.DEEPEST, nodes.MOST_FILES, limits.MOST_REPEATED) == (
        16 * 2**20, 200_000, 60, 32, 100_000)
