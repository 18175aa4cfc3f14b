"""Fields: forces and their potentials, what has none gives work, boxes, and reactions."""
import numpy as np
import pytest

from robotphi import Drive, Scene, SceneError, Stepping, build_model, simulate
from robotphi.record.measure import recorded_momenta
from tests.kernels.acts.probe import frequency_and_bound, gradient, halved, pushed, residuals

POINTS = np.array([[0.5, 0.2, 0.3], [-0.4, 0.3, 0.2], [0.3, -0.5, 0.4]])
FREE = {"gravity": (0.0, 0.0, 0.0)}
STORED = {
    "uniform": {"amount": 2.0, "axis": (1, 2, 0)}, "drawn": {"law": "power", "amount": 3.0, "power": -2.0},
    "logarithm": {"law": "power", "amount": -3.0, "power": -1.0},
    "soft": {"law": "power", "amount": 3.0, "power": -2.0, "soft": 0.3},
    "spring": {"law": "power", "amount": 3.0, "power": 1.0}, "well": {"law": "well", "amount": 2.0, "width": 0.4},
    "hill": {"law": "well", "amount": -2.0, "width": 0.4}, "ball": {"amount": 0.1, "width": 0.6, "radius": 0.3},
    "plane": {"amount": 0.1, "width": 0.6, "axis": (0, 0, 1)}}
NOT = {"vortex": {"amount": 2.0, "axis": (0, 0, 1), "width": 0.5},
       "box": {"law": "uniform", "amount": 2.0, "axis": (0, 0, 1), "low": (-0.5, -1, -1), "high": (1, 1, 1), "edge": 0.3}}


def dots(name, **more):
    scene = Scene("dots", **FREE)
    p = scene.add_particles("p", POINTS, 1.5)
    scene.add_field("field", p, **{"law": name, **(STORED | NOT)[name]} | more)
    return scene


@pytest.mark.parametrize("name", STORED)
def test_a_field_is_minus_the_gradient_of_what_it_stores(name):
    model = build_model(dots(name))
    force, _ = pushed(model, POINTS)
    assert np.abs(force).max() > 0.1
    np.testing.assert_allclose(force, -gradient(model, POINTS), rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", sorted((STORED | NOT).keys() - {"uniform", "hill"}))
def test_the_bound_of_a_field_bounds_its_frequency(name):
    exact, bound = frequency_and_bound(dots(name))
    assert exact * (1.0 - 1e-6) <= bound
    assert bound <= 6.0 * exact or name in ("vortex", "box", "logarithm", "well"), (exact, bound)   # may be near nothing


def flown(stepping):
    scene = Scene("flown", duration=1.0, frames=4, stepping=stepping, **FREE)
    p = scene.add_particles("p", POINTS, 1.5, velocity=(0.5, 0.3, -0.2))
    for name, said in (STORED | NOT).items():
        scene.add_field(name, p, **{"law": name, **said, "active": Drive.sine(0.5, 1.0, offset=1.0)})
    return scene


def test_fields_close_the_ledger_at_second_order():
    runs = halved(flown, 400)
    coarse, fine = residuals(runs)
    assert coarse / fine == pytest.approx(4.0, abs=0.3)
    ledger = runs[0].ledger
    assert min(np.abs(ledger[f"stored:{name}"]).max() for name in STORED) > 1e-2
    assert min(np.abs(ledger[f"work:{name}"]).max() for name in NOT) > 1e-2
    assert max(np.abs(ledger[f"stored:{name}"]).max() for name in NOT) == 0.0


def test_a_body_circles_another_that_draws_it_and_the_two_keep_their_momenta():
    """Two masses on circles about their centre: ω² = S (1/m + 1/M)/d³ for S/r²."""
    scene = Scene("circle", duration=1.0, frames=4, stepping=Stepping(budget=1e-8), **FREE)
    omega = np.sqrt(2.0 * (1.0 / 1.0 + 1.0 / 4.0))
    a = scene.add_particle("a", (0.8, 0, 0), 1.0, velocity=(0, 0.8 * omega, 0))
    b = scene.add_particle("b", (-0.2, 0, 0), 4.0, velocity=(0, -0.2 * omega, 0))
    scene.add_field("draw", a, "power", 2.0, power=-2.0, around=b)
    run = simulate(scene)
    turned = omega * run.time[:, None]
    np.testing.assert_allclose(run.position[:, a], 0.8 * np.hstack((np.cos(turned), np.sin(turned), 0 * turned)), atol=2e-3)
    for values in recorded_momenta(run):
        np.testing.assert_allclose(values, values[:1].repeat(len(values), axis=0), rtol=0, atol=1e-14)


def test_an_obstacle_is_not_entered():
    scene = Scene("obstacle", duration=2.0, frames=100, **FREE)
    p = scene.add_particle("p", (-1.0, 0.02, 0), 1.0, velocity=(1.0, 0, 0))
    scene.add_field("ball", p, "ball", 0.01, radius=0.3, width=0.2)
    distance = np.linalg.norm(simulate(scene).position[:, p], axis=1)
    assert 0.3 < distance.min() < 0.5


def test_outside_of_its_box_there_is_no_field():
    model = build_model(dots("box"))
    far = POINTS + np.array([5.0, 0, 0])
    assert not pushed(model, far)[0].any()
    inside = np.broadcast_to((0.2, 0.0, 0.0), POINTS.shape)   # farther than the edge from all sides
    np.testing.assert_allclose(pushed(model, inside)[0], np.broadcast_to((0, 0, 2.0), POINTS.shape), atol=1e-14)


def test_gusts_are_the_wind_of_the_medium():
    """The wind takes Drives: one gust is a table, and its work is the medium's."""
    from robotphi.discretise import rigid
    from robotphi.geometry.shapes import box

    scene = Scene("gust", duration=1.0, frames=4, **FREE)
    scene.add_object("plate", rigid(box((0.01, 0.5, 0.5)), density=100.0))
    scene.set_medium(density=1.2, drag=1.2, wind=(Drive.table([0.0, 0.2, 0.4], [0.0, 10.0, 0.0], kind="linear"), 0.0, 0.0))
    run = simulate(scene)
    assert run.rigid_velocity[-1, 0, 0] > 0.1
    assert run.ledger["work:wind"][-1] > run.ledger["kinetic"][-1] > 0.0


def test_what_a_field_needs_is_said():
    scene = Scene("door", **FREE)
    p = scene.add_particles("p", POINTS, 1.0)
    for words, given in (("unknown law 'magnet'", {"law": "magnet"}), ('give "power"', {"law": "attraction"}),
                         ("target is None", {"target": None, "axis": (0, 0, 1)}),
                         ("axis of a uniform field is missing", {}),
                         ("not all 0", {"axis": (0, 0, 0)}),
                         ("it has power, soft", {"law": "power", "power": 1.0, "radius": 1.0}),
                         ("axis is 'z'; give numbers", {"axis": "z"}),
                         ("without an edge", {"axis": (0, 0, 1), "low": (0, 0, 0)}),
                         ("no room for an edge", {"axis": (0, 0, 1), "low": (0, 0, 0), "high": (-1, 1, 1), "edge": 0.1}),
                         ("no room for an edge", {"axis": (0, 0, 1), "low": (0, 0, 0), "high": (1, 1, 1), "edge": 0.6}),
                         ("along the line of the two", {"axis": (0, 0, 1), "around": 0}),
                         ("must be > 0", {"law": "well", "width": 0.0})):
        with pytest.raises(SceneError, match=words):
            scene.add_field("field", **{"target": p, "law": "uniform", "amount": 1.0} | given)


@pytest.mark.parametrize(("given", "words"), [
    ({"power": -2.0}, "stands at the centre"), ({"target": [0, 1, 0]}, "pushed twice"), ({"per_mass": "x"}, "per_mass is 'x'"),
    ({"edge": 0.0, "low": (-1, -1, -1), "high": (1, 1, 1)}, "edge is 0"),
])
def test_a_field_without_a_bound_or_a_sense_is_refused(given, words):
    scene = Scene("pole", duration=0.1, gravity=(0, 0, 0))
    scene.add_particles("p", [(0, 0, 0), (1, 0, 0)], 1.0)
    with pytest.raises(SceneError, match=words):
        scene.add_field("field", **{"target": "p", "law": "power", "amount": 1.0, "power": 1.0} | given)
    for number, given in enumerate(({"power": -2.0, "soft": 0.1}, {"power": 0.0}, {"power": -2.0, "centre": (0, 0, 1)})):
        scene.add_field(f"field {number}", **{"target": "p", "law": "power", "amount": 1.0, "power": 1.0} | given)
