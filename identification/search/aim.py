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
            unmet = np.flatnonzero(numbers > below)
            first = int(unmet[0]) if len(unmet) else len(below) - 1
            return len(below) - first - (len(unmet) == 0), float(numbers[first])
        if self.mode == "any":
            missed = np.maximum(numbers - below, 0.0) / np.where(below > 0.0, below, 1.0)
            return int((numbers > below).sum()), float(missed.sum()) or float(numbers.sum())
        return 0, self.total(numbers)

    def total(self, numbers):
        """The weighted sum."""
        return float(sum(each.weight * number for each, number in zip(self.criteria, numbers, strict=True)))

    def misfit(self, numbers):
        """One number that says how far an outcome is from what is wanted: the width of mutations follows it."""
        if self.mode in ("priority", "any"):
            return float(self.rank(numbers)[1])
        return self.total(numbers)

    def best(self, outcomes):
        """Index of the best one, of equal ones the first."""
        return min(range(len(outcomes)), key=lambda k: self.rank(self.numbers(outcomes[k])))

    def satisfied(self, outcome):
        """Whether all criteria are."""
        return outcome.status == DONE and bool(np.all(self.numbers(outcome) <= [each.below for each in self.criteria]))
