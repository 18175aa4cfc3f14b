"""The compiled loop of one model, on arrays and buffers that are laid down once, by every member of a team.

Members are threads that wait, parked, for their share of a call.
"""
import os
import threading
from contextlib import suppress

import numpy as np
from numba import types

from robotphi.errors import RobotphiError
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.step import slots
from robotphi.kernels.step.advance import advance_on
from robotphi.run.members import MOST_MEMBERS, WHEELS_SHARED, wheels_on_ground

PARALLEL_FROM = 5000     # particles: below, members of a team wait longer for each other than they work
FACETED_FROM = 100       # parts with facets that may touch each other: likewise


def choose_threads(model, threads):
    """The user's number, or: one for small scenes and in worker processes, else all processors given to us."""
    if threads is not None:
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise RobotphiError(f"threads is {threads!r}; give a whole number of at least 1, or None to let the size decide")
        return 1 if PLAIN else min(threads, max(processors(), 4))
    import multiprocessing

    parts = model.arrays.contact.parts
    if PLAIN or multiprocessing.parent_process() is not None:
        return 1
    if model.particle_count >= PARALLEL_FROM or np.count_nonzero(np.diff(parts.facet_start)) >= FACETED_FROM:
        return min(processors(), MOST_MEMBERS)
    wheels = wheels_on_ground(parts)
    return min(processors(), MOST_MEMBERS, wheels // 2) if wheels >= WHEELS_SHARED else 1


def processors():
    """How many processors are given to us."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Team:
    """Runs one function in step in several threads, the calling one among them.

    A member waits for its lock, which is released for every call: less than handing tasks to a pool and asking for results.
    """

    def __init__(self, count):
        self.count = count
        self._task = [None]
        self._go = [_closed() for _ in range(1, count)]
        self._done = [_closed() for _ in range(1, count)]
        for member, (go, done) in enumerate(zip(self._go, self._done, strict=True), 1):
            thread = threading.Thread(target=_serve, args=(self._task, go, done, member, count), daemon=True,
                                      name=f"robotphi {member}")
            thread.start()

    def run(self, function, first, second):
        """`function(first, second, member, count)` by every member at the same time; it must not raise, nor compile."""
        self._task[0] = (function, first, second)
        for go in self._go:
            go.release()
        function(first, second, 0, self.count)
        for done in self._done:
            done.acquire()

    def __del__(self):
        self._task[0] = None
        for go in self._go:
            with suppress(RuntimeError):  # a member that has not begun its last share yet
                go.release()


def _closed():
    lock = threading.Lock()
    lock.acquire()
    return lock


def _serve(task, go, done, member, count):
    """Life of a member; it does not know its team, which may be forgotten while it waits."""
    while True:
        go.acquire()
        if task[0] is None:
            return
        function, first, second = task[0]
        function(first, second, member, count)
        done.release()


_TEAMS = threading.local()


def own_team(count):
    """The team of the thread that simulates, so that simulations never wait for each other."""
    teams = _TEAMS.__dict__
    if teams.get("process") != os.getpid():  # threads do not live on in a child process
        teams.clear()
        teams["process"] = os.getpid()
    if count not in teams:
        teams[count] = Team(count)
    return teams[count]


def leave_team(count):
    """Forget a team whose members may still be at work: the next one is new."""
    _TEAMS.__dict__.pop(count, None)


ADDRESSES = (types.int64,) * 4  # of arrays and buffers; member and team
FUNCTIONS = {}   # (ids of the types of arrays and buffers, which are kept, …) → the loop: types are slow to look up


class Loop:
    """Calls the loop for a state, with a team of so many members."""

    def __init__(self, model, team):
        self._model, self._team = model, team
        self._arrays = None
        self._function = None
        self._laid = ()  # buffers in one order and, once exchanged, in the other

    def laid(self, buffers):
        """Arrays and buffers as they are laid down."""
        if self._arrays is None:
            self._arrays = Laid(self._model.arrays)
        return self._arrays, self._lay(buffers)

    def prepare(self, state):
        """Lay the arrays down, and compile, where that has not been done."""
        if self._function is None:
            self.laid(state.buffers)
            counters = state.buffers.counters
            surrounded = bool(counters[slots.HAS_CONTACT] or counters[slots.HAS_ACTS])
            jointed = len(self._model.arrays.mechanisms.free) > 0
            kinds = self._arrays.kind, self._lay(state.buffers).kind
            key = *map(id, kinds), surrounded, jointed
            if PLAIN or key not in FUNCTIONS:
                function = advance_on(*kinds, surrounded, jointed)
                if not PLAIN:
                    function.compile(ADDRESSES)  # here, so that no member of a team waits for it
                FUNCTIONS[key] = function
            self._function = FUNCTIONS[key]

    def advance(self, state):
        """To the next frame, or until the loop wants something; the state is readable as soon as this returns."""
        if self._function is None:
            self.prepare(state)
        given = state.buffers
        arrays, buffers = self._arrays.address, self._lay(given).address
        if self._team == 1:
            self._function(arrays, buffers, 0, 1)
        else:
            try:
                own_team(self._team).run(self._function, arrays, buffers)
            except BaseException:
                leave_team(self._team)
                raise
        if given.counters.item(slots.PARITY):
            state.swap()

    def _lay(self, buffers):
        """The buffers as they were laid down before, or now; only the last two tuples are remembered."""
        for laid in self._laid:
            if laid.given is buffers:
                return laid
        self._laid = (Laid(buffers, *self._laid[:1]), *self._laid[:1])
        return self._laid[0]
