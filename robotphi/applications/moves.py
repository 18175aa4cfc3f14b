"""Motions of applications as Drives of their own, which recordings can say, where functions within a Motion cannot be said."""
import numpy as np

from robotphi.scene.drive import Drive


def smooth_step(begin, end, far, duration):
    """A Drive that goes from 0 to `far` between two instants [s], with 3 s² − 2 s³ of the share s of that time."""
    def way(time):
        share = np.clip((np.asarray(time) - begin) / (end - begin), 0.0, 1.0)
        return far * share**2 * (3.0 - 2.0 * share)
    return Drive.from_function(way, duration)


def swinging(begin, far, rate, duration):
    """A Drive far × sin(2π rate t) [Hz] from an instant on, which grows with the square of time over the first period."""
    def way(time):
        since = np.maximum(np.asarray(time) - begin, 0.0)
        return far * np.minimum(since * rate, 1.0)**2 * np.sin(2.0 * np.pi * rate * since)
    return Drive.from_function(way, duration)
