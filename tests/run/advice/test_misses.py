"""Warnings about what has a contact and passes through other things nevertheless."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, build_model
from robotphi.discretise import Material, deformable, discretise, rigid, sheet
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.run.advice.misses import _circle, missed_contacts
from robotphi.run.simulator import Simulator

SURFACE = ContactMaterial(stiffness=1e7)


def scene_with_box(add):
    scene = Scene("misses", duration=0.01, frames=1)
    scene.add_plane("floor", contact=SURFACE)
    scene.add_object("box", rigid(shapes.box((1.0, 1.0, 1.0)), mass=1.0), contact=SURFACE)
    getattr(scene, f"add_{add}")("log", (2, 0, 1), (2, 1, 1), 0.1, mass=1.0, contact=SURFACE)
    return scene


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "wheel"])
def test_what_has_an_axis_is_said_to_pass_through_soft_things_and_sheets_alone(kind):
    scene = scene_with_box(kind)
    assert missed_contacts(build_model(scene)) == []
    soft = deformable(discretise(shapes.box(1.0, (0, 0, 3)), counts=(1, 1, 1)), Material(density=1000.0, young=1e6))
    scene.add_object("jelly", soft, contact=SURFACE)
    told, = missed_contacts(build_model(scene))
    assert told.startswith(f"{kind} 'log' touches no sheets and no soft objects and passes through 'jelly'")
    assert "floor" not in told
    assert "box" not in told
    assert told in Simulator(build_model(scene)).warnings()


def test_nothing_is_said_of_what_the_user_lets_pass():
    scene = scene_with_box("cylinder")
    soft = deformable(discretise(shapes.box(1.0, (0, 0, 3)), counts=(1, 1, 1)), Material(density=1000.0, young=1e6))
    scene.add_object("jelly", soft, contact=SURFACE)
    assert missed_contacts(build_model(scene)) != []
    scene.exclude_contact("log", "jelly")
    assert missed_contacts(build_model(scene)) == []


@pytest.mark.parametrize(("radius", "passes"), [(0.06, True), (0.08, False)])
def test_a_ball_smaller_than_the_mesh_of_a_sheet_is_named(radius, passes):
    """Right-angled facets of 0.1 m leave room for 0.1/√2 = 0.0707 m, 1 mm less by half the thickness."""
    line = np.linspace(0.0, 0.3, 4)
    points = np.stack([*np.meshgrid(line, line, indexing="ij"), np.zeros((4, 4))], axis=2).reshape(-1, 3)
    corner = (4 * np.arange(3)[:, None] + np.arange(3)).reshape(-1)
    triangles = np.concatenate([np.stack([corner, corner + 4, corner + 5], 1), np.stack([corner, corner + 5, corner + 1], 1)])
    cloth = sheet(Mesh(points, {"triangle": triangles}), Material(density=1000.0, young=1e6), 0.002)
    scene = Scene("cloth", duration=0.01, frames=1)
    scene.add_object("cloth", cloth, contact=SURFACE)
    scene.add_ball("ball", (0.15, 0.15, 1.0), radius, mass=1.0, contact=SURFACE)
    told = missed_contacts(build_model(scene))
    assert len(told) == passes
    if passes:
        assert told[0].startswith("sheet 'cloth' touches balls at its vertices")
        assert "70.7 mm: 'ball' may pass" in told[0]


def in_medium(**medium):
    """A ball and a cylinder that move, one that does not, and a box."""
    scene = scene_with_box("cylinder")
    scene.exclude_contact("log", "box")
    scene.add_ball("ball", (3, 0, 1), 0.1, mass=1.0, contact=SURFACE)
    scene.add_ball("peg", (4, 0, 1), 0.1, support="xyz", rotation_support="xyz", contact=SURFACE)
    for one in ("ball", "peg"):
        scene.exclude_contact("log", one)
    scene.set_medium(**medium)
    return missed_contacts(build_model(scene))


def test_round_things_in_a_medium_are_named():
    told, = in_medium(density=1.2, drag=1.0)
    assert told.startswith("'log', 'ball': balls, capsules, cylinders and wheels have no facets and feel no drag of the medium")
    told, = in_medium(density=1000.0, drag=1.0, level=2.0)
    assert "no drag and buoyancy of the medium" in told
    told, = in_medium(density=1000.0, drag={"box": 1.0}, level=2.0)
    assert "no buoyancy of the medium" in told


def test_a_medium_for_named_objects_is_nothing_that_others_miss():
    assert in_medium(density=1.2, drag={"box": 1.0}) == []
    assert in_medium(linear_drag={"box": 1.0}) == []


def test_the_circle_around_a_triangle_is_that_of_its_corners_or_of_its_longest_side():
    even = [(0, 0, 0), (1, 0, 0), (0.5, np.sqrt(0.75), 0)]
    flat = [(0, 0, 0), (1, 0, 0), (0.5, 0.01, 0)]
    assert np.allclose(_circle(np.array([even, flat])), [1 / np.sqrt(3), 0.5], rtol=1e-14)
