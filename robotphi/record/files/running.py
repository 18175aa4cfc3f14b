"""The file of a run under way: frames are kept in it as they come, all else follows at each flush.

A frame counts once `progress` says so: after a flush, which chains the digests of new frames and writes rows of tables and of
step history. What comes between two flushes, a second at most, is lost where a run is cut off.
"""
import os
import time as clock

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.chain import first_link, links
from robotphi.record.files.drawn import drawn_of
from robotphi.record.files.finish import ASIDE, LOG, as_json, finish
from robotphi.record.files.log import Log, is_written, read_log
from robotphi.record.files.make import beside, make_file, open_arrays, remove
from robotphi.record.files.places import places_of
from robotphi.record.files.seal import LARGE

EACH = 1.0                # s between two flushes
WAITING = 1 << 24         # bytes of frames that wait for a flush
STEPS_FILED = {"number": ((), "<i8"), "stride": ((), "<i8"), "time": ((), "<f8"), "dt": ((), "<f8"), "residual": ((), "<f8"),
               "limit": ((), "<i4"), "cause": ((), "<i8")}
COMMANDS = {"frame": ((), "<i8"), "time": ((), "<f8"), "command": ((), "<i4"), "value": ((), "<f8")}
FACTS = {"text": ((), "|u1")}


class RunningFile:
    """Writes what a recorder collects.

    Attributes:
        path: of the file.
        frames: for how many there is room.
    """

    def __init__(self, path, recorder, times, scene, digest):
        """`recorder` holds the first frame, and what follows from it."""
        self.path, self.frames, self._recorder = path, len(times), recorder
        if is_written(beside(path, LOG)):
            raise RecordingError(f"{path} is being written by another run; name another file or folder")
        forms = recorder.forms()
        self._tables = recorder.table_forms()
        self._forms = {**self._tables, "steps": STEPS_FILED, "commands": COMMANDS, "facts": FACTS}
        self._places = places_of(forms, self._tables)
        self._made = make_file(path, times, self._places, self._forms, drawn_of(scene, forms["", "position"][0][0]), digest,
                         scene.statements if scene is not None else ())
        for word in (ASIDE, LOG):
            remove(beside(path, word))
        self._filed = open_arrays(self._made, self._places, self.frames, writing=True)
        self._log = Log(beside(path, LOG), self._forms)
        self._link = first_link(digest, self._places, self._tables)
        self._sent = dict.fromkeys(self._forms, 0)
        self._flushed = clock.monotonic()
        self._frame_bytes = sum(place.size(1) for place in self._places)
        recorder.move_into({(place.group, place.name): array for place, array in self._filed.arrays.items()})

    @property
    def is_due(self):
        waiting = self._recorder.frame_count - int(self._filed.progress[0])
        return clock.monotonic() - self._flushed > EACH or waiting * self._frame_bytes > WAITING

    def flush(self, commands, facts):
        """Let all frames so far count; what follows from them has been worked out.

        Args:
            commands: the history of commands so far, rows (frame, time, command, value).
            facts: plain values of the run so far, which tell of it if it is cut off.
        """
        recorder, first, last = self._recorder, int(self._filed.progress[0]), self._recorder.frame_count
        for table in self._tables:
            begin, self._sent[table] = self._sent[table], recorder.tables[table].count
            self._log.add(table, begin, {name: recorder.tables[table][name][begin:] for name in self._tables[table]})
        self._log.add("steps", 0, recorder.unfiled_steps())
        begin, self._sent["commands"] = self._sent["commands"], len(commands)
        new = list(zip(*commands[begin:], strict=True)) or [()] * len(COMMANDS)
        self._log.add("commands", begin, {name: np.array(values, dtype) for (name, (_, dtype)), values in
                                          zip(COMMANDS.items(), new, strict=True)})
        self._log.add("facts", 0, {"text": np.frombuffer(as_json(facts).encode(), np.uint8)})
        self._log.flush()
        starts = [recorder.starts[table] for table in self._tables]
        columns = [[recorder.tables[table][name] for name in names] for table, names in self._tables.items()]
        if last > first:
            self._filed.chain[first:last] = links(self._link, self._filed.digested, starts, columns, first, last)
            self._link = self._filed.chain[last - 1].tobytes()
        self._filed.progress[0] = last
        if self._made is not None:   # from now on there is something to be read
            os.replace(self._made, self.path)
            self._made = None
        self._let_go(first, last)
        self._flushed = clock.monotonic()

    def _let_go(self, first, last):
        """Memory of frames that have been flushed; they are read again from the file where somebody asks."""
        for place in self._places:
            byte, size = self._filed.bytes.get(place.path, (0, 0))
            if size > LARGE:
                each = size // (self.frames + place.more)
                self._filed.mapped.forget(byte + first * each, (last - first) * each)

    def leave(self):
        """Write no more, as if the run had been cut off."""
        self._log.close()

    def close(self, closing):
        """Finish the file."""
        self._log.close()
        finish(self.path, self._filed, self._forms, read_log(self._log.path, self._forms), closing)


