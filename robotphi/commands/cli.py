"""The command line; each command in a file of its own."""
import sys
from typing import Annotated

import typer
from typer.core import TyperGroup

from robotphi import __version__
from robotphi.commands.bench import bench_command
from robotphi.commands.convert import convert_command
from robotphi.commands.export import export_command, pack_command
from robotphi.commands.info import info_command
from robotphi.commands.lint import lint_command
from robotphi.commands.list import list_command
from robotphi.commands.output import (
    BAD_INPUT,
    FAILED,
    JSON,
    UNREAD,
    answer,
    close_output,
    lead_nowhere,
    open_streams,
    say,
    where_output_goes,
)
from robotphi.commands.recordings import repair_command, replay_command
from robotphi.commands.run import run_command
from robotphi.commands.schema import schema_command
from robotphi.commands.verify import verify_command
from robotphi.commands.view import view_command

USAGE_ERROR = typer.BadParameter.__base__  # its home differs between versions of typer


class Commands(TyperGroup):
    """The commands; with `--json` wrong words too leave one JSON document on standard output."""

    def main(self, args=None, **options):
        words = sys.argv[1:] if args is None else list(args)
        if JSON not in words:
            return super().main(args=args, **options)
        try:
            code = super().main(args=args, **options | {"standalone_mode": False})
        except USAGE_ERROR as error:
            answer({"error": error.format_message(), "exit_code": BAD_INPUT})
            say(f"robotphi: {error.format_message()}")
            sys.exit(BAD_INPUT)
        sys.exit(code or 0)


app = typer.Typer(name="robotphi", cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
                  context_settings={"help_option_names": ["-h", "--help"]})
app.command("run")(run_command)
app.command("list")(list_command)
app.command("info")(info_command)
app.command("lint")(lint_command)
app.command("view")(view_command)
app.command("convert")(convert_command)
app.command("schema")(schema_command)
app.command("verify")(verify_command)
app.command("replay")(replay_command)
app.command("repair")(repair_command)
app.command("pack")(pack_command)
app.command("export")(export_command)
app.command("bench", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(bench_command)


def _print_version(wanted: bool):
    if wanted:
        print(f"robotphi {__version__}")
        raise typer.Exit


@app.callback()
def robotphi(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True,
                                          help="Print the version and stop.")] = False,
):
    """Robot Φ: particles, rigid primitives and springs, with a ledger that accounts for every joule.

    Exit code 0: done; 1: the run or a check failed; 2: bad input.
    """


def enter(commands, name):
    """Run the commands of this process by its words, and end it by their exit code; `name` is what messages begin with."""
    open_streams()
    code, before = 0, where_output_goes()
    try:
        commands()
    except SystemExit as ending:   # where nobody reads on typer and rich end by 1, with something else in place of the output
        code = ending.code if where_output_goes() == before else UNREAD
    except BrokenPipeError:
        code = UNREAD
    except OSError as error:   # standard output is full
        say(f"{name}: {error}")
        lead_nowhere()
        code = FAILED
    if code == UNREAD:
        lead_nowhere()
    sys.exit(code or close_output())


def main():
    """Entry point of the command `robotphi`."""
    enter(app, "robotphi")
