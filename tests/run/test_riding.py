"""Paths of rest with friction: what touches something that is led goes along as it would if that were pushed slowly."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Motion, Scene, Simulator, build_model, equilibria, settle
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box
from robotphi.scene.turns import rotation_about
from tests.run.test_settle import arch

G = 9.81
WAY = 1e-4   # m by which a base of an arch is led outwards: as far as its joints are pressed in


def springing(recording, frame=-1):
    """N, on the first block of an arch from its base."""
    table = recording.contacts(frame)
    row = next(k for k in range(len(table.first)) if {table.first_owner[k], table.second_owner[k]} == {"block 0", "base 1"})
    return (1.0 if table.first_owner[row] == "block 0" else -1.0) * (table.normal[row] + table.friction[row])


def test_an_arch_whose_base_gives_way_is_where_slow_dynamics_ends():
    """Of its thrust 1.5 % is gone; what dynamics shows beside are the slips of its joints at the start."""
    study = equilibria(arch(6), {"base 1": [(0, 0, 0), (WAY, 0, 0)]})
    pushed = arch(6, moves=Motion([0.0, 1.0, 9.0], [(0, 0, 0), (WAY, 0, 0), (WAY, 0, 0)], kind="linear"))
    simulator = Simulator(build_model(pushed))
    settle(simulator)
    first = simulator.state.rigid(0).copy()
    simulator.advance_to(2.0)
    sunk = simulator.state.rigid(0)[2] - first[2]
    assert np.abs(simulator.state.rigid(3)).max() < 1e-9
    np.testing.assert_allclose(study.rigid_position[1, 2] - study.rigid_position[0, 2], sunk, rtol=0, atol=1e-4 * WAY)
    assert sunk[0] > 0.5 * WAY
    thrusts = springing(study.recording, 0)[0], springing(study.recording, 1)[0]
    assert 0.01 < 1.0 - thrusts[1] / thrusts[0] < 0.02
    assert springing(simulator.recording())[0] == pytest.approx(thrusts[1], rel=1e-5)


def block_on_table(stack=1, slope=0.0, pressed=None):
    """Blocks of 0.1 m on a held table, with weight that leans as if both stood on a slope."""
    scene = Scene("table", duration=1.0, gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    law = ContactMaterial(stiffness=1e8, friction=0.5, restitution=0.3, speed=0.1)
    table = rigid(box((0.8, 0.8, 0.1), centre=(0, 0, -0.05)), density=1000.0)
    scene.add_object("table", table, support="xyz", contact=law)
    for k in range(stack):
        block = rigid(box(0.1, centre=(0.1, 0.05, 0.05 + 0.1 * k)), density=1000.0)
        placed = scene.add_object(f"block {k}", block, contact=law)
    if pressed:
        scene.add_force("press", placed.rigids[0], (0.0, 0.0, -1.0), drive=pressed)
    return scene


def test_what_lies_on_a_table_rides_on_it_however_far():
    """A stack of two on a table that is led 0.4 m aside and turned by 2 rad: 1e-6 m is a tenth of how deep it is pressed in."""
    turn, way = rotation_about(np.array([0.0, 0.0, 1.0]), 2.0), np.array([0.3, -0.2, 0.1])
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, way
    study = equilibria(block_on_table(2), {"table": [np.eye(4), pose]})
    assert set(study.stability) == {"stable"}
    assert study.residual.max() <= 1e-8 * study.load.max()
    np.testing.assert_allclose(study.rigid_position[1], study.rigid_position[0] @ turn.T + way, rtol=0, atol=1e-6)


def test_soft_things_and_balls_ride_as_well():
    """As wholes: nothing of them is strained by it, nor rolls."""
    scene = block_on_table(0)
    law = ContactMaterial(stiffness=2e7, friction=0.5, restitution=0.3, speed=0.1)
    mesh = discretise(box((0.1, 0.1, 0.04), centre=(0, 0, 0.02)), counts=(2, 2, 1))
    pad = scene.add_object("pad", deformable(mesh, Material(young=2e5, density=1000.0)), contact=law)
    ball = scene.add_ball("ball", (0.2, 0.0, 0.05), 0.05, mass=0.5, contact=law)
    study = equilibria(scene, {"table": [(0, 0, 0), (0.1, 0.05, 0.02)]})
    moved = (study.position[1] - study.position[0])[[*pad.particles, *ball.particles]]
    np.testing.assert_allclose(moved, np.tile((0.1, 0.05, 0.02), (len(moved), 1)), rtol=0, atol=1e-6)


def test_nothing_is_leapt_over():
    """A jaw beside a block is led through where it lies: in one pose the block is before it all the same."""
    scene = Scene("pushed", duration=1.0)
    law = ContactMaterial(stiffness=1e8, friction=0.5, restitution=0.3, speed=0.1)
    scene.add_plane("ground", contact=law)
    block = scene.add_object("block", rigid(box(0.1, centre=(0, 0, 0.05)), density=1000.0), contact=law)
    scene.add_object("jaw", rigid(box((0.02, 0.2, 0.06), centre=(-0.07, 0, 0.05)), density=1000.0), support="xyz", contact=law)
    scene.exclude_contact("jaw", "ground")
    study = equilibria(scene, {"jaw": [(0, 0, 0), (0.2, 0, 0)]})
    assert study.rigid_position[1, block.rigids[0].index, 0] == pytest.approx(0.19, abs=2e-4)   # slides on by less than that


def test_friction_holds_on_where_values_change():
    """A block on a slope, held by its springs of friction and pressed more and more: by a value as by a drive."""
    loads = np.array([0.0, 4.0, 8.0])
    driven = equilibria(block_on_table(slope=0.3, pressed=Drive.table([0.0, 1.0], [0.0, 8.0])), [0.0, 0.5, 1.0])
    valued = equilibria(block_on_table(slope=0.3, pressed=1.0), {("press", "vector"): [(0, 0, -load) for load in loads]})
    assert valued.steps[1:].max() < 2.0 * driven.steps.max()   # nothing has moved: not in shares
    np.testing.assert_allclose(valued.rigid_position[:, 1], driven.rigid_position[:, 1], rtol=0, atol=1e-10)
    crept = np.diff(driven.rigid_position[:, 1, 0])
    assert np.abs(crept).max() < 0.1 * G * 1.0 * np.sin(0.3) / (1e8 * 0.01)   # what its weight stretches friction by
