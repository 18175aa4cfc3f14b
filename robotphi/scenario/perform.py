"""Scenarios: runnable files that show one thing each, found by name or path, run, checked and drawn.

A scenario file offers
    a docstring            what it shows and the reference with its source; the first line stands in the list
    build(**knobs)         → Scene
    check(recording)       → figures by name; raises CheckFailed on a wrong number
    draw(recording, folder) → paths of the pictures it made in `folder`
    run(**knobs)           optional, for studies of several scenes: → Recording or {name: Recording}
and ends with `if __name__ == "__main__": run_scenario(__file__)`. `check` and `draw` may take knobs as well; `run` may
take `threads`, `until`, `wall_limit` and `progress`. Where a knob of `build` alone or an option that `run` does not take is
given, the single scene of `build` runs instead of the study: its ledger is its check, ledger and steps are its pictures.
"""
import json
import math
import os
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from robotphi.errors import CheckFailed, ControllerFailed, RecordingError, RobotphiError, ScenarioError, SimulationDiverged
from robotphi.record.balance import balance, check_balance
from robotphi.record.files.names import ENDING
from robotphi.record.recording import Recording
from robotphi.scenario.file import accepted, checked_knobs, list_scenarios, load_scenario
from robotphi.scenario.folder import RECORDING, SUMMARY, claimed
from robotphi.scenario.run import guarded, instead_of_study, run_scene, run_study

__all__ = ["Outcome", "list_scenarios", "load_scenario", "perform", "run_scenario"]


@dataclass
class Outcome:
    """What became of a scenario: everything that `summary.json` says."""
    name: str
    folder: Path | None           # None where nothing is kept
    knobs: dict
    study: bool = False           # whether `run` made the recordings, not the single scene of `build`
    note: str = ""                # why a study did not run
    status: str = "done"
    checked: bool = False
    error: str = ""
    figures: dict = field(default_factory=dict)
    ledger: dict = field(default_factory=dict)           # name of the recording → its balance
    sampling_errors: dict = field(default_factory=dict)  # name of the drive → error of its samples
    warnings: list = field(default_factory=list)         # what was likely to make a run slow
    advice: list = field(default_factory=list)           # what did, and what would help
    recordings: list = field(default_factory=list)
    pictures: list = field(default_factory=list)
    digest: str = ""              # fingerprint of the model, of a single scene
    counts: dict = field(default_factory=dict)
    simulated_time: float = 0.0
    wall_time: float = 0.0        # s in all: scene, model, loading or compiling, running, files
    running_time: float = 0.0     # s of that in which runs moved on

    @property
    def passed(self):
        return not self.error and self.status == "done"

    def fail(self, problem):
        """Add what went wrong to what did before."""
        self.error = "; ".join(filter(None, (self.error, str(problem))))

    def as_json(self):
        return plain_json({**vars(self), "passed": self.passed})


def plain_json(value):
    """Any value of ours as JSON knows it: paths as text, numbers that are not finite as null."""
    if isinstance(value, dict):
        return {str(key): plain_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_json(member) for member in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain_json(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def perform(scenario, knobs=None, out=None, view=True, filed=True, **options):
    """Build, simulate, check, draw; returns an `Outcome` whose files are in its folder.

    Args:
        knobs: values for the parameters of `build` or, for a study of several scenes, of `run`. With a knob that only
            `build` has, or an option that concerns one run, a study is left aside for the scene that `build` gives.
        out: folder for the files; `runs/<name>` under the current one where left out.
        view: draw pictures.
        filed: whether anything is written; without it the outcome alone tells of the run, and nothing is drawn.
        options: `threads`, `until` [s], `wall_limit` [s], `progress`, as `Simulator.run` takes them; a progress that
            has `expect(end)` is told when the run will be over. `warn` is called with each warning, before the run of
            a single scene or after it, whenever it is known, and after the runs of a study.
    """
    knobs = checked_knobs(scenario, knobs or {})
    options = {name: value for name, value in options.items() if value is not None}
    note = instead_of_study(scenario, knobs, options)
    outcome = Outcome(scenario.name, (Path(out) if out else Path("runs") / scenario.name) if filed else None, knobs,
                      study=scenario.is_study and not note, note=note)
    if "warn" in options:
        options["warn"] = _once(options["warn"])   # what is known before a run is told there, the rest when it is over
    if not filed:
        _perform(scenario, outcome, False, options)
        return outcome
    with claimed(outcome.folder) as shared:
        if shared:
            outcome.warnings.append(f"another run is writing into {outcome.folder}: the one that ends last leaves its files; "
                                    "name another folder")
            options.get("warn", str)(outcome.warnings[0])
        _perform(scenario, outcome, view, options)
    return outcome


def _perform(scenario, outcome, view, options):
    """Simulate, keep, check and draw; what became of it stands in the outcome and in the summary."""
    began = time.perf_counter()
    recordings = _simulate(scenario, outcome, options)
    outcome.wall_time = time.perf_counter() - began
    _keep(outcome, recordings)
    if "warn" in options:
        for warning in outcome.warnings:
            options["warn"](warning)
    if len(recordings) == 1 and not outcome.study:
        outcome.digest = next(iter(recordings.values())).scene_digest
    if recordings:
        shown = next(iter(recordings.values())) if list(recordings) == [""] else recordings
        _balance(outcome, recordings)
        if outcome.note:
            told = any(each.get("kept") is not None for each in outcome.ledger.values())
            outcome.checked = told and outcome.status == "done" and outcome.simulated_time > 0.0
        else:
            _check(scenario, outcome, shown, whole=all(map(_is_whole, recordings.values())))
        if view and outcome.status != "interrupted":  # whoever pressed Ctrl-C does not wait for pictures
            _draw(scenario, outcome, shown)
    if outcome.folder is None:
        return
    text = json.dumps(outcome.as_json(), indent=2, ensure_ascii=False) + "\n"
    try:
        (outcome.folder / SUMMARY).write_text(text, encoding="utf-8")
    except OSError as error:
        outcome.fail(f"cannot write {outcome.folder / SUMMARY}: {error.strerror}")


def _once(warn):
    """`warn` for those warnings that it has not yet been called with."""
    told = set()

    def warn_once(text):
        if text not in told:
            told.add(text)
            warn(text)
    return warn_once


def _simulate(scenario, outcome, options):
    """Recordings by name ("" for the only one); a run that diverges, or whose controller fails, leaves what it has."""
    run = run_study if outcome.study else run_scene
    try:
        result = run(scenario, outcome.knobs, options, outcome.folder)
    except SimulationDiverged as error:
        outcome.status, outcome.error = "diverged", str(error)
        result = error.recording
    except ControllerFailed as error:
        outcome.status, outcome.error = error.recording.status, str(error)
        result = error.recording
    if result is None:
        return {}
    return {"": result} if isinstance(result, Recording) else {str(name): each for name, each in result.items()}


def _keep(outcome, recordings):
    for place, (name, recording) in enumerate(recordings.items()):
        if outcome.folder is not None:
            try:
                recordings[name] = recording = _named(recording, outcome.folder / _file_name(name, place))
                outcome.recordings.append(recording.path)
            except RecordingError as error:   # the run is over: it is checked and drawn all the same
                outcome.fail(error)
        outcome.advice += [each for each in recording.info.get("advice", []) if each not in outcome.advice]
        outcome.warnings += [each for each in recording.info.get("warnings", []) if each not in outcome.warnings]
        outcome.simulated_time += float(recording.time[-1] - recording.time[0])
        outcome.running_time += float(recording.info.get("wall_time", 0.0))
        for key, count in recording.counts.items():
            outcome.counts[key] = outcome.counts.get(key, 0) + count
        if recording.status != "done":
            outcome.status = recording.status


def _named(recording, path):
    """The recording in a file of that name: the one that it was written to as it ran, or a new one."""
    if recording.path is None or recording.path.parent != path.parent or not recording.path.exists():
        return recording.filed(recording.save(path))
    if recording.path != path:
        os.replace(recording.path, path)
    return recording.filed(path)


def _file_name(name, place):
    """recording.vtkhdf for the only one; in a study the number keeps names apart that files cannot tell from each other."""
    return f"recording_{place:02d}_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}{ENDING}" if name else RECORDING


def _is_whole(recording):
    """Whether a recording reaches the end of its scene."""
    return recording.time[-1] >= recording.info.get("duration", 0.0) * (1 - 1e-9)


def _balance(outcome, recordings):
    """What the ledgers leave unexplained; a run that is done has to have kept its budget."""
    for name, recording in recordings.items():
        outcome.ledger[name or outcome.name] = balance(recording)
        for drive, error in recording.info.get("sampling_errors", {}).items():
            outcome.sampling_errors[drive] = max(error, outcome.sampling_errors.get(drive, 0.0))
        try:
            check_balance(recording, name)
        except CheckFailed as error:
            outcome.checked = True
            outcome.error = outcome.error or str(error)


def _check(scenario, outcome, shown, whole):
    """The scenario's own check; a run that did not reach its end has nothing to be checked."""
    if outcome.status != "done" or not whole:
        return
    check = scenario.module.check
    try:
        figures = guarded(scenario, check, shown, **accepted(check, outcome.knobs))
        if not isinstance(figures, dict | None):
            raise ScenarioError(f"{scenario.name}: check returned {figures!r:.60}; it must return {{name: number}}")
        outcome.figures = {str(name): value for name, value in (figures or {}).items()}
        outcome.checked = True
    except (CheckFailed, ScenarioError) as error:
        outcome.checked = outcome.checked or isinstance(error, CheckFailed)
        outcome.fail(error)


def _draw(scenario, outcome, shown):
    """The scenario's own pictures; of the single scene of a study, which `draw` does not know, its ledger and steps."""
    draw, knobs = (_draw_single, {}) if outcome.note else (scenario.module.draw, accepted(scenario.module.draw, outcome.knobs))
    try:
        paths = guarded(scenario, draw, shown, outcome.folder, **knobs)
        if not isinstance(paths, list | tuple | None) or not all(isinstance(path, str | Path) for path in paths or ()):
            raise ScenarioError(f"{scenario.name}: draw returned {paths!r:.60}; it must return the paths of its pictures")
    except RobotphiError as error:
        outcome.error = outcome.error or str(error)
        return
    for path in map(Path, paths or []):
        if not path.resolve().is_relative_to(outcome.folder.resolve()):
            outcome.error = outcome.error or f"{scenario.name}: draw wrote {path}, outside its folder {outcome.folder}"
        outcome.pictures.append(path)


def _draw_single(recording, folder):
    from robotphi.view import graphs

    return [graphs.draw_ledger(recording, folder / "ledger.png"), graphs.draw_steps(recording, folder / "steps.png")]


def any_encoding():
    """Let output go on where its encoding lacks a letter: a Greek one is then a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def run_scenario(path, **options):
    """Run a scenario file from its own last line: `python scenarios/two_masses.py`. Prints what came out and exits."""
    any_encoding()
    try:
        outcome = perform(load_scenario(Path(path)), warn=lambda text: print(f"warning: {text}", file=sys.stderr), **options)
    except RobotphiError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if outcome.note:
        print(outcome.note, file=sys.stderr)
    for name, value in outcome.figures.items():
        print(f"{name:60s} {value:.6g}" if isinstance(value, float) else f"{name:60s} {value}")
    for file in (*outcome.recordings, *outcome.pictures):
        print(file)
    sys.exit(0 if outcome.passed else outcome.error or f"the run ended early: {outcome.status}")
