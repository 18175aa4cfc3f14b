"""The table of readers."""
from pathlib import Path
from typing import NamedTuple

from robotphi.scene.checks import refuse
from robotphi.scene.measured.comma import read_comma
from robotphi.scene.measured.opensim import read_opensim
from robotphi.scene.measured.outside import read_bag, read_c3d
from robotphi.scene.measured.trc import read_trc


class Reader(NamedTuple):
    """Attributes:
        read: function of (where, path, units, topic, time) that gives a `Measured`.
        what: it reads, in a few words.
        extra: that has to be installed, "" for none.
    """
    read: object
    what: str
    extra: str = ""


_TABLE = Reader(read_comma, "a table with heads such as time [s],tip z [mm]")
_OPENSIM = Reader(read_opensim, "joint angles, forces or quaternions of OpenSim")
_BAG = Reader(read_bag, "messages of a ROS bag", "rosbag")
READERS = {".csv": _TABLE, ".tsv": _TABLE, ".txt": _TABLE, ".trc": Reader(read_trc, "trajectories of markers"),
           ".mot": _OPENSIM, ".sto": _OPENSIM,
           ".c3d": Reader(read_c3d, "trajectories of markers, and analog channels", "mocap"),
           ".bag": _BAG, ".mcap": _BAG, ".db3": _BAG}


def read_measured(path, units=None, topic=None, time=None):
    """What was measured, as `Measured`: times and named columns in SI, out of a file that its name tells by its end.

    .csv, .tsv, .txt: a line of heads with units, time [s],tip z [mm], values with commas, semicolons or tabs between. .trc:
    markers. .mot, .sto: of OpenSim. .c3d: markers or analog channels (extra `mocap`). .bag, .mcap, .db3: ROS (extra `rosbag`).
    A damaged file is told with its line and column as a `SceneError`; nothing in a file is run.

    Args:
        path: of the file.
        units: name of a column → unit, for what the file does not tell.
        topic: of a ROS bag, that is read; "points", as if left out, or "analog" of a C3D file.
        time: head of the column of times of a table, where it is not called time.
    """
    if not isinstance(path, (str, Path)):
        refuse("measured motion", f"path is {path!r:.60}", "give the path of a file")
    where, end = f"measured motion {Path(path).name!r}", Path(path).suffix.lower()
    if end not in READERS:
        known = "; ".join(f"{each} {reader.what}" for each, reader in READERS.items())
        refuse(where, f"its name ends by {end!r:.20}", f"known: {known}")
    return READERS[end].read(where, path, units, topic, time)
