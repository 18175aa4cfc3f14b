"""Fields: of each verb and function its arguments, with kind, unit, bounds, default and meaning.

Names and defaults are those of Python's signature, kinds, units and bounds of the table, meanings of the docstring. All that is
told of the language follows from here: what the binder takes, the schema, the reference and the help.
"""
import inspect
import re
from functools import cache
from typing import NamedTuple

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.language.functions import function_called, verb_called
from robotphi.language.table import COMMON
from robotphi.language.table_own import OWN
from robotphi.scene.sensors import QUANTITIES

REQUIRED = inspect.Parameter.empty
WORDS_OF = {"JOINTS": tuple(JOINTS), "QUANTITIES": tuple(QUANTITIES)}   # words that stand in a table of their own
BOUND = re.compile(r"(>=|>|<=|<)(.+)")


class Field(NamedTuple):
    """An argument.

    Attributes:
        kind: as in the table.
        unit: "" where it has none, or where it depends on what is driven.
        bounds: ((sign, number), …).
        words: those allowed; () where any is.
        default: REQUIRED where it has to be given.
        meaning: for people.
    """
    name: str
    kind: str
    unit: str
    bounds: tuple
    words: tuple
    default: object
    meaning: str

    @property
    def required(self):
        return self.default is REQUIRED

    def told(self):
        """Kind, unit and bounds for people."""
        parts = [" or ".join(map(_plural, self.kind.split("|")))]
        parts += [f"[{self.unit.replace('|', ' or ')}]"] if self.unit else []
        parts += [" ".join(f"{sign} {bound:g}" for sign, bound in self.bounds)] if self.bounds else []
        return " ".join(parts) + (f": {', '.join(self.words)}" if self.words else "")


def _plural(kind):
    if kind[0] == "[":
        return f"a list of {kind[1:-1]}"
    return f"name: {_plural(kind[1:-1])}" if kind[0] == "{" else kind


def _rows():
    found = {}
    for line in (COMMON + OWN).splitlines():
        if line:
            name, kind, unit, *rest = line.split()
            rest = [*WORDS_OF[rest[0]]] if rest and rest[0] in WORDS_OF else rest
            if name in found:
                raise ValueError(f"two rows of {name}")
            found[name] = (kind, "" if unit == "-" else unit, tuple(rest))
    return found


ROWS = _rows()


@cache
def fields_of(owner):
    """Name → Field of a verb ("add_ball", "Scene") or a function ("box")."""
    is_verb = _is_verb(owner)
    function = verb_called("__init__" if owner == "Scene" else owner) if is_verb else function_called(owner)
    text = inspect.getdoc(_described(function, owner)) or ""
    parameters = [each for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
    left_out = 2 if owner == "add_robot" else 1 if is_verb else 0   # the scene itself; the robot is a field
    parameters = [each for place, each in enumerate(parameters) if place >= left_out or each.name == "robot"]
    meanings = meanings_in(text, tuple(each.name for each in parameters))
    return {each.name: _field(owner, each, meanings, text) for each in parameters
            if not (is_verb and owner != "Scene" and each.name in ("name", "function"))}


def _is_verb(owner):
    return owner == "Scene" or owner.startswith(("add_", "set_", "exclude_")) or owner == "relate"


def _described(function, owner):
    if owner == "Scene":
        from robotphi.scene.scene import Scene

        return Scene
    return function


def _field(owner, parameter, meanings, text):
    kind, unit, rest = ROWS.get(f"{owner}.{parameter.name}") or ROWS[parameter.name]
    bounds = tuple((match[1], float(match[2])) for match in map(BOUND.fullmatch, rest) if match)
    words = tuple(word for word in rest if not BOUND.fullmatch(word))
    meaning = meanings.get(parameter.name) or _elsewhere(owner, parameter.name, text)
    default = REQUIRED if owner == "Scene" and parameter.name == "name" else parameter.default
    return Field(parameter.name, kind, unit, bounds, words, default, meaning)


def _elsewhere(owner, name, text):
    """The meaning where the docstring points to another verb."""
    for other in re.findall(r"as in `(add_\w+)`", text):
        if other != owner and name in fields_of(other):
            return fields_of(other)[name].meaning
    return ""   # what the function is for says it


@cache
def meanings_in(text, names):
    """Argument → what a docstring says of it under Args or Attributes."""
    begin = [text.find(f"\n{head}:\n") for head in ("Args", "Attributes")]
    body = "".join(text[at:].partition(":\n")[2].partition("\n\n")[0] + "\n" for at in begin if at >= 0)
    entries = re.split(r"\n(?=    \S)", "\n" + body)
    found, known = {}, "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "$^"
    label = re.compile(rf"(?:^|(?<=[;,.] )|(?<= or ))((?:{known})(?:, (?:{known}))*): ")
    for entry in entries:
        parts = label.split(" ".join(entry.split()))
        for heads, said in zip(parts[1::2], parts[2::2], strict=True):
            said = re.sub(r"[;,]?( or)?\s*$", "", said).rstrip(".") + "."
            for name in heads.split(", "):
                if not said.startswith("as in"):
                    found.setdefault(name, said)
    return found


def summary_of(owner):
    """What a verb or function is for: the first lines of its docstring."""
    function = verb_called("__init__" if owner == "Scene" else owner) if _is_verb(owner) else function_called(owner)
    return " ".join((inspect.getdoc(_described(function, owner)) or "").partition("\n\n")[0].split())
