"""`robotphi lint`: what can be told of a scene before it is run."""
from typing import Annotated

import typer

from robotphi.commands.convert import scene_of
from robotphi.commands.output import DONE, FAILED, AsJson, answer, console, exit_codes, own_output, say, table
from robotphi.commands.run import parse_knobs
from robotphi.run.advice.slow import seconds

SHOWN = 8   # of what bounds the step


def lint_command(
    source: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A scene file, a scenario by name or file, a recording.")],
    knobs: Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Set a knob or parameter.")] = None,
    allow: Annotated[list[str] | None, typer.Option(metavar="DIR", help="Another folder that a scene file may read.")] = None,
    as_json: AsJson = False,
):
    """Look at a scene before it is run: what sets its step, how many steps at least, and what is likely to be wrong.

    No time is promised: it depends on the motion and the machine. Exit code 1 where something is likely to be wrong.

    Example: robotphi lint scene.yaml
    """
    from robotphi.run.lint.report import lint

    with exit_codes(as_json), own_output(as_json):
        scene, *_ = scene_of(source, parse_knobs(knobs or []), allow or ())
        report = lint(scene)
    if as_json:
        answer(as_document(report))
    else:
        _show(report)
    if report.serious:
        say(f"robotphi: {len(report.serious)} of the findings are likely to be wrong")
    raise typer.Exit(FAILED if report.serious else DONE)


def as_document(report):
    """The report as JSON knows it."""
    return {"scene": report.scene, "duration": report.duration, "frames": report.frames, "longest step": report.step,
            "set by": [each._asdict() for each in report.setters], "steps at least": report.steps,
            "more steps by": report.more,
            "findings": [{"check": check, **finding._asdict()} for check, found in report.found.items() for finding in found]}


def _show(report):
    out = console()
    step = "nothing bounds the step" if report.step is None else f"steps of {seconds(report.step)} at most as it begins"
    out.print(f"{report.scene}: {report.duration:g} s, {report.frames} frames; {step}")
    if report.setters:
        rows = table("\nwhat bounds the step", "by", "step>", "share of ω²>")
        for each in report.setters[:SHOWN]:
            rows.add_row(each.name, seconds(each.step), f"{100.0 * each.share:.3g} %")
        out.print(rows)
        if len(report.setters) > SHOWN:
            out.print(f"and {len(report.setters) - SHOWN} more")
    out.print(f"\nat least {report.steps:,} steps; more by")
    for text in report.more:
        out.print(f"  {text}")
    for check, found in report.found.items():
        for finding in found:
            out.print(f"\n{'WRONG?' if finding.serious else 'note  '} {check}: {finding.text}")
            out.print(f"       {finding.do}")
    if not report.found:
        out.print("\nnothing looks wrong")
