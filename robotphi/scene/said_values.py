"""Values of what was said: numbers among the arguments of statements and of the recipes in them, by address.

    ("finger", "young")             of the material of which the object called finger is made
    ("finger/skin", "young")        of the one for its region skin
    ("finger", "shape.size")        the size of its shape, where "size" alone could also be that of its cells
    ("rope", "axial_stiffness")     of a rod           ("scene", "duration")

A quantity is the name of an argument, or the end of the way to it. What is changed here is said again from the start: places,
cells and springs follow.
"""
import inspect
from typing import Any, NamedTuple

import numpy as np

from robotphi.scene.checks import floats, indices, refuse, word
from robotphi.scene.makers import MAKERS, VERBS, called
from robotphi.scene.statements import Made, Unsayable
from robotphi.scene.values import MEDIUM, SCENE

NEEDED = inspect.Parameter.empty
NAMED_APART = ("add_sensor", "add_command", "add_controller")   # they may have the name of a thing


class Argument(NamedTuple):
    """A number that was said, or could have been."""
    way: tuple            # words from the statement to it
    value: Any            # None where it was left out and has no number of its own


def arguments_of(scene, thing):
    """(place of the statement, Arguments) of a thing; (−1, ()) for what no statement made."""
    name, _, region = thing.partition("/") if isinstance(thing, str) else (thing, "", "")
    place = _statement_of(scene, name)
    if place < 0:
        return -1, ()
    statement = scene.statements[place]
    verb = type(scene) if place == 0 else called(VERBS[statement.verb]) if statement.verb in VERBS else getattr(
        type(scene), statement.verb)
    found = list(_walk(statement.arguments, (), verb))
    found = [one for one in found if one.way[0] != "contact"]   # those of a surface belong to what is there
    return place, tuple(one for one in found if not region or region in one.way)


def _statement_of(scene, name):
    """Number of the statement that made a thing, −1 where there is none."""
    for place, statement in reversed(tuple(enumerate(scene.statements))):
        given = statement.arguments
        if isinstance(name, tuple):
            if statement.verb == "set_contact" and {given.get("first"), given.get("second")} == set(name):
                return place
        elif statement.verb == "set_medium":
            if name == MEDIUM and name not in scene.things:
                return place
        elif place == 0:
            return 0 if name == SCENE else -1
        elif given.get("name") == name and (statement.verb not in NAMED_APART
                                            or (statement.verb == "add_command" and name not in scene.things)):
            return place
    return -1


def _walk(arguments, way, function):
    """The numbers among some arguments, those within recipes behind them; also those that were left out."""
    parameters = inspect.signature(function).parameters
    defaults = {name: each.default for name, each in parameters.items() if name not in ("self", "cls")}
    for name, default in defaults.items():
        if name in arguments:
            yield from _numbers(arguments[name], (*way, name))
        elif default is None or _is_number(default):
            yield Argument((*way, name), default)
    for name in sorted(arguments.keys() - defaults.keys()):   # those that a function takes by any name
        yield from _numbers(arguments[name], (*way, name))


def _numbers(value, way):
    if isinstance(value, Made):
        yield from _walk(value.arguments, way, called(MAKERS[value.maker]))
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _numbers(one, (*way, str(name)))
    elif _is_number(value):
        yield Argument(way, value)
    elif isinstance(value, tuple):
        for place, one in enumerate(value):
            yield from _numbers(one, (*way, str(place)))


def _is_number(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf"
    if isinstance(value, tuple):
        return len(value) > 0 and all(_is_number(one) for one in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def find_argument(scene, address):
    """(place of the statement, Argument) that an address means; refused with what there is."""
    where = f"value {address}"
    place, arguments = arguments_of(scene, address.thing)
    if place < 0:
        known = dict.fromkeys(str(one.arguments["name"]) for one in scene.statements[1:] if "name" in one.arguments)
        refuse(where, f"there is no {address.thing!r}", f"there are: {', '.join([SCENE, *known])}")
    end = tuple(address.quantity.split("."))
    fits = [one for one in arguments if one.way[-len(end):] == end]
    if not fits:
        known = dict.fromkeys(one.way[-1] for one in arguments if not one.way[-1].isdigit())
        word(where, f"quantity of {address.thing!r}", address.quantity, tuple(known))
    given = [one for one in fits if one.value is not None] or fits
    exact = [one for one in given if end in (one.way, one.way[1:])]
    if len(given) > 1 and not exact:
        ways = ", ".join(repr(".".join(one.way[1:] or one.way)) for one in given)
        refuse(where, f"{address.quantity!r} could mean {len(given)} numbers", f"say more of the way to it: {ways}")
    return place, (exact or given)[0]


def statements_with(scene, changes):
    """The statements of a scene with other values for some arguments, {address: value}."""
    statements = list(scene.statements)
    for address, value in changes.items():
        place, argument = find_argument(scene, address)
        if address.where is not None:
            value = _with_entries(address, argument.value, value)
        head, *rest = argument.way
        old = statements[place].arguments.get(head)
        try:
            statements[place] = statements[place].replace(**{head: _changed(old, rest, value)})
        except Unsayable as error:
            refuse(f"value {address}", f"it is {error}", "give numbers, words, arrays, or what robotphi makes, such as a Drive")
    return tuple(statements)


def _with_entries(address, before, value):
    if isinstance(address.where, str) or before is None or np.ndim(before) == 0:
        refuse(f"value {address}", f"{address.quantity} is one number", f"leave {address.where!r} out")
    after, part = np.array(before, float), floats(f"value {address}", "it", value)
    rows = indices(f"value {address}", "where", address.where, len(after), "row")
    if part.ndim and part.shape not in (after[rows].shape, after.shape[1:]):
        refuse(f"value {address}", f"it has shape {part.shape}", f"give one number or an array of shape {after[rows].shape}")
    after[rows] = part
    return after


def _changed(kept, way, value):
    """A kept value with another number at the end of the way."""
    if not way:
        return value
    head, *rest = way
    if isinstance(kept, Made):
        return kept.replace(**{head: _changed(kept.arguments.get(head), rest, value)})
    if isinstance(kept, dict):
        return {name: _changed(one, rest, value) if str(name) == head else one for name, one in kept.items()}
    return tuple(_changed(one, rest, value) if str(place) == head else one for place, one in enumerate(kept))
