"""Motions out of files: poses as a table of comma-separated values, with units in its heads."""
from itertools import permutations
from pathlib import Path

import numpy as np

from robotphi.scene.checks import AXES, refuse, word
from robotphi.scene.csv_file import read_csv
from robotphi.scene.turns import matrix_of, quaternion_of, rotation_about


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
             # Grood & Suntay (1983), of a tibia as seen from the femur: x anterior, y proximal, z lateral of a right knee
             "grood-suntay": (("flexion", "varus", "internal"), "angle", lambda row: knee_turn(*row)),
             "matrix": (tuple(f"r{i}{j}" for i in "123" for j in "123"), "number", lambda row: row.reshape(3, 3))}
    return found | {f"euler-{''.join(order)}": (angles, "angle", about(order)) for order in permutations("xyz")}


def knee_turn(flexion, varus, internal):
    """Rz(−flexion) Rx(varus) Ry(internal) [rad]: the turn of the tibia in the axes of the femur."""
    x, y, z = np.eye(3)
    return rotation_about(z, -flexion) @ rotation_about(x, varus) @ rotation_about(y, internal)


TURNS = _turn_columns()


def read_poses(path, axes):
    """(times, positions, quaternions) of a file; see `Motion.read`."""
    where = f"motion {Path(path).name!r}" if isinstance(path, (str, Path)) else "motion"
    word(where, "convention axes", axes, tuple(TURNS))
    columns, kind, matrix = TURNS[axes]
    table = read_csv(where, path, 2, "time [s],x [mm],…")
    missing = [name for name in columns if name not in table.heads]
    if missing:
        refuse(where, f"there is no column {missing[0]!r}",
               f"its heads are {', '.join(table.heads)}; name the convention of turns by axes=")
    time = table.column("time", "time")
    place = np.stack([table.column(name, "length") for name in AXES], axis=1)
    turn = np.stack([table.column(name, kind) for name in columns], axis=1)
    if axes == "quaternion":
        return time, place, turn
    found = np.array([matrix(row) for row in turn])
    off = np.abs(found @ np.swapaxes(found, 1, 2) - np.eye(3)).max(axis=(1, 2))
    off[np.linalg.det(found) < 0.0] = np.inf
    if off.max() > 1e-3:
        n = int(off.argmax())
        table.refuse(n, columns[0], "its matrix is no rotation", "give r11 … r33 row by row, of a right-handed frame")
    return time, place, np.array([quaternion_of(one) for one in found])
