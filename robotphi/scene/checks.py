"""Checks at the door: numbers, indices and words in; read-only arrays out, or a SceneError that says what works."""
import difflib
import numbers as number_types
import sys
from pathlib import Path

import numpy as np

from robotphi.errors import SceneError

AXES = "xyz"
LISTED = 20  # allowed words that a message names


def refuse(where, problem, remedy, index=None):
    """Raise the one form of error of this package: block, index within it, what was given, what would work."""
    place = where if index is None else f"{where}, index {index}"
    raise SceneError(f"{place}: {problem}; {remedy}")


def frozen(array):
    """The same array, read-only."""
    array.flags.writeable = False
    return array


def first_true(mask):
    """Index of the first row in which `mask` holds, or None; a scalar counts as row 0."""
    if not mask.any():
        return None
    rows = mask.reshape(len(mask), -1).any(axis=1) if mask.ndim > 1 else np.atleast_1d(mask)
    return int(np.argmax(rows))


def word(where, what, value, allowed):
    """`value` if it is one of the `allowed` words."""
    if isinstance(value, str) and value in allowed:
        return value
    close = difflib.get_close_matches(str(value), allowed, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    more = f" and {len(allowed) - LISTED} more" if len(allowed) > LISTED else ""
    known = f"allowed: {', '.join(allowed[:LISTED])}{more}" if allowed else "there is none yet"
    return refuse(where, f"unknown {what} {value!r}", hint + known)


def number(where, what, value, *, low=None, above=None, high=None):
    """A finite float within [low, high], or larger than `above`."""
    if isinstance(value, bool) or not isinstance(value, (number_types.Real, np.ndarray)) or np.ndim(value):
        refuse(where, f"{what} is {value!r:.60}", "give one number")
    value = float(floats(where, what, value))
    problem = _outside(np.float64(value), low, above, high)
    if problem.any():
        refuse(where, f"{what} is {value:g}", f"it must be {_bounds(low, above, high)}")
    return value


def yes_or_no(where, what, value):
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(where, f"{what} is {value!r:.60}", "give True or False")
    return bool(value)


def whole(where, what, value, low=1, high=None):
    """An integer of at least `low` and at most `high`."""
    if isinstance(value, bool) or not isinstance(value, number_types.Integral) or value < low:
        refuse(where, f"{what} is {value!r}", f"give a whole number of at least {low}")
    if high is not None and value > high:
        refuse(where, f"{what} is more than {high}", f"give a whole number of at most {high}")
    return int(value)


def floats(where, what, value):
    """A float64 copy of `value`, every entry finite; words, dates, complex and masked numbers are none."""
    try:
        given = np.asarray(value)
        array = np.array(given, dtype=np.float64) if given.dtype.kind in "biufO" and not np.ma.is_masked(value) else None
    except OverflowError:
        refuse(where, f"{what} is beyond the range of floats", "give finite numbers")
    except (TypeError, ValueError):
        array = None
    if array is None:
        refuse(where, f"{what} is {value!r:.60}", "give numbers")
    bad = first_true(~np.isfinite(array))
    if bad is not None:
        row = array.reshape(-1)[0] if array.ndim == 0 else array[bad]
        refuse(where, f"{what} is {row}", "give finite numbers" if array.ndim else "give a finite number", bad)
    return array


def numbers(where, what, value, count, *, low=None, above=None, high=None, advice=""):
    """(count,) finite numbers within bounds; one number stands for all (and takes no memory)."""
    array = floats(where, what, value)
    if array.shape not in ((), (count,)):
        refuse(where, f"{what} has shape {array.shape}", f"give one number or {count} of them")
    bad = first_true(_outside(array, low, above, high))
    if bad is not None:
        given = np.atleast_1d(array)[bad]
        refuse(where, f"{what} is {given:g}", f"it must be {_bounds(low, above, high)}{advice}", bad)
    return frozen(array) if array.ndim else np.broadcast_to(array, (count,))


def _outside(array, low, above, high):
    bad = np.zeros(array.shape, dtype=bool)
    if low is not None:
        bad |= array < low
    if above is not None:
        bad |= array <= above
    if high is not None:
        bad |= array > high
    return bad


def _bounds(low, above, high):
    parts = [f"{sign} {bound:g}" for sign, bound in ((">=", low), (">", above), ("<=", high)) if bound is not None]
    return " and ".join(parts)


def vectors(where, what, value, count):
    """(count, 3) finite numbers; one vector stands for all."""
    array = floats(where, what, value)
    if array.shape not in ((3,), (count, 3)):
        refuse(where, f"{what} has shape {array.shape}", f"give three numbers or an array of shape ({count}, 3)")
    return frozen(array) if array.ndim == 2 else np.broadcast_to(array, (count, 3))


def vector(where, what, value):
    """(3,) finite numbers."""
    array = floats(where, what, value)
    if array.shape != (3,):
        refuse(where, f"{what} is {value!r:.60}", "give three numbers")
    return frozen(array)


def indices(where, what, value, count, kind="particle"):
    """() or (m,) int32 indices of existing things, of which there are `count`."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "iu" or array.ndim > 1 or array.size == 0:
        refuse(where, f"{what} is {value!r:.60}", f"give one {kind} index or an array of them")
    bad = first_true((array < 0) | (array >= count))
    if bad is not None:
        allowed = f"use 0 to {count - 1}" if count else "add it first: there is none yet"
        refuse(where, f"{what} is {kind} {np.atleast_1d(array)[bad]}, which does not exist", allowed, bad)
    return array.astype(np.int32)


def index_columns(where, columns, count):
    """The particle columns of a block of springs, of one length m: {what: (m,) int32}."""
    columns = {what: indices(where, what, value, count) for what, value in columns.items()}
    lengths = {what: len(column) for what, column in columns.items() if column.ndim}
    if len(set(lengths.values())) > 1:
        given = ", ".join(f"{what} {length}" for what, length in lengths.items())
        refuse(where, f"the index arrays have different lengths ({given})", "give one particle of each a spring")
    length = max(lengths.values(), default=1)
    return {what: frozen(np.ascontiguousarray(np.broadcast_to(column, (length,)))) for what, column in columns.items()}


def axes(where, what, value):
    """(3,) bool from a word such as "", "x" or "xyz"."""
    if not isinstance(value, str) or set(value) - set(AXES) or len(set(value)) != len(value):
        refuse(where, f"{what} is {value!r}", 'give the held axes as letters, for example "", "z" or "xyz"')
    return np.array([axis in value for axis in AXES])


def user_level():
    """How far up the first caller outside this package is, so that a warning names a line of the user's."""
    package, level, frame = Path(__file__).parents[1], 1, sys._getframe(1)
    while frame.f_back is not None and Path(frame.f_code.co_filename).is_relative_to(package):
        level, frame = level + 1, frame.f_back
    return level
