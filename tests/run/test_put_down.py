"""Things put down: at the height where they just touch what is below, without overlap."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Motion, NoEquilibrium, Scene, SceneError, Simulator, build_model, place_on
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box

LAW = ContactMaterial(stiffness=1e7, friction=0.5)


def boxes(over, low=0.2):
    """A box over another one, by that gap."""
    scene = Scene("boxes", duration=1.0)
    scene.add_object("table", rigid(box(low, centre=(0, 0, 0.5 * low)), mass=1.0), support="xyz", contact=LAW)
    scene.add_object("box", rigid(box(0.1, centre=(0.03, 0, low + over + 0.05)), mass=1.0), contact=LAW)
    return scene


@pytest.mark.parametrize("over", [0.13, 0.0013, -0.002, -0.03])
def test_a_box_comes_to_stand_on_the_table(over):
    shift = place_on(boxes(over), "box", "table")
    np.testing.assert_allclose(shift, (0, 0, -over), atol=1e-15)


def test_in_a_simulator_it_is_moved_and_has_neither_force_nor_overlap():
    simulator = Simulator(build_model(boxes(0.07)))
    place_on(simulator, "box")
    assert simulator.state.rigid(0)[1, 2] == pytest.approx(0.25, abs=1e-15)
    np.testing.assert_allclose(simulator.state.position[simulator.model.scene.rigids[1].particles][:, 2].min(), 0.2, atol=1e-15)
    simulator.begin()
    assert len(simulator.recording().contacts(0).first) == 0
    assert simulator.state.ledger()["contact"] == 0.0


def test_a_gap_is_left():
    assert place_on(boxes(0.1), "box", gap=0.01)[2] == pytest.approx(-0.09, abs=1e-15)


def test_a_ball_touches_a_slope_at_its_radius():
    scene, normal = Scene("slope"), np.array([0.2, 0.0, 1.0]) / np.linalg.norm([0.2, 0.0, 1.0])
    scene.add_plane("slope", normal=normal, contact=LAW)
    scene.add_ball("ball", (0.3, 0.1, 1.0), 0.1, mass=1.0, contact=LAW)
    place = np.array([0.3, 0.1, 1.0]) + place_on(scene, "ball", "slope")
    assert place @ normal == pytest.approx(0.1, abs=1e-14)


def test_what_is_named_as_ground_alone_counts():
    scene = boxes(0.1)
    scene.add_plane("ground", contact=LAW)
    assert place_on(scene, "box", "ground")[2] == pytest.approx(-0.3, abs=1e-14)
    assert place_on(scene, "box")[2] == pytest.approx(-0.1, abs=1e-14)


def test_nonsense_is_refused():
    with pytest.raises(SceneError, match="touches nothing"):
        place_on(boxes(0.1), "bricks")
    with pytest.raises(SceneError, match="gap"):
        place_on(boxes(0.1), "box", gap=-1.0)
    with pytest.raises(SceneError, match="on itself"):
        place_on(boxes(0.1), "box", "box")
    scene = boxes(0.1)
    scene.gravity = np.zeros(3)
    with pytest.raises(SceneError, match="no gravity"):
        place_on(scene, "box")


def test_what_a_drive_or_motion_would_take_back_is_refused():
    scene = boxes(0.1)
    led = rigid(box(0.1, centre=(1.0, 0, 1.0)), mass=1.0)
    scene.add_object("led", led, contact=LAW, motion=Motion.of_drives(x=Drive.sine(0.1, 1.0)))
    scene.add_ball("driven", (2.0, 0, 1.0), 0.1, contact=LAW, support="xy", drive={"z": Drive.constant(0.0)}, mass=1.0)
    for name in ("led", "driven"):
        with pytest.raises(SceneError, match="follows a drive or a motion"):
            place_on(scene, name)


def test_beside_everything_the_search_ends_below_it():
    """The last looks are where all of the ball is below all of what bears, however far that is; fixed planes have no end,
    but those that it moves along or away from are never reached."""
    scene = boxes(0.1)
    scene.add_ball("ball", (5.0, 0, 1.0), 0.1, mass=1.0, contact=LAW)
    for ground in (None, "table"):
        with pytest.raises(NoEquilibrium, match=r"'ball' finds nothing within 1\.\d* m"):
            place_on(scene, "ball", ground)
    scene.add_height_field("hill", np.zeros((5, 5)), spacing=0.5, origin=(-1.0, -1.0, -0.5), contact=LAW)
    with pytest.raises(NoEquilibrium, match=r"'ball' finds nothing within 1\.\d* m"):
        place_on(scene, "ball", "hill")
    assert place_on(scene, "box", "hill")[2] == pytest.approx(-0.8, abs=1e-14)
    scene.add_plane("wall", (-3.0, 0, 0), (1.0, 0, 0), contact=LAW)
    with pytest.raises(NoEquilibrium, match="'ball' finds nothing within 0"):
        place_on(scene, "ball", "wall")
    scene.gravity = np.array((3.0, 0.0, -9.0))
    scene.add_plane("floor", (0, 0, -3.0), contact=LAW)
    assert place_on(scene, "ball", "floor")[2] == pytest.approx(-3.9, abs=1e-13)
