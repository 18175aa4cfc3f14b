"""Problems whose truth is known: closed forms with noise, each with something that makes fits hard.

The swing of two unit masses on a damped spring, stretched by a tenth: ω₀² = 2 k, decay c, so that after a time T the phase is
off by a turn where k is off by 2 π √(2 k)/T: over long times and wide boxes other turns are minima of their own.
"""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from identification.problem import FunctionProblem, Parameter, Series

STIFFNESS = Parameter("stiffness", 0.1, 20.0, 5.0, "linear", "N/m")
VISCOSITY = Parameter("viscosity", 0.01, 2.0, 0.3, "log", "N·s/m")
SIGMA = 0.005                                   # m
SHORT, LONG = np.linspace(0.1, 5.0, 50), np.linspace(0.1, 20.0, 200)


def swing(values, times):
    """The elongation of the spring [m]."""
    stiffness, viscosity = values[:2]
    under = 2 * stiffness - viscosity ** 2
    rate = np.sqrt(abs(under)) or 1e-9
    turn, lead = (np.cos, np.sin) if under > 0 else (np.cosh, np.sinh)
    fade = np.exp(-viscosity * times)
    return 0.1 * fade * (turn(rate * times) + viscosity / rate * lead(rate * times))


def in_series(values, times):
    """A mass of 1 kg on two springs, one behind the other, stretched: x₀ cos(√K t), 1/K = 1/k₁ + 1/k₂."""
    first, second, stretch = values
    return stretch * np.cos(np.sqrt(1 / (1 / first + 1 / second)) * times)


def noise(random, shape, correlation=0.0):
    """Gaussian noise of unit variance, of the first order: AR(1)."""
    found = random.standard_normal(shape)
    for index in range(1, shape[-1]):
        found[..., index] = correlation * found[..., index - 1] + np.sqrt(1 - correlation ** 2) * found[..., index]
    return found


@dataclass(frozen=True)
class Truth:
    """A kind of problem.

    Attributes:
        what: what makes it hard, for people.
        values: the truth.
        hidden: names of parameters that nothing can tell.
    """
    name: str
    what: str
    parameters: tuple
    model: Callable
    times: np.ndarray
    values: tuple
    correlation: float = 0.0
    hidden: tuple = ()
    sigma: float = SIGMA

    def problem(self, seed):
        """The problem with the noise of a seed."""
        random = np.random.default_rng([seed, len(self.times)])
        measured = self.model(self.values, self.times) + self.sigma * noise(random, self.times.shape, self.correlation)
        series = Series("x", "run", 0, len(self.times), self.times, False, self.sigma, "m", measured)
        return FunctionProblem(self.parameters, lambda values: (self.model(values, self.times) - measured) / self.sigma,
                               (series,))


TRUTHS = (
    Truth("noise", "white noise of a twentieth of the signal", (STIFFNESS, VISCOSITY), swing, SHORT, (8.94, 0.6)),
    Truth("correlated noise", "noise that resembles itself, ρ = 0.9", (STIFFNESS, VISCOSITY), swing, LONG, (8.94, 0.1), 0.9),
    Truth("cycle slips", "twenty seconds and a wide box: other turns are minima of their own",
          (Parameter("stiffness", 1.0, 400.0, None, "linear", "N/m"), VISCOSITY), swing, LONG, (8.94, 0.6)),
    Truth("active bound", "the truth lies at a bound of the box",
          (STIFFNESS, Parameter("viscosity", 0.0, 2.0, 0.3, "linear", "N·s/m")), swing, SHORT, (8.94, 0.0)),
    Truth("null direction", "two springs in series, and a stretch that can be told",
          (Parameter("first", 1.0, 100.0, None, "log", "N/m"), Parameter("second", 1.0, 100.0, None, "log", "N/m"),
           Parameter("stretch", 0.02, 0.5, None, "log", "m")), in_series, SHORT, (12.0, 20.0, 0.1), hidden=("first", "second")),
)
