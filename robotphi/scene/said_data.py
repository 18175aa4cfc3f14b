"""Statements as plain data: numbers, words, lists, dicts and arrays; as JSON text with the larger arrays beside it.

A statement is {verb: {argument: value}}, a recipe {"@made": [maker, {argument: value}]}. What several of them share, and what
stands deep, is listed in "things" before what uses it, and referred to as {"@thing": number}: one Drive used twice comes back
as one. Handles are {"@of": [kind, name]}, arrays that are the same number all over {"@all": [number, shape, type]}, arrays
whose axes do not lie in memory in their order {"@axes": [axes, array]}, dicts whose words could be mistaken for one of these,
or are none, {"@dict": [[word, value], …]}. In texts arrays are {"@array": [values, shape, type]}, or [number] of one beside.
"""
import json
from math import prod
from reprlib import repr as shortened  # of what nests without end, too

import numpy as np

from robotphi.errors import SceneError
from robotphi.scene.say_again import in_order, nodes_in
from robotphi.scene.statements import Handle, Made, Statement, keep

FEW = 32      # entries: arrays of no more stand in the text
DEEP = 12     # recipes within recipes: deeper ones are listed
MOST = 2**28  # entries of an array that is one number all over: a few words must not fill the memory
TYPES = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float16", "float32", "float64")


# To data -------------------------------------------------------------------------------------------------------------

def to_data(statements):
    """{"things": […], "statements": […]} of plain values and arrays."""
    whole = tuple(statement.arguments for statement in statements)
    order, used, depth = list(in_order(whole)), {}, {}
    for holder in (*whole, *(node.arguments for node in order)):
        for node in nodes_in(holder):
            used[id(node)] = used.get(id(node), 0) + 1
    numbers, things = {}, []
    for node in order:
        depth[id(node)] = 1 + max((depth[id(inner)] for inner in nodes_in(node.arguments)), default=0)
        if used[id(node)] > 1 or depth[id(node)] >= DEEP:
            things.append(_recipe(node, numbers))
            numbers[id(node)], depth[id(node)] = len(things) - 1, 0
    return {"things": things,
            "statements": [{statement.verb: _plain(statement.arguments, numbers)} for statement in statements]}


def _recipe(node, numbers):
    return {"@made": [node.maker, _plain(node.arguments, numbers)]}


def _plain(value, numbers):
    if isinstance(value, Made):
        return {"@thing": numbers[id(value)]} if id(value) in numbers else _recipe(value, numbers)
    if isinstance(value, Handle):
        return {"@of": [*value]}
    if isinstance(value, tuple):
        return [_plain(one, numbers) for one in value]
    if isinstance(value, dict):
        if all(isinstance(name, str) and not name.startswith("@") for name in value):
            return {name: _plain(one, numbers) for name, one in value.items()}
        return {"@dict": [[_plain(name, numbers), _plain(one, numbers)] for name, one in value.items()]}
    return _array(value) if isinstance(value, np.ndarray) else value


def _array(value):
    if value.size and value.ndim and not any(value.strides):
        return {"@all": [value.reshape(-1)[0].item(), list(value.shape), value.dtype.name]}
    axes = sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis]))
    if axes != list(range(value.ndim)) and not value.flags.c_contiguous:
        return {"@axes": [axes, np.ascontiguousarray(value.transpose(axes))]}
    return value


# From data -----------------------------------------------------------------------------------------------------------

def from_data(data):
    """The statements of data; what they cannot be is refused with its place."""
    if not isinstance(data, dict) or not all(isinstance(data.get(part), list) for part in ("things", "statements")):
        raise SceneError('statements: the data holds no lists "things" and "statements"; give what to_data(statements) gave')
    things, found = [], []
    for part in ("things", "statements"):
        for place, value in enumerate(data[part]):
            try:
                if part == "things":
                    things.append(_made(value["@made"], things))
                else:
                    [(verb, arguments)] = value.items()
                    found.append(Statement(_word(verb), _arguments(arguments, things)))
            except Exception as error:   # of garbage anything can come
                what = error if isinstance(error, SceneError) else f"{type(error).__name__}, {error}"
                raise SceneError(f"{part[:-1]} {place}: {shortened(value):.60} cannot be read: {what}") from error
    return tuple(found)


def _word(value):
    if not isinstance(value, str):
        raise SceneError(f"{shortened(value):.60} is no word")
    return value


def _arguments(value, things):
    if not isinstance(value, dict):
        raise SceneError(f"{shortened(value):.60} are no arguments by name")
    return {_word(name): _kept(one, things) for name, one in value.items()}


def _made(value, things):
    maker, arguments = value
    return Made(_word(maker), _arguments(arguments, things))


def _kept(value, things):
    if isinstance(value, dict):
        marks = [name for name in value if isinstance(name, str) and name.startswith("@")]
        if not marks:
            return {name: _kept(one, things) for name, one in value.items()}
        [(mark, inner)] = value.items()
        return FORMS[mark](inner, things)
    if isinstance(value, (list, tuple)):
        return tuple(_kept(one, things) for one in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray) and value.dtype.name in TYPES:
        return _frozen(value)
    raise SceneError(f"{shortened(value):.60} is no number, word, list, dict or array of numbers")


def _frozen(array):
    """The array, read-only; who gave it may go on writing to his own."""
    return keep(array)


def _thing(number, things):
    if not isinstance(number, int) or not 0 <= number < len(things):
        raise SceneError(f"thing {shortened(number):.20} is not listed before it")
    return things[number]


def _all(value, _):
    number, shape, kind = value
    if prod(shape) > MOST:
        raise SceneError(f"an array of shape {shortened(shape):.60} is more than this reads; give at most {MOST} entries")
    return np.broadcast_to(np.array(number, _type(kind)), shape)


def _axes(value, things):
    axes, array = value
    return _kept(array, things).transpose(np.argsort(axes))


def _values(value, _):
    values, shape, kind = value
    return _frozen(np.array(values, _type(kind)).reshape(shape))


def _type(kind):
    if kind not in TYPES:
        raise SceneError(f"{shortened(kind):.20} is no type of numbers")
    return kind


FORMS = {"@made": _made, "@thing": _thing, "@of": lambda value, _: Handle(*map(_word, value)), "@all": _all, "@axes": _axes,
         "@array": _values,
         "@dict": lambda value, things: {_kept(name, things): _kept(one, things) for name, one in value}}


# Text and arrays -----------------------------------------------------------------------------------------------------

def to_text(statements):
    """(JSON text, [array, …]) of statements; small arrays stand in the text."""
    arrays = []

    def plain(array):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{array!r:.60} has no form of text")
        if array.size <= FEW:
            return {"@array": [array.reshape(-1).tolist(), list(array.shape), array.dtype.name]}
        arrays.append(array)
        return {"@array": [len(arrays) - 1]}

    return json.dumps(to_data(statements), default=plain), arrays


def from_text(text, arrays):
    """The statements of a text and the arrays beside it."""
    def put_back(value):
        numbered = value.get("@array")
        if not isinstance(numbered, list) or len(numbered) != 1:
            return value
        if numbered[0] not in range(len(arrays)):
            raise ValueError(f"there is no array {numbered[0]!r:.20} beside it")
        return arrays[numbered[0]]

    try:
        data = json.loads(text, object_hook=put_back)
    except (ValueError, RecursionError) as error:
        raise SceneError(f"statements: the text is damaged ({error})") from error
    return from_data(data)
