"""Targets of motors that end with the run keep their rate up to its last instant.

Drives hold their last value, so that a table which ends with the run rests from that instant on, and the last frame of a servo
would show what it does to a target that has stopped at once: its damping times the rate. No step ever meets that. A run that
goes on for longer has a model of its own, in which the target stops in time.
"""
import numpy as np

from robotphi.model.arrays import aligned
from robotphi.model.build import MERGED
from robotphi.record.springs import drive_value

SMOOTH = 1e-9   # of what a target goes through: by less it does not jump


def with_last_pieces(model):
    """The same model, whose motors' targets do not stop as the run ends; itself where none does."""
    arrays = model.arrays
    drives, target, end = arrays.drives, arrays.mechanisms.motors.target, model.scene.duration
    piece = None
    for drive in np.unique(target[target >= 0]):
        last = int(drives.start[drive + 1]) - 1
        if model.work_of_drive[drive] >= 0 or last == drives.start[drive] or abs(drives.piece[last, 0] - end) > MERGED * end:
            continue
        own = drives.piece[drives.start[drive]:last, 1]
        before = float(drive_value(drives, drive, np.nextafter(drives.piece[last, 0], -np.inf)))
        if abs(drives.piece[last, 1] - before) <= SMOOTH * max(float(np.ptp(own)), abs(before - own[0]), 1e-300):
            piece = drives.piece.copy() if piece is None else piece
            piece[last, 0] = np.inf
    return model if piece is None else model._replace(arrays=arrays._replace(drives=drives._replace(piece=aligned(piece))))
