"""Recordings by themselves: what was said to the scene is in them, so that nobody needs the scene or its file again."""
import subprocess
import sys
from dataclasses import replace

import h5py
import numpy as np
import pytest

from robotphi import ContactMaterial, Recording, RecordingError, Scene, Simulator, simulate
from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry import shapes
from robotphi.model.arrays import model_digest
from robotphi.scenario import load_scenario
from robotphi.urdf import load_urdf
from tests import ROOT
from tests.fuzz.random_contact import random_contact_scene
from tests.fuzz.random_scene import random_scene
from tests.record.old_files import write_old
from tests.scene.test_statements import assert_same_bits

QUICK = ("billiards", "block_slide", "bouncing_ball", "cantilever", "cloth_study", "cloth_waves", "cradle", "double_pendulum",
         "falling_plate", "hanging_chain", "pyramid_on_table", "rolling_cylinder_and_cube", "spinning_body", "spring_pendulum",
         "stack", "tumbling", "two_masses")

BODY = """<inertial><origin xyz="0 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.3"/></geometry></visual>
<collision><geometry><{}/></geometry></collision>"""
URDF = f"""<robot name="arm"><link name="base">{BODY.format('box size="0.2 0.2 0.1"')}</link>
<link name="tip">{BODY.format('cylinder radius="0.05" length="0.3"')}</link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics damping="0.1"/></joint></robot>"""

# what a process does that knows nothing but the file
ALONE = """
import sys
from pathlib import Path
from robotphi import Recording, Simulator
from robotphi.record import measure
from robotphi.view import scenes, solids, touching
from robotphi.view.contacts import picture_contacts

folder = Path(sys.argv[1])
recording = Recording.load(folder / "whole.h5")
part = Recording.load(folder / "part.h5")
for name, draw in {"springs": scenes.picture_frames, "solids": solids.picture_frames, "touching": touching.picture_touching,
                   "contacts": picture_contacts}.items():
    draw(recording, folder / f"{name}.png", frames=2)
measure.recorded_momenta(recording)
measure.lengths(recording.model, recording.position)
print(len(recording.hits("ball", "pad")), *recording.scene.things)
Simulator.continued(part).run().save(folder / "continued.h5")
"""


def thrown(duration=0.06, frames=6):
    """A ball on a spring, thrown on a pad that is held by a drive; made by a function that no file knows."""
    surface = ContactMaterial(young=1e5, thickness=0.02, restitution=0.7, speed=1.0, friction=0.4)
    scene = Scene("thrown", duration=duration, frames=frames)
    ball = scene.add_ball("ball", (0, 0, 0.105), 0.05, density=900, velocity=(0.2, 0, -1.0), contact=surface)
    pad = deformable(discretise(shapes.box((0.2, 0.2, 0.1)), size=0.1), Material(young=2e5, damping_ratio=0.1))
    scene.add_object("pad", pad, support={"bottom": "xyz"}, contact=surface)
    hook = scene.add_particle("hook", (0, 0, 0.5), 1.0, support="xy", drive={"z": lambda time: 0.01 * np.sin(20 * time)})
    scene.add_linear("string", hook, int(ball.particles[0]), stiffness=20.0)
    scene.add_plane("deck", (0, 0, 0.2), (0, 0, -1), contact=surface, rigid=ball)
    scene.exclude_contact("deck", "ball")
    scene.exclude_contact("deck", "pad")
    scene.add_sensor("pull", "tension", "string")
    return scene


@pytest.fixture(scope="module")
def recorded():
    return simulate(thrown())


def test_a_recording_is_drawn_measured_and_continued_where_nobody_knows_its_scene(recorded, tmp_path):
    recorded.save(tmp_path / "whole.h5")
    Simulator(recorded.model).run(until=0.03).save(tmp_path / "part.h5")
    done = subprocess.run([sys.executable, "-c", ALONE, tmp_path], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(recorded.hits("ball", "pad", thrown()))), *thrown().things]
    for name in ("springs", "solids", "touching", "contacts"):
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
    rest = Recording.load(tmp_path / "continued.h5")
    start = len(recorded) - len(rest)
    assert 0 < start < len(recorded) - 1
    for name in ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_spin"):
        np.testing.assert_array_equal(getattr(rest, name), getattr(recorded, name)[start:])
    np.testing.assert_array_equal(rest.sensors["pull"], recorded.sensors["pull"][start:])
    for entry, values in rest.ledger.items():
        np.testing.assert_array_equal(values, recorded.ledger[entry][start:])


def test_a_recording_knows_its_model_to_the_bit(recorded, tmp_path):
    loaded = Recording.load(recorded.save(tmp_path / "run.h5"))
    assert model_digest(loaded.model) == recorded.scene_digest
    assert loaded.model is loaded.model
    assert [statement.verb for statement in loaded.statements] == [statement.verb for statement in thrown().statements]
    again = Recording.load(loaded.save(tmp_path / "again.h5"))
    assert model_digest(again.model) == recorded.scene_digest


def test_what_is_added_to_the_scene_after_the_run_is_not_in_the_recording():
    scene = Scene("later", duration=0.01, frames=1)
    scene.add_particle("p", (0, 0, 0), 1.0)
    recording = simulate(scene)
    scene.add_particle("q", (1, 0, 0), 1.0)
    assert list(recording.scene.things) == ["p"]


def test_a_file_of_an_earlier_version_says_what_is_missing(recorded, tmp_path):
    path = write_old(recorded, tmp_path / "old.h5", scene=False)
    old = Recording.load(path)
    assert old.statements == ()
    np.testing.assert_array_equal(old.position, recorded.position)
    for ask in (lambda: old.scene, lambda: old.model, lambda: Simulator.continued(old), lambda: old.hits("ball", "pad")):
        with pytest.raises(RecordingError, match=r"does not hold what was said to its scene: .* give the scene or model"):
            ask()
    assert len(Simulator.continued(recorded.model, old).run(until=0.06)) == 1


def test_a_damaged_scene_in_a_file_is_told(recorded, tmp_path):
    path = recorded.save(tmp_path / "damaged.h5")
    with h5py.File(path, "a") as file:
        text = file["robotphi/scene/statements"].asstr()[()]
        del file["robotphi/scene/statements"]
        file["robotphi/scene/statements"] = text[:-20]
    with pytest.raises(RecordingError, match="damaged or cut short"):
        Recording.load(path)


@pytest.mark.parametrize("place", ["robotphi/scene", "robotphi/scene/statements", "VTKHDF/FieldData"])
@pytest.mark.parametrize("put", ["a word", None])
def test_what_stands_where_something_else_should_is_told(recorded, tmp_path, place, put):
    path = recorded.save(tmp_path / "damaged.h5")
    with h5py.File(path, "a") as file:
        held = isinstance(file[place], h5py.Group)
        del file[place]
        if held:
            file[place] = "a word" if put else 3.0
        elif put:
            file["robotphi/scene/1000"], file[place] = put, "{}"   # one array too many, of letters
        else:
            file.create_group(place)
    with pytest.raises(RecordingError, match="damaged or cut short"):
        Recording.load(path)


def test_to_go_on_from_what_is_no_recording_is_refused():
    with pytest.raises(RecordingError, match="no recording to go on from"):
        Simulator.continued(5)


def test_statements_that_make_another_model_are_refused_or_told(recorded):
    first, *others = recorded.statements
    with pytest.raises(RecordingError, match=r"the statements make .* particles"):
        _ = replace(recorded, statements=(first, *(one for one in others if one.verb == "add_ball"))).model
    harder = [one.replace(stiffness=21.0) if one.verb == "add_linear" else one for one in others]
    with pytest.warns(UserWarning, match="not the same to the bit"):
        _ = replace(recorded, statements=(first, *harder)).model


def test_a_robot_is_said_by_its_content_and_needs_no_file(tmp_path):
    pytest.importorskip("yourdfpy")
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    scene = Scene("robot", duration=0.01, frames=1)
    load_urdf(path).add_to(scene, "arm", positions={"hinge": 0.3}, axis_stiffness=5.0, contact=ContactMaterial(1e6))
    scene.add_sensor("force", "contact_force", "arm.tip")
    path.unlink()
    assert [statement.verb for statement in scene.statements] == ["Scene", "add_robot", "add_sensor"]
    assert_same_bits(scene)


@pytest.mark.parametrize("name", QUICK)
def test_a_scenario_is_said_again_to_the_same_bits(name):
    assert_same_bits(load_scenario(name).module.build())


@pytest.mark.parametrize("seed", range(25))
def test_a_random_scene_is_said_again_to_the_same_bits(seed):
    assert_same_bits(random_scene(seed)[0])


@pytest.mark.parametrize("seed", range(25))
def test_a_random_scene_of_contact_is_said_again_to_the_same_bits(seed):
    assert_same_bits(random_contact_scene(seed).scene)
