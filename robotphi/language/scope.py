"""Scopes: what names stand for within a file, a part or a repetition: numbers, and what define: shares."""
import difflib

from robotphi.language.expressions import TIME, ExpressionError, evaluate, filled, is_expression
from robotphi.language.nodes import Node, fail

SHOWN = 12   # names that a message lists


class Defined:
    """An entry of define:, worked out once, where it is first asked for: what is shared stays one thing."""

    def __init__(self, node, scope):
        self.node, self.scope, self.value, self.state = node, scope, None, "new"


class Scope:
    """Names and what they stand for; those of the parent count where there is none here.

    Attributes:
        prefix: what names of things begin with here, "left." within the part that is used as left.
        used: the parts within which this stands.
        around: the scope in which a part is used, whose things it may speak of.
    """

    def __init__(self, values=(), parent=None, prefix=None, used=None, around=None):
        self.values, self.parent, self.around = dict(values), parent, around or parent
        self.used = used if used is not None else parent.used if parent else ()
        self.prefix = (parent.prefix if parent else "") if prefix is None else prefix

    def find(self, name):
        """The number or Defined of a name, None where there is none."""
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None

    def names(self):
        """All names, the nearest first."""
        scope, found = self, {}
        while scope is not None:
            found |= dict.fromkeys(scope.values)
            scope = scope.parent
        return list(found)

    def prefixes(self):
        """What names may begin with, the nearest first."""
        scope, found = self, {}
        while scope is not None:
            found[scope.prefix] = None
            scope = scope.around
        return list(found | {"": None})


def nearest(word, known):
    """A hint of what may have been meant."""
    close = difflib.get_close_matches(str(word)[:80], known, n=1, cutoff=0.5)
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    there = f"there are {', '.join(known[:SHOWN])}{more}" if known else "there is none so far"
    return f"did you mean {close[0]!r}? {there}" if close else there


def worked_out(node, context):
    """The value of a scalar node: expressions worked out, braces of texts filled."""
    if not node.is_text:
        return node.value
    scope = context.scope

    def look_up(name):
        found = scope.find(name)
        if isinstance(found, Defined):
            found = plain_value(found, context)
        if found is None and name == TIME:
            raise ExpressionError("there is no 't' here; functions of time alone know the time, such as drives")
        if found is None:
            raise ExpressionError(f"there is no {name!r} here; {nearest(name, scope.names())}")
        return found

    try:
        if is_expression(node.value):
            return evaluate(node.value[1:], look_up)
        return filled(node.value[1:] if node.value.startswith("==") else node.value, look_up)
    except ExpressionError as error:
        return fail(node, str(error))


def plain_value(defined, context):
    """The number, text or list of numbers that is defined, for an expression; another thing is refused."""
    node = defined.node
    if node.is_map:
        raise ExpressionError("what define: makes by a function is no number")
    return _plain(node, context.within(defined))


def _plain(node, context):
    if isinstance(node, Node) and node.is_list:
        return [_plain(each, context) for each in node.value]
    if node.is_map:
        raise ExpressionError("a mapping is no number")
    return worked_out(node, context)
