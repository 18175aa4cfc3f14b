"""What residuals tell of the noise: how large it is, how much each resembles the one before, whether anything is left."""
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

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
    correlation: float   # ρ of neighbours, the likeliest one beside what the fit took
    widening: float      # (1 + ρ)/(1 − ρ) of the variance
    whiteness: float     # chance of so much correlation over the first lags, were the noise white
    spacing: float       # s between neighbours, NaN of a single value


def widening_of(correlation, count):
    """(1 + ρ)/(1 − ρ): the variance of a mean of correlated noise over that of white noise; 1 where ρ may be chance."""
    if correlation * np.sqrt(count) < SURE:
        return 1.0
    correlation = min(correlation, MOST)
    return (1 + correlation) / (1 - correlation)


def likeliest(residuals, taken):
    """ρ of the noise from what a fit left of it, `taken` (n, p) being an orthonormal basis of what the fit could take.

    Restricted likelihood of AR(1) (Patterson & Thompson 1971), with r, U whitened, w₁ = x₁, w_t = (x_t − ρ x_{t−1})/√(1 − ρ²):
        −2 ℓ = (n − 1) log (1 − ρ²) + log |U_wᵀ U_w| + (n − p) log |r_w − U_w (U_w⁺ r_w)|²
    What neighbours have in common is no estimate of ρ where a fit follows what is slow, as that is what it takes of the noise.
    """
    count, parts = taken.shape
    if not residuals @ residuals > 0.0 or count - parts < 3:
        return 0.0

    def unlikely(rho):
        white = np.column_stack([taken, residuals])
        white[1:] = (white[1:] - rho * white[:-1]) / np.sqrt(1.0 - rho ** 2)
        corner = np.abs(np.diag(np.linalg.qr(white, mode="r")))    # |U_wᵀ U_w| and the rest of r_w, all in one
        return ((count - 1) * np.log(1.0 - rho ** 2) + 2.0 * np.log(corner[:-1]).sum()
                + 2.0 * (count - parts) * np.log(max(corner[-1], 1e-300)))

    return float(optimize.minimize_scalar(unlikely, bounds=(-MOST, MOST), method="bounded", options={"xatol": 1e-4}).x)


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
        rho = likeliest(left, _taken(part, inverse)) if len(left) > 2 else 0.0
        found.append(SeriesNoise(series.name, series.run, len(left), float(np.sqrt(np.mean(left ** 2))), rho,
                                 widening_of(rho, len(left)), whiteness_of(left), spacing_of(series)))
    return found


def _taken(part, inverse):
    """(n, q) orthonormal basis of what the parameters took of one series: directions more than half of which it tells."""
    values, vectors = np.linalg.eigh(inverse)
    left, share, _ = np.linalg.svd(part @ (vectors * np.sqrt(np.maximum(values, 0.0))), full_matrices=False)
    return left[:, share ** 2 > 0.5]


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
