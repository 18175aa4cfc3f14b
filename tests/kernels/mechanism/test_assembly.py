"""Scenes that are drawn apart assemble themselves, or say which joint is open; first rates follow from those that are said."""
import numpy as np
import pytest

from robotphi.errors import SceneError
from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.model.assembly import turned
from robotphi.model.build import build_model
from robotphi.model.chain import Chain
from tests.kernels.mechanism.loops import add_ball, add_bar, bricard, four_bar, gap_of, places, run_to, scene_of

Z = (0, 0, 1)


def triangle(shift=(0.0, 0.0, 0.0), **more):
    """Three bars on the ground, the last joint drawn apart."""
    scene = scene_of("apart", 1e-3, 1.0, (0.0, -9.81, 0.0))
    a, b, c, d = (0, 0, 0), (0, 1, 0), (1.2, 1.1, 0), (1, 0, 0)
    bars = [add_bar(scene, "left", a, b), add_bar(scene, "top", b, c), add_bar(scene, "right", d, np.add(c, shift))]
    scene.add_joint("a", "revolute", None, bars[0], a, axis=Z)
    scene.add_joint("b", "revolute", bars[0], bars[1], b, axis=Z)
    scene.add_joint("c", "revolute", bars[1], bars[2], (c, np.add(c, shift)), axis=Z, **more)
    scene.add_joint("d", "revolute", None, bars[2], d, axis=Z)
    return scene


def test_open_loop_closes_itself():
    simulator = run_to(triangle((0.05, -0.02, 0.0), assemble=0.1), 0.0 + 1e-3)
    assert gap_of(simulator) < 1e-12
    rigid = simulator.model.scene.rigids[2]
    drawn, there = simulator.model.scene.position[rigid.particles], simulator.model.position[:simulator.model.particle_count]
    moved = np.linalg.norm(there[rigid.particles] - drawn, axis=1)
    assert 1e-3 < moved.max() < 0.1
    spread = [np.linalg.norm(points[:, None] - points[None], axis=2) for points in (drawn, there[rigid.particles])]
    assert np.abs(spread[0] - spread[1]).max() < 1e-14


def test_open_tree_joint_brings_its_child():
    scene = scene_of("tree", 1e-3, 1.0)
    bar = add_bar(scene, "bar", (3, 0, 0), (3, 1, 0))
    scene.add_joint("pin", "revolute", None, bar, ((0, 0, 0), (3, 0, 0)), axis=(Z, (0, 0, 1)), assemble=5.0)
    turned = scene_of("turned", 1e-3, 1.0)
    other = add_bar(turned, "bar", (3, 0, 0), (3, 1, 0))
    turned.add_joint("pin", "revolute", None, other, ((0, 0, 0), (3, 0, 0)), axis=((1, 0, 0), Z), across=((0, 1, 0), (0, 1, 0)),
                     assemble=5.0)
    assert np.abs(build_model(scene).rigid_position[0] - (0, 0.5, 0)).max() < 1e-15
    model = build_model(turned)
    assert np.abs(model.rigid_position[0] - (0, 0.5, 0)).max() < 1e-15
    drawn, there = turned.position - (3, 0, 0), model.position[:model.particle_count]
    assert np.abs(there - drawn @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])).max() < 1e-15


def test_joint_that_is_open_is_named():
    with pytest.raises(SceneError, match=r"joint 'c': it is open by 0\.0539 m as drawn.*assemble=0\.054"):
        build_model(triangle((0.05, -0.02, 0.0)))


def test_joint_that_cannot_be_closed_is_named():
    scene = scene_of("short", 1e-3, 1.0)
    ball = add_ball(scene, "ball", (1, 0, 0))
    scene.add_joint("long", "rod", None, ball, ((0, 0, 0), (1, 0, 0)), length=1.4, assemble=2.0)
    scene.add_joint("short", "rod", None, ball, ((0, 0, 0), (1, 0, 0)), length=0.8, assemble=2.0)
    with pytest.raises(SceneError, match=r"joint '(long|short)': it stays open by 0\.\d+ m however the mechanism stands"):
        build_model(scene)


def test_rates_follow_those_said():
    """Crank, coupler and rocker of the four-bar by the triangle of velocities: ω_rocker = v_c·… of the closed form."""
    model = build_model(four_bar(rate=2.0))
    crank, coupler, rocker = model.rigid_spin[:, 2]
    b, c, d = np.array([0, 0.3]), np.array([0.8, 0.6]), np.array([0.7, 0])
    turn = np.array([[0, -1], [1, 0]])
    matrix = np.column_stack((turn @ (c - b), -turn @ (c - d)))
    expected = np.linalg.solve(matrix, -2.0 * turn @ b)
    assert np.abs(np.array([crank, coupler, rocker]) - (2.0, *expected)).max() < 1e-13


def test_rates_that_open_a_loop_are_refused():
    scene = four_bar()
    other = scene_of("more", 1e-3, 1.0)
    for joint in ("a", "d"):
        assert any(each.name == joint for each in scene.joints)
    bars = [add_bar(other, "crank", (0, 0, 0), (0, 0.3, 0)), add_bar(other, "coupler", (0, 0.3, 0), (0.8, 0.6, 0)),
            add_bar(other, "rocker", (0.7, 0, 0), (0.8, 0.6, 0))]
    other.add_joint("a", "revolute", None, bars[0], (0, 0, 0), axis=Z, rate=2.0)
    other.add_joint("b", "revolute", bars[0], bars[1], (0, 0.3, 0), axis=Z)
    other.add_joint("c", "revolute", bars[1], bars[2], (0.8, 0.6, 0), axis=Z)
    other.add_joint("d", "revolute", None, bars[2], (0.7, 0, 0), axis=Z, rate=2.0)
    with pytest.raises(SceneError, match=r"joint '[abcd]': the rates and velocities said would open it"):
        build_model(other)


def test_loop_on_all_of_whose_coordinates_something_acts_is_refused():
    scene = scene_of("sprung", 1e-3, 1.0)
    bars = [add_bar(scene, "left", (0, 0, 0), (0, 1, 0)), add_bar(scene, "right", (1, 0, 0), (0, 1, 0))]
    ends = (None, bars[0], (0, 0, 0)), (bars[0], bars[1], (0, 1, 0)), (None, bars[1], (1, 0, 0))
    for n, (parent, child, at) in enumerate(ends):
        scene.add_joint(f"j{n}", "revolute", parent, child, at, axis=Z, stiffness=1.0)
    with pytest.raises(SceneError, match="something acts on its coordinates as on those of all other joints"):
        build_model(scene)


def test_joints_on_which_something_acts_stay_in_the_tree():
    """Whichever of the four it is."""
    a, b, c, d = (0, 0, 0), (0, 0.3, 0), (0.8, 0.6, 0), (0.7, 0, 0)
    for sprung in "abcd":
        scene = scene_of("one", 1e-3, 1.0)
        bars = [add_bar(scene, "crank", a, b), add_bar(scene, "coupler", b, c), add_bar(scene, "rocker", d, c)]
        for name, parent, child, at in (("a", None, bars[0], a), ("b", bars[0], bars[1], b), ("c", bars[1], bars[2], c),
                                        ("d", None, bars[2], d)):
            scene.add_joint(name, "revolute", parent, child, at, axis=Z, viscosity=0.1 if name == sprung else 0.0)
        closures = build_model(scene).arrays.closures
        assert {scene.joints[number].name for number in closures.joint} != {sprung}


@pytest.mark.parametrize("kind", JOINTS)
def test_rows_are_the_derivatives_of_what_they_hold(kind):
    """Slopes of φ by the coordinates of two free rigids against its differences: (1e-6)² of third derivatives, and rounding."""
    scene = scene_of("rows", 1e-3, 1.0)
    one, other = add_ball(scene, "one", (0.3, -0.2, 0.1)), add_ball(scene, "other", (1.1, 0.4, -0.3))
    more = {"screw": {"pitch": 0.2}, "on_circle": {"centre": (0.2, 0.1, 0.0), "assemble": 2.0},
            "on_curve": {"points": [(0, 0, 0), (0.4, 0.3, 0.1), (0.9, 0.3, -0.2), (1.4, 0.8, 0.1)], "assemble": 2.0}}
    at = ((0.1, 0.2, 0.3), (1.0, 0.3, -0.1)) if kind == "rod" else (0.7, 0.1, 0.2)
    axis = None if kind in ("ball", "fixed", "rod", "on_curve") else (0.2, 0.5, 1.0)
    held = {each for each, known in JOINTS.items() if known.links is not None}
    scene.add_joint("it", kind, one, other, at, axis=axis, **more.get(kind, {}))
    if kind in held:      # what is in the tree has no rows: a second one closes
        scene.add_joint("again", kind, one, other, at, axis=axis, **more.get(kind, {}))
        free = scene_of("free", 1e-3, 1.0)
        pair = add_ball(free, "one", (0.3, -0.2, 0.1)), add_ball(free, "other", (1.1, 0.4, -0.3))
        free.add_joint("apart", "rod", *pair, ((0.1, 0.2, 0.3), (1.0, 0.3, -0.1)))
        closures, model = build_model(scene).arrays.closures, build_model(free)
    else:
        model = build_model(scene)
        closures = model.arrays.closures
    chance = np.random.default_rng(3)
    place, turn = np.array(model.joint_place), np.array(model.joint_turn)
    slides = model.arrays.mechanisms.turn == 0.0
    off = 0.0 if kind in ("screw", "on_curve") else 0.05    # those two are exact where they are met
    place[slides] += off * chance.standard_normal(slides.sum())
    turn += off * chance.standard_normal(turn.shape)
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    if kind in held:      # links of the two scenes are the same rigids
        order = model.arrays.mechanisms.link_of_rigid
        links = build_model(scene).arrays.mechanisms.link_of_rigid
        closures = closures._replace(one=order[np.searchsorted(links, closures.one)].astype(np.int32),
                                     other=order[np.searchsorted(links, closures.other)].astype(np.int32))
    chain = Chain(model.arrays.mechanisms, closures, model, place, turn)
    value, slopes = chain.closing(0)
    for k in range(len(place)):
        ahead = []
        for by in (1e-6, -1e-6):
            moved, spun = place.copy(), turn.copy()
            if slides[k]:
                moved[k] += by
            else:
                link = np.searchsorted(model.arrays.mechanisms.freedom_start, k, side="right") - 1
                spun[link] = turned(turn[link], by * model.arrays.mechanisms.axis[k])
            chain.stand(moved, spun)
            ahead.append(chain.closing(0)[0])
        assert np.abs((ahead[0] - ahead[1]) / 2e-6 - slopes[:, k]).max() < 1e-8


@pytest.mark.parametrize("scene", [four_bar, bricard], ids=["plane", "space"])
def test_who_is_called_parent_does_not_matter_to_what_is_found(scene):
    closures = build_model(scene()).arrays.closures
    assert len(set(closures.joint)) == 1
    assert np.isfinite(places(run_to(scene(), 0.01))).all()


def test_a_driven_joint_of_a_loop_that_cannot_move_is_named():
    """A triangle of bars is stiff: what drives one of its angles has no way to go, however slowly it begins."""
    scene = scene_of("stiff", 1e-3, 1.0)
    a, b, c = (0, 0, 0), (0, 1, 0), (1, 0.5, 0)
    left, top = add_bar(scene, "left", a, b), add_bar(scene, "top", b, c)
    scene.add_joint("a", "revolute", None, left, a, axis=Z, drive=lambda t: 0.1 * np.sin(t))
    scene.add_joint("b", "revolute", left, top, b, axis=Z)
    scene.add_joint("c", "revolute", None, top, c, axis=Z)
    with pytest.raises(SceneError, match=r"joint 'a': it is driven, but the loop that joint '[abc]' closes leaves it no"):
        build_model(scene)
