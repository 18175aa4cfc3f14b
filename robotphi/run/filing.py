"""A run into a file: what takes longer than a second leaves its frames on the disk as it goes on.

A run that is over before has its file written at the end: it is the same file.
"""
import time as clock

from robotphi.errors import RobotphiError
from robotphi.record.files.running import EACH, WAITING, RunningFile

FILES = []  # functions that give a path for the next run in this process, if it is a long one; the last of them is asked


class Filing:
    """The file of one run of a simulator.

    Attributes:
        path: of the file.
        always: whether a run that is over before a flush is due has a file as well.
    """

    def __init__(self, path, simulator, last, always):
        self.path, self._simulator, self._last, self.always = path, simulator, last, always
        self._file, self._began = None, clock.monotonic()
        self._frame_bytes = simulator.frame_bytes()

    def look(self):
        """Called after each frame, and now and then: write what is to be written now."""
        if self._file is None:
            waiting = self._simulator.recorder.frame_count * self._frame_bytes
            if clock.monotonic() - self._began < EACH and waiting < WAITING:
                return
            self._open()
        if self._file.is_due:
            self._flush()

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

    def end(self, recording):
        """Finish the file with what is known of the whole run; returns the recording, which knows its file."""
        if self._file is None:
            return recording.filed(recording.save(self.path)) if self.always else recording
        self._flush()
        self._file.close({name: getattr(recording, name) for name in ("status", "counts", "info")})
        self._simulator.recorder.move_out()
        self._simulator.lay_frames()
        return recording.filed(self.path)

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
