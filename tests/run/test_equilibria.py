"""Equilibria along a path: fibres against their law, unstable shapes found out, reactions, and the same as one by one."""
import csv

import numpy as np
import pytest
from scipy.optimize import brentq, root

from robotphi import (
    ContactMaterial,
    Drive,
    NoEquilibrium,
    Scene,
    SceneError,
    Simulator,
    Table,
    build_model,
    equilibria,
    relax,
    settle,
)
from robotphi.run.newton import Newton
from robotphi.run.state import State
from robotphi.run.statics import Wanted, arms_of, rest_of_springs
from robotphi.run.taut import Taut
from robotphi.scene.turns import rotation_about
from tests.run.test_statics import pressed_line

G = 9.81
STRANDS, BEADS, STIFFNESS = 12, 20, 3e4


def bundle(law, gravity=(0.0, 0.0, 0.0), tight=0.0):
    """Twelve strands of twenty particles from a held rigid to another one, 3 cm away; some are slack as drawn."""
    scene = Scene("bundle", gravity=gravity)
    round_it = np.arange(STRANDS) * 2 * np.pi / STRANDS
    low = np.column_stack([0.004 * np.cos(round_it), 0.003 * np.sin(round_it), 0.0 * round_it])
    high = low * (1.2, 0.8, 1.0) + (0.002, 0.003, 0.03)
    held = {"mass": 1.0, "inertia": (1, 1, 1), "support": "xyz", "rotation_support": "xyz"}
    tibia = scene.add_rigid("tibia", low, **held)
    femur = scene.add_rigid("femur", high, **held)
    for k in range(STRANDS):
        share = np.arange(1, BEADS + 1)[:, None] / (BEADS + 1)
        beads = scene.add_particles(f"strand {k}", low[k] + share * (high[k] - low[k]), 1e-5)
        ends = np.array([tibia.particles[k], *beads, femur.particles[k]])
        rest = np.linalg.norm(high[k] - low[k]) * (0.97 - tight + 0.004 * k) / (BEADS + 1)
        kind = ({"stiffness": STIFFNESS * (BEADS + 1), "tension_only": True} if law == "cable"
                else {"table": Table.toe(STIFFNESS * (BEADS + 1), 0.03 * rest)})
        scene.add_linear(f"fibre {k}", ends[:-1], ends[1:], rest_length=rest, **kind)
    return scene, low, high


def flexion(count, most=63.0):
    """(m, 4, 4): turns about an axis across, beside the fibres."""
    pivot, poses = np.array([0.006, 0.0, 0.02]), np.tile(np.eye(4), (count, 1, 1))
    for pose, angle in zip(poses, np.radians(np.linspace(0.0, most, count)), strict=True):
        pose[:3, :3] = rotation_about(np.array([0.0, 1.0, 0.0]), angle)
        pose[:3, 3] = pivot - pose[:3, :3] @ pivot
    return poses


def pull(law, stretch, rest):
    """Tension of one of the springs of a strand by its elongation."""
    if law == "cable":
        return STIFFNESS * (BEADS + 1) * np.maximum(stretch, 0.0)
    stiffness, toe = STIFFNESS * (BEADS + 1), 0.03 * rest
    return np.where(stretch < toe, 0.5 * stiffness * np.maximum(stretch, 0.0)**2 / toe, stiffness * (stretch - 0.5 * toe))


# Fibres -----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("law", ["cable", "toe"])
def test_where_nothing_wraps_every_tension_is_the_law_at_the_chord(law):
    scene, low, high = bundle(law)
    poses = flexion(91)
    study = equilibria(scene, {"femur": poses})
    assert len(study) == 91
    assert np.all(study.residual <= 1e-8 * study.load)
    assert not np.any(study.stability == "unstable")
    ends = np.einsum("mij,nj->mni", poses[:, :3, :3], high) + poses[:, None, :3, 3]
    chord = np.linalg.norm(ends - low, axis=-1)
    taut = 0
    for k in range(STRANDS):
        rest = np.linalg.norm(high[k] - low[k]) * (0.97 + 0.004 * k) / (BEADS + 1)
        wanted = pull(law, chord[:, k] / (BEADS + 1) - rest, rest)
        taut += np.count_nonzero(wanted)
        np.testing.assert_allclose(study.tension(f"fibre {k}"), np.broadcast_to(wanted[:, None], (91, BEADS + 1)),
                                   atol=1e-6 * study.load.max())
    assert 91 < taut < 91 * STRANDS   # some are slack


def test_an_equilibrium_of_the_path_is_that_of_a_scene_built_for_it():
    """With weight, so that the strands sag and where they start does not matter."""
    scene, _, _ = bundle("toe", gravity=(0, 500.0, 0))
    study = equilibria(scene, {"femur": flexion(7)})
    model = build_model(scene)
    for k in (0, 3, 6):
        simulator = Simulator(model)
        buffers = simulator.state.buffers
        buffers.rigid[1, :3] = study.rigid_position[k, 1]
        buffers.rigid[1, 6:10] = study.rigid_orientation[k, 1]
        simulator.state.position[model.scene.rigids[1].particles] = study.position[k, model.scene.rigids[1].particles]
        alone = relax(simulator, tolerance=1e-9)
        apart = np.abs(alone.position - study.position[k])
        assert apart.max() < 1e-7   # m: what 1e-8 of the load is against the softest way of a strand


def test_a_fibre_of_the_path_is_where_slow_dynamics_ends():
    """Dampers c to points far beside the beads bring it to rest: its slowest way, across a tension of T = 0.8 N between beads
    h = 0.05 m apart, in c h/(2 T (1 − cos(π/6))) = 0.24 s."""
    scene = Scene("fibre", duration=1.0, frames=2)
    places = np.array([(0.05 * i, 0, 0) for i in range(1, 6)])
    near, end = (scene.add_particle(name, (x, 0, 0), 1.0, support="xyz") for name, x in (("near", 0.0), ("end", 0.3)))
    beads = scene.add_particles("beads", places, 0.02)
    scene.add_linear("strand", [near, *beads], [*beads, end], table=Table.toe(200.0, 0.002), rest_length=0.045)
    for across in ((0, 0, 10.0), (0, 10.0, 0), (10.0, 0, 0)):
        far = scene.add_particles(f"far {across}", places + across, 1.0, support="xyz")
        scene.add_linear(f"damper {across}", beads, far, 0.0, 1.0)
    study = equilibria(scene, {"end": [(0, 0, 0), (0, 0, 0.02)]})
    assert np.all(study.residual <= 1e-8 * study.load)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(1.0)
    left = np.abs(simulator.state.velocity).max()
    assert left < 1e-4
    assert np.abs(simulator.state.position - study.position[0]).max() < 0.24 * left + 1e-9
    assert np.ptp(study.position[1, 2:7, 2]) > 0.01


def test_poses_of_a_path_of_fibres_take_few_steps_each():
    """Of taut fibres that weigh 1/50 of their pull, which is no straight line that could be guessed."""
    scene, _, _ = bundle("toe", gravity=(0, 1e5, 0), tight=0.15)
    study = equilibria(scene, {"femur": flexion(91)})
    assert set(study.stability) == {"stable"}
    assert np.all(study.residual <= 1e-8 * study.load)
    assert study.steps[1:].max() <= 12


def test_moves_of_what_is_held_can_be_said_in_several_ways():
    scene, _, _ = bundle("cable")
    turn = rotation_about(np.array([0, 1.0, 0]), 0.1)
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    half = 0.05
    quaternion = (np.cos(half), 0.0, np.sin(half), 0.0)
    ways = [[np.eye(4), matrix], [((0, 0, 0), (1, 0, 0, 0)), ((0, 0, 0), quaternion)],
            [(0, 0, 0, 1, 0, 0, 0), (0, 0, 0, *quaternion)]]
    found = [equilibria(scene, {scene.things["femur"]: way}).position for way in ways]
    np.testing.assert_allclose(found[1], found[0], atol=1e-15)
    np.testing.assert_allclose(found[2], found[0], atol=1e-15)
    lifted = equilibria(scene, {"femur": [(0, 0, 0), (0, 0, 1e-3)]})
    np.testing.assert_allclose(lifted.rigid_position[1, 1] - lifted.rigid_position[0, 1], (0, 0, 1e-3), atol=1e-15)


# Stability ----------------------------------------------------------------------------------------------------------------

RESTS = np.linspace(0.99, 1.02, 13)   # m, of springs between 1 m: pressed beyond 1


def test_an_equilibrium_that_becomes_unstable_is_left_and_counted():
    study = equilibria(pressed_line(0.99), {("bar", "rest_length"): [np.full(2, rest) for rest in RESTS]})
    assert set(study.stability) <= {"stable", "loose"}
    assert study.left.sum() == 1
    pressed = RESTS > 1.0 + 1e-9
    height = np.sqrt(np.where(pressed, RESTS**2 - 1.0, 0.0))
    np.testing.assert_allclose(np.abs(study.position[:, 1, 1]), height, atol=1e-6)
    assert np.argmax(study.left) == np.argmax(pressed)


def test_a_branch_that_is_kept_is_named_unstable():
    study = equilibria(pressed_line(0.99), {("bar", "rest_length"): [np.full(2, rest) for rest in RESTS]}, unstable="keep")
    np.testing.assert_array_equal(study.position[:, 1, 1], 0.0)
    assert set(study.stability[RESTS < 1.0 - 1e-9]) == {"stable"}
    assert set(study.stability[RESTS > 1.0 + 1e-9]) == {"unstable"}


def test_a_truss_snaps_through_where_its_load_has_a_limit():
    """Two bars over a shallow rise, pressed down: 2 k (L0/L − 1) z = P, with two stable branches below the limit."""
    rise, stiffness = 0.2, 1000.0
    rest = np.hypot(1.0, rise)
    scene = Scene("truss", gravity=(0, 0, 0))
    nodes = scene.add_particles("node", [(-1, 0, 0), (0, 0, rise), (1, 0, 0)], 1.0, support=["xyz", "xy", "xyz"])
    scene.add_linear("bar", nodes[:2], nodes[1:], stiffness)
    scene.add_force("press", nodes[1], (0, 0, -1.0))

    def force(z):
        return 2 * stiffness * (rest / np.hypot(1.0, z) - 1.0) * z

    loads = np.linspace(0.5, 9.5, 19)
    study = equilibria(scene, {("press", "vector"): [(0, 0, -load) for load in loads]})
    z = study.position[:, 1, 2]
    peak = max(force(each) for each in np.linspace(0, rise, 2001))
    assert loads[0] < peak < loads[-1]
    near = loads < peak
    for load, found in zip(loads[near], z[near], strict=True):
        top = brentq(lambda each: -(force(each) - peak), 0, rise) if load > peak else None
        assert top is None
        assert found == pytest.approx(brentq(lambda each, load=load: force(each) - load, 0.1155, rise), abs=1e-7)
    for load, found in zip(loads[~near], z[~near], strict=True):
        assert found == pytest.approx(brentq(lambda each, load=load: force(each) - load, -1.0, -rise), abs=1e-7)
    assert set(study.stability) == {"stable"}


# Values, times, reactions ---------------------------------------------------------------------------------------------------

def test_a_bar_under_end_load_stretches_by_the_load_over_its_stiffness():
    count, stiffness = 10, 2000.0
    scene = Scene("bar", gravity=(0, 0, 0))
    nodes = scene.add_particles("node", [(0.1 * i, 0, 0) for i in range(count + 1)], 0.1, support=["xyz"] + ["yz"] * count)
    scene.add_linear("piece", nodes[:-1], nodes[1:], stiffness)
    scene.add_force("end", nodes[-1], (1.0, 0, 0))
    loads = np.linspace(1.0, 50.0, 8)
    study = equilibria(scene, {("end", "vector"): [(load, 0, 0) for load in loads]})
    np.testing.assert_allclose(study.position[:, -1, 0] - 1.0, loads * count / stiffness, rtol=1e-8)
    np.testing.assert_allclose(study.reaction("node")[:, 0, 0], -loads, rtol=1e-8)
    np.testing.assert_allclose(study.tension("piece"), np.tile(loads[:, None], count), rtol=1e-8)
    assert set(study.stability) == {"stable"}


def test_over_times_drives_lead_and_bear():
    scene = Scene("led", duration=2.0)
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xy", drive={"z": Drive.table([0, 2.0], [0.0, 0.5])})
    bob = scene.add_particle("bob", (0, 0, -1.0), 0.7)
    scene.add_linear("cord", hook, bob, 500.0)
    times = np.linspace(0.0, 2.0, 9)
    study = equilibria(scene, times)
    np.testing.assert_allclose(study.position[:, hook, 2], 0.25 * times, atol=1e-14)
    np.testing.assert_allclose(study.position[:, bob, 2], 0.25 * times - 1.0 - 0.7 * G / 500.0, atol=1e-9)
    np.testing.assert_allclose(study.reaction("hook")[:, 0, 2], study.tension("cord")[:, 0] + 1.0 * G, rtol=1e-9)
    np.testing.assert_array_equal(study.over["time"], times)


def test_a_rigid_that_is_led_bears_weight_and_springs():
    scene = Scene("led", duration=1.0)
    plate = scene.add_rigid("plate", [(-0.5, 0, 0), (0.5, 0, 0)], 2.0, inertia=(1, 1, 1), support="xyz", rotation_support="xyz")
    bobs = scene.add_particles("bob", [(-0.5, 0, -1), (0.5, 0, -1)], [0.3, 0.5])
    scene.add_linear("cords", plate.particles, bobs, 400.0)
    study = equilibria(scene, {"plate": [(0, 0, 0), (0.2, 0, 0.1), (0.4, 0, 0.2)]})
    np.testing.assert_allclose(study.reaction(plate), np.tile((0, 0, 2.8 * G, 0, 0.5 * (0.3 - 0.5) * G, 0), (3, 1)), atol=1e-7)


def test_values_and_times_go_together_and_a_table_tells_them(tmp_path):
    scene = Scene("both", duration=1.0)
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
    bob = scene.add_particle("bob", (0, 0, -1.0), 1.0)
    scene.add_linear("cord", hook, bob, 500.0, rest_length=1.0)
    stiffness = np.array([200.0, 400.0, 800.0])
    study = equilibria(scene, {("cord", "stiffness"): stiffness, "time": [0.0, 0.5, 1.0]})
    np.testing.assert_allclose(-study.position[:, bob, 2] - 1.0, G / stiffness, rtol=1e-8)
    np.testing.assert_allclose(study.strain("cord")[:, 0], G / stiffness, rtol=1e-8)
    table = study.table("cord")
    np.testing.assert_allclose(table["cord"], G, rtol=1e-8)
    table.to_csv(tmp_path / "study.csv")
    rows = list(csv.DictReader((tmp_path / "study.csv").open()))
    assert [float(row["time"]) for row in rows] == [0.0, 0.5, 1.0]
    assert [row["stability"] for row in rows] == ["stable"] * 3


def test_a_spring_that_yields_keeps_its_flow_along_the_path():
    """Pulled beyond its yield force and let go again, it comes back longer by what has flowed."""
    scene = Scene("yield", gravity=(0, 0, 0))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    middle = scene.add_particle("middle", (1, 0, 0), 1.0, support="yz")
    hand = scene.add_particle("hand", (2, 0, 0), 1.0, support="xyz")
    scene.add_linear("soft", wall, middle, 100.0, yield_force=5.0)
    scene.add_linear("hard", middle, hand, 100.0)
    study = equilibria(scene, {"hand": [(0, 0, 0), (0.05, 0, 0), (0.2, 0, 0), (0.1, 0, 0)]})
    np.testing.assert_allclose(study.tension("hard")[:, 0], (0.0, 2.5, 5.0, 0.0), atol=1e-7)


# Rigids, the stiffness itself ---------------------------------------------------------------------------------------------

def test_a_free_rigid_among_springs_goes_by_newton_as_by_damping():
    scene = Scene("mixed")
    corners = np.array([(-0.2, -0.1, 0), (0.2, -0.1, 0), (0.2, 0.1, 0), (-0.2, 0.1, 0)])
    plate = scene.add_rigid("plate", corners, mass=2.0, inertia=(0.1, 0.2, 0.3))
    hooks = scene.add_particles("hook", corners * 1.5 + (0, 0, 1.0), 1.0, support="xyz")
    bobs = scene.add_particles("bob", corners * 1.2 - (0, 0, 0.5), 0.2)
    scene.add_linear("up", plate.particles, hooks, 500.0, rest_length=0.9)
    scene.add_linear("down", plate.particles, bobs, 300.0)
    scene.add_linear("ring", bobs, np.roll(bobs, 1), 200.0, rest_length=0.3)
    scene.add_angular("bend", plate.particles, bobs, np.roll(bobs, 1), 2.0)
    study = equilibria(scene, {"hook": [(0, 0, 0), (0.02, 0, 0), (0.04, 0.01, 0)]})
    assert set(study.stability) == {"stable"}
    assert study.steps[2] < 20
    found = relax(build_model(scene), tolerance=1e-10)
    np.testing.assert_allclose(study.position[0], found.position, atol=1e-8)
    np.testing.assert_allclose(study.position[2], study.position[0] + (0.04, 0.01, 0), atol=1e-7)


def test_the_stiffness_by_differences_is_that_of_the_springs():
    """L D Lᵀ against Σ k u uᵀ + T/L (1 − u uᵀ) of a net at rest, entry by entry."""
    rng = np.random.default_rng(3)
    count, scene = 12, Scene("net", gravity=(0, 0, -1.0))
    nodes = scene.add_particles("node", rng.uniform(-1, 1, (count, 3)), 0.1, support=["xyz"] * 4 + ["", "x"] * 4)
    pairs = np.array([(i, j) for i in range(count) for j in range(i) if rng.random() < 0.5])
    scene.add_linear("cord", nodes[pairs[:, 0]], nodes[pairs[:, 1]], 300.0, rest_length=0.4)
    state = State(build_model(scene))
    rest_of_springs(state, Wanted("test", 1e-6), 10**6, None)
    newton = Newton(state, arms_of(state.model))
    newton.follow(1e-10, 1e-12, 0.1)
    pattern, first, begin = newton.pattern, newton.pattern.first, newton.pattern.begin
    unknowns = len(first)
    lower = np.zeros((unknowns, unknowns))
    for i in range(unknowns):
        lower[i, first[i]:i + 1] = newton.work.entry[begin[i]:begin[i + 1]]
    pivots = np.diag(lower).copy()
    np.fill_diagonal(lower, 1.0)
    wanted = np.zeros((3 * count, 3 * count))
    for i, j in pairs:
        d = state.position[i] - state.position[j]
        length = np.linalg.norm(d)
        u = np.outer(d, d) / length**2
        block = 300.0 * u + 300.0 * (length - 0.4) / length * (np.eye(3) - u)
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            wanted[3 * a:3 * a + 3, 3 * b:3 * b + 3] += sign * block
    chosen = 3 * pattern.body + pattern.axis
    np.testing.assert_allclose(lower * pivots @ lower.T, wanted[np.ix_(chosen, chosen)], atol=1e-5 * 300.0)
    assert newton.negative == np.count_nonzero(np.linalg.eigvalsh(wanted[np.ix_(chosen, chosen)]) < 0)


# Contact and joints -------------------------------------------------------------------------------------------------------

# Heavy cables ------------------------------------------------------------------------------------------------------------

LINKS, SPACING, BEAD, STIFF = 10, 0.1, 0.01, 1e6


def cable(tension_only=True, high=0.1, bow=0.2, **law):
    """Ten links between two held ends that hang in a bow."""
    scene = Scene("cable", gravity=(0, 0, -G))
    first, last = (scene.add_particle(name, place, 1.0, support="xyz")
                   for name, place in (("first", (0, 0, 0)), ("last", (0.8, 0, high))))
    share = np.arange(1, LINKS)[:, None] / LINKS
    beads = scene.add_particles("beads", share * (0.8, 0, high) - (0, 0, bow) * np.sin(np.pi * share), BEAD)
    rows = np.array([int(first), *beads, int(last)])
    scene.add_linear("links", rows[:-1], rows[1:], rest_length=SPACING,
                     **({"tension_only": tension_only, "stiffness": STIFF} | law | ({"tension_only": False} if law else {})))
    return scene


def hung(span, high, longer=lambda pull: pull / STIFF):
    """Beads of ten links between two points, by what every link bears: H along, V up and the weights of beads beyond."""
    def places(forces):
        bears = np.column_stack([np.full(LINKS, forces[0]), forces[1] + BEAD * G * np.arange(LINKS)])
        size = np.linalg.norm(bears, axis=1, keepdims=True)
        return np.cumsum(bears / size * (SPACING + longer(size)), axis=0)
    found = root(lambda forces: places(forces)[-1] - (span, high), (0.1, -0.4), tol=1e-14)
    return places(found.x)[:-1]


@pytest.mark.parametrize("tension_only", [True, False])
def test_heavy_cables_that_hang_are_where_their_weight_leaves_them_in_few_steps(tension_only):
    """They stretch by 1e-7 of their length: kinetic damping takes a hundred thousand steps for each pose."""
    shifts = np.linspace(0.0, 0.1, 5)[:, None] * (1.0, 0.0, -1.0)
    study = equilibria(cable(tension_only), {"last": shifts})
    assert set(study.stability) == {"stable"}
    assert study.steps.max() <= 100
    for place, shift in zip(study.position, shifts, strict=True):
        np.testing.assert_allclose(place[2:, [0, 2]], hung(0.8 + shift[0], 0.1 + shift[2]), rtol=0, atol=1e-9)


TOE = 0.03 * SPACING   # m
TOES = {"toe_strain": 0.03}, {"stiffness": 0.0, "table": Table.toe(STIFF, 2.0 * TOE)}   # k e²/(4 t), both


@pytest.mark.parametrize("law", TOES)
def test_heavy_fibres_with_a_toe_hang_where_their_law_leaves_them_in_few_steps(law):
    study = equilibria(cable(**law), {"last": [(0, 0, 0), (0.05, 0, 0)]})
    assert study.steps[1] <= 40
    for place, shift in zip(study.position, (0.0, 0.05), strict=True):
        np.testing.assert_allclose(place[2:, [0, 2]], hung(0.8 + shift, 0.1, lambda pull: np.sqrt(4.0 * TOE * pull / STIFF)),
                                   rtol=0, atol=1e-9)


@pytest.mark.parametrize("law", [{}, *TOES])
def test_cables_that_stand_up_at_the_start_come_down_and_hang(law):
    """From there every search of springs that also push finds the arch, which the cable would be if it could push."""
    found = relax(cable(bow=-0.2, **law))
    longer = (lambda pull: np.sqrt(4.0 * TOE * pull / STIFF)) if law else (lambda pull: pull / STIFF)
    np.testing.assert_allclose(found.position[2:, [0, 2]], hung(0.8, 0.1, longer), rtol=0, atol=1e-9)
    assert found.steps <= 10_000   # a hundred thousand by kinetic damping alone


def test_where_a_cable_stays_slack_kinetic_damping_finds_the_rest_and_the_search_moves_nothing():
    """A weight between two cables that are too long hangs from the upper one; the lower one would have to push."""
    scene = Scene("slack", gravity=(0, 0, -G))
    low, high = (scene.add_particle(name, (0, 0, z), 1.0, support="xyz") for name, z in (("low", 0.0), ("high", 0.2)))
    bead = scene.add_particle("bead", (0.01, 0, 0.06), BEAD)
    scene.add_linear("cables", [int(low), int(bead)], [int(bead), int(high)], 1e3, rest_length=0.15, tension_only=True)
    model = build_model(scene)
    state = State(model)
    taut, before = Taut(model), state.position.copy()
    assert taut.applies
    assert taut.find(state, 1e-9, BEAD * G) == 0
    np.testing.assert_array_equal(state.position, before)
    study = equilibria(scene, {"high": [(0, 0, 0), (0, 0, 0.05)]})
    np.testing.assert_allclose(study.position[:, int(bead), 2], np.array([0.05, 0.1]) - BEAD * G / 1e3, rtol=0, atol=1e-10)


@pytest.mark.parametrize("given", [
    {"break_force": 5.0}, {"yield_force": 5.0},
    {"table": Table([0.0, 0.01, 0.02], [0.0, 10.0, 5.0])}, {"table": Table([-0.01, 0.0, 0.01], [-5.0, 1.0, 5.0])}])
def test_the_search_of_taut_springs_leaves_other_laws_alone(given):
    scene = cable()
    stiffness = {} if "table" in given else {"stiffness": 1e3}
    scene.add_linear("more", 2, 3, rest_length=0.1, **stiffness, **given)   # two beads
    assert not Taut(build_model(scene)).applies


def test_a_net_that_hangs_is_the_same_by_band_and_by_graph(monkeypatch):
    """Rows of a net are apart by its width: where that is large, the matrix is not taken as a band."""
    def net():
        scene = Scene("net", gravity=(0, 0, -G))
        place = np.stack([*np.meshgrid(*[SPACING * np.arange(5.0)] * 2, indexing="ij"), np.zeros((5, 5))], axis=-1)
        knots = scene.add_particles("knots", place.reshape(-1, 3) * (0.9, 0.9, 1.0), BEAD,
                                    support=["xyz" if k in (0, 4, 20, 24) else "" for k in range(25)])
        grid = np.arange(25).reshape(5, 5)
        ends = [np.concatenate([first.ravel(), second.ravel()]) for first, second in (
            (grid[:-1], grid[:, :-1]), (grid[1:], grid[:, 1:]))]
        scene.add_linear("net", *(knots[each] for each in ends), STIFF, rest_length=SPACING, tension_only=True)
        return scene
    by_band = relax(net())
    monkeypatch.setattr("robotphi.run.taut.WIDEST", 0)
    by_graph = relax(net())
    assert by_band.residual <= max(1e-8 * BEAD * G, by_band.rounding)
    np.testing.assert_allclose(by_band.position, by_graph.position, rtol=0, atol=1e-10)
    assert by_band.position[12, 2] < -0.05


def test_tables_of_several_lengths_pull_as_each_by_itself():
    scene = Scene("tables", gravity=(0, 0, -G))
    tables = [Table([0.0, 0.01, 0.03], [0.0, 5.0, 30.0]), Table.toe(400.0, 0.01), None, Table([0.0, 0.02], [0.0, 8.0])]
    rest, stretch = 0.1, (0.002, 0.005, 0.004, 0.01, 0.015, 0.02, 0.04)
    for k, table in enumerate(tables):
        top = scene.add_particle(f"top {k}", (k, 0, 0), 1.0, support="xyz")
        low = scene.add_particle(f"low {k}", (k, 0, -rest), BEAD)
        scene.add_linear(f"spring {k}", top, low, rest_length=rest, **({"table": table} if table else {"stiffness": 70.0}))
    laws = Taut(build_model(scene)).laws
    for e in stretch:
        toe = 0.5 * 400.0 * e**2 / 0.01 if e < 0.01 else 400.0 * (e - 0.005)
        wanted = (np.interp(e, [0.0, 0.01, 0.03], [0.0, 5.0, 30.0]) + max(e - 0.03, 0.0) * 1250.0, toe, 70.0 * e, 400.0 * e)
        for sign in (1.0, -1.0):   # mirrored: springs that push as they pull
            np.testing.assert_allclose(laws.pulls(np.full(4, sign * e))[0], sign * np.array(wanted), rtol=1e-12)


def test_a_path_with_contact_has_frames_with_its_contacts():
    scene = Scene("pressed", duration=1.0)
    law = ContactMaterial(stiffness=1e7)
    scene.add_plane("ground", contact=law)
    ball = scene.add_ball("ball", (0, 0, 0.1), 0.1, mass=0.5, contact=law)
    hand = scene.add_particle("hand", (0, 0, 0.3), 1.0, support="xy", drive={"z": Drive.table([0, 1.0], [0.0, -0.1])})
    scene.add_linear("spring", hand, ball.particles[0], 200.0, rest_length=0.2)
    study = equilibria(scene, np.linspace(0.0, 1.0, 5), unstable="keep")
    assert study.stability.tolist() == ["stable", *["unstable"] * 4]   # it would slip from under the spring
    push = -study.tension("spring")[:, 0]
    for k in range(5):
        normal = study.recording.contacts(k).normal
        np.testing.assert_allclose(np.abs(normal[:, 2]).sum(), 0.5 * G + push[k], rtol=1e-7)
    assert push[-1] > 15.0


def test_a_pose_that_is_pressed_deep_is_no_overlap_at_the_start_and_has_one_frame():
    surface = ContactMaterial(stiffness=1e7, damping=1.0)
    scene = Scene("pressed", duration=1.0, frames=10)
    scene.add_plane("ground", contact=surface)
    ball = scene.add_ball("ball", (0.0, 0.0, 0.02), 0.02, mass=0.1, contact=surface)
    scene.add_force("press", ball, (0.0, 0.0, -1.0), drive=Drive.table([0.0, 1.0], [1.0, 300.0]))
    recording = equilibria(scene, {"time": [0.0, 0.5, 1.0]}).recording
    assert recording.time.tolist() == [0.0, 0.5, 1.0]
    assert not any("at the start" in warning for warning in recording.info["warnings"])


def test_a_joint_under_a_growing_load_turns_as_statics_says():
    scene = Scene("arm", duration=1.0)
    arm = scene.add_rigid("arm", [(0, 0, 0), (1, 0, 0)], 1.0, inertia=(0.1, 0.1, 0.1), centre=(0.5, 0, 0))
    scene.add_joint("hinge", "revolute", None, arm, at=(0, 0, 0), axis=(0, 1, 0), stiffness=20.0)
    masses = np.array([0.5, 1.0, 2.0])
    study = equilibria(scene, {("arm", "mass"): masses})
    for mass, tip in zip(masses, study.position[:, 1], strict=True):
        angle = brentq(lambda a, mass=mass: 20.0 * a - 0.5 * mass * G * np.cos(a), 0, 2)
        assert np.arctan2(-tip[2], tip[0]) == pytest.approx(angle, abs=1e-7)


def test_a_mechanism_hangs_on_what_is_led():
    scene = Scene("crane", duration=1.0)
    boom = scene.add_rigid("boom", [(0, 0, 0), (1, 0, 0)], 5.0, inertia=(1, 1, 1), support="xyz", rotation_support="xyz")
    bob = scene.add_rigid("bob", [(1, 0, 0), (1, 0, -0.5)], 2.0, inertia=(0.1, 0.1, 0.1), centre=(1, 0, -0.5))
    scene.add_joint("hinge", "revolute", boom, bob, at=(1, 0, 0), axis=(0, 1, 0))
    lifted = np.eye(4)
    lifted[:3, :3], lifted[:3, 3] = rotation_about(np.array([0, 1.0, 0]), -0.4), (0.1, 0, 0.2)
    study = equilibria(scene, {"boom": [np.eye(4), lifted]})
    tip = lifted[:3, :3] @ (1, 0, 0) + lifted[:3, 3]
    np.testing.assert_allclose(study.rigid_position[1, 1], tip - (0, 0, 0.5), atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(study.recording.joint("hinge").reaction_force, axis=1), 2.0 * G, rtol=1e-7)


# Doors --------------------------------------------------------------------------------------------------------------------

def test_the_pose_without_an_equilibrium_is_named():
    scene = Scene("loose", duration=1.0)
    scene.add_particle("pebble", (0, 0, 0), 1.0)
    with pytest.raises(NoEquilibrium, match=r"pose 0 of 2.*'pebble'"):
        equilibria(scene, [0.0, 1.0])


@pytest.mark.parametrize(("over", "words"), [
    ({}, "over is empty"),
    ({"time": [0.0, 1.0], ("bar", "stiffness"): [1.0]}, "one for each pose"),
    ({"nothing": [(0, 0, 0)]}, "held rigid, object or particles"),
    ({"node": [(0, 0, 0)]}, "may move or has a drive"),
    ({("bar", "colour"): [1.0]}, "colour"),
    ({"time": [-1.0]}, "from 0 on"),
    ({"time": 3.0}, "one entry for each pose")])
def test_what_cannot_lead_is_refused(over, words):
    with pytest.raises(SceneError, match=words):
        equilibria(pressed_line(0.99), over)


def test_a_word_for_unstable_ones_is_needed():
    with pytest.raises(SceneError, match="leave"):
        equilibria(pressed_line(0.99), [0.0], unstable="stay")


def test_a_model_is_left_alone():
    model = build_model(pressed_line(0.99))
    before = model.position.copy()
    equilibria(model, {("bar", "rest_length"): [np.full(2, rest) for rest in RESTS]})
    np.testing.assert_array_equal(model.position, before)
    assert settle(model).residual <= 1e-8 * 10.0
