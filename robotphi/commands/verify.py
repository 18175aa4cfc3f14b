"""`robotphi verify`: the oracles on this machine."""
from typing import Annotated

import typer
from rich.text import Text

from robotphi.commands.output import DONE, FAILED, AsJson, answer, console, exit_codes, say, table
from robotphi.commands.progress import counted_progress


def verify_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…", help="Cases or groups; all unless told.")] = None,
    as_json: AsJson = False,
):
    """Compare the simulator with exact answers, here and now.

    Example: robotphi verify joints --json
    """
    from robotphi.verification import all_cases, run_cases

    with exit_codes(as_json):
        groups = {each.group for each in all_cases().values()}
        # a word that is no group is left to run_cases, which knows the nearest case
        chosen = {"names": [name for name in names if name not in groups],
                  "groups": [name for name in names if name in groups]} if names else {}
        with counted_progress("verify") as progress:
            results = run_cases(**chosen, progress=progress)
    failed = [result for result in results if not result.passed]
    if as_json:
        answer({"passed": not failed, "results": [vars(result) for result in results]})
    else:
        _show(results)
    if failed:
        say(f"robotphi: {len(failed)} of {len(results)} figures are wrong")
    raise typer.Exit(FAILED if failed else DONE)


def _show(results):
    out = console()
    for group in dict.fromkeys(result.group for result in results):
        rows = table(f"\n{group}", "case", "what", "exact>", "simulated>", "error>", "allowed>", "s>", "")
        for result in results:
            if result.group == group:
                rows.add_row(result.name, result.what, f"{result.reference:.8g}", f"{result.value:.8g}",
                             f"{result.error:.1e}", f"{result.tolerance:.1e}", f"{result.seconds:.1f}",
                             Text("passed", "green") if result.passed else Text("WRONG", "bold red"))
        out.print(rows)
    out.print(f"\n{sum(result.passed for result in results)} of {len(results)} figures right")
