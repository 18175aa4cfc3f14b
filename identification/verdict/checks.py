"""How much of a fitted value is the model's: the same fit with smaller budgets, shorter steps, a finer mesh.

A variant is the same problem, its simulation done more exactly. One evaluation at the fitted point is enough: the optimum of
the variant lies, to first order, −(JᵀJ)⁻¹Jᵀ (r_variant − r) from that of the model.
"""
from typing import NamedTuple

import numpy as np

SAID = 0.2           # of a standard deviation: from here a shift is said
SMALLER = "ever smaller budgets"   # name of the variant whose simulations have a tenth of the budget
TENTH = 0.1          # of a budget: the finer one that a budget is judged by
FURTHER = 1.25       # what ever smaller budgets move, by what a tenth does: errors fall by five to ten with each tenth
TAKEN = ("Values are those of ever finer meshes, 4/3 as far, and intervals reach to twice as far; the fitted scene has its "
         "own mesh and what fits best with that")


class ModelCheck(NamedTuple):
    """One variant: how many standard deviations each parameter would move."""
    name: str
    status: str
    shift: tuple         # in standard deviations, NaN for what is not identifiable
    values: tuple = ()   # to which the parameters would move
    units: tuple = ()
    taken: bool = False  # whether the values are no more those of the model, but of ever finer ones
    left: float = 1.0    # of the variant's residuals once the parameters have moved, over those of the model

    def moved(self, names):
        """The parameters that would move by more than can be passed over, as (name, shift)."""
        return [(name, shift) for name, shift in zip(names, self.shift, strict=True) if abs(shift) > SAID]

    def _told(self, name, shift, place):
        value = f"{self.values[place]:.4g} {self.units[place]}".rstrip()
        return f"{name} would move by {float(f'{shift:.2g}'):+g} of its standard deviation, to {value}"

    def sentence(self, names):
        if self.status != "done":
            return f"{self.name}: could not be tried, the simulation ended as {self.status!r}"
        moved = self.moved(names)
        if not moved:
            return f"{self.name}: no value moves by more than {SAID:g} of its standard deviation"
        told = "; ".join(self._told(name, shift, names.index(name)) for name, shift in moved)
        return f"{self.name}: {told}" + (f". {TAKEN}" if self.taken else "")


def model_checks(problem, variants, found, inverse, sd):
    """A ModelCheck for each variant, a mapping of what was changed to a Problem."""
    checks, units = [], tuple(parameter.unit for parameter in problem.parameters)
    for name, variant in variants.items():
        outcome = variant.evaluate(found.point[None])[0]
        if outcome.residuals is None or outcome.residuals.shape != found.residuals.shape:
            status = outcome.status if outcome.residuals is None else "other instants than the model"
            checks.append(ModelCheck(name, status, (np.nan,) * len(sd)))
            continue
        shift = -inverse @ found.matrix.T @ (outcome.residuals - found.residuals)
        left = np.linalg.norm(outcome.residuals + found.matrix @ shift) / max(np.linalg.norm(found.residuals), 1e-12)
        shift = shift * (FURTHER if name == SMALLER else 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = problem.values(problem.shares(found.point) + shift)[0]
            checks.append(ModelCheck(name, outcome.status, tuple(np.where(sd > 0, shift / sd, np.nan).tolist()),
                                     tuple(moved.tolist()), units, left=float(left)))
    return checks


class HeldOut(NamedTuple):
    """The error on a series that was not fitted, in units of its noise."""
    name: str
    run: str
    count: int
    rms: float


def held_out_errors(problem, point):
    """A HeldOut for each held-out series; nothing where all was fitted."""
    kept = [series for series in problem.series if series.held_out]
    if not kept:
        return [], None
    outcome = problem.evaluate(np.asarray(point, float)[None], held_out=True)[0]
    if outcome.residuals is None:
        return [HeldOut(series.name, series.run, series.stop - series.start, np.nan) for series in kept], None
    rms = [float(np.sqrt(np.mean(outcome.residuals[series.start:series.stop] ** 2))) for series in kept]
    return [HeldOut(series.name, series.run, series.stop - series.start, error)
            for series, error in zip(kept, rms, strict=True)], outcome.residuals
