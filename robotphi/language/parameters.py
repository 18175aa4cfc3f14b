"""Parameters: numbers and words of a file that are set from outside, each with unit, bounds and meaning.

Plain numbers of a parameter, in the file and from outside, are in its unit; expressions give SI, and get it.
"""
from typing import NamedTuple

from robotphi.errors import SceneError, SceneFileError
from robotphi.language.expressions import is_expression
from robotphi.language.nodes import fail
from robotphi.language.scope import nearest, worked_out
from robotphi.scene.written_units import unit_of

WORDS = ("default", "unit", "low", "high", "choices", "about")


class Parameter(NamedTuple):
    """A parameter of a file or part, or a knob of a function that builds a scene, and what it stands at.

    Attributes:
        value, low, high, choices, default: in its unit.
        factor: of its unit, to SI.
    """
    name: str
    value: object
    unit: str = ""
    low: float | None = None
    high: float | None = None
    about: str = ""
    factor: float = 1.0
    choices: tuple = ()
    default: object = None

    @property
    def si(self):
        """The value as expressions get it."""
        return self.in_si(self.value)

    def in_si(self, value):
        """A value in its unit, as expressions get it."""
        return _times(value, self.factor)


def parameters_of(node, context, given):
    """Name → Parameter of a section, later ones of which may use earlier ones.

    `given`: name → (node or None, value) of those that are set.
    """
    found = {}
    if not node.is_map:
        fail(node, f"parameters: is {node.told()}", "give {name: {default: …, unit: …, low: …, high: …, about: …}}")
    for name, inner in node.value.items():
        if not name.isidentifier():
            fail(node.key(name), f"{name!r} is no name of a parameter", "give a word of letters, digits and _")
        if name in context.scope.values:
            fail(node.key(name), f"{name!r} stands for something here already", "call one of them otherwise")
        found[name] = _parameter(name, inner, context, given)
        context.scope.values[name] = found[name].si
    return found


def _parameter(name, node, context, given):
    entries = node.value if node.is_map else {"default": node}
    for word in entries:
        if word not in WORDS:
            fail(node.key(word), f"a parameter has no {word!r}", nearest(word, list(WORDS)))
    if "default" not in entries:
        fail(node, f"parameter {name!r} without default", "give default: and a number, a text, true or false")
    factor = _factor(name, entries.get("unit"), context)
    told = {word: _plain(entries[word], context, factor) for word in entries}
    for word, wanted in (("unit", str), ("about", str), ("low", (int, float)), ("high", (int, float)), ("choices", list)):
        if word in told and (not isinstance(told[word], wanted) or isinstance(told[word], bool)):
            fail(entries[word], f"{word} of {name!r} is {entries[word].told()}",
                 {"choices": "give a list"}.get(word, "give a text" if wanted is str else "give a number"))
    place, value = given.get(name, (entries["default"], told["default"]))
    if name in given and place is not None:
        value = _in_unit(place, value, factor)
    made = Parameter(name, value, told.get("unit", ""), told.get("low"), told.get("high"), told.get("about", ""), factor,
                     tuple(told.get("choices", ())), told["default"])
    problem = _wrong(made)
    if problem and place is None:
        raise SceneFileError(f"parameter {name!r}: {problem}")
    return made if not problem else fail(place, f"parameter {name!r}: {problem}")


def _factor(name, node, context):
    """Of a unit, to SI."""
    said = "" if node is None else _plain(node, context)
    if not isinstance(said, str):
        return 1.0   # refused with the other words
    try:
        return unit_of(said, f"unit of {name!r}").factor
    except SceneError as error:
        return fail(node, f"{error}; what else it counts can stand in about:")


def _wrong(parameter):
    """What is wrong with the value of a parameter, "" where nothing is."""
    value, default = parameter.value, parameter.default
    unit = f" {parameter.unit}" if parameter.unit else ""
    if _kind(value) != _kind(default):
        return f"it is {value!r:.60}; give {_kind(default)}, such as {default!r:.60}"
    if parameter.choices and value not in parameter.choices:
        return f"it is {value!r:.60}; {nearest(value, list(map(str, parameter.choices)))}"
    if _kind(value) != "a number":
        return ""
    if parameter.low is not None and not value >= parameter.low:
        return f"it is {value:g}{unit}; it must be at least {parameter.low:g}{unit}"
    if parameter.high is not None and not value <= parameter.high:
        return f"it is {value:g}{unit}; it must be at most {parameter.high:g}{unit}"
    return ""


def _kind(value):
    return "true or false" if isinstance(value, bool) else "a number" if isinstance(value, (int, float)) else \
        "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "a number, a text or a list"


def _plain(node, context, factor=1.0):
    if node.is_map:
        fail(node, f"{node.told()} in a parameter", "give a number, a text, true, false or a list")
    if node.is_list:
        return [_plain(each, context, factor) for each in node.value]
    return _in_unit(node, worked_out(node, context), factor)


def _in_unit(node, value, factor):
    """What a node gives, in a unit: expressions give SI."""
    if node.is_list:
        return [_in_unit(each, one, factor) for each, one in zip(node.value, value, strict=True)]
    return _times(value, 1.0 / factor) if node.is_text and is_expression(node.value) else value


def _times(value, factor):
    """Numbers, those of a list too, by a factor; all else as it is."""
    if isinstance(value, list):
        return [_times(each, factor) for each in value]
    return value * factor if factor != 1.0 and _kind(value) == "a number" else value
