"""Frames of a run: each is kept by one call of compiled code; the ledger and sensors are worked out for many at once.

A frame of a small scene takes a few microseconds so. What follows from the rest of a frame alone, ledger and sensors, is not
worked out before somebody asks for the recording.
"""
from itertools import islice

import numpy as np

from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.contact.rows import ROWS, TABLES, Starts, Tables
from robotphi.kernels.step.frames import Frames, keep_on
from robotphi.record.files.names import FRAME_ARRAYS
from robotphi.record.sensors import Seen, live_places, read_sensors, sensor_sets
from robotphi.run.buffers import checkpointed
from robotphi.run.commands import COLUMNS
from robotphi.run.live import Live
from robotphi.run.state import ledger_of

SEEN_AT_ONCE = 2**20     # numbers of positions that sensors look at in one go
RIGID_WIDTHS = {"rigid_position": 3, "rigid_orientation": 4, "rigid_velocity": 3, "rigid_spin": 3, "rigid_momentum": 3}


def frame_forms(model, buffers):
    """(group, name) → (shape, dtype) of everything that a frame keeps in one size."""
    n, r = model.particle_count, len(model.arrays.rigids.mass)
    shapes = {"time": (), "position": (n, 3), "velocity": (n, 3), **{name: (r, width) for name, width in RIGID_WIDTHS.items()}}
    forms = {("", name): (shapes[name], np.float64) for name in FRAME_ARRAYS}
    forms |= {("checkpoint", name): (array.shape, array.dtype) for name, array in checkpointed(buffers).items()}
    return forms | {("checkpoint", name): (shape, np.float64) for name, shape in _kept_here(model).items() if shape[0]}


def _kept_here(model):
    """Name → shape of what no compiled code knows: what commands stand at, and what controllers remember."""
    return {"commands": (len(model.scene.commands), COLUMNS),
            "told": (max((place.stop for place in live_places(model.scene).values()), default=0),),
            "memory": (sum(one.memory for one in model.scene.controllers.values()),)}


class FrameKeeper:
    """Keeps frames of one simulation in its recorder."""

    def __init__(self, model, recorder, loop, commands):
        self._model, self._recorder, self._loop, self._commands = model, recorder, loop, commands
        self.memory = 0.0        # of controllers, where there are any
        self.live = Live(model, commands)
        self.told_before = None  # what its sensors had in the frame from which a run is continued
        self._touching = len(model.arrays.contact.parts.kind) > 0
        self._jointed = len(model.arrays.mechanisms.free) > 0
        self._beside = any(shape[0] for shape in _kept_here(model).values())
        self._sets = None
        self._needed = np.zeros(len(TABLES), np.int64)
        self._laid = None        # frames and tables, as compiled code reads them
        self._function = None

    def restart(self):
        """The recorder is empty again, and may have other memory."""
        if self._recorder.frames is None:
            self._laid = None

    def frame_bytes(self, state):
        """What a frame takes, its contacts not counted: they are not known before."""
        return sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in
                   frame_forms(self._model, state.buffers).values())

    def prepare(self, state):
        """Make room, and compile, where that has not been done."""
        if self._laid is None:
            self._recorder.open(frame_forms(self._model, state.buffers), TABLES if self._touching else {})
            self.lay()
        if self._function is None:
            arrays, buffers = self._loop.laid(state.buffers)
            frames, tables = self._laid
            self._function = keep_on(arrays.kind, buffers.kind, frames.kind, tables.kind if tables else None, self._touching,
                                     self._jointed)

    def lay(self):
        """Lay the arrays of frames down anew, which are others now."""
        recorder = self._recorder
        columns = islice(recorder.frames.columns.values(), len(Frames._fields) - 1)
        frames, tables = Laid(Frames(recorder.frames.size, *columns)), None
        if self._touching:
            rows = {table: ROWS[table](each.size, *each.columns.values()) for table, each in recorder.tables.items()}
            starts = Starts(recorder.starts.size, *recorder.starts.columns.values())
            tables = Laid(Tables(**rows, starts=starts, needed=self._needed))
        self._laid = frames, tables

    def keep(self, state, known=None):
        """Append the state as it is.

        `known`: the rows of contact where they are: those of a frame from which a run is continued stay as they were.
        """
        if self._laid is None or self._function is None:
            self.prepare(state)
        arrays, buffers = self._loop.laid(state.buffers)
        while True:
            frames, tables = self._laid
            if self._function(arrays.address, buffers.address, frames.address, tables.address if tables else 0, known is None):
                break
            self._make_room()
        if known:
            self._recorder.add_rows(known)
        if self._beside:
            self._keep_beside(state)

    def _keep_beside(self, state):
        """What no compiled code knows."""
        columns, frame = self._recorder.frames.columns, self._recorder.frames.count - 1
        for name, values in (("commands", self._commands.table), ("memory", self.memory)):
            if ("checkpoint", name) in columns:
                columns["checkpoint", name][frame] = values
        if self.live:
            columns["checkpoint", "told"][frame] = self.live.told(state) if self.told_before is None else self.told_before
            self.told_before = None

    def _make_room(self):
        recorder = self._recorder
        recorder.frames.make_room(1)
        for rows, more in zip(recorder.tables.values(), self._needed, strict=True) if self._touching else ():
            rows.make_room(int(more))
        if recorder.starts:
            recorder.starts.make_room(1)
        self.lay()

    def derive(self):
        """Work out the ledger and the sensors of the frames that lack them."""
        recorder = self._recorder
        if not recorder.frame_count:
            return
        at_once = max(1, SEEN_AT_ONCE // max(3 * self._model.particle_count, 1))
        begin = recorder.derived.count if recorder.derived else 0
        while begin < recorder.frame_count:
            own = slice(begin, min(begin + at_once, recorder.frame_count))
            self._derive(own)
            begin = own.stop

    def _derive(self, own):
        model, recorder = self._commands.over_time(self._recorder), self._recorder
        frames = {name: values[own] for (_, name), values in recorder.frames.columns.items()}
        found = {("ledger", name): values for name, values in ledger_of(model, frames["books"], frames["numbers"]).items()}
        if model.scene.sensors:
            self._sets = self._sets or sensor_sets(model)
            seen = Seen(**{name: frames[name] for name in Seen._fields if name in frames},
                        contacts=self._contacts(own) if self._touching else None)
            found |= {("sensors", name): values for name, values in read_sensors(model, seen, self._sets).items()}
        recorder.derive(found)

    def _contacts(self, own):
        """Column → rows of contact of some frames, and where those of each frame begin."""
        starts, rows = self._recorder.starts["contacts"][own.start:own.stop + 1], self._recorder.tables["contacts"]
        return {name: rows[name][starts[0]:starts[-1]] for name in rows.columns} | {"start": starts - starts[0]}
