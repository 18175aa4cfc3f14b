"""Dampers of contact apart from the rest of the step: exact momenta, second order at c τ ≫ 1, losses, bounds, bits."""
import os
import subprocess
import sys

import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, rigid, turned
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, VELOCITY
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.turns import matrix_of as rotation_matrix
from tests import ROOT
from tests.kernels.step.exact import Fastest, begun
from tests.run.test_determinism import assert_same_bits

EPSILON = np.finfo(float).eps


def run(scene, end, way=slots.APART):
    """A simulation of fixed steps whose dampers go one way, at its end; and the largest damping rate of rows on the way."""
    simulator = Simulator(build_model(scene), threads=1)
    simulator.begin()
    simulator.state.buffers.counters[slots.VISCOSITY] = way
    simulator.advance_to(end)
    assert simulator.state.buffers.counters[slots.VISCOSITY] == way
    return simulator, float(simulator.state.buffers.touch.row_bound.max())


def block_on_plane(dt, end):
    """A block set down with a restitution of 0.02 where static friction holds it against gravity that leans; it turns a bit."""
    law = ContactMaterial(stiffness=1e6, restitution=0.02, speed=0.02, friction=0.5)
    scene = Scene("block", duration=end, frames=1, gravity=(2.0, 0.5, -9.81), stepping=Stepping(control="fixed", dt=dt))
    scene.add_plane("ground", contact=law)
    scene.add_object("box", rigid(shapes.box((0.2, 0.3, 0.1)).transformed(shift=(0, 0, 0.0499)), density=1000.0), contact=law,
                     velocity=(0, 0, -0.02), spin=(0.02, 0.01, 0.1))
    return scene


def ball_on_pad(dt, end, ground=True, lid=False):
    """A ball with a restitution of 0.3 that spins, on a soft pad; on the ground, or in flight with a rigid lid on the pad."""
    law = ContactMaterial(stiffness=4e5, restitution=0.3, speed=0.1, friction=0.6)
    scene = Scene("pad", duration=end, frames=1, gravity=(0, 0, -9.81 if ground else 0.0),
                  stepping=Stepping(control="fixed", dt=dt))
    pad = shapes.box((0.2, 0.2, 0.1)).transformed(shift=(0, 0, 0.05))
    scene.add_object("pad", deformable(discretise(pad, size=0.1 if lid else 0.05),
                                       Material(density=1000.0, young=1e4, damping_ratio=0.1)), contact=law)
    if ground:
        scene.add_plane("ground", contact=law)
    scene.add_ball("ball", (0.02, 0.01, 0.1495), 0.05, mass=0.5, contact=law, velocity=(0.05, 0, -0.1), spin=(0, 1.0, 2.0))
    if lid:
        scene.add_object("lid", rigid(shapes.box((0.1, 0.1, 0.05)).transformed(shift=(0.01, 0, -0.0245)), density=1000.0),
                         contact=law, velocity=(0.02, 0.03, 0.2))
    return scene


@pytest.mark.parametrize(("build", "end", "dt", "least"), [(block_on_plane, 0.2, 8e-4, 5.0), (ball_on_pad, 0.05, 4e-4, 1.2)],
                         ids=["block", "ball on soft pad"])
def test_second_order_where_steps_are_far_beyond_the_dampers(build, end, dt, least):
    """c τ of more than 5, 1 being what the force could stand: the motion and every loss go with τ² to what small steps in the
    force give, the residual to nothing. A factor of 4 a halving, of 3 at least since the longest is not yet small."""
    exact, _ = run(build(dt / 64, end), end, slots.IN_FORCE)
    wanted = exact.state.ledger()
    errors = []
    for share in (1, 2, 4):
        simulator, rate = run(build(dt / share, end), end)
        ledger = simulator.state.ledger()
        assert rate * dt > least
        errors.append([np.abs(simulator.state.position - exact.state.position).max(), abs(ledger["residual"]),
                       abs(ledger["contact_dissipation"] - wanted["contact_dissipation"]),
                       abs(ledger["friction"] - wanted["friction"])])
    errors = np.array(errors)
    assert (errors[0] > 3.0 * errors[1]).all()
    assert (errors[1] > 3.0 * errors[2]).all()
    assert errors[0, 2] < 0.005 * wanted["contact_dissipation"]
    assert errors[0, 3] < 0.005 * wanted["friction"]


def momenta(simulator):
    """Linear and angular momentum about the origin, and Σ |…| of both."""
    model, state = simulator.model, simulator.state
    mass = model.arrays.particles.mass[:model.particle_count, None]
    rows = [mass * state.velocity, np.cross(state.position, mass * state.velocity)]
    linear = model.arrays.rigids.mass[:, None] * state.rigid(VELOCITY)
    rows[0] = np.concatenate([rows[0], linear])
    rows[1] = np.concatenate([rows[1], np.cross(state.rigid(CENTRE), linear), state.rigid(MOMENTUM)])
    return [each.sum(axis=0) for each in rows], [np.linalg.norm(each, axis=1).sum() for each in rows]


def test_momenta_are_exact():
    """A ball and a lid that press a soft pad between them in free flight: rows of all kinds, both momenta to rounding."""
    dt, end = 2e-4, 0.02
    scene = ball_on_pad(dt, end, ground=False, lid=True)
    first, size = momenta(run(scene, dt)[0])
    simulator, _ = run(scene, end)
    last, _ = momenta(simulator)
    for before, after, scale in zip(first, last, size, strict=True):
        assert np.abs(after - before).max() <= 100 * 50 * EPSILON * scale   # 100 steps, some fifty sums each
    ledger = simulator.state.ledger()
    assert ledger["contact_dissipation"] > 0.0
    assert ledger["friction"] > 0.0


def test_the_bound_of_the_rows_is_a_bound():
    """Beside the largest eigenvalue of the damping of contact by differences of its forces, at rest; within 3 times of it,
    since the three directions at a point are added up."""
    simulator = begun(ball_on_pad(1e-4, 0.02), 0.02)
    numbers, counters = simulator.state.buffers.numbers, simulator.state.buffers.counters
    counters[slots.VISCOSITY] = slots.APART
    exact = Fastest(simulator)
    exact.forces()
    bound = numbers[slots.ROW_DAMPING]
    found = np.linalg.eigvalsh(exact.matrix(True))[-1]
    assert (1.0 - 1e-5) * found <= bound <= 3.0 * found


def test_few_rows_are_bounded_by_what_they_are_to_each_other():
    """Six rows of a block on a plane: the eigenvalue of their own matrix, which stages are to stand, is taken within the 3 %
    that traces leave."""
    simulator = begun(block_on_plane(1e-4, 0.02), 0.02)
    b, rigids = simulator.state.buffers, simulator.model.arrays.rigids
    b.counters[slots.VISCOSITY], b.counters[slots.BLOCKS] = slots.APART, slots.BLOCKS_RENEWED
    Fastest(simulator).forces()
    half = b.touch.row_counts[columns.ROW_HALF]
    rows = b.touch.row[half * (len(b.touch.row) // 2):][:b.touch.row_counts[columns.ROW_COUNT + half]]
    turn, damping = rotation_matrix(b.rigid[0, ORIENTATION:ORIENTATION + 4]), np.zeros((6, 6))
    for row in rows:   # each has one end, the block
        way = b.touch.row_way[int(row[columns.DAMPER_BEGIN]), :6]
        damping += row[columns.DAMPER] * np.outer(way, way)
    mobility = np.zeros((6, 6))
    mobility[:3, :3], mobility[3:, 3:] = np.diag(rigids.inverse_mass[0]), turn @ np.diag(rigids.inverse_inertia[0]) @ turn.T
    found = np.linalg.eigvals(mobility @ damping).real.max()
    assert len(rows) == 6
    assert (1.0 - 1e-9) * found <= b.numbers[slots.ROW_DAMPING] <= 1.031 * found


def wheel_on_field(slope, dt=1e-4):
    """A wheel that stands askew in a valley of a height field, on two walls, or on a slope; friction holds it."""
    law, place = ContactMaterial(stiffness=1e6, restitution=0.3, speed=0.05, friction=0.6), np.linspace(-1.0, 1.0, 41)
    scene = Scene("wheel", duration=0.02, frames=1, stepping=Stepping(control="fixed", dt=dt))
    heights = np.abs(place) if slope is None else slope * place
    scene.add_height_field("land", np.tile(heights[:, None], (1, 41)), (0.05, 0.05), (-1.0, -1.0, 0.0), contact=law)
    axis = np.array([0.0, 1.0, 0.01]) / np.hypot(1.0, 0.01)
    middle = np.array([0.0, 0.01, 0.12 * np.hypot(1.0, 1.0 if slope is None else slope) - 1e-3])
    scene.add_wheel("wheel", middle - 0.1 * axis, middle + 0.1 * axis, [0.11, 0.118, 0.12, 0.118, 0.11], mass=10.0, contact=law)
    return scene


def block_on_slope(dt=1e-4):
    """A block without friction that is pressed on a height field of one steep slope."""
    law, angle = ContactMaterial(stiffness=1e6, restitution=0.3, speed=0.05), 0.6
    scene = Scene("block", duration=0.02, frames=1, gravity=(9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)),
                  stepping=Stepping(control="fixed", dt=dt))
    rise = np.tan(angle) * np.linspace(-1.0, 1.0, 41)
    scene.add_height_field("land", np.tile(rise[:, None], (1, 41)), 0.05, (-1.0, -1.0, 0.0), contact=law)
    middle = 0.0495 * np.array([-np.sin(angle), 0.0, np.cos(angle)])
    block = turned(rigid(shapes.box((0.2, 0.3, 0.1), middle), density=1000.0), (0, 1, 0), -angle, middle)
    scene.add_object("box", block, contact=law)
    return scene


def wheel_on_edge(dt=1e-4):
    """A wheel without friction that an edge of a box holds up, 34° from below its axle, beside a plane."""
    law, angle = ContactMaterial(stiffness=1e7, restitution=0.3, speed=0.05), np.arccos(1.0 - 0.02 / 0.12)
    scene = Scene("edge", duration=0.02, frames=1, gravity=(2.0 * np.tan(angle), 0.0, -2.0),
                  stepping=Stepping(control="fixed", dt=dt))
    scene.add_object("step", rigid(shapes.box((0.4, 0.4, 0.02), (0.2, 0.0, 0.01)), density=1000.0), contact=law, support="xyz")
    middle = np.array([0.0, 0.01, 0.02]) + 0.1195 * np.array([-np.sin(angle), 0.0, np.cos(angle)])
    half = np.array([0.0, 0.1, 0.0])
    scene.add_cylinder("wheel", middle - half, middle + half, 0.12, mass=10.0, contact=law)
    return scene


@pytest.mark.parametrize(("build", "count", "known"), [
    (lambda: wheel_on_field(None), 6 + 2 * 2, 6), (lambda: wheel_on_field(0.2), 3 + 3, 6), (block_on_slope, 6, 1),
    (wheel_on_edge, 3, 6)], ids=["wheel in a valley", "wheel on a slope", "block on a slope", "wheel on an edge"])
def test_the_rows_of_what_lies_on_ground_are_the_damping_of_its_forces(build, count, known):
    """Six numbers of velocity and spin: the matrix of its rows beside differences of its forces, and their bound above it. Of
    one side friction is that of a patch with its twist, of two that of a place each. Of a block on a slope only that along its
    normal: the extent of its pressure is seen from above."""
    simulator = begun(build(), 0.02)
    b, rigids = simulator.state.buffers, simulator.model.arrays.rigids
    b.counters[slots.VISCOSITY] = slots.APART
    exact = Fastest(simulator)
    wanted = np.linalg.eigvalsh(exact.matrix(True))[-6:]
    b = exact._set(*exact.base)
    exact.forces()
    half = b.touch.row_counts[columns.ROW_HALF]
    rows = b.touch.row[half * (len(b.touch.row) // 2):][:b.touch.row_counts[columns.ROW_COUNT + half]]
    damping = np.zeros((6, 6))
    moves = len(rigids.mass) - 1
    for row in rows:   # of their ends one is what lies there
        for end in range(int(row[columns.DAMPER_BEGIN]), int(row[columns.DAMPER_END])):
            if b.touch.row_body[end] == -1 - moves:
                way = b.touch.row_way[end, :6]
                damping += row[columns.DAMPER] * np.outer(way, way)
    turn, mobility = rotation_matrix(b.rigid[moves, ORIENTATION:ORIENTATION + 4]), np.zeros((6, 6))
    mobility[:3, :3] = np.diag(rigids.inverse_mass[moves])
    mobility[3:, 3:] = turn @ np.diag(rigids.inverse_inertia[moves]) @ turn.T
    found = np.sort(np.linalg.eigvals(mobility @ damping).real)
    assert 2 <= len(rows) <= count
    np.testing.assert_allclose(found[-known:], wanted[-known:], rtol=0, atol=0.01 * wanted[-1])
    assert b.numbers[slots.ROW_DAMPING] >= (1.0 - 1e-5) * (wanted[-1] if known == 6 else found[-1])


PROGRAM = """
import sys
from robotphi.kernels.contact import shared
from tests.kernels.contact.test_dampers import block_on_plane, run

share, true = float(sys.argv[1]), shared.bound_rows


def bound_rows(now, carrier, sized):
    true(now, carrier, sized)
    now.touch.row_bound[:] *= share


shared.bound_rows = bound_rows
ledger = run(block_on_plane(4e-3, 0.2), 0.2)[0].state.ledger()
print(ledger["residual"], ledger["contact_dissipation"] + ledger["friction"], ledger["kinetic"], ledger["reference_energy"])
"""


def residual_with(share):
    """Residual, what contact took, kinetic and reference energy of a run with a share of the bound, as plain Python."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(share)], cwd=ROOT, capture_output=True, text=True, check=True,
                          env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    return [float(word) for word in done.stdout.split()]


def test_an_undersized_bound_shows():
    """With stages for a hundredth of the damping rate, c τ of some tens, each run of the dampers multiplies what is off by
    some 1 − z + z²/2, z = c τ/2: what they make of nothing is nobody's loss, the residual has it."""
    residual, _, _, reference = residual_with(1.0)
    assert abs(residual) < 0.1 * reference
    residual, lost, kinetic, _ = residual_with(0.01)
    assert residual > 0.5 * kinetic > 100.0 * reference
    assert lost < 1e-6 * residual


def test_threads_and_frames_do_not_change_a_bit():
    """Dampers of contact apart under the ledger: one thread, two, and on from every frame."""
    law = ContactMaterial(stiffness=4e5, restitution=0.05, speed=0.02, friction=0.6)
    scene = Scene("bits", duration=0.06, frames=4, stepping=Stepping(budget=1e-3))
    pad = shapes.box((0.2, 0.2, 0.1)).transformed(shift=(0, 0, 0.0499))
    scene.add_object("pad", deformable(discretise(pad, size=0.1), Material(density=300.0, young=1e4, damping_ratio=0.1)),
                     contact=law)
    scene.add_plane("ground", contact=law)
    scene.add_ball("ball", (0.02, 0.01, 0.1495), 0.05, mass=0.5, contact=law, velocity=(0.05, 0, -0.1))
    model = build_model(scene)
    simulator = Simulator(model, threads=1)
    straight = simulator.run()
    assert simulator.state.buffers.counters[slots.VISCOSITY] == slots.APART
    assert simulator.state.buffers.touch.row_bound.max() > 0.0
    assert_same_bits(straight, Simulator(model, threads=2).run())
    for frame in range(1, scene.frames):
        again = Simulator.continued(model, straight, frame).run()
        for name, values in {"position": straight.position, "velocity": straight.velocity, **straight.checkpoint}.items():
            found = getattr(again, name) if name in ("position", "velocity") else again.checkpoint[name]
            np.testing.assert_array_equal(values[-1], found[-1], err_msg=name)
