"""What every command shares: where it writes, how it ends, and how errors become words.

Exit codes: 0 done, 1 the run or a check failed, 2 bad input, 141 nobody reads on (what shells tell of a program that SIGPIPE
ended). With `--json` standard output carries one JSON document and nothing else, also when the command fails.
"""
import json
import os
import sys
from contextlib import contextmanager, redirect_stdout
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from robotphi.errors import CheckFailed, ControllerFailed, RobotphiError, SimulationDiverged
from robotphi.scenario.perform import any_encoding, plain_json

DONE, FAILED, BAD_INPUT, UNREAD = 0, 1, 2, 141
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
    """The one JSON document of a command; letters that its encoding may lack are escaped."""
    plain = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "") != "utf8"
    print(json.dumps(plain_json(document), indent=2, ensure_ascii=plain))


@contextmanager
def own_output(as_json):
    """With `--json`, what a scenario prints goes to standard error: standard output has the one document."""
    if not as_json:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def open_streams():
    """Streams that were closed by whoever started the program lead nowhere; letters that an encoding lacks end nothing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    any_encoding()


def close_output():
    """Write what is left of standard output; the exit code, with a message where it cannot be written though somebody reads."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        lead_nowhere()
        return UNREAD
    except OSError as error:
        lead_nowhere()
        say(f"robotphi: standard output cannot be written: {error.strerror}")
        return FAILED
    return DONE


def where_output_goes():
    """What standard output is: the stream, and the file behind it."""
    behind = os.fstat(sys.stdout.fileno())
    return sys.stdout, behind.st_dev, behind.st_ino, behind.st_rdev


def lead_nowhere():
    """Put the null device behind standard output, so that what waits in its buffer does not fail again at the very end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


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
    except (CheckFailed, ControllerFailed, SimulationDiverged) as error:
        _give_up(error, FAILED, as_json)
    except RobotphiError as error:
        _give_up(error, BAD_INPUT, as_json)
    except KeyboardInterrupt:
        _give_up("interrupted", FAILED, as_json)
    except OSError as error:
        if error.filename is None:   # standard output, see `enter`
            raise
        _give_up(f"{error.filename}: {error.strerror}; name another file", BAD_INPUT, as_json)
    except MemoryError as error:
        _give_up(f"the memory of this machine is too small for that ({error})", FAILED, as_json)


def _give_up(error, code, as_json):
    if as_json:
        answer({"error": str(error), "exit_code": code})
    say(f"robotphi: {error}")
    raise typer.Exit(code)
