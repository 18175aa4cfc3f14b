"""`robotphi run`: one scenario, from its scene to its recording, figures and pictures."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import DONE, FAILED, AsJson, answer, console, exit_codes, own_output, say, table
from robotphi.commands.progress import shown_progress
from robotphi.errors import ScenarioError
from robotphi.record.balance import balance_line, worst
from robotphi.scenario import load_scenario, perform
from robotphi.scenario.sweep.grid import scalar

SHOWN = 6  # files of one kind that are named one by one
ADVICE_SHOWN = 3


def parse_knobs(words):
    """name=value words as a dict; values are JSON numbers, true, false, null, and texts otherwise."""
    knobs = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals):
            raise ScenarioError(f"--set {word!r} is not name=value; give for example --set stiffness=100")
        knobs[name] = scalar(text)
    return knobs


def run_command(
    scenario: Annotated[str, typer.Argument(
        metavar="NAME|FILE", help="A name from `robotphi list`, a .py file, or a .yaml scene.")],
    knobs: Annotated[list[str] | None, typer.Option(
        "--set", metavar="K=V", help="Set a knob of the scenario, a parameter of the scene.")] = None,
    until: Annotated[float | None, typer.Option(metavar="T", help="Stop at this simulated time [s].")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the files; runs/NAME unless told.")] = None,
    as_json: AsJson = False,
    view: Annotated[bool, typer.Option("--view/--no-view", help="Draw the pictures.")] = True,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of the compiled loop.")] = None,
    wall_limit: Annotated[float | None, typer.Option(metavar="S", help="Stop after this much real time [s].")] = None,
    resume: Annotated[Path | None, typer.Option("--continue", metavar="FILE", help="Go on from the last frame of a recording "
                                                "of the same scene, which may have been cut off.")] = None,
    keep: Annotated[str | None, typer.Option(metavar="WORDS", help="What stays in the recording: every=N frames, and some of "
                                             "checkpoint, contacts, sensors, or frames for none of them.")] = None,
    allow: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="Another folder that a scene file may read.")] = None,
    sweep: Annotated[list[str] | None, typer.Option(
        metavar="K=VALUES", help="Run it for each value: 0.1,0.2,0.5, lin(0,1,11), log(1e-3,1,4); several: a grid.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes that run the points of a sweep.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers do instead.")] = None,
):
    """Run a scenario: simulate it, check its figures, draw its pictures, keep its recording.

    With --sweep it runs at every point of a grid and leaves one table and one figure; points that are known are not run again.

    Example: robotphi run two_masses --set stiffness=50; robotphi run pinch --sweep "friction=lin(0.2,0.8,4)" --workers 2
    """
    with exit_codes(as_json):
        _check_times(until, wall_limit)
        if sweep:
            from robotphi.commands.sweep import swept

            if resume is not None:
                raise ScenarioError("--continue and --sweep do not go together: a sweep goes on by itself where it ended")
            swept(scenario, sweep, parse_knobs(knobs or []), out, view, workers, cluster, allow or (),
                  {"threads": threads, "until": until, "wall_limit": wall_limit}, as_json)
        for word, value in (("--workers", workers), ("--cluster", cluster)):
            if value is not None:
                raise ScenarioError(f"{word} has no meaning without --sweep; give for example --sweep k=0.1,0.2,0.5")
        with own_output(as_json):
            chosen = load_scenario(scenario, allow or ())
        with own_output(as_json), shown_progress(chosen.name) as progress:
            outcome = perform(chosen, parse_knobs(knobs or []), out, view, threads=threads, until=until,
                              wall_limit=wall_limit, resume=resume, keep=keep, progress=progress,
                              warn=lambda text: say(f"robotphi: warning: {text}"))
    if outcome.note:
        say(f"robotphi: {outcome.note}")
    if as_json:
        answer(outcome.as_json())
    else:
        _show(outcome)
    if outcome.status != "done":
        say(f"robotphi: the run ended early ({outcome.status}); the recording keeps all frames so far")
    if outcome.error:
        say(f"robotphi: {outcome.error}")
    raise typer.Exit(DONE if outcome.passed else FAILED)


def _check_times(until, wall_limit):
    for name, value in (("--until", until), ("--wall-limit", wall_limit)):
        if value is not None and not 0 < value < float("inf"):
            raise ScenarioError(f"{name} is {value:g}; give a time above 0 s")


def time_taken(outcome):
    """How long the runs took, and what took time beside them."""
    running, beside = outcome.running_time, outcome.wall_time - outcome.running_time
    if running <= 0.0:   # of a study that moves from frame to frame by itself nobody knows
        return f"{outcome.wall_time:.3g} s"
    apart = f"; {beside:.3g} s beside for the scene, compiled code and files" if beside > 0.0 else ""
    return f"{running:.3g} s ({outcome.simulated_time / running:.3g} × real time{apart})"


def _show(outcome):
    out = console()
    if outcome.figures:
        rows = table(outcome.name, "figure", "value>")
        for name, value in outcome.figures.items():
            rows.add_row(name, f"{value:.6g}" if isinstance(value, float) else str(value))
        out.print(rows)
    steps = f", {outcome.counts['accepted']:,} steps" if "accepted" in outcome.counts else ""
    check = "not checked" if not outcome.checked else "check failed" if outcome.error else "check passed"
    out.print(f"{outcome.simulated_time:.4g} s simulated in {time_taken(outcome)}{steps}; {check}")
    name, figures = worst(outcome.ledger)
    if figures:
        of_several = f" ({name}, the worst of {len(outcome.ledger)})" if len(outcome.ledger) > 1 else ""
        out.print(f"ledger     {balance_line(figures)}{of_several}")
    for text in outcome.advice[:ADVICE_SHOWN]:
        out.print(f"advice     {text}", highlight=False, markup=False)
    for drive, error in outcome.sampling_errors.items():
        out.print(f"drive      {drive}: its samples miss the function by up to {error:.2g}")
    for kind, paths in (("recording", outcome.recordings), ("picture", outcome.pictures)):
        for path in paths[:SHOWN]:
            out.print(f"{kind:10s} {path}")
        if len(paths) > SHOWN:
            out.print(f"{'':10s} and {len(paths) - SHOWN} more {kind}s in {outcome.folder}")
