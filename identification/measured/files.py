"""Files of motion capture, OpenSim and ROS, by the readers of `robotphi.scene.measured`: columns in SI."""
from identification.errors import DataError
from identification.measured.arrays import ArraySource
from robotphi.errors import RobotphiError
from robotphi.scene.measured import read_measured


def open_measured(path, topic=None):
    """The source of such a file; `topic`: of a bag with several."""
    try:
        found = read_measured(path, topic=topic)
    except RobotphiError as error:
        raise DataError(f"{path}: {error}") from error
    columns = {("time", "s"): found.times}
    columns |= {(name, found.units[name] or None): values for name, values in found.columns.items() if name != "time"}
    return ArraySource(path, columns)
