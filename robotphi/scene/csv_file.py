"""Tables of comma-separated values with units in their heads, such as `x [mm]`; what is wrong is told with line and column."""
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import refuse
from robotphi.scene.text_file import number_of, split_unit, table_lines
from robotphi.scene.units import UNITS

MOST_BYTES = 2**26   # of a file whose cells are kept as they are written


class CsvTable(NamedTuple):
    """Cells of a file as they are written.

    Attributes:
        where: what messages call it.
        titles: heads as they are written.
        heads: name, in small letters and without its unit → (column, unit).
        rows: lists of cells.
        lines: of each row, counted from 1.
        comma: whether numbers may have a decimal comma.
    """
    where: str
    titles: list
    heads: dict
    rows: list
    lines: list
    comma: bool = False

    def column(self, name, kind, may_be_missing=False):
        """Numbers of a column in SI; NaN for empty cells where they may be missing."""
        n, unit = self.head(name)
        if unit not in UNITS[kind]:
            first = next(iter(UNITS[kind]))
            refuse(self.where, f"column {name!r} is {f'in {unit!r}' if unit else 'without a unit'}",
                   f"write its unit into the head, such as {name} [{first}]; known: {', '.join(UNITS[kind])}")
        return np.array([self._number(k, name, row[n], may_be_missing) for k, row in enumerate(self.rows)]) * UNITS[kind][unit]

    def head(self, name):
        """(column, unit) of a name."""
        if name not in self.heads:
            refuse(self.where, f"there is no column {name!r}", f"its heads are {', '.join(self.heads)}")
        return self.heads[name]

    def known_as(self, aliases):
        """The same table where columns that are called otherwise have the name that is looked for: aliases, name → others in
        small letters with spaces for underscores."""
        said = {head: head.replace("_", " ") for head in self.heads}
        heads = dict(self.heads)
        for name, others in aliases.items():
            found = [] if name in heads else [head for head, plain in said.items() if plain == name or plain in others]
            if len(found) > 1:
                refuse(self.where, f"{' and '.join(map(repr, found))} may both be {name!r}", "leave one of them out")
            if found:
                heads[name] = self.heads[found[0]]
        return self._replace(heads=heads)

    def words(self, name):
        """The cells of a column as text."""
        return [row[self.head(name)[0]].strip() for row in self.rows]

    def refuse(self, row, name, problem, remedy):
        """Raise an error that names line and column."""
        refuse(self.where, f"line {self.lines[row]}, column {self.titles[self.head(name)[0]]!r}: {problem}", remedy)

    def _number(self, row, name, cell, may_be_missing):
        if may_be_missing and not cell.strip():
            return math.nan
        value = number_of(cell, self.comma)
        if value is None or math.isnan(value):
            if cell.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
                self.refuse(row, name, f"it is {cell.strip()}, not finite", "give a number, or leave the line out")
            self.refuse(row, name, f"{cell!r:.30} is no number", "give a number")
        return value


def read_csv(where, path, least, example):
    """The table of a file with at least so many rows below its heads; `example` is what its heads look like. Cells may be
    separated by semicolons or tabs, numbers then have a decimal comma; lines before the heads may begin with #."""
    if not isinstance(path, (str, Path)):
        refuse(where, f"path is {path!r:.60}", "give the path of a file")
    separator, lines = table_lines(where, path, MOST_BYTES)
    found = list(lines)
    if len(found) < least + 1:
        refuse(where, f"it has {len(found)} lines", f"give a line of heads such as {example} and at least {least} below it")
    heads, titles = {}, [head.strip() for head in found[0][1]]
    for n, head in enumerate(titles):
        name, unit = split_unit(head)
        if name.lower() in heads:
            refuse(where, f"two columns are called {name!r}", "give each a name of its own")
        heads[name.lower()] = n, unit
    for line, row in found[1:]:
        if len(row) != len(titles):
            refuse(where, f"line {line} has {len(row)} columns, the heads {len(titles)}", "give one cell for each head")
    return CsvTable(where, titles, heads, [row for _, row in found[1:]], [line for line, _ in found[1:]], separator != ",")
