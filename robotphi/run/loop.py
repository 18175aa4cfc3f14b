"""The compiled loop of one model, on arrays and buffers that are laid down once."""
from numba import types

from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.step import slots
from robotphi.kernels.step.advance import advance_on
from robotphi.run.team import leave_team, own_team

ADDRESSES = (types.int64,) * 4  # of arrays and buffers; member and team


class Loop:
    """Calls the loop for a state, with a team of so many members."""

    def __init__(self, model, team):
        self._model, self._team = model, team
        self._arrays = None
        self._function = None
        self._laid = ()  # buffers in one order and, once exchanged, in the other

    def prepare(self, state):
        """Lay the arrays down, and compile, where that has not been done."""
        if self._function is None:
            self._arrays = Laid(self._model.arrays)
            counters = state.buffers.counters
            surrounded = bool(counters[slots.HAS_CONTACT] or counters[slots.HAS_ACTS])
            function = advance_on(self._arrays.kind, self._lay(state.buffers).kind, surrounded)
            if not PLAIN:
                function.compile(ADDRESSES)  # here, so that no member of a team waits for it
            self._function = function

    def advance(self, state):
        """To the next frame, or until the loop wants something; the state is readable as soon as this returns."""
        if self._function is None:
            self.prepare(state)
        arrays, buffers = self._arrays.address, self._lay(state.buffers).address
        if self._team == 1:
            self._function(arrays, buffers, 0, 1)
        else:
            try:
                own_team(self._team).run(self._function, arrays, buffers)
            except BaseException:
                leave_team(self._team)
                raise
        if state.buffers.counters[slots.PARITY] == 1:
            state.swap()

    def _lay(self, buffers):
        """The buffers as they were laid down before, or now; only the last two tuples are remembered."""
        for laid in self._laid:
            if laid.given is buffers:
                return laid
        self._laid = (Laid(buffers), *self._laid[:1])
        return self._laid[0]
