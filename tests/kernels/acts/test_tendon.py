"""Tendons: one tension, its gradient, pulleys against closed forms, winding and what the ledger says of it."""
import numpy as np
import pytest

from robotphi import Drive, Scene, SceneError, Stepping, build_model, simulate
from robotphi.record.measure import recorded_momenta
from tests.kernels.acts.probe import frequency_and_bound, gradient, halved, pushed, residuals

POINTS = np.array([[0.0, 0.0, 0.0], [0.4, 0.3, 0.1], [1.0, -0.2, 0.3], [0.7, 0.6, -0.2]])
FREE = {"gravity": (0.0, 0.0, 0.0)}
G, K, MASSES = 9.81, 2000.0, (2.0, 3.0)


def cable(through=(0, 1, 2, 3), **said):
    scene = Scene("cable", **FREE)
    scene.add_particles("p", POINTS, (1.0, 0.5, 2.0, 1.0))
    scene.add_tendon("cable", list(through), **{"stiffness": 8.0, "rest_length": 1.2} | said)
    return scene


@pytest.mark.parametrize("through", [(0, 1, 2, 3), (0, 2), (0, 1, 3, 1, 2)])
def test_a_tendon_is_minus_the_gradient_of_what_it_stores(through):
    model = build_model(cable(through, rest_length=0.3))
    force, stored = pushed(model, POINTS)
    assert stored > 0.1
    np.testing.assert_allclose(force, -gradient(model, POINTS), rtol=0, atol=1e-7)


def test_the_tension_is_one_all_along_and_the_sensor_tells_it():
    scene = cable(viscosity=0.3, tension=2.0)
    scene.add_sensor("tension", "tension", "cable")
    scene.add_sensor("length", "length", "cable")
    run = simulate(scene)
    pieces = np.diff(run.position[0, :4], axis=0)
    length = np.linalg.norm(pieces, axis=1).sum()
    assert run.sensors["length"][0] == pytest.approx(length, rel=1e-14)
    assert run.sensors["tension"][0] == pytest.approx(8.0 * (length - 1.2) + 2.0, rel=1e-13)
    force = pushed(build_model(scene), POINTS)[0]
    along = pieces / np.linalg.norm(pieces, axis=1)[:, None]
    wanted = np.diff(np.vstack((np.zeros(3), along, np.zeros(3))), axis=0)
    np.testing.assert_allclose(force, run.sensors["tension"][0] * wanted, atol=1e-13)


def test_a_tendon_never_pushes():
    model = build_model(cable(rest_length=9.0, viscosity=3.0))
    assert not pushed(model, POINTS)[0].any()
    taut = build_model(cable(viscosity=1e3, rest_length=0.3))
    inwards = -POINTS   # so fast that its damping would push
    assert not pushed(taut, POINTS, 50.0 * inwards)[0].any()


@pytest.mark.parametrize("said", [{}, {"tension": 20.0, "stiffness": 0.0}, {"rest_length": 0.3}])
def test_the_bound_of_a_tendon_bounds_its_frequency(said):
    exact, bound = frequency_and_bound(cable(**said))
    assert exact * (1.0 - 1e-6) <= bound <= 4.0 * exact


def atwood(stepping):
    scene = Scene("atwood", duration=1.0, frames=8, stepping=stepping)
    pulleys = scene.add_particles("pulleys", [[-1, 0, 0], [1, 0, 0]], 1.0, support="xyz")
    a, b = (scene.add_particle(name, (x, 0, -1), m, support="xy") for name, x, m in zip("ab", (-1, 1), MASSES, strict=True))
    scene.add_tendon("rope", [a, *pulleys.tolist(), b], stiffness=K)
    return scene


def test_two_masses_over_pulleys_go_as_the_closed_form():
    """With e = Δ(y_a + y_b) the elongation, y downwards: ë = 2 g − k e (1/m_a + 1/m_b), and m_a y_a − m_b y_b goes by
    ½ (m_a − m_b) g t²."""
    runs = halved(atwood, 400)
    (a, b), t = MASSES, runs[0].time
    omega = np.sqrt(K * (1.0 / a + 1.0 / b))
    stretch = 2.0 * G / omega**2 * (1.0 - np.cos(omega * t))
    other = 0.5 * (a - b) * G * t**2
    wanted = -1.0 - np.column_stack((b * stretch + other, a * stretch - other)) / (a + b)
    errors = [np.abs(run.position[:, 2:4, 2] - wanted).max() for run in runs]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)
    assert errors[0] < 2.0 * G / omega**2 * omega * (omega / 400)**2 / 8


def test_winding_up_a_load_gives_its_weight_times_the_way():
    scene = Scene("winch", duration=2.0, frames=4)
    eye = scene.add_particle("eye", (0, 0, 0), 1.0, support="xyz")
    load = scene.add_particle("load", (0, 0, -1.0), 2.0)
    scene.add_tendon("rope", [eye, load], 1e4, viscosity=50.0, rest_length=1.0 - 2.0 * G / 1e4,
                     drive=Drive.table([0.0, 0.5, 1.0, 2.0], [0.0, -0.1, -0.3, -0.3], kind="cubic"))
    run = simulate(scene)
    risen = run.position[-1, load, 2] + 1.0
    assert risen == pytest.approx(0.3, abs=2e-3)   # it still swings a little on the rope
    ledger = {name: values[-1] - values[0] for name, values in run.ledger.items()}
    assert ledger["work:rope"] == pytest.approx(
        2.0 * G * risen + ledger["kinetic"] + ledger["stored:rope"] + ledger["lost:rope"], rel=1e-4)


def through_bodies(stepping):
    scene = Scene("bodies", duration=1.0, frames=8, stepping=stepping, **FREE)
    a, b = (scene.add_rigid(name, [[x + 0.1, 0, 0], [x - 0.1, 0, 0], [x, 0.2, 0]], mass=m, inertia=(0.02, 0.03, 0.04),
                            spin=spin, points={"eye": (x - 0.1, 0.3, 0.1), "end": (x, -0.2, 0)})
            for name, x, m, spin in (("a", 0.0, 1.0, (1, 0.5, 2)), ("b", 1.0, 2.0, (1, -0.5, 2))))
    p = scene.add_particle("p", (0.5, 0.8, 0.2), 0.7)
    scene.add_tendon("cable", [(a, "end"), (a, "eye"), p, (b, "eye"), b], 30.0, viscosity=0.5, rest_length=1.0,
                     drive=lambda t: -0.2 * t * t, tension=lambda t: 1.0 + t)
    return scene


def test_a_tendon_over_bodies_keeps_both_momenta_and_closes_the_ledger_at_second_order():
    runs = halved(through_bodies, 400)
    coarse, fine = residuals(runs)
    assert coarse / fine == pytest.approx(4.0, abs=0.4)
    for values in recorded_momenta(runs[0]):
        np.testing.assert_allclose(values, values[:1].repeat(len(values), axis=0), rtol=0, atol=1e-13)
    assert min(abs(runs[0].ledger[f"{word}:cable"][-1]) for word in ("stored", "lost", "work")) > 1e-2


def test_what_a_tendon_needs_is_said():
    scene = Scene("door", **FREE)
    p = scene.add_particles("p", POINTS, 1.0)
    for words, given in (("two or more", {"through": [0]}), ("would never pull", {"stiffness": 0.0}),
                         ("without stiffness", {"stiffness": 0.0, "tension": 1.0, "drive": 1.0}),
                         ("unknown name 'eye'", {"through": ["eye", 0]}), ("must be >= 0", {"stiffness": -1.0}),
                         ("must be >= 0", {"rest_length": -1.0})):
        with pytest.raises(SceneError, match=words):
            scene.add_tendon("rope", **{"through": p, "stiffness": 1.0} | given)
    scene.add_tendon("rope", p, 1.0)
    with pytest.raises(SceneError, match="it exists for"):
        scene.add_sensor("it", "volume", "rope")
    with pytest.raises(SceneError, match="one for all"):
        scene.set_value("rope", "stiffness", 2.0, where=1)


def test_a_tendon_is_said_again_by_its_statement():
    scene = through_bodies(Stepping())
    again = build_model(Scene.from_statements(scene.statements))
    for one, other in zip(build_model(scene).arrays.acts.tendon, again.arrays.acts.tendon, strict=True):
        assert np.array_equal(one, other)
