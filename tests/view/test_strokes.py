"""Strokes: tendons, pulls with their goals and paths, led bodies and motors are where the recording says, and are drawn."""
import numpy as np
import pytest

from robotphi import Drive, Motion, Path, Scene, simulate
from robotphi.scene.turns import rotation_about
from robotphi.view import scenes, solids, style, touching
from robotphi.view.stage import Stage
from robotphi.view.strokes import BALL, BEYOND, CROWD, LED, MOTOR, PATH, PULL, TENDONS, strokes_of
from tests.view.test_view import assert_shows_something

FREE = {"gravity": (0.0, 0.0, 0.0)}
ROUND = Path([(0.5, 0, 0), (0.5, 0.4, 0), (0.9, 0.4, 0.1)])


@pytest.fixture(scope="module")
def recording():
    scene = Scene("strokes", duration=0.4, frames=8, **FREE)
    link = scene.add_rigid("link", [(0, 0, 0), (0.4, 0, 0)], mass=1.0, inertia=(0.01, 0.02, 0.02),
                           points={"tip": (0.4, 0, 0.1)})
    scene.add_joint("hinge", "revolute", None, link, at=(0, 0, 0), axis=(0, 0, 1))
    scene.add_joint("slide", "prismatic", link, scene.add_rigid("end", [(0.4, 0, 0), (0.5, 0, 0)], mass=0.2,
                                                                inertia=(0.01, 0.01, 0.01)), at=(0.4, 0, 0), axis=(1, 0, 0))
    scene.add_motor("drive", "hinge", torque=0.1)
    p = scene.add_particles("p", [(0.6, 0, 0), (0.6, 0.2, 0.1), (0.6, 0.3, 0.2)], 0.1)
    scene.add_tendon("cable", [(link, "tip"), p[0], p[1]], 10.0, rest_length=0.3)
    scene.add_pull("carrot", p[2], ROUND, 20.0, speed=1.0)
    scene.add_pull("to place", p[0], (0.7, 0, 0), 5.0)
    scene.add_pull("to body", p[1], (link, "tip"), 5.0)
    scene.add_pull("middle", p, (0.6, 0.2, 0.3), 5.0, whole=True)
    scene.add_pull("calm", p, (0, 0, 0), damping=0.1)
    scene.add_duplicate("turned", p[2], 5.0, rotation=((0, 0, 1), Drive.table([0, 1], [0, 1])), about=(0.5, 0.3, 0.2))
    scene.add_field("keep out", [p[0], p[1]], "ball", 1e-3, centre=(2, 1, 0), width=0.1, radius=0.2)
    scene.add_field("keep off", [p[0], p[1]], "ball", 1e-3, around=(link, "tip"), width=1e-3, radius=0.01)
    scene.add_particles("many", [(0.01 * k, 1, 0) for k in range(CROWD + 1)], 0.1)
    scene.add_pull("crowd", "many", (0, 1, 0), 1.0)
    led = Motion([0, 0.2, 0.4], [(1, 0, 0), (1.1, 0.1, 0), (1.2, 0, 0)])
    scene.add_rigid("led", [(1, 0, 0), (1, 0.1, 0), (1, 0, 0.1)], mass=1.0, motion=led)
    return simulate(scene)


def test_every_stroke_stands_where_the_recording_says(recording):
    stage, frame = Stage(recording), 5
    found = strokes_of(stage, frame)
    x = recording.position[frame]
    names = {name: thing.indices for name, thing in stage.scene.things.items() if hasattr(thing, "indices")}
    p, tip = names["p"], names["link.tip"][0]

    def of(colour, lines=True):
        return [stroke.points for stroke in found if stroke.colour == colour and (stroke.width > 0.0) == lines]
    cable = [(stroke.points, stroke.colour) for stroke in found if stroke.colour in TENDONS]
    assert len(cable) == 1
    np.testing.assert_array_equal(cable[0][0], x[[tip, p[0], p[1]]])
    carrot = np.array(ROUND.at(recording.time[frame]))
    turn = recording.time[frame]
    arm = stage.scene.position[p[2]] - (0.5, 0.3, 0.2)
    turned = (0.5, 0.3, 0.2) + rotation_about((0, 0, 1), turn) @ arm
    wanted = [(x[p[2]], carrot), (x[p[0]], (0.7, 0, 0)), (x[p[1]], x[tip]), (x[p].mean(axis=0), (0.6, 0.2, 0.3)),
              (x[p[2]], turned)]
    np.testing.assert_allclose([points[:2] for points in of(PULL)], wanted, atol=1e-4)   # then heads; a path is a table
    np.testing.assert_allclose(np.concatenate(of(PULL, lines=False)), [goal for _, goal in wanted], atol=1e-4)
    balls = of(BALL)
    assert len(balls) == 6      # three circles of each, though two things are kept out
    for circles, middle, radius in ((balls[:3], (2, 1, 0), 0.2), (balls[3:], x[tip], 0.01)):
        np.testing.assert_allclose([np.linalg.norm(each - middle, axis=1) for each in circles], radius)
        np.testing.assert_allclose([np.ptp(each, axis=0).min() for each in circles], 0.0, atol=1e-12)
        assert {int(np.ptp(each, axis=0).argmin()) for each in circles} == {0, 1, 2}
    paths = of(PATH)
    assert len(paths) == 2
    np.testing.assert_allclose(paths[0], [ROUND.at(time) for time in recording.time], atol=1e-4)
    np.testing.assert_array_equal(of(LED), [recording.rigid_position[:, 2]])
    hinge = stage.joints(frame)[0]
    axis, around = of(MOTOR)
    np.testing.assert_allclose(axis, hinge.mean(axis=0) + BEYOND * (hinge - hinge.mean(axis=0)))
    np.testing.assert_allclose((around[:-3] - hinge.mean(axis=0)) @ (hinge[1] - hinge[0]), 0.0, atol=1e-12)


def test_colours_of_tendons_tell_their_tension_and_arrows_of_motors_their_sense():
    scene = Scene("pulled", duration=1.0, frames=4, **FREE)
    wheel = scene.add_rigid("wheel", [(0.1, 0, 0)], mass=1.0, centre=(0, 0, 0), inertia=(0.01, 0.01, 0.01))
    scene.add_joint("hinge", "revolute", None, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    scene.add_motor("motor", "hinge", torque=Drive.steps([-1.0, 0.4, 0.6], [-1e-3, 0.0, 1e-3]))
    posts = scene.add_particles("posts", [(0, 1, 0), (1, 1, 0), (1, 2, 0)], 1.0, support="xyz")
    scene.add_tendon("rising", posts[:2], tension=Drive.table([0.0, 1.0], [0.0, 8.0]))
    scene.add_tendon("steady", posts[1:], tension=3.0)
    stage = Stage(simulate(scene))
    colours = [[stroke.colour for stroke in strokes_of(stage, frame) if stroke.colour in TENDONS] for frame in range(5)]
    assert [rising for rising, _ in colours] == [*TENDONS, TENDONS[-1]]
    assert {steady for _, steady in colours} == {TENDONS[1]}   # 3 of 8 N
    senses = []
    for frame in range(5):
        arrows = [stroke.points for stroke in strokes_of(stage, frame) if stroke.colour == MOTOR][1:]
        senses.append(sum(float(np.sign(np.cross(arrow[0], arrow[1])[2])) for arrow in arrows))
    assert senses == [-1.0, -1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("plain", [False, True])
def test_strokes_are_in_every_kind_of_picture_and_none_is_cut_off(recording, tmp_path, monkeypatch, plain):
    if plain:
        monkeypatch.setattr(style, "off_screen_window", lambda: None)
    for number, draw in enumerate((scenes.picture_frames, solids.picture_frames, touching.picture_touching)):
        assert_shows_something(draw(recording, tmp_path / f"{number}.png", 2))


def test_a_goal_far_from_all_things_is_in_the_picture(recording):
    shape = scenes.shape_of(Stage(recording))
    far = scenes.strokes_of(Stage(recording), 0)[:1]
    far = (far[0]._replace(points=np.array([(9.0, 0, 0)])),)
    middle, radius = scenes._bounds([(shape._replace(strokes=far), recording.position[0])])
    assert np.linalg.norm(middle - (9.0, 0, 0)) <= radius
