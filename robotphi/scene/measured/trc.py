"""TRC files: trajectories of markers, as motion capture writes them and OpenSim reads them.

Line 1 PathFileType …; 2 heads such as DataRate, NumFrames, NumMarkers, Units; 3 their values; 4 Frame#, Time and names of
markers, one over three columns; 5 X1, Y1, Z1, …; then a line for each frame: its number, time [s], three numbers a marker,
empty cells where a marker was not seen. Cells are separated by tabs, or where there are none by spaces.
"""
from robotphi.scene.checks import AXES, refuse
from robotphi.scene.measured.table import measured
from robotphi.scene.text_file import Rows, lines_of, number_of
from robotphi.scene.units import UNITS

HEADS = 5


def read_trc(where, path, units, topic, time):
    """See `read_measured`."""
    lines = lines_of(where, path)
    heads = [(n, text) for _, (n, text) in zip(range(HEADS), lines, strict=False)]
    if len(heads) < HEADS or not heads[0][1].lstrip().startswith("PathFileType"):
        refuse(where, "it does not begin with the five lines of heads of a TRC file, the first of them PathFileType …",
               "save it as TRC, or name a table of comma-separated values .csv")
    said = dict(zip((word.lower() for word in heads[1][1].split()), heads[2][1].split(), strict=False))
    count, frames = (_whole(where, said, name) for name in ("nummarkers", "numframes"))
    unit = said.get("units", "")
    if unit not in UNITS["length"]:
        refuse(where, f"line 3: Units is {unit!r:.30}", f"it may be {', '.join(UNITS['length'])}")
    names = _markers(where, *heads[3], count)
    titles = ["Frame#", "Time", *(f"{name} {axis.upper()}" for name in names for axis in AXES)]
    kept = Rows(where, titles)
    for line, text in lines:
        if text.strip():
            kept.add(line, text.rstrip("\r").split("\t") if "\t" in text else text.split())
    if len(kept.lines) != frames:
        refuse(where, f"line 3 says NumFrames is {frames}, but {len(kept.lines)} lines of data follow",
               "it may have been cut: get the whole file, or set NumFrames right")
    values, numbers = kept.columns()
    keys = [f"{name}.{axis}" for name in names for axis in AXES]
    return measured(where, values[:, 1], {key: values[:, k + 2] for k, key in enumerate(keys)}, dict.fromkeys(keys, unit),
                    dict(zip(keys, titles[2:], strict=True)), numbers, f"{count} markers in {unit}", units)


def _whole(where, said, name):
    value = number_of(said.get(name, ""))
    if value is None or not (value >= 1.0 and value == int(value)):
        refuse(where, f"lines 2 and 3 tell no {name} above 0", "give DataRate … NumFrames NumMarkers Units … and their values")
    return int(value)


def _markers(where, line, text, count):
    cells = text.rstrip("\r").split("\t") if "\t" in text else text.split()
    names = [cell.strip() for cell in cells[2:] if cell.strip()]
    if len(names) != count or [cell.strip().lower() for cell in cells[:2]] != ["frame#", "time"]:
        refuse(where, f"line {line} names {len(names)} markers, NumMarkers in line 3 is {count}",
               "give Frame#, Time and the name of each marker over its three columns")
    for n, name in enumerate(names):
        if name in names[:n]:
            refuse(where, f"line {line}: two markers are called {name!r:.60}", "give each a name of its own")
    return names
