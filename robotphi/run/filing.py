"""A run into a file: what takes longer than a second leaves its frames on the disk as it goes on.

A run that is over before has its file written at the end: it is the same file.
"""
import time as clock

from robotphi.errors import RobotphiError
from robotphi.record.choice import Choice, chosen
from robotphi.record.file import write_file
from robotphi.record.files.counting import WAITING
from robotphi.record.files.running import EACH, RunningFile

AT_HAND = 2 * WAITING   # bytes of frames and rows that a run keeps in memory before it has a file: as many as with one
OFTEN = 16              # part of what there is still room for: so much may come before room is looked at again

FILES = []  # functions that give a path for the next run in this process, if it is a long one; the last of them is asked


class Filing:
    """The file of one run of a simulator.

    Attributes:
        path: of the file.
        always: whether a run that is over before a flush is due has a file as well.

    `choice`: what is to stay in it when the run is over.
    """

    def __init__(self, path, simulator, last, always, choice):
        self.path, self._simulator, self._last, self.always, self._choice = path, simulator, last, always, choice
        self._file, self._began, self._finished, self._enough = None, clock.monotonic(), False, 0

    def look(self):
        """Called after each frame, and now and then: write what is to be written now."""
        if self._file is None:
            if clock.monotonic() - self._began < EACH and self._has_room():
                return
            self._open()
        if self._file.is_due:
            self._flush()

    def _has_room(self):
        """Whether what there is still finds room in memory; asked now and then, before much more of it can have come."""
        recorder = self._simulator.recorder
        frames = recorder.frame_count
        if frames < self._enough:
            return True
        used = recorder.bytes
        left = max(AT_HAND - used, 0) / max(used, 1)
        self._enough = frames + int(frames * min(left, 2.0) / OFTEN)   # frames to come may be larger: never many at once
        return used < AT_HAND

    def _open(self):
        simulator = self._simulator
        first = simulator.frame - simulator.recorder.frame_count + 1
        simulator.derive()
        times = simulator.frame_times[first:self._last + 1]
        self._file = RunningFile(self.path, simulator.recorder, times, simulator.model.scene, simulator.digest())
        simulator.lay_frames()
        self._flush()

    def _flush(self):
        simulator = self._simulator
        simulator.derive()
        self._file.flush(simulator.commands.history, {"counts": simulator.counts(), "info": simulator.info()})

    def finish_rows(self):
        """Nothing comes any more: all rows of tables go into the file, and are read there."""
        if self._file is not None and not self._finished:
            self._flush()
            self._finished = True
            self._file.finish_rows()
            self._simulator.lay_frames()

    def end(self, recording):
        """Finish the file with what is known of the whole run; returns the recording, which knows its file."""
        if self._file is None:
            if self.always:
                self._write(recording)
            return recording.filed(self.path) if self.always else recording
        self._file.close({name: getattr(recording, name) for name in ("status", "counts", "info")})
        self._simulator.recorder.move_out()
        self._simulator.lay_frames()
        if self._choice != Choice():
            self._write(recording)
        return recording.filed(self.path)

    def _write(self, recording):
        """Write of the recording what is to stay."""
        kept = recording if self._choice == Choice() else chosen(recording, self._choice)
        write_file(kept, self.path, self._simulator.model.scene)

    def fail(self, error):
        """Finish the file of a run that ends by an error, whose recording has all frames so far.

        What ends by anything else leaves what was flushed to `robotphi repair`; nobody writes it any longer.
        """
        recording = getattr(error, "recording", None)
        if isinstance(error, RobotphiError) and recording is not None:
            error.recording = self.end(recording)
        elif self._file is not None:
            self._file.leave()
            self._simulator.recorder.move_out()
            self._simulator.lay_frames()
