"""Sensors of forces of an instant: supports, drives, accelerations and powers against closed forms; poses, sets of springs."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.kernels.step import slots

G = 9.81
CROSS = np.array([(1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0), (0, 0, 1.0)])


def test_a_support_bears_the_weight_and_the_spring_and_only_along_its_axes():
    scene = Scene("held", duration=0.2, frames=2)
    held, free = scene.add_particles("p", [(0, 0, 0), (0, 0, -1.2)], (2.0, 1.0), support=["xz", ""])
    scene.add_linear("spring", held, free, 50.0, 3.0, rest_length=1.0)
    scene.add_sensor("support", "support_force", held)
    scene.add_sensor("none", "support_force", free)
    scene.add_sensor("pull", "tension", "spring")
    scene.add_sensor("fall", "acceleration", free)
    recording = simulate(scene)
    pull = recording.sensors["pull"]
    assert pull[0] == pytest.approx(50.0 * 0.2)
    np.testing.assert_allclose(recording.sensors["support"], np.stack([0 * pull, 0 * pull, 2.0 * G + pull], axis=1), atol=1e-9)
    assert not recording.sensors["none"].any()
    np.testing.assert_allclose(recording.sensors["fall"][:, 2], pull / 1.0 - G, atol=1e-9)


def test_a_drive_gives_mass_times_acceleration_and_its_power_is_force_times_velocity():
    scene = Scene("shaken", duration=1.0, frames=20)
    p = scene.add_particle("p", (0, 0, 0), 2.0, drive={"z": Drive.sine(0.1, 1.0)}, support="xy")
    body = scene.add_rigid("body", CROSS, mass=3.0, drive={"z": Drive.sine(0.2, 0.5)})
    for name, of in (("particle", p), ("rigid", body)):
        for quantity in ("support_force", "acceleration", "power"):
            scene.add_sensor(f"{name} {quantity}", quantity, of)
    recording = simulate(scene)
    for name, mass, size, rate in (("particle", 2.0, 0.1, 2 * np.pi), ("rigid", 3.0, 0.2, np.pi)):
        gain, speed = -size * rate**2 * np.sin(rate * recording.time), size * rate * np.cos(rate * recording.time)
        force = mass * (gain + G)
        np.testing.assert_allclose(recording.sensors[f"{name} acceleration"][:, 2], gain, atol=1e-10)
        np.testing.assert_allclose(recording.sensors[f"{name} support_force"][:, 2], force, atol=1e-9)
        np.testing.assert_allclose(recording.sensors[f"{name} power"], force * speed, atol=1e-9)


def skew():
    """An inertia whose axes are not those of the world."""
    axes = np.linalg.qr(np.array([(1.0, 0.3, 0.2), (0.1, 1.0, -0.4), (0.5, 0.2, 1.0)]))[0]
    return axes @ np.diag((0.2, 0.3, 0.4)) @ axes.T


def turned(inertia, angle):
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    return turn @ inertia @ turn.T


def test_a_driven_turn_needs_the_couple_that_leads_the_momentum_round():
    """ω constant along z: c = ω × (R I Rᵀ ω)."""
    scene = Scene("led", duration=1.0, frames=8, gravity=(0, 0, 0))
    body = scene.add_rigid("body", CROSS, mass=1.0, centre=(0, 0, 0), inertia=skew(),
                           drive={"rotation": ((0, 0, 1), Drive.table([0, 2], [0, 6]))})
    scene.add_sensor("couple", "support_couple", body)
    recording = simulate(scene)
    spin = np.array((0, 0, 3.0))
    wanted = [np.cross(spin, turned(skew(), 3.0 * time) @ spin) for time in recording.time]
    np.testing.assert_allclose(recording.sensors["couple"], wanted, atol=1e-10)


def test_a_shaft_bears_the_couple_of_a_skew_body_across_its_axis_alone():
    """Held about x and y: ω̇ = τ_z/I_zz, c = I ω̇ + ω × L − τ without its z."""
    scene = Scene("shaft", duration=0.5, frames=5, gravity=(0, 0, 0))
    body = scene.add_rigid("body", CROSS, mass=1.0, centre=(0, 0, 0), inertia=skew(), rotation_support="xy", spin=(0, 0, 2.0))
    scene.add_torque("push", body, (0.1, 0.2, 0.5))
    scene.add_sensor("couple", "support_couple", body)
    scene.add_sensor("spin", "spin", body)
    scene.add_sensor("pose", "pose", body)
    recording = simulate(scene)
    for couple, spin, pose in zip(*(recording.sensors[name] for name in ("couple", "spin", "pose")), strict=True):
        inertia, torque = turned(skew(), 2.0 * np.arctan2(pose[6], pose[3])), np.array((0.1, 0.2, 0.5))
        wanted = inertia @ (0, 0, torque[2] / inertia[2, 2]) + np.cross(spin, inertia @ spin) - torque
        np.testing.assert_allclose(couple, (*wanted[:2], 0.0), atol=1e-9)


def test_the_tip_of_a_rod_that_is_let_go_falls_one_and_a_half_times_as_fast_as_a_stone():
    scene = Scene("rod", duration=0.3, frames=3)
    rod = scene.add_rigid("rod", CROSS + np.array((0.5, 0, 0)), mass=2.0, centre=(0.5, 0, 0),
                          inertia=(1e-3, 2.0 / 12, 2.0 / 12), points={"tip": (1, 0, 0)})
    scene.add_joint("hinge", "revolute", None, rod, at=(0, 0, 0), axis=(0, 1, 0))
    scene.add_sensor("tip", "acceleration", (rod, "tip"))
    scene.add_sensor("angle", "coordinate", "hinge")
    scene.add_sensor("rate", "rate", "hinge")
    recording = simulate(scene)
    assert recording.sensors["tip"][0] == pytest.approx((0, 0, -1.5 * G), abs=1e-9)
    angle, rate = recording.sensors["angle"], recording.sensors["rate"]
    gain = 1.5 * G * np.cos(angle)   # downwards, about +y
    across, along = np.stack([-np.sin(angle), -np.cos(angle)], -1), np.stack([np.cos(angle), -np.sin(angle)], -1)
    wanted = gain[:, None] * across - (rate**2)[:, None] * along
    np.testing.assert_allclose(recording.sensors["tip"][:, [0, 2]], wanted, atol=1e-6)


def mixed(live):
    """Springs with strong dampers, a joint and a driven end."""
    scene = Scene("mixed", duration=0.3, frames=6, stepping=Stepping(budget=1e-3))
    x = scene.add_particles("x", [(0.1 * k, 0, 0) for k in range(6)], 0.05, support=["xyz", *[""] * 5])
    scene.add_linear("springs", x[:-1], x[1:], 500.0, 200.0)
    body = scene.add_rigid("body", CROSS, mass=1.0, centre=(0, 0, 0), rotation_support="x", spin=(0, 1, 1))
    scene.add_sensor("force", "support_force" if live else "position", x[0])
    scene.add_sensor("couple", "support_couple" if live else "spin", body)
    scene.add_sensor("pull", "tension", ("springs", 0))
    return scene


def test_such_sensors_change_nothing_of_the_run_and_see_dampers_that_go_apart():
    seen, unseen = simulate(mixed(True)), simulate(mixed(False))
    assert np.array_equal(seen.position, unseen.position)
    assert np.array_equal(seen.velocity, unseen.velocity)
    for name in unseen.ledger:
        assert np.array_equal(seen.ledger[name], unseen.ledger[name]), name
    assert (seen.checkpoint["counters"][1:, slots.VISCOSITY] == slots.APART).all()
    np.testing.assert_allclose(np.linalg.norm(seen.sensors["force"] - (0, 0, 0.05 * G), axis=1), np.abs(seen.sensors["pull"]),
                               rtol=1e-9, atol=1e-12)


def test_a_joint_bears_what_dampers_do_that_go_apart():
    """m a = R + pull, of a link that drags a chain of strong dampers."""
    scene = Scene("dragged", duration=0.3, frames=6, gravity=(0, 0, 0))
    body = scene.add_rigid("body", CROSS, mass=1.0, centre=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    scene.add_joint("hinge", "revolute", None, body, at=(0, 0, 0), axis=(0, 0, 1), rate=1.0)
    x = scene.add_particles("x", [(1.0, 0.1 * k, 0) for k in range(1, 6)], 0.02)
    end = int(body.particles[0])
    scene.add_linear("chain", [end, *x[:-1]], x, 500.0, 200.0)
    scene.add_sensor("pull", "tension", ("chain", 0))
    scene.add_sensor("reaction", "reaction_force", "hinge")
    scene.add_sensor("rate", "rate", "hinge")
    recording = simulate(scene)
    assert (recording.checkpoint["counters"][1:, slots.VISCOSITY] == slots.APART).all()
    scene.add_sensor("gain", "acceleration", body)
    gain = simulate(scene).sensors["gain"]
    way = recording.position[:, x[0]] - recording.position[:, end]
    pull = recording.sensors["pull"][:, None] * way / np.linalg.norm(way, axis=1)[:, None]
    np.testing.assert_allclose(np.linalg.norm(recording.sensors["reaction"], axis=1), np.linalg.norm(gain - pull, axis=1),
                               rtol=1e-9)
    centre = recording.rigid_position[:, 0]   # and the acceleration is that of a turn: inwards ω² r
    np.testing.assert_allclose((gain * centre).sum(axis=1), -recording.sensors["rate"]**2 * 0.25, rtol=1e-9, atol=1e-12)


def test_such_sensors_change_nothing_where_dampers_of_contact_go_apart():
    def dropped(quantity):
        scene = Scene("dropped", duration=0.2, frames=10)
        material = ContactMaterial(stiffness=1e6, friction=0.3, damping=30.0)
        scene.add_plane("ground", contact=material)
        for k in range(2):
            scene.add_ball(f"ball {k}", (0.01 * k, 0, 0.05 + 0.1 * k), 0.05, mass=0.2, contact=material, velocity=(1.0, 0, 0))
        x = scene.add_particles("x", [(0.1 * k, 1, 0) for k in range(4)], 0.05, support=["xyz", "", "", ""])
        scene.add_linear("springs", x[:-1], x[1:], 500.0, 300.0)
        scene.add_sensor("one", quantity, "ball 0")
        return simulate(scene)

    seen, unseen = dropped("acceleration"), dropped("velocity")
    assert (seen.checkpoint["counters"][:, slots.VISCOSITY] == slots.APART).any()
    assert np.array_equal(seen.position, unseen.position)
    for name in unseen.ledger:
        assert np.array_equal(seen.ledger[name], unseen.ledger[name]), name


def test_such_sensors_are_kept_where_a_run_is_continued_and_read_on_the_way():
    recording = simulate(mixed(True))
    again = Simulator.continued(recording, frame=2).run()
    for name, values in again.sensors.items():
        assert np.array_equal(recording.sensors[name][2:], values), name
    simulator = Simulator(build_model(mixed(True)))
    for frame in (1, 2, 3):
        simulator.advance_to(recording.time[frame] - 0.01)
        simulator.read()
        simulator.advance_to(recording.time[frame])
        assert np.array_equal(simulator.read("force"), simulator.recording().sensors["force"][-1])


def test_sets_of_springs_have_strain_tension_and_energy():
    scene = Scene("chain", duration=0.1, frames=1, gravity=(0, 0, 0))
    x = scene.add_particles("x", [(0, 0, 0), (1.1, 0, 0), (3.3, 0, 0)], 1.0, support="xyz")
    scene.add_linear("two", x[:-1], x[1:], (100.0, 50.0), rest_length=(1.0, 2.0))
    scene.add_angular("bend", x[0], x[1], x[2], 3.0, rest_angle=np.pi - 0.2)
    for quantity in ("strain", "tension", "energy"):
        scene.add_sensor(quantity, quantity, "two")
    scene.add_sensor("bent", "energy", "bend")
    scene.add_sensor("across", "distance", (x[0], x[2]))
    found = {name: values[0] for name, values in simulate(scene).sensors.items()}
    assert found["strain"] == pytest.approx(0.3 / 3.0)
    assert found["tension"] == pytest.approx(100 * 0.1 + 50 * 0.2)
    assert found["energy"] == pytest.approx(0.5 * 100 * 0.01 + 0.5 * 50 * 0.04)
    assert found["bent"] == pytest.approx(0.5 * 3.0 * 0.04)
    assert found["across"] == pytest.approx(3.3)


def test_powers_of_forces_and_of_driven_springs_are_the_rates_of_their_work():
    scene = Scene("work", duration=1.0, frames=400, gravity=(0, 0, 0), stepping=Stepping(budget=1e-6))
    a, b = scene.add_particles("x", [(0, 0, 0), (1, 0, 0)], 1.0)
    scene.add_linear("spring", a, b, 100.0, 1.0, drive=Drive.sine(0.1, 1.0))
    scene.add_force("push", b, (1, 0, 0), drive=Drive.sine(2.0, 1.5))
    for name in ("push", "spring"):
        scene.add_sensor(name, "power", name)
    recording = simulate(scene)
    for name in ("push", "spring"):
        power = recording.sensors[name]
        work = np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) / 400)))
        np.testing.assert_allclose(work, recording.ledger[f"work:{name}"], atol=2e-4 * np.abs(work).max())


def test_contact_has_a_pressure_a_centre_and_a_slip():
    """A ball that slides on a plane: it slips at v + ω × r, and the centre is below it."""
    scene = Scene("sliding", duration=0.1, frames=10)
    material = ContactMaterial(stiffness=1e7, friction=0.3, damping=0.5)
    scene.add_plane("ground", contact=material)
    scene.add_ball("ball", (0, 0, 0.05), 0.05, mass=0.2, contact=material, velocity=(2.0, 0, 0))
    scene.add_sensor("slip", "contact_slip", ("ball", "ground"))
    scene.add_sensor("centre", "contact_centre", "ball")
    scene.add_sensor("pressure", "contact_pressure", ("ball", "ground"))
    scene.add_sensor("area", "contact_area", ("ball", "ground"))
    scene.add_sensor("normal", "contact_normal_force", ("ball", "ground"))
    recording = simulate(scene)
    found = recording.sensors
    touching = found["normal"] > 0.0
    assert touching[2:].all()
    slip = np.linalg.norm(recording.rigid_velocity[:, 0] + np.cross(
        recording.rigid_spin[:, 0], found["centre"] - recording.rigid_position[:, 0]), axis=1)
    np.testing.assert_allclose(found["slip"][touching], slip[touching], rtol=1e-2)
    np.testing.assert_allclose(found["centre"][touching, 0], recording.rigid_position[touching, 0, 0], atol=1e-6)
    np.testing.assert_allclose((found["pressure"] * found["area"])[touching], found["normal"][touching], rtol=1e-12)
    assert np.isnan(found["centre"][~touching]).all()


@pytest.mark.parametrize(("quantity", "of", "told"), [
    ("pose", 0, "give a rigid, or a mark"), ("pose", ("body", "toe"), "unknown mark"), ("distance", 0, "give two points"),
    ("distance", (0, 99), "particle 99"), ("power", None, "power of nothing"), ("support_couple", 0, "rigid 0"),
    ("energy", "body", "it exists for")])
def test_what_has_no_such_quantity_is_refused(quantity, of, told):
    scene = Scene("doors")
    scene.add_particle("p", (0, 0, 0), 1.0)
    if quantity != "support_couple":
        scene.add_rigid("body", CROSS, mass=1.0)
    with pytest.raises(SceneError, match=told):
        scene.add_sensor("s", quantity, of)


def test_any_quantity_is_measured_without_a_sensor_and_as_one_has_it():
    simulator = Simulator(build_model(mixed(True)))
    simulator.advance_to(0.12)
    read = simulator.read()
    assert np.array_equal(simulator.measure("support_force", 0), read["force"])
    assert np.array_equal(simulator.measure("support_couple", "body"), read["couple"])
    assert simulator.measure("tension", ("springs", 0)) == pytest.approx(read["pull"], rel=1e-14)
    assert np.array_equal(simulator.measure("position", 3), simulator.state.position[3])
    assert simulator.measure("kinetic_energy") == pytest.approx(simulator.state.ledger()["kinetic"], rel=1e-12)
    with pytest.raises(SceneError, match="unknown quantity"):
        simulator.measure("postion", 0)


def test_wind_follows_a_command():
    """Air at rest until it is told to blow: a plate of free particles is then pushed along."""
    from robotphi.discretise import Material, deformable, discretise
    from robotphi.geometry import shapes

    scene = Scene("wind", duration=0.2, frames=4, gravity=(0, 0, 0))
    scene.add_object("box", deformable(discretise(shapes.box((0.1, 0.1, 0.1)), size=0.1), Material(young=1e5, density=100)))
    scene.set_medium(density=1.2, drag=1.0, wind=(scene.add_command("wind", 0.0), 0.0, 0.0))
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.1)
    assert not simulator.measure("momentum").any()
    simulator.set({"wind": 10.0})
    recording = simulator.run()
    push = 0.5 * 1.2 * 1.0 * 0.1 * 0.1 * 10.0**2   # N, on the side towards it
    assert simulator.measure("momentum")[0] == pytest.approx(push * 0.1, rel=0.02)
    assert recording.ledger["work:wind"][-1] > 0.0


def test_looking_at_forces_right_behind_a_jump_changes_nothing():
    def run(looks):
        scene = mixed(False)
        scene.add_force("push", 3, (0, 0, 1), drive=scene.add_command("push", 0.0))
        simulator = Simulator(build_model(scene))
        simulator.advance_to(0.13)
        simulator.set({"push": 4.0})
        if looks:
            assert simulator.measure("support_force", 0).any()
        return simulator.run()

    seen, unseen = run(True), run(False)
    assert (seen.checkpoint["counters"][1:, slots.VISCOSITY] == slots.APART).all()
    assert np.array_equal(seen.position, unseen.position)
    for name in unseen.ledger:
        assert np.array_equal(seen.ledger[name], unseen.ledger[name]), name


# What virtual forces pull with ----------------------------------------------------------------------------------------

def test_a_pull_tells_its_force_with_its_limit_its_integral_and_its_share():
    """−s (k d + μ v + κ ∫ s d dt), at rest on an axis where d is held: the integral grows by d t."""
    scene = Scene("pulled", duration=1.0, frames=10, gravity=(0, 0, 0))
    p = scene.add_particles("p", [(0.1, 0, 0), (0, 0.2, 0)], 1.0, support="xyz")
    scene.add_pull("pid", p[0], (0, 0, 0), 30.0, damping=2.0, integral=40.0, active=(0.35, None))
    scene.add_pull("cut", p, (0, 0, 0), 100.0, limit=4.0)
    for name in ("pid", "cut"):
        scene.add_sensor(name, "force", name)
    run = simulate(scene)
    on = run.time >= 0.35
    wanted = np.where(on, -0.1 * (30.0 + 40.0 * (run.time - 0.35)), 0.0)
    np.testing.assert_allclose(run.sensors["pid"], wanted[:, None] * np.eye(3)[0], atol=1e-12)
    np.testing.assert_allclose(run.sensors["cut"], np.tile((-4.0, -4.0, 0.0), (11, 1)), atol=1e-12)   # of both, sum


def test_a_pull_on_another_thing_and_fields_tell_what_they_push_their_targets_with():
    scene = Scene("pushed", duration=0.5, frames=5, gravity=(0, 0, 0))
    p, q = scene.add_particles("p", [(0, 0, 0), (1.0, 0, 0)], 1.0)
    ball = scene.add_rigid("body", CROSS, mass=3.0)
    scene.add_pull("spring", p, q, 2.0, damping=0.3)
    scene.add_field("well", q, "power", 0.5, around=p, power=-2)
    scene.add_field("weight", [p, q], "uniform", 9.0, axis=(0, 0, -1), active=Drive.table([0, 1], [0, 1]))
    scene.add_field("whirl", ball, "vortex", 3.0, axis=(0, 0, 1), centre=(-1, 0, 0))
    for name in ("spring", "well", "weight", "whirl"):
        scene.add_sensor(name, "force", name)
    run = simulate(scene)
    x, v = run.position, run.velocity
    d, u = x[:, 0] - x[:, 1], v[:, 0] - v[:, 1]
    np.testing.assert_allclose(run.sensors["spring"], -2.0 * d - 0.3 * u, atol=1e-12)
    np.testing.assert_allclose(run.sensors["well"], 0.5 * d / np.linalg.norm(d, axis=1, keepdims=True)**3, atol=1e-12)
    np.testing.assert_allclose(run.sensors["weight"], -18.0 * run.time[:, None] * np.eye(3)[2], atol=1e-12)
    arm = run.rigid_position[:, 0] - (-1, 0, 0)
    np.testing.assert_allclose(run.sensors["whirl"], 3.0 * np.cross((0, 0, 1.0), arm), atol=1e-12)


def test_such_a_force_is_read_in_a_loop_of_ones_own_as_it_stands_in_frames():
    scene = Scene("loop", duration=0.4, frames=4, gravity=(0, 0, 0))
    p = scene.add_particle("p", (0.1, 0, 0), 1.0)
    scene.add_pull("pull", p, (0, 0, 0), 30.0, damping=2.0)
    scene.add_sensor("pull", "force", "pull")
    simulator = Simulator(build_model(scene))
    for time in (0.1, 0.13, 0.3):
        simulator.advance_to(time)
        wanted = -30.0 * simulator.state.position[0] - 2.0 * simulator.state.velocity[0]
        np.testing.assert_allclose(simulator.read("pull"), wanted, atol=1e-12)
        np.testing.assert_allclose(simulator.measure("force", "pull"), wanted, atol=1e-12)


def test_what_has_no_such_force_is_said():
    scene = Scene("none")
    scene.add_tendon("cable", list(scene.add_particles("p", [(0, 0, 0), (1, 0, 0)], 1.0)), 5.0)
    scene.add_sensor("tension", "tension", "cable")
    for quantity, words in (("force", "it exists for: pull, field"), ("couple", "it exists for: attitude")):
        with pytest.raises(SceneError, match=words):
            scene.add_sensor("wrong", quantity, "cable")
