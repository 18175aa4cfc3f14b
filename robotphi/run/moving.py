"""The loop around the compiled loop: from frame to frame, with all stops on the way, looking around now and then."""
import time as clock

import numpy as np

from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import STATUSES, UNEXPLAINED
from robotphi.run.control import NEVER
from robotphi.run.limits import SAME, check_time

TICK = 0.1               # s of wall time between two looks at the clock and at Ctrl-C
HISTORY_KEPT = 1024      # rows of step history that wait in the buffers


class Moving:
    """The part of a `Simulator` that moves its state on; each of it tells "done", or why the run is to stop here."""

    def go_to(self, time):
        """To a time within the scene; returns whether it was reached."""
        state, past = self.state, time * (1 + SAME)
        while self.frame < self._last and self.frame_times.item(self.frame + 1) <= past:
            if self._next_frame(None, None, None) != "done":
                return False
        if time <= state.time * (1 + SAME):
            check_time(self.model.scene, state.time, time)
            return True
        if self.control.soonest < time:
            reached = self._reach(time, None, None, None)
        else:
            state.begin_frame(time)
            reached = self._drive(None, None, None)
        self.commands.landed(state.time, self.recorder)
        return reached == "done"

    def _evaluate(self):
        """Evaluate the forces at the present state itself."""
        self.state.begin_frame(self.state.time)
        return self._drive(None, None, None)

    def _reach(self, time, deadline, progress, interrupts):
        """On to a time, with all stops on the way at which somebody sets commands."""
        control, state = self.control, self.state
        while True:
            if control.soonest != NEVER:
                control.act()
            stop = control.soonest
            on_the_way = stop < time * (1.0 - SAME)
            state.begin_frame(stop if on_the_way else time)
            status = self._drive(deadline, progress, interrupts)
            if status != "done" or not on_the_way:
                return status
            self.commands.landed(state.time, self.recorder)
            status = self._look_around(deadline, progress, interrupts)
            if status != "done":
                return status

    def _next_frame(self, deadline, progress, interrupts):
        status = self._reach(self.frame_times[self.frame + 1], deadline, progress, interrupts)
        if status == "done":
            if interrupts is not None and self.state.is_senseless():
                self._give_up(UNEXPLAINED)
            if self.live:
                self.refresh_forces()
            try:
                self._record()
            except MemoryError:
                return "memory full"
            self.frame += 1
        return status

    def _drive(self, deadline, progress, interrupts):
        """Call the compiled loop until the frame is reached; it comes back now and then so that we can look around."""
        state, loop = self.state, self._loop
        counters = state.buffers.counters   # one array in both tuples of buffers
        while True:
            counters[slots.CHUNK] = self._chunk
            began = clock.perf_counter()
            loop.advance(state)
            code = counters.item(slots.STATUS)
            if counters.item(slots.HISTORY_COUNT) > HISTORY_KEPT:
                self._flush_history()
            if code == slots.FRAME_DONE:
                return "done"
            if STATUSES[code].end == "diverged":
                self._give_up(code)
            if code == slots.PAIRS_FULL:
                self.state.make_room()
                continue
            if STATUSES[code].end:
                return STATUSES[code].end
            if code == slots.PAUSED:
                took = clock.perf_counter() - began
                self._chunk = int(np.clip(self._chunk * (2.0 if took < 0.5 * TICK else 0.7 if took > TICK else 1.0), 1, 10**7))
            status = self._look_around(deadline, progress, interrupts)
            if status != "done":
                return status

    def _give_up(self, code):
        from robotphi.run.advice.post_mortem import diverged

        raise diverged(self, code, self._overlaps)

    def _look_around(self, deadline, progress, interrupts):
        """Tell how far we are, at most once a tick; "done", or why the run is to stop here."""
        if self._filing:
            self._filing.look()
        if progress is None and interrupts is None and deadline is None:
            return "done"
        now = clock.perf_counter()
        if progress is not None and now - self._looked > 0.5 * TICK:
            progress(self.state.time, float(self.state.buffers.numbers[slots.STEP_TAU]))
            self._looked = now
        if interrupts is not None and interrupts.seen:
            return "interrupted"
        if deadline is not None and now > deadline:
            return "wall limit"
        return "done"

    def _flush_history(self):
        counters = self.state.buffers.counters
        rows = self.state.buffers.history[:counters[slots.HISTORY_COUNT]]
        if len(rows):
            self.recorder.add_steps(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy(), rows[:, 3].astype(np.int32),
                                    rows[:, 4].astype(np.int64))
            counters[slots.HISTORY_COUNT] = 0
