"""C3D files and ROS bags, through libraries that end on some damaged files: they read in a process of their own, with bounded
memory and time."""
import io
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from robotphi.scene.checks import refuse
from robotphi.scene.measured.table import measured
from robotphi.scene.text_file import MOST_NUMBERS, path_of

MEMORY, PATIENCE, SLOWEST = 4 << 30, 60.0, 1e6   # bytes; seconds to start, bytes that it reads in each
TOLD = 3                                         # exit code of what has something to say


def read_c3d(where, path, units, topic, time):
    """See `read_measured`."""
    return _through(where, path, units, topic, "c3d", "ezc3d", "mocap")


def read_bag(where, path, units, topic, time):
    """See `read_measured`."""
    return _through(where, path, units, topic, "bag", "rosbags", "rosbag")


def _through(where, path, units, topic, format, library, extra):
    path = path_of(where, path)
    if find_spec(library) is None:
        refuse(where, f"reading it needs {library}, which is not installed", f"pip install 'robotphi[{extra}]'")
    if topic is not None and (not isinstance(topic, str) or "\0" in topic):
        refuse(where, f"topic is {topic!r:.60}", "give its name")
    found = _contents(where, path, format, topic or "")
    names = found["names"].tolist()
    if len(set(names)) < len(names):
        twice = next(name for n, name in enumerate(names) if name in names[:n])
        refuse(where, f"two columns are called {twice!r:.60}", "give each a name of its own")
    values, keys = found["values"], dict(zip(names, found["units"].tolist(), strict=True))
    return measured(where, found["times"], {name: values[:, n] for n, name in enumerate(names)}, keys,
                    {name: name for name in names}, None, f"{len(names)} columns", units)


def _contents(where, path, format, topic):
    start = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    command = [sys.executable, "-c", start, str(Path(__file__).with_name("outside_process.py")), format, str(path.resolve()),
               topic, str(MEMORY), str(MOST_NUMBERS)]
    patience = PATIENCE + path.stat().st_size / SLOWEST
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=patience, stdin=subprocess.DEVNULL,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    except subprocess.TimeoutExpired:
        refuse(where, f"it was not read within {patience:.0f} s", "save it anew, or a part of it")
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        refuse(where, said if done.returncode == TOLD and said else "its reader fails on it",
               "where it was damaged, save it anew")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
