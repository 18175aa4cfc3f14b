"""Pulls: forces and their energy, what the goal, the limit and the integral do, reactions, and the ledger."""
import numpy as np
import pytest

from robotphi import Drive, Path, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.discretise import rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.step import slots
from robotphi.record.measure import recorded_momenta
from tests.kernels.acts.probe import frequency_and_bound, gradient, halved, pushed, residuals

POINTS = np.array([[0.1, 0.2, 0.3], [-0.4, 0.1, 0.2], [0.3, -0.5, 0.1]])
FREE = {"gravity": (0.0, 0.0, 0.0)}
K, MU, MASS, SPEED = 50.0, 4.0, 2.0, 0.4


def dots(**pull):
    scene = Scene("dots", **FREE)
    p = scene.add_particles("p", POINTS, MASS)
    scene.add_pull("pull", **{"target": p, "towards": (0.5, 0.5, 0.5), "stiffness": 5.0} | pull)
    return scene


LAWS = {"each": {}, "cut": {"limit": 2.0}, "plane": {"axes": "xz"}, "whole": {"whole": True, "limit": 2.0},
        "pairs": {"target": np.array([0, 1]), "towards": np.array([2, 2])}, "share": {"active": 0.3},
        "places": {"towards": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}


@pytest.mark.parametrize("law", LAWS)
def test_a_pull_is_minus_the_gradient_of_what_it_stores(law):
    model = build_model(dots(**LAWS[law]))
    force, stored = pushed(model, POINTS)
    assert stored > 0.1
    np.testing.assert_allclose(force, -gradient(model, POINTS), rtol=0, atol=1e-8)


def test_no_pull_exceeds_its_limit_and_its_damping_only_takes():
    model = build_model(dots(limit=2.0, damping=3.0))
    for seed in range(20):
        velocity = np.random.default_rng(seed).normal(size=POINTS.shape)
        still, moving = pushed(model, POINTS)[0], pushed(model, POINTS, velocity)[0]
        assert np.linalg.norm(moving, axis=1).max() <= 2.0 * (1.0 + 1e-12)
        assert (np.einsum("ij,ij->i", moving - still, velocity) <= 1e-12).all()


@pytest.mark.parametrize("law", LAWS)
def test_the_bound_of_a_pull_bounds_its_frequency(law):
    exact, bound = frequency_and_bound(dots(**LAWS[law]))
    assert exact * (1.0 - 1e-6) <= bound <= 2.5 * exact or law == "cut"   # a spring that is cut may come back to its stiffness


@pytest.mark.parametrize("held", ["goal", "target"])
def test_an_end_that_cannot_move_has_no_share_in_the_bound(held):
    """ω² = k/m of a particle on a held rigid, pulled or pulling; both would count twice were both free."""
    scene = Scene("held", **FREE)
    palm = scene.add_rigid("palm", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0)], mass=1.0, inertia=(1.0, 1.0, 1.0), support="xyz",
                           rotation_support="xyz")
    p, mark = scene.add_particle("p", (0.3, 0.0, 0.5), MASS), int(palm.particles[1])
    ends = {"target": p, "towards": mark} if held == "goal" else {"target": mark, "towards": p}
    scene.add_pull("pull", stiffness=K, **ends)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    assert simulator.state.buffers.numbers[slots.SPRING_SQUARE] == pytest.approx(K / MASS, rel=1e-6)


def moving(stepping):
    scene = Scene("moving", duration=1.0, frames=8, stepping=stepping, **FREE)
    p = scene.add_particle("p", (0, 0, 0), MASS)
    scene.add_pull("pull", p, (Drive.table([0.0, 2.0], [0.0, 2.0 * SPEED]), 0.0, 0.0), K, damping=MU)
    return scene


def test_a_mass_behind_a_goal_that_moves_on_lags_as_a_damped_oscillator():
    """e = x − u t: ë + (μ/m) ė + (k/m) e = 0 from e = 0, ė = −u."""
    runs = halved(moving, 200)
    decay = MU / (2.0 * MASS)
    omega = np.sqrt(K / MASS - decay**2)
    t = runs[0].time
    wanted = SPEED * t - SPEED / omega * np.exp(-decay * t) * np.sin(omega * t)
    errors = [np.abs(run.position[:, 0, 0] - wanted).max() for run in runs]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.1)
    assert errors[0] < SPEED * omega * (1.0 / 200)**2 / 8


def test_the_work_of_a_moving_goal_is_what_it_pulls_with_times_its_way():
    """It pays the kinetic energy, what is stored and what is lost; nothing of that is made up by another entry."""
    ledger = simulate(moving(Stepping(budget=1e-7))).ledger
    gained = (ledger["kinetic"] + ledger["stored:pull"] + ledger["lost:pull"])[-1]
    assert ledger["work:pull"][-1] == pytest.approx(gained, rel=1e-6)
    assert ledger["work:pull"][-1] > 0.1 * MASS * SPEED**2


def controlled(stepping):
    scene = Scene("pid", duration=1.0, frames=8, stepping=stepping, **FREE)
    p = scene.add_particle("p", (0, 0, 0), MASS)
    scene.add_force("load", p, (0, 0, -5.0))
    scene.add_pull("pull", p, (0.2, Drive.sine(0.3, 0.7), 0.1), K, damping=MU, integral=60.0, limit=9.0, integral_limit=6.0,
                   active=(0.125, 0.875))
    return scene


def test_a_limited_pid_that_is_switched_closes_the_ledger_at_second_order():
    coarse, fine = residuals(halved(controlled, 400))
    assert coarse / fine == pytest.approx(4.0, abs=0.6)   # the force is continuous, its slope is not: kinks at the limit


def test_an_integral_takes_away_what_a_load_leaves():
    def left(integral):
        scene = Scene("load", duration=10.0, frames=4, **FREE)
        p = scene.add_particle("p", (0, 0, 0), MASS)
        scene.add_force("load", p, (0, 0, -5.0))
        scene.add_pull("pull", p, (0, 0, 0), K, damping=3 * MU, integral=integral)
        return simulate(scene).position[-1, 0, 2]
    # the slowest root of m s³ + μ s² + k s + κ is near −κ/k = −1.6/s: after 10 s there is some 1e-6 of it
    assert left(0.0) == pytest.approx(-5.0 / K, rel=1e-6)
    assert abs(left(80.0)) < 1e-5


def test_a_run_with_an_integral_goes_on_from_a_frame_with_the_same_bits():
    straight = simulate(controlled(Stepping()))
    again = Simulator.continued(build_model(controlled(Stepping())), straight, frame=3).run()
    assert np.array_equal(again.position[-1], straight.position[-1])
    assert np.array_equal(again.checkpoint["act_state"][-1], straight.checkpoint["act_state"][-1])
    assert np.abs(straight.checkpoint["act_state"]).max() > 0.0


def internal(stepping):
    scene = Scene("internal", duration=1.0, frames=8, stepping=stepping, **FREE)
    half = np.cos(0.15), 0.0, 0.0, np.sin(0.15)
    a, b = (scene.add_rigid(name, [[x + 0.1, 0, 0], [x - 0.1, 0, 0], [x, 0.2, 0]], mass=m, inertia=inertia, spin=spin,
                            points={"tip": (x - 0.2, 0.3, 0)}, frames={"frame": ((x, 0.1, 0), half)})
            for name, x, m, inertia, spin in (("a", 0.0, 1.0, (0.02, 0.03, 0.04), (1, 0.5, 2)),
                                              ("b", 1.0, 2.0, (0.02, 0.05, 0.04), (1, -0.5, 2))))
    p = scene.add_particle("p", (0.5, 0.5, 0.5), 0.7)
    scene.add_pull("marks", (b, "tip"), (a, "tip"), 5.0, damping=1.0, integral=3.0)
    scene.add_pull("plane", p, a, 50.0, damping=1.0, limit=10.0, axes="xz", frame=(a, "frame"))
    scene.add_pull("spring", b, p, 20.0)
    return scene


def test_pulls_between_things_keep_both_momenta_to_rounding():
    run = simulate(internal(Stepping()))
    for values in recorded_momenta(run):
        np.testing.assert_allclose(values, values[:1].repeat(len(values), axis=0), rtol=0, atol=1e-13)


def test_pulls_between_turning_things_close_the_ledger_at_second_order():
    coarse, fine = residuals(halved(internal, 400))
    assert coarse / fine == pytest.approx(4.0, abs=0.6)


def test_an_object_is_pulled_at_its_centre_of_mass_and_does_not_turn():
    scene = Scene("brick", duration=0.5, frames=4, **FREE)
    brick = scene.add_object("brick", rigid(box((0.3, 0.2, 0.1)), density=500.0))
    scene.add_pull("pull", brick, (1.0, 2.0, 3.0), K)
    run = simulate(scene)
    np.testing.assert_allclose(run.rigid_spin, 0.0, atol=1e-12)
    omega = np.sqrt(K / brick.rigids[0].mass)
    np.testing.assert_allclose(run.rigid_position[-1, 0], np.array([1.0, 2.0, 3.0]) * (1.0 - np.cos(0.5 * omega)), rtol=1e-3)


def test_a_duplicate_that_turns_carries_its_things_along():
    """Tied stiffly and damped against the places of the duplicate, they are where these are."""
    scene = Scene("turn", duration=1.0, frames=4, **FREE)
    p = scene.add_particles("p", POINTS, 0.1)
    scene.add_duplicate("led", p, 1e4, damping=60.0, x=lambda t: 0.3 * t * t, rotation=((0, 0, 2.0), lambda t: t * t),
                        about=(0, 0, 0))
    at = simulate(scene).position[-1, :3]
    wanted = np.column_stack((POINTS[:, 0] * np.cos(1.0) - POINTS[:, 1] * np.sin(1.0) + 0.3,
                              POINTS[:, 0] * np.sin(1.0) + POINTS[:, 1] * np.cos(1.0), POINTS[:, 2]))
    # they lag by m a/k, a ≤ 0.6 + r (θ̈ + θ̇²) = 5 m/s²
    np.testing.assert_allclose(at, wanted, rtol=0, atol=0.1 * 5.0 / 1e4)


def test_a_carrot_runs_along_its_path_at_its_speed():
    circle = Path([(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)], closed=True)
    assert circle.length == pytest.approx(2.0 * np.pi, rel=1e-5)   # spacing⁴/…: 40 points
    steps = np.array([circle.at(s) for s in np.linspace(0.0, circle.length, 200)])
    gaps = np.linalg.norm(np.diff(steps, axis=0), axis=1)
    np.testing.assert_allclose(gaps, gaps.mean(), rtol=1e-5)
    scene = Scene("carrot", duration=2.0, frames=4, **FREE)
    p = scene.add_particle("p", (1, 0, 0), 0.1, velocity=(0, 0.5, 0))
    scene.add_pull("pull", p, circle, 1e3, damping=20.0, speed=0.5)
    run = simulate(scene)
    # m v²/r over k: it runs so far outside
    np.testing.assert_allclose(run.position[-1, 0], [np.cos(1.0), np.sin(1.0), 0.0], rtol=0, atol=2 * 0.1 * 0.25 / 1e3)


def test_a_carrot_of_many_laps_is_where_its_path_is():
    """Its table has sixty places for each of the forty pieces of a lap: with the usual thousand it was 31 mm off."""
    circle = Path([(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)], closed=True)
    times = np.linspace(0.0, 20.0, 997)
    for speed in (5.0, Drive.table([0.0, 20.0], [0.0, 100.0])):
        goals = circle.run("carrot", speed, 20.0)
        wanted = np.array([circle.at(5.0 * time) for time in times])
        np.testing.assert_allclose(np.stack([goal.value(times) for goal in goals], axis=1), wanted, rtol=0, atol=1e-8)


def test_an_open_path_ends_where_it_ends():
    path = Path([(0, 0, 0), (1, 0, 0)])
    np.testing.assert_allclose(path.at(0.25), (0.25, 0, 0), atol=1e-14)
    assert path.at(7.0).tolist() == [1, 0, 0]
    scene = Scene("end", duration=2.0, frames=2, **FREE)
    p = scene.add_particle("p", (0, 0, 0), 0.1)
    scene.add_pull("pull", p, path, 100.0, damping=10.0, speed=1.0)
    assert simulate(scene).position[-1, 0, 0] == pytest.approx(1.0, abs=1e-4)


def test_what_a_pull_needs_is_said():
    scene = Scene("door", **FREE)
    p = scene.add_particles("p", POINTS, 1.0)
    ball = scene.add_object("brick", rigid(box(0.1), density=500.0))
    for words, given in (("three numbers", {"towards": (0, 0)}), ("give one of them", {"stiffness": 0.0}),
                         ("give a mark of it", {"towards": ball}), ("give frame=", {"towards": ball.rigids[0], "axes": "xy"}),
                         ("must be >= 0", {"stiffness": -1.0}), ("must be > 2", {"active": (2.0, 1.0)}),
                         ("give speed", {"towards": Path([(0, 0, 0), (1, 0, 0)])}), ("without a path", {"speed": 1.0}),
                         ("unknown name 'nobody'", {"target": "nobody"}), ("axes is empty", {"axes": ""}),
                         ("target is None", {"target": None}), ("which does not exist", {"target": 99})):
        with pytest.raises(SceneError, match=words):
            scene.add_pull("pull", **{"target": p, "towards": (0, 0, 1), "stiffness": 1.0} | given)
    assert "pull" not in scene.things
    with pytest.raises(SceneError, match="through is None"):
        scene.add_tendon("cable", [0, None], stiffness=1.0)
    with pytest.raises(SceneError, match="target is missing"):
        scene.add_act("pull", "pull", target=None, stiffness=1.0)
    with pytest.raises(SceneError, match="two at least"):
        Path([(0, 0, 0)])
    with pytest.raises(SceneError, match="are the same"):
        Path([(0, 0, 0), (0, 0, 0), (1, 0, 0)])
    with pytest.raises(SceneError, match="the first one again"):
        Path([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0)], closed=True)
    with pytest.raises(SceneError, match="3000 at most"):
        Path(np.outer(np.arange(3001.0), (1, 0, 0)))
    line = Path([(0, 0, 0), (1, 0, 0)])
    for words, given in (("which jumps|it jumps|along the path jumps", {"speed": Drive.steps([0, 0.1], [0, 0.5])}),
                         ("is a command", {"speed": scene.add_command("ahead", 0.0, rate=1.0)}),
                         ("pushed twice", {"target": [0, 1, 0], "towards": (0, 0, 1)}),
                         ("whole is 'x'", {"whole": "x", "towards": (0, 0, 1)}),
                         ("frame is", {"frame": [1, 2], "towards": (0, 0, 1)})):
        with pytest.raises(SceneError, match=words):
            scene.add_pull("pull", **{"target": p, "towards": line, "stiffness": 1.0} | given)
    rounds = Path([(1, 0, 0), (0, 1, 0), (-1, 0, 0)], closed=True)
    with pytest.raises(SceneError, match="by a lower speed"):
        scene.add_pull("pull", p, rounds, stiffness=1.0, speed=1e6)


def test_the_numbers_of_a_pull_have_addresses():
    scene = dots(damping=1.0)
    model = build_model(scene)
    again = model.with_values({("pull", "stiffness"): 7.0, ("pull", "anchor"): (0, 0, 1), ("pull", "share"): 0.5})
    fresh = build_model(dots(damping=1.0, stiffness=7.0, towards=(0, 0, 1), active=0.5))
    for one, other in zip(again.arrays.acts.pull, fresh.arrays.acts.pull, strict=True):
        assert np.array_equal(one, other)
