"""The plan of an experiment: what a worker needs to know to evaluate candidates, plain values and arrays alone."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Reading:
    """One compared quantity of one run, in SI.

    Attributes:
        times: (n,) s of the scene's clock, before offsets; of what is taken of a stretch none.
        measured, noise: (n,); residual = weight (simulated − measured)/noise.
        begin, end: s, of the stretch that something is taken of.
    """
    sensor: str
    place: object
    take: str
    times: np.ndarray
    measured: np.ndarray
    noise: float
    weight: float
    begin: float
    end: float
    within: float


@dataclass(frozen=True)
class RunPlan:
    """One run: knobs, what is read and when.

    Attributes:
        offsets: [(number of a parameter, factor)] that shift the clock.
        frames: (f,) s, instants of the scene at which stretches are looked at.
        last: s, up to where it is simulated at most.
    """
    name: str
    knobs: dict
    held_out: bool
    readings: tuple
    scalars: tuple
    offsets: tuple
    frames: np.ndarray
    last: float


@dataclass(frozen=True)
class Plan:
    """All runs, and what parameters set in each: [(number, kind, what, factor)]."""
    source: object
    allow: tuple
    targets: tuple
    integers: tuple
    runs: tuple
