"""A ball on a stiff object in the bounds of the step, and such objects strained, beside exact eigenvalues: never below."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns
from robotphi.kernels.step import slots
from robotphi.model.arrays import aligned
from robotphi.model.stiff import whole_matrix
from tests.kernels.step.exact import Fastest, begun, renew

STEP = 8e-3          # s, that the object is to allow
DIFFERENCED = 1e-5   # relative: central differences over 1e-7 m
NEAR, RATE_NEAR = 1.5, 1.6


def pressed(glued, depth=None, friction=0.0, places=(0.002, 0.001)):
    """A soft pad, free or on a bone, with a ball so deep in its face; no ball without a depth."""
    scene = Scene("tip", duration=0.01, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=1e-5))
    skin = ContactMaterial(stiffness=2e7, restitution=0.3, speed=1.0, friction=friction)
    foam = Material(young=2e5, density=1000.0, damping_ratio=0.1, damping_frequency=100.0)
    pad = deformable(discretise(shapes.box((0.016, 0.016, 0.01), (0, 0, -0.005)), counts=(2, 2, 2)), foam)
    bone = rigid(shapes.box((0.016, 0.016, 0.06), (0, 0, -0.04)), density=2700.0)
    scene.add_object("tip", glue({"bone": bone, "pad": pad}) if glued else pad, contact=skin, stiff=STEP)
    if depth is not None:
        scene.add_ball("ball", (*places, 0.03 - depth), 0.03, mass=0.05, contact=skin)
    return scene


def exact(simulator):
    """(ω², c): the largest eigenvalues of M⁻¹ K and M⁻¹ C, the inertia of stiff objects in M."""
    fastest = Fastest(simulator)
    return tuple(float(np.linalg.eigvals(fastest.answers(moving)).real.max()) for moving in (False, True))


@pytest.mark.parametrize("depth", [2e-4, 1e-3])
@pytest.mark.parametrize("glued", [True, False])
def test_the_bound_of_a_ball_in_a_stiff_pad_is_one_and_near(glued, depth):
    simulator = begun(pressed(glued, depth))
    numbers = simulator.state.buffers.numbers
    square, damping = numbers[slots.JOINT_SQUARE], numbers[slots.JOINT_DAMPING]
    true_square, true_damping = exact(simulator)
    assert (1.0 - DIFFERENCED) * true_square <= square <= NEAR**2 * true_square
    assert (1.0 - DIFFERENCED) * true_damping <= damping <= RATE_NEAR * true_damping


def test_the_surface_gives_way_to_friction_as_its_weights_say():
    """w·T⁻¹ w with w = A_k/A of the corners, and T⁻¹ by the accelerations that forces on single particles make."""
    simulator = begun(pressed(True, 1e-3, friction=0.8))
    b, arrays = simulator.state.buffers, simulator.model.arrays
    parts, stiff, touch = arrays.contact.parts, arrays.stiff, b.touch
    part = touch.pairs[0, columns.SECOND]
    weight, first = {}, parts.facet_start[part]
    for i in range(first, first + touch.cut_by[part, 1]):
        for corner in range(3):
            row = parts.facet[touch.cut_facet[i], corner]
            weight[row] = weight.get(row, 0.0) + touch.cut[i, corner]
    size = 3 * (stiff.free_end[0] - stiff.start[0])
    w = np.zeros((size, 3))
    for row, area in weight.items():
        place = 3 * (stiff.place[row] - stiff.start[0])
        w[place:place + 3] = area / sum(weight.values()) * np.eye(3)
    mobility = whole_matrix(stiff.mobility, size)
    gives = touch.numbers[0, columns.GIVES:columns.GIVES + 9].reshape(3, 3)
    np.testing.assert_allclose(gives, w.T @ mobility @ w, rtol=1e-9, atol=1e-9 * np.trace(gives))


@pytest.mark.parametrize("strain", [0.0, 0.03, 0.1, 0.2])
def test_the_bound_of_a_strained_object_on_a_rigid_is_one(strain):
    """Springs within it know its own shape alone, and the inertia that it has in the frame."""
    model = build_model(pressed(True))
    random, free = np.random.default_rng(3), model.arrays.stiff
    rows = free.particle[free.start[0]:free.free_end[0]]
    position = model.position.copy()
    position[rows] += strain * (0.004 * random.standard_normal((len(rows), 3))
                                + position[rows] @ random.standard_normal((3, 3)))
    simulator = Simulator(model._replace(position=aligned(position)))
    simulator.state.buffers.counters[slots.HAS_DAMPERS] = 0
    simulator.begin()
    renew(simulator)
    square, damping = (simulator.state.buffers.numbers[each] for each in (slots.SPRING_SQUARE, slots.SPRING_DAMPING))
    true_square, true_damping = exact(simulator)
    assert (1.0 - DIFFERENCED) * true_square <= square
    assert strain > 0.0 or square <= (1.0 + 1e-3) * true_square   # what turns counts with the least inertia there is
    assert (1.0 - DIFFERENCED) * true_damping <= damping


@pytest.mark.parametrize("glued", [True, False])
def test_the_bound_of_its_dampers_as_rows_is_one_and_near(glued):
    """Apart from the springs' own: all that is damped is at most the sum of both bounds."""
    true = exact(begun(pressed(glued, 1e-3, friction=0.8)))[1]
    simulator = Simulator(build_model(pressed(glued, 1e-3, friction=0.8)))
    simulator.begin()
    b = simulator.state.buffers
    b.counters[slots.VISCOSITY], b.counters[slots.FRESH] = slots.APART, slots.STALE
    b.counters[slots.STATUS], b.counters[slots.CHUNK] = slots.RUNNING, 0
    simulator._loop.advance(simulator.state)
    rows, springs = b.numbers[slots.ROW_DAMPING], b.numbers[slots.SPRING_DAMPING]
    assert b.touch.row_counts[columns.ROW_COUNT + b.touch.row_counts[columns.ROW_HALF]] == 3
    assert (1.0 - DIFFERENCED) * true - springs <= rows <= RATE_NEAR * true
