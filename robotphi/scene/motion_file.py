"""Motions out of files: poses as a table of comma-separated values, with units in its heads, or joint angles of OpenSim."""
import re
from itertools import permutations
from pathlib import Path

import numpy as np

from robotphi.scene.checks import AXES, number, refuse, word
from robotphi.scene.csv_file import read_csv
from robotphi.scene.measured.read import read_measured
from robotphi.scene.text_file import number_of
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
             # as of URDF and ROS: about the fixed axes x, y and z, one after the other
             "roll-pitch-yaw": (("roll", "pitch", "yaw"), "angle", about("zyx")),
             "matrix": (tuple(f"r{i}{j}" for i in "123" for j in "123"), "number", lambda row: row.reshape(3, 3))}
    return found | {f"euler-{''.join(order)}": (angles, "angle", about(order)) for order in permutations("xyz")}


def knee_turn(flexion, varus, internal):
    """Rz(−flexion) Rx(varus) Ry(internal) [rad]: the turn of the tibia in the axes of the femur."""
    x, y, z = np.eye(3)
    return rotation_about(z, -flexion) @ rotation_about(x, varus) @ rotation_about(y, internal)


TURNS = _turn_columns()
SHOWN = 30   # heads in a message


# Other names of columns, those of joints in small letters, without _r, _l and what OpenSim puts around them.
ALIASES = {
    "time": ("time", "t", "timestamp"), "x": ("x", "tx", "px", "pos_x", "position_x", "knee_tx"),
    "y": ("y", "ty", "py", "pos_y", "position_y", "knee_ty"), "z": ("z", "tz", "pz", "pos_z", "position_z", "knee_tz"),
    "qw": ("qw", "q0", "quat_w"), "qx": ("qx", "q1", "quat_x"), "qy": ("qy", "q2", "quat_y"), "qz": ("qz", "q3", "quat_z"),
    "flexion": ("flexion", "knee_flex", "knee_flexion", "knee_angle"),
    "varus": ("varus", "knee_varus", "knee_add", "knee_adduction", "adduction"),
    "internal": ("internal", "knee_rot", "knee_rotation", "knee_internal", "internal_rotation")}


def plain(head):
    """A head as aliases have it: knee_flex of /jointset/knee_r/knee_flex_r/value."""
    head = re.sub(r"(/value)?$", "", head.lower().replace(" ", "_")).rpartition("/")[2]
    return re.sub(r"_[rl]$", "", head)


class Poses:
    """Columns of a table by what they mean.

    Args:
        table: a CsvTable or Measured.
        names: what is meant → name of its column, with a minus where its sense is the other one, or a number; as a dict or as
            words such as flexion=-knee_angle_r,z=0. What is not there is known by its usual names.
    """

    def __init__(self, table, names=None):
        self.table, self.names = table, _names(table.where, names)

    def head(self, name):
        """The head of a column; None where there is none."""
        if name in self.names or name in self.table.heads:
            return self.names.get(name, name)
        found = [head for head in self.table.heads if plain(head) in ALIASES.get(name, ())]
        if len(found) > 1:
            refuse(self.table.where, f"{' and '.join(found)} may both be {name}", f"tell which by names='{name}={found[0]}'")
        return found[0] if found else None

    def column(self, name, kind):
        head = self.head(name)
        if head is None:
            heads = list(self.table.heads)
            more = f" and {len(heads) - SHOWN} more" if len(heads) > SHOWN else ""
            refuse(self.table.where, f"there is no column {name!r}",
                   f"its heads are {', '.join(heads[:SHOWN])}{more}; name the convention of turns by axes=, or tell which "
                   f"column it is, or a number, by names='{name}=…'")
        if isinstance(head, float):
            return np.full(len(self.column("time", "time")), head)
        if head.startswith("-") and head not in self.table.heads:
            return -self.table.column(head[1:].lower(), kind)
        return self.table.column(head.lower(), kind)


def _names(where, names):
    if names is None or names == "":
        return {}
    if isinstance(names, str):
        pairs = [pair.partition("=") for pair in names.split(",")]
        if any(not (name.strip() and value.strip()) for name, _, value in pairs):
            refuse(where, f"names is {names!r:.80}", "write names='flexion=-knee_angle_r,z=0'")
        names = {name.strip(): value.strip() for name, _, value in pairs}
    if not isinstance(names, dict):
        refuse(where, f"names is {names!r:.80}", "give a dict, or words such as flexion=-knee_angle_r,z=0")
    found = {}
    for name, value in names.items():
        word(where, "column of names", name, tuple(dict.fromkeys(
            (*ALIASES, *(column for columns, *_ in TURNS.values() for column in columns)))))
        told = number_of(value) if isinstance(value, str) else value
        found[name] = value if told is None else number(where, f"names {name}", told)
    return found


def table_of(path):
    """What a file of poses holds, for `Poses`."""
    where = f"motion {Path(path).name!r}" if isinstance(path, (str, Path)) else "motion"
    if isinstance(path, (str, Path)) and Path(path).suffix.lower() in (".mot", ".sto"):
        return read_measured(path)
    return read_csv(where, path, 2, "time [s],x [mm],…")


def read_poses(path, axes, names=None):
    """(times, positions, quaternions) of a file; see `Motion.read`."""
    where = f"motion {Path(path).name!r}" if isinstance(path, (str, Path)) else "motion"
    word(where, "convention axes", axes, tuple(TURNS))
    columns, kind, matrix = TURNS[axes]
    table = table_of(path)
    poses = Poses(table, names)
    turn = np.stack([poses.column(name, kind) for name in columns], axis=1)
    time = poses.column("time", "time")
    place = np.stack([poses.column(name, "length") for name in AXES], axis=1)
    if axes == "quaternion":
        return time, place, turn
    found = np.array([matrix(row) for row in turn])
    off = np.abs(found @ np.swapaxes(found, 1, 2) - np.eye(3)).max(axis=(1, 2))
    off[np.linalg.det(found) < 0.0] = np.inf
    if off.max() > 1e-3:
        n = int(off.argmax())
        table.refuse(n, columns[0], "its matrix is no rotation", "give r11 … r33 row by row, of a right-handed frame")
    return time, place, np.array([quaternion_of(one) for one in found])
