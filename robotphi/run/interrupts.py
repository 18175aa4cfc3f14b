"""Ctrl-C during a run."""
import signal
import threading


class Interrupts:
    """Ctrl-C asks the run to stop at the next look; a second one is obeyed at once."""

    def __init__(self):
        self.seen = False
        self.before = None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number, frame):
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True

    def __exit__(self, *problem):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)

    def pass_on(self):
        """Whoever listened before (a study of several runs, an application) hears of it too, once the recording is safe."""
        if self.seen and callable(self.before) and self.before is not signal.default_int_handler:
            self.before(signal.SIGINT, None)
