"""C3D files of motion capture, by `ezc3d`: columns `time`, `MARKER.x`, `.y`, `.z` in the unit of the file, and analog channels.

Markers that were not seen are NaN; analog channels are read at the instants of the frames.
"""
import ezc3d
import numpy as np

from identification.errors import DataError
from identification.measured.arrays import ArraySource

AXES = "xyz"


def open_c3d(path):
    """The source of a C3D file."""
    try:
        found = ezc3d.c3d(str(path))
    except (OSError, RuntimeError, ValueError, IndexError) as error:
        raise DataError(f"{path}: it cannot be read as C3D ({str(error).strip() or type(error).__name__})") from error
    return ArraySource(path, _columns(found))


def _columns(found):
    """(name, unit) → numbers."""
    points, parameters = found["data"]["points"], found["parameters"]
    rate = float(parameters["POINT"]["RATE"]["value"][0])
    unit = (parameters["POINT"]["UNITS"]["value"] or ["mm"])[0].strip() or "mm"
    columns = {("time", "s"): np.arange(points.shape[2]) / rate}
    for k, label in enumerate(parameters["POINT"]["LABELS"]["value"][:points.shape[1]]):
        columns |= {(f"{label.strip()}.{axis}", unit): points[row, k] for row, axis in enumerate(AXES)}
    analogs = found["data"]["analogs"][0]
    names = parameters["ANALOG"]["LABELS"]["value"]
    units = parameters["ANALOG"]["UNITS"]["value"] if "UNITS" in parameters["ANALOG"] else []
    for k, values in enumerate(analogs):
        told = units[k].strip() if k < len(units) else ""
        columns[names[k].strip(), told or None] = values[::max(1, len(values) // max(points.shape[2], 1))][:points.shape[2]]
    return columns
