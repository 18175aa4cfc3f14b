"""Dampers apart let steps be longer than frequencies alone: the bound beside exact eigenvalues, of steps and of states."""
import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model, simulate
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.kernels.mechanism.ease import fitted
from robotphi.kernels.springs.measured import formula
from robotphi.kernels.step import slots
from robotphi.kernels.step.relief import CURVED, MARGIN, OF_JOINTS, relieved_step, stages_for
from robotphi.run.lint.subject import fewest_steps, subject_of
from tests.kernels.step import bounded_scenes
from tests.kernels.step.exact import Fastest, bounds, renew
from tests.kernels.step.test_dampers import kept

ROUNDING = 1e-6      # of the largest eigenvalue, which comes in pairs that meet where the step is as long as it may be
DIFFERENCED = 1e-5   # relative, see `test_bounds`


def growth(stiffness, viscosity, lossy, tau):
    """The largest factor by which a step of length τ multiplies anything, of forces −K x − L v', v' as predicted, and dampers C
    apart in stages, M = 1: half a way of the dampers, drift, forces, half a way."""
    rates, modes = np.linalg.eigh(viscosity)
    rates = np.maximum(rates, 0.0) * 0.5 * tau
    left = kept(int(stages_for(rates[-1])), rates)
    given = np.where(rates > 1e-12, (1.0 - left) / np.where(rates > 1e-12, rates, 1.0), 1.0) * 0.5 * tau
    left, given = (modes * left) @ modes.T, (modes * given) @ modes.T
    place, velocity, force = np.split(np.eye(3 * len(stiffness)), 3)
    middle = left @ velocity + given @ force
    ahead = place + tau * middle
    pushed = -stiffness @ ahead - lossy @ (2.0 * middle - velocity)
    return np.abs(np.linalg.eigvals(np.vstack([ahead, left @ middle + given @ pushed, pushed]))).max()


def drawn(random, modes):
    """Springs k, dampers c and dampers in the force, along the same random gradients, over four decades; some without."""
    count = random.integers(modes, 3 * modes + 2)
    ways = random.normal(size=(count, modes)) * 10.0 ** random.uniform(-1, 1, (count, 1))
    return ways, *(10.0 ** random.uniform(-2, 2, count) * (random.random(count) < share) for share in (0.85, 0.7, 0.4))


def largest(ways, factors):
    return max(np.linalg.eigvalsh(ways.T @ (factors[:, None] * ways))[-1], 0.0)


@pytest.mark.parametrize("act", [False, True], ids=["dampers apart", "and others in the force"])
@pytest.mark.parametrize("modes", [1, 2, 10])
def test_no_step_within_the_bound_makes_anything_grow(modes, act):
    """Springs and dampers whose matrices share no modes, any relief; the longest of the steps is longer than without."""
    random, step = np.random.default_rng(modes), formula(relieved_step)
    gains = []
    for _ in range(150):
        ways, k, c, other = drawn(random, modes)
        rate = largest(ways, other) if act else 0.0
        matrices = [ways.T @ (each[:, None] * ways) for each in (k, c, other if act else 0.0 * other)]
        if not largest(ways, k) > 0.0:
            continue
        steps = {relief: step(largest(ways, np.maximum(k - relief * c, 0.0)), relief, largest(ways, c), rate, np.inf, 1.0)
                 for relief in (0.0, *(10.0 ** np.linspace(-1.5, 0.7, 12) * np.sqrt(largest(ways, k))))}
        for tau in steps.values():
            assert growth(*matrices, 0.999 * tau) < 1.0 + ROUNDING
        gains.append(max(steps.values()) / steps[0.0])
    assert act or np.percentile(gains, 90) > 1.1


def growth_with_joints(stiffness, viscosity, joints, tau):
    """The same with a viscosity of each coordinate as mechanisms take it: u̇ = (1 + B h c)⁻¹ (f − c u₀ − C u) over h = τ/2."""
    h = 0.5 * tau
    ease = np.diag([1.0 / (1.0 + formula(fitted)(h * c) * h * c) for c in joints])
    stages = int(stages_for(h * max(np.linalg.eigvalsh(viscosity)[-1], 0.0)))
    root = np.sqrt(ease)
    rate, modes = np.linalg.eigh(h * root.T @ viscosity @ root)   # similar to h (1 + B h c)⁻¹ C
    left = kept(stages, np.maximum(rate, 0.0))
    given = np.where(rate > 1e-9, (1.0 - left) / np.where(rate > 1e-9, rate, 1.0), 1.0)
    modes = root @ modes
    given = h * (modes * given) @ modes.T
    left = (modes * left) @ np.linalg.inv(modes) - given @ np.diag(joints)
    place, velocity = np.split(np.eye(2 * len(stiffness)), 2)
    middle = left @ velocity - given @ stiffness @ place
    ahead = place + tau * middle
    return np.abs(np.linalg.eigvals(np.vstack([ahead, left @ middle - given @ stiffness @ ahead]))).max()


def test_half_of_the_viscosity_of_joints_makes_nothing_grow():
    """Over six decades, beside springs and dampers of others; it takes off no more than the springs of its own joint."""
    random, step, gains = np.random.default_rng(4), formula(relieved_step), []
    for _ in range(300):
        ways, k, c, _ = drawn(random, random.integers(1, 5))
        of_joint, joints = 10.0 ** random.uniform(-2, 3, (2, ways.shape[1])) * (random.random((2, ways.shape[1])) < 0.8)
        if not largest(ways, k) > 0.0:
            continue
        stiffness, viscosity = (ways.T @ (each[:, None] * ways) for each in (k, c))
        stiffness, whole = stiffness + np.diag(of_joint), largest(ways, k) + of_joint.max(initial=0.0)
        for relief in 10.0 ** np.linspace(-1.5, 0.7, 8) * np.sqrt(whole):
            alone = np.diag(np.maximum(of_joint - OF_JOINTS * relief * joints, 0.0))
            square = np.linalg.eigvalsh(ways.T @ (np.maximum(k - relief * c, 0.0)[:, None] * ways) + alone)[-1]
            tau = step(max(square, 0.0), relief, largest(ways, c), 0.0, np.inf, 1.0)
            assert growth_with_joints(stiffness, viscosity, joints, 0.999 * tau) < 1.0 + ROUNDING
            gains.append(tau * np.sqrt(np.linalg.eigvalsh(stiffness)[-1]) / 2.0)
    assert max(gains) > 1.5


@pytest.mark.parametrize("stages", [2, 3, 4, 5, 6, 8, 12, 20, 40, 101])
def test_the_inertia_that_dampers_add_lies_above_its_tangents(stages):
    """G − b S ≥ 1 − b²/4γ for all slopes b up to 2 √γ and all S that the stages are made for; below S = 1e-3 it is 1 + O(S)."""
    bend = CURVED[min(stages - 2, len(CURVED) - 1)]
    rates = np.geomspace(1e-3, (stages**2 + stages - 2) / (2.0 * MARGIN), 20000)
    left = kept(stages, rates) ** 2
    inertia = rates * (1.0 + left) / (1.0 - left)
    for slope in np.linspace(0.02, 2.0 * np.sqrt(bend), 60):
        assert (inertia - slope * rates).min() >= 1.0 - slope**2 / (4.0 * bend)


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_without_relief_it_is_the_step_of_frequency_and_damping(damping):
    square = 100.0
    rate = damping + np.sqrt(damping ** 2 + square)
    assert formula(relieved_step)(square, 0.0, 7.0, damping, np.inf, 0.95) == pytest.approx(0.95 * 2.0 / rate, rel=1e-12)


@pytest.mark.parametrize("rate", [0.0, 7.0])
def test_what_nothing_bounds_may_take_any_step(rate):
    assert formula(relieved_step)(0.0, 0.0, rate, 0.0, np.inf, 0.95) == np.inf
    assert formula(relieved_step)(0.0, 0.0, rate, 0.0, 2.0, 0.95) == 2.0


def damped_net():
    """Particles with springs and dampers of all ratios in between, some of either alone."""
    scene, random = Scene("net", duration=0.2, frames=2, gravity=(0, 0, 0)), np.random.default_rng(4)
    at = random.uniform(size=(12, 3))
    p = scene.add_particles("p", at, 10.0 ** random.uniform(-1, 1, 12))
    first, second = np.triu_indices(12, 1)
    count = len(first)
    scene.add_linear("springs", p[first], p[second], 10.0 ** random.uniform(1, 4, count),
                     10.0 ** random.uniform(-1, 3, count) * (random.random(count) < 0.8))
    scene.add_angular("bends", p[:4], p[4:8], p[8:], 50.0, 30.0)
    return scene


SCENES = {"net": (damped_net, 0.0), "chain": (bounded_scenes.chain, 0.1), "pile": (bounded_scenes.pile, 0.1),
          "slender": (bounded_scenes.slender, 0.1)}


@pytest.mark.parametrize("name", SCENES)
def test_what_dampers_leave_of_the_springs_is_bounded(name):
    """λ ≥ K − β C of all that is there, by differences of the forces; near where there is no friction that slips."""
    make, until = SCENES[name]
    simulator = Simulator(build_model(make()))
    simulator.begin()
    b = simulator.state.buffers
    b.counters[slots.VISCOSITY], b.counters[slots.WAIT] = slots.APART, 1024
    if until > 0.0:
        simulator.advance_to(until)
    b = simulator.state.buffers
    for _ in range(3):   # the relief is found in several goes
        renew(simulator, slots.APART)
    b = simulator.state.buffers
    relief = max(b.numbers[slots.RELIEF], b.numbers[slots.TOUCH_RELIEF])
    assert relief > 0.0
    square = bounds(simulator)[0] ** 2
    b.counters[slots.HAS_DAMPERS], b.counters[slots.VISCOSITY] = 0, slots.IN_FORCE
    exact = Fastest(simulator)
    stiffness, damping = exact.matrix(False), exact.matrix(True)
    if b.counters[slots.HAS_CONTACT]:
        stiffness = stiffness + exact.friction()
    whole, left = np.linalg.eigvalsh(stiffness)[-1], np.linalg.eigvalsh(stiffness - relief * damping)[-1]
    assert square >= left - DIFFERENCED * whole
    assert square < whole, "the relief should show"


def test_a_spring_beside_a_strong_damper_sets_no_step():
    """Two masses by a spring with a damper of ten times the critical: τ ω < 2 would allow 0.19 s. With a relief of k/c = 0.5 /s
    nothing is left of the spring, and β² τ²/16 γ = 1 at 4.8 s."""
    scene = Scene("pair", duration=5.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=1e-2))
    pair = scene.add_particles("pair", [(0, 0, 0), (0.9, 0, 0)], 2.0)   # pressed: what pulls is stiff across as well
    scene.add_linear("spring", pair[0], pair[1], 100.0, 200.0, rest_length=1.0)
    simulator = Simulator(build_model(scene))
    simulator.run()
    b = simulator.state.buffers
    assert b.counters[slots.VISCOSITY] == slots.APART
    assert b.numbers[slots.STABLE] > 1.5
    ledger = simulator.state.ledger()
    assert ledger["largest_residual"] <= 1e-2 * ledger["reference_energy"]


def pulled_pair(viscosity):
    """The same with a heavy thing that flies by, in whose energy the pair shows little: stability sets nearly all steps."""
    scene = Scene("pair", duration=300.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=1e-2, accuracy="energy"))
    pair = scene.add_particles("pair", [(0, 0, 0), (0.99, 0, 0)], 2.0)
    scene.add_linear("spring", pair[0], pair[1], 100.0, viscosity, rest_length=1.0)
    scene.add_particle("heavy", (9, 9, 9), 1e3, velocity=(1, 0, 0))
    return build_model(scene)


@pytest.mark.parametrize("viscosity", [10.0, 100.0, 1000.0])
def test_every_step_that_is_set_by_stability_has_a_name(viscosity):
    """Also where the damper takes all off the spring, so that nothing is left of it to bound."""
    recording = Simulator(pulled_pair(viscosity)).run()
    found = [each for each in recording.info["causes"] if each["limit"] == "stability"]
    named = sum(each["steps"] for each in found if each["names"] == ("spring",))
    assert named == sum(each["steps"] for each in found) > 20


@pytest.mark.parametrize("viscosity", [1.0, 10.0, 100.0, 1000.0])
def test_lint_promises_no_more_steps_than_are_made(viscosity):
    """And not many fewer where the damper is no stronger than twice the critical one."""
    model = pulled_pair(viscosity)
    fewest, made = fewest_steps(subject_of(model)), Simulator(model).run().counts["accepted"]
    assert fewest <= made
    assert viscosity > 30.0 or fewest > 0.8 * made


def test_the_frequency_without_relief_is_kept_beside():
    """ω² = 100 /s² of a reduced mass of 1 kg, whatever is taken off it."""
    simulator = Simulator(pulled_pair(100.0))
    simulator.run()
    numbers = simulator.state.buffers.numbers
    assert numbers[slots.RELIEF] > 0.0
    assert numbers[slots.SPRING_SQUARE] == pytest.approx(100.0, rel=0.01)
    assert numbers[slots.RELIEVED_SQUARE] < 0.2 * numbers[slots.SPRING_SQUARE]


def strongest_cause(scene):
    causes = [each for each in simulate(scene).info["causes"] if each["limit"] == "stability"]
    return max(causes, key=lambda each: each["steps"])["names"]


def test_the_spring_that_dampers_leave_sets_the_step_and_is_named():
    """Of 1e4 N/m the damper beside them takes all; the 4e3 N/m without one stay."""
    scene = Scene("held", duration=10.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=1e-1, accuracy="energy"))
    held = scene.add_particles("held", [(-1, 0, 0), (0, -1, 0)], 1.0, support="xyz")
    mass = scene.add_particle("mass", (0, 0, 0), 1.0, velocity=(0, 0.01, 0))
    scene.add_linear("lossy", held[0], mass, 1e4, 1e3)
    scene.add_linear("bare", held[1], mass, 4e3, 0.0)
    scene.add_particle("heavy", (9, 9, 9), 1e3, velocity=(1, 0, 0))
    assert strongest_cause(scene) == ("bare",)


def test_a_body_that_turns_slowly_is_not_named_where_dampers_leave_a_spring():
    """Half a radian takes 0.625 s at 0.8 rad/s, the spring of 1000 N/m beside its damper allows 0.31 s."""
    scene = Scene("beside", duration=20.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=1e-1, accuracy="energy"))
    pair = scene.add_particles("pair", [(0, 0, 0), (0.9, 0, 0)], 2.0)
    scene.add_linear("spring", pair[0], pair[1], 1000.0, 200.0, rest_length=1.0)
    top = rigid(shapes.box((0.2, 0.2, 0.2)).transformed(shift=(5, 0, 0)), density=500.0)
    scene.add_object("top", top, spin=(0, 0, 0.8))
    assert strongest_cause(scene) == ("spring",)
