"""Units: what a head of a column, a bound or a noise is told in, to SI."""
import math
import re

from identification.errors import ExperimentError
from robotphi.errors import SceneError
from robotphi.scene import written_units

QUANTITY = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(.*?)\s*")


def unit_of(text, where="unit"):
    """The Unit of a text such as mm, N/m, kg·m²/s or deg."""
    try:
        return written_units.unit_of(text, where)
    except SceneError as error:
        raise ExperimentError(str(error)) from error


def is_unit(text):
    """Whether a text is a unit, by its letters; plain numbers are none."""
    try:
        return any(map(str.isalpha, text)) or text.strip() in ("%", "°") if unit_of(text) else False
    except ExperimentError:
        return False


def quantity_of(value, unit, where):
    """A number in SI of a text such as "0.3 mm"; a plain number is in the unit given."""
    if isinstance(value, str):
        found = QUANTITY.fullmatch(value)
        if found is None:
            raise ExperimentError(f"{where} is {value!r}; give a number, or a number and a unit such as 0.3 mm")
        number, said = float(found.group(1)), found.group(2)
        other = unit_of(said, where) if said else unit
        if other.powers != unit.powers:
            raise ExperimentError(f"{where} is {value!r}, which is not measured in {unit}; give a unit of the same kind")
        return number * other.factor
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        said = "a list or mapping" if isinstance(value, (list, dict)) else repr(value)
        raise ExperimentError(f"{where} is {said}; give a number, or a number and a unit such as 0.3 mm")
    if not abs(value) < math.inf and where != "it":   # bounds are looked at by their parameter
        raise ExperimentError(f"{where} is {value!r}; give a finite number")
    return float(value) * unit.factor
