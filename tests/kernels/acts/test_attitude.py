"""Couples towards an attitude: potential, closed forms, reactions, momenta, limits, the ledger, and what the door says."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Motion, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.acts.attitude import FADES, couple_law
from robotphi.kernels.springs.measured import formula
from robotphi.kernels.step import slots
from robotphi.record.measure import recorded_momenta
from robotphi.scene.turns import matrix_of, quaternion_of, rotation_about
from tests.kernels.acts.probe import halved, residuals

CROSS = np.array([(0.1, 0, 0), (-0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.1)])
FREE = {"gravity": (0.0, 0.0, 0.0)}
INERTIA = (0.02, 0.03, 0.04)
K, MU = 1.5, 0.05
TILT = (np.cos(0.2), 0.0, 0.0, np.sin(0.2))   # 0.4 rad about z


def body(scene, name="body", at=(0, 0, 0), **how):
    return scene.add_rigid(name, CROSS + at, **{"mass": 1.0, "inertia": INERTIA, "centre": at} | how)


def one(stepping=None, **pull):
    scene = Scene("one", duration=1.0, frames=20, stepping=stepping or Stepping(budget=1e-7), **FREE)
    scene.add_attitude("turn", body(scene), **{"towards": TILT, "stiffness": K} | pull)
    scene.add_sensor("couple", "couple", "turn")
    scene.add_sensor("pose", "pose", "body")
    return scene


def angle_of(pose):
    """About z."""
    return 2.0 * np.arctan2(pose[..., 6], pose[..., 3])


def test_a_body_swings_about_its_attitude_as_a_damped_oscillator():
    """θ̈ + (μ/I) θ̇ + (k/I) θ = 0 about a principal axis."""
    decay = MU / (2.0 * INERTIA[2])
    omega = np.sqrt(K / INERTIA[2] - decay**2)
    runs = halved(lambda stepping: one(stepping, damping=MU), 200)
    t = runs[0].time
    wanted = 0.4 - 0.4 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    errors = [np.abs(angle_of(run.sensors["pose"]) - wanted).max() for run in runs]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)
    assert errors[0] < 0.4 * (omega / 200)**2 * omega / 6   # of verlet: (ω τ)² ω t/24, and of the damping as much again


def test_the_couple_of_a_sensor_is_the_law():
    run = simulate(one(damping=MU))
    angle = angle_of(run.sensors["pose"])
    wanted = -K * (angle - 0.4) - MU * run.rigid_spin[:, 0, 2]
    np.testing.assert_allclose(run.sensors["couple"][:, 2], wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.sensors["couple"][:, :2], 0.0, atol=1e-12)


@pytest.mark.parametrize("limit", [1e300, 0.5, 2.0, 2.7, 4.0])
def test_the_couple_is_the_derivative_of_what_it_stores_and_fades_at_half_a_turn(limit):
    law = formula(couple_law)
    angles, h = np.linspace(1e-3, np.pi - 1e-3, 400), 1e-5
    for angle in angles:
        slope = (law(1.0, limit, angle + h)[1] - law(1.0, limit, angle - h)[1]) / (2.0 * h)
        assert law(1.0, limit, angle)[0] == pytest.approx(slope, abs=2e-5)   # at a kink half the jump of its slope × h
        assert law(1.0, limit, angle)[0] <= min(angle, limit)
    assert law(1.0, limit, np.pi)[0] == pytest.approx(0.0, abs=1e-12)
    assert law(1.0, limit, 0.99 * FADES)[0] == pytest.approx(min(0.99 * FADES, limit))


AXES = {"all": {}, "an axis": {"axis": (0.3, -0.2, 1.0)}, "cut": {"limit": 0.5}, "far": {"towards": (0.1, 0.3, -0.5, 0.806)},
        "frame": {"target": ("body", "frame"), "axis": (0, 0, 1.0)}}


@pytest.mark.parametrize("which", AXES)
def test_a_couple_is_minus_the_gradient_of_what_it_stores_in_every_direction(which):
    """dU/dt of a body that is held at attitudes a little apart: the law is of all three freedoms."""
    def stored_and_couple(turn):
        scene = Scene("held", duration=1.0, frames=1, **FREE)
        start = body(scene, frames={"frame": ((0, 0, 0), (0.8, 0.0, 0.6, 0.0))}, inertia=(0.03, 0.03, 0.03),
                     drive={"rotation": (turn[0], turn[1])})
        given = {"target": start, "towards": (0.9, 0.3, -0.3, 0.1), "stiffness": K} | AXES[which]
        given["towards"] = np.array(given["towards"]) / np.linalg.norm(given["towards"])
        if which == "frame":
            given["target"] = (start, "frame")
        scene.add_attitude("turn", **given)
        scene.add_sensor("couple", "couple", "turn")
        simulator = Simulator(build_model(scene))
        simulator.begin()
        return simulator.read("couple"), simulator
    # the turn since the start is what counts: so the start is at rest, and the body is turned by hand
    _, simulator = stored_and_couple(((0, 0, 1.0), 0.0))
    from robotphi.kernels.acts.table import push_acts
    from robotphi.kernels.step.buffers import Instant
    from robotphi.kernels.step.entries import FIXED_ENTRIES, NEXT, VALUE
    from robotphi.kernels.step.ledger import begin_acts
    b, model = simulator.state.buffers, simulator.model
    first = matrix_of(b.rigid[0, 6:10])

    def at(turn):
        b.rigid[0, 6:10] = quaternion_of(turn @ first)
        begin_acts(b)
        b.act_load[:] = 0.0
        push_acts(model.arrays.acts, model.arrays.drives, b, Instant(b.position, b.velocity, b.force, b.rigid, b.act_load),
                  0.0, 0.0)
        stored = b.books[FIXED_ENTRIES:][b.book_kind[FIXED_ENTRIES:] == VALUE, NEXT].sum()
        return b.act_load[0, 3:].copy(), float(stored)

    for seed in range(6):
        random = np.random.default_rng(seed)
        away = random.normal(size=3)
        turn = rotation_about(away / np.linalg.norm(away), random.uniform(0.1, 3.0))
        couple, stored = at(turn)
        assert stored > 0.0
        h = 1e-5
        slope = [(at(rotation_about(e, h) @ turn)[1] - at(rotation_about(e, -h) @ turn)[1]) / (2.0 * h) for e in np.eye(3)]
        np.testing.assert_allclose(couple, -np.array(slope), rtol=0, atol=1e-8)


def two(stepping):
    scene = Scene("two", duration=1.0, frames=8, stepping=stepping, **FREE)
    half = np.cos(0.15), 0.0, 0.0, np.sin(0.15)
    a = body(scene, "a", spin=(1, 0.5, 2), frames={"frame": ((0, 0, 0), half)})
    b = body(scene, "b", (1, 0, 0), spin=(1, -0.5, 2), inertia=(0.02, 0.05, 0.04), frames={"frame": ((1, 0, 0), half)})
    c = body(scene, "c", (2, 0, 0), spin=(-1, -0.5, 1))
    scene.add_attitude("whole", (b, "frame"), a, 0.5, damping=0.02, limit=0.3)
    scene.add_attitude("axis", c, (b, "frame"), 0.8, damping=0.01, axis=(0, 0.6, 0.8))
    return scene


def test_couples_between_bodies_keep_both_momenta_to_rounding():
    for values in recorded_momenta(simulate(two(Stepping()))):
        np.testing.assert_allclose(values, values[:1].repeat(len(values), axis=0), rtol=0, atol=1e-13)


def test_couples_between_bodies_close_the_ledger_at_second_order():
    coarse, fine = residuals(halved(two, 400))
    assert coarse / fine == pytest.approx(4.0, abs=0.6)


def led(stepping=None):
    scene = Scene("led", duration=1.0, frames=8, stepping=stepping or Stepping(budget=1e-6), **FREE)
    scene.add_attitude("turn", body(scene), Motion.spinning((0, 0, 1), 0.7), K, damping=4 * MU)
    return scene


def test_a_body_behind_a_goal_that_turns_on_lags_as_an_oscillator_does():
    """e = θ − Ω t: ë + (μ/I) ė + (k/I) e = 0 from e = 0, ė = −Ω; and the goal pays for all of it."""
    run = simulate(led())
    decay = 4 * MU / (2.0 * INERTIA[2])
    omega = np.sqrt(K / INERTIA[2] - decay**2)
    t = run.time
    wanted = 0.7 * t - 0.7 / omega * np.exp(-decay * t) * np.sin(omega * t)
    turned = np.array([matrix_of(q) @ matrix_of(run.rigid_orientation[0, 0]).T for q in run.rigid_orientation[:, 0]])
    np.testing.assert_allclose(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]), wanted, rtol=0, atol=1e-4)
    gained = (run.ledger["kinetic"] + run.ledger["stored:turn"] + run.ledger["lost:turn"])[-1]
    assert run.ledger["work:turn"][-1] == pytest.approx(gained, rel=1e-5)
    coarse, fine = residuals(halved(led, 400))
    assert coarse / fine == pytest.approx(4.0, abs=0.6)


def test_no_couple_exceeds_its_limit_and_an_axis_leaves_the_spin_about_it():
    run = simulate(one(limit=0.1, damping=MU))
    assert np.linalg.norm(run.sensors["couple"], axis=1).max() <= 0.1 * (1.0 + 1e-12)
    scene = Scene("upright", duration=3.0, frames=30, **FREE)
    top = body(scene, spin=(0, 0, 1.0), inertia=(0.03, 0.03, 0.03))
    scene.add_attitude("up", top, (np.cos(0.2), np.sin(0.2), 0, 0), K, damping=10 * MU, axis=(0, 0, 1.0))
    run = simulate(scene)
    axis = matrix_of(run.rigid_orientation[-1, 0]) @ matrix_of(run.rigid_orientation[0, 0]).T @ (0, 0, 1.0)
    # the slow root of s² + (μ/I) s + k/I, μ/I = 16.7/s, is −4.2/s: after 3 s there is 4e-6 of the tilt
    np.testing.assert_allclose(axis, (0, -np.sin(0.4), np.cos(0.4)), atol=0.4 * 2e-5)
    assert run.rigid_spin[-1, 0] @ axis == pytest.approx(np.cos(0.0) * 1.0, rel=0.1)   # about the axis nothing pulls


def test_a_body_thrown_over_half_a_turn_closes_its_ledger_and_is_drawn_on_the_other_way():
    """Spun hard enough to pass half a turn: the couple slows it up to there and speeds it up behind, alike."""
    scene = Scene("over", duration=1.0, frames=200, stepping=Stepping(budget=1e-5), **FREE)
    scene.add_attitude("turn", body(scene, spin=(0, 0, 30.0)), None, K)
    run = simulate(scene)
    spin = run.rigid_spin[:, 0, 2]
    assert run.ledger["largest_residual"][-1] <= run.info["budget"] * run.ledger["reference_energy"][-1]
    top = formula(couple_law)(K, 1e300, np.pi)[1]
    slowest = np.sqrt(900.0 - 2.0 * top / INERTIA[2])
    assert spin.min() == pytest.approx(slowest, rel=2e-3)
    assert spin.max() == pytest.approx(30.0, rel=1e-4)


def test_a_run_goes_on_from_a_frame_and_statements_say_the_act_again():
    scene = one(damping=MU, active=(0.1, 0.7))
    straight = simulate(scene)
    again = Simulator.continued(build_model(one(damping=MU, active=(0.1, 0.7))), straight, frame=5).run()
    assert np.array_equal(again.rigid_orientation[-1], straight.rigid_orientation[-1])
    said = simulate(Scene.from_statements(scene.statements))
    assert np.array_equal(said.rigid_orientation, straight.rigid_orientation)


def test_what_an_attitude_needs_is_said():
    scene = Scene("door", **FREE)
    top = body(scene, frames={"frame": ((0, 0, 0), TILT)}, points={"tip": (0, 0, 0.1)})
    soft = scene.add_object("jelly", deformable(discretise(box(0.1), size=0.05), Material(young=1e5, density=1e3)))
    brick = scene.add_object("brick", rigid(box(0.1), density=500.0))
    for words, given in (("of length 2", {"towards": (2, 0, 0, 0)}), ("of length 0", {"towards": (0, 0, 0, 0)}),
                         ("give a quaternion", {"towards": np.ones((3, 3))}), ("towards itself", {"towards": top}),
                         ("both zero", {"stiffness": 0.0}), ("axis is zero", {"axis": (0, 0, 0)}),
                         ("0 rigid parts", {"target": soft}), ("'tip' of 'body' is a point", {"target": (top, "tip")}),
                         ("give a rigid, an object", {"target": None}), ("must be >= 0", {"stiffness": -1.0}),
                         ("towards itself", {"target": (top, "frame"), "towards": top})):
        with pytest.raises(SceneError, match=words):
            scene.add_attitude("turn", **{"target": top, "towards": TILT, "stiffness": 1.0} | given)
    assert "turn" not in scene.things
    scene.add_attitude("turn", brick, (top, "frame"), stiffness=1.0)
    scene.set_value("turn", "stiffness", 2.0)
    assert scene.value("turn", "stiffness") == 2.0


def test_contact_switches_a_couple():
    law = ContactMaterial(stiffness=1e6)
    scene = Scene("landing", duration=0.4, frames=40, **FREE)
    scene.add_plane("ground", (0, 0, 0), contact=law)
    ball = scene.add_ball("ball", (0, 0, 0.3), 0.1, density=500.0, velocity=(0, 0, -1.0), contact=law)
    scene.add_attitude("turn", scene.rigids[0], TILT, stiffness=0.1, when=("since", "ball"))
    spin = np.abs(simulate(scene).rigid_spin[:, 0, 2])
    assert ball is not None
    assert not spin[:19].any()
    assert spin[-1] > 1e-3


def test_a_driven_share_pays_what_it_stores():
    run = simulate(one(stiffness=K, active=Drive.table([0.0, 1.0], [0.0, 1.0])))
    ledger = run.ledger
    gained = (ledger["kinetic"] + ledger["stored:turn"])[-1] - (ledger["kinetic"] + ledger["stored:turn"])[0]
    assert ledger["work:turn"][-1] == pytest.approx(gained, rel=1e-5)


@pytest.mark.parametrize("held", ["goal", "target"])
def test_a_rigid_that_cannot_turn_has_no_share_in_the_bound(held):
    """ω² = k/I of the one that turns."""
    scene = Scene("held", gravity=(0.0, 0.0, 0.0))
    points, more = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0)], {"mass": 1.0, "inertia": (2.0, 2.0, 2.0)}
    palm = scene.add_rigid("palm", points, support="xyz", rotation_support="xyz", **more)
    free = scene.add_rigid("free", points, **more)
    first, second = (free, palm) if held == "goal" else (palm, free)
    scene.add_attitude("turn", first, second, stiffness=30.0)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    bound = simulator.state.buffers.numbers[slots.SPRING_SQUARE]
    assert 15.0 <= bound <= 1.035 * 15.0   # of a block of six, see `bodies`
