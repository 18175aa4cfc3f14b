"""What acts on coordinates of exact joints against closed forms: dampers of any strength, dry friction, stops, drives, laws."""
from itertools import pairwise

import numpy as np
import pytest

from robotphi import Drive, Scene, SceneError, Simulator, Stepping, Table, build_model, simulate
from robotphi.kernels.step import slots
from robotphi.kernels.step.decide import GROW

CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
STEPS = (0.01, 0.005, 0.0025)
SHAKEN, RATTLE, PHASE = 0.05, 12.0, 0.3   # m, rad/s: to and fro


def scene_of(duration, stepping, gravity=(0.0, 0.0, 0.0), frames=10):
    stepping = Stepping(control="fixed", dt=stepping) if isinstance(stepping, float) else stepping
    return Scene("joint", duration=duration, frames=frames, gravity=gravity, stepping=stepping)


def slider(duration, stepping, gravity=(0.0, 0.0, 0.0), frames=10, mass=1.0, kind="prismatic", **joint):
    """A cube on a rail along x, or turning about it."""
    scene = scene_of(duration, stepping, gravity, frames)
    body = scene.add_rigid("body", CUBE, mass=mass, inertia=(0.02 * mass, 0.03 * mass, 0.04 * mass))
    scene.add_joint("joint", kind, None, body, (0, 0, 0), axis=(1, 0, 0), **joint)
    return scene


def pendulum(duration, stepping, frames=10, **joint):
    """Mass 1 kg at 0.5 m from a hinge along y; drawn level, along x."""
    scene = scene_of(duration, stepping, (0.0, 0.0, -9.81), frames)
    body = scene.add_rigid("body", CUBE + np.array([0.5, 0.0, 0.0]), mass=1.0, inertia=(0.02, 0.03, 0.04))
    scene.add_joint("joint", "revolute", None, body, (0, 0, 0), axis=(0, 1, 0), **joint)
    return scene


def arm(count, stepping, duration=1.0, free=False, **joint):
    """A crooked arm of so many links; what a joint is given may be a function of its number."""
    scene = scene_of(duration, stepping, (0.0, 0.0, 0.0) if free else (0.0, 0.0, -9.81), 4)
    before = scene.add_rigid("hub", CUBE, mass=3.0, inertia=(0.1, 0.2, 0.25), spin=(0.3, 0.5, -0.2),
                             velocity=(0.1, 0.2, 0.3)) if free else None
    for i in range(count):
        centre = np.array([1.0 + i, 0.1 * i, 0.05 * i * i])
        link = scene.add_rigid(f"link {i}", centre + CUBE, mass=1.0 + 0.1 * i, inertia=(0.02, 0.03, 0.04))
        scene.add_joint(f"joint {i}", "revolute", before, link, centre - [0.5, 0, 0], axis=(0.2, 1.0 + 0.3 * (i % 2), 0.3),
                        **{name: value(i) if callable(value) else value for name, value in joint.items()})
        before = link
    return scene


def places(recording):
    return recording.checkpoint["joint_place"][:, :, 0]


def rates(recording):
    return recording.checkpoint["joint_rate"][:, :, 0]


def momenta(scene, recording):
    mass = np.array([rigid.mass for rigid in scene.rigids])[:, None]
    own = mass * recording.rigid_velocity
    return np.hstack((own.sum(axis=1), (recording.rigid_momentum + np.cross(recording.rigid_position, own)).sum(axis=1)))


def convergence(build, steps=STEPS):
    """Ratio of the differences of the last coordinates over three steps that are each half of the one before."""
    ends = [places(simulate(build(dt)))[-1] for dt in steps]
    return np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()


# Viscosity ------------------------------------------------------------------------------------------------------------

def test_a_damper_of_ten_thousand_times_critical_costs_no_steps():
    """x'' + c x' + k x = 0 with ω = 10 and c = 10⁴ × 2 ω: x = x₀ exp(−t k/c) but for (k/c²) of it."""
    free = simulate(slider(20.0, Stepping(budget=1e-3), stiffness=100.0, place=1.0, rest=0.0))
    held = simulate(slider(20.0, Stepping(budget=1e-3), stiffness=100.0, place=1.0, rest=0.0, viscosity=2e5))
    assert held.counts["attempts"] <= free.counts["attempts"]
    slow = (-2e5 + np.sqrt(2e5**2 - 400.0)) / 2.0
    expected = np.exp(-100.0 / 2e5 * held.time)
    assert slow == pytest.approx(-100.0 / 2e5, rel=1e-5)
    np.testing.assert_allclose(places(held)[:, 0], expected, rtol=1e-6)
    assert held.ledger["joint_dissipation"][-1] == pytest.approx(50.0 * (1.0 - expected[-1]**2), rel=1e-4)
    assert held.ledger["largest_residual"][-1] <= 1e-3 * held.ledger["reference_energy"][-1]


def test_what_a_strong_damper_stops_goes_m_over_c():
    recording = simulate(slider(1.0, 0.01, rate=1.0, viscosity=1e5))
    np.testing.assert_allclose(places(recording)[1:, 0], 1e-5, rtol=1e-9)
    assert recording.ledger["joint_dissipation"][-1] == pytest.approx(0.5, rel=1e-12)
    assert abs(recording.ledger["residual"][-1]) < 1e-12


def test_a_light_body_on_a_strong_damper_sinks_at_the_steady_rate():
    recording = simulate(slider(1.0, 0.01, gravity=(9.81, 0.0, 0.0), mass=1e-6, viscosity=10.0))
    steady = 9.81e-6 / 10.0
    np.testing.assert_allclose(rates(recording)[1:, 0], steady, rtol=1e-12)
    np.testing.assert_allclose(places(recording)[1:, 0], steady * recording.time[1:], rtol=1e-5)   # less the m/c of its start
    assert abs(recording.ledger["residual"][-1]) < 1e-9 * recording.ledger["joint_dissipation"][-1]


@pytest.mark.parametrize("viscosity", [1e2, 1e5, 1e8])
def test_an_arm_that_starts_against_any_viscosity_takes_no_more_steps(viscosity):
    """Two joints of four with rates of 2 rad/s and dampers of 1e3 to 1e10 times what stops them in a second: the ledger knows
    what they take at once, and the steps are no shorter than without; the path of the others follows it in steps that grow."""
    def run(own, accuracy):
        return simulate(arm(4, Stepping(budget=1e-4, accuracy=accuracy), rate=lambda i: 2.0 * (-1) ** i,
                            viscosity=lambda i: own if i in (1, 2) else 0.0))

    damped, free = run(viscosity, "energy"), run(0.0, "energy")
    assert damped.counts["attempts"] <= free.counts["attempts"]
    damped, free = run(viscosity, "path"), run(0.0, "path")
    shorter = np.log(viscosity / 0.02)   # by what the dampers stop faster than the arm goes: found by halves, left by growing
    assert damped.counts["attempts"] <= free.counts["attempts"] + shorter / np.log(2.0) + shorter / np.log(GROW)
    assert damped.ledger["largest_residual"][-1] <= 1e-4 * damped.ledger["reference_energy"][-1]
    assert damped.ledger["joint_dissipation"][-1] > 0.1


def test_an_overdamped_chain_follows_its_slow_modes():
    """Cubes on a rail, each with spring and damper to the one before: C q' + K q = 0 but for some m k/c² < 1e-4 of it.

    What holds back all at once leaves steps q⁺ = q − τ K q/C, whose error ½ τ (k/c)² t is (ω τ)² m/(c τ) of a spring's.
    """
    viscosity = 1e4
    recording, free = (simulate(springs_on_a_rail(viscosity=c)) for c in (viscosity, 0.0))
    expected = 0.1 * np.arange(1, 5) * np.exp(-100.0 * np.arange(1, 5) / viscosity * recording.time[:, None])
    longest = 2.0 / np.sqrt(100.0)
    np.testing.assert_allclose(places(recording), expected, rtol=0.5 * longest * (400.0 / viscosity)**2 * 50.0)
    assert recording.counts["attempts"] <= free.counts["attempts"]


def springs_on_a_rail(**joint):
    """Four cubes, each with a spring and a damper to the one before."""
    scene, before = scene_of(50.0, Stepping(budget=1e-3), frames=5), None
    for i in range(4):
        body = scene.add_rigid(f"body {i}", CUBE + np.array([i, 0.0, 0.0]), mass=1.0, inertia=(0.02, 0.03, 0.04))
        scene.add_joint(f"joint {i}", "prismatic", before, body, (float(i), 0, 0), axis=(1, 0, 0), stiffness=100.0 * (i + 1),
                        place=0.1 * (i + 1), rest=0.0, **joint)
        before = body
    return scene


@pytest.mark.parametrize("budget", [1e-4, 1e-6])
def test_the_budget_governs_where_one_damper_moves_another_freedom(budget):
    """A slides, and B on A, with a damper between them: u_b falls by e^−7.5 t, 7.5 = 5 N·s/m (1/m_a + 1/m_b), and the centre of
    mass goes on as it did. B alone would be exact at any step, A is accelerated by less and less."""
    scene = Scene("two", duration=1.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    a, b = (scene.add_rigid(name, CUBE, mass=mass, inertia=(0.02, 0.03, 0.04)) for name, mass in (("a", 1.0), ("b", 2.0)))
    scene.add_joint("slide of a", "prismatic", None, a, (0, 0, 0), axis=(1, 0, 0), rate=1.0)
    scene.add_joint("slide of b", "prismatic", a, b, (0, 0, 0), axis=(1, 0, 0), viscosity=5.0, rate=-1.0)
    recording = simulate(scene)
    apart = -(1.0 - np.exp(-7.5)) / 7.5                    # m, that B slides on A
    centre = (1.0 * 1.0 + 2.0 * (1.0 - 1.0)) / 3.0         # m/s, which stays
    exact = centre - 2.0 / 3.0 * apart
    assert abs(places(recording)[-1, 0] - exact) < np.sqrt(budget) * exact
    assert recording.counts["accepted"] < 0.5 / budget


@pytest.mark.parametrize(("viscosity", "finer"), [(0.3, 8.0), (3.0, 2.0)], ids=["as a force", "by flow"])
def test_damped_arms_are_of_second_order(viscosity, finer):
    """All steps of a run have to go the same way, which c τ over inertia decides."""
    assert convergence(lambda dt: arm(3, dt, viscosity=viscosity), np.divide(STEPS, finer)) == pytest.approx(4.0, abs=0.4)


@pytest.mark.parametrize("dt", [1e-5, 1e-2])
def test_a_damper_between_a_heavy_body_and_the_light_one_that_carries_it(dt):
    """It sees both: u falls by c (1/m + 1/M), and takes ½ u²/(1/m + 1/M), whatever of it a step is."""
    scene, before = scene_of(20.0 * dt, dt, frames=4), None
    for name, mass, more in (("light", 1e-3, {}), ("heavy", 1.0, {"viscosity": 1e3, "rate": 2.0})):
        body = scene.add_rigid(f"{name} body", CUBE, mass=mass, inertia=(0.02, 0.03, 0.04))
        scene.add_joint(name, "prismatic", before, body, (0, 0, 0), axis=(1, 0, 0), **more)
        before = body
    recording = simulate(scene)
    both = 1e-3 / 1.001
    assert recording.ledger["joint_dissipation"][-1] == pytest.approx(0.5 * both * 4.0, rel=1e-9)
    assert abs(recording.ledger["residual"][-1]) < 1e-12
    assert abs(rates(recording)[-1, 1]) < 1e-6


def test_a_damped_spring_is_of_second_order_and_its_ledger_closes_so():
    left, off = [], []
    for dt in STEPS:
        recording = simulate(slider(1.0, dt, stiffness=9.0, rest=0.3, rate=1.0, viscosity=1.0))
        w = np.sqrt(9.0 - 0.25)
        exact = 0.3 + np.exp(-0.5) * (-0.3 * np.cos(w) + (1.0 - 0.15) / w * np.sin(w))
        off.append(abs(places(recording)[-1, 0] - exact))
        left.append(abs(recording.ledger["residual"][-1]))
    np.testing.assert_allclose(np.log2(np.divide(off[:-1], off[1:])), 2.0, atol=0.1)
    np.testing.assert_allclose(np.log2(np.divide(left[:-1], left[1:])), 2.0, atol=0.1)


def test_it_is_as_strong_beside_dampers_that_go_apart():
    """A slider with viscosity c hangs on a spring's damper μ: v' = g − (c + μ) v/m; both are far beyond what a step stands.

    c is 500 μ: the spring's damper goes apart, and its stages alone would not keep the joint's from growing.
    """
    scene = slider(5.0, Stepping(budget=1e-4), gravity=(9.81, 0.0, 0.0), viscosity=1e6)
    end = scene.add_particles("end", [[-1.0, -0.1, -0.1]], 1.0, support="xyz")
    scene.add_linear("damper", end, scene.rigids[0].particles[:1], stiffness=1e-9, viscosity=2e3)
    simulator = Simulator(build_model(scene), threads=1)
    recording = simulator.run()
    assert simulator.state.buffers.counters[slots.VISCOSITY] == slots.APART
    steady = 9.81 / (1e6 + 2e3)
    np.testing.assert_allclose(rates(recording)[1:, 0], steady, rtol=1e-9)
    np.testing.assert_allclose(places(recording)[1:, 0], steady * recording.time[1:], rtol=1e-4)
    assert recording.counts["attempts"] < 1000, "where either acted as a force, τ c < 4 would ask for more than a million"
    share = recording.ledger["joint_dissipation"][-1] / recording.ledger["spring_dissipation"][-1]
    assert share == pytest.approx(500.0, rel=1e-3)
    assert recording.ledger["largest_residual"][-1] <= 1e-4 * recording.ledger["reference_energy"][-1]


# Dry friction ---------------------------------------------------------------------------------------------------------

def test_sliding_ends_where_friction_has_taken_all():
    """m a = pull − T: the way is v²/2|a|, whatever the step, and what friction takes is T × way."""
    recording = simulate(slider(1.0, 0.013, gravity=(0.5, 0.0, -9.0), rate=1.0, friction=2.0))
    assert places(recording)[-1, 0] == pytest.approx(1.0 / 3.0, rel=1e-12)
    assert recording.ledger["joint_friction"][-1] == pytest.approx(2.0 / 3.0, rel=1e-12)
    assert (rates(recording)[-3:] == 0.0).all()
    assert abs(recording.ledger["residual"][-1]) < 1e-13


def test_it_holds_up_to_static_friction_and_slides_against_kinetic():
    held = simulate(slider(10.0, 0.01, gravity=(1.999, 0.0, -9.0), friction=(2.0, 1.0)))
    assert (places(held) == 0.0).all(), "no creep at all"
    assert (rates(held) == 0.0).all()
    loose = simulate(slider(1.0, 0.01, gravity=(2.001, 0.0, -9.0), friction=(2.0, 1.0)))
    assert places(loose)[-1, 0] == pytest.approx(0.5 * 1.001, rel=1e-12)


def test_it_breaks_away_when_the_torque_asks_for_more():
    recording = simulate(slider(1.0, 0.001, torque=Drive.table([0.0, 1.0], [0.0, 4.0]), friction=2.0, frames=100))
    moving = recording.time[np.flatnonzero(rates(recording)[:, 0] > 0.0)[0]]
    assert 0.5 < moving <= 0.5 + 0.01 + 1e-9
    assert places(recording)[-1, 0] == pytest.approx(4.0 * 0.5**3 / 6.0, rel=1e-4)


def test_swings_fall_by_the_same_at_each_turn_and_come_to_rest():
    """k x + T sgn x': each half swing is one about ∓T/k, so that turns are at x₀ − 2 T/k, … until k x < T."""
    recording = simulate(slider(4.0, 0.002, stiffness=100.0, place=1.0, rest=0.0, friction=10.0, frames=400))
    x = places(recording)[:, 0]
    turns = np.abs(x[1:-1][(np.diff(x)[:-1] * np.diff(x)[1:]) < 0.0])
    np.testing.assert_allclose(turns[:4], [0.8, 0.6, 0.4, 0.2], atol=1e-3)
    assert abs(x[-1]) <= 0.1 + 1e-4
    assert np.ptp(x[200:]) <= 1e-15
    assert abs(recording.ledger["residual"][-1]) < 1e-4 * 50.0


def test_a_pendulum_with_dry_friction_comes_to_rest_and_stays():
    """Between turns m g l cos q falls by T × the way; at rest friction holds it aside."""
    recording = simulate(pendulum(12.0, Stepping(budget=1e-5), frames=1200, friction=0.4, place=0.0))
    q, u = places(recording)[:, 0], rates(recording)[:, 0]
    turns = np.concatenate(([0.0], [q[i] for i in range(1, len(q) - 1) if u[i - 1] * u[i] < 0.0]))
    for before, after in pairwise(turns[:5]):
        lost = 0.4 * abs(after - before)
        assert 9.81 * 0.5 * (np.sin(after) - np.sin(before)) == pytest.approx(lost, abs=5e-3)   # the frame nearest to the turn
    assert np.ptp(q[-200:]) <= 1e-15
    assert abs(9.81 * 0.5 * np.cos(q[-1])) <= 0.4 + 1e-9
    assert recording.ledger["largest_residual"][-1] <= 1e-5 * recording.ledger["reference_energy"][-1]


def test_friction_in_an_arm_is_of_second_order_where_it_only_slides():
    assert convergence(lambda dt: arm(3, dt, duration=0.2, friction=0.7, viscosity=0.3)) == pytest.approx(4.0, abs=0.4)


def shaken(dt, friction, led):
    """A cube on a rail with dry friction, on a base that is led to and fro, or on the ground under the force of that."""
    scene = scene_of(1.0, dt, frames=20)
    base, torque = None, Drive.sine(SHAKEN * RATTLE**2, RATTLE / (2.0 * np.pi), phase=PHASE)
    if led:
        way = Drive.sine(SHAKEN, RATTLE / (2.0 * np.pi), phase=PHASE)
        base, torque = scene.add_rigid("base", CUBE, mass=1.0, support="yz", rotation_support="xyz", drive={"x": way}), None
    body = scene.add_rigid("body", CUBE + np.array([0, 0, 0.3]), mass=1.0)
    joint = {} if torque is None else {"torque": torque}
    scene.add_joint("joint", "prismatic", base, body, (0, 0, 0.2), axis=(1, 0, 0), friction=friction, **joint)
    return simulate(scene)


def stick_and_slip(static, kinetic, times):
    """Where the cube of `shaken` is: it rests up to m a = static, slides by q̈ = a(t) ∓ kinetic/m until its rate is nought."""
    size, found, now, place = SHAKEN * RATTLE**2, np.zeros(len(times)), 0.0, 0.0
    releases = 0
    while now < times[-1]:
        ahead = np.linspace(now, now + 2.0, 200001)
        pull = size * np.sin(RATTLE * ahead + PHASE)
        begin = ahead[np.argmax(np.abs(pull) >= static)]
        sign = np.sign(np.sin(RATTLE * begin + PHASE))
        releases += begin < times[-1]

        def slid(t, begin=begin, sign=sign):
            """(way, rate) since `begin`"""
            s, first = t - begin, RATTLE * begin + PHASE
            rate = size / RATTLE * (np.cos(first) - np.cos(RATTLE * t + PHASE)) - sign * kinetic * s
            way = (size / RATTLE * (np.cos(first) * s - (np.sin(RATTLE * t + PHASE) - np.sin(first)) / RATTLE)
                   - 0.5 * sign * kinetic * s * s)
            return way, rate
        ahead = np.linspace(begin, begin + 2.0, 200001)[1:]
        end = ahead[np.argmax(slid(ahead)[1] * sign < 0.0)]
        inside = (times > now) & (times <= end)
        found[inside] = place + np.where(times[inside] > begin, slid(np.maximum(times[inside], begin))[0], 0.0)
        place += slid(end)[0]
        found[times > end] = place
        now = end
    return found, releases


def test_friction_on_a_led_base_is_that_on_the_ground_under_the_force_of_its_motion():
    """The ledger is of second order on either, through all sticking and slipping."""
    for dt in (0.02, 0.005):
        led, still = shaken(dt, (5.0, 4.0), True), shaken(dt, (5.0, 4.0), False)
        np.testing.assert_allclose(led.joint("joint").coordinate, still.joint("joint").coordinate, rtol=0.0, atol=1e-13)
    for led in (True, False):
        left = [shaken(dt, (5.0, 4.0), led).ledger["largest_residual"][-1] for dt in STEPS]
        for coarse, fine in pairwise(left):
            assert 3.5 < coarse / fine < 4.5


def test_breaking_away_is_known_to_a_step_and_places_of_first_order_where_friction_falls_then():
    """Let go a step τ late at most, a release leaves the rate off by (F₀ − F) τ/m until the next rest, half a period later at
    most: of first order, and nothing of it where F₀ = F, where only what is of second order is left."""
    times = np.linspace(0.0, 1.0, 21)
    exact, releases = stick_and_slip(5.0, 4.0, times)
    for dt in STEPS:
        off = np.abs(shaken(dt, (5.0, 4.0), True).joint("joint").coordinate - exact).max()
        assert off < releases * (5.0 - 4.0) * dt * np.pi / RATTLE
    exact, _ = stick_and_slip(4.0, 4.0, times)
    off = [np.abs(shaken(dt, (4.0, 4.0), True).joint("joint").coordinate - exact).max() for dt in (0.02, 0.0025)]
    assert off[0] / off[1] > 8.0**1.5   # eight times as fine: 64, but for where within a step it is let go


def test_many_holds_at_once_are_consistent():
    """An arm of ten links that friction holds in part: nothing that moves gets energy from friction."""
    scene = arm(10, 0.002, duration=0.4, friction=lambda i: (60.0, 40.0) if i < 3 else (3.0, 2.0))
    recording = simulate(scene)
    assert (places(recording)[-1] == 0.0).any()
    assert (places(recording)[-1] != 0.0).any()
    assert (np.diff(recording.ledger["joint_friction"]) > 0.0).all()
    assert abs(recording.ledger["residual"][-1]) < 1e-3 * recording.ledger["reference_energy"][-1]


# Stops ----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_stop_gives_back_its_share_of_the_rate(e):
    recording = simulate(slider(1.0, 0.013, rate=1.0, limits=(-1.0, 0.5), restitution=e))
    assert places(recording)[-1, 0] == pytest.approx(0.5 - 0.5 * e, abs=1e-12)
    assert recording.ledger["joint_stops"][-1] == pytest.approx(0.5 * (1.0 - e * e), abs=1e-13)
    assert rates(recording)[-1, 0] == pytest.approx(-e, abs=1e-13)


@pytest.mark.parametrize(("joint", "gravity", "frames"), [
    ({}, 0.0, 10), ({"place": -0.25, "rate": 1.5}, 0.0, 100), ({"rate": 2.0, "friction": 0.5}, 0.0, 16),
    ({"rate": 0.0}, 4.0, 10), ({"rate": 0.0, "place": -0.5}, 8.0, 8), ({"rate": 2.0}, -4.0, 8)])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_stop_may_be_hit_just_where_a_frame_ends(joint, gravity, frames, e):
    """At t = ½ s, but for friction; under the last weight it comes to its stop with no rate. A hit within rounding of the end
    of a step was once struck half a step too early, whatever the step, until it fell below its floor."""
    recording = simulate(slider(1.0, Stepping(budget=1e-3), (gravity, 0.0, 0.0), frames,
                                **{"rate": 1.0, "limits": (-10.0, 0.5), "restitution": e, **joint}))
    assert recording.counts["attempts"] < 2 * frames + 20
    assert places(recording).max() <= 0.5
    ledger = recording.ledger
    lost = 0.5 * (rates(recording)[0, 0]**2 - rates(recording)[-1, 0]**2) - ledger["gravity"][-1] - ledger["joint_friction"][-1]
    assert ledger["joint_stops"][-1] == pytest.approx(lost, abs=1e-12)
    if not joint:
        assert places(recording)[-1, 0] == pytest.approx(0.5 - 0.5 * e, abs=1e-12)
    if not gravity and "friction" not in joint:
        assert rates(recording)[-1, 0] == pytest.approx(-e * rates(recording)[0, 0], abs=1e-12)


@pytest.mark.parametrize("viscosity", [100.0, 1e3, 1e4])
@pytest.mark.parametrize("dt", [0.05, 0.0125])
def test_what_a_damper_holds_lags_behind_its_force_by_its_inertia_alone(viscosity, dt):
    """m u̇ = r t − c u: x = r/c (½ t² − t m/c + (m/c)² (1 − exp(−c t/m))). With z = c h/m in a half of the step less than
    4 (m/c)²/h a second, and terms of higher order, is left of the way. By the share 2 B − 1 of the end it was 2 m/c, however
    short the step."""
    recording = simulate(slider(1.0, dt, viscosity=viscosity, torque=Drive.table([0.0, 1.0], [0.0, 10.0])))
    t, lag, half = recording.time, 1.0 / viscosity, 0.5 * dt
    exact = 10.0 * lag * (0.5 * t * t - t * lag + lag * lag * (1.0 - np.exp(-t / lag)))
    assert viscosity * half > 0.5
    assert np.abs(places(recording)[:, 0] - exact).max() < 10.0 * lag * min(4.4 * lag * lag / half, lag)


def test_bounces_on_a_stop_come_to_rest_and_stay():
    """Flights last 2 eⁿ √(2 h/g): all is over after (1 + e)/(1 − e) √(2 h/g), when m g h is lost."""
    recording = simulate(slider(2.0, 0.013, gravity=(-9.81, 0.0, 0.0), place=0.2, limits=(0.0, None), restitution=0.5,
                                frames=200))
    x, over = places(recording)[:, 0], 3.0 * np.sqrt(0.4 / 9.81)
    assert (x >= 0.0).all()
    assert (x[recording.time > over + 0.026] == 0.0).all()
    assert (x[recording.time < over - 0.05] > 0.0).any()
    assert recording.ledger["joint_stops"][-1] == pytest.approx(9.81 * 0.2, rel=1e-12)
    assert abs(recording.ledger["residual"][-1]) < 1e-13


@pytest.mark.parametrize(("slack", "rate"), [(1e-3, 1.0), (1e-2, 100.0)])
def test_slack_between_elastic_stops_keeps_its_energy(slack, rate):
    """Hundreds of hits in the time of a frame: more in a step than can be followed are an error of the path."""
    recording = simulate(slider(1.0, Stepping(), limits=(-slack, slack), restitution=1.0, rate=rate))
    assert recording.ledger["kinetic"][-1] == pytest.approx(0.5 * rate**2, rel=1e-12)
    assert abs(rates(recording)[-1, 0]) == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(("viscosity", "step"), [(0.8, 0.3), (2.5, 0.1), (20.0, 0.05)])
def test_viscosity_bends_the_way_to_a_stop_and_it_is_hit_where_it_is(viscosity, step):
    """The flow of one freedom under its weight is exact, so are its hits: the same bounces whatever the step, to rounding of
    each of some hundred, and what viscosity takes is what the weight did. A hit beside its stop would store or lack its weight
    × the way off. In steps of less than a tenth of the time in which viscosity brakes it is a force away from stops."""
    def bounced(dt):
        return simulate(slider(3.0, dt, gravity=(-9.81, 0.0, 0.0), place=0.2, limits=(0.0, None), restitution=1.0,
                               viscosity=viscosity, frames=round(3.0 / step)))

    coarse, fine = bounced(step), bounced(0.5 * step)
    assert places(coarse).min() >= 0.0
    assert places(fine).min() >= 0.0
    assert abs(coarse.ledger["residual"][-1]) < 1e-12
    if viscosity < 1.0:   # the others end at rest, which begins where a rebound is back within a share of the step
        np.testing.assert_allclose(places(coarse), places(fine), rtol=0, atol=1e-9)


def test_it_leaves_a_stop_when_it_is_pulled_away():
    recording = simulate(slider(1.0, Stepping(budget=1e-4), torque=Drive.table([0.0, 1.0], [-1.0, 1.0]), limits=(0.0, None),
                                frames=100))
    x = places(recording)[:, 0]
    assert (x[recording.time <= 0.5] == 0.0).all()
    assert x[-1] == pytest.approx(2.0 * 0.5**3 / 6.0, rel=1e-3)


def test_several_stops_at_once():
    """All joints of an arm fall onto their stops and rest there; what was lost is what the weight did."""
    recording = simulate(arm(3, Stepping(budget=1e-3), duration=3.0, limits=(-0.2, 0.1), restitution=0.3))
    np.testing.assert_array_equal(places(recording)[-1], places(recording)[-2])
    assert np.isin(places(recording)[-1], (-0.2, 0.1)).all()
    assert (rates(recording)[-1] == 0.0).all()
    assert recording.ledger["joint_stops"][-1] == pytest.approx(-recording.ledger["gravity"][-1], rel=2e-3)
    assert recording.ledger["largest_residual"][-1] <= 1e-3 * recording.ledger["reference_energy"][-1]


def test_stops_and_friction_within_a_free_mechanism_keep_its_momenta():
    scene = arm(4, 0.005, free=True, rate=lambda i: 0.4 * (-1)**i, limits=(-0.2, 0.1), restitution=0.6, friction=(0.05, 0.02),
                viscosity=0.01)
    recording = simulate(scene)
    assert recording.ledger["joint_stops"][-1] > 1e-3
    assert recording.ledger["joint_friction"][-1] > 1e-3
    np.testing.assert_allclose(momenta(scene, recording), np.tile(momenta(scene, recording)[0], (5, 1)), atol=1e-12)


# Drives, torques and tables -------------------------------------------------------------------------------------------

def test_a_driven_coordinate_is_where_its_drive_says_and_its_work_is_the_energy():
    recording = simulate(slider(1.0, 0.01, drive=Drive.sine(0.2, 0.5), mass=2.0))
    value, rate = 0.2 * np.sin(np.pi * recording.time), 0.2 * np.pi * np.cos(np.pi * recording.time)
    np.testing.assert_allclose(places(recording)[:, 0], value, atol=1e-15)
    np.testing.assert_allclose(rates(recording)[:, 0], rate, atol=1e-14)
    np.testing.assert_allclose(recording.ledger["work:joint"], rate**2 - rate[0]**2, atol=1e-13)


def test_a_driven_pendulum_takes_the_work_of_its_weight():
    recording = simulate(pendulum(1.0, 0.01, drive=Drive.table([0.0, 0.5, 1.0], [0.0, 0.4, 0.4], kind="cubic")))
    assert recording.ledger["work:joint"][-1] == pytest.approx(
        recording.ledger["gravity"][-1] + recording.ledger["kinetic"][-1] - recording.ledger["kinetic"][0], abs=1e-3)
    assert abs(recording.ledger["residual"][-1]) < 1e-3


def test_drives_within_a_free_mechanism_keep_its_momenta():
    scene = arm(3, 0.01, free=True, drive=lambda i: (lambda t: 0.3 * np.sin(2.0 * t + i) - 0.3 * np.sin(i)))
    recording = simulate(scene)
    np.testing.assert_allclose(momenta(scene, recording), np.tile(momenta(scene, recording)[0], (5, 1)), atol=1e-12)
    assert abs(recording.ledger["residual"][-1]) < 1e-4 * recording.ledger["reference_energy"][-1]


def test_a_torque_does_torque_times_way():
    recording = simulate(slider(1.0, 0.01, torque=2.0, viscosity=1e3))
    assert recording.ledger["work:joint"][-1] == pytest.approx(2.0 * places(recording)[-1, 0], rel=1e-12)
    assert recording.ledger["joint_dissipation"][-1] == pytest.approx(recording.ledger["work:joint"][-1], rel=1e-3)


def test_a_torque_that_grows_does_its_mean_times_way():
    """m u' = 4 t: u = 2 t², which is 2 J in a second; the step's error of it is some τ²."""
    recording = simulate(slider(1.0, 0.01, torque=Drive.table([0.0, 1.0], [0.0, 4.0])))
    assert recording.ledger["work:joint"][-1] == pytest.approx(2.0, rel=5e-4)
    assert abs(recording.ledger["residual"][-1]) < 1e-3


def test_a_table_resists_and_stores_its_integral():
    table = Table([-1.0, 0.0, 1.0], [-1.0, 0.0, 4.0])
    recording = simulate(slider(1.0, 0.001, table=table, rate=1.0, frames=100))
    x, u = places(recording)[:, 0], rates(recording)[:, 0]
    np.testing.assert_allclose(recording.ledger["elastic_joint"], np.where(x > 0.0, 2.0, 0.5) * x * x, rtol=1e-9, atol=1e-18)
    np.testing.assert_allclose(0.5 * u * u + recording.ledger["elastic_joint"], 0.5, atol=2e-6)   # (ω τ)²/8 of it
    assert x.max() == pytest.approx(0.5, abs=1e-3)


# Altogether -----------------------------------------------------------------------------------------------------------

ALL = {"friction": lambda i: (0.3, 0.2) if i % 2 else 0.0, "limits": (-0.4, 0.3), "restitution": 0.4,
       "viscosity": lambda i: [1e3, 0.05, 0.0, 2.0][i], "torque": lambda i: [None, 1.0, None, None][i],
       "drive": lambda i: Drive.sine(0.1, 1.0) if i == 2 else None}


@pytest.mark.parametrize("stepping", [0.004, Stepping(budget=1e-4)], ids=["fixed", "ledger"])
def test_runs_continued_from_any_frame_have_the_bits_of_the_straight_run(stepping):
    recording = simulate(arm(4, stepping, duration=0.4, **ALL))
    for frame in (1, 3):
        again = Simulator.continued(recording, frame=frame).run()
        np.testing.assert_array_equal(places(again)[-1], places(recording)[-1])
        np.testing.assert_array_equal(rates(again)[-1], rates(recording)[-1])
        assert again.ledger["residual"][-1] == recording.ledger["residual"][-1]


@pytest.mark.parametrize(("given", "complaint"), [
    ({"drive": Drive.steps([0.0, 0.5], [0.0, 1.0])}, "jumps"),
    ({"drive": Drive.sine(1.0, 1.0), "place": 0.3}, "its drive starts at 0"),
    ({"drive": Drive.sine(1.0, 1.0), "torque": 1.0}, "a torque on a coordinate that is driven"),
    ({"friction": (1.0, 2.0)}, "kinetic friction is at most"),
    ({"limits": (0.1, 0.3)}, "beyond its stops"), ({"limits": (0.3, 0.1)}, "the lowest must be below"),
    ({"table": [1, 2]}, "give a Table")])
def test_what_cannot_be_is_refused(given, complaint):
    with pytest.raises(SceneError, match=complaint):
        slider(1.0, 0.01, **given)


# Relations of coordinates ---------------------------------------------------------------------------------------------

def wheels(stepping, factors=None, duration=1.0, gravity=(0.0, 0.0, 0.0), free=False, **joints):
    """Three wheels about x beside each other, of moments 0.02, 0.04, 0.06; what joints are given may differ."""
    scene = scene_of(duration, stepping, gravity, 4)
    hub = scene.add_rigid("hub", CUBE, mass=2.0, inertia=(0.1, 0.2, 0.3)) if free else None
    for i, name in enumerate("abc"):
        body = scene.add_rigid(f"wheel {name}", CUBE + np.array([0.0, i + 1.0, 0.0]), mass=1.0 + i,
                               inertia=(0.02 * (i + 1), 0.03, 0.04))
        scene.add_joint(name, "revolute", hub, body, (0.0, i + 1.0, 0.0), axis=(1, 0, 0), **joints.get(name, {}))
    if factors:
        scene.relate("relation", factors)
    return scene


def test_a_gear_moves_its_inertias_as_one():
    """a = −3 b: (I_a + I_b/9) a'' = T."""
    recording = simulate(wheels(0.01, {"a": 1.0, "b": 3.0}, a={"torque": 0.5}))
    gain = 0.5 / (0.02 + 0.04 / 9.0)
    np.testing.assert_allclose(places(recording)[:, 0], 0.5 * gain * recording.time**2, rtol=1e-12)
    np.testing.assert_allclose(places(recording)[:, 0] + 3.0 * places(recording)[:, 1], 0.0, atol=1e-14)
    assert recording.ledger["work:a"][-1] == pytest.approx(recording.ledger["kinetic"][-1], rel=1e-12)


def test_a_differential_shares_out_what_its_side_wheels_do_not_take():
    """a + b = 2 c, c driven, b under a load: what b lacks a has; λ is the load of each side."""
    recording = simulate(wheels(0.01, {"a": 1.0, "b": 1.0, "c": -2.0}, c={"drive": lambda t: t * t}, b={"torque": -0.1}))
    a, b, c = places(recording).T
    np.testing.assert_allclose(a + b, 2.0 * c, atol=1e-14)
    slip = (0.04 * 2.0 + 0.1 - 0.02 * 2.0) / 0.06   # a'' = 2 + s, b'' = 2 − s, 0.02 (2 + s) = 0.04 (2 − s) + 0.1
    np.testing.assert_allclose(0.5 * (a - b), 0.5 * slip * recording.time**2, rtol=1e-9)
    assert abs(recording.ledger["residual"][-1]) < 1e-12


def test_relations_go_with_stops_friction_and_dampers_and_keep_momenta():
    scene = wheels(0.005, {"a": 1.0, "b": -2.0}, free=True, a={"rate": 2.0, "limits": (-0.5, 0.4), "restitution": 0.5},
                   b={"rate": 1.0, "friction": (0.004, 0.003)}, c={"viscosity": 0.3, "rate": -1.0})
    recording = simulate(scene)
    np.testing.assert_allclose(places(recording)[:, 6] - 2.0 * places(recording)[:, 7], 0.0, atol=1e-13)
    np.testing.assert_allclose(rates(recording)[:, 6] - 2.0 * rates(recording)[:, 7], 0.0, atol=1e-12)
    assert recording.ledger["joint_stops"][-1] > 1e-3
    assert recording.ledger["joint_friction"][-1] > 1e-4
    np.testing.assert_allclose(momenta(scene, recording), np.tile(momenta(scene, recording)[0], (5, 1)), atol=1e-12)
    assert abs(recording.ledger["residual"][-1]) < 1e-4 * recording.ledger["reference_energy"][-1]


def test_a_mimic_follows_a_drive():
    recording = simulate(wheels(0.01, {"b": 1.0, "a": -0.5}, a={"drive": Drive.sine(0.4, 0.5)},
                                b={"rate": 0.5 * 0.4 * np.pi}))
    np.testing.assert_allclose(places(recording)[:, 1], 0.2 * np.sin(np.pi * recording.time), atol=1e-14)
    speed = 0.4 * np.pi * np.cos(np.pi * recording.time)
    energy = 0.5 * (0.02 + 0.04 / 4.0) * speed**2
    np.testing.assert_allclose(recording.ledger["work:a"], energy - energy[0], atol=1e-12)


def test_a_screw_turns_a_fall_into_a_turn():
    """m g p = (I + m p²) q'': a nut on a steep thread."""
    recording = simulate(slider(1.0, 0.01, gravity=(-9.81, 0.0, 0.0), kind="screw", pitch=0.1))
    gain = -9.81 * 0.1 / (0.02 + 0.01)
    np.testing.assert_allclose(places(recording)[:, 0], 0.5 * gain * recording.time**2, rtol=1e-11)
