"""The part of the file that VTK and ParaView read: one PolyData that plays over time.

After the file format of VTK, version 2: cells are the same in all frames, points move. One part alone: VTK 9.3 to 9.7 read no
other form over time.
"""
import numpy as np

from robotphi.record.files.names import VTK, file_name
from robotphi.record.files.places import FIELDS, POINTS

VERSION = 2, 0
KINDS = ("Vertices", "Lines", "Strips", "Polygons")


def write_static(file, drawn, times, places):
    """All that VTK wants beside the arrays of frames themselves; `times`: when frames are to be [s]."""
    group, count, frames = file[VTK], len(drawn.owner), len(times)
    group.attrs["Version"] = np.array(VERSION, np.int64)
    group.attrs.create("Type", np.bytes_("PolyData"))
    group["NumberOfPoints"] = np.array([count], np.int64)
    cells = (np.arange(count)[:, None], drawn.lines, np.empty((0, 3), np.int64), drawn.polygons)
    for kind, ends in zip(KINDS, cells, strict=True):
        own = group.create_group(kind)
        own["NumberOfCells"] = np.array([len(ends)], np.int64)
        own["NumberOfConnectivityIds"] = np.array([ends.size], np.int64)
        own["Offsets"] = np.arange(len(ends) + 1, dtype=np.int64) * ends.shape[1]
        own["Connectivity"] = ends.reshape(-1).astype(np.int64)
    points = group.require_group("PointData")
    points["object"] = drawn.owner
    first = np.concatenate([ends[:, 0] for ends in cells]).astype(np.int64)
    group.require_group("CellData")["object"] = drawn.owner[first] if count else np.empty(0, np.int32)
    _write_steps(group, times, frames, count, places)


def _write_steps(group, times, frames, count, places):
    """When each frame is, and where in each array it begins."""
    steps, still = group.create_group("Steps"), np.zeros(frames, np.int64)
    steps.attrs["NSteps"] = np.int64(frames)
    steps["Values"] = np.asarray(times, float)
    steps["PartOffsets"] = still
    steps["NumberOfParts"] = np.ones(frames, np.int64)
    steps["PointOffsets"] = np.arange(frames, dtype=np.int64) * count
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((frames, len(KINDS)), np.int64)
    offsets = steps.create_group("PointDataOffsets")
    offsets["velocity"], offsets["object"] = np.arange(frames, dtype=np.int64) * count, still
    steps.create_group("CellDataOffsets")["object"] = still
    offsets, sizes = steps.create_group("FieldDataOffsets"), steps.create_group("FieldDataSizes")
    for place in places:
        if place.path.startswith(FIELDS):
            offsets[file_name(place.name)] = np.arange(frames, dtype=np.int64)
            sizes[file_name(place.name)] = np.tile(np.array([1, 1], np.int64), (frames, 1))


def end_steps(file, times):
    """The frames that came, where not all did: their times last of all, since VTK cannot bear more times than steps."""
    steps = file[VTK]["Steps"]
    del steps["Values"]
    steps.attrs["NSteps"] = np.int64(len(times))
    steps["Values"] = np.asarray(times, float)


__all__ = ["POINTS", "end_steps", "write_static"]
