"""Tables of text with units in their heads, such as `t [ms],z [mm]`: read in blocks, so that large files take little memory.
Lines before the heads may begin with #; where semicolons or tabs separate cells, numbers may have a decimal comma.

A block is read by numpy as a whole; where it cannot be, it is gone through cell by cell, and what is wrong is told with file,
line and column.
"""
import csv
import math

import numpy as np

from identification.errors import DataError
from identification.experiment.units import is_unit

BLOCK = 2 * 2**20        # bytes
LONGEST_HEAD = 2**20     # bytes of the line of heads
MOST_REMARKS = 10_000    # lines before it
SEPARATORS = {".tsv": "\t"}
EXAMPLE = "t [s],z [mm]"
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def open_text(path):
    """The source of a table of text."""
    return TextSource(path)


class TextSource:
    """A table of text.

    Attributes:
        titles: [(name, unit)], the unit None where the head tells none.
    """

    def __init__(self, path):
        self.path = path
        text, self._begin, self._first = self._line_of_heads()
        counts = {each: text.count(each) for each in ",;\t"}
        self.separator = SEPARATORS.get(path.suffix.lower()) or max(counts, key=counts.get)
        self.heads = [cell.strip() for cell in next(csv.reader([text], delimiter=self.separator))]
        self.titles = [title_of(cell) for cell in self.heads]
        self._comma = self.separator != ","   # may be a decimal sign

    def columns(self, indices, keep=None, ordered=None, skip=False):
        """(n, c) the numbers of some columns, as they are written.

        Args:
            indices: of the columns.
            keep: function of a (m, c) block that tells which rows stay; all unless told.
            ordered: place among the indices of a column that has to grow from row to row.
            skip: whether rows with empty cells and NaN are left out, where they are errors otherwise.
        """
        found, before, line, size = None, -math.inf, self._first, self.path.stat().st_size
        for block, rows in self._blocks():
            numbers = self._read_fast(rows, block, indices)
            if numbers is None or (ordered is not None and not _grows(numbers[:, ordered], before)):
                numbers = self._read_carefully(rows, indices, line, ordered, before, skip)
            if ordered is not None and len(numbers):
                before = numbers[-1, ordered]
            line += len(rows)
            found = found or Growing(len(indices), len(rows) * size / max(len(block), 1) if keep is None else 0.0)
            found.append(numbers if keep is None else numbers[keep(numbers)])
        return np.zeros((0, len(indices))) if found is None else found.rows

    def _line_of_heads(self):
        """(the first line that is no remark, the byte and the line behind it)."""
        begin, text = 0, ""
        with self._opened() as file:
            for line in range(1, MOST_REMARKS + 2):
                head = file.readline(LONGEST_HEAD + 1)
                place, begin = f"{self.path}:{line}", begin + len(head)
                if head.startswith(BYTE_ORDER_MARKS) or b"\0" in head:
                    raise DataError(f"{place}: this is no UTF-8, rather UTF-16 or no text at all; save it as CSV in UTF-8")
                if len(head) > LONGEST_HEAD:
                    raise DataError(f"{place}: a first line of more than {LONGEST_HEAD >> 20} MB; begin with heads such as "
                                    f"{EXAMPLE}")
                text = self._decoded(head, line).lstrip("\ufeff").rstrip("\r\n")
                if not head or (text.strip() and not text.lstrip().startswith("#")):
                    break
        if not text.strip() or text.lstrip().startswith("#"):
            raise DataError(f"{place}: there are no heads; begin with a line such as {EXAMPLE}")
        return text, begin, line + 1

    def _opened(self):
        try:
            return open(self.path, "rb")
        except OSError as error:
            raise DataError(f"{self.path}: it cannot be read ({error.strerror})") from error

    def _blocks(self):
        """(text, its lines) of one block after the other."""
        with self._opened() as file:
            file.seek(self._begin)
            rest, line = b"", self._first
            while data := file.read(BLOCK):
                data = rest + data
                end = data.rfind(b"\n") + 1
                rest, data = data[end:], data[:end]
                if len(rest) > 4 * BLOCK:
                    raise DataError(f"{self.path}:{line}: a line of more than {len(rest) >> 20} MB; this is no table of text")
                if data:
                    text = self._decoded(data, line)
                    rows = text.split("\n")[:-1]
                    yield text, rows
                    line += len(rows)
            if rest.strip():
                text = self._decoded(rest, line)
                yield text, [text]

    def _decoded(self, data, line):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(f"{self.path}:{line + data.count(bytes([10]), 0, error.start)}: byte {data[error.start]:#x} is no "
                            "UTF-8; save it as CSV in UTF-8") from error

    def _read_fast(self, rows, text, indices):
        """The numbers of a block, None where anything is unusual about it."""
        if '"' in text or text.count(self.separator) != len(rows) * (len(self.heads) - 1):
            return None
        if self._comma and "," in text:
            if "." in text:
                return None
            rows = text.replace(",", ".").split("\n")[:len(rows)]
        try:
            numbers = np.loadtxt(rows, delimiter=self.separator, usecols=indices, ndmin=2, comments=None)
        except ValueError:
            return None
        return numbers if len(numbers) == len(rows) and np.isfinite(numbers).all() else None

    def _read_carefully(self, rows, indices, first, ordered, before, skip):
        found = []
        for line, cells in enumerate(csv.reader(rows, delimiter=self.separator), first):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(self.heads):
                raise DataError(f"{self.path}:{line}: {len(cells)} cells, where there are {len(self.heads)} heads; give one "
                                "cell for "
                                "each head")
            numbers = [self._number(cells[k], line, k, skip) for k in indices]
            if skip and not all(map(math.isfinite, numbers)):
                continue
            if ordered is not None and not numbers[ordered] > before:
                raise DataError(f"{self.path}:{line}: column {self.heads[indices[ordered]]!r} is {numbers[ordered]:g} after "
                                f"{before:g}; times have to grow from line to line: sort the lines, and leave out those told "
                                "twice")
            before = before if ordered is None else numbers[ordered]
            found.append(numbers)
        return np.array(found, float).reshape(-1, len(indices))

    def _number(self, cell, line, column, skip):
        """The number of a cell."""
        place = f"{self.path}:{line}: column {self.heads[column]!r}"
        text = cell.strip()
        if not text:
            if skip:
                return math.nan
            raise DataError(f"{place} is empty; give a number, leave the line out, or say missing: skip in the run")
        if self._comma and text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            comma = text.replace(",", "", 1).lstrip("+-").isdigit()
            more = " with a point instead of the comma" if comma else ""
            raise DataError(f"{place} is {text!r:.40}, which is no number; give one{more}") from None
        if not math.isfinite(value) and not skip:
            raise DataError(f"{place} is {text}; give a finite number, leave the line out, or say missing: skip in the run")
        return value


def title_of(head):
    """(name, unit) of a head; the unit is None where there are no brackets, and no round ones around a unit that is known."""
    name, bracket, unit = head.partition("[")
    if bracket and unit.rstrip().endswith("]"):
        return name.strip(), unit.rstrip()[:-1].strip()
    name, bracket, unit = head.strip().rpartition("(")
    if bracket and unit.endswith(")") and is_unit(unit[:-1]):
        return name.strip(), unit[:-1].strip()
    return head.strip(), None


class Growing:
    """Rows of numbers whose count is not known before, in one piece of memory: what is not filled takes none of it."""

    def __init__(self, width, likely):
        self._all, self._count = np.empty((int(1.1 * likely) + 1000, width)), 0

    def append(self, rows):
        """Put more of them behind."""
        end = self._count + len(rows)
        if end > len(self._all):
            more = np.empty((max(end, 2 * len(self._all)), self._all.shape[1]))
            more[:self._count] = self._all[:self._count]
            self._all = more
        self._all[self._count:end] = rows
        self._count = end

    @property
    def rows(self):
        """All of them."""
        return self._all[:self._count]


def _grows(values, before):
    return not len(values) or (values[0] > before and bool(np.all(np.diff(values) > 0.0)))
