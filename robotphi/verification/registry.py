"""Cases: named comparisons of the simulator with an exact answer; `run_cases` runs them and gives plain results."""
import difflib
import importlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from robotphi.errors import RobotphiError

# whose import fills the registry
MODULES = ("springs_and_time", "orders", "beams_and_rods", "rigid_primitives", "inertia", "materials",
           "contact_hits", "contact_friction", "contact_rolling", "contact_distance",
           "contact_balance", "contact_effective", "paths", "joints")
_cases = {}


@dataclass(frozen=True)
class Figure:
    """One number of a case: what the simulator says beside what is exact, and how far apart they may be."""
    reference: float
    value: float
    tolerance: float
    what: str = ""


@dataclass(frozen=True)
class Case:
    """A comparison that can be run; `run` takes nothing and gives a `Figure` or several."""
    name: str
    group: str
    what: str
    source: str
    run: Callable


@dataclass(frozen=True)
class Result:
    """One number compared: `error` = |value − reference|, passed where it is within `tolerance`."""
    name: str
    group: str
    what: str
    reference: float
    value: float
    error: float
    tolerance: float
    passed: bool
    source: str
    seconds: float


def case(group, name, what, source):
    """Register the decorated function, which returns a `Figure` or a list of them, as a case."""
    def register(run):
        if name in _cases:
            raise RobotphiError(f"two verification cases are named {name!r}; give one of them another name")
        _cases[name] = Case(name, group, what, source, run)
        return run
    return register


def all_cases():
    """Every case by name, in the order of the groups."""
    for module in MODULES:
        importlib.import_module(f"robotphi.verification.{module}")
    return dict(_cases)


def run_case(chosen):
    """The results of one case; an error inside it is a failed result that says what happened."""
    start = time.perf_counter()
    try:
        figures = chosen.run()
        figures = [figures] if isinstance(figures, Figure) else list(figures)
    except Exception as problem:  # whatever it is, the other cases must still run
        figures = [Figure(math.nan, math.nan, math.nan, f"stopped by {type(problem).__name__}: {problem}")]
    share = (time.perf_counter() - start) / len(figures)
    return [_result(chosen, figure, share) for figure in figures]


def _result(chosen, figure, seconds):
    error = abs(figure.value - figure.reference)
    what = f"{chosen.what}, {figure.what}" if figure.what else chosen.what
    return Result(chosen.name, chosen.group, what, float(figure.reference), float(figure.value), float(error),
                  float(figure.tolerance), bool(error <= figure.tolerance), chosen.source, seconds)


def run_cases(names=None, groups=None, progress=None):
    """Run the cases of these names or groups (all without either): a list of `Result`.

    Args:
        names: case names; groups: group names. A case runs when it is in either.
        progress: called as `progress(case, done, total)` before each case.
    """
    cases = all_cases()
    known = {"case": list(cases), "group": sorted({each.group for each in cases.values()})}
    for kind, wanted in (("case", names), ("group", groups)):
        for name in wanted or ():
            if name not in known[kind]:
                near = difflib.get_close_matches(name, known[kind], 3, 0.3) or known[kind]
                raise RobotphiError(f"no verification {kind} is named {name!r}; did you mean {', '.join(near)}?")
    chosen = [each for each in cases.values()
              if (names is None and groups is None) or each.name in (names or ()) or each.group in (groups or ())]
    results = []
    for done, each in enumerate(chosen):
        if progress is not None:
            progress(each, done, len(chosen))
        results += run_case(each)
    return results
