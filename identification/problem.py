"""A problem: what searches and verdicts see of an experiment: parameters in bounds, and what comes of candidates.

A candidate is a row of real values, one a parameter, in the units of the parameters. What comes of it are residuals, each the
difference of simulated and measured in units of the noise, always as many, whatever the candidate; or, where a simulation did
not come to its end, how far it came.
"""
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from identification.errors import ExperimentError

DONE, DIVERGED, REFUSED, LIMIT, LOST = "done", "diverged", "refused", "limit", "lost"
STATUSES = (DONE, DIVERGED, REFUSED, LIMIT, LOST)
PENALTY = 1e12        # sd of noise: beyond any error that counts
LARGEST = 1e11        # residuals of what came to its end are cut there, so that they stay below
SCALES = ("linear", "log")


@dataclass(frozen=True)
class Parameter:
    """What is to be found: a number within bounds, in a unit of its own."""
    name: str
    low: float
    high: float
    start: float | None = None
    scale: str = "linear"
    unit: str = ""
    integer: bool = False

    def __post_init__(self):
        where = f"parameter {self.name!r}"
        if self.scale not in SCALES:
            raise ExperimentError(f"{where}: scale is {self.scale!r}; give one of {', '.join(SCALES)}")
        if not np.isfinite([self.low, self.high]).all() or not self.low < self.high:
            raise ExperimentError(f"{where}: bounds [{self.low:g}, {self.high:g}]; give two numbers, the lower one first")
        if self.scale == "log" and self.low <= 0.0:
            raise ExperimentError(f"{where}: a logarithmic scale from {self.low:g}; give a lower bound above 0, or scale: "
                                  "linear")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise ExperimentError(f"{where}: it starts at {self.start:g}, outside of its bounds [{self.low:g}, {self.high:g}]")
        if self.integer and np.ceil(self.low) > np.floor(self.high):
            raise ExperimentError(f"{where}: there is no whole number in [{self.low:g}, {self.high:g}]")

    def value(self, share):
        """The value at a share of the way from bound to bound, along the scale."""
        share = np.clip(share, 0.0, 1.0)
        grown = self.low * (self.high / self.low) ** share if self.scale == "log" else None
        found = self.low + share * (self.high - self.low) if grown is None else grown
        if self.integer:
            found = np.clip(np.round(found), np.ceil(self.low), np.floor(self.high))
        return np.clip(found, self.low, self.high)

    def share(self, value):
        """The other way."""
        value = np.clip(value, self.low, self.high)
        if self.scale == "log":
            return np.log(value / self.low) / np.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Series:
    """Residuals that belong together: one compared quantity of one run."""
    name: str
    run: str
    start: int                # first and behind the last of its residuals
    stop: int
    times: np.ndarray         # s, of each of them; of a single value the instant, or NaN
    held_out: bool = False
    noise: float = 1.0        # sd, in the unit below; residual × noise / weight is the difference
    unit: str = ""
    measured: np.ndarray | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Outcome:
    """What came of a candidate.

    Attributes:
        residuals: of all fitted series one after the other, those of held-out series behind where these were asked for;
            None where a simulation did not come to its end.
        status: one of STATUSES.
        reached: share of the simulated time that was reached, 1 where all was.
        attempts: steps tried, of all runs.
        criteria: other numbers by name.
    """
    residuals: np.ndarray | None
    status: str = DONE
    reached: float = 1.0
    attempts: int = 0
    criteria: dict[str, float] = field(default_factory=dict)

    @property
    def error(self):
        """Root of the mean square of the residuals; of what did not come to its end a penalty, more the earlier it ended."""
        if self.status != DONE:
            return PENALTY * (2.0 - min(max(self.reached, 0.0), 1.0))
        if self.residuals is None or not len(self.residuals):
            return 0.0
        return float(np.sqrt(np.mean(np.square(np.clip(self.residuals, -LARGEST, LARGEST)))))


class Problem:
    """Parameters, series, and what comes of candidates.

    Series that are held out stand behind all others, in `series` as in residuals.
    """
    parameters: tuple
    series: tuple

    def evaluate(self, points, held_out=False):
        """Outcomes of candidates, rows of real values, in their order; with residuals of held-out series where asked for."""
        raise NotImplementedError

    def finer(self, budget):
        """The same, simulated within such a share of its budgets; None where no step goes by a budget."""
        return None

    def values(self, shares):
        """(n, k) real values at shares of the ways from bound to bound, (n, k) in 0…1."""
        shares = np.atleast_2d(np.asarray(shares, float))
        return np.stack([each.value(shares[:, k]) for k, each in enumerate(self.parameters)], axis=1)

    def shares(self, values):
        """The other way."""
        values = np.atleast_2d(np.asarray(values, float))
        return np.stack([each.share(values[:, k]) for k, each in enumerate(self.parameters)], axis=1)

    @property
    def residual_count(self):
        """Residuals of all series that are fitted."""
        return max((each.stop for each in self.series if not each.held_out), default=0)

    @property
    def start(self):
        """(k,) where parameters start: as told, else in the middle of their scale."""
        return np.array([float(each.value(0.5)) if each.start is None else each.start for each in self.parameters])


@dataclass
class FunctionProblem(Problem):
    """A problem whose outcomes a function works out, a closed form for example.

    `function(values) -> residuals or Outcome`, of one candidate; with held-out series it gives all residuals, theirs behind.
    """
    parameters: tuple
    function: Callable
    series: tuple = ()

    def __post_init__(self):
        self.parameters = tuple(self.parameters)
        self.series = tuple(self.series) or (self._one_series(),)

    def _one_series(self):
        found = self.function(self.start)
        count = 0 if isinstance(found, Outcome) and found.residuals is None else len(getattr(found, "residuals", found))
        return Series("residuals", "function", 0, count, np.arange(count, dtype=float))

    def evaluate(self, points, held_out=False):
        return [self._outcome(point, held_out) for point in np.atleast_2d(np.asarray(points, float))]

    def _outcome(self, point, held_out):
        found = self.function(point)
        found = found if isinstance(found, Outcome) else Outcome(np.asarray(found, float))
        if found.residuals is None or held_out:
            return found
        return Outcome(found.residuals[:self.residual_count], found.status, found.reached, found.attempts, found.criteria)
