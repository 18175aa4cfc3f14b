"""Following a file that a run is still writing: what it holds so far, and whether there is more since."""
from pathlib import Path

from robotphi.errors import RecordingError
from robotphi.record.files.read import going
from robotphi.record.recording import Recording

EACH = 1.0        # s between two looks: a run hands on its frames as often
PATIENCE = 600    # looks at a file that cannot be read while its run finishes it
KNOWN = ("scene", "model")   # what a recording makes of its statements, which stay as they are


class Followed:
    """A recording and its file.

    Attributes:
        path: of the file.
        recording: with the frames that there were at the last look.
        total: frames that the run is to have; None once no run is at work on the file.
    """

    def __init__(self, path):
        self.path, self._refused = Path(path), 0
        self.total = self._total()
        self.recording = Recording.load(path)

    def _total(self):
        told = going(self.path)
        return None if told is None else told[1]

    def look(self):
        """Read what is new; returns whether there are more frames, or the run is over."""
        if self.total is None:
            return False
        told = going(self.path)
        if told is not None and told[0] <= len(self.recording):
            return False
        try:
            found = Recording.load(self.path)
        except RecordingError:   # it is being finished
            self._refused += 1
            if self._refused > PATIENCE:
                raise
            return False
        vars(found).update({name: value for name, value in vars(self.recording).items() if name in KNOWN})
        self.recording, self.total = found, None if told is None else told[1]
        return True

    @property
    def words(self):
        """How far it has come; nothing of a run that is over."""
        return f"{len(self.recording)} of {self.total} frames so far" if self.total else ""
