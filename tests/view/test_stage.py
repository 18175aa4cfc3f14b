"""The stage: what a recording shows, from the recording alone."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, build_model, simulate
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.view.bodies import bare_facets, body_of_scene
from robotphi.view.scenes import elongation_shares, shape_of
from robotphi.view.stage import Stage, largest_usual, staged

SURFACE = ContactMaterial(1e6)


def acted():
    scene = Scene("acted", duration=0.02, frames=2, gravity=(0, 0, 0))
    line = scene.add_particles("line", [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 1, 0)], 1.0, support=["xyz", "", "x", ""])
    scene.add_linear("springs", line[:-1], line[1:], 10.0)
    scene.add_angular("bends", line[:-2], line[1:-1], line[2:], 1.0)
    scene.add_particle("driven", (0, 5, 0), 1.0, support="xy", drive={"z": Drive.sine(0.1, 5.0)})
    pyramid = np.array([(1, 0, 9), (-1, 0, 9), (0, 1, 9), (0, -1, 9), (0, 0, 10.0)])
    turning = scene.add_rigid("turning", pyramid, 2.0, spin=(0, 0, 3))
    scene.add_object("box", rigid(shapes.box(1.0, (0, 0, 20)), density=1.0), contact=SURFACE)
    scene.add_ball("ball", (0, 0, 30), 0.5, mass=1.0, contact=SURFACE)
    scene.add_plane("lid", (0, 0, 10), contact=SURFACE, rigid=turning)
    scene.add_force("push", int(line[3]), (0, 2, 0), drive=lambda time: 1 + time)
    scene.add_force("pull", turning, (0, 0, 1))
    scene.add_torque("turn", turning, (0, 0, 1))
    return scene


@pytest.fixture(scope="module")
def recording():
    return simulate(acted())


@pytest.mark.parametrize("given", [lambda: None, acted, lambda: build_model(acted())])
def test_a_stage_knows_what_there_is(recording, given):
    stage = Stage(recording, given())
    assert stage.free.tolist() == [0, 1, 2, 3, 4]
    assert stage.held.tolist() == [0, 4]
    assert stage.lines.tolist() == [[0, 1], [1, 2], [2, 3]]
    np.testing.assert_allclose(stage.rest_lengths, [1, 1, np.sqrt(2)], rtol=1e-15)
    assert stage.springs("angular").tolist() == [[0, 1, 2], [1, 2, 3]]
    assert len(stage.springs("articular")) == 0
    assert list(stage.surfaces) == ["box"]
    assert [thing.name for thing in (*stage.rounds, *stage.planes)] == ["ball", "lid"]
    assert [len(particles) for particles in stage.rigids][::2] == [5, 7]
    assert list(bare_facets(stage.scene)) == ["turning"]


def test_points_go_with_the_rigid_that_carries_them(recording):
    stage = Stage(recording)
    for frame in range(3):
        place = stage.carried(recording.position[0, stage.rigids[0]], 0, frame)
        np.testing.assert_allclose(place, recording.position[frame, stage.rigids[0]], rtol=0, atol=1e-13)
    assert np.abs(recording.position[2, stage.rigids[0]] - recording.position[0, stage.rigids[0]]).max() > 0.05


def test_forces_stand_where_they_pull_as_hard_as_they_do(recording):
    places, forces = Stage(recording).forces(2)
    np.testing.assert_array_equal(places, [recording.position[2, 3], recording.rigid_position[2, 0]])
    np.testing.assert_allclose(forces, [(0, 2 * 1.02, 0), (0, 0, 1)], rtol=1e-12)


def test_facets_around_a_bare_rigid_look_outward(recording):
    scene = Stage(recording).scene
    corners = scene.position[bare_facets(scene)["turning"]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert len(corners) == 6   # a pyramid: its base is cut in two
    assert (np.einsum("ti,ti->t", normal, corners.mean(axis=1) - (0, 0, 9.3)) > 0).all()


def test_a_picture_takes_a_recording_with_or_without_its_scene_or_a_stage(recording):
    seen = []
    draw = staged(lambda stage, path, frames=4: seen.append((type(stage), stage.scene.name, path, frames)))
    scene = acted()
    for given in ((recording, "a.png"), (recording, scene, "a.png"), (recording, build_model(scene), "a.png"),
                  (Stage(recording, scene), "a.png")):
        draw(*given, frames=1)
    draw(recording, path="a.png", scene=scene, frames=1)
    assert seen == 5 * [(Stage, "acted", "a.png", 1)]


def test_dampers_and_springs_that_draw_together_have_no_elongation():
    scene = Scene("tied")
    nodes = scene.add_particles("node", [(0, 0, 0), (1, 0, 0), (3, 0, 0)], 1.0)
    scene.add_linear("fibre", nodes[0], nodes[1], 10.0)
    scene.add_linear("damper", nodes[1], nodes[2], 0.0, viscosity=1.0)
    scene.add_linear("tie", nodes[0], nodes[2], 10.0, rest_length=0.0)
    stage = Stage(None, scene)
    np.testing.assert_array_equal(stage.rest_lengths, [1.0, np.nan, np.nan])
    shares = elongation_shares(shape_of(stage), np.array([(0, 0, 0), (1.1, 0, 0), (7.0, 0, 0)]))
    np.testing.assert_allclose(shares, [0.1, np.nan, np.nan], rtol=1e-12)
    np.testing.assert_allclose(largest_usual(shares), 0.1, rtol=1e-12)
    np.testing.assert_array_equal(body_of_scene(scene, springs=True).rest, [1.0, np.nan, np.nan])
