"""Lean runs: nothing is recorded; sensors are read at given instants, and an end is told by a word.

For identification and sweeps of thousands of short runs. The steps are those of a run whose frames are these instants.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import STATUSES
from robotphi.run.simulator import Simulator

DONE, DIVERGED, LIMIT = "done", "diverged", "limit"


class Readings(NamedTuple):
    """What a lean run saw.

    Attributes:
        values: name of a sensor → (n, …) its values at the instants.
        status: "done", "diverged", or "limit" where the attempts ran out.
        reached: s, the last instant that was reached.
        attempts, evaluations: steps tried, and evaluations of the forces.
    """
    values: dict
    status: str
    reached: float
    attempts: int
    evaluations: int


class _Ended(Exception):
    """The run cannot go on."""


class Lean(Simulator):
    """A simulator without a recording."""

    def __init__(self, model, attempt_limit=None, controllers=None):
        super().__init__(model, 1, controllers)
        if attempt_limit is not None:
            self.state.buffers.counters[slots.ATTEMPT_LIMIT] = attempt_limit

    def readings(self, times, names):
        """Sensors at instants, which are in order and within the duration."""
        names, found, status, reached = tuple(names), [], DONE, 0.0
        for time in map(float, times):
            try:
                there = self.advance_to(time)
            except _Ended:
                status = DIVERGED
                break
            if not there:
                status = LIMIT
                break
            found.append(self.read(names))
            reached = time
            if self.state.is_senseless():
                status = DIVERGED
                break
        values = {name: np.array([each[name] for each in found]) for name in names}
        counts = self.counts()
        return Readings(values, status, max(reached, self.state.time if status == LIMIT else reached), counts["attempts"],
                        counts["evaluations"])

    def _record(self):
        """Nothing is kept."""

    def _give_up(self, code):
        raise _Ended(STATUSES[code].end)
