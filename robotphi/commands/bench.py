"""`robotphi bench`: our kernels against C on this machine; the benchmark stands in the clone, not in the wheel."""
import importlib.util
import io
import shutil
import sys
from contextlib import redirect_stderr
from pathlib import Path

import typer

from robotphi.commands.output import JSON, AsJson, exit_codes
from robotphi.errors import ScenarioError

COMPILER = "gcc"
PACKAGE = "_robotphi_bench"


def bench_command(
    context: typer.Context,
    as_json: AsJson = False,
):
    """Time the kernels against C of the same physics.

    The benchmark also takes --quick, --sizes 200,10000, --repeats N, --bare (no adaptive step) and --save NAME.

    Example: robotphi bench --quick --json
    """
    with exit_codes(as_json):
        bench = load_bench(bench_file())
        arguments = [*context.args, *([JSON] if as_json else [])]
        if as_json:
            _check_words(bench, arguments)
        code = bench.main(arguments)
    raise typer.Exit(code or 0)


def load_bench(path):
    """The benchmark, as a module of the package that its folder is."""
    folder = path.parent
    spec = importlib.util.spec_from_file_location(PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)])
    sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{PACKAGE}.{path.stem}")


def _check_words(bench, arguments):
    """The benchmark's own parser ends the program at a word it does not take; with `--json` that is an error to answer."""
    words = io.StringIO()
    try:
        with redirect_stderr(words):
            bench.parse(arguments)
    except SystemExit as ending:
        if ending.code:
            raise ScenarioError(words.getvalue().strip().rpartition("error: ")[2]) from ending
        raise


def bench_file():
    """The benchmark in the clone, where a compiler can build its C."""
    path = Path(__file__).resolve().parents[2] / "tests" / "speed" / "bench.py"
    if not path.is_file():
        raise ScenarioError(f"the benchmark belongs to the source tree, not to an installed package: there is no "
                            f"{path}; run `robotphi bench` from an editable install of a clone")
    if shutil.which(COMPILER) is None:
        raise ScenarioError(f"the benchmark needs a C compiler, and there is no {COMPILER} on the path; install it")
    return path
