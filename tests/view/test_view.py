"""Pictures: what they are made of, that they are not blank, and that they come out on a machine without graphics."""
import numpy as np
import pytest
from matplotlib.image import imread

from robotphi import Scene, build_model
from robotphi.record.recorder import Recorder
from robotphi.view import graphs, scenes, style
from robotphi.view.bodies import hull_triangles
from robotphi.view.stage import Stage

TIME = np.linspace(0.0, 2.0, 41)


@pytest.fixture(scope="module")
def model():
    scene = Scene("swing", duration=2.0)
    places = np.array([[x, y, 0.0] for x in range(3) for y in range(3)], float)
    nodes = scene.add_particles("net", places, 1.0, support=["xyz"] + [""] * 8)
    scene.add_linear("threads", nodes[:-1], nodes[1:], stiffness=100.0)
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (2, 3)]
    scene.add_rigid("box", corners, mass=2.0)
    scene.add_rigid("bar", [[3, 0, 0], [3, 1, 0]], mass=1.0, inertia=[1, 1, 1])
    return build_model(scene)


@pytest.fixture(scope="module")
def recording(model):
    recorder = Recorder(len(TIME))
    rigids = [np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))]
    for time in TIME:
        position = model.position * (1 + 0.1 * np.sin(time))
        ledger = {"kinetic": np.cos(time) ** 2, "elastic_linear": np.sin(time) ** 2, "gravity": -time,
                  "spring_dissipation": time, "work:pull": 0.0, "residual": 1e-6 * time, "reference_energy": 1.0}
        recorder.add_frame(time, position, 0 * position, *rigids, ledger=ledger)
    recorder.add_steps(TIME, 1e-3 + 0 * TIME, 0 * TIME, np.arange(len(TIME)) % 3)
    return recorder.recording(info={"scene": "swing", "budget": 1e-4, "control": "ledger"})


def assert_shows_something(path, colours=10):
    image = imread(path)[..., :3]
    assert image.shape[0] > 100
    assert len(np.unique((image * 255).astype(int) @ (1, 256, 65536))) > colours


def test_the_layers_of_the_ledger_add_up_to_start_plus_work(recording):
    layers, supplied = graphs.ledger_layers(recording)
    assert set(layers) == {"kinetic", "elastic_linear", "gravity", "spring_dissipation"}
    assert all((values >= 0).all() for values in layers.values())
    np.testing.assert_allclose(sum(layers.values()), supplied, rtol=0, atol=1e-12)


def test_the_slope_of_a_power_law_is_its_exponent():
    sizes = np.array([0.1, 0.05, 0.025])
    assert graphs.convergence_slope(sizes, 7 * sizes**2) == pytest.approx(2.0, abs=1e-12)


def test_every_graph_is_drawn(recording, tmp_path):
    sizes = np.array([0.1, 0.05, 0.025])
    for path in (
        graphs.draw_series(tmp_path / "a.png", TIME, {"x": TIME, "y": (TIME[:3], TIME[:3])}, "x [m]",
                           references={"exact": TIME}, log=True),
        graphs.draw_ledger(recording, tmp_path / "b.png"),
        graphs.draw_steps(recording, tmp_path / "c.png"),
        graphs.draw_convergence(tmp_path / "d.png", sizes, {"verlet": sizes**2}, order=2),
    ):
        assert_shows_something(path)


def test_a_step_history_of_one_row_or_none_is_drawn(recording, tmp_path):
    short = Recorder(1)
    short.add_frame(0.0, np.zeros((1, 3)), np.zeros((1, 3)), *[np.zeros((0, k)) for k in (3, 4, 3, 3, 3)], ledger={})
    assert graphs.draw_steps(short.recording(), tmp_path / "none.png").exists()


def test_a_shape_knows_springs_rigids_and_what_is_held(model):
    shape = scenes.shape_of(Stage(None, model))
    assert shape.springs.tolist() == [[k, k + 1] for k in range(8)]
    assert [list(particles) for particles in shape.rigids] == [list(range(9, 17)), [17, 18]]
    assert shape.held.tolist() == [0]
    assert shape.dots.tolist() == list(range(9))


def test_elongation_is_zero_at_rest_and_grows_with_the_scene(model):
    shape = scenes.shape_of(Stage(None, model))
    np.testing.assert_allclose(scenes.elongation_shares(shape, model.position), 0.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(scenes.elongation_shares(shape, 1.25 * model.position), 0.25, rtol=0, atol=1e-12)


def test_a_box_has_a_hull_and_a_bar_has_an_edge(model):
    shape = scenes.shape_of(Stage(None, model))
    box, bar = (model.position[particles] for particles in shape.rigids)
    assert len(hull_triangles(box)) == 12
    assert len(scenes.bare_edges(box)) == 0
    assert len(hull_triangles(bar)) == 0
    assert scenes.bare_edges(bar).tolist() == [[0, 1]]
    plate = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]], float)
    assert len(hull_triangles(plate)) == 2
    assert len(scenes.bare_edges(plate)) == 0
    assert len(hull_triangles(plate[:1])) == len(scenes.bare_edges(plate[:1])) == 0


def test_frames_stand_side_by_side(recording, model, tmp_path):
    path = scenes.picture_frames(recording, model, tmp_path / "frames.png", frames=3)
    assert_shows_something(path)
    height, width = imread(path).shape[:2]
    assert width > 1.3 * height


def test_a_picture_of_a_rope_keeps_a_usual_shape():
    image = np.full((900, 900, 3), 255)
    image[100:800, 449:451] = 0
    height, width = style.trimmed([image])[0].shape[:2]
    assert 700 < height < 760
    assert height / width < style.HIGHEST + 0.1
    assert style.trimmed([image.transpose(1, 0, 2)])[0].shape[0] > 100


def test_without_graphics_matplotlib_draws_the_same_and_says_so(recording, model, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "off_screen_window", lambda: None)
    path = scenes.picture_frames(recording, model, tmp_path / "plain.png", frames=[0, 40], view="front")
    assert_shows_something(path)


def test_a_graphics_library_that_kills_its_process_is_found_out(monkeypatch):
    monkeypatch.setattr(style, "TRIAL", "import os; os.abort()")
    assert style.off_screen_window.__wrapped__() is None


@pytest.mark.parametrize("view", list(scenes.VIEWS))
def test_a_projection_keeps_what_is_up_up(view):
    flat, depth = style.projected(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), np.array(scenes.VIEWS[view]))
    assert flat[0, 1] > flat[1, 1]
    assert abs(flat[0, 0]) < 1e-12
