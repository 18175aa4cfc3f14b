"""Repetition: {repeat: {i: 5, …}} of things, values and entries of lists; of several variables the first goes round slowest."""
from itertools import product

from robotphi.language.nodes import fail
from robotphi.language.scope import Scope, worked_out

VALUE = "value"   # what is repeated of a list: {repeat: {i: 11, value: [0, 0, = -i/10]}}


def is_repeated(node):
    """Whether a value is {repeat: {…}}."""
    return node.is_map and len(node.value) == 1 and "repeat" in node.value


def repeated_values(node, context, read):
    """The list that a repeated value is; `read(node, context)` gives each."""
    return [read(value, turn) for value, turn in _values(node, context)]


def each_entry(node, context):
    """(entry, its context) of a list of which some entries may be repeated."""
    for entry in node.value:
        yield from _values(entry, context) if is_repeated(entry) else ((entry, context),)


def _values(node, context):
    inner = node.value["repeat"]
    if not inner.is_map or VALUE not in inner.value:
        fail(inner, "repeat: without value", "give {i: 5, value: …}")
    for turn in each_turn(inner, (VALUE,), context):
        yield inner.value[VALUE], turn


def each_turn(node, body, context):
    """The contexts of all turns; all keys of a repetition but those of its body are variables."""
    variables = [each for each in node.value if each not in body]
    if not variables:
        fail(node, "repeat: without a variable", "give {i: 5, …}, how often, or a list of values")
    turns, count = [_turns(each, node.value[each], context) for each in variables], 1
    for each in turns:
        count *= len(each)
    context.counts.repeat(count, node)
    for chosen in product(*turns):
        values = {}
        for each in chosen:
            values |= each
        yield context.within(Scope(values, context.scope))


def _turns(name, node, context):
    """What a variable of a repetition stands for, turn by turn: [{name: value}, …]."""
    if node.is_list:
        return [_turn(name, each, context) for each in node.value]
    count = worked_out(node, context) if not node.is_map else None
    if isinstance(count, list):
        return [{name: each} for each in count]
    if isinstance(count, float) and count.is_integer():
        count = int(count)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        fail(node, f"{name} is {node.told()}", "give how often, or a list of values")
    context.counts.repeat(count, node)
    context.counts.repeated -= count
    return [{name: each} for each in range(count)]


def _turn(name, node, context):
    if node.is_map:
        return {inner: plain(each, context) for inner, each in node.value.items()}
    return {name: plain(node, context)}


def plain(node, context):
    """A number, text or list of them."""
    if node.is_map or node.value is None:
        fail(node, f"{node.told()} as the value of a name", "give a number, a text or a list of them")
    return [plain(each, context) for each in node.value] if node.is_list else worked_out(node, context)
