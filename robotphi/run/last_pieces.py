"""What is led by a path or a drive that ends with the run keeps its rate up to the last instant, and so do targets of motors.

Drives hold their last value, so that a table which ends with the run rests from that instant on, and the last frame would show
what is led as if it had stopped at once: no rate, no spin, no force that its way asks for, and of a servo its damping times the
rate. No step ever meets that. A run that goes on for longer has a model of its own, in which it stops in time.
"""
import numpy as np

from robotphi.model.arrays import aligned
from robotphi.model.build import MERGED
from robotphi.record.springs import drive_value

SMOOTH = 1e-9   # of what a drive goes through: by less it does not jump


def with_last_pieces(model):
    """The same model, whose drives do not stop as the run ends; itself where none does."""
    arrays, end, piece = model.arrays, model.scene.duration, None
    drives = arrays.drives
    for drive in range(len(drives.start) - 1):
        last = int(drives.start[drive + 1]) - 1
        if last == drives.start[drive] or abs(drives.piece[last, 0] - end) > MERGED * end:
            continue
        own = drives.piece[drives.start[drive]:last, 1]
        before = float(drive_value(drives, drive, np.nextafter(drives.piece[last, 0], -np.inf)))
        if abs(drives.piece[last, 1] - before) <= SMOOTH * max(float(np.ptp(own)), abs(before - own[0]), 1e-300):
            piece = drives.piece.copy() if piece is None else piece
            piece[last, 0] = (1.0 + 4.0 * MERGED) * end   # not never: steps look ahead to it, see `drives.scale_of_drive`
    return model if piece is None else model._replace(arrays=arrays._replace(drives=drives._replace(piece=aligned(piece))))
