"""Scenes: particles, supports, names, forces and frames."""
import subprocess
import sys

import numpy as np
import pytest

import robotphi
from robotphi import build_model
from robotphi.errors import SceneError
from robotphi.scene import Drive, Scene, Stepping

BAD = float("nan")
HUGE = 10**400
SINE = Drive.sine(0.1, 2.0)
JUMP = Drive.steps([0, 1], [0, 1])


def small():
    scene = Scene("small")
    scene.add_particle("one", (0, 0, 0), 1.0)
    scene.add_particles("row", [[1, 0, 0], [2, 0, 0], [3, 0, 0]], [1, 2, 3], support=["xyz", "", "z"])
    return scene


def refusal(make):
    with pytest.raises(SceneError) as refused:
        make()
    return str(refused.value)


def test_particles_are_counted_in_the_order_they_were_added():
    scene = small()
    assert scene.add_particle("last", (9, 9, 9), 1.0) == 4
    assert scene.particle_count == 5
    assert scene.position[:, 0].tolist() == [0, 1, 2, 3, 9]
    assert scene.find("row").support.tolist() == [[True] * 3, [False] * 3, [False, False, True]]
    assert scene.particle_name(2) == "'row', index 1"
    assert scene.particle_name(4) == "'last'"


def test_a_scene_grows_without_losing_particles():
    scene = Scene("many")
    for i in range(100):
        scene.add_particle(f"p{i}", (i, -i, 0), 1.0)
    assert scene.position[:, 1].tolist() == [-i for i in range(100)]
    assert (scene.rigid_of_particle == -1).all()


def test_the_arrays_of_a_scene_are_copies_that_cannot_be_written():
    positions = np.zeros((2, 3))
    scene = Scene("copies")
    scene.add_particles("p", positions, 1.0)
    positions[:] = 7
    assert not scene.position.any()
    for array in (scene.position, scene.find("p").position, scene.find("p").mass, scene.gravity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_frames_are_given_by_number_or_by_interval():
    assert Scene("a").frames == 200
    scene = Scene("b", duration=2.0, frame_interval=0.1)
    assert scene.frames == 20
    assert scene.frame_interval == 0.1
    assert scene.frame_times[[0, -1]].tolist() == [0, 2]
    assert Scene("c", duration=0.7, frames=7).frame_times[-1] == 0.7


@pytest.mark.parametrize(("given", "words"), [
    ({"duration": 0.0}, ["duration is 0", "> 0"]),
    ({"duration": -1}, ["duration is -1"]),
    ({"duration": float("inf")}, ["duration is inf", "finite"]),
    ({"frames": 0}, ["frames is 0", "at least 1"]),
    ({"frames": 2.5}, ["frames is 2.5", "whole number"]),
    ({"frame_interval": 0.3, "duration": 1.0}, ["frame_interval 0.3", "use 0.333333 s"]),
    ({"frame_interval": 3.0, "duration": 1.0}, ["frame_interval 3", "use 1 s"]),
    ({"frame_interval": 0.1, "frames": 3}, ["both frames and frame_interval", "one of them"]),
    ({"gravity": (0, -9.81)}, ["gravity", "three numbers"]),
    ({"gravity": -9.81}, ["gravity", "three numbers"]),
    ({"gravity": (0, 0, BAD)}, ["gravity is nan", "index 2", "finite"]),
    ({"stepping": {"scheme": "verlet"}}, ["stepping is", "Stepping(...)"]),
    ({"duration": HUGE}, ["duration is beyond the range of floats"]),
    ({"gravity": (0, 0, HUGE)}, ["gravity is beyond the range of floats"]),
    ({"duration": np.array("long")}, ["duration is", "give numbers"]),
    ({"gravity": np.array([0, 0, 1j])}, ["gravity is", "give numbers"]),
    ({"gravity": np.ma.array([0.0, 0.0, 1.0], mask=[0, 0, 1])}, ["gravity is", "give numbers"]),
    ({"frames": 10**30}, ["frames is more than 100000000"]),
    ({"frame_interval": 5e-324}, ["more than 100000000 frames", "give at least 1e-07 s"]),
    ({"frame_interval": HUGE}, ["frame_interval is beyond"]),
])
def test_a_scene_that_cannot_be_is_refused_with_what_would_work(given, words):
    message = refusal(lambda: Scene("odd", **given))
    assert all(word in message for word in ["'odd'", *words]), message
    assert Scene("fine", stepping=Stepping(budget=1e-3)).stepping.budget == 1e-3


@pytest.mark.parametrize(("given", "words"), [
    ({"positions": [[0, 0, 0], [1, BAD, 0]]}, ["'dust'", "index 1", "nan", "finite"]),
    ({"positions": [[0, 0], [1, 1]]}, ["shape (2, 2)", "three numbers"]),
    ({"positions": []}, ["positions", "at least one row"]),
    ({"positions": [[0, 0, "a"]]}, ["positions", "give numbers"]),
    ({"mass": [1, -2]}, ["index 1", "mass is -2", ">= 0"]),
    ({"mass": [1, 0]}, ["index 1", "mass is 0", "> 0", 'support="xyz"']),
    ({"mass": [1, float("inf")]}, ["index 1", "mass is inf"]),
    ({"mass": [1, 1, 1]}, ["mass has shape (3,)", "one number or 2"]),
    ({"mass": [1, 0], "support": "xy"}, ["index 1", "mass is 0"]),
    ({"velocity": [[0, 0, 0], [0, BAD, 0]]}, ["index 1", "velocity"]),
    ({"velocity": (1, 0)}, ["velocity has shape (2,)", "(2, 3)"]),
    ({"support": "w"}, ["support is 'w'", '"xyz"']),
    ({"support": "xx"}, ["support is 'xx'"]),
    ({"support": ["x"]}, ["support holds 1 words", "2"]),
    ({"support": 3}, ["support is 3", '"xyz"']),
    ({"support": None}, ["support is None"]),
    ({"support": [["x"], ["y"]]}, ["support is [['x'], ['y']]"]),
    ({"support": [1, 2]}, ["support is [1, 2]"]),
    ({"mass": [1, HUGE]}, ["mass is beyond the range of floats"]),
    ({"mass": ["1.0", "2.0"]}, ["mass is", "give numbers"]),
    ({"support": ["", "y"], "velocity": (0, 3, 0)}, ["index 1", "velocity along y is 3", "supported", "give 0"]),
    ({"drive": {"y": SINE}, "velocity": (0, 3, 0)}, ["velocity along y is 3", "driven"]),
    ({"drive": {"x": SINE}, "support": ["", "x"]}, ["axis x", "both driven and supported"]),
    ({"drive": {"u": SINE}}, ["unknown driven axis 'u'", "x, y, z"]),
    ({"drive": {"rotation": SINE}}, ["unknown driven axis 'rotation'"]),
    ({"drive": SINE}, ["drive is", "dictionary"]),
    ({"drive": {"x": True}}, ["drive of x is True", "Drive.sine", "a number"]),
    ({"drive": {"x": JUMP}}, ["drive of x jumps at 1 s", "ramps"]),
])
def test_particles_that_cannot_be_are_refused_with_what_would_work(given, words):
    scene = small()
    given = {"positions": [[0, 1, 0], [1, 1, 0]], "mass": 1.0, **given}
    message = refusal(lambda: scene.add_particles("dust", **given))
    assert all(word in message for word in ["'dust'", *words]), message
    assert scene.particle_count == 4, "a refused block must leave nothing behind"
    assert "dust" not in scene.things


def test_a_particle_without_mass_may_be_held_or_driven_on_all_axes():
    scene = Scene("massless")
    scene.add_particle("held", (0, 0, 0), 0.0, support="xyz")
    scene.add_particle("led", (0, 0, 0), 0.0, support="yz", drive={"x": SINE})
    assert scene.particle_count == 2


@pytest.mark.parametrize("add", [
    lambda scene, name: scene.add_particle(name, (5, 5, 5), 1.0),
    lambda scene, name: scene.add_particles(name, [(5, 5, 5)], 1.0),
    lambda scene, name: scene.add_rigid(name, np.eye(3), 1.0),
    lambda scene, name: scene.add_linear(name, 0, 1, 1.0),
    lambda scene, name: scene.add_angular(name, 0, 1, 2, 1.0),
    lambda scene, name: scene.add_force(name, 0, (1, 0, 0)),
])
@pytest.mark.parametrize(("name", "words"), [
    ("one", ["'one' is taken", "'one_2'"]), ("", ["name is ''", "give a word"]), ("a:b", ["'a:b'", '":"']),
    ("a/b", ["'a/b'"]), (3, ["name is 3"]),
])
def test_a_name_that_is_taken_or_none_is_refused(add, name, words):
    message = refusal(lambda: add(small(), name))
    assert all(word in message for word in words), message


@pytest.mark.parametrize(("add", "words"), [
    (lambda s: s.add_force("push", 4, (1, 0, 0)), ["force 'push'", "particle 4", "does not exist", "0 to 3"]),
    (lambda s: s.add_force("push", -1, (1, 0, 0)), ["particle -1"]),
    (lambda s: s.add_force("push", [0, 9], (1, 0, 0)), ["particle 9", "does not exist"]),
    (lambda s: s.add_force("push", [0, 1], np.ones((3, 3))), ["vector", "(2, 3)"]),
    (lambda s: s.add_force("push", "onne", (1, 0, 0)), ["unknown name 'onne'", "did you mean 'one'"]),
    (lambda s: s.add_force("push", 0, (1, 0)), ["vector", "three numbers"]),
    (lambda s: s.add_force("push", 0, (1, 0, BAD)), ["vector is nan"]),
    (lambda s: s.add_force("push", 0, (1, 0, 0), drive=[2.0]), ["drive is [2.0]", "Drive."]),
    (lambda s: s.add_torque("turn", 0, (1, 0, 0)), ["torque 'turn'", "rigid is 0", "add_rigid"]),
    (lambda s: s.add_torque("turn", "one", (1, 0, 0)), ["torque 'turn'", "add_rigid"]),
])
def test_a_force_that_cannot_be_is_refused_with_what_would_work(add, words):
    message = refusal(lambda: add(small()))
    assert all(word in message for word in words), message


def test_a_force_acts_on_a_particle_or_rigid_by_index_handle_or_name():
    scene = small()
    body = scene.add_rigid("body", np.eye(3) + 5, 1.0)
    given = [(2, "particle", 2), (np.int32(1), "particle", 1), ("one", "particle", 0), (body, "rigid", 0),
             ("body", "rigid", 0)]
    for number, (target, kind, index) in enumerate(given):
        force = scene.add_force(f"f{number}", target, (0, 0, 1))
        assert (force.kind, force.target) == (kind, index)
    assert scene.add_torque("turn", "body", (0, 0, 1)).kind == "torque"


def test_looking_up_a_name_says_what_there_is():
    assert "there is none yet" in refusal(lambda: Scene("empty").find("one"))
    assert "allowed: one, row" in refusal(lambda: small().find("two"))


def test_importing_scenes_alone_loads_nothing_heavy():
    code = f"""
import sys, types
package = sys.modules["robotphi"] = types.ModuleType("robotphi")  # the package without what its door imports
package.__path__ = {list(robotphi.__path__)!r}
import robotphi.scene
print([name for name in ("scipy", "numba", "matplotlib", "pyvista", "h5py") if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_force_acts_on_one_particle_or_on_each_of_several():
    scene = Scene("pushed")
    nodes = scene.add_particles("node", [(0, 0, 0), (1, 0, 0)], 1.0)
    for target in ((nodes, 1), 1.0, True, None, [], [[0, 1]]):
        with pytest.raises(SceneError, match=r"give a particle, several, such as a block or nodes\[:3\], or a rigid"):
            scene.add_force("push", target, (0, 0, 1))
    assert scene.add_force("push", nodes[1], (0, 0, 1)).target == 1
    scene.add_force("both", nodes, (0, 0, 2), drive=3.0)
    scene.add_force("each", "node", [(1, 0, 0), (0, 1, 0)])
    model = build_model(scene)
    forces = model.arrays.acts.forces
    assert forces.target.tolist() == [1, 0, 1, 0, 1]
    assert forces.direction.tolist() == [[0, 0, 1], [0, 0, 2], [0, 0, 2], [1, 0, 0], [0, 1, 0]]
    first = model.work_of_force[0]
    assert (model.work_of_force - first).tolist() == [0, 1, 1, 2, 2], "each is one entry of the ledger"
    changed = model.with_values({("each", "vector"): [(5, 0, 0), (0, 6, 0)]})
    assert changed.arrays.acts.forces.direction[3:].tolist() == [[5, 0, 0], [0, 6, 0]]
