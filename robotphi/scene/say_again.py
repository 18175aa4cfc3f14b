"""Scenes said again: statements in, the same scene out, to the bit of its model."""
import inspect
import warnings
from collections.abc import Iterable
from functools import cache

from robotphi.errors import RobotphiError, SceneError
from robotphi.scene.checks import word
from robotphi.scene.handles import handle
from robotphi.scene.makers import MAKERS, VERBS, called
from robotphi.scene.statements import Handle, Made, Statement, living, remember


def say_again(scene_class, statements):
    """The scene of some statements; what they cannot mean is refused with its place."""
    statements = tuple(statements) if isinstance(statements, Iterable) else ()
    if not statements or not all(isinstance(each, Statement) for each in statements) or statements[0].verb != "Scene":
        raise SceneError("statements: the first is not \"Scene\"; give what Scene.statements or Recording.statements holds, "
                         "or the data that was made of them")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)   # makers have told what they had to tell when it was said first
        return _scene_of(scene_class, statements)


def _scene_of(scene_class, statements):
    things, scene = {}, None
    for place, statement in enumerate(statements):
        try:
            verb = scene_class if place == 0 else _verb(scene_class, statement.verb)
            for node in in_order(statement.arguments, things):
                things[id(node)] = _make(node, things, scene)
            arguments = _thing(statement.arguments, things, scene)
            if place == 0:
                scene = verb(**_bound(verb, (), arguments))
            else:
                verb(scene, **_bound(verb, (scene,), arguments))
        except Exception as error:   # whatever garbage makes of a maker is told with its place
            what = str(error) if isinstance(error, RobotphiError) else f"it cannot be said: {type(error).__name__}, {error}"
            raise SceneError(f"statement {place}, {statement.verb}: {what}") from error
    return scene


def _verb(scene_class, name):
    if name in VERBS:
        return called(VERBS[name])
    return getattr(scene_class, word("statement", "verb", name, _verbs(scene_class)))


@cache
def _verbs(scene_class):
    found = {name: getattr(scene_class, name) for name in dir(scene_class) if name != "__init__"}
    return tuple(name for name, value in found.items() if getattr(value, "is_verb", False))


def _make(node, things, scene):
    """The thing of a recipe, made by its maker where it is no more."""
    if (thing := living(node)) is not None:
        return thing
    maker = called(MAKERS[word("recipe", "maker", node.maker, tuple(MAKERS))])
    thing = maker(**_bound(maker, (), _thing(node.arguments, things, scene)))
    if not isinstance(thing, tuple):
        remember(thing, node)   # the recipe it was made by, not one like it: what was shared stays shared
    return thing


def _bound(function, first, arguments):
    """The arguments, where a function takes them."""
    try:
        _signature(function).bind(*first, **arguments)
    except TypeError as error:
        raise SceneError(f"{function.__name__}: {error}; the arguments are those of the function of that name") from None
    return arguments


_signature = cache(inspect.signature)


def _thing(value, things, scene):
    """What a kept value stands for."""
    if isinstance(value, Made):
        return things[id(value)]
    if isinstance(value, Handle):
        return handle(scene, *value)
    if isinstance(value, dict):
        return {name: _thing(one, things, scene) for name, one in value.items()}
    if isinstance(value, tuple) and any(isinstance(one, (tuple, dict, Made)) for one in value):
        return tuple(_thing(one, things, scene) for one in value)
    return value


def nodes_in(value):
    """The Made that a kept value holds, those within them left out."""
    if isinstance(value, Made):
        yield value
    elif isinstance(value, (tuple, dict)) and not isinstance(value, Handle):
        for one in value.values() if isinstance(value, dict) else value:
            if isinstance(one, (tuple, dict, Made)):
                yield from nodes_in(one)


def in_order(value, known=()):
    """All Made in a kept value, each once, those it needs before it; chains of them may be of any length.

    Those whose id is known, and what they need, are left out.
    """
    seen, waiting = set(known), [(node, False) for node in reversed(list(nodes_in(value)))]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting += [(inner, False) for inner in reversed(list(nodes_in(node.arguments)))]
