"""Dampers apart from the rest of the step: exact motions, momenta, losses, drives, and what a wrong bound comes to."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Simulator, Stepping, build_model
from robotphi.kernels.step import slots
from robotphi.kernels.step.damp import share_of, stages_for
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, VELOCITY
from robotphi.scenario.file import load_scenario
from robotphi.verification import reference
from robotphi.verification.mixed import mixed_scene
from robotphi.verification.springs_and_time import two_masses_scene
from tests.run.test_determinism import assert_same_bits

EPSILON = np.finfo(float).eps
BODY = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0.1, 0, 0.4)])  # a rigid with three different moments
WAYS = {"in the force": (slots.IN_FORCE, slots.IN_FORCE), "apart": (slots.APART, slots.APART),
        "apart from the middle on": (slots.IN_FORCE, slots.APART), "back from the middle on": (slots.APART, slots.IN_FORCE)}


def begun(scene, way=slots.APART, **more):
    """A simulation whose dampers go one way; fixed steps leave it at that."""
    simulator = Simulator(build_model(scene), **more)
    simulator.begin()
    simulator.state.buffers.counters[slots.VISCOSITY] = way
    return simulator


def way_of(simulator):
    return simulator.state.buffers.counters[slots.VISCOSITY]


def kept(stages, rate):
    """What is left of a velocity after a run of so many stages, (c h) = rate: the polynomial of `damp`, by its recursion."""
    reach = 4.0 / (stages * stages + stages - 2)
    before, last = 1.0, 1.0 - share_of(1) * reach * rate
    for j in range(2, stages + 1):
        mu, nu = (2 * j - 1) / j * share_of(j) / share_of(j - 1), -(j - 1) / j * share_of(j) / share_of(j - 2)
        pushed, first = mu * reach, -(1 - share_of(j - 1)) * mu * reach
        before, last = last, mu * last + nu * before + (1 - mu - nu) - pushed * rate * last - first * rate
    return last


def test_stages_keep_a_positive_share_of_every_velocity():
    """For all rates that a number of stages is chosen for, and a tenth more, 0 < R ≤ 1; R = exp(−c h) to second order where c h
    is small."""
    for rate in np.geomspace(1e-3, 4000.0, 400):
        stages = stages_for(rate)
        shares = np.array([kept(stages, slower) for slower in rate * np.linspace(0.02, 1.1, 200)])
        assert shares.min() > 0.0
        assert shares.max() <= 1.0
        assert stages <= 3 + np.sqrt(2.2 * rate)
    for stages in (2, 3, 4, 9):
        small = np.array([0.02, 0.01])
        errors = [abs(kept(stages, rate) - np.exp(-rate)) for rate in small]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.1)


# Two particles --------------------------------------------------------------------------------------------------------

def stretch_and_loss(stiffness, viscosity, end, dt, ways):
    """Stretch and spring loss at the end, as many steps by either way; and the exact ones."""
    simulator = begun(two_masses_scene(stiffness, viscosity, end, 1, dt), ways[0])
    simulator.advance_to(end / 2)
    assert way_of(simulator) == ways[0]
    simulator.state.buffers.counters[slots.VISCOSITY] = ways[1]
    simulator.advance_to(end)
    assert way_of(simulator) == ways[1]
    x, v = simulator.state.position, simulator.state.velocity
    assert np.abs(v.sum(axis=0)).max() < 100 * EPSILON
    stretch, rate = reference.two_masses(end, 0.1, stiffness, viscosity)
    loss = 0.5 * stiffness * (0.1**2 - stretch**2) - 0.25 * rate**2  # the reduced mass is 1/2
    return (x[1, 0] - x[0, 0] - 1 - stretch, simulator.state.ledger()["spring_dissipation"] - loss,
            simulator.state.ledger()["residual"])


@pytest.mark.parametrize(("stiffness", "viscosity", "end"), [(100.0, 5.0, 0.5), (8.94, 0.6, 2.0)], ids=["stiff", "soft"])
@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_two_particles_to_second_order(stiffness, viscosity, end, ways):
    """Oracle: the closed form of the damped oscillator. Motion, loss and residual have slope 2 over dt."""
    steps = np.array([2.0**-8, 2.0**-9, 2.0**-10])
    found = np.abs([stretch_and_loss(stiffness, viscosity, end, dt, ways) for dt in steps])
    slopes = np.diff(np.log(found), axis=0) / np.diff(np.log(steps))[:, None]
    np.testing.assert_allclose(slopes, 2.0, atol=0.1)


def test_a_pair_that_only_creeps():
    """c τ = 400: x' = −(k/μ) x. The velocity is that of the start of the step and lags by some of what was left of the last:
    a rate (k/μ)(1 + (½ + R²/(1 − R²)) κ τ) with κ = k/μ and R < 0.7, so an error of at most 1.5 κτ · κt of the stretch, and
    the same share of the loss as residual."""
    stiffness, viscosity, dt, end = 100.0, 1e4, 0.02, 4.0
    slow = stiffness / viscosity
    scene = two_masses_scene(stiffness, viscosity, end, 1, dt)
    simulator = begun(scene)
    simulator.state.velocity[:, 0] = 0.5 * slow * 0.1, -0.5 * slow * 0.1
    simulator.advance_to(end)
    left = (simulator.state.position[1, 0] - simulator.state.position[0, 0] - 1) / 0.1
    assert left == pytest.approx(np.exp(-slow * end), abs=1.5 * slow * dt * slow * end)
    ledger = simulator.state.ledger()
    assert ledger["spring_dissipation"] == pytest.approx(0.5 * stiffness * 0.01 * (1 - left**2), rel=1.5 * slow * dt)
    assert abs(ledger["residual"]) <= 1.5 * slow * dt * ledger["spring_dissipation"]


def test_dampers_go_apart_where_they_alone_keep_steps_short():
    """The same pair under the ledger: in the force c τ ≤ 1 would take 20 000 steps a second; and without viscosity never."""
    scene = Scene("creeping", duration=4.0, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=1e-3))
    pair = scene.add_particles("pair", [(0, 0, 0), (1.1, 0, 0)], 1.0)
    scene.add_linear("spring", pair[0], pair[1], 100.0, 1e4, rest_length=1.0)
    simulator = Simulator(build_model(scene))
    recording = simulator.run()
    assert way_of(simulator) == slots.APART
    assert simulator.counts()["attempts"] < 4000
    stretch = recording.position[-1, 1, 0] - recording.position[-1, 0, 0] - 1
    assert stretch == pytest.approx(0.1 * np.exp(-0.04), rel=2e-3)


# Momenta, drives, supports ----------------------------------------------------------------------------------------------

def momenta(simulator):
    """Linear and angular momentum about the origin, and Σ |…| of both."""
    model, state = simulator.model, simulator.state
    mass = model.arrays.particles.mass[:model.particle_count, None]
    rows = [mass * state.velocity, np.cross(state.position, mass * state.velocity)]
    rigid = model.arrays.rigids.mass[:, None]
    linear = rigid * state.rigid(VELOCITY)
    rows[0] = np.concatenate([rows[0], linear])
    rows[1] = np.concatenate([rows[1], np.cross(state.rigid(CENTRE), linear), state.rigid(MOMENTUM)])
    return [each.sum(axis=0) for each in rows], [np.linalg.norm(each, axis=1).sum() for each in rows]


@pytest.mark.parametrize("damping", [0.02, 1.0])
def test_momenta_are_exact(damping):
    """Springs of all kinds between particles and rigids, up to c τ of some hundreds: both momenta to rounding."""
    simulator = begun(mixed_scene(Stepping(control="fixed", dt=2e-3), 1.0, 4, damping=damping))
    first, size = momenta(simulator)
    simulator.advance_to(1.0)
    last, _ = momenta(simulator)
    for before, after, scale in zip(first, last, size, strict=True):
        assert np.abs(after - before).max() <= 500 * 20 * EPSILON * scale  # 500 steps, some twenty sums each
    ledger = simulator.state.ledger()
    assert ledger["spring_dissipation"] > 0.1 * ledger["reference_energy"]
    assert abs(ledger["residual"]) < 2e-3 * ledger["reference_energy"]


@pytest.mark.parametrize(("viscosity", "dt", "most"), [(5.0, 1e-3, 1e-5), (1e4, 0.1, 1e-9)], ids=["resolved", "stiff"])
def test_the_work_of_a_drive_against_a_damper(viscosity, dt, most):
    """An end led at speed V from rest, a mass m behind it on a damper alone: the slip is V exp(−c t) with c = μ/m, the work
    m V² (1 − exp(−c t)), the loss half of m V² (1 − exp(−2 c t)). Resolved, the error is that of R: (c τ/2)³/6 a half step, of
    c t = 10 in all; stiff, all is over in a few steps, whatever R was."""
    mass, speed, end = 2.0, 0.3, 4.0
    scene = Scene("led", duration=end, frames=1, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=dt))
    way = Drive.table([0.0, 2 * end], [1.0, 1.0 + speed * 2 * end])
    led = scene.add_particle("led", (1, 0, 0), 1.0, support="yz", drive={"x": way})
    follows = scene.add_particle("follows", (0, 0, 0), mass)
    scene.add_linear("damper", led, follows, 0.0, viscosity)
    simulator = begun(scene)
    simulator.advance_to(end)
    ledger, passed = simulator.state.ledger(), viscosity / mass * end
    work = sum(value for name, value in ledger.items() if name.startswith("work:") and name != "work:wind")
    assert work == pytest.approx(mass * speed**2 * -np.expm1(-passed), rel=most)
    assert ledger["spring_dissipation"] == pytest.approx(0.5 * mass * speed**2 * -np.expm1(-2 * passed), rel=most)
    assert abs(ledger["residual"]) < 100 * EPSILON


def test_the_loss_of_a_stiff_damper_pulled_from_rest():
    """A force F on a mass m at a damper μ to a wall, c τ = 100 with c = μ/m: v = F/μ (1 − exp(−c t)), which is reached in a few
    steps whatever share R of what is off is kept in each. The loss is F²/μ (t − 3/2c) all the same, to R²⁰."""
    mass, viscosity, force, dt, count = 0.5, 500.0, 3.0, 0.1, 20
    scene = Scene("pulled", duration=count * dt, frames=1, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=dt))
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    pulled = scene.add_particle("pulled", (1, 0, 0), mass)
    scene.add_linear("damper", wall, pulled, 0.0, viscosity)
    scene.add_force("pull", int(pulled), (force, 0, 0))
    simulator = begun(scene)
    simulator.advance_to(count * dt)
    exact = force**2 / viscosity * (count * dt - 1.5 * mass / viscosity)
    assert simulator.state.ledger()["spring_dissipation"] == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_a_chain_that_falls_into_its_dampers(ways):
    """The scenario of the hanging chain, ten masses at (ω τ/2)² + c τ = 0.2: residual and energies by every way. The loss is
    wrong by some (c τ)²/12 of itself, so is the residual."""
    chain, dt = load_scenario("hanging_chain").module, 5e-4
    scene = chain.build(duration=1.0, frames=1)
    scene.stepping = Stepping(control="fixed", dt=dt)
    simulator = begun(scene, ways[0])
    simulator.advance_to(0.5)
    simulator.state.buffers.counters[slots.VISCOSITY] = ways[1]
    simulator.advance_to(1.0)
    ledger = simulator.state.ledger()
    assert abs(ledger["residual"]) < (400.0 * dt)**2 / 12 * ledger["spring_dissipation"]
    sag = -(simulator.state.position[1:, 2] + np.linspace(0, 1, 11)[1:])
    np.testing.assert_allclose(sag, chain.exact_sag(np.array([1.0]), 10, 0.1, 500.0, 0.02)[0], atol=1e-5)


def held_and_driven(dt):
    """A rigid turned by a drive, one led along x that turns freely, one that turns about z alone, one fixed but for its turns;
    dampers and springs between all and two particles, up to c of some 60 per second."""
    end = 0.4
    scene = Scene("held and driven", duration=end, frames=1, stepping=Stepping(control="fixed", dt=dt))
    swing = Drive.sine(0.4, 0.7)
    turned = scene.add_rigid("turned", BODY, mass=2.0, drive={"rotation": ((0, 0, 1), swing)}, velocity=(0.1, 0, 0)).particles
    led = scene.add_rigid("led", np.add(BODY, (1.0, 0, 0)), mass=1.5, support="z", drive={"x": Drive.sine(0.05, 1.0)}).particles
    about_z = scene.add_rigid("about z", np.add(BODY, (0, 1.0, 0)), mass=1.0, rotation_support="xy", spin=(0, 0, 1.0)).particles
    hung = scene.add_rigid("hung", np.add(BODY, (0, 0, 1.0)), mass=1.0, support="xyz", spin=(0.3, -0.5, 0.2)).particles
    loose = scene.add_particles("loose", [(0.5, 0.5, 0.5), (0.6, -0.4, 0.2)], 0.5)
    bodies = (turned, led, about_z, hung)
    for k, particles in enumerate(bodies):
        scene.add_linear(f"ties {k}", [particles[1], particles[3]], list(loose), 40.0, 4.0)
        scene.add_linear(f"links {k}", particles[2], bodies[k - 1][3], 30.0, 3.0)
    scene.add_angular("bend", turned[1], loose[0], led[3], 2.0, 0.2)
    scene.add_articular("twist", led[1], loose[0], loose[1], about_z[2], 1.0, 0.1)
    return scene


def test_what_is_held_or_driven_to_second_order():
    """Energies close to second order whatever is held, led or turned; dampers apart and in the force agree."""
    steps = np.array([4e-3, 2e-3, 1e-3])
    residuals, places = [], []
    for dt in steps:
        simulator = begun(held_and_driven(dt))
        simulator.advance_to(0.4)
        residuals.append(abs(simulator.state.ledger()["residual"]))
        places.append(simulator.state.position.copy())
    np.testing.assert_allclose(-np.diff(np.log2(residuals)), 2.0, atol=0.25)
    in_force = begun(held_and_driven(1e-3), slots.IN_FORCE)
    in_force.advance_to(0.4)
    assert way_of(in_force) == slots.IN_FORCE
    # each way is off by about a third of what halving its step changes
    np.testing.assert_allclose(in_force.state.position, places[-1], atol=4.0 * np.abs(places[-1] - places[-2]).max())
    assert np.abs(places[-1] - places[-2]).max() < 0.3 * np.abs(places[-2] - places[-3]).max()


# Bounds, bits ---------------------------------------------------------------------------------------------------------

def undersized(stepping, share, start):
    """The creeping pair with a bound of its damping rate that is too small by a factor from a time on."""
    scene = Scene("undersized", duration=1.0, frames=1, gravity=(0, 0, 0), stepping=stepping)
    pair = scene.add_particles("pair", [(0, 0, 0), (1.1, 0, 0)], 1.0)
    scene.add_linear("spring", pair[0], pair[1], 100.0, 1e4, rest_length=1.0)
    simulator = begun(scene)
    simulator.advance_to(start)
    numbers = simulator.state.buffers.numbers
    assert numbers[slots.SPRING_DAMPING] >= 2e4  # c = 2 μ/m
    numbers[slots.SPRING_DAMPING] *= share
    return simulator


def test_an_undersized_bound_shows():
    """With stages for a hundredth of the damping rate each run of the dampers multiplies what is off by R = 1 − z + z²/2 = 41
    for z = c τ/2 = 10: what they make of nothing is nobody's loss, the residual has all of it; with the true bound it is small.
    """
    sound = undersized(Stepping(control="fixed", dt=1e-3), 1.0, 1e-3)
    sound.advance_to(8e-3)
    assert sound.state.ledger()["largest_residual"] < 1e-4 * 0.5
    broken = undersized(Stepping(control="fixed", dt=1e-3), 0.01, 1e-3)
    broken.advance_to(8e-3)
    ledger = broken.state.ledger()
    assert 0.5 < ledger["kinetic"] < np.inf  # more than all energy there was
    assert ledger["spring_dissipation"] < 0.5
    assert ledger["residual"] > 0.9 * ledger["kinetic"]


def test_the_ledger_finds_steps_that_an_undersized_bound_stands():
    """Under the ledger such steps are refused until the stages are enough for them: two, good for c τ = 4 and not for 200."""
    counts = []
    for share in (1.0, 0.01):
        simulator = undersized(Stepping(budget=1e-3, dt_max=0.01), share, 0.1)
        before = simulator.counts()["attempts"]
        simulator.advance_to(0.3)
        ledger = simulator.state.ledger()
        assert ledger["largest_residual"] <= 1e-3 * ledger["reference_energy"]
        counts.append(simulator.counts()["attempts"] - before)
    assert counts[0] < 100
    assert counts[1] > 5 * counts[0]


def test_threads_and_frames_do_not_change_a_bit():
    """A cloth that is stiff by its dampers, and everything with rigids and laws: one thread, two, and on from every frame."""
    def strong():
        scene = Scene("strong", duration=0.02, frames=4, stepping=Stepping(budget=1e-3))
        grid = scene.add_grid("cloth", (0, 0, 0), (1, 0, 0), (0, 1, 0), (90, 90), 1.0, structural=20.0, shear=10.0,
                              bending=1e-4, structural_viscosity=2.0)
        scene.add_force("poke", int(grid.particles[45, 45]), (0, 0, 1.0))
        return scene

    mixed = mixed_scene(Stepping(budget=1e-3), 0.4, 4, damping=1.0, plastic=("linear",), driven=True)
    for scene in (strong(), mixed):
        model = build_model(scene)
        simulators = [Simulator(model, threads=threads) for threads in (1, 2)]
        straight, shared = (simulator.run() for simulator in simulators)
        assert way_of(simulators[0]) == slots.APART
        assert_same_bits(straight, shared)
        for frame in (1, 3):
            again = Simulator.continued(model, straight, frame).run()
            for name, values in {"position": straight.position, "velocity": straight.velocity, **straight.checkpoint}.items():
                found = getattr(again, name) if name in ("position", "velocity") else again.checkpoint[name]
                np.testing.assert_array_equal(values[-1], found[-1], err_msg=name)


def test_a_rod_whose_dampers_leave_no_step_above_the_floor_starts():
    """Steps of 5e-14 s with viscosity in the force, below the floor of 1e-13 s of a second: it falls freely from the start."""
    scene = Scene("rod", duration=1.0, frames=2)
    scene.add_rod("rod", (0, 0, 0), (0.5, 0, 0), 199, 1e3, 1000.0, 0.02, bending_viscosity=1.0)
    simulator = Simulator(build_model(scene))
    assert simulator.advance_to(1e-7)
    fall = 9.81 * 1e-7
    np.testing.assert_allclose(simulator.state.velocity[:, 2], -fall, rtol=1e-6)
    assert simulator.counts()["attempts"] < 1000
