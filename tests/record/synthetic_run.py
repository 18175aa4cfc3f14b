"""A run without a simulator: frames with rows into a file, flushed now and then.

    python -m tests.record.synthetic_run FILE [FLUSHES]
"""
import sys
from pathlib import Path

import numpy as np

from robotphi.record.files.log import SMALL
from robotphi.record.files.running import RunningFile
from robotphi.record.recorder import Recorder
from tests.record.test_recording import frame

FRAMES_EACH, FLUSHES = 5, 5
FRAMES = FRAMES_EACH * FLUSHES
MANY = SMALL // 24 + 1   # rows of three numbers


def told(index):
    """One frame, with some rows of a table; once a flush with so many that their columns are written apart."""
    generator, count = np.random.default_rng(1000 + index), MANY if index % FRAMES_EACH == 2 else index % 4
    rows = {"contacts": {"normal": generator.normal(size=(count, 3)), "pair": np.arange(count)}}
    return frame(index) | {"tables": rows}


def add(recorder, index):
    whole = told(index)
    derived = {(group, name): np.asarray(value)[None] for group in ("ledger", "sensors")
               for name, value in whole[group].items()}
    recorder.add_frame(**whole | {"ledger": {}, "sensors": {}})
    recorder.derive(derived)
    recorder.add_steps(np.arange(5) + 5.0 * index, np.full(5, 1e-3), np.full(5, 1e-12), np.full(5, index, np.int32))


def run(path, flushes=FLUSHES):
    """Frames into a file; returns the recording."""
    frames = FRAMES_EACH * flushes
    recorder = Recorder(frames)
    add(recorder, 0)
    file = RunningFile(path, recorder, 0.1 * np.arange(frames), None, "ab12")
    for index in range(1, frames):
        add(recorder, index)
        if index % FRAMES_EACH == 0:
            file.flush([], {"counts": {"attempts": index}, "info": {"frame": index}})
    file.flush([], {"counts": {}, "info": {}})
    file.finish_rows()
    recording = recorder.recording("done", {"attempts": 55}, {"scene": "küche Φ"}, "ab12")
    file.close({name: getattr(recording, name) for name in ("status", "counts", "info")})
    return recording


if __name__ == "__main__":
    run(Path(sys.argv[1]), *map(int, sys.argv[2:]))
