"""Dimensions of machines as frozen dataclasses: all that is common to their checks.

A field is a number above 0 unless the class tells another check of it; a check takes what the value is of, its name and the
value, and gives it as it is to be kept.
"""
from dataclasses import dataclass, fields
from functools import partial, wraps

from robotphi.scene.checks import number, numbers, refuse, vector, whole, word

above = partial(number, above=0.0)
some = partial(number, low=0.0)   # 0 as well


def sizes_of(where):
    """Decorator: a frozen dataclass of sizes, which refuses in words what it has no field for; `where`: what errors call it."""
    def decorate(found):
        found = dataclass(frozen=True)(found)
        make, known = found.__init__, tuple(field.name for field in fields(found))

        @wraps(make)
        def begin(sizes, *given, **named):
            for name in named:
                word(where, "size", name, known)
            make(sizes, *given, **named)
        found.__init__ = begin
        return found
    return decorate


def check_sizes(sizes, where, **checks):
    """Check all fields of a frozen dataclass, those in `checks` by these; `where`: what errors call it."""
    for field in fields(sizes):
        found = checks.get(field.name, above)(where, field.name, getattr(sizes, field.name))
        object.__setattr__(sizes, field.name, found)


def of_kind(where, what, value, kind):
    """Refuse what is of another class than this."""
    if not isinstance(value, kind):
        refuse(where, f"{what} is {value!r:.60}", f"give a {kind.__name__}")


def whole_from(low):
    """A whole number from `low` on."""
    return partial(whole, low=low)


def one_of(allowed):
    """A word of these."""
    return partial(word, allowed=tuple(allowed))


def row_of(count):
    """So many numbers above 0."""
    return lambda where, what, value: tuple(numbers(where, what, value, count, above=0.0).tolist())


def place(where, what, value):
    """Three numbers of any sign."""
    return tuple(vector(where, what, value).tolist())
