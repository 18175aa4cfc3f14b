"""Lean runs: nothing is recorded; sensors are read at given instants, and an end is told by a word.

For identification, which makes thousands of short runs of models that differ by some numbers (`Model.with_values`). The steps
are those of a run whose frames are these instants. Making room and laying it down for compiled code takes longer than such a
run: a `Lean` does it once, and takes other models of the same form by writing their numbers where those of the last one were.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import STATUSES
from robotphi.model.arrays import aligned
from robotphi.run.buffers import has_dampers, stiffness_base
from robotphi.run.last_pieces import with_last_pieces
from robotphi.run.reading import Reader
from robotphi.run.simulator import Simulator
from robotphi.run.state import stages_pay

DONE, DIVERGED, LIMIT = "done", "diverged", "limit"
SPRINGS = {f"{name}.{column}" for name in OF_LIST for column in ("stiffness", "viscosity")}   # a state has a bound of these


class Readings(NamedTuple):
    """What a lean run saw.

    Attributes:
        values: name of a sensor → (n, …) its values at the instants.
        status: "done", "diverged", or "limit" where the attempts ran out.
        reached: s, how far it came.
        attempts, evaluations: steps tried, and evaluations of the forces.
    """
    values: dict
    status: str
    reached: float
    attempts: int
    evaluations: int


class Lean:
    """Runs models of one form, one after the other."""

    def __init__(self):
        self._simulator = None

    def readings(self, model, times, names, attempt_limit=None):
        """Sensors of a model at instants, which are in order and within the duration."""
        if self._simulator is None or not self._simulator.take(model):
            self._simulator = _LeanSimulator(model)
        return self._simulator.readings(times, tuple(names), attempt_limit)


class _Ended(Exception):
    """The run cannot go on."""


class _LeanSimulator(Simulator):
    """A simulator that keeps no frames, of a model whose arrays are its own."""

    def __init__(self, model):
        model = with_last_pieces(model)
        self._arrays = _Own(model.arrays)
        super().__init__(model._replace(arrays=self._arrays.given), 1)
        self.state.remember()

    def take(self, model):
        """Go on with another model from its start; False where it has another form."""
        if self.commands or model.scene.commands or model.scene.controllers:
            return False
        model, dampers = with_last_pieces(model), has_dampers(self._arrays.given)
        changed = self._arrays.take(model.arrays)
        if changed is None:
            return False
        model = model._replace(arrays=self._arrays.given)
        self.restart()
        if changed <= SPRINGS and has_dampers(model.arrays) == dampers and self._same_scene(model):
            self.state.buffers.stiffness_bound[...] = stiffness_base(model.arrays, len(model.arrays.particles.mass))
            self.state.buffers.numbers[slots.STAGES_PAY] = stages_pay(model.arrays)
        elif not self.state.renew(model):
            return False
        self.model = self.state.model = self.commands.model = model
        self.frame_times, self._last = model.scene.frame_times, len(model.scene.frame_times) - 1
        self.reader = Reader(self)
        return True

    def _same_scene(self, model):
        """Whether what else a state begins with is the same: control, duration, velocities and places."""
        now, then = model.scene, self.model.scene
        return (now.stepping == then.stepping and now.duration == then.duration and all(
            getattr(model, name) is getattr(self.model, name) for name in model._fields if name not in ("scene", "arrays")))

    def readings(self, times, names, attempt_limit):
        """See `Lean.readings`."""
        if attempt_limit is not None:
            self.state.buffers.counters[slots.ATTEMPT_LIMIT] = attempt_limit
        found, status, reached = [], DONE, 0.0
        for time in map(float, times):
            status = self._reached(time)
            if status != DONE:
                break
            found.append(self.read(names))
            reached = time
        counters = self.state.buffers.counters
        values = {name: np.array([each[name] for each in found]) for name in names}
        return Readings(values, status, self.state.time if status == LIMIT else reached, counters.item(slots.ATTEMPTS),
                        counters.item(slots.EVALUATIONS))

    def _reached(self, time):
        """How the way to an instant ended."""
        try:
            there = self.advance_to(time)
        except _Ended:
            return DIVERGED
        return LIMIT if not there else DIVERGED if self.state.is_senseless() else DONE

    def _record(self):
        """Nothing is kept."""

    def _give_up(self, code):
        raise _Ended(STATUSES[code].end)


class _Own:
    """A copy of nested tuples of arrays, read-only as they are, into which others of the same form are written."""

    def __init__(self, given):
        self._room, self._seen, self._ways = [], [], []
        self.given = self._copied(given, "")

    def _copied(self, given, way):
        if isinstance(given, tuple):
            names = getattr(given, "_fields", range(len(given)))
            inner = [self._copied(each, f"{way}.{name}") for name, each in zip(names, given, strict=True)]
            return type(given)(*inner) if hasattr(given, "_fields") else type(given)(inner)
        self._seen.append(given)
        self._ways.append(way[1:])
        if not isinstance(given, np.ndarray):
            self._room.append(None)
            return given
        shown = aligned(given, given.dtype)
        shown.flags.writeable = True
        room = shown.view()
        shown.flags.writeable = given.flags.writeable
        self._room.append(room)
        return shown

    def take(self, given):
        """Write others, and tell the ways to those that differ; None, and nothing is written, where their form is another."""
        others = list(_leaves(given))
        if len(others) != len(self._seen):
            return None
        changed = [k for k, (new, seen) in enumerate(zip(others, self._seen, strict=True)) if new is not seen]
        for k in changed:
            room, new = self._room[k], others[k]
            same = new == self._seen[k] if room is None else (
                isinstance(new, np.ndarray) and new.shape == room.shape and new.dtype == room.dtype)
            if not same:
                return None
        for k in changed:
            if self._room[k] is not None:
                self._room[k][...] = others[k]
            self._seen[k] = others[k]
        return {self._ways[k] for k in changed}


def _leaves(given):
    for each in given:
        if isinstance(each, tuple):
            yield from _leaves(each)
        else:
            yield each
