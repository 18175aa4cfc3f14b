"""Damping of the pressure on what has an axis, and on slopes: its direction, its power, its momenta."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene
from robotphi.discretise import rigid, turned
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns as c
from robotphi.kernels.step.rigids import CENTRE
from tests.kernels.contact.press.evaluated import loads_now, set_moving
from tests.kernels.contact.press.test_round_facet import add_round, add_second, begun, unit_vector

LAW = ContactMaterial(stiffness=1e6, restitution=0.3, speed=0.05)
RADIUS = 0.05                     # m, of those of `test_round_facet`
SLOW = 1e-3                       # m/s, of what damping never lets go of


def pressed(first, second, random):
    """Simulator of two things at a random pose in which they touch and neither is deep in the other."""
    while True:
        scene = Scene("pair", duration=1.0, frames=10, gravity=(0, 0, 0))
        at = np.array([*random.uniform(-0.05, 0.05, 2), random.uniform(0.02, 0.1)])
        centre = at if second in ("plane", "rough field") else unit_vector(random) * random.uniform(0.06, 0.15)
        add_round(scene, first, "first", centre, unit_vector(random), LAW)
        add_second(scene, second, random, LAW)
        simulator = begun(scene)
        load, _ = loads_now(simulator)
        if np.linalg.norm(load[0, :3]) > 0.01 and simulator.state.buffers.touch.numbers[0, c.GAP] > -0.2 * RADIUS:
            return simulator


@pytest.mark.parametrize(("first", "second"), [("wheel", "plane"), ("capsule", "rough field"), ("cylinder", "rough field"),
                                               ("wheel", "box"), ("cylinder", "box"), ("wheel", "wheel")])
def test_what_moves_pays_just_what_damping_takes_and_both_momenta_are_exact(first, second):
    random = np.random.default_rng(5)
    for _ in range(3):
        simulator = pressed(first, second, random)
        rest, _ = loads_now(simulator)
        largest = np.abs(rest[0]).max()
        motion = SLOW * random.normal(size=3), SLOW / RADIUS * random.normal(size=3)
        set_moving(simulator, 0, *motion)
        moved, loss = loads_now(simulator)
        assert loss > 0.0
        assert -np.concatenate(motion) @ (moved - rest)[0] == pytest.approx(loss, rel=1e-9)
        if len(moved) > 1:
            about = moved[:, 3:] + np.cross(simulator.state.buffers.rigid[:len(moved), CENTRE:CENTRE + 3], moved[:, :3])
            assert np.abs(moved[:, :3].sum(axis=0)).max() < 1e-12 * largest
            assert np.abs(about.sum(axis=0)).max() < 1e-12 * largest


def on_slope(kind, angle, field, depth=1e-4):
    """Simulator of a thing pressed into ground that slopes by so much, and the normal of this."""
    scene, up = Scene("slope", duration=1.0, frames=10, gravity=(0, 0, 0)), np.array([-np.sin(angle), 0.0, np.cos(angle)])
    if field:
        rise = np.tan(angle) * np.linspace(-1.0, 1.0, 21)
        scene.add_height_field("ground", np.tile(rise[:, None], (1, 21)), 0.1, (-1.0, -1.0, 0.0), contact=LAW)
    else:
        scene.add_plane("ground", normal=up, contact=LAW)
    if kind == "block":
        block = turned(rigid(shapes.box((0.2, 0.2, 0.1), up * (0.05 - depth)), density=1000.0), (0, 1, 0), -angle,
                       up * (0.05 - depth))
        scene.add_object("block", block, contact=LAW)
    else:
        add_round(scene, kind, "first", up * (RADIUS - depth), np.array([0.0, 1.0, 0.0]), LAW)
    return begun(scene), up


@pytest.mark.parametrize("kind", ["block", "cylinder", "wheel"])
def test_a_slope_of_a_field_hit_along_its_normal_damps_like_a_plane(kind):
    """By d times the speed along it."""
    shares = []
    for angle, field in ((0.0, False), (0.6, False), (0.0, True), (0.6, True)):
        simulator, up = on_slope(kind, angle, field)
        rest, _ = loads_now(simulator)
        set_moving(simulator, 0, -SLOW * up, np.zeros(3))
        damping = simulator.state.buffers.touch.numbers[0, c.LOSSY]      # which the call makes anew
        moved, _ = loads_now(simulator)
        share = np.linalg.norm(moved[0, :3]) / np.linalg.norm(rest[0, :3]) - 1.0
        shares.append(share / (damping * SLOW))
    np.testing.assert_allclose(shares, 1.0, rtol=1e-6)


@pytest.mark.parametrize("height", [0.015, 0.03])
def test_an_edge_pushes_a_rim_that_slips_over_it_where_it_pushes_one_at_rest(height):
    """The rim moves across the force of the edge, which is then what it was; by the lean of the faces it would turn by 28°."""
    scene, angle = Scene("edge", duration=1.0, frames=10, gravity=(0, 0, 0)), np.arccos(1.0 - height / RADIUS)
    step = rigid(shapes.box((0.4, 0.4, height), (0.2, 0.0, 0.5 * height)), density=1000.0)
    scene.add_object("step", step, contact=LAW, support="xyz")
    axle = 0.999 * RADIUS * np.array([-np.sin(angle), 0.0, np.cos(angle)]) + (0.0, 0.0, height)
    add_round(scene, "cylinder", "first", axle, np.array([0.0, 1.0, 0.0]), LAW)
    simulator = begun(scene)
    number = 1      # the first one is the step
    rest = loads_now(simulator)[0][number]
    spin = 1.0 / simulator.state.buffers.touch.numbers[0, c.LOSSY] / RADIUS      # rad/s: the slip that damping answers with 1
    set_moving(simulator, number, np.zeros(3), np.array([0.0, spin, 0.0]))
    spun = loads_now(simulator)[0][number]
    assert rest[2] > 1e-5
    np.testing.assert_allclose(spun[:3], rest[:3], rtol=0, atol=0.03 * np.linalg.norm(rest[:3]))
