"""Stiff objects: slow modes are right, fast ones slowed, rests and momenta exact, the ledger closes.

The bar has square ends, so that its first modes come in pairs; all tests are on motions whose modes are known from K and M.
"""
from functools import cache

import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model, relax
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.discretise.joining.transform import moved
from robotphi.discretise.matter.stiffness import stiffness_matrix
from robotphi.geometry.shapes import box
from robotphi.kernels.step import slots
from robotphi.model.arrays import aligned
from robotphi.model.stiff import whole_matrix

EPSILON = np.finfo(float).eps
CUT = 1.5             # ω_c T


@cache
def bar(young=1e6, damping=0.0):
    return deformable(discretise(box((0.12, 0.03, 0.03)), counts=(4, 2, 2)), material(young, damping))


@cache
def tip(young=1e6, density=1000.0, damping=0.0):
    """A pad glued to a rigid box."""
    bone = rigid(box((0.02, 0.03, 0.03), centre=(-0.01, 0, 0)), density=density)
    pad = deformable(discretise(box((0.03, 0.03, 0.03), centre=(0.015, 0, 0)), counts=(2, 2, 2)), material(young, damping))
    return glue({"bone": bone, "pad": pad})


def material(young, damping):
    return Material(young, density=1000.0, **({"damping_ratio": damping, "damping_frequency": 100.0} if damping else {}))


def scene_of(thing, stiff, dt, steps, frames=1, gravity=(0, 0, 0), **placing):
    scene = Scene("stiff", duration=steps * dt, frames=frames, gravity=gravity, stepping=Stepping(control="fixed", dt=dt))
    scene.add_object("thing", thing, stiff=stiff, **placing)
    return scene


def shaken(model, speed, seed=1):
    """The model with random speeds of its free particles beside those it has."""
    velocity = np.array(model.velocity)
    free = model.arrays.particles.inverse_mass[:len(velocity)] > 0
    velocity[free] += speed * np.random.default_rng(seed).standard_normal((free.sum(), 3))
    return model._replace(velocity=aligned(velocity))


def modes(thing):
    """Frequencies [rad/s] beyond the six of a rigid, and shapes (3 n,) of them."""
    root = np.repeat(np.sqrt(thing.mass), 3)
    value, mode = np.linalg.eigh(stiffness_matrix(thing).toarray() / np.outer(root, root))
    return np.sqrt(value[6:]), (mode[:, 6:] / root[:, None]).T


def measured(positions, shape, mass, dt):
    """ω of a mode: q(t + τ) + q(t − τ) = 2 cos(ω τ) q(t)."""
    q = (positions - positions[0]).reshape(len(positions), -1) @ (np.repeat(mass, 3) * shape)
    inner = q[1:-1]
    return np.arccos(0.5 * inner @ (q[2:] + q[:-2]) / (inner @ inner)) / dt


@pytest.mark.parametrize("young", [1e4, 1e6, 1e8])
def test_the_first_three_frequencies_at_one_step(young):
    """At a step of 0.5/ω of the third frequency of the stiffest: right to 1 %, and what inertia and scheme make of them.

    The object is slowed to ω' = ω/(1 + (ω T/1.5)⁴)^(1/4), the
    scheme turns that by 2 asin(ω' τ/2) a step. Shapes of modes with a small
    amplitude A of strain are off in ω by A², here 1e-8; the fit by its rounding, ε/(ω τ)² of the slowest, 1e-10.
    """
    dt = 0.5 / modes(bar(1e8))[0][4]
    omega, shapes = modes(bar(young))
    slowest = [0, 2, 3]                          # bending comes twice, torsion and the second bending follow
    assert np.all(np.diff(omega[slowest]) > 0.05 * omega[slowest][:-1])
    for number in slowest:
        model = build_model(scene_of(bar(young), dt, dt, 200, 200))
        shape = shapes[number].reshape(-1, 3)
        velocity = shape * (1e-6 * omega[number] / np.abs(shape).max())
        recording = Simulator(model._replace(velocity=aligned(velocity))).run()
        found = measured(recording.position, shapes[number], bar(young).mass, dt)
        slowed = omega[number] / (1.0 + (omega[number] * dt / CUT) ** 4) ** 0.25
        assert found == pytest.approx(2.0 * np.arcsin(0.5 * slowed * dt) / dt, rel=2e-5)
        assert found == pytest.approx(omega[number], rel=0.01)


def test_the_explicit_bar_allows_no_such_step():
    """Its fastest mode has ω τ > 2 there, and the stiff one's step is longer than that."""
    omega = modes(bar(1e8))[0]
    dt = 0.5 / omega[4]
    assert omega[-1] * dt > 2.0
    simulator = Simulator(build_model(scene_of(bar(1e8), dt, dt, 10)))
    simulator.run()
    assert simulator.state.buffers.numbers[slots.STABLE] > dt


def momenta(model, recording):
    mass, rigids = model.arrays.particles.mass[:model.particle_count], model.arrays.rigids
    linear = np.einsum("i,tij->tj", mass, recording.velocity) + np.einsum("i,tij->tj", rigids.mass, recording.rigid_velocity)
    angular = np.einsum("i,tij->tj", mass, np.cross(recording.position, recording.velocity))
    if len(rigids.mass):
        angular = angular + recording.rigid_momentum.sum(axis=1) + np.einsum(
            "i,tij->tj", rigids.mass, np.cross(recording.rigid_position, recording.rigid_velocity))
    return linear, angular


@pytest.mark.parametrize("make", [bar, tip])
@pytest.mark.parametrize("young", [1e4, 1e8])
def test_momenta_are_exact(make, young):
    """A spinning, shaken object: each step rounds each momentum by a few ε of what it is made of, at random."""
    steps, dt = 2000, 2e-4
    model = shaken(build_model(scene_of(make(young), dt, 0.8 * dt, steps, 20, velocity=(1, 2, 3), spin=(3, 20, -11))), 1e-3)
    linear, angular = momenta(model, Simulator(model).run())
    reach = 3.0 * np.sqrt(14.0) * steps * dt     # what is carried along, m v x, grows with the way
    mass = make(young).properties[0]
    assert np.abs(linear - linear[0]).max() < 4.0 * EPSILON * steps ** 0.5 * 30 * mass * 4.0
    assert np.abs(angular - angular[0]).max() < 4.0 * EPSILON * steps ** 0.5 * 30 * mass * 4.0 * reach


@pytest.mark.slow
@pytest.mark.parametrize("make", [bar, tip])
def test_momenta_are_exact_over_100_000_steps(make):
    """The same, turning and shaken, at rest as a whole: rounding adds up at random."""
    steps, dt = 100_000, 2e-4
    model = shaken(build_model(scene_of(make(1e6), dt, 0.8 * dt, steps, 20, spin=(3, 20, -11))), 1e-3)
    linear, angular = momenta(model, Simulator(model).run())
    mass, reach = make(1e6).properties[0], 0.1
    assert np.abs(linear - linear[0]).max() < 16.0 * EPSILON * steps ** 0.5 * mass * 30 * reach
    assert np.abs(angular - angular[0]).max() < 16.0 * EPSILON * steps ** 0.5 * mass * 30 * reach ** 2


@pytest.mark.parametrize("make", [bar, tip])
def test_second_order_and_a_ledger_that_closes(make):
    """With one T, halved steps leave a quarter of the error of positions, and of the residual."""
    stiff, duration = 8e-4, 0.02
    found, left = [], []
    for steps in (50, 100, 200, 800):
        model = build_model(scene_of(make(), stiff, duration / steps, steps, velocity=(0, 1, 0), spin=(3, 20, -11)))
        recording = Simulator(shaken(model, 3e-3)).run()
        found.append(recording.position[-1])
        left.append(recording.ledger["largest_residual"][-1])
    error = [np.abs(each - found[-1]).max() for each in found[:-1]]
    # against the run of 800: 1/50² − 1/800² over 1/100² − 1/800² and so on
    for coarse, fine, steps in ((0, 1, 50), (1, 2, 100)):
        expected = ((1 / steps) ** 2 - (1 / 800) ** 2) / ((0.5 / steps) ** 2 - (1 / 800) ** 2)
        assert error[coarse] / error[fine] == pytest.approx(expected, rel=0.2)
        assert left[coarse] / left[fine] == pytest.approx(4.0, rel=0.3)
    assert recording.ledger["added_inertia"].max() > 100 * left[-1]


def test_what_is_at_rest_stays_and_what_swings_comes_to_the_same_rest():
    """A clamped pad sags under weight: its rest is that of the springs, whatever its inertia."""
    explicit = Simulator(build_model(scene_of(tip(2e4, 1000.0, 0.7), False, 1e-5, 10, gravity=(0, -10, -20),
                                              support={"bone": "xyz"})))
    relax(explicit, tolerance=1e-12)
    wanted = np.array(explicit.state.position)
    dt = 1e-3
    model = build_model(scene_of(tip(2e4, 1000.0, 0.7), dt, dt, 4000, 1, gravity=(0, -10, -20), support={"bone": "xyz"}))
    recording = Simulator(model).run()
    sag = np.abs(wanted - model.position).max()
    assert sag > 1e-5
    assert np.abs(recording.position[-1] - wanted).max() < 1e-8 * sag


def test_a_spinning_bar_stretches_as_it_does_without():
    """Steady turns are exact: inertia is added to nothing of ω × (ω × r)."""
    found = []
    for stiff, dt, steps in ((False, 1e-5, 20000), (1e-3, 1e-4, 2000)):
        scene = scene_of(bar(1e6, 2.0), stiff, dt, steps, spin=(0, 0, 30))
        found.append(lengths(Simulator(build_model(scene)).run().position[-1]))
    stretch = np.abs(found[0] - lengths(bar(1e6, 2.0).position)).max()
    assert stretch > 1e-7
    assert np.abs(found[1] - found[0]).max() < 0.01 * stretch


def lengths(position):
    """Distances of all particles from one corner: they know nothing of where it has turned to."""
    return np.linalg.norm(position - position[0], axis=1)


@pytest.mark.parametrize("make", [bar, tip])
def test_continued_from_a_frame_and_by_two_threads_it_has_the_same_bits(make):
    scene = scene_of(make(), 8e-4, 4e-4, 100, 4, spin=(3, 20, -11))
    model = shaken(build_model(scene), 3e-3)
    straight = Simulator(model, threads=1).run()
    assert np.array_equal(Simulator(model, threads=2).run().position, straight.position)
    for frame in (1, 3):
        again = Simulator.continued(model, straight, frame=frame).run()
        assert np.array_equal(again.position[-1], straight.position[-1])
        assert np.array_equal(again.velocity[-1], straight.velocity[-1])
        assert again.ledger["residual"][-1] == straight.ledger["residual"][-1]


def cubes():
    """A bar of cubic cells: linear springs alone."""
    return deformable(discretise(box((0.06, 0.03, 0.03)), counts=(4, 2, 2)), material(1e6, 0.0))


def largest_square(model, position):
    """Largest eigenvalue of the inverse inertia times the tangent stiffness, both as they are at places given."""
    stiff, mass = model.arrays.stiff, model.arrays.particles.mass[:model.particle_count]
    size, springs = 3 * len(mass), model.arrays.linear
    inverse = whole_matrix(stiff.inertia_inverse, size)
    r = position - mass @ position / mass.sum()
    u, _, w = np.linalg.svd(np.einsum("i,ij,ik->jk", mass, r, stiff.rest[:, :3]) @ stiff.inverse.reshape(3, 3))
    turn = np.kron(np.eye(len(mass)), u @ w)
    turns = np.cross(np.eye(3)[None], r[:, None]).swapaxes(1, 2)
    motions = np.concatenate([np.broadcast_to(np.eye(3), (len(mass), 3, 3)), turns], axis=2).reshape(size, 6)
    heavy = np.repeat(mass, 3)[:, None]
    ease = np.linalg.inv(motions.T @ (heavy * motions))
    project = np.eye(size) - motions @ ease @ (heavy * motions).T
    mobility = project @ turn @ inverse @ turn.T @ project.T + motions @ ease @ motions.T
    stiffness = np.zeros((size, size))
    for a, b, k, rest in zip(springs.first, springs.second, springs.stiffness, springs.rest_length, strict=True):
        if k > 0.0:
            d = position[a] - position[b]
            length = np.linalg.norm(d)
            along = np.outer(d, d) / length ** 2
            block = k * along + k * (length - rest) / length * (np.eye(3) - along)
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                stiffness[3 * i:3 * i + 3, 3 * j:3 * j + 3] += sign * block
    return np.linalg.eigvals(mobility @ stiffness).real.max()


def relaxed(model, position):
    """The model with springs that are at rest at places given, whatever its matrices were made for."""
    springs = model.arrays.linear
    first, second = (position[np.minimum(rows, len(position) - 1)] for rows in (springs.first, springs.second))
    length = np.where(springs.stiffness > 0.0, np.linalg.norm(first - second, axis=1), springs.rest_length)
    return model._replace(arrays=model.arrays._replace(linear=springs._replace(rest_length=aligned(length))))


@pytest.mark.parametrize("tense", [True, False])
@pytest.mark.parametrize("strain", [0.0, 0.003, 0.03, 0.1, 0.3])
def test_the_bound_of_the_step_is_one(strain, tense):
    """Turned and deformed at random, with springs that pull or do not: never below the true ω², at rest just that."""
    model = build_model(scene_of(cubes(), 1e-3, 1e-9, 1))
    random = np.random.default_rng(5)
    for _ in range(3):
        deformed = model.position + 0.015 * strain * random.standard_normal(model.position.shape)
        deformed += strain * (model.position @ random.standard_normal((3, 3)))
        turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
        deformed = deformed @ (turn * np.linalg.det(turn))
        given = (model if tense else relaxed(model, deformed))._replace(position=aligned(deformed))
        simulator = Simulator(given)
        simulator.run()
        bound, true = simulator.state.buffers.numbers[slots.SPRING_SQUARE], largest_square(given, deformed)
        assert true <= bound * (1.0 + 1e-6)
        if not strain:
            assert bound == pytest.approx(true, rel=1e-3)


def damped_scene(make, stiff, steps, duration=0.02, viscosity=2.0):
    """Two objects side by side with a strong damper between a corner of each, which goes apart."""
    scene = Scene("damped", duration=duration, frames=1, gravity=(0, 0, 0),
                  stepping=Stepping(control="fixed", dt=duration / steps))
    first = scene.add_object("first", make(), stiff=stiff, velocity=(0, 1, 0), spin=(3, 20, -11))
    other = scene.add_object("other", moved(make(), (0, 0.1, 0)), stiff=stiff)
    a, b = (each.particles[np.argmax(each.object.position[:, 0])] for each in (first, other))
    scene.add_linear("damper", a, b, 0.1, viscosity=viscosity)
    return scene


@pytest.mark.parametrize("make", [bar, tip])
def test_dampers_apart_feel_the_inertia_that_is_added(make):
    """A damper that is far too strong for the step goes apart: second order, momenta and ledger as ever."""
    found, left, lost = [], [], []
    for steps in (100, 200, 400, 1600):
        model = build_model(damped_scene(make, 8e-4, steps))
        simulator = Simulator(shaken(model, 3e-3))
        simulator.state.buffers.counters[slots.VISCOSITY] = slots.APART
        recording = simulator.run()
        assert simulator.state.buffers.counters[slots.VISCOSITY] == slots.APART
        linear, angular = momenta(model, recording)
        assert np.abs(linear - linear[0]).max() < 1e-13 * np.abs(linear[0]).max() * steps ** 0.5
        assert np.abs(angular - angular[0]).max() < 1e-12 * np.abs(angular[0]).max() * steps ** 0.5
        found.append(recording.position[-1])
        left.append(recording.ledger["largest_residual"][-1])
        lost.append(recording.ledger["spring_dissipation"][-1])
    error = [np.abs(each - found[-1]).max() for each in found[:-1]]
    for coarse, fine, steps in ((0, 1, 100), (1, 2, 200)):
        expected = ((1 / steps) ** 2 - (1 / 1600) ** 2) / ((0.5 / steps) ** 2 - (1 / 1600) ** 2)
        assert error[coarse] / error[fine] == pytest.approx(expected, rel=0.35)
        assert left[coarse] / left[fine] > 2.5
    assert lost[-1] > 100 * left[-1]
    assert lost[0] == pytest.approx(lost[-1], rel=0.1)


@pytest.mark.parametrize("make", [bar, tip])
def test_dampers_apart_and_in_the_force_come_to_the_same(make):
    """A weak damper may go either way: at small steps by the same path."""
    found = []
    for viscosity, way in ((0.02, slots.IN_FORCE), (0.02, slots.APART)):
        simulator = Simulator(build_model(damped_scene(make, 8e-4, 2000, viscosity=viscosity)))
        simulator.state.buffers.counters[slots.VISCOSITY] = way
        found.append(simulator.run())
        assert simulator.state.buffers.counters[slots.VISCOSITY] == way
    moved_by = np.abs(found[0].position[-1] - found[0].position[0]).max()
    assert np.abs(found[0].position[-1] - found[1].position[-1]).max() < 1e-6 * moved_by
    assert found[0].ledger["spring_dissipation"][-1] == pytest.approx(found[1].ledger["spring_dissipation"][-1], rel=1e-4)


@pytest.mark.parametrize("way", [slots.IN_FORCE, slots.APART])
@pytest.mark.parametrize("make", [bar, tip])
def test_what_nothing_slows_down_moves_as_if_it_were_not_stiff(make, way):
    """At T = 1 µs nothing is added: the same motion, losses and residuals as of the mass, hung by a corner from a damper.

    Each step rounds at some ε of what there is, 40 steps of them; residuals are small differences of energies.
    """
    found = []
    for stiff in (False, 1e-6):
        scene = Scene("hung", duration=4e-3, frames=1, gravity=(0, 0, -10), stepping=Stepping(control="fixed", dt=1e-4))
        thing = scene.add_object("thing", make(), stiff=stiff)
        corner = np.argmax(thing.object.position @ [1.0, 0.1, 0.01])
        hook = scene.add_particle("hook", thing.object.position[corner] + (0, 0, 0.1), 1.0, support="xyz")
        scene.add_linear("damper", thing.particles[corner], hook, 0.0, viscosity=50.0 if way == slots.APART else 0.1)
        simulator = Simulator(build_model(scene))
        simulator.state.buffers.counters[slots.VISCOSITY] = way
        found.append(simulator.run())
        assert simulator.state.buffers.counters[slots.VISCOSITY] == way
    plain, stiff = found
    fallen = np.abs(plain.position[-1] - plain.position[0]).max()
    assert np.abs(plain.position[-1] - stiff.position[-1]).max() < 1e-9 * fallen
    for entry in ("spring_dissipation", "kinetic", "elastic_linear"):
        assert stiff.ledger[entry][-1] == pytest.approx(plain.ledger[entry][-1], rel=1e-7)
    energy = plain.ledger["reference_energy"][-1]
    assert stiff.ledger["residual"][-1] == pytest.approx(plain.ledger["residual"][-1], abs=1e-10 * energy)
