"""What every command shares: where it writes, how it ends, and how errors become words.

Exit codes: 0 done, 1 the run or a check failed, 2 bad input. With `--json` standard output carries one JSON document
and nothing else, also when the command fails.
"""
import json
import sys
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from robotphi.errors import CheckFailed, RobotphiError, SimulationDiverged
from robotphi.scenario.perform import plain_json

DONE, FAILED, BAD_INPUT = 0, 1, 2
JSON = "--json"
AsJson = Annotated[bool, typer.Option(JSON, help="One JSON document on standard output.")]
WIDE = 160  # columns where no terminal says how wide it is


def console(stderr=False):
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(stderr=stderr, highlight=False, markup=False, soft_wrap=True, width=width)


def say(text):
    """A line for people on standard error."""
    console(stderr=True).print(text)


def answer(document):
    """The one JSON document of a command."""
    print(json.dumps(plain_json(document), indent=2, ensure_ascii=False))


def table(title, *columns):
    """An empty table; a column name that ends in ">" is aligned to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")
    for name in columns:
        made.add_column(name.rstrip(">"), justify="right" if name.endswith(">") else "left")
    return made


@contextmanager
def exit_codes(as_json=False):
    """Turn what can go wrong into a message and an exit code; never a traceback for bad input."""
    try:
        yield
    except (CheckFailed, SimulationDiverged) as error:
        _give_up(error, FAILED, as_json)
    except RobotphiError as error:
        _give_up(error, BAD_INPUT, as_json)
    except KeyboardInterrupt:
        _give_up("interrupted", FAILED, as_json)


def _give_up(error, code, as_json):
    if as_json:
        answer({"error": str(error), "exit_code": code})
    say(f"robotphi: {error}")
    raise typer.Exit(code)
