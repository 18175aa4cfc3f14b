"""`robotphi-identify league`: all methods on problems whose truth is known."""
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from identification.league import TRUTHS, play, winners
from identification.league.figure import draw
from identification.league.league import MOST
from robotphi.commands.output import AsJson, answer, console, exit_codes, say, table
from robotphi.scenario.perform import plain_json


def league_command(
    repeats: Annotated[int, typer.Option(min=1, help="Fits of each method on each truth, with other noise.")] = 10,
    evaluations: Annotated[int, typer.Option(min=10, help="Candidates a fit at most.")] = MOST,
    figure: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Where the figure is written.")] = None,
    as_json: AsJson = False,
):
    """Let all methods fit problems whose truth is known, and rank them: evaluations until the noise explains what is left, and
    how often intervals hold the truth.

    Example: robotphi-identify league --repeats 400 --figure league.png
    """
    with exit_codes(as_json):
        rows = play(repeats, most=evaluations, progress=lambda row: say(f"{row.truth}: {row.method}"))
        if figure is not None:
            draw(rows, figure, evaluations)
        if as_json:
            answer(plain_json({"repeats": repeats, "evaluations": evaluations, "winners": winners(rows), "rows": [
                each._asdict() | {"coverage": each.coverage} for each in rows]}))
        else:
            _show(rows)


def _show(rows):
    for truth in TRUTHS:
        shown = table(f"{truth.name}: {truth.what}", "method", "arrived>", "evaluations>", "ended after>", "intervals hold>",
                      "null named>")
        for row in rows:
            if row.truth == truth.name:
                there = f"{row.evaluations:.0f}" if np.isfinite(row.evaluations) else "–"
                shown.add_row(row.method, *([row.missing] if row.missing else [
                    f"{row.arrived}/{row.repeats}", there, f"{row.spent:.0f}", f"{100 * row.coverage:.0f} %",
                    f"{row.named}/{row.repeats}"]))
        console().print(shown)
