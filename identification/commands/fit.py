"""`robotphi-identify fit` and `resume`: the parameters of an experiment, and what they are worth."""
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from identification.commands.progress import fit_progress
from identification.errors import ExperimentError
from identification.experiment.experiment import Experiment
from identification.fit import FITTED, fit, read_fitted
from identification.judged import judge_and_write
from identification.search import METHODS
from robotphi.commands.output import DONE, FAILED, AsJson, answer, console, exit_codes, own_output, say
from robotphi.scenario.perform import plain_json

File = Annotated[Path, typer.Argument(metavar="EXPERIMENT.yaml", help="An experiment file.")]
Workers = Annotated[str | None, typer.Option(metavar="N|all", help="Processes that evaluate candidates; 0 is this one.")]
ToCluster = Annotated[str | None, typer.Option("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers do instead.")]


def fit_command(
    file: File,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the journal; runs/NAME unless told.")] = None,
    method: Annotated[str | None, typer.Option(metavar="|".join(METHODS), help="How to search.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the random numbers.")] = None,
    evaluations: Annotated[int | None, typer.Option(min=1, help="Candidates at most.")] = None,
    workers: Workers = None,
    cluster: ToCluster = None,
    as_json: AsJson = False,
):
    """Find the parameters of an experiment: one sentence for each, a journal to go on from, the fitted scene.

    Example: robotphi-identify fit bar.yaml --workers all
    """
    with exit_codes(as_json):
        experiment = Experiment.read(file)
        settings = {"method": method, "seed": seed, "evaluations": evaluations, "workers": _workers(workers),
                    "cluster": cluster}
        folder = out or Path("runs") / experiment.name
        document = _fitted(experiment, folder, False, settings, as_json)
    raise typer.Exit(DONE if document["status"] == "done" else FAILED)


def resume_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a fit that was cut off.")],
    workers: Workers = None,
    cluster: ToCluster = None,
    as_json: AsJson = False,
):
    """Go on with a fit where it was cut off; it comes to the same end, by any number of workers.

    Example: robotphi-identify resume runs/bar
    """
    with exit_codes(as_json):
        kept = read_fitted(folder)
        experiment = Experiment.read(kept["experiment"])
        settings = kept["settings"] | {"workers": _workers(workers), "cluster": cluster}
        document = _fitted(experiment, folder, True, settings, as_json)
    raise typer.Exit(DONE if document["status"] == "done" else FAILED)


def _workers(said):
    if said is None or said == "all":
        return said
    if not said.isdecimal():
        raise ExperimentError(f"--workers {said!r}; give a whole number, 0 for this process, or all")
    return int(said)


def _fitted(experiment, folder, resume, settings, as_json):
    """Fit, write what came of it, and tell it."""
    kept = {name: settings.get(name) for name in ("method", "seed", "evaluations")}

    def begun():
        _write(folder / FITTED, {"experiment": str(experiment.path.resolve()), "settings": kept, "status": "begun"})

    judged = {}

    def after(problem, found):
        judged.update(judge_and_write(folder, experiment, problem, found, facts_of(kept)))

    try:
        with own_output(as_json), fit_progress(experiment) as progress:
            found = fit(experiment, folder, resume, progress, begun=begun, after=after, **settings)
    except KeyboardInterrupt:
        say(f"robotphi-identify: cut off; go on by robotphi-identify resume {folder}")
        raise
    document = {"experiment": str(experiment.path.resolve()), "settings": kept,
                "status": "done" if found.outcome.status == "done" else found.outcome.status,
                "values": found.values, "units": {each.name: each.unit for each in found.parameters}, "error": found.error,
                "evaluations": found.evaluations, "ended": found.counts, "criteria": found.outcome.criteria,
                "front": [{"values": list(point), "criteria": criteria} for point, criteria in found.front],
                "folder": str(folder), **judged}
    _write(folder / FITTED, document)
    if as_json:
        answer(document)
    else:
        _show(found, folder, judged)
    return document


def facts_of(kept):
    """What a report tells of how it was made, beside what the experiment says."""
    return {"command": " ".join(["robotphi-identify", *sys.argv[1:]])} | {name: value for name, value in kept.items()
                                                                          if value is not None}


def _write(path, document):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(plain_json(document), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ExperimentError(f"cannot write {path}: {error.strerror}; name another folder by --out") from error


def _show(found, folder, judged):
    out = console()
    if "verdict" in judged:
        for each in judged["verdict"]["parameters"]:
            out.print(each["says"], markup=False, highlight=False)
        for line in judged["verdict"]["says"]:
            out.print(f"  {line}", markup=False, highlight=False)
    else:
        for each in found.parameters:
            out.print(f"{each.name}: {found.values[each.name]:.6g} {each.unit}".rstrip())
        if "not judged" in judged:
            out.print(f"  {judged['not judged']}", markup=False, highlight=False)
    ended = ", ".join(f"{count} {status}" for status, count in found.counts.items())
    out.print(f"error {found.error:.4g} sd of the noise; {found.evaluations} evaluations: {ended}")
    for path in (*judged.get("written", {}).values(), str(folder)):
        out.print(path, markup=False, highlight=False)
