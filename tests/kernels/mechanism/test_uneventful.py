"""Dampers apart beside stops, limits of motors and dry friction: where nothing happens; in the force where something does."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, SimulationDiverged, Simulator, Stepping, build_model, simulate
from robotphi.kernels.step import slots
from tests.fuzz.same_bits import assert_continues, assert_threads_do_not_matter

BUDGET = 1e-4
STRONG = 2e3      # 1/s, c/m of a damper: in the force steps are below 1/STRONG
STOP = 0.27       # m


def ran(scene, together=False):
    """(recording, whether its dampers were apart in the end); `together`: they are not to be."""
    simulator = Simulator(build_model(scene), threads=1)
    simulator.begin()
    if together:
        simulator.state.buffers.counters[slots.WAIT] = 2 ** 30
    recording = simulator.run()
    return recording, simulator.state.buffers.counters[slots.VISCOSITY] == slots.APART


def bouncing(duration=4.25, frames=17, restitution=1.0, **limits):
    """A slider of 1 kg between two stops, and a particle that falls through a strong damper."""
    scene = Scene("bouncing", duration=duration, frames=frames, gravity=(0.0, 0.0, -9.81), stepping=Stepping(budget=BUDGET))
    block = scene.add_rigid("block", [(0, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1))
    scene.add_joint("slide", "prismatic", None, block, at=(0, 0, 0), axis=(1, 0, 0), rate=1.0, restitution=restitution,
                    limits=(-STOP, STOP), **limits)
    top = scene.add_particles("top", [[0.0, 1.0, 1.0]], 1.0, support="xyz")
    low = scene.add_particles("low", [[0.0, 1.0, 0.0]], 1.0)
    scene.add_linear("damper", top, low, stiffness=1e-9, viscosity=STRONG)
    return scene


def car(limit, shape="ball", frames=20, friction=0.0):
    """Four wheels that speed motors turn, on ground that takes most of what hits it."""
    scene = Scene("car", duration=1.0, frames=frames, stepping=Stepping(budget=BUDGET))
    material = ContactMaterial(stiffness=1e8, friction=0.8, restitution=0.3, speed=1.0)
    scene.add_plane("ground", contact=material)
    corners = [(0.2, 0.2, 0.1), (-0.2, 0.2, 0.1), (0.2, -0.2, 0.1), (-0.2, -0.2, 0.1)]
    body = scene.add_rigid("body", corners, mass=10.0, inertia=(0.1, 0.2, 0.3), centre=(0, 0, 0.2))
    for n, (x, y, z) in enumerate(corners):
        if shape == "ball":
            wheel = scene.add_ball(f"wheel {n}", (x, y, z), 0.1, mass=1.0, contact=material)
        else:
            wheel = scene.add_wheel(f"wheel {n}", (x, y - 0.02, z), (x, y + 0.02, z), 0.1, mass=1.0, contact=material)
        joint = scene.add_joint(f"axle {n}", "revolute", body, wheel, at=(x, y, z), axis=(0, 1, 0), friction=friction)
        scene.add_motor(f"motor {n}", joint, speed=5.0, damping=100.0, limit=limit)
    return scene


@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_stops_are_hit_where_they_are(restitution):
    """Beside dampers that are apart almost all the time: a way of straight lines, speeds by the restitution to rounding, and
    steps that are cut only near the stops: six hits of some ten cycles of eight steps each at most."""
    recording, apart = ran(bouncing(restitution=restitution))
    time, place, speed, left = 0.0, 0.0, 1.0, recording.time
    exact = np.empty((len(left), 2))
    for n, until in enumerate(left):
        while abs(place + speed * (until - time)) > STOP:
            to_stop = (np.copysign(STOP, speed) - place) / speed
            time, place, speed = time + to_stop, place + speed * to_stop, -restitution * speed
        exact[n] = place + speed * (until - time), speed
    joint = recording.joint("slide")
    np.testing.assert_allclose(joint.coordinate, exact[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(joint.rate, exact[:, 1], rtol=1e-9)
    assert apart
    assert recording.ledger["joint_stops"][-1] == pytest.approx(0.5 * (1.0 - exact[-1, 1] ** 2), abs=1e-9)
    assert recording.ledger["largest_residual"][-1] <= BUDGET * recording.ledger["reference_energy"][-1]
    assert recording.counts["attempts"] < 9 * 10 * 8 + 17 * 10, "in the force alone more than 4.25 s × 2000"


def test_what_rests_at_its_stop_is_held_there():
    """Pushed onto its stop it stays, with the dampers in the force; when it is pulled off they go apart."""
    scene = bouncing(duration=2.0, frames=20, restitution=0.0, torque=Drive.steps([0.0, 1.0], [2.0, -0.2]))
    recording, apart = ran(scene)
    joint, time = recording.joint("slide"), recording.time
    resting = (time > STOP) & (time <= 1.0)
    np.testing.assert_array_equal(joint.coordinate[resting], STOP)
    after = time[time > 1.0] - 1.0
    np.testing.assert_allclose(joint.coordinate[time > 1.0], STOP - 0.1 * after ** 2, rtol=0, atol=1e-9)
    assert apart


@pytest.mark.parametrize("limit", [20.0, 0.5], ids=["hardly met", "met half the time"])
@pytest.mark.parametrize("shape", ["ball", "wheel"])
def test_limits_of_motors_cost_no_steps(shape, limit):
    """About as many as without, the same way as with the dampers in the force, and the same work, that the budget of 1e-4 of
    some 10 J allows to be wrong by 1e-3 J, each motor about as much as the sum."""
    free, _ = ran(car(None, shape))
    together, in_force = ran(car(limit, shape), together=True)
    recording, apart = ran(car(limit, shape))
    assert apart
    assert not in_force
    assert recording.counts["attempts"] <= 1.1 * free.counts["attempts"]
    np.testing.assert_allclose(recording.rigid_position[-1], together.rigid_position[-1], rtol=0, atol=BUDGET * 0.5)
    for n in range(4):
        name, allowed = f"work:motor {n}", 2.0 * BUDGET * recording.ledger["reference_energy"][-1]
        assert recording.ledger[name][-1] == pytest.approx(together.ledger[name][-1], abs=allowed)


def sliding(friction, budget=BUDGET, duration=2.0, **more):
    """A block of 1 kg on a rail with dry friction."""
    scene = Scene("sliding", duration=duration, frames=20, gravity=(0.0, 0.0, 0.0), stepping=Stepping(budget=budget))
    block = scene.add_rigid("block", [(0, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1))
    scene.add_joint("slide", "prismatic", None, block, at=(0, 0, 0), axis=(1, 0, 0), friction=friction, **more)
    return scene, block


def test_what_slides_comes_to_rest_and_what_rests_breaks_away():
    """v² = 2 T x of 1 m/s by 2 N; held against 2.9 N of static friction of 3; pushed by 4 N from 1 s on: x = (4 − 2) t²/2."""
    scene, _ = sliding((3.0, 2.0), rate=1.0, torque=Drive.steps([0.0, 0.6, 1.0], [0.0, 2.9, 4.0]))
    top = scene.add_particles("top", [[0.0, 1.0, 1.0]], 1.0, support="xyz")
    low = scene.add_particles("low", [[0.0, 1.0, 0.0]], 1.0, velocity=(0.0, 0.0, 1e-3))
    scene.add_linear("damper", top, low, stiffness=1e-9, viscosity=STRONG)
    recording, apart = ran(scene)
    time, place = recording.time, recording.joint("slide").coordinate
    exact = np.where(time < 0.5, time - time ** 2, 0.25) + np.where(time > 1.0, (time - 1.0) ** 2, 0.0)
    np.testing.assert_allclose(place, exact, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(place[(time > 0.5) & (time <= 1.0)], place[time > 0.5][0])
    assert recording.ledger["joint_friction"][-1] == pytest.approx(2.0 * exact[-1], abs=1e-9)
    assert apart
    assert recording.counts["attempts"] < 400, "in the force alone more than 2 s × 2000"


@pytest.mark.parametrize("budget", [1e-4, 1e-6])
def test_what_dampers_pull_at_is_held_until_they_pull_too_much(budget):
    """A damper c whose other end goes faster and faster, at v = a t, pulls with c v at a block that 5 N hold, 4 N when it
    slides: it breaks away at c v = 5 N, within a step in the force, and lags by w' = a + 4 − c w from then on.

    An error of rates has the energy that the budget allows of errors of the path.
    """
    scene, block = sliding((5.0, 4.0), budget)
    gain = 5e-3
    lead = scene.add_particles("lead", [[1.0, 0.0, 0.0]], 1.0, support="yz", drive={"x": lambda t: 0.5 * gain * t * t})
    scene.add_linear("damper", block.particles[:1], lead, stiffness=1e-9, viscosity=STRONG)
    recording, apart = ran(scene)
    time, joint = recording.time, recording.joint("slide")
    broken = 5.0 / STRONG / gain
    after = time > broken + 1e-9
    np.testing.assert_array_equal(joint.coordinate[~after], 0.0)
    time, steady = time[after], (gain + 4.0) / STRONG
    off, left = 5.0 / STRONG - steady, np.exp(-STRONG * (time - broken))
    rate = gain * time - steady - off * left
    way = 0.5 * gain * (time ** 2 - broken ** 2) - steady * (time - broken) - off * (1.0 - left) / STRONG
    allowed = np.sqrt(2.0 * budget * recording.ledger["reference_energy"][-1] / 1.0)
    np.testing.assert_allclose(joint.rate[after], rate, rtol=0, atol=allowed)
    np.testing.assert_allclose(joint.coordinate[after], way, rtol=0, atol=allowed * 1.5)
    assert apart
    assert recording.counts["attempts"] < 2000, "in the force alone more than 2 s × 2000"


def rails(scene, count):
    """Blocks of 1 kg, each on a rail along x; a strong damper from the first one to the world."""
    blocks = [scene.add_rigid(f"block {n}", [(0, n, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1)) for n in range(count)]
    post = scene.add_particles("post", [[1.0, 0.0, 0.0]], 1.0, support="xyz")
    scene.add_linear("damper", blocks[0].particles[:1], post, stiffness=1e-9, viscosity=STRONG)
    return blocks


def test_what_is_related_goes_together():
    """x₁ + 2 x₂ = 0, an effort T on the second block: (m₁ + m₂/4) v' = −T/2 − c v."""
    scene = Scene("related", duration=1.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=1e-6))
    one, two = rails(scene, 2)
    scene.add_joint("first", "prismatic", None, one, at=(0, 0, 0), axis=(1, 0, 0))
    scene.add_joint("second", "prismatic", None, two, at=(0, 1, 0), axis=(1, 0, 0), torque=40.0)
    scene.relate("gear", {"first": 1.0, "second": 2.0})
    recording, apart = ran(scene)
    assert apart
    steady, decay = -20.0 / STRONG, STRONG / 1.25
    exact = steady * (recording.time + np.expm1(-decay * recording.time) / decay)
    allowed = np.sqrt(2.0 * 1e-6 * recording.ledger["reference_energy"][-1] / 1.25)
    first, second = recording.joint("first"), recording.joint("second")
    np.testing.assert_allclose(first.coordinate, exact, rtol=0, atol=allowed)
    np.testing.assert_allclose(first.coordinate + 2.0 * second.coordinate, 0.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(first.rate + 2.0 * second.rate, 0.0, rtol=0, atol=1e-14)


def led(viscosity):
    """A block led to and fro against a strong damper and the viscosity of its joint; another one hangs on it by a spring, and
    rubs."""
    scene = Scene("led", duration=2.0, frames=20, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    one, two = rails(scene, 2)
    scene.add_joint("led", "prismatic", None, one, at=(0, 0, 0), axis=(1, 0, 0), viscosity=viscosity,
                    drive=lambda t: 0.1 * (1.0 - np.cos(3.0 * t)))
    scene.add_joint("other", "prismatic", one, two, at=(0, 1, 0), axis=(1, 0, 0), stiffness=50.0, friction=0.1)
    return scene


def test_what_is_driven_is_where_its_drive_says():
    """Dampers take c ∫ v² dt. The other block goes as with the dampers in the force, as far as the budget of the path lets it;
    viscosity of the joint that is driven asks for no steps."""
    recording, apart = ran(led(200.0))
    together, _ = ran(led(200.0), together=True)
    without, _ = ran(led(0.0))
    assert apart
    assert recording.counts["attempts"] < together.counts["attempts"]
    assert recording.counts["attempts"] < 1.1 * without.counts["attempts"]
    time, joint, other = recording.time, recording.joint("led"), recording.joint("other")
    np.testing.assert_allclose(joint.coordinate, 0.1 * (1.0 - np.cos(3.0 * time)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(joint.rate, 0.3 * np.sin(3.0 * time), rtol=0, atol=1e-6)
    reference = recording.ledger["reference_energy"][-1]
    np.testing.assert_allclose(other.coordinate, together.joint("other").coordinate, rtol=0,
                               atol=2.0 * np.sqrt(2.0 * 1e-5 * reference / 50.0))
    for name in ("work:led", "spring_dissipation", "joint_dissipation", "joint_friction"):
        assert recording.ledger[name][-1] == pytest.approx(together.ledger[name][-1], abs=1e-4 * reference)
    square = 0.045 * (2.0 - np.sin(12.0) / 6.0)   # ∫ v² dt
    assert recording.ledger["spring_dissipation"][-1] == pytest.approx(STRONG * square, rel=1e-4)
    assert recording.ledger["joint_dissipation"][-1] == pytest.approx(200.0 * square, rel=1e-4)


def test_friction_in_joints_costs_no_steps():
    """Axles that rub with 0.1 N·m."""
    free, _ = ran(car(0.5))
    together, _ = ran(car(0.5, friction=0.1), together=True)
    recording, apart = ran(car(0.5, friction=0.1))
    assert apart
    assert recording.counts["attempts"] <= 1.2 * free.counts["attempts"]
    np.testing.assert_allclose(recording.rigid_position[-1], together.rigid_position[-1], rtol=0, atol=BUDGET * 0.5)
    for name in ("joint_friction", "work:motor 0", "work:motor 1"):
        allowed = 2.0 * BUDGET * recording.ledger["reference_energy"][-1]
        assert recording.ledger[name][-1] == pytest.approx(together.ledger[name][-1], abs=allowed)


def with_damper(scene):
    """A particle that nothing else meets sinks through a strong damper."""
    top = scene.add_particles("top", [[0.0, 5.0, 1.0]], 1.0, support="xyz")
    low = scene.add_particles("low", [[0.0, 5.0, 0.0]], 1.0)
    scene.add_linear("damper", top, low, stiffness=1e-9, viscosity=STRONG)
    return scene


def rail(name, stepping, gravity=(0, 0, 0), **more):
    """A block of 1 kg on a vertical rail, beside that."""
    scene = Scene(name, duration=6.0, frames=2, gravity=gravity, stepping=stepping)
    block = scene.add_rigid("block", [(0, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1))
    return with_damper(scene), scene.add_joint("slide", "prismatic", None, block, at=(0, 0, 0), axis=(0, 0, 1), **more)


@pytest.mark.parametrize("below", [0.02, 0.1, 1.0])
@pytest.mark.parametrize("speed", [10.0, 20.0, 25.0])
def test_a_stop_that_is_passed_within_a_step_is_hit(below, speed):
    """Thrown up to a little beyond its stop it would be back before a step of constant acceleration ends."""
    stop = 0.5 * speed ** 2 / 9.81 - below
    scene, _ = rail("thrown", Stepping(budget=BUDGET), (0, 0, -9.81), rate=speed, restitution=1.0, limits=(-1e3, stop))
    recording, _ = ran(scene)
    rest = np.sqrt(speed ** 2 - 2.0 * 9.81 * stop)
    late = 6.0 - (speed - rest) / 9.81
    assert recording.joint("slide").coordinate[-1] == pytest.approx(stop - rest * late - 0.5 * 9.81 * late ** 2, abs=1e-6)


@pytest.mark.parametrize("accuracy", ["energy", None])
def test_a_motor_goes_from_no_limit_to_the_other_one_in_a_step(accuracy):
    """m v = F t until the speed asked for: then it is kept, instead of going to and fro about it."""
    scene, slide = rail("motor", Stepping(budget=1e-2, accuracy=accuracy))
    scene.add_motor("motor", slide, speed=1.0, damping=1e4, limit=0.5)
    recording, _ = ran(scene)
    assert recording.joint("slide").rate[-1] == pytest.approx(1.0, abs=1e-9)
    assert recording.joint("slide").coordinate[-1] == pytest.approx(5.0, abs=2e-2)
    assert recording.ledger["work:motor"][-1] == pytest.approx(0.5, rel=2e-2)


@pytest.mark.parametrize("accuracy", ["energy", None])
def test_what_is_driven_by_straight_pieces_jumps_in_rate(accuracy):
    """Dampers take c Σ v² Δt, whatever the budget; a ramp of the rate through a step would not be seen by the ledger."""
    scene = Scene("kinks", duration=2.0, frames=8, gravity=(0, 0, 0), stepping=Stepping(budget=BUDGET, accuracy=accuracy))
    block, = rails(scene, 1)
    scene.add_joint("led", "prismatic", None, block, at=(0, 0, 0), axis=(1, 0, 0),
                    drive=Drive.table([0, 0.5, 1.0, 1.5, 2.0], [0.0, 0.2, -0.1, 0.3, 0.3]))
    recording, apart = ran(scene)
    assert apart
    exact = STRONG * 0.5 * (0.4 ** 2 + 0.6 ** 2 + 0.8 ** 2)
    assert recording.ledger["spring_dissipation"][-1] == pytest.approx(exact, rel=BUDGET)
    assert recording.counts["attempts"] < 600, "in the force alone more than 2 s × 2000"


def test_a_led_base_is_paid_for_what_its_driven_joint_asks_of_it():
    """Works of both as with the dampers in the force, in fewer steps."""
    def scene():
        made = Scene("base", duration=1.0, frames=4, stepping=Stepping(budget=1e-3))
        base = made.add_rigid("base", [(0, 0, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1), support="yz", rotation_support="xyz",
                              drive={"x": lambda t: 0.2 * np.sin(3.0 * t)})
        arm = made.add_rigid("arm", [(0, 0, -0.5)], mass=1.0, inertia=(0.1, 0.1, 0.1))
        made.add_joint("joint", "revolute", base, arm, at=(0, 0, 0), axis=(0, 1, 0),
                       drive=lambda t: 0.3 * (1.0 - np.cos(4.0 * t)))
        return with_damper(made)
    recording, _ = ran(scene())
    together, _ = ran(scene(), together=True)
    reference = recording.ledger["reference_energy"][-1]
    assert recording.counts["attempts"] < together.counts["attempts"]
    assert recording.ledger["largest_residual"][-1] <= 1e-3 * reference
    for name in ("work:base", "work:joint"):
        assert recording.ledger[name][-1] == pytest.approx(together.ledger[name][-1], abs=2e-3 * reference)


def test_steps_that_may_not_be_so_short_end_at_their_floor():
    """Beside a stop dampers come back to the force, whose steps are shorter than allowed: the run says so and stops."""
    stepping = Stepping(budget=BUDGET, dt_min=1e-3, attempt_limit=5000)
    scene, _ = rail("floor", stepping, (0, 0, -9.81), limits=(-1e3, 0.3), rate=3.0)
    with pytest.raises(SimulationDiverged, match="below its floor"):
        simulate(scene)


def test_threads_and_frames_do_not_change_a_bit():
    for scene in (bouncing(frames=5), car(0.5, frames=4), car(20.0, "wheel", frames=4), car(0.5, frames=4, friction=0.1)):
        model = build_model(scene)
        assert assert_threads_do_not_matter(model, scene.name)
        assert assert_continues(model, scene.name)
