"""What gives way at a contact: of a rigid by its inertia, of something soft what is in touch; dampers are sized by it."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, build_model
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.hold.mobility import give_across, moved_mass
from robotphi.scene.turns import matrix_of as rotation_matrix

LAW = ContactMaterial(stiffness=2e7, restitution=0.3, speed=1.0, friction=0.8)


def test_a_rigid_gives_way_by_its_mass_and_by_its_turns():
    scene = Scene("turned", duration=1.0, frames=2)
    bar = rigid(shapes.box((0.3, 0.1, 0.05)).transformed(shift=(0.1, 0.2, 0.3)), density=1000.0)
    scene.add_object("bar", bar, contact=LAW)
    model = build_model(scene)
    simulator = Simulator(model)
    row, rigids = simulator.state.buffers.rigid, model.arrays.rigids
    turn = rotation_matrix(model.rigid_orientation[0])
    inverse = turn @ np.diag(rigids.inverse_inertia[0]) @ turn.T
    for seed in range(5):
        n, point = np.random.default_rng(seed).normal(size=(2, 3))
        n, arm = n / np.linalg.norm(n), 0.1 * point
        lever = np.cross(np.eye(3), arm).T   # a ↦ arm × a
        whole = np.eye(3) * rigids.inverse_mass[0, 0] + lever.T @ inverse @ lever
        across = np.eye(3) - np.outer(n, n)
        wanted = np.linalg.eigvalsh(across @ whole @ across)[-1]
        assert give_across(rigids, row, 0, tuple(model.rigid_position[0] + arm), tuple(n)) == pytest.approx(wanted, rel=1e-12)


def tip(first):
    """A box or ball of 50 g that has fallen on a soft pad of 4 g whose foot is held."""
    scene = Scene("tip", duration=0.2, frames=10)
    pad = deformable(discretise(shapes.box((0.02, 0.02, 0.01), (0, 0, 0.005)), counts=(2, 2, 2)),
                     Material(2e5, density=1000.0, damping_ratio=0.05))
    scene.add_object("pad", pad, contact=LAW, support={"bottom": "xyz"})
    if first == "ball":
        scene.add_ball("ball", (0.001, 0.002, 0.0399), 0.03, mass=0.05, contact=LAW)
    else:
        scene.add_object("box", rigid(shapes.box(0.03, (0.001, 0.001, 0.025)), mass=0.05), contact=LAW)
    return scene


@pytest.mark.parametrize("first", ["ball", "box"])
def test_what_is_in_touch_of_something_soft_is_critically_damped_at_most(first):
    simulator = Simulator(build_model(tip(first)))
    simulator.run()
    touch, parts = simulator.state.buffers.touch, simulator.model.arrays.contact.parts
    assert touch.sizes[c.PAIR_COUNT] == 1
    numbers, sums = touch.numbers[0], touch.sums[0]
    pad = int(np.flatnonzero(parts.rigid < 0)[0])
    mass = moved_mass(parts, pad, sums[c.PAIR_AREA])
    assert parts.size[pad, c.VERTEX_MASS] <= mass < 0.5 * parts.size[pad, c.MASS]
    critical = 2.0 * np.sqrt(numbers[c.STEEPNESS] * mass)
    settling = (numbers[c.LOSSY] - LAW.damping) * sums[c.PAIR_ELASTIC]   # beside what a hit is to lose
    assert 0.5 * critical < settling <= critical * (1 + 1e-6)   # it rests, to some 1e-8 m/s
    if first == "ball":
        assert 0.0 < numbers[c.RUB_DAMPING] <= critical
