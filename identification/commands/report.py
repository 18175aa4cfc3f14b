"""`robotphi-identify report` and `suggest`: a fit told anew from its journal, and the next experiment."""
from pathlib import Path
from typing import Annotated

import typer

from identification.commands.fit import facts_of
from identification.experiment.experiment import Experiment
from identification.fit import fit, read_fitted
from identification.judged import judge_and_write
from robotphi.commands.output import AsJson, answer, console, exit_codes, own_output, table

Fitted = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a fit.")]


def report_command(
    folder: Fitted,
    next_: Annotated[list[Path] | None, typer.Option("--next", metavar="EXPERIMENT.yaml",
                                                     help="An experiment that could be done next; may be given again.")] = None,
    as_json: AsJson = False,
):
    """Write the report of a fit anew from its journal: report.html, verdict.json and the fitted scene.

    Example: robotphi-identify report runs/bar --next longer.yaml --next heavier.yaml
    """
    with exit_codes(as_json):
        with own_output(as_json):
            told = _told(folder, next_ or [])
        if as_json:
            answer(told)
        else:
            for path in told.get("written", {}).values():
                console().print(path, markup=False, highlight=False)
            if "not judged" in told:
                console().print(told["not judged"], markup=False, highlight=False)


def suggest_command(
    folder: Fitted,
    candidates: Annotated[list[Path], typer.Argument(metavar="EXPERIMENT.yaml …",
                                                     help="Experiments that could be done next, with the same parameters.")],
    as_json: AsJson = False,
):
    """Say which of several experiments would shrink the intervals of a fit most; what their files measured does not count, but
    when, and with what noise.

    Example: robotphi-identify suggest runs/bar longer.yaml heavier.yaml
    """
    with exit_codes(as_json):
        with own_output(as_json):
            told = _told(folder, candidates)
        if as_json:
            answer({"next": told.get("next", [])})
            return
        names = list(told["next"][0]["sd_over_present"]) if told.get("next") else []
        rows = table("the next experiment: standard deviations over the present ones", "experiment",
                     *(f"{name}>" for name in names))
        for each in told.get("next", []):
            rows.add_row(each["name"], *(f"{each['sd_over_present'][name]:.2f}" for name in names))
        console().print(rows)


def _told(folder, candidates):
    """A fit done again from its journal, judged and written, with candidates among it."""
    kept = read_fitted(folder)
    experiment, told = Experiment.read(kept["experiment"]), {}
    others = {path.stem: Experiment.read(path) for path in candidates}

    def after(problem, found):
        told.update(judge_and_write(folder, experiment, problem, found, facts_of(kept["settings"]), others))

    fit(experiment, folder, True, after=after, **(kept["settings"] | {"workers": 0}))
    return told
