"""Units of heads and bounds."""
import pytest

from identification.errors import ExperimentError
from identification.experiment.units import quantity_of, unit_of


@pytest.mark.parametrize(("text", "factor", "powers"), [
    ("mm", 1e-3, (1, 0, 0)), ("N/m", 1.0, (0, 1, -2)), ("kN/mm", 1e6, (0, 1, -2)), ("N s/m", 1.0, (0, 1, -1)),
    ("kg·m²/s", 1.0, (2, 1, -1)), ("m/s^2", 1.0, (1, 0, -2)), ("deg", 0.017453292519943295, (0, 0, 0)), ("%", 0.01, (0, 0, 0)),
    ("1/s", 1.0, (0, 0, -1)), ("MPa", 1e6, (-1, 1, -2)), ("", 1.0, (0, 0, 0)), ("g", 1e-3, (0, 1, 0)), ("µm", 1e-6, (1, 0, 0)),
    ("mrad", 1e-3, (0, 0, 0))])
def test_a_unit_has_its_factor_to_si_and_its_dimension(text, factor, powers):
    unit = unit_of(text)
    assert unit.factor == pytest.approx(factor, rel=1e-15)
    assert unit.powers == powers


def test_what_is_no_unit_is_refused_with_some_that_are():
    with pytest.raises(ExperimentError, match="no unit that is known"):
        unit_of("furlong")


def test_a_quantity_takes_its_own_unit_or_the_one_that_is_meant():
    mm = unit_of("mm")
    assert quantity_of("0.3 mm", unit_of("m"), "noise") == pytest.approx(3e-4, rel=1e-15)
    assert quantity_of(0.3, mm, "noise") == pytest.approx(3e-4, rel=1e-15)
    with pytest.raises(ExperimentError, match="not measured in mm"):
        quantity_of("3 N", mm, "noise")
    with pytest.raises(ExperimentError, match="give a number"):
        quantity_of("much", mm, "noise")
