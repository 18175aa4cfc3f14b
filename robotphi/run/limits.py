"""What ends a run early: what it was asked for, and Ctrl-C."""
import signal
import threading
from os import PathLike

from robotphi.errors import RecordingError, RobotphiError
from robotphi.scene.drive import is_number

SAME = 1e-12  # relative: times so near each other are the same


def check_options(until, wall_limit, progress, to):
    """Refuse what a run is asked for and makes no sense."""
    if progress is not None and not callable(progress):
        raise RobotphiError(f"progress is {progress!r:.60}; give a function of time and step [s], or None")
    if to is not None and not (isinstance(to, (str, PathLike)) and str(to)):
        raise RecordingError(f"to is {to!r:.60}, which is no path; give one such as \"recording.vtkhdf\"")
    for name, value in (("until", until), ("wall_limit", wall_limit)):
        if value is not None and not (_is_seconds(value) and value >= 0.0):
            raise RobotphiError(f"{name} is {value!r:.60}; give a number of seconds that is not negative, or None")


def check_time(scene, now, time):
    """Refuse a time to which a state at `now` cannot move."""
    if not _is_seconds(time):
        raise RobotphiError(f"time is {time!r:.60}; give a number of seconds")
    if now * (1.0 - SAME) <= time <= scene.duration * (1.0 + SAME):
        return
    where = "in the past" if time < now else "beyond the end" if time > scene.duration else "no time"
    raise RobotphiError(f"scene {scene.name!r} cannot advance to {time!r} s, which is {where}: give a time from {now!r} s, "
                        f"where its state is, to its duration of {scene.duration!r} s")


def _is_seconds(value):
    """Whether a value is one number in the range of floats, be it NaN or infinite."""
    try:
        return isinstance(value, float) or (is_number(value) and float(value) == value)
    except OverflowError:
        return False


class Interrupts:
    """Ctrl-C, or a request to terminate, asks the run to stop at the next look; a second one is obeyed at once."""

    def __init__(self):
        self.seen = None     # the number of the signal
        self.before = {}     # of a signal → who listened before

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self.before[number] = signal.getsignal(number)
                signal.signal(number, self._note)
        return self

    def _note(self, number, frame):
        if self.seen is not None:
            raise KeyboardInterrupt
        self.seen = number

    def __exit__(self, *problem):
        for number, before in self.before.items():
            signal.signal(number, before)

    def pass_on(self, status):
        """Whoever listened before (a study of several runs, an application) hears of it too, once the recording is safe; so
        does the process where it came too late to end the run."""
        before = self.before.get(self.seen)
        if callable(before) and before is not signal.default_int_handler:
            before(self.seen, None)
        elif self.seen is not None and status != "interrupted":
            signal.raise_signal(self.seen)
