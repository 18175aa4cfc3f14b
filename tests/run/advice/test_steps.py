"""Warnings before a run about contacts that would force very short steps."""

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, build_model, simulate
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.transform import moved
from robotphi.discretise.matter.material import Material
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.geometry import shapes
from robotphi.run.advice.steps import LISTED, SHORT, contact_warnings
from tests.counted import python_lines


def ball(scene, material):
    scene.add_ball("thing", (0, 0, 0.3), 0.1, mass=1.0, contact=material)


def box(scene, material):
    scene.add_object("thing", moved(rigid(shapes.box((0.2, 0.2, 0.2)), density=125.0), (0, 0, 0.3)), contact=material)


def soft(scene, material):
    thing = deformable(discretise(shapes.box((0.2, 0.2, 0.2)), size=0.1), Material(young=1e5, density=125.0))
    scene.add_object("thing", moved(thing, (0, 0, 0.3)), contact=material)


def cylinder(scene, material):
    scene.add_cylinder("thing", (0, 0, 0.3), (0.3, 0, 0.3), 0.1, mass=1.0, contact=material)


def falling(add, stiffness, duration=1.0, **options):
    scene = Scene("fall", duration=duration, frames=10, stepping=Stepping(**options))
    material = ContactMaterial(stiffness=2.0 * stiffness, restitution=0.7, speed=2.0)
    scene.add_plane("floor", contact=material)
    add(scene, material)
    return scene


def warned(*args, **options):
    return contact_warnings(build_model(falling(*args, **options)))


def suggested(text):
    return float(text.split("stiffness of the pair of ")[1].split()[0])


def test_nothing_is_said_without_contact_or_about_contact_that_is_soft_enough():
    scene = Scene("none")
    scene.add_particle("one", (0, 0, 0), 1.0)
    assert contact_warnings(build_model(scene)) == []
    for add in (ball, box, cylinder, soft):
        assert warned(add, 1e5) == []


@pytest.mark.parametrize("add", [ball, box, cylinder, soft])
def test_a_stiff_contact_is_named_with_a_stiffness_that_would_do(add):
    [text] = warned(add, 1e16)
    for word in ("'floor' and 'thing'", "m/s", "steps of about", "N/m³", "instead of 1e+16", "mm", "budget"):
        assert word in text, text
    enough = suggested(text)
    assert warned(add, enough) == []
    assert warned(add, 3.0 * enough), "what is suggested is not far from what would do"


def test_a_larger_budget_and_a_longer_run_are_told_by_less():
    """τ ∝ √budget/ω against 1e-7 of the duration, ω² ∝ stiffness: hundred times the budget makes ten times the step."""
    few, more = (suggested(warned(box, 1e13, budget=budget)[0]) for budget in (1e-6, 1e-4))
    assert 100.0 / 2 < more / few < 2 * 100.0   # each rounded to one digit


def test_a_fixed_step_is_held_against_what_is_stable():
    assert warned(box, 1e8, control="fixed", dt=1e-5) == []
    [text] = warned(box, 1e8, control="fixed", dt=2e-3)   # ω = √(1e8 × 0.04 m²/1 kg) = 2000/s
    assert "step of 0.002 s is longer than the 0.001 s that are stable" in text
    assert "budget" not in text
    assert suggested(text) == 2e7   # (2/2e-3 s)² × 1 kg/0.04 m² = 2.5e7


def test_a_soft_thing_is_as_quick_as_its_lightest_surface():
    """ω² = λ max a/m over its vertices, and λ times their mean area over its whole mass of 1 kg."""
    model = build_model(falling(soft, 1e8, control="fixed", dt=1.0))
    parts = model.arrays.contact.parts
    ratio = (parts.vertex_area * model.arrays.particles.inverse_mass[parts.vertex]).max()
    assert ratio > 1.0   # m²/kg, where the whole has 0.24
    omega = np.sqrt(1e8 * (ratio + parts.vertex_area.mean()))
    [text] = contact_warnings(model)
    assert f"longer than the {2.0 / omega:.1g} s" in text


def test_ball_laws_are_told_in_their_own_unit():
    scene = Scene("balls", duration=1.0)
    material = ContactMaterial(stiffness=1e6, ball_law="hertz", ball_stiffness=1e16)
    for i in range(2):
        scene.add_ball(f"ball{i}", (0, 0, i), 0.1, mass=1.0, contact=material)
    [text] = contact_warnings(build_model(scene))
    assert "N/m^1.5 instead of" in text


def test_pairs_that_never_touch_are_passed_over():
    scene = falling(ball, 1e13)
    scene.exclude_contact("floor", "thing")
    assert contact_warnings(build_model(scene)) == []


def test_like_pairs_are_told_once_and_not_too_many():
    material = ContactMaterial(stiffness=1e21)
    few, many = Scene("few", duration=1.0), Scene("many", duration=1.0)
    for scene, count in ((few, 20), (many, 3000)):
        scene.add_plane("floor", contact=material)
        for i in range(count):
            scene.add_ball(f"ball{i}", (i % 50, i // 50, 1.0), 0.4, mass=1.0, contact=material)
    model, smaller = build_model(many), build_model(few)
    found = contact_warnings(model)
    assert python_lines(lambda: contact_warnings(model)) < 1.1 * python_lines(lambda: contact_warnings(smaller))
    assert len(found) == 2   # with the floor, and with each other
    assert all("and others like them" in text for text in found)
    for i in range(8):
        scene.add_ball(f"other{i}", (i, 0, 5.0), 0.4, mass=10.0 ** -i, contact=material)
    found = contact_warnings(build_model(scene))
    assert len(found) == LISTED
    assert "more kinds of pairs" in found[-1]


@pytest.mark.parametrize(("add", "stiffness"), [(ball, 1e8), (box, 1e8)])
def test_the_step_foretold_is_about_the_one_that_a_run_takes(add, stiffness, monkeypatch):
    monkeypatch.setattr("robotphi.run.advice.steps.SHORT", 1e3)   # tell it however long
    [text] = warned(add, stiffness, duration=0.4)
    foretold = float(text.split("steps of about ")[1].split()[0])
    steps = np.sort(simulate(falling(add, stiffness, duration=0.4)).steps["dt"])
    taken = steps[len(steps) // 2]   # of all but a few in the hit; the shortest are those onto its first and last touch
    assert taken / 5.0 < foretold < 5.0 * taken
    assert SHORT == 1e-7


@pytest.mark.parametrize("tied", [False, True])
def test_what_is_tied_to_what_is_held_does_not_fall(tied):
    """A box 0.3 m above the ground, hung up by a spring or loose: one that is hung up meets it as fast as it starts."""
    scene = falling(box, 1e13)
    thing = scene.objects["thing"].particles
    nail = scene.add_particle("nail", (0, 0, 1), 1.0, support="xyz")
    if tied:
        scene.add_linear("cord", nail, int(thing[0]), 100.0)
    [text] = contact_warnings(build_model(scene))
    assert ("under their weight" if tied else "at a hit of 4.4 m/s") in text   # √(2 g 1 m), from the nail


def test_a_contact_that_would_let_things_sink_through_is_not_proposed():
    thin = Scene("thin", duration=1.0, frames=10)
    material = ContactMaterial(stiffness=2e13, restitution=0.7, speed=2.0)
    thin.add_plane("floor", contact=material)
    thing = rigid(shapes.box((0.2, 0.2, 1e-7)), density=1e9)
    thin.add_object("thing", moved(thing, (0, 0, 0.3)), contact=material)
    [text] = contact_warnings(build_model(thin))
    assert "more than they are thick" in text
    assert "stiffness of the pair" not in text
