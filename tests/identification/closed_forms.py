"""Problems with a known truth whose residuals are closed forms: fast enough for hundreds of fits."""
import numpy as np

from identification.problem import FunctionProblem, Parameter, Series

NOISE = 1.0


def problem_of(parameters, model, times, measured, noise, runs=("run",)):
    """A FunctionProblem of one series a run: model(values, times, run) against measured, a row for each run."""
    count = len(times)
    series = tuple(Series("x", run, index * count, (index + 1) * count, times, False, noise, "m")
                   for index, run in enumerate(runs))

    def residuals(values):
        return np.concatenate([(model(values, times, run) - row) / noise for run, row in zip(runs, measured, strict=True)])

    return FunctionProblem(tuple(parameters), residuals, series)


def swing(values, times, run=None):
    """Two unit masses on a spring (k, c), stretched by 0.1: the elongation, ω² = 2 k, decay c."""
    stiffness, viscosity = values[:2]
    rate = np.sqrt(max(2 * stiffness - viscosity ** 2, 1e-9))
    return 0.1 * np.exp(-viscosity * times) * (np.cos(rate * times) + viscosity / rate * np.sin(rate * times))


SWING = (Parameter("stiffness", 0.1, 20.0, 5.0, "linear", "N/m"), Parameter("viscosity", 0.01, 2.0, 0.3, "log", "N·s/m"))
TRUTH = np.array([8.94, 0.6])
TIMES = np.linspace(0.2, 5.0, 60)


def noise(random, shape, correlation=0.0):
    """Gaussian noise of unit variance, of the first order: AR(1)."""
    found = random.standard_normal(shape)
    for index in range(1, shape[-1]):
        found[..., index] = correlation * found[..., index - 1] + np.sqrt(1 - correlation ** 2) * found[..., index]
    return found


def swing_problem(random, sigma=0.005, correlation=0.0, times=TIMES):
    measured = swing(TRUTH, times) + sigma * noise(random, times.shape, correlation)
    return problem_of(SWING, swing, times, [measured], sigma)


def in_series(values, times, run=None):
    """Two springs in series under a growing load: only 1/k₁ + 1/k₂ shows."""
    return times * (1 / values[0] + 1 / values[1])


SERIES = (Parameter("first", 10.0, 1000.0, 100.0, "log", "N/m"), Parameter("second", 10.0, 1000.0, 100.0, "log", "N/m"))
