"""Pictures of things that touch: where round things and shadows are, which edges are drawn, and that nothing is blank."""
import numpy as np
import pytest
from matplotlib.image import imread

from robotphi import ContactMaterial, Scene, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.view import style
from robotphi.view.touching import TouchingStage, ball_skin, merged, picture_touching, skin_of

HARD = ContactMaterial(stiffness=1e7)


@pytest.fixture(scope="module")
def scene():
    scene = Scene("things", duration=0.05, frames=5)
    scene.add_plane("ground", normal=(0.1, 0, 1), contact=HARD)
    scene.add_object("box", rigid(box(0.2, (0, 0, 0.5)), mass=1.0), contact=HARD)
    scene.add_ball("ball", (0.4, 0, 0.5), 0.1, mass=1.0, contact=HARD, spin=(0, 20.0, 0))
    scene.add_cylinder("cylinder", (0, 0.4, 0.5), (0.1, 0.6, 0.5), 0.05, mass=1.0, contact=HARD)
    scene.add_capsule("capsule", (0.4, 0.4, 0.5), (0.4, 0.6, 0.6), 0.05, mass=1.0, contact=HARD)
    grains = scene.add_particles("grains", [(-0.3, 0, 0.5), (-0.3, 0.2, 0.5)], 0.1, velocity=(1.0, 0, 0))
    scene.add_contact_balls("grain", grains, 0.03, contact=HARD)
    return scene


@pytest.fixture(scope="module")
def recording(scene):
    return simulate(scene)


def test_round_things_are_where_they_were_described(scene):
    for name, radius in (("ball", 0.1), ("cylinder", 0.05), ("capsule", 0.05)):
        thing = scene.touching[name]
        skin, ends = skin_of(scene, thing), scene.position[thing.particles]
        along = (skin.points - ends[0]) @ (ends[-1] - ends[0]) / max(np.sum((ends[-1] - ends[0]) ** 2), 1e-300)
        nearest = ends[0] + np.clip(along, 0, 1)[:, None] * (ends[-1] - ends[0])
        assert np.linalg.norm(skin.points - nearest, axis=1).max() == pytest.approx(radius, rel=1e-12)


def test_sectors_take_turns():
    skin = ball_skin(np.zeros(3), 1.0, -1, 0)
    middle = skin.points[skin.facets].mean(axis=1)
    octant = (middle > 0) @ [1, 2, 4]
    share = [skin.tone[octant == i].mean() for i in range(8)]
    assert np.allclose(share, 0.5)   # two sectors in each
    around = np.arctan2(middle[:, 1], middle[:, 0]) % (np.pi / 2) < np.pi / 4
    assert (skin.tone == (around == (middle[:, 2] > 0))).all() or (skin.tone == (around != (middle[:, 2] > 0))).all()


def test_round_things_move_and_turn_with_what_they_are_on(scene, recording):
    stage = TouchingStage(recording, scene)
    start, end = stage.panel(0).position, stage.panel(5).position
    first = scene.particle_count
    ball = slice(first, first + len(stage.skins[0].points))
    assert start[ball].mean(axis=0) == pytest.approx([0.4, 0, 0.5], abs=1e-9)
    moved = recording.rigid_position[5, 1] - recording.rigid_position[0, 1]
    angle = 20.0 * 0.05
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    assert end[ball] == pytest.approx((start[ball] - [0.4, 0, 0.5]) @ turn.T + [0.4, 0, 0.5] + moved, abs=1e-6)
    grain = len(stage.skins[-1].points)
    assert end[-grain:] == pytest.approx(start[-grain:] + recording.position[5, -1] - recording.position[0, -1], abs=1e-12)


def test_shadows_lie_on_the_ground_and_several_frames_in_one_panel(scene, recording):
    stage = TouchingStage(recording, scene)
    panel = merged([stage.panel(0), stage.panel(5)])
    assert len(panel.colours) == len(panel.body.facets) == 2 * len(stage.body.facets)
    assert panel.body.facets.max() < len(panel.position)
    ground, shadow = stage.on_ground([panel])[0].scenery
    normal = np.array((0.1, 0, 1)) / np.hypot(0.1, 1)
    assert np.abs(ground.points @ normal).max() < 1e-12
    assert np.ptp(shadow.points[np.unique(shadow.facets)] @ normal) < 1e-12
    assert len(shadow.facets) > 0.9 * len(panel.body.facets)


@pytest.mark.parametrize("plain", [False, True])
def test_pictures_are_not_blank(scene, recording, tmp_path, monkeypatch, plain):
    if plain:
        monkeypatch.setattr(style, "off_screen_window", lambda: None)
    for together in (False, True):
        path = picture_touching(recording, scene, tmp_path / f"{together}.png", 2, {"box": "#d9a441"}, together=together)
        assert imread(path).std() > 0.02
