"""`robotphi run --sweep`: a scenario at every point of a grid, one table and one figure."""
import typer

from robotphi.commands.output import DONE, FAILED, answer, console, own_output, say, table
from robotphi.commands.progress import counted_progress
from robotphi.errors import ScenarioError
from robotphi.scenario.sweep.grid import parse_sweep
from robotphi.scenario.sweep.sweep import run_sweep

SHOWN = 40   # rows of the table that are printed


def swept(scenario, sweep, knobs, out, view, workers, cluster, allow, options, as_json):
    """Run a sweep and tell what came of it."""
    if workers is not None and cluster is not None:
        raise ScenarioError("--workers and --cluster are both given; a cluster has workers of its own: leave out one of them")
    with own_output(as_json), counted_progress(scenario) as progress:
        found = run_sweep(scenario, parse_sweep(sweep), knobs, out, workers or 1, cluster, allow, view, progress, **options)
    if as_json:
        answer(found.as_json())
    else:
        _show(found)
    for point, row in zip(found.points, found.rows, strict=True):
        if row["status"] != "done":
            where = ", ".join(f"{name}={value}" for name, value in point.items())
            say(f"robotphi: {where}: {row['status']}{', ' if row['error'] else ''}{row['error']}")
    raise typer.Exit(FAILED if found.wrong else DONE)


def _show(found):
    out, (heads, rows) = console(), found.table()
    shown = [k for k, head in enumerate(heads) if head not in ("model", "error")]
    made = table(f"{found.name}: {len(rows)} points, {found.ran} run now, {found.known} known",
                 *(heads[k] if heads[k] == "status" else f"{heads[k]}>" for k in shown))
    for row in rows[:SHOWN]:
        made.add_row(*(_told(row[k]) for k in shown))
    out.print(made)
    if len(rows) > SHOWN:
        out.print(f"and {len(rows) - SHOWN} more points")
    for path in found.files:
        out.print(str(path))


def _told(value):
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
