"""Saying: verbs that a scene remembers, and makers whose things remember how they were made.

A verb of a scene is `@said`: the scene keeps its name and its arguments as given, defaults left out. A maker of shapes, meshes,
materials, objects or drives is `@made`: what it gives remembers the call, so that a statement holds a recipe and no arrays that
nobody gave.
"""
import inspect
from dataclasses import MISSING
from functools import partial, update_wrapper

from robotphi.scene.checks import refuse
from robotphi.scene.statements import SAMPLED, Made, Statement, Unsayable, keep, remember, same


class _Call:
    """The parameters of a function, to bind what it was called with; the function itself has checked that they fit."""

    def __init__(self, function):
        self.defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
        self.names = tuple(self.defaults)

    def kept(self, args, kwargs, skip=0, without=""):
        """Name → kept value of all that is not as by default."""
        given = {**dict(zip(self.names[skip:], args, strict=False)), **kwargs}
        given.pop(without, None)
        return {name: keep(value) for name, value in given.items() if not same(value, self.defaults.get(name, MISSING))}


def said(verb=None, *, without=""):
    """A verb of a scene, its first argument, which keeps what was said by it; a refused one leaves the scene as it was.

    What verbs say to each other is not kept; neither is the argument `without`, which has no form of plain data.
    """
    if verb is None:
        return partial(said, without=without)
    call, word = _Call(verb), "Scene" if verb.__name__ == "__init__" else verb.__name__

    def saying(scene, *args, **kwargs):
        if scene._speaking:
            return verb(scene, *args, **kwargs)
        args = [list(value) if hasattr(value, "__next__") else value for value in args]   # an iterator speaks once
        kwargs = {name: list(value) if hasattr(value, "__next__") else value for name, value in kwargs.items()}
        before, token = _sizes(vars(scene)), SAMPLED.set({})
        scene._speaking = True
        try:
            result = verb(scene, *args, **kwargs)
            try:
                scene._statements.append(Statement(word, call.kept(args, kwargs, skip=1, without=without)))
            except Unsayable as error:
                refuse(f"scene, {word}", f"an argument is {error}", "give numbers, words, arrays, or what robotphi makes")
        except BaseException:
            _return_to(vars(scene), before)
            raise
        finally:
            scene._speaking = False
            SAMPLED.reset(token)
        return result

    saying.is_verb = True
    return update_wrapper(saying, verb)


def made(maker=None, *, unless=None):
    """A maker whose things remember how they were made; of a tuple of things each one its place.

    Where an argument cannot be said, such as a function of places, the things are said by what they are; likewise where
    `unless`, a function of the arguments by name, tells that another machine would make another thing.
    """
    if maker is None:
        return partial(made, unless=unless)
    if inspect.isclass(maker):
        maker.__init__ = _remembering(maker.__init__, maker.__name__, unless, itself=True)
        return maker
    return _remembering(maker, maker.__qualname__, unless)


def _remembering(maker, word, unless, itself=False):
    call = _Call(maker)
    class_first = call.names[0] == "cls"

    def making(*args, **kwargs):
        result = maker(*args, **kwargs)
        things = args[0] if itself else result
        try:
            recipe = Made(word, call.kept(args[itself or class_first:], kwargs, skip=itself or class_first))
        except Unsayable:
            return result
        if unless is not None and unless(recipe.arguments):
            return result
        if isinstance(things, tuple) and not hasattr(things, "_fields"):
            for place, thing in enumerate(things):
                remember(thing, Made("item", {"of": recipe, "place": place}))
        else:
            remember(things, recipe)
        return result

    return update_wrapper(making, maker)


def item(of, place):
    """One of several things that were made at once."""
    return of[place]


def sampled(function, drive):
    """The Drive that a function of time became, noted for the statement that is being said."""
    drives = SAMPLED.get()
    if drives is not None:
        drives.setdefault(id(function), []).append(drive)
    return drive


# Taking back ---------------------------------------------------------------------------------------------------------

def _sizes(values):
    """What a scene holds, so that it can be brought back: lists and dicts only grow, others are replaced."""
    return {name: (value, len(value) if isinstance(value, (list, dict)) else None,
                   {key: len(one) for key, one in value.items()} if _is_of_lists(value) else {})
            for name, value in values.items()}


def _is_of_lists(value):
    return isinstance(value, dict) and bool(value) and isinstance(next(iter(value.values())), list)


def _return_to(values, before):
    for name in list(values):
        if name not in before:
            del values[name]
            continue
        value, size, inner = before[name]
        values[name] = value
        if isinstance(value, list):
            del value[size:]
        elif isinstance(value, dict):
            while len(value) > size:
                value.popitem()
            for key, length in inner.items():
                del value[key][length:]
