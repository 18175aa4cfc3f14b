"""Intervals from the Jacobian, widened for noise that resembles itself.

With residuals r over their noise, s² = r·r/(n − Σ p_k f_k) and widenings f_k = (1 + ρ_k)/(1 − ρ_k) of each series k,

    C = s² (JᵀJ)⁻¹ (Σ f_k J_kᵀ J_k) (JᵀJ)⁻¹

which is exact for slow J (Bartlett 1946 for a mean), and larger than needed where J swings faster than the noise. What is left
counts as Σ n_k/f_k values: the interval is that of Student's t with so many less p degrees; where fewer than five would be left
the noise that was told is believed instead, unless the residuals are more than three times as large, and the interval is that
of the normal distribution.
"""
from typing import NamedTuple

import numpy as np
from scipy import stats

from identification.verdict.noise import fitted, series_noise

LEVEL = 0.95
MISFIT = 3.0         # residuals over the noise told above which nobody believes it: the model or the noise is not right
FEWEST = 5           # degrees of freedom below which the size of the noise is not measured but believed


class Spread(NamedTuple):
    """How far parameters may be off, in shares of the box."""
    covariance: np.ndarray    # (p, p), of what is seen
    plain: np.ndarray         # (p,) variance without widening
    size: float               # s: measured noise over the noise told
    freedom: float            # degrees, infinite where the noise told is believed
    quantile: float           # half an interval over its standard deviation
    noise: tuple              # SeriesNoise

    def sd(self):
        return np.sqrt(np.diag(self.covariance))

    def law(self):
        if np.isinf(self.freedom):
            return "normal distribution, with the noise that was " + ("told" if self.size == 1.0 else "measured")
        return f"Student's t of {self.freedom:.0f} degrees, with the noise that was measured"

    def correlation(self):
        sd = self.sd()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.outer(sd, sd) > 0, self.covariance / np.outer(sd, sd), 0.0)


def spread(problem, found, inverse, level=LEVEL):
    """The Spread of a Jacobian whose (JᵀJ)⁻¹, over the seen directions, is given."""
    residuals, matrix = found.residuals, found.matrix
    noise = series_noise(problem, matrix, residuals, inverse)
    count = sum(each.count for each in noise)
    middle, taken, effective = np.zeros_like(inverse), 0.0, 0.0
    for series, each in zip(fitted(problem), noise, strict=True):
        part = matrix[series.start:series.stop]
        middle += each.widening * part.T @ part
        taken += each.widening * np.einsum("ij,jk,ik->", part, inverse, part)
        effective += each.count / each.widening
    freedom = effective - np.linalg.matrix_rank(inverse) if len(inverse) else effective
    if freedom < FEWEST:
        left = np.sqrt(residuals @ residuals / max(count, 1))
        size, freedom = left if left > MISFIT else 1.0, np.inf
    else:
        size = np.sqrt(residuals @ residuals / max(count - taken, 1.0))
    quantile = stats.norm.ppf(0.5 + level / 2) if np.isinf(freedom) else stats.t.ppf(0.5 + level / 2, freedom)
    return Spread(size ** 2 * inverse @ middle @ inverse, size ** 2 * np.diag(inverse), float(size), float(freedom),
                  float(quantile), tuple(noise))
