"""Forces between two bodies at their contact direction: gradients of the energy, momenta, whatever carries the direction."""

import numpy as np
import pytest

from robotphi import Scene
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns as c
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from robotphi.scene.contact import ContactMaterial
from tests.kernels.contact.press.evaluated import evaluate

SOFT = ContactMaterial(stiffness=1e6)
EDGES = {"x": np.array([[1.0, 0, 0], [0, np.sqrt(0.5), -np.sqrt(0.5)], [0, np.sqrt(0.5), np.sqrt(0.5)]]),
         "y": np.array([[np.sqrt(0.5), 0, np.sqrt(0.5)], [0, 1.0, 0], [-np.sqrt(0.5), 0, np.sqrt(0.5)]])}


def block(size, centre, soft, turn=None):
    shape = shapes.box(size)
    shape = shape.transformed(matrix=np.eye(3) if turn is None else turn, shift=centre)
    if not soft:
        return rigid(shape, density=1000.0)
    return deformable(discretise(shape, counts=(2, 2, 2)), Material(young=1e5, density=1000.0))


def pair(upper, lower, upper_turn=None, lower_turn=None, depth=0.01, shift=(0.013, 0.021)):
    """Simulator of two bodies in touch without gravity; the first stands above the second, so deep."""
    top = shapes.box((0.24, 0.26, 0.2)).transformed(matrix=np.eye(3) if lower_turn is None else lower_turn).vertices[:, 2].max()
    low = shapes.box((0.2, 0.16, 0.2)).transformed(matrix=np.eye(3) if upper_turn is None else upper_turn).vertices[:, 2].min()
    height = top - low - depth
    scene = Scene("pair", duration=1.0, frames=10, gravity=(0, 0, 0))
    scene.add_object("upper", block((0.2, 0.16, 0.2), (*shift, height), upper, upper_turn), contact=SOFT)
    scene.add_object("lower", block((0.24, 0.26, 0.2), (0.0, 0.0, 0.0), lower, lower_turn), contact=SOFT)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    return simulator


CASES = {
    "face of the lower, both soft": ({"upper": True, "lower": True}, c.BY_TRIANGLE),
    "face of the soft lower under a rigid": ({"upper": False, "lower": True, "upper_turn": EDGES["x"] @ EDGES["y"]},
                                              c.BY_TRIANGLE),
    "edges across, both soft": ({"upper": True, "lower": True, "upper_turn": EDGES["x"], "lower_turn": EDGES["y"]}, c.BY_EDGES),
}


@pytest.mark.parametrize("name", CASES)
def test_forces_on_free_particles_are_the_gradient_of_the_energy_with_what_carries_the_direction(name):
    options, carrier = CASES[name]
    simulator = pair(**options)
    touch = simulator.state.buffers.touch
    energy, force, _ = evaluate(simulator)
    assert touch.sizes[c.PAIR_COUNT] == 1
    assert touch.pairs[0, c.CARRIER] == carrier
    assert energy > 0.0
    free = np.flatnonzero(simulator.model.arrays.particles.inverse_mass[:len(force)] > 0.0)
    loaded = free[np.abs(force[free]).max(axis=1) > 1e-3 * np.abs(force).max()]
    # central differences: truncation ∝ h², rounding ε U/h; U is cubic in the depth of some millimetres
    h = 1e-7
    rest = simulator.state.position.copy()
    for row in loaded[:: max(1, len(loaded) // 12)]:
        for axis in range(3):
            energies = []
            for sign in (1.0, -1.0):
                simulator.state.position[...] = rest
                simulator.state.position[row, axis] += sign * h
                energies.append(evaluate(simulator)[0])
            slope = (energies[0] - energies[1]) / (2.0 * h)
            assert slope == pytest.approx(-force[row, axis], abs=2e-6 * np.abs(force).max() + 1e-14 * energy / h)
    simulator.state.position[...] = rest


@pytest.mark.parametrize("name", CASES)
def test_forces_and_moments_of_a_pair_add_up_to_nothing(name):
    options, _ = CASES[name]
    simulator = pair(**options)
    _, force, load = evaluate(simulator)
    position = simulator.state.position
    total, moment = force.sum(axis=0), np.cross(position, force).sum(axis=0)
    for i in range(len(load)):
        total += load[i, :3]
        moment += load[i, 3:] + np.cross(simulator.state.rigid(0)[i], load[i, :3])
    scale = np.abs(force).sum()
    assert np.abs(total).max() < 1e-13 * scale
    assert np.abs(moment).max() < 1e-13 * scale * 0.3
