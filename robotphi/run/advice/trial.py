"""What a change would give: short pieces of a run, run again from its frames, once as it was and once with the change.

The state of a frame is taken over whole, the change made, and the bounds of the step taken anew; what the step comes to is
then what the loop makes of it, whatever limits it next. A few steps at first, in which it finds its length, do not count.

Pieces are as many as a small share of the attempts of the run pays for, one at least; those of a model share one state, which
is laid down once.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import RobotphiError
from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import LIMITS
from robotphi.record.causes import cause_names, sentence_of
from robotphi.run.commands import Commands
from robotphi.run.loop import Loop
from robotphi.run.state import State

PIECES = 3            # of each run that is to be known, at most
ALLOWED = 1 / 30      # of the attempts of the run that all pieces may take, one for each side of a cause apart
FIRST = 16            # attempts in which the step finds its length, …
RENEWED = 8           # … for which bounds are taken so many times: what dampers leave of springs is found step by step
SHARE = 1 / 300       # of the steps of the run that a piece has, …
FEWEST, MOST = 32, 256   # … no fewer and no more attempts
LEAST = 8             # accepted steps that tell something
NOW = 2**40           # accepted steps since bounds were taken: they are due


class Tried(NamedTuple):
    """What a change gives."""
    gain: float     # times the step, the geometric mean over pieces
    stable: float   # times the step that is stable, likewise
    limit: str      # of `codes.LIMITS`, which then sets most steps
    cause: tuple    # (what, kind of thing, its names) behind it; () where nothing has a name
    stiffest: tuple  # the same of the spring that then asks most of the stable step by its stiffness …
    dampest: tuple   # … and by its viscosity

    @property
    def behind(self):
        """Both as a part of a sentence."""
        return sentence_of(*self.cause) if self.cause else f"the {self.limit}"


class Piece(NamedTuple):
    """What a piece of a run came to."""
    dt: float        # s, its mean step
    stable: float    # s, the bound of stability at its end
    behind: list     # of (limit, cause), one a step
    stiffest: tuple  # as in `Tried`
    dampest: tuple


class Trials:
    """Pieces of a run around steps that are to become longer, for so many causes of them."""

    def __init__(self, simulator, recording, causes):
        self.recording, self.threads = recording, simulator.threads
        self.attempts = int(np.clip(SHARE * len(recording.steps["time"]), FEWEST, MOST))
        for_all = 2 * causes * (FIRST + self.attempts)   # one piece as it was and one with a change
        self.pieces = int(np.clip(ALLOWED * recording.counts["attempts"] / for_all, 1, PIECES))
        self._as_it_was = Again(simulator.model, self.threads)
        self.frames, self._before = [], []

    def around(self, chosen):
        """Look at some steps: (steps,) mask of those of the recording. Returns itself."""
        at = self.recording.steps["time"][np.flatnonzero(chosen)]
        middles = at[((np.arange(self.pieces) + 0.5) / self.pieces * len(at)).astype(int)] if len(at) else at
        frames = np.searchsorted(self.recording.time, middles) - 1
        self.frames = np.unique(np.clip(frames, 0, max(len(self.recording) - 2, 0)))
        self._before = self._pieces(self._as_it_was)
        return self

    def gain(self, model):
        """`Tried` of a changed model; None where nothing can be told, also of None."""
        if model is None:
            return None
        pairs = [(before, now) for before, now in zip(self._before, self._pieces(Again(model, self.threads)), strict=True)
                 if before and now]
        if not pairs:
            return None
        gain, stable = np.exp(np.mean([[np.log(now.dt / before.dt), np.log(now.stable / before.stable)]
                                       for before, now in pairs], axis=0))
        behind = [each for _, now in pairs for each in now.behind]
        limit, cause = max(sorted(set(behind)), key=behind.count)
        return Tried(float(gain), float(stable), limit, cause, pairs[-1][1].stiffest, pairs[-1][1].dampest)

    def _pieces(self, again):
        return [self._piece(again, int(frame)) for frame in self.frames]

    def _piece(self, again, frame):
        """What a `Piece` behind a frame comes to; None where it went nowhere."""
        model, state, loop = again.begin()
        control = {place: state.buffers.counters[place] for place in (slots.SCHEME, slots.CONTROL, slots.PATH)}
        budget, tolerance = state.buffers.numbers[[slots.BUDGET, slots.TOLERANCE]]
        state.restore(self.recording, frame)
        again.commands.restore(state, self.recording, frame)
        numbers, counters = state.buffers.numbers, state.buffers.counters
        numbers[[slots.BUDGET, slots.TOLERANCE]] = budget, tolerance
        if counters[slots.SCHEME] != control[slots.SCHEME]:
            numbers[slots.DENSITY] = 0.0   # of another order
        counters[list(control)] = list(control.values())
        counters[slots.ATTEMPT_LIMIT] = NOW
        state.begin_frame(model.scene.duration)
        with np.errstate(all="ignore"):
            for _ in range(RENEWED):
                state.buffers.counters[[slots.SINCE_STABLE, slots.SINCE_TOUCH]] = NOW
                _advance(loop, state, FIRST // RENEWED)
            time, done = state.time, int(state.buffers.counters[slots.ACCEPTED])
            state.buffers.counters[slots.HISTORY_COUNT] = 0
            _advance(loop, state, self.attempts)
        steps = int(state.buffers.counters[slots.ACCEPTED]) - done
        stable = float(state.buffers.numbers[slots.STABLE])
        if steps < LEAST or not np.isfinite(stable):
            return None
        counters = state.buffers.counters
        return Piece((state.time - time) / steps, stable, _causes(model, state.buffers),
                     *(_names(model, counters[place]) for place in (slots.STIFF_CAUSE, slots.DAMP_CAUSE)))


class Again:
    """A model that pieces are run of, in one state."""

    def __init__(self, model, threads):
        self.commands, self._state = Commands(model), State(model)
        self._loop = Loop(self.commands.model, threads)
        self._state.remember()

    def begin(self):
        """(model, state at its start, loop)"""
        self._state.restart()
        self.commands.restart()
        return self._state.model, self._state, self._loop


def _advance(loop, state, attempts):
    """So many attempts, or as many as there are."""
    state.buffers.counters[slots.CHUNK] = attempts
    while True:
        loop.advance(state)
        code = state.buffers.counters[slots.STATUS]
        if code != slots.PAIRS_FULL:
            return
        state.make_room()


def _causes(model, buffers):
    """(limit, cause) of each step of a piece."""
    rows = buffers.history[:buffers.counters[slots.HISTORY_COUNT]]
    return [(LIMITS[limit].name, _names(model, cause)) for limit, cause in rows[:, 3:5].astype(np.int64)]


def _names(model, cause):
    return (cause_names(model, cause) or ())[:3]


def changed_model(model, values):
    """The model with other values; None where the scene does not take them."""
    try:
        return model.with_values(values)
    except RobotphiError:
        return None
