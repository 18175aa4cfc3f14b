"""Collecting what happens: frames and steps enter a `Recorder`, a `Recording` leaves."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS
from robotphi.record.recording import Recording

STEP_ROWS = 2**20    # rows of step history kept; beyond, every second row goes and later steps are thinned alike
STEP_ARRAYS = {"time": float, "dt": float, "residual": float, "limit": np.int32, "cause": np.int64}
FIRST_ROOM = 2**28   # bytes of rows for which there is room at first; rows that never come take none of it


class Rows:
    """Columns of as many rows each, in memory that doubles when it is full.

    Attributes:
        columns: name → array with room for more rows.
        size: (1,) int64 how many rows there are; compiled code appends as well.
    """

    def __init__(self, forms, expected):
        """`forms`: name → (shape of a row, dtype); `expected`: the number of rows that are likely to come."""
        self.expected = int(expected)
        self.row_bytes = sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in forms.values())
        room = max(1, min(self.expected, FIRST_ROOM // max(self.row_bytes, 1)))
        self.columns = {name: np.empty((room, *shape), dtype) for name, (shape, dtype) in forms.items()}
        self.size = np.zeros(1, np.int64)

    @classmethod
    def over(cls, columns, size):
        """Rows in arrays that somebody else has made, such as those of a file; `size` of them are in use."""
        made = cls.__new__(cls)
        made.columns, made.size, made.expected = columns, size, len(next(iter(columns.values())))
        made.row_bytes = sum(values[:1].nbytes for values in columns.values())
        return made

    @property
    def count(self):
        return self.size.item()

    @property
    def room(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name):
        """The rows of a column so far, without a copy: later rows go behind them or into other memory."""
        return self.columns[name][:self.count]

    def make_room(self, more):
        """Room for so many more rows, where there is none; returns whether the arrays are others now.

        A MemoryError leaves all as it is.
        """
        needed, room = self.count + more, self.room
        if needed <= room:
            return False
        wider = max(needed, min(2 * room, self.expected) if room < self.expected else 2 * room)
        grown = {name: np.empty((wider, *values.shape[1:]), values.dtype) for name, values in self.columns.items()}
        for name, values in self.columns.items():
            grown[name][:self.count] = values[:self.count]
        self.columns = grown
        return True

    def extend(self, columns):
        """Append rows: name → as many in each column."""
        more = len(next(iter(columns.values())))
        self.make_room(more)
        for name, rows in columns.items():
            self.columns[name][self.count:self.count + more] = rows
        self.size[0] += more

    def append(self, row):
        """Append one row: name → its value in each column."""
        self.make_room(1)
        for name, value in row.items():
            self.columns[name][self.count] = value
        self.size[0] += 1

    def keep_every_second(self):
        self.columns = {name: values[:self.count:2].copy() for name, values in self.columns.items()}
        self.size[0] = self.room


def step_forms():
    """Column → (shape of a row, dtype) of the step history."""
    return {name: ((), dtype) for name, dtype in STEP_ARRAYS.items()}


def _forms(row):
    return {name: (np.shape(value), np.asarray(value).dtype) for name, value in row.items()}


class Recorder:
    """Collects frames and step history; `expected` is the number of frames that are likely to come, not a limit.

    Attributes:
        frames: (group, name) → an array of frames, as `Rows`; None before the first frame.
        tables: name of a table → its `Rows`, those of all frames one after the other.
        starts: `Rows` of where the rows of each frame begin in each table.
    """

    def __init__(self, frames=64, step_rows=STEP_ROWS):
        self.expected = frames
        self.frames = None
        self.derived = None
        self.tables = {}
        self.starts = None
        self.step_rows = step_rows
        self.step_stride = 1
        self.step_skip = 0  # steps to pass over before the next row is kept
        self.steps = Rows(step_forms(), 1024)
        self.steps_seen = 0  # accepted steps that were told
        self._unfiled = None  # rows that a file does not have yet; None where there is no file

    def restart(self, keep):
        """Nothing recorded; `keep`: what has been recorded belongs to somebody, and stays as it is."""
        rows = () if keep or self.frames is None else (self.frames, *self.tables.values())
        self.derived, self.step_stride, self.step_skip = None, 1, 0
        if keep:
            self.frames, self.tables, self.starts = None, {}, None
            self.steps = Rows(step_forms(), 1024)
        self.steps_seen, self._unfiled = 0, None
        self.steps.size[0] = 0
        for each in rows:
            each.size[0] = 0
        if self.starts:
            self.starts.size[0] = 1

    @property
    def frame_count(self):
        return self.frames.count if self.frames else 0

    def open(self, frames, tables):
        """Make room for frames: (group, name) → (shape, dtype), and for tables: name → column → (shape of a row, dtype)."""
        self.frames = Rows(frames, self.expected)
        self.tables = {table: Rows(columns, self.expected) for table, columns in tables.items()}
        if tables:
            self.starts = Rows(dict.fromkeys(tables, ((), np.int64)), self.expected + 1)
            self.starts.append(dict.fromkeys(tables, 0))

    def add_frame(self, time, position, velocity, rigid_position, rigid_orientation, rigid_velocity, rigid_spin,
                  rigid_momentum, ledger, checkpoint=None, sensors=None, tables=None):
        """Append one frame; every array is copied. The names in the dicts must be the same in every frame.

        `tables`: name → column → rows, as many as there are in this frame.
        """
        values = (float(time), position, velocity, rigid_position, rigid_orientation, rigid_velocity, rigid_spin,
                  rigid_momentum)
        rows = {("", name): value for name, value in zip(FRAME_ARRAYS, values, strict=True)}
        for group, members in zip(FRAME_GROUPS, (ledger, sensors, checkpoint), strict=True):
            rows |= {(group, name): value for name, value in (members or {}).items()}
        tables = tables or {}
        if self.frames is None:
            self.open(_forms(rows), {table: {name: (each.shape[1:], each.dtype) for name, each in columns.items()}
                                     for table, columns in tables.items()})
        if rows.keys() != self.frames.columns.keys():
            raise ValueError(f"names changed between frames: {sorted(rows.keys() ^ self.frames.columns.keys())}")
        self.add_rows(tables)
        self.frames.append(rows)

    def add_rows(self, tables):
        """Append the rows of one frame to all tables."""
        if {table: [*columns] for table, columns in tables.items()} != {
                table: [*rows.columns] for table, rows in self.tables.items()}:
            raise ValueError("tables or their columns changed between frames")
        for table, columns in tables.items():
            self.tables[table].extend(columns)
        if tables:
            self.starts.append({table: rows.count for table, rows in self.tables.items()})

    def derive(self, columns):
        """Append what was worked out from frames, (group, name) → rows; the recording shows it beside them."""
        if self.derived is None:
            self.derived = Rows({name: (rows.shape[1:], rows.dtype) for name, rows in columns.items()}, self.expected)
        self.derived.extend(columns)

    def last_rows(self, table):
        """Column → rows of a table in the last frame."""
        begin = self.starts[table][-2]
        return {name: self.tables[table][name][begin:] for name in self.tables[table].columns}

    def add_steps(self, time, dt, residual, limit, cause=None):
        """Append accepted steps, (k,) arrays each. Long histories are thinned by powers of two, evenly over the run."""
        kept = slice(self.step_skip, None, self.step_stride)
        cause = np.zeros(len(time), np.int64) if cause is None else cause
        rows = {name: np.asarray(values, dtype)[kept]
                for (name, dtype), values in zip(STEP_ARRAYS.items(), (time, dt, residual, limit, cause), strict=True)}
        self.steps.extend(rows)
        numbers = np.arange(self.steps_seen, self.steps_seen + len(time))[kept]
        self.steps_seen += len(time)
        if self._unfiled is not None:
            self._unfiled.append({"number": numbers, "stride": np.full(len(numbers), self.step_stride), **rows})
        self.step_skip = (self.step_skip - len(time)) % self.step_stride
        while self.steps.count > self.step_rows:
            odd = self.steps.count % 2  # the next kept row must fall on the wider stride
            self.steps.keep_every_second()
            self.step_skip += self.step_stride * odd
            self.step_stride *= 2

    def take(self, recording, frames, steps):
        """Begin with the first frames of a recording, with their rows, and what it knows of the first `steps` steps."""
        groups = {"": vars(recording)} | {group: getattr(recording, group) for group in FRAME_GROUPS}
        self.frames.extend({(group, name): groups[group][name][:frames] for group, name in self.frames.columns})
        self.derive({(group, name): values[:frames] for group in ("ledger", "sensors")
                     for name, values in groups[group].items()})
        ends = {table: recording.rows[table]["start"][1:frames + 1] for table in self.tables}
        for table, rows in self.tables.items():
            rows.extend({name: recording.rows[table][name][:recording.rows[table]["start"][frames]] for name in rows.columns})
        if ends:
            self.starts.extend(ends)
        self.step_stride = int(recording.info.get("step_stride", 1))
        kept = -(-steps // self.step_stride)
        self.steps.extend({name: recording.steps[name][:kept] for name in STEP_ARRAYS})
        self.steps_seen, self.step_skip = steps, kept * self.step_stride - steps

    # into a file

    def forms(self):
        """(group, name) → (shape, dtype) of what frames have, and of what was derived from them."""
        return {name: (values.shape[1:], values.dtype) for rows in (self.frames, self.derived) if rows
                for name, values in rows.columns.items()}

    def table_forms(self):
        """Name of a table → column → (shape of a row, dtype)."""
        return {table: {name: (values.shape[1:], values.dtype) for name, values in rows.columns.items()}
                for table, rows in self.tables.items()}

    def move_into(self, arrays):
        """Keep frames in these arrays from now on: (group, name) → array over frames, ("rows", table) → where rows begin."""
        for name in ("frames", "derived", "starts"):
            rows = getattr(self, name)
            if rows:
                columns = {each: arrays["rows", each] if name == "starts" else arrays[each] for each in rows.columns}
                for each, values in columns.items():
                    values[:rows.count] = rows[each]
                setattr(self, name, Rows.over(columns, rows.size))
        count, stride = self.steps.count, self.step_stride
        self._unfiled = [{"number": np.arange(count) * stride, "stride": np.full(count, stride),
                          **{name: self.steps[name] for name in STEP_ARRAYS}}]

    def move_out(self):
        """Leave the arrays of a file as they are: later frames go into memory."""
        for rows in (self.frames, self.derived, self.starts):
            if rows:
                rows.columns = {name: rows[name] for name in rows.columns}
        self._unfiled = None

    def unfiled_steps(self):
        """Rows of `steps` since this was last asked, with the number of each step and how many it stands for."""
        forms = {"number": np.int64, "stride": np.int64, **STEP_ARRAYS}
        rows = {name: np.concatenate([np.empty(0, dtype), *(part[name] for part in self._unfiled)])
                for name, dtype in forms.items()}
        self._unfiled = []
        return rows

    def recording(self, status="done", counts=None, info=None, scene_digest="", statements=(), rows=None):
        """The frames so far as a `Recording`; `rows`: tables kept elsewhere, with their starts."""
        if not self.frame_count:
            raise RecordingError("nothing was recorded: a recording needs at least its first frame")
        groups = {group: {} for group in ("", *FRAME_GROUPS)}
        for each in (self.frames, self.derived):
            for group, name in each.columns if each else ():
                groups[group][name] = each[group, name]
        steps = {name: self.steps[name] for name in STEP_ARRAYS}
        tables = {table: {"start": self.starts[table]} | {name: each[name] for name in each.columns}
                  for table, each in self.tables.items()} | (rows or {})
        return Recording(**groups.pop(""), **groups, steps=steps, rows=tables,
                         counts=dict(counts or {}), status=status, scene_digest=scene_digest,
                         statements=statements, info={**(info or {}), "step_stride": self.step_stride})
