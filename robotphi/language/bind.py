"""Binding: a mapping of a file becomes the arguments of a verb or function, by its fields; and functions are called.

Whatever Python refuses is told with the place of the argument it speaks of.
"""
import re

import numpy as np

from robotphi.errors import RobotphiError, SceneFileError
from robotphi.language import limits
from robotphi.language.fields import fields_of
from robotphi.language.functions import CLASS_OF, FUNCTION_OF, GIVES, called_function, function_called
from robotphi.language.kinds import read
from robotphi.language.nodes import Node, fail
from robotphi.language.scope import Defined, nearest, worked_out

# What a kind takes beside what gives it.
ALSO = {"mesh": ("shape", "placed"), "object": ("placed",), "shape": ("placed",), "placed": ("object", "mesh", "shape")}


class Context:
    """Where a value stands: the scene so far, what names mean, the files it may read.

    Attributes:
        scene: None until its first statement is said.
        scope: the Scope of names.
        files: a Files.
        counts: a Counts of what has been made.
    """

    def __init__(self, files, scope, scene=None, counts=None):
        self.files, self.scope, self.scene = files, scope, scene
        self.counts = limits.Counts() if counts is None else counts

    def within(self, scope_or_defined):
        """The same with other names."""
        scope = scope_or_defined.scope if isinstance(scope_or_defined, Defined) else scope_or_defined
        return Context(self.files, scope, self.scene, self.counts)

    def thing_of(self, kind, node):
        """A value that functions make, at a node."""
        return thing_of(kind, node, self)

    def value_of(self, defined, kind, node):
        """What is defined under the name at a node."""
        return value_of(defined, kind, node, self)

    def call(self, word, node):
        """What a function makes of the arguments at a node."""
        return call(word, node, self)


def arguments(owner, node, context):
    """Name → value of a mapping, as a verb or function takes them."""
    fields = fields_of(owner)
    if not node.is_map:
        fail(node, f"{node.told()} for the arguments of {_called(owner)}", f"give a mapping of {', '.join(fields) or 'none'}")
    found = {}
    for name, inner in node.value.items():
        if name not in fields:
            fail(node.key(name), f"{_called(owner)} has no {name!r}", nearest(name, list(fields)))
        found[name] = read(fields[name].kind, inner, fields[name], context)
    for name, field in fields.items():
        if field.required and name not in found:
            fail(node, f"{_called(owner)} without {name}", f"give {name}: {field.told()}"
                       + (f"; {field.meaning}" if field.meaning else ""))
    return found


def _called(owner):
    return owner.removeprefix("add_")


def performed(function, given, node, owner):
    """What a verb or function makes of its arguments; what it refuses is told with the place of the argument."""
    try:
        with np.errstate(all="ignore"):
            return function(**given)
    except SceneFileError:
        raise
    except RobotphiError as error:
        return fail(_blamed(node, str(error)), str(error))
    except MemoryError as error:
        return fail(node, f"{_called(owner)}: the memory is too small for that ({error})", "make it smaller")
    except Exception as error:   # of odd numbers anything can come: a matrix without an inverse, a number too large
        return fail(node, f"{_called(owner)} cannot be made of these values: {type(error).__name__}, {error!s:.200}",
                    "look for sizes that are zero, or very much larger than others")


def _blamed(node, message):
    """The argument that a message speaks of."""
    names = [name for name in node.value if re.search(rf"(?<![\w']){re.escape(name)}(?![\w'])", message)] if node.is_map else []
    return node.value[min(names, key=lambda name: message.find(name))] if names else node


def thing_of(kind, node, context):
    """A value that functions make: by a function, by the arguments of the usual one, or by its name in define:."""
    if node.is_map:
        word = called_function(node, kind)
        if word:
            [inner] = node.value.values()
            return _fitting(kind, word, call(word, inner, context), node)
        usual = CLASS_OF.get(kind)
        if usual and kind != "drive" and (not node.value or set(node.value) & set(fields_of(FUNCTION_OF[usual]))):
            return call(FUNCTION_OF[usual], node, context)
        [first, *_] = node.value or [""]
        fail(node.key(first), f"{first!r} makes no {kind}" if len(node.value) == 1 else f"{node.told()} for a {kind}",
             f"give {{function: {{arguments}}}}; {nearest(first, _makers_of(kind))}")
    name = worked_out(node, context)
    if not isinstance(name, str):
        fail(node, f"{node.told()} for a {kind}", f"give a name of define:, or {{function: {{arguments}}}}: "
                                                  f"{', '.join(_makers_of(kind))}")
    found = context.scope.find(name)
    if not isinstance(found, Defined):
        known = [each for each in context.scope.names() if isinstance(context.scope.find(each), Defined)]
        fail(node, f"{name!r} is not in define:", nearest(name, known))
    return value_of(found, kind, node, context)


def value_of(defined, kind, node, context):
    """What is defined, made where it is first asked for."""
    if defined.state == "making":
        fail(node, f"{node.told()} is defined by itself", "let it stand on others")
    if defined.state == "new":
        defined.state = "making"
        defined.value = _defined_value(defined.node, kind, context.within(defined))
        defined.state = "made"
    return defined.value


def _defined_value(node, kind, context):
    if node.is_map and not called_function(node):
        if set(node.value) & {"file", "all"}:
            return read("numbers", node, None, context)
        if kind not in CLASS_OF:
            first = next(iter(node.value), "")
            fail(node.key(first), f"{first!r} is no function",
                 f"give {{function: {{arguments}}}}; {nearest(first, list(GIVES))}")
        return thing_of(kind, node, context)
    if node.is_map:
        [(_, inner)] = node.value.items()
        return call(called_function(node), inner, context)
    return read("value", node, None, context)


def _makers_of(kind):
    wanted = (kind, *ALSO.get(kind, ()))
    short = f"{CLASS_OF[kind].lower()}." if kind in CLASS_OF else " "
    return [word.removeprefix(short) for word, gives in GIVES.items() if gives in wanted]


def _fitting(kind, word, value, node):
    if GIVES[word] not in (kind, "any", *ALSO.get(kind, ())):
        fail(node, f"{word} gives a {GIVES[word]}, where a {kind} is asked for",
             f"{nearest('', _makers_of(kind))}")
    return value


def call(word, node, context):
    """What a function makes of the arguments at a node."""
    if node.value is None:
        node = Node({}, node.file, node.line, node.column)
    given = arguments(word, node, context)
    context.counts.made(word, given, node)
    return performed(function_called(word), given, node, word)
