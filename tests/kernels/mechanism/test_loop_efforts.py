"""What acts on coordinates of joints in mechanisms with loops: drives, dampers, dry friction, stops, relations."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robotphi import Drive, Scene, SceneError, SimulationDiverged, Stepping, simulate
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from tests.kernels.mechanism.loops import add_ball, add_bar, gap_of

A, B, C, D = np.array([(0.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.8, 0.6, 0.0), (0.7, 0.0, 0.0)])
RATIO = np.cross(C - B, B - A)[2] / np.cross(C - B, C - D)[2]   # rate of the rocker for one of the crank, as drawn: B and C go
# alike along the coupler, whose direction is e: e·(z × (B − A)) and e·(z × (C − D)) of the rates
Z = (0, 0, 1)


def scene_for(dt, duration, gravity=0.0, frames=4):
    """`dt`: a step, or what to step by."""
    stepping = Stepping(control="fixed", dt=dt) if isinstance(dt, float) else Stepping(**dt)
    return Scene("loops", duration=duration, frames=frames, gravity=(0.0, -gravity, 0.0), stepping=stepping)


def four_bar(dt=0.01, duration=1.0, gravity=0.0, frames=4, rate=2.0, bases=None, **joints):
    """Crank a–b, coupler b–c and rocker d–c, closed at c; what acts on the joints a, b and d is told by their names."""
    scene = scene_for(dt, duration, gravity, frames)
    base = bases(scene) if bases else None
    crank, coupler = add_bar(scene, "crank", A, B), add_bar(scene, "coupler", B, C, 2.0)
    rocker = add_bar(scene, "rocker", D, C, 1.5)
    scene.add_joint("a", "revolute", base, crank, A, axis=Z, **({} if rate is None else {"rate": rate}), **joints.get("a", {}))
    scene.add_joint("b", "revolute", crank, coupler, B, axis=Z, **joints.get("b", {}))
    scene.add_joint("d", "revolute", base, rocker, D, axis=Z, **joints.get("d", {}))
    scene.add_joint("c", "revolute", coupler, rocker, C, axis=Z)
    return scene


def simulated(scene):
    """A recording, of a run whose closures are met in place and velocity to 1e-12 of the size."""
    simulator = Simulator(build_model(scene), threads=1)
    recording = simulator.run()
    assert gap_of(simulator) <= 1e-12
    assert np.abs(opening(recording)).max() <= 1e-12 * max(np.abs(recording.rigid_velocity).max(), 1e-300)
    return recording


def opening(recording):
    """How fast the two sides of each joint of a scene leave each other where they meet, by the velocities of the rigids."""
    found = []
    for joint in recording.scene.joints:
        if joint.kind != "revolute":
            continue
        speeds = []
        for end in (joint.parent, joint.child):
            if end is None:
                speeds.append(np.zeros((len(recording.time), 3)))
                continue
            i = end.index
            own = turned(conjugate(recording.rigid_orientation[0, i]), joint.at - recording.rigid_position[0, i])
            arm = turned(recording.rigid_orientation[:, i], own)
            speeds.append(recording.rigid_velocity[:, i] + np.cross(recording.rigid_spin[:, i], arm))
        found.append(speeds[1] - speeds[0])
    return np.array(found)


def conjugate(q):
    return q * [1.0, -1.0, -1.0, -1.0]


def turned(q, a):
    """A vector turned by quaternions."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, a)
    return a + w * t + np.cross(u, t)


def places(recording):
    return recording.checkpoint["joint_place"][:, :, 0]


def rates(recording):
    return recording.checkpoint["joint_rate"][:, :, 0]


def kept(recording, budget):
    return recording.ledger["largest_residual"][-1] <= budget * recording.ledger["reference_energy"][-1]


# Drives ---------------------------------------------------------------------------------------------------------------

def crank_inertia(angle, radius=0.3, length=0.8, masses=(1.0, 2.0, 1.5)):
    """Of a slider-crank along its crank, drawn upright: crank, rod and slider by their speeds for each radian."""
    s, c = np.sin(angle + np.pi / 2), np.cos(angle + np.pi / 2)
    lean = radius * s / length                                # sine of the rod's angle, and what it changes for each radian
    upright = np.sqrt(1.0 - lean * lean)
    turn = radius * c / (length * upright)
    slide = -radius * s - length * lean * turn
    middle = (-radius * s - 0.5 * length * lean * turn)**2 + (0.5 * radius * c)**2
    return masses[0] * radius**2 / 3.0 + masses[1] * (middle + length**2 * turn**2 / 12.0) + masses[2] * slide**2


def test_a_slider_crank_turned_evenly_takes_the_torque_of_its_inertia():
    """½ M' w²: the crank goes on at w whatever hangs on it."""
    recording = simulated(slider_crank_on(scene_for(0.005, 1.0, frames=40), drive=lambda t: 8.0 * t))
    angle = places(recording)[:, 0]
    np.testing.assert_allclose(angle, 8.0 * recording.time, atol=1e-13)
    slope = crank_inertia(angle + 1e-200j).imag / 1e-200
    np.testing.assert_allclose(recording.joint("a").effort, 0.5 * slope * 64.0, atol=1e-9)
    energy = 0.5 * crank_inertia(angle) * 64.0
    np.testing.assert_allclose(recording.ledger["kinetic"], energy, rtol=1e-10)
    runs = [simulate(slider_crank_on(scene_for(dt, 1.0), drive=lambda t: 8.0 * t)) for dt in (0.01, 0.005)]
    left = [abs(run.ledger["residual"][-1]) for run in runs]
    assert left[0] / left[1] == pytest.approx(4.0, abs=0.4)


def slider_crank_on(scene, radius=0.3, length=0.8, slider=None, **crank):
    a, b, c = (0, 0, 0), (0, radius, 0), (np.sqrt(length**2 - radius**2), 0, 0)
    one, rod, ball = add_bar(scene, "crank", a, b), add_bar(scene, "rod", b, c, 2.0), add_ball(scene, "slider", c, 1.5)
    scene.add_joint("a", "revolute", None, one, a, axis=Z, **crank)
    scene.add_joint("b", "revolute", one, rod, b, axis=Z)
    scene.add_joint("d", "prismatic", None, ball, c, axis=(1, 0, 0), **(slider or {}))
    scene.add_joint("c", "revolute", rod, ball, c, axis=Z)
    return scene


def test_a_drive_that_the_loop_cannot_follow_ends_the_run_with_the_joint():
    """Crank and rocker are led one against the other."""
    scene = four_bar({"budget": 1e-3}, rate=None, a={"drive": lambda t: t * t}, d={"drive": lambda t: -t * t})
    with pytest.raises(SimulationDiverged, match="joint 'c' cannot be closed"):
        simulate(scene)


def test_a_loop_led_beyond_a_stop_at_fixed_steps_is_told():
    """Where the stop gives the rate back it is led on all the same; one that holds ends the run with both by name."""
    led, stops = {"a": {"drive": lambda t: 0.3 * t * t}, "rate": None}, {"limits": (-0.05, 0.05)}
    told = [one for one in simulate(four_bar(**led, d={**stops, "restitution": 0.5})).info["warnings"] if "stops" in one]
    assert len(told) == 1
    assert "joint 'd' is at" in told[0]
    assert "at t = 1 s, beyond its stops at [-0.05, 0.05]" in told[0]
    assert not any("stops" in one for one in simulate(four_bar(**led, d={"limits": (-3.0, 3.0)})).info["warnings"])
    with pytest.raises(SimulationDiverged, match=r"Joint 'd' is at its stop at 0\.05, and the drive of 'a' leads it on"):
        simulate(four_bar(**led, d=stops))


def test_drives_of_a_loop_that_rest_but_for_rounding_are_taken_as_resting():
    """What opens a joint in the whole run by less than what counts as closed opens it not at all."""
    def led(speed):
        return four_bar(rate=None, a={"drive": Drive.table([0.0, 1.0], [0.0, speed])}, d={"drive": Drive.constant(0.0)})
    build_model(led(2e-14))
    with pytest.raises(SceneError, match="would open it at"):
        build_model(led(1e-9))


# Viscosity ------------------------------------------------------------------------------------------------------------

def bars_by_multipliers(dampers, time, rate=2.0, gravity=9.81):
    """Three bars with nine coordinates and eight constraints, integrated apart from all of this: angles of the crank."""
    ends, masses = ((A, B), (B, C), (D, C)), (1.0, 2.0, 1.5)
    lengths = [np.linalg.norm(b - a) for a, b in ends]
    angles = np.array([np.arctan2(*(b - a)[1::-1]) for a, b in ends])
    mass = np.diag(np.concatenate([(m, m, m * length**2 / 12.0) for m, length in zip(masses, lengths, strict=True)]))
    pairs = ((0, -1, None, A), (0, 1, 1, -1), (1, 1, 2, 1), (2, -1, None, D))   # bar, end, other bar, end or place

    def arm(y, bar, side):
        return 0.5 * side * lengths[bar] * np.array([np.cos(y[3 * bar + 2]), np.sin(y[3 * bar + 2])])

    def rows(y, v):
        slopes, brought = np.zeros((8, 9)), np.zeros(8)
        for n, (bar, side, other, end) in enumerate(pairs):
            for sign, i, s in ((1.0, bar, side), (-1.0, other, end)):
                if i is None:
                    continue
                r = arm(y, i, s)
                slopes[2 * n:2 * n + 2, 3 * i:3 * i + 2] += sign * np.eye(2)
                slopes[2 * n:2 * n + 2, 3 * i + 2] += sign * np.array([-r[1], r[0]])
                brought[2 * n:2 * n + 2] -= sign * r * v[3 * i + 2]**2
        return slopes, brought

    def change(_, state):
        y, v = state[:9], state[9:]
        slopes, brought = rows(y, v)
        force = np.array([0.0, -gravity, 0.0] * 3) * np.diag(mass)
        for c, one, other in dampers:
            twist = c * (v[3 * other + 2] - (v[3 * one + 2] if one is not None else 0.0))
            force[3 * other + 2] -= twist
            if one is not None:
                force[3 * one + 2] += twist
        whole = np.block([[mass, slopes.T], [slopes, np.zeros((8, 8))]])
        return np.concatenate((v, np.linalg.solve(whole, np.concatenate((force, -brought)))[:9]))

    start = np.concatenate([(*(0.5 * (a + b))[:2], angle) for (a, b), angle in zip(ends, angles, strict=True)])
    slopes, _ = rows(start, np.zeros(9))
    free = np.linalg.svd(slopes)[2][-1]
    start = np.concatenate((start, free * rate / free[2]))
    found = solve_ivp(change, (0.0, time[-1]), start, "DOP853", time, rtol=1e-12, atol=1e-13)
    return found.y[2] - angles[0]


def test_a_damped_four_bar_goes_as_its_bars_do_under_multipliers():
    dampers, ends = [(0.3, None, 0), (1.0, 0, 1)], []
    for dt in (0.002, 0.001):
        recording = simulated(four_bar(dt, gravity=9.81, a={"viscosity": 0.3}, b={"viscosity": 1.0}))
        ends.append(places(recording)[:, 0])
    exact = bars_by_multipliers(dampers, recording.time)
    np.testing.assert_allclose((4.0 * ends[1] - ends[0]) / 3.0, exact, atol=2e-7)


@pytest.mark.parametrize("viscosity", [1e-3, 1.0, 30.0])
def test_damped_loops_are_of_second_order_and_so_is_their_ledger(viscosity):
    runs = [simulate(four_bar(dt, 0.4, 9.81, rate=0.5, a={"viscosity": viscosity})) for dt in (0.005, 0.0025, 0.00125)]
    ends = [places(run)[-1, 0] for run in runs]
    assert (ends[0] - ends[1]) / (ends[1] - ends[2]) == pytest.approx(4.0, abs=0.5)
    left = [run.ledger["residual"][-1] for run in runs]
    assert left[1] / left[2] == pytest.approx(4.0, abs=0.8)


def test_a_loop_damped_ten_thousand_times_critical_takes_no_more_steps():
    """M q'' + c q' + k q = 0 near where the spring rests: q falls by exp(−k t/c)."""
    spring = {"stiffness": 10.0, "place": 0.0, "rest": 0.01}
    free, held = (simulated(four_bar({"budget": 1e-3}, 20.0, rate=None, a={**spring, **more}))
                  for more in ({}, {"viscosity": 2e4 * np.sqrt(10.0 * 0.5)}))
    assert held.counts["attempts"] <= free.counts["attempts"]
    np.testing.assert_allclose(0.01 - places(held)[:, 0], 0.01 * np.exp(-10.0 * held.time / (2e4 * np.sqrt(5.0))), rtol=1e-6)
    assert kept(held, 1e-3)


# Dry friction ---------------------------------------------------------------------------------------------------------

def test_friction_in_a_loop_holds_below_what_its_way_takes_and_slides_above():
    """A torque on the crank is held by the rocker's friction up to its share of the way: T_a = T_d |dq_d/dq_a|."""
    most = 5.0 * abs(RATIO)
    held = simulated(four_bar({"budget": 1e-4}, 5.0, rate=None, a={"torque": 0.999 * most}, d={"friction": (5.0, 4.0)}))
    assert (places(held) == 0.0).all(), "no creep at all"
    assert (rates(held) == 0.0).all()
    loose = simulated(four_bar({"budget": 1e-4}, 0.2, rate=None, a={"torque": 1.001 * most}, d={"friction": (5.0, 4.0)}))
    assert places(loose)[-1, 0] > 1e-3
    taken = 4.0 * abs(loose.joint("d").coordinate[-1])
    assert loose.ledger["joint_friction"][-1] == pytest.approx(taken, rel=1e-4)
    assert kept(loose, 1e-4)


def test_friction_at_two_joints_of_a_loop_holds_together():
    """Either alone would give way."""
    most = 5.0 * abs(RATIO) + 3.0
    held, loose = (simulated(four_bar({"budget": 1e-4}, 0.5, rate=None, a={"torque": share * most, "friction": 3.0},
                                      d={"friction": 5.0})) for share in (0.99, 1.01))
    assert (places(held) == 0.0).all()
    assert places(loose)[-1, 0] > 1e-3


def test_a_crank_held_by_friction_does_not_creep_while_the_rest_of_its_loop_moves():
    """Five bars: one crank is held, the other drives the three that are left."""
    scene = scene_for(0.005, 0.2)
    points = np.array([(0.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.4, 0.6, 0.0), (0.8, 0.3, 0.0), (0.8, 0.0, 0.0)])
    bars = (("one", 0, 1), ("up", 1, 2), ("down", 3, 2), ("other", 4, 3))
    one, up, down, other = (add_bar(scene, name, points[i], points[j]) for name, i, j in bars)
    scene.add_joint("a", "revolute", None, one, points[0], axis=Z, friction=50.0)
    scene.add_joint("b", "revolute", one, up, points[1], axis=Z)
    scene.add_joint("e", "revolute", None, other, points[4], axis=Z, rate=1.0)
    scene.add_joint("d", "revolute", other, down, points[3], axis=Z)
    scene.add_joint("c", "revolute", up, down, points[2], axis=Z)
    recording = simulated(scene)
    assert np.ptp(recording.joint("a").coordinate[1:]) == 0.0   # it came to rest from the rate that it had with the other
    assert abs(recording.joint("e").coordinate[-1]) > 0.1


def test_a_sliding_loop_comes_to_rest_where_friction_has_taken_all():
    """Without weight its energy is that of its rate, and friction takes its torque × way."""
    recording = simulated(four_bar({"budget": 1e-4}, 2.0, frames=200, b={"friction": 1.0}))
    assert (rates(recording)[-20:] == 0.0).all()
    assert np.ptp(places(recording)[-20:], axis=0).max() == 0.0
    energy = recording.ledger["kinetic"][0]
    assert recording.ledger["joint_friction"][-1] == pytest.approx(energy, rel=1e-3)
    assert abs(recording.joint("b").coordinate[-1]) == pytest.approx(energy, rel=1e-3)
    assert kept(recording, 1e-4)


# Stops ----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_stop_in_a_loop_gives_back_its_share_of_the_rate_of_all(e):
    """Without weight the energy is constant but for the hit, which takes 1 − e² of it: a loop has one rate."""
    recording = simulated(four_bar(0.002, 0.1, frames=50, d={"limits": (None, 0.1), "restitution": e}))
    energy = recording.ledger["kinetic"]
    assert recording.joint("d").coordinate.max() == pytest.approx(0.1, abs=4e-3)
    assert energy[-1] == pytest.approx(e * e * energy[0], rel=1e-4, abs=1e-20)
    assert recording.ledger["joint_stops"][-1] == pytest.approx((1.0 - e * e) * energy[0], rel=1e-4, abs=1e-20)
    assert abs(recording.ledger["residual"][-1]) < 1e-4 * energy[0]


def test_a_loop_falls_onto_its_stop_and_rests_there():
    recording = simulated(four_bar({"budget": 1e-4}, 3.0, 9.81, 60, 0.0, d={"limits": (-0.2, 0.2), "restitution": 0.5}))
    assert (np.abs(recording.joint("d").coordinate[-10:]) == 0.2).all()
    assert np.ptp(places(recording)[-10:], axis=0).max() < 1e-13
    assert recording.ledger["joint_stops"][-1] == pytest.approx(-recording.ledger["gravity"][-1], rel=1e-3)
    assert kept(recording, 1e-4)


def test_a_slider_crank_stops_where_its_slider_does():
    stops = {"limits": (-0.1, 0.1), "restitution": 0.0}
    recording = simulated(slider_crank_on(scene_for({"budget": 1e-4}, 0.5, frames=50), rate=2.0, slider=stops))
    assert recording.ledger["joint_stops"][-1] == pytest.approx(recording.ledger["kinetic"][0], rel=1e-3)
    assert abs(recording.joint("d").coordinate[-1]) == 0.1
    assert np.abs(rates(recording)[-1]).max() < 1e-25
    assert kept(recording, 1e-4)


# Relations, bases, and all of it --------------------------------------------------------------------------------------

def two_four_bars(dt, duration=0.5, gravity=0.0, **first):
    """Two four-bars beside each other, with cranks a0 and a1."""
    scene = scene_for(dt, duration, gravity)
    for n, more in enumerate((first, {})):
        out = np.array([0.0, 0.0, float(n)])
        crank, coupler, rocker = (add_bar(scene, f"{name}{n}", p + out, q + out, m) for name, p, q, m in
                                  (("crank", A, B, 1.0), ("coupler", B, C, 2.0), ("rocker", D, C, 1.5)))
        scene.add_joint(f"a{n}", "revolute", None, crank, A + out, axis=Z, **more)
        scene.add_joint(f"b{n}", "revolute", crank, coupler, B + out, axis=Z)
        scene.add_joint(f"d{n}", "revolute", None, rocker, D + out, axis=Z)
        scene.add_joint(f"c{n}", "revolute", coupler, rocker, C + out, axis=Z)
    return scene


def test_a_gear_joins_two_loops():
    """Cranks that go alike go as one of them alone under half the torque."""
    scene = two_four_bars(0.002, torque=2.0)
    scene.relate("gear", {"a0": 1.0, "a1": -1.0})
    recording = simulated(scene)
    alone = simulated(four_bar(0.002, 0.5, rate=None, a={"torque": 1.0}))
    np.testing.assert_allclose(recording.joint("a0").coordinate, recording.joint("a1").coordinate, atol=1e-13)
    np.testing.assert_allclose(recording.joint("a0").coordinate, alone.joint("a").coordinate, rtol=1e-6, atol=1e-13)
    assert recording.ledger["work:a0"][-1] == pytest.approx(recording.ledger["kinetic"][-1], rel=1e-4)


def test_a_differential_shares_a_drive_out_between_loops():
    """a0 + a1 = 2 c, c driven: the cranks have its mean."""
    scene = two_four_bars(0.002)
    wheel = add_bar(scene, "wheel", (2, 0, 0), (2, 0.3, 0))
    scene.add_joint("hub", "revolute", None, wheel, (2, 0, 0), axis=Z, drive=lambda t: 0.5 * t * t)
    scene.relate("differential", {"a0": 1.0, "a1": 1.0, "hub": -2.0})
    recording = simulated(scene)
    both = recording.joint("a0").coordinate + recording.joint("a1").coordinate
    np.testing.assert_allclose(both, recording.time**2, atol=1e-12)
    assert recording.ledger["work:hub"][-1] == pytest.approx(recording.ledger["kinetic"][-1], rel=1e-4)


def led(scene, turn):
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    drive = {"rotation": (Z, Drive.sine(0.3, 1.5))} if turn else {"x": Drive.sine(0.1, 1.5)}
    return scene.add_rigid("base", corners, mass=1.0, inertia=np.ones(3), support="xyz" if turn else "yz",
                           rotation_support="" if turn else "xyz", drive=drive)


@pytest.mark.parametrize("turn", [False, True])
def test_what_a_led_base_gives_a_loop_is_booked(turn):
    """Friction, stops and dampers push the base by impulses, through joints of the tree and through those that close loops."""
    scene = four_bar({"budget": 1e-4}, 1.0, 9.81, bases=lambda scene: led(scene, turn), a={"friction": 0.2},
                     b={"viscosity": 0.3}, d={"limits": (-0.2, 0.2), "restitution": 0.5})
    recording = simulate(scene)
    assert recording.ledger["joint_stops"][-1] > 0.01
    assert kept(recording, 1e-4)
    assert recording.counts["attempts"] < 3000


def test_a_free_loop_with_all_of_it_keeps_both_momenta():
    scene = four_bar(0.005, 1.0, a={"friction": 0.2}, b={"viscosity": 0.3}, d={"limits": (None, 0.1), "restitution": 0.5},
                     bases=lambda scene: add_ball(scene, "base", (0.3, -0.5, 0.2), 2.0, 0.5, spin=(0.3, 0.2, 0.1)))
    recording = simulate(scene)
    mass = np.array([rigid.mass for rigid in scene.rigids])[:, None]
    own = mass * recording.rigid_velocity
    both = np.hstack((own.sum(axis=1), (recording.rigid_momentum + np.cross(recording.rigid_position, own)).sum(axis=1)))
    np.testing.assert_allclose(both, np.tile(both[0], (len(both), 1)), atol=1e-12)
    assert all(recording.ledger[name][-1] > 1e-4 for name in ("joint_dissipation", "joint_friction", "joint_stops"))


ALL = {"a": {"friction": (0.3, 0.2)}, "b": {"viscosity": 1.0}, "d": {"limits": (-0.2, 0.2), "restitution": 0.5, "torque": 0.1}}


@pytest.mark.parametrize("stepping", [0.004, {"budget": 1e-4}], ids=["fixed", "ledger"])
def test_runs_continued_from_any_frame_have_the_bits_of_the_straight_run(stepping):
    recording = simulate(four_bar(stepping, 0.6, 9.81, **ALL))
    for frame in (1, 3):
        again = Simulator.continued(recording, frame=frame).run()
        np.testing.assert_array_equal(places(again)[-1], places(recording)[-1])
        np.testing.assert_array_equal(rates(again)[-1], rates(recording)[-1])
        assert again.ledger["residual"][-1] == recording.ledger["residual"][-1]


@pytest.mark.parametrize("budget", [1e-4, 1e-8])
def test_the_ledger_is_kept_at_any_budget(budget):
    assert kept(simulated(four_bar({"budget": budget}, 0.3, 9.81, a={"viscosity": 1.0, "friction": 0.1})), budget)


def test_a_loop_all_of_whose_joints_are_acted_on_is_refused():
    build_model(four_bar(0.01, d={"viscosity": 1.0}, b={"friction": 1.0}, a={"limits": (0.0, None)}))   # its joint c is left
    scene = scene_for(0.01, 1.0)
    bars = [add_bar(scene, *each) for each in (("crank", A, B), ("coupler", B, C), ("rocker", D, C))]
    for name, parent, child, at in (("a", None, 0, A), ("b", bars[0], 1, B), ("c", bars[1], 2, C), ("d", None, 2, D)):
        scene.add_joint(name, "revolute", parent, bars[child], at, axis=Z, friction=1.0)
    with pytest.raises(SceneError, match="closes a loop"):
        build_model(scene)


def test_a_drive_that_leads_another_joint_of_its_loop_onto_its_stop_ends_the_run_and_is_told():
    turns = Drive.table([0.0, 1.0], [0.0, 2.0])
    scene = four_bar({"budget": 1e-3}, rate=None, a={"drive": turns}, d={"limits": (-2.0, 0.3)})
    told = r"Joint 'd' is at its stop at 0\.3, and the drive of 'a' leads it on"
    with pytest.raises(SimulationDiverged, match=told) as ended:
        simulated(scene)
    assert 0.2 <= ended.value.recording.time[-1] < 0.3
