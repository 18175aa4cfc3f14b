"""MOT and STO files of OpenSim: joint angles, forces, or vectors and quaternions, over time.

A head of lines such as inDegrees=yes, nRows=…, nColumns=…, DataType=… up to endheader, a line of names, then numbers,
separated by tabs or spaces. Only turns are in degrees where it says so: a file does not tell which columns are turns, their
names do (OpenSim ends those of places by _tx, _px, those of forces by _vx, …).
"""
import re

from robotphi.scene.checks import AXES, refuse
from robotphi.scene.measured.table import measured
from robotphi.scene.text_file import Rows, lines_of, number_of

MOST_HEADS = 1000     # lines
PARTS = {"double": "", "vec3": AXES, "quaternion": "wxyz"}
BY_NAME = {   # end of a name → unit, what is in degrees where the head says so last
    r"(^|_)[tp][xyz](_[rl])?(/value)?$": "m", r"_v[xyz]$|[_./]force$|_f[xyz]$": "N", r"_torque_[xyz]$|_moment$|_m[xyz]$": "N m",
    r"activation$|excitation$": "1", r"length$|_len$|arm$": "m", r"strain$": "1",
    r"/speed$|_u$": ""}   # per second, of places or turns


def read_opensim(where, path, units, topic, time):
    """See `read_measured`."""
    lines = lines_of(where, path)
    said, ended = {}, False
    for n, text in lines:
        if text.strip().lower() == "endheader":
            ended = True
            break
        key, _, value = text.partition("=") if "=" in text else text.strip().partition(" ")
        said[key.strip().lower()] = value.strip()
        if n >= MOST_HEADS:
            break
    if not ended:
        refuse(where, "there is no line endheader", "give a MOT or STO file of OpenSim, or name a table of values .csv")
    line, names = next(((n, text.split()) for n, text in lines if text.strip()), (0, []))
    if len(names) < 2 or names[0].lower() != "time" or len(set(names)) < len(names):
        refuse(where, f"line {line}: below endheader stands {' '.join(names)!r:.60}",
               "give a line of names there, time first, each once")
    kind = said.get("datatype", "double").lower()
    if kind not in PARTS:
        refuse(where, f"its DataType is {said['datatype']!r:.30}", f"known: {', '.join(PARTS)}")
    parts = PARTS[kind]
    keys = [f"{name}.{part}" for name in names[1:] for part in parts] if parts else names[1:]
    kept = Rows(where, [names[0], *keys])
    for line, text in lines:
        cells = text.split()
        if cells:
            kept.add(line, _split(where, line, cells, len(names), len(parts)) if parts else cells)
    _check_counts(where, said, len(kept.lines), len(names))
    values, numbers = kept.columns()
    degrees = said.get("indegrees", said.get("angles in degrees", "")).lower()
    if degrees not in ("", "yes", "no"):
        refuse(where, f"its head says inDegrees={degrees!r:.30}", "it may be yes or no")
    turn = {"yes": "deg", "no": "rad", "": ""}[degrees] if not parts else {"vec3": "", "quaternion": "1"}[kind]
    told = {key: unit_by_name(key, turn) if not parts else turn for key in keys}
    columns = {key: values[:, k + 1] for k, key in enumerate(keys)}
    return measured(where, values[:, 0], columns, told, dict(zip(keys, keys, strict=True)), numbers,
                    f"{len(names) - 1} columns, inDegrees={degrees or '?'}", units)


def unit_by_name(name, turn):
    """The unit of a column: that of what its name ends by, or that of turns."""
    return next((unit for ending, unit in BY_NAME.items() if re.search(ending, name, re.IGNORECASE)), turn)


def _split(where, line, cells, width, size):
    if len(cells) != width:
        refuse(where, f"line {line} has {len(cells)} columns, the heads {width}", "give one cell for each head")
    parts = [cells[0]]
    for n, cell in enumerate(cells[1:], 2):
        numbers = cell.strip("()[]~").split(",")
        if len(numbers) != size:
            refuse(where, f"line {line}, column {n}: {cell!r:.40} has {len(numbers)} numbers",
                   f"give {size}, with commas between")
        parts += numbers
    return parts


def _check_counts(where, said, rows, columns):
    for names, found in ((("nRows", "datarows"), rows), (("nColumns", "datacolumns"), columns)):
        told = next((said[name.lower()] for name in names if name.lower() in said), None)
        if told is not None and number_of(told) != found:
            refuse(where, f"its head says {names[0]}={told!s:.20}, but {found} are there",
                   "it may have been cut: get the whole file, or set the head right")
