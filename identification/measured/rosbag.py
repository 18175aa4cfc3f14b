"""ROS bags, by `rosbags`: columns `time [s]` and `/topic:field.of.it`, whose unit the experiment tells (ROS writes SI).

All columns of a run belong to one topic. Time is that of the header's stamp where messages have one, else when they were
written, from the first message of the bag on.
"""
import numbers
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.typesys import Stores, get_typestore

from identification.errors import DataError
from identification.measured.arrays import ArraySource

DEEPEST, LONGEST = 6, 64     # fields within fields, and entries of lists, that become columns
TIME = ("time", "s")


def open_bag(path):
    """The source of a bag; of those of ROS 2 the file or its folder."""
    return BagSource(path)


class BagSource:
    """The numbers of all topics."""

    def __init__(self, path):
        self.path, self._topics = path, {}
        with self._opened() as reader:
            self._began = reader.start_time
            for connection in reader.connections:
                for _, _, data in reader.messages(connections=[connection]):
                    fields = list(_numbers(reader.deserialize(data, connection.msgtype)))
                    self._topics.setdefault(connection.topic, [name for name, _ in fields])
                    break
        self._names = [(topic, field) for topic, fields in self._topics.items() for field in fields]
        self.titles = [TIME, *((f"{topic}:{field}", None) for topic, field in self._names)]
        self.heads = ["time [s]", *(name for name, _ in self.titles[1:])]

    @contextmanager
    def _opened(self):
        path = Path(self.path)
        try:
            reader = AnyReader([path if path.suffix == ".bag" else path.parent],
                               default_typestore=get_typestore(Stores.ROS2_HUMBLE))
            reader.open()
        except (AnyReaderError, OSError, ValueError) as error:
            raise DataError(f"{path}: it cannot be read as a ROS bag ({error})") from error
        try:
            yield reader
        finally:
            reader.close()

    def columns(self, indices, keep=None, ordered=None, skip=False):
        """(n, c) the numbers of some columns."""
        topics = {self._names[k - 1][0] for k in indices if k}
        if len(topics) != 1:
            raise DataError(f"{self.path}: columns of {len(topics)} topics in one run ({', '.join(sorted(topics))}), whose "
                            "times "
                            "differ; make a run of each topic")
        [topic], rows = topics, []
        with self._opened() as reader:
            connections = [each for each in reader.connections if each.topic == topic]
            for connection, written, data in reader.messages(connections=connections):
                message = reader.deserialize(data, connection.msgtype)
                found = dict(_numbers(message))
                rows.append([self._time(message, written), *(found.get(field, np.nan) for field in self._topics[topic])])
        table = np.array(rows, float).reshape(len(rows), -1)
        whole = ArraySource(self.path, {TIME: table[:, 0]} | {
            (f"{topic}:{field}", None): table[:, k] for k, field in enumerate(self._topics[topic], 1)})
        places = [0 if not k else 1 + self._topics[topic].index(self._names[k - 1][1]) for k in indices]
        return whole.columns(places, keep, ordered, skip)

    def _time(self, message, written):
        stamp = getattr(getattr(message, "header", None), "stamp", None)
        nanoseconds = written if stamp is None else stamp.sec * 10**9 + stamp.nanosec
        return (nanoseconds - self._began) * 1e-9


def _numbers(message, name="", depth=0):
    """(name, number) of all fields of a message, those within others included."""
    if isinstance(message, bool) or depth > DEEPEST:
        return
    if isinstance(message, numbers.Real):
        yield name, float(message)
    elif isinstance(message, (list, tuple, np.ndarray)):
        for k, one in enumerate(message[:LONGEST]):
            yield from _numbers(one.item() if isinstance(one, np.generic) else one, f"{name}[{k}]", depth + 1)
    elif hasattr(message, "__dataclass_fields__"):
        for field in message.__dataclass_fields__:
            if field != "header" and not field.startswith("__"):
                yield from _numbers(getattr(message, field), f"{name}.{field}" if name else field, depth + 1)
