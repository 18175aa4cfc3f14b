"""Everything the compiled loop writes, as one named tuple of arrays."""
from typing import NamedTuple

import numpy as np


class Buffers(NamedTuple):
    position: np.ndarray          # (rows, 4) m
    velocity: np.ndarray          # (rows, 4) m/s
    force: np.ndarray             # (rows, 4) N
    rigid: np.ndarray             # (r, 16) see `rigids`
    load: np.ndarray              # (r, 6) N, N·m
    next_position: np.ndarray     # the same at the end of the attempted step
    next_velocity: np.ndarray
    next_force: np.ndarray
    next_rigid: np.ndarray
    next_load: np.ndarray
    linear_law: np.ndarray        # (m, 5) see `laws`
    angular_law: np.ndarray       # (m, 8)
    articular: np.ndarray         # (m, 6)
    group_sums: np.ndarray        # (g, 16)
    block_sums: np.ndarray        # (b, 8)
    rigid_sums: np.ndarray        # (r, 8)
    work: np.ndarray              # (w, 8) see `slots`
    work_of_drive: np.ndarray     # (d,) int32
    work_of_force: np.ndarray     # (f,) int32
    rigid_first: np.ndarray       # (r, 4) orientation at the start, from which driven turns count
    force_origin: np.ndarray      # (f, 3) m: where the potential of a force is zero
    stiffness_bound: np.ndarray   # (rows, 4) N/m: constant and present bound of the stiffness; N·s/m: of the viscosity
    history: np.ndarray           # (h, 4) time, dt, residual, limit
    numbers: np.ndarray
    counters: np.ndarray
    sync: np.ndarray              # int64, see `team`
