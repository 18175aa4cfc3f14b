"""What residuals tell of the noise: how large it is, how much each resembles the one before, whether anything is left."""
from dataclasses import dataclass

import numpy as np
from scipy import stats

MOST = 0.995         # correlation of neighbours above which a series counts as one long drift
SURE = 1.645         # standard errors of white noise by which a correlation must stand out (5 % of white series do)
LAGS = 10            # of the test for whiteness


@dataclass(frozen=True)
class SeriesNoise:
    """The residuals of one series, in units of the noise that was told for it."""
    name: str
    run: str
    count: int
    rms: float
    correlation: float   # ρ of neighbours, with what the fit took of it put back
    widening: float      # (1 + ρ)/(1 − ρ) of the variance
    whiteness: float     # chance of so much correlation over the first lags, were the noise white
    spacing: float       # s between neighbours, NaN of a single value


def correlation_of(residuals):
    """Correlation of neighbours about nought, which is what the residuals of a model that is right have as their mean."""
    power = residuals @ residuals
    return float(residuals[:-1] @ residuals[1:] / power) if len(residuals) > 2 and power > 0 else 0.0


def widening_of(correlation, count):
    """(1 + ρ)/(1 − ρ): the variance of a mean of correlated noise over that of white noise; 1 where ρ may be chance."""
    if correlation * np.sqrt(count) < SURE:
        return 1.0
    correlation = min(correlation, MOST)
    return (1 + correlation) / (1 - correlation)


def put_back(correlation, count, share):
    """ρ of the noise from ρ of what a fit left, which took `share` of the parameters out of this series.

    A fit takes what is slow: of n values with widening f it takes share × f / n of the power γ₀, and as much of γ₁:
    ρ' = (ρ − a)/(1 − a), a = share f(ρ)/n.
    """
    found = correlation
    for _ in range(8):
        taken = min(share * widening_of(found, count) / count, 0.5)
        found = min(correlation * (1 - taken) + taken, MOST) if correlation * np.sqrt(count) >= SURE else correlation
    return found


def whiteness_of(residuals):
    """Ljung & Box 1978: n (n + 2) Σ ρ_k²/(n − k) over the first lags is χ² of as many degrees where the noise is white."""
    count = len(residuals)
    lags = min(LAGS, count // 5)
    power = residuals @ residuals
    if lags < 1 or power == 0:
        return 1.0
    about = residuals - residuals.mean()
    each = [about[lag:] @ about[:-lag] / (about @ about) for lag in range(1, lags + 1)]
    total = count * (count + 2) * sum(rho ** 2 / (count - lag) for lag, rho in enumerate(each, 1))
    return float(stats.chi2.sf(total, lags))


def series_noise(problem, matrix, residuals, inverse):
    """A SeriesNoise for each fitted series; `inverse` is (JᵀJ)⁻¹ of what is identifiable."""
    found = []
    for series in fitted(problem):
        rows = slice(series.start, series.stop)
        part, left = matrix[rows], residuals[rows]
        share = float(np.einsum("ij,jk,ik->", part, inverse, part))
        rho = put_back(correlation_of(left), len(left), share)
        found.append(SeriesNoise(series.name, series.run, len(left), float(np.sqrt(np.mean(left ** 2))), rho,
                                 widening_of(rho, len(left)), whiteness_of(left), spacing_of(series)))
    return found


def spacing_of(series):
    """Time between neighbours of a series [s]; NaN of a single value."""
    return float(np.median(np.diff(series.times))) if len(series.times) > 1 else np.nan


def foretold(noise, size, series):
    """Variance over the noise told, widened for correlation, of a series that is still to be measured: as of the same quantity
    before, whose correlation falls with the time between neighbours, ρ^(Δt'/Δt) (Ornstein & Uhlenbeck 1930); else 1."""
    before = [each for each in noise if each.name == series.name]
    if not before:
        return 1.0
    least = min(before, key=lambda each: each.widening)
    apart = spacing_of(series) / least.spacing
    if least.widening == 1.0 or not apart > 0.0:
        return size ** 2
    return size ** 2 * widening_of(least.correlation ** apart, np.inf)


def fitted(problem):
    return [series for series in problem.series if not series.held_out]
