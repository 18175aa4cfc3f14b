"""Pictures of solids: which edges, springs and balls they show, and that they are not blank with and without graphics."""
import numpy as np
import pytest
from matplotlib.image import imread

from robotphi import Scene
from robotphi.discretise.deform import deformable
from robotphi.discretise.matter.material import Material
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box
from robotphi.record.recorder import Recorder
from robotphi.view import bodies, solids, style

TIME = np.linspace(0.0, 1.0, 5)


@pytest.fixture(scope="module")
def mesh():
    return discretise(box((2.0, 1.0, 1.0)), counts=(4, 2, 2))


@pytest.fixture(scope="module")
def thing(mesh):
    return deformable(mesh, Material(1e5))


@pytest.fixture(scope="module")
def scene(thing):
    made = Scene("shelf", duration=1.0)
    ground = made.add_particles("ground", [[-1, -0.5, -1], [1, 0.5, -1]], 0.0, support="xyz")
    placed = made.add_object("block", thing)
    made.add_linear("legs", ground, placed.particles[:2], stiffness=10.0)
    made.add_particle("fly", (0, 0, 2), 1e-3)
    return made


def assert_shows_something(path):
    image = imread(path)[..., :3]
    assert image.shape[0] > 100
    assert len(np.unique((image * 255).astype(int) @ (1, 256, 65536))) > 50


def test_a_block_shows_the_sides_of_its_cells_and_no_diagonals(mesh, thing):
    # Euler: of the E edges of a surface of quadrilaterals F = 2 (8 + 8 + 4) = 40 there are 2 F
    for one in (mesh, thing):
        body = bodies.body_of(one)
        assert len(body.edges) == 80
        assert len(body.facets) == 80
        np.testing.assert_allclose(np.linalg.norm(np.diff(mesh.points[body.edges], axis=1), axis=-1), 0.5, rtol=1e-12)


def test_a_sheet_without_volume_cells_shows_the_edges_of_its_facets():
    flat = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], {"triangle": np.array([[0, 1, 2], [0, 2, 3]])})
    body = bodies.body_of(sheet(flat, Material(1e5), 0.01))
    assert body.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]


def test_only_sharp_edges_and_open_ones_are_strong(mesh, thing):
    strong = bodies.strong_edges(bodies.body_of(thing), thing.position)
    # the twelve edges of the box: four of 4 cells and eight of 2
    assert len(strong) == 4 * 4 + 8 * 2
    surface = Mesh(mesh.points, {"triangle": mesh.triangles[:1]})
    assert len(bodies.strong_edges(bodies.body_of(surface), mesh.points)) == 3


def test_springs_and_particles_are_shown_where_asked_for(thing):
    assert len(bodies.body_of(thing).springs) == len(bodies.body_of(thing).dots) == 0
    body = bodies.body_of(thing, springs=True, dots=True)
    assert len(body.springs) == len(thing.springs["linear"])
    assert len(body.dots) == len(thing.position)


def test_a_scene_shows_objects_as_solids_and_the_rest_as_springs_and_balls(scene, thing):
    body = bodies.body_of_scene(scene)
    assert body.facets.tolist() == scene.objects["block"].facets.tolist()
    assert body.springs.tolist() == [[0, 2], [1, 3]]
    assert body.held.tolist() == [0, 1]
    assert body.dots.tolist() == [len(thing.position) + 2]
    np.testing.assert_array_equal(scene.position[body.edges], thing.position[bodies.body_of(thing).edges])


def test_a_mesh_cut_open_shows_its_inside(mesh):
    half = bodies.cut_open(mesh, (1, 0, 0), (0, 0, 0))
    assert len(half.cells["hexahedron"]) == 8
    assert len(bodies.body_of(half).facets) == 48


def test_displacement_and_elongation_follow_a_stretch(thing):
    longer = thing.position * 1.1
    np.testing.assert_allclose(bodies.elongation(thing, longer), 0.1, rtol=1e-12)
    moved = bodies.displacement(longer, thing.position)
    np.testing.assert_allclose(moved, 0.1 * np.linalg.norm(thing.position, axis=1), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("graphics", [True, False])
def test_bodies_stand_side_by_side(thing, mesh, tmp_path, monkeypatch, graphics):
    if not graphics:
        monkeypatch.setattr(style, "off_screen_window", lambda: None)
    panels = [solids.Panel(bodies.body_of(thing, springs=True, dots=True), 1.1 * thing.position, title="springs",
                           opacity=solids.SEEN_THROUGH),
              solids.Panel(bodies.body_of(mesh), mesh.points, mesh.points[:, 2], "height"),
              solids.Panel(bodies.body_of(mesh), mesh.points, title="plain\nin two lines")]
    path = solids.picture_solids(panels, tmp_path / "solids.png", "height [m]", own_scale=True, heading="Blocks",
                                 view=["oblique", "front", "top"])
    assert_shows_something(path)
    height, width = imread(path).shape[:2]
    assert width > 1.3 * height


@pytest.mark.parametrize("value", ["displacement", "height", None, lambda position: position[:, 0]])
def test_frames_of_a_recording_are_drawn(scene, tmp_path, value):
    recorder = Recorder(len(TIME))
    rigids = [np.zeros((0, size)) for size in (3, 4, 3, 3, 3)]
    for time in TIME:
        recorder.add_frame(time, scene.position * (1 + 0.2 * time), 0 * scene.position, *rigids, ledger={})
    assert_shows_something(solids.picture_frames(recorder.recording(), scene, tmp_path / "frames.png", 3, value, label="m"))


def test_colours_of_one_value_only_are_drawn(mesh, tmp_path):
    panel = solids.Panel(bodies.body_of(mesh), mesh.points, np.ones(len(mesh.points)))
    assert_shows_something(solids.picture_solids([panel], tmp_path / "one.png"))
