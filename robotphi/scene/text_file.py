"""Lines, cells and numbers of text files, within bounds of memory; what is wrong is told with line and column."""
import csv
import math
from array import array
from pathlib import Path

import numpy as np

from robotphi.scene.checks import refuse
from robotphi.scene.units import KINDS

MOST_BYTES = 2**30      # of a file
LONGEST_LINE = 2**20    # characters
MOST_NUMBERS = 2**26    # that are kept: half a GB
SEPARATORS = "\t;,"     # of tables, the first that is found in the line of heads


def path_of(where, path, most=MOST_BYTES):
    """An ordinary file that is not too large."""
    if not isinstance(path, (str, Path)) or "\0" in str(path):
        refuse(where, f"path is {path!r:.60}", "give the path of a file")
    path = Path(path)
    try:
        there, size = path.is_file(), path.stat().st_size
    except OSError as error:
        refuse(where, f"it cannot be read ({error.strerror or error})", "give the path of a file that is there")
    if not there or size > most:
        refuse(where, f"it is no file, or larger than {most >> 20} MB", "give a file, or a part of it")
    return path


def lines_of(where, path, most=MOST_BYTES):
    """Line by line (number from 1, text without its end); bytes that are no UTF-8 become signs that no number has."""
    path = path_of(where, path, most)
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline=None) as file:
            number = 0
            while text := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(text) > LONGEST_LINE:
                    refuse(where, f"line {number} has more than {LONGEST_LINE >> 20} million characters",
                           "this is no table of text: give one line for each instant")
                yield number, text.rstrip("\n")
    except OSError as error:
        refuse(where, f"it cannot be read ({error.strerror or error})", "give the path of a file that can be read")


def table_lines(where, path, most=MOST_BYTES):
    """(separator, generator of (line, cells)) of comma-separated values, or those with semicolons or tabs; lines that are
    empty, and those before the heads that begin with #, are left out."""
    lines = _in_utf8(where, lines_of(where, path, most))
    first = next(((n, text) for n, text in lines if text.strip() and not text.lstrip().startswith("#")), None)
    if first is None:
        return ",", iter(())
    separator = next((mark for mark in SEPARATORS if mark in first[1]), ",")

    def rows():
        last = [first[0]]

        def fed():
            yield first[1] + "\n"
            for n, text in lines:
                last[0] = n
                yield text + "\n"

        try:
            for row in csv.reader(fed(), delimiter=separator):
                if any(cell.strip() for cell in row):
                    yield last[0], row
        except csv.Error as error:
            refuse(where, f"line {last[0]}: {error}", "close its quotes, and leave out signs that are no text")

    return separator, rows()


def _in_utf8(where, lines):
    for n, text in lines:
        if "\ufffd" in text:
            refuse(where, f"line {n} has signs that are no UTF-8", "save it as text in UTF-8")
        yield n, text


def split_unit(head):
    """("x", "mm") of a head such as x [mm] or x (mm)."""
    head = head.strip()
    for opening, closing in ("[]", "()"):
        if head.endswith(closing) and opening in head:
            name, _, unit = head[:-1].rpartition(opening)
            if opening == "[" or unit.strip() in _KNOWN:
                return name.strip(), unit.strip()
    return head, ""


_KNOWN = {unit for _, units in KINDS.values() for unit in units}


def number_of(cell, comma=False):
    """The number of a cell, NaN for an empty one or one that says so; None where it is none. With a comma as decimal sign where
    cells are separated by something else."""
    text = cell.strip()
    if not text:
        return math.nan
    if comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    if "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isinf(value) else value


class Rows:
    """Numbers of a table, row by row."""

    def __init__(self, where, titles):
        self.where, self.titles = where, titles
        self.numbers, self.lines = array("d"), array("q")

    def add(self, line, cells, comma=False):
        """A row of cells as text; empty ones are NaN, more than there are heads only where they are empty."""
        width = len(self.titles)
        if len(cells) != width:
            if len(cells) < width or any(cell.strip() for cell in cells[width:]):
                refuse(self.where, f"line {line} has {len(cells)} columns, the heads {width}", "give one cell for each head")
            cells = cells[:width]
        try:   # nearly always
            if comma or "" in cells:
                raise ValueError
            values = [float(cell) for cell in cells]
            if any("_" in cell for cell in cells) or math.inf in values or -math.inf in values:
                raise ValueError
        except ValueError:
            values = [number_of(cell, comma) for cell in cells]
            if None in values:
                n = values.index(None)
                refuse(self.where, f"line {line}, column {self.titles[n]!r:.60}: {cells[n].strip()!r:.30} is no finite number",
                       "give a number, or leave the cell empty where nothing was measured")
        if len(self.numbers) + width > MOST_NUMBERS:
            refuse(self.where, f"line {line}: it has more than {MOST_NUMBERS} numbers", "give a part of it, or fewer columns")
        self.numbers.extend(values)
        self.lines.append(line)

    def columns(self):
        """(rows, columns), and (rows,) lines."""
        return np.array(self.numbers).reshape(-1, len(self.titles)), np.array(self.lines)
