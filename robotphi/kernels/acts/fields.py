"""What the rows of an act may be made of: annotations of its named tuple, by which `Scene.add_act` checks what it is given."""
from typing import NamedTuple

REQUIRED = object()   # a field that has to be given


class Field(NamedTuple):
    """Kind of a field and what is allowed there."""
    kind: str                     # "number", "vector", "particles", "rigid", "drive" or "entry"
    unit: str = ""
    low: float | None = None      # numbers: at least this
    above: float | None = None    # numbers: more than this
    default: object = REQUIRED


def number(unit, low=None, above=None, default=REQUIRED):
    """A number, or one for each particle: (rows,) float64."""
    return Field("number", unit, low, above, default)


def vector(unit, default=REQUIRED):
    """Three numbers, or as many for each particle: (rows, 3) float64."""
    return Field("vector", unit, default=default)


def particles():
    """One particle or several; there is a row for each: (rows,) int32."""
    return Field("particles")


def rigid():
    """A rigid: (rows,) int32."""
    return Field("rigid")


def drive(unit, default=REQUIRED):
    """A quantity over time: (rows,) int32, for `drive_value`."""
    return Field("drive", unit, default=default)


def entry():
    """First of the three rows of the ledger, not given by users: (rows,) int32."""
    return Field("entry")
