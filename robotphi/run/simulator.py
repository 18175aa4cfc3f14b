"""The simulator: a Model in, a Recording out; guards against divergence, endless runs and impatient users."""
import time as clock
from pathlib import Path

import numpy as np

from robotphi.errors import RecordingError
from robotphi.model.arrays import Model, model_digest
from robotphi.model.build import build_model
from robotphi.record.choice import choice_of
from robotphi.record.recorder import Recorder
from robotphi.run.account import object_notes, run_facts, step_counts
from robotphi.run.advice.depths import passed_through, starting_overlaps
from robotphi.run.advice.inside_out import turned_cells
from robotphi.run.advice.left import over_the_edge
from robotphi.run.advice.misses import missed_contacts
from robotphi.run.advice.room import check_room, told_room
from robotphi.run.advice.slow import slow_steps
from robotphi.run.advice.steps import contact_warnings
from robotphi.run.advice.stops import passed_stops
from robotphi.run.commands import Commands
from robotphi.run.filing import FILES, Filing
from robotphi.run.frames import FrameKeeper
from robotphi.run.limits import SAME, Interrupts, check_options, check_time
from robotphi.run.loop import Loop, choose_threads
from robotphi.run.moving import Moving
from robotphi.run.reading import Reader
from robotphi.run.standing import Standing
from robotphi.run.state import State
from robotphi.run.taken_up import TakenUp
from robotphi.scene.checks import refuse

LISTENERS = []  # functions that are given every recording as a run ends, in this process; see `scenario/run.py`


class Simulator(TakenUp, Moving, Standing):
    """Moves a `State` from frame to frame.

    Attributes:
        model: what is simulated.
        state: where it is now.
        threads: members of the team that runs the compiled loop; the result does not depend on them.
        commands: what they stand at, see `run/commands`.

    `controllers`: name → function of those of the scene that were said without one.
    """

    def __init__(self, model, threads=None, controllers=None):
        if not isinstance(model, Model):
            refuse("Simulator", f"{model!r:.60} is no Model", "give build_model(scene); simulate(scene) does both")
        self.model = model
        self.threads = choose_threads(model, threads)
        self.state = State(model)
        self.frame = 0
        self.frame_times = model.scene.frame_times
        self._last = len(self.frame_times) - 1
        self.recorder = Recorder(frames=len(self.frame_times))
        self.commands = Commands(model)
        self._controllers = controllers
        self._loop = Loop(self.commands.model, self.threads)
        self._frames = FrameKeeper(model, self.recorder, self._loop, self.commands)
        self._chunk = 64
        self._wall = 0.0
        self._notes = None
        self._warnings = None
        self._overlaps = []
        self._looked = 0.0
        self._digest = None
        self._restored = None
        self._control = None
        self.reader = Reader(self)
        self._filing = None
        self._handed_out = self._begun = False

    def digest(self):
        """Fingerprint of the model, computed when first asked for."""
        if self._digest is None:
            self._digest = model_digest(self.model)
        return self._digest

    def run(self, until=None, wall_limit=None, progress=None, to=None, keep=()):
        """Run to the end of the scene, or to the last frame at or before `until` [s]; returns the `Recording` so far.

        Args:
            until: time to stop at [s].
            wall_limit: seconds of wall time after which the run stops at the last frame reached.
            progress: called now and then with (time, dt) while the run goes on.
            to: path of the file that is to be written, while the run goes on where that takes more than a second.
            keep: what of it stays there, "every=10" frames and some of "checkpoint", "contacts", "sensors", or "frames" for
                none of these; all unless told. What a recording can do without that is told by its warnings; the one that is
                returned has everything.
        """
        self.only_between_calls("run")
        choice = choice_of(keep)
        if keep and to is None:
            raise RecordingError("keep says what stays in a file, and this run has none; name it by to=")
        check_options(until, wall_limit, progress, to)
        last = len(self.frame_times) - 1
        if until is not None:
            last = int(np.searchsorted(self.frame_times, until * (1 + SAME), side="right")) - 1
        status = "done"
        path = to or (FILES[-1]() if FILES else None)
        if not path:
            check_room(self.model.scene, self._frames.frame_bytes(self.state), last + 1, self.frame)
        self._loop.prepare(self.state)   # what is compiled once is not time of this run, and Ctrl-C ends it at once
        self._frames.prepare(self.state)
        self.begin()
        self._filing = Filing(Path(path), self, last, to is not None, choice) if path else None
        interrupts = Interrupts()
        started = self._looked = clock.perf_counter()
        try:
            with interrupts:
                try:
                    if self._filing:   # frames that it began with need not come into memory
                        self._filing.look()
                    while self.frame < last and status == "done":
                        deadline = None if wall_limit is None else started + wall_limit
                        status = self._next_frame(deadline, progress, interrupts)
                        if status == "done" and self.frame < last:
                            status = self._look_around(deadline, progress, interrupts)
                finally:
                    self._wall += clock.perf_counter() - started
                recording = self.recording(status)
                if self._filing:
                    recording, self._filing = self._filing.end(recording), None
        except BaseException as error:
            if self._filing:
                filing, self._filing = self._filing, None
                filing.fail(error)
            raise
        for listener in LISTENERS:
            listener(recording)
        interrupts.pass_on(status)
        return recording

    def begin(self):
        """Evaluate the forces and record the first frame, once."""
        if not self._begun:
            fresh = not self.state.started
            if fresh:
                self._evaluate()
            self._record()
            self._begun = True
            if fresh and "contacts" in self.recorder.tables:
                self._overlaps = starting_overlaps(self.model, self.recorder.last_rows("contacts"))

    def advance_frame(self):
        """Move to the next frame; returns False at the end of the scene."""
        self.only_between_calls("advance_frame")
        self.begin()
        if self.frame >= len(self.frame_times) - 1:
            return False
        return self._next_frame(None, None, None) == "done"

    def advance_to(self, time):
        """Move to a time [s] and land on it as on a frame, recording the frames on the way; the state may be read there.

        Returns whether it was reached: False where the scene's limit of attempts came first.
        """
        self.only_between_calls("advance_to")
        self.begin()
        began = clock.perf_counter()
        check_time(self.model.scene, self.state.time, time)
        reached = self.go_to(time)
        self._wall += clock.perf_counter() - began
        return reached

    def frame_bytes(self):
        """What a frame takes in a recording, its contacts not counted."""
        return self._frames.frame_bytes(self.state)

    def derive(self):
        """Work out what follows from the frames so far."""
        self._flush_history()
        self._frames.derive()

    def lay_frames(self):
        """Frames are kept in other arrays from now on."""
        self._frames.lay()

    def keep_pose(self):
        """Record the state as it was put down, or found at rest: no first frame of a run, of which overlaps would tell."""
        self._begun = True
        self._record()

    def _record(self):
        restored, self._restored = self._restored, None
        self._frames.keep(self.state, restored)

    def recording(self, status="done"):
        """Everything recorded so far; its warnings tell as well of a budget that was missed, and of what went through
        something, inside out, or over an edge."""
        self.derive()
        if self._filing:
            self._filing.finish_rows()
        self._handed_out = True
        told = {"commands": self.commands.rows(self.recorder.frame_count)} if len(self.commands) else {}
        recording = self.recorder.recording(status=status, counts=self.counts(), info=self.info(), scene_digest=self.digest(),
                                            statements=self.model.scene.statements, rows=told)
        recording.info["advice"] = [*self.model.stiff_told, *slow_steps(self, recording)]
        told = turned_cells(self.model, recording)
        if self.model.part_names:
            told += passed_through(self.model, recording) + over_the_edge(self.model, recording)
        told += passed_stops(self.model, recording) if self.model.scene.joints else []
        recording.info["warnings"] = recording.info["warnings"] + told
        return recording

    def counts(self):
        """What the step control did."""
        return step_counts(self.state)

    def info(self):
        """Plain facts of the run; what is to be known of each object is worked out once."""
        if self._notes is None:
            self._notes = object_notes(self.model.scene)
        return run_facts(self, self._notes, self.warnings(), self._wall)

    def warnings(self):
        """What is likely to make the run slow, what passes through other things, and what overlaps at the start; one sentence
        each, worked out once. The first frame is recorded for it.
        """
        if self._warnings is None:
            self.begin()
            told = contact_warnings(self.model) + missed_contacts(self.model) if self.model.part_names else []
            room = [] if self._filing else told_room(self.model.scene, self.frame_bytes(), len(self.frame_times))
            self._warnings = told + self._overlaps + room
        return self._warnings


def simulate(scene, threads=None, controllers=None, **options):
    """Build the model of a scene and run it; `options` as for `Simulator.run`.

    `controllers`: name → function of those that were declared without one.
    """
    return Simulator(build_model(scene), threads, controllers).run(**options)
