"""Recordings of robotphi as measured data: time and the sensors, in SI."""
import numpy as np

from identification.errors import DataError
from robotphi.errors import RecordingError
from robotphi.record.recording import Recording
from robotphi.scene.sensors import QUANTITIES

PLACES = ("x", "y", "z")


def open_recording(path):
    """The source of a recording."""
    try:
        return RecordingSource(path, Recording.load(path))
    except RecordingError as error:
        raise DataError(f"{path}: {error}") from error


class RecordingSource:
    """A column for time, and for each number of each sensor: `tip.x`, `pose[3]`."""

    def __init__(self, path, recording):
        self.path, self._columns = path, {("time", "s"): recording.time}
        units = {each.name: QUANTITIES[each.quantity].unit.split(",")[0] for each in recording.model.scene.sensors}
        for name, values in recording.sensors.items():
            values, unit = np.asarray(values), units.get(name, "1")
            if values.ndim == 1:
                self._columns[name, unit] = values
                continue
            for k in range(values.shape[1]):
                place = f".{PLACES[k]}" if values.shape[1] == 3 else f"[{k}]"
                self._columns[name + place, unit] = values[:, k]
        self.titles = [(name, unit if unit[0].isalpha() or unit == "1" else "1") for name, unit in self._columns]
        self.heads = [name for name, _ in self.titles]

    def columns(self, indices, keep=None, ordered=None, skip=False):
        """(n, c) the numbers of some columns."""
        columns = list(self._columns.values())
        found = np.stack([np.asarray(columns[k], float) for k in indices], axis=1)
        if skip:
            found = found[np.isfinite(found).all(axis=1)]
        if not np.isfinite(found).all():
            raise DataError(f"{self.path}: sensor {self.heads[indices[int(np.flatnonzero(~np.isfinite(found).all(axis=0))[0])]]!r} "
                            "is not finite in some frames; say missing: skip in the run")
        return found if keep is None else found[keep(found)]
