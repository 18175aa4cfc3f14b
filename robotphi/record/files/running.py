"""The file of a run under way: frames are kept in it as they come, all else follows at each flush.

A frame counts once `progress` says so: after a flush, which writes rows of tables and of step history and has the digests of
new frames chained (`counting`). What comes between two flushes, a second at most, is lost where a run is cut off.
"""
import os
import time as clock

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.chain import first_link
from robotphi.record.files.counting import WAITING, Counting, stretches
from robotphi.record.files.drawn import drawn_of
from robotphi.record.files.finish import ASIDE, LOG, as_json, finish, finish_rows
from robotphi.record.files.log import Log, is_written, read_log
from robotphi.record.files.make import beside, make_file, open_arrays, remove
from robotphi.record.files.mapped import write_at
from robotphi.record.files.places import places_of
from robotphi.record.steps import LOGGED, PAIRS_LOGGED

EACH = 1.0                # s between two flushes
COMMANDS = {"frame": ((), "<i8"), "time": ((), "<f8"), "command": ((), "<i4"), "value": ((), "<f8")}
LOGGED_APART = {"steps": LOGGED, "pairs": PAIRS_LOGGED, "commands": COMMANDS, "facts": {"text": ((), "|u1")}}


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
        self._forms = {**self._tables, **LOGGED_APART}
        self._places = places_of(forms, self._tables)
        self._made, found = make_file(path, times, self._places, self._forms, drawn_of(scene, forms["", "position"][0][0]),
                                      digest, scene.statements if scene is not None else ())
        for word in (ASIDE, LOG):
            remove(beside(path, word))
        self._write_so_far(found)
        self._filed = open_arrays(self._made, self._places, self.frames, writing=True, found=found)
        self._log = Log(beside(path, LOG), self._forms)
        self.counting = Counting(self._filed, self._places, first_link(digest, self._places, self._tables))
        self._sent = dict.fromkeys(self._forms, 0)
        self._flushed = clock.monotonic()
        self._facts = {}   # as the log has them
        recorder.lie_in({(place.group, place.name): array for place, array in self._filed.arrays.items()})

    def _write_so_far(self, found):
        """Frames that came before there was a file, or that a run goes on from."""
        where = {(place.group, place.name): found[place.path][0] for place in self._places}
        try:
            with open(self._made, "r+b", buffering=0) as file:
                for name, rows in self._recorder.so_far().items():
                    if where[name] is not None:
                        write_at(file, where[name], rows)
        except OSError as error:
            remove(self._made)
            raise RecordingError(f"cannot write {self.path}: {error.strerror or error}") from error

    @property
    def is_due(self):
        recorder = self._recorder
        waiting = (recorder.frame_count - self.counting.handed) * self.counting.frame_bytes + sum(
            (rows.count - self._sent[table]) * rows.row_bytes for table, rows in recorder.tables.items())
        return clock.monotonic() - self._flushed > EACH or waiting > WAITING

    def flush(self, commands, facts):
        """Let all frames so far count; what follows from them has been worked out.

        Args:
            commands: the history of commands so far, rows (frame, time, command, value).
            facts: plain values of the run so far, which tell of it if it is cut off.
        """
        recorder = self._recorder
        try:
            self._log_rows(commands)
            self._log_facts(facts)
            self._log.flush()
        except OSError as error:
            raise cannot_go_on(self.path, error) from error
        starts = [recorder.starts[table] for table in self._tables]
        columns = [[recorder.tables[table][name] for name in names] for table, names in self._tables.items()]
        self.counting.hand_over(recorder.frame_count, starts, columns)
        if self._made is not None:   # from now on there is something to be read
            self.counting.wait()
            os.replace(self._made, self.path)
            self._made = None
        for table, rows in recorder.tables.items():   # they are read again from the file where somebody asks
            rows.let_go(int(recorder.starts[table][self.counting.counted]))
        self._flushed = clock.monotonic()

    def _log_rows(self, commands):
        recorder = self._recorder
        for table in self._tables:
            rows = recorder.tables[table]
            for begin, end in stretches(self._sent[table], rows.count, rows.row_bytes):
                self._log.add(table, begin, {name: rows[name][begin:end] for name in self._tables[table]})
                if end < rows.count:
                    self._log.flush()
            self._sent[table] = rows.count
        for begin, columns in recorder.history.unfiled():
            self._log.add("steps", begin, columns)
        begin, self._sent["pairs"] = self._sent["pairs"], len(recorder.history.pairs)
        new = recorder.history.pairs[begin:]
        self._log.add("pairs", begin, {"limit": new[:, 0], "cause": new[:, 1]})
        begin, self._sent["commands"] = self._sent["commands"], len(commands)
        new = list(zip(*commands[begin:], strict=True)) or [()] * len(COMMANDS)
        self._log.add("commands", begin, {name: np.array(values, dtype) for (name, (_, dtype)), values in
                                          zip(COMMANDS.items(), new, strict=True)})

    def _log_facts(self, facts):
        """Those of the facts that are others than before."""
        told = {(group, name): as_json(value) for group, members in facts.items() for name, value in members.items()}
        new = {group: {name: value for name, value in members.items() if self._facts.get((group, name)) != told[group, name]}
               for group, members in facts.items()}
        self._facts = told
        self._log.add("facts", 0, {"text": np.frombuffer(as_json(new).encode(), np.uint8)})

    def leave(self):
        """Write no more, as if the run had been cut off; rows that only the log has are read again when they are asked for."""
        self.counting.close()
        self._log.close()
        self._recorder.bring_back = self._bring_back

    def _bring_back(self):
        tables = self._recorder.tables
        for table, first, columns in read_log(self._log.path, self._forms):
            for name, rows in columns.items() if table in tables and not tables[table].lent else ():
                tables[table].columns[name][first:first + len(rows)] = rows
        for rows in tables.values():
            rows.gone = 0
        self._recorder.bring_back = None

    def finish_rows(self):
        """Nothing comes any more: the rows go from the log into the file, and are read there from now on."""
        self.counting.close()
        records = read_log(self._log.path, self._forms)
        try:
            self._recorder.take_tables(finish_rows(self.path, self._filed, self._forms, records))
        except OSError as error:
            raise cannot_go_on(self.path, error) from error

    def close(self, closing):
        """Finish the file."""
        self._log.close()
        try:
            finish(self.path, self._filed, self._forms, self._recorder.history.steps(), closing)
        except OSError as error:
            raise cannot_go_on(self.path, error) from error


def cannot_go_on(path, error):
    """What is said where a disk is full, or gone."""
    return RecordingError(f"cannot write {path} any further: {error.strerror or error}; all frames of its last flush are safe: "
                          f"make room, then robotphi repair {path} makes it whole and run --continue goes on from there")
