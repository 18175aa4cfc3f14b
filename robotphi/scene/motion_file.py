"""Motions out of files: poses as a table of comma-separated values, with units in its heads."""
import csv
from itertools import permutations
from pathlib import Path

import numpy as np

from robotphi.errors import SceneError
from robotphi.scene.checks import AXES, refuse, word
from robotphi.scene.turns import matrix_of, quaternion_of, rotation_about

UNITS = {"time": {"s": 1.0, "ms": 1e-3}, "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2},
         "angle": {"rad": 1.0, "deg": np.pi / 180.0, "°": np.pi / 180.0}, "number": {"": 1.0, "1": 1.0}}
MOST_BYTES = 2**30


def _turn_columns():
    """Name of a convention → (its columns, what they are, function of a row that gives a rotation matrix)."""
    def about(order):
        return lambda row: np.linalg.multi_dot([rotation_about(np.eye(3)[AXES.index(axis)], row["xyz".index(axis)])
                                                for axis in order])

    def of_vector(row):
        angle = np.linalg.norm(row)
        return np.eye(3) if angle == 0.0 else rotation_about(row / angle, angle)

    angles = ("rx", "ry", "rz")
    found = {"quaternion": (("qw", "qx", "qy", "qz"), "number", lambda row: matrix_of(row / np.linalg.norm(row))),
             "rotation-vector": (angles, "angle", of_vector),
             "matrix": (tuple(f"r{i}{j}" for i in "123" for j in "123"), "number", lambda row: row.reshape(3, 3))}
    return found | {f"euler-{''.join(order)}": (angles, "angle", about(order)) for order in permutations("xyz")}


TURNS = _turn_columns()


def read_poses(path, axes):
    """(times, positions, quaternions) of a file; see `Motion.read`."""
    if not isinstance(path, (str, Path)):
        refuse("motion", f"path is {path!r:.60}", "give the path of a file")
    where = f"motion {Path(path).name!r}"
    word(where, "convention axes", axes, tuple(TURNS))
    columns, kind, matrix = TURNS[axes]
    heads, table = _table(where, path)
    time = _column(where, heads, table, "time", "time")
    place = np.stack([_column(where, heads, table, name, "length") for name in AXES], axis=1)
    turn = np.stack([_column(where, heads, table, name, kind) for name in columns], axis=1)
    if axes == "quaternion":
        return time, place, turn
    found = np.array([matrix(row) for row in turn])
    off = np.abs(found @ np.swapaxes(found, 1, 2) - np.eye(3)).max(axis=(1, 2))
    off[np.linalg.det(found) < 0.0] = np.inf
    if off.max() > 1e-3:
        n = int(off.argmax())
        refuse(where, f"line {n + 2}: its matrix is no rotation", "give r11 … r33 row by row, of a right-handed frame")
    return time, place, np.array([quaternion_of(one) for one in found])


def _table(where, path):
    """(name → (column, unit), rows) of a file."""
    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES or not path.is_file():
            refuse(where, "it is no file, or larger than 1 GB", "give a table of poses")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SceneError(f"{where}: it cannot be read ({error}); give a file of comma-separated values in UTF-8") from error
    if len(rows) < 3:
        refuse(where, f"it has {len(rows)} lines", "give a line of heads such as time [s],x [mm],… and two poses at least")
    heads = {}
    for n, head in enumerate(rows[0]):
        name, _, unit = head.partition("[")
        heads[name.strip().lower()] = n, unit.strip().rstrip("]").strip()
    numbers = np.empty((len(rows) - 1, len(rows[0])))
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            refuse(where, f"line {line} has {len(row)} columns, the heads {len(rows[0])}", "give one number for each head")
        for n, cell in enumerate(row):
            try:
                numbers[line - 2, n] = float(cell)
            except ValueError:
                refuse(where, f"line {line}, column {rows[0][n].strip()!r}: {cell!r:.30} is no number", "give numbers alone")
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        refuse(where, f"line {bad[0][0] + 2}, column {rows[0][bad[0][1]].strip()!r} is not finite",
               "leave the line out: the motion goes smoothly on between poses")
    return heads, numbers


def _column(where, heads, table, name, kind):
    """A column in SI."""
    if name not in heads:
        known = ", ".join(heads)
        refuse(where, f"there is no column {name!r}", f"its heads are {known}; name the convention of turns by axes=")
    n, unit = heads[name]
    if unit not in UNITS[kind]:
        first = next(iter(UNITS[kind]))
        refuse(where, f"column {name!r} is in {unit!r}",
               f"write its unit into the head, such as {name} [{first}]; known: {', '.join(UNITS[kind])}")
    return table[:, n] * UNITS[kind][unit]
