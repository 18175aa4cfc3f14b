"""Frames one after the other, with memory for one: what a frame has lies in the file, and goes when the next one comes."""
from typing import NamedTuple

import numpy as np

from robotphi.record.files.mapped import give_back
from robotphi.record.files.names import FRAME_ARRAYS


class Frame(NamedTuple):
    """One frame of a recording; its arrays are views, to be copied where they are to stay."""
    number: int
    time: float
    position: np.ndarray          # (n, 3) m
    velocity: np.ndarray          # (n, 3) m/s
    rigid_position: np.ndarray    # (r, 3)
    rigid_orientation: np.ndarray  # (r, 4)
    rigid_velocity: np.ndarray
    rigid_spin: np.ndarray
    rigid_momentum: np.ndarray
    ledger: dict                  # entry → J
    sensors: dict                 # sensor → number or row
    contacts: dict                # column → rows of what touches; empty where nothing can


class Frames:
    """Goes over frames, also more than once; `with` lets go of the last one."""

    def __init__(self, recording, numbers):
        self.recording, self.numbers, self._last = recording, numbers, None

    def __len__(self):
        return len(self.numbers)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self._let_go()

    def __iter__(self):
        for number in self.numbers.tolist():
            self._let_go()
            self._last = number
            yield self[number]
        self._let_go()

    def __getitem__(self, number):
        """A frame by its number in the recording."""
        record, number = self.recording, self.recording.frame_index(number)
        arrays = {name: getattr(record, name)[number] for name in FRAME_ARRAYS}
        arrays["time"] = float(arrays["time"])
        return Frame(number=number, **arrays, ledger={name: float(values[number]) for name, values in record.ledger.items()},
                     sensors={name: values[number] for name, values in record.sensors.items()},
                     contacts=record.frame_rows("contacts", number) if "contacts" in record.rows else {})

    def _let_go(self):
        if self._last is not None:
            for name in FRAME_ARRAYS:
                give_back(getattr(self.recording, name)[self._last:self._last + 1])
            self._last = None


def frames_between(recording, begin, end, every):
    """Numbers of the frames from time `begin` to `end`, every so many."""
    first = 0 if begin is None else int(np.searchsorted(recording.time, begin * (1.0 - 1e-12)))
    last = len(recording) if end is None else int(np.searchsorted(recording.time, end * (1.0 + 1e-12), side="right"))
    return np.arange(first, max(last, first), every)
