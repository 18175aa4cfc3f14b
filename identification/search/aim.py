"""What a search aims at: one number of an outcome or several, and which of two outcomes is the better one.

Several criteria (RR-3072 §6.3) count with priority (the second only among those that satisfy the first), without (the more are
satisfied the better), weighted as a sum, or as a Pareto front. A criterion is "error", that of the residuals, "attempts", or
what an experiment gives by name.
"""
from dataclasses import dataclass

import numpy as np

from identification.errors import ExperimentError
from identification.problem import DONE, PENALTY

MODES = ("weighted", "priority", "any", "pareto")


@dataclass(frozen=True)
class Criterion:
    """A number that is to be small: satisfied from `below` on."""
    name: str = "error"
    below: float = 0.0
    weight: float = 1.0


@dataclass(frozen=True)
class Aim:
    """Criteria and how they count together."""
    criteria: tuple = (Criterion(),)
    mode: str = "weighted"

    def __post_init__(self):
        if self.mode not in MODES:
            raise ExperimentError(f"criteria count by {self.mode!r}; give one of {', '.join(MODES)}")
        if not self.criteria:
            raise ExperimentError("there is no criterion; give at least one, such as error")

    @property
    def is_error(self):
        """Whether residuals alone count, so that least squares can do it."""
        return len(self.criteria) == 1 and self.criteria[0].name == "error"

    def numbers(self, outcome):
        """(c,) the criteria of an outcome; penalties where it did not come to its end."""
        if outcome.status != DONE:
            return np.full(len(self.criteria), outcome.error)
        known = {"error": outcome.error, "attempts": float(outcome.attempts)} | outcome.criteria
        for each in self.criteria:
            if each.name not in known:
                raise ExperimentError(f"there is no criterion {each.name!r}; there are: {', '.join(known)}")
        found = np.array([known[each.name] for each in self.criteria])
        return np.where(np.isfinite(found), np.minimum(found, PENALTY), PENALTY)

    def rank(self, numbers):
        """What outcomes are sorted by, the better the smaller; `numbers` is one row of criteria."""
        below = np.array([each.below for each in self.criteria])
        if self.mode == "priority":
            first = self._first(numbers)
            return len(below) - first - bool(np.all(numbers <= below)), float(numbers[first])
        if self.mode == "any":
            missed = np.maximum(numbers - below, 0.0) / np.where(below > 0.0, below, 1.0)
            return int((numbers > below).sum()), float(missed.sum()) or float(numbers.sum())
        return 0, self.total(numbers)

    def total(self, numbers):
        """The weighted sum."""
        return float(sum(each.weight * number for each, number in zip(self.criteria, numbers, strict=True)))

    def misfit(self, numbers, typical):
        """One number that says how far an outcome is from what is wanted: the width of mutations follows it. Criteria of
        different kinds are made comparable by their typical sizes."""
        if self.mode == "priority":
            return float(numbers[self._first(numbers)] / typical[self._first(numbers)])
        return float(np.sum(numbers / typical)) if self.mode == "any" else self.total(numbers)

    def typical(self, rows):
        """(c,) typical sizes of criteria, their medians over rows (n, c) of them; of a sum that of the sum."""
        if self.mode in ("priority", "any"):
            found = np.median(np.array(rows), axis=0) if rows else np.ones(len(self.criteria))
            return np.where(found > 0.0, found, 1.0)
        return float(np.median([self.total(each) for each in rows] or [1.0]))

    def _first(self, numbers):
        """The first criterion that is not satisfied, the last one where all are."""
        unmet = np.flatnonzero(numbers > [each.below for each in self.criteria])
        return int(unmet[0]) if len(unmet) else len(self.criteria) - 1

    def best(self, outcomes):
        """Index of the best one, of equal ones the first."""
        return min(range(len(outcomes)), key=lambda k: self.rank(self.numbers(outcomes[k])))

    def satisfied(self, outcome):
        """Whether all criteria are."""
        return outcome.status == DONE and bool(np.all(self.numbers(outcome) <= [each.below for each in self.criteria]))
