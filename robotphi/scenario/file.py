"""Scenario files: found by name or path, loaded, and asked which knobs they have."""
import ast
import difflib
import importlib.util
import inspect
import os
import sys
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from robotphi.errors import RobotphiError, ScenarioError
from robotphi.scenario.scene_file import ENDINGS, SceneModule

RUN_OPTIONS = ("threads", "until", "wall_limit", "progress")


@dataclass(frozen=True)
class Scenario:
    """A scenario file, loaded."""
    name: str
    path: Path
    module: object

    @property
    def summary(self):
        return (self.module.__doc__ or "").strip().partition("\n")[0]

    @property
    def is_study(self):
        """Whether it runs several scenes by a function of its own."""
        return callable(getattr(self.module, "run", None))

    @property
    def study_knobs(self):
        """Name → default of what `run` takes; nothing where there is no study."""
        if not self.is_study:
            return {}
        handed_on = self.scene_knobs if _takes_any(self.module.run) else {}
        return handed_on | _without_options(parameters(self.module.run))

    @property
    def scene_knobs(self):
        """Name → default of what `build` takes."""
        return _without_options(parameters(self.module.build))

    @property
    def knobs(self):
        """Name → default of everything that can be set; where both have a knob, the default of the study."""
        return self.study_knobs | {name: default for name, default in self.scene_knobs.items() if name not in self.study_knobs}


def scenario_folder():
    """Where the scenarios are: inside an installed package, beside the package in a clone."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "_scenarios"
    return shipped if shipped.is_dir() else package.parent / "scenarios"


def list_scenarios():
    """Name → first line of the docstring, of every scenario that can be run by name; nothing is imported."""
    found = {}
    for path in sorted(scenario_folder().glob("*.py")):
        if not path.name.startswith("_"):
            found[path.stem] = _first_line(path)
    return found


def _first_line(path):
    try:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, SyntaxError) as error:
        return f"cannot be read: {error}"
    return (docstring or "").partition("\n")[0]


def load_scenario(name_or_path, allow=()):
    """Load a scenario by its name, or by the path of any file that follows the contract, or of a scene file.

    `allow`: folders from which a scene file may read, beside its own.
    """
    text = str(name_or_path)
    path = Path(text)
    if path.suffix.lower() in ENDINGS:
        return Scenario(path.stem, path.resolve(), SceneModule(path, allow))
    if path.suffix != ".py" and len(path.parts) == 1:
        known = list_scenarios()
        if text not in known:
            there = ", ".join(known) or "none"
            raise ScenarioError(f"unknown scenario {text!r}{_nearest(text, known)}; there are: {there}")
        path = scenario_folder() / f"{text}.py"
    if not path.is_file():
        raise ScenarioError(f"there is no scenario file {path}; give the path of a .py or .yaml file, or a name from "
                            f"`robotphi list`")
    path = path.resolve()
    module = import_file(path)
    for needed in ("build", "check", "draw"):
        if not callable(getattr(module, needed, None)):
            raise ScenarioError(f"{path} has no function {needed}; a scenario offers build, check and draw")
    return Scenario(path.stem, path, module)


def _nearest(word, known):
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return f", did you mean {' or '.join(close)}?" if close else ""


def import_file(path):
    name = f"_robotphi_scenario_{path.stem}_{sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ScenarioError(f"{path} is not a Python file; a scenario is a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickled functions of the file look their module up
    try:
        with same_folder():
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ScenarioError(f"{path} cannot be loaded: {reason(error, path)}") from error
    return module


@contextmanager
def same_folder():
    """Go back to the present folder in the end, wherever a scenario has gone: paths of files are relative to it."""
    before = os.getcwd()
    try:
        yield
    finally:
        os.chdir(before)


def reason(error, path):
    """What went wrong and in which line of the scenario file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = lines[-1] if lines else getattr(error, "lineno", None)
    what = (str(error) if isinstance(error, RobotphiError) else f"it ends the program, sys.exit({error.code!r:.60})"
            if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}")
    return what + (f" (line {line})" if line else "")


# Knobs ---------------------------------------------------------------------------------------------------------------

def parameters(function):
    """Name → default of the named parameters of a function."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: each.default for name, each in inspect.signature(function).parameters.items() if each.kind in kinds}


def _without_options(named):
    return {name: default for name, default in named.items() if name not in RUN_OPTIONS}


def _takes_any(function):
    return any(each.kind is inspect.Parameter.VAR_KEYWORD for each in inspect.signature(function).parameters.values())


def accepted(function, values):
    """Those of the values that a function takes by name."""
    named = parameters(function)
    return {name: value for name, value in values.items() if name in named or _takes_any(function)}


def _kind(value):
    if isinstance(value, bool):
        return "true or false"
    return "a number" if isinstance(value, int | float) else "a text" if isinstance(value, str) else ""


def checked_knobs(scenario, knobs):
    """The knobs, each known to the scenario and of the kind of its default."""
    known = scenario.knobs
    for name, value in knobs.items():
        if name not in known:
            raise ScenarioError(f"{scenario.name} has no knob {name!r}{_nearest(name, known)}; "
                                f"it has: {', '.join(known) or 'none; those of a scene file are its parameters:'}")
        default = known[name]
        wanted, given = _kind(default), _kind(value)
        if wanted and given != wanted:
            raise ScenarioError(f"knob {name!r} of {scenario.name} takes {wanted} such as {default!r}, not {value!r}")
    return dict(knobs)
