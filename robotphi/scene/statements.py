"""Statements: what was said to a scene, verb by verb, and how what it was given was made, as it can be said again.

A verb of a scene is `@said`: the scene keeps its name and its arguments as given, defaults left out. A maker of shapes, meshes,
materials, objects or drives is `@made`: what it gives remembers the call, so that a statement holds a recipe and no arrays that
nobody gave. What was put together by hand, or changed since, is said by its own fields. Lists are kept as tuples, arrays are
copied where somebody could still write to them, handles are kept as names, functions of time as the tables they became.
"""
import inspect
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial, singledispatch, update_wrapper
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import frozen, refuse
from robotphi.scene.makers import CLASSES

RECIPE = "_recipe"    # attribute of things: the Made that says how they came about
SAMPLED = ContextVar("sampled", default=None)   # while a verb is said: id of a function of time → the Drives made of it


class Unsayable(TypeError):
    """A value that has no form of plain data."""


class _Said:
    """What a verb and a maker have in common."""

    def __repr__(self):
        return f"{self.word}({', '.join(f'{name}={value!r:.60}' for name, value in self.arguments.items())})"

    def replace(self, **arguments):
        """The same with some arguments changed; what shared it before does not change with it."""
        return type(self)(self.word, {**self.arguments, **{name: keep(value) for name, value in arguments.items()}})


@dataclass(frozen=True, eq=False, repr=False)
class Statement(_Said):
    """A verb of a scene as it was said; the first of a scene is "Scene", its constructor."""
    verb: str
    arguments: dict       # name → kept value

    @property
    def word(self):
        return self.verb


@dataclass(frozen=True, eq=False, repr=False)
class Made(_Said):
    """How a thing was made. Two things are one where they have the same Made, not only an equal one."""
    maker: str            # a word of `makers.MAKERS`
    arguments: dict

    @property
    def word(self):
        return self.maker


class Handle(NamedTuple):
    """What a verb gave back, by its name in the scene."""
    kind: str
    name: str


# What is kept of a value ---------------------------------------------------------------------------------------------

@singledispatch
def keep(value):
    """What is kept of an argument; refused where it has no form of plain data."""
    if isinstance(value, Made):
        return value
    drives = (SAMPLED.get() or {}).get(id(value))
    if drives:
        return recipe_of(drives.pop(0) if len(drives) > 1 else drives[0])
    recipe = recipe_of(value)
    if recipe is not None:
        return recipe
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if hasattr(value, "__array__"):
        return keep(np.array(value))
    if hasattr(value, "__len__") and hasattr(value, "__iter__"):
        return keep(tuple(value))
    raise Unsayable(f"{value!r:.60}")


@keep.register(type(None))
@keep.register(bool)
@keep.register(int)
@keep.register(float)
@keep.register(str)
@keep.register(Handle)
def _(value):
    return value


@keep.register(np.generic)
def _(value):
    plain = value.item()
    return float(value) if isinstance(plain, np.generic) else plain


@keep.register(np.ndarray)
def _(value):
    if value.dtype.kind not in "biuf":
        return keep(value.tolist())
    if value.dtype.itemsize > 8:
        return keep(value.astype(np.float64))
    owner = value.base if isinstance(value.base, np.ndarray) else value
    return frozen(value.copy(order="K")) if value.flags.writeable or owner.flags.writeable else value


@keep.register(list)
@keep.register(tuple)
def _(value):
    if hasattr(value, "_fields"):
        recipe = recipe_of(value)
        return keep(tuple(value)) if recipe is None else recipe
    return tuple(value) if set(map(type, value)) <= {int, float, str, bool, type(None)} else tuple(map(keep, value))


@keep.register(dict)
def _(value):
    return {name: keep(one) for name, one in value.items()}


def recipe_of(thing):
    """The Made of a thing: how it was made, else its own fields; None for what no table knows."""
    recipe = getattr(thing, RECIPE, None)
    if recipe is None and (word := CLASSES.get(f"{type(thing).__module__}:{type(thing).__qualname__}")):
        recipe = Made(word, {name: keep(value) for name, value in _fields(thing)})
        _remember(thing, recipe)
    return recipe


def _fields(thing):
    """(name, value) of the fields of a dataclass or named tuple, those left out that are as they come by themselves."""
    if not is_dataclass(thing):
        return thing._asdict().items()
    named = [(field, getattr(thing, field.name)) for field in fields(thing) if field.init]
    usual = {field.name: field.default if field.default_factory is MISSING else field.default_factory() for field, _ in named}
    without = getattr(thing, "said_without", "")
    return [(field.name, () if field.name == without else value) for field, value in named
            if not same(value, usual[field.name])]


def same(value, default):
    """Whether an argument is its default, to the bit."""
    if value is default:
        return True
    if isinstance(default, float) and isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return repr(float(value)) == repr(default)
    if isinstance(default, tuple) and (isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim == 1)):
        return len(value) == len(default) and all(map(same, value, default))
    if isinstance(default, np.ndarray):
        return isinstance(value, np.ndarray) and value.shape == default.shape and not value.size
    return type(value) is type(default) and isinstance(default, (bool, int, str, dict, tuple)) and value == default


def _remember(thing, recipe):
    with suppress(AttributeError):   # named tuples have no place for it
        object.__setattr__(thing, RECIPE, recipe)


# Verbs and makers ----------------------------------------------------------------------------------------------------

class _Call:
    """The parameters of a function, to bind what it was called with; the function itself has checked that they fit."""

    def __init__(self, function):
        self.defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
        self.names = tuple(self.defaults)

    def kept(self, args, kwargs, skip=0):
        """Name → kept value of all that is not as by default."""
        given = {**dict(zip(self.names[skip:], args, strict=False)), **kwargs}
        return {name: keep(value) for name, value in given.items() if not same(value, self.defaults[name])}


def said(verb):
    """A verb of a scene, its first argument, which keeps what was said by it; a refused one leaves the scene as it was.

    What verbs say to each other is not kept.
    """
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
                scene._statements.append(Statement(word, call.kept(args, kwargs, skip=1)))
            except Unsayable as error:
                refuse(f"scene, {word}", f"an argument is {error}", "give numbers, words, lists, arrays, or what robotphi makes")
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
                _remember(thing, Made("item", {"of": recipe, "place": place}))
        else:
            _remember(things, recipe)
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
