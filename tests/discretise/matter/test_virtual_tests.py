"""Virtual tests agree with what they test, with each other and with beam theory as cells become smaller."""
import numpy as np
import pytest

from robotphi.discretise import Material, deformable, describe_tests, discretise, rigid, virtual_tests
from robotphi.discretise.matter.virtual_tests import bending, tension
from robotphi.errors import RobotphiError
from robotphi.geometry import shapes
from robotphi.geometry.shapes import box, sphere


def bar(cells, material, way="centre", length=4):
    return deformable(discretise(box((float(length), 1.0, 1.0)), counts=(length * cells, cells, cells)), material, way=way)


@pytest.mark.parametrize("way", ["corners", "centre"])
@pytest.mark.parametrize("poisson", [0.1, 0.25])
def test_tension_finds_the_modulus_and_the_ratio_at_every_refinement(way, poisson):
    for cells in (1, 2, 3):
        found = tension(bar(cells, Material(1e5, poisson=poisson), way))
        assert found["young"] == pytest.approx(1e5, rel=1e-6)
        assert found["poisson"] == pytest.approx(poisson, abs=1e-6)


@pytest.mark.parametrize("way", ["corners", "centre"])
def test_bending_comes_to_the_solids_with_the_square_of_the_cells(way):
    cells = np.array([2, 4, 8])
    excess = [bending(bar(n, Material(1e5), way, length=2))["ratio"]["y"] - 1 for n in cells]
    slopes = np.diff(np.log(excess)) / np.diff(np.log(cells))
    assert excess[-1] < 0.03
    assert (np.abs(slopes + 2) < 0.15).all(), (excess, slopes)


def test_all_tests_agree_and_can_be_printed():
    material = Material(2e5)
    tests = virtual_tests(bar(2, material))
    for name in ("uniform strain", "strained"):
        assert tests[name]["mean_young"] == pytest.approx(2e5)
        assert tests[name]["mean_poisson"] == pytest.approx(0.25)
    lines = describe_tests(tests, material)
    assert any("wanted" in line and "200000" in line for line in lines)
    assert any("bending" in line for line in lines)


def test_bodies_without_plane_ends_are_strained_but_not_pulled():
    tests = virtual_tests(deformable(discretise(sphere(0.5, 1), size=0.3), Material(1e5)))
    assert "plane end" in tests["not run"]
    assert tests["strained"]["mean_young"] == pytest.approx(1e5, rel=0.1)


def test_what_has_no_cells_is_refused():
    with pytest.raises(RobotphiError, match="no volume cells"):
        virtual_tests(rigid(box((1, 1, 1)), mass=1.0))


def test_bars_of_any_section_and_axis_are_tested_alike():
    """A triangular prism has no edge along which to hold it; a flat bar bends about its two axes with its two moments."""
    prism = discretise(shapes.prism([(0, -1), (0.5, 0.5), (-0.5, 0.5)], 4.0), size=0.5)
    found = tension(deformable(prism, Material(1e5)))
    assert found["axis"] == "z"
    assert found["young"] == pytest.approx(1e5, rel=0.05)
    flat = deformable(discretise(box((3.0, 1.0, 0.5)), size=0.125), Material(1e5))
    ratios = bending(flat)["ratio"]
    excess = {"y": 1.5 / 8 ** 2, "z": 1.5 / 4 ** 2}     # about 1.5/n² with n cells across, see above
    assert ratios["y"] - 1 == pytest.approx(excess["y"], rel=0.3)
    assert ratios["z"] - 1 == pytest.approx(excess["z"], rel=0.3)
    with pytest.raises(RobotphiError, match="axis"):
        tension(flat, axis=7)


def test_a_body_that_narrows_is_no_bar():
    with pytest.raises(RobotphiError, match="no bar"):
        tension(deformable(discretise(shapes.cone(0.5, 2.0, 8, top_radius=0.25), size=0.3), Material(1e5)), axis="z")


def test_ratios_of_the_two_sides_are_those_of_the_material():
    thing = deformable(discretise(box((2.0, 1.0, 1.0)), counts=(4, 2, 2)), Material((1e5, 2e5, 0.7e5)))
    wanted = [0.25 * np.sqrt(1e5 / 2e5), 0.25 * np.sqrt(1e5 / 0.7e5)]
    assert tension(thing)["poisson_of_sides"] == pytest.approx(wanted, rel=1e-6)
