"""Collecting what happens: frames and steps enter a `Recorder`, a `Recording` leaves."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.names import FRAME_ARRAYS, FRAME_GROUPS
from robotphi.record.recording import Recording
from robotphi.record.rows import Rows
from robotphi.record.steps import STEP_ROWS, History


def _forms(row):
    return {name: (np.shape(value), np.asarray(value).dtype) for name, value in row.items()}


def _lent(columns, count):
    """The first rows of arrays that are only read."""
    return Rows.over({name: values[:count] for name, values in columns.items()}, np.array([count]), lent=True)


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
        self.history = History(step_rows)
        self.bring_back = None   # what reads rows of tables again that a file has and the memory has not

    def restart(self, keep):
        """Nothing recorded; `keep`: what has been recorded belongs to somebody, and stays as it is."""
        rows = () if keep or self.frames is None else (self.frames, *self.tables.values())
        self.derived = self.bring_back = None
        if keep:
            self.frames, self.tables, self.starts = None, {}, None
        self.history.restart(keep)
        for each in rows:
            each.clear()
        if self.starts:
            self.starts.size[0] = 1

    @property
    def frame_count(self):
        return self.frames.size.item() if self.frames else 0

    @property
    def bytes(self):
        """What frames and rows of tables take in memory."""
        rows = () if self.frames is None else (self.frames, *self.tables.values())
        return sum((each.count - each.gone) * each.row_bytes for each in rows)

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
        self.history.add(time, dt, residual, limit, np.zeros(len(time), np.int64) if cause is None else cause)

    def take(self, recording, frames, steps):
        """Begin with the first frames of a recording, with their rows, and what it knows of the first `steps` steps.

        All of it stays where it is, in the file of the recording, until it goes into another file or more comes in memory.
        """
        groups = {"": vars(recording)} | {group: getattr(recording, group) for group in FRAME_GROUPS}
        self.frames.size[0] = self.frames.room   # compiled code finds no room in what was laid down for it, and asks for some
        self.frames = _lent({(group, name): groups[group][name] for group, name in self.frames.columns}, frames)
        self.derived = _lent({(group, name): values for group in ("ledger", "sensors")
                              for name, values in groups[group].items()}, frames)
        for table, rows in self.tables.items():
            own = recording.rows[table]
            self.tables[table] = _lent({name: own[name] for name in rows.columns}, int(own["start"][frames]))
        if self.tables:
            self.starts = _lent({table: recording.rows[table]["start"] for table in self.tables}, frames + 1)
        self.history.take(recording.steps, int(recording.info.get("step_stride", 1)), steps)

    # into a file

    def forms(self):
        """(group, name) → (shape, dtype) of what frames have, and of what was derived from them."""
        return {name: (values.shape[1:], values.dtype) for rows in (self.frames, self.derived) if rows
                for name, values in rows.columns.items()}

    def table_forms(self):
        """Name of a table → column → (shape of a row, dtype)."""
        return {table: {name: (values.shape[1:], values.dtype) for name, values in rows.columns.items()}
                for table, rows in self.tables.items()}

    def so_far(self):
        """(group, name) → rows of what frames have so far; ("rows", table) → where rows of a table begin."""
        kept = (self.frames, self.derived) if self.derived else (self.frames,)
        found = {name: rows[name] for rows in kept for name in rows.columns}
        return found | {("rows", table): self.starts[table] for table in (self.starts.columns if self.starts else ())}

    def lie_in(self, arrays):
        """Keep frames in these arrays from now on, in which those so far are; names as in `so_far`."""
        for name in ("frames", "derived", "starts"):
            rows = getattr(self, name)
            if rows:
                columns = {each: arrays["rows", each] if name == "starts" else arrays[each] for each in rows.columns}
                setattr(self, name, Rows.over(columns, rows.size))
        self.history.begin_log()

    def take_tables(self, tables):
        """Rows of tables lie in these arrays from now on, name → column → all rows so far; later ones go into memory."""
        self.tables = {table: Rows.over(tables[table], rows.size) for table, rows in self.tables.items()}
        self.bring_back = None

    def move_out(self):
        """Leave the arrays of a file as they are: later frames go into memory."""
        for rows in (self.frames, self.derived, self.starts):
            if rows:
                rows.columns = {name: rows[name] for name in rows.columns}
        self.history.end_log()

    def recording(self, status="done", counts=None, info=None, scene_digest="", statements=(), rows=None):
        """The frames so far as a `Recording`; `rows`: tables kept elsewhere, with their starts."""
        if not self.frame_count:
            raise RecordingError("nothing was recorded: a recording needs at least its first frame")
        if self.bring_back:
            self.bring_back()
        groups = {group: {} for group in ("", *FRAME_GROUPS)}
        for each in (self.frames, self.derived):
            for group, name in each.columns if each else ():
                groups[group][name] = each[group, name]
        tables = {table: {"start": self.starts[table]} | {name: each[name] for name in each.columns}
                  for table, each in self.tables.items()} | (rows or {})
        return Recording(**groups.pop(""), **groups, steps=self.history.steps(), rows=tables,
                         counts=dict(counts or {}), status=status, scene_digest=scene_digest,
                         statements=statements, info={**(info or {}), "step_stride": self.history.stride})
