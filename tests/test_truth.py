"""The tests tell the truth on any machine: none looks at a clock, counts processors, or waits too briefly for a slow one.

`tests/speed` measures, for `robotphi bench`; what it finds decides no test. A test of what looks at a clock takes the argument
`clock`, a `tests.clock.Clock`: it goes on by looks, so that seconds are numbers like any other.
"""
import ast
from contextlib import suppress

from tests import ROOT

MODULES = {"time", "timeit", "resource", "datetime", "sched"}
FUNCTIONS = {"cpu_count", "process_cpu_count", "sched_getaffinity", "getloadavg", "times", "Timer", "sleep"}  # of os and others
WAITS = {"timeout", "wall_limit", "patience"}  # arguments that end something after so many seconds
TOOLS = {"test_truth.py", "long_run.py", "mutated_files.py", "kill_all.py"}   # all but the first: programs that tell times
LEAST = 600  # s: a wait may guard against what hangs


def names(node):
    """What a node takes from other modules, and what it calls on them."""
    if isinstance(node, ast.Import):
        return {each.name.split(".")[0] for each in node.names} & MODULES
    if isinstance(node, ast.ImportFrom):
        return {node.module} & MODULES | {each.name for each in node.names} & FUNCTIONS
    if not isinstance(node, ast.Attribute):
        return set()
    of_os = isinstance(node.value, ast.Name) and node.value.id == "os"   # what was measured has times as well
    return {node.attr} & FUNCTIONS - (set() if of_os else {"times"})


def short_waits(node):
    """Arguments of a call that end it too early on a slow machine."""
    for keyword in node.keywords if isinstance(node, ast.Call) else ():
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg in WAITS and isinstance(value, (int, float)) and value < LEAST:
            yield f"{keyword.arg}={value}"
        if keyword.arg == "deadline" and not (isinstance(keyword.value, ast.Constant) and value is None):
            yield "deadline"  # of hypothesis


def faults(text):
    """What in a program depends on the machine, and in the programs in it that are run elsewhere."""
    nodes, found = list(ast.walk(ast.parse(text))), []
    own = [node for node in nodes if isinstance(node, ast.FunctionDef) and "clock" in {each.arg for each in node.args.args}]
    by_looks = {each for function in own for each in ast.walk(function)}
    for node in nodes:
        found += [*names(node), *(short_waits(node) if node not in by_looks else ())]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value:
            with suppress(SyntaxError):  # words
                found += faults(node.value)
    return found


def test_no_test_depends_on_how_fast_or_busy_a_machine_is():
    paths = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name != "speed" and path.name not in TOOLS]
    assert len(paths) > 100
    found = {str(path.relative_to(ROOT)): faults(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: what for path, what in found.items() if what} == {}


def test_what_depends_on_the_machine_is_seen():
    for text in ("import time", "from time import perf_counter", "import os\nos.cpu_count()", "from os import getloadavg",
                 "run(wall_limit=20)", "wait(timeout=60.0)", "settings(deadline=200)", "Timer = threading.Timer(0.3, stop)",
                 'PROGRAM = "import time\\nprint(1)"', "def test(frames):\n    run(wall_limit=0.3)"):
        assert faults(text), text
    for text in ("settings(deadline=None)", "wait(timeout=600)", "def test(clock):\n    run(wall_limit=0.3)",
                 "recording.time[0]", "'it is important to import ice'"):
        assert not faults(text), text
