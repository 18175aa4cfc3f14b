"""Commands: numbers that a controller or a user's own loop changes while a scene runs; taken wherever a drive is taken.

In the model a command is a drive of two pieces, which are written anew at the instant at which it is set: the number holds from
then on, or from the end of a ramp on where the command has a rate. What follows a coordinate cannot jump and needs such a rate.
"""
import math
import sys
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import frozen, number, refuse
from robotphi.scene.drive import COMMAND, LONG_AGO, Drive, is_number

LARGEST = sys.float_info.max
PIECES = 2   # of the drive of a command: a ramp or what is held, and what is held behind the ramp


@dataclass(frozen=True, eq=False)
class Command(Drive):
    """A number that is set while a scene runs.

    Attributes:
        name: by which it is set.
        start: its value until it is set for the first time.
        low, high: what it may be set to; None where nothing bounds it.
        fastest: per second, of its change; None where it jumps.
    """
    name: str = ""
    start: float = 0.0
    low: float | None = None
    high: float | None = None
    fastest: float | None = None

    @property
    def why_jumps(self):
        return f"is the command {self.name!r}, which jumps where it is set", "give the command a rate: add_command(…, rate=…)"

    @property
    def bounds(self):
        """What it may be, in words; "" where nothing bounds it."""
        parts = [f"{word} {bound:g}" for word, bound in (("at least", self.low), ("at most", self.high)) if bound is not None]
        return " and ".join(parts)

    @property
    def range(self):
        """The least and the greatest float that it may be set to."""
        return -LARGEST if self.low is None else self.low, LARGEST if self.high is None else self.high

    def checked(self, where, value):
        """`value`, where it may be set to that."""
        if not is_number(value) or not math.isfinite(value):
            refuse(where, f"it is set to {value!r:.40}", "give one finite number")
        value = float(value)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            refuse(where, f"it is set to {value:g}", f"it must be {self.bounds}")
        return value


def command(where, name, value, low, high, rate):
    """A checked Command; see `Scene.add_command`."""
    low, high = (None if bound is None else number(where, what, bound) for what, bound in (("low", low), ("high", high)))
    if low is not None and high is not None and low > high:
        refuse(where, f"low is {low:g} and high is {high:g}", "give the lower bound as low")
    if rate is not None:
        rate = number(where, "rate", rate, above=0.0)
    value = number(where, "value", value)
    made = Command(COMMAND, frozen(held(value)), frozen(np.empty(0)), jumps=rate is None, name=name, start=value, low=low,
                   high=high, fastest=rate)
    made.checked(where, value)
    return made


def held(value):
    """(2, 8) pieces of a command that holds a value since ever."""
    piece = np.zeros((PIECES, 8))
    piece[:, 0], piece[:, 1] = (LONG_AGO, np.inf), value
    return piece
