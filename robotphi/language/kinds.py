"""Kinds of fields: which reader takes the value of each. [kind] is a list, {kind} a mapping from names, a|b what fits first."""
import numpy as np

from robotphi.language import things, times, values
from robotphi.language.functions import CLASS_OF, GIVES, called_function
from robotphi.language.nodes import fail
from robotphi.language.repeats import is_repeated, repeated_values
from robotphi.language.scope import worked_out

PLAIN = {"number": (int, float), "flag": bool, "word": str}

LISTS = ("numbers", "array", "words", "particles", "target", "pulled", "through", "named", "drives", "value", "vector", "data")

READERS = {
    "number": values.read_number, "numbers": values.read_numbers, "whole": values.read_whole, "flag": values.read_flag,
    "text": values.read_text, "word": values.read_text, "words": values.read_words, "vector": values.read_vector,
    "array": values.read_array, "data": values.read_data, "file": values.read_file,
    "drive": times.read_drive, "drives": times.read_drives, "rotation": times.read_rotation,
    "axis_drives": times.read_axis_drives, "active": times.read_active,
    "particles": things.read_particles, "target": things.read_target, "pulled": things.read_pulled,
    "through": things.read_through, "towards": things.read_towards, "attitude": things.read_attitude,
    "rigid": things.read_rigid, "joint": things.read_rigid,
    "ref": things.read_ref, "whole_thing": things.read_whole_thing, "at": things.read_at, "point": things.read_point,
    "of": things.read_of, "named": things.read_named, "factors": things.read_factors, "when": things.read_when,
    "rows": things.read_rows, "value": things.read_value, "where": things.read_where,
}


def read(kind, node, field, context):
    """The value of a kind at a node."""
    if node.value is None:
        return None
    if is_repeated(node) and (kind[0] == "[" or kind in LISTS):
        inner = kind[1:-1] if kind[0] == "[" else kind
        return joined(kind, repeated_values(node, context, lambda each, turn: read(inner, each, field, turn)))
    if "|" in kind:
        kind = next((each for each in kind.split("|") if _fits(each, node, context)), kind.split("|")[-1])
    if kind[0] in "[{" and kind[-1] in "]}":
        return _many(kind, node, field, context)
    reader = READERS.get(kind)
    return context.thing_of(kind, node) if reader is None else reader(node, field, context)


def joined(kind, found):
    """The list of repeated values; of particles one of all their numbers."""
    if kind not in ("particles", "target"):
        return found
    return [int(row) for each in found for row in np.atleast_1d(np.asarray(each, object)).reshape(-1)]


def _many(kind, node, field, context):
    inner = kind[1:-1]
    if kind[0] == "[":
        if not node.is_list:
            fail(node, f"{field.name} is {node.told()}", f"give a list: [{inner}, …]")
        return [read(inner, each, field, context) for each in node.value]
    if not node.is_map:
        fail(node, f"{field.name} is {node.told()}", f"give {{name: {inner}, …}}")
    return {name: read(inner, each, field, context) for name, each in node.value.items()}


def _fits(kind, node, context):
    """Whether a value looks like one of the kind, of several that are allowed."""
    called = called_function(node, kind)
    if kind[0] == "{":
        return node.is_map and not called
    if kind[0] == "[":
        return node.is_list
    if kind in PLAIN:
        value = None if node.is_map or node.is_list else worked_out(node, context)
        return isinstance(value, PLAIN[kind]) and not (kind == "number" and isinstance(value, bool))
    if kind in CLASS_OF:
        return not node.is_map or bool(called) or {"times", "positions"} <= set(node.value)
    if called:
        return GIVES[called] in (kind, "any", "placed") or (kind == "mesh" and GIVES[called] == "shape")
    return node.is_text
