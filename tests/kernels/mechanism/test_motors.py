"""Motors and servos against closed forms; what they give is their work, and nothing of it a loss."""
import numpy as np
import pytest

from robotphi import Drive, Recording, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.model.arrays import model_digest

CORNERS = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])
INERTIA = 2.0 * (0.3**2 + 0.2**2)          # of the wheel about its axle


def wheel(joint=None, stepping=None, gravity=(0, 0, 0), duration=1.0, at=(0.0, 0.0, 0.0), frames=20, **motor):
    scene = Scene("wheel", duration=duration, frames=frames, gravity=gravity, stepping=stepping or Stepping(budget=1e-6))
    body = scene.add_rigid("body", CORNERS, mass=2.0)
    axle = scene.add_joint("axle", "revolute", None, body, at=at, axis=(0, 1, 0) if any(at) else (0, 0, 1), **(joint or {}))
    scene.add_motor("motor", axle, **motor)
    return scene


def account(recording):
    """Work of the motor, and what it went into."""
    ledger = recording.ledger
    return ledger["work:motor"][-1], sum(ledger[name][-1] - ledger[name][0] for name in (
        "kinetic", "gravity", "elastic_joint", "joint_dissipation", "joint_friction", "joint_stops"))


def test_a_torque_motor_gives_its_torque_and_its_work_is_what_moves():
    recording = simulate(wheel(torque=1.5))
    np.testing.assert_allclose(recording.joint("axle").coordinate, 0.75 / INERTIA * recording.time**2, rtol=0.0, atol=1e-14)
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-13)


def lifted(told, dt, load=9.81, viscosity=0.0):
    """A carriage of 2 kg with a weight, pushed by a force over time: of a motor, or of the joint itself."""
    scene = Scene("lifted", duration=1.0, frames=10, gravity=(0, 0, -load), stepping=Stepping(control="fixed", dt=dt))
    force = Drive.table([0.0, 0.6, 1.0], [20.0, 44.0, -6.0])
    joint = {"torque": force} if told == "joint" else {}
    rail = scene.add_joint("rail", "prismatic", None, scene.add_rigid("carriage", CORNERS, mass=2.0), (0, 0, 0), axis=(0, 0, 1),
                           viscosity=viscosity, **joint)
    if told == "motor":
        scene.add_motor("motor", rail, torque=force)
    return scene


@pytest.mark.parametrize("told", ["motor", "joint"])
@pytest.mark.parametrize("load", [0.0, 9.81])
def test_a_force_that_changes_with_time_leaves_nothing_beside_constant_loads(told, load):
    """Its mean × way alone would leave ¼ τ Δf Δu a step: of 10 steps, a hundredth of all there is."""
    ledger = simulate(lifted(told, 0.1, load)).ledger
    assert ledger["largest_residual"][-1] < 1e-14 * ledger["reference_energy"][-1]
    assert ledger["kinetic"][-1] == pytest.approx(0.25 * (32.0 * 0.6 + 19.0 * 0.4 - 2.0 * load)**2, rel=1e-12)


@pytest.mark.parametrize("viscosity", [3.0, 120.0])
def test_such_a_force_leaves_what_falls_with_the_square_of_the_step_beside_viscosity(viscosity):
    """c τ/m of 0.02 at most, where viscosity is part of the force, and of 0.2 to 0.8, where it goes by the flow."""
    left = [simulate(lifted("motor", dt, 9.81, viscosity)).ledger["largest_residual"][-1] for dt in (0.0125, 0.00625, 0.003125)]
    assert left[0] / left[1] > 3.0
    assert left[1] / left[2] > 3.0


@pytest.mark.parametrize("damping", [0.3, 1.0, 1e4])
def test_a_speed_motor_gets_there_exponentially_and_loses_nothing(damping):
    """However tight: u = v (1 − exp(−c t/I)); all its work is kinetic energy. The tightest takes a step a frame."""
    recording = simulate(wheel(speed=2.0, damping=damping))
    time = recording.time
    lag = INERTIA / damping
    wanted = 2.0 * (time - lag * (1.0 - np.exp(-time / lag)))
    np.testing.assert_allclose(recording.joint("axle").coordinate, wanted, rtol=0.0, atol=2e-4 * lag)
    assert recording.counts["accepted"] == 20 or damping < 1e4
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-6 * into)
    assert abs(recording.ledger["joint_dissipation"][-1]) < 1e-14


def test_a_speed_motor_under_load_runs_slower_by_load_over_gain():
    recording = simulate(wheel(joint={"friction": 0.4}, speed=2.0, damping=5.0, duration=2.0))
    assert recording.joint("axle").rate[-1] == pytest.approx(2.0 - 0.4 / 5.0, abs=1e-6)
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-6 * work)       # the budget
    assert recording.ledger["joint_friction"][-1] == pytest.approx(0.4 * recording.joint("axle").coordinate[-1], rel=1e-9)


def test_a_motor_beside_viscosity_pays_for_it_and_for_nothing_else():
    """c v = (c + μ) u in the end; what μ takes is μ ∫ u², and the motor's own c takes nothing."""
    own, drag, speed, duration = 5.0, 0.6, 2.0, 1.0
    recording = simulate(wheel(joint={"viscosity": drag}, speed=speed, damping=own, duration=duration))
    steady, decay = own * speed / (own + drag), (own + drag) / INERTIA
    assert recording.joint("axle").rate[-1] == pytest.approx(steady, abs=1e-6)
    squares = steady**2 * (duration - 2.0 / decay + 0.5 / decay)     # ∫ (1 − exp(−λ t))², what is left of the end aside
    assert recording.ledger["joint_dissipation"][-1] == pytest.approx(drag * squares, rel=1e-5)
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-6 * work)


def test_a_motor_breaks_away_at_static_friction_and_slides_against_kinetic():
    """T = r t against s at rest and d < s in motion: I q̇ = ½ r (t² − t₀²) − d (t − t₀) from t₀ = s/r on."""
    rise, static, kinetic = 4.0, 2.0, 1.0
    recording = simulate(wheel(joint={"friction": (static, kinetic)}, torque=Drive.table([0.0, 1.0], [0.0, rise])))
    since = np.maximum(recording.time - static / rise, 0.0)
    rate = (0.5 * rise * since**2 + (static - kinetic) * since) / INERTIA
    late = recording.steps["dt"].max() * (static - kinetic) / INERTIA     # it breaks away between two steps
    np.testing.assert_allclose(recording.joint("axle").rate, rate, rtol=0.0, atol=2.0 * late)
    assert (recording.joint("axle").coordinate[recording.time <= static / rise] == 0.0).all()
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-6 * recording.ledger["reference_energy"][-1])


def test_a_motor_at_its_limit_pushes_with_it_and_no_more():
    """Torque T up to where c (v − u) is less, then exponentially: the way is exact but for the step in which that happens."""
    limit, damping, speed = 0.5, 1e3, 1.0
    recording = simulate(wheel(speed=speed, damping=damping, limit=limit))
    time, reached = recording.time, (speed - limit / damping) * INERTIA / limit
    since = np.maximum(time - reached, 0.0)
    wanted = np.where(time < reached, 0.5 * limit / INERTIA * time**2, 0.5 * limit / INERTIA * reached**2 + speed * since
                      - limit / damping * INERTIA / damping * (1.0 - np.exp(-damping * since / INERTIA)))
    largest = recording.steps["dt"].max()
    np.testing.assert_allclose(recording.joint("axle").coordinate, wanted, rtol=0.0, atol=0.5 * limit / INERTIA * largest**2)
    work, into = account(recording)
    assert work == pytest.approx(into, abs=1e-6 * into)


@pytest.mark.parametrize("damping", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("start", [2.999, 3.001])
def test_a_tight_motor_of_limited_torque_gets_to_its_speed(damping, start):
    """Its limit either way would push it past that within half a step, and its damping is far beyond the limit at first: what
    it needs on the mean is neither. The last of the way is exponential."""
    recording = simulate(wheel({"rate": start}, Stepping(control="fixed", dt=0.01), speed=3.0, damping=damping, limit=2.0))
    rate = recording.joint("axle").rate
    assert np.abs(rate[1:] - 3.0).max() <= 1e-3 * np.exp(-0.05 * damping / INERTIA) + 1e-12
    adaptive = simulate(wheel({"rate": start}, Stepping(), speed=3.0, damping=damping, limit=2.0))
    assert adaptive.counts["attempts"] < 200
    assert np.abs(adaptive.joint("axle").rate[1:] - 3.0).max() < 1e-6


def test_a_servo_answers_a_step_as_a_damped_oscillator():
    stiffness, damping, wanted = 40.0, 1.0, 0.5
    found = simulate(wheel(target=Drive.steps([0.0, 0.25], [0.0, wanted]), stiffness=stiffness, damping=damping,
                           duration=1.25, stepping=Stepping(budget=1e-7)))
    since = np.maximum(found.time - 0.25, 0.0)
    own, share = np.sqrt(stiffness / INERTIA), damping / (2.0 * np.sqrt(stiffness * INERTIA))
    rate = own * np.sqrt(1.0 - share**2)
    exact = wanted * (1.0 - np.exp(-share * own * since) * (np.cos(rate * since) + share * own / rate * np.sin(rate * since)))
    np.testing.assert_allclose(found.joint("axle").coordinate, exact, rtol=0.0, atol=2e-6)   # (ω τ)²/24 of some swings
    work, into = account(found)
    assert work == pytest.approx(into, abs=1e-7 * found.ledger["reference_energy"][-1] * 1.01)


def test_a_servo_stands_off_by_load_over_stiffness_and_an_integral_brings_it_home():
    """A weight of 2 kg, 0.3 m from a level axle: off by m g l cos(q)/k, and not at all with an integral."""
    def hang(**more):
        scene = wheel(at=(-0.3, 0.0, 0.0), gravity=(0, 0, -9.81), duration=12.0, target=0.0, stiffness=200.0, damping=30.0,
                      stepping=Stepping(budget=1e-5), **more)
        return simulate(scene).joint("axle").coordinate[-1]

    off = hang()
    assert 200.0 * off == pytest.approx(2.0 * 9.81 * 0.3 * np.cos(off), rel=1e-6)
    assert abs(hang(integral=200.0)) < 1e-6 * off + 1e-9


@pytest.mark.parametrize("turns", [0, 1000])
@pytest.mark.parametrize("motor", [{"torque": 3.0}, {"target": 1.2, "stiffness": 50.0, "limit": 3.0},
                                   {"target": 1.2, "stiffness": 50.0, "damping": 2.0, "limit": 3.0}])
def test_a_motor_that_bears_a_load_stands_still_in_few_steps(motor, turns):
    """A bar that 3 N·m hold at an angle, and that begins 1e-6 rad beside it: what motor and weight do is a million times what
    moves, and cancels whatever the steps."""
    leans, start = np.arccos(3.0 / (2.0 * 9.81 * 0.3)) + 1e-6, 2.0 * np.pi * turns
    scene = Scene("held", duration=1.0, frames=10, gravity=(0, 0, -9.81), stepping=Stepping(budget=1e-6))
    turn = np.array([[np.cos(leans), 0, np.sin(leans)], [0, 1, 0], [-np.sin(leans), 0, np.cos(leans)]])
    bar = scene.add_rigid("bar", (CORNERS + np.array((-0.3, 0, 0))) @ turn.T, mass=2.0)
    axle = scene.add_joint("axle", "revolute", None, bar, at=(0, 0, 0), axis=(0, 1, 0), place=start)
    lifts = {"torque": 1.0, "target": 1.0}
    given = {what: lifts.get(what, 1.0) * value for what, value in motor.items()}
    if "target" in given:
        given["target"] += start
    scene.add_motor("motor", axle, **given)
    recording = simulate(scene)
    assert recording.counts["attempts"] < 100
    assert recording.info["budget_kept"] or turns
    assert 0.0 < np.abs(recording.joint("axle").coordinate - start).max() < 1e-6 * np.exp(np.sqrt(9.81 / 0.3))


@pytest.mark.parametrize("asked", [{"speed": Drive.sine(0.4, 1.5), "damping": 1e5},
                                   {"torque": Drive.sine(0.4e5, 1.5), "joint": {"viscosity": 1e5}}])
def test_what_is_overdamped_follows_in_second_order(asked):
    """c τ/I = 4000 and more: q̇ = v* or T/c, but for the I/c by which it lags."""
    way, w, time = 0.4, 3.0 * np.pi, 0.8
    exact = way / w * (1.0 - np.cos(w * time))
    coarse, fine = (abs(simulate(wheel(stepping=Stepping(control="fixed", dt=dt), duration=time, **asked)).joint("axle")
                        .coordinate[-1] - exact) for dt in (0.02, 0.01))
    assert fine < coarse / 3.5
    assert coarse < way * (w * 0.02)**2 / 12.0


def test_an_integral_does_not_wind_up_at_the_limit():
    """A step too large for the limit: with the integral standing still meanwhile it overshoots by less than a fifth of it."""
    scene = wheel(target=Drive.steps([0.0, 0.1], [0.0, 1.0]), stiffness=30.0, damping=6.0, integral=30.0, limit=1.0,
                  duration=5.0, stepping=Stepping(budget=1e-5))
    place = simulate(scene).joint("axle").coordinate
    assert place.max() < 1.2
    assert place[-1] == pytest.approx(1.0, abs=0.02)


def test_a_rotor_counts_by_the_square_of_its_ratio():
    recording = simulate(wheel(torque=1.5, ratio=20.0, rotor=1e-3))
    assert recording.joint("axle").rate[-1] == pytest.approx(1.5 / (INERTIA + 400.0 * 1e-3), rel=1e-12)


def test_a_target_that_jumps_is_followed_along_a_ramp():
    scene = wheel(target=Drive.steps([0.0, 0.2], [0.0, 1.0]), stiffness=1e4, damping=200.0, fastest=2.0)
    place = simulate(scene).joint("axle").coordinate
    np.testing.assert_allclose(place, np.clip(2.0 * (np.linspace(0, 1, 21) - 0.2), 0.0, 1.0), atol=0.01)


def test_a_servo_in_a_loop_turns_its_crank():
    """A planar four-bar whose crank a speed motor turns: it follows, loops stay closed, the work is accounted for."""
    scene = Scene("four-bar", duration=2.0, frames=20, stepping=Stepping(budget=1e-4))
    links = [((0.0, 0, 0.1), (0.0, 0, 0.3)), ((0.0, 0, 0.3), (0.8, 0, 0.5)), ((0.8, 0, 0.5), (0.6, 0, 0.0))]
    bars = [scene.add_rigid(f"bar{n}", CORNERS * 0.2 + 0.5 * (np.array(a) + b), mass=0.5) for n, (a, b) in enumerate(links)]
    crank = scene.add_joint("crank", "revolute", None, bars[0], at=links[0][0], axis=(0, 1, 0))
    for n in (1, 2):
        scene.add_joint(f"pin{n}", "revolute", bars[n - 1], bars[n], at=links[n][0], axis=(0, 1, 0))
    scene.add_joint("rocker", "revolute", None, bars[2], at=links[2][1], axis=(0, 1, 0))
    scene.add_motor("motor", crank, speed=3.0, damping=50.0)
    recording = simulate(scene)
    assert recording.info["budget_kept"]
    assert recording.joint("crank").rate[-1] == pytest.approx(3.0, abs=0.2)
    work, into = account(recording)
    assert work == pytest.approx(into, abs=2e-4 * recording.ledger["reference_energy"][-1])


def test_sensors_of_a_motor_tell_its_effort_within_its_limit_and_a_power_that_adds_up_to_its_work():
    """Beside a spring and a damper of the joint, whose efforts are none of the motor's."""
    scene = wheel({"viscosity": 0.3, "stiffness": 2.0}, frames=2000, target=Drive.sine(0.4, 1.5), stiffness=40.0, damping=2.0,
                  limit=3.0)
    scene.add_sensor("effort", "effort", "motor")
    scene.add_sensor("power", "power", "motor")
    recording = simulate(scene)
    place, rate, time = recording.joint("axle").coordinate, recording.joint("axle").rate, recording.time
    w = 2.0 * np.pi * 1.5
    law = 40.0 * (0.4 * np.sin(w * time) - place) + 2.0 * (0.4 * w * np.cos(w * time) - rate)
    np.testing.assert_allclose(recording.sensors["effort"], np.clip(law, -3.0, 3.0), rtol=0, atol=1e-9)
    assert np.abs(law).max() > 3.0 > np.abs(law).min()
    np.testing.assert_allclose(recording.sensors["power"], recording.sensors["effort"] * rate, rtol=0, atol=1e-12)
    assert np.trapezoid(recording.sensors["power"], time) == pytest.approx(recording.ledger["work:motor"][-1], rel=1e-4)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(recording.time[700])
    assert simulator.read("effort") == recording.sensors["effort"][700]
    with pytest.raises(SceneError, match="effort, power"):
        scene.add_sensor("place", "velocity", "motor")


def test_it_goes_on_from_any_frame_with_the_same_bits(tmp_path):
    whole = simulate(wheel(target=Drive.sine(0.4, 1.5), stiffness=40.0, damping=2.0, integral=20.0, limit=3.0))
    whole.save(tmp_path / "wheel.h5")
    loaded = Recording.load(tmp_path / "wheel.h5")
    assert model_digest(build_model(loaded.scene)) == loaded.scene_digest
    again = Simulator.continued(loaded, frame=7).run()
    np.testing.assert_array_equal(again.checkpoint["joint_motor"][-1], whole.checkpoint["joint_motor"][-1])
    np.testing.assert_array_equal(again.ledger["work:motor"][-1], whole.ledger["work:motor"][-1])


@pytest.mark.parametrize(("given", "words"), [
    ({}, "nothing tells it"), ({"target": 1.0}, "stiffness"), ({"speed": 1.0}, "damping"),
    ({"stiffness": 1.0, "torque": 0.0}, "no target"),
    ({"torque": 1.0, "damping": 1.0}, "no speed"), ({"torque": 1.0, "limit": -1.0}, "limit"),
    ({"speed": 1.0, "damping": np.nan}, "finite"), ({"torque": 1.0, "fastest": 1.0}, "fastest"),
])
def test_motors_that_make_no_sense_are_refused(given, words):
    with pytest.raises(SceneError, match=words):
        wheel(**given)


def test_motors_of_what_cannot_be_driven_are_refused():
    scene = wheel(torque=1.0)
    with pytest.raises(SceneError, match="drives that coordinate already"):
        scene.add_motor("second", "axle", torque=1.0)
    with pytest.raises(SceneError, match="axle"):
        scene.add_motor("third", "axel", torque=1.0)
    with pytest.raises(SceneError, match="driven already"):
        wheel(joint={"drive": Drive.sine(0.1, 1.0)}, torque=1.0)
    with pytest.raises(SceneError, match="give an exact joint"):
        scene.add_motor("fourth", 3, torque=1.0)
