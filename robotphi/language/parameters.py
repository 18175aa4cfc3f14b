"""Parameters: numbers and words of a file that are set from outside, each with unit, bounds and meaning."""
from typing import NamedTuple

from robotphi.errors import SceneFileError
from robotphi.language.nodes import fail
from robotphi.language.scope import nearest, worked_out

WORDS = ("default", "unit", "low", "high", "choices", "about")


class Parameter(NamedTuple):
    """A parameter of a file or part, and what it stands at."""
    name: str
    default: object
    value: object
    unit: str
    low: float | None
    high: float | None
    choices: tuple
    about: str


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
        context.scope.values[name] = found[name].value
    return found


def _parameter(name, node, context, given):
    entries = node.value if node.is_map else {"default": node}
    for word in entries:
        if word not in WORDS:
            fail(node.key(word), f"a parameter has no {word!r}", nearest(word, list(WORDS)))
    if "default" not in entries:
        fail(node, f"parameter {name!r} without default", "give default: and a number, a text, true or false")
    told = {word: _plain(entries[word], context) for word in entries}
    for word, wanted in (("unit", str), ("about", str), ("low", (int, float)), ("high", (int, float)), ("choices", list)):
        if word in told and (not isinstance(told[word], wanted) or isinstance(told[word], bool)):
            fail(entries[word], f"{word} of {name!r} is {entries[word].told()}",
                 {"choices": "give a list"}.get(word, "give a text" if wanted is str else "give a number"))
    place, value = given.get(name, (entries["default"], told["default"]))
    made = Parameter(name, told["default"], value, told.get("unit", ""), told.get("low"), told.get("high"),
                     tuple(told.get("choices", ())), told.get("about", ""))
    problem = _wrong(made)
    if problem and place is None:
        raise SceneFileError(f"parameter {name!r}: {problem}")
    return made if not problem else fail(place, f"parameter {name!r}: {problem}")


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


def _plain(node, context):
    if node.is_map:
        fail(node, f"{node.told()} in a parameter", "give a number, a text, true, false or a list")
    return [_plain(each, context) for each in node.value] if node.is_list else worked_out(node, context)
