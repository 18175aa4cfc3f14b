"""The whole verdict on a fitted point: one evaluation of it, differences about it, profiles, checks; and what can be said."""
import math
from dataclasses import dataclass, field

import numpy as np

from identification.errors import FitError
from identification.verdict.checks import held_out_errors, model_checks
from identification.verdict.directions import Directions, confounded, directions
from identification.verdict.intervals import LEVEL, MISFIT, Spread, spread
from identification.verdict.jacobian import Jacobian, jacobian, seen_steps, span_of
from identification.verdict.profile import profile
from identification.verdict.sentence import ABOVE, BELOW, CONFOUNDED, FINE, NO_EFFECT, UNKNOWN, Finding

FIRST = 2.0          # half width of a first look at an interval, in units of the noise told
BETTER = 0.05        # of the rise sought: a fall below the optimum that is said


@dataclass(frozen=True)
class Verdict:
    """What a fit is worth.

    Attributes:
        findings: a Finding for each parameter, whose `sentence()` says it.
        spread: covariance in shares of the box, noise of each series.
        directions: what the data see of the box.
        profiles: a Profile for each parameter, by name; empty where they were not asked for.
        checks: a ModelCheck for each variant.
        held_out: a HeldOut for each series that was not fitted.
        evaluations: all that the verdict took.
        notes: what a reader must know beside.
    """
    parameters: tuple
    findings: tuple
    jacobian: Jacobian
    spread: Spread
    directions: Directions
    profiles: dict
    checks: tuple
    held_out: tuple
    held_out_residuals: np.ndarray | None
    evaluations: int
    notes: tuple = ()
    groups: tuple = field(default=())
    level: float = LEVEL

    @property
    def point(self):
        return self.jacobian.point

    @property
    def information(self):
        """Of all that was fitted, (p, p) over shares of the box: the inverse of the covariance on what is seen."""
        return np.linalg.pinv(self.spread.covariance, rcond=1e-12, hermitian=True)

    def misfit(self):
        """What is to be said first, where even the best values leave far more than the noise that was told."""
        bad = [each for each in self.spread.noise if each.rms > MISFIT]
        return [f"THE FIT DOES NOT EXPLAIN {each.run} {each.name}: it misses by {each.rms:.3g} times the noise that was told; "
                "the values above mean little until scene, units and noise: are looked at" for each in bad]

    def sentences(self):
        names = [parameter.name for parameter in self.parameters]
        return [*(finding.sentence() for finding in self.findings), *self.misfit(),
                *(check.sentence(names) for check in self.checks), *self.notes]


def judge(problem, values, *, profiles=True, variants=None, level=LEVEL):
    """The Verdict on fitted values.

    Args:
        problem: what was fitted.
        values: the fitted point, one number for each parameter.
        profiles: whether to follow the profile likelihood; otherwise intervals are those of the Jacobian alone.
        variants: more exact Problems to check the model by, `{"a tenth of the budget": problem, …}`.
        level: of the intervals.
    """
    if len(values) != len(problem.parameters):
        raise FitError(f"{len(values)} values for {len(problem.parameters)} parameters "
                       f"({', '.join(parameter.name for parameter in problem.parameters)}); give one for each")
    found, seen, size = outlook(problem, values, level)
    evaluations = found.evaluations + seen.evaluations
    outlines = {}
    groups = confounded([parameter.name for parameter in problem.parameters], seen, size.sd())
    hidden = np.array([any(parameter.name in group for group in groups) for parameter in problem.parameters])
    mixed = {name for group in groups if len(group) > 1 for name in group}
    for index, parameter in enumerate(problem.parameters):
        if profiles and parameter.name not in mixed:
            outlines[parameter.name] = _profile(problem, found, hidden[index], size, index)
            evaluations += outlines[parameter.name].evaluations
    findings = tuple(_finding(problem, found, size, groups, outlines, index) for index in range(len(values)))
    checks = model_checks(problem, variants or {}, found, seen.inverse(), np.where(hidden, 0, size.sd()))
    held, left = held_out_errors(problem, found.point)
    return Verdict(tuple(problem.parameters), findings, found, size, seen, outlines, tuple(checks), tuple(held), left,
                   evaluations + len(checks) + bool(held), tuple(_notes(size, held, outlines, found, level)), tuple(groups),
                   level)


def outlook(problem, values, level=LEVEL):
    """Jacobian, Directions and Spread: what the data see from a point, and how sharply."""
    found = _differences(problem, values)
    return found, *_seen(problem, found, level)


def _differences(problem, values):
    """The Jacobian, with steps that the noise of the measurement suggests where they are longer than those at first."""
    found = jacobian(problem, values)
    noise = max(np.sqrt(np.mean(found.residuals ** 2)), 1e-6)
    steps = seen_steps(problem, found, FIRST * noise)
    if steps is None:
        return found
    again = jacobian(problem, values, steps=steps)
    return again._replace(evaluations=found.evaluations + again.evaluations)


def _seen(problem, found, level):
    """Directions and Spread: what is seen depends on the noise, which is measured on what is seen."""
    first = directions(problem, found, FIRST)
    size = spread(problem, found, first.inverse(), level)
    widest = max((each.widening for each in size.noise), default=1.0)
    second = first._replace(unseen=first.unseen | (size.quantile * size.size * np.sqrt(widest) >= first.strength))
    return second, spread(problem, found, second.inverse(), level)


def _profile(problem, found, hidden, size, index):
    covariance, plain = size.covariance[index, index], size.plain[index]
    widening = covariance / plain if plain > 0 else max((each.widening for each in size.noise), default=1.0)
    rise = (size.quantile * size.size) ** 2 * widening
    half = np.inf if hidden else size.quantile * np.sqrt(covariance)
    return profile(problem, found, index, half, rise, size.quantile * size.size * np.sqrt(widening))


def _finding(problem, found, size, groups, outlines, index):
    parameter, value = problem.parameters[index], found.point[index]
    group = next((each for each in groups if parameter.name in each), ())
    sd = size.sd()[index]
    if parameter.name in outlines:
        low, high = outlines[parameter.name].low, outlines[parameter.name].high
        low, high, below, above = low.value, high.value, low.open, high.open
    else:
        low, high, below, above = _linear(parameter, problem.shares(found.point)[0][index], size.quantile * sd)
    if len(group) > 1 or (group and (below == above)):
        state = CONFOUNDED if len(group) > 1 else NO_EFFECT
        low, high = parameter.low, parameter.high
    else:
        state = {(False, False): FINE, (True, False): BELOW, (False, True): ABOVE, (True, True): UNKNOWN}[below, above]
    correlation = size.correlation()[index]
    nearest = int(np.argmax(np.where(np.arange(len(correlation)) == index, -1, np.abs(correlation))))
    close = (problem.parameters[nearest].name, float(correlation[nearest])) if nearest != index else ()
    return Finding(parameter.name, parameter.unit, float(value), float(low), float(high), float(sd * span_of(parameter)), state,
                   tuple(name for name in group if name != parameter.name), close)


def _linear(parameter, share, half):
    low, high = share - half, share + half
    return parameter.value(low), parameter.value(high), low <= 0, high >= 1


def _notes(size, held, outlines, found, level):
    yield f"Intervals of {100 * level:g} %: {size.law()}"
    if np.isfinite(size.freedom):
        yield f"The residuals are {size.size:.3g} of the noise that was told"
    for each in size.noise:
        if each.widening > 1:
            yield (f"{each.run} {each.name}: each residual resembles the one before (ρ = {each.correlation:.2f}); "
                   f"variances are widened by {each.widening:.3g}")
        elif each.whiteness < 0.01:
            yield f"{each.run} {each.name}: not white (chance {each.whiteness:.2g}); something is left in the residuals"
    fitted_rms = math.sqrt(found.residuals @ found.residuals / max(len(found.residuals), 1))
    for each in held:
        yield (f"{each.run} {each.name}, held out: error {each.rms:.3g} of its noise, that of the fitted runs {fitted_rms:.3g}")
    for name, outline in outlines.items():
        if outline.better > BETTER:
            yield f"{name}: a better point was seen along its profile; the fit is not at its optimum"
        if not (outline.low.found and outline.high.found):
            yield f"{name}: an end of its interval was not found; what is given is where its profile was given up"
