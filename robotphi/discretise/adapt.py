"""Adaptive discretisation: cells get smaller until a deformed body has the inertia that it should have."""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.certificate import certificate, largest_error
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.shape import discretise
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import number, refuse, whole

ORDER = 2              # of the error in the size of the cells
SAFETY = 0.95          # of the size expected to do
SLOWEST, FASTEST = 0.85, 0.5   # least and greatest change of size in one round


class Adapted(NamedTuple):
    """A mesh fine enough, and how it was found."""
    mesh: Mesh
    size: float            # m
    error: float           # relative, of the inertia matrix, the larger of rest and deformed
    history: tuple         # of {"size", "cells", "particles", "rest", "deformed"}, coarse to fine


def adapt(shape, deformation, threshold, way="centre", start=None, limit=100_000, **options):
    """The coarsest mesh tried whose particles have the inertia of the deformed solid within `threshold`.

    Args:
        shape: what `discretise` takes.
        deformation: the largest one expected; a function or a named one, see `deformation`.
        threshold: allowed relative error of the inertia matrix (Frobenius), at rest and deformed.
        way: how the mass is spread, see `masses`.
        start: size of the cells to begin with [m]; half of the solid's longest side.
        limit: most particles.
        options: for `discretise`.
    """
    if deformation is None:
        refuse("adapt", "no deformation is given", 'give the largest one expected, such as {"bend": 0.3, "axis": "x"}')
    threshold, limit = number("adapt", "threshold", threshold, above=0.0), whole("adapt", "limit", limit, low=8)
    size = number("adapt", "start", start, above=0.0) if start is not None else _longest(shape) / 2
    history = []
    while True:
        mesh = discretise(shape, size=size, **options)
        spread = spread_mass(mesh, 1.0, way)
        if len(spread.position) > limit:
            _give_up(threshold, limit, history, len(spread.position), size)
        document = certificate(spread, displacement=deformation)
        error = largest_error(document)
        history.append({"size": size, "cells": sum(document["cells"].values()), "particles": len(spread.position),
                        "rest": document["rest"]["inertia error"], "deformed": document["deformed"]["inertia error"]})
        if error <= threshold:
            return Adapted(mesh, size, error, tuple(history))
        # the error falls with the square of the size, the number of particles grows with its third power
        change = float(np.clip(SAFETY * (threshold / error) ** (1 / ORDER), FASTEST, SLOWEST))
        if len(spread.position) / change ** 3 > 2 * limit:
            _give_up(threshold, limit, history, round(len(spread.position) / change ** 3), size * change)
        size *= change


def _give_up(threshold, limit, history, particles, size):
    best = min(history, key=lambda row: max(row["rest"], row["deformed"]), default=None)
    reached = "nothing was reached" if best is None else \
        f"the best reached is {max(best['rest'], best['deformed']):.2g} with {best['particles']} particles"
    refuse("adapt", f"an inertia error of {threshold:g} asks for more than {limit} particles (cells of {size:.3g} m: about "
           f"{particles}); {reached}", "raise threshold or limit, or take another way to spread the mass")


def _longest(shape):
    points = getattr(shape, "vertices", getattr(shape, "points", None))
    if points is None:
        points = np.concatenate([part.vertices for part in shape.parts])
    return float(np.ptp(points, axis=0).max())
