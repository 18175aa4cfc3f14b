"""The simulator: a Model in, a Recording out; guards against divergence, endless runs and impatient users."""
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import numpy as np

from robotphi.errors import RecordingError, RobotphiError, SimulationDiverged
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.step import slots
from robotphi.kernels.step.advance import advance, advance_surrounded
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.model.build import build_model
from robotphi.record.contacts import packed_names
from robotphi.record.reading import read_contacts
from robotphi.record.recording import Recorder
from robotphi.record.sensors import Instant, read_sensors, sensor_sets
from robotphi.run.advice.depths import passed_through, starting_overlaps
from robotphi.run.advice.misses import missed_contacts
from robotphi.run.advice.steps import contact_warnings
from robotphi.run.state import State

TICK = 0.1               # s of wall time between two looks at the clock and at Ctrl-C
PARALLEL_FROM = 5000     # particles: below, members of a team wait longer for each other than they work
LIMITS = ("budget", "stability", "event", "user", "contact")


def choose_threads(model, threads):
    """The user's number, or: one for small scenes and in worker processes, else all processors given to us."""
    if threads is not None:
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise RobotphiError(f"threads is {threads!r}; give a whole number of at least 1, or None to let the size decide")
        return 1 if PLAIN else min(threads, max(processors(), 4))
    import multiprocessing

    if PLAIN or model.particle_count < PARALLEL_FROM or multiprocessing.parent_process() is not None:
        return 1
    return min(processors(), 8)


def processors():
    """How many processors are given to us."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def model_digest(model):
    """Fingerprint of all numbers of a model."""
    digest = sha256()
    for array in _leaves((model.arrays, model.position, model.velocity)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _leaves(thing):
    """The arrays of nested tuples, in their order."""
    if isinstance(thing, tuple):
        for part in thing:
            yield from _leaves(part)
    else:
        yield thing


LISTENERS = []  # functions that are given every recording as a run ends, in this process; see `scenario.py`


class Simulator:
    """Moves a `State` from frame to frame.

    Attributes:
        model: what is simulated.
        state: where it is now.
        threads: members of the team that runs the compiled loop; the result does not depend on them.
    """

    def __init__(self, model, threads=None):
        self.model = model
        self.threads = choose_threads(model, threads)
        self.state = State(model)
        self.frame = 0
        self.frame_times = model.scene.frame_times
        self.recorder = Recorder(frames=len(self.frame_times))
        self._sets = sensor_sets(model)
        self._chunk = 64
        self._wall = 0.0
        self._notes = None
        self._warnings = None
        self._overlaps = []
        self._looked = 0.0
        self._digest = None
        self._restored = None

    @classmethod
    def continued(cls, model, recording, frame=-1, threads=None):
        """A simulator that goes on from a frame of a recording of the same model."""
        simulator = cls(model, threads)
        if recording.scene_digest != simulator.digest():
            raise RecordingError("the recording was made from another scene; continue it with the scene it was made from")
        frame = recording.frame_index(frame)
        simulator.state.restore(recording, frame)
        simulator._restored = {table: recording.frame_rows(table, frame) for table in recording.rows}
        simulator.frame = int(np.searchsorted(simulator.frame_times, recording.time[frame] * (1 - 1e-12)))
        return simulator

    def digest(self):
        """Fingerprint of the model, computed when first asked for."""
        if self._digest is None:
            self._digest = model_digest(self.model)
        return self._digest

    def run(self, until=None, wall_limit=None, progress=None):
        """Run to the end of the scene, or to the last frame at or before `until` [s]; returns the `Recording` so far.

        Args:
            until: time to stop at [s].
            wall_limit: seconds of wall time after which the run stops at the last frame reached.
            progress: called now and then with (time, dt) while the run goes on.
        """
        started = time.perf_counter()
        last = len(self.frame_times) - 1
        self._looked = started
        if until is not None:
            last = int(np.searchsorted(self.frame_times, until * (1 + 1e-12), side="right")) - 1
        self.check_limits(until, wall_limit)
        status = "done"
        try:
            interrupts = Interrupts()
            with interrupts:
                self.begin()
                while self.frame < last and status == "done":
                    deadline = None if wall_limit is None else started + wall_limit
                    status = self._next_frame(deadline, progress, interrupts)
                    if status == "done" and self.frame < last:
                        status = self._look_around(deadline, progress, interrupts)
        finally:
            self._wall += time.perf_counter() - started
        recording = self.recording(status)
        for listener in LISTENERS:
            listener(recording)
        interrupts.pass_on()
        return recording

    @staticmethod
    def check_limits(until, wall_limit):
        for name, value in (("until", until), ("wall_limit", wall_limit)):
            if value is not None and not value >= 0.0:
                raise RobotphiError(f"{name} is {value!r}; give a number of seconds that is not negative, or None")

    def begin(self):
        """Evaluate the forces and record the first frame, once."""
        if self.recorder.frame_count == 0:
            fresh = not self.state.started
            if fresh:
                self.state.begin_frame(self.state.time)
                self._drive(None, None, None)
            self._record()
            if fresh and "contacts" in self.recorder.tables:
                self._overlaps = starting_overlaps(self.model, self.recorder.last_rows("contacts"))

    def advance_frame(self):
        """Move to the next frame; returns False at the end of the scene."""
        self.begin()
        if self.frame >= len(self.frame_times) - 1:
            return False
        return self._next_frame(None, None, None) == "done"

    def _next_frame(self, deadline, progress, interrupts):
        self.state.begin_frame(self.frame_times[self.frame + 1])
        status = self._drive(deadline, progress, interrupts)
        if status == "done":
            self.frame += 1
            self._record()
        return status

    def _drive(self, deadline, progress, interrupts):
        """Call the compiled loop until the frame is reached; it comes back now and then so that we can look around."""
        while True:
            counters = self.state.buffers.counters
            counters[slots.CHUNK] = self._chunk
            began = time.perf_counter()
            self._advance()
            took = time.perf_counter() - began
            counters = self.state.buffers.counters
            code = counters[slots.STATUS]
            self._flush_history()
            if code == slots.FRAME_DONE:
                return "done"
            if code in (slots.FLOOR, slots.NOT_FINITE):
                self._diverged(code)
            if code == slots.PAIRS_FULL:
                self.state.make_room()
                continue
            if code == slots.ATTEMPTS_USED:
                return "attempt limit"
            if code == slots.PAUSED:
                self._chunk = int(np.clip(self._chunk * (2.0 if took < 0.5 * TICK else 0.7 if took > TICK else 1.0), 1, 10**7))
            status = self._look_around(deadline, progress, interrupts)
            if status != "done":
                return status

    def _look_around(self, deadline, progress, interrupts):
        """Tell how far we are, at most once a tick; "done", or why the run is to stop here."""
        now = time.perf_counter()
        if progress is not None and now - self._looked > 0.5 * TICK:
            progress(self.state.time, float(self.state.buffers.numbers[slots.STEP_TAU]))
            self._looked = now
        if interrupts is not None and interrupts.seen:
            return "interrupted"
        if deadline is not None and now > deadline:
            return "wall limit"
        return "done"

    def _advance(self):
        """One call of the compiled loop by every member of the team."""
        arrays, buffers, team = self.model.arrays, self.state.buffers, self.threads
        surrounded = buffers.counters[slots.HAS_CONTACT] or buffers.counters[slots.HAS_MEDIUM]
        loop = advance_surrounded if surrounded else advance
        if team == 1:
            loop(arrays, buffers, 0, 1)
        else:
            pool = team_pool(team)
            others = [pool.submit(loop, arrays, buffers, member, team) for member in range(1, team)]
            loop(arrays, buffers, 0, team)
            for other in others:
                other.result()
        if buffers.counters[slots.PARITY] == 1:
            self.state.swap()

    def _flush_history(self):
        counters = self.state.buffers.counters
        rows = self.state.buffers.history[:counters[slots.HISTORY_COUNT]]
        if len(rows):
            self.recorder.add_steps(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy(), rows[:, 3].astype(np.int32))
            counters[slots.HISTORY_COUNT] = 0

    def _record(self):
        state = self.state
        position, velocity = state.position.copy(), state.velocity.copy()
        rigid = [state.rigid(column, width).copy() for column, width in
                 ((CENTRE, 3), (ORIENTATION, 4), (VELOCITY, 3), (SPIN, 3), (MOMENTUM, 3))]
        buffers = state.buffers
        tables = self._tables(position)
        instant = Instant(state.time, position, velocity, rigid[0], rigid[2], rigid[3], rigid[4],
                          buffers.linear_law, buffers.angular_law, buffers.articular, tables.get("contacts"))
        self.recorder.add_frame(state.time, position, velocity, *rigid, ledger=state.ledger(),
                                checkpoint=state.frame_record(), sensors=read_sensors(self.model, instant, self._sets),
                                tables=tables)

    def _tables(self, position):
        """Rows of contact at this instant; those of a frame from which a run is continued as they were recorded."""
        tables, self._restored = self._restored, None
        if tables is None:
            tables = self.state.frame_rows()
            if tables:
                tables |= read_contacts(self.model, self.state.buffers.touch, position)
        return tables

    def recording(self, status="done"):
        """Everything recorded so far; its warnings tell as well what went through something else."""
        recording = self.recorder.recording(status=status, counts=self.counts(), info=self.info(), scene_digest=self.digest())
        recording.info["warnings"] = recording.info["warnings"] + passed_through(self.model, recording)
        return recording

    def counts(self):
        """What the step control did."""
        counters = self.state.buffers.counters
        counts = {"attempts": slots.ATTEMPTS, "accepted": slots.ACCEPTED, "refused": slots.REFUSED,
                  "evaluations": slots.EVALUATIONS, "floor_hits": slots.FLOOR_HITS,
                  "reserve": slots.ON_RESERVE, "rounding": slots.ON_ROUNDING}
        counts |= {f"limited_by_{name}": slots.LIMITED + k for k, name in enumerate(LIMITS)}
        return {name: int(counters[place]) for name, place in counts.items()}

    def info(self):
        """Plain facts of the run."""
        import numba

        from robotphi import __version__
        scene = self.model.scene
        stepping = scene.stepping
        return {"scene": scene.name, "scheme": stepping.scheme, "control": stepping.control, "budget": stepping.budget,
                "duration": scene.duration, "particles": self.model.particle_count, "rigids": len(scene.rigids),
                "springs": {kind: scene.spring_count(kind) for kind in ("linear", "angular", "articular")},
                "objects": self._objects(), **self._touching(), "warnings": self.warnings(),
                "threads": self.threads, "wall_time": self._wall, "seeds": [], **self._kept(),
                "sampling_errors": getattr(scene, "sampling_errors", {}),
                "versions": {"robotphi": __version__, "numpy": np.__version__, "numba": numba.__version__}}

    def _objects(self):
        """What is to be known of each object; certificates are made once."""
        if self._notes is None:
            from robotphi.discretise.masses.certificate import certified_notes

            self._notes = {name: certified_notes(placed.object) for name, placed in self.model.scene.objects.items()}
        return self._notes

    def warnings(self):
        """What is likely to make the run slow, what passes through other things, and what overlaps at the start; one sentence
        each, worked out once. The first frame is recorded for it.
        """
        if self._warnings is None:
            self.begin()
            self._warnings = contact_warnings(self.model) + missed_contacts(self.model) + self._overlaps
        return self._warnings

    def _touching(self):
        """Names of what can touch."""
        model = self.model
        owner = model.arrays.contact.parts.owner
        return {"touching": packed_names(model.part_names, owner, model.owner_names)} if len(owner) else {}

    def _kept(self):
        """Whether the ledger closed within its budget, where the budget set the step."""
        if self.model.scene.stepping.control != "ledger":
            return {}
        numbers = self.state.buffers.numbers
        allowed = numbers[slots.BUDGET] * numbers[slots.REFERENCE]
        return {"budget_kept": bool(numbers[slots.LARGEST_RESIDUAL] <= allowed)}

    def _diverged(self, code):
        from robotphi.run.advice.post_mortem import examine

        if not self.recorder.frame_count:
            raise SimulationDiverged(f"scene {self.model.scene.name!r}: the forces of its first instant are beyond the range "
                                     "of numbers; give smaller stiffnesses, speeds or lengths")
        post_mortem, recording = examine(self, code), self.recording("diverged")
        deep = self._overlaps + passed_through(self.model, recording)
        text = ". ".join([post_mortem.text.removesuffix("."), *deep])
        raise SimulationDiverged(text, recording=recording, post_mortem=post_mortem._replace(text=text))


class Interrupts:
    """Ctrl-C asks the run to stop at the next look; a second one is obeyed at once."""

    def __init__(self):
        self.seen = False
        self.before = None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number, frame):
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True

    def __exit__(self, *problem):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def pass_on(self):
        """Whoever listened before (a study of several runs, an application) hears of it too, once the recording is safe."""
        if self.seen and callable(self.before) and self.before is not signal.default_int_handler:
            self.before(signal.SIGINT, None)


_POOLS = threading.local()


def team_pool(team):
    """Threads for the other members, kept by the thread that simulates, so that simulations never wait for each other."""
    pools = _POOLS.__dict__.setdefault("pools", {})
    if team not in pools:
        pools[team] = ThreadPoolExecutor(team - 1, thread_name_prefix="robotphi")
    return pools[team]


def simulate(scene, threads=None, **options):
    """Build the model of a scene and run it; `options` as for `Simulator.run`."""
    return Simulator(build_model(scene), threads=threads).run(**options)
