"""Problems with a known truth whose residuals are closed forms: fast enough for hundreds of fits."""
import numpy as np

from identification.league.truths import noise, swing
from identification.problem import FunctionProblem, Parameter, Series


def problem_of(parameters, model, times, measured, sigma, runs=("run",)):
    """A FunctionProblem of one series a run: model(values, times) against measured, a row for each run."""
    count = len(times)
    series = tuple(Series("x", run, index * count, (index + 1) * count, times, False, sigma, "m")
                   for index, run in enumerate(runs))

    def residuals(values):
        return np.concatenate([(model(values, times) - row) / sigma for row in measured])

    return FunctionProblem(tuple(parameters), residuals, series)


SWING = (Parameter("stiffness", 0.1, 20.0, 5.0, "linear", "N/m"), Parameter("viscosity", 0.01, 2.0, 0.3, "log", "N·s/m"))
TRUTH = np.array([8.94, 0.6])
TIMES = np.linspace(0.2, 5.0, 60)


def swing_problem(random, sigma=0.005, correlation=0.0, times=TIMES):
    measured = swing(TRUTH, times) + sigma * noise(random, times.shape, correlation)
    return problem_of(SWING, swing, times, [measured], sigma)


def in_series(values, times):
    """Two springs in series under a growing load: only 1/k₁ + 1/k₂ shows."""
    return times * (1 / values[0] + 1 / values[1])


SERIES = (Parameter("first", 10.0, 1000.0, 100.0, "log", "N/m"), Parameter("second", 10.0, 1000.0, 100.0, "log", "N/m"))
