"""The recording: what happened, as arrays over time. Frames and steps enter by a `Recorder`, a `Recording` leaves."""
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

import numpy as np

from robotphi.errors import FrameError, RecordingError
from robotphi.kernels.step.codes import ENDS
from robotphi.record import contacts as contact_table
from robotphi.record import hits as contact_hits
from robotphi.record import said_again
from robotphi.record.file import FRAME_ARRAYS, FRAME_GROUPS, read_file, write_file
from robotphi.scene.checks import number

STEP_ROWS = 2**20  # rows of step history kept; beyond, every second row goes and later steps are thinned alike

STEP_ARRAYS = ("time", "dt", "residual", "limit")
STATUSES = tuple(ENDS)


@dataclass(frozen=True, eq=False)
class Recording:
    """What a simulation did. `f` frames, `n` particles, `r` rigids, `k` rows of step history; all arrays are read-only.

    Attributes:
        time: instants of the frames [s], (f,).
        position: of the particles, those of rigids included [m], (f, n, 3).
        velocity: of the particles [m/s], (f, n, 3).
        rigid_position: centres of mass [m], (f, r, 3).
        rigid_orientation: quaternions (w, x, y, z), principal frame to world, (f, r, 4).
        rigid_velocity: of the centres [m/s], (f, r, 3).
        rigid_spin: angular velocity, world frame [rad/s], (f, r, 3).
        rigid_momentum: angular momentum about the centre, world frame [kg·m²/s], (f, r, 3).
        ledger: name of the entry → energy [J], (f,).
        sensors: name of the sensor → its value over time, (f,) or (f, 3).
        steps: `time`, `dt`, `residual`, `limit` of accepted steps, (k,); a row stands for `info["step_stride"]` steps.
        counts: attempts, accepted, refused, evaluations, … over the whole run.
        status: how the run ended, one of `STATUSES`.
        info: plain JSON values: scene, scheme, control, budget, versions, sizes, wall time.
        checkpoint: name → state of each frame, (f, …): what a run needs to go on from there.
        scene_digest: fingerprint of the model; a run may go on only with the same.
        rows: name of a table → column → rows of all frames one after the other; those of frame i are `start[i]` to
            `start[i + 1]` of its column "start", (f + 1,). Tables: see `contacts` and `contact_vertices`; the others are
            part of what a run needs to go on. Empty where nothing can touch.
        statements: what was said to the scene, see `Scene.statements`: scene and model are made of them anew.
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    rigid_position: np.ndarray
    rigid_orientation: np.ndarray
    rigid_velocity: np.ndarray
    rigid_spin: np.ndarray
    rigid_momentum: np.ndarray
    ledger: dict
    sensors: dict = field(default_factory=dict)
    steps: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    status: str = "done"
    info: dict = field(default_factory=dict)
    checkpoint: dict = field(default_factory=dict)
    scene_digest: str = ""
    rows: dict = field(default_factory=dict)
    statements: tuple = ()

    def __post_init__(self):
        for array in _arrays_of(self):
            array.setflags(write=False)

    def __len__(self):
        """Number of frames."""
        return len(self.time)

    def __repr__(self):
        span = f"{self.time[0]:g} … {self.time[-1]:g} s" if len(self) else "no frames"
        return (f"<Recording of {self.info.get('scene', 'a scene')}: {len(self)} frames, {span}, "
                f"{self.position.shape[1]} particles, {self.rigid_position.shape[1]} rigids, {self.status}>")

    @cached_property
    def scene(self):
        """The Scene that was simulated, said again from its statements when first asked for."""
        return said_again.scene_of(self)

    @cached_property
    def model(self):
        """The Model of the `scene`."""
        return said_again.model_of(self)

    def frame_at(self, time):
        """Index of the frame nearest to `time` [s]."""
        if not len(self):
            raise RecordingError("this recording has no frame")
        return int(np.argmin(np.abs(self.time - number("frame_at", "time", time))))

    def frame_index(self, frame):
        """The number of a frame, counted from 0; negative ones count from the end, −1 is the last."""
        count = len(self)
        if isinstance(frame, (bool, np.bool_)) or not isinstance(frame, (int, np.integer)):
            raise FrameError(f"frame is {frame!r:.60}; give one whole number, 0 to {count - 1}, or -1 back to -{count}; "
                             "frame_at(time) gives the frame nearest to a time")
        if not -count <= frame < count:
            allowed = f"use 0 to {count - 1}, or -1 back to -{count} from the end" if count else "it holds none"
            raise FrameError(f"frame {frame} is not in this recording of {count} frames; {allowed}")
        return int(frame) % count

    def frame_rows(self, table, frame):
        """Column → rows of one frame of a table of `rows`."""
        frame = self.frame_index(frame)
        columns = self.rows[table]
        own = slice(int(columns["start"][frame]), int(columns["start"][frame + 1]))
        return {name: values[own] for name, values in columns.items() if name != "start"}

    def contacts(self, frame=-1):
        """All contacts of a frame, one row for two parts that touch: a `contacts.Contacts`, SI; −1 is the last frame."""
        return contact_table.contacts(self, frame)

    def contact_vertices(self, frame=-1):
        """The vertices of soft parts that rub on something in a frame: a `contacts.ContactVertices`, SI.

        Only friction is held vertex by vertex: contacts without it have no such rows, those of `contacts` are all of them.
        """
        return contact_table.contact_vertices(self, frame)

    def contact_forces(self, first, second):
        """Force of contact, pressure and friction, on `first` by `second` [N], (f, 3). Names of things or of their parts."""
        return contact_table.force_between(self, first, second)

    def contact_force(self, name):
        """Force of all contacts on a thing or one of its parts by others [N], (f, 3)."""
        return contact_table.force_between(self, name, None)

    def hits(self, first, second, scene=None, pause=0.0):
        """What two things that touch did to each other, hit by hit: a list of `hits.Hit`, SI.

        A hit is a run of frames in which they touch; what is shorter than a frame may be missing, and a warning tells where the
        speed of one jumps. Numbers of hits that were under way in the first or last frame are NaN where a frame lacks.

        Args:
            first, second: names of things or of their parts, as in `contact_forces`.
            scene: the Scene, or its Model, from which the recording was made, where it is at hand; its own `model` unless told.
            pause: breaks up to that time [s] are part of a hit, as when something soft bounces off part by part.
        """
        return contact_hits.hits(self, first, second, scene, pause)

    def save(self, path):
        """Write one HDF5 file; an existing file is replaced only by a whole new one. Returns the path."""
        return write_file(self, Path(path))

    @classmethod
    def load(cls, path):
        """Read a file written by `save`, bit for bit."""
        return cls(**read_file(Path(path)))


def _arrays_of(recording):
    for each in fields(recording):
        value = getattr(recording, each.name)
        yield from _arrays_in(value)


def _arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _arrays_in(member)


# Collecting frames -----------------------------------------------------------------------------------------------

class Column:
    """Rows of one shape, appended one by one or many at once, in memory that doubles when it is full."""

    def __init__(self, row, capacity):
        row = np.asarray(row)
        try:
            self.values = np.empty((max(int(capacity), 1), *row.shape), row.dtype)
        except MemoryError:  # it takes what rows there are, and not all may come
            self.values = np.empty((1, *row.shape), row.dtype)
        self.count = 0

    def make_room(self, rows):
        """See to it that so many rows can be added; MemoryError leaves everything as it is."""
        needed = self.count + rows
        if needed > len(self.values):
            grown = np.empty((max(needed, 2 * len(self.values)), *self.values.shape[1:]), self.values.dtype)
            grown[:self.count] = self.values[:self.count]
            self.values = grown

    def append(self, row):
        self.make_room(1)
        self.values[self.count] = row
        self.count += 1

    def extend(self, rows):
        self.make_room(len(rows))
        self.values[self.count:self.count + len(rows)] = rows
        self.count += len(rows)

    def keep_every_second(self):
        self.values = self.values[:self.count:2].copy()
        self.count = len(self.values)

    def array(self):
        """The rows so far, without a copy: later rows go behind them or into other memory."""
        return self.values[:self.count]


class Recorder:
    """Collects frames and step history; `frames` is the number of frames expected, not a limit."""

    def __init__(self, frames=64, step_rows=STEP_ROWS):
        self.capacity = frames
        self.columns = {}
        self.tables = {}
        self.step_rows = step_rows
        self.step_stride = 1
        self.step_skip = 0  # steps to pass over before the next row is kept
        self.steps = {name: Column(np.zeros((), np.int32 if name == "limit" else float), 1024) for name in STEP_ARRAYS}

    @property
    def frame_count(self):
        column = self.columns.get(("", "time"))
        return column.count if column else 0

    def add_frame(self, time, position, velocity, rigid_position, rigid_orientation, rigid_velocity, rigid_spin,
                  rigid_momentum, ledger, checkpoint=None, sensors=None, tables=None):
        """Append one frame, or on a MemoryError nothing; every array is copied. Names in dicts are the same in every frame.

        `tables`: name → column → rows, as many as there are in this frame.
        """
        values = (float(time), position, velocity, rigid_position, rigid_orientation, rigid_velocity, rigid_spin,
                  rigid_momentum)
        rows = {("", name): value for name, value in zip(FRAME_ARRAYS, values, strict=True)}
        for group, members in zip(FRAME_GROUPS, (ledger, sensors, checkpoint), strict=True):
            rows |= {(group, name): value for name, value in (members or {}).items()}
        if not self.columns:
            self.columns = {key: Column(row, self.capacity) for key, row in rows.items()}
        if rows.keys() != self.columns.keys():
            raise ValueError(f"names changed between frames: {sorted(rows.keys() ^ self.columns.keys())}")
        for column in self.columns.values():
            column.make_room(1)
        self._make_room_for_rows(tables or {})
        for key, row in rows.items():
            self.columns[key].append(row)
        self._add_rows(tables or {})

    def _make_room_for_rows(self, tables):
        for table, columns in self.tables.items():
            columns["start"].make_room(1)
            for name, rows in tables.get(table, {}).items():
                if name in columns:
                    columns[name].make_room(len(rows))

    def bytes_of(self, frames):
        """How much memory so many frames like the first take, without tables whose rows vary in number."""
        return frames * sum(column.values[0].nbytes for column in self.columns.values())

    def _add_rows(self, tables):
        if self.frame_count == 1:
            self.tables = {table: {"start": Column(np.int64(0), self.capacity + 1)}
                           | {name: Column(np.zeros(rows.shape[1:], rows.dtype), 16) for name, rows in columns.items()}
                           for table, columns in tables.items()}
            for columns in self.tables.values():
                columns["start"].append(0)
        if {table: [*columns] for table, columns in tables.items()} != {
                table: [*columns][1:] for table, columns in self.tables.items()}:
            raise ValueError("tables or their columns changed between frames")
        for table, columns in tables.items():
            for name, rows in columns.items():
                self.tables[table][name].extend(rows)
            self.tables[table]["start"].append(max(self.tables[table][name].count for name in columns))

    def last_rows(self, table):
        """Column → rows of a table in the last frame."""
        columns = self.tables[table]
        start = columns["start"].array()
        return {name: column.array()[start[-2]:start[-1]] for name, column in columns.items() if name != "start"}

    def add_steps(self, time, dt, residual, limit):
        """Append accepted steps, (k,) arrays each. Long histories are thinned by powers of two, evenly over the run."""
        kept = slice(self.step_skip, None, self.step_stride)
        for name, values in zip(STEP_ARRAYS, (time, dt, residual, limit), strict=True):
            self.steps[name].extend(np.asarray(values)[kept])
        self.step_skip = (self.step_skip - len(time)) % self.step_stride
        while self.steps["time"].count > self.step_rows:
            odd = self.steps["time"].count % 2  # the next kept row must fall on the wider stride
            for column in self.steps.values():
                column.keep_every_second()
            self.step_skip += self.step_stride * odd
            self.step_stride *= 2

    def recording(self, status="done", counts=None, info=None, scene_digest="", statements=()):
        """The frames so far as a `Recording`."""
        if not self.frame_count:
            raise RecordingError("nothing was recorded: a recording needs at least its first frame")
        groups = {group: {} for group in ("", *FRAME_GROUPS)}
        for (group, name), column in self.columns.items():
            groups[group][name] = column.array()
        steps = {name: column.array() for name, column in self.steps.items()}
        rows = {table: {name: column.array() for name, column in columns.items()} for table, columns in self.tables.items()}
        return Recording(**groups.pop(""), **groups, steps=steps, rows=rows,
                         counts=dict(counts or {}), status=status, scene_digest=scene_digest,
                         statements=statements, info={**(info or {}), "step_stride": self.step_stride})
