"""Steps of mechanisms: second order, the ledger's promise, the same bits by any way, and dampers apart."""
import numpy as np
import pytest

from robotphi import Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.verification.estimate import extrapolated, slope
from tests.fuzz.same_bits import assert_same_bits, run
from tests.kernels.mechanism.loops import four_bar
from tests.kernels.mechanism.trees import BASES, random_tree

DURATION = 0.25
COARSEST = 1e-3    # s: the wildest freedom of these trees turns by some 0.1 rad in it


def tree(seed, base, **more):
    return random_tree(seed, base, duration=DURATION, **more)


def tied(scene):
    """The tree with dampers and springs between its links, and to the world."""
    for n in (2, 5):
        scene.add_linear(f"tie {n}", scene.things[f"link {n}"].particles[:1], scene.things[f"link {n + 2}"].particles[:1], 20.0,
                         viscosity=2.0)
    post = scene.add_particle("post", (0.0, 0.0, 1.0), 1.0, support="xyz")
    scene.add_linear("stay", scene.things["link 3"].particles[:1], [post], 30.0, viscosity=3.0)
    return scene


def ended(scene, way=slots.IN_FORCE):
    """Places of all rigids at the end, with dampers one way."""
    simulator = Simulator(build_model(scene), threads=1)
    simulator.begin()
    simulator.state.buffers.counters[slots.VISCOSITY] = way
    recording = simulator.run()
    assert simulator.state.buffers.counters[slots.VISCOSITY] == way
    return np.concatenate([recording.rigid_position[-1], recording.rigid_orientation[-1]], axis=1)


def order(build, way=slots.IN_FORCE):
    """Slope of the error over the step, by steps of a thousandth and a half, a quarter, an eighth of it."""
    steps = COARSEST / 2.0 ** np.arange(6)
    found = [ended(build(dt), way) for dt in steps]
    exact = extrapolated(found[4], found[5])
    return slope(steps[:4], [np.sqrt(np.mean((each - exact) ** 2)) for each in found[:4]])


@pytest.mark.parametrize("base", BASES)
def test_positions_are_of_second_order(base):
    assert order(lambda dt: tree(1, base, dt=dt)) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("base", ["world", "turned", "free"])
@pytest.mark.parametrize("way", [slots.IN_FORCE, slots.APART])
def test_with_dampers_in_the_force_or_apart_as_well(base, way):
    assert order(lambda dt: tied(tree(1, base, dt=dt)), way) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("base", ["world", "driven", "free"])
def test_dampers_apart_come_to_the_same_motion_and_take_what_they_took(base):
    def both(way):
        simulator = Simulator(build_model(tied(tree(2, base, dt=COARSEST / 16))), threads=1)
        simulator.begin()
        simulator.state.buffers.counters[slots.VISCOSITY] = way
        return simulator.run()

    together, apart = both(slots.IN_FORCE), both(slots.APART)
    # either is off by its own error of second order; a sixteenth of the coarsest step leaves (1/16)² of some centimetres
    np.testing.assert_allclose(apart.rigid_position[-1], together.rigid_position[-1], rtol=0, atol=2e-4)
    lost = apart.ledger["spring_dissipation"][-1]
    assert lost > 0.0
    assert lost == pytest.approx(together.ledger["spring_dissipation"][-1], rel=1e-3)
    for recording in (together, apart):
        assert recording.ledger["largest_residual"][-1] <= 1e-3 * recording.ledger["reference_energy"][-1]


@pytest.mark.parametrize("budget", [1e-4, 1e-8])
@pytest.mark.parametrize("base", BASES)
def test_the_ledger_keeps_its_budget(base, budget):
    scene = random_tree(3, base, duration=DURATION if budget > 1e-6 else 0.1 * DURATION, budget=budget)
    simulator = Simulator(build_model(scene), threads=1)
    ledger = simulator.run().ledger
    assert ledger["largest_residual"][-1] <= budget * ledger["reference_energy"][-1]
    assert ledger["reference_energy"][-1] < 1e3


@pytest.mark.parametrize("base", BASES)
def test_the_same_bits_from_any_frame_and_with_two_threads(base):
    model = build_model(tied(tree(4, base, frames=6, budget=1e-4)))
    straight = run(Simulator(model, threads=1))
    assert len(straight) == 7
    assert_same_bits(straight, run(Simulator(model, threads=2)), base)
    for frame in range(1, 6):
        assert_same_bits(straight, run(Simulator.continued(model, straight, frame, threads=1)), base, frame)


def test_what_rounding_of_its_places_leaves_of_a_linkage_is_granted():
    """Let go, it falls by 1e-14 m in all: what its steps leave is weight × ε X, and no more than ten times that is granted."""
    simulator = Simulator(build_model(four_bar(dt=1e-9, duration=1e-7, rate=0.0)), threads=1)
    left = np.abs(simulator.run().steps["residual"]).max()
    granted = simulator.state.buffers.numbers[slots.STEP_NOISE]
    assert 0.0 < left <= granted
    assert granted <= 10.0 * np.finfo(float).eps * 4.5 * 9.81 * 1.0   # 4.5 kg, a metre
