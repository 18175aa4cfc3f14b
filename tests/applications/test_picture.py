"""Pictures on grids: shapes, speeds of waves, what a hand takes hold of, pictures that are none."""
import numpy as np
import pytest
from PIL import Image

from robotphi import CheckFailed, RecordingError, ScenarioError, SceneError, build_model, simulate
from robotphi.applications.picture import Rubber, drag_scene, dragged, hand_scene, shape_of
from robotphi.applications.picture.effects import GRABBED
from robotphi.scenario import load_scenario
from robotphi.view import by_hand
from robotphi.view.printed import places_of, read_picture

SMALL = Rubber((9, 7))


def test_a_grid_has_the_shape_of_its_picture_and_is_refused_where_it_is_none():
    assert shape_of(1.5, 31) == (31, 21)
    assert shape_of(0.5, 41) == (21, 41)
    assert shape_of(50.0, 31) == (31, 5)
    with pytest.raises(SceneError, match="size is 3; give 5 to 401"):
        shape_of(1.0, 3)


def test_a_grid_has_no_waves_faster_than_its_springs():
    with pytest.raises(SceneError, match=r"no waves of 10 Hz; give less than 6\.37 Hz"):
        SMALL.turned(10.0)


def test_what_is_held_for_long_hangs_where_statics_has_it():
    """K u = F by the difference equation itself, not by modes."""
    at, (nu, nv) = SMALL.at(*GRABBED), SMALL.shape
    moved = dragged(SMALL, at, [((1.0, 0.0, 0.0), 0.0, np.inf)], [60.0])[0, ..., 0]
    pull = SMALL.stiffness * (moved[:-2, 1:-1] + moved[2:, 1:-1] + moved[1:-1, :-2] + moved[1:-1, 2:] - 4 * moved[1:-1, 1:-1])
    due = np.zeros((nu - 2, nv - 2))
    due[at[0] - 1, at[1] - 1] = -1.0
    assert np.abs(pull - due).max() < 1e-9


def test_a_check_fails_where_the_grid_is_not_the_one_that_was_said():
    module = load_scenario("image_effects").module
    right = module.grid((13, 9))
    recording = simulate(drag_scene(Rubber((13, 9), right.spacing, right.mass, 1.1 * right.stiffness), duration=1.0, frames=20))
    with pytest.raises(CheckFailed, match="off the sum of its modes"):
        module.dragged_right(recording, right, "drag", 1.0, 1e-4)


def test_a_hand_takes_hold_of_what_is_near_pulls_it_and_lets_go():
    hand = by_hand.Hand(build_model(hand_scene(SMALL, duration=2.0, frames=50)), SMALL.shape, SMALL.places)
    middle, aside = SMALL.places[4, 3], np.array([1.0, 0.0, 0.0])
    assert not hand.grab(middle + aside)
    assert hand.grab(middle + 0.01 * aside)
    assert hand.held == 4 * 7 + 3
    hand.move(middle + 0.1 * aside)
    for _ in range(20):
        hand.tick(0.04)
    pulled = hand.places[4, 3] - middle
    assert 0.02 < pulled[0] < 0.1
    assert np.abs(pulled[1:]).max() < 1e-9
    hand.release()
    for _ in range(60):
        hand.tick(0.04)
    assert hand.over
    assert np.abs(hand.places[4, 3] - middle).max() < 0.3 * pulled[0]
    assert len(hand.simulator.recording()) == 51


def test_without_a_screen_the_hand_says_so(monkeypatch):
    monkeypatch.setattr(by_hand, "has_screen", lambda: False)
    with pytest.raises(RecordingError, match="there is no screen here"):
        by_hand.play(None, (9, 7), SMALL.places, None)


def test_pictures_are_read_whatever_they_are_or_refused_by_name(tmp_path):
    Image.new("RGBA", (3000, 1000), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    image = read_picture(tmp_path / "clear.png")
    assert image.size == (1600, 533)
    assert image.getpixel((5, 5)) == (255, 255, 255)   # what one sees through shows paper
    (tmp_path / "text.png").write_text("no picture", encoding="utf-8")
    whole = (tmp_path / "clear.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[:len(whole) // 2])
    Image.new("L", (4, 100)).save(tmp_path / "thin.png")
    for name, told in (("text.png", "none that Pillow knows"), ("cut.png", "cannot be read as a picture"),
                       ("none.png", "there is no"), ("thin.png", "4 × 100 pixels")):
        with pytest.raises(RecordingError, match=told):
            read_picture(tmp_path / name)


def test_words_that_are_no_effect_and_grids_that_do_not_fit_are_told():
    module = load_scenario("image_effects").module
    with pytest.raises(ScenarioError, match="effect is 'melt'; give one of: drag"):
        module.build("melt")
    with pytest.raises(ScenarioError, match="movie is 'avi'"):
        module.build(movie="avi")
    recording = simulate(drag_scene(SMALL, duration=0.1, frames=2))
    with pytest.raises(RecordingError, match="a grid of 31 × 21 has 651 particles, this recording 63"):
        places_of(recording, (31, 21))
