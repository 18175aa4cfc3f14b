"""Values of ever finer meshes, from two of them.

Errors of a mesh of cells h fall with h², so that r₀ = r_h + 4/3 (r_{h/2} − r_h) (Richardson 1911). Where they fall with the
first power alone, as at an edge or a clamp they may, it were 2 in place of 4/3: the intervals reach so far to that side.

Where a mesh is so coarse that what swings loses step with a finer one, the slopes at the fitted values tell nothing of it, see
`far`.
"""
from dataclasses import replace

import numpy as np

from identification.problem import DONE
from identification.verdict.corrected import Corrected, Moved
from identification.verdict.far import way_of
from identification.verdict.judge import judge
from identification.verdict.refine import refine

MESH = "a finer mesh"         # name of the variant, or its beginning
SQUARE, FIRST = 4.0 / 3.0, 2.0   # of what half the cells change, by the power with which errors fall

ROUNDS, REFINED = 2, 3        # of looking at the finer mesh, of steps of least squares each time
NEAR = 2.0                    # of the residuals: more of a finer mesh's, left where slopes have followed, is no small change
LOST = ("values of a finer mesh were not found: intervals tell of the noise alone, not of the mesh, which moves values by more "
        "than they are wide; give the scene a finer mesh")


def judge_meshed(problem, values, *, profiles=True, variants=None):
    """The Verdict on fitted values: of ever finer meshes, where a variant of a finer mesh would move any of them."""
    name = next((each for each in variants or {} if each.startswith(MESH)), None)
    if name is None:
        return judge(problem, values, profiles=profiles, variants=variants)
    first = judge(problem, values, profiles=profiles, variants=variants)
    check = next(each for each in first.checks if each.name == name)
    if check.status != DONE or not check.moved([each.name for each in problem.parameters]):
        return first
    if check.left > NEAR:
        return _followed(problem, first, check, variants[name])
    return _extrapolated(problem, first, check, variants, profiles)


def _extrapolated(problem, first, check, variants, profiles):
    """The Verdict on the least squares of ever finer meshes, about what a first one found."""
    way = np.nan_to_num(check.shift) * first.spread.sd()
    point, spent = problem.values(problem.shares(first.point) + SQUARE * way)[0], first.evaluations
    for _ in range(ROUNDS):
        endless = Corrected(problem, variants[check.name], point, SQUARE)
        point, more = refine(endless, point, REFINED)
        spent += more + 2
    others = {each: Moved(variant, endless.moved) for each, variant in variants.items() if each != check.name}
    found = judge(endless, point, profiles=profiles, variants=others)
    findings = tuple(_of_both(*each) for each in zip(found.findings, first.findings, problem.parameters, way, strict=True))
    return replace(found, findings=findings, checks=(*found.checks, check._replace(taken=True)),
                   evaluations=found.evaluations + spent)


def _followed(problem, first, check, finer):
    """The Verdict on a mesh as it is, its values and intervals moved to where ever finer ones have theirs."""
    told = np.array([each.identified for each in first.findings])
    way, there, spent = way_of(problem, first, finer)
    if way is None:
        return replace(first, notes=(*first.notes, f"{check.name}: {LOST}"), evaluations=first.evaluations + spent)
    way = np.where(told, way, 0.0)
    findings = tuple(_reaching(_moved(*each, SQUARE * far), each[1], (FIRST - SQUARE) * far)
                     for each, far in zip(zip(first.findings, problem.parameters, strict=True), way, strict=True))
    sd = first.spread.sd()
    shift = np.divide(way, sd, out=np.full(len(sd), np.nan), where=sd > 0)
    checks = tuple(each if each is not check else each._replace(shift=tuple(shift.tolist()), values=tuple(there.tolist()),
                                                               taken=True) for each in first.checks)
    profiles = {parameter.name: _profile_moved(first.profiles[parameter.name], parameter, SQUARE * far)
                for parameter, far in zip(problem.parameters, way, strict=True) if parameter.name in first.profiles}
    return replace(first, findings=findings, checks=checks, profiles=profiles, evaluations=first.evaluations + spent)


def _moved(finding, parameter, way):
    """A finding moved by a share of the box."""
    value, low, high = (_value_moved(each, parameter, way) for each in (finding.value, finding.low, finding.high))
    return finding._replace(value=value, low=low, high=high)


def _value_moved(value, parameter, way):
    return float(parameter.value(parameter.share(value) + way)) if way else value


def _profile_moved(profile, parameter, way):
    """The same of the points of a profile and of its ends."""
    low, high = (end._replace(value=_value_moved(end.value, parameter, way)) for end in (profile.low, profile.high))
    return profile._replace(low=low, high=high, points=tuple(
        (_value_moved(value, parameter, way), rise) for value, rise in profile.points))


def _of_both(finding, before, parameter, way):
    """What ever finer meshes tell of a parameter; of one that neither tells, no more than both rule out."""
    if finding.identified:
        return _reaching(finding, parameter, (FIRST - SQUARE) * way)
    if before.identified:
        return _reaching(before, parameter, FIRST * way)
    return before._replace(low=min(finding.low, before.low), high=max(finding.high, before.high))


def _reaching(finding, parameter, way):
    """A finding whose interval reaches further to one side, by a share of the box."""
    low, high = parameter.share(finding.low) + min(way, 0.0), parameter.share(finding.high) + max(way, 0.0)
    return finding._replace(low=float(parameter.value(low)), high=float(parameter.value(high)))
