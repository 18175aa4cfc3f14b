"""What scatter of a recorded motion does to strains, and what a filter leaves of it.

A scatter σ of places along each axis is σ/L of strain in a strand of length L: 0.4 mm are 1.5 % where it has 27 mm. A filter
takes scatter away and, below the frequencies of the motion, the motion as well: over its frequency the strain it takes falls
steeply as long as it bends the motion, then slowly while it takes scatter alone (residual analysis: Winter, Biomechanics and
Motor Control of Human Movement, chapter 3).
"""
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import number, whole
from robotphi.scene.motion import Motion
from robotphi.scene.turns import matrix_of

LEAST = 20                      # poses that a filter wants
RATE, LASTS = 50.0, 12.0        # Hz, s, of the example
SCATTER = 0.4e-3                # m


class Scatter(NamedTuple):
    """Attributes:
        times: (k,) s.
        raw: (k, n) strains as recorded.
        cutoffs: (c,) Hz.
        taken: (c,) strain, rms over times and strands of what a filter takes away.
        wrong: (c,) strain, rms of what is wrong after it; None where nobody knows what is right.
        smooth: (k, n) strains after the filter that is used; None where none is.
        cutoff: of that [Hz], 0 for none.
        said: where the motion comes from.
    """
    times: np.ndarray
    raw: np.ndarray
    cutoffs: np.ndarray
    taken: np.ndarray
    wrong: np.ndarray | None
    smooth: np.ndarray | None
    cutoff: float
    said: str

    @property
    def of_strain(self):
        """Strain, rms, that the filter in use takes away; NaN where none is."""
        return float("nan") if self.smooth is None else float(np.sqrt(np.mean((self.raw - self.smooth)**2)))


def scatter_of(strands, flexion):
    """What filters take from the strains of strands along a recorded motion; None of one with few poses."""
    if len(flexion.recorded.times) < LEAST:
        return None
    return _scatter(strands, flexion.recorded, flexion.cutoff, flexion.said)


def example_scatter(strands, flexion, scatter=SCATTER, cutoff=2.0, seed=1):
    """The same for a motion that is known: it is led slowly, recorded with a scatter [m] of places, and filtered."""
    scatter = number("scatter", "scatter [m]", scatter, above=0.0)
    random = np.random.default_rng(whole("scatter", "seed", seed, 0))
    times = np.linspace(0.0, LASTS, round(RATE * LASTS) + 1)
    right, _ = flexion.slowly(LASTS)
    places, turns = right.poses(times)
    noisy = Motion(times, places + random.normal(0.0, scatter, places.shape), turns)
    said = f"{flexion.said}, {len(times)} poses in {LASTS:g} s with {1e3 * scatter:g} mm of scatter made for this figure"
    return _scatter(strands, noisy, cutoff, said, right)


def _scatter(strands, motion, cutoff, said, right=None):
    times = motion.times
    rate = (len(times) - 1) / (times[-1] - times[0])
    cutoffs = np.geomspace(2.0 / (times[-1] - times[0]), 0.45 * rate, 16)
    raw = strains(strands, motion, times)
    smooth = [strains(strands, motion.smoothed(each), times) for each in cutoffs]
    taken = np.array([np.sqrt(np.mean((each - raw)**2)) for each in smooth])
    wrong = None
    if right is not None:
        wanted = strains(strands, right, times)
        wrong = np.array([np.sqrt(np.mean((each - wanted)**2)) for each in smooth])
    used = strains(strands, motion.smoothed(cutoff), times) if cutoff else None
    return Scatter(times, raw, cutoffs, taken, wrong, used, cutoff, said)


def strains(strands, motion, times):
    """(k, n) strains along straight lines."""
    places, turns = motion.poses(times)
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = matrix_of(turns), places
    return strands.lengths(poses) / strands.slack - 1.0
