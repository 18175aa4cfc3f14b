"""The window and what is written off screen: pictures and movies; keys, slider, timer and pointer do what they say."""
import shutil

import numpy as np
import pytest
from PIL import Image

from robotphi import SceneError
from robotphi.errors import RecordingError
from robotphi.view import movies, style, window
from robotphi.view.player import Player
from robotphi.view.quantities import QUANTITIES
from robotphi.view.stage import Stage
from tests.view import played

pytestmark = pytest.mark.skipif(style.off_screen_window() is None, reason="no graphics library for pyvista here")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(movies, "SIZE", (640, 360))


@pytest.fixture(scope="module")
def recording():
    return played.recording("swing")[0]


@pytest.fixture
def shown(recording):
    made = window.Window(Stage(recording), movies.plotter_of(True))
    yield made
    made.player.plotter.close()


def picture(shown):
    return shown.player.plotter.screenshot(return_img=True).astype(int)


def differ(a, b):
    return np.abs(a - b).max() > 15


def test_a_player_puts_things_where_the_recording_says(recording):
    player = Player(recording, movies.plotter_of(True), colour="speed")
    player.show(7)
    mesh, _, vertex = player._skins[-1]
    own = vertex < recording.position.shape[1]
    np.testing.assert_allclose(mesh.points[own], recording.position[7, vertex[own]], atol=1e-6)
    springs = player._lines[0]
    np.testing.assert_allclose(springs.points, recording.position[7, :16], atol=1e-6)
    player.plotter.close()


def test_pictures_show_the_time_the_colour_and_the_look(recording, tmp_path):
    made = [np.asarray(Image.open(movies.write_screenshot(recording, tmp_path / f"{number}.png", **how)), int)
            for number, how in enumerate(({}, {"time": 0.0}, {"colour": "strain"}, {"look": "top"}, {"show": ["frames"]}))]
    assert made[0].shape == (movies.SIZE[1], movies.SIZE[0], 3)
    assert all(differ(made[0], other) for other in made[1:])


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_that_is_known_can_be_painted(shown, name):
    if not QUANTITIES[name].known(shown.player.stage):
        with pytest.raises(RecordingError, match=name):
            shown.player.paint(name)
        return
    plain = picture(shown)
    shown.player.paint(name)
    assert differ(plain, picture(shown))
    shown.player.paint(None)
    assert not differ(plain, picture(shown))


def test_every_group_can_be_hidden_and_shown_again(shown):
    shown.go(12)
    before = picture(shown)
    for group in shown.player.shown:
        shown.player.toggle(group)
        assert differ(before, picture(shown)), group
        shown.player.toggle(group)
        assert not differ(before, picture(shown)), group


def test_keys_step_play_and_turn_back(shown):
    act = shown.keys
    act["Right"](), act["Right"](), act["Left"]()
    assert shown.player.frame == 1
    act["End"]()
    assert shown.player.frame == 12
    act["space"]()
    assert (shown.playing, shown.player.frame) == (True, 0)
    act["c"]()
    assert shown.player.colour == "speed"
    act["Home"]()
    assert shown.player.frame == 0


def test_a_second_of_play_is_a_second_of_the_recording_at_speed_one(shown):
    shown.keys["space"]()
    shown.speed = 1.0
    for _ in range(10):
        shown.tick(0.053)
    assert shown.player.frame == 5        # 0.53 s, a frame each 0.1 s
    shown.keys["space"]()
    shown.tick(10.0)
    assert shown.player.frame == 5


def test_what_is_picked_is_told_with_its_numbers(recording, shown):
    shown.go(4)
    before = picture(shown)
    shown.pick(recording.position[4, 6] + 1e-3)
    assert differ(before, picture(shown))
    words = shown.player.tell(shown.picked)
    assert words.startswith("net, particle 6")
    assert f"speed {np.linalg.norm(recording.velocity[4, 6]):.4g} m/s" in words
    shown.keys["Right"]()
    assert f"speed {np.linalg.norm(recording.velocity[5, 6]):.4g} m/s" in shown.player.tell(shown.picked)


def test_a_click_tells_what_is_under_the_pointer_and_one_beside_everything_tells_nothing(recording, shown):
    shown.connect()
    shown.go(4)
    plotter = shown.player.plotter
    plotter.show(interactive=False, auto_close=False)

    def press(x, y, key=None):
        plotter.iren.interactor.SetEventInformation(int(x), int(y), 0, 0, "\0", 0, key)

    def click(x, y):
        press(x, y)
        plotter.iren.interactor.LeftButtonPressEvent()
        plotter.iren.interactor.LeftButtonReleaseEvent()
        return shown.picked

    def seen(particle):
        plotter.renderer.SetWorldPoint(*shown.player._points[particle], 1.0)
        plotter.renderer.WorldToDisplay()
        return plotter.renderer.GetDisplayPoint()[:2]
    for particle in (5, 10):
        assert click(*seen(particle)) == particle
    box = shown.player.stage.surfaces["box"].particles
    near = box[np.argmin(np.linalg.norm(shown.player._points[box] - plotter.camera.position, axis=1))]
    middle = seen(near)
    assert click(*middle) in box
    assert shown.player.tell(shown.picked).startswith("box, particle")
    assert click(1, movies.SIZE[1] // 2) is None
    press(0, 0, "Right")
    plotter.iren.interactor.KeyPressEvent()
    assert shown.player.frame == 5


@pytest.mark.parametrize("ending", [".gif", ".webp", ".mp4"])
def test_a_movie_lasts_as_long_as_it_should_and_moves(recording, tmp_path, ending):
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg", reason="no ffmpeg here")
    path = movies.write_movie(recording, tmp_path / f"movie{ending}", speed=2.0, every=2)
    if ending == ".mp4":
        assert path.read_bytes()[4:8] == b"ftyp"
        return
    with Image.open(path) as movie:
        assert movie.n_frames == 7         # of frames 0, 2, … 12
        seen, lasts = [], 0
        for number in range(movie.n_frames):
            movie.seek(number)
            seen.append(np.asarray(movie.convert("RGB"), int))
            lasts += movie.info["duration"]
    assert differ(seen[0], seen[-1])
    assert abs(lasts - 600) <= 1000 // movies.RATE


def test_movies_show_frames_at_their_time(recording):
    assert movies.movie_frames(recording, 1.2 * movies.RATE / 12).tolist() == list(range(13))
    slow = movies.movie_frames(recording, 0.1)
    assert len(slow) == 12 * movies.RATE + 1
    assert np.bincount(slow).tolist() == [movies.RATE] * 12 + [1]


def test_what_cannot_be_is_refused_with_words(recording, tmp_path, monkeypatch):
    with pytest.raises(RecordingError, match=r"use one of: \.png"):
        movies.write_screenshot(recording, tmp_path / "picture.tga")
    with pytest.raises(RecordingError, match="no folder"):
        movies.write_movie(recording, tmp_path / "none" / "movie.gif")
    with pytest.raises(RecordingError, match="speed is 0"):
        movies.write_movie(recording, tmp_path / "movie.gif", speed=0.0)
    with pytest.raises(SceneError, match="oblique"):
        movies.write_screenshot(recording, tmp_path / "picture.png", look="above")
    monkeypatch.setattr(style, "off_screen_window", lambda: None)
    with pytest.raises(RecordingError, match="--html"):
        movies.write_screenshot(recording, tmp_path / "picture.png")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(movies, "is_linux", lambda: True)
    with pytest.raises(RecordingError, match="no screen"):
        window.open_window(recording)
