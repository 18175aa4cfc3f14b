"""One door to all searches: `ask` gives a batch of candidates, `tell` takes what came of them.

A method is a generator over the unit box, of which a parameter's scale makes values; it draws from one stream of random
numbers and sees nothing but outcomes, so that a search whose batches are answered from a journal comes to the same end.
"""
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from identification.errors import ExperimentError
from identification.search.aim import Aim
from identification.search.auto import Auto, Within, auto
from identification.search.evolution import Cma, Evolution, cma, evolution
from identification.search.genetic import Genetic, genetic
from identification.search.least_squares import LeastSquares, least_squares
from identification.search.stream import Stream


class Method(NamedTuple):
    """A way to search."""
    make: object          # generator of (count, stream, aim, settings)
    settings: type
    takes: tuple          # of "start", "whole", "told", "key"
    criteria: str         # "error" where it needs residuals, "one" where all count as a sum, "any"
    residuals: bool       # whether it needs residuals
    what: str


METHODS = {
    "auto": Method(auto, Auto, ("start", "whole", "told", "key"), "any", True,
                   "random points, least squares, the genetic algorithm where that stalls"),
    "genetic": Method(genetic, Genetic, ("told", "key"), "any", False,
                      "the report's genetic algorithm; NSGA-II for a Pareto front"),
    "least_squares": Method(least_squares, LeastSquares, ("start",), "error", True, "from several starts, within bounds"),
    "cma": Method(cma, Cma, ("start",), "one", False, "CMA-ES with restarts; needs the package cma"),
    "evolution": Method(evolution, Evolution, (), "one", False, "differential evolution"),
}


LEAST = {"population": 4, "restarts": 0}    # of settings that are whole numbers; 1 of all others
MOST = 100_000                              # candidates of a batch, iterations, generations


class Search:
    """A search for the parameters of a problem.

    Attributes:
        best: (point, Outcome) of the best candidate so far, None before there is one.
        evaluated: candidates so far.
        generation: of the genetic algorithm, else the number of batches.
        budget: share of the budget within which the candidates that were asked for are to be simulated.
    """

    def __init__(self, problem, method="auto", seed=1, aim=None, evaluations=2000, **settings):
        if method not in METHODS:
            raise ExperimentError(f"method is {method!r}; give one of {', '.join(METHODS)}")
        self.problem, self.method, self.aim, self.most = problem, method, aim or Aim(), evaluations
        self._check()
        self.settings = settings_of(method, settings)
        self.best, self.front, self.evaluated, self.batches, self.generation = None, [], 0, 0, 0
        self.budget = 1.0
        takes = METHODS[method].takes
        given = {"start": self._start(), "whole": any(each.integer for each in problem.parameters), "told": self._hear,
                 "key": lambda genes: tuple(problem.values(genes)[0].tolist())}
        self._generator = METHODS[method].make(len(problem.parameters), Stream(seed), self.aim, self.settings,
                                               **{name: given[name] for name in takes})
        self._asked = None
        self._next = self._advance(None)

    def _check(self):
        wanted = METHODS[self.method].criteria
        if wanted == "error" and not self.aim.is_error:
            raise ExperimentError(f"method {self.method} knows residuals alone; use genetic for other criteria")
        if wanted == "one" and self.aim.mode != "weighted":
            raise ExperimentError(f"method {self.method} knows weighted criteria alone, not {self.aim.mode!r}; use genetic")
        if wanted == "error" and any(each.integer for each in self.problem.parameters):
            raise ExperimentError("least squares knows no whole numbers; use method: genetic")

    def _start(self):
        """Where parameters start, where any of them says so."""
        if all(each.start is None for each in self.problem.parameters):
            return None
        return self.problem.shares(self.problem.start)[0]

    def _hear(self, generation, kept):
        self.generation = generation
        if self.aim.mode == "pareto":
            self.front = [one for one in kept if not any(other.fitness.dominates(one.fitness) for other in kept)]

    def ask(self):
        """(n, k) real values of the next candidates; None at the end."""
        if self._next is None or self.evaluated >= self.most:
            self._generator.close()
            return None
        self._asked = self.problem.values(self._next)[:max(self.most - self.evaluated, 0)]
        return self._asked

    def tell(self, outcomes):
        """What came of the candidates that were asked for, in their order."""
        self.evaluated += len(outcomes)
        self.batches += 1
        for point, outcome in zip(self._asked, outcomes, strict=True):
            if self.budget == 1.0 and (self.best is None or self._rank(outcome) < self._rank(self.best[1])):
                self.best = point, outcome
        if len(outcomes) < len(self._next):
            self._next = None     # the last evaluations that were allowed
            return
        self._next = self._advance(list(outcomes))
        if "told" not in METHODS[self.method].takes:
            self.generation = self.batches

    def _rank(self, outcome):
        return self.aim.rank(self.aim.numbers(outcome))

    def _advance(self, outcomes):
        """The next batch of the method; empty ones are answered at once."""
        try:
            batch = next(self._generator) if outcomes is None else self._generator.send(outcomes)
            while not len(batch):   # (n, k) points, or a Within
                batch = self._generator.send([])
        except StopIteration:
            return None
        points, self.budget = batch if isinstance(batch, Within) else (batch, 1.0)
        return np.array(points, float)


def settings_of(method, given):
    """The settings of a method, with those given."""
    kind = METHODS[method].settings
    known = [each.name for each in fields(kind)]
    for name, value in given.items():
        if name not in known:
            raise ExperimentError(f"method {method} has no {name!r}; it has: {', '.join(known)}")
        default = getattr(kind(), name)
        if not isinstance(default, (bool, str)):
            _check_number(method, name, value, default)
        if isinstance(default, (bool, str)) and not isinstance(value, type(default)):
            raise ExperimentError(f"method {method}: {name} is {value!r}; give {default!r} or the like")
    return replace(kind(), **given)


def _check_number(method, name, value, default):
    """Refuse what is no number as the default is one, or out of all bounds."""
    whole = not isinstance(default, float)
    low, high = (LEAST.get(name, 1), MOST) if whole else (0.0, 1.0)
    if value is None and default is None:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not low <= value <= high:
        raise ExperimentError(f"method {method}: {name} is {value!r}; give a {'whole ' if whole else ''}number from {low} to "
                              f"{high}" + ("" if default is None else f", such as {default!r}"))
