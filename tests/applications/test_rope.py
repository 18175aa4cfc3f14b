"""Ropes of capsules: what slips round a post, what is refused, where links are."""
import numpy as np
import pytest

from robotphi import CheckFailed, Scene, SceneError
from robotphi.applications.rope import Rope, knot_radius, knot_scene, lay_rope, loosening_friction, turns_ratio
from robotphi.applications.rope.scenes import POST, TURNED, knot_points, turns_points
from robotphi.scenario import load_scenario
from robotphi.scene.contact import ContactMaterial


def test_many_thin_links_slip_where_euler_has_it_and_thick_ones_earlier():
    assert turns_ratio(4000, np.pi / 4000, 1.0, 1e-6, 0.3) == pytest.approx(np.exp(0.3 * np.pi), rel=1e-4)
    assert turns_ratio(10, np.pi / 10, POST, 0.002, 0.2) < np.exp(0.2 * np.pi * POST / (POST + 0.002)) < np.exp(0.2 * np.pi)


def test_the_ratio_of_one_link_keeps_it_in_balance():
    """Three forces on a link, worked out anew by components: along, across, about the axis of the post."""
    turn, radius, friction = 2 * np.pi / TURNED, 0.002, 0.3
    ratio = turns_ratio(1, turn, POST, radius, friction)
    s, c, far = np.sin(turn / 2), np.cos(turn / 2), (POST + radius) / np.cos(turn / 2)
    normal = far * (ratio - 1) / (friction * POST)
    inclined = (s * (ratio + 1) - normal) / (c * (ratio - 1))
    before, behind = np.array([-c + s * inclined, -s - c * inclined]), ratio * np.array([c + s * inclined, -s + c * inclined])
    assert np.abs(before + behind + normal * np.array([-friction, 1.0])).max() < 1e-12


def test_a_loose_knot_needs_what_elastica_says_and_friction_holds_it_with_nobody_pulling():
    assert knot_radius(0.5 / 64, 1.0, 1.0) == pytest.approx(8.0)
    assert knot_radius(0.0, 1.0, 1.0, 0.4, -1) == pytest.approx((2 * 0.492 * 0.4) ** -2)
    assert loosening_friction((2 * 0.492 * 0.4) ** -2, 1.0) == pytest.approx(0.4)


def test_links_touch_the_post_with_their_middles_and_no_two_of_a_knot_overlap():
    points = turns_points(1.0)[0][4:-4]
    middles = (points[1:] + points[:-1]) / 2
    assert np.hypot(middles[:, 0], middles[:, 1]) == pytest.approx(POST + 0.002, abs=1e-12)
    rope = Rope()
    points = knot_points(rope, 8.0, 30.0)
    fine = np.concatenate([points[:-1] + share * np.diff(points, axis=0) for share in np.linspace(0, 1, 8, endpoint=False)])
    owner = np.tile(np.arange(len(points) - 1), 8)
    far = np.linalg.norm(fine[:, None] - fine, axis=2)[np.abs(owner[:, None] - owner) > 2]
    assert far.min() > 2 * rope.radius


def test_neighbours_do_not_touch_and_links_shorter_than_the_rope_is_thick_are_refused():
    scene = Scene("rope", duration=1.0)
    surface = ContactMaterial(stiffness=1e8, friction=0.5)
    with pytest.raises(SceneError, match="shortest link has 1 mm; give three points"):
        lay_rope(scene, "short", [[0, 0, 0], [0.001, 0, 0], [0.02, 0, 0]], 0.002, 1000.0, surface)
    scene = knot_scene()
    links = sum(name.startswith("rope ") and name[5:].isdigit() for name in scene.things)
    assert len(scene.between) == 2 * links - 3   # each with the next, and with the one behind that


def test_frictions_that_are_none_are_told():
    module = load_scenario("rope_knot").module
    with pytest.raises(CheckFailed, match="give numbers from 0 to 2"):
        module.chosen("a lot")
    assert module.chosen("0.6,0.1") == [0.1, 0.6]
