"""An experiment whose simulations are remembered: residuals as polynomials of the parameters, about where fits of it have been.

What is simulated depends on the parameters and not on the noise of a recording: of another one r(x) = r₀(x) + w (m₀ − m)/σ. So
the simulator is asked once, at Chebyshev points of a box, for each budget and for the finer mesh, and repeats take the
polynomials through these; beyond the box they ask the simulator itself. All else is done as ever: search, smaller budgets,
verdict, profiles, meshes. Half the largest step is left out, which is told but moves no interval.
"""
import itertools

import numpy as np
from numpy.polynomial import chebyshev

from identification.problem import Outcome, Problem
from identification.verdict.checks import SMALLER, TENTH
from identification.verdict.meshes import MESH
from identification.verdict.variants import variants_of

MARGIN = 1.5         # times as far as the first repeats went


class Polynomial:
    """Residuals of a problem over a box, held-out ones behind, by products of Chebyshev polynomials of some degrees."""

    def __init__(self, problem, box, degrees):
        self.low, self.high, self.degrees = *box, degrees
        nodes = [np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)) for degree in degrees]
        places = np.array(list(itertools.product(*nodes)))
        outcomes = problem.evaluate(problem.values(self.shares(places)), True)
        self.attempts = int(np.median([each.attempts for each in outcomes]))
        table = np.array([each.residuals for each in outcomes]).reshape(*(degree + 1 for degree in degrees), -1)
        for axis, (degree, there) in enumerate(zip(degrees, nodes, strict=True)):
            inverse = np.linalg.inv(chebyshev.chebvander(there, degree))
            table = np.moveaxis(np.tensordot(inverse, table, (1, axis)), 0, axis)
        self.table = table.reshape(len(places), -1)

    def shares(self, places):
        """Shares of the parameters at places of the box, −1 to 1."""
        return self.low + (np.asarray(places) + 1) / 2 * (self.high - self.low)

    def holds(self, shares):
        return bool(np.all((shares >= self.low - 1e-9) & (shares <= self.high + 1e-9)))

    def __call__(self, shares):
        basis = np.ones(1)
        for degree, place in zip(self.degrees, 2 * (shares - self.low) / (self.high - self.low) - 1, strict=True):
            basis = np.outer(basis, chebyshev.chebvander(place, degree)).ravel()
        return basis @ self.table


class Memory:
    """What is remembered of an experiment.

    Attributes:
        asked, beyond: how often repeats asked, and of these the simulator itself.
    """

    def __init__(self, experiment, problem, truth, box, degrees):
        self.experiment, self.problem, self.truth, self.box, self.degrees = experiment, problem, truth, box, degrees
        self.asked = self.beyond = 0
        self._known, self._variants = {}, {}

    def of(self, budget, mesh):
        """(problem, Polynomial) of a share of the budget, of the finer mesh or the scene's own."""
        key = float(f"{budget:.6g}"), mesh
        if key not in self._known:
            problem = self.problem.finer(budget) if budget != 1.0 else self.problem
            if mesh is not None:
                problem = self.variants(budget)[mesh]
            self._known[key] = problem, Polynomial(problem, self.box, self.degrees)
        return self._known[key]

    def variants(self, budget):
        if budget not in self._variants:
            self._variants[budget] = variants_of(self.experiment, self.problem, self.truth, budget)
        return self._variants[budget]


class Remembered(Problem):
    """A problem whose simulations come from a Memory of the same experiment with another recording."""

    def __init__(self, memory, series, budget=1.0, mesh=None):
        self.memory, self.budget, self.mesh = memory, budget, mesh
        self.parameters, self.series = memory.problem.parameters, series
        self.moved = np.concatenate([each.weight * (then.measured - each.measured) / each.noise
                                     for then, each in zip(memory.problem.series, series, strict=True)])

    def evaluate(self, points, held_out=False):
        problem, polynomial = self.memory.of(self.budget, self.mesh)
        found = []
        for point in np.atleast_2d(points):
            shares = self.shares(point)[0]
            self.memory.asked += 1
            if polynomial.holds(shares):
                residuals = polynomial(shares)
            else:
                self.memory.beyond += 1
                residuals = problem.evaluate(point, True)[0].residuals
            residuals = residuals + self.moved
            found.append(Outcome(residuals if held_out else residuals[:self.residual_count], attempts=polynomial.attempts))
        return found

    def finer(self, budget):
        return Remembered(self.memory, self.series, budget)

    def variants(self, budget):
        """What the verdict looks at beside."""
        meshes = [name for name in self.memory.variants(budget) if name.startswith(MESH)]
        return {SMALLER: self.finer(TENTH * budget),
                **{name: Remembered(self.memory, self.series, budget, name) for name in meshes}}


class Watched(Problem):
    """A problem that keeps the shares at which it was asked."""

    def __init__(self, problem, asked):
        self.problem, self.asked, self.parameters, self.series = problem, asked, problem.parameters, problem.series

    def evaluate(self, points, held_out=False):
        self.asked.extend(self.problem.shares(points))
        return self.problem.evaluate(points, held_out)

    def finer(self, budget):
        found = self.problem.finer(budget)
        return None if found is None else Watched(found, self.asked)


def box_of(asked):
    """(low, high) shares that hold where repeats have been, and room about."""
    low, high = np.min(asked, axis=0), np.max(asked, axis=0)
    middle, half = (low + high) / 2, MARGIN * (high - low) / 2
    return np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)
