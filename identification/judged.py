"""What a fit is worth, and all that is written of it: the verdict as JSON, the report as a page, the fitted scene as a file."""
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from identification.errors import ExperimentError, FitError
from identification.experiment.parts import ADDRESS, KNOB
from identification.experiment.plan import Plan
from identification.experiment.simulated import Simulated, budgeted
from identification.problem import DONE
from identification.report import write_report
from identification.running.journal import read_journal
from identification.verdict import suggest
from identification.verdict.checks import SAID
from identification.verdict.corrected import Corrected
from identification.verdict.document import as_document
from identification.verdict.meshes import MESH, judge_meshed
from identification.verdict.variants import COUNTS, SIZES, variants_of
from robotphi import __version__
from robotphi.errors import RobotphiError
from robotphi.language.write import write_scene

REPORT, VERDICT, FITTED_SCENE = "report.html", "verdict.json", "fitted.yaml"


def judge_fit(experiment, problem, found, *, profiles=True, checks=True):
    """The Verdict on a Fit of an experiment; None where nothing was measured, but criteria alone were asked for."""
    if not problem.residual_count:
        return None
    variants = variants_of(experiment, problem, found.point, found.budget) if checks else {}
    if found.budget == 1.0:
        verdict = judge_meshed(problem, found.point, profiles=profiles, variants=variants)
        return replace(verdict, notes=(*verdict.notes, *_beyond(experiment, variants)))
    corrected = Corrected(problem, problem.finer(found.budget), found.point)
    verdict = judge_meshed(corrected, found.point, profiles=profiles, variants=variants)
    said = ", ".join(f"{each:.3g}" for each in budgets_of(experiment, found.budget))
    return replace(verdict, notes=(*verdict.notes, f"The scene's budget would have moved values by more than {SAID:g} of their "
                                                   f"standard deviation: they are those of a budget of {said}",
                                   *_beyond(experiment, variants)))


def _beyond(experiment, variants):
    """What intervals do not hold."""
    meshed = any(placed.object.cells or len(placed.object.facets) for run in experiment.runs
                 for placed in experiment.scene_of(run).objects.values() if placed.springs)
    if meshed and not any(name.startswith(MESH) for name in variants):
        yield ("Nor do intervals hold what the mesh leaves: no finer one was tried, as the scene has no parameter "
               f"{', '.join((*COUNTS, *SIZES))}")
    yield "No interval holds errors of what the scene tells: sizes, masses, supports, laws of materials"


def judge_and_write(folder, experiment, problem, found, facts=None, candidates=None):
    """Judge a fit and write all of it: plain values, of what a command answers."""
    if found.outcome.status != DONE:
        return {"not judged": f"the best candidate ended as {found.outcome.status!r}: there is nothing to judge"}
    try:
        verdict = judge_fit(experiment, problem, found)
    except FitError as error:
        return {"not judged": str(error)}
    suggestions = suggest_next(experiment, verdict, candidates) if candidates and verdict is not None else []
    written = write_judgement(folder, experiment, problem, found, verdict, facts, suggestions)
    told = {"written": {name: str(path) for name, path in written.items()}}
    if verdict is not None:
        told["verdict"] = as_document(verdict)
    if suggestions:
        names = [each.name for each in experiment.parameters]
        told["next"] = [{"name": each.name, "gain": each.gain, "sd_over_present": dict(zip(names, each.ratio, strict=True))}
                        for each in suggestions]
    return told


def budgets_of(experiment, share):
    """The budgets of the scenes of an experiment, times a share, each once."""
    return sorted({budgeted(scene, share).stepping.budget for scene in map(experiment.scene_of, experiment.runs)
                   if scene.stepping.control == "ledger"})


def suggest_next(experiment, verdict, candidates):
    """Suggestions among experiments, {name: Experiment} of the same parameters, the best first."""
    names = [each.name for each in experiment.parameters]
    opened = {}
    try:
        for name, each in candidates.items():
            told = [one.name for one in each.parameters]
            if told != names:
                raise ExperimentError(f"candidate {name!r} has the parameters {', '.join(told)}, the fit {', '.join(names)}; "
                                      "give it the same ones, in the same order")
            opened[name] = each.problem(0)
        return suggest(opened, verdict.point, verdict.information, verdict.spread, verdict.jacobian.steps)
    finally:
        for each in opened.values():
            each.close()


def write_judgement(folder, experiment, problem, found, verdict, facts=None, suggestions=()):
    """Write all of it into the folder of a fit: {what: path}."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = {"scene": write_fitted(folder / FITTED_SCENE, experiment, found.point, found.budget)}
    if verdict is not None:
        errors, generations = history(folder)
        criteria = [tuple(each.values()) for _, each in found.front]
        names = tuple(found.front[0][1]) if found.front else ()
        ended = ", ".join(f"{count} {status}" for status, count in found.counts.items())
        told = {"experiment": experiment.path or experiment.name, "robotphi": __version__, "numpy": np.__version__,
                "method": experiment.fit["method"], "seed": experiment.fit["seed"], "candidates": ended} | (facts or {})
        written["verdict"] = folder / VERDICT
        written["verdict"].write_text(json.dumps(as_document(verdict), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written["report"] = write_report(
            folder / REPORT, problem, verdict, title=experiment.about or experiment.name,
            facts={name: value for name, value in told.items() if value not in ("", None)}, errors=errors[:found.evaluations],
            generations=generations, suggestions=suggestions, criteria=criteria if len(names) > 1 else None,
            criteria_names=names)
    return {name: path for name, path in written.items() if path is not None}


def history(folder):
    """Errors of all candidates in the journal of a folder, and where batches ended; nothing where there is none."""
    try:
        return [outcome.error if outcome.status == DONE else np.inf for _, outcome in read_journal(folder)], ()
    except RobotphiError:
        return [], ()


def write_fitted(path, experiment, point, budget=1.0):
    """Write the scene of the first run with the fitted values; None where it cannot be said as a file."""
    run = next(each for each in experiment.runs if not each.held_out)
    scene = budgeted(fitted_scene(experiment, run, point), budget)
    said = ", ".join(f"{each.name} {value:.6g} {each.unit}".rstrip()
                     for each, value in zip(experiment.parameters, point, strict=True))
    try:
        return write_scene(scene, path, about=f"Fitted: {said}")[0]
    except RobotphiError:
        return None


def fitted_scene(experiment, run, point):
    """The scene of a run with the values of a point."""
    knobs, addresses = experiment.knobs | run.knobs, {}
    for number, kind, what, factor in experiment.targets():
        value = float(point[number]) * factor
        if kind == KNOB:
            knobs[what] = round(value) if experiment.parameters[number].integer else value
        elif kind == ADDRESS:
            addresses[what] = value
    scene = Simulated(Plan(experiment.scene, experiment.allow, (), (), ())).scene(knobs)
    return scene.with_values(addresses) if addresses else scene
