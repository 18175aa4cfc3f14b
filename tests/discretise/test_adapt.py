"""Cells get smaller until the inertia of the deformed body is right."""
import numpy as np
import pytest

from robotphi.discretise.adapt import adapt
from robotphi.discretise.masses.certificate import certificate, largest_error
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry import shapes

BAR = shapes.box((1.0, 0.2, 0.2))
BEND = {"bend": 1.0, "axis": "x"}


@pytest.mark.parametrize("way", ["centre", "corners", "tetrahedra"])
def test_adapting_ends_below_the_threshold_and_not_far_below(way):
    found = adapt(BAR, BEND, 2e-3, way)
    assert found.error <= 2e-3
    assert found.error == largest_error(certificate(spread_mass(found.mesh, 1.0, way), displacement=BEND))
    before = found.history[-2]
    assert max(before["rest"], before["deformed"]) > 2e-3
    sizes = [row["size"] for row in found.history]
    assert sizes == sorted(sizes, reverse=True)
    assert found.history[-1]["particles"] == len(spread_mass(found.mesh, 1.0, way).position)


def test_what_is_good_enough_stays_as_it_is():
    found = adapt(BAR, {"stretch": 0.2, "axis": "x"}, 1e-9, start=0.2)
    assert len(found.history) == 1
    assert found.size == 0.2


def test_the_error_of_a_bent_bar_falls_with_the_square_of_the_size():
    errors = [largest_error(certificate(spread_mass(discretise(BAR, counts=(5 * n, n, n)), 1.0), displacement=BEND))
              for n in (2, 4, 8)]
    # second order; at ten cells along a radian the next order, (1/10)² of it and more, still shows
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=0.05)


def test_too_much_asked_is_refused_with_figures():
    with pytest.raises(SceneError, match=r"1e-06 asks for more than 500 particles.*the best reached is"):
        adapt(BAR, BEND, 1e-6, limit=500)
    with pytest.raises(SceneError, match="nothing was reached"):
        adapt(BAR, BEND, 1e-6, start=0.01, limit=500)
    with pytest.raises(SceneError, match="threshold"):
        adapt(BAR, BEND, 0.0)


def test_without_a_deformation_there_is_nothing_to_adapt_to():
    with pytest.raises(SceneError, match="no deformation is given"):
        adapt(BAR, None, 1e-3)
