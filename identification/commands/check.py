"""`robotphi-identify check`: what an experiment says, before it is fitted."""
from pathlib import Path
from typing import Annotated

import typer

from identification.check import check
from identification.experiment.experiment import Experiment
from robotphi.commands.output import BAD_INPUT, AsJson, answer, console, exit_codes, own_output, say, table

File = Annotated[Path, typer.Argument(metavar="EXPERIMENT.yaml", help="An experiment file.")]


def check_command(file: File, as_json: AsJson = False):
    """Say how an experiment is understood: columns and units, what a fit costs, what the corners of the box hold, what each
    parameter does, and which of them cannot be told apart.

    Example: robotphi-identify check bar.yaml
    """
    with exit_codes(as_json):
        with own_output(as_json):
            experiment = Experiment.read(file)
            problem = experiment.problem()
        with problem, own_output(as_json):
            found = check(problem, experiment.fit["method"], experiment.fit["evaluations"])
        if as_json:
            answer(as_document(experiment, problem, found))
        else:
            _show(experiment, problem, found)
        if found.without:
            say(f"robotphi-identify: {', '.join(found.without)}: nothing that is compared depends on it; compare what does, "
                "or leave it "
                "out of parameters:")
            raise typer.Exit(BAD_INPUT)


def as_document(experiment, problem, found):
    """All of it as JSON knows it."""
    return {"experiment": experiment.name, "scene": str(experiment.scene),
            "parameters": [{"name": each.name, "unit": each.unit, "low": each.low, "high": each.high, "start": each.start,
                            "scale": each.scale, "effect of 1 %": found.effects.get(each.name)} for each in problem.parameters],
            "series": [{"name": each.name, "run": each.run, "unit": each.unit, "instants": each.stop - each.start,
                        "from": each.times[0], "to": each.times[-1], "noise": each.noise, "held_out": each.held_out}
                       for each in problem.series],
            "attempts": found.attempts, "seconds": found.seconds, "evaluations": found.evaluations,
            "corners": [{"values": list(values), "status": status, "reached": reached}
                        for values, status, reached in found.corners],
            "without effect": found.without, "confounded": [{"names": names, "singular value": value}
                                                            for names, value in found.confounded]}


def _show(experiment, problem, found):
    out = console()
    rows = table(f"{experiment.name}: what is compared", "run", "quantity", "sensor", "unit", "instants>",
                 "from [s]>", "to [s]>", "noise>")
    for each in problem.series:
        compared = next(one for one in experiment.compared if one.name == each.name)
        guessed = " (from the data)" if compared.noise is None else ""
        rows.add_row(each.run + (" (held out)" if each.held_out else ""), each.name, compared.said, each.unit,
                     str(each.stop - each.start), f"{each.times[0]:.6g}", f"{each.times[-1]:.6g}", f"{each.noise:.3g}{guessed}")
    out.print(rows)
    out.print(f"\none evaluation: {found.attempts:,} attempts, {_told(found.seconds)}; the fit by {experiment.fit['method']}: "
              f"some {found.evaluations} evaluations, {_told(found.seconds * found.evaluations)} by one process")
    rows = table("\nwhat is unknown", "parameter", "unit", "from>", "to>", "scale", "effect of 1 %>")
    for each in problem.parameters:
        effect = found.effects.get(each.name)
        rows.add_row(each.name, each.unit or "1", f"{each.low:g}", f"{each.high:g}", each.scale,
                     "" if effect is None else f"{effect:.3g} sd")
    out.print(rows)
    for values, status, reached in found.failed:
        where = ", ".join(f"{each.name} {value:g}" for each, value in zip(problem.parameters, values, strict=True))
        out.print(f"corner {where}: {status}{f' at {100.0 * reached:.3g} % of the time' if reached else ''}")
    if not found.failed:
        out.print(f"all {len(found.corners)} corners of the box come to their end")
    for names, value in found.confounded:
        out.print(f"{' and '.join(names)} can hardly be told apart (singular value {value:.1e}): a change of one is made up "
                  "for by the others")


def _told(seconds):
    """A time for people."""
    if seconds >= 100.0:
        return f"{seconds / 60.0:.2g} min"
    return f"{seconds:.2g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"
