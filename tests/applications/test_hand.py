"""Hands: geometry against its own equation, quality against closed forms, grasps that hold or fall, files that are told."""
import csv
import json

import numpy as np
import pytest

from robotphi import RobotphiError, SceneError, build_model, simulate
from robotphi.applications.hand import Dimensions, Thing, grasp_report, grasp_scene, holding_friction, least_friction
from robotphi.applications.hand.grasping import GAP
from robotphi.applications.hand.quality import grasp_quality, space, wrenches
from robotphi.applications.hand.report import save_grasps
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns
from robotphi.scenario import load_scenario

WEIGHT = 0.05 * 9.81   # N


def test_angles_bring_a_pad_to_its_place_and_what_is_out_of_reach_is_refused():
    d = Dimensions()
    for pad, r, s in (("tip", 0.04, 0.09), ("pulp", 0.03, 0.06)):
        first, second = d.angles(pad, r, s)
        last = d.along(pad)
        place = (d.base - d.links[1] * np.sin(first) - last * np.sin(first + second),
                 d.links[0] + d.links[1] * np.cos(first) + last * np.cos(first + second))
        np.testing.assert_allclose(place, (r, s), atol=1e-15)
    with pytest.raises(SceneError, match="give a place between"):
        d.angles("tip", 0.04, 0.2)


@pytest.mark.parametrize("thing", [Thing.sphere(), Thing.cylinder(), Thing.mesh(shapes.cone(0.03, 0.06, 24, 0.02))],
                         ids=lambda thing: thing.kind)
@pytest.mark.parametrize("grasp", ["tip", "palm"])
def test_pads_are_drawn_a_gap_away_from_what_they_are_to_grasp(thing, grasp):
    made = grasp_scene(thing, grasp)
    for finger in made.hand.fingers:
        middle = made.scene.position[finger.pads["tip"].particles[0]]
        goal = made.goals[made.hand.fingers.index(finger)]
        away = (middle - goal) / np.linalg.norm(middle - goal)
        place, normal = thing.met(middle, -away)
        lean = normal @ away   # 1 where the normal lies in the plane of the finger, as that of the first two does
        assert lean > (0.98 if thing.kind == "mesh" else 1.0 - 1e-12)
        np.testing.assert_allclose((middle - place) @ normal, made.hand.dimensions.pad + GAP * lean, rtol=1e-9)


def test_rays_meet_things_where_they_are():
    place, normal = Thing.sphere(0.03).met((0.1, 0.0, 0.018), (-1.0, 0.0, 0.0))
    np.testing.assert_allclose(place, (0.024, 0.0, 0.018), atol=1e-15)
    np.testing.assert_allclose(normal, (0.8, 0.0, 0.6), atol=1e-15)
    place, normal = Thing.cylinder(0.03, 0.06).met((0.01, 0.0, -1.0), (0.0, 0.0, 1.0))
    np.testing.assert_allclose((*place, *normal), (0.01, 0.0, -0.03, 0.0, 0.0, -1.0), atol=1e-12)
    place, normal = Thing.cylinder(0.03, 0.06).met((0.1, 0.0, 0.01), (-1.0, 0.0, 0.0))   # past planes of faces beside it
    np.testing.assert_allclose((*place, *normal), (0.03, 0.0, 0.01, 1.0, 0.0, 0.0), atol=1e-12)
    with pytest.raises(SceneError, match="aim at it"):
        Thing.cylinder(0.03, 0.06).met((0.1, 0.1, 0.0), (0.0, 0.0, 1.0))


def test_the_wrench_space_of_pushes_along_all_axes_is_a_cross_polytope():
    found = space(np.vstack([np.eye(6), -np.eye(6)]))
    np.testing.assert_allclose(found, (1.0 / np.sqrt(6.0), 2.0**6 / 720.0), rtol=1e-12)


def test_quality_is_the_least_wrench_that_no_forces_resist():
    """In any direction u the hull reaches max u·w, never less than epsilon, and just that where it is least."""
    turns = 2.0 * np.pi / 3.0 * np.arange(3)
    n = -np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
    found, quality = wrenches(-0.03 * n, n, 0.5, np.zeros(3), 0.03), grasp_quality(-0.03 * n, n, 0.5, np.zeros(3), 0.03)
    directions = np.random.default_rng(3).normal(size=(20000, 6))
    reach = (directions / np.linalg.norm(directions, axis=1)[:, None] @ found.T).max(axis=1)
    assert 0.0 < quality.epsilon <= reach.min() <= 2.0 * quality.epsilon
    assert (found[:, 2].max(), -found[:, 2].min()) == pytest.approx((0.5, 0.5))   # up and down: friction alone
    moments = np.cross(-0.03 * np.repeat(n, 8, axis=0), found[:, :3]) / 0.03
    np.testing.assert_allclose(found[:, 3:], moments, atol=1e-15)


def test_contacts_that_leave_a_wrench_free_have_no_quality():
    points = np.array([[0.03, 0.0, 0.0], [-0.03, 0.0, 0.0]])   # two points: nothing resists a turn about their line
    assert grasp_quality(points, -points, 0.8, np.zeros(3), 0.03) == (0.0, 0.0)
    assert grasp_quality(points[:1], -points[:1], 0.8, np.zeros(3), 0.03) == (0.0, 0.0)
    assert grasp_quality(np.empty((0, 3)), np.empty((0, 3)), 0.8, np.zeros(3), 0.03) == (0.0, 0.0)


def held(way="servos", **more):
    made = grasp_scene(**{"way": way, "duration": 1.0, "frames": 50, **more})
    return grasp_report(simulate(made.scene), more.get("friction", 0.8), made.thing.radius)


@pytest.mark.parametrize("more", [
    pytest.param({"shake": (0.005, 4.0)}, id="shaken"), pytest.param({"grasp": "pulp"}, id="pulp"),
    pytest.param({"thing": Thing.mesh(shapes.cone(0.03, 0.06, 24, 0.02))}, id="mesh"),
    pytest.param({"way": "pulls"}, id="pulls", marks=pytest.mark.slow)])
def test_it_is_held_with_high_friction(more):
    grasp = held(**more)
    assert grasp.held
    assert (grasp.moved < 3e-3, grasp.slip) == (True, 0.0)
    assert len(grasp.pads) == 3
    assert ((grasp.use > 0.0) & (grasp.use < 1.0)).all()
    assert grasp.quality.epsilon > 0.1
    if "shake" not in more:
        np.testing.assert_allclose((grasp.normal[:, None] * grasp.inwards + grasp.rubbing).sum(axis=0), (0.0, 0.0, WEIGHT),
                                   atol=1e-4 * WEIGHT)


@pytest.mark.parametrize(("friction", "stays"), [(0.8, True), (0.05, False)])
def test_soft_tips_hold_with_high_friction_and_let_slip_with_low(friction, stays):
    """Three cubes of 2e5 Pa on exact joints; at 0.05 three fingers of 2 N bear 0.3 N of 0.49 N."""
    made = grasp_scene(friction=friction, dimensions=Dimensions(tips="soft"), duration=1.0, frames=50)
    recording = simulate(made.scene)
    grasp = grasp_report(recording, friction, made.thing.radius)
    assert grasp.held is stays
    assert recording.scene.objects["hand finger 1 tip"].object.facets.size > 0
    if stays:
        assert grasp.unbalance(made.thing.mass) < 1e-2   # soft pads still swing a little half a second after
        assert len(grasp.pads) == 3


def test_the_vertices_of_a_soft_pad_together_rub_as_stiffly_as_a_round_pad():
    """On a sphere a pad has one spring of friction, on what is flat one for each of the 4 × 4 vertices of its face."""
    soft = Dimensions(tips="soft", cells=3)
    one, each = (build_model(grasp_scene(thing, dimensions=soft).scene).arrays.contact.law[:, columns.TANGENTIAL].max()
                 for thing in (Thing.sphere(), Thing.cylinder()))
    assert 16.0 * each == pytest.approx(one)


def test_servos_press_as_hard_as_told_on_what_does_not_give_way():
    """A pad that is held off its goal by d presses with k d along the normal, whatever the joints share of it."""
    made = grasp_scene(force=1.0, stiffness=100.0, contact=2e10, gravity=0.0, dimensions=Dimensions(holding=0.0), duration=0.6,
                       frames=12)
    grasp = grasp_report(simulate(made.scene), 0.8, made.thing.radius, since=0.3)
    assert len(grasp.normal) == 3
    np.testing.assert_allclose(grasp.normal, 1.0, rtol=0.05)


def test_a_lifted_thing_goes_with_the_palm():
    made = grasp_scene(lift=0.03, duration=1.2, frames=60)
    recording = simulate(made.scene)
    body = next(rigid.index for rigid in recording.scene.rigids if rigid.name == "thing")
    assert grasp_report(recording, 0.8, made.thing.radius).held
    rise = recording.rigid_position[-1, body, 2] - recording.rigid_position[recording.frame_at(0.7), body, 2]
    assert rise == pytest.approx(0.03, rel=1e-2)


def test_pulps_that_take_hold_leave_the_tips_outside_of_the_thing():
    made = grasp_scene(Thing.cylinder(height=0.05), "pulp", duration=0.1, frames=2)
    for finger in made.hand.fingers:
        middle = made.scene.position[finger.pads["tip"].particles[0]]
        assert np.hypot(*middle[:2]) >= 0.03 + made.hand.dimensions.pad - 1e-9


def test_fingers_that_would_not_reach_have_the_palm_nearer():
    """Four fingers of 60 and 50 mm along the side of a tall cylinder are all but straight; they open by 3 mm more."""
    made = grasp_scene(Thing.cylinder(0.025, 0.08, 0.1), "pulp", force=4.0, off=(0.002, 0.0),
                       dimensions=Dimensions(fingers=4, links=(0.02, 0.06, 0.05)))
    d, away = made.hand.dimensions, made.hand.at[2]
    assert away == pytest.approx(d.deepest("pulp", 0.025 + d.pad + GAP + 0.002), abs=1e-12)
    assert away < d.depth("pulp", 0.025 + d.pad, 0.0)


def test_bisection_ends_between_what_falls_and_what_holds():
    low, high = least_friction(lambda friction: friction >= 0.3, 0.0, 1.0, 1e-3)
    assert low < 0.3 <= high < low + 1e-3 + 1e-15
    assert least_friction(lambda friction: True, 0.1, 1.0, 1e-3) == (0.1, 0.1)
    with pytest.raises(SceneError, match="does not hold it"):
        least_friction(lambda friction: False, 0.0, 1.0, 1e-3)


def test_dimensions_are_checked_by_name():
    with pytest.raises(SceneError, match=r"hand: base is -1; it must be"):
        Dimensions(base=-1.0)
    with pytest.raises(SceneError, match="unknown tips 'hard'"):
        Dimensions(tips="hard")
    with pytest.raises(SceneError, match="fingers"):
        Dimensions(fingers=1)
    with pytest.raises(SceneError, match=r"hand: unknown size 'pads'; did you mean 'pad'"):
        Dimensions(pads=0.01)


def test_a_pull_beyond_what_friction_gives_takes_it_away():
    assert held(pull=(0.0, 0.0, -1.0), duration=1.4).held   # 0.7 N at the end, and its weight, of 3 N
    assert not held(pull=(0.0, 0.0, -10.0), duration=1.4).held


def test_two_pads_begin_to_hold_a_flat_thing_at_half_its_weight_over_their_force():
    """By bisection to 3e-4 of 0.12; faces stay where they were, so that no other term is due."""
    found = holding_friction(Thing.cylinder(height=0.05), 2.0, 0.1, 0.15)
    assert found == pytest.approx(WEIGHT / 4.0, abs=3e-4)
    with pytest.raises(SceneError, match="does not hold it"):
        holding_friction(Thing.sphere(), 2.0, high=0.05)


def test_what_cannot_be_grasped_is_told():
    with pytest.raises(SceneError, match="unknown grasp 'fist'"):
        grasp_scene(grasp="fist")
    with pytest.raises(SceneError, match="thing is 'sphere'; give a Thing"):
        grasp_scene("sphere")
    with pytest.raises(SceneError, match="dimensions is 3; give a Dimensions"):
        grasp_scene(dimensions=3)
    with pytest.raises(SceneError, match="into the palm"):
        grasp_scene(Thing.cylinder(height=0.3))
    with pytest.raises(RobotphiError, match="let go"):
        grasp_report(simulate(grasp_scene(duration=0.2, frames=4).scene), 0.8, 0.03)


def test_a_mesh_of_ones_own_runs_by_its_file_and_tables_are_written(tmp_path):
    points = shapes.box((0.05, 0.05, 0.05)).vertices
    triangles = shapes.box((0.05, 0.05, 0.05)).triangles
    (tmp_path / "part.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in points)
                                       + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles), encoding="utf-8")
    module, knobs = load_scenario("grasping").module, {"thing": str(tmp_path / "part.obj"), "grasp": "tip"}
    recordings = module.run(**knobs, duration=1.0, frames=50)
    save_grasps(module.grasps(recordings, **knobs), recordings, tmp_path)
    told = json.loads((tmp_path / "grasps.json").read_text(encoding="utf-8"))
    assert set(told) == {"mesh, tip, 0.8", "mesh, tip, 0.05"}
    assert told["mesh, tip, 0.05"]["figures"]["held"] is False
    with (tmp_path / "grasps.csv").open(encoding="utf-8") as file:
        assert [row["grasp"] for row in csv.DictReader(file)] == list(told)
    with (tmp_path / "contacts_mesh_tip_0.8.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == told["mesh, tip, 0.8"]["figures"]["contacts"]
