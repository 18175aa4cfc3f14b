"""Parameters of a written scene: which of its numbers follow which knobs, found by writing it with other values of them.

A scene that is said by a function keeps the numbers that came out, not how they came about. So it is built again with another
value of one knob at a time: a number that changes is a product c p^e q^f … of powers, or a + b p, or it follows in another way;
then the knob stays a value. An expression gives the very bits at the values that stand in the file, and to 1e-9 the numbers of
the scene where all knobs have others.
"""
from itertools import product
from math import inf, isclose, isfinite
from typing import Any, NamedTuple

import numpy as np

from robotphi.errors import RobotphiError
from robotphi.language.blocks import SECTIONS
from robotphi.language.expressions import CONSTANTS, FUNCTIONS, TIME, ExpressionError, evaluate

POWERS = (1, -1, 2, -2, 3, -3)
SAME = 1e-9                    # relative: numbers that were worked out in another order of operations
NEAR = (0.125, -0.0625)        # by which floats are changed, of themselves: sums of powers of two …
FAR = (1.0, -0.5)              # … and, where numbers alone change by that, once more
BEHIND = (*SECTIONS, "figures")   # of a file, behind its parameters
TAKEN = {*CONSTANTS, *FUNCTIONS, TIME}


class Written(NamedTuple):
    """A scene as it is written: the numbers and words of the document by their places, and the arrays beside it."""
    leaves: dict
    arrays: dict


def parametrised(document, arrays, knobs, write):
    """The document with expressions, and the names of knobs that stay values.

    Args:
        document, arrays: as the scene is written with the knobs as they are.
        knobs: numbers that a scene is built by, each a `Parameter`.
        write: values by name → (document, arrays), of the scene with other values.
    """
    first = Written(dict(_leaves(document)), arrays)
    knobs = [knob for knob in knobs if _may_be_one(knob, document)]
    seen = {knob.name: _looked(first, knob, write) for knob in knobs}
    seen = {name: found for name, found in seen.items() if found is not None}
    chosen = {knob.name: knob for knob in knobs if seen.get(knob.name)}
    while chosen:
        told, lost = _expressions(first, chosen, seen)
        if not lost and _holds(first, chosen, told, write):
            break
        for name in lost or list(chosen):
            del chosen[name]
    stay = [knob.name for knob in knobs if knob.name not in chosen and (knob.name not in seen or seen[knob.name])]
    if not chosen:
        return document, stay
    made = _replaced(document, {place: f"= {text}" for place, text in told.items()})
    behind = [name for name in made if name in BEHIND]
    parameters = {"parameters": {name: _said(knob) for name, knob in chosen.items()}}
    return {name: made[name] for name in made if name not in BEHIND} | parameters | {name: made[name] for name in behind}, stay


def _may_be_one(knob, document):
    """Whether a knob is a finite number whose name means nothing else."""
    return (isinstance(knob.value, (int, float)) and not isinstance(knob.value, bool) and isfinite(knob.value)
            and knob.name.isidentifier() and knob.name not in TAKEN and knob.name not in document.get("define", {}))


def _said(knob):
    """A knob as it stands in the section of parameters."""
    told = {word: getattr(knob, word) for word in ("unit", "low", "high", "about") if getattr(knob, word) not in ("", None)}
    return {"default": knob.value, **told} if told else knob.value


def others(knob):
    """Other values of a knob within its bounds, near ones first."""
    if isinstance(knob.value, int):
        steps = (1, 2, -1, -2)
        values = [*(knob.value + step for step in steps), 2 * knob.value, knob.value // 2]
    else:
        values = [knob.value + step * (abs(knob.value) or 1.0) for step in (*NEAR, *(-each for each in NEAR), *FAR)]
    low, high = (-inf if knob.low is None else knob.low), (inf if knob.high is None else knob.high)
    return [value for value in dict.fromkeys(values) if low <= value <= high and value != knob.value]


def _looked(first, knob, write):
    """[(value in SI, place → number there)] of other values of a knob, [] where it changes nothing; None where what it changes
    is more than numbers."""
    found, values = [], others(knob)
    for value in dict.fromkeys((*values[:2], *values[-2:])):
        try:
            document, arrays = write({knob.name: value})
        except RobotphiError:   # it cannot have that value
            continue
        now = dict(_leaves(document))
        if now.keys() != first.leaves.keys() or not _same_arrays(arrays, first.arrays):
            return None
        changed = {place: leaf for place, leaf in now.items() if not _equal(leaf, first.leaves[place])}
        if not all(_is_number(leaf) and _is_number(first.leaves[place]) for place, leaf in changed.items()):
            return None
        found.append((knob.in_si(value), changed))
    return None if len(found) < 2 else found if any(changed for _, changed in found) else []


def _expressions(first, chosen, seen):
    """(place → expression, names of knobs that some number follows in another way)."""
    told, lost = {}, set()
    places = dict.fromkeys(place for name in chosen for _, changed in seen[name] for place in changed)
    for place in places:
        names = [name for name in chosen if any(place in changed for _, changed in seen[name])]
        text = _expression(first.leaves[place], [(chosen[name], [(value, changed.get(place, first.leaves[place]))
                                                                 for value, changed in seen[name]]) for name in names])
        if text is None:
            lost |= set(names)
        else:
            told[place] = text
    return told, lost


def _expression(leaf, followed):
    """What gives a number at all values that were looked at; None where nothing does."""
    powers = [_power(leaf, knob, looks) for knob, looks in followed]
    if None not in powers:
        return _product(leaf, followed, powers)
    if len(followed) == 1:
        return _line(leaf, *followed[0])
    return None


def _power(leaf, knob, looks):
    """The power by which a number goes with a knob."""
    for power in POWERS:
        if leaf and knob.si and all(
                value and isclose(there / leaf, (value / knob.si) ** power, rel_tol=1e-12) for value, there in looks):
            return power
    return None


def _product(leaf, followed, powers):
    above = "*".join("*".join([knob.name] * power) for (knob, _), power in zip(followed, powers, strict=True) if power > 0)
    below = "".join(f"/{knob.name}" * -power for (knob, _), power in zip(followed, powers, strict=True) if power < 0)
    values = {knob.name: knob.si for knob, _ in followed}
    candidates = [f"{above}{below}", f"-{above}{below}"] if above else []
    bare = _value(f"{above or '1.0'}{below}", values)
    factor = leaf / bare if bare else 0.0
    for number in _near(factor):
        candidates += [f"{number!r}*{above}{below}" if above else f"{number!r}{below}"]
        if number:
            candidates += [f"{above}{below}/{1.0 / number:.15g}"] if above else []
    return next((text for text in candidates if _gives(text, values, leaf)), None)


def _line(leaf, knob, looks):
    """a + b p."""
    one, there = looks[0]
    slope = (there - leaf) / (one - knob.si)
    if not slope:
        return None
    for factor, base in product(_near(slope), _near(leaf - slope * knob.si)):
        if not all(isclose(base + factor * value, number, rel_tol=SAME, abs_tol=1e-12 * abs(leaf)) for value, number in looks):
            continue
        times = knob.name if abs(factor) == 1.0 else f"{abs(factor)!r}*{knob.name}"
        text = f"{base!r} {'-' if factor < 0.0 else '+'} {times}"
        if factor == 1.0 and base < 0.0:
            text = f"{knob.name} - {-base!r}"
        if _gives(text, {knob.name: knob.si}, leaf):
            return text
    return None


def _near(number):
    """A number as people would write it, and as it is."""
    found = dict.fromkeys([*(float(f"{number:.{digits}g}") for digits in (2, 4, 8, 12)), number,
                           float(np.nextafter(number, np.inf)), float(np.nextafter(number, -np.inf))])
    return [each for each in found if isclose(each, number, rel_tol=1e-12) or each == number]


def _value(text, values):
    try:
        return evaluate(text, values.__getitem__)
    except ExpressionError:
        return None


def _gives(text, values, leaf):
    """Whether an expression gives a number to the bit, as the kind of number that it is."""
    found = _value(text, values)
    return found == leaf and (isinstance(found, int) or not isinstance(leaf, int))


def _holds(first, chosen, told, write):
    """Whether the expressions give what the scene has where all knobs have other values at once."""
    values = {name: (others(knob) or [knob.value])[0] for name, knob in chosen.items()}
    within = {name: chosen[name].in_si(value) for name, value in values.items()}
    try:
        now = dict(_leaves(write(values)[0]))
    except RobotphiError:
        return False
    if now.keys() != first.leaves.keys():
        return False
    for place, leaf in now.items():
        wanted = _value(told[place], within) if place in told else first.leaves[place]
        near = _is_number(leaf) and _is_number(wanted) and isclose(leaf, wanted, rel_tol=SAME, abs_tol=0.0)
        if not near and not _equal(leaf, wanted):
            return False
    return True


# Documents ------------------------------------------------------------------------------------------------------------------

def _leaves(value, place=()):
    """(place, number or word) of all that stands in a document."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(one, (*place, name))
        if not value:
            yield place, "{}"
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            yield from _leaves(one, (*place, number))
        yield (*place, "#"), len(value)
    else:
        yield place, value


def _replaced(value, told, place=()):
    """The document with texts in some places."""
    if isinstance(value, dict):
        return {name: _replaced(one, told, (*place, name)) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(one, told, (*place, number)) for number, one in enumerate(value)]
    return told.get(place, value)


def _is_number(value: Any):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(one, other):
    return one == other or (one != one and other != other)


def _same_arrays(some, others):
    return some.keys() == others.keys() and all(
        some[name].dtype == others[name].dtype and np.array_equal(some[name], others[name]) for name in some)
