"""Everything that moves, at one instant, and what pushes it."""
from typing import NamedTuple

import numpy as np


class Instant(NamedTuple):
    """The present state, or that at the end of an attempt; the loop exchanges the two when an attempt stands."""
    position: np.ndarray          # (rows, 4) m
    velocity: np.ndarray          # (rows, 4) m/s
    force: np.ndarray             # (rows, 4) N
    rigid: np.ndarray             # (r, 16) see `rigids`
    load: np.ndarray              # (r, 6) N, N·m
