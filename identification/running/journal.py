"""The journal of a fit: a line of JSON for each candidate, in the order of candidates, with exact numbers.

The same candidates leave the same bytes, whoever evaluated them; how long each took and where stands in a second file. A search
that is done again takes its first answers from the journal and so comes to the same end. A line that was cut off is no line.
"""
import base64
import json
import os
from pathlib import Path

import numpy as np

from identification.errors import JournalError
from identification.problem import STATUSES, Outcome, Problem

JOURNAL, TIMES = "journal.jsonl", "times.jsonl"
VERSION = 1


class Journal:
    """Candidates and what came of them, in a folder.

    `head`: plain facts that the answers hang on (parameters, data, model, versions); with another head it is another fit's.
    """

    def __init__(self, folder, head, resume=False):
        self.folder, self.path = Path(folder), Path(folder) / JOURNAL
        self._head = _line({"robotphi_journal": VERSION, **head})
        self._known = []           # lines that have not been asked for again
        self.replayed = self.added = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if resume:
                self._known = self._resumed()
            elif self.path.exists() and self.path.stat().st_size:
                raise JournalError(f"there is a journal in {self.folder} already; go on with it by `robotphi-identify resume "
                                   f"{self.folder}`, or name another folder by --out")
            self._file = open(self.path, "ab")   # noqa: SIM115
            if not self.path.stat().st_size:
                self._append([self._head])
            self._times = open(self.folder / TIMES, "a", encoding="utf-8")   # noqa: SIM115
        except OSError as error:
            raise JournalError(f"no journal can be kept in {self.folder}: {error.strerror}; name another folder by "
                               "--out") from error

    def _resumed(self):
        """The lines of a journal that is gone on with; what was cut off is cut away."""
        data = self.path.read_bytes() if self.path.exists() else b""
        lines = data.split(b"\n")[:-1]
        if lines and not _is_whole(lines[-1]):
            lines.pop()
        if lines and lines[0].decode("utf-8", "replace") != self._head:
            raise JournalError(f"{self.path} belongs to another fit: {_difference(lines[0], self._head)}; go on with what it "
                               "was made "
                               "with, or begin anew in another folder by --out")
        whole = b"".join(line + b"\n" for line in lines)
        if whole != data:
            with open(self.path, "r+b" if self.path.exists() else "wb") as file:
                file.truncate(len(whole))
        return [line.decode("utf-8", "replace") for line in lines[1:]]

    def take(self, points, held_out, budget=1.0):
        """Outcomes of the first of some candidates, as far as they are known; `budget`: see `Problem.finer`."""
        found = []
        for point in points:
            if not self._known:
                break
            number = self.replayed + self.added + 2
            try:
                entry = json.loads(self._known[0])
                known, outcome, asked = entry["point"], outcome_of(entry), _asked(entry)
            except (ValueError, KeyError, TypeError) as error:
                raise JournalError(f"{self.path}:{number}: it cannot be read ({error}); begin anew in another folder") from None
            if known != [float(value).hex() for value in point] or asked != (held_out, budget):
                raise JournalError(f"{self.path}:{number}: the search asks for another candidate than it did then; it was "
                                   "made with "
                                   "other settings or another version: begin anew in another folder")
            self._known.pop(0)
            self.replayed += 1
            found.append(outcome)
        return found

    def add(self, points, outcomes, held_out=False, told=(), budget=1.0):
        """What came of a batch, in one go."""
        self._append([_line(entry_of(point, outcome, held_out, budget))
                      for point, outcome in zip(points, outcomes, strict=True)])
        number = self.replayed + self.added
        for k, (seconds, where) in enumerate(told):
            self._times.write(json.dumps({"candidate": number + k, "seconds": round(seconds, 6), "where": where}) + "\n")
        self._times.flush()
        self.added += len(outcomes)

    def _append(self, lines):
        try:
            self._file.write(b"".join(line.encode() + b"\n" for line in lines))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise JournalError(f"{self.path} cannot be written: {error.strerror}; make room, then resume") from error

    def close(self):
        """No more candidates."""
        self._file.close()
        self._times.close()


class Journaled(Problem):
    """A problem all of whose candidates go through a journal."""

    def __init__(self, problem, journal, budget=1.0):
        self.problem, self.journal, self._budget = problem, journal, budget
        self.parameters, self.series = problem.parameters, problem.series

    def evaluate(self, points, held_out=False):
        """Outcomes of candidates, from the journal as far as it goes."""
        points = np.atleast_2d(np.asarray(points, float))
        known = self.journal.take(points, held_out, self._budget)
        rest = points[len(known):]
        if not len(rest):
            return known
        outcomes = self.problem.evaluate(rest, held_out)
        self.journal.add(rest, outcomes, held_out, getattr(self.problem, "told", ()), self._budget)
        return known + outcomes

    def finer(self, budget):
        """See `Problem.finer`; all of it goes through the same journal."""
        found = self.problem.finer(budget)
        return None if found is None else Journaled(found, self.journal, budget)


def entry_of(point, outcome, held_out=False, budget=1.0):
    """A candidate as plain JSON: numbers in hexadecimal, residuals as the bytes of their doubles."""
    entry = {"point": [float(value).hex() for value in point], "status": outcome.status,
             "reached": float(outcome.reached).hex(), "attempts": int(outcome.attempts),
             "criteria": {name: float(value).hex() for name, value in sorted(outcome.criteria.items())},
             "residuals": None if outcome.residuals is None else _packed(outcome.residuals)}
    return entry | ({"held_out": True} if held_out else {}) | ({} if budget == 1.0 else {"budget": float(budget).hex()})


def _asked(entry):
    """How a candidate was evaluated: whether with runs that are held out, and by which share of the budget."""
    return entry.get("held_out", False), float.fromhex(entry["budget"]) if "budget" in entry else 1.0


def outcome_of(entry):
    """The outcome of such an entry."""
    if entry["status"] not in STATUSES:
        raise ValueError(f"status {entry['status']!r:.30}")
    residuals = None if entry["residuals"] is None else _unpacked(entry["residuals"])
    return Outcome(residuals, entry["status"], float.fromhex(entry["reached"]), int(entry["attempts"]),
                   {name: float.fromhex(value) for name, value in entry["criteria"].items()})


def _packed(numbers):
    return base64.b64encode(np.asarray(numbers, "<f8").tobytes()).decode()


def _unpacked(text):
    return np.frombuffer(base64.b64decode(text, validate=True), "<f8").astype(float)


def read_journal(folder):
    """[(point, Outcome)] of the journal of a folder."""
    path = Path(folder) / JOURNAL
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[1:-1]
        entries = [json.loads(line) for line in lines]
        return [([float.fromhex(value) for value in each["point"]], outcome_of(each)) for each in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{path} cannot be read: {error}; `robotphi-identify resume` mends what was cut off") from error


def _line(entry):
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":"))


def _is_whole(line):
    try:
        json.loads(line)
        return True
    except ValueError:
        return False


def _difference(line, head):
    """Which facts of two heads differ."""
    try:
        then, now = json.loads(line), json.loads(head)
        return "other " + ", ".join(name for name in now if then.get(name) != now[name])
    except (ValueError, AttributeError):
        return "its first line is no head"
