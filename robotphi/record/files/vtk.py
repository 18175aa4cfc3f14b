"""The part of the file that VTK and ParaView read: one PolyData that plays over time.

After the file format of VTK, version 2: cells are the same in all frames, points move. One part alone: VTK 9.3 to 9.7 read no
other form over time.
"""
import numpy as np

from robotphi.record.files.made import make_group, name_again, write_attributes, write_dataset
from robotphi.record.files.names import VTK, file_name
from robotphi.record.files.places import FIELDS, POINTS

VERSION = 2, 0
KINDS = ("Vertices", "Lines", "Strips", "Polygons")


def write_static(file, drawn, times, places):
    """All that VTK wants beside the arrays of frames themselves; `times`: when frames are to be [s]."""
    count, frames = len(drawn.owner), len(times)
    write_attributes(file, VTK, Version=np.array(VERSION, np.int64), Type=np.bytes_("PolyData"))
    told = {"NumberOfPoints": np.array([count], np.int64), "PointData/object": drawn.owner}
    cells = (np.arange(count)[:, None], drawn.lines, np.empty((0, 3), np.int64), drawn.polygons)
    for kind, ends in zip(KINDS, cells, strict=True):
        told |= {f"{kind}/NumberOfCells": np.array([len(ends)], np.int64),
                 f"{kind}/NumberOfConnectivityIds": np.array([ends.size], np.int64),
                 f"{kind}/Offsets": np.arange(len(ends) + 1, dtype=np.int64) * ends.shape[1],
                 f"{kind}/Connectivity": ends.reshape(-1).astype(np.int64)}
    starts = np.concatenate([ends[:, 0] for ends in cells]).astype(np.int64)
    told["CellData/object"] = drawn.owner[starts] if count else np.empty(0, np.int32)
    for name, values in (told | _steps(times, frames, count)).items():
        write_dataset(file, f"{VTK}/{name}", values)
    write_attributes(file, f"{VTK}/Steps", NSteps=np.int64(frames))
    fields = [file_name(place.name) for place in places if place.path.startswith(FIELDS)]
    for own, values in (("FieldDataOffsets", np.arange(frames)), ("FieldDataSizes", np.ones((frames, 2)))):
        if fields:   # the same for all of them: one dataset of as many names
            write_dataset(file, f"{VTK}/Steps/{own}/{fields[0]}", values.astype(np.int64))
            name_again(file, f"{VTK}/Steps/{own}/{fields[0]}", fields[1:])
        else:
            make_group(file, f"{VTK}/Steps/{own}")


def _steps(times, frames, count):
    """When each frame is, and where in each array it begins."""
    still, each = np.zeros(frames, np.int64), np.arange(frames, dtype=np.int64)
    nowhere = np.zeros((frames, len(KINDS)), np.int64)
    return {f"Steps/{name}": values for name, values in {
        "Values": np.asarray(times, float), "PartOffsets": still, "NumberOfParts": np.ones(frames, np.int64),
        "PointOffsets": each * count, "CellOffsets": nowhere, "ConnectivityIdOffsets": nowhere,
        "PointDataOffsets/velocity": each * count, "PointDataOffsets/object": still, "CellDataOffsets/object": still}.items()}


def end_steps(file, times):
    """The frames that came, where not all did: their times last of all, since VTK cannot bear more times than steps."""
    steps = file[VTK]["Steps"]
    del steps["Values"]
    steps.attrs["NSteps"] = np.int64(len(times))
    steps["Values"] = np.asarray(times, float)


__all__ = ["POINTS", "end_steps", "write_static"]
