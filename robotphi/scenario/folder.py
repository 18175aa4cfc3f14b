"""The folder of a run: made, tried and claimed before anything is simulated."""
import os
import tempfile
from contextlib import contextmanager

from robotphi.errors import ScenarioError

SUMMARY = "summary.json"
RECORDING = "recording.vtkhdf"
FILES = SUMMARY, RECORDING

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # not a POSIX system: nothing is claimed there
    flock = None


@contextmanager
def claimed(folder):
    """Make a folder that can be written; gives whether another run is at work in it. Its claim ends with the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, probe = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
        os.close(handle)
        os.remove(probe)
    except OSError as error:
        raise ScenarioError(f"cannot write to {folder}: {error.strerror}; name another folder") from error
    for name in FILES:
        if (folder / name).is_dir():
            raise ScenarioError(f"{folder / name} is a folder, where a file is to be written; name another folder")
    claim = os.open(folder, os.O_RDONLY) if flock else -1
    try:
        yield not _alone(claim)
    finally:
        if claim >= 0:
            os.close(claim)


def _alone(claim):
    """Whether nobody else holds the folder; where that cannot be told, yes."""
    if claim >= 0:
        try:
            flock(claim, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass
    return True
