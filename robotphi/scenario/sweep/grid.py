"""What is swept: words such as k=0.1,0.2,0.5 or k=lin(0,1,11), and the points of the grid that several of them make.

The words are taken apart by a pattern; nothing of them is evaluated.
"""
import json
import math
import re
from itertools import product
from typing import NamedTuple

from robotphi.errors import ScenarioError

MOST = 10_000   # points of a grid
SPACED = re.compile(r"(lin|log)\(([^()]*)\)")
EXAMPLES = "give for example --sweep k=0.1,0.2,0.5, --sweep \"k=lin(0,1,11)\" or --sweep \"k=log(1e-3,1,4)\""


class Axis(NamedTuple):
    """A knob and the values that it takes."""
    name: str
    values: tuple
    spacing: str    # "lin", "log" or "list"


def parse_sweep(words):
    """A list of `Axis` of words such as k=lin(0,1,11)."""
    axes = []
    for word in words:
        name, equals, text = word.partition("=")
        if not (name and equals and text):
            raise ScenarioError(f"--sweep {word!r} is not name=values; {EXAMPLES}")
        if name in (axis.name for axis in axes):
            raise ScenarioError(f"--sweep {name} is given twice; give all its values at once")
        spaced = SPACED.fullmatch(text.strip())
        values = _spaced(word, spaced[1], spaced[2]) if spaced else tuple(map(scalar, text.split(",")))
        if "" in values or (not spaced and re.match(r"\w+\(", text)):
            raise ScenarioError(f"--sweep {word!r} cannot be read; {EXAMPLES}")
        if len(set(map(repr, values))) < len(values):
            raise ScenarioError(f"--sweep {word!r} has a value twice; give each once")
        axes.append(Axis(name, values, spaced[1] if spaced else "list"))
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST:
        raise ScenarioError(f"the sweep has {count:,} points, more than {MOST:,}; give fewer values")
    return axes


def scalar(text):
    """A value of a word: a JSON number, true, false or null, and a text otherwise."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, list | dict) else value


def _spaced(word, way, inside):
    """The values of lin(from, to, count) or log(from, to, count); both ends are among them to the bit."""
    given = [scalar(text.strip()) for text in inside.split(",")]
    if len(given) != 3 or not all(isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each)
                                  for each in given):
        raise ScenarioError(f"--sweep {word!r}: {way} takes three numbers, from, to and how many; {EXAMPLES}")
    first, last, count = float(given[0]), float(given[1]), given[2]
    if not (isinstance(count, int) and 2 <= count <= MOST) or first == last:
        raise ScenarioError(f"--sweep {word!r}: {way} takes two different ends and a whole number of values from 2 to {MOST:,}")
    if way == "lin":
        inner = [(first * (count - 1 - k) + last * k) / (count - 1) for k in range(1, count - 1)]
    elif first * last > 0.0:
        inner = [first * (last / first) ** (k / (count - 1)) for k in range(1, count - 1)]
    else:
        raise ScenarioError(f"--sweep {word!r}: a ratio leads from {first:g} to {last:g} only where both have one sign and "
                            "neither is 0; use lin")
    return first, *inner, last


def grid(axes, defaults):
    """Name → value of every point, the last axis fastest; whole numbers where the knob's default is one."""
    whole = {name for name, default in defaults.items() if isinstance(default, int) and not isinstance(default, bool)}

    def fitting(name, value):
        return int(value) if name in whole and isinstance(value, float) and value.is_integer() else value

    return [{axis.name: fitting(axis.name, value) for axis, value in zip(axes, values, strict=True)}
            for values in product(*(axis.values for axis in axes))]
