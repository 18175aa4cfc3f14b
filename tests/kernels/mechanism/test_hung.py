"""Stiff objects on links: the link feels them, they follow it; forces, momenta and the ledger are what they are without.

A soft block is glued to a link; the link hangs on an exact joint, or two of them, or belongs to a mechanism that hangs on
nothing. Motions are small against the block, speeds of its particles at random, so that all its modes take part.
"""
from functools import cache

import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.discretise.matter.stiffness import stiffness_matrix
from robotphi.geometry.shapes import box
from robotphi.kernels.step import slots
from robotphi.model.arrays import aligned
from robotphi.scene.turns import matrix_of
from tests.kernels.step.test_stiff import momenta, shaken

EPSILON = np.finfo(float).eps
SLOW = 8e-4            # s, T of the objects
CASES = {
    "free": ("free", {}),
    "free, with viscosity": ("free", {"rate": 3.0, "viscosity": 2e-3}),
    "free, with strong viscosity": ("free", {"rate": 3.0, "viscosity": 1e-1}),
    "free, with friction": ("free", {"rate": 3.0, "friction": 1e-4}),
    "pendulum": ("pendulum", {"rate": 2.0}),
    "driven": ("pendulum", {"drive": Drive.sine(0.3, 20.0)}),
    "stops": ("pendulum", {"rate": 2.0, "limits": (-0.02, 0.02), "restitution": 0.5}),
    "arm with viscosity": ("arm", {"rate": 2.0, "viscosity": 1e-3}),
    "arm with strong viscosity": ("arm", {"rate": 2.0, "viscosity": 4e-2}),
    "arm with friction": ("arm", {"rate": 2.0, "friction": 1e-3}),
}


@cache
def tip(young=1e6, counts=(2, 1, 1), damping=0.0, length=0.03):
    """A soft block glued to a bone."""
    bone = rigid(box((0.02, 0.03, 0.03), centre=(-0.01, 0, 0)), density=1000.0)
    foam = Material(young, density=1000.0, **({"damping_ratio": damping, "damping_frequency": 100.0} if damping else {}))
    block = deformable(discretise(box((length, 0.03, 0.03), centre=(length / 2, 0, 0)), counts=counts), foam)
    return glue({"bone": bone, "block": block})


def scene_of(kind, stiff, stepping, duration, frames=1, gravity=(0, 0, -9.81), thing=None, damper=0.0, **joint):
    """The tip on joints of which numbers are given; with a damper from a corner of it to a particle beside it."""
    scene = Scene(kind, duration=duration, frames=frames, gravity=gravity, stepping=stepping)
    hung = scene.add_object("tip", tip() if thing is None else thing, stiff=stiff)
    if kind == "pendulum":
        scene.add_joint("hinge", "revolute", None, hung.rigids[0], at=(-0.05, 0, 0), axis=(0, 1, 0), **joint)
    else:
        arm = scene.add_rigid("arm", [(-0.1, 0, 0), (-0.05, 0.02, 0), (-0.06, 0, 0.03)], 0.05, centre=(-0.07, 0.005, 0.01),
                              inertia=2e-5 * np.diag([1.0, 2.0, 2.5]))
        if kind == "free":
            scene.add_joint("hinge", "revolute", hung.rigids[0], arm, at=(-0.03, 0, 0), axis=(0, 1, 0), stiffness=0.02, **joint)
        else:
            scene.add_joint("shoulder", "revolute", None, arm, at=(-0.12, 0, 0), axis=(0, 1, 0), **joint)
            scene.add_joint("elbow", "revolute", arm, hung.rigids[0], at=(-0.03, 0, 0), axis=(0, 1, 0.3), **joint)
    if damper:
        corner = hung.particles[np.argmax(hung.object.position @ (1.0, 0.1, 0.01))]
        beside = {"velocity": (0, 1, 0)} if kind == "free" else {"support": "xyz"}
        other = scene.add_particles("beside", [(0.1, 0.05, 0.0)], 0.01, **beside)[0]
        scene.add_linear("damper", corner, other, 0.1, viscosity=damper)
    return scene


def run_of(name, stiff, steps, way=slots.IN_FORCE, speed=3e-3, duration=0.02, frames=1, **more):
    kind, joint = CASES[name]
    if kind == "free":
        more["gravity"] = (0, 0, 0)
    stepping = Stepping(control="fixed", dt=duration / steps)
    model = shaken(build_model(scene_of(kind, stiff, stepping, duration, frames, **more, **joint)), speed)
    simulator = Simulator(model)
    simulator.state.buffers.counters[slots.VISCOSITY] = way
    recording = simulator.run()
    assert simulator.state.buffers.counters[slots.VISCOSITY] == way
    return model, recording


@pytest.mark.parametrize("name", CASES)
def test_what_nothing_slows_down_moves_as_if_it_were_not_stiff(name):
    """At T = 1 µs nothing is added; 20 steps round at some ε of places of 0.1 m."""
    (_, plain), (_, hung) = (run_of(name, stiff, 20, duration=2e-3) for stiff in (False, 1e-6))
    moved = np.abs(plain.position[-1] - plain.position[0]).max()
    assert moved > 1e-5
    assert np.abs(plain.position[-1] - hung.position[-1]).max() < 1e-9 * moved
    assert hung.ledger["residual"][-1] == pytest.approx(plain.ledger["residual"][-1], rel=1e-6, abs=1e-16)


@pytest.mark.parametrize("name", CASES)
def test_second_order_and_a_ledger_that_closes(name):
    """With one T, halved steps leave a quarter of the error of positions, and of the residual; events come in between steps.

    All three go by flow where viscosity is strong, c τ/inertia above a tenth with the shortest, and none where it is weak.
    """
    found, left = [], []
    for steps in (100, 200, 800):
        _, recording = run_of(name, SLOW, steps)
        found.append(recording.position[-1])
        left.append(recording.ledger["largest_residual"][-1])
    error = [np.abs(each - found[-1]).max() for each in found[:-1]]
    assert error[0] / error[1] == pytest.approx((1 - 1 / 64) / (1 / 4 - 1 / 64), rel=0.2)   # by 800 steps in place of none
    assert left[1] / left[2] == pytest.approx(16.0, rel=0.35)
    assert recording.ledger["added_inertia"].max() > 10 * left[-1]


@pytest.mark.parametrize("name", ["free", "pendulum", "arm with viscosity", "arm with strong viscosity"])
def test_second_order_with_dampers_apart(name):
    """A damper that is far too strong for the step goes apart, by the inertia that is added and that of the mechanism."""
    found, left, lost = [], [], []
    for steps in (100, 200, 800):
        _, recording = run_of(name, SLOW, steps, way=slots.APART, damper=2.0)
        found.append(recording.position[-1])
        left.append(recording.ledger["largest_residual"][-1])
        lost.append(recording.ledger["spring_dissipation"][-1])
    error = [np.abs(each - found[-1]).max() for each in found[:-1]]
    assert error[0] / error[1] == pytest.approx((1 - 1 / 64) / (1 / 4 - 1 / 64), rel=0.2)
    assert left[1] / left[2] == pytest.approx(16.0, rel=0.35)
    assert lost[-1] > 10 * left[-1]
    assert lost[0] == pytest.approx(lost[-1], rel=0.05)


@pytest.mark.parametrize("name", ["pendulum", "free", "arm with viscosity"])
def test_dampers_apart_and_in_the_force_come_to_the_same(name):
    """A weak damper may go either way: at small steps by the same path."""
    runs = [run_of(name, SLOW, 800, way=way, damper=0.02)[1] for way in (slots.IN_FORCE, slots.APART)]
    moved = np.abs(runs[0].position[-1] - runs[0].position[0]).max()
    assert np.abs(runs[0].position[-1] - runs[1].position[-1]).max() < 1e-3 * moved
    assert runs[0].ledger["spring_dissipation"][-1] == pytest.approx(runs[1].ledger["spring_dissipation"][-1], rel=2e-3)


def drift_of_momenta(name, steps, way, damper=0.0):
    """How far both momenta have come, over what a step may round them by; each step rounds by some ε, at random."""
    model, recording = run_of(name, SLOW, steps, way, speed=1e-2, duration=4e-4 * steps, frames=20, damper=damper)
    linear, angular = momenta(model, recording)
    mass = model.arrays.particles.mass.sum() + model.arrays.rigids.mass.sum()
    speed = np.abs(recording.velocity).max()
    reach = np.abs(recording.position).max()
    rounding = EPSILON * steps ** 0.5 * mass * speed
    return np.abs(linear - linear[0]).max() / rounding, np.abs(angular - angular[0]).max() / (rounding * reach)


@pytest.mark.parametrize(("name", "way", "damper"), [
    ("free", slots.IN_FORCE, 0.0), ("free, with viscosity", slots.IN_FORCE, 0.0), ("free, with friction", slots.IN_FORCE, 0.0),
    ("free", slots.APART, 2.0)])
def test_momenta_of_a_free_mechanism_are_exact(name, way, damper):
    assert max(drift_of_momenta(name, 1000, way, damper)) < 20.0


@pytest.mark.slow
@pytest.mark.parametrize(("way", "damper"), [(slots.IN_FORCE, 0.0), (slots.APART, 2.0)])
def test_momenta_of_a_free_mechanism_are_exact_over_100_000_steps(way, damper):
    assert max(drift_of_momenta("free", 100_000, way, damper)) < 20.0


def test_it_comes_to_the_rest_of_the_plain_object():
    """On a spring of its joint, under weight: what its inertia is does nothing to rests."""
    joint = {"stiffness": 0.5, "viscosity": 0.02}
    found = []
    for stiff, dt in ((False, 2e-4), (2e-3, 1e-3)):
        scene = scene_of("pendulum", stiff, Stepping(control="fixed", dt=dt), 4.0, thing=tip(2e4, (2, 1, 1), 0.7), **joint)
        found.append(Simulator(build_model(scene)).run().position[[0, -1]])
    sag = np.abs(found[0][1] - found[0][0]).max()
    assert sag > 1e-3
    assert np.abs(found[1][1] - found[0][1]).max() < 1e-8 * sag


def modes(thing, joint_at, spring, model):
    """Frequencies and shapes of the angle of a hinge about y and of all free particles, gravity off."""
    count, own = len(thing.position), thing.rigids[0]
    free = np.setdiff1d(np.arange(count), own.particles)
    ways = np.zeros((3 * count, 1 + 3 * len(free)))
    arm = np.cross((0.0, 1.0, 0.0), thing.position - joint_at)
    ways[:, 0].reshape(count, 3)[own.particles] = arm[own.particles]
    for n, i in enumerate(free):
        ways[3 * i:3 * i + 3, 1 + 3 * n:4 + 3 * n] = np.eye(3)
    off, axes = model.rigid_position[0] - joint_at, matrix_of(model.rigid_orientation[0])
    rigids = model.arrays.rigids
    about = (axes[1] ** 2 @ rigids.inertia[0]) + rigids.mass[0] * (off[0] ** 2 + off[2] ** 2)
    root = np.sqrt(np.concatenate([[about], np.repeat(thing.mass[free], 3)]))
    stiffness = ways.T @ stiffness_matrix(thing).toarray() @ ways
    stiffness[0, 0] += spring
    value, mode = np.linalg.eigh(stiffness / np.outer(root, root))
    return np.sqrt(value), (mode / root[:, None]).T, free, about


def test_the_first_frequencies_are_right():
    """Those of the link on its hinge and of a long block on it, for each other's inertia, to 1 % up to ω T = 0.67.

    At a sixth of T as step the scheme is off by (ω τ)²/24, 1e-4.
    """
    thing, at, spring = tip(1e6, (4, 2, 2), 0.0, 0.12), np.array([-0.05, 0.0, 0.0]), 2.0
    still = Stepping(control="fixed", dt=1e-3)
    omega, shapes, free, about = modes(thing, at, spring, build_model(scene_of("pendulum", False, still, 1.0, 1, thing=thing)))
    allowed = 0.67 / omega[2]
    assert omega[-1] * allowed > 4.0
    for number in range(3):
        dt, shape = allowed / 6.0, shapes[number]
        speed = 1e-6 * omega[number] / np.abs(shape[1:]).max()
        scene = scene_of("pendulum", allowed, Stepping(control="fixed", dt=dt), 300 * dt, 300, (0, 0, 0), thing,
                         stiffness=spring, rate=speed * shape[0])
        model = build_model(scene)
        velocity = np.array(model.velocity)
        rows = scene.objects["tip"].particles[free]
        velocity[rows] = (speed * shape[1:]).reshape(-1, 3)
        recording = Simulator(model._replace(velocity=aligned(velocity))).run()
        heavy = np.repeat(thing.mass[free], 3) * shape[1:]
        q = (recording.position - recording.position[0])[:, rows].reshape(len(recording.position), -1) @ heavy
        q += about * shape[0] * recording.joint("hinge").coordinate
        inner = q[1:-1]
        found = np.arccos(0.5 * inner @ (q[2:] + q[:-2]) / (inner @ inner)) / dt
        assert found == pytest.approx(omega[number], rel=0.011)


@pytest.mark.parametrize("budget", [1e-4, 1e-8])
@pytest.mark.parametrize("name", ["pendulum", "driven", "arm with friction"])
def test_the_budget_is_kept(name, budget):
    """Also where a block of 20 kPa is strained by some per cent."""
    kind, joint = CASES[name]
    duration = 0.2 if budget > 1e-6 else 0.02
    scene = scene_of(kind, 4e-3, Stepping(budget=budget), duration, thing=tip(2e4), **joint)
    recording = Simulator(build_model(scene)).run()
    ledger = recording.ledger
    assert recording.time[-1] == pytest.approx(duration, rel=1e-12)
    assert ledger["largest_residual"][-1] <= budget * ledger["reference_energy"][-1]
    assert ledger["added_inertia"].max() > budget * ledger["reference_energy"][-1]


def test_steps_are_as_long_as_asked():
    """The same motion in a tenth of the steps of the plain object."""
    attempts = []
    for stiff in (False, 4e-3):
        simulator = Simulator(build_model(scene_of("pendulum", stiff, Stepping(budget=1e-3), 0.5, thing=tip(1e6, (2, 2, 2)))))
        simulator.run()
        attempts.append(simulator.state.buffers.counters[slots.ATTEMPTS])
    assert attempts[1] < 0.1 * attempts[0]


@pytest.mark.parametrize(("name", "way"), [("free", slots.IN_FORCE), ("arm with friction", slots.IN_FORCE),
                                           ("arm with viscosity", slots.APART)])
def test_continued_from_any_frame_and_by_two_threads_it_has_the_same_bits(name, way):
    kind, joint = CASES[name]
    more = {"damper": 0.5} if way == slots.APART else {}
    scene = scene_of(kind, SLOW, Stepping(budget=1e-4), 0.02, 5, **more, **joint)
    model = shaken(build_model(scene), 3e-3)
    straight = Simulator(model, threads=1).run()
    assert np.array_equal(Simulator(model, threads=2).run().position, straight.position)
    for frame in range(5):
        again = Simulator.continued(model, straight, frame=frame).run()
        assert np.array_equal(again.position[-1], straight.position[-1])
        assert np.array_equal(again.velocity[-1], straight.velocity[-1])
        assert again.ledger["residual"][-1] == straight.ledger["residual"][-1]


def test_reactions_carry_what_hangs_there():
    """At rest a hinge carries the weight of link and block together."""
    scene = scene_of("pendulum", 2e-3, Stepping(control="fixed", dt=1e-3), 2.0, thing=tip(1e5, (2, 1, 1), 0.7), stiffness=0.5,
                     viscosity=0.02)
    recording = Simulator(build_model(scene)).run()
    weight = 9.81 * tip(1e5, (2, 1, 1), 0.7).properties[0]
    reading = recording.joint("hinge")
    assert np.linalg.norm(reading.reaction_force[-1]) == pytest.approx(weight, rel=1e-6)


def test_a_tip_that_touches_keeps_to_its_rest_in_fewer_steps():
    """A soft tip pressed onto a ball by the spring of its hinge: the force of the plain one."""
    skin = ContactMaterial(stiffness=1e7, restitution=0.2, speed=0.5, friction=0.6)
    force, attempts = [], []
    for stiff in (False, 2e-3):
        scene = Scene("touch", duration=0.6, frames=6, stepping=Stepping(budget=1e-4))
        hung = scene.add_object("tip", tip(2e5, (2, 2, 2), 0.3), stiff=stiff, contact=skin)
        scene.add_joint("hinge", "revolute", None, hung.rigids[0], at=(-0.05, 0, 0), axis=(0, 1, 0), stiffness=0.5,
                        viscosity=0.02)
        scene.add_ball("ball", (0.02, 0.0, -0.0355), 0.02, mass=0.1, contact=skin, support="xyz")
        scene.add_sensor("force", "contact_force", ("ball", "tip"))
        simulator = Simulator(build_model(scene))
        recording = simulator.run()
        force.append(recording.sensors["force"][-1])
        attempts.append(simulator.state.buffers.counters[slots.ATTEMPTS])
    assert np.linalg.norm(force[0]) > 0.1
    assert np.linalg.norm(force[1]) == pytest.approx(np.linalg.norm(force[0]), rel=1e-3)
    assert attempts[1] < 0.7 * attempts[0]
