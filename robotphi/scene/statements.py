"""Statements: what was said to a scene, verb by verb, and how what it was given was made, as it can be said again.

What was put together by hand, or changed since it was made, is said by its own fields. Lists are kept as tuples, arrays are
copied where somebody could still write to them, handles are kept as names, functions of time as the tables they became.
"""
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import singledispatch
from numbers import Integral, Real
from reprlib import Repr
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from robotphi.scene.checks import frozen
from robotphi.scene.makers import CLASSES

RECIPE = "_recipe"    # attribute of things: the Made that says how they came about
AS_MADE = "_as_made"  # attribute of things: what their fields held then
LIVING = WeakValueDictionary()   # id of a Made → its thing, while there is one, so that it need not be made again
SAMPLED = ContextVar("sampled", default=None)   # while a verb is said: id of a function of time → the Drives made of it


class Unsayable(TypeError):
    """A value that has no form of plain data."""


class _Short(Repr):
    """Tells values shortly, however deep they are: of a recipe within another its word alone."""

    def repr_Made(self, made, level):
        return f"{made.word}(…)"


class _Said:
    """What a verb and a maker have in common."""

    def __repr__(self):
        short = _Short()
        return f"{self.word}({', '.join(f'{name}={short.repr(value):.60}' for name, value in self.arguments.items())})"

    def replace(self, /, **arguments):   # one of them may be called self
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


def kept_by_name(kind):
    """What `keep` does with handles of a kind."""
    return lambda value: Handle(kind, value.name)


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
    if value.size > 1 and not any(value.strides):   # one number that stands for all
        return np.broadcast_to(value.reshape(-1)[0], value.shape)
    owner = value if value.base is None else value.base
    fixed = isinstance(owner, np.ndarray) and not owner.flags.writeable and not value.flags.writeable
    return value if fixed else frozen(value.copy(order="K"))


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
    word = CLASSES.get(f"{type(thing).__module__}:{type(thing).__qualname__}")
    if word and (recipe is None or not is_as_made(thing)):
        recipe = Made(word, {name: keep(value) for name, value in _fields(thing)})
        remember(thing, recipe)
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


def remember(thing, recipe):
    """Let a thing know how it was made."""
    before = getattr(thing, RECIPE, None)
    with suppress(AttributeError):   # named tuples have no place for it
        object.__setattr__(thing, RECIPE, recipe)
        object.__setattr__(thing, AS_MADE, _held(thing))
        LIVING.pop(id(before), None)
        LIVING[id(recipe)] = thing


def living(recipe):
    """The thing that was made by a recipe, if it is still there and as it was made; else None."""
    thing = LIVING.get(id(recipe))
    return thing if thing is not None and is_as_made(thing) else None


def is_as_made(thing):
    """Whether nobody has given a thing another field since it was made, nor an entry to a dict of it, such as its regions."""
    before, now = getattr(thing, AS_MADE), _held(thing)
    return all(_is_one(now.get(name), value) for name, value in before.items())


def _held(thing):
    return {name: dict(value) if type(value) is dict else value for name, value in vars(thing).items()
            if name not in (RECIPE, AS_MADE)}


def _is_one(now, before):
    if type(before) is not dict:
        return now is before
    return type(now) is dict and now.keys() == before.keys() and all(now[name] is value for name, value in before.items())
