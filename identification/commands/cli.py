"""The command line of identification."""
from typing import Annotated

import typer

from identification.commands.check import check_command
from identification.commands.fit import fit_command, resume_command
from identification.commands.inertia import inertia_command
from identification.commands.league import league_command
from identification.commands.report import report_command, suggest_command
from robotphi import __version__
from robotphi.commands.cli import Commands, enter

app = typer.Typer(name="robotphi-identify", cls=Commands, no_args_is_help=True, add_completion=False,
                  pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})
app.command("check")(check_command)
app.command("fit")(fit_command)
app.command("resume")(resume_command)
app.command("report")(report_command)
app.command("suggest")(suggest_command)
app.command("league")(league_command)
app.command("inertia")(inertia_command)


def _print_version(wanted: bool):
    if wanted:
        print(f"robotphi-identify {__version__}")
        raise typer.Exit


@app.callback()
def robotphi_identify(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True,
                                          help="Print the version and stop.")] = False,
):
    """From recordings to stiffness, viscosity, plasticity and friction, with a verdict.

    Exit code 0: done; 1: the fit or a check failed; 2: bad input.
    """


def main():
    """Entry point of the command `robotphi-identify`."""
    enter(app, "robotphi-identify")
