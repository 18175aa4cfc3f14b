"""What the rows of an act may be made of: annotations of its named tuple, by which `Scene.add_act` checks what it is given."""
from typing import NamedTuple

REQUIRED = object()   # a field that has to be given
MADE = ("count", "state", "entry")   # kinds of fields that nobody gives


class Field(NamedTuple):
    """Kind of a field and what is allowed there."""
    kind: str                     # "number", "vector", "particles", "ends", "rigid", "drive", "whole", "choice", "touching",
                                  # "freedom", or of MADE
    unit: str = ""
    low: float | None = None      # numbers: at least this
    above: float | None = None    # numbers: more than this
    default: object = REQUIRED
    single: bool = False          # numbers: one for the whole act, of which each row has a copy
    looked_at: bool = False       # ends: no force takes hold there
    words: tuple = ()             # choices: rows have the place of the word; of a state the number without which there is none


def number(unit, low=None, above=None, default=REQUIRED, single=False):
    """A number, or one for each particle: (rows,) float64."""
    return Field("number", unit, low, above, default, single)


def vector(unit, default=REQUIRED):
    """Three numbers, or as many for each particle: (rows, 3) float64."""
    return Field("vector", unit, default=default)


def particles():
    """One particle or several; there is a row for each: (rows,) int32."""
    return Field("particles")


def ends(default=REQUIRED, looked_at=False):
    """Where a force takes hold, or what is looked at: particles, marks, centres of rigids; a row for each: (rows,) int32."""
    return Field("ends", default=default, looked_at=looked_at)


def rigid(default=REQUIRED):
    """A rigid: (rows,) int32, −1 where it is left out."""
    return Field("rigid", default=default)


def drive(unit, default=REQUIRED):
    """A quantity over time: (rows,) int32, for `drive_value`; −1 where it is left out and None by default."""
    return Field("drive", unit, default=default)


def whole(default=REQUIRED):
    """A whole number from one on: (rows,) int32; no value that changes."""
    return Field("whole", default=default)


def choice(*words, default=REQUIRED):
    """One of some words: (rows,) int32, its place."""
    return Field("choice", default=default, words=words)


def count():
    """How many rows the act has, not given by users: (rows,) int32."""
    return Field("count")


def touching():
    """A thing that touches, −1 where it is left out: (rows,) int32."""
    return Field("touching", default=None)


def freedom():
    """(joint, freedom) by their numbers: (rows,) int32, row of the coordinate, −1 where it is left out."""
    return Field("freedom", default=None)


def state(needs, single=False, starts=()):
    """Row of what the act remembers, each row its own or one for all: (rows,) int32.

    −1 where the number of the name `needs` is nought for all rows, or the choice of that name is its first word; `starts`:
    words of that choice with which the state starts at 1.
    """
    return Field("state", single=single, words=(needs, *starts))


def entry():
    """First of the three rows of the ledger, not given by users: (rows,) int32."""
    return Field("entry")
