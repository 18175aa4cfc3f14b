"""Relax: static equilibria against closed forms, and clear errors where there is none."""
import numpy as np
import pytest

from robotphi import Drive, NoEquilibrium, RobotphiError, Scene, Simulator, Stepping, build_model
from robotphi.run import statics
from robotphi.run.statics import relax
from tests.clock import Clock

G = 9.81
CORNERS = np.array([(-0.2, -0.1, 0), (0.2, -0.1, 0), (0.2, 0.1, 0), (-0.2, 0.1, 0)])
UP = np.array([0.0, 0.0, 1.0])


def hanging_chain(count=10, stiffness=200.0, mass=0.3, stepping=None):
    """A chain of `count` equal masses under its hook, unstretched at first."""
    scene = Scene("chain", duration=1.0, frames=10, stepping=stepping)
    nodes = scene.add_particles("node", [(0, 0, -0.1 * i) for i in range(count + 1)], mass, support=["xyz"] + [""] * count)
    scene.add_linear("link", nodes[:-1], nodes[1:], stiffness)
    return scene


@pytest.mark.parametrize("count", [1, 10, 40])
def test_a_hanging_chain_stretches_by_half_mg_n_times_n_plus_one_over_k(count):
    found = relax(build_model(hanging_chain(count)))
    stretch = -found.position[-1, 2] - 0.1 * count
    np.testing.assert_allclose(stretch, 0.3 * G * count * (count + 1) / (2 * 200.0), rtol=1e-8)
    assert found.residual <= 1e-8 * found.load
    assert found.load == pytest.approx(0.3 * G)


def test_a_prestressed_net_sags_as_its_forces_say():
    """Nine nodes between twelve held ones: at rest every free node is in balance, computed here from the positions alone."""
    side = np.arange(5) * 0.25
    points = np.array([(x, y, 0.0) for x in side for y in side])
    border = np.array([x in (0, 1) or y in (0, 1) for x, y, _ in points])
    scene = Scene("net")
    nodes = scene.add_particles("node", points, 0.1, support=["xyz" if held else "" for held in border])
    pairs = np.array([(i, j) for i in range(25) for j in range(i) if np.isclose(np.linalg.norm(points[i] - points[j]), 0.25)])
    scene.add_linear("cord", nodes[pairs[:, 0]], nodes[pairs[:, 1]], 300.0, rest_length=0.2)
    found = relax(build_model(scene))
    d = found.position[pairs[:, 0]] - found.position[pairs[:, 1]]
    length = np.linalg.norm(d, axis=1)
    pull = -(300.0 * (length - 0.2) / length)[:, None] * d
    force = np.zeros((25, 3))
    np.add.at(force, pairs[:, 0], pull)
    np.add.at(force, pairs[:, 1], -pull)
    force[:, 2] -= 0.1 * G
    assert np.abs(force[~border]).max() <= 1e-8 * 0.1 * G
    np.testing.assert_array_equal(found.position[border], points[border])
    middle = found.position[12]
    assert -0.1 < middle[2] < -0.01
    np.testing.assert_allclose(middle[:2], 0.5, atol=1e-7)


def plate_on_four_springs(offset=(0.0, 0.0)):
    """A plate under a ceiling, on vertical springs at its corners; its centre of mass may be off the middle."""
    scene = Scene("plate")
    plate = scene.add_rigid("plate", CORNERS, mass=4.0, inertia=(0.1, 0.2, 0.3), centre=(*offset, 0.0))
    hooks = scene.add_particles("hook", CORNERS + 50.0 * UP, 1.0, support="xyz")
    scene.add_linear("wire", plate.particles, hooks, 2000.0)
    return scene


def test_a_rigid_on_equal_springs_sinks_by_its_weight_over_their_stiffness():
    found = relax(build_model(plate_on_four_springs()))
    np.testing.assert_allclose(found.rigid_position[0], (0, 0, -4.0 * G / (4 * 2000.0)), atol=1e-9)


def test_a_rigid_off_its_middle_hangs_with_moments_in_balance():
    """W/4 (1 + x x_i/a² + y y_i/b²) on each leg, for small tilts under long wires."""
    x, y = 0.06, 0.03
    found = relax(build_model(plate_on_four_springs((x, y))))
    hooks = CORNERS + 50.0 * UP
    pull = 2000.0 * (np.linalg.norm(found.position[:4] - hooks, axis=1) - 50.0)
    wanted = G * (1 + x * CORNERS[:, 0] / 0.2**2 + y * CORNERS[:, 1] / 0.1**2)
    np.testing.assert_allclose(pull, wanted, rtol=2e-3)
    np.testing.assert_allclose(pull.sum(), 4.0 * G, rtol=1e-4)


def test_supported_axes_and_driven_values_stay_where_they_are():
    scene = Scene("held")
    top = scene.add_particle("top", (0, 0, 0), 1.0, support="xyz")
    bead = scene.add_particle("bead", (0.1, 0, -1.0), 1.0, support="x")
    scene.add_linear("spring", top, bead, 100.0, rest_length=1.0, drive=Drive.sine(0.2, 1.0, phase=0.5 * np.pi))
    found = relax(build_model(scene))
    assert found.position[bead, 0] == 0.1
    d = found.position[bead]
    length = np.linalg.norm(d)
    np.testing.assert_allclose(-100.0 * (length - 1.2) * d[2] / length, G, rtol=1e-7)


def test_forces_and_torques_count_as_loads():
    scene = Scene("pushed", gravity=(0, 0, 0))
    plate = scene.add_rigid("plate", CORNERS, mass=1.0, inertia=(0.1, 0.1, 0.1), support="xyz", rotation_support="xy")
    post = scene.add_particle("post", (5.2, -0.1, 0), 1.0, support="xyz")
    scene.add_linear("spring", plate.particles[1], post, 40.0)
    scene.add_torque("twist", plate, (0, 0, 0.05))
    found = relax(build_model(scene))
    corner = found.position[plate.particles[1]]
    d = corner - (5.2, -0.1, 0)
    length = np.linalg.norm(d)
    force = -40.0 * (length - 5.0) * d / length
    np.testing.assert_allclose(np.cross(corner - found.rigid_position[0], force)[2], -0.05, rtol=1e-6)


# Stable, and exact enough -----------------------------------------------------------------------------------------------

def pressed_line(rest, offset=0.0):
    """A particle between two held ones, 1 m from each, with springs of the given length at rest."""
    scene = Scene("line", gravity=(0, 0, 0))
    nodes = scene.add_particles("node", [(-1, 0, 0), (0, offset, 0), (1, 0, 0)], 1.0, support=["xyz", "z", "xyz"])
    scene.add_linear("bar", nodes[:2], nodes[1:], 1000.0, rest_length=rest)
    return scene


def test_a_pressed_straight_line_is_left_for_its_stable_shape():
    """Its only stable shapes have both springs at rest: height² = rest² − 1."""
    found = relax(build_model(pressed_line(1.001)))
    assert found.unstable == 1
    np.testing.assert_allclose(abs(found.position[1, 1]), np.sqrt(1.001**2 - 1.0), rtol=1e-6)


def test_a_pulled_straight_line_is_stable_and_stays():
    found = relax(build_model(pressed_line(0.999)))
    assert found.unstable == 0
    np.testing.assert_array_equal(found.position[1], 0.0)


def test_a_pendulum_put_upright_hangs_in_the_end():
    scene = Scene("pendulum")
    pivot = scene.add_particle("pivot", (0, 0, 0), 1.0, support="xyz")
    bob = scene.add_particle("bob", (0, 0, 1.0), 1.0)
    scene.add_linear("rod", pivot, bob, 1e4)
    found = relax(build_model(scene))
    assert found.unstable == 1
    np.testing.assert_allclose(found.position[bob], (0, 0, -1.0 - G / 1e4), atol=1e-6)


def test_a_rigid_on_its_head_turns_over():
    """A plate hung up by its middle, its mass above: it must turn, not only shift."""
    scene = Scene("tumbler")
    body = scene.add_rigid("body", np.concatenate([CORNERS, [(0, 0, 0)]]), 1.0, inertia=(0.1, 0.1, 0.1), centre=(0, 0, 0.2))
    ends = scene.add_particles("end", 0.1 * np.concatenate([np.eye(3), -np.eye(3)]), 1.0, support="xyz")
    scene.add_linear("tie", ends, body.particles[4], 1e4)
    found = relax(build_model(scene))
    assert found.unstable >= 1
    assert found.rigid_position[0, 2] < -0.19


def test_without_a_load_the_tolerance_is_a_share_of_the_forces_at_rest():
    """A start with its spring stretched tenfold pulls with 9 kN; at rest nothing pulls with more than 10 N."""
    scene = Scene("stretched", gravity=(0, 0, 0))
    nodes = scene.add_particles("node", [(-1, 0, 0), (0, 9.0, 0), (1, 0, 0)], 1.0, support=["xyz", "", "xyz"])
    scene.add_linear("bar", nodes[:2], nodes[1:], 1000.0, rest_length=0.99)
    found = relax(build_model(scene), tolerance=1e-4)
    assert found.load == pytest.approx(10.0, rel=1e-3)
    assert found.residual <= 1e-4 * 10.0
    assert abs(found.position[1, 1]) <= found.residual / (2 * 10.0)  # N over the stiffness across, 2 T/L


def test_steps_are_counted_one_by_one():
    found = relax(build_model(hanging_chain(10)))
    assert 0 < found.steps < statics.CHUNK


# Where there is none --------------------------------------------------------------------------------------------------

def test_a_loose_particle_is_named():
    scene = hanging_chain(3)
    scene.add_particle("pebble", (1, 0, 0), 0.5)
    with pytest.raises(NoEquilibrium, match="'pebble'"):
        relax(build_model(scene))


def test_a_particle_of_a_block_is_named_with_its_index():
    scene = hanging_chain(3)
    scene.add_particles("gravel", [(1, 0, 0), (2, 0, 0)], 0.5, support=["xyz", ""])
    with pytest.raises(NoEquilibrium, match="'gravel', index 1"):
        relax(build_model(scene))


def test_a_loose_rigid_is_named():
    scene = hanging_chain(3)
    scene.add_rigid("brick", CORNERS + 1.0, mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(NoEquilibrium, match="'brick'"):
        relax(build_model(scene))


def test_a_pure_damper_holds_nothing():
    scene = Scene("damped")
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    block = scene.add_particle("block", (1, 0, 0), 1.0)
    scene.add_linear("damper", wall, block, 0.0, 5.0)
    with pytest.raises(NoEquilibrium, match="'block'"):
        relax(build_model(scene))


def falling_pair():
    """Two particles tied to each other and to nothing else."""
    scene = Scene("pair")
    pair = scene.add_particles("pair", [(0, 0, 0), (1, 0, 0)], 1.0)
    scene.add_linear("spring", pair[0], pair[1], 10.0)
    return scene


def test_what_falls_for_ever_reaches_the_limit_of_steps():
    with pytest.raises(NoEquilibrium, match=r"after 4000 steps .* may be free to move"):
        relax(build_model(falling_pair()), step_limit=4000)


@pytest.fixture
def clock(monkeypatch):
    """The clock that relax looks at."""
    return Clock().take_place(monkeypatch, statics, "clock")


def test_what_falls_for_ever_reaches_the_limit_of_time(clock):
    with pytest.raises(NoEquilibrium, match="may be free to move"):
        relax(build_model(falling_pair()), wall_limit=0.2)
    assert clock.looks == 5  # 0.06 s each: of the start, and four more


def test_a_tolerance_that_makes_no_sense_is_refused():
    for nonsense in (0.0, -1e-8, float("nan"), "1e-8", 10**400):
        with pytest.raises(RobotphiError, match="tolerance, a share of the load"):
            relax(build_model(hanging_chain()), tolerance=nonsense)


# Going on from there --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("viscosity", [0.0, 1.0])
def test_a_simulator_runs_on_from_its_equilibrium_at_rest(viscosity):
    scene = hanging_chain(10, stepping=Stepping(budget=1e-4))
    hook = scene.add_particle("hook", (0.5, 0, -1.5), 1.0, support="xyz")
    body = scene.add_rigid("body", CORNERS - 1.5 * UP, mass=0.5, inertia=(0.01, 0.02, 0.03), velocity=(1.0, 0, 0),
                           spin=(0, 1, 0))
    scene.add_linear("straps", [10, 10, 10, hook], body.particles[[0, 1, 2, 3]], 150.0, viscosity)
    simulator = Simulator(build_model(scene))
    found = relax(simulator)
    assert found.load == pytest.approx(0.5 * G)  # what is held has no weight to carry
    recording = simulator.run()
    assert recording.status == "done"
    assert recording.ledger["kinetic"].max() <= 1e-14 * found.load * 1.5  # load × length, J
    np.testing.assert_allclose(recording.position[-1], found.position, atol=1e-7)
    np.testing.assert_array_equal(recording.position[0], found.position)


def test_a_simulator_may_relax_in_the_middle_of_its_run():
    simulator = Simulator(build_model(hanging_chain(stepping=Stepping(budget=1e-4))))
    moving = simulator.run(until=0.5)
    assert moving.ledger["kinetic"][-1] > 0.1
    residual = moving.ledger["residual"][-1]
    found = relax(simulator)
    recording = simulator.run()
    assert recording.status == "done"
    assert recording.ledger["kinetic"][6:].max() <= 1e-14 * found.load * 1.5
    np.testing.assert_allclose(recording.ledger["residual"][6:], residual, rtol=1e-9)


def test_the_equilibrium_does_not_depend_on_viscosity_and_speed():
    found = []
    for viscosity, speed in ((0.0, 0.0), (5.0, 2.0)):
        scene = plate_on_four_springs()
        anchor = scene.add_particle("anchor", (1, 0, 0), 1.0, support="xyz")
        ball = scene.add_particle("ball", (0.5, 0, 0), 0.2, velocity=(0, speed, 0))
        body = scene.add_rigid("body", CORNERS + 3.0 * UP, mass=1.0, inertia=(1, 1, 1), velocity=(speed, 0, 0),
                               spin=(0, 0, speed))
        scene.add_linear("ties", [anchor, ball, ball], [ball, body.particles[0], 0], 300.0, viscosity)
        scene.add_linear("more", [anchor, anchor, anchor], body.particles[1:], 300.0, viscosity)
        found.append(relax(build_model(scene)).position)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_relax_on_a_model_leaves_the_model_alone():
    model = build_model(hanging_chain())
    before = model.position.copy()
    relax(model)
    np.testing.assert_array_equal(model.position, before)
    np.testing.assert_array_equal(Simulator(model).state.position, before)


def test_rounding_is_that_of_the_particles_wherever_other_rows_of_the_arrays_stand():
    """A millimetre of springs of 1e5 N/m: four times eps k x between two at most; spare rows stand metres away."""
    scene = Scene("small", gravity=(0, 0, -9.81))
    places = [(0.0005 * k, 0, 0) for k in range(3)]
    p = scene.add_particles("p", places, 1e-6, support=["xyz", "", "xyz"])
    scene.add_linear("k", p[:-1], p[1:], 1e5, rest_length=0.0004)
    found = relax(build_model(scene))
    assert found.rounding <= 4.0 * np.finfo(float).eps * 1e5 * 0.001 * 1.0001
    assert found.residual <= max(1e-8 * found.load, found.rounding)
