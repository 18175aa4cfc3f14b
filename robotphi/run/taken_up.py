"""Simulators that begin with what a recording has: in a recording of their own, in the same one, or as it was before."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.choice import check_kept, kept
from robotphi.record.recording import Recording
from robotphi.run.control import Replay


class TakenUp:
    """The part of a `Simulator` that takes up a recording."""

    @classmethod
    def continued(cls, model, recording=None, frame=-1, threads=None, controllers=None):
        """A simulator that goes on from a frame of a recording.

        Args:
            model: what was simulated; it may have another duration and other frames, to go on for longer. A recording
                alone, in its place, knows its own.
            recording: of that model.
            frame: to go on from; -1 is the last one.
            threads, controllers: as for a new simulator.
        """
        if recording is None:
            if not isinstance(model, Recording):
                raise RecordingError(f"there is no recording to go on from, only {model!r:.60}; give continued(recording) or "
                                     "continued(model, recording)")
            model, recording = model.model, model
        simulator = cls(model, threads, controllers)
        if not isinstance(recording, Recording):
            raise RecordingError(f"{recording!r:.60} is no recording; give continued(recording) or continued(model, recording)")
        if recording.scene_digest != simulator.digest():
            raise RecordingError("the recording was made from another scene; continue it with the scene it was made from")
        simulator._take_over(recording, recording.frame_index(frame))
        if "memory" in recording.checkpoint:
            simulator.control.memory[:] = recording.checkpoint["memory"][frame]
        return simulator

    @classmethod
    def resumed(cls, recording, model=None, frame=-1, threads=None, controllers=None):
        """A simulator that goes on from a frame of a recording and has all frames before: its recording is that of one run.

        For runs that were cut off, or that met a limit; `model` where it is at hand, else as for `continued`.
        """
        if not isinstance(recording, Recording):
            raise RecordingError(f"{recording!r:.60} is no recording; give resumed(recording) or resumed(recording, model)")
        if kept(recording).every > 1:
            raise RecordingError("this recording was told to keep every so many frames, and a run that goes on in it needs "
                                 "all; Simulator.continued(recording) goes on in a recording of its own")
        simulator = cls.continued(recording.model if model is None else model, recording, frame, threads, controllers)
        frame, accepted = recording.frame_index(frame), simulator.counts()["accepted"]
        simulator._frames.prepare(simulator.state)
        simulator.recorder.take(recording, frame + 1, accepted)
        simulator.commands.take(recording, frame)
        simulator._begun, simulator._restored, simulator._frames.told_before = True, None, None
        simulator._wall = float(recording.info.get("wall_time", 0.0))   # that of its frames so far
        return simulator

    @classmethod
    def replayed(cls, recording, threads=None, moved=False):
        """A simulator at the first frame of a recording, to which the commands of the recording are given as they were then.

        No controller is called; the run has the bits of the first one. `moved`: it begins with its own first frame, not with
        the start of its scene, as what was settled does.
        """
        if not isinstance(recording, Recording):
            raise RecordingError(f"{recording!r:.60} is no recording; give replayed(recording)")
        simulator = cls(recording.model, threads)
        if recording.scene_digest != simulator.digest():
            raise RecordingError("the model made of this recording's statements is another one: another version of robotphi or "
                                 "another kind of processor made it; run the scene anew")
        if moved or recording.time[0] > 0.0:
            simulator._take_over(recording, 0)
        simulator._control = Replay(simulator, recording)
        return simulator

    def _take_over(self, recording, frame):
        check_kept(recording, "checkpoint")
        self.state.restore(recording, frame)
        self.commands.restore(self.state, recording, frame)
        if self._frames.live:
            if "told" not in recording.checkpoint:
                raise RecordingError("this recording lacks what its sensors had in this frame; run the scene anew")
            self._frames.told_before = recording.checkpoint["told"][frame]
        self._restored = {table: recording.frame_rows(table, frame) for table in recording.rows if table != "commands"}
        self.frame = int(np.searchsorted(self.frame_times, recording.time[frame] * (1 - 1e-12)))
