"""Rest with contact, friction, acts and exact joints: the loop itself, stopped whenever the kinetic energy has passed a peak.

Masses, forces and the way of friction are those of any run; steps are as long as they are stable. Drives stand still at their
value of the moment, and dampers of springs and joints, which play no part at rest, are left out: they would only make it creep.
Where friction holds there are many equilibria: this is the one that the motion from the given state comes to, so stopped.
"""

import numpy as np

from robotphi.errors import NoEquilibrium
from robotphi.kernels.mechanism.stand import stand_on
from robotphi.kernels.springs.table import OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import STATUSES
from robotphi.kernels.step.entries import REST, TOTAL
from robotphi.kernels.step.ledger import KINETIC
from robotphi.kernels.step.scales import START_SHARE
from robotphi.kernels.step.unbalanced import BODY, LARGEST, unbalanced_on
from robotphi.model.arrays import aligned
from robotphi.record.springs import drive_value
from robotphi.run.loop import Loop

FEWEST, MOST = 1, 512   # steps between two looks at the kinetic energy
LOOKS = 8, 32           # from a stop to the peak, between which the looks are right
FAR = 10.0              # times the size of the scene: what has fallen so far falls for ever
BUDGET = 0.05           # of the energy, that steps may leave unexplained from stop to stop
FIRST, LONGEST = 1e-3, 0.2   # of the natural time √(size/acceleration): their steps
START = 0.05            # of it, in which nothing has moved yet
SEEN = 4                # peaks: the mean steps up to each of them are the longest later on
AWAY = int(1e9)


def stand_still(model, time):
    """The model with its drives held at their values of a time, and without the dampers of springs and joints."""
    arrays = model.arrays
    count = len(arrays.drives.start) - 1
    piece = np.zeros((count, 8))
    for drive in range(count):
        piece[drive, 1] = float(drive_value(arrays.drives, drive, time))
    springs = {name: _without(getattr(arrays, name), "viscosity") for name in OF_LIST}
    return model._replace(arrays=arrays._replace(
        drives=arrays.drives._replace(start=aligned(np.arange(count + 1), np.int32), piece=aligned(piece)),
        breakpoints=aligned(np.zeros(0)), mechanisms=_without(arrays.mechanisms, "viscosity", "forced", "viscous"), **springs))


def _without(arrays, *names):
    """Columns that are all nought."""
    zeros = {name: np.zeros_like(getattr(arrays, name)) for name in names}
    return arrays._replace(**{name: aligned(each, each.dtype) for name, each in zeros.items()})


class Damped:
    """The loop on a state; `finish` gives the state back as it was, but for where everything is."""

    def __init__(self, state, arms, natural):
        self.state, self._arms, self._left = state, arms, np.zeros(2)
        self.steps, self.peaks, self._chunk = 0, 0, 8
        b = state.buffers
        self._first = Loop(state.model, 1)
        self._drive(self._first, state.time)   # weights of the bounds follow from where the scene starts
        self._kept = [each.copy() for each in (b.numbers, b.counters, b.books, b.causes)]
        self._loop = Loop(stand_still(state.model, state.time), 1)
        self._set_control(state, natural)
        self.stop()
        self.unbalanced = self.evaluate()

    def _set_control(self, state, natural):
        """Steps as long as they are stable, and as a ledger that counts from the last stop lets stand: what swings by its
        weight alone has no other bound, and what hits something must not be thrown back faster than it came."""
        numbers, counters = state.buffers.numbers, state.buffers.counters
        counters[slots.CONTROL], counters[slots.PATH], counters[slots.ACCEPT_FLOOR] = slots.LEDGER, 0, 0
        counters[slots.SCHEME], counters[slots.COUNT_POTENTIAL], counters[slots.ATTEMPT_LIMIT] = slots.VERLET, 0, AWAY**2
        counters[slots.BREAKPOINT] = 0
        numbers[slots.BUDGET], numbers[slots.DT_MIN] = BUDGET, 0.0
        numbers[slots.TAU], numbers[slots.DT_MAX] = FIRST * natural, LONGEST * natural
        numbers[slots.DURATION] = START * natural / START_SHARE

    def finish(self):
        self.stop()
        b = self.state.buffers
        fitted = b.counters[slots.FITTED]
        for array, kept in zip((b.numbers, b.counters, b.books, b.causes), self._kept, strict=True):
            array[...] = kept
        b.counters[slots.FITTED] = fitted
        b.counters[slots.STARTED] = 0
        self._drive(self._first, self.state.time)   # forces, contacts and reactions with drives and dampers as they are
        b.counters[slots.FRESH], b.counters[slots.STARTED] = slots.STALE, 0
        b.counters[slots.HISTORY_COUNT] = 0

    def stop(self):
        """Everything at rest."""
        from robotphi.run.statics import rest_all

        numbers = self.state.buffers.numbers
        rest_all(self.state.buffers)
        numbers[slots.TIME] = 0.0
        for place in (slots.SPENT, slots.SWUNG, slots.SWUNG_BEFORE, slots.RESERVE_SPENT, slots.REFERENCE, slots.DENSITY):
            numbers[place] = 0.0

    def evaluate(self):
        """The largest force left, with everything at rest [N]."""
        self._drive(self._loop, self.state.time)
        arrays, buffers = self._loop.laid(self.state.buffers)
        jointed = len(self.state.model.arrays.mechanisms.free) > 0
        unbalanced_on(arrays.kind, buffers.kind, jointed)(arrays.address, buffers.address, self._arms, self._left)
        return float(self._left[LARGEST])

    def place_links(self):
        """Rigids of mechanisms move by rates that were given by hand, so that the ledger begins with their energy."""
        if len(self.state.model.arrays.mechanisms.free) > 0:
            arrays, buffers = self._loop.laid(self.state.buffers)
            stand_on(arrays.kind, buffers.kind)(arrays.address, buffers.address)

    @property
    def worst(self):
        """Row of the particle, or −1 − rigid, on which most is left."""
        return int(self._left[BODY])

    def _drive(self, loop, end):
        self.state.begin_frame(end)
        self._advance(loop, AWAY)

    def _advance(self, loop, attempts):
        state = self.state
        while True:
            counters = state.buffers.counters
            counters[slots.CHUNK], counters[slots.HISTORY_COUNT] = attempts, 0
            loop.advance(state)
            code = state.buffers.counters[slots.STATUS]
            if code == slots.PAIRS_FULL:
                state.make_room()
            elif code in (slots.HISTORY_FULL, slots.PAUSED, slots.FRAME_DONE):
                return
            else:
                raise NoEquilibrium(f"on its way to rest {STATUSES[code].sentence}: things may be deep in each other at the "
                                    "start, or a spring turned inside out; start nearer to the shape, or place things apart")

    def run(self, attempts):
        """So many steps; the kinetic energy behind them."""
        b = self.state.buffers
        b.numbers[slots.FRAME_END], b.counters[slots.STATUS] = 1e300, slots.RUNNING
        self._advance(self._loop, attempts)
        self.steps += attempts
        books = self.state.buffers.books
        return books[KINETIC, TOTAL] + books[KINETIC, REST]

    def to_a_peak(self, most):
        """Until the kinetic energy has passed a peak, or so many steps are over; everything stands then.

        What is seen after half a swing instead of a quarter stands still by itself just then, and would be left as it is for
        ever: every second stop comes half as late again.
        """
        numbers = self.state.buffers.numbers
        energy, looks, began, time = 0.0, 0, self.steps, numbers[slots.TIME]
        while self.steps - began < most:
            now = self.run(self._chunk)
            looks += 1
            if not now > energy:
                break
            energy = now
        if looks < LOOKS[0]:
            self._chunk = max(self._chunk // 2, FEWEST)
        elif looks > LOOKS[1]:
            self._chunk = min(2 * self._chunk, MOST)
        if self.peaks % 2:
            self.run(max((self.steps - began) // 2, 1))
        self.peaks += 1
        if self.peaks <= SEEN:
            numbers[slots.DT_MAX] = min(numbers[slots.DT_MAX], (numbers[slots.TIME] - time) / (self.steps - began))
        self.stop()
        self.unbalanced = self.evaluate()
