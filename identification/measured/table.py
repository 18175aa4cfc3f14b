"""The table of readers: ending of a file → who reads it."""
import importlib
from pathlib import Path
from typing import NamedTuple

from identification.errors import DataError


class Reader(NamedTuple):
    """Who reads files of an ending.

    `opener`: "module:function", which takes a path and gives a source: `path`, `heads` as they are written, `titles` [(name,
    unit)], and `columns(indices, keep, ordered, skip)`, (n, c) numbers as they are written.
    """
    opener: str
    what: str
    needs: str = ""     # package that is not always installed
    extra: str = ""     # of robotphi that installs it


READERS = {
    ".csv": Reader("identification.measured.text:open_text", "a table of comma-separated values with units in its heads"),
    ".tsv": Reader("identification.measured.text:open_text", "the same, separated by tabs"),
    ".txt": Reader("identification.measured.text:open_text", "the same, separated by commas, semicolons or tabs"),
    ".vtkhdf": Reader("identification.measured.recording:open_recording", "a recording of robotphi: its sensors"),
    ".c3d": Reader("identification.measured.c3d:open_c3d", "marker paths and analog channels of motion "
                                                           "capture", "ezc3d", "mocap"),
    ".bag": Reader("identification.measured.rosbag:open_bag", "messages of a ROS bag", "rosbags", "rosbag"),
    ".mcap": Reader("identification.measured.rosbag:open_bag", "the same", "rosbags", "rosbag"),
    ".db3": Reader("identification.measured.rosbag:open_bag", "the same", "rosbags", "rosbag"),
}


def open_data(path):
    """The source of a file of measured data."""
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"{path}: nothing reads files that end in {path.suffix or 'nothing'!r}; there are readers for "
                        f"{', '.join(READERS)}")
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    module, _, function = reader.opener.partition(":")
    try:
        opener = getattr(importlib.import_module(module), function)
        return opener(path)
    except ModuleNotFoundError as error:
        if error.name != reader.needs:
            raise
        raise DataError(f"{path}: {path.suffix} needs the package {reader.needs}, which is not installed: "
                        f"pip install 'robotphi[{reader.extra}]'") from None
