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


TEXT, RECORDING, FILES = (f"identification.measured.{each}" for each in ("text:open_text", "recording:open_recording",
                                                                          "files:open_measured"))
READERS = {
    ".csv": Reader(TEXT, "a table of comma-separated values with units in its heads, of any size"),
    ".tsv": Reader(TEXT, "the same, separated by tabs"),
    ".txt": Reader(TEXT, "the same, separated by commas, semicolons or tabs"),
    ".vtkhdf": Reader(RECORDING, "a recording of robotphi: its sensors"),
    ".trc": Reader(FILES, "marker paths"),
    ".mot": Reader(FILES, "coordinates or forces over time, of OpenSim"),
    ".sto": Reader(FILES, "the same"),
    ".c3d": Reader(FILES, "marker paths and analog channels of motion capture; needs ezc3d"),
    ".bag": Reader(FILES, "messages of a ROS bag; needs rosbags"),
    ".mcap": Reader(FILES, "the same"),
    ".db3": Reader(FILES, "the same"),
}


def open_data(path, topic=None):
    """The source of a file of measured data; `topic`: of a bag with several."""
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"{path}: nothing reads files that end in {path.suffix or 'nothing'!r}; there are readers for "
                        f"{', '.join(READERS)}")
    if not path.exists():
        raise DataError(f"{path}: there is no such file")
    if topic is not None and reader.opener != FILES:
        raise DataError(f"{path}: topic: belongs to ROS bags; leave it out")
    module, _, function = reader.opener.partition(":")
    opener = getattr(importlib.import_module(module), function)
    return opener(path) if topic is None else opener(path, topic)
