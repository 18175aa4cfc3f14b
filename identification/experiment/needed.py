"""Which rows of a recording are needed of each block of it, so that a file of any size takes little memory.

What is compared asks for few rows: those beside the instants of a grid, or beside one instant, or the largest of each block.
The others are passed over once they were read and checked. The first and the last row of a block always stay, so that what
lies across two blocks is as it would be within one. Of a mean all rows stay.
"""
import numpy as np

from identification.experiment.parts import SERIES, VALUE

MOST_INSTANTS = 100_000   # of a series


class Wanted:
    """What one compared quantity asks for; `place` of its column in a block, `factor` that makes it SI.

    Attributes:
        inside: rows so far within the time that is compared.
    """

    def __init__(self, compared, place, factor):
        self.compared, self.place, self.factor = compared, place, factor
        self.inside, self._first, self._kept = 0, None, 0

    def rows(self, times, block):
        """Places of the rows that it asks for; `times` of the scene's clock."""
        here = np.flatnonzero((times >= max(self.compared.begin, 0.0)) & (times <= self.compared.end))
        if not len(here):
            return here
        self.inside += len(here)
        asked = self._asked(times[here], self.factor * block[here, self.place])
        return here[np.concatenate([asked, [0, len(here) - 1]])]

    def _asked(self, times, values):
        take = self.compared.take
        if take == SERIES:
            return self._of_series(times)
        if take == VALUE:
            asked = np.searchsorted(times, self.compared.at) + np.array([-1, 0])
        elif take == "settled":
            beyond = np.flatnonzero(np.abs(values) > self.compared.within)[-1:]
            asked = np.append(beyond, beyond + 1)
        else:
            asked = np.arange(len(times)) if take == "mean" else np.array([values.argmin(), values.argmax()])
        return np.clip(asked, 0, len(times) - 1)

    def _of_series(self, times):
        if self._kept > 2 * MOST_INSTANTS:       # more than may be compared: it is refused when all are counted
            return np.zeros(0, int)
        self._first = times[0] if self._first is None else self._first
        asked = np.arange(len(times))
        if self.compared.step is not None:
            passes = np.diff(np.floor((times - self._first) / self.compared.step)) > 0
            asked = np.flatnonzero(np.append(passes, False) | np.append(False, passes))
        self._kept += len(asked)
        return asked


class Needed:
    """Tells of one block after the other which rows stay, of those that the run takes.

    Attributes:
        count: rows so far that the run takes.
    """

    def __init__(self, run, factor, wanted):
        """`factor` makes the times SI, the first column of a block; `wanted`: a Wanted for each compared quantity."""
        self.run, self.factor, self.wanted = run, factor, wanted
        self.count, self._passed = 0, 0

    def __call__(self, block):
        """(m,) bool."""
        taken = np.flatnonzero((np.arange(len(block)) + self._passed) % self.run.every == 0)
        self._passed += len(block)
        self.count += len(taken)
        times = block[taken, 0] * self.factor - self.run.begins
        stays = np.zeros(len(block), bool)
        stays[taken[:1]] = stays[taken[-1:]] = True
        for each in self.wanted:
            stays[taken[each.rows(times, block[taken])]] = True
        return stays
