"""What was measured: times, and named columns in SI."""
import difflib
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import AXES, refuse, word
from robotphi.scene.units import KINDS, TO_SI, UNITS

SHOWN = 30   # names in a message


@dataclass(frozen=True, eq=False)
class Measured:
    """Columns of numbers over time.

    Attributes:
        where: what messages call it.
        times: (k,) s, growing.
        columns: name → (k,) in SI, NaN where nothing was measured. Points have name.x, name.y, name.z.
        units: name → unit in SI, "" where the file tells none: such numbers are as they are written.
        titles: name → what messages call the column: its head as it is written.
        lines: (k,) line of each row, counted from 1; None of files that are no text.
        said: what was read, in a line.
    """
    where: str
    times: np.ndarray
    columns: dict
    units: dict
    titles: dict
    lines: np.ndarray
    said: str

    def __len__(self):
        return len(self.times)

    def __repr__(self):
        return f"<Measured {self.said}: {len(self)} instants from {self.times[0]:g} to {self.times[-1]:g} s>"

    @property
    def heads(self):
        """Names in small letters → names of columns."""
        return {"time": "time"} | {name.lower(): name for name in self.columns}

    def name_of(self, name):
        """A column by its name, whatever its capitals."""
        if name in self.columns:
            return name
        same = [each for each in self.columns if each.lower() == str(name).lower()]
        if len(same) == 1:
            return same[0]
        close = difflib.get_close_matches(str(name), self.columns, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        more = f" and {len(self.columns) - SHOWN} more" if len(self.columns) > SHOWN else ""
        return refuse(self.where, f"there is no column {name!r}", f"{hint}it has {', '.join(list(self.columns)[:SHOWN])}{more}")

    def column(self, name, kind=None, may_be_missing=False):
        """(k,) numbers of a column in SI; with a kind, such as "length", its unit must be one of that."""
        if name == "time" and "time" not in self.columns:
            return self.times
        name = self.name_of(name)
        if kind is not None:
            word(self.where, "kind of unit", kind, tuple(KINDS))
            si, units = KINDS[kind]
            if self.units[name] != si and not (si == "1" and self.units[name] == ""):
                told = f"in {self.units[name]}" if self.units[name] else "without a unit"
                refuse(self.where, f"column {self.titles[name]!r} is {told}",
                       f"it has to be one of {kind}: write its unit into the head, or tell it by units={{{name!r}: …}}; known: "
                       f"{', '.join(filter(None, units))}")
        values = self.columns[name]
        if not may_be_missing and np.isnan(values).any():
            n = int(np.isnan(values).argmax())
            self.refuse(n, name, "nothing was measured there", "give a number, or leave the line out")
        return values

    @property
    def markers(self):
        """Names of points."""
        return tuple(name[:-2] for name in self.columns if name.endswith(".x")
                     and all(f"{name[:-1]}{axis}" in self.columns for axis in AXES) and f"{name[:-1]}w" not in self.columns)

    def points(self, names=None):
        """(k, m, 3) m of points, all unless named; NaN where they were not seen."""
        names = self.markers if names is None else names
        for name in names:
            word(self.where, "marker", name, self.markers)
        return np.stack([np.stack([self.column(f"{name}.{axis}", "length", True) for axis in AXES], axis=1) for name in names],
                        axis=1)

    def words(self, name):
        """A column as text, for messages."""
        return [repr(float(value)) for value in self.column(name, None, True)]

    def refuse(self, row, name, problem, remedy):
        """Raise an error that names line and column."""
        place = f"at {self.times[row]:g} s" if self.lines is None else f"line {self.lines[row]}"
        refuse(self.where, f"{place}, column {self.titles.get(name, name)!r}: {problem}", remedy)


def measured(where, times, columns, units, titles, lines, said, more=None):
    """A `Measured` of numbers as they are written: brought to SI, times checked.

    Args:
        units: name → unit as it is written; more: likewise, of users, instead of those.
    """
    more = {} if more is None else more
    if not isinstance(more, dict):
        refuse(where, f"units is {more!r:.60}", "give a dict of names of columns and their units")
    for name, unit in more.items():
        word(where, "column of units", name, tuple(columns))
        if unit not in TO_SI:
            refuse(where, f"the unit of {name!r} is {unit!r:.30}", f"known: {', '.join(filter(None, TO_SI))}")
    si = {}
    for name in columns:
        unit = more.get(name, units.get(name, ""))
        if unit and unit not in TO_SI:
            refuse(where, f"column {titles[name]!r:.60} is in {unit!r:.30}",
                   f"known: {', '.join(unit for units in UNITS.values() for unit in units if unit)}")
        si[name], factor = TO_SI[unit] if unit else ("", 1.0)
        if factor != 1.0:
            columns[name] = factor * columns[name]
    found = Measured(where, times, columns, si, titles, lines, said)
    _check_times(found)
    return found


def _check_times(found):
    times = found.times
    if len(times) < 2:
        refuse(found.where, f"it has {len(times)} instants", "give two at least")
    bad = np.flatnonzero(~np.isfinite(times))
    if len(bad):
        refuse(found.where, f"{_place(found, bad[0])}: no time is told", "give a time in each line")
    bad = np.flatnonzero(np.diff(times) <= 0.0)
    if len(bad):
        n = int(bad[0]) + 1
        refuse(found.where, f"{_place(found, n)}: the time {times[n]:g} s does not come after {times[n - 1]:g} s",
               "sort the lines by time, and give each instant once")


def _place(found, row):
    return f"instant {row}" if found.lines is None else f"line {found.lines[row]}"
