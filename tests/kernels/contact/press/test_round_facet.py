"""Capsules, cylinders and wheels on height fields, polyhedra, each other and balls: closed forms, gradients, momenta."""
import math

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns as c
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from tests.kernels.contact.press.evaluated import evaluate

LAW = ContactMaterial(stiffness=1e6)
HALF, RADIUS = 0.06, 0.05                                  # m
OUTLINE = [0.04, 0.047, 0.05, 0.045, 0.035]                # m, not the same on both sides
DEEPEST = 0.5 * RADIUS                                     # m: deeper in, a direction is not what it was asked for
LONG = ("capsule", "cylinder", "wheel")


def unit_vector(random):
    v = random.normal(size=3)
    return v / np.linalg.norm(v)


def add_round(scene, kind, name, centre, axis, law=LAW, **motion):
    ends = centre - HALF * axis, centre + HALF * axis
    if kind == "ball":
        scene.add_ball(name, centre, RADIUS, mass=1.0, contact=law, **motion)
    elif kind == "wheel":
        scene.add_wheel(name, *ends, OUTLINE, mass=1.0, contact=law, **motion)
    else:
        getattr(scene, f"add_{kind}")(name, *ends, RADIUS, mass=1.0, contact=law, **motion)


def add_second(scene, kind, random, law=LAW):
    if kind == "plane":
        scene.add_plane("second", contact=law)
    elif kind == "flat field":
        scene.add_height_field("second", np.zeros((9, 12)), (0.07, 0.05), (-0.27, -0.29, 0.0), contact=law)
    elif kind == "flat box":
        box = rigid(shapes.box((0.8, 0.9, 0.5), centre=(0.01, 0.02, -0.25)), density=1000.0)
        scene.add_object("second", box, contact=law, support="xyz")
    elif kind == "rough field":
        scene.add_height_field("second", 0.02 * random.normal(size=(9, 9)), 0.06, (-0.24, -0.24, 0.0), contact=law)
    elif kind == "box":
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        scene.add_object("second", rigid(shapes.box((0.2, 0.24, 0.12)).transformed(matrix=turn), density=1000.0), contact=law)
    else:
        add_round(scene, kind, "second", np.zeros(3), unit_vector(random))


def begun(scene):
    simulator = Simulator(build_model(scene))
    simulator.begin()
    return simulator


def in_touch(first, second, random):
    """Simulator of two things at a random pose in which they touch."""
    while True:
        scene = Scene("pair", duration=1.0, frames=10, gravity=(0, 0, 0))
        at = np.array([*random.uniform(-0.05, 0.05, 2), random.uniform(0.02, 0.1)])
        centre = at if second in ("plane", "rough field") else unit_vector(random) * random.uniform(0.06, 0.15)
        add_round(scene, first, "first", centre, unit_vector(random))
        add_second(scene, second, random)
        simulator = begun(scene)
        energy, touch = evaluate(simulator)[0], simulator.state.buffers.touch
        if energy > 1e-6 and touch.numbers[0, c.GAP] > -DEEPEST:
            return simulator


def move(simulator, i, shift, turn):
    """Rigid i by a shift [m] and a small rotation vector, with its particles."""
    rigids, position = simulator.state.buffers.rigid, simulator.state.position
    angle = np.linalg.norm(turn)
    axis = turn / angle if angle > 0.0 else np.zeros(3)
    w, x, y, z = np.append(math.cos(angle / 2), math.sin(angle / 2) * axis)
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    rows = np.asarray(simulator.model.scene.rigids[i].particles)
    arm = position[rows] - rigids[i, CENTRE:CENTRE + 3]
    cross = np.cross(axis, arm)
    arm = arm + math.sin(angle) * cross + (1.0 - math.cos(angle)) * np.cross(axis, cross)
    rigids[i, CENTRE:CENTRE + 3] += shift
    rigids[i, ORIENTATION:ORIENTATION + 4] = left @ rigids[i, ORIENTATION:ORIENTATION + 4]
    position[rows] = arm + rigids[i, CENTRE:CENTRE + 3]


PAIRS = ([(first, second) for first in LONG for second in ("plane", "rough field", "box", *LONG)]
         + [("ball", second) for second in LONG])


def check_gradient(simulator):
    """The load is the gradient of the energy, momenta are exact."""
    _, _, load = evaluate(simulator)
    rigids, position = simulator.state.buffers.rigid, simulator.state.position
    kept, places, largest, h = rigids.copy(), position.copy(), np.abs(load).max(), 1e-6
    for i in range(len(load)):
        for column in range(6):
            energies = []
            for sign in (1.0, -1.0):
                step = np.eye(6)[column] * sign * h
                move(simulator, i, step[:3], step[3:] / RADIUS)
                energies.append(evaluate(simulator)[0])
                rigids[...], position[...] = kept, places
            slope = -(energies[0] - energies[1]) / (2.0 * h) * (1.0 if column < 3 else RADIUS)
            # truncation h² over the square of the depths of some mm; nodes of Gauss, which are not quite exact on rough
            # ground, along curved sides and ends
            assert slope == pytest.approx(load[i, column], abs=3e-5 * largest)
    if len(load) > 1:
        about = load[:, 3:] + np.cross(kept[:len(load), CENTRE:CENTRE + 3], load[:, :3])
        assert np.abs(load[:, :3].sum(axis=0)).max() < 1e-13 * largest
        assert np.abs(about.sum(axis=0)).max() < 1e-13 * largest


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_load_of_a_pair_is_the_gradient_of_its_energy_and_both_momenta_are_exact(first, second):
    random = np.random.default_rng(PAIRS.index((first, second)))
    for _ in range(3):
        check_gradient(in_touch(first, second, random))


@pytest.mark.parametrize("ground", ["flat field", "flat box"])
@pytest.mark.parametrize("kind", LONG)
def test_flat_ground_presses_like_a_plane_however_it_is_cut_and_however_a_thing_is_turned(kind, ground):
    random = np.random.default_rng(7)
    for axis in (np.eye(3)[0], np.eye(3)[2], *(unit_vector(random) for _ in range(8))):
        reach = max(abs(axis[2]) * HALF, 0.0) + RADIUS * (1.0 if kind == "capsule" else math.hypot(axis[0], axis[1]))
        sums, centre = [], np.array([0.003, 0.001, reach - random.uniform(0.002, 0.01)])
        for second in ("plane", ground):
            scene = Scene("flat", duration=1.0, frames=10)
            add_round(scene, kind, "first", centre, axis)
            add_second(scene, second, random)
            simulator = begun(scene)
            energy, _, load = evaluate(simulator)
            sums.append(np.append(energy, load[0]))
        plane, cut = sums
        if plane[0] == 0.0:   # a wheel is smaller than a cylinder
            continue
        assert plane[3] > 0.0
        assert cut[0] == pytest.approx(plane[0], rel=1e-6)
        np.testing.assert_allclose(cut[1:], plane[1:], rtol=0, atol=1e-6 * plane[3])


def test_a_wheel_with_a_straight_outline_is_a_cylinder():
    loads = []
    for make in ("add_cylinder", "add_wheel"):
        scene = Scene("same", duration=1.0, frames=10)
        scene.add_plane("ground", contact=LAW)
        getattr(scene, make)("thing", (-0.05, 0.0, 0.045), (0.05, 0.01, 0.05), RADIUS, density=1000.0, contact=LAW)
        simulator = begun(scene)
        loads.append(np.append(evaluate(simulator)[2][0], scene.rigids[0].inertia.reshape(-1)))
    # nodes of Gauss over directions less than 45° apart, against a closed form
    np.testing.assert_allclose(loads[1], loads[0], rtol=1e-6, atol=1e-6 * np.abs(loads[0]).max())


def test_the_outline_gives_mass_centre_and_inertia_of_cones():
    """A cone of height h and radius R: V = π R² h/3, centre 3/4 h from the tip, 3/10 R² and 3/80 (4 R² + h²) per mass."""
    height, radius = 0.3, 0.2
    scene = Scene("cone")
    handle = scene.add_wheel("cone", (0, 0, 0), (0, 0, height), [0.0, radius], density=500.0)
    mass = 500.0 * math.pi * radius ** 2 * height / 3.0
    assert handle.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(handle.centre, (0, 0, 0.75 * height), atol=1e-15)
    across = 3.0 / 80.0 * (4.0 * radius ** 2 + height ** 2)
    np.testing.assert_allclose(handle.inertia, mass * np.diag([across, across, 0.3 * radius ** 2]), atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, math.pi / 2])
def test_two_shallow_capsules_press_as_two_round_bodies_do(angle):
    """Crossed: λ π R x² / |sin angle|-wide ellipse comes out by itself; along each other 4√2/3 λ √r x^{3/2} per length."""
    length, depth, radius = 0.4, 1e-4, RADIUS
    scene = Scene("two", duration=1.0, frames=10, gravity=(0, 0, 0))
    way = np.array([math.cos(angle), math.sin(angle), 0.0]) * length / 2
    scene.add_capsule("lower", (-length / 2, 0, 0), (length / 2, 0, 0), radius, mass=1.0, contact=LAW)
    top = np.array([0, 0, 2 * radius - depth])
    scene.add_capsule("upper", top - way, top + way, radius, mass=1.0, contact=LAW)
    load = np.abs(evaluate(begun(scene))[2][:, 2])
    r, stiffness = radius / 2, LAW.stiffness / 2          # of two surfaces in series
    if angle == 0.0:
        wanted = stiffness * (4 / 3 * math.sqrt(2 * r) * depth ** 1.5 * length + math.pi * r * depth ** 2)
        assert load == pytest.approx(wanted, rel=1e-9)
        return
    # g = x − (u² + w²)/(4 R) ± …: ½ λ ∫ g² over an ellipse of the area 2 π R x/sin, force λ × its volume
    wanted = stiffness * math.pi * radius * depth ** 2 / math.sin(angle)
    assert load == pytest.approx(wanted, rel=20 * depth / radius + 2e-3)


@pytest.mark.parametrize("kind", ["cylinder", "wheel"])
def test_how_level_ground_is_cut_changes_the_energy_by_rounding_alone(kind):
    """A vehicle at rest has next to no energy to err by: a patch that passes a line of the grid must not tell."""
    energies = []
    for shift in (0.0, 1e-10, -1e-10, 1e-4, 1.3e-3, -2.7e-3, 6e-3, -9e-3, 0.0137, -0.0171, 0.021, 0.033):
        scene = Scene("pair", duration=1.0, frames=10, gravity=(0, 0, 0))
        add_round(scene, kind, "first", np.array([0.0, 0.0, RADIUS - 4e-4]), np.array([0.0, 1.0, 0.0]))
        scene.add_height_field("second", np.zeros((9, 12)), (0.07, 0.05), (shift - 0.28, 0.3 * shift - 0.29, 0.0), contact=LAW)
        energies.append(evaluate(begun(scene))[0])
    # sums of some hundred pressures, whose places are known to ε times the size of the wheel over its depth
    assert np.ptp(energies) <= 200 * 2.2e-16 * RADIUS / 4e-4 * energies[0], np.ptp(energies) / energies[0]
