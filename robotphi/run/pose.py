"""One equilibrium of a path, and how a state is put there."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.kernels.step.stand import stand_on
from robotphi.run.bases import bearing_load, tell_joints


class Pose(NamedTuple):
    """One equilibrium of a path."""
    model: object
    time: float
    position: np.ndarray
    rigid_position: np.ndarray
    rigid_orientation: np.ndarray
    force_on: np.ndarray       # (n, 3) N, on every particle
    load_on: np.ndarray        # (r, 6) N, N·m
    laws: dict                 # list of springs → their state
    residual: float
    load: float
    rounding: float            # N
    stability: str
    left: int
    steps: int
    shares: int


def row_of(state, residual, load, rounding, stability, left, steps, shares=1):
    """The Pose in which a state stands."""
    b, n = state.buffers, state.model.particle_count
    laws = {kind.own: getattr(b, kind.own).copy() for kind in KINDS.values()}
    load_on = b.load.copy()
    if len(state.model.arrays.mechanisms.free):
        tell_joints(state)
        load_on = bearing_load(state)
    return Pose(state.model, state.time, state.position.copy(), state.rigid(CENTRE).copy(), state.rigid(ORIENTATION, 4).copy(),
                b.force[:n, :3].copy(), load_on, laws, float(residual), float(load), float(rounding), stability, left, steps,
                shares)


def stand(state):
    """What is held or driven, and what rigids and joints carry, where the state says."""
    state.on(stand_on, len(state.model.arrays.mechanisms.free) > 0)()
