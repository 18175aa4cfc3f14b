"""How often a surface winds round a point, and what follows where it is inside out: no force, no energy."""
from dataclasses import replace

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry import shapes
from robotphi.geometry.inside import surrounds
from robotphi.geometry.mesh import Mesh
from robotphi.kernels.contact.press.facet_tree import renew_boxes
from robotphi.kernels.contact.press.winding import winding_number
from robotphi.run.advice.inside_out import turned_cells

LAW = ContactMaterial(stiffness=1e6, restitution=0.5, speed=1.0, friction=0.5)
SOFT = Material(young=1e5, density=1000.0, damping_ratio=0.1)
TETRAHEDRON = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], float)


def soft_ball():
    return deformable(discretise(shapes.sphere(0.1, 2), size=0.06), SOFT)


def mirrored(thing, about=0.0):
    """A thing whose particles went through the plane z = about: every cell is inside out."""
    return replace(thing, position=thing.position * (1, 1, -1) + (0, 0, 2 * about))


def windings(thing, points):
    scene = Scene("winding", duration=1.0, frames=2)
    scene.add_object("thing", thing, contact=LAW)
    scene.add_ball("ball", (0, 0, 1.0), 0.1, mass=1.0, contact=LAW)   # what asks for the tree
    contact = build_model(scene).arrays.contact
    x = np.zeros((len(thing.position), 4))
    x[:, :3] = thing.position
    box = np.zeros((len(contact.tree.behind), 6))
    renew_boxes(contact.parts, contact.tree, 0, x, box)
    return np.array([winding_number(contact.parts, contact.tree, box, 0, x, tuple(p)) for p in points])


def test_it_is_one_inside_and_none_outside_and_less_inside_out():
    thing = soft_ball()
    points = np.random.default_rng(5).uniform(-0.12, 0.12, (300, 3))
    inside = surrounds(thing.position, thing.facets, points).astype(int)
    assert 0 < inside.sum() < 300
    np.testing.assert_array_equal(windings(thing, points), inside)
    np.testing.assert_array_equal(windings(mirrored(thing), points * (1, 1, -1)), -inside)


def test_rays_through_corners_and_along_sides_count_once():
    thing = deformable(discretise(shapes.box(0.2), counts=(2, 2, 2)), SOFT)
    grid = np.linspace(-0.1, 0.1, 9)[1:-1]   # below corners, below sides, on diagonals
    points = np.array([(a, b, h) for a in grid for b in grid for h in (-0.13, -0.05, 0.02, 0.13)])
    np.testing.assert_array_equal(windings(thing, points), (np.abs(points[:, 2]) < 0.1).astype(int))


def hit(height, thing):
    scene = Scene("hit", duration=0.15, frames=30, gravity=(0, 0, 0), stepping=Stepping(attempt_limit=20_000))
    scene.add_object("tetrahedron", thing, contact=LAW)
    scene.add_ball("ball", (0.03, 0.03, height), 0.03, mass=0.1, contact=LAW, velocity=(0, 0, -1.0))
    return simulate(scene)


@pytest.fixture(scope="module")
def tetrahedron():
    return deformable(Mesh(TETRAHEDRON, {"tetrahedron": np.array([[0, 1, 2, 3]])}), SOFT)


def test_what_is_inside_out_gives_a_ball_no_energy(tetrahedron):
    recording = hit(0.06, mirrored(tetrahedron))
    assert recording.status == "done"
    start = 0.5 * 0.1
    assert recording.ledger["kinetic"].max() <= start * (1 + 1e-4)
    assert recording.ledger["contact"].min() >= 0.0
    [text] = [text for text in recording.info["warnings"] if "inside out" in text]
    assert text.startswith("'tetrahedron' is inside out: at t = 0 s 1 of its 1 tetrahedron cells, the first at (0, 0, 0)")


def test_what_is_not_turns_it_back_and_is_not_told(tetrahedron):
    recording = hit(0.16, tetrahedron)
    assert recording.rigid_velocity[-1, 0, 2] > -0.5
    assert not [text for text in recording.info["warnings"] if "inside out" in text]


def test_a_plane_does_not_pull_what_is_inside_out(tetrahedron):
    scene = Scene("pulled", duration=0.15, frames=15, stepping=Stepping(attempt_limit=20_000))
    scene.add_plane("ground", point=(0, 0, -0.15), contact=LAW)
    scene.add_object("tetrahedron", mirrored(tetrahedron), contact=LAW)
    recording = simulate(scene)
    assert recording.ledger["contact"].min() >= 0.0
    # nothing but its weight has acted
    fallen = 0.5 * 9.81 * 0.15**2
    assert recording.position[0, :, 2].mean() - recording.position[-1, :, 2].mean() == pytest.approx(fallen, rel=1e-3)


class Frames:
    """Times and positions as a recording has them."""

    def __init__(self, time, position):
        self.time, self.position = time, position

    def __len__(self):
        return len(self.time)


def test_cells_are_told_in_the_frame_in_which_they_turn(tetrahedron):
    """The apex sinks through the face opposite, 0.1 m below it, at 0.25 m/s: at 0.4 s it lies in it."""
    scene = Scene("led", duration=1.0, frames=20)
    scene.add_object("tetrahedron", tetrahedron)
    time = np.linspace(0.0, 1.0, 21)
    position = np.tile(tetrahedron.position, (21, 1, 1))
    position[:, np.argmax(tetrahedron.position[:, 2]), 2] = 0.1 - 0.25 * time
    [text] = turned_cells(build_model(scene), Frames(time, position))
    assert "at t = 0.4 s 1 of its 1 tetrahedron cells" in text
    assert turned_cells(build_model(scene), Frames(time[:8], position[:8])) == []
