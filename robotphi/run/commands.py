"""Commands of a run: what each stands at, the pieces of their drives, and what was set when.

A simulator has drives of its own, in which the pieces of a command are written anew where it is set. To all that reads them a
command is then the drive that `Drive.steps`, or a table with one ramp, would have been; its jump is booked in the same way.
"""
from itertools import pairwise

import numpy as np

from robotphi.errors import RecordingError, SceneError
from robotphi.kernels.springs.table import ENERGY, KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.entries import EXTRA
from robotphi.model.arrays import room
from robotphi.model.build import MERGED
from robotphi.run.last_pieces import with_last_pieces
from robotphi.scene.checks import word
from robotphi.scene.commands import PIECES
from robotphi.scene.drive import LONG_AGO

FROM, SINCE, SLOPE, UNTIL, VALUE = range(5)   # of a ramp: value, s, per second, s; what it is set to
COLUMNS = 5
ENTRIES = 8  # of a piece
UNKNOWN = -1, np.inf, -np.inf   # number and bounds of a command of no name
LANDED = -1   # in place of a command in the history: the run stood there, and nothing was set


class Commands:
    """The commands of one simulator.

    Attributes:
        model: the model with the drives as they stand.
        table: (c, 5) what each command does: FROM + SLOPE (t − SINCE) up to UNTIL, VALUE from there on.
    """

    def __init__(self, model):
        self._first = model = with_last_pieces(model)
        self._told = list(model.scene.commands.values())
        self._numbers = {command.name: i for i, command in enumerate(self._told)}
        self._takes = {command.name: (i, *command.range) for i, command in enumerate(self._told)}
        self._drives = [int(drive) for drive in model.drive_of_command]
        self.table = np.zeros((len(self._told), COLUMNS))
        self._flat = self.table.reshape(-1)
        self.table[:, [SINCE, UNTIL]] = LONG_AGO
        self.table[:, FROM] = self.table[:, VALUE] = [command.start for command in self._told]
        self._first_table = self.table.copy()
        self.history = []         # (frames so far, time, number of the command, value)
        self._instants = None
        self._springs_follow = False   # whether any has a rest value that is set
        self._started = None
        self._bounds_follow = any(drive in self._told for act in model.scene.acts for drive in act.drive.values())
        self.model = self._own_drives(model) if self._told else model

    def __len__(self):
        return len(self._told)

    def restart(self):
        """All at the start, and nothing set."""
        if not self._told:
            return
        self.table[...] = self._first_table
        self.history, self._started = [], None
        self._piece[...] = self._first.arrays.drives.piece
        if self._with_ends:
            self._ends[...] = [*self._first.arrays.breakpoints, *[np.inf] * len(self._with_ends)]

    def _own_drives(self, model):
        """The model with pieces and breakpoints that are written here and only read by all others."""
        drives, breakpoints = model.arrays.drives, model.arrays.breakpoints
        self._piece = room(drives.piece.shape, np.float64)
        self._piece[...] = drives.piece
        self._entries = self._piece.reshape(-1)
        first = (ENTRIES * drives.start).tolist()   # entry of each drive
        self._rows = [(COLUMNS * i + VALUE, first[drive] + 1 if drive >= 0 else -1, command.fastest is None)
                      for i, (command, drive) in enumerate(zip(self._told, self._drives, strict=True))]
        self._with_ends = [i for i, command in enumerate(self._told) if command.fastest is not None]
        self._ends = room((len(breakpoints) + len(self._with_ends),), np.float64)
        self._ends[...] = [*breakpoints, *[np.inf] * len(self._with_ends)]
        self._driven = [(np.flatnonzero(rows.drive >= 0), rows.drive[rows.drive >= 0], kind.own) for kind in KINDS.values()
                        for rows in [getattr(model.arrays, kind.own)] if (rows.drive >= 0).any()]
        followed = {int(drive) for _, drives_of_springs, _ in self._driven for drive in drives_of_springs}
        self._springs_follow = not followed.isdisjoint(self._drives)
        arrays = model.arrays._replace(drives=drives._replace(piece=_read_only(self._piece)))
        return model._replace(arrays=arrays._replace(breakpoints=_read_only(self._ends) if self._with_ends else breakpoints))

    def number(self, name, where):
        """Number of a command by its name or handle."""
        found = self._numbers.get(getattr(name, "name", name) if not isinstance(name, str) else name)
        return self._numbers[word(where, "command", str(name), tuple(self._numbers))] if found is None else found

    def value(self, number, time):
        """What a command stands at."""
        row = self.table[number]
        return float(row[VALUE] if time >= row[UNTIL] else row[FROM] + row[SLOPE] * (time - row[SINCE]))

    def checked(self, values, where="set"):
        """[(number, value), …] of {name: value}, all of it checked."""
        if not isinstance(values, dict):
            raise SceneError(f"{where}: {values!r:.60} is no dictionary; give {{name of a command: value}}")
        found = []
        for name, value in values.items():
            number, low, high = self._takes.get(name, UNKNOWN) if type(name) is str else UNKNOWN
            if not (isinstance(value, float) and low <= value <= high):   # all else is looked at more closely
                number = self.number(name, where)
                value = self._told[number].checked(f"{where}, command {self._told[number].name!r}", value)
            found.append((number, value))
        return found

    def set(self, state, values, recorder):
        """Set commands at the present instant; `values` as checked."""
        flat, frames, time, changed = self._flat, recorder.frame_count, state.time, False
        for number, value in values:
            place, entry, jumps = self._rows[number]
            if value == flat.item(place):
                continue
            if not changed:
                self._leave(state.buffers)
                changed = True
            if not jumps:
                self._ramp(number, value, time)
            else:   # a row that holds differs in nothing but its value
                flat[place] = flat[place - VALUE] = value
                if entry >= 0:
                    self._entries[entry] = self._entries[entry + ENTRIES] = value
            self.history.append((frames, time, number, value))
        if changed and self._with_ends:
            self._renew_ends(state)
        return changed

    def landed(self, time, recorder):
        """Note an instant on which the run stood, whether or not anything was set there."""
        if self._told:
            self.history.append((recorder.frame_count, time, LANDED, 0.0))

    def _leave(self, buffers):
        """As the loop does where it lands on a jump of a drive: what the springs of drives hold is booked before and after."""
        counters = buffers.counters
        if self._driven and counters[slots.EVENT_PASSED] == 0:
            for rows, drives, own in self._driven:
                np.subtract.at(buffers.books[:, EXTRA], buffers.book_of_drive[drives], getattr(buffers, own)[rows, ENERGY])
        counters[slots.EVENT_PASSED] = 1
        counters[slots.FRESH] = slots.STALE
        if self._bounds_follow:
            counters[slots.SINCE_STABLE] = max(counters[slots.SINCE_STABLE], counters[slots.RENEW_AFTER])

    def _ramp(self, number, value, time):
        """A ramp from what it stands at."""
        before = self.value(number, time)
        end = self._merged(time + abs(value - before) / self._told[number].fastest)
        slope = (value - before) / (end - time) if end > time else 0.0
        self.table[number] = before, time, slope, end, value
        self._write(number)

    def _write(self, number):
        """The pieces of a command's drive."""
        drive = self._drives[number]
        if drive < 0:
            return
        start, since, slope, until, value = self.table[number]
        first = self._first.arrays.drives.start[drive]
        piece = self._piece[first:first + PIECES]
        if slope == 0.0:
            piece[0, :3], piece[1, :3] = (LONG_AGO, value, 0.0), (np.inf, value, 0.0)
        else:
            piece[0, :3], piece[1, :3] = (since, start, slope), (until, value, 0.0)

    def _merged(self, end):
        """The end of a ramp, on the next instant on which steps land anyway, where rounding alone is between them."""
        if self._instants is None:
            scene = self._first.scene
            rates = [np.arange(int(one.rate * scene.duration) + 1) / one.rate for one in scene.controllers.values()]
            self._instants = np.unique(np.concatenate([scene.frame_times, self._first.arrays.breakpoints, *rates]))
        place = np.searchsorted(self._instants, end)
        near = self._instants[max(place - 1, 0):place + 1]
        nearest = near[np.argmin(np.abs(near - end))]
        return float(nearest) if abs(nearest - end) <= MERGED * self._first.scene.duration else end

    def _renew_ends(self, state):
        ends = self.table[self._with_ends, UNTIL]
        self._ends[...] = np.sort(np.concatenate([self._first.arrays.breakpoints, np.where(ends > state.time, ends, np.inf)]))
        state.buffers.counters[slots.BREAKPOINT] = 0   # places have moved; those behind are passed over by the next plan

    def restore(self, state, recording, frame):
        """What the commands stood at in a recorded frame."""
        if not self._told:
            return
        kept = recording.checkpoint.get("commands")
        if kept is None or kept.shape[1:] != self.table.shape:
            raise RecordingError("this recording holds no commands to continue from, or those of another scene")
        self.table[...] = kept[frame]
        for number in range(len(self)):
            self._write(number)
        if self._with_ends:
            self._renew_ends(state)

    def take(self, recording, frame):
        """Begin with what commands were before a recorded frame, where its recorder has these frames as well."""
        rows = recording.rows.get("commands")
        if self._told and rows is not None:
            own = np.repeat(np.arange(len(rows["start"]) - 1), np.diff(rows["start"]))
            told = zip(own.tolist(), rows["time"].tolist(), rows["command"].tolist(), rows["value"].tolist(), strict=True)
            self.history = [row for row in told if row[0] <= frame]
            self._started = np.array(recording.checkpoint["commands"][0])

    def rows(self, frames):
        """The history as a table of a recording of so many frames: rows behind frame i − 1 and before frame i belong to i."""
        kept = [row for row in self.history if row[0] < frames]
        start = np.searchsorted([row[0] for row in kept], np.arange(frames + 1))
        return {"start": start, "time": np.array([row[1] for row in kept], float),
                "command": np.array([row[2] for row in kept], np.int32), "value": np.array([row[3] for row in kept], float)}

    def over_time(self, recorder):
        """The model with drives that know all that the commands have been in the frames so far, for what is read of them.

        A frame shows what a command was up to its instant.
        """
        if not self._springs_follow:
            return self._first
        drives, rows = self._first.arrays.drives, []
        kept = recorder.frames["checkpoint", "commands"][0] if self._started is None else self._started
        self._started = np.array(kept)
        pieces = [list(drives.piece[begin:end]) for begin, end in pairwise(drives.start)]
        for number, drive in enumerate(self._drives):
            if drive >= 0:
                pieces[drive] = self._pieces_over_time(number)
        rows = [np.reshape(each, (-1, 8)) for each in pieces]
        start = np.concatenate(([0], np.cumsum([len(each) for each in rows]))).astype(np.int32)
        arrays = self._first.arrays._replace(drives=drives._replace(start=start, piece=np.concatenate(rows)))
        return self._first._replace(arrays=arrays)

    def _pieces_over_time(self, number):
        """(k, 8) of one command: what it was in the first frame, then from each instant on what it was set to."""
        row, command = self._started[number].copy(), self._told[number]
        found = []

        def add(row, begin):
            start, since, slope, until, value = row
            if slope != 0.0 and until > begin:
                found.append((begin, start + slope * (begin - since), slope, 0.0, 0.0, 0.0, 0.0, 0.0))
                begin = until
            found.append((begin, value, *[0.0] * 6))

        add(row, max(row[SINCE], LONG_AGO) if row[SLOPE] != 0.0 else LONG_AGO)
        for _, time, which, value in self.history:
            if which != number:
                continue
            while len(found) > 1 and found[-1][0] > time:
                found.pop()
            last = found[-1]
            before = last[1] + last[2] * (time - last[0]) if last[2] != 0.0 else last[1]
            begin = np.nextafter(time, np.inf)
            if command.fastest is None:
                found.append((begin, value, *[0.0] * 6))
            else:
                end = self._merged(time + abs(value - before) / command.fastest)
                add((before, time, (value - before) / (end - time) if end > time else 0.0, end, value), begin)
        return found

    def facts(self):
        """Plain JSON values of the commands: [name, value at the start] of each."""
        return {"commands": [[command.name, command.start] for command in self._told]} if self._told else {}


def _read_only(array):
    view = array.view()
    view.flags.writeable = False
    return view


