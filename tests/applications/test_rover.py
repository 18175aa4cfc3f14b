"""Rovers of six wheels: loads by statics of their own, slopes, ground, and what a report says of recordings."""
import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from robotphi import ContactMaterial, Path, Scene, SceneError, Simulator, Stepping, build_model, settle, simulate
from robotphi.applications.rover import (
    STONES,
    VEHICLES,
    WHEELS,
    Ground,
    RockerBogie,
    SoftChassis,
    add_boulders,
    add_rover,
    add_soft_rover,
    add_step,
    add_vehicle,
    add_wheel_motors,
    clearance,
    climbs,
    course_scene,
    draw_along,
    driven_wheel,
    hills,
    left_to_go,
    level_loads,
    loads_at_rest,
    path_over,
    picture_ground,
    read_ground,
    rough_course,
    rover_report,
    slide,
    slope_scene,
    standing_height,
    steer_along,
    towed_wheel,
)
from robotphi.applications.rover.readings import margin

TYRE = ContactMaterial(stiffness=2e7, restitution=0.3, speed=1.0, friction=0.7)
UP = np.array([0.0, 0.0, 1.0])
NOMINAL = RockerBogie()


def plane(dimensions, duration=0.1, frames=10, budget=1e-3, **more):
    scene = Scene("rover", duration=duration, frames=frames, gravity=(0.0, 0.0, -9.81), stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=TYRE)
    return scene, add_rover(scene, dimensions, TYRE, **more)


def test_level_loads_balance_forces_and_moments_of_the_whole():
    d = replace(NOMINAL, centre=(0.05, 0.03, 0.0), bogie=-0.15, wheel_mass=3.0, rocker_mass=4.0, differential="relation")
    load = level_loads(d)
    assert sum(load.values()) == pytest.approx(9.81 * d.mass, rel=1e-13)
    beams = 2.0 * d.rocker_mass * 0.5 * (d.front + d.bogie) + 2.0 * d.bogie_mass * 0.5 * (d.middle + d.rear)
    wheels = 2.0 * d.wheel_mass * (d.front + d.middle + d.rear)
    pitch = 9.81 * (d.body_mass * d.centre[0] + beams + wheels)
    assert sum(load[wheel] * d.x_of(wheel) for wheel in WHEELS) == pytest.approx(pitch, rel=1e-12)
    roll = sum(load[wheel] * (1.0 if wheel.startswith("left") else -1.0) for wheel in WHEELS) * d.track
    assert roll == pytest.approx(9.81 * d.body_mass * d.centre[1], rel=1e-12)
    np.testing.assert_allclose(list(level_loads(NOMINAL).values()), 9.81 * NOMINAL.mass / 6.0, rtol=1e-12)


@pytest.mark.parametrize("dimensions", [
    NOMINAL, replace(NOMINAL, differential="relation", centre=(0.04, 0.02, 0.0)), replace(NOMINAL, wheels="polyhedron"),
    replace(NOMINAL, bogies=False, centre=(0.05, 0.02, 0.0), profile=(0.117, 0.12, 0.117)),
    replace(NOMINAL, bogie=-0.16, body_mass=30.0, centre=(0.05, 0.0, 0.02))])
def test_at_rest_on_level_ground_the_wheels_bear_what_statics_says(dimensions):
    load, wanted = loads_at_rest(dimensions, TYRE), level_loads(dimensions)
    assert list(load) == list(wanted)
    np.testing.assert_allclose(list(load.values()), list(wanted.values()), rtol=1e-3)   # links pitch by tenths of a millimetre
    assert sum(load.values()) == pytest.approx(9.81 * dimensions.mass, rel=1e-6)


def test_a_driven_rover_goes_as_fast_as_its_rims_and_pays_for_it():
    scene, vehicle = plane(NOMINAL, 2.0, 40)
    add_wheel_motors(scene, vehicle, 0.3)
    report = rover_report(simulate(scene), NOMINAL)
    late = report.time > 1.0
    speed = np.polyfit(report.time[late], report.place[late, 0], 1)[0]
    assert speed == pytest.approx(0.3, rel=0.02)
    assert np.nanmax(np.abs(report.slip[late])) < 0.05
    assert report.energy > 0.5 * NOMINAL.mass * 0.25**2            # what moves has been paid for
    assert np.abs(report.torque).max() <= 20.0


def test_the_margin_against_tipping_is_that_of_a_square():
    corners = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.2, 0.1, 0.0]])
    assert margin(corners, np.array([0.0, 0.0, 1.0]), UP) == pytest.approx(np.pi / 4.0)
    assert margin(corners, np.array([0.5, 0.0, 1.0]), UP) == pytest.approx(np.arctan(0.5))
    assert margin(corners, np.array([1.5, 0.0, 1.0]), UP) == pytest.approx(-np.arctan(0.5))      # it tips
    assert np.isnan(margin(corners[:2], np.array([0.0, 0.0, 1.0]), UP))


def test_hills_follow_from_their_seed_and_ground_is_read_as_it_is_written(tmp_path):
    one, same, other = (hills(seed, (1.0, 0.5), 0.1, 0.2) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.heights, same.heights)
    assert np.abs(one.heights).max() == pytest.approx(0.2)
    assert not np.allclose(one.heights, other.heights)
    lines = [f"{10 * i!r},{j / 10!r},{1e3 * float(one.heights[i, j])!r}" for j in range(6) for i in range(11)]
    (tmp_path / "ground.csv").write_text("\n".join(["x [cm],y [m],z [mm]", *lines]), encoding="utf-8")
    read = read_ground(tmp_path / "ground.csv")
    np.testing.assert_allclose(read.heights, one.heights, rtol=1e-12)
    np.testing.assert_allclose(read.spacing, 0.1, rtol=1e-12)
    (tmp_path / "ground.csv").write_text("\n".join(["x [cm],y [m],z [mm]", *lines[:-1]]), encoding="utf-8")
    with pytest.raises(SceneError, match="give each x with each y"):
        read_ground(tmp_path / "ground.csv")


def test_ground_of_a_picture_is_as_high_as_it_is_bright(tmp_path):
    """White to the right and above: along x and y; 16 bits as well; files that are no pictures are told."""
    from PIL import Image

    grey = np.tile(np.linspace(0.0, 255.0, 64)[None], (32, 1))
    grey[:16] = 255.0
    for name, picture in (("8.png", grey.astype(np.uint8)), ("16.png", (257.0 * grey).astype(np.uint16))):
        Image.fromarray(picture).save(tmp_path / name)
        ground = picture_ground(tmp_path / name, (3.2, 1.6), 0.2, 0.1, (0.0, 0.0))
        assert ground.heights.shape == (33, 17)
        np.testing.assert_allclose(ground.height(np.linspace(0.2, 3.0, 9), 1.5), 0.2, atol=1e-6)
        np.testing.assert_allclose(ground.height(np.linspace(0.2, 3.0, 9), 0.1), np.linspace(-0.175, 0.175, 9), atol=5e-3)
    (tmp_path / "words.png").write_text("no picture")
    with pytest.raises(SceneError, match="cannot be read as a picture"):
        picture_ground(tmp_path / "words.png")


@pytest.mark.parametrize("dimensions", [NOMINAL, SoftChassis(), VEHICLES["four"]])
def test_a_vehicle_is_put_down_on_ground_that_is_not_level(dimensions):
    """On a level at 0.7 m exactly there; on a slope it touches where its foremost wheels do, and nothing is in the ground."""
    place = np.linspace(-2.0, 2.0, 41)
    level = Ground(np.full((41, 41), 0.7), (0.1, 0.1), (-2.0, -2.0))
    assert standing_height(level, dimensions) == pytest.approx(0.7, abs=1e-12)
    slope = Ground(np.tile(0.3 * place[:, None], (1, 41)), (0.1, 0.1), (-2.0, -2.0))
    due = 0.3 * dimensions.front + dimensions.radius * (np.sqrt(1.0 + 0.3**2) - 1.0)
    assert standing_height(slope, dimensions) == pytest.approx(due, abs=1e-4)


def test_a_path_beyond_the_ground_is_told():
    level = Ground(np.zeros((41, 31)), (0.1, 0.1), (-1.0, -1.5))
    with pytest.raises(SceneError, match=r"its path goes to x = 3\.4 m"):
        rough_course(level)
    assert rough_course(level, points=((0.3, 0.0), (2.0, 0.1)), boulders=()).things == ("step",)


def test_the_height_of_ground_is_that_of_the_triangles_of_contact():
    ground = Ground(np.array([[0.0, 1.0], [2.0, 7.0]]), (0.5, 0.5), (1.0, 0.0))
    assert ground.height(1.25, 0.25) == pytest.approx(3.5)       # on the diagonal
    assert ground.height(1.5, 0.0) == pytest.approx(2.0)
    assert ground.height(1.375, 0.125) == pytest.approx(0.75 * 2.0 + 0.25 * 7.0 - 0.25 * 2.0)
    assert ground.height(9.0, 9.0) == pytest.approx(7.0)         # beyond its edge it goes on level
    assert not ground.levelled(2.0).heights.any()


def test_wrong_dimensions_are_refused_with_what_would_work():
    for wrong, words in (({"bogie": 0.1}, "pivot lies between"), ({"roof": 0.2}, "turns no rocker"),
                         ({"wheels": "square"}, "polyhedron"), ({"profile": (0.1, 0.2)}, "evenly over the width"),
                         ({"wheels": "polyhedron", "profile": (0.1, 0.1)}, 'wheels="round"'), ({"radius": -1.0}, "radius"),
                         ({"sides": 2}, "sides"), ({"bogies": "no"}, "True or False"), ({"body": (0.6, 0.3, 0.0)}, "body")):
        with pytest.raises(SceneError, match=words):
            RockerBogie(**wrong)
    for wrong, words in (({"cells": (12, 6, 1.5)}, "whole number"), ({"cells": 3}, "three whole numbers"),
                         ({"front": -0.5}, "ahead of the middle"), ({"profile": (0.1, 0.0)}, "two or more radii")):
        with pytest.raises(SceneError, match=words):
            SoftChassis(**wrong)


def test_what_is_no_vehicle_tyre_wheel_or_ground_is_told():
    scene, vehicle = plane(NOMINAL)
    for make, words in ((lambda: add_rover(scene, {"front": 0.4}, TYRE, name="a"), "give a RockerBogie"),
                        (lambda: add_rover(scene, NOMINAL, None, name="b"), "give a ContactMaterial"),
                        (lambda: add_soft_rover(scene, NOMINAL, TYRE, name="c"), "give a SoftChassis"),
                        (lambda: level_loads(SoftChassis()), "give a RockerBogie"),
                        (lambda: add_wheel_motors(scene, vehicle, 0.2, wheels=["front left"]), "did you mean 'left front'"),
                        (lambda: Ground([0.0, 1.0], (1.0, 1.0), (0.0, 0.0)), "two by two at least"),
                        (lambda: rough_course(points=((0.3, 0.0), (np.nan, 0.0))), "finite")):
        with pytest.raises(SceneError, match=words):
            make()
    assert Ground([[0.0, 0.0], [1.0, 1.0]], (1.0, 1.0), (0.0, 0.0)).height(0.5, 0.5) == 0.5


def test_what_lies_on_the_ground_lies_fast():
    scene, _ = plane(NOMINAL)
    add_step(scene, "step", 1.0, 0.1, TYRE)
    names = add_boulders(scene, "boulder", 5, [(1.5, 0.2), (1.7, -0.2)], (0.2, 0.3), TYRE, hills(1, (3.0, 2.0)))
    assert names == ("boulder 1", "boulder 2")
    assert scene.position[scene.objects["step"].particles, 2].max() == pytest.approx(0.1)
    held = [scene.objects[name].rigids[0] for name in ("step", *names)]
    assert all(rigid.is_prescribed for rigid in held)


@pytest.mark.parametrize("height", [0.02, 0.04, 0.06])
@pytest.mark.parametrize("scene", [towed_wheel, driven_wheel])
def test_a_wheel_climbs_a_step_from_the_closed_form_on(scene, height):
    """By tow, or by friction where it is driven. Of the 2 % up to one are the 0.3 to 0.4 mm by which the edge is pressed in."""
    assert not climbs(simulate(scene(height, 0.98)), height)
    assert climbs(simulate(scene(height, 1.02)), height)


def field(dimensions, add, height=0.0, duration=0.1, **more):
    """A vehicle on a field that is level, or on hills."""
    scene = Scene("rover", duration=duration, frames=20, gravity=(0.0, 0.0, -9.81), stepping=Stepping(budget=1e-3))
    ground = hills(1, (3.0, 2.4), 0.1, height, 0.8, (-1.0, -1.2)).levelled(0.6)
    ground.add_to(scene, TYRE)
    return scene, add(scene, dimensions, TYRE, **more), ground


@pytest.mark.parametrize("dimensions", [NOMINAL, replace(NOMINAL, bogies=False, centre=(0.05, 0.02, 0.0)),
                                        replace(NOMINAL, profile=(0.117, 0.12, 0.117), centre=(0.04, 0.02, 0.0))])
def test_round_wheels_on_a_field_bear_what_statics_says(dimensions):
    simulator = Simulator(build_model(field(dimensions, add_rover)[0]))
    settle(simulator)
    wanted = np.array([level_loads(dimensions)[wheel] for wheel in dimensions.wheel_names])
    np.testing.assert_allclose(rover_report(simulator.run(), dimensions).load[-1], wanted, rtol=1e-3)


def test_a_report_of_a_soft_chassis_knows_where_its_mass_is():
    dimensions = SoftChassis()
    scene, vehicle, _ = field(dimensions, add_soft_rover, duration=0.005)
    report = rover_report(simulate(scene), dimensions)
    assert vehicle.axles.keys() == set(WHEELS)
    plate, bottom = dimensions.mass - 18.0, report.wheel[0, 0, 2] + 0.5 * dimensions.hub[2]
    height = (plate * (bottom + 0.5 * dimensions.plate[2]) + 18.0 * report.wheel[0, 0, 2]) / dimensions.mass
    np.testing.assert_allclose(report.place[0], (0.0, 0.0, height), atol=1e-6)


def test_room_under_a_vehicle_is_that_of_a_ridge_between_its_wheels():
    ground = Ground(np.zeros((61, 41)), (0.05, 0.05), (-1.0, -1.0))
    path = path_over(ground, [(0.3, 0.0), (1.0, 0.0)])
    assert clearance(ground, path, NOMINAL).least == pytest.approx(0.225)     # 0.3 to the pivots, half a body of 0.15 m
    heights = np.zeros((61, 41))
    heights[:, 20] = 0.1                                                      # along y = 0, between left and right
    assert clearance(Ground(heights, ground.spacing, ground.origin), path, NOMINAL).least == pytest.approx(0.125)


def test_loose_stones_lie_on_the_ground_and_weigh_what_they_are():
    scene, _, ground = field(NOMINAL, add_rover, height=0.1)
    name, = add_boulders(scene, "stone", 3, [(1.2, 0.1)], 0.08, TYRE, ground, density=2600.0)
    corners = scene.position[scene.objects[name].particles]
    below = corners[:, 2] - ground.height(corners[:, 0], corners[:, 1])
    assert 0.0 < below.min() < 2e-3
    assert not scene.objects[name].rigids[0].is_prescribed


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_with_its_wheels_held_it_slides_from_the_angle_of_friction_on(share):
    angle = share * np.arctan(0.7)
    exact = 9.81 * (np.sin(angle) - 0.7 * np.cos(angle))       # it slid while its tyres took up the slope, and slows below
    assert slide(simulate(slope_scene(NOMINAL, TYRE, share, 0.7))) == pytest.approx(exact, rel=0.01)


def test_a_rover_that_a_step_stops_says_where_and_why():
    scene, vehicle = plane(NOMINAL, 3.0, 60)
    add_step(scene, "step", 0.6, 0.2, TYRE)          # higher than the axles, with too little friction
    scene.set_contact("step", "wheels", ContactMaterial(stiffness=2e7, restitution=0.3, speed=1.0, friction=0.2))
    add_wheel_motors(scene, vehicle, 0.25)
    report = rover_report(simulate(scene), NOMINAL)
    assert "stands at x = 0." in report.reason(0.7)
    assert report.figures()["slip, most"] > 0.9


@pytest.mark.slow
def test_a_rover_drawn_over_hills_keeps_to_its_path(tmp_path):
    ground = hills(2, (3.0, 2.0), 0.1, 0.06, 0.8, (-1.0, -1.0)).levelled(0.5)
    scene = Scene("rover", duration=3.0, frames=60, gravity=(0.0, 0.0, -9.81), stepping=Stepping(budget=1e-3))
    ground.add_to(scene, TYRE)
    path = Path([[0.3, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    draw_along(scene, add_rover(scene, NOMINAL, TYRE), path, 0.25)
    report = rover_report(simulate(scene), NOMINAL, path)
    assert report.load.mean() * 6.0 == pytest.approx(report.weight, rel=0.05)
    assert np.abs(report.along).max() < 0.15                     # 0.3 of the weight over 800 N/m
    assert report.reason(0.7) == ""
    report.table().to_csv(tmp_path / "rover.csv")
    report.to_json(tmp_path / "rover.json", seed=2)
    with (tmp_path / "rover.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 61
    told = json.loads((tmp_path / "rover.json").read_text(encoding="utf-8"))
    assert told["seed"] == 2
    assert told["figures"]["distance [m]"] == pytest.approx(report.distance)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_vehicle_steers_to_the_side_on_which_its_path_lies(way):
    scene, vehicle = plane(NOMINAL, 3.0, 30)
    path = Path([[0.4, 0.0, 0.0], [0.9, way * 0.1, 0.0], [1.3, way * 0.3, 0.0]])
    motors = steer_along(scene, vehicle, path, 0.3)
    assert tuple(motors) == WHEELS
    report = rover_report(simulate(scene), NOMINAL)
    front = 0.5 * (report.wheel[-1, WHEELS.index("left front")] + report.wheel[-1, WHEELS.index("right front")])
    assert way * front[1] > 0.05
    assert np.linalg.norm(report.torque[:, 0]) > 0.0


def test_a_vehicle_stops_where_its_path_ends():
    scene, vehicle = plane(VEHICLES["four"], 5.0, 50)
    steer_along(scene, vehicle, Path([[0.4, 0.0, 0.0], [0.7, 0.0, 0.0]]), 0.3)
    report = rover_report(simulate(scene), VEHICLES["four"])
    front = report.wheel[:, report.wheels.index("left front"), 0]
    assert front[-1] == pytest.approx(0.7, abs=0.02)
    assert abs(front[-1] - front[-6]) < 0.02


def test_a_course_has_what_it_is_told_and_any_vehicle_stands_on_it():
    course = rough_course(seed=2, height=0.05, stones=STONES[:2])
    for name, dimensions in VEHICLES.items():
        scene = Scene(name, duration=0.1, frames=1, gravity=(0.0, 0.0, -9.81))
        course.add_to(scene, TYRE)
        assert add_vehicle(scene, dimensions, TYRE).dimensions is dimensions
        things = [each for each in scene.objects if each.startswith(("step", "boulder", "stone"))]
        assert things == ["step", *(f"boulder {k + 1}" for k in range(len(course.boulders))), "stone 1", "stone 2"]
    bare = Scene("bare", duration=0.1, frames=1)
    rough_course(seed=2, step=(), boulders=()).add_to(bare, TYRE)
    assert not bare.objects
    np.testing.assert_allclose(course.path.at(0.0)[:2], course.points[0], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["six", "four", "soft"])
def test_a_course_is_finished_on_its_wheels(name):
    course = rough_course()
    report = rover_report(simulate(course_scene(VEHICLES[name], course, TYRE, duration=20.0)), VEHICLES[name])
    assert left_to_go(report, course, "motors") < 0.03
    assert (report.pressed > 0.0).mean() > 0.99
