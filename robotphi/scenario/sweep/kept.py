"""What is known of a sweep: one line of JSON for each point that is over, written as soon as it is.

A process that is killed leaves all lines before; a last line that was cut off is passed over.
"""
import json
import os

FILE = "points.jsonl"


class Kept:
    """The rows of points by what they are, in a file."""

    def __init__(self, folder):
        self.path, self.rows = folder / FILE, {}
        self._whole = True
        if self.path.is_file():
            text = self.path.read_text(encoding="utf-8", errors="replace")
            self._whole = text.endswith("\n") or not text
            for line in text.splitlines():
                self._take(line)

    def _take(self, line):
        try:
            row = json.loads(line)
            self.rows[name_of(row["knobs"], row["until"])] = row
        except (ValueError, TypeError, LookupError):
            return   # cut off, or none of ours

    def find(self, knobs, until):
        """The row of a point as it was run last, or None."""
        return self.rows.get(name_of(knobs, until))

    def add(self, knobs, until, row):
        """Keep a row; it is on the disk when this returns."""
        row = {"knobs": knobs, "until": until, **row}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(("" if self._whole else "\n") + json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._whole = True
        self.rows[name_of(knobs, until)] = row


def name_of(knobs, until):
    """A point in words."""
    return json.dumps([knobs, until], sort_keys=True)
