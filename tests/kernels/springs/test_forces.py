"""Verification of the spring kernels: forces are gradients, damping dissipates exactly, momenta are kept.

Central differences with step h carry h² f'''/6 + ε U/h: with h = 1e-6, stiffness and lengths about one, below 1e-8.
"""

import numpy as np
import pytest

from robotphi import Scene, Table, build_model
from tests.kernels.springs.probe import evaluate, numeric_gradient


def cloud(seed, count=4):
    return np.random.default_rng(seed).uniform(-1, 1, (count, 3))


def scene_with(kind, points, **options):
    scene = Scene("one spring", gravity=(0, 0, 0))
    p = scene.add_particles("p", points, 1.0)
    if kind == "linear":
        scene.add_linear("s", p[0], p[1], 3.0, 0.7, **{"rest_length": 0.4} | options)
    elif kind == "angular":
        scene.add_angular("s", p[0], p[1], p[2], 2.0, 0.7, **{"rest_angle": 1.1} | options)
    else:
        scene.add_articular("s", p[0], p[1], p[2], p[3], 2.0, 0.7, **{"rest_angle": 0.3} | options)
    return scene


CASES = {
    "linear": ("linear", {}),
    "linear, plastic, elastic range": ("linear", {"yield_force": 1e3}),
    "linear, flowing": ("linear", {"yield_force": 0.5, "hardening": 1.0}),
    "linear, cable": ("linear", {"tension_only": True}),
    "linear, toe": ("linear", {"table": Table.toe(3.0, 2.0)}),
    "linear, fibre in its toe": ("linear", {"toe_strain": 3.0}),
    "linear, fibre beyond it": ("linear", {"toe_strain": 0.05}),
    "linear, may break": ("linear", {"break_force": 1e3, "break_strain": 50.0}),
    "angular": ("angular", {}),
    "angular, straight at rest": ("angular", {"rest_angle": np.pi}),
    "angular, signed": ("angular", {"normal": (0.1, 0.2, 1.0)}),
    "angular, flowing": ("angular", {"yield_moment": 0.2, "hardening": 1.0}),
    "articular": ("articular", {}),
    "articular, flowing": ("articular", {"yield_moment": 0.2, "hardening": 1.0}),
    "articular, far turns": ("articular", {"rest_angle": 20.0}),
}


def build(name, seed):
    kind, options = CASES[name]
    if "table" in options:
        scene = Scene("one spring", gravity=(0, 0, 0))
        p = scene.add_particles("p", cloud(seed), 1.0)
        scene.add_linear("s", p[0], p[1], viscosity=0.7, rest_length=0.4, **options)
    else:
        scene = scene_with(kind, cloud(seed), **options)
    return build_model(scene)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CASES)
def test_a_force_is_minus_the_gradient_of_its_energy(name, seed):
    model = build(name, seed)
    force, _ = evaluate(model, model.position)
    assert np.abs(force).max() > 1e-3
    np.testing.assert_allclose(force, -numeric_gradient(model, model.position), rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CASES)
def test_damping_takes_exactly_what_it_books(name, seed):
    if "cable" in name or "fibre" in name:
        pytest.skip("the damping of a cable and of a fibre is bounded, see the tests of their own")
    model = build(name, seed)
    velocity = cloud(seed + 100)
    still, _ = evaluate(model, model.position)
    moving, sums = evaluate(model, model.position, velocity)
    assert sums["loss"] > 0
    np.testing.assert_allclose(-np.sum((moving - still) * velocity), sums["loss"], rtol=1e-11)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CASES)
def test_a_spring_makes_neither_momentum_nor_angular_momentum(name, seed):
    model = build(name, seed)
    force, _ = evaluate(model, model.position, cloud(seed + 100))
    scale = np.abs(force).max()
    np.testing.assert_allclose(force.sum(axis=0), 0, atol=1e-13 * scale)
    np.testing.assert_allclose(np.cross(model.position, force).sum(axis=0), 0, atol=1e-13 * scale)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("extra", [{}, {"normal": (0, 0, 1.0)}])
def test_a_straight_angular_spring_keeps_its_finite_limit(tilt, extra):
    """Arms 0.5 and 0.25 with a bend φ: moment k φ + μ φ̇, forces moment over arm, to rounding however small the bend."""
    points = np.array([[-0.5, 0, 0], [0, 0, 0], [0.25 * np.cos(tilt), 0.25 * np.sin(tilt), 0], [0, 0, 5.0]])
    model = build_model(scene_with("angular", points, rest_angle=np.pi, **extra))
    velocity = np.zeros((4, 3))
    velocity[2, 1] = 0.1  # φ̇ = 0.1/0.25
    force, sums = evaluate(model, points, velocity)
    rate = 0.4 * np.cos(tilt)
    moment = 2.0 * tilt + 0.7 * rate
    np.testing.assert_allclose(np.linalg.norm(force[2]), moment / 0.25, rtol=1e-3 if tilt == 1e-12 else 1e-6)
    np.testing.assert_allclose(np.linalg.norm(force[0]), moment / 0.5, rtol=1e-3 if tilt == 1e-12 else 1e-6)
    np.testing.assert_allclose(sums["loss"], 0.7 * rate**2, rtol=1e-3)
    assert force[2, 1] < 0


def test_a_bend_at_rest_has_no_force_on_the_straight_line():
    points = np.array([[-0.5, 0, 0], [0, 0, 0], [0.25, 0, 0], [0, 0, 5.0]])
    model = build_model(scene_with("angular", points, rest_angle=2.0))
    force, _ = evaluate(model, points)
    np.testing.assert_array_equal(force, 0)


def test_a_signed_bend_goes_on_through_the_straight_line():
    """With a normal, the moment is k (b − b0) on both sides of the straight line, without a tip in the energy."""
    bends = np.array([-0.3, -1e-9, 0.0, 1e-9, 0.3])
    found = []
    model = None
    for bend in bends:
        points = np.array([[-0.5, 0, 0], [0, 0, 0], [0.25 * np.cos(bend), 0.25 * np.sin(bend), 0], [0, 0, 5.0]])
        if model is None:
            model = build_model(scene_with("angular", points, rest_angle=np.pi - 0.1, normal=(0, 0, 1.0)))
        force, _ = evaluate(model, points)
        found.append(0.25 * (np.cos(bend) * force[2, 1] - np.sin(bend) * force[2, 0]))
    # the normal of p × q points to −z for a bend towards +y, so b = −bend; the moment of F_b about the centre is k (b − b0)
    np.testing.assert_allclose(found, 2.0 * (-bends - 0.1), rtol=1e-6)


def test_a_cable_never_pushes_and_its_damping_grows_with_its_pull():
    for stretch, rate, wanted in ((-0.1, 5.0, 0.0), (0.1, -50.0, 0.0), (0.1, 50.0, 0.6), (0.1, 0.1, 0.3 + 0.07)):
        points = np.array([[0, 0, 0], [1.0 + stretch, 0, 0]])
        model = build_model(scene_with("linear", points, rest_length=1.0, tension_only=True))
        velocity = np.array([[0, 0, 0], [rate, 0, 0]])
        force, sums = evaluate(model, points, velocity)
        np.testing.assert_allclose(force[0, 0], wanted, atol=1e-12)
        assert sums["loss"] >= 0


def test_a_fibre_pulls_as_blankevoort_says_and_is_damped_while_it_lengthens_alone():
    """With ε_l = 0.05 of 2 m: k e²/(4 t) up to e = 2 t = 0.2 m, then k (e − t)."""
    for stretch, rate, wanted in ((-0.1, 5.0, 0.0), (0.1, 0.0, 3.0 * 0.025), (0.2, 0.0, 0.3), (0.5, 0.0, 1.2), (0.5, -9.0, 1.2),
                                  (0.5, 0.1, 1.2 + 0.07), (0.5, 50.0, 2.4)):
        points = np.array([[0, 0, 0], [2.0 + stretch, 0, 0]])
        model = build_model(scene_with("linear", points, rest_length=2.0, toe_strain=0.05))
        force, sums = evaluate(model, points, np.array([[0, 0, 0], [rate, 0, 0]]))
        np.testing.assert_allclose(force[0, 0], wanted, atol=1e-12)
        assert sums["loss"] >= 0


@pytest.mark.parametrize("seed", range(3))
def test_four_at_a_time_equals_one_at_a_time(seed):
    """A plain list and the same springs with an infinite yield give the same forces to rounding."""
    random = np.random.default_rng(seed)
    points = random.uniform(-1, 1, (30, 3))
    pairs = np.array([(i, j) for i in range(30) for j in range(i) if random.random() < 0.1])
    triples = np.array([random.permutation(30)[:3] for _ in range(37)])
    found = []
    for extra, bend in (({}, {}), ({"yield_force": 1e9}, {"yield_moment": 1e9})):
        scene = Scene("net", gravity=(0, 0, 0))
        scene.add_particles("p", points, 1.0)
        scene.add_linear("l", pairs[:, 0], pairs[:, 1], 3.0, 0.5, rest_length=0.5, **extra)
        scene.add_angular("a", *triples.T, 2.0, 0.5, rest_angle=1.0, **bend)
        model = build_model(scene)
        velocity = np.random.default_rng(99).uniform(-1, 1, (30, 3))
        found.append(evaluate(model, points, velocity))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-10, atol=1e-12)
    for name in found[0][1]:
        np.testing.assert_allclose(found[0][1][name], found[1][1][name], rtol=1e-12, atol=1e-14)
