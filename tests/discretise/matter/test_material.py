"""Materials at the door."""
import warnings

import numpy as np
import pytest

from robotphi.discretise import Material, SectionMaterial, deformable, discretise
from robotphi.errors import SceneError
from robotphi.geometry import shapes


@pytest.mark.parametrize(("given", "says"), [
    ({"young": -1.0}, "young"), ({"young": (1.0, 2.0)}, "one modulus"), ({"young": np.nan}, "finite"),
    ({"young": 1.0, "poisson": 0.7}, "poisson"), ({"young": 1.0, "density": 0.0}, "density"),
    ({"young": 1.0, "hardening": 2.0}, "yield_stress"), ({"young": 1.0, "damping_frequency": 0.0}, "damping_frequency"),
    ({"young": 1.0, "frame": np.ones((3, 3))}, "right angles"), ({"young": "stiff"}, "numbers")])
def test_a_bad_material_is_refused_in_words(given, says):
    with pytest.raises(SceneError, match=says):
        Material(**given)


def test_a_ratio_that_cannot_be_reached_is_refused_with_what_can():
    with pytest.raises(SceneError, match=r"poisson 0\.45 cannot be reached in a solid .* use 0 to 0\.25.*young=86206\.9"):
        Material(1e5, poisson=0.45).solid_stiffness()
    with pytest.raises(SceneError, match=r"a sheet .* use 0 to 0\.3333"):
        Material(1e5, poisson=0.4).sheet_poisson()
    with pytest.raises(SceneError, match="cannot be reached"):
        Material(1e5, poisson=-0.2).solid_stiffness()


def test_the_modulus_offered_instead_keeps_the_shear_modulus():
    wanted, offered = 1e5 / (2 * 1.45), 86206.9 / (2 * 1.25)
    assert offered == pytest.approx(wanted, rel=1e-6)  # six digits are printed


def test_viscosity_over_stiffness_gives_the_damping_ratio_at_its_frequency():
    material = Material(1e5, damping_ratio=0.05, damping_frequency=4.0)
    # a mode of angular frequency ω with viscosity β × stiffness has the damping ratio β ω/2
    assert material.damping_time(1.0) * 2 * np.pi * 4.0 / 2 == pytest.approx(0.05)


def test_the_frequency_left_out_is_that_of_the_first_lengthwise_vibration():
    material = Material(4e4, density=1000.0, damping_ratio=0.1)
    frequency = np.sqrt(4e4 / 1000.0) / (2 * 0.5)
    assert material.damping_time(0.5) == pytest.approx(0.1 / (np.pi * frequency))


def test_sections_are_checked_too():
    with pytest.raises(SceneError, match="linear_stiffness"):
        SectionMaterial(0.0)
    with pytest.raises(SceneError, match="angular_viscosity"):
        SectionMaterial(1.0, angular_viscosity=-1.0)


def test_what_is_not_reached_is_told_at_once_with_the_users_line():
    flat = discretise(shapes.box((1.0, 1.0, 1.0)), counts=(1, 2, 6))
    with pytest.warns(UserWarning, match=r"nu = 0\.\d+, wanted 0\.25") as told:
        deformable(flat, Material(1e5, poisson=0.25))
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match=r"along the axes of the material, wanted 1e\+06, 1000, 1000"):
        deformable(discretise(shapes.box((1.0, 1.0, 1.0)), counts=(2, 2, 2)), Material((1e6, 1e3, 1e3)))


def test_what_is_reached_is_told_along_the_axes_of_the_material():
    angle = np.pi / 2
    frame = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    block = discretise(shapes.box((1.0, 1.0, 1.0)), counts=(2, 2, 2))
    thing = deformable(block, Material((2e5, 1e5, 1e5), frame=frame))
    assert np.allclose(thing.notes["materials"][0]["reached"]["young_of_axes"], (2e5, 1e5, 1e5), rtol=1e-6)


def test_long_cells_are_warned_of_because_they_lock_in_bending():
    plate = discretise(shapes.box((1.0, 1.0, 0.1)), counts=(5, 5, 2))
    with pytest.warns(UserWarning, match="4 times as long as wide"):
        thing = deformable(plate, Material(1e5))
    assert thing.notes["length over width of cells"] == pytest.approx(4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        deformable(discretise(shapes.sphere(0.5, 1), size=0.25), Material(1e5))
