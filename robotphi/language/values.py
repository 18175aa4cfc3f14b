"""Readers of numbers, texts and plain data: each takes a node, its field (None for a part of a value) and the context."""
import numpy as np

from robotphi.errors import SceneError
from robotphi.language.expressions import is_expression
from robotphi.language.functions import called_function
from robotphi.language.nodes import fail
from robotphi.language.scope import Defined, worked_out
from robotphi.scene.checks import word as known_word

COMPARE = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "<=": float.__le__}


def read_number(node, field, context):
    return _number(None if node.is_map or node.is_list else worked_out(node, context), node, field, context)


def _number(value, node, field, context):
    """The value of a node, which must be a number within the bounds of its field."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        hint = f"; = {value} is the number of that name" if isinstance(value, str) and value in context.scope.names() else ""
        fail(node, f"{named(field)} is {node.told() if value is None else repr(value)[:60]}",
             f"give {_wanted(field)}{hint}")
    for sign, bound in field.bounds if field else ():
        if not COMPARE[sign](float(value), bound):
            fail(node, f"{named(field)} is {value:g}", f"it must be {sign} {bound:g}")
    return value


def _wanted(field):
    if field is None:
        return "a number"
    return "three numbers, [x, y, z]" if field.kind == "vector" else field.told()


def read_whole(node, field, context):
    value = read_number(node, field, context)
    if isinstance(value, float) and value.is_integer() and is_expression(str(node.value)):
        return int(value)   # = 10/2 is a whole number
    if not isinstance(value, int):
        fail(node, f"{named(field)} is {value!r}", "give a whole number")
    return value


def named(field):
    return field.name if field is not None else "it"


def read_flag(node, field, context):
    value = None if node.is_map or node.is_list else worked_out(node, context)
    if not isinstance(value, bool):
        fail(node, f"{named(field)} is {node.told()}", "give true or false")
    return value


def read_text(node, field, context):
    value = None if node.is_map or node.is_list else worked_out(node, context)
    if not isinstance(value, str):
        fail(node, f"{named(field)} is {node.told()}", "give a text; put numbers that are meant as one into quotes")
    if field is not None and field.words and value:
        try:
            known_word("", field.name, value, field.words)
        except SceneError as error:
            fail(node, str(error).removeprefix(": "))
    return value


def read_words(node, field, context):
    if node.is_map and "all" in node.value:
        return context.files.one_for_all(node, context).tolist()
    return [read_words(each, field, context) for each in node.value] if node.is_list else read_text(node, field, context)


def read_numbers(node, field, context):
    if node.is_list:
        return [read_numbers(each, field, context) for each in node.value]
    if node.is_map:
        if "file" in node.value:
            return context.files.array(node, context)
        if "all" in node.value:
            return context.files.one_for_all(node, context)
        word = called_function(node)
        if word in ("regular_polygon",):
            return context.call(word, node.value[word])
        fail(node, f"{named(field)} is {node.told()}", "give numbers, or {file: arrays.npz#name}")
    value = worked_out(node, context)
    if isinstance(value, str):
        found = context.scope.find(value)
        if isinstance(found, Defined):
            return context.value_of(found, "numbers", node)
        return read_number(node, field, context)   # which refuses it
    return value if value is None or isinstance(value, (bool, list)) else _number(value, node, field, context)


def read_vector(node, field, context):
    value = read_numbers(node, field._replace(bounds=()) if field else None, context)
    if not isinstance(value, np.ndarray) and (not isinstance(value, list) or len(value) != 3):
        fail(node, f"{named(field)} is {node.told()}", "give three numbers, [x, y, z]")
    return value


def read_data(node, field, context):
    """Whatever stands there, as it stands there."""
    if node.is_list:
        return [read_data(each, field, context) for each in node.value]
    if node.is_map:
        if "file" in node.value or "all" in node.value:
            return read_numbers(node, field, context)
        if set(node.value) == {"pairs"}:
            return {_hashable(read_data(pair.value[0], field, context)): read_data(pair.value[1], field, context)
                    for pair in _pairs(node)}
        return {name: read_data(each, field, context) for name, each in node.value.items()}
    return worked_out(node, context)


def _pairs(node):
    pairs = node.value["pairs"]
    if not pairs.is_list or not all(pair.is_list and len(pair.value) == 2 for pair in pairs.value):
        fail(pairs, "pairs are no list of pairs", "give [[key, value], …]")
    return pairs.value


def _hashable(value):
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def read_file(node, field, context):
    return str(context.files.path(node, read_text(node, None, context)))


def read_array(node, field, context):
    """Numbers as an array, for classes that trust what they are given."""
    return np.asarray(read_numbers(node, field, context), float)
