"""Recordings of robotphi as measured data: time and the sensors, in SI."""
import numpy as np

from identification.errors import DataError
from identification.measured.arrays import ArraySource
from robotphi.errors import RecordingError
from robotphi.record.recording import Recording
from robotphi.scene.sensors import QUANTITIES

PLACES = ("x", "y", "z")


def open_recording(path):
    """The source of a recording: a column for time, and one for each number of each sensor, `tip.x`, `pose[3]`."""
    try:
        recording = Recording.load(path)
    except RecordingError as error:
        raise DataError(f"{path}: {error}") from error
    columns = {("time", "s"): recording.time}
    units = {each.name: _plain(QUANTITIES[each.quantity].unit) for each in recording.model.scene.sensors}
    for name, values in recording.sensors.items():
        values = np.asarray(values)
        if values.ndim == 1:
            columns[name, units[name]] = values
            continue
        for k in range(values.shape[1]):
            place = f".{PLACES[k]}" if values.shape[1] == 3 else f"[{k}]"
            columns[name + place, units[name]] = values[:, k]
    return ArraySource(path, columns)


def _plain(unit):
    """A unit as experiments know it; that of what may be one or another is a plain number."""
    return "1" if " or " in unit or "," in unit or unit == "as driven" else unit
